#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What the engines add to a program, beside heaptrack: to a pair of malloc and free ten functions deep,
# by threads; and to programs that people use.
#
# PAIRS (1000000) by all threads together, TRAP_PAIRS (4000) with traps, in RUNS turns, nine at least.
# SCALE (1) multiplies the programs' work; ENGINE_RUNS (3) turns of them. PARTS (pair programs redis
# idle).

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
PAIRS=${PAIRS:-1000000}
TRAP_PAIRS=${TRAP_PAIRS:-4000}
SCALE=${SCALE:-1}
TURNS=$((RUNS > 9 ? RUNS : 9))
ENGINE_RUNS=${ENGINE_RUNS:-3}
PARTS=${PARTS:-pair programs redis idle}
threads=(1 2 4 8)

build deep -pthread || exit 1
need_mprof
export PYTHONHASHSEED=0

with() { # ENGINE COMMAND...
	local engine=$1
	shift
	"$MPROF" run --engine="$engine" -o /dev/null --data=/dev/null -- "$@"
}

tracked() { # COMMAND...
	heaptrack --raw -o "$tmp/heaptrack" "$@"
}
# what runs under timeout(1) must be a command
export -f with tracked
export MPROF tmp

under() { # WHAT COMMAND...: the command as WHAT runs it, in ${cmd[@]}
	local what=$1
	shift
	case $what in
	alone) cmd=("$@") ;;
	heaptrack) cmd=(bash -c 'tracked "$@"' - "$@") ;;
	*) cmd=(bash -c 'with "$@"' - "$what" "$@") ;;
	esac
}

# ---- a pair ----

pairs_of() { # WHAT THREADS
	case $1 in
	trap) echo $((TRAP_PAIRS / $2)) ;;
	*) echo $((PAIRS / $2)) ;;
	esac
}

pair() {
	local t what i cmd

	for ((i = 0; i < TURNS; i++)); do
		for t in "${threads[@]}"; do
			for what in alone fast heaptrack trap; do
				[ $what = heaptrack ] && ! have heaptrack && continue
				under $what "$B/bench/deep" "$t" "$(pairs_of $what "$t")"
				sample "$what.$t" "${cmd[@]}"
			done
		done
	done

	echo "## Engines: a pair of malloc and free, ten functions deep"
	echo
	echo "Microseconds by the pairs of all threads, medians of $TURNS turns of $PAIRS pairs ($TRAP_PAIRS with traps)."
	echo "What is added is each turn's own difference to the program alone."
	echo
	table threads alone fast heaptrack trap "added by fast" "by heaptrack" "fast / heaptrack" "goal"
	for t in "${threads[@]}"; do
		turns "fast+.$t" "fast.$t" "alone.$t" "a - b"
		[ -f "$tmp/heaptrack.$t" ] && turns "heaptrack+.$t" "heaptrack.$t" "alone.$t" "a - b"
		row "$t" "$(num "$(median "alone.$t")" 3)" "$(num "$(median "fast.$t")" 3)" \
			"$(num "$(median "heaptrack.$t")" 3)" "$(num "$(median "trap.$t")")" \
			"$(num "$(median "fast+.$t")" 3)" "$(num "$(median "heaptrack+.$t")" 3)" \
			"$(num "$(ratio "fast+.$t" "heaptrack+.$t")")" "0.25"
	done
	have heaptrack || printf '\nheaptrack is not installed: not compared.\n'
}

# ---- programs ----

sql_table $((300000 * SCALE)) >"$tmp/sql"
cat >>"$tmp/sql" <<-EOT
	select count(*), sum(c), max(b) from t;
EOT
python_words $((150 * SCALE)) >"$tmp/py"

# What the fast engine cannot do yet it says, and that is said here.
refusals=()
refused() { # NAME COMMAND...
	local name=$1 why
	shift
	why=$("$MPROF" run --engine=fast -o /dev/null --data=/dev/null -- "$@" 2>&1 </dev/null |
		sed -n 's/^mprof: .*the fast engine cannot be used: //p')
	[ -n "$why" ] && refusals+=("$name: not by the fast engine: $why")
}

compared=()
declare -A goals=()
one() { # NAME GOAL COMMAND...
	local name=$1 i what cmd whats=(alone fast heaptrack)
	goals[$name]=$2
	shift 2
	compared+=("$name")
	refused "$name" "$@" && whats=(alone heaptrack)
	for ((i = 0; i < ENGINE_RUNS; i++)); do
		for what in "${whats[@]}"; do
			[ "$what" = heaptrack ] && ! have heaptrack && continue
			under "$what" "$@"
			seconds "$name.$what" "${cmd[@]}"
		done
	done
	# With traps a part of it is enough to see, and one turn is all that there is patience for.
	under trap "$@"
	LIMIT=20 seconds "$name.trap" "${cmd[@]}" 2>/dev/null
}

