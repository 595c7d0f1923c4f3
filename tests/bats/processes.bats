#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Which processes are meant: by number, by name, several at once, one with its children.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

CYCLES=${CYCLES:-20}

NAME=n$$ # nobody else's process has it

# exact_phases DATA BINS
exact_phases() {
	json "$1" "$2"
}

untraced() { # PID...
	local pid
	for pid; do
		[ "$(tracer_of "$pid")" = 0 ] || fail "$pid is traced"
	done
}

@test "a process is meant by its name, where only one has it" {
	cp "$T/server" "$NAME-with-a-long-name"
	start server "./$NAME-with-a-long-name" 2 100
	attach -o report.txt "$NAME-with-a-long-name"
	limited "$MPROF" control "$NAME-with-a-long-name" status >status.out
	grep -q '^state: tracing' status.out
	FRONT=$FRONT detach "$NAME-with-a-long-name"
	clean "$PID"
	# Its name for the kernel is cut.
	attach -o report.txt -p "$(cat "/proc/$PID/comm")"
	detach -p "$PID"
	clean "$PID"
	refused 11 'there is no session of a process that is called' "$MPROF" detach "$NAME-with-a-long-name"
	limited "$MPROF" probes --pid="$NAME-with-a-long-name" >by-name
	limited "$MPROF" probes "$PID" >by-number
	cmp by-name by-number
	finish server
}

@test "a name that nobody has or that several have is refused, and who has it is told" {
	cp "$T/server" "$NAME"
	refused 3 "no process is called \"$NAME\"" "$MPROF" attach "$NAME"
	start one "./$NAME" 2 100
	start two "./$NAME" 2 101
	local status=0
	limited "$MPROF" attach "$NAME" >out 2>err || status=$?
	[ $status = 2 ]
	says err "2 processes are called \"$NAME\": say which by its number"
	says err "^mprof: +$one_pid  ./$NAME 2 100\$"
	says err "^mprof: +$two_pid  ./$NAME 2 101\$"
	says err "or all of them, -p \"\\$\(pidof $NAME\)\"; --tree with a number takes its children"
	untraced "$one_pid" "$two_pid"
	finish one
	finish two
}

@test "nobody means mprof by a name" {
	start server "$T/server" 2 100
	attach -o report.txt "$PID"
	[ "$(cat "/proc/$(tracer_of "$PID")/comm")" = mprof-tracer ]
	refused 3 'no process is called "mprof-tracer"' "$MPROF" attach mprof-tracer
	# Other mprofs may be at work here; ours is not among those that are told.
	limited "$MPROF" attach "${MPROF##*/}" >out 2>err && return 1
	not grep -Eq " $FRONT | $(tracer_of "$PID") " err
	detach
	finish server
}

@test "several processes are one session with a section for each, exact" {
	local words
	BINS=$D/bins1 start one "$T/phases"
	BINS=$D/bins2 start two "$T/phases"
	before "$one_pid"
	before "$two_pid"
	for words in "$one_pid $two_pid" "-p $one_pid,$two_pid" "-p $one_pid $two_pid" "-p$one_pid --pid=$two_pid"; do
		rm -f bins1 bins2 run.data*
		# shellcheck disable=SC2086
		attach -o report.txt --data=run.data $words
		grep -q "attached to 2 processes, the first is $one_pid" attach.err
		tell_await one go '^done'
		tell_await two go '^done'
		detach "$one_pid"
		clean "$one_pid"
		clean "$two_pid"
		exact_phases run.data bins1
		exact_phases "run.data.$two_pid" bins2
		[ "$(grep -c '^mprof: process' report.txt)" = 2 ]
		cmp report.txt detach.out
	done
	finish one
	finish two
}

@test "several processes: one that goes on keeps the session, and the name of another is not the session's" {
	BINS=$D/bins1 start one "$T/phases"
	BINS=$D/bins2 start two "$T/phases"
	attach -o report.txt --data=run.data "$one_pid" "$two_pid"
	tell_await one go '^done'
	refused 11 "process $two_pid by itself: it is traced in that of process $one_pid, which mprof detach $one_pid" \
		"$MPROF" detach "$two_pid"
	refused 11 "mprof control $one_pid" "$MPROF" control "$two_pid" save x.data
	finish one
	tell_await two go '^done'
	detach "$two_pid" "$one_pid"
	clean "$two_pid"
	sed -i /unknown/d bins1 # at its end libc frees what is its own
	exact_phases run.data bins1
	exact_phases "run.data.$two_pid" bins2
	finish two
	# And all that ended by themselves end it.
	start three "$T/phases"
	start four "$T/phases"
	attach -o report.txt --data=run.data "$three_pid" "$four_pid"
	finish four
	finish three
	ended "$FRONT"
	[ "$STATUS" = 0 ]
}

