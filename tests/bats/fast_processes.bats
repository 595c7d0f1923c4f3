#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Processes that the one makes which is observed, with the engine that does not trap: each has what the other
# engine finds in it.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/engines

# processes ENGINE COMMAND...: ENGINE.all: of each process and what it ran, in no order, the command, the totals
# and, but with ONLY_TOTALS, the chains
processes() {
	local engine=$1 f
	shift
	rm -rf "$engine"
	mkdir "$engine"
	limited "$MPROF" run --engine="$engine" --trace-children=yes --keep-execs --stats -o /dev/null \
		--data="$engine/data.%p" -- "$@" >"$engine.out" 2>"$engine.err" </dev/null || fail "$engine: $*" "$(tail "$engine.err")" || return 1
	for f in "$engine"/data.*; do
		limited "$MPROF" report --format=json "$f" | jq -c '[.command[0], .totals]' >"$f.of"
		[ -n "${ONLY_TOTALS:-}" ] || chains "$f" >>"$f.of"
	done
	for f in "$engine"/*.of; do
		printf '%s %s %s\n' "$(head -n 1 "$f" | cut -d, -f1)" "$(md5sum <"$f" | cut -d' ' -f1)" "$f"
	done | sort | while read -r _ _ f; do
		cat "$f"
	done >"$engine.all"
}

# as_long_as PID: the numbers of all processes have as many digits. Bash keeps that of its parent as text: where 10000
# follows 9999, or 300 the last one, it takes another number of bytes.
as_long_as() {
	local f
	for f in trap/data.*.of fast/data.*.of; do
		f=${f#*/data.}
		f=${f%%[!0-9]*}
		[ ${#f} = ${#1} ] || return 1
	done
}

# processes_alike LEAST COMMAND...: it is the same by both engines, and so many processes at least; the fast one
# has seen all that is not in $BY_TRAPS itself
processes_alike() {
	local least=$1 first
	shift
	for _ in 1 2 3; do
		first=$(sh -c 'echo $$')
		processes trap "$@" && processes fast "$@" || return 1
		as_long_as "$first" && break
	done
	cmp trap.out fast.out || fail "other output: $*" || return 1
	diff trap.all fast.all >differences || fail "not the same: $*" "$(head -n 40 differences)" || return 1
	[ "$(ls fast/*.of | wc -l)" -ge "$least" ] || fail "$(ls fast)" || return 1
	[ "$(grep -c 'is watched by traps' fast.err)" = "${BY_TRAPS:-0}" ] || fail "$(ours fast.err)" || return 1
	[ "$(grep -c 'the fast engine: [1-9][0-9]* functions, [1-9]' fast.err)" = $(($(ls fast/*.of | wc -l) - ${BY_TRAPS:-0})) ] ||
		fail "not by the fast engine" "$(ours fast.err)"
}

@test "fork: children, and theirs, are the same by both engines" {
	processes_alike 4 "$T/forks"
	cat >grandchildren.py <<-'EOT'
		import os, sys
		def level(n):
		    x = [str(i) * 100 for i in range(1000 * n)]
		    if n and os.fork() == 0:
		        level(n - 1)
		        os._exit(0)
		    if n:
		        assert os.wait()[1] == 0
		    del x
		    sys.stdout.write("level %d\n" % n)
		    sys.stdout.flush()
		level(3)
	EOT
	PYTHONHASHSEED=0 PYTHONMALLOC=malloc processes_alike 4 setarch -R /usr/bin/python3 grandchildren.py
}

@test "children that are killed, or abort, in the middle of allocating are the same by both engines, to the last call" {
	cat >dying.c <<-'EOT'
		#include "target.h"
		#include <pthread.h>
		#include <signal.h>
		#include <sys/wait.h>
		static void *work(void *how)
		{
			for (int i = 0; i < 20000; i++)
				if (i % 3)
					free(fill(malloc(5003), 5003, i));
				else
					fill(malloc(57), 57, i);
			if (*(int *)how)
				kill(getpid(), *(int *)how);
			return NULL;
		}
		int main(void)
		{
			int how[] = { SIGKILL, SIGABRT, SIGSEGV, 0 }, status;
			pthread_t t;
			free(malloc(11));
			for (size_t i = 0; i < LENGTH(how); i++) {
				if (!fork()) {
					MUST(!pthread_create(&t, NULL, work, &how[i]));
					pthread_join(t, NULL);
					_exit(0);
				}
				MUST(wait(&status) > 0);
				say("%d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
			}
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -O1 -g -fno-builtin -I"$ROOT/tests/targets" -pthread -o dying dying.c
	ulimit -c 0
	processes_alike 5 ./dying
	[ "$(wc -l <fast.out)" = 4 ]
}

@test "vfork and exec, posix_spawn and system are the same by both engines" {
	processes_alike 13 "$T/spawns"
}

@test "programs that execute one another are the same by both engines" {
	cat >chain.c <<-'EOT'
		#include "target.h"
		int main(int argc, char **argv)
		{
			int left = atoi(argv[argc - 1]);
			char next[16], *args[] = { argv[0], next, NULL };
			for (int i = 0; i <= left; i++)
				fill(malloc(5003), 5003, i);
			snprintf(next, sizeof next, "%d", left - 1);
			if (left)
				execv("/proc/self/exe", args);
			say("the last\n");
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -O1 -g -fno-builtin -I"$ROOT/tests/targets" -o chain chain.c
	processes_alike 6 ./chain 5
	# What is heard of after an exec cannot be checked any more, and is not wrong for that.
	limited "$MPROF" run --engine=fast --check-unwinding -o /dev/null --data=/dev/null ./chain 5 2>err
	not grep -q ' [1-9][0-9]* wrong$' err
}

@test "a compiler, its assembler and the linker are the same by both engines" {
	printf '#include <stdio.h>\nint main(void) { return puts("x") < 0; }\n' >a.c
	processes_alike 3 setarch -R gcc -O2 -c a.c -o /dev/null
	printf '#include <vector>\nint main(void) { std::vector<int> v(3); return (int)v.size() - 3; }\n' >a.cc
	processes_alike 5 setarch -R g++ -O1 a.cc -o /dev/null
}

# When bash hears of which child depends on who runs when, and so do its chains.
@test "a shell script with pipelines, command substitutions and subshells is the same by both engines" {
	cat >script.sh <<-'EOT'
		twice() { local x=$1; echo $((x * 2)); }
		for i in 1 2 3; do a[i]=$(twice $i); done
		echo "${a[@]}" | tr ' ' '\n' | sort -n
		(cd /; ls -d . | wc -l)
		cat <<<"here"
	EOT
	ONLY_TOTALS=1 processes_alike 14 bash script.sh
}

# An interrupted call has not begun for the fast engine if it was interrupted before the pad had asked the agent: it
# is the child's then.
@test "children that a signal handler makes in the middle of pads, slots and agent end well, and are exact if followed" {
	local where f allocs
	for where in "" in; do
		BINS=$D/bins limited "$MPROF" run --engine=fast --trace-children=no -o /dev/null --data=run.data -- "$T/midforks" 40 $where \
			>out 2>err || fail "not followed" "$(cat out err)"
		grep -qx 'midforks: done' out
		json run.data bins || fail "not followed"
		rm -f bins run.data*
		BINS=$D/bins limited "$MPROF" run --engine=fast --trace-children=yes -o /dev/null --data=run.data -- "$T/midforks" 40 $where \
			>out 2>err || fail "followed" "$(cat out err)"
		json run.data bins || fail "followed"
		[ "$(ls run.data.* | wc -l)" = 40 ] || fail "$(ls)"
		for f in run.data.*; do
			json "$f"
			[ "$(bin_of report.json 4217)" = "5 5" ] || fail "$f: $(bin_of report.json 4217)"
			read -r allocs _ <<<"$(bin_of report.json 4211)"
			[ "${allocs:-0}" -le 1 ] || fail "$f: $allocs"
		done
		rm -f bins run.data*
	done
	[ "$(grep -c 'is watched by traps: a signal handler has made it in the middle' err)" -gt 0 ] ||
		fail "none was made in the agent" "$(ours err)"
}

@test "a program that the fast engine cannot observe is watched by traps if another one has executed it, and goes on" {
	BY_TRAPS=2 processes_alike 4 sh -c "$T/own-static; $T/own-bare-static; $T/simple"
	[ "$(grep -c "is watched by traps: its [a-z]*() cannot be seen without a trap: " fast.err)" = 2 ] ||
		fail "$(ours fast.err)"
}

@test "a program that is executed while the session is suspended is observed by the fast engine when that is resumed" {
	cat >stages.c <<-'EOT'
		#include "live.h"
		static void report(void) { say("report 0\n"); }
		static void other(const char *word)
		{
			char *args[] = { (char *)"stages", NULL };
			if (!strcmp(word, "exec"))
				execv("/proc/self/exe", args);
			for (int i = 0; i < 10; i++)
				free(fill(malloc(5003), 5003, i));
			say("worked\n");
		}
		int main(void)
		{
			live_serve(report, other);
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -O1 -g -fno-builtin -I"$ROOT/tests/targets" -pthread -o stages stages.c
	start stages ./stages
	attach --engine=fast --stats -o report.txt --data=run.data "$PID"
	answered suspend
	local ready
	ready=$(lines_with stages.out '^ready')
	tell stages exec
	await stages.out '^ready' $((ready + 1))
	tell_await stages work '^worked'
	answered resume
	tell_await stages work '^worked'
	detach "$PID"
	clean "$PID"
	json run.data
	[ "$(jq -c '[.bins[] | select(.size == 5003) | .allocs, .frees]' report.json)" = '[10,10]' ] || fail "$(jq -c .bins report.json)"
	not grep -q 'is watched by traps' attach.err
	grep -q 'the fast engine: [1-9][0-9]* functions, [1-9]' attach.err
	finish stages
}

# says_done FILE: the program has ended as it should
says_done() {
	grep -qx 'forks: done' "$1"
}

# KILLS: as many of them, one after the other
@test "kill -9 of the tracing process at the end of any of its system calls, children being followed: all end well" {
	local n stride=23
	[ "${KILLS:-0}" -lt 60 ] || stride=1
	# The first one is before the program has begun.
	for ((n = 1; n < ${KILLS:-1000}; n += stride)); do
		rm -f killed
		KILL_FROM=seize KILL_AT=$n KILL_LOG=$D/killed LD_PRELOAD=$T/killat.so limited "$MPROF" run --engine=fast \
			--trace-children=yes -o /dev/null --data=/dev/null -- "$T/forks" >out 2>err </dev/null || [ -e killed ]
		[ -e killed ] || break
		until_true "kill $n, at the end of $(cat killed): harmed" says_done out
	done
	[ "$n" -gt 100 ] || fail "there were no more than $n calls"
}

@test "a child under a seccomp filter that forbids what its engine takes is watched by traps, and lives" {
	cat >confined.c <<-'EOT'
		#include "target.h"
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		int main(void)
		{
			struct sock_filter code[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct sock_fprog filter = { LENGTH(code), code };
			int status;
			free(fill(malloc(5003), 5003, 1));
			MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
			MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
			if (!fork()) {
				for (int i = 0; i < 10; i++)
					free(fill(malloc(5009), 5009, i));
				_exit(7);
			}
			MUST(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7);
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -O1 -g -fno-builtin -I"$ROOT/tests/targets" -o confined confined.c
	limited setpriv --bounding-set=-sys_admin "$MPROF" run --engine=fast --trace-children=yes -o /dev/null --data=run.data -- \
		./confined >out 2>err || fail "status $?" "$(cat out err)"
	says err 'is watched by traps: its seccomp filter may forbid'
	json run.data.*
	[ "$(jq -c '[.bins[] | select(.size == 5009) | .allocs, .frees]' report.json)" = '[10,10]' ]
	# With the capability it is switched off for as long as it takes.
	limited "$MPROF" run --engine=fast --trace-children=yes -o /dev/null --data=/dev/null -- ./confined >out 2>err
	not grep -q 'by traps' err
}
