#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof stats and mprof log: event logs that are written by hand, converted, merged, damaged.

bats_require_minimum_version 1.5.0
load ../lib/common

# the five events of doc/formats.md, in both forms
logs() {
	cat >humanized.log <<-'EOT'
		secs=10 nsecs=0 tid=4001 tmstmp
		secs=10 nsecs=1000 tid=4001 malloc ptr=0x5560000012a0 size=100
		secs=10 nsecs=3000 tid=4001 calloc ptr=0x556000001310 num=10 elem=20
		secs=10 nsecs=10000 tid=4001 realloc newptr=0x5560000013e0 ptr=0x5560000012a0 size=700
		secs=10 nsecs=15000 tid=4002 free ptr=0x556000001310
	EOT
	cat >plain.log <<-'EOT'
		10000000000 4001 4
		10000001000 4001 1 0x5560000012a0 100
		10000003000 4001 2 0x556000001310 10 20
		10000010000 4001 3 0x5560000013e0 0x5560000012a0 700
		10000015000 4002 0 0x556000001310
	EOT
}

# a log of N blocks that are allocated and freed, as awk writes it
long_log() { # N
	awk -v n="$1" 'BEGIN {
		t = 5000000000
		printf "%.0f 7 4\n", t
		for (i = 0; i < n; i++) {
			printf "%.0f 7 1 0x%x %d\n", t += 100, 4096 + i % 1000 * 64, i % 977 + 1
			printf "%.0f 8 0 0x%x\n", t += 50, 4096 + i % 1000 * 64
		}
		printf "%.0f 7 4\n", t += 1
	}'
}

# refuses WORDS COMMAND...: status 1, one sentence with these words, nothing on standard output
refuses() {
	refused 1 "$@" || return 1
	[ ! -s refused.out ] || fail "it printed:" "$(cat refused.out)"
}

@test "the log of the specification has its statistics, in either form and mixed" {
	logs
	sed -n '1p;3p' humanized.log >mixed.log
	sed -n '2p;4p;5p' plain.log >>mixed.log
	local f
	for f in humanized plain mixed; do
		"$MPROF" stats $f.log >out
		printf '%s\n' 'duration [ns]: 15000' 'load_max [byte]: 900' 'load_current [byte]: 700' \
			'load_total [byte*ns]: 6800000' 'load_avg [byte]: 453' | diff - out
		[ "$("$MPROF" stats --humanized=no $f.log)" = "15000 900 700 6800000 453" ]
	done
}

@test "statistics as JSON have the counters, too" {
	logs
	printf '%s\n' '10000016000 1 0 0' '10000016000 1 0 0x77' '10000016000 1 1 0x0 5' \
		'10000016000 1 1 0x5560000013e0 5' >>plain.log
	"$MPROF" stats --format=json plain.log >out.json
	jq -e '. == {duration: 16000, load_max: 900, load_current: 5, load_total: 7500000, load_avg: 468,
		events: 9, free: 3, malloc: 3, calloc: 1, realloc: 1, tmstmp: 1, unknown_free: 1, failed: 1,
		replaced: 1, live_blocks: 1}' out.json
}

@test "an empty log is valid and all statistics are 0; so is one of blank lines" {
	: >empty.log
	printf '\n   \n\n' >blank.log
	local f
	for f in empty blank; do
		[ "$("$MPROF" stats --humanized=no $f.log)" = "0 0 0 0 0" ]
		[ -z "$("$MPROF" log $f.log)" ]
	done
}

@test "the load over time is exact beyond 64 bits" {
	printf '%s\n' '0 1 1 0x10 18446744073709551615' '18446744073709551615 1 4' >wide.log
	[ "$("$MPROF" stats --humanized=no wide.log)" = \
		"18446744073709551615 18446744073709551615 18446744073709551615 340282366920938463426481119284349108225 18446744073709551615" ]
	"$MPROF" stats --format=json wide.log | grep -q '"load_total":340282366920938463426481119284349108225,'
	printf '%s\n' '0 1 1 0x10 18446744073709551615' '0 1 1 0x20 3' '18446744073709551615 1 4' >toowide.log
	refuses '128 bits' "$MPROF" stats toowide.log
}

@test "log converts between the forms without loss" {
	logs
	"$MPROF" log plain.log | cmp - humanized.log
	"$MPROF" log --humanized=no humanized.log | cmp - plain.log
	"$MPROF" log humanized.log | cmp - humanized.log
	"$MPROF" log --humanized=no plain.log | cmp - plain.log
	"$MPROF" log --format=json plain.log >out.json
	jq -se 'length == 5 and .[3] == {time: 10000010000, tid: 4001, event: "realloc",
		newptr: "0x5560000013e0", ptr: "0x5560000012a0", size: 700} and
		.[2].num == 10 and .[2].elem == 20 and .[4].ptr == "0x556000001310"' out.json
}

