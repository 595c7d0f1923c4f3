#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The chains that the fast engine's agent finds are those of the trap engine, and those that a copy of the
# stack tells, however the stack came to look as it does.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/engines

@test "plain programs have the same chains by both engines" {
	for p in simple aligned resize edges hooked shapes widgets virtuals dtors wrappers lives peak heirs; do
		checked_alike "$T/$p"
	done
}

@test "recursion has the same chains by both engines, deep and wide" {
	for p in recursion deep depthfirst; do
		checked_alike "$T/$p"
		truncated fast '== 0'
	done
}

@test "chains that longjmp, coroutines and alternate stacks have led elsewhere are the same by both engines" {
	for p in jumps coroutines stackdepth; do
		alike "$T/$p"
	done
	checked_alike "$T/handler" raise
	alike "$T/handler" altstack
	truncated fast '== 0'
}

@test "chains through C++ functions are checked, all of them" {
	checked_alike "$T/cxx"
	[ "$(checked fast)" -ge "$(jq .totals.allocs fast.json)" ] || fail "$(cat fast.err)"
}

@test "generated code without tables has the same chains by both engines" {
	alike "$T/jit"
	rm -f "/tmp/perf-$(sqlite3 trap.data "select value from meta where key = 'pid'").map" \
		"/tmp/perf-$(sqlite3 fast.data "select value from meta where key = 'pid'").map"
	jq -e '.totals.guessed_chains > 0' fast.json
}

@test "generated code that calls generated code has the same chains by both engines" {
	alike "$T/jitcalls"
	jq -e '.totals.guessed_chains == 5' fast.json
	truncated fast '== 0'
}

@test "frames described elsewhere or not at all have the same chains by both engines" {
	for flags in "-g -fno-asynchronous-unwind-tables -fno-unwind-tables" \
		"-fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables" \
		"-fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables" "-mstackrealign -O2"; do
		# shellcheck disable=SC2086
		gcc -std=gnu17 -O1 -D_GNU_SOURCE -fno-builtin -fno-optimize-sibling-calls -I"$ROOT/tests/targets" $flags \
			-o frames "$ROOT/tests/targets/frames.c"
		alike ./frames
	done
}

@test "a handler that interrupts pads, slots and agent has whole chains, through what they are for" {
	by fast "$T/interrupted" 1500
	truncated fast '== 0'
	# A stack that the agent cannot follow in the place where it was interrupted is followed in its copy, and
	# compared with nothing.
	[ "$(checked fast)" -ge "$(jq '.totals.allocs * 9 / 10 | floor' fast.json)" ] || fail "$(cat fast.err)"
	# What the program knows of it: how often it was interrupted where.
	read -r in_program in_between <fast.out
	[ "$in_between" -ge 1500 ]
	count() { # SIZE REGEX
		sed -n "s/^$1 \([0-9]*\) $2\$/\1/p" fast.chains | awk '{ n += $1 } END { print n + 0 }'
	}
	local main='main+[0-9]* > busy+[0-9]*' inner='handler+[0-9]* > handler_leaf+[0-9]*'
	[ "$(count 4001 "$main > [a-z_]*\(malloc\|calloc\|realloc\|free\)+[0-9]*! > $inner")" = "$in_between" ] ||
		fail "$in_between" "$(cat fast.chains)"
	# Functions that are inlined, and what leads to the library's, are main's own code, too.
	local own='\(busy\|goes_on\|interrupted+0x[0-9a-f]*\)+[0-9]*!\?'
	[ "$(count 4003 "main+[0-9]*!\\?\\( > $own\\)* > $inner")" = "$in_program" ] ||
		fail "$in_program" "$(cat fast.chains)"
	# What the agent had put away of its caller's registers is found, too.
	by fast "$T/interrupted" 500 register
	truncated fast '== 0'
	read -r in_program in_between <fast.out
	main='main+[0-9]* > by_register+[0-9]* > busy_alone+[0-9]*'
	[ "$(count 4001 "$main > [a-z_]*\(malloc\|free\)+[0-9]*! > $inner")" = "$in_between" ] ||
		fail "$in_between" "$(cat fast.chains)"
}

