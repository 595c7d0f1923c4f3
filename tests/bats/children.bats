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
			grep -qx "\"pid\":$pid," report.json || fail "$1.$pid is of another process" || return 1
			got=$(bin_of report.json "$size")
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
	agrees report.json bins || fail "the parent"
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
	agrees report.json bins || fail "the parent"
	[ "$(ls run.data*)" = run.data ]
	says detach.err '^mprof: [1-9][0-9]* processes that it started were not profiled; --trace-children=yes, or --tree'
	finish family
}

@test "run: children that are not followed run with clean text and no tracer" {
	export TEXTDIFF=$T/textdiff
	printf '%s\n' blocks fork vfork vfork-alone spawn grandchild thread truth quit >in
	BINS=$D/bins limited "$MPROF" run -o report.txt --data=run.data -- "$T/family" <in >out 2>err ||
		fail "status $?" "$(cat out err)"
	[ "$(tail -n 1 out)" = "family: done" ]
	json run.data
	agrees report.json bins || fail "the parent"
	[ "$(ls run.data*)" = run.data ]
}

@test "run: one line tells how many processes were started and not profiled, however they were" {
	printf '%s\n' "import os, subprocess" 'for i in range(3): subprocess.call("/bin/true")' \
		'if os.fork() == 0: os._exit(0)' 'os.wait()' >start.py
	limited "$MPROF" run -o /dev/null --data=/dev/null -- /usr/bin/python3 start.py 2>err
	says err '4 processes that it started were not profiled; --trace-children=yes does that$'
	limited "$MPROF" run -o /dev/null --data=/dev/null --trace-children=yes -- /usr/bin/python3 start.py 2>err
	not grep -q 'not profiled' err
}

