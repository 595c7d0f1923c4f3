#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# --mma-log-file and --mma-stats-file: what a run writes is what the program did, and the statistics of
# a run are those of its logs.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# logged OPTION... -- PROGRAM [ARG...]: a run; what both say is in out and err
logged() {
	limited "$MPROF" run -o report.txt --data=run.data "$@" >out 2>err </dev/null
}

# recorded STATUS [OPTION...] PROGRAM [ARG...]: run with a log and statistics, both plain; agree.
recorded() {
	local want=$1 status=0
	shift
	rm -f mma.log*
	logged --mma-log-file --mma-stats-file=stats --humanized=no "$@" || status=$?
	[ $status = "$want" ] || fail "status $status, not $want" "$(cat err)" || return 1
	agree mma.log*
}

# agree LOG...: the file stats has the statistics of these logs, and each log is as a log has to be
agree() {
	local log
	[ "$("$MPROF" stats --humanized=no "$@")" = "$(cat stats)" ] ||
		fail "statistics: $(cat stats)" "of the logs: $("$MPROF" stats --humanized=no "$@")" || return 1
	for log; do
		"$MPROF" log --humanized=no "$log" | cmp - "$log" || fail "$log is not as it is written" || return 1
		awk '{ if ($1 + 0 < t) exit 1; t = $1 + 0 }' "$log" || fail "times of $log go back" || return 1
		[[ $(head -n 1 "$log") == *" 4" && $(tail -n 1 "$log") == *" 4" ]] ||
			fail "$log does not begin and end with a stamp" || return 1
	done
}

# counters LOG...: unknown_free and replaced
counters() {
	"$MPROF" stats --format=json "$@" | jq -c '[.unknown_free, .replaced]'
}

# own_account: load_max and load_current are what the program has said
own_account() {
	local max current
	read -r _ max _ current < <(grep '^max' out)
	[ "$(cut -d' ' -f2,3 stats)" = "$max $current" ] || fail "$(cat stats)" "$(cat out)"
}

@test "load_max and load_current are those of the program's own account, and the log has every call" {
	recorded 0 -- "$T/account"
	own_account
	[ "$(counters mma.log)" = "[0,0]" ]
	# the calls of targets/account.c, one after the other, with the addresses that are live as letters
	awk 'function name(p) { if (p == "0x0") return 0; if (!(p in n)) n[p] = ++k; return n[p] }
		{ pid = pid ? pid : $2; if ($2 != pid) exit 1 }
		$3 == 0 { print "free", $4 != "0x0" }
		$3 == 1 { print "malloc", $4 != "0x0", $5 }
		$3 == 2 { print "calloc", $4 != "0x0", $5, $6 }
		$3 == 3 { print "realloc", $4 != "0x0", $5 != "0x0", $6 }
		$3 == 4 { print "tmstmp" }' mma.log >calls
	printf '%s\n' tmstmp 'malloc 1 1000' 'calloc 1 10 30' 'malloc 0 9223372036854775807' \
		'calloc 0 18446744073709551615 2' 'realloc 0 1 9223372036854775807' \
		'realloc 0 1 18446744073709551615' 'realloc 1 1 5000' 'free 1' 'free 0' 'malloc 1 77' \
		'malloc 1 64' 'free 1' 'realloc 1 0 11' 'realloc 0 1 0' 'malloc 1 900' 'free 1' 'calloc 1 0 8' \
		tmstmp | diff - calls
}

