# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What all measurements share: building, samples that are taken in turns, medians, ratios.
#
#	B		folder of the build; what is measured is built in $B/bench
#	MPROF		the mprof to measure
#	RUNS (5)	samples of each number
#	LIMIT (120)	seconds for one command
#
# A sample is a number in the file $tmp/NAME, one a line. What is compared is sampled in turns, and a
# ratio is the median of the ratios of the turns, so that a machine that is slower for a while does not
# favour either side.

set -u
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
B=${B:-$here/../build}
MPROF=${MPROF:-$B/mprof}
RUNS=${RUNS:-5}
LIMIT=${LIMIT:-120}
CC=${CC:-cc}
export LC_ALL=C

tmp=$(mktemp -d) || exit 1
started=()
clean_up() {
	local pid

	for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
	wait
	rm -rf "$tmp"
}
trap clean_up EXIT

have() {
	command -v "$1" >/dev/null
}

need_mprof() {
	[ -x "$MPROF" ] && return
	echo "There is no $MPROF: nothing measured."
	exit 0
}

# build NAME [FLAG...]: bench/NAME.c as $B/bench/NAME
build() {
	local name=$1
	shift
	mkdir -p "$B/bench" && $CC -std=gnu17 -D_GNU_SOURCE -O2 -g -fno-builtin -Wall -Wextra \
		-o "$B/bench/$name" "$here/$name.c" "$@"
}

# build_linked NAME: the same, linked with mprof's own rooms
build_linked() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$here/.." B="$B" "$B/bench/$1"
}

# quiet COMMAND...: its output in $tmp/out, its errors in $tmp/err; says so if it fails
quiet() {
	timeout -k 5 "$LIMIT" "$@" </dev/null >"$tmp/out" 2>"$tmp/err" && return
	echo "bench: failed: $*" >&2
	tail -n 3 "$tmp/err" >&2
	return 1
}

# sample NAME COMMAND...: the last line of its output that is a number. Whatever went wrong, every turn
# leaves a line, so that turns stay together.
sample() {
	local name=$1
	shift
	if quiet "$@"; then
		awk '/^[0-9.]+$/ { v = $1 } END { print v == "" ? "-" : v }' "$tmp/out" >>"$tmp/$name"
	else
		echo - >>"$tmp/$name"
	fi
}

# seconds NAME COMMAND...: how long it takes
seconds() {
	local name=$1 from=$EPOCHREALTIME
	shift
	if quiet "$@"; then
		awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }' >>"$tmp/$name"
	else
		echo - >>"$tmp/$name"
	fi
}

# stat_of WORDS: the number before WORDS in what mprof last said, as --stats makes it say
stat_of() {
	sed -nE "s/^(.*[^0-9])?([0-9]+) $1.*/\2/p" "$tmp/err" | head -n 1
}

# of_sorted NAME median|least
of_sorted() {
	grep -v '^-' "$tmp/$1" 2>/dev/null | sort -g | awk -v what="$2" '{ v[NR] = $1 }
		END {
			if (!NR) exit
			if (what == "least") print v[1]
			else print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		}'
}

median() {
	of_sorted "$1" median
}

least() {
	of_sorted "$1" least
}

# turns OUT A B EXPRESSION: of each turn of both the value of an awk expression in a and b
turns() {
	paste "$tmp/$2" "$tmp/$3" 2>/dev/null | awk '$1 != "-" && $2 != "-" && NF == 2 {
		a = $1; b = $2; print '"$4"' }' >"$tmp/$1" 2>/dev/null
}

# ratio A B [FACTOR]: the median of A / (FACTOR * B)
ratio() {
	turns ratio "$1" "$2" "b ? a / (b * ${3:-1}) : \"-\""
	median ratio
}

# num VALUE [DIGITS]: for a table
num() {
	if [ -n "${1:-}" ]; then printf "%.${2:-2}f" "$1"; else printf -- -; fi
}

# calc EXPRESSION: by awk; "" if it has an empty operand
calc() {
	awk "BEGIN { print $1 }" 2>/dev/null
}

# row CELL...: a row of a markdown table
row() {
	printf '|'
	printf ' %s |' "$@"
	printf '\n'
}

# table CELL...: its head, the first column to the left and all others to the right
table() {
	row "$@"
	shift
	printf '|---|'
	printf '%0.s---:|' "$@"
	printf '\n'
}
