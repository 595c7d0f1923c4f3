#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Who reads a program's files holds nothing: mprof-taken-over is an mprof in which that process is taken over
# before it begins (tests/lib/taken_over.c), in each of the places where there is one.

load ../lib/common

setup_file() {
	build_targets
	need_mprof
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$ROOT" DEVELOPER=1 B="$B" "$B/mprof-taken-over"
}

# taken_over HOW ARG...: runs that mprof; out, err
taken_over() {
	local how=$1
	shift
	limited env TAKEN_OVER="$how" "$B/mprof-taken-over" "$@" >out 2>err </dev/null
}

# What is tried, see attack().
TRIED=44

# powerless TIMES: whoever was taken over, so many times, has tried all and could do nothing
powerless() {
	[ "$(grep -c 'taken over: ' err)" = $((TRIED * $1)) ] || fail "not tried $1 times:" "$(cat err)" || return 1
	grep 'taken over: ' err |
		grep -Ev ': (Operation not permitted|Permission denied|Bad file descriptor)$' >could || :
	[ ! -s could ] || fail "it could:" "$(cat could)" || return 1
	[ ! -e taken-over ] && [ ! -e taken-over-2 ] && [ ! -e taken-over-dir ]
}

program() {
	cat >prog.c <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		struct thing { char c[713]; };
		__attribute__((noinline)) void lose(void)
		{
			struct thing *volatile lost = malloc(sizeof(struct thing));

			(void)lost;
		}
		int main(int argc, char **argv)
		{
			for (int i = 0; i < 3; i++)
				lose();
			if (argc > 1)
				execv(argv[0], (char *[]){ argv[0], NULL });
			return 5;
		}
	END
	gcc -g -O1 prog.c -o prog
}

# counted REPORT: what there was to be counted, with names or without
counted() {
	grep -Eq '^ +713 +3 +2139 ' "$1" || fail "not counted:" "$(cat "$1" err)"
}

@test "a parser that is taken over at the end of a run can do nothing" {
	local status=0
	program
	taken_over attack run -o report ./prog || status=$?
	[ "$status" = 5 ]
	powerless 1
	grep -q 'lose' report
}

@test "a parser that is taken over in a save child can do nothing" {
	local status=0
	program
	taken_over attack run --keep-execs -o report ./prog again || status=$?
	[ "$status" = 5 ]
	# one that is made at the exec, and one that reads for both reports
	powerless 2
}

@test "a parser that names many and fails costs the names of those, and counts of none" {
	local how
	program
	for how in crash lie; do
		taken_over "$how" run --keep-execs -o report ./prog again || :
		[ "$(grep -Ec '^ +713 +3 +2139 ' report)" = 2 ] || fail "$how:" "$(cat report err)"
	done
}

@test "a parser that is taken over in mprof report and diff can do nothing" {
	program
	limited "$MPROF" run ./prog >/dev/null 2>&1 || :
	taken_over attack report --symbols-from=prog
	powerless 1
	counted out
	cp mprof.data other.data
	taken_over attack diff --symbols-from=prog mprof.data other.data
	powerless 2
}

@test "a parser of a user without privileges that is taken over can do nothing either" {
	[ "$(id -u)" = 0 ] || skip "whoever runs this is one"
	local status=0 mprof
	mprof=$(for_anybody "$B/mprof-taken-over")
	program
	chmod 755 prog
	mkdir -m 777 room
	cp prog room && cd room
	limited setpriv --reuid=65534 --regid=65534 --clear-groups \
		env TAKEN_OVER=attack HOME="$PWD" "../$mprof" run -o report ./prog >out 2>err </dev/null || status=$?
	[ "$status" = 5 ]
	powerless 1
}

# left_out HOW REGEX: a report with all numbers, and the reason why it has no names; the end is the program's
left_out() {
	local status=0
	taken_over "$1" run -o report ./prog || status=$?
	[ "$status" = 5 ] || fail "status $status" "$(cat err)" || return 1
	says err "the names of .*/prog are left out: reading it $2"
	says err "^mprof: no names; reading it $2.*: .*/prog"
	counted report
	grep -q 'prog+0x' report
	limited "$MPROF" report mprof.data >again 2>err.report || fail "$(cat err.report)" || return 1
	counted again
}

@test "a parser that crashes, or writes what is no profile, costs the names and nothing else" {
	program
	left_out crash 'ended with signal 4 '
	left_out lie 'gave what makes no sense'
}

@test "a parser that takes processor time or memory without end costs the names and nothing else" {
	program
	left_out loop 'took more than 2 seconds of processor time'
	nm -D "$MPROF" >imports
	! grep -q __asan_init imports || return 0	# it has addresses without end
	ulimit -v 3000000
	left_out grow 'took more than [0-9]+ MiB of memory'
}

@test "what a parser asks for that it may not have is refused, and it goes on" {
	program
	taken_over storm run -o report ./prog || :
	counted report
	grep -q lose report
}

@test "a file whose table of symbols is larger than memory is left out with a sentence" {
	local status=0
	nm -D "$MPROF" >imports
	! grep -q __asan_init imports || skip "a sanitizer has addresses without end"
	program
	python3 - <<-'END'
		import struct
		data = bytearray(open("prog", "rb").read())
		shoff, = struct.unpack_from("<Q", data, 40)
		size, count = struct.unpack_from("<HH", data, 58)
		for at in range(shoff, shoff + size * count, size):
		    if struct.unpack_from("<I", data, at + 4)[0] == 2:  # SHT_SYMTAB
		        struct.pack_into("<QQ", data, at + 24, 1 << 20, 24 << 28)
		open("prog", "wb").write(data)
	END
	truncate -s 7G prog
	ulimit -v 3000000
	limited "$MPROF" run -o report ./prog >out 2>err || status=$?
	[ "$status" = 5 ] || fail "status $status" "$(cat err)"
	says err 'the names of .*/prog are left out: reading it took more than [0-9]+ MiB of memory'
	counted report
}
