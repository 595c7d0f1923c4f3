#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The fast engine, and a program or a system that does not leave it what it needs: what comes of it is said.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

@test "records of the fast engine that a program has written over are lost for that reason, in every report" {
	start scribbles "$T/scribbles"
	attach --engine=fast -o run.txt --data=run.data "$PID"
	tell_await scribbles records '^done'
	detach "$PID"
	finish scribbles
	local words='10 events could not be counted: for want of memory (0), because the stack could not be read (0), because what was noted of them in the program.s memory makes no sense: something has written there (10)'
	says attach.err "$(sed 's/[()]/\\&/g' <<<"$words")" || says detach.err "$(sed 's/[()]/\\&/g' <<<"$words")"
	[ "$(sed -n 2p run.txt)" = "10 events lost: the numbers below are without them" ]
	[ "$(sqlite3 run.data "select value from meta where key = 'lost_damaged'")" = 10 ]
	limited "$MPROF" report --format=json -o out.json run.data 2>report.err
	jq -e '.unseen.lost_events == 10 and .unseen.lost_damaged == 10 and .totals.allocs == 1000' out.json
	grep -q "$words" report.err || fail "not said" "$(cat report.err)"
}

@test "a program that unmaps the agent goes on, and that the fast engine sees nothing more is said" {
	start scribbles "$T/scribbles"
	attach --engine=fast -o run.txt --data=run.data "$PID"
	tell_await scribbles unmap-agent '^done'
	detach "$PID"
	finish scribbles
	cat attach.err detach.err >said
	grep -q 'made no sense\|makes no sense\|made a fault\|switched off\|stopped' said || fail "nothing is said" "$(cat said)"
}

# As the kernel does when it takes off a uprobe that came after the jump: the first byte is that of the file. Nobody
# calls it meanwhile.
@test "a jump whose first byte somebody has put back is taken out whole" {
	start phases "$T/phases"
	before "$PID"
	attach --engine=fast -o report.txt --data=run.data "$PID"
	"$T/textdiff" "$PID" >differs && fail "there is no jump"
	python3 - "$PID" <<-'EOT'
		import re, sys
		with open(f"/proc/{sys.argv[1]}/mem", "r+b", 0) as mem:
		    for line in open("differs"):
		        found = re.search(r"/libc\.so.*\((0x\w+)\): e9, in the file (\w+)", line)
		        if found:
		            mem.seek(int(found[1], 16))
		            mem.write(bytes.fromhex(found[2]))
	EOT
	grep -q '/libc.so.*: e9' differs || fail "no jump is in libc" "$(cat differs)"
	"$T/textdiff" "$PID" >differs-now && fail "nothing is left of the jumps"
	[ "$(grep '/libc.so.*: e9' differs | head -n 1)" != "$(grep '/libc.so.*: e9' differs-now | head -n 1)" ] || fail "not put back"
	detach "$PID"
	text_clean "$PID"
	tell_await phases more '^done'
	finish phases
}

# limited_run KIB: what mprof says of a program that is run by it with so many addresses for each.
limited_run() {
	(
		ulimit -v "$1"
		"$MPROF" run --engine=fast -o /dev/null --data=/dev/null -- "$T/simple"
	) >run.out 2>run.err && fail "it is run" "$(cat run.out run.err)"
	return 0
}

@test "too few addresses for mprof itself: the limit is named, and what is to be done" {
	limited_run 100000
	says run.err 'cannot start: Cannot allocate memory \(RLIMIT_AS: ulimit -v has to be larger\)'
	limited_run 200000
	says run.err 'mprof itself cannot map [0-9]+ MiB more \(RLIMIT_AS, ulimit -v\); use --engine=trap'
	[ ! -s run.out ] || fail "it has run"
}

# Its tracing process, which ends when the first one is gone, is stopped before it can.
@test "who attaches while a killed session is about to end is told that, and then attaches" {
	local engine tracer
	start server "$T/server"
	for engine in trap fast; do
		attach --engine=$engine -o report.txt --data=run.data "$PID"
		progress server 2
		tracer=$(tracer_of "$PID")
		kill -STOP "$tracer"
		kill -KILL "$FRONT"
		ended "$FRONT"
		refused 6 "a session of mprof that was killed traces it still, and is about to end \(process $tracer\); try again" \
			"$MPROF" attach --engine=$engine -o report.txt --data=run.data "$PID"
		kill -CONT "$tracer"
		nobody_left
	done
	attach -o report.txt --data=run.data "$PID"
	detach "$PID"
	finish server
	grep -qx 'checksum right' server.out
}

