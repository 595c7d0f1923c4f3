#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A program's signals, stops and system calls while mprof comes and goes: each signal once, in its
# order, with what belongs to it; a stopped program stays stopped; a call that waits goes on waiting.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

CYCLES=${CYCLES:-5}

# weathers NAME [ARG...]: the program works on through all of it, and says itself that all is right.
weathers() {
	start "$1" "$T/$1" "${@:2}"
	before "$PID"
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt --data=run.data "$PID" || return 1
		progress "$1" 1 50 || return 1
		detach "$PID" || return 1
		progress "$1" 1 50 || return 1
		clean "$PID" || return 1
	done
	finish "$1" && grep -qx 'checksum right' "$1.out"
}

# states LETTERS PID: every thread is in one of these states
in_states() {
	! sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' /proc/"$2"/task/*/status | grep -q "[^$1]"
}

@test "SIGALRM a thousand times a second comes with its siginfo and on the alternate stack" {
	weathers alarms
}

@test "queued real-time signals come each once, in their order, with their values" {
	weathers rtqueue
}

@test "sigwait and signalfd get each signal once" {
	weathers sigwaits
}

@test "the program's own int3 and its SIGTRAPs reach its handler" {
	weathers owntraps
}


@test "a stop and a continue while mprof is attached are told to the parent once each, and hold" {
	start jobs "$T/jobs"
	local child
	child=$(sed -n 's/^child //p' jobs.out)
	before "$child"
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt --data=run.data "$child"
		tell_await jobs stop '^stopped'
		tell_await jobs cont '^continued'
		progress jobs
		tell_await jobs tstp '^stopped'
		tell_await jobs cont '^continued'
		progress jobs
		detach "$child"
		clean "$child"
		tell_await jobs stop '^stopped'
		tell_await jobs cont '^continued'
		progress jobs
	done
	finish jobs
}

@test "a program that was stopped before mprof attaches stays stopped, also after the detach" {
	start jobs "$T/jobs"
	local child n
	child=$(sed -n 's/^child //p' jobs.out)
	before "$child"
	tell_await jobs stop '^stopped'
	for ((i = 0; i < CYCLES; i++)); do
		n=$(reported jobs 1)
		attach -o report.txt --data=run.data "$child"
		in_states Tt "$child" || fail "not stopped: $(task_states "$child")"
		detach "$child"
		until_true "not stopped: $(task_states "$child")" in_states T "$child"
		[ "$(reported jobs 1)" = "$n" ] || fail "it has worked although it was stopped"
	done
	tell_await jobs cont '^continued'
	progress jobs
	clean "$child"
	finish jobs
}

@test "a program that is stopped while mprof is attached stays stopped when it is let go" {
	start jobs "$T/jobs"
	local child n
	child=$(sed -n 's/^child //p' jobs.out)
	before "$child"
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt --data=run.data "$child"
		progress jobs
		tell_await jobs stop '^stopped'
		n=$(reported jobs 1)
		detach "$child"
		until_true "not stopped: $(task_states "$child")" in_states T "$child"
		# Of a thread that was stopped in the fast engine's code that stays, and is said.
		if grep -q 'keeps the code and memory of the fast engine, unused' attach.err; then
			[ "${MPROF_ENGINE:-trap}" != trap ]
			own_text "$child"
			before "$child"
		fi
		text_clean "$child"
		[ "$(reported jobs 1)" = "$n" ] || fail "it has worked although it was stopped"
		tell_await jobs cont '^continued'
		progress jobs
		clean "$child"
	done
	finish jobs
}

@test "a program that is stopped is continued while mprof is attached" {
	start jobs "$T/jobs"
	local child
	child=$(sed -n 's/^child //p' jobs.out)
	before "$child"
	tell_await jobs stop '^stopped'
	attach -o report.txt --data=run.data "$child"
	tell_await jobs cont '^continued'
	progress jobs
	detach "$child"
	progress jobs
	clean "$child"
	finish jobs
}

@test "SIGKILL of a stopped program that is traced ends it at once" {
	start server "$T/server" 8 100
	attach -o report.txt --data=run.data "$PID"
	kill -STOP "$PID"
	until_true "not stopped" in_states Tt "$PID"
	kill -KILL "$PID"
	ended "$PID"
	[ "$STATUS" = 137 ]
	ended "$FRONT"
	[ -s run.data ]
}

