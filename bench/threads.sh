#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Fairness: THREADS (8) threads that make N (2000) pairs each; how much longer the slowest took.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
THREADS=${THREADS:-8}
N=${N:-2000}
ways=(follow adaptive sleep spin pin)
known=()

build race -pthread || exit 1
need_mprof

race() {
	local name=$1
	shift
	if quiet "$@"; then
		sed -n 1p "$tmp/out" >>"$tmp/$name"
		sed -n 2p "$tmp/out" >>"$tmp/$name.us"
	fi
}

for way in "${ways[@]}"; do
	"$MPROF" run --wait="$way" -o /dev/null --data=/dev/null true 2>/dev/null && known+=("$way")
done
for ((i = 0; i < RUNS; i++)); do
	race alone "$B/bench/race" "$THREADS" 2000000
	for way in "${known[@]}"; do
		race "$way" "$MPROF" run --wait="$way" -o /dev/null --data=/dev/null -- "$B/bench/race" "$THREADS" "$N"
	done
done

echo "## $THREADS threads at once"
echo
table waiting "slowest / fastest thread" "us per pair"
for way in alone "${known[@]}"; do
	row "$way" "$(num "$(median "$way")")" "$(num "$(median "$way.us")" 3)"
done