@test "run: children that are followed are exact" {
	printf '%s\n' blocks fork vfork vfork-alone spawn grandchild thread truth quit >in
	BINS=$D/bins limited "$MPROF" run --trace-children=yes -o report.txt --data=run.data -- "$T/family" <in >out 2>err ||
		fail "status $?" "$(cat out err)"
	[ "$(tail -n 1 out)" = "family: done" ]
	json run.data
	agrees report.json bins || fail "the parent"
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
		agrees report.json bins || fail "the parent"
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

# Its inode stays the same: cp(1) writes into the file that is there.
@test "a program that has been written over is another one to who runs it next, and the old one gets none of its names" {
	cat >twice <<-'END'
		cp "$1" program
		BINS=$PWD/first ./program & echo $! >first.pid; wait $!
		cp "$2" program
		BINS=$PWD/second ./program & echo $! >second.pid; wait $!
	END
	limited "$MPROF" run --trace-children=yes -o report.txt --data=run.data -- \
		/bin/sh -e twice "$T/plain-static" "$T/own-static" >out 2>err
	local which
	for which in first second; do
		json "run.data.$(cat $which.pid)"
		agrees report.json $which || fail "$which" "$(cat $which)" || return 1
		cp report.json $which.json
	done
	jq -e '(.modules[0].names | startswith("none")) or any(.leaks[].path[]; .function == "leaf")' first.json >&2
	jq -e 'any(.leaks[].path[]; .function == "main")' second.json >&2
}

@test "what came before an exec is in a file of its own, numbered" {
	echo through >in
	limited "$MPROF" run --keep-execs -o report.txt --data=run.data -- \
		/bin/sh -c 'exec /bin/sh -c "exec \"\$0\"" "$0"' "$T/copy" \
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

# stages: ./stage [N | restart | wait]... requests N bytes and executes itself for the next; at the end it
# is over. It requests nothing else.
stages() {
	cat >stage.c <<-'EOT'
		#include <mprof/mprof.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			static void *volatile kept;
			char c;
			if (argc > 1 && !strcmp(argv[1], "restart"))
				mprof_restart("named.data");
			else if (argc > 1 && !strcmp(argv[1], "wait"))
				return write(1, "waits\n", 6) != 6 || read(0, &c, 1) != 0;
			else if (argc > 1)
				kept = malloc(strtoul(argv[1], NULL, 10));
			if (argc > 2 && !strcmp(argv[2], "and"))
				return memmove(argv + 1, argv + 3, sizeof *argv * (argc - 2)), main(argc - 2, argv);
			if (argc > 2) {
				argv[1] = argv[0];
				execv("/proc/self/exe", argv + 1);
			}
			return argc > 2;
		}
	EOT
	cc -O1 -I"$ROOT/include" -o stage stage.c
}

# bytes DATA
bytes() {
	limited "$MPROF" report --format=json "$1" | jq .totals.alloc_bytes
}

@test "of programs that execute one another the last has the profile; the others are told in a line" {
	stages
	limited "$MPROF" run -o report.txt --data=run.data ./stage 1000 200 100000 2>err
	[ "$(ls run.data*)" = run.data ]
	[ "$(bytes run.data)" = 100000 ]
	says err '^mprof: 2 programs .*left out \(2 stage\): 2 allocations of 1200 bytes; --keep-execs keeps them$'
	[ "$(grep -c 'the profile is in' err)" = 1 ]
	not grep -q '^mprof: process' report.txt
	[ "$(grep -c MPROF report.txt)" = 1 ]
	limited "$MPROF" run --format=json -o report.json --data=run.data ./stage 1000 100000 2>err
	jq -e '.totals.alloc_bytes == 100000' report.json
	says err '1 program that executed another one in its place is left out \(stage\): 1 allocation of 1000 bytes'
}

@test "of programs that execute one another those are kept that hold more than a tenth, or that are asked for" {
	stages
	limited "$MPROF" run -o report.txt --data=run.data ./stage 20000 1000 100000 2>err
	[ "$(ls run.data* | wc -l)" = 2 ]
	[ "$(bytes run.data.*.1)" = 20000 ]
	says err '1 program .*left out \(stage\): 1 allocation of 1000 bytes'
	[ "$(grep -c '^mprof: process .*, program 1 of it ./stage 20000' report.txt)" = 1 ]
	[ "$(grep -c '^mprof: process' report.txt)" = 2 ]
	rm run.data*
	limited "$MPROF" run --keep-execs -o report.txt --data=run.data ./stage 20000 1000 100000 2>err
	[ "$(ls run.data* | wc -l)" = 3 ]
	[ "$(bytes run.data.*.2)" = 1000 ]
	not grep -q 'left out' err
	rm run.data*
	# The last one is what the process is, however little it did.
	limited "$MPROF" run -o report.txt --data=run.data ./stage 100000 7 2>err
	[ "$(bytes run.data)" = 7 ] && [ "$(bytes run.data.*.1)" = 100000 ]
	rm run.data*
	# A profile that the program has named is its own wish.
	limited "$MPROF" run -o report.txt --data=run.data ./stage restart and 10 100000 2>err
	[ "$(bytes named.data)" = 10 ] && [ "$(bytes run.data)" = 100000 ]
	not grep -q 'left out' err
}

@test "each process that is followed has its own last program" {
	stages
	cat >all.sh <<-'EOT'
		./stage 1000 100000 &
		./stage 30000 &
		wait
	EOT
	limited "$MPROF" run --trace-children=yes -o report.txt --data=run.data sh all.sh 2>err
	[ "$(ls run.data* | wc -l)" = 3 ] || fail "$(ls run.data*)" "$(cat err)"
	local f sums=''
	for f in run.data.*; do
		sums+="$(bytes "$f") "
	done
	[ "$sums" = "100000 30000 " ] || [ "$sums" = "30000 100000 " ] || fail "$sums"
	# What the shell did in each child before it executed, and the first program of one.
	says err '3 programs .* left out \(2 sh, stage\)'
}

@test "massif files are those of the programs that are kept, or of all with %n" {
	stages
	limited "$MPROF" run --time-unit=B --massif-out-file=m.%p -o report.txt --data=run.data \
		./stage 20000 1000 100000 2>err
	[ "$(ls m.* | wc -l)" = 2 ] || fail "$(ls m.*)"
	local first
	first=$(echo m.*.1)
	grep -q '^cmd: ./stage 20000' "$first"
	grep -q '^cmd: ./stage 100000' "${first%.1}"
	rm m.*
	limited "$MPROF" run --time-unit=B --massif-out-file=m.%p --keep-execs -o report.txt --data=run.data \
		./stage 20000 1000 100000 2>err
	[ "$(ls m.* | wc -l)" = 3 ] || fail "$(ls m.*)"
	rm m.* run.data*
	limited "$MPROF" run --time-unit=B --massif-out-file=m.%n -o report.txt --data=run.data \
		./stage 1000 2000 100000 2>err
	[ "$(ls m.* | tr '\n' ' ')" = "m.1 m.2 m.3 " ] || fail "$(ls m.*)"
	[ "$(ls run.data*)" = run.data ]
}

@test "who detaches from a program that was executed by another is told what is left out" {
	stages
	mkfifo in
	exec {hold}<>in
	env "MPROF_TEST_MARK=$MARK" sh -c 'read x; exec ./stage 50000 and wait' <in >out 3>&- &
	local pid=$!
	until_true "it does not start" grep -q '^State:.S' "/proc/$pid/status"
	limited "$MPROF" attach --background --data=run.data -o report.txt "$pid" 2>attach.err
	echo go >in
	await out waits
	limited "$MPROF" status >status.out
	grep -Eq "^ *$pid .* ./stage$" status.out || fail "$(cat status.out)"
	limited "$MPROF" control "$pid" stats >stats.out
	grep -q 'load_max \[byte\]: 50000' stats.out
	limited "$MPROF" detach "$pid" >detach.out 2>detach.err
	says detach.err '1 program .*left out \(sh\): .*--keep-execs'
	[ "$(grep -c MPROF detach.out)" = 1 ]
	[ "$(bytes run.data)" = 50000 ] && [ "$(ls run.data*)" = run.data ]
	kill "$pid"
	ended "$pid"
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

# ---- processes that share their memory ----

@test "a process that runs in the memory of the one that is attached to is traced with it" {
	start sharers "$T/sharers"
	before "$PID"
	attach -o report.txt --data=run.data "$PID"
	progress sharers 1 20
	progress sharers 2 20
	detach "$PID"
	[ "$(limited "$MPROF" report --format=json run.data |
		jq '.bins[] | select(.size == 3347) | .allocs >= 40')" = true ]
	progress sharers 1
	progress sharers 2
	clean "$PID"
	finish sharers
}

# ---- without kcmp(2) ----

# without_kcmp: makes ./without_kcmp ERRNO COMMAND..., under a seccomp filter by which kcmp(2) fails
without_kcmp() {
	cat >without_kcmp.c <<-'EOT'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <stdlib.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			struct sock_filter f[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kcmp, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (argc > 2 ? atoi(argv[1]) : 0)),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct sock_fprog p = { 4, f };
			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
				return 99;
			execvp(argv[2], argv + 2);
			return 98;
		}
	EOT
	cc -o without_kcmp without_kcmp.c 2>/dev/null
}

@test "where kcmp(2) is forbidden or missing, children in the program's memory are counted as ever" {
	without_kcmp
	cat >born.c <<-'EOT'
		#define _GNU_SOURCE
		#include <sched.h>
		#include <signal.h>
		#include <spawn.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static char stack[1 << 16] __attribute__((aligned(16)));
		static void work(int n)
		{
			while (n--) {
				void *volatile p = malloc(100);
				free(p);
			}
		}
		static int child(void *arg)
		{
			work(5);
			return arg != NULL;
		}
		static pid_t spawned(void)
		{
			pid_t pid;
			char *argv[] = { "true", NULL };
			return posix_spawnp(&pid, "true", NULL, NULL, argv, environ) ? -1 : pid;
		}
		static pid_t made(int flags)
		{
			return clone(child, stack + sizeof stack, flags, NULL);
		}
		static int bad(pid_t pid)
		{
			int status = 1;
			work(10);
			return pid < 0 || waitpid(pid, &status, __WALL) != pid || status;
		}
		int main(void)
		{
			pid_t pid;
			work(10);
			if (bad(spawned()) || bad(made(CLONE_VM | SIGCHLD)) || bad(made(CLONE_VM)) ||
			    bad(made(CLONE_VFORK | SIGCHLD)) || bad(made(0)))
				return 1;
			if (!(pid = vfork()))
				_exit(child(NULL));
			return bad(pid);
		}
	EOT
	cc -o born born.c 2>/dev/null
	for errno in 1 38; do # EPERM, ENOSYS
		limited ./without_kcmp $errno "$MPROF" run --engine=trap -o /dev/null --data=run.data -- ./born 2>err ||
			fail "$errno: $(cat err)"
		# 10 by the program seven times, 5 by each of the three children in its memory
		[ "$(limited "$MPROF" report --format=json run.data | jq .totals.allocs)" = 85 ] || fail "$errno: $(cat err)"
	done
}

@test "a process that runs in the memory of the one that is attached to is found without kcmp(2)" {
	without_kcmp
	start sharers "$T/sharers"
	local filter
	filter=$(cat "/proc/$PID/coredump_filter")
	before "$PID"
	background ./without_kcmp 1 "$MPROF" attach -o report.txt --data=run.data "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	progress sharers 1 20
	progress sharers 2 20
	[ "$(cat "/proc/$PID/coredump_filter")" = "$filter" ]
	detach "$PID"
	[ "$(limited "$MPROF" report --format=json run.data |
		jq '.bins[] | select(.size == 3347) | .allocs >= 40')" = true ]
	clean "$PID"
	finish sharers
}

# ---- children that may not be accessed ----

as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env -u XDG_RUNTIME_DIR)

