#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof heap: what it finds in a still copy is what the program knows of its own blocks.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# heap ARG...: its answer is in the file heap
heap() {
	looked heap "$@"
}

# walked PROGRAM [VARIABLE=VALUE...]: all its blocks are found, and none too many
walked() {
	start tabled env "${@:2}" "$T/$1" 4 4000
	heap --format=json "$PID" && cp heap before
	tell_await tabled 'work 20000' '^worked$'
	heap --format=json "$PID" && cp heap after
	tell_await tabled sizes '^sizes$'
	tell_await tabled info '^info '
	python3 "$ROOT/tests/lib/heapdiff.py" before after tabled.out || {
		fail "$*" "$(cat heap.err)"
		return 1
	}
	finish tabled
}

@test "every block of a program is found, and no other" {
	walked tabled
}

@test "in a static and in a stripped program, too" {
	walked tabled-static
	cd "$(mktemp -d -p "$D")" || return 1
	walked tabled-stripped
}

@test "one arena for all threads" {
	walked tabled MALLOC_ARENA_MAX=1
}

@test "an arena that is refused more of [heap] has pieces elsewhere" {
	walked tabled MALLOC_ARENA_MAX=1 TABLED_NO_BRK=1
	jq -e '.arenas[0].system > 1048576' after
}

@test "an arena that has more of [heap] again keeps its pieces elsewhere" {
	walked tabled MALLOC_ARENA_MAX=1 TABLED_NO_BRK=while
	jq -e '.arenas[0].system > 1048576' after
}

@test "the heap of a thread that lies right behind a file" {
	walked tabled TABLED_FILES=1
	cd "$(mktemp -d -p "$D")" || return 1
	walked tabled-static TABLED_FILES=1
}

# The caches of the other threads are there, and no thread that has them.
@test "a child of a program with threads has its blocks, and what was free is free" {
	start tabled "$T/tabled" 4 4000
	heap --format=json "$PID" && cp heap before
	tell_await tabled 'work 20000' '^worked$'
	tell_await tabled fork '^forked '
	tell_await tabled sizes '^sizes$'
	tell_await tabled info '^info '
	heap --format=json "$(sed -n 's/^forked //p' tabled.out)" && cp heap after
	python3 "$ROOT/tests/lib/heapdiff.py" before after tabled.out || fail "the child" "$(cat heap.err)"
	finish tabled
}

@test "no thread caches" {
	walked tabled GLIBC_TUNABLES=glibc.malloc.tcache_count=0
}

@test "large thread caches" {
	walked tabled GLIBC_TUNABLES=glibc.malloc.tcache_count=100
}

@test "huge pages are advised for the heap, which splits its mapping" {
	walked tabled GLIBC_TUNABLES=glibc.malloc.hugetlb=1
}

@test "huge pages, and heaps that are aligned otherwise" {
	walked tabled GLIBC_TUNABLES=glibc.malloc.hugetlb=2
}

@test "room at the top of arenas" {
	walked tabled MALLOC_TOP_PAD_=1000000
}

@test "blocks that are filled when they are freed" {
	walked tabled MALLOC_PERTURB_=165
}

@test "many blocks have mappings of their own" {
	walked tabled MALLOC_MMAP_THRESHOLD_=4096
}

@test "no block has a mapping of its own: what cannot be checked is said" {
	walked tabled MALLOC_MMAP_MAX_=0
	heap_says() { jq -r ".checks[] | select(.name == \"$1\") | .ok" after; }
	[ "$(heap_says 'mapped blocks')" = null ]
	[ "$(heap_says chunks)" = true ]
}

@test "the text says what the JSON says" {
	start tabled "$T/tabled" 2 500
	tell_await tabled 'work 2000' '^worked$'
	heap --format=json "$PID" && cp heap json
	heap "$PID"
	grep -Eqx "mprof: process $PID \(tabled\): glibc [0-9.]+, 3 arenas; stopped for [0-9.]+ ms; checks: all hold" heap ||
		fail "first line" "$(cat heap)"
	[ "$(sed -n 2p heap | grep -oE '[0-9]+' | head -n 2 | paste -sd' ')" = "$(jq -r '"\(.blocks) \(.bytes)"' json)" ]
	[ "$(jq '[.bins[].blocks] | add' json)" = "$(jq .blocks json)" ]
	# The lines of sizes add up to the sums.
	[ "$(sed -n '5,$p' heap | sed -E 's/^ *(> [0-9]+|[0-9]+ others|[0-9]+) +//' | awk '{ n += $1; b += $2 } END { print n, b }')" = \
		"$(jq -r '"\(.blocks) \(.bytes)"' json)" ]
	heap --verbose "$PID"
	[ "$(sed -n '5,$p' heap | wc -l)" = "$(jq '.bins | length' json)" ]
	heap -o file "$PID"
	[ ! -s heap ]
	[ "$(sed -n 2p file)" != '' ]
	finish tabled
}

