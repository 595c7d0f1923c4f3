#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Children of fork, vfork, posix_spawn and exec: followed with a profile of their own each, exact; or
# not followed, and then clean before they run.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

CYCLES=${CYCLES:-20}

# did NAME WORD
did() {
	tell_await "$1" "$2" "^did $2\$"
}

# exact_children DATA BINS: every child in $BINS has DATA.PID that says what it says
exact_children() {
	local word pid size allocs frees got n=0
	while read -r word pid size allocs frees; do
		case $word in
		child)
			[ -s "$1.$pid" ] || fail "no $1.$pid" "$(ls)" || return 1
			json "$1.$pid" || return 1
			[ "$(jq .pid report.json)" = "$pid" ] || return 1
			got=$(jq -r ".bins[] | select(.size == $size) | \"\(.allocs) \(.frees)\"" report.json)
			[ "$got" = "$allocs $frees" ] ||
				fail "child $pid: size $size: $got, truth $allocs $frees" || return 1
			n=$((n + 1))
			;;
		child-inherited)
			json "$1.$pid" || return 1
			[ "$(total inherited_frees)" = "$size" ] ||
				fail "child $pid: $(total inherited_frees) inherited frees, truth $size" || return 1
			[ "$(total unknown_frees)" = "$size" ] ||
				fail "child $pid: $(total unknown_frees) unknown frees, truth $size" || return 1
			;;
		esac
	done <"$2"
	[ $n -gt 0 ] || fail "the program wrote of no child"
}

# family WORDS...: all kinds of children while attached with these options
family() {
	local word
	BINS=$D/bins start family "$T/family"
	before "$PID"
	attach -o report.txt --data=run.data "$@" "$PID"
	for word in blocks fork vfork vfork-alone spawn grandchild thread truth; do
		did family $word || fail "at $word" "$(tail family.out family.err)" || return 1
	done
}

@test "attached: children of fork, vfork, posix_spawn and of a thread have profiles of their own, exact" {
	family --trace-children=yes
	detach "$PID"
	clean "$PID"
	exact_children run.data bins
	json run.data
	nothing "$(truth_differences report.json bins)" "not what the parent did:"
	finish family
	# a section for each in the report
	[ "$(grep -c '^mprof: process ' report.txt)" -ge 7 ]
	local pid
	for pid in "$PID" $(awk '$1 == "child" { print $2 }' bins); do
		grep -q "^mprof: process $pid" report.txt
	done
}

@test "children that are not followed run with clean text and no tracer, and leave no data" {
	export TEXTDIFF=$T/textdiff
	family
	detach "$PID"
	clean "$PID"
	json run.data
	nothing "$(truth_differences report.json bins)" "not what the parent did:"
	[ "$(ls run.data*)" = run.data ]
	finish family
}

@test "run: children that are not followed run with clean text and no tracer" {
	export TEXTDIFF=$T/textdiff
	printf '%s\n' blocks fork vfork vfork-alone spawn grandchild thread truth quit >in
	BINS=$D/bins limited "$MPROF" run -o report.txt --data=run.data -- "$T/family" <in >out 2>err ||
		fail "status $?" "$(cat out err)"
	[ "$(tail -n 1 out)" = "family: done" ]
	json run.data
	nothing "$(truth_differences report.json bins)" "not what the parent did:"
	[ "$(ls run.data*)" = run.data ]
}

@test "run: children that are followed are exact" {
	printf '%s\n' blocks fork vfork vfork-alone spawn grandchild thread truth quit >in
	BINS=$D/bins limited "$MPROF" run --trace-children=yes -o report.txt --data=run.data -- "$T/family" <in >out 2>err ||
		fail "status $?" "$(cat out err)"
	[ "$(tail -n 1 out)" = "family: done" ]
	json run.data
	nothing "$(truth_differences report.json bins)" "not what the parent did:"
	exact_children run.data bins
}

