#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The fast engine in each image: however it is linked, whoever has the allocator, from the first instruction on;
# stacks of the program's own, signals that no trap may come across, and when there can be no fast engine.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/engines

# build NAME OPTION...: NAME.c, which is on standard input
build() {
	local name=$1
	shift
	cat >"$name.c"
	"${CC_FOR:-gcc}" -std=gnu17 -O1 -g -fno-builtin -D_GNU_SOURCE -I"$ROOT/tests/targets" "$@" -o "$name" "$name.c" -pthread
}

# untrapped FILE: of the run whose standard error it is: the agent knew its threads, and hardly anything was trapped
untrapped() {
	local traps
	traps=$(sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' "$1")
	[ "$traps" -lt 10 ] || fail "$traps traps" "$(cat "$1")" || return 1
	says "$1" 'the fast engine: [0-9]+ functions, [1-9][0-9]* records, of these 0 of threads not known'
}

# ---- linking ----

@test "static programs, static PIE and musl have pads, and the agent knows their first thread" {
	local p
	for p in plain plain-static plain-static-pie plain-musl plain-musl-static plain-musl-static-pie; do
		limited "$MPROF" run --engine=fast --stats -o /dev/null --data=fast.data -- "$T/$p" >out 2>err || fail "$p" "$(cat err)"
		untrapped err || fail "$p"
		not grep -q 'watched by traps' err
		limited "$MPROF" run --engine=trap -o /dev/null --data=trap.data -- "$T/$p" >out 2>err
		for e in fast trap; do limited "$MPROF" report --format=json $e.data | jq '[.totals, .bins, .direct]' >$e.json; done
		diff <(jq 'del(.[0].peak_bytes, .[0].peak_time)' fast.json) <(jq 'del(.[0].peak_bytes, .[0].peak_time)' trap.json) ||
			fail "$p: another profile"
		chains fast.data >fast.chains && chains trap.data >trap.chains && diff fast.chains trap.chains || fail "$p: other chains"
	done
}

@test "a static program that runs is attached to, and is as it was afterwards" {
	local how
	for how in -static -static-pie; do
		rm -f exactly.*
		gcc -std=gnu17 -O1 -g -fno-builtin -D_GNU_SOURCE -I"$ROOT/tests/targets" $how -pthread -o exactly \
			"$ROOT/tests/targets/exactly.c"
		start exactly "$D/exactly"
		progress exactly
		for _ in 1 2 3; do
			"$MPROF" attach --engine=fast --stats --duration=0.1 -o /dev/null --data=run.data "$PID" 2>err || fail "$(cat err)"
			untrapped err
			says err ' 0 events lost$'
			progress exactly 1
			clean "$PID"
			[ "$(grep -c 'mprof\|memfd' "/proc/$PID/maps")" = 0 ] || fail "left" "$(cat "/proc/$PID/maps")"
		done
		finish exactly
		grep -qx 'checksum right' exactly.out
	done
}

# Its functions have no call frame information: what they call of each other is told by what is on the stack.
@test "what musl's functions call of each other is not counted, in any thread" {
	CC_FOR=musl-gcc build nested <<-'EOT'
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		static void *work(void *arg)
		{
			void *p;
			for (int i = 0; i < 500; i++) {
				free(calloc(3, 1009));
				p = realloc(NULL, 3041);
				p = realloc(p, 200003);
				free(p);
				if (posix_memalign(&p, 64, 3049))
					return arg;
				free(p);
				free(aligned_alloc(128, 3061));
			}
			return NULL;
		}
		int main(void)
		{
			pthread_t t[3];
			void *bad;
			for (int i = 0; i < 3; i++)
				if (pthread_create(&t[i], NULL, work, t))
					return 1;
			for (int i = 0; i < 3; i++)
				if (pthread_join(t[i], &bad) || bad)
					return 1;
			return work(t) != NULL;
		}
	EOT
	limited "$MPROF" run --engine=fast --stats -o /dev/null --data=run.data -- ./nested 2>err || fail "$(cat err)"
	untrapped err
	limited "$MPROF" report --format=json run.data >report.json
	[ "$(jq -c '[.bins[] | select(.size > 3000) | [.size, .allocs, .frees]]' report.json)" = \
		"[[3027,2000,2000],[3041,2000,2000],[3049,2000,2000],[3061,2000,2000],[200003,2000,2000]]" ] || fail "$(jq -c .bins report.json)"
	[ "$(jq .totals.truncated_chains report.json)" = 0 ]
}

# ---- whose allocator ----

@test "an allocator of the program's own has pads beside those of its libraries" {
	build mine <<-'EOT'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <dlfcn.h>
		static char room[1 << 22], *next = room;
		static unsigned frees;
		void *malloc(size_t n)
		{
			size_t *p = (size_t *)next;
			next += (n + 31) / 16 * 16;
			*p = n;
			return p + 2;
		}
		void free(void *p)
		{
			if (p)
				frees++;
		}
		void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
		void *realloc(void *p, size_t n)
		{
			void *q = malloc(n);
			if (p)
				memcpy(q, p, n < ((size_t *)p)[-2] ? n : ((size_t *)p)[-2]);
			free(p);
			return q;
		}
		int main(void)
		{
			/* The C library's are near other code. */
			void *(*libc_malloc)(size_t) = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
			void (*libc_free)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "free");
			for (int i = 0; i < 1000; i++) {
				free(malloc(5003));
				libc_free(libc_malloc(5009));
				next = room;
				free(realloc(calloc(5, 1009), 5051));
				next = room;
			}
			printf("%d\n", frees >= 3000);
			return 0;
		}
	EOT
	alike ./mine
	limited "$MPROF" run --engine=fast --stats -o /dev/null --data=run.data -- ./mine >out 2>err
	untrapped err
	grep -qx 1 out
	limited "$MPROF" report --format=json run.data >report.json
	[ "$(jq -c '[.bins[] | select(.size > 5000 and .size < 5100) | [.size, .allocs, .frees]]' report.json)" = \
		"[[5003,1000,1000],[5009,1000,1000],[5045,1000,1000],[5051,1000,1000]]" ] || fail "$(jq -c .bins report.json)"
}

