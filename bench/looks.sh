#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Looks at what is on a heap: is everything found, how long is the program stopped, do the rows of resident
# memory add up, is anything said to be lost that is not. What must be so in all looks is counted, not averaged.
#
#	LOOKS (200)	at a program at work;  RSS_LOOKS (100)
#	REDIS_SOURCE	a folder that has its source already, unpacked; what apt-get source gets otherwise

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
LOOKS=${LOOKS:-200} RSS_LOOKS=${RSS_LOOKS:-100}
targets=$(realpath "$here/../tests/targets")

echo "## Looks at a heap"
echo

need_mprof
have jq || {
	echo "There is no jq: not measured."
	exit 0
}
build_linked heaplook || exit 1
make -s -C "$targets" OUT="$tmp/targets" "$tmp/targets/tabled" "$tmp/targets/reach" >/dev/null 2>&1 || exit 1

# ---- programs that take commands ----

# begin PROGRAM ARG...: it has begun; its number is in pid, commands go to descriptor 9, words come in $tmp/said
begin() {
	rm -f "$tmp/commands"
	mkfifo "$tmp/commands"
	exec 9<>"$tmp/commands"
	"$@" <"$tmp/commands" >"$tmp/said" 2>&1 9>&- &
	pid=$!
	started+=("$pid")
	await '^ready'
}

await() { # REGEX
	local i

	for ((i = 0; i < 3000; i++)); do
		grep -Eq "$1" "$tmp/said" && return
		sleep 0.02
	done
	echo "bench: no $1" >&2
	return 1
}

tell() { # WORDS REGEX
	: >"$tmp/said"
	echo "$1" >&9
	await "$2"
}

finish() {
	exec 9>&-
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}

# look COMMAND ARG...: its JSON is in $tmp/json. False: it did not end well, which is said.
look() {
	"$MPROF" "$1" --format=json --max-pause=60000 -o "$tmp/json" "${@:2}" "$pid" 2>"$tmp/err" && return
	echo "bench: $*: $(tail -n 1 "$tmp/err")" >&2
	return 1
}

# ---- is everything found? ----

# exactness WHAT LOOKS
exactness() {
	local sums
	sums=$("$B/bench/heaplook" "$pid" "$2" | grep '^[0-9]* looks, ') || {
		row "$1" - - - - -
		return
	}
	row "$1" "$2" "$(sed -E 's/.* looks, ([0-9]+) blocks.*/\1/' <<<"$sums")" \
		"$(sed -E 's/.* ([0-9]+) missing.*/\1/' <<<"$sums")" \
		"$(sed -E 's/.*others from ([0-9]+ to [0-9]+),.*/\1/' <<<"$sums")" \
		"$(sed -E 's/.*doubtful ([0-9]+)$/\1/' <<<"$sums")"
}

table "a program's own table of its blocks, and the walk" looks "blocks in all" missing "others" doubtful
begin "$tmp/targets/tabled" 8 8000 && tell 'work 100000' '^worked$'
exactness "8 threads at rest" 5
tell churn '^churning$'
exactness "8 threads that do nothing but allocate" "$LOOKS"
tell still '^stilled$'
finish
echo
echo "Others are blocks that are in no table: the C library's own, and those of calls that were not over. What is" \
	"doubtful says so; the commands look again then."

# ---- how long is it stopped? ----

echo
table "live blocks" "MB resident" "stopped for ms" "ms a GB" "looks"
for n in 10000 100000 260000; do
	begin "$tmp/targets/tabled" 1 "$n" && tell "work $((n * 6))" '^worked$'
	for ((r = 0; r < RUNS; r++)); do
		look heap && jq '.pause_ms' "$tmp/json" >>"$tmp/pause-$n"
	done
	blocks=$(jq '[.bins[].blocks] | add' "$tmp/json")
	kb=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
	row "$blocks" "$(calc "$kb / 1000")" "$(num "$(median "pause-$n")")" \
		"$(num "$(calc "$(median "pause-$n") / ($kb * 1024 / 1e9)")" 0)" "$RUNS"
	finish
