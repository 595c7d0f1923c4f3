# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154
# What all command tests share. A test writes only below $BATS_TEST_TMPDIR, every wait has a
# deadline, and no test asserts how long anything took.
#
#	MPROF=path/to/mprof B=build bats tests/bats
#
# LIMIT is the deadline of one run in seconds.

ROOT=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
B=${B:-build}
case $B in /*) ;; *) B=$ROOT/$B ;; esac
MPROF=${MPROF:-$B/mprof}
case $MPROF in /*) ;; *) MPROF=$PWD/$MPROF ;; esac
T=$B/tests
LIMIT=${LIMIT:-180}
export LC_ALL=C
PATH=$ROOT/tests/lib/no-packages:$PATH
unset MPROF_OPTIONS LD_PRELOAD

# ---- setting up, and leaving nothing behind ----

build_targets() {
	mkdir -p "$T"
	(
		flock 9
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
			make -s -C "$ROOT/tests/targets" OUT="$T" >"$T/make.log" 2>&1
	) 9>"$T/.lock" || {
		cat "$T/make.log"
		return 1
	}
}

need_mprof() {
	[ -x "$MPROF" ] || {
		echo "there is no $MPROF: run make first, or set MPROF"
		return 1
	}
}

setup_file() {
	build_targets
	need_mprof
}

setup() {
	D=$BATS_TEST_TMPDIR
	export XDG_CACHE_HOME=$D/cache-home
	cd "$D" || return 1
	MARK=mprof-test-$BATS_TEST_NUMBER-$BASHPID-$RANDOM$RANDOM
}

teardown() {
	no_strays
}

# for_anybody PROGRAM: a copy in this directory, which other users can run wherever the tree is: they may
# not be let into what is above either.
for_anybody() {
	chmod 755 .
	mkdir -p anybody
	cp "$1" anybody/
	echo "anybody/${1##*/}"
}

# The processes that carry this test's mark in their environment, without this shell.
marked() {
	# Without a mark they would be everybody's.
	[ -n "${MARK:-}" ] || return 0
	grep -alsF "MPROF_TEST_MARK=$MARK" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'
}

# no_strays: every process the test started must be gone, or soon be.
no_strays() {
	local left i
	# Without a mark every test's processes would be taken for this one's, and killed.
	[ -n "${MARK:-}" ] || fail "a test file has a setup() of its own, which does not call the common one" || return 1
	for i in {1..50}; do
		left=$(marked)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "still running:"
	for i in $left; do
		echo "$i $(tr '\0' ' ' <"/proc/$i/cmdline")"
		kill -KILL "$i"
	done
	return 1
}

fail() {
	printf '%s\n' "$@"
	return 1
}

# not COMMAND...: it must fail. In the middle of a test, `! COMMAND` would be let pass either way.
not() {
	! "$@" || fail "this should not be so: $*"
}

# ---- running, always with a deadline ----

# limited COMMAND...: with the test's mark and a deadline; its status is the command's, and the file
# ./ended says "status N" or "signal N", which a shell's 128 + N cannot tell apart.
limited() {
	env "MPROF_TEST_MARK=$MARK" "$T/limit" "$LIMIT" "$D/ended" "$@"
}

# with_counter PROGRAM COMMAND...: runs the command so that PROGRAM, and nobody else, is counted.
with_counter() {
	local exe
	exe=$(realpath "$1") || return 1
	shift
	limited env LD_PRELOAD="$T/counter.so" COUNTER_EXE="$exe" COUNTER_OUT="$D/count" "$@"
}

# elf CLASS MACHINE FILE: a file that begins like a program for another machine
elf() {
	python3 -c '
import os, struct, sys
cls, machine, name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
ident = b"\x7fELF" + bytes([cls, 1, 1]) + bytes(9)
if cls == 1:
    head = ident + struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    head += struct.pack("<IIIIIIII", 1, 0, 0x8048000, 0x8048000, 84, 84, 5, 4096)
else:
    head = ident + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head += struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 120, 120, 4096)
open(name, "wb").write(head + bytes(4096))
os.chmod(name, 0o755)
' "$@"
}

