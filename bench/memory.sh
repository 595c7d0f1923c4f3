#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What the tracer needs memory for. One sample each: these numbers do not vary.
#
# BLOCKS (1000000) live ones, 3 * 2^LEVELS (16) call-tree nodes, CHURN (60000) pairs.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
BLOCKS=${BLOCKS:-1000000}
LEVELS=${LEVELS:-16}
CHURN=${CHURN:-60000}

build blocks && build churn || exit 1
need_mprof

for_counters() {
	stat_of "for counters and live blocks"
}

for_tree() {
	stat_of "for the call tree"
}

run() {
	quiet "$MPROF" run --wait=pin --stats -o /dev/null --data="$tmp/data" -- "$@"
}

# field NAME: of what the tracer last told about itself
field() {
	sed -n "s/^$1: *//p" "$tmp/status"
}

few= many= nodes= bytes= data=
echo "## Memory of the tracer"
echo
table what number bytes "bytes each"
run "$B/bench/blocks" live 1 && few=$(for_counters)
run "$B/bench/blocks" live "$BLOCKS" && many=$(for_counters)
more=$(calc "$many - $few")
row "live blocks" "$BLOCKS" "${more:--}" "$(num "$(calc "$more / $BLOCKS")" 1)"
run "$B/bench/blocks" tree "$LEVELS" &&
	nodes=$(cat "$tmp/out") bytes=$(for_tree) data=$(stat -c %s "$tmp/data")
row "call-tree nodes" "${nodes:--}" "${bytes:--}" "$(num "$(calc "$bytes / $nodes")" 1)"
row "the same in the data file" "${nodes:--}" "${data:--}" "$(num "$(calc "$data / $nodes")" 1)"
echo
echo "All tables grow by doubling: between two doublings the bytes each fall to about a half."
echo

echo "A program that allocates and frees for ever by known chains:"
echo
table "allocations so far" "tracer's memory in KiB"
"$MPROF" run --wait=pin -o /dev/null --data=/dev/null -- "$B/bench/churn" "$CHURN" >/dev/null 2>&1 &
mprof=$!
started+=("$mprof")
rows=()
for ((i = 0; i < 100 && ${#rows[@]} < 4; i++)); do
	sleep 0.3
	tracer=$(pgrep -P "$mprof")
	pid=${tracer:+$(pgrep -P "$tracer" -x churn)}
	[ -n "$pid" ] || continue
	"$MPROF" control "$pid" status >"$tmp/status" 2>/dev/null || continue
	so_far=$(field allocations)
	[ "$so_far" -gt 500 ] || continue
	rows+=("$so_far")
	row "$so_far" "$(field "tracer's memory in KiB")"
done
wait "$mprof"
