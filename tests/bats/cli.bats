#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The command line: what is refused and with which words and status, names of files, how mprof ends,
# and that nobody minds closed or full files.

bats_require_minimum_version 1.5.0
load ../lib/common

# profile: makes run.data and run.txt of a small program
profile() {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/edges" >out 2>err ||
		fail "status $?" "$(cat err)"
	[ -s run.data ] && [ -s run.txt ]
}

# ---- programs that cannot be run ----

@test "a program that is not there: 127" {
	refused 127 'nosuch' "$MPROF" run -- ./nosuch
	refused 127 'nosuch-in-path' "$MPROF" run nosuch-in-path
	refused 127 'no/such/dir' "$MPROF" run no/such/dir/prog
}

@test "a file that is not executable: 126" {
	cp "$T/edges" notexec
	chmod 644 notexec
	refused 126 'notexec' "$MPROF" run -- ./notexec
}

@test "a directory: 126" {
	mkdir dir
	refused 126 'dir' "$MPROF" run -- ./dir
}

@test "a file that is no program: 126" {
	head -c 5000 /dev/zero >zeros
	chmod 755 zeros
	refused 126 'zeros' "$MPROF" run -- ./zeros
}

@test "a 32-bit program: 126, and why" {
	elf 1 3 prog32
	refused 126 '(32|64)-bit' "$MPROF" run -- ./prog32
}

@test "a program for another machine: 126, and why" {
	elf 2 183 prog-arm
	refused 126 'x86-64' "$MPROF" run -- ./prog-arm
}

@test "a stripped static program: says what was looked for" {
	refused any 'malloc' "$MPROF" run -o run.txt -- "$T/copy-static"
}

@test "a script is run by its interpreter" {
	printf '#!/bin/sh\necho from a script\nexit 9\n' >script
	chmod 755 script
	local status=0
	limited "$MPROF" run -o run.txt -- ./script >out 2>err || status=$?
	[ "$status" = 9 ] && [ "$(cat out)" = "from a script" ] && [ -s run.txt ]
}

@test "a program is looked up in PATH" {
	PATH=$T:$PATH limited "$MPROF" run -o run.txt edges >out
	[ "$(cat out)" = "edges: done" ]
	[ -s mprof.data ]
}

@test "a shell that execs another program leaves that one undisturbed, and the data is the last one's" {
	echo through >in
	BINS=bins limited "$MPROF" run -o run.txt --data=run.data -- /bin/sh -c 'exec "$0"' "$T/copy" \
		<in >out 2>err
	cmp in out
	limited "$MPROF" report --format=json run.data >report.json
	agrees report.json bins
}

@test "control characters in names never reach the terminal" {
	cp "$T/edges" $'esc\033[31m\nape'
	limited "$MPROF" run -- $'./esc\033[31m\nape' >out 2>err
	run ! grep -q $'\033' err
	refused 127 . "$MPROF" run $'./no\033[31m\nsuch'
	run ! grep -q $'\033' refused.err
	refused any . "$MPROF" report $'no\033[31m\nsuch'
	run ! grep -q $'\033' refused.err
	cc -O1 -fno-inline -o widgets "$ROOT/examples/widgets.c"
	objcopy --redefine-sym make_widget=$'make\033[31m\nwidget' widgets evil
	limited "$MPROF" run -o run.txt --data=run.data -- ./evil 2>err
	run ! grep -q $'\033' run.txt
	limited "$MPROF" report --format=json run.data >report.json
	agrees report.json
}

# ---- wrong options and files ----

@test "an unknown option: 2" {
	refused 2 'frobnicate' "$MPROF" run --frobnicate -- "$T/edges"
	refused 2 'frobnicate' "$MPROF" report -frobnicate
	refused 2 'frobnicate' "$MPROF" --frobnicate
	[ ! -s refused.out ]
}

@test "a usage error: 2" {
	refused 2 . "$MPROF" run
	refused 2 . "$MPROF" run --
	refused 2 . "$MPROF" run -o
	refused 2 'xml' "$MPROF" run --format=xml -- "$T/edges"
	refused 2 'perhaps' "$MPROF" run --trace-children=perhaps -- "$T/edges"
	refused 2 . "$MPROF" report one.data two.data
	refused 1 'cannot read -x' "$MPROF" report -- -x
	refused 2 'one data file.*"-x" is one too many' "$MPROF" report one.data --terse -- -x
	refused 2 . "$MPROF" a.out one.data two.data
}