# binary NAME: the first ELF file of this name in PATH (not a script that stands in for it).
binary() {
	local p
	for p in $(type -ap "$1"); do
		if [ "$(head -c4 "$p" | od -An -tx1 | tr -d ' ')" = 7f454c46 ]; then
			realpath "$p"
			return
		fi
	done
	return 1
}

# the lines of a stderr that are the program's, and those that are mprof's
theirs() {
	grep -av '^mprof: ' "$1" || true
}
ours() {
	grep -a '^mprof: ' "$1" || true
}

# a_sentence FILE [REGEX]: mprof said exactly one thing, on one line, with these words.
a_sentence() {
	[ "$(ours "$1" | wc -l)" = 1 ] && [ "$(wc -l <"$1")" = 1 ] ||
		fail "expected one line of mprof, got:" "$(cat "$1")" || return 1
	[ "$(wc -c <"$1")" -ge 20 ] || fail "no sentence: $(cat "$1")" || return 1
	grep -Eqi -- "${2:-.}" "$1" || fail "does not say /$2/: $(cat "$1")"
}

# says FILE REGEX: one of the lines of mprof, and only one, has these words.
says() {
	[ "$(ours "$1" | grep -Eic -- "$2")" = 1 ] || fail "not one sentence with /$2/:" "$(cat "$1")"
}

# refused STATUS REGEX COMMAND...: the command says one sentence and ends with this status (any: not 0,
# and none of those that say that a program could not be run or died).
refused() {
	local want=$1 words=$2 got=0
	shift 2
	limited "$@" >refused.out 2>refused.err </dev/null || got=$?
	[ "$want" != any ] || [ "$got" = 0 ] || [ "$got" -ge 126 ] || want=$got
	[ "$got" = "$want" ] ||
		fail "status $got, not $want" "$(cat refused.out refused.err)" || return 1
	a_sentence refused.err "$words"
}

# ---- comparing ----

# The three ways to see that a report is wrong are those of report.jq; each of these prints what it finds.

# number_differences REPORT COUNT [peak]: where the numbers are not those of the counter
number_differences() {
	of_report "$1" --slurpfile c "$2" --arg peak "${3:-}" 'number_differences($c[0]; $peak == "peak")'
}

# truth_differences REPORT BINS: nor those that the program itself wrote to $BINS
truth_differences() {
	of_report "$1" --rawfile truth "$2" 'truth_differences($truth)'
}

# contradictions REPORT: where it does not agree with itself
contradictions() {
	of_report "$1" 'contradictions'
}

# of_report REPORT [OPTION...] FILTER
of_report() {
	local report=$1
	shift
	jq -rn -L "$ROOT/tests/lib" "${@:1:$#-1}" "include \"report\"; input | (${!#})" "$report"
}