@test "every function that gives or takes a block has its entry: aligned ones, operators, reallocarray" {
	cat >calls.cc <<-'EOT'
		#include <cstdarg>
		#include <cstdio>
		#include <cstdlib>
		#include <malloc.h>
		#include <new>
		#include <unistd.h>
		// Says what its log has to have, without a block of its own.
		static void says(const char *fmt, ...)
		{
			char line[200];
			va_list ap;
			va_start(ap, fmt);
			int n = vsnprintf(line, sizeof line, fmt, ap);
			va_end(ap);
			if (write(1, line, n) != n)
				_exit(9);
		}
		static void *got(void *p, size_t n) { says("malloc ptr=%p size=%zu\n", p, n); return p; }
		static void *volatile q;
		#define GIVES(call, n) q = got(call, n)
		#define TAKES(call) says("free ptr=%p\n", (void *)q); call
		int main()
		{
			struct alignas(64) wide { char c[192]; };
			void *p = nullptr;
			says("begin\n");
			GIVES(memalign(256, 3001), 3001); TAKES(free(q));
			posix_memalign(&p, 128, 3002); GIVES(p, 3002); TAKES(free(q));
			GIVES(aligned_alloc(64, 3008), 3008); TAKES(free(q));
			GIVES(valloc(3004), 3004); TAKES(free(q));
			GIVES(operator new(3005), 3005); TAKES(operator delete((void *)q));
			GIVES(operator new[](3006), 3006); TAKES(operator delete[]((void *)q));
			GIVES(operator new(3007, std::nothrow), 3007); TAKES(operator delete((void *)q, (size_t)3007));
			GIVES(operator new(3072, std::align_val_t(64)), 3072);
			TAKES(operator delete((void *)q, std::align_val_t(64)));
			GIVES(new wide, 192); TAKES(delete (wide *)q);
			q = calloc(7, 431); says("calloc ptr=%p num=7 elem=431\n", q);
			p = (void *)q; q = reallocarray((void *)q, 9, 500);
			says("realloc newptr=%p ptr=%p size=4500\n", q, p);
			TAKES(free(q));
			says("end\n");
			_exit(0);
		}
	EOT
	g++ -std=c++17 -O0 -w -o calls calls.cc
	logged --mma-log-file=h.log -- ./calls
	sed '/^begin$/d; /^end$/d' out >want
	[ "$(wc -l <want)" = 21 ]
	cut -d' ' -f4- h.log | sed -n '/size=3001$/,/^tmstmp/p' | sed '$d' | diff want -
}

@test "both forms of a run's log are the same log" {
	logged --mma-log-file=h.log --mma-stats-file=stats -- "$T/account"
	"$MPROF" log h.log | cmp - h.log
	"$MPROF" stats h.log | cmp - stats
	grep -Eq '^secs=[0-9]+ nsecs=[0-9]+ tid=[0-9]+ calloc ptr=0x[0-9a-f]+ num=10 elem=30$' h.log
}

@test "a static program has a log" {
	recorded 0 -- "$T/account-static"
	# The C library in it has allocated before main, and keeps that.
	local max current
	read -r _ max _ current < <(grep '^max' out)
	[ $(($(cut -d' ' -f2 stats) - max)) = $(($(cut -d' ' -f3 stats) - current)) ]
	[ "$(awk '$3 == 1 && $5 == 900' mma.log | wc -l)" = 1 ]
	[ "$(counters mma.log)" = "[0,0]" ]
}

@test "another allocator's calls are logged" {
	local lib
	lib=$(ldconfig -p | awk '/libjemalloc.so.2/ { print $NF; exit }')
	[ -n "$lib" ] || skip "no jemalloc"
	cat >some.c <<-'EOT'
		#include <stdlib.h>
		#include <unistd.h>
		int main(void)
		{
			for (int i = 1; i <= 50; i++) {
				void *volatile p = malloc(4100 + i), *volatile q = realloc(p, 8200 + i);
				if (i % 2)
					free(q);
			}
			_exit(0);
		}
	EOT
	cc -O1 -fno-builtin -o some some.c
	recorded 0 -- env LD_PRELOAD="$lib" ./some
	[ "$(awk '$3 == 1 && $5 > 4100 && $5 <= 4150' mma.log | wc -l)" = 50 ]
	[ "$(awk '$3 == 3 && $6 > 8200 && $6 <= 8250' mma.log | wc -l)" = 50 ]
	[ "$(counters mma.log)" = "[0,0]" ]
}

@test "8 threads that resize and pass on blocks: totally ordered, nothing lost, nothing replaced" {
	recorded 0 -- "$T/races" 0
	local idle
	idle=$(cut -d' ' -f3 stats)
	recorded 0 -- "$T/races" 1500
	local load peak m c r f
	read -r _ load _ peak _ m c r f < <(grep '^load' out)
	[ "$(counters mma.log)" = "[0,0]" ]
	[ "$(cut -d' ' -f2,3 stats)" = "$peak $((load + idle))" ]
	# Threads of the C library's own have callocs, and frees of those.
	[ "$(awk '$3 == 1' mma.log | wc -l)" = "$m" ]
	[ "$(awk '$3 == 3' mma.log | wc -l)" = "$r" ]
	[ "$(awk '$3 == 2 && $6 == 16' mma.log | wc -l)" -ge "$c" ]
	[ "$(awk '$3 == 0' mma.log | wc -l)" -ge "$f" ]
	[ "$(awk '{ print $2 }' mma.log | sort -u | wc -l)" = 9 ]
}