@test "run: the programs of exact.bats, forks and spawns, with their children followed" {
	local p
	for p in forks spawns; do
		rm -f bins run.data*
		BINS=$D/bins limited "$MPROF" run --trace-children=yes -o report.txt --data=run.data -- "$T/$p" >out 2>err
		[ "$(cat out)" = "$p: done" ]
		exact_children run.data bins
		json run.data
		nothing "$(truth_differences report.json bins)" "not what the parent did:"
	done
}

@test "%p tells the children's data apart by itself" {
	printf '%s\n' blocks fork truth quit >in
	BINS=$D/bins limited "$MPROF" run --trace-children=yes -o report.txt --data='d-%p' -- "$T/family" <in >out 2>err
	local pid
	pid=$(awk '$1 == "child" { print $2 }' bins)
	[ -s "d-$pid" ] && [ "$(ls d-* | wc -l)" = 2 ]
}

@test "JSON of several processes is one document for each" {
	printf '%s\n' blocks fork spawn truth quit >in
	BINS=$D/bins limited "$MPROF" run --trace-children=yes --format=json -o report.json --data=run.data -- "$T/family" \
		<in >out 2>err
	[ "$(jq -s 'length' report.json)" -ge 3 ]
	jq -s '[.[].pid] | unique | length' report.json
}

@test "a shell with a pipeline is followed through its forks and execs" {
	echo through >in
	BINS=$D/bins limited "$MPROF" run --trace-children=yes -o report.txt --data=run.data -- \
		/bin/sh -c '"$0" | "$0" | "$0"; exit 4' "$T/copy" <in >out 2>err || [ $? = 4 ]
	cmp in out
	[ "$(ls run.data* | wc -l)" -ge 4 ]
	local f
	for f in run.data*; do
		json "$f"
	done
}

@test "what came before an exec is in a file of its own, numbered" {
	echo through >in
	limited "$MPROF" run -o report.txt --data=run.data -- /bin/sh -c 'exec /bin/sh -c "exec \"\$0\"" "$0"' "$T/copy" \
		<in >out 2>err
	cmp in out
	local pid
	json run.data
	pid=$(jq .pid report.json)
	jq -e '.command[0] | endswith("copy")' report.json
	[ -s "run.data.$pid.1" ] && [ -s "run.data.$pid.2" ] || fail "$(ls)"
	json "run.data.$pid.1"
	jq -e '.command[0] == "/bin/sh"' report.json
}

