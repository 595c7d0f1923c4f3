#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The long tests, at full length; prints figures. Arguments: which of them (all): attach, threads,
# moments, kills, points, counts, redis, faults, births, orders, held.
#
#	MPROF=path/to/mprof B=build tests/soak/soak.sh [attach|threads|moments|kills|points|counts|redis|faults|births|orders|held]...
#
# MPROF_ENGINE says with which engine. COUNTED is how many rounds each of 8 threads counts (84 million,
# about a billion events, if that is fast; else 2000).
# CYCLES (1000), MOMENTS (1000), KILLS (200), REDIS_CYCLES (50), BIRTHS (100000), and ORDERS and HELD (3600
# seconds each) shorten them; SEED (1) is of what is random in orders and held. KILLED is what is killed: "8",
# threads, or "8 1000", with a pause of so many microseconds after each request.
# shellcheck disable=SC2154,SC1091,SC2015

cd "${0%/*}/../.." || exit 1
export BATS_TEST_TMPDIR BATS_TEST_NUMBER=0
BATS_TEST_TMPDIR=$(mktemp -d /tmp/mprof-soak-XXXXXX)
run() { "$@"; }
# shellcheck source=tests/lib/common.bash
. tests/lib/common.bash
# shellcheck source=tests/lib/live.bash
. tests/lib/live.bash
# shellcheck source=tests/lib/redis.bash
. tests/lib/redis.bash
failed=0

bad() {
	failed=$((failed + 1))
	printf '%s\n' "FAILED: $*"
}

build_targets || exit 1
need_mprof || exit 1
setup || exit 1

# one_cycle PROGRAM FIELD: attach, work, detach, work, everything as it was
one_cycle() {
	attach -o report.txt --data=run.data "$PID" &&
		progress "$1" "$2" &&
		detach "$PID" &&
		clean "$PID"
}

attach_test() { # TARGET FIELD CYCLES ARG...
	local name=$1 field=$2 n=$3 i start=$SECONDS ok=0
	shift 3
	start "$name" "$T/$name" "$@" && before "$PID" || { bad "$name does not start"; return; }
	for ((i = 1; i <= n; i++)); do
		if one_cycle "$name" "$field"; then
			ok=$((ok + 1))
		else
			bad "$name: cycle $i"
			gone "$PID" && break
			kill -TERM "$FRONT" 2>/dev/null
			ended "$FRONT"
		fi
		[ $((i % 100)) != 0 ] || echo "$name: $i cycles, $((SECONDS - start)) s"
	done
	if finish "$name" && grep -qx 'checksum right' "$name.out"; then
		echo "$name $*: attached and detached $ok of $n times, checksum right, $((SECONDS - start)) s"
	else
		bad "$name: $(tail -n 2 "$name.out")"
	fi
	rm -f "$name".*
}

# Threads that live for a moment, on a busy machine: births and ends fall into each seizing and
# letting go.
moments_test() { # ROUNDS ARG...
	local n=$1 i burner ok=0 start=$SECONDS burners=()
	shift
	[ "$n" -gt 0 ] || return
	start moments "$T/moments" "$@" && before "$PID" || {
		bad "moments $* does not start"
		return
	}
	for i in 1 2; do
		env "MPROF_TEST_MARK=$MARK" seq 10000000000 >/dev/null &
		burners+=($!)
	done
	for ((i = 1; i <= n; i++)); do
		if limited "$MPROF" attach --duration=0.1 -o report.txt --data=run.data "$PID" \
			>front.out 2>&1 && ! gone "$PID"; then
			ok=$((ok + 1))
		else
			bad "moments $*: round $i: $(tail -n 2 front.out)"
			gone "$PID" && break
		fi
	done
	for burner in "${burners[@]}"; do
		kill "$burner"
		wait "$burner" 2>/dev/null
	done
	gone "$PID" || { progress moments && clean "$PID"; } || bad "moments $*: not as it was"
	if finish moments && grep -qx 'checksum right' moments.out; then
		echo "moments $*: attached and detached $ok of $n times, checksum right, $((SECONDS - start)) s"
	else
		bad "moments $*: ended with $STATUS, $(tail -n 2 moments.out)"
	fi
	exec {moments_fd}>&-
	rm -f moments.*
}

