#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs people use: what mprof does for each pair of an allocation and a free, and how much slower
# they are. SCALE (1) multiplies their work.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
SCALE=${SCALE:-1}

build churn || exit 1
need_mprof

sql_table $((1000 * SCALE)) >"$tmp/sql"
cat >>"$tmp/sql" <<-EOT
	create index tb on t(b);
	select count(*), sum(c), max(b) from t;
	select count(*) from (select b, group_concat(a) from t where a % 7 = 3 group by substr(b, 5, 2));
	select count(*) from (select lower(b) || upper(b) x from t order by x);
EOT
python_words $((6 * SCALE)) >"$tmp/py"
perl_items $((4000 * SCALE)) >"$tmp/pl"

python=$(python_itself)
export PERL_HASH_SEED=0 PYTHONHASHSEED=0

# redis_serve TIMES COMMAND...: how long a fixed number of requests takes a server started by COMMAND
redis_serve() {
	local name=$1 from pid
	shift
	begin_redis "$@" "${redis_server[@]}"
	from=$EPOCHREALTIME
	if timeout -k 5 "$LIMIT" redis-benchmark -s "$redis_socket" -q -c 10 -n $((1500 * SCALE)) \
		-t set,get,lpush,lrange_100 </dev/null >"$tmp/redis.out" 2>&1; then
		awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }' >>"$tmp/$name"
	else
		echo - >>"$tmp/$name"
	fi
	end_redis
}

# one NAME RUNNER COMMAND...: samples alone and under mprof, in turns
one() {
	local name=$1 runner=$2 i
	shift 2
	for ((i = 0; i < RUNS; i++)); do
		"$runner" "$name.alone" "$@"
		"$runner" "$name.under" "$MPROF" run --stats -o /dev/null --data="$tmp/data" \
			${1:+--} "$@"
		cp "$tmp/err" "$tmp/$name.stats"
	done
}

line() {
	local name=$1 allocs frees pairs stops traps steps written
	cp "$tmp/$name.stats" "$tmp/err"
	allocs=$(stat_of allocations) frees=$(stat_of frees)
	stops=$(stat_of "stops in all") traps=$(stat_of "traps hit")
	steps=$(stat_of "single steps") written=$(stat_of "traps written")
	pairs=$(calc "($allocs + $frees) / 2")
	turns each "$name.under" "$name.alone" "(a - b) * 1e6 / ${pairs:-0}"
	row "$name" "$(num "$pairs" 0)" "$(num "$(calc "$stops / $pairs")" 3)" \
		"$(num "$(calc "$traps / $pairs")" 3)" "${steps:--}" "${written:--}" \
		"$(num "$(median each)")" "$(num "$(ratio "$name.under" "$name.alone")" 1)"
}

echo "## Programs"
echo
echo "Per pair of an allocation and a free; the time includes starting, naming what was seen and writing"
echo "the data file. Traps written are all of them, from the first to the last."
echo
table program pairs "stops a pair" "traps a pair" "single steps" "traps written" "us more a pair" \
	"times slower"
one churn seconds "$B/bench/churn" 20000
line churn
if have sqlite3; then
	one sqlite3 seconds sqlite3 -batch :memory: ".read $tmp/sql"
	line sqlite3
fi
if [ -n "$python" ]; then
	one python3 seconds "$python" "$tmp/py"
	line python3
fi
if have perl; then
	one perl seconds perl "$tmp/pl"
	line perl
fi
if have redis-server && have redis-benchmark && have redis-cli; then
	one redis-server redis_serve
	line redis-server
fi
for p in sqlite3 python3 perl redis-server redis-benchmark; do
	have "$p" || printf '\n%s is not installed.' "$p"
done
echo
