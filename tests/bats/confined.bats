#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Who reads a program's files holds nothing: mprof-taken-over is an mprof in which that process is taken over
# before it begins (tests/lib/taken_over.c), in each of the places where there is one.

load ../lib/common
load ../lib/live

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

# all_powerless N: as many as there were, N at least
all_powerless() {
	local n=$(($(grep -c 'taken over: ' err) / TRIED))
	[ $n -ge "$1" ] || fail "tried $n times, not $1:" "$(cat err)" || return 1
	powerless $n
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
	# one that looks whose file it is, and one that names
	powerless 2
	counted out
	cp mprof.data other.data
	taken_over attack diff --symbols-from=prog mprof.data other.data
	powerless 4
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

@test "a parser that takes memory by files in memory without end is ended" {
	program
	nm -D "$MPROF" >imports
	! grep -q __asan_init imports || skip "a sanitizer has addresses without end"
	ulimit -v 600000
	left_out files 'took more than [0-9]+ MiB of memory'
	[ "$(sed -n 's/.*names of .* took more than \([0-9]*\) MiB.*/\1/p' err)" -lt 600 ]
}

@test "a parser that says that it reads what there is not is not believed" {
	local status
	program
	for POINTED in 0 1 2 3 4 5 6; do
		status=0
		export POINTED
		taken_over point run -o report ./prog || status=$?
		[ "$status" = 5 ] || fail "$POINTED: status $status" "$(cat err)"
		counted report
		grep -q 'prog+0x' report
	done
}

@test "what a parser asks for that it may not have is refused, and it goes on" {
	program
	taken_over storm run -o report ./prog || :
	counted report
	grep -q lose report
}

@test "a parser that closes its end of the connection and sleeps costs the names and nothing else" {
	program
	left_out close 'did not come to an end'
}

@test "a parser that has sentences and entries for the cache without end is heard to a limit, and goes on" {
	program
	taken_over chatter run -o report ./prog || :
	counted report
	grep -q lose report
	local shown
	shown=$(grep -c 'taken over: chatter' err)
	[ "$shown" -ge 64 ] && [ "$shown" -lt 200 ] || fail "$shown times" "$(tail -n 5 err)"
	says err "the process that reads names has more than $shown sentences: the others are not shown"
	says err 'the process that reads names has more entries for the cache of names than there are files .*: the others are not written'
}

# give_huge_symbols FILE: a table of symbols that is larger than memory may be
give_huge_symbols() {
	nm -D "$MPROF" >imports
	! grep -q __asan_init imports || skip "a sanitizer has addresses without end"
	python3 - "$1" <<-'END'
		import struct, sys
		data = bytearray(open(sys.argv[1], "rb").read())
		shoff, = struct.unpack_from("<Q", data, 40)
		size, count = struct.unpack_from("<HH", data, 58)
		for at in range(shoff, shoff + size * count, size):
		    if struct.unpack_from("<I", data, at + 4)[0] == 2:  # SHT_SYMTAB
		        struct.pack_into("<QQ", data, at + 24, 1 << 20, 24 << 28)
		open(sys.argv[1], "wb").write(data)
	END
	truncate -s 7G "$1"
	ulimit -v 3000000
}

@test "a file whose table of symbols is larger than memory is left out with a sentence" {
	local status=0
	program
	give_huge_symbols prog
	limited "$MPROF" run -o report ./prog >out 2>err || status=$?
	[ "$status" = 5 ] || fail "status $status" "$(cat err)"
	says err 'the names of .*/prog are left out: reading it took more than [0-9]+ MiB of memory'
	counted report
}

# ---- names that are in no profile ----

@test "a parser that is taken over where the functions of conditions are looked for can do nothing" {
	program
	limited "$MPROF" run ./prog >/dev/null 2>&1 || :
	taken_over attack report '--fail-if=kept(nobody)>0' mprof.data || :
	powerless 1
	# Of the program nothing is known, so it may have the function.
	taken_over crash report '--fail-if=kept(nobody)>0' mprof.data || :
	has_sentence err 'the names of .*/prog are left out: reading it ended with signal 4 '
	! grep -q 'says nothing' err
}

@test "a library that ends who looks for the functions of conditions is left out, and the rest is known" {
	local status=0
	echo 'int fine(void) { return 0; }' >fine.c
	echo 'int fine(void); int called(void) { return fine(); } int main(void) { return called(); }' >uses.c
	gcc -shared -fPIC -o libfine.so fine.c
	gcc -o uses uses.c -L. -lfine -Wl,-rpath,"$PWD"
	give_huge_symbols libfine.so
	limited "$MPROF" run ./uses >/dev/null 2>&1
	limited "$MPROF" report '--fail-if=kept(called)>0' '--fail-if=kept(nobody)>0' mprof.data >out 2>err || status=$?
	[ "$status" = 2 ] || fail "status $status" "$(cat err)"
	has_sentence err 'the names of .*/libfine.so are left out: reading it took more than [0-9]+ MiB of memory'
	has_sentence err '--fail-if=kept\(nobody\)>0 says nothing: neither the program nor a library of it'
	! grep -q 'kept(called)>0 says nothing' err
}

@test "a parser that is taken over where massif's trees get their names can do nothing" {
	program
	taken_over attack run --massif-out-file=m.out --detailed-freq=1 -o report ./prog || :
	powerless 2
	grep -q ': lose ' m.out
	taken_over crash run --massif-out-file=m.out --detailed-freq=1 -o report ./prog || :
	counted report
	has_sentence err 'the names of .*/prog are left out: reading it ended with signal 4 '
	grep -q '^snapshot=' m.out
	! grep -q ': lose ' m.out
}

@test "a parser that is taken over where names decide what massif counts can do nothing" {
	local how
	program
	taken_over attack run --massif-out-file=m.out --detailed-freq=1 --ignore-fn=lose -o report ./prog || :
	# one that is asked for each context, and the report's
	all_powerless 2
	! grep -q '^mem_heap_B=2139$' m.out
	for how in crash loop lie; do
		taken_over $how run --massif-out-file=m.out --detailed-freq=1 --ignore-fn=lose -o report ./prog || :
		counted report || return 1
		case $how in
		crash) has_sentence err 'the names of .*/prog are left out: reading it ended with signal 4 ' ;;
		loop) has_sentence err 'the names of .*/prog are left out: reading it took more than 2 seconds of processor time' ;;
		lie) has_sentence err 'no names are told: the process that reads them gave no answer' ;;
		esac || return 1
		# What has no name is not ignored.
		grep -q '^mem_heap_B=2139$' m.out || return 1
	done
}