# A busy program whose tracer is killed: did it survive, with its own bytes?
kill_test() {
	local n=${KILLS:-200} i survived=0 harmed=0 died=0 start=$SECONDS
	for ((i = 1; i <= n; i++)); do
		rm -f server.*
		# shellcheck disable=SC2086
		start server "$T/server" ${KILLED:-8} && before "$PID" || { bad "server does not start"; return; }
		attach -o report.txt --data=run.data "$PID" && progress server 1 || bad "kill $i: attach"
		kill -KILL "$(tracer_of "$PID")"
		ended "$FRONT" || bad "kill $i: mprof attach goes on"
		if gone "$PID"; then
			ended "$PID"
			died=$((died + 1))
			echo "kill $i: the program died with status $STATUS"
		elif until_true free all_free "$PID" && own_bytes "$PID" && progress server 2 &&
			finish server && grep -qx 'checksum right' server.out; then
			survived=$((survived + 1))
		elif gone "$PID"; then
			ended "$PID"
			died=$((died + 1))
			echo "kill $i: the program died a little later with status $STATUS"
		else
			harmed=$((harmed + 1))
			echo "kill $i: harmed: $(task_states "$PID" 2>/dev/null | tr '\n' ' ')"
			kill -KILL "$PID" 2>/dev/null
			ended "$PID"
		fi
		exec {server_fd}>&-
	done
	echo "kill -9 of the tracer of a program (server ${KILLED:-8}): survived $survived of $n, died $died, harmed $harmed, $((SECONDS - start)) s"
	[ $harmed = 0 ] || bad "$harmed programs were harmed"
}