@test "SIGKILL of a program whose main thread is being single-stepped, and the others held, ends it at once" {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		run -137 limited "$MPROF" run -o report.txt --data=run.data -- "$T/stepkill"
		grep -qx 'signal 9' ended || fail "$i: $(cat ended)"
	done
}

@test "a system call in progress goes on: only epoll_wait may say EINTR, as the kernel does to every tracer" {
	start blocked "$T/blocked"
	before "$PID"
	local i line
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt --data=run.data "$PID"
		detach "$PID"
		clean "$PID"
	done
	reported blocked 1
	line=$(grep -a '^report ' blocked.out | tail -n 1)
	echo "$line"
	for i in read poll select nanosleep futex futex_timed sem_wait; do
		[[ $line == *" $i=0,0 "* ]] || fail "$i was disturbed: $line"
	done
	[[ $line != *left* ]] || fail "a call has come back: $line"
	# no more than a stop for each attach, each last look and each detach
	[ "$(grep -oE 'epoll_wait=[0-9]+' <<<"$line" | tr -dc 0-9)" -le $((3 * CYCLES)) ] || fail "$line"
	tell_await blocked release '^released'
	line=$(grep -a '^released ' blocked.out)
	run ! grep -E '=[0-9]+,[1-9]' <<<"$line"
	finish blocked
}

