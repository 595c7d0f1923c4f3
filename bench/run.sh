#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Prints, in one run, what a pair of malloc and free costs under mprof, under ltrace and at the floor
# of any tracer: three bare int3 stops, the number mprof needs for a pair. Medians of $RUNS runs; the
# ratios are what carries over to other machines.
#
#	MPROF=build/mprof B=build bench/run.sh
#
# PAIRS (20000) under mprof and three times as many stops; LTRACE_PAIRS (2000) under ltrace.

set -u
here=$(cd "${0%/*}" && pwd)
B=${B:-$here/../build}
MPROF=${MPROF:-$B/mprof}
RUNS=${RUNS:-5}
PAIRS=${PAIRS:-20000}
LTRACE_PAIRS=${LTRACE_PAIRS:-2000}
LIMIT=${LIMIT:-300}
CC=${CC:-cc}

mkdir -p "$B/bench" || exit 1
for p in floor churn; do
	$CC -std=gnu17 -D_GNU_SOURCE -O2 -g -fno-builtin -Wall -Wextra -o "$B/bench/$p" "$here/$p.c" || exit 1
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# median NAME COMMAND...: of the numbers the command prints, as $tmp/NAME; empty if it failed
median() {
	local name=$1 i
	shift
	for ((i = 0; i < RUNS; i++)); do
		timeout -k 5 "$LIMIT" "$@" 2>"$tmp/err" >"$tmp/out" || {
			echo "bench: failed: $*" >&2
			tail -n 3 "$tmp/err" >&2
			return
		}
		cat "$tmp/out"
	done | sort -n | awk -v n="$RUNS" '{ v[NR] = $1 }
		END { if (NR == n) print n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }' >"$tmp/$name"
}

: >"$tmp/alone" >"$tmp/mprof" >"$tmp/ltrace"
median alone "$B/bench/churn" 1000000
if [ -x "$MPROF" ]; then
	median mprof "$MPROF" run -o "$tmp/report" --data="$tmp/data" -- "$B/bench/churn" "$PAIRS"
else
	echo "bench: there is no $MPROF" >&2
fi
if command -v ltrace >/dev/null; then
	median ltrace ltrace -e malloc+free -o /dev/null "$B/bench/churn" "$LTRACE_PAIRS"
fi
for how in sleep spin pin; do
	median $how "$B/bench/floor" $((3 * PAIRS)) $how
done

awk -v tmp="$tmp" -v runs="$RUNS" -v cpus="$(nproc)" -v kernel="$(uname -r)" '
function get(name, v) { v = ""; getline v < (tmp "/" name); return v }
function number(v) { return v == "" ? "-" : sprintf("%.2f", v) }
function ratio(a, b) { return a == "" || b == "" || b == 0 ? "-" : sprintf("%.2f", a / b) }
function row(what, v) {
	printf "| %s | %s | %s | %s | %s | %s |\n", what, number(v), ratio(v, mprof), ratio(v, sleep3),
		ratio(v, spin3), ratio(v, pin3)
}
BEGIN {
	mprof = get("mprof"); alone = get("alone"); ltrace = get("ltrace")
	sleep3 = get("sleep"); spin3 = get("spin"); pin3 = get("pin")
	if (sleep3 != "") sleep3 *= 3
	if (spin3 != "") spin3 *= 3
	if (pin3 != "") pin3 *= 3
	printf "Microseconds per pair of malloc and free, 10 functions deep; medians of %d runs; ", runs
	printf "%d processors, Linux %s.\n\n", cpus, kernel
	print "| a pair | us | / mprof | / 3 stops, sleeping | / 3 stops, spinning | / 3 stops, one CPU |"
	print "|---|---:|---:|---:|---:|---:|"
	row("alone", alone)
	row("mprof run", mprof)
	row("ltrace -e malloc+free", ltrace)
	row("3 bare int3 stops, tracer sleeps in waitpid", sleep3)
	row("3 bare int3 stops, tracer spins with WNOHANG", spin3)
	row("3 bare int3 stops, both on one CPU", pin3)
}'