@test "a profile has the statistics of the run; it has no log and says so" {
	recorded 0 -- "$T/account"
	[ "$("$MPROF" stats --humanized=no run.data)" = "$(cat stats)" ]
	[ "$("$MPROF" stats --format=json run.data)" = "$("$MPROF" stats --format=json mma.log)" ]
	local status=0
	"$MPROF" log run.data >out 2>err || status=$?
	[ $status = 1 ] && [ ! -s out ]
	a_sentence err 'run.data is a recorded profile, which has no single events'
	status=0
	"$MPROF" stats run.data mma.log >out 2>err || status=$?
	[ $status = 1 ] && [ ! -s out ]
	a_sentence err 'run.data is a recorded profile: its statistics cannot be merged'
	limited "$MPROF" run -o report.txt --data=other.data -- "$T/account" >out 2>err
	[ "$("$MPROF" stats --humanized=no other.data | cut -d' ' -f2,3)" = "5300 977" ]
}

@test "a log of some sizes only is whole by itself: blocks that are resized into them and out of them, too" {
	recorded 0 --min-size=4060 -- "$T/resize"
	[ "$(counters mma.log)" = "[0,0]" ]
	[ "$("$MPROF" stats --format=json run.data)" = "$("$MPROF" stats --format=json mma.log)" ]
	grep -q ' 3 0x[0-9a-f]* 0x0 4[01]' mma.log
}

# ---- groups ----

@test "a parent that ends first: its blocks leave, statistics are written once, at the end of the child" {
	recorded 0 --trace-children=yes -- "$T/account" first
	until_true "the child has not spoken" grep -q '^max' out
	own_account
	[ "$(ls mma.log* | wc -l)" = 2 ]
	[ "$(wc -l <stats)" = 1 ]
	[ "$(counters mma.log*)" = "[1,0]" ]
}

@test "a parent that ends last" {
	recorded 0 --trace-children=yes -- "$T/account" last
	own_account
	[ "$(ls mma.log* | wc -l)" = 2 ]
	# in whatever order the logs are named
	[ "$("$MPROF" stats --humanized=no $(ls -r mma.log*))" = "$(cat stats)" ]
}

@test "without --trace-children the process alone is the group" {
	recorded 0 -- "$T/account" last
	[ "$(ls mma.log*)" = mma.log ]
	[ "$(cut -d' ' -f2,3 stats)" = "1000 33" ]
}

@test "an exec frees what was live, and the process's log goes on" {
	recorded 0 -- "$T/account" exec "$T/account"
	own_account
	[ "$(ls mma.log*)" = mma.log ]
	[ "$(awk '$3 == 4' mma.log | wc -l)" = 3 ]
	# both blocks of before, then the stamp of the new program
	grep -A 2 -n ' 0 0x' mma.log | head -n 3 | awk '{ print $3 }' | tr '\n' ' ' | grep -q '^0 0 4 '
	[ "$(counters mma.log)" = "[0,0]" ]
}

