#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The page of a profile whose call tree has NODES (1000000) nodes, in headless chromium: its size, how long until
# the overview is there, each view after a click and each change of the flame graph; and in turns with it
# speedscope's page with the folded stacks of the same profile.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
NODES=${NODES:-1000000}
LIMIT=300
web=$here/../web
SPEEDSCOPE=speedscope@1.25.0

echo "## The page"
echo
for tool in node npm chromium; do
	have "$tool" || { echo "There is no $tool: nothing measured."; exit 0; }
done
need_mprof
[ -d "$web/node_modules/playwright-core" ] ||
	{ echo "web/node_modules is not there (make page): nothing measured."; exit 0; }
build_linked report && quiet "$B/bench/report" "$NODES" "$tmp/data" || exit 1
rm -f "$tmp/data.html"
quiet "$MPROF" report --format=html -o "$tmp/page.html" "$tmp/data" || exit 1

why=
quiet npm install --prefix "$tmp/speedscope" --ignore-scripts --silent --no-fund --no-audit "$SPEEDSCOPE" ||
	why="npm could not get $SPEEDSCOPE"
[ -n "$why" ] || quiet "$MPROF" report --format=folded -o "$tmp/folded" "$tmp/data" ||
	why="there are no folded stacks"

# figures COMMAND...: each line "NAME<tab>FIGURE" of its output goes to a file by the number of its name
figures() {
	local name figure n

	quiet "$@" || return 1
	while IFS=$'\t' read -r name figure; do
		n=$(grep -nxF "$name" "$tmp/names" | cut -d : -f 1)
		[ -n "$n" ] || { echo "$name" >>"$tmp/names" && n=$(wc -l <"$tmp/names"); }
		echo "$figure" >>"$tmp/step.$n"
	done <"$tmp/out"
}

: >"$tmp/names"
for ((i = 0; i < RUNS; i++)); do
	figures node "$web/dev/times.mjs" "$tmp/page.html"
	[ -n "$why" ] || figures node "$web/dev/speedscope.mjs" \
		"$tmp/speedscope/node_modules/speedscope/dist/release" "$tmp/folded" "$tmp" ||
		why="it could not be opened with $(num "$(calc "$(stat -c %s "$tmp/folded") / 1000000")" 1) MB of folded stacks"
done

echo "A made-up profile of $NODES nodes, as in Reports: its page has $(num "$(calc "$(stat -c %s "$tmp/page.html") / 1000000")" 1) MB."
echo "Milliseconds, from opening the page or from a click until all has been drawn; three frames of the screen are"
echo "in each of the latter."
echo
table step milliseconds most
while read -r name; do
	n=$(grep -nxF "$name" "$tmp/names" | cut -d : -f 1)
	[ "$name" = "speedscope: size" ] && size=$(median "step.$n") && continue
	row "$name" "$(num "$(median "step.$n")" 0)" "$(num "$(sort -g "$tmp/step.$n" | tail -n 1)" 0)"
done <"$tmp/names"
echo
if [ -n "$why" ]; then
	echo "speedscope: nothing measured, $why."
else
	echo "speedscope was given $(num "$(calc "$size / 1000000")" 1) MB besides its own page."
fi