@test "a report that cannot be written is said in a sentence" {
	refused any 'nodir/report' "$MPROF" run -o nodir/report -- "$T/edges"
	mkdir dir
	refused any 'dir' "$MPROF" run -o dir -- "$T/edges"
	local status=0
	limited "$MPROF" run -o /dev/full -- "$T/edges" >out 2>err || status=$?
	[ "$status" != 0 ]
	says err '/dev/full'
	limited "$MPROF" report mprof.data >/dev/null # it is not lost, the data is there
	profile
	limited "$MPROF" report run.data >/dev/full 2>err && fail "no error"
	for command in help 'help run' 'report --help' --version 'completion bash' "probes $T/edges"; do
		# shellcheck disable=SC2086
		limited "$MPROF" $command >/dev/full 2>err && fail "$command: no error"
		says err 'cannot write to standard output: No space left on device$'
	done
	a_sentence err
}

@test "a data file that cannot be written is said in a sentence" {
	refused any 'nodir/data' "$MPROF" run -o run.txt --data=nodir/data -- "$T/edges"
	mkdir dir
	refused any 'dir' "$MPROF" run -o run.txt --data=dir -- "$T/edges"
}

@test "a data file that is not there or not one is said in a sentence" {
	refused any 'nosuch' "$MPROF" report nosuch
	[ ! -e nosuch ]
	: >empty
	echo "I am not a profile" >text
	head -c 20000 /dev/urandom >noise
	mkdir dir
	sqlite3 other.db 'create table t(a); insert into t values(1)'
	local f
	for f in empty text noise dir other.db; do
		refused any "$f" "$MPROF" report "$f"
		[ ! -s refused.out ]
	done
}

@test "a truncated data file is said in a sentence" {
	profile
	local n size
	size=$(stat -c %s run.data)
	for n in 20 100 1000 4096 $((size / 2)) $((size - 1)); do
		head -c "$n" run.data >part
		refused any 'part' "$MPROF" report part
	done
}

@test "a damaged data file is said in a sentence, wherever the damage is" {
	profile
	local at size
	size=$(stat -c %s run.data)
	cp run.data bad
	dd if=/dev/zero bs=1 seek=$((size / 2)) count=$((size / 2)) of=bad conv=notrunc status=none
	refused any 'bad' "$MPROF" report bad
	# one page of garbage at a time: a sentence, or what was said before
	for ((at = 0; at < size; at += 4096)); do
		cp run.data bad
		head -c 4096 /dev/urandom | dd of=bad bs=4096 seek=$((at / 4096)) conv=notrunc status=none
		if limited "$MPROF" report bad >out 2>err; then
			cmp out run.txt
		else
			[[ $(cat ended) = status* ]]
			a_sentence err
		fi
	done
}

@test "a data file of a newer version is said to be that" {
	profile
	local version
	version=$(sqlite3 run.data 'pragma user_version')
	[ "$version" -gt 0 ]
	sqlite3 run.data "pragma user_version = $((version + 1))"
	refused any 'newer' "$MPROF" report run.data
}

@test "reading a report writes nothing, neither to the data file nor beside it" {
	profile
	mkdir there
	cp run.data there/
	chmod 555 there
	limited "$MPROF" report there/run.data >out
	cmp out run.txt
	cmp run.data there/run.data
	[ "$(ls -A there)" = run.data ]
	chmod 755 there
}