# counted ROUNDS: allocations, frees and kept bytes of the program, as it says itself and as mprof does
counted() {
	LIMIT=86400 limited "$MPROF" run -o /dev/null --data=run.data -- "$T/races" "$1" >races.out 2>races.err &&
		grep -q ' 0 truncated chains,.* 0 events lost' races.err || return 1
	read -r _ load _ _ _ m c r f < <(grep '^load' races.out)
	own=($((m + c + r)) $((f + r)) "$load")
	read -r -a seen < <("$MPROF" report --format=json run.data |
		jq -r '.totals | "\(.allocs) \(.frees) \(.kept_bytes)"')
	[ ${#seen[@]} = 3 ]
}

# Eight threads that pass blocks to each other and count their calls. What the C library does besides, for
# output and threads, is what there is when they do nothing.
counts_test() {
	local rounds=2000 load m c r f i own seen idle bare start
	[ "${MPROF_ENGINE:-}" = fast ] && rounds=84000000
	rounds=${COUNTED:-$rounds}
	counted 0 || { bad "counts: $(tail -n 3 races.err)"; return; }
	idle=("${seen[@]}") bare=("${own[@]}") start=$SECONDS
	counted "$rounds" || { bad "counts: $(tail -n 3 races.err)"; return; }
	for i in 0 1 2; do
		[ $((seen[i] - idle[i])) = $((own[i] - bare[i])) ] ||
			bad "counts: $((seen[i] - idle[i])), and the program says $((own[i] - bare[i]))"
	done
	echo "counts: ${own[0]} allocations, ${own[1]} frees, ${own[2]} bytes kept by 8 threads," \
		"$((SECONDS - start)) s; mprof: $((seen[0] - idle[0] + bare[0]))," \
		"$((seen[1] - idle[1] + bare[1])), $((seen[2] - idle[2] + bare[2]))"
}

redis_number() {
	redis-cli -s "$D/redis.sock" info "$1" 2>/dev/null | tr -d '\r' | sed -n "s/^$2:\([0-9]*\).*/\1/p"
}

redis_served() { # MORE THAN
	local n
	n=$(redis_number stats total_commands_processed)
	[ "${n:-0}" -gt "$1" ]
}

# redis_begins: PID is a redis-server, BENCH the number of who loads it without an end
redis_begins() {
	command -v redis-check-rdb >/dev/null && command -v redis-benchmark >/dev/null || {
		echo "redis: skipped, because redis is not installed (apt-get install redis-tools)"
		return 1
	}
	begin_redis || { bad "redis"; return 1; }
	env "MPROF_TEST_MARK=$MARK" redis-benchmark -s "$D/redis.sock" -q -l -n 20000 -c 20 -r 10000 -d 100 \
		-t set,get,incr,lpush,lpop,sadd,hset,spop,mset >bench.out 2>&1 </dev/null &
	BENCH=$!
	until_true "redis-benchmark does not start" redis_served 1000 || { bad "redis-benchmark"; return 1; }
	before "$PID"
}

redis_goes_on() {
	! gone "$BENCH" || { bad "redis-benchmark has ended: $(tr '\r' '\n' <bench.out | tail -n 3)"; return 1; }
	! gone "$PID" || { bad "redis has died"; return 1; }
}

# redis_serves N: so many requests more than until now
redis_serves() {
	until_true "redis stands still" redis_served $(($(redis_number stats total_commands_processed) + $1))
}

# redis_ends: how many requests it has SERVED, and how many of them with ERRORS
redis_ends() {
	SERVED=$(redis_number stats total_commands_processed)
	ERRORS=$(redis_number stats total_error_replies)
	kill -TERM "$BENCH"
	ended "$BENCH"
	! tr '\r' '\n' <bench.out | grep -Eai 'error|could not|reset|closed' || bad "redis-benchmark saw errors"
	[ "${ERRORS:-1}" = 0 ] || bad "redis: $ERRORS error replies"
	redis-cli -s "$D/redis.sock" shutdown nosave >/dev/null 2>&1
	ended "$PID"
	[ "$STATUS" = 0 ] || bad "redis ended with status $STATUS"
}

redis_test() {
	local n=${REDIS_CYCLES:-50} i ok=0 start=$SECONDS
	redis_begins || return
	for ((i = 1; i <= n; i++)); do
		if attach -o report.txt --data=run.data "$PID" && redis_serves 500 &&
			detach "$PID" && clean "$PID" && redis_serves 1000; then
			ok=$((ok + 1))
		else
			bad "redis: cycle $i"
		fi
		redis_goes_on || break
	done
	redis_ends
	echo "redis-server: attached and detached $ok of $n times, $SERVED requests, $ERRORS failed, $((SECONDS - start)) s"
}

tracer_kib() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(tracer_of "$PID")/status" 2>/dev/null
}

# a_step: what somebody may ask of a session, in any order
a_step() {
	local words=(suspend resume save status serve)
	local word=${words[RANDOM % 5]}
	steps[$word]=$((${steps[$word]:-0} + 1))
	case $word in
	serve) redis_serves 500 ;;
	*) answered "$word" ;;
	esac
}

# Sessions that are suspended, resumed and saved in random order, for so many seconds.
orders_test() { # SECONDS
	local end=$((SECONDS + $1)) sessions=0 start=$SECONDS kib at_end=() n
	declare -A steps=()
	redis_begins || return
	while [ $SECONDS -lt $end ] && redis_goes_on; do
		sessions=$((sessions + 1))
		attach -o report.txt --data=run.data "$PID" || { bad "orders: session $sessions"; break; }
		for ((n = RANDOM % 12; n > 0; n--)); do
			a_step || bad "orders: session $sessions"
		done
		# So that there is something to compare: it has seen much of the load at least once.
		answered resume && redis_serves 20000 || bad "orders: session $sessions"
		kib=$(tracer_kib)
		at_end+=("${kib:-0}")
		detach "$PID" && clean "$PID" && redis_serves 500 || bad "orders: session $sessions"
	done
	redis_ends
	echo "redis-server: $sessions sessions in $((SECONDS - start)) s, $SERVED requests, $ERRORS failed, steps:" \
		"$(for n in "${!steps[@]}"; do printf '%s %s ' "$n" "${steps[$n]}"; done)"
	echo "  the tracing process at the end of the first sessions, KiB: ${at_end[*]:0:5}; of the last: ${at_end[*]: -5}"
}

