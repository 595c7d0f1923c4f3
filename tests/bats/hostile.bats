#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Damaged files, generated, the same in every run: there is a report or a sentence, never a crash, and
# the program does what it did. SEEDS: how many of each kind.

bats_require_minimum_version 1.5.0
load ../lib/common

SEEDS=${SEEDS:-25}
# What a sanitizer finds in mprof must not look like a status of its own.
export ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1

# damage FROM TO SEEDS PART...
damage() {
	python3 "$ROOT/tests/lib/damage.py" "$@"
}

# profiled SEED [REFUSAL]: ./frames.SEED, as ./frames, is profiled to the last allocation, however little is known of
# its frames; or it is refused with that sentence
profiled() {
	local status=0
	mv "frames.$1" frames
	chmod +x frames
	limited "$MPROF" run -o run.txt --data=run.data -- ./frames >out 2>err || status=$?
	if [ "$status" = 1 ] && [ -n "${2:-}" ]; then
		a_sentence err "$2"
		return
	fi
	[ "$status" = 0 ] || fail "seed $1:" "$(cat ended err)" || return 1
	limited "$MPROF" report --format=json run.data >report.json 2>>err || fail "seed $1: $?" "$(cat ended err)" ||
		return 1
	agrees report.json || fail "seed $1" || return 1
	[ "$(grep -c '^{"size":70[0-2][0-9],' report.json)" = 3 ] && [ "$(bin_of report.json 7001)" = "10 0" ] &&
		[ "$(bin_of report.json 7019)" = "1 0" ] && [ "$(bin_of report.json 7027)" = "1 0" ] ||
		fail "seed $1: other numbers"
}

# frames FLAG...: ./whole
frames() {
	gcc -std=gnu17 -D_GNU_SOURCE -fno-builtin -I"$ROOT/tests/targets" "$@" -o whole "$ROOT/tests/targets/frames.c"
}

@test "damaged call frame information" {
	local seed
	frames -O1 -g
	damage whole frames "$SEEDS" .eh_frame .eh_frame_hdr
	for ((seed = 0; seed < SEEDS; seed++)); do
		profiled "$seed"
	done
}

@test "damaged call frame information of a program without an index of it" {
	local seed
	frames -O1 -g -static
	damage whole frames "$SEEDS" .eh_frame .eh_frame sections
	for ((seed = 0; seed < SEEDS; seed++)); do
		# whose symbols nobody finds
		profiled "$seed" 'no allocator found'
	done
}

@test "damaged .debug_frame" {
	local seed
	frames -O1 -g -fno-asynchronous-unwind-tables -fno-unwind-tables
	damage whole frames "$SEEDS" .debug_frame .debug_frame sections
	for ((seed = 0; seed < SEEDS; seed++)); do
		profiled "$seed"
	done
}

@test "doctor says of a damaged program what it is, and what is wrong" {
	local seed status kind
	frames -O1 -g -static
	mv whole whole-static
	frames -O1 -g
	for kind in whole whole-static; do
		damage $kind looked "$SEEDS" header segments sections .dynsym .dynstr .dynamic .symtab .eh_frame \
			.debug_info .note.gnu.build-id .shstrtab
		for ((seed = 0; seed < SEEDS; seed++)); do
			status=0
			chmod +x looked.$seed
			limited "$MPROF" doctor ./looked.$seed >out 2>err || status=$?
			case $status in
			0 | 10 | 126 | 127) tail -n 1 out | grep -q '^it can' ;;
			1) a_sentence err ;;
			*) fail "$kind, seed $seed: status $status" "$(cat ended err)" ;;
			esac
		done
	done
}

@test "damaged names, lines and types of a program" {
	local seed
	frames -O2 -g
	damage whole frames "$SEEDS" .debug_info .debug_abbrev .debug_line .debug_str .debug_line_str \
		.debug_rnglists .debug_aranges .symtab .strtab .shstrtab .note.gnu.build-id
	for ((seed = 0; seed < SEEDS; seed++)); do
		profiled "$seed"
	done
}

@test "a damaged debug file names what it can, or is refused with a sentence" {
	local seed status
	g++ -std=gnu++17 -O2 -g -o names "$ROOT/tests/targets/names.cc" "$ROOT/tests/targets/names2.cc"
	objcopy --only-keep-debug names whole
	strip names
	limited "$MPROF" run -o run.txt --data=run.data -- ./names >out 2>err
	damage whole debug $((2 * SEEDS)) header sections .debug_info .debug_abbrev .debug_line .debug_str \
		.debug_line_str .debug_rnglists .debug_aranges .symtab .strtab .note.gnu.build-id
	for ((seed = 0; seed < 2 * SEEDS; seed++)); do
		status=0
		limited "$MPROF" report --lines --verbose "--symbols-from=debug.$seed" run.data >report 2>err || status=$?
		case $status in
		0) [ -s report ] ;;
		1) a_sentence err ;;
		*) fail "seed $seed: status $status" "$(cat ended err)" ;;
		esac
	done
}

@test "a perf map that is a hole of 200 GiB takes no memory, is said to be cut, and names what is before the hole" {
	nm -D "$MPROF" >imports
	(
		# a sanitizer has addresses without end
		grep -q __asan_init imports || ulimit -v $((4 << 20))
		limited "$MPROF" run --engine=trap -o run.txt --data=run.data -- "$T/jit" $((200 << 30)) >out 2>err
	)
	local map
	map=/tmp/perf-$(sqlite3 run.data "select value from meta where key = 'pid'").map
	rm -f "$map"
	grep -q '> LazyCompile:~jitted game.js:3$' run.txt
	says err "the names in $map are not complete: no more than 512 MiB of it are read, and 10000000 lines\$"
	[ "$(grep -c 'are not complete' err)" = 1 ]
}