@test "a full disk leaves the old mprof.data in place and says so" {
	unshare -m true 2>/dev/null || skip "not allowed to mount here"
	mkdir full
	cat >on-a-full-disk <<-'EOT'
		mount -t tmpfs -o size=2m none full || exit 77
		cd full
		"$1" run -o ../run1.txt -- "$2" 2>../err1 || exit 1
		cp mprof.data ../old.data
		dd if=/dev/zero of=filler bs=4k status=none 2>/dev/null
		"$1" run -o ../run2.txt -- "$2" 2>../err
		echo $? >../status
		ls -A >../names
		cmp mprof.data ../old.data || exit 1
	EOT
	local got=0
	limited unshare -m sh on-a-full-disk "$MPROF" "$T/widgets" || got=$?
	[ $got != 77 ] || skip "not allowed to mount here"
	[ $got = 0 ]
	says err 'mprof\.data.*(no space|full)'
	[ "$(cat status)" != 0 ]
	cmp run1.txt run2.txt
	[ "$(sort names | tr '\n' ' ')" = "filler mprof.data " ]
}

# ---- names ----

@test "%p, %q{VAR} and %% in the name of the data file" {
	FLAVOUR=mint limited "$MPROF" run -o run.txt --data='d-%p-%q{FLAVOUR}-100%%' -- "$T/edges" >out
	local name
	name=$(ls d-*-mint-100%)
	[ "d-$(limited "$MPROF" report --format=json "$name" | jq .pid)-mint-100%" = "$name" ]
	[ ! -e mprof.data ]
}

@test "the data is in mprof.data and the report on standard error unless said otherwise" {
	limited "$MPROF" run "$T/edges" >out 2>err
	[ "$(cat out)" = "edges: done" ]
	grep -q 'Allocation Bins with possible Types' err
	limited "$MPROF" report >report.txt
	theirs err >err1
	cmp err1 report.txt
	limited "$MPROF" report mprof.data >report.txt
	cmp err1 report.txt
}

@test "options after the program are the program's" {
	limited "$MPROF" run -o run.txt "$T/mirror" - -o x --data=y --verbose >out || [ $? = 37 ]
	grep -qx 'arg 2 <-o>' out
	grep -qx 'arg 5 <--verbose>' out
	limited "$MPROF" run -o run.txt -- "$T/mirror" - -- --terse >out || [ $? = 37 ]
	grep -qx 'arg 2 <-->' out
}

# ---- reports ----

@test "options are taken with one dash and with two" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/depthfirst" >out
	local o
	for o in verbose normal terse leaktable noleaktable offsets; do
		limited "$MPROF" report -$o run.data >one
		limited "$MPROF" report --$o run.data >two
		cmp one two
		limited "$MPROF" run -$o -o run.txt -data=run2.data -- "$T/depthfirst" >out
		cmp one run.txt
	done
	limited "$MPROF" report -format=json run.data | jq -e '.schema == "mprof.report.v1"'
}

@test "the last of the options that exclude one another holds" {
	limited "$MPROF" run -o normal.txt --data=run.data -- "$T/depthfirst" >out
	limited "$MPROF" report --verbose --noleaktable --normal --leaktable run.data >report.txt
	cmp normal.txt report.txt
	limited "$MPROF" report --offsets run.data >offsets.txt
	run ! cmp normal.txt offsets.txt
}

@test "the spelling of 1990: mprof [options] [a.out [mprof.data]]" {
	cp "$T/edges" a.out
	limited "$MPROF" run -o run.txt ./a.out >out
	limited "$MPROF" >all-defaults
	cmp run.txt all-defaults
	limited "$MPROF" a.out >one-name
	cmp run.txt one-name
	limited "$MPROF" -verbose a.out mprof.data >two-names
	limited "$MPROF" report -verbose mprof.data >report.txt
	cmp report.txt two-names
	rm mprof.data
	refused any 'mprof\.data' "$MPROF"
	refused any 'mprof\.data' "$MPROF" a.out
}

@test "a report needs neither the program nor its libraries" {
	mkdir gone
	cp "$T/plugins" "$T"/plug-?.so gone/
	limited "$MPROF" run -o run.txt --data=run.data -- gone/plugins >out
	grep -q plug_a_leaf run.txt
	rm -r gone
	limited "$MPROF" report run.data >report.txt
	cmp run.txt report.txt
}