# its_file PID: the descriptor of mprof's file in memory that a process has
its_file() {
	local fd
	for fd in /proc/"$1"/fd/*; do
		[ "$(readlink "$fd")" != '/memfd:mprof (deleted)' ] || echo "${fd##*/}"
	done
}

@test "kill -9 of the tracing process while the program has a file descriptor of its: that is said" {
	local n fd open=0
	for ((n = 8; n < 150; n += 13)); do
		rm -f exactly.* killed
		start exactly "$T/exactly"
		KILL_FROM=seize KILL_AT=$n KILL_LOG=$D/killed LD_PRELOAD=$T/killat.so background "$MPROF" attach \
			--engine=fast --duration=0.02 -o /dev/null --data=/dev/null "$PID"
		ended "$FRONT"
		[ -e killed ] || fail "kill $n: not killed" "$(cat attach.err)"
		until_true "kill $n: not free" all_free "$PID"
		fd=$(its_file "$PID")
		if [ -n "$fd" ]; then
			open=$((open + 1))
			says attach.err "process $PID keeps file descriptor $fd, a file in memory" || fail "kill $n"
		else
			! grep -q 'file descriptor' attach.err || fail "kill $n" "$(cat attach.err)"
		fi
		finish exactly
		grep -qx 'checksum right' exactly.out
	done
	[ "$open" -gt 0 ] || fail "the descriptor was never open"
}

@test "handlers allocate wherever they come, also within the agent, and some leave by siglongjmp: the counts are the program's" {
	local engine
	for engine in fast trap; do
		BINS=$D/bins limited "$MPROF" run --engine=$engine -o /dev/null --data=run.data -- "$T/stormy" 5000 >out 2>err ||
			fail "$engine" "$(cat out err)"
		grep -q '^stormy: ' out
		grep -q ' 0 frees of unknown blocks, 0 failed requests, 0 events lost' err || fail "$engine" "$(cat err)"
		json run.data bins || fail "$engine"
		rm -f bins
	done
}

# dispatched HOW ENGINE: attached to it, it takes 100 blocks and makes a call of its own; then detached. The engine USED
# has seen it all
dispatched() {
	rm -f dispatched.* attach.* run.data
	start dispatched "$T/dispatched" "$1"
	attach --engine="$2" --data=run.data -o report.txt "$PID" || return 1
	[ "$1" != later ] || tell_await dispatched later '^did later$' || return 1
	tell_await dispatched 'take 100' '^did take 100$' || return 1
	tell_await dispatched call '^did call$' || return 1
	detach "$PID" || return 1
	if [ "$1" = later ]; then
		says attach.err "process $PID keeps the code and memory of the fast engine, unused: none of its threads could make"
	else
		! grep -q 'keeps the code' attach.err && clean "$PID"
	fi || fail "$(cat attach.err)" || return 1
	# It has made its calls itself, and has its handler still.
	finish dispatched || return 1
	grep -q '^dispatched: \([0-9]*\) signals for \1 calls$' dispatched.out || fail "$(cat dispatched.out)" || return 1
	json run.data
	jq -e --arg used "$USED" '.engines == [$used] and (.bins[] | select(.size == 2311) | .allocs == 100 and .frees == 99)' \
		report.json || fail "$(jq -c '.engines, .bins' report.json)"
}

@test "a thread whose system calls the kernel gives to the program, or that is in 32-bit code, makes none of ours" {
	local status=0
	"$T/dispatched" both </dev/null >out 2>&1 || status=$?
	[ $status != 77 ] || skip "this kernel has no Syscall User Dispatch"
	# The main thread cannot, another one can.
	USED=fast dispatched main fast
	USED=fast dispatched narrow fast
	# None can, from the beginning or when mprof goes.
	USED=trap dispatched both auto
	USED=fast dispatched later fast
	rm -f dispatched.*
	start dispatched "$T/dispatched" both
	run --separate-stderr limited "$MPROF" attach --engine=fast "$PID"
	[ "$status" != 0 ]
	[[ $stderr == "mprof: cannot attach to process $PID: the fast engine cannot be used: no thread can make system calls for mprof: "* ]]
	finish dispatched
}

@test "run --duration: the session ends with status 0, and the program goes on, with either engine" {
	local engine status pid
	for engine in trap fast; do
		mkfifo "in.$engine"
		sleep 1000 <>"in.$engine" >/dev/null 2>&1 &
		status=0
		limited "$MPROF" run --engine=$engine --duration=0.2 -o report.txt --data=run.data -- "$T/server" 2 1000 <>"in.$engine" >out 2>err || status=$?
		kill "$!"
		[ $status = 0 ] || fail "$engine: status $status" "$(cat err)"
		pid=$(sed -n 's/^ready //p' out)
		[ -d "/proc/$pid" ] || fail "$engine: it has not gone on" "$(cat err)"
		says err "process $pid goes on by itself, without mprof$"
		until_true "not free" all_free "$pid"
		kill -KILL "$pid"
	done
}

