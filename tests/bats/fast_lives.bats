#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The engine that does not trap, where it cannot be used: it says why, has changed nothing, and with
# --engine=auto traps do it. And what becomes of it while libraries come and go.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# refused_live WORDS COMMAND...: attaching to $PID, which goes on as it was
refused_live() {
	local words=$1
	shift
	before "$PID"
	refused any "$words" "$@" attach --engine=fast -o report.txt --data=run.data "$PID" || return 1
	text_clean "$PID" || return 1
	[ "$(tracer_of "$PID")" = 0 ] || fail "it is traced"
}

# traps FILE: how many have been hit, as --stats says
traps() {
	sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' "$1"
}

without_admin=(setpriv --bounding-set=-sys_admin "$MPROF")

@test "--engine=auto is the fast engine where that can be used, and says nothing" {
	"$MPROF" run --engine=auto --stats -o /dev/null --data=/dev/null -- "$T/simple" >out 2>err
	[ "$(traps err)" -lt 20 ] || fail "trapped" "$(cat err)"
	not grep -q 'by traps' err
}

@test "--engine=auto traps where the fast engine cannot be used, and says which and why" {
	"$T/own-static" >out0
	MPROF_ENGINE=auto "$MPROF" run --stats -o /dev/null --data=auto.data -- "$T/own-static" >out 2>err
	cmp out0 out
	says err "^mprof: process [0-9]* is watched by traps: its free\(\) cannot be seen without a trap: a return among its"
	[ "$(traps err)" -gt 20 ] || fail "not trapped" "$(cat err)"
	"$MPROF" run --engine=trap -o /dev/null --data=trap.data -- "$T/own-static" >out 2>err
	for f in auto trap; do "$MPROF" report --format=json $f.data | jq .totals >$f.json; done
	diff <(jq 'del(.peak_time)' auto.json) <(jq 'del(.peak_time)' trap.json) || fail "other counts"
	"$MPROF" run --engine=auto --massif-out-file=m --pages-as-heap=yes -o /dev/null --data=/dev/null -- true 2>err
	says err 'watched by traps: the fast engine does not do --pages-as-heap'
}

@test "under a seccomp filter the fast engine is used with CAP_SYS_ADMIN only, and the filter stays in force" {
	start filters "$T/filters" filter
	before "$PID"
	attach --engine=fast -o report.txt --data=run.data "$PID"
	progress filters 1 3
	detach "$PID"
	clean "$PID"
	json run.data
	[ "$(jq '.bins[] | select(.size == 3907) | .allocs' report.json)" -ge 3 ]
	grep -q '^Seccomp:[[:space:]]*2' "/proc/$PID/status"
	refused_live 'its seccomp filter may forbid' "${without_admin[@]}"
	background "${without_admin[@]}" attach --engine=auto -o report.txt --data=run.data "$PID"
	until_true "not begun" begun_or_gone
	says attach.err 'is watched by traps: its seccomp filter'
	progress filters 1 3
	detach "$PID"
	clean "$PID"
	finish filters
}

@test "a seccomp filter that comes later does not harm, and what is mapped stays if it must" {
	start filters "$T/filters"
	background "${without_admin[@]}" attach --engine=fast -o report.txt --data=run.data "$PID"
	until_true "not begun" begun_or_gone
	tell_await filters confine '^confined'
	progress filters 1 3
	detach "$PID"
	says attach.err "process $PID keeps the code and memory of the fast engine, unused: its seccomp filter"
	until_true "not free" all_free "$PID"
	text_clean "$PID"
	progress filters 1 3
	json run.data
	[ "$(total frees)" = "$(total allocs)" ]
	finish filters
}

