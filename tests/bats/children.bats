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
	refused 6 "mprof traces it already; mprof detach $PID ends that" "$MPROF" attach --data=other.data "$child"
	refused 11 "traced in that of process $PID, which mprof detach $PID ends" "$MPROF" detach "$child"
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

# titled ARG: a program of live.h that forks children which give themselves another name, as servers do, by
# writing over their arguments; and those are long.
titled() {
	cat >titled.c <<-'EOT'
		#include "live.h"
		#include <sys/prctl.h>
		#include <sys/wait.h>
		static char *args;
		static size_t room;
		static void report(void) { say("report 1\n"); }
		static void be(const char *title)
		{
			memset(args, 0, room);
			memcpy(args, title, strlen(title));
			for (int i = 0; i < 20; i++)
				check(fill(malloc(77), 77, 1), 77, 1);
		}
		/* "stay TITLE", "end TITLE": a child that stays as long as we do, or that ends */
		static void other(const char *word)
		{
			int ready[2], stay = word[0] == 's';
			char c;
			MUST(pipe(ready) == 0);
			pid_t child = fork();
			if (!child) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				be(strchr(word, ' ') + 1);
				MUST(write(ready[1], "", 1) == 1);
				while (stay)
					pause();
				_exit(0);
			}
			MUST(read(ready[0], &c, 1) == 1);
			if (!stay)
				MUST(waitpid(child, NULL, 0) == child);
			say("child %d\n", (int)child);
		}
		int main(int argc, char **argv)
		{
			args = argv[0];
			room = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - args);
			live_serve(report, other);
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -pthread -o titled titled.c
	start titled ./titled "$1"
}

@test "several processes are told by what ps shows of them, in a list and before each report" {
	local child title i=0
	titled "$(printf '%0900d' 7)"
	attach -o report.txt --data=run.data --trace-children=yes "$PID"
	tell_await titled 'stay server: writer' '^child'
	tell_await titled 'end server: reader 1' '^child'
	tell_await titled $'stay \033[2Jbad\ttitle' '^child'
	title=("./titled $(printf '%0900d' 7 | head -c 107)..." 'server: writer' 'server: reader 1' '\033[2Jbad\011title')
	detach "$PID"
	clean "$PID"
	# What run and attach print with -o is what detach prints.
	cmp report.txt detach.out
	[ "$(head -n 1 report.txt)" = 'mprof: 4 profiles' ] || fail "$(head report.txt)"
	grep -n '^mprof: process ' report.txt >heads
	[ "$(wc -l <heads)" = 4 ] || fail "$(cat heads)"
	for child in "$PID" $(sed -n 's/^child //p' titled.out); do
		json run.data"$([ "$child" = "$PID" ] || echo ".$child")"
		# The list stands before the first report, in the same order.
		sed '/^mprof: process/,$d' report.txt | grep -E '^ *[0-9]' | sed -n "$((i + 1))p" >row
		[ "$(cat row)" = "$(printf '%8d  %12d  %14d  %14d   %s' "$child" "$(total allocs)" "$(total alloc_bytes)" \
			"$(total kept_bytes)" "${title[i]}")" ] || fail "$(cat row)"
		grep -qxF "mprof: process $child ${title[i]}" report.txt || fail "${title[i]}" "$(cat heads)"
		i=$((i + 1))
	done
	# What is said of each: the program, and of those that have another name, that.
	says attach.err "^mprof: \./titled \(process $PID\): 0 allocations"
	says attach.err '^mprof: server: writer \(process [0-9]+\): 20 allocations'
	finish titled
}

@test "what is said of a process whose name is long is cut" {
	limited "$MPROF" run --data=run.data -o report.txt -- bash -c 'exec -a "$0" "$1"' "$(printf '%0900d' 7)" \
		"$T/plain" >out 2>err
	says err "^mprof: 0{116}... \(process [0-9]+\): "
}

@test "a single process has neither a list nor a line that tells whose it is" {
	titled short
	attach -o report.txt --data=run.data --trace-children=yes "$PID"
	detach "$PID"
	not grep -q '^mprof: ' report.txt
	cmp report.txt detach.out
	finish titled
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