@test "children that live on when the session ends are let go clean" {
	cat >lasting.c <<-'EOT'
		#include "live.h"
		#include <signal.h>
		#include <sys/mman.h>
		#include <sys/wait.h>
		static atomic_ulong *n;
		static pid_t child;
		static void report(void) { say("report %lu\n", (unsigned long)*n); }
		static void other(const char *word)
		{
			(void)word;
			child = fork();
			if (!child)
				for (;;) {
					check(fill(malloc(77), 77, 1), 77, 1);
					++*n;
					usleep(100);
				}
			say("child %d\n", (int)child);
		}
		int main(void)
		{
			int status;
			n = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
			live_serve(report, other);
			MUST(waitpid(child, &status, WNOHANG) == 0);
			kill(child, SIGKILL);
			MUST(waitpid(child, &status, 0) == child && WTERMSIG(status) == SIGKILL);
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -pthread -o lasting lasting.c
	start lasting ./lasting
	attach -o report.txt --data=run.data --trace-children=yes "$PID"
	tell_await lasting fork '^child'
	progress lasting 1 20
	local child
	child=$(sed -n 's/^child //p' lasting.out)
	[ "$(tracer_of "$child")" = "$(tracer_of "$PID")" ]
	detach "$PID"
	clean "$PID"
	clean "$child"
	progress lasting 1 20
	[ -s "run.data.$child" ]
	finish lasting
}

@test "detach prints the report of every process, however many" {
	BINS=$D/bins start family "$T/family"
	attach -o report.txt --data=run.data --trace-children=yes "$PID"
	local i
	did family blocks
	for i in {1..110}; do
		tell family fork
	done
	await family.out '^did fork$' 110
	detach "$PID"
	clean "$PID"
	[ "$(ls run.data* | wc -l)" = 111 ]
	[ "$(grep -c 'the profile is in' detach.err)" = 111 ] || fail "$(grep -c 'the profile is in' detach.err) of 111" "$(tail -n 2 detach.err)"
	finish family
}

# ---- threads asleep in vfork ----

# vforking OPTION...: attached, one thread sleeps in vfork(2), another works
vforking() {
	start vforks "$T/vforks"
	before "$PID"
	attach -o report.txt --data=run.data "$@" "$PID"
	tell_await vforks vfork '^asleep$'
}

# woken: the vfork child is let go, and its parent goes on
woken() {
	progress vforks
	tell_await vforks release '^awake$'
	finish vforks
}

@test "a session is suspended and resumed while a thread sleeps in vfork" {
	local follow
	for follow in no yes; do
		rm -f vforks.*
		vforking --trace-children=$follow
		answered suspend
		text_clean "$PID"
		progress vforks
		answered resume
		progress vforks
		tell_await vforks release '^awake$'
		detach "$PID"
		clean "$PID"
		finish vforks
	done
}

@test "a thread that sleeps in vfork when mprof detaches is let go with its child" {
	local follow
	for follow in no yes; do
		rm -f vforks.*
		vforking --trace-children=$follow
		detach "$PID"
		clean "$PID"
		woken
	done
}

@test "a thread that sleeps in vfork when SIGTERM ends mprof is let go with its child" {
	vforking
	kill -TERM "$FRONT"
	ended "$FRONT"
	[ "$STATUS" = 0 ]
	[ -s report.txt ] && [ -s run.data ]
	clean "$PID"
	woken
}

@test "a program that spawns without end is attached to, suspended, resumed and left again and again" {
	local i
	start vforks "$T/vforks"
	tell vforks spawn
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt --data=run.data "$PID"
		progress vforks 2 || fail "cycle $i"
		answered suspend
		progress vforks 2 || fail "cycle $i, suspended"
		answered resume
		progress vforks 2 || fail "cycle $i, resumed"
		detach "$PID"
		clean "$PID"
		progress vforks 2 || fail "cycle $i, left"
	done
	finish vforks
}

# Each file with code stays open until it has been named.
# The limit is the hard one: nobody can raise it.
@test "children beyond the limit of open files run well, and it is said that nobody sees them" {
	local how seen
	for how in fork exec spawn; do
		rm -f data.* err
		(
			ulimit -n 48
			limited "$MPROF" run --trace-children=yes -o run.txt --data=data.%p -- "$T/crowd" 60 $how >out 2>err
		) || fail "$how: status $?" "$(cat out err)"
		grep -qx '60 of 60 ended well' out
		seen=$(grep -Ec 'process [0-9]+ goes on unobserved: Too many open files' err)
		[ "$seen" -gt 20 ] && [ "$seen" -lt 60 ] || fail "$how: $seen are not observed"
	done
}

@test "more programs than mprof may have files open at first are followed" {
	local i
	for i in {1..60}; do
		cp "$T/plain" "plain$i"
		echo "./plain$i || exit" >>all.sh
	done
	echo 'ulimit -Sn' >>all.sh
	limited bash -c 'ulimit -Sn 40 && exec "$@"' - "$MPROF" run --trace-children=yes -o run.txt --data=d.%p -- \
		sh all.sh >out 2>err || fail "status $?" "$(tail -n 5 err)"
	[ "$(grep -c 'mprof: \./plain' err)" = 60 ]
	# The program's own limit is what it was.
	[ "$(tail -n 1 out)" = 40 ]
}