@test "JSON comes from run as from report" {
	limited "$MPROF" run --format=json -o run.json --data=run.data -- "$T/ends" exit >out || [ $? = 72 ]
	limited "$MPROF" report --format=json run.data >report.json
	cmp run.json report.json
	jq -e --arg p "$T/ends" '.command == [$p, "exit"]' report.json
	agrees report.json
	limited "$MPROF" report --format=json --terse --noleaktable run.data >terse.json
	cmp terse.json report.json
}

@test "the data file answers questions in SQL" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/widgets"
	local view
	for view in bins leaks direct callgraph; do
		[ "$(sqlite3 run.data "select * from $view" | wc -l)" -ge 1 ]
	done
	sqlite3 run.data 'select * from leaks' | grep -q make_red_widget
	sqlite3 run.data 'select * from bins' | grep -q 204
	[ "$(sqlite3 run.data 'pragma integrity_check')" = ok ]
}

@test "help and version go to standard output" {
	limited "$MPROF" --help >out 2>err
	[ ! -s err ]
	grep -q run out && grep -q report out && grep -q leaktable out
	not grep -E '.{101}' out
	limited "$MPROF" -help >out1
	cmp out out1
	limited "$MPROF" --version >out 2>err
	[ ! -s err ]
	grep -Eqx 'mprof [0-9][0-9.]*.*' out
}

# ---- ends ----

@test "mprof ends as the program ended, status or signal" {
	local how status
	while read -r how end; do
		limited "$MPROF" run -o run.txt -- "$T/ends" "$how" >out 2>err || :
		[ "$(cat ended)" = "$end" ] || fail "$how: $(cat ended)" "$(cat err)"
		[ -s run.txt ]
	done <<-EOT
		return status 71
		exit status 72
		_exit status 73
		quick_exit status 74
		abort signal 6
		kill signal 9
		term signal 15
		segv signal 11
		trap signal 5
		int3 signal 5
	EOT
}

@test "a program without a single allocation has a report, too" {
	cat >none.c <<-'EOT'
		#include <unistd.h>
		int main(void) { return write(1, "none\n", 5) != 5; }
	EOT
	cc -o none none.c
	limited "$MPROF" run -o run.txt --data=run.data -- ./none >out
	[ "$(cat out)" = none ]
	grep -Eq '^ +<TOTAL> +0 +0 +0 +0$' run.txt
	limited "$MPROF" report --format=json run.data | jq -e '.totals.allocs == 0 and .leaks == []'
}

# ---- files that are closed, pipes that nobody reads ----

@test "closed standard files stay closed in the program, and mprof writes into none of them" {
	local f
	for f in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
		rm -f seen alone run.txt run.data
		eval "limited '$T/mirror' seen $f" || [ $? = 37 ]
		mv seen alone
		eval "limited '$MPROF' run -o run.txt --data=run.data -- '$T/mirror' seen $f" || [ $? = 37 ]
		[ "$(cat ended)" = "status 37" ]
		diff alone seen || fail "with $f"
		[ -s run.txt ]
		limited "$MPROF" report run.data >report.txt
		cmp run.txt report.txt
	done
}

@test "a closed standard error does not change the program's end" {
	limited "$MPROF" run -- "$T/ends" exit >out 2>&- || :
	[ "$(cat ended)" = "status 72" ]
	[ -s mprof.data ]
}

@test "a program that reads from a pipe and writes to one that is closed ends as alone" {
	mkfifo to
	(yes | head -c 3000000 | limited "$MPROF" run -o run.txt -- "$T/copy" >to 2>err) 3>&- &
	head -c 10 <to >/dev/null
	wait $! || :
	[ "$(cat ended)" = "signal 13" ] || [ "$(cat ended)" = "status 96" ]
	[ -s run.txt ]
}

@test "a report on a pipe that nobody reads is no crash" {
	profile
	# It may have been read by then, or not: what is told besides the report is told in any case.
	limited "$MPROF" report --verbose run.data 2>err | true
	local status=${PIPESTATUS[0]}
	[[ $status == 0 || $status == 1 || $status == 141 ]] || fail "status $status" "$(cat err)"
	[ "$(ours err | grep -c 'cannot write')" -le 1 ]
}