@test "a stack whose upper part is taken away ends chains there, and the program sees no fault" {
	for how in munmap truncate; do
		for signals in "" block ignore; do
			alike "$T/cutstack" $how $signals
			[ "$(cat fast.out)" = "0 faults" ]
			truncated fast '== 20'
			jq -e '.totals.truncated_unreadable == 20' fast.json
		done
	done
	# What is protected the trap engine can read, and the agent cannot.
	by trap "$T/cutstack" mprotect
	by fast "$T/cutstack" mprotect
	[ "$(cat fast.out)" = "0 faults" ]
	truncated fast '== 20'
	diff <(grep -v ^5009 trap.chains) <(grep -v ^5009 fast.chains)
	grep '^5009 20 \.\.\. > upper+[0-9]* > lower+[0-9]* > leaf+[0-9]*$' fast.chains || fail "$(cat fast.chains)"
}

@test "a program that unmaps the shared memory goes on, and is told that it is not seen any more" {
	limited "$MPROF" run --engine=fast -o /dev/null --data=run.data -- "$T/unmaps" >out 2>err ||
		fail "$(cat ended err)"
	grep -qx '[1-9][0-9]* unmapped' out || fail "$(cat out)"
	says err 'made a fault in .*unmaps .* was switched off'
	says err ' [1-9][0-9]* events lost'
	# What came before is there.
	jq -e '[.bins[] | select(.size == 6007)][0].allocs >= 100' <("$MPROF" report --format=json run.data)
}

# climb LEVELS DEPTH-OF-STACK: ./climb recurses so deep, allocates, and comes back, twice; after a line of its
# input if there is a second argument
build_climb() {
	cat >climb.c <<-'EOT'
		#include <stdio.h>
		#include <stdlib.h>
		__attribute__((noinline)) static int climb(int levels)
		{
			if (levels)
				return climb(levels - 1) + 1;
			void *volatile p = malloc(8009);
			free(p);
			return 0;
		}
		int main(int argc, char **argv)
		{
			int levels = atoi(argv[1]);
			char line[10];
			if (argc > 2) {
				puts("ready");
				fflush(stdout);
				if (!fgets(line, sizeof line, stdin))
					return 1;
			}
			return climb(levels) + climb(levels) != 2 * levels;
		}
	EOT
	gcc -O1 -g -fno-builtin -fno-optimize-sibling-calls -fno-optimize-strlen -o climb climb.c
}

@test "10,000 levels of recursion are the same by both engines" {
	build_climb
	for levels in 180 190 200 10000; do
		alike ./climb $levels
		truncated fast '== 0'
	done
}

@test "several threads may be deep down at once" {
	cat >dive.c <<-'EOT'
		#include <pthread.h>
		#include <stdlib.h>
		__attribute__((noinline)) static int dive(int levels, size_t size)
		{
			if (levels)
				return dive(levels - 1, size) + 1;
			for (int i = 0; i < 100; i++) {
				void *volatile p = malloc(size);
				free(p);
			}
			return 0;
		}
		static void *work(void *arg)
		{
			return (void *)(long)dive(4000, 9001 + (size_t)arg);
		}
		int main(void)
		{
			pthread_t t[4];
			for (size_t i = 0; i < 4; i++)
				pthread_create(&t[i], NULL, work, (void *)i);
			for (size_t i = 0; i < 4; i++)
				pthread_join(t[i], NULL);
			return 0;
		}
	EOT
	gcc -O1 -g -fno-builtin -fno-optimize-sibling-calls -pthread -o dive dive.c
	by fast ./dive
	truncated fast '== 0'
	[ "$(awk '$1 > 9000 && $2 == 100' fast.chains | wc -l)" = 4 ] || fail "$(cut -c1-200 fast.chains)"
	# 4,001 times dive() in each of them
	[ "$(grep -o 'dive+' fast.chains | wc -l)" = 16004 ]
}