@test "threads that allocate all the time go on; nothing is traced afterwards" {
	start tabled "$T/tabled" 8 8000
	tell_await tabled churn '^churning$'
	for i in {1..5}; do
		heap --format=json "$PID"
		[ "$(jq '.blocks > 0' heap)" = true ]
		[ "$(grep -h TracerPid "/proc/$PID"/task/*/status | sort -u | tr -dc 0-9)" = 0 ]
	done
	tell_await tabled still '^stilled$'
	heap --format=json "$PID"
	[ "$(jq .doubtful heap)" = false ]
	finish tabled
}

# What they had in their caches went to fastbins, keys and all; some is handed out again and not written to.
@test "threads that have ended leave nothing in caches that nobody finds" {
	cat >leavers.c <<-'EOT'
		#include "live.h"
		#include <malloc.h>
		enum { THREADS = 20, BLOCKS = 40, AGAIN = 10 };
		static void *work(void *arg)
		{
			void *p[BLOCKS];
			for (int i = 0; i < BLOCKS; i++)
				p[i] = malloc(24 + i % 4 * 16);
			for (int i = 0; i < BLOCKS; i++)
				free(p[i]);
			return arg;
		}
		static void *take(void *arg)
		{
			static void *volatile kept[AGAIN];
			for (int i = 0; i < AGAIN; i++)
				kept[i] = malloc(24);
			say("ready %d\n", (int)getpid());
			for (;;)
				pause();
			return arg;
		}
		int main(void)
		{
			pthread_t t;
			free(malloc(50));
			for (int i = 0; i < THREADS; i++) {
				pthread_create(&t, NULL, work, NULL);
				pthread_join(t, NULL);
			}
			pthread_create(&t, NULL, take, NULL);
			for (;;)
				pause();
		}
	EOT
	cc -g -O1 -fno-builtin -D_GNU_SOURCE -I"$ROOT/tests/targets" -pthread -o leavers leavers.c
	start leavers ./leavers
	heap --format=json "$PID"
	jq -e '.doubtful == false and ([.arenas[].fastbin_blocks] | add) > 0' heap || fail "doubtful" "$(cat heap)"
	[ "$(jq '[.bins[] | select(.usable == 24) | .blocks] | add' heap)" = 10 ] || fail "handed out" "$(jq .bins heap)"
}

@test "what cannot be looked at is a sentence and a status, and the program goes on" {
	start tabled "$T/tabled" 2 500
	refused 2 'heap: of which process. Usage: mprof heap .options. PID.NAME' "$MPROF" heap
	refused 3 'cannot look at process 999999999' "$MPROF" heap 999999999
	refused 2 'option max-pause' "$MPROF" heap --max-pause=0 "$PID"
	refused 2 'option memory: "stream" is not auto or copy' "$MPROF" heap --memory=stream "$PID"
	# a session of ours is asked, looks.bats; who has another directory for control sockets has nobody to ask
	limited "$MPROF" attach --background --data=data "$PID" >/dev/null 2>&1
	refused 6 "cannot look at process $PID: a session of mprof traces it already that was begun with another" \
		env XDG_RUNTIME_DIR="$D/nowhere" TMPDIR="$D/nowhere" "$MPROF" heap "$PID"
	limited "$MPROF" detach "$PID" >/dev/null
	heap "$PID"
	finish tabled
}