done

# ---- do the rows add up? ----

begin "$tmp/targets/tabled" 4 8000 && tell churn '^churning$'
same=0
for ((r = 0; r < RSS_LOOKS; r++)); do
	look rss && jq -e '([.rows[].rss] | add) == .rss and .rss == .rollup_rss' "$tmp/json" >/dev/null &&
		same=$((same + 1))
done
finish
echo
echo "Rows of resident memory that are Rss to the byte, 4 threads at work: $same of $RSS_LOOKS looks."

# ---- what was there before ----

begin "$tmp/targets/tabled" 4 8000 && tell 'work 50000' '^worked$' && tell churn '^churning$'
"$MPROF" attach --before=walk --max-pause=60000 --background --engine=fast --data="$tmp/data" -o /dev/null "$pid" \
	2>"$tmp/err"
tell still '^stilled$' && tell empty '^emptied'
"$MPROF" detach --format=json -o "$tmp/json" "$pid" 2>/dev/null
echo
echo "Attached with \`--before=walk\` while 4 threads allocate, which then free all they have:" \
	"$(jq .before.freed_blocks "$tmp/json") blocks of before freed," \
	"$(jq .totals.unknown_frees "$tmp/json") frees of unknown blocks."
finish

# ---- is anything said to be lost? ----

# lost WHAT: the process in pid has lost nothing
lost() {
	look leaks || {
		row "$1" - - - - -
		return
	}
	row "$1" "$(jq .blocks "$tmp/json")" "$(jq .classes.lost_direct.blocks "$tmp/json")" \
		"$(jq .classes.lost_through.blocks "$tmp/json")" "$(jq .classes.possible.blocks "$tmp/json")" \
		"$(jq .pause_ms "$tmp/json")"
}

# reading PROGRAM ARG...: it says "ready", and reads on
reading() {
	have "$1" || {
		row "${1##*/} (not installed)" - - - - -
		return
	}
	begin "$@" && lost "${1##*/}"
	finish
}

# redis WHAT SERVER
redis() {
	local load

	begin_redis "$2" "${redis_server[@]:1}"
	redis-benchmark -s "$redis_socket" -q -n 200000 -r 100000 -t set,lpush,hset >/dev/null 2>&1
	redis-benchmark -s "$redis_socket" -q -l -r 100000 -t set,get >/dev/null 2>&1 &
	load=$!
	started+=("$load")
	lost "redis-server, $1, under load"
	kill "$load"
	wait "$load" 2>/dev/null
	end_redis
}

echo
table "lost by programs that have lost nothing" blocks directly "through others" possible "stopped for ms"
python=$(python_itself)
[ -z "$python" ] || reading "$python" -c 'import json, re, sys, asyncio, decimal
d = {i: [str(i)] * 3 for i in range(50000)}
print("ready", flush=True); sys.stdin.readline()'
# shellcheck disable=SC2016
reading perl -e 'my %h; push @{$h{$_ % 97}}, "item $_" x ($_ % 9) for 1 .. 20000; $| = 1; print "ready\n"; <STDIN>'
reading sqlite3 -cmd "$(sql_table 100000) create index tb on t(b); select 'ready';" :memory:
reading gdb -q -nx -ex 'printf "ready\n"' "$(command -v gdb)"
if have redis-server && have redis-benchmark; then
	redis jemalloc redis-server
	if have make && get_redis_source && build_redis gcc; then
		redis "the C library's malloc" "$tmp/gcc/src/redis-server"
	else
		row "redis-server, the C library's malloc (no source)" - - - - -
	fi
else
	row "redis-server (not installed)" - - - - -
fi
if g++ -O2 -g -o "$tmp/leveldb" "$here/leveldb.cc" -lleveldb -pthread 2>/dev/null; then
	reading "$tmp/leveldb" "$tmp/leveldb.db"
else
	row "LevelDB, C++, four busy threads (not installed)" - - - - -
fi