@test "a signal that is sent while mprof attaches or detaches is neither lost nor doubled" {
	cat >count.c <<-'EOT'
		#include "live.h"
		#include <signal.h>
		static atomic_ulong n;
		static void on(int sig) { (void)sig; n++; }
		static void report(void) { say("report %lu\n", (unsigned long)n); }
		static void *work(void *a) { for (;;) free(fill(malloc(99), 99, 1)); return a; }
		int main(void)
		{
			pthread_t t;
			struct sigaction sa = { .sa_handler = on, .sa_flags = SA_RESTART };
			sigaction(SIGRTMIN, &sa, NULL);
			for (int i = 0; i < 4; i++)
				pthread_create(&t, NULL, work, NULL);
			live_serve(report, NULL);
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -pthread -o count count.c
	start count ./count
	local sent=0 rt
	rt=$(kill -l RTMIN)
	for ((i = 0; i < CYCLES; i++)); do
		background "$MPROF" attach -o report.txt --data=run.data "$PID"
		while ! begun_or_gone; do
			kill -"$rt" "$PID"
			sent=$((sent + 1))
		done
		limited "$MPROF" detach "$PID" >detach.out 2>detach.err &
		local d=$!
		while kill -0 $d 2>/dev/null; do
			kill -"$rt" "$PID"
			sent=$((sent + 1))
		done
		wait $d || fail "$(cat detach.err)"
		ended "$FRONT"
		clean "$PID"
	done
	echo "sent $sent"
	until_true "got $(reported count 1) of $sent" more_than count 1 $((sent - 1))
	[ "$(reported count 1)" = "$sent" ]
	finish count
}

# ---- standard error that nobody reads ----

# stuffed: descriptor 9 is a pipe that has no room
stuffed() {
	mkfifo full
	exec 9<>full
	timeout 5 dd if=/dev/zero of=full oflag=nonblock bs=4096 status=none 2>/dev/null || :
}

# unread OPTION...: mprof, whose standard error nobody reads, attaches to `server`
unread() {
	env "MPROF_TEST_MARK=$MARK" "$MPROF" attach -o report.txt --data=run.data "$@" "$PID" \
		</dev/null >attach.out 2>&9 3>&- 9>&- &
	FRONT=$!
	until_true "nobody traces $PID" traced "$PID"
}

traced() { # PID
	not grep -q '^TracerPid:[[:space:]]0$' "/proc/$1/status"
}

has_files() { # GLOB N
	[ "$(compgen -G "$1" | wc -l)" -ge "$2" ]
}

@test "a program goes on while nobody reads what mprof says, and SIGTERM ends that" {
	start vforks "$T/vforks"
	before "$PID"
	stuffed
	unread --heap-profile=./h --heap-profile-allocation-interval=20000
	until_true "no heap profiles" has_files './h.*.heap' 5
	progress vforks 1 20
	kill -TERM "$FRONT"
	ended "$FRONT"
	[ -s run.data ] && [ -s report.txt ]
	exec 9>&-
	clean "$PID"
	finish vforks
}

@test "what nobody could be told at once is told when somebody reads, and nothing twice" {
	start vforks "$T/vforks"
	stuffed
	unread --heap-profile=./h --heap-profile-allocation-interval=20000
	until_true "no heap profiles" has_files './h.*.heap' 5
	tr -d '\0' <full >read.txt 9>&- &
	local reader=$!
	exec 9>&-
	await read.txt '^Dumping heap profile to .*h.0005.heap'
	kill -TERM "$FRONT"
	ended "$FRONT"
	wait "$reader"
	[ "$(lines_with read.txt '^mprof: attached to process')" = 1 ]
	[ "$(lines_with read.txt '^Dumping heap profile to .*h.0001.heap')" = 1 ]
	[ "$(lines_with read.txt '^mprof: the profile is in run.data')" = 1 ]
	[ "$(grep -c '^Dumping' read.txt)" = "$(compgen -G './h.*.heap' | wc -l)" ]
	finish vforks
}

@test "a report on a pipe that nobody reads costs nobody the profile, and SIGTERM ends the wait" {
	mkfifo report
	start vforks "$T/vforks"
	attach -o report --data=run.data "$PID"
	finish vforks
	# nobody has told mprof to end: it waits
	until_true "no profile" test -s run.data
	limited "$MPROF" report --format=json run.data >report.json
	not gone "$FRONT"
	kill -TERM "$FRONT"
	ended "$FRONT"
	[ "$STATUS" = 1 ]
	says attach.err 'cannot write the report report: nobody reads this pipe'
}

@test "SIGTERM when the program has ended and its children have not: it is said that they go on" {
	mkfifo go
	cat >fork.py <<-'END'
		import os, time
		parent = os.getpid()
		for i in range(3):
		    if os.fork():
		        continue
		    while os.getppid() == parent:
		        time.sleep(0.01)
		    os.write(1, b"alone %d\n" % os.getpid())
		    open("go").read()
		    os._exit(0)
		os._exit(3)
	END
	env "MPROF_TEST_MARK=$MARK" "$MPROF" run --trace-children=yes -o report.txt --data=run.data -- \
		/usr/bin/python3 fork.py </dev/null >out 2>err 3>&- &
	FRONT=$!
	until_true "they are not alone" are_alone 3
	kill -TERM "$FRONT"
	ended "$FRONT"
	[ "$STATUS" = 3 ] || fail "status $STATUS" "$(cat err)"
	says err '^mprof: process [0-9]+ goes on by itself, without mprof, and so do 2 more that were profiled$'
	grep -q "^alone $(sed -n 's/^mprof: process \([0-9]*\) goes on .*/\1/p' err)\$" out
	echo >go
}

are_alone() { # N
	[ "$(grep -c "^alone " out)" -ge "$1" ]
}

@test "SIGTERM ends a session that waits for a reader of its log, and the program runs" {
	mkfifo log
	env "MPROF_TEST_MARK=$MARK" "$MPROF" run -o report.txt --data=run.data --mma-log-file=log -- \
		bash -c 'echo on >ran' </dev/null >out 2>err 3>&- &
	FRONT=$!
	until_true "there is no tracer" is_tracing "$FRONT"
	kill -TERM "$FRONT"
	ended "$FRONT"
	says err 'cannot write the log log: nobody reads this pipe'
	until_true "the program has not run" test -s ran
}

# is_tracing PID: a process of mprof's holds a program and is asleep
is_tracing() {
	local child
	for child in $(pgrep -P "$1" -x mprof-tracer); do
		pgrep -P "$child" >/dev/null && traced "$(pgrep -P "$child")" &&
			! grep -q '^SigCgt:.*0000$' "/proc/$child/status" && return 0
	done
	return 1
}

@test "where SIGCHLD is ignored mprof ends as the program did, reads names, and leaves the program that" {
	local ignoring=(env --ignore-signal=CHLD)

	run -7 "${ignoring[@]}" "$MPROF" run -o /dev/null sh -c 'exit 7'
	"${ignoring[@]}" "$MPROF" run -o /dev/null grep SigIgn /proc/self/status >ours
	"${ignoring[@]}" grep SigIgn /proc/self/status >alone
	cmp ours alone
	"$MPROF" run -o /dev/null "$T/simple"
	"$MPROF" report --lines --symbols-from="$T/simple" >named
	"${ignoring[@]}" "$MPROF" report --lines --symbols-from="$T/simple" >too
	cmp named too
}