@test "without room for addresses, or a file descriptor, the fast engine is refused and the program goes on" {
	start server "$T/server"
	# each thread has its arena: a malloc that fails for want of room for one would end it by itself
	progress server 2
	prlimit --pid "$PID" --as=$(($(awk '/^VmSize/ {print $2}' "/proc/$PID/status") * 1024 + 50000000)):unlimited
	refused_live 'cannot map [0-9]* MiB more .RLIMIT_AS' "$MPROF"
	prlimit --pid "$PID" --as=unlimited:unlimited --nofile=3:1024
	refused_live 'no file descriptor left .RLIMIT_NOFILE' "$MPROF"
	prlimit --pid "$PID" --nofile=1024:1024
	attach --engine=fast -o report.txt --data=run.data "$PID"
	progress server 2
	detach "$PID"
	clean "$PID"
	finish server
	grep -qx 'checksum right' server.out
}

@test "threads that stand in the bytes that become a jump go on in their copy" {
	cat >free.c <<-'EOT'
		#include "live.h"
		static atomic_long times;
		static void *work(void *arg)
		{
			for (int i = 0;; i++, times++)
				free(fill(malloc(307), 307, i & 0x7f));
			return arg;
		}
		static void report(void) { say("report %ld\n", (long)times); }
		int main(void)
		{
			pthread_t t;
			for (int i = 0; i < 4; i++)
				MUST(!pthread_create(&t, NULL, work, NULL));
			say("ready %d\n", (int)getpid());
			live_serve(report, NULL);
			_exit(0);
		}
	EOT
	cc -g -O1 -D_GNU_SOURCE -fno-builtin -pthread -I"$ROOT/tests/targets" -o free free.c
	start free ./free
	before "$PID"
	for i in 1 2 3; do
		limited "$T/intobytes" "$PID" 4 >into.out
		grep -qx '4 in the bytes' into.out
		attach --engine=fast -o report.txt --data=run.data "$PID"
		kill -CONT "$PID"
		progress free 1 1000
		detach "$PID"
		clean "$PID"
		progress free 1 1000
	done
	finish free
}

@test "while a thread may return into the bytes that become a jump nothing is changed, and it is said" {
	cat >bytes.c <<-'EOT'
		#include "live.h"
		/* What a signal handler that has interrupted malloc() behind its first instructions
		 * would return to: all that it may be. */
		static volatile uintptr_t words[16];
		static long reports;
		static void report(void)
		{
			free(fill(malloc(3907), 3907, 1));
			say("report %ld\n", ++reports);
		}
		static NOINLINE void serve(void (*other)(const char *))
		{
			volatile uintptr_t here[16];
			for (int i = 0; i < 16; i++)
				here[i] = words[i];
			live_serve(report, other);
			words[0] = here[0];
		}
		static void go(const char *word)
		{
			(void)word;
			for (int i = 0; i < 16; i++)
				words[i] = (uintptr_t)malloc + (uintptr_t)i;
			serve(NULL);
		}
		int main(void)
		{
			say("ready %d\n", (int)getpid());
			live_serve(report, go);
			return 0;
		}
	EOT
	cc -g -O0 -D_GNU_SOURCE -fno-builtin -I"$ROOT/tests/targets" -o bytes bytes.c
	start bytes ./bytes
	attach --engine=fast -o report.txt --data=run.data "$PID"
	progress bytes 1 3
	detach "$PID"
	clean "$PID"
	tell bytes go
	progress bytes 1 3
	refused_live 'a thread may return into the first instructions' "$MPROF"
	progress bytes 1 3
	background "$MPROF" attach --engine=auto -o report.txt --data=run.data "$PID"
	until_true "not begun" begun_or_gone
	says attach.err 'is watched by traps: a thread may return into'
	progress bytes 1 3
	detach "$PID"
	clean "$PID"
	json run.data
	[ "$(jq '.bins[] | select(.size == 3907) | .allocs' report.json)" -ge 3 ]
	tell bytes quit
	finish bytes
}