# hiding: makes ./hiding [UID], which makes itself undumpable or becomes UID, and then has children
hiding() {
	cat >hiding.c <<-'EOT'
		#include <stdlib.h>
		#include <sys/prctl.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void work(int n)
		{
			while (n--) {
				void *volatile p = malloc(100);
				free(p);
			}
		}
		static int bad(pid_t pid)
		{
			int status = 1;
			return waitpid(pid, &status, 0) != pid || status;
		}
		int main(int argc, char **argv)
		{
			pid_t pid;
			if (argc > 1 ? setuid((uid_t)atoi(argv[1])) : prctl(PR_SET_DUMPABLE, 0))
				return 2;
			work(10);
			if (!(pid = fork())) {
				work(20);
				_exit(prctl(PR_GET_DUMPABLE) != 0);
			}
			if (bad(pid))
				return 3;
			if (!(pid = vfork())) {
				work(5);
				_exit(0);
			}
			work(10);
			return bad(pid);
		}
	EOT
	cc -o hiding hiding.c 2>/dev/null
	mkdir theirs
	chmod 755 . hiding
	chmod 777 theirs
}

# counted ALLOCS...: in the profile of each process
counted() {
	local data n=
	for data in theirs/run.data*; do
		n+=" $(limited "$MPROF" report --format=json "$data" | jq .totals.allocs)"
	done
	[ "$n" = " $*" ] || fail "counted$n: $(cat err)"
	rm theirs/*
}

@test "children of a program that has made itself undumpable live on, and are profiled by an ordinary user" {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	local mprof engine
	mprof=$(for_anybody "$MPROF")
	hiding
	"${as_nobody[@]}" ./hiding || skip "nobody cannot run a program here"
	for engine in trap fast; do
		limited "${as_nobody[@]}" "$mprof" run --engine=$engine -o /dev/null --data=theirs/run.data -- ./hiding 2>err ||
			fail "$engine: status $?" "$(cat err)"
		counted 25
		limited "${as_nobody[@]}" "$mprof" run --engine=$engine --trace-children=yes -o /dev/null \
			--data=theirs/run.data -- ./hiding 2>err || fail "$engine: status $?" "$(cat err)"
		counted 25 20
	done
}

@test "children of a program that has become another user's live on where mprof may not access them" {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	hiding
	local engine
	for engine in trap fast; do
		limited setpriv --bounding-set=-sys_ptrace "$MPROF" run --engine=$engine --trace-children=yes -o /dev/null \
			--data=theirs/run.data -- ./hiding 65534 2>err || fail "$engine: status $?" "$(cat err)"
		says err 'process [0-9]+ goes on unobserved: .*CAP_SYS_PTRACE'
		counted 25
	done
}

@test "a program that its user may not read is left alone, and said to be" {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	cat >unreadable.c <<-'EOT'
		#include <pthread.h>
		#include <stdlib.h>
		static void *work(void *arg)
		{
			void *volatile p = malloc(100);
			free(p);
			return arg;
		}
		int main(void)
		{
			pthread_t t;
			return pthread_create(&t, NULL, work, NULL) || pthread_join(t, NULL);
		}
	EOT
	cc -pthread -o unreadable unreadable.c 2>/dev/null
	chmod 755 .
	chmod 711 unreadable
	local mprof as_nobody_run
	mprof=$(for_anybody "$MPROF")
	"${as_nobody[@]}" ./unreadable || skip "nobody cannot run a program here"
	as_nobody_run=("${as_nobody[@]}" "$mprof" run -o /dev/null --data=/dev/null)
	refused 1 'cannot profile \./unreadable: it is undumpable: .* may not be read; run mprof as root' \
		"${as_nobody_run[@]}" -- ./unreadable
	limited "${as_nobody_run[@]}" --trace-children=yes -- sh -c './unreadable && echo ran' >out 2>err ||
		fail "status $?" "$(cat err)"
	says err 'process [0-9]+ goes on unobserved: it is undumpable'
	grep -qx ran out
}

# ---- children that nobody is to hear of ----

# unharmed OPTION...: they live on under mprof, and those that share the memory are counted
unharmed() {
	rm -f bins
	BINS=bins limited "$MPROF" run -o run.txt --data=run.data "$@" -- "$T/untraced" >out 2>err ||
		fail "status $?" "$(cat out err)" || return 1
	cmp out0 out || return 1
	limited "$MPROF" report --format=json run.data >report.json || return 1
	agrees report.json bins
}

@test "children that are made with CLONE_UNTRACED do not run into breakpoints that nobody serves" {
	limited "$T/untraced" >out0
	unharmed
	unharmed --heap-profile=h
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
		# The fast engine leaves its jumps where they are, and passes them through.
		[ "${MPROF_ENGINE:-trap}" != trap ] || text_clean "$PID"
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

# attached_asleep WORD RELEASE OPTION...: attached while a thread sleeps in vfork(2); the child, which
# nobody has seen being made, runs in the program's memory and meets its breakpoints.
attached_asleep() {
	local word=$1 release=$2
	shift 2
	rm -f vforks.*
	start vforks "$T/vforks"
	before "$PID"
	tell_await vforks "$word" '^asleep$'
	attach -o report.txt --data=run.data "$@" "$PID"
	answered status
	tell_await vforks "$release" '^awake$'
	progress vforks
	detach "$PID"
	clean "$PID"
	finish vforks
}

# in_children N: N blocks of the size of vfork's children are in the profile
in_children() {
	json run.data
	[ "$(jq '[.bins[] | select(.size == 3347) | .allocs] | add // 0' report.json)" = "$1" ] ||
		fail "not $1 blocks of children" "$(jq -c '.bins[]' report.json)"
}

@test "attach does not wait for a thread that sleeps in vfork; its child is traced with it" {
	attached_asleep vfork release
	in_children 1
}

@test "attach does not wait for a first thread that sleeps in vfork; its child is traced with it" {
	attached_asleep vfork-here x
	in_children 1
}

@test "attached while a thread sleeps in vfork: when the child executes a program it is let go, or followed" {
	attached_asleep vfork-here e
	in_children 0
	attached_asleep vfork-here e --trace-children=yes
	in_children 0
}

@test "a thread that has slept in vfork since before the attach is let go with its child" {
	local word
	for word in vfork vfork-here; do
		rm -f vforks.*
		start vforks "$T/vforks"
		before "$PID"
		tell_await vforks "$word" '^asleep$'
		attach -o report.txt --data=run.data "$PID"
		detach "$PID"
		clean "$PID"
		[ $word = vfork ] && tell_await vforks release '^awake$' || tell_await vforks x '^awake$'
		progress vforks
		finish vforks
	done
}

# What would be put into its memory would be met by its parent, whom nobody has asked for.
@test "a child that runs in its parent's memory is not attached to by itself, and both go on" {
	local child
	start vforks "$T/vforks"
	before "$PID"
	tell_await vforks vfork '^asleep$'
	child=$(cat "/proc/$PID"/task/*/children | tr -d ' ')
	refused 1 "runs in the memory of process $PID.*attach to that" "$MPROF" attach --duration=0.1 "$child"
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