@test "several processes, of which one cannot be attached to: nothing is done to any" {
	start one "$T/server" 2 100
	start two "$T/server" 2 100
	refused 3 'no such process' "$MPROF" attach "$one_pid" 2147483000 "$two_pid"
	refused 8 'mprof itself' sh -c 'exec "$0" attach "$1" $$' "$MPROF" "$one_pid"
	untraced "$one_pid" "$two_pid"
	refused 2 'wait=pin is for one' "$MPROF" attach --wait=pin "$one_pid" "$two_pid"
	PID=$two_pid attach -o report.txt "$two_pid"
	refused 6 . "$MPROF" attach "$one_pid" "$two_pid"
	untraced "$one_pid"
	detach "$two_pid"
	finish one
	finish two
}

# That is known only when it has been stopped.
@test "several processes, of which one has no allocator: the others are profiled, and it goes on alone" {
	local order
	BINS=$D/bins start one "$T/phases"
	mkfifo in
	exec {hold}<>in
	env "MPROF_TEST_MARK=$MARK" "$T/copy-static" <in >out 3>&- &
	local pid=$!
	running() { [ "$(cat /proc/$pid/comm)" = copy-static ] && grep -q '^State:.S' /proc/$pid/status; }
	until_true "it does not start" running
	for order in "$one_pid $pid" "$pid $one_pid"; do
		rm -f bins run.data*
		# shellcheck disable=SC2086
		attach -o report.txt --data=run.data $order
		says attach.err "cannot attach to process $pid: no allocator"
		says attach.err "attached to process $one_pid; mprof detach $one_pid"
		untraced "$pid"
		text_clean "$pid"
		tell_await one go '^done'
		detach "$one_pid"
		clean "$one_pid"
		exact_phases run.data bins
		[ "$(ls run.data*)" = run.data ]
	done
	refused 10 'no allocator' "$MPROF" attach "$pid"
	kill -KILL "$pid"
	ended "$pid"
	finish one
}

# ---- with the children ----

# tree: a shell (tree_pid) with a program and another shell below it that has another program: their commands
# go to the fifos 1.in and 2.in.
tree() {
	mkfifo 1.in 2.in
	exec {hold1}<>1.in {hold2}<>2.in
	cat >tree.sh <<-'EOT'
		BINS=bins1 "$1" <1.in >1.out 2>1.err &
		sh -c 'BINS=bins2 "$0" <2.in >2.out 2>2.err & wait' "$1" &
		wait
	EOT
	: >1.out >2.out
	env "MPROF_TEST_MARK=$MARK" sh tree.sh "$1" >tree.out 2>&1 3>&- &
	tree_pid=$!
	await 1.out '^ready'
	await 2.out '^ready'
	pid1=$(sed -n 's/^ready //p' 1.out)
	pid2=$(sed -n 's/^ready //p' 2.out)
}

@test "--tree: a process with its children and theirs, exact" {
	tree "$T/phases"
	before "$pid1"
	attach --tree -o report.txt --data=run.data "$tree_pid"
	says attach.err "attached to 4 processes, the first is $tree_pid"
	echo go >1.in
	echo go >2.in
	await 1.out '^done'
	await 2.out '^done'
	detach "$tree_pid"
	clean "$pid1"
	clean "$pid2"
	clean "$tree_pid"
	exact_phases "run.data.$pid1" bins1
	exact_phases "run.data.$pid2" bins2
	# Without it they are none of its business.
	attach -o report.txt --data=alone.data "$tree_pid"
	untraced "$pid1" "$pid2"
	detach "$tree_pid"
	echo quit >1.in
	echo quit >2.in
	ended "$tree_pid"
	[ "$STATUS" = 0 ]
}

