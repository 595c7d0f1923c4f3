#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Event logs: how fast mprof reads and writes them, beside what wc and sort need for the same text.
# EVENTS (10000000) entries.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
EVENTS=${EVENTS:-10000000}

# Blocks of many ages, at most 150000 at a time, from 8 threads.
make_log() {
	awk -v n="$EVENTS" 'BEGIN {
		srand(1)
		t = 1000000
		printf "100000000%07d 7 4\n", 0
		for (i = 1; i < n - 1; i++) {
			t += int(rand() * 20000)
			at = int(rand() * 150000)
			if (live[at]) {
				printf "1%015.0f %d 0 0x%x\n", t, 1000 + i % 8, 93824992231424 + at * 64
				live[at] = 0
			} else {
				printf "1%015.0f %d 1 0x%x %d\n", t, 1000 + i % 8, 93824992231424 + at * 64, 1 + i % 3000
				live[at] = 1
			}
		}
		printf "1%015.0f 7 4\n", t
	}'
}

# seconds NAME COMMAND...: a sample of what the command takes
seconds() {
	local name=$1 begin end
	shift
	begin=$(date +%s.%N)
	quiet "$@" || return
	end=$(date +%s.%N)
	calc "$end - $begin" >>"$tmp/$name"
}

make_log >"$tmp/plain.log"
"$MPROF" log "$tmp/plain.log" >"$tmp/humanized.log" || exit 1
"$MPROF" log --humanized=no -o "$tmp/packed.zst" "$tmp/plain.log" || exit 1

for ((i = 0; i < RUNS; i++)); do
	seconds wc wc -l "$tmp/plain.log"
	seconds sort sort -n -o "$tmp/sorted" "$tmp/plain.log"
	seconds stats "$MPROF" stats "$tmp/plain.log"
	seconds stats_h "$MPROF" stats "$tmp/humanized.log"
	seconds stats_z "$MPROF" stats "$tmp/packed.zst"
	seconds log "$MPROF" log --humanized=no -o "$tmp/copy" "$tmp/plain.log"
	seconds log_z "$MPROF" log --humanized=no -o "$tmp/copy.zst" "$tmp/plain.log"
done

# line TEXT NAME
line() {
	row "$1" "$(num "$(median "$2")")" "$(num "$(calc "$EVENTS / 1000000 / $(median "$2")")" 1)" \
		"$(num "$(calc "$(median "$2") / $(median wc)")" 1)" "$(num "$(calc "$(median "$2") / $(median sort)")" 2)"
}

echo "## Event logs"
echo
echo "A log of $EVENTS entries, up to 150,000 blocks live. Printing a log is reading and writing it."
echo
table "what" seconds "million entries a second" "to wc -l" "to sort -n"
line "wc -l" wc
line "sort -n" sort
line "mprof stats" stats
line "mprof stats, humanized" stats_h
line "mprof stats, compressed" stats_z
line "mprof log (read and write)" log
line "mprof log, compressed" log_z
