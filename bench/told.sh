#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Whether the slowdown that is told is the one that there is: a program that is always busy, and one that sleeps for
# nine tenths of the time, each with how long a request takes it alone and observed.
#
# SECONDS_EACH (3) is for how long each runs.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
SECONDS_EACH=${SECONDS_EACH:-3}

build paced || exit 1
need_mprof

# told NAME: what mprof has said that it is
told() {
	local said

	said=$(sed -nE 's/^mprof: while it was watched .* about ([0-9.]+) times as long.*/\1/p' "$tmp/err" | head -n 1)
	echo "${said:--}" >>"$tmp/$1"
}

# 10 pairs of malloc and free in 50 us of work
for ((i = 0; i < RUNS; i++)); do
	for pause in 0 450; do
		sample "alone-$pause" "$B/bench/paced" 10 4000 $pause "$SECONDS_EACH"
		for engine in trap fast; do
			sample "$engine-$pause" "$MPROF" run --engine=$engine --max-slowdown=99 -o /dev/null --data=/dev/null -- \
				"$B/bench/paced" 10 4000 $pause "$SECONDS_EACH"
			told "told-$engine-$pause"
		done
	done
done

cat <<-EOT
	## The slowdown that is told

	What a request takes: 10 pairs of malloc and free, with work between them. The first program does nothing else, the
	second sleeps after each for nine times as long. Microseconds, the ratio, and what mprof says that it is.

EOT
table "program, engine" "alone (us)" "observed (us)" ratio told
for pause in 0 450; do
	for engine in trap fast; do
		row "$([ $pause = 0 ] && echo busy || echo sleeps), $engine" "$(num "$(median "alone-$pause")" 1)" \
			"$(num "$(median "$engine-$pause")" 1)" "$(num "$(ratio "$engine-$pause" "alone-$pause")")" \
			"$(num "$(median "told-$engine-$pause")")"
	done
done