@test "a program that is attached to may be 20,000 levels down: its chains are whole" {
	build_climb
	mkfifo in
	exec 8<>in
	env "MPROF_TEST_MARK=$MARK" ./climb 20000 wait <in >climb.out 3>&- 8>&- &
	local pid=$!
	await climb.out ready
	attach --engine=fast -o /dev/null --data=fast.data "$pid" 8>&-
	echo go >&8
	ended "$FRONT"
	exec 8>&-
	chains fast.data >fast.chains
	# It is called twice there.
	[ "$(grep -c '^8009 1 main+[0-9]* > climb+' fast.chains)" = 2 ] || fail "$(cut -c1-200 fast.chains)"
	[ "$(grep -o 'climb+' fast.chains | wc -l)" = 40002 ] || fail "$(grep -o 'climb+' fast.chains | wc -l) levels"
}

@test "at most 1 KiB of the stack is used below the caller of an allocator's function, as the manual says" {
	cat >low.c <<-'EOT'
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		enum { WORDS = 2048, PAINT = 0x5a5a5a5a };
		static uint64_t most;
		static void *block;
		__attribute__((noinline)) static void call(int which)
		{
			uint64_t *sp = __builtin_frame_address(0);
			volatile uint64_t *low = sp - WORDS;
			void *p;
			/* without a frame of this function's in between: it is leaf code so far */
			for (int i = 0; i < WORDS - 64; i++)
				low[i] = PAINT;
			switch (which) {
			case 0: block = malloc(40); break;
			case 1: free(block); break;
			case 2: block = realloc(block, 44); break;
			case 3: block = calloc(5, 8); break;
			default: if (posix_memalign(&p, 16, 48)) abort(); free(p);
			}
			int i = 0;
			while (i < WORDS - 64 && low[i] == PAINT)
				i++;
			uint64_t used = (uint64_t)(WORDS - i) * 8;
			if (used > most)
				most = used;
		}
		__attribute__((noinline)) static int deeper(int n, int which)
		{
			if (n)
				return deeper(n - 1, which) + 1;
			call(which);
			return 0;
		}
		int main(void)
		{
			static const int steps[] = { 0, 2, 1, 3, 2, 1, 4 };
			/* The library's own beginnings take more. */
			for (int i = 0; i < 10; i++)
				free(realloc(calloc(1, 40), 44));
			void *p = NULL;
			if (posix_memalign(&p, 16, 48))
				return 1;
			free(p);
			most = 0;
			/* New chains and known ones, changed ones, and such as are too long to be remembered. */
			for (int depth = 0; depth < 600; depth += 1 + depth / 4)
				for (int again = 0; again < 3; again++)
					for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
						deeper(depth, steps[i]);
			printf("%d\n", (int)most);
			return 0;
		}
	EOT
	gcc -O1 -fno-builtin -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,-z,now -o low low.c
	local alone
	alone=$(limited ./low)
	# At least 512: no less is measured. What the functions take is less than the engine does.
	[ "$alone" -le 512 ] || fail "alone: $alone"
	for option in "" --check-unwinding; do
		# shellcheck disable=SC2086
		limited "$MPROF" run --engine=fast $option -o /dev/null --data=run.data -- ./low >out 2>err
		echo "alone $alone, with the engine $(cat out) $option"
		[ "$(cat out)" -gt "$alone" ]
		[ "$(cat out)" -le 1024 ] || fail "with the engine: $(cat out) $option"
	done
	man=$(tr '\n' ' ' <"$ROOT/man/mprof.1")
	grep -q 'Up to 1 KiB more of the stack is used below the caller' <<<"$man"
}