@test "on a terminal a step that takes long says what it is, and leaves nothing behind" {
	limited "$MPROF" run -o /dev/null --data=run.data -- true 2>/dev/null
	mkfifo slow
	script -qfec "'$MPROF' report -o slow run.data" typescript >/dev/null 3>&- &
	for _ in {1..600}; do
		! grep -qE 'mprof: writing the report, ([2-9]|[1-9][0-9]+) s' typescript 2>/dev/null || break
		sleep 0.1
	done
	limited cat slow >report.txt
	wait $!
	grep -q MPROF report.txt
	grep -q $'writing the report, [0-9]* s\033\\[K\r\033\\[K' typescript || fail "$(cat -v typescript)"
	# and nothing of it in a file
	limited "$MPROF" report -o report2.txt run.data 2>err
	cmp report.txt report2.txt
	run ! grep -q 'writing' err
}

@test "help of a command is given wherever it is asked for, and the same in every way" {
	local command
	for command in run report attach detach control status probes stats log; do
		limited "$MPROF" help $command >one || fail "$command"
		grep -q "^usage: mprof $command" one || fail "$command" "$(cat one)"
		not grep -E '.{101}' one
		limited "$MPROF" $command --help >out
		cmp one out
		limited "$MPROF" $command -h >out
		cmp one out
		[ $command = run ] || limited "$MPROF" $command a.file -help >out
		cmp one out
	done
	# It tells of this command, and of no other's options.
	limited "$MPROF" help stats >out
	not grep -q -e --lines out
	limited "$MPROF" help report >out
	not grep -q -e --background out
	limited "$MPROF" help run >out
	not grep -q -e --background out
	limited "$MPROF" run -o x --help >two
	cmp out two
	limited "$MPROF" --lines --help >out
	limited "$MPROF" help >all
	cmp all out
	refused 2 'unknown option --bogus for mprof detach' "$MPROF" detach --bogus 1
	# The program's own is the program's.
	limited "$MPROF" run -o /dev/null --data=/dev/null printf '%s\n' --help >out 2>err
	[ "$(cat out)" = --help ]
}

@test "a slip in the name of a command or an option is recognised" {
	refused 2 'unknown option --lins for mprof report: did you mean --lines\?' "$MPROF" report --lins
	refused 2 'unknown option -lins for mprof report: did you mean -lines\?' "$MPROF" report x -lins
	refused 2 'unknown option --trace-childern=yes .*did you mean --trace-children\?' \
		"$MPROF" run --trace-childern=yes "$T/edges"
	refused 2 'unknown option --duration=1 for mprof report \(it is for run, attach\)' "$MPROF" report --duration=1
	refused 2 'unknown option --zzz for mprof run; see mprof help run' "$MPROF" run --zzz "$T/edges"
	refused 2 'options stand behind the command: mprof report .options.; see mprof help report' "$MPROF" --terse report x
	refused 2 '"atach" is neither .*did you mean mprof attach\?' "$MPROF" atach 12
	refused 2 '"zzz" is neither .*; see mprof help' "$MPROF" zzz
	refused 2 'did you mean attach\?' "$MPROF" help atach
	refused 2 '"zzz" is no command of mprof; see mprof help' "$MPROF" help zzz
	refused 2 '"stauts" is no command: did you mean status\?' "$MPROF" control 12 stauts
	refused 2 '"zzz" is no command; see mprof help control' "$MPROF" control 12 zzz
	refused 2 'one command at a time' "$MPROF" help run report
}

@test "options are taken wherever they stand, and what is behind -- is none" {
	limited "$MPROF" run -o run.txt --data=run.data "$T/depthfirst" >out
	limited "$MPROF" report --lines --terse run.data >before
	limited "$MPROF" report run.data --lines --terse >behind
	cmp before behind
	limited "$MPROF" report --terse run.data --lines >around
	cmp before around
	limited "$MPROF" report run.data -o file --format json
	limited "$MPROF" report --format=json run.data >out
	cmp file out
	cp run.data mprof.data
	cp "$T/depthfirst" a.out
	limited "$MPROF" a.out -terse mprof.data -lines >classic
	cmp before classic
	cp run.data ./-terse
	limited "$MPROF" report -lines -- -terse >out
	limited "$MPROF" report -lines run.data >lines
	cmp out lines
}