@test "a dash is standard input, once among the files, too" {
	logs
	[ "$("$MPROF" stats --humanized=no - <plain.log)" = "15000 900 700 6800000 453" ]
	cat plain.log | "$MPROF" log - | cmp - humanized.log
	[ "$("$MPROF" stats --humanized=no plain.log - </dev/null)" = "15000 900 700 6800000 453" ]
}

@test "a log is a file, a pipe of the shell or standard input, and nothing else is waited for" {
	local from command
	logs
	"$MPROF" log <(cat plain.log) | cmp - humanized.log
	cat plain.log | "$MPROF" log /dev/stdin | cmp - humanized.log
	mkfifo pipe
	for command in log stats report; do
		for from in pipe /dev/zero /dev/ptmx; do
			refused any "cannot read $from: it is neither a file nor a pipe of the shell's|not an ordinary file" \
				"$MPROF" $command "$from" || fail "$command $from"
		done
	done
	refused 1 'cannot read \.: Is a directory' "$MPROF" stats .
	refused 1 'cannot read pipe: it is not an ordinary file' "$MPROF" report --format=ms_print pipe
}

@test "the environment chooses the form, and an option wins" {
	logs
	[ "$(MMA_OUTPUT_HUMANIZED=0 "$MPROF" stats plain.log)" = "15000 900 700 6800000 453" ]
	[ "$(MMA_OUTPUT_HUMANIZED=0 "$MPROF" stats --humanized=yes plain.log | wc -l)" = 5 ]
	[ "$(MMA_OUTPUT_HUMANIZED=1 "$MPROF" stats plain.log | wc -l)" = 5 ]
	MMA_OUTPUT_HUMANIZED=0 "$MPROF" log humanized.log | cmp - plain.log
}

@test "lines that are slightly out of order are sorted, and stay in order where times are equal" {
	printf '%s\n' '10 1 1 0x10 5' '30 1 4' '20 2 1 0x20 7' '20 1 0 0x20' '40 1 4' >order.log
	printf '%s\n' '10 1 1 0x10 5' '20 2 1 0x20 7' '20 1 0 0x20' '30 1 4' '40 1 4' >sorted.log
	{ cat order.log; echo '41 1 5'; } >bad.log
	refuses '^mprof: bad.log:6:6: expected' "$MPROF" stats bad.log
	"$MPROF" log --humanized=no order.log | cmp - sorted.log
	[ "$("$MPROF" stats --humanized=no order.log)" = "30 12 5 150 5" ]
	[ "$("$MPROF" stats --humanized=no - <order.log)" = "30 12 5 150 5" ]
}

@test "several logs are one group: loads are added, blocks leave with their process" {
	printf '%s\n' '0 1 4' '0 1 1 0x8 100' '10 1 4' >a.log
	printf '%s\n' '5 2 4' '5 2 1 0x8 7' '20 2 4' >b.log
	[ "$("$MPROF" stats --humanized=no a.log b.log)" = "20 107 7 1105 55" ]
	[ "$("$MPROF" stats --humanized=no b.log a.log)" = "20 107 7 1105 55" ]
	"$MPROF" log --humanized=no b.log a.log >merged
	printf '%s\n' '0 1 4' '0 1 1 0x8 100' '5 2 4' '5 2 1 0x8 7' '10 1 4' '20 2 4' | cmp - merged
}

@test "a malformed line of each kind is refused by file, line and column, and nothing is printed" {
	logs
	local bad words n=0
	while IFS='|' read -r bad words; do
		n=$((n + 1))
		{ cat plain.log; printf '%s\n' "$bad"; cat plain.log; } >bad.log
		refuses "^mprof: bad\.log:6:$words" "$MPROF" stats bad.log
		refuses "^mprof: bad\.log:6:$words" "$MPROF" log bad.log
	done <<-'EOT'
		x|1: expected a time
		1 2|4: expected a blank, found the end of the line
		1 2 9|5: expected free, malloc, calloc, realloc, tmstmp
		1 2 free|9: expected a blank
		1 2 malloc 0x10|16: expected a blank
		1 2 malloc ptr=0x10 num=5|21: expected a number of bytes or "size="
		1 2 calloc 0x10 5|18: expected a blank
		1 2 realloc 0x10 0x20|22: expected a blank
		1 2 realloc oldptr=0x10 0x20 5|13: expected an address or "newptr="
		1 2 tmstmp 5|12: expected the end of the line, found "5"
		1 -2 4|3: expected a thread id
		secs=1 nsecs=1000000000 tid=1 tmstmp|14: expected nanoseconds from 0 to 999999999
		18446744073709551616 1 4|1: expected a number of at most
		1 1 1 0x10 99999999999999999999|12: expected a number of at most
	EOT
	[ $n = 14 ]
}

