#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Writing, reading and printing a profile whose call tree has NODES (1000000) nodes, and a page of it.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
NODES=${NODES:-1000000}
build_linked report || exit 1

steps=(write read tables json page)
for ((i = 0; i < RUNS; i++)); do
	quiet "$B/bench/report" "$NODES" "$tmp/data" || continue
	for s in "${steps[@]}" bytes page_bytes; do
		sed -n "s/^$s //p" "$tmp/out" >>"$tmp/$s"
	done
	calc "$(sed -n 's/^read //p' "$tmp/out") + $(sed -n 's/^tables //p' "$tmp/out")" >>"$tmp/both"
done

echo "## Reports"
echo
echo "A call tree of $NODES nodes, made up, with $(num "$(calc "$NODES * 0.4")" 0) ends of chains, 20,000 call"
echo "sites and 5,000 functions. The data file has $(num "$(calc "$(median bytes) / $NODES")" 1) bytes a node,"
echo "the page, without its template, $(num "$(calc "$(median page_bytes) / 1000000")" 1) MB."
echo
table step seconds least
for s in "${steps[@]}"; do
	row "$s" "$(num "$(median "$s")")" "$(num "$(least "$s")")"
done
row "mprof report: read and tables" "$(num "$(median both)")" "$(num "$(least both)")"
