#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof heap and rss of programs that have jemalloc: what is found in a still copy is what the program knows of its
# own blocks, and what jemalloc knows of itself.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/redis

setup_file() {
	build_targets
	need_mprof
	JEMALLOC=$(find /usr/lib -name libjemalloc.so.2 | head -n 1)
	export JEMALLOC
}

heap() {
	looked heap "$@"
}

# walked THREADS SLOTS [MALLOC_CONF]: all blocks of a program are found, and none too many
walked() {
	[ -n "$JEMALLOC" ] || skip "libjemalloc2 is not installed"
	start tabled env LD_PRELOAD="$JEMALLOC" MALLOC_CONF="${3:-}" "$T/tabled" "$1" "$2"
	heap --format=json "$PID" && cp heap before
	[ "$(jq -r '.allocator + " " + .version' heap)" = 'jemalloc 5.3' ]
	tell_await tabled 'work 20000' '^worked$'
	heap --format=json "$PID" && cp heap after
	tell_await tabled sizes '^sizes$'
	python3 "$ROOT/tests/lib/heapdiff.py" before after tabled.out || {
		fail "$*" "$(cat heap.err)"
		return 1
	}
	looked rss --format=json "$PID"
	jq -e '([.rows[].rss] | add) == .rss' rss
	finish tabled
}

@test "every block of a program is found, and no other" {
	walked 4 4000
}

@test "a child of a program with threads has its blocks, and what was free is free" {
	[ -n "$JEMALLOC" ] || skip "libjemalloc2 is not installed"
	start tabled env LD_PRELOAD="$JEMALLOC" "$T/tabled" 4 4000
	heap --format=json "$PID" && cp heap before
	tell_await tabled 'work 20000' '^worked$'
	tell_await tabled fork '^forked '
	tell_await tabled sizes '^sizes$'
	heap --format=json "$(sed -n 's/^forked //p' tabled.out)" && cp heap after
	python3 "$ROOT/tests/lib/heapdiff.py" before after tabled.out || fail "the child" "$(cat heap.err)"
	finish tabled
}

@test "one thread, one arena" {
	walked 1 4000 narenas:1
}

@test "no thread caches" {
	walked 4 4000 tcache:false
}

@test "large thread caches, and blocks that begin where their pages do" {
	walked 4 4000 lg_tcache_max:20,cache_oblivious:false
}

@test "pages are given back at once" {
	walked 4 4000 dirty_decay_ms:0,muzzy_decay_ms:0
}

@test "thirty-two threads" {
	walked 32 500
}

# classes: "BLOCKS BYTES" lost directly, and through that, and how many are reachable and possible
classes() {
	# Until it sleeps, what it has called last may have left an address in a register.
	until_true "it does not wait for a command" grep -q '^State:.S' "/proc/$PID/status"
	looked leaks --format=json "$PID"
	[ "$(jq .doubtful leaks)" = false ] || fail "doubtful" "$(cat leaks)"
	jq -r '.classes | "\(.lost_direct.blocks) \(.lost_direct.bytes) \(.lost_through.blocks) \(.lost_through.bytes)",
		.reachable.blocks, .possible.blocks' leaks | xargs
}

# forgotten [MALLOC_CONF]: what a program has lost is found, the newest too, of which a cache still has the addresses
forgotten() {
	local kept words lost=0
	[ -n "$JEMALLOC" ] || skip "libjemalloc2 is not installed"
	start forgets env LD_PRELOAD="$JEMALLOC" MALLOC_CONF="${1:-}" "$T/forgets"
	tell_await forgets 'keep 500 48' '^kept$'
	tell_await forgets 'keep 20 20000' '^kept$'
	read -r -a kept <<<"$(classes)"
	[ "${kept[*]:0:4} ${kept[5]}" = '0 0 0 0 0' ] && [ "${kept[4]}" -ge 1040 ] || fail "$1: kept, and not so" "${kept[*]}"
	for words in 'lose 1 48' 'lose 499 48' 'turn 400 48' 'lose 300 48' 'lose 200 208' 'lose 3 20000' 'lose 1 5000000'; do
		if [ "${words%% *}" = turn ]; then
			tell_await forgets "$words" '^turned$'
			continue
		fi
		lost=$((lost + $(cut -d' ' -f2 <<<"$words")))
		tell_await forgets "$words" "^lost $lost "
		[ "$(classes)" = "$(tail -n 1 forgets.out | cut -d' ' -f2-) ${kept[4]} 0" ] ||
			fail "$1: $words" "$(classes)" "not" "$(tail -n 1 forgets.out)" || return 1
	done
	finish forgets
}

@test "what is lost is found, the newest too" {
	forgotten
}

@test "what is lost is found without thread caches" {
	forgotten tcache:false
}

@test "what is lost is found with large thread caches" {
	forgotten lg_tcache_max:20,tcache_nslots_small_min:200,tcache_nslots_small_max:200
}

# Redis' own threads do not allocate much: what it says of its allocator changes by buffers of clients only.
@test "redis-server at work: the books hold, and their sum is what jemalloc says" {
	local says walked
	begin_redis
	redis-benchmark -s "$SOCK" -q -n 20000 -r 5000 -t set,lpush,hset >/dev/null
	looked heap --format=json "$PID"
	[ "$(jq -r '.allocator, .doubtful' heap | xargs)" = 'jemalloc false' ] || fail "$(cat heap)"
	# It counts what is in thread caches as allocated.
	walked=$(jq '.bytes + ([.arenas[].cached_bytes] | add)' heap)
	says=$(redis-cli -s "$SOCK" memory malloc-stats | sed -n 's/^Allocated: \([0-9]*\),.*/\1/p' | head -n 1)
	echo "# $walked by the walk, $says by jemalloc, with what it prints that into" >&3
	[ "$says" -ge "$walked" ] && [ $((says - walked)) -le 262144 ] || fail "$walked by the walk, $says by jemalloc"
	looked rss --format=json "$PID"
	jq -e '([.rows[].rss] | add) == .rss' rss
	classes >lost
	[ "$(cut -d' ' -f1-4 lost)" = '0 0 0 0' ] || fail "lost by redis" "$(cat leaks)"
	[ "$(cut -d' ' -f5 lost)" -gt 10000 ]
	redis-cli -s "$SOCK" shutdown nosave || true
	wait "$PID"
}