@test "%p in a log's name tells processes apart, and a shell with children is a group" {
	logged --mma-log-file=%p.mma --mma-stats-file=stats --humanized=no --trace-children=yes \
		-- sh -c "'$T/account' & '$T/account' last; wait; '$T/account'"
	[ "$(ls ./*.mma | wc -l)" -ge 5 ]
	agree ./*.mma
}

@test "programs of all kinds: the statistics of the run are those of the logs" {
	local p
	for p in resize forks spawns churn abandon ends coroutines sigjump; do
		rm -f bins
		limited "$MPROF" run --mma-log-file --mma-stats-file=stats --humanized=no --trace-children=yes \
			-o report.txt --data=run.data -- "$T/$p" >out 2>err </dev/null || :
		agree mma.log* || fail "$p"
		rm -f mma.log* stats run.data*
	done
}

# ---- names, variables, messages ----

@test "progress is told, and not if it is not wanted" {
	logged --mma-log-file --mma-stats-file=stats -- "$T/account"
	says err '^mprof: activated$'
	says err '^mprof: written mma.log$'
	says err '^mprof: written stats$'
	local how
	for how in --quiet --humanized=no; do
		logged --mma-log-file --mma-stats-file=stats $how -- "$T/account"
		! grep -Eq 'activated|written' err || fail "$how"
	done
	MMA_OUTPUT_HUMANIZED=0 logged --mma-log-file -- "$T/account"
	not grep -Eq 'activated|written' err
	grep -q '^[0-9]* [0-9]* 4$' mma.log
	logged -- "$T/account"
	! grep -Eq 'activated|written' err
}

@test "MMA_OUTPUT_FILE names the file, an option wins, and both may not have the same name" {
	MMA_OUTPUT_FILE=from-env.%q{NAME} NAME=x logged --mma-stats-file -- "$T/account"
	grep -q '^load_max .byte.: 5300$' from-env.x
	MMA_OUTPUT_FILE=from-env logged --mma-log-file=other -- "$T/account"
	[ -s other ] && [ ! -e from-env ] && [ ! -e mma.log ]
	local status=0
	"$MPROF" run --mma-log-file --mma-stats-file -- "$T/account" >out 2>err || status=$?
	[ $status = 2 ] && [ ! -s out ] && [ ! -e mma.log ]
	a_sentence err 'both name mma.log'
	status=0
	"$MPROF" run --mma-log-file=/nowhere/at/all -- "$T/account" >out 2>err || status=$?
	[ $status = 1 ] && [ ! -s out ]
	a_sentence err 'cannot write the log /nowhere/at/all'
}

@test "a log that cannot be written is an error, and the program is not harmed" {
	local status=0
	limited "$MPROF" run --mma-log-file=/dev/full --data=run.data -o report.txt -- "$T/account" \
		>out 2>err || status=$?
	[ $status = 1 ]
	says err 'cannot write the log /dev/full: No space left'
	grep -q '^max' out
}

@test "a compressed log of a run is the run's" {
	logged --mma-log-file=run.zst --mma-stats-file=stats -- "$T/resize"
	zstd -dqc run.zst >run.log
	"$MPROF" stats run.log | cmp - stats
	"$MPROF" stats run.zst | cmp - stats
}

@test "of a group with compressed logs each is compressed" {
	logged --trace-children=yes --mma-log-file=run.zst --mma-stats-file=stats -- "$T/account" last
	[ "$(ls run.zst* | wc -l)" = 2 ]
	local log
	for log in run.zst*; do
		zstd -dqc <"$log" | cmp - <("$MPROF" log "$log")
	done
	"$MPROF" stats run.zst* | cmp - stats
}

# ---- while it goes on ----

# live_marks [OPTION...]: targets/marks, attached to
live_marks() {
	start marks "$T/marks"
	attach --mma-log-file --mma-stats-file=stats --humanized=no -o report.txt --data=run.data "$@" "$PID"
}

# stamps: how many there are in the log
stamps() {
	awk '$3 == 4' mma.log | wc -l
}

@test "control stats and mark: the statistics up to now, and a time stamp in the log" {
	live_marks
	did "take 5"
	answered stats
	[ "$(cut -d' ' -f2,3 control.out)" = "30605 30605" ]
	[ "$(stamps)" = 1 ]
	answered mark
	[ "$(stamps)" = 2 ]
	[ "$(tail -n 1 mma.log | cut -d' ' -f2,3)" = "$PID 4" ]
	did mark
	answered status
	[ "$(stamps)" = 3 ]
	detach "$PID"
	[ "$(stamps)" = 4 ]
	agree mma.log
	[ "$("$MPROF" stats --humanized=no run.data)" = "$(cat stats)" ]
	clean "$PID"
	finish marks
}

@test "control stats works without a log, too" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	did "take 3"
	did "drop 1"
	answered stats
	grep -q '^load_max .byte.: 18363$' control.out
	grep -q '^load_current .byte.: 12242$' control.out
	detach "$PID"
	finish marks
}

@test "suspend and resume from a shell: what happens meanwhile is not in the log" {
	live_marks
	did "take 10"
	answered suspend
	did "drop 4"
	did "take 20"
	answered resume
	did "drop 3"
	did "take 1"
	detach "$PID"
	agree mma.log
	[ "$(stamps)" = 4 ]
	[ "$(awk '$3 == 1' mma.log | wc -l)" = 11 ]
	[ "$(awk '$3 == 0' mma.log | wc -l)" = 3 ]
	finish marks
}

@test "mprof_suspend() and mprof_resume(): no trap is left in the allocator meanwhile" {
	live_marks
	did "take 10"
	did suspend
	answered status
	grep -A 20 '^allocations' control.out | grep -q '^allocations: 10$'
	local stops
	answered status
	stops=$(sed -n 's/^stops: //p' control.out)
	did "alloc 500"
	answered status
	[ "$(($(sed -n 's/^stops: //p' control.out) - stops))" -lt 100 ] ||
		fail "it does not run at full speed: $stops stops before" "$(cat control.out)"
	did "drop 4"
	did suspend
	did resume
	did "drop 3"
	did "take 2"
	did resume
	detach "$PID"
	agree mma.log
	[ "$(stamps)" = 4 ]
	[ "$(awk '$3 == 1' mma.log | wc -l)" = 12 ]
	[ "$(awk '$3 == 0' mma.log | wc -l)" = 3 ]
	clean "$PID"
	finish marks
}

@test "control resume ends mprof_suspend(), too, and status tells that" {
	live_marks
	did "take 2"
	did suspend
	did "take 5"
	answered status
	grep -qx 'state: suspended' control.out
	answered resume
	answered status
	grep -qx 'state: tracing' control.out
	did "take 3"
	did resume
	detach "$PID"
	agree mma.log
	[ "$(stamps)" = 4 ]
	[ "$(awk '$3 == 1' mma.log | wc -l)" = 5 ]
	clean "$PID"
	finish marks
}

@test "what has no effect says so: a mark without a log, a second suspend, a resume while tracing" {
	start marks "$T/marks"
	attach --mma-stats-file=stats --humanized=no -o report.txt --data=run.data "$PID"
	refused 1 'writes no event log .*--mma-log-file' "$MPROF" control "$PID" mark
	answered resume
	grep -q 'is not suspended' control.out
	answered suspend
	[ ! -s control.out ]
	answered suspend
	grep -q 'is suspended already' control.out
	answered resume
	[ ! -s control.out ]
	did "take 2"
	detach "$PID"
	[ "$("$MPROF" stats --format=json run.data | jq -c '[.tmstmp, .malloc]')" = "[4,2]" ]
	finish marks
}

@test "a pipe that nobody reads is an error, and does not hold the process that is attached to" {
	start marks "$T/marks"
	mkfifo pipe
	attach --mma-log-file=pipe -o report.txt --data=run.data "$PID"
	says attach.err 'cannot write the log pipe: nobody reads this pipe'
	did "take 2"
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err
	ended "$FRONT"
	[ "$STATUS" = 1 ]
	[ -s run.data ]
	# and one that is read gets the log
	cat pipe >got &
	local reader=$!
	attach --mma-log-file=pipe --mma-stats-file=stats --humanized=no -o report.txt --data=run.data "$PID"
	did "take 2"
	detach "$PID"
	ended $reader
	agree got
	finish marks
}

@test "what was missed while suspended is told" {
	start marks "$T/marks"
	attach --mma-stats-file=stats -o report.txt --data=run.data "$PID"
	did "take 2"
	did suspend
	did "take 5"
	did resume
	did "drop 5"
	detach "$PID"
	says attach.err 'suspended$'
	says attach.err 'resumed$'
	says attach.err 'since it was first suspended: 5 frees of unknown blocks, 0 blocks whose free was not seen'
	finish marks
}

@test "mprof_stop() and mprof_restart() act as suspend and resume: the load goes on" {
	live_marks
	did "take 10"
	did stop
	did "take 5"
	did restart
	did "drop 5"
	did "drop 2"
	detach "$PID"
	agree mma.log
	[ "$(stamps)" = 4 ]
	[ "$(cut -d' ' -f2,3 stats)" = "61210 48968" ]
	[ "$(counters mma.log)" = "[5,0]" ]
	finish marks
}

@test "a terminated session writes its log whole" {
	live_marks
	did "take 10"
	kill -TERM "$FRONT"
	ended "$FRONT"
	agree mma.log
	[ "$(awk '$3 == 1' mma.log | wc -l)" = 10 ]
	clean "$PID"
	finish marks
}

@test "8 threads are attached to, suspended, resumed and let go: the log is still in order" {
	start threads "$T/threads" churn
	attach --mma-log-file --mma-stats-file=stats --humanized=no -o report.txt --data=run.data "$PID"
	progress threads 1
	answered suspend
	progress threads 1
	answered resume
	progress threads 1
	detach "$PID"
	agree mma.log
	[ "$(wc -l <mma.log)" -gt 100 ]
	clean "$PID"
	finish threads
}

@test "a profile's statistics end when the session does, though threads are in the middle of a realloc" {
	for i in 1 2 3; do
		rm -f mma.log
		logged --duration=0.2 --mma-log-file -- "$T/races" 100000000
		kill "$(sed -n 's/^mprof: .*(process \([0-9]*\)).*/\1/p' err | head -1)"
		[ "$("$MPROF" stats run.data | grep duration)" = "$("$MPROF" stats mma.log | grep duration)" ]
	done
}