@test "an allocator that comes later and can have no pads is watched by traps, and that is said" {
	cat >late.c <<-'EOT'
		#include <dlfcn.h>
		#include "target.h"
		int main(void)
		{
			free(fill(malloc(301), 301, 1));
			void *l = dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL);
			MUST(l);
			void *(*take)(size_t) = (void *(*)(size_t))dlsym(l, "mi_malloc");
			void (*give)(void *) = (void (*)(void *))dlsym(l, "mi_free");
			for (int i = 0; i < 100; i++) {
				free(fill(malloc(307), 307, 1));
				give(fill(take(311), 311, 1));
			}
			say("late: done\n");
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -fno-builtin -I"$ROOT/tests/targets" -o late late.c
	"$MPROF" run --engine=fast -o /dev/null --data=run.data -- ./late >out 2>err
	grep -qx 'late: done' out
	says err 'process [0-9]+ has [0-9]+ functions that are watched by traps: .*a library with pools, labels or callbacks'
	json run.data
	[ "$(jq -c '[.bins[] | select(.size == 307 or .size == 311) | .allocs, .frees]' report.json)" = "[100,100,100,100]" ]
}

@test "a program that is executed and that the fast engine cannot observe is watched by traps" {
	"$T/own-static" >out0
	"$MPROF" run --engine=fast -o /dev/null --data=/dev/null -- sh -c "exec $T/own-static" >out 2>err
	cmp out0 out
	says err 'is watched by traps: its [a-z]*\(\) cannot be seen without a trap'
}

@test "a library that comes and goes a thousand times: counts are exact, its functions are named, nothing is left" {
	cat >comes.c <<-'EOT'
		#include <dlfcn.h>
		#include "live.h"
		static void report(void) { say("report 1\n"); }
		static void go(const char *path)
		{
			for (int i = 0; i < 1000; i++) {
				void *l = dlopen(path, RTLD_NOW | RTLD_LOCAL);
				MUST(l);
				((void (*)(void))dlsym(l, "comes"))();
				MUST(!dlclose(l));
			}
			say("done\n");
		}
		int main(void) { say("ready %d\n", (int)getpid()); live_serve(report, go); return 0; }
	EOT
	cat >lib.c <<-'EOT'
		#include <stdlib.h>
		void comes(void) { void *volatile p = malloc(4099); free(p); }
	EOT
	cc -g -shared -fPIC -fno-builtin -o lib.so lib.c
	cc -g -D_GNU_SOURCE -fno-builtin -I"$ROOT/tests/targets" -o comes comes.c
	start comes ./comes
	tell_await comes "$D/lib.so" '^done'
	before "$PID"
	attach --engine=fast -o report.txt --data=run.data "$PID"
	tell_await comes "$D/lib.so" '^done'
	detach "$PID"
	clean "$PID"
	grep -q ' 0 events lost' attach.err && grep -q ' 0 truncated chains' attach.err || fail "$(cat attach.err)"
	json run.data
	[ "$(jq -c '.bins[] | select(.size == 4099) | [.allocs, .frees]' report.json)" = '[1000,1000]' ]
	grep -q '\bcomes\b' report.txt || fail "not named" "$(cat report.txt)"
	finish comes
}