@test "what stands in a malformed line cannot steer the terminal, and nothing after a NUL is missed" {
	printf '1 2 \033[31mred 5\n' >escape.log
	refuses 'found ".033.31mred"' "$MPROF" stats escape.log
	printf '1 2 4\0\n1 2 4\n' >nul.log
	refuses 'nul.log:1:5: expected' "$MPROF" stats nul.log
	head -c 3000000 /dev/zero | tr '\0' 9 >long.log
	refuses 'long.log:1:1: expected a number of at most .*\.\.\.' "$MPROF" stats long.log
	head -c 3000000 /dev/zero | tr '\0' ' ' >blank.log
	[ "$("$MPROF" stats --humanized=no blank.log)" = "0 0 0 0 0" ]
}

@test "a line without an end is given up at 16 MiB, with the file's name and its number" {
	local command
	for command in stats log report; do
		{ printf '1 2 4\n\n' && head -c $((17 << 20)) /dev/zero | tr '\0' 9; } >long.log
		refuses '^mprof: long.log:3: this line has more than 16 MiB' "$MPROF" $command long.log
	done
	zstd -q long.log
	refuses '^mprof: long.log.zst:3: this line has more than 16 MiB' "$MPROF" stats long.log.zst
	# As long as it may be, it is looked at.
	{ head -c $((16 << 20)) /dev/zero | tr '\0' ' ' && echo 1 2 4; } >blank.log
	truncate -s $((16 << 20)) blank.log
	[ "$("$MPROF" stats --humanized=no blank.log)" = "0 0 0 0 0" ]
	for command in stats log; do
		# shellcheck disable=SC2016
		refuses '^mprof: standard input:1: this line has more than 16 MiB' \
			sh -c 'tr "\0" x </dev/zero | timeout 60 "$0" '"$command -" "$MPROF"
	done
}

@test "a missing last newline is no mistake" {
	logs
	head -c -1 plain.log >short.log
	[ "$("$MPROF" stats --humanized=no short.log)" = "15000 900 700 6800000 453" ]
}

@test "a file that cannot be read is named, and so is a wrong use" {
	refuses 'nothere.log: No such file' "$MPROF" stats nothere.log
	refuses 'cannot read \.: Is a directory' "$MPROF" log .
	local status=0
	"$MPROF" stats >out 2>err || status=$?
	[ $status = 2 ] && [ ! -s out ]
	a_sentence err 'which logs'
	status=0
	"$MPROF" log --humanized=maybe x 2>err || status=$?
	[ $status = 2 ]
	a_sentence err '"maybe" is not yes or no'
	status=0
	"$MPROF" stats --format=tables x 2>err || status=$?
	[ $status = 2 ]
	a_sentence err 'mma or json'
}

@test "a result that cannot be written is an error, and so is a closed standard output or input" {
	logs
	local command status
	for command in 'stats' 'log' 'log --format=json' 'report'; do
		for status in '>/dev/full' '>&-'; do
			eval "refused 1 'cannot write' sh -c '\"\$0\" $command plain.log $status' '$MPROF'"
		done
	done
	for command in stats log; do
		refuses 'cannot write nodir/x: No such file' "$MPROF" $command -o nodir/x plain.log
		refuses 'cannot write \.: Is a directory' "$MPROF" $command -o . plain.log
		refuses 'cannot write /dev/full: No space' "$MPROF" $command -o /dev/full plain.log
		refuses 'cannot read standard input' sh -c "\"\$0\" $command - <&-" "$MPROF"
		"$MPROF" $command -o /dev/null plain.log
	done
}

@test "compressed logs are read and written, whatever they are called" {
	long_log 3000 >long.log
	zstd -q long.log -o packed
	[ "$("$MPROF" stats long.log)" = "$("$MPROF" stats packed)" ]
	[ "$("$MPROF" stats long.log)" = "$("$MPROF" stats - <packed)" ]
	"$MPROF" log --humanized=no -o again.log.zst long.log
	[ "$(wc -c <again.log.zst)" -lt "$(($(wc -c <long.log) / 3))" ]
	zstd -dqc again.log.zst | cmp - long.log
	"$MPROF" log --humanized=no again.log.zst | cmp - long.log
	: >empty.log
	"$MPROF" log -o empty.log.zst empty.log
	[ "$("$MPROF" stats --humanized=no empty.log.zst)" = "0 0 0 0 0" ]
}