# has_sentence FILE REGEX: it is said, once or more often
has_sentence() {
	grep -Eq "^mprof: $2" "$1" || fail "no sentence /$2/:" "$(cat "$1")"
}

@test "a parser that is taken over where heap profiles get their names can do nothing" {
	program
	taken_over attack run --heap-profile=p --symbols=yes -o report ./prog || :
	powerless 2
	grep -q '^0x.* lose$' p.0001.heap
	taken_over crash run --heap-profile=q --symbols=yes -o report ./prog || :
	has_sentence err 'the names of .*/prog are left out: reading it ended with signal 4 '
	grep -Eq '^heap profile: +3: +2139 ' q.0001.heap
}

@test "a parser that is taken over where mprof report names a heap profile can do nothing" {
	program
	limited "$MPROF" run --heap-profile=p -o report ./prog >/dev/null 2>&1 || :
	taken_over attack report p.0001.heap
	# headers first, then names
	powerless 2
	grep -q 'lose$' out
	# of a data file it is headers only
	taken_over attack report --format=heap mprof.data
	powerless 1
	taken_over loop report --show_bytes p.0001.heap
	has_sentence err 'the names of .* are left out: reading it took more than 2 seconds of processor time'
	! grep -q lose out
	grep -q '2139' out
}

@test "a parser that is taken over behind mprof top can do nothing" {
	start topped "$T/topped"
	attach "$PID"
	tell_await topped 'red 40' '^did red 40$'
	taken_over attack top --once --interval=0.2 "$PID"
	all_powerless 1
	grep -q topped out
	taken_over crash top --once --interval=0.2 "$PID"
	has_sentence err 'the names of .* are left out: reading it ended with signal 4 '
	grep -q topped out
}

@test "a parser that is taken over where classes are named can do nothing" {
	start classes "$T/classes-nortti"
	taken_over attack heap --max-pause=60000 "$PID"
	powerless 1
	cp out want
	taken_over crash heap --max-pause=60000 "$PID"
	has_sentence err 'no names are told: the process that reads them ended with signal 4 '
	[ "$(wc -l <out)" -gt 3 ]
	grep -q 'class without a name' out
	taken_over lie heap --max-pause=60000 "$PID"
	has_sentence err 'no names are told: the process that reads them gave what makes no sense'
	grep -q 'class without a name' out
}

@test "a parser that is taken over behind mprof doctor can do nothing" {
	program
	taken_over attack doctor ./prog || :
	# one that looks for functions, one that looks for debug information
	powerless 2
	taken_over crash doctor --format=json ./prog || :
	has_sentence err 'the names of .*/prog are left out: reading it ended with signal 4 '
	jq -e . out >/dev/null
	grep -q 'no allocator found: its file could not be read' out
	taken_over lie doctor ./prog || :
	has_sentence err 'the names of .*/prog are left out: reading it gave what makes no sense'
	grep -q 'no allocator found: its file could not be read' out
}

@test "a parser that is taken over behind mprof probes can do nothing" {
	program
	limited "$MPROF" probes ./prog >want 2>/dev/null
	taken_over attack probes ./prog
	powerless 1
	cmp out want
	local how
	for how in crash lie; do
		taken_over $how probes ./prog && fail "$how: status 0" "$(cat out err)"
		has_sentence err 'the names of .*/prog are left out: reading it (ended with signal 4 .*|gave what makes no sense)'
		has_sentence err 'nothing would be trapped in ./prog: no allocator found: its file could not be read'
		[ ! -s out ]
	done
	start heaplive "$T/heaplive"
	taken_over crash probes "$PID" && fail "status 0" "$(cat out err)"
	has_sentence err 'the names of .* are left out: reading it ended with signal 4 .*'
	[ ! -s out ]
}

@test "a parser that is taken over where files are looked for can do nothing" {
	program
	limited "$MPROF" run ./prog >/dev/null 2>&1 || :
	mkdir dir
	cp prog dir
	local from
	for from in dir prog; do
		taken_over attack report --symbols-from=$from mprof.data
		# one that finds it, one that reads it
		powerless 2
		counted out
		grep -q lose out
		taken_over crash report --symbols-from=$from mprof.data
		has_sentence err 'the names of .*prog are left out: reading it ended with signal 4 '
		counted out
		taken_over lie report --symbols-from=$from mprof.data
		has_sentence err 'the names of .*prog are left out: reading it gave what makes no sense'
		counted out
	done
	nm -D "$MPROF" >imports
	! grep -q __asan_init imports || return 0
	ulimit -v 3000000
	taken_over grow report --symbols-from=dir mprof.data
	has_sentence err 'the names of .*/prog are left out: reading it took more than [0-9]+ MiB of memory'
	counted out
}