# cut_forks HOW OPTION: no child is lost, and of those that are followed, whose number nobody knows, ten
# are each exact
cut_forks() {
	local f
	rm -f run.data*
	limited "$MPROF" run "$2" -o /dev/null --data=run.data -- "$T/cutforks" "$1" 10 >out 2>err ||
		fail "$1, $2" "$(theirs err)" || return 1
	grep -qx 'cutforks: done' out || fail "$1: $(cat out)" || return 1
	for f in $(find . -name 'run.data.*' | head -n 10); do
		json "$f" || return 1
		nothing "$(jq -c '.bins[] | select(.size == 1301 and (.allocs != 3 or .frees != 3))' report.json)" \
			"$1: $f:" || return 1
	done
}

@test "forks that an exec, an exit or a signal cuts short in their middle leave no child stopped or with traps" {
	local how
	for how in exec exit kill; do
		cut_forks $how --trace-children=no
		cut_forks $how --trace-children=yes
	done
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
	limited bash -c 'ulimit -Sn 40 && exec "$@"' - "$MPROF" run --verbose --trace-children=yes -o run.txt --data=d.%p -- \
		sh all.sh >out 2>err || fail "status $?" "$(tail -n 5 err)"
	[ "$(grep -c 'mprof: \./plain' err)" = 60 ]
	# The program's own limit is what it was.
	[ "$(tail -n 1 out)" = 40 ]
}
