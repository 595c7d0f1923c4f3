#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What it costs to count an event, by how its chain is told: by its frames, as the traps do, or by the node
# of the call tree, as an engine does that grows the tree itself. Nothing is traced.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

build_linked events || exit 1
sizes=("1 0 2000000" "1000 100000 1000000" "20000 1000000 500000")

for ((i = 0; i < RUNS; i++)); do
	for k in "${!sizes[@]}"; do
		# shellcheck disable=SC2086
		quiet "$B/bench/events" ${sizes[k]} || continue
		read -r frames node <"$tmp/out"
		echo "$frames" >>"$tmp/frames$k"
		echo "$node" >>"$tmp/node$k"
	done
done

echo "## Counting"
echo
echo "An allocation and a free in \`profile_event()\`, chains of ten calls, the blocks beside it live."
echo
table "chains" "live blocks" "ns, frames" "ns, node" "node / frames"
for k in "${!sizes[@]}"; do
	read -r chains live _ <<<"${sizes[k]}"
	row "$chains" "$live" "$(num "$(median "frames$k")" 0)" "$(num "$(median "node$k")" 0)" \
		"$(num "$(ratio "node$k" "frames$k")")"
done
