#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What memory over time costs: a pair of malloc and free without a timeline, with the one that every
# data file has, and with massif files. With --wait=pin, where a stop costs the same every time.
#
# PAIRS (20000), and RUNS turns of each.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
PAIRS=${PAIRS:-20000}

build churn || exit 1
need_mprof

pair() {
	local name=$1
	shift
	sample "$name" "$MPROF" run --wait=pin -o /dev/null --data=/dev/null "$@" -- "$B/bench/churn" "$PAIRS"
}

for ((i = 0; i < RUNS; i++)); do
	pair none --timeline=0
	pair timeline
	pair massif --massif-out-file="$tmp/m" --time-unit=B
	pair ms --massif-out-file="$tmp/m" --time-unit=ms
	pair every --massif-out-file="$tmp/m" --time-unit=B --detailed-freq=1 --max-snapshots=1000
	pair exact --massif-out-file="$tmp/m" --time-unit=B --peak-inaccuracy=0
	pair stacks --massif-out-file="$tmp/m" --time-unit=B --stacks=yes
done

echo "## Memory over time"
echo
echo "Microseconds per pair of malloc and free, ten functions deep (\`--wait=pin\`)."
echo
table "what is kept" "us per pair" "least" "/ without a timeline" "of the least"
line() {
	row "$2" "$(num "$(median "$1")")" "$(num "$(least "$1")")" "$(num "$(ratio "$1" none)" 3)" \
		"$(num "$(calc "$(least "$1") / $(least none)")" 3)"
}
line none "no timeline (\`--timeline=0\`)"
line timeline "the timeline of the data file"
line massif "and a massif file, unit B"
line ms "the same, unit ms"
line every "the same, unit B, 1000 snapshots, each with a tree"
line exact "the same, \`--peak-inaccuracy=0\`"
line stacks "the same, \`--stacks=yes\`"