@test "allocators of libraries and their own functions are alike to both engines, and what is trapped is named once" {
	local p
	# Not what the collector finds to be garbage, which is another heap in each run.
	for p in jemallocx tcmallocs mimallocs mipools slices aprpools boehm; do
		alike "$T/$p" || fail "$p"
		[ "$(grep -c 'watched by traps' fast.err)" -le 1 ] || fail "$p" "$(cat fast.err)"
	done
	for p in libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc.so.4 libmimalloc.so.2; do
		[ -e "/usr/lib/$(uname -m)-linux-gnu/$p" ] || continue
		alike env LD_PRELOAD="$p" "$T/recursion" || fail "$p"
		[ "$(grep -c 'watched by traps' fast.err)" -le 2 ] || fail "$p" "$(cat fast.err)" # env, and what it executes
	done
}

# ---- from the first instruction ----

@test "nothing before main is missed: resolvers, constructors of the program and its libraries, preinit_array" {
	cat >early.c <<-'EOT'
		#include <stdlib.h>
		void *volatile lib_kept;
		__attribute__((constructor)) static void lib_begins(void) { lib_kept = malloc(6007); }
	EOT
	gcc -O1 -g -fno-builtin -fPIC -shared -o libearly.so early.c
	# What allocates before the C library is ready has to be the program's own.
	cat >begins.c <<-'EOT'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		static char room[1 << 22], *next = room;
		void *malloc(size_t n)
		{
			void *p = next;
			next += (n + 15) / 16 * 16;
			return p;
		}
		void free(void *p)
		{
			if (p)
				*(volatile char *)p = 0;
		}
		void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
		void *realloc(void *p, size_t n)
		{
			void *q = malloc(n);
			if (p)
				memmove(q, p, n);
			return q;
		}
		static int chosen(void) { return 7; }
		static void *volatile kept;
		__attribute__((used)) static int (*choose(void))(void)
		{
			kept = malloc(6011);
			free(malloc(6029));
			return chosen;
		}
		int indirect(void) __attribute__((ifunc("choose")));
		static void preinit(void) { kept = malloc(6037); }
		#ifndef LIBRARY
		__attribute__((section(".preinit_array"), used)) static void (*before)(void) = preinit;
		#endif
		__attribute__((constructor(101))) static void first(void) { kept = malloc(6043); }
		__attribute__((constructor)) static void second(void) { kept = malloc(6047); }
		int main(void)
		{
			kept = malloc(6053);
			printf("%d\n", indirect());
			return 0;
		}
	EOT
	local how
	for how in '-static' '-static-pie' '-no-pie -L. -Wl,--no-as-needed -learly -Wl,-rpath,.' \
		'-L. -Wl,--no-as-needed -learly -Wl,-rpath,. -Wl,-z,now'; do
		# shellcheck disable=SC2086
		gcc -std=gnu17 -O1 -g -fno-builtin -o begins begins.c $how
		alike ./begins || fail "$how"
		[ "$(jq -c '[.bins[] | select(.size > 6007 and .size < 6060) | .size]' fast.json)" = "[6011,6029,6037,6043,6047,6053]" ] ||
			fail "$how" "$(jq -c .bins fast.json)"
		case $how in *early*) [ "$(jq '.bins[] | select(.size == 6007) | .allocs' fast.json)" = 1 ] || fail "$how: the library's" ;; esac
	done
}

