#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The calls of mprof/mprof.h: nothing when nobody traces, and what the manual says when somebody does.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# of_marks DATA: allocations of 6101 bytes in it
of_marks() {
	limited "$MPROF" report --format=json "$1" | jq '[.bins[] | select(.size == 6101) | .allocs] | add // 0'
}

has_marks() { # DATA N
	[ -s "$1" ] && [ "$(of_marks "$1")" = "$2" ]
}

@test "the header compiles as C and C++ in several files of one program, alone and without a warning" {
	printf '#include <mprof/mprof.h>\nint other(void);\nint main(void) { set_mprof_autosave(3); mprof_stop(); mprof_restart(0); return other(); }\n' >a.c
	printf '#include <mprof/mprof.h>\nint other(void) { mprof_stop(); return 0; }\n' >b.c
	local how
	for how in 'cc -std=c89' 'cc -std=c99' 'cc -O2 -flto' 'clang -O2' 'g++ -x c++' 'clang++ -x c++ -O2'; do
		$how -Wall -Wextra -Werror -I"$ROOT/include" -o prog a.c b.c || fail "$how"
		./prog || fail "$how"
	done
}

@test "the calls do nothing when nobody traces" {
	start marks "$T/marks"
	did "alloc 10"
	did stop
	did "restart x.data"
	did "autosave 1"
	did "alloc 10"
	finish marks
	[ ! -e x.data ] && [ ! -e mprof.data ]
}

@test "set_mprof_autosave saves after every so many allocations, and 0 ends that" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	did "autosave 50"
	did "alloc 120"
	until_true "not saved" has_marks run.data 100
	did "autosave 0"
	did "alloc 200"
	answered status
	has_marks run.data 100
	detach "$PID"
	has_marks run.data 320
	clean "$PID"
	finish marks
}

@test "mprof_stop writes the profile and ends it; what follows is not in it" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	did "alloc 40"
	did stop
	until_true "not written" has_marks run.data 40
	did "alloc 30"
	did stop
	detach "$PID"
	has_marks run.data 40
	clean "$PID"
	finish marks
}

@test "mprof_restart writes what there is and begins anew, in the file it names" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	did "alloc 40"
	did "restart $D/second.data"
	until_true "the first is not written" has_marks run.data 40
	did "alloc 25"
	did "restart $D/third.data"
	until_true "the second is not written" has_marks second.data 25
	did stop
	did "alloc 7"
	did "restart $D/third.data"
	did "alloc 5"
	detach "$PID"
	has_marks run.data 40
	has_marks second.data 25
	has_marks third.data 5
	clean "$PID"
	finish marks
}

@test "mprof_restart without a name writes where the profile would be if none had been named" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	did "restart $D/second.data"
	did "alloc 25"
	did restart
	until_true "the second is not written" has_marks second.data 25
	did "alloc 5"
	detach "$PID"
	has_marks second.data 25
	has_marks run.data 5
	clean "$PID"
	finish marks
}

@test "frees of blocks from before a restart are unknown ones" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	did "take 30"
	did "restart $D/second.data"
	did "drop 12"
	did "take 4"
	did "drop 4"
	detach "$PID"
	json second.data
	[ "$(total unknown_frees)" = 12 ]
	jq -e '.bins[] | select(.size == 6121) | .allocs == 4 and .frees == 4' report.json
	[ "$(total kept_bytes)" = 0 ]
	json run.data
	jq -e '.bins[] | select(.size == 6121) | .allocs == 30 and .frees == 0' report.json
	clean "$PID"
	finish marks
}

@test "mprof run knows the calls as attach does" {
	printf 'alloc 40\nrestart %s\nalloc 25\nstop\nalloc 3\nquit\n' "$D/second.data" >in
	limited "$MPROF" run -o report.txt --data=run.data -- "$T/marks" <in >marks.out 2>err
	has_marks run.data 40
	has_marks second.data 25
}

@test "a file name in memory that is not there, or is endless, harms nobody" {
	cat >odd.c <<-'EOT'
		#include <mprof/mprof.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		int main(void)
		{
			char *end = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
			munmap(end, 4096);
			free(malloc(10));
			mprof_restart((char *)1);
			free(malloc(10));
			mprof_restart((char *)-4096);
			memset(end - 8, 'x', 8);
			mprof_restart(end - 8);
			free(malloc(10));
			char *big = malloc(1 << 20);
			memset(big, 'y', 1 << 20);
			mprof_restart(big);
			free(big);
			set_mprof_autosave(-5);
			free(malloc(10));
			return 7;
		}
	EOT
	cc -g -I"$ROOT/include" -o odd odd.c
	limited "$MPROF" run -o report.txt --data=run.data -- ./odd >out 2>err || [ $? = 7 ] || [ $? = 1 ]
	[[ $(cat ended) = status* ]]
}