# The same code at the same addresses, but for how much it has on the stack.
@test "a library that comes where another was is unwound by its own tables" {
	cat >comes.c <<-'EOT'
		#include <dlfcn.h>
		#include "live.h"
		static void *was;
		static void report(void) { say("report 1\n"); }
		static void go(const char *path)
		{
			void *l = dlopen(path, RTLD_NOW | RTLD_LOCAL), *comes;
			MUST(l && (comes = dlsym(l, "comes")));
			for (int i = 0; i < 100; i++)
				((void (*)(void))comes)();
			MUST(!dlclose(l));
			say("%s\n", was && was != comes ? "elsewhere" : "done");
			was = comes;
		}
		int main(void) { say("ready %d\n", (int)getpid()); live_serve(report, go); return 0; }
	EOT
	cat >lib.S <<-'EOT'
		.globl comes
		.type comes, @function
		comes:
			.cfi_startproc
			sub $WORDS, %rsp
			.cfi_adjust_cfa_offset WORDS
			mov $4099, %edi
			call malloc@PLT
			mov %rax, %rdi
			call free@PLT
			add $WORDS, %rsp
			.cfi_adjust_cfa_offset -WORDS
			ret
			.cfi_endproc
		.size comes, .-comes
		.section .note.GNU-stack
	EOT
	local i
	cc -shared -DWORDS=8 -o few.so lib.S
	cc -shared -DWORDS=104 -o many.so lib.S
	cc -g -D_GNU_SOURCE -fno-builtin -I"$ROOT/tests/targets" -o comes comes.c
	start comes ./comes
	attach --engine=fast --stats -o report.txt --data=run.data "$PID"
	for i in 1 2 3; do
		tell_await comes "$D/few.so" '^done'
		tell_await comes "$D/many.so" '^done'
	done
	detach "$PID"
	grep -q ' 0 events lost' attach.err && grep -q ' 0 truncated chains' attach.err || fail "$(cat attach.err)"
	# what the agent cannot unwind is left to the tracer
	says attach.err ' 0 with a copy of the stack'
	json run.data
	[ "$(jq -c '.bins[] | select(.size == 4099) | [.allocs, .frees]' report.json)" = '[600,600]' ]
	[ "$(grep -cE '^ .* 300/[0-9]+ +go \[' report.txt)" = 2 ] || fail "$(cat report.txt)"
	finish comes
}

# Where it sleeps is left to chance: in a pad, or anywhere in the agent.
@test "a program is let go while a handler sleeps that has interrupted the agent: the code stays, and it comes back to it" {
	local i
	start midforks "$T/midforks" ${SLEEPS:-6} sleep
	for ((i = 1; i <= ${SLEEPS:-6}; i++)); do
		attach --engine=fast -o report.txt --data=run.data "$PID"
		await midforks.out '^within' $i
		detach "$PID"
		says attach.err "process $PID keeps the code and memory of the fast engine, unused: a thread has not returned through it"
		until_true "not free" all_free "$PID"
		[ $i = ${SLEEPS:-6} ] || : >go
		[ $i = ${SLEEPS:-6} ] || until_true "it has not gone on" [ ! -e go ]
	done
	: >go
	ended "$PID"
	[ "$STATUS" = 0 ] || fail "ended with $STATUS" "$(cat midforks.out)"
	grep -qx 'midforks: done' midforks.out
}

@test "a library with an allocator that is loaded again and again is counted, and takes no new room for pads each time" {
	cat >plug.c <<-'EOT'
		#include <stddef.h>
		static char heap[1 << 16];
		static size_t used, freed;
		__attribute__((noinline)) void *malloc(size_t n) { used = (used + 64 + n / 16 * 16) % 60000; return heap + used; }
		__attribute__((noinline)) void free(void *p) { ((volatile size_t *)p)[-1] = 0; freed++; }
		void pair(void) { free(malloc(333)); }
	EOT
	cat >host.c <<-'EOT'
		#include <dlfcn.h>
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			for (int i = atoi(argv[argc - 1]); i; i--) {
				void *l = dlopen("./plug.so", RTLD_NOW);
				if (!l) return 1;
				((void (*)(void))dlsym(l, "pair"))();
				dlclose(l);
			}
			return 0;
		}
	EOT
	cc -O1 -w -fno-builtin -fPIC -shared -Wl,-Bsymbolic -o plug.so plug.c
	cc -w -o host host.c -ldl
	local functions=() n
	for n in 1 100; do
		limited "$MPROF" run --engine=fast --stats -o /dev/null --data=run.data ./host $n 2>err || fail "$(cat err)"
		functions+=("$(sed -n 's/.*the fast engine: \([0-9]*\) functions.*/\1/p' err)")
		limited "$MPROF" report --format=json -o out.json run.data 2>report.err
		jq -e --argjson n $n '[.bins[] | select(.size == 333)][0] | .allocs == $n and .frees == $n' out.json
	done
	# It may not always be loaded at the same address.
	[ "${functions[1]}" -lt $((functions[0] + 100)) ] || fail "${functions[*]}"
}