# ---- stacks and signals ----

@test "coroutines on stacks from malloc and mmap, and handlers on a stack of their own, are alike to both engines" {
	alike "$T/coroutines"
	build stacks <<-'EOT'
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <ucontext.h>
		static ucontext_t back, routine[4];
		static volatile int handled;
		static __attribute__((noinline)) void *inner(size_t n) { void *volatile p = malloc(n); return p; }
		static void run(int i)
		{
			for (int k = 0; k < 50; k++) {
				free(inner((size_t)(7001 + i)));
				swapcontext(&routine[i], &back);
			}
		}
		static void handle(int sig)
		{
			(void)sig;
			free(inner(7013));
			handled++;
		}
		int main(void)
		{
			stack_t alt = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
			struct sigaction sa = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
			if (sigaltstack(&alt, NULL) || sigaction(SIGUSR1, &sa, NULL))
				return 1;
			for (int i = 0; i < 4; i++) {
				void *stack = i % 2 ? malloc(1 << 17) : mmap(NULL, 1 << 17, PROT_READ | PROT_WRITE,
									      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				getcontext(&routine[i]);
				routine[i].uc_stack.ss_sp = stack;
				routine[i].uc_stack.ss_size = 1 << 17;
				routine[i].uc_link = &back;
				makecontext(&routine[i], (void (*)(void))run, 1, i);
			}
			for (int k = 0; k < 50; k++) {
				for (int i = 0; i < 4; i++)
					swapcontext(&back, &routine[i]);
				raise(SIGUSR1);
			}
			printf("%d\n", handled);
			return 0;
		}
	EOT
	alike ./stacks
	[ "$(jq -c '[.bins[] | select(.size > 7000 and .size < 7014) | .allocs, .frees]' fast.json)" = "[50,50,50,50,50,50,50,50,50,50]" ]
}

# A trap instruction unblocks SIGTRAP and resets what is done about it, whatever anybody does: so with traps these
# programs can see them. The fast engine has none.
traps_signal() { # NAME
	build "$1" <<-'EOT'
		#include <pthread.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		static volatile int handled;
		static void handle(int sig) { handled += sig == SIGTRAP; }
		static void allocate(void)
		{
			for (int i = 0; i < 300; i++) {
				void *volatile p = malloc(8009);
				p = realloc(p, 8011);
				free(p);
			}
		}
		static void state(const char *when)
		{
			struct sigaction sa;
			sigset_t mask, pending;
			int blocked = 0, waits;
			sigaction(SIGTRAP, NULL, &sa);
			pthread_sigmask(SIG_SETMASK, NULL, &mask);
			sigpending(&pending);
			waits = sigismember(&pending, SIGTRAP);
			for (int i = 1; i < 65; i++)
				blocked += sigismember(&mask, i) == 1;
			printf("%s: %s, %d blocked, %s, %d handled\n", when, sa.sa_handler == SIG_DFL ? "default" :
				sa.sa_handler == SIG_IGN ? "ignored" : "handled", blocked, waits ? "pending" : "none", handled);
		}
		static void *masked(void *arg)
		{
			sigset_t all;
			sigfillset(&all);
			pthread_sigmask(SIG_SETMASK, &all, NULL);
			allocate();
			pthread_kill(pthread_self(), SIGTRAP);
			allocate();
			state(arg);
			return NULL;
		}
		int main(int argc, char **argv)
		{
			const char *how = argc > 1 ? argv[1] : "";
			sigset_t trap;
			pthread_t t;
			sigemptyset(&trap);
			sigaddset(&trap, SIGTRAP);
			if (!strcmp(how, "blocked")) {
				signal(SIGTRAP, handle);
				sigprocmask(SIG_BLOCK, &trap, NULL);
				allocate();
				raise(SIGTRAP);
				allocate();
				state("blocked");
				sigprocmask(SIG_UNBLOCK, &trap, NULL);
			} else if (!strcmp(how, "ignored")) {
				signal(SIGTRAP, SIG_IGN);
				allocate();
				raise(SIGTRAP);
				allocate();
			} else {
				signal(SIGTRAP, handle);
				if (pthread_create(&t, NULL, masked, "masked") || pthread_join(t, NULL))
					return 1;
				allocate();
				raise(SIGTRAP);
			}
			state("end");
			return 0;
		}
	EOT
}

@test "SIGTRAP is blocked, ignored, or one of all that a thread blocks: the program sees what it sees alone" {
	local how
	traps_signal sigtrap
	for how in blocked ignored maskall; do
		./sigtrap $how >alone || fail "alone: $how"
		limited "$MPROF" run --engine=fast --stats -o /dev/null --data=run.data -- ./sigtrap $how >out 2>err || fail "$how" "$(cat err)"
		diff alone out || fail "$how: another output"
		untrapped err
		limited "$MPROF" report --format=json run.data >report.json
		local n=600
		[ $how != maskall ] || n=900
		[ "$(jq -c '[.bins[] | select(.size == 8009 or .size == 8011) | .allocs, .frees]' report.json)" = "[$n,$n,$n,$n]" ] ||
			fail "$how" "$(jq -c .bins report.json)"
	done
}

# ---- the same commands ----

@test "marks, suspending, resuming and saving while a static program runs: both engines count the same" {
	build marked -I"$ROOT/include" -static <<-'EOT'
		#include <stdlib.h>
		#include "mprof/mprof.h"
		int main(void)
		{
			for (int i = 0; i < 100; i++)
				free(malloc(9001));
			mprof_suspend();
			for (int i = 0; i < 100; i++)
				free(malloc(9007));
			mprof_resume();
			for (int i = 0; i < 100; i++)
				free(malloc(9011));
			mprof_restart("second.data");
			for (int i = 0; i < 100; i++)
				free(malloc(9013));
			set_mprof_autosave(30);
			for (int i = 0; i < 100; i++)
				free(malloc(9029));
			mprof_stop();
			free(malloc(9041));
			return 0;
		}
	EOT
	local e
	for e in trap fast; do
		mkdir $e
		(cd $e && limited "$MPROF" run --engine=$e --autosave=50 -o /dev/null --data=run.data -- ../marked 2>err) || fail "$e" "$(cat $e/err)"
		for f in "$e"/*.data; do
			echo "${f#*/} $(limited "$MPROF" report --format=json "$f" | jq -c '[.bins[] | [.size, .allocs, .frees]]')"
		done >$e.bins
	done
	[ "$(wc -l <trap.bins)" -ge 2 ] || fail "$(cat trap.bins)"
	diff trap.bins fast.bins || fail "others"
	grep -q '9001,100,100.*9011,100,100' trap.bins && not grep -q '9007\|9041' trap.bins
}