@test "sqlite3, an assembler and python3 without its own allocator have the same chains by both engines, each checked" {
	local python
	echo "create table t(a integer primary key, b text, c real); with recursive n(i) as
		(select 1 union all select i + 1 from n where i < 100) insert into t select i, 'text ' || i, i * 1.5 from n;
		create index x on t(b); select count(*), sum(c) from t where b like '%7%';" >script.sql
	printf 'f%d:\tmov $%d, %%eax\n\tret\n' 1 1 2 2 3 3 >code.s
	python=$(binary python3) || python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
	export PYTHONMALLOC=malloc PYTHONHASHSEED=0
	# What is done may depend on addresses.
	for command in "sqlite3 :memory: -init script.sql .quit" "as -o code.o code.s" "$python -S -E -c print(sum(range(9)))"; do
		# shellcheck disable=SC2086
		checked_alike setarch -R $command
		truncated fast '== 0'
		[ "$(checked fast)" -ge "$(jq '.totals.allocs * 9 / 10 | floor' fast.json)" ] || fail "$command" "$(cat fast.err)"
	done
}

# The agent's table has room for 2^20 nodes. Each of 65536 chains has 20 of its own, and each is counted once
# before the table is full, or while it is, and once afterwards.
@test "a call tree larger than the agent's table: it is emptied, and each chain is counted whole" {
	"$MPROF" run --engine=fast --stats -o /dev/null --data=run.data -- "$T/branches" 16 20 2 >out 2>err
	grep -qx 'requests 131072' out
	local nodes
	nodes=$(sed -n 's/.*the fast engine: \([0-9]*\) nodes.*/\1/p' err)
	[ "${nodes:-0}" -gt 0 ] && [ "$nodes" -lt $((65536 * 20)) ] || fail "it has not been emptied" "$(cat err)"
	grep -q ' 0 truncated chains, 0 frees of unknown blocks, .* 0 events lost' err || fail "$(cat err)"
	"$MPROF" report --format=folded -alloc_objects run.data >folded 2>report.err
	[ "$(awk '{ n[$NF]++ } END { for (k in n) print k, n[k] }' folded)" = "2 65536" ] || fail "other counts" "$(head -n 3 folded)"
	[ "$(cut -d' ' -f1 folded | sort -u | wc -l)" = 65536 ]
	[ "$(head -n 1 folded | tr -d -c ';' | wc -c)" = $((2 + 2 * 16 + 21)) ] || fail "another chain" "$(head -n 1 folded)"
	! grep -qv '^main;\(go_on;\(left\|right\);\)*go_on;\(tail;\)*leaf 2$' folded
}

# Nobody but root may open the files in /proc of such a process, its tracer neither.
@test "a program that makes itself undumpable has whole chains, in new threads, too" {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	cat >undumpable.c <<-'EOT'
		#include <pthread.h>
		#include <stdlib.h>
		#include <sys/prctl.h>
		static void *work(void *p) { for (int i = 0; i < 10; i++) free(malloc(1234)); return p; }
		int main(void)
		{
			pthread_t t[3];
			prctl(PR_SET_DUMPABLE, 0);
			for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, work, NULL);
			for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
			work(NULL);
			return prctl(PR_GET_DUMPABLE);
		}
	EOT
	cc -O0 -g -w -o undumpable undumpable.c -lpthread
	mkdir -p theirs
	chmod 755 . undumpable
	chmod 777 theirs
	local mprof
	mprof=$(for_anybody "$MPROF")
	setpriv --reuid=65534 --regid=65534 --clear-groups env -u XDG_RUNTIME_DIR HOME="$PWD/theirs" "$mprof" run --engine=fast \
		-o /dev/null --data=theirs/run.data ./undumpable 2>err || fail "$(cat err)"
	grep -q ' 0 truncated chains, 0 frees of unknown blocks, .* 0 events lost' err || fail "$(cat err)"
	"$MPROF" report --format=folded -alloc_objects theirs/run.data >folded 2>report.err
	[ "$(awk '/(^|;)work [0-9]+$/ { n += $NF } END { print n }' folded)" = 40 ] || fail "$(cat folded)"
}