@test "of a compressed log that is cut off, what is whole is read, and where it ends is said" {
	long_log 60000 >long.log
	"$MPROF" log --humanized=no -o whole.zst long.log
	local size part status lines
	size=$(wc -c <whole.zst)
	[ "$size" -gt 100000 ]
	for part in $((size - 1)) $((size * 3 / 4)) $((size / 2)) 5; do
		head -c "$part" whole.zst >cut.zst
		status=0
		"$MPROF" log --humanized=no cut.zst >out 2>err || status=$?
		[ $status = 1 ] || fail "status $status at $part"
		a_sentence err 'cut.zst is cut off'
		lines=$(wc -l <out)
		a_sentence err "behind line $lines,"
		head -n "$lines" long.log | cmp - out
		status=0
		"$MPROF" stats cut.zst >stats.cut 2>err || status=$?
		[ $status = 1 ]
		"$MPROF" stats out | cmp - stats.cut
	done
	head -c $((size / 2)) whole.zst >cut.zst
	[ "$("$MPROF" log cut.zst 2>/dev/null | wc -l)" -gt 10000 ]
}

# cut_off COMMAND...: status 1, one sentence about cut.zst; what it prints is in out
cut_off() {
	local status=0
	"$@" >out 2>err </dev/null || status=$?
	[ $status = 1 ] || fail "status $status" "$(cat err)" || return 1
	# report says what is kept besides, and what is shorter
	sed -i '/^mprof: kept: /d; /^mprof:  /d; /^mprof: the first table has /d' err
	a_sentence err 'cut.zst is cut off'
}

@test "of a compressed log that is cut off within its first bytes nothing is whole" {
	logs
	"$MPROF" log -o whole.zst plain.log
	local n
	for n in 0 1 2 3 4 20; do
		head -c $n whole.zst >cut.zst
		cut_off "$MPROF" stats --humanized=no cut.zst
		[ "$(cat out)" = "0 0 0 0 0" ]
		cut_off "$MPROF" log cut.zst
		[ ! -s out ]
		cut_off "$MPROF" report --format=json cut.zst
		jq -e '.totals.allocs == 0' out
	done
	# A log without entries is not such a one.
	: >empty.log
	"$MPROF" log -o empty.zst empty.log
	zstd -qt empty.zst
	[ "$("$MPROF" stats --humanized=no empty.zst)" = "0 0 0 0 0" ]
}

@test "among several logs one that is cut off gives what is whole, and a malformed one nothing" {
	long_log 60000 >long.log
	"$MPROF" log --humanized=no -o whole.zst long.log
	head -c $(($(wc -c <whole.zst) / 2)) whole.zst >cut.zst
	cut_off "$MPROF" log --humanized=no cut.zst
	mv out part.log
	[ -s part.log ]
	logs
	cut_off "$MPROF" stats plain.log cut.zst
	"$MPROF" stats plain.log part.log | cmp - out
	cut_off "$MPROF" log --humanized=no cut.zst plain.log
	"$MPROF" log --humanized=no part.log plain.log | cmp - out
	cut_off "$MPROF" report cut.zst
	"$MPROF" report part.log 2>err | cmp - out
	# what is refused is refused whole
	echo '1 2 malloc' >bad.log
	local command
	for command in stats log; do
		refuses '^mprof: bad.log:1:11: expected a blank, found the end' "$MPROF" $command cut.zst plain.log bad.log
		refuses '^mprof: bad.log:1:11: ' "$MPROF" $command bad.log cut.zst
	done
	refuses '^mprof: bad.log:1:11: ' "$MPROF" report bad.log
}

@test "a plain log that is cut off in the middle of a line is malformed there" {
	logs
	head -n 2 plain.log | head -c -4 >cut.log
	local command
	for command in stats log report; do
		refuses '^mprof: cut.log:2:35: expected a number of bytes .* found the end of the line' \
			"$MPROF" $command cut.log
	done
}

@test "a compressed log that is damaged is refused" {
	long_log 60000 >long.log
	"$MPROF" log --humanized=no -o whole.zst long.log
	local size
	size=$(wc -c <whole.zst)
	cp whole.zst bad.zst
	printf 'XXXXXXXX' | dd of=bad.zst bs=1 seek=$((size / 2)) conv=notrunc status=none
	refuses 'bad.zst is damaged' "$MPROF" stats bad.zst
	{ cat whole.zst; echo '1 2 4'; } >tail.zst
	refuses 'tail.zst is damaged' "$MPROF" stats tail.zst
}
