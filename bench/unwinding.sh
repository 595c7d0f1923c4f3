#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What a frame costs: chains that repeat, and chains that are all new. With --wait=pin, where a stop
# costs the same every time.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
depths=(1 10 100 1000 10000)
firsts=(1000 4000)

build chain || exit 1
need_mprof

chain() {
	sample "$1" "$MPROF" run --wait=pin --stats -o /dev/null --data="$tmp/data" -- "$B/bench/chain" "$2" "$3"
	cp "$tmp/err" "$tmp/$1.stats"
}

for ((i = 0; i < RUNS; i++)); do
	for d in "${depths[@]}"; do
		chain "at$d" "$d" $((d < 300 ? 10000 : 2000000 / d))
	done
	for d in "${firsts[@]}"; do
		chain "first$d" first "$d"
	done
done

remembered() {
	cp "$tmp/$1.stats" "$tmp/err"
	num "$(calc "100 * $(stat_of 'steps remembered') / ($(stat_of 'steps remembered') + $(stat_of made))")" 3
}

echo "## Unwinding"
echo
echo "A pair of malloc and free at the bottom of a recursion, one chain again and again (\`--wait=pin\`)."
echo
table "calls deep" "us per pair" "us more than at 1" "ns per frame" "% of steps remembered"
for d in "${depths[@]}"; do
	if [ "$d" = 1 ]; then
		row 1 "$(num "$(median at1)")" - - "$(remembered at1)"
		continue
	fi
	turns more "at$d" at1 "a - b"
	more=$(median more)
	row "$d" "$(num "$(median "at$d")")" "$(num "$more")" "$(num "$(calc "1000 * $more / ($d - 1)")" 1)" \
		"$(remembered "at$d")"
done
echo
echo "Depth first: a pair at each call of a recursion, so that no chain repeats and each is longer by one."
echo
table "calls deep" "us per pair" "frames per chain" "ns per frame" "% of steps remembered"
for d in "${firsts[@]}"; do
	turns more "first$d" at1 "a - b"
	row "$d" "$(num "$(median "first$d")")" "$((d / 2))" \
		"$(num "$(calc "1000 * $(median more) / ($d / 2)")" 1)" "$(remembered "first$d")"
done
