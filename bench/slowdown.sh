#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What a limit of slowdown is worth: a program that allocates without a pause, alone and with --max-slowdown=2.
# Elapsed time, so that waiting counts: how long both take, not what they say of themselves.
#
# SECONDS_ALONE (20) is about how long it takes alone.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
SECONDS_ALONE=${SECONDS_ALONE:-20}
RUNS=${SLOWDOWN_RUNS:-1}
LIMIT=600

build churn || exit 1
need_mprof
churn=$B/bench/churn

seconds once "$churn" 10000000
pairs=$(calc "int(10000000 * $SECONDS_ALONE / $(median once))")
for ((i = 0; i < RUNS; i++)); do
	seconds alone "$churn" "$pairs"
	for engine in trap fast; do
		seconds "$engine" "$MPROF" run --engine="$engine" --max-slowdown=2 -o /dev/null --data=/dev/null -- "$churn" "$pairs"
		[ "$(tail -n 1 "$tmp/$engine")" = - ] || grep -c 'nothing is watched' "$tmp/err" >>"$tmp/pauses-$engine"
	done
done

cat <<-EOT
	## A limit of slowdown

	A program that allocates without a pause, $pairs pairs of malloc and free, with \`--max-slowdown=2\`. What is
	over the limit for three seconds is paused, for 3, 6, 12 seconds and so on.

EOT
table engine "alone (s)" "with the limit (s)" ratio pauses
for engine in trap fast; do
	row "$engine" "$(num "$(median alone)" 1)" "$(num "$(median "$engine")" 1)" "$(num "$(ratio "$engine" alone)")" \
		"$(median "pauses-$engine")"
done