@test "--tree: children that are born afterwards are profiled, too, unless it is said not to" {
	tree "$T/family"
	attach --tree -o report.txt --data=run.data "$tree_pid"
	echo blocks >1.in
	echo fork >1.in
	await 1.out '^did fork'
	detach "$tree_pid"
	local child
	child=$(awk '$1 == "child" { print $2 }' bins1)
	[ -s "run.data.$child" ]
	attach --tree --trace-children=no -o report.txt --data=no.data "$tree_pid"
	says attach.err 'attached to 4 processes'
	echo fork >1.in
	await 1.out '^did fork' 2
	detach "$tree_pid"
	[ "$(ls no.data* | wc -l)" = 4 ] || fail "$(ls)"
	echo quit >1.in
	echo quit >2.in
	ended "$tree_pid"
	[ "$STATUS" = 0 ]
}

# Processes come and go all the time, and each must end as it would alone.
@test "--tree: a tree whose processes come and go is attached to and left again and again" {
	local i
	cat >churn.sh <<-'EOT'
		while [ ! -e stop ]; do
			( ( "$1" one >/dev/null; exit 3 ); [ $? = 3 ] && "$1" two >/dev/null; exit 4 )
			[ $? = 4 ] || { echo BROKEN; exit 1; }
			echo round
		done
	EOT
	: >churn.out
	env "MPROF_TEST_MARK=$MARK" sh -c 'sh churn.sh "$0" & sh churn.sh "$0" & wait $!' /bin/echo >churn.out 2>&1 3>&- &
	local pid=$! n
	await churn.out round 2
	for ((i = 0; i < CYCLES; i++)); do
		attach --tree -o report.txt --data=/dev/null "$pid"
		n=$(lines_with churn.out round)
		await churn.out round $((n + 3))
		detach "$pid"
		n=$(lines_with churn.out round)
		await churn.out round $((n + 3))
		text_clean "$pid"
	done
	touch stop
	ended "$pid"
	[ "$STATUS" = 0 ]
	not grep -Ev '^round$' churn.out
}

# Traps are put into memory once, whoever runs in it, and are nobody else's.
@test "processes that run in the memory of another one are attached to with it, and all are left clean" {
	cat >shared.c <<-'EOT'
		#include "live.h"
		#include <sched.h>
		#include <signal.h>
		#include <sys/wait.h>
		enum { CHILDREN = 12 };
		static atomic_ulong n;
		static atomic_bool over;
		static void *work(void *arg)
		{
			while (!over) {
				free(fill(malloc(771), 771, 1));
				n++;
				usleep(100);
			}
			return arg;
		}
		static int child(void *arg)
		{
			(void)arg;
			while (!over)
				usleep(1000);
			return 5;
		}
		static void report(void) { say("report %lu\n", (unsigned long)n); }
		static void other(const char *word) { (void)word; }
		int main(void)
		{
			static char stacks[CHILDREN][65536] __attribute__((aligned(16)));
			pid_t pids[CHILDREN];
			pthread_t t;
			int status;
			for (int i = 0; i < CHILDREN; i++) {
				pids[i] = clone(child, stacks[i] + sizeof stacks[i], CLONE_VM | SIGCHLD, NULL);
				MUST(pids[i] > 0);
				say("child %d\n", (int)pids[i]);
			}
			MUST(!pthread_create(&t, NULL, work, NULL));
			live_serve(report, other);
			over = true;
			pthread_join(t, NULL);
			for (int i = 0; i < CHILDREN; i++)
				MUST(waitpid(pids[i], &status, 0) == pids[i] && WIFEXITED(status) && WEXITSTATUS(status) == 5);
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -pthread -o shared shared.c
	start shared ./shared
	local children words child
	children=$(sed -n 's/^child //p' shared.out)
	[ "$(wc -w <<<"$children")" = 12 ]
	before "$PID"
	for words in "--tree $PID" "$PID $children"; do
		# shellcheck disable=SC2086
		attach -o report.txt --data=run.data $words
		says attach.err 'attached to 13 processes'
		for child in $children; do
			[ "$(tracer_of "$child")" = "$(tracer_of "$PID")" ]
		done
		progress shared 1 20
		detach "$PID"
		clean "$PID"
		for child in $children; do
			clean "$child"
		done
		progress shared 1 20
		not grep -q 'a breakpoint stood already' attach.err
		[ "$(ls run.data*)" = run.data ]
		json run.data
		[ "$(jq '.bins[] | select(.size == 771) | .allocs' report.json)" -ge 20 ]
	done
	finish shared
}