# One session, for so many seconds: its tracing process does not grow.
held_test() { # SECONDS
	local end=$((SECONDS + $1)) start=$SECONDS next kib all=()
	declare -A steps=()
	redis_begins || return
	attach -o report.txt --data=run.data "$PID" || { bad "held"; redis_ends; return; }
	next=$((SECONDS + 60))
	while [ $SECONDS -lt $end ] && redis_goes_on; do
		a_step || bad "held"
		[ $SECONDS -ge $next ] || continue
		kib=$(tracer_kib)
		all+=("${kib:-0}")
		next=$((SECONDS + 60))
	done
	detach "$PID" && clean "$PID" && redis_serves 500 || bad "held: detach"
	redis_ends
	echo "redis-server: one session of $((SECONDS - start)) s, $SERVED requests, $ERRORS failed; the tracing process each minute, KiB: ${all[*]}"
}

# Each call of each kind fails once, see tests/bats/faults.bats.
faults_test() {
	local start=$SECONDS
	env -u MARK -u XDG_RUNTIME_DIR -u TMPDIR FAULTS=all bats "$ROOT/tests/bats/faults.bats" || bad "faults"
	echo "faults: $((SECONDS - start)) s"
}

# Each process of mprof's but the tracing one is killed at each of its system calls, see tests/bats/killed*.bats; and
# all has to do with ever more addresses, see tests/bats/limits.bats.
points_test() {
	local start=$SECONDS
	env -u MARK -u XDG_RUNTIME_DIR -u TMPDIR POINTS=all bats "$ROOT"/tests/bats/killed*.bats || bad "points"
	env -u MARK -u XDG_RUNTIME_DIR -u TMPDIR ADDRESS_STEP=250 bats -f 'addresses' "$ROOT/tests/bats/limits.bats" || bad "points: addresses"
	echo "points: $((SECONDS - start)) s"
}

# births_test N: of so many threads that live for one allocation each every one is counted
births_test() {
	local start=$SECONDS
	rm -f bins
	BINS=bins limited "$MPROF" run -o /dev/null --data=run.data "$T/hostile" births "$1" >births.out 2>births.err &&
		json run.data bins || bad "births"
	echo "births: $1 threads, $((SECONDS - start)) s"
}

cycles=${CYCLES:-1000}
RANDOM=${SEED:-1}
moments=${MOMENTS:-1000}
for what in "${@:-all}"; do
	case $what in
	attach | all) attach_test server 1 "$cycles" ;;&
	threads | all)
		attach_test threads 1 $(((cycles + 9) / 10)) churn
		attach_test threads 1 $(((cycles + 49) / 50)) many 1000
		;;&
	moments | all)
		moments_test $((moments * 3 / 10)) chains 2
		moments_test $((moments * 3 / 10)) chains 20
		moments_test $((moments / 10)) chains 100
		moments_test $((moments / 10)) heirs 20
		moments_test $((moments / 10)) makers 1
		moments_test $((moments / 10)) makers 4
		;;&
	kills | all) kill_test ;;&
	points | all) points_test ;;&
	counts | all) counts_test ;;&
	redis | all) redis_test ;;&
	faults | all) faults_test ;;&
	births | all) births_test "${BIRTHS:-100000}" ;;&
	orders | all) orders_test "${ORDERS:-3600}" ;;&
	held | all) held_test "${HELD:-3600}" ;;&
	attach | threads | moments | kills | points | counts | redis | faults | births | orders | held | all) ;;
	*) echo "soak: there is no test \"$what\"" && exit 2 ;;
	esac
done
teardown || bad "processes are left"
cd / && rm -rf "$BATS_TEST_TMPDIR"
[ $failed = 0 ] || echo "soak: $failed failures"
[ $failed = 0 ]