@test "a file that another user's program names is not written with root's power" {
	[ "$(id -u)" = 0 ] || skip "only root has that power"
	mkdir -m 700 mine
	mkdir -m 777 theirs
	echo precious >mine/victim
	ln -s "$D/mine/victim" theirs/link
	chmod 755 . "$BATS_TEST_TMPDIR" 2>/dev/null || :
	mkfifo in && chmod 666 in
	exec {hold}<>in
	cp "$T/marks" theirs/marks
	env "MPROF_TEST_MARK=$MARK" setpriv --reuid=65534 --regid=65534 --clear-groups theirs/marks <in >marks.out 2>u.err 3>&- &
	PID=$!
	until_true "does not start" has_lines marks.out '^ready ' 1 || skip "nobody cannot run a program here: $(cat u.err)"
	attach -o report.txt --data=run.data "$PID"
	printf 'alloc 5\nrestart %s\nalloc 6\nstop\nrestart %s\nalloc 7\nstop\nrestart %s\nalloc 8\nstop\n' \
		"$D/mine/new" "$D/mine/victim" "$D/theirs/link" >&"$hold"
	await marks.out '^did stop' 3
	echo quit >&"$hold"
	ended "$PID"
	ended "$FRONT"
	[ ! -e mine/new ] || fail "it has written where only root can"
	[ "$(cat mine/victim)" = precious ] || fail "it has overwritten what only root can"
}

@test "nor one that a program names which has given up its rights meanwhile" {
	[ "$(id -u)" = 0 ] || skip "only root has that power"
	local engine names='names (the file|files) .*/mine/new.*: ignored, for it'
	mkdir -m 700 mine
	cat >drops.c <<-'EOT'
		#define _GNU_SOURCE
		#include <mprof/mprof.h>
		#include <sched.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			(void)argc;
			free(malloc(10));
			if (!strcmp(argv[1], "user") && (setgid(65534) || setuid(65534)))
				return 3;
			if (!strcmp(argv[1], "root") && (chdir("/proc") || chroot(".")))
				return 4;
			mprof_restart(argv[2]);
			HeapProfilerStart(argv[2]);
			for (int i = 0; i < 1000; i++)
				free(malloc(2000));
			return 7;
		}
	EOT
	cc -g -I"$ROOT/include" -o drops drops.c
	for engine in trap fast; do
		for how in user root; do
			rm -f mine/*
			limited "$MPROF" run --engine=$engine -o report.txt --data=run.data -- ./drops $how "$D/mine/new" >out 2>err || [ $? = 7 ]
			[ "$(ls -A mine)" = "" ] || fail "$engine, $how: it has written $(ls mine)"
			[ "$(grep -Ec "$names" err)" = 2 ] || fail "$engine, $how:" "$(cat err)"
		done
		# who has kept all of them may name it
		limited "$MPROF" run --engine=$engine -o report.txt --data=run.data -- ./drops none "$D/mine/new" >out 2>err || [ $? = 7 ]
		[ -s mine/new ] || fail "$engine: not written:" "$(cat err)"
	done
}

@test "an allocator that was chosen before attaching is found, or else it is told that it was not" {
	local how
	for how in "$T/marks-indirect-static" "env LD_PRELOAD=$T/own-indirect.so $T/marks" \
		"env LD_BIND_NOW=1 LD_PRELOAD=$T/own-indirect.so $T/marks"; do
		start marks $how
		did "alloc 10"
		attach -o report.txt --data=run.data "$PID"
		did "alloc 30"
		did "stop"
		detach "$PID"
		has_marks run.data 30 || fail "$how: $(cat attach.err)"
		jq -e '.totals.frees == 3' <(limited "$MPROF" report --format=json run.data) || fail "$how: frees"
		clean "$PID"
		finish marks
		rm marks.in
	done
	cat >hidden.c <<-'EOT'
		#define INDIRECT
		#include "bump.h"
	EOT
	cat >prog.c <<-'EOT'
		#include "live.h"
		#include <dlfcn.h>
		static void *(*take)(size_t);
		static void other(const char *word) { take(6101); say("did %s\n", word); }
		static void report(void) { }
		int main(void)
		{
			take = (void *(*)(size_t))dlsym(dlopen("./hidden.so", RTLD_NOW), "malloc");
			live_serve(report, other);
			return 0;
		}
	EOT
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -shared -fPIC -fno-builtin -o hidden.so hidden.c
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -o prog prog.c
	start marks ./prog
	attach -o report.txt --data=run.data "$PID"
	did "alloc 1"
	detach "$PID"
	finish marks
	grep -q 'mprof: malloc of .*/hidden.so is indirect (an ifunc), and nothing tells where it is' attach.err
}