# agrees REPORT [BINS [COUNT [peak]]]: it does with itself, with what the program wrote and with the counter. One
# process looks for all of that, for half of what it costs is to begin.
agrees() {
	local wrong
	wrong=$(of_report "$1" --rawfile truth "${2:-/dev/null}" --slurpfile c "${3:-/dev/null}" \
		--arg bins "${2:-}" --arg count "${3:-}" --arg peak "${4:-}" '
		(contradictions | "the report contradicts itself: " + .),
		(select($bins != "") | truth_differences($truth) | "not what the program did: " + .),
		(select($count != "") | number_differences($c[0]; $peak == "peak") | "not what the counter saw: " + .),
		(select($count != "") | functions_of("counter.so") | "an allocator function in a call chain: " + .)') ||
		fail "$1 cannot be compared" || return 1
	nothing "$wrong" "$1:"
}

# bin_of REPORT SIZE: "ALLOCATIONS FREES" of it. A bin is a line, and this is cheap where there are many reports.
bin_of() {
	sed -n "s/^{\"size\":$2,\"allocs\":\([0-9]*\),\"bytes\":[0-9]*,\"frees\":\([0-9]*\),.*/\1 \2/p" "$1"
}

# counts PREFIX: turns the records of the counter into PREFIX.<pid>.<n>.json.
counts() {
	local f
	for f in "$1".*.[0-9]; do
		[ -e "$f" ] || continue
		"$T/counter-read" "$f" >"$f.json" || return 1
	done
}

nothing() {
	[ -z "$1" ] || fail "$2" "$(head -20 <<<"$1")"
}

# exact [-peak] [-own] [-counted] STATUS PROGRAM [ARG...], with standard input from ./in if that is there
#
# Runs the program alone, then under mprof with the counter beside it, then under mprof alone. In
# the second run the numbers must be those of the counter; in both those the program wrote to
# $BINS. Standard output, standard error and the end must be the same every time. -peak compares
# peak_bytes, too (one thread only); -own: an allocator of its own, the counter does not see it;
# -counted: without the last run.
# Leaves report.json (of the last run), counted.json (of the one before), run.data.
exact() {
	local peak='' own='' counted='' status want in=/dev/null report pid count bins
	while :; do
		case $1 in
		-peak) peak=peak ;;
		-own) own=own ;;
		-counted) counted=counted ;;
		*) break ;;
		esac
		shift
	done
	want=$1
	shift
	[ ! -e in ] || in=in

	status=0
	BINS=bins0 limited "$@" >out0 2>err0 <$in || status=$?
	[ "$status" = "$want" ] || fail "alone: status $status, not $want" "$(cat out0 err0)" || return 1

	for report in counted report; do
		[ $report != "${own:+counted}" ] && [ $report != "${counted:+report}" ] || continue
		rm -f run.data bins count.*
		status=0
		if [ $report = counted ]; then
			counted_run "$@" >out 2>err <$in || status=$?
		else
			BINS=bins limited "$MPROF" run -o run.txt --data=run.data -- "$@" \
				>out 2>err <$in || status=$?
		fi
		[ "$status" = "$want" ] ||
			fail "$report: status $status, not $want" "$(tail -n 20 err)" || return 1
		cmp out0 out || fail "$report: other output" || return 1
		theirs err >err1
		diff err0 err1 || fail "$report: other words on standard error" || return 1
		[ -s run.txt ] || fail "$report: no report" || return 1
		limited "$MPROF" report --format=json run.data >$report.json || return 1
		count='' bins=''
		[ ! -e bins ] || bins=bins
		if [ $report = counted ]; then
			counts "$D/count" || return 1
			pid=$(sed -n 's/^"pid":\([0-9]*\),$/\1/p' $report.json)
			count=count.$pid.0.json
			[ -e "$count" ] || fail "no record of process $pid" "$(ls)" || return 1
		fi
		agrees $report.json "$bins" "$count" "$peak" || return 1
	done
}

# counted_run PROGRAM [ARG...]: under mprof with the counter. An mprof with a sanitizer in it cannot
# bear another library's malloc before its own (COUNTER_INSIDE): env brings that in, and execs.
counted_run() {
	if [ -z "${COUNTER_INSIDE:-}" ]; then
		BINS=bins with_counter "$1" "$MPROF" run -o run.txt --data=run.data -- "$@"
	else
		BINS=bins limited "$MPROF" run -o run.txt --data=run.data -- env LD_PRELOAD="$T/counter.so" \
			COUNTER_EXE="$(realpath "$1")" COUNTER_OUT="$D/count" "$@"
	fi
}

# leak_path REPORT FUNCTION...: kept bytes of the leaks on exactly this path.
leak_path() {
	local r=$1
	shift
	jq -r '[.leaks[] | select([.path[].function] == $ARGS.positional) | .kept_bytes] | add // 0' \
		"$r" --args "$@"
}

# needs_traps WHY: the fast engine does not do this yet, and says so
needs_traps() {
	[ "${MPROF_ENGINE:-trap}" = trap ] || skip "not with the fast engine: $1"
}

# not_by_fast WHY: nor by --engine=fast alone; --engine=auto falls back to traps
not_by_fast() {
	[ "${MPROF_ENGINE:-trap}" != fast ] || skip "not with the fast engine: $1"
}

# label_probes: definitions for the target "labels", which says by an argument or by the function what for it allocates
label_probes() {
	cat <<-EOT
		label   alloc_object label=1 c=3 f=5 s=40-41
		label   cons is=c
		label   vector is=s
		wrapper raw
	EOT
}

# at_terminal COLUMNS COMMAND...: what a terminal of so many columns gets, without its line ends; the status is
# the command's
at_terminal() {
	local columns=$1
	shift
	printf -v line '%q ' "$@"
	COLUMNS=$columns TERM=xterm limited script -qec "$line" typescript </dev/null >typed || return
	tr -d '\r' <typed >shown
}