# ---- when there can be none ----

# refused REASON COMMAND...: by --engine=fast, and --engine=auto says so and uses traps
refused_for() {
	local reason=$1 e
	shift
	e=0
	"$@" --engine=fast -o /dev/null --data=/dev/null -- "${PROGRAM[@]}" >out 2>err || e=$?
	[ $e != 0 ] && [ ! -s out ] || fail "not refused" "$(cat err)" || return 1
	says err "$reason" || return 1
	"${PROGRAM[@]}" >alone
	"$@" --engine=auto --stats -o /dev/null --data=/dev/null -- "${PROGRAM[@]}" >out 2>err || fail "auto: $?" "$(cat err)" || return 1
	diff alone out || return 1
	[ "$(grep -c 'watched by traps' err)" = 1 ] || fail "said otherwise than once" "$(cat err)" || return 1
	says err "watched by traps: .*$reason" || return 1
	[ "$(sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' err)" -gt 20 ] || fail "not trapped" "$(cat err)"
}

@test "each reason for which there is no fast engine is a sentence, and --engine=auto says it and goes on by traps" {
	PROGRAM=("$T/own-static")
	refused_for 'its free\(\) cannot be seen without a trap: a return among its first instructions' "$MPROF" run
	# A filter that it has inherited.
	PROGRAM=("$T/simple")
	cat >filtered.c <<-'EOT'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
			struct sock_fprog p = { 1, &all };
			(void)argc;
			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
				return 1;
			execv(argv[1], argv + 1);
			return 1;
		}
	EOT
	gcc -O1 -o filtered filtered.c
	refused_for 'its seccomp filter may forbid' ./filtered "$MPROF" run
}