@test "more than --max-pause allows: nothing is stopped" {
	start tabled "$T/tabled" 2 200000
	tell_await tabled 'work 300000' '^worked$'
	refused 10 "process $PID is not looked at: to copy its [0-9]+ MiB it would be stopped for about [0-9]+ ms; --max-pause=[0-9]+ allows that" \
		"$MPROF" heap --max-pause=1 "$PID"
	! grep -q passes refused.err || fail "heap has no passes" "$(cat refused.err)"
	# how long passes stop it hangs on its threads alone
	refused 10 "allows that, and --passes=2 copies it while it runs" "$MPROF" leaks --max-pause=1 "$PID"
	looked leaks --passes=2 "$PID"
	finish tabled
}

@test "another allocator is named" {
	preload=$(find /usr/lib -name libmimalloc.so.2 | head -n 1)
	[ -n "$preload" ] || skip "libmimalloc2.0 is not installed"
	start tabled env LD_PRELOAD="$preload" "$T/tabled" 2 500
	refused 10 "cannot walk the heap of process $PID: its allocator is mimalloc, which is not known" "$MPROF" heap "$PID"
	finish tabled
}

# found NAME PROGRAM [ARG...]: a program that people use, which has said "ready" and reads on: the walk's checks hold
found() {
	PROGRAM=$(binary "$1") || skip "$1 is not installed"
	shift
	start real "$PROGRAM" "$@"
	heap --format=json "$PID"
	jq -e '.doubtful == false and .blocks > 100' heap >/dev/null || fail "$PROGRAM" "$(cat heap)" || return 1
	limited "$MPROF" rss --max-pause=60000 --format=json "$PID" >rss
	jq -e '([.rows[].rss] | add) == .rss' rss >/dev/null || fail "$PROGRAM" "$(cat rss)" || return 1
	echo "# $PROGRAM: $(jq .blocks heap) blocks" >&3
}

@test "python3" {
	found python3 -c 'import json, sys
rows = [{"n": i, "s": "row %d" % i, "b": bytearray(600 + i % 50)} for i in range(5000)]
del rows[::2]
print("ready 1", flush=True)
sys.stdin.readline()'
	tell real quit
	ended "$PID"
}

@test "perl" {
	# shellcheck disable=SC2016
	found perl -e 'my %h; push @{$h{$_ % 97}}, "item $_" x ($_ % 9) for 1 .. 20000; delete $h{$_} for 1 .. 30; $| = 1; print "ready 1\n"; <STDIN>'
	tell real quit
	ended "$PID"
}

@test "sqlite3" {
	PROGRAM=$(binary sqlite3) || skip "sqlite3 is not installed"
	found sqlite3 -cmd "create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into t select i, 'row ' || i from n; delete from t where a % 3 = 0; create index tb on t(b); select 'ready 1';" :memory:
	tell real .quit
	ended "$PID"
}

@test "a process whose first thread has ended is looked at by another one" {
	start leadergone "$T/leadergone"
	heap --format=json "$PID"
	jq -e '.blocks > 0' heap >/dev/null || fail "nothing found" "$(cat heap)" || return 1
	limited "$MPROF" rss --max-pause=60000 --format=json "$PID" >rss
	jq -e '([.rows[].rss] | add) == .rss and .rss > 0' rss >/dev/null || fail "rss" "$(cat rss)" || return 1
	limited "$MPROF" doctor --format=json "$PID" >doctor 2>&1 || fail "doctor" "$(cat doctor)" || return 1
	jq -e ".pid == $PID and .can_be_profiled" doctor >/dev/null || fail "doctor" "$(cat doctor)" || return 1
	limited "$MPROF" probes "$PID" >probes 2>&1 || fail "probes" "$(cat probes)" || return 1
	grep -Eq '^0x[0-9a-f]+  malloc ' probes || fail "probes" "$(cat probes)" || return 1
	progress leadergone 1 20
	finish leadergone
}

@test "a thread that sleeps in vfork is waited for by nobody" {
	start vforks "$T/vforks"
	tell vforks vfork
	progress vforks
	heap --format=json "$PID"
	jq -e '.blocks > 0' heap >/dev/null || fail "nothing found" "$(cat heap)" || return 1
	progress vforks
	tell vforks release
	progress vforks
	finish vforks
}

# Its first thread is a zombie then, and whoever was asked for the memory instead ends.
@test "a process is looked at whose threads execute it again and again" {
	start execloop "$T/execloop" threads
	for i in {1..30}; do
		looked rss "$PID"
	done
	touch stop
	ended "$PID"
}