# redis_serve NAME WHAT: how long a fixed number of SETs takes
redis_serve() {
	local n=$((20000 * SCALE)) from pid cmd
	[ "$2" = trap ] && n=$((n / 10))
	under "$2" "${redis_server[@]}"
	begin_redis "${cmd[@]}"
	from=$EPOCHREALTIME
	if timeout -k 5 "$LIMIT" redis-benchmark -s "$redis_socket" -q -c 10 -n $n -r 10000 -t set \
		</dev/null >"$tmp/redis.out" 2>&1; then
		awk -v a="$from" -v b="$EPOCHREALTIME" -v n="$n" 'BEGIN { print (b - a) / n * 1e6 }' >>"$tmp/$1.$2"
	else
		echo - >>"$tmp/$1.$2"
	fi
	end_redis
}

line() { # NAME GOAL
	row "$1" "$(num "$(median "$1.alone")")" "$(num "$(ratio "$1.fast" "$1.alone")")" \
		"$(num "$(ratio "$1.heaptrack" "$1.alone")")" "$(num "$(ratio "$1.trap" "$1.alone")" 1)" "$2"
}

programs() {
	local python cc1 name

	have sqlite3 && one sqlite3 1.5 sqlite3 -batch :memory: ".read $tmp/sql"
	cc1=$($CC -print-prog-name=cc1 2>/dev/null)
	if [ -x "$cc1" ]; then
		$CC -E -std=gnu17 -D_GNU_SOURCE -I"$here/../src" -I"$here/../include" \
			-o "$tmp/source.i" "$here/../src/unwind/unwind.c"
		one cc1 1.5 "$cc1" -quiet -O2 -fpreprocessed "$tmp/source.i" -o "$tmp/source.s"
	fi
	python=$(python_itself)
	if [ -n "$python" ]; then
		one python3 1.5 "$python" "$tmp/py"
		# Not by env: heaptrack would see that and nothing else.
		PYTHONMALLOC=malloc one "python3, PYTHONMALLOC=malloc" "3, and 1/3 of heaptrack" \
			"$python" "$tmp/py"
	fi
	echo "## Engines: programs"
	echo
	echo "Times slower than alone, start and naming of what was seen included; medians of $ENGINE_RUNS turns"
	echo "(one with traps; -: more than 20 s)."
	echo
	table program "seconds alone" fast heaptrack trap "goal of fast"
	for name in "${compared[@]}"; do
		line "$name" "${goals[$name]}"
	done
	[ ${#refusals[@]} = 0 ] || printf '\n%s\n' "${refusals[@]}"
	for name in sqlite3 python3 heaptrack; do
		have $name || printf '\n%s is not installed.\n' "$name"
	done
}

redis() {
	local i what whats=(alone fast trap)

	if ! have redis-server || ! have redis-benchmark || ! have redis-cli; then
		echo "redis is not installed."
		return
	fi
	refusals=()
	refused redis-server redis-server --version && whats=(alone trap)
	for ((i = 0; i < ENGINE_RUNS; i++)); do
		for what in "${whats[@]}"; do
			redis_serve redis-SET "$what"
		done
	done
	echo "## Engines: redis-benchmark, SET"
	echo
	table engine "us a request" "times slower" "goal of fast"
	row alone "$(num "$(median redis-SET.alone)" 1)" 1.00 -
	for what in fast trap; do
		row $what "$(num "$(median redis-SET.$what)" 1)" \
			"$(num "$(ratio redis-SET.$what redis-SET.alone)")" \
			"$([ $what = fast ] && echo 1.5 || echo -)"
	done
	[ ${#refusals[@]} = 0 ] || printf '\n%s\n' "${refusals[@]}"
}
# ---- a program that allocates nothing ----

idle() {
	local i what cmd

	build busy || return
	for ((i = 0; i < TURNS; i++)); do
		for what in alone fast trap; do
			under $what "$B/bench/busy" "$((200 * SCALE))"
			sample "busy.$what" "${cmd[@]}"
		done
	done
	echo "## Engines: a program that allocates nothing"
	echo
	echo "Its own processor time, with the C library's start; medians of $TURNS turns."
	echo
	table program "seconds alone" fast trap "goal of fast"
	row busy "$(num "$(median busy.alone)" 3)" "$(num "$(ratio busy.fast busy.alone)" 4)" \
		"$(num "$(ratio busy.trap busy.alone)" 4)" 1.01
}

for part in $PARTS; do
	$part
	echo
done