# dies_of WORD STATUS REGEX: a thread runs into what is not mprof's code any more.
dies_of() {
	start scribbles "$T/scribbles"
	attach --engine=fast -o run.txt --data=run.data "$PID"
	tell scribbles "$1"
	ended "$PID"
	[ "$STATUS" = "$2" ] || fail "$1: ended with $STATUS"
	ended "$FRONT"
	[ "$(grep -Ec "process $PID has $3 mprof's code at 0x[0-9a-f]+, and thread $PID runs into that" attach.err)" = 1 ] ||
		fail "$1: not said once" "$(cat attach.err)"
}

@test "a program that unmaps mprof's code, or writes over it, dies of that: once it is said whose code it was" {
	dies_of unmap-near 139 unmapped
	rm -f scribbles.*
	dies_of fill-near 132 changed
}

# As programs do that move their code to huge pages: the jumps are copied, too.
@test "an allocator whose code the program replaces by a copy, and that then loads a library, is counted, and let go whole" {
	cat >mover.c <<-'EOT'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#define MOVED __attribute__((section(".text.moved"), aligned(16), noinline))
		#define BEHIND __attribute__((section(".text.moved.end"), aligned(4096), noinline))
		static char heap[1 << 20];
		static size_t used;
		__attribute__((section(".text.moved"), aligned(4096), noinline)) void *malloc(size_t n)
		{
			char *p = heap + __atomic_fetch_add(&used, (n + 31) & ~(size_t)15, __ATOMIC_RELAXED);
			*(size_t *)p = n;
			return p + 16;
		}
		MOVED void free(void *p) { if (p) ((size_t *)p)[-1] = 0; }
		BEHIND void *calloc(size_t a, size_t b) { return malloc(a * b); }
		BEHIND void *realloc(void *p, size_t n)
		{
			void *q = malloc(n);
			return p ? memcpy(q, p, ((size_t *)p)[-1] < n ? ((size_t *)p)[-1] : n) : q;
		}
		BEHIND static void work(void) { for (int i = 0; i < 10; i++) free(malloc(3359)); }
		static void move(void)
		{
			char *code = (char *)((uintptr_t)malloc & ~(uintptr_t)4095);
			char *copy = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			memcpy(copy, code, 4096);
			mprotect(copy, 4096, PROT_READ | PROT_EXEC);
			if (mremap(copy, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, code) != code) abort();
		}
		int main(void)
		{
			char line[80];
			setvbuf(stdout, NULL, _IONBF, 0);
			puts("ready 1");
			if (!fgets(line, sizeof line, stdin)) return 1;
			move();
			work();
			if (!dlopen("libm.so.6", RTLD_NOW)) return 1;
			work();
			puts("moved");
			if (!fgets(line, sizeof line, stdin)) return 1;
			work();
			puts("done");
			return 0;
		}
	EOT
	cc -O1 -fno-builtin -w -o mover mover.c -ldl
	start mover ./mover
	attach --engine=fast -o run.txt --data=run.data "$PID"
	tell_await mover go moved
	detach "$PID"
	tell_await mover go 'done'
	ended "$PID"
	[ "$STATUS" = 0 ]
	limited "$MPROF" report --format=json -o out.json run.data 2>report.err
	jq -e '[.bins[] | select(.size == 3359)][0] | .allocs == 20 and .frees == 20' out.json || fail "$(jq -c .bins out.json)"
}

@test "a program that frees what is no block dies of that: it is not said that it has changed mprof's code" {
	cat >wild.c <<-'EOT'
		#include <stdlib.h>
		static char heap[4096];
		static size_t used, freed;
		__attribute__((noinline)) void *malloc(size_t n) { used += 64 + n / 16 * 16; return heap + used; }
		__attribute__((noinline)) void free(void *p) { ((volatile size_t *)p)[-1] = 0; freed++; }
		int main(void) { free(malloc(10)); free((void *)16); return 0; }
	EOT
	cc -O1 -fno-builtin -w -o wild wild.c
	local status=0
	limited "$MPROF" run --engine=fast -o /dev/null --data=/dev/null ./wild 2>err || status=$?
	[ $status = 139 ] || fail "$status" "$(cat err)"
	grep -q ': 1 allocation of 10 bytes, ' err || fail "$(cat err)"
	not grep -q "mprof's code" err
}
