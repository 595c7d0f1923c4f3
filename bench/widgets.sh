#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The measure of the paper of 1988: its example with 100,000 widgets; how much slower, and how much
# memory the monitor needs for the memory the user asked for.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
WIDGETS=${WIDGETS:-100000}

need_mprof
mkdir -p "$B/bench"
sed "s/WIDGETS = 10000 /WIDGETS = $WIDGETS /" "$here/../examples/widgets.c" >"$tmp/widgets.c"
grep -q "WIDGETS = $WIDGETS " "$tmp/widgets.c" || exit 1
$CC -g -O0 -o "$B/bench/widgets" "$tmp/widgets.c" || exit 1

for ((i = 0; i < RUNS; i++)); do
	seconds alone "$B/bench/widgets"
	seconds under "$MPROF" run --stats -o /dev/null --data="$tmp/data" -- "$B/bench/widgets"
done
user=$(sed -nE 's/.*at most ([0-9]+) bytes.*/\1/p' "$tmp/err")
monitor=$(sed -nE 's/.*memory: ([0-9]+) bytes for places, ([0-9]+) for .*, ([0-9]+) for the call tree/\1 + \2 + \3/p' \
	"$tmp/err")
allocs=$(stat_of allocations) frees=$(stat_of frees)

echo "## The widgets of the paper"
echo
echo "$WIDGETS widgets: ${allocs:--} requests, ${frees:--} frees. They need ${user:--} bytes, the monitor"
echo "$(num "$(calc "$monitor")" 0), which is $(num "$(calc "100 * ($monitor) / $user")" 1)% of that."
echo
turns each under alone "(a - b) * 1e6 / ($allocs + $frees)"
table "seconds under mprof" "alone" "times slower" "us more per call"
row "$(num "$(median under)" 3)" "$(num "$(median alone)" 4)" "$(num "$(ratio under alone)" 0)" \
	"$(num "$(median each)")"