# On a machine without a counter for them that is what auto has to say next.
@test "instructions are for traps: --engine=fast refuses, and --engine=auto says so and traps" {
	status=0
	"$MPROF" run --engine=fast --massif-out-file=m --time-unit=i -- "$T/simple" >out 2>err || status=$?
	[ "$status" != 0 ] && [ ! -s out ] || fail "not refused" "$(cat err)"
	says err 'the fast engine does not do --time-unit=i'
	status=0
	limited "$MPROF" run --engine=auto --stats -o /dev/null --data=/dev/null --massif-out-file=m --time-unit=i -- "$T/simple" >out 2>err ||
		status=$?
	says err 'programs are watched by traps: the fast engine does not do --time-unit=i'
	if [ "$status" = 0 ]; then
		[ "$(sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' err)" -gt 20 ] || fail "not trapped" "$(cat err)"
	else
		says err 'instructions cannot be counted'
	fi
}

@test "an executed program has no addresses left for the fast engine: it is watched by traps, or goes on unobserved" {
	limited "$MPROF" run --engine=auto --stats -o /dev/null --data=run.data -- \
		sh -c "ulimit -v 150000; exec $T/simple" >out 2>err || fail "$(cat err)"
	says err 'is watched by traps: it cannot map [0-9]+ MiB more \(RLIMIT_AS, ulimit -v\)'
	limited "$T/simple" | diff - out
}
