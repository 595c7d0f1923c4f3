#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What it takes to follow a fork, by engine: a child that allocates one block and ends, until its parent
# has waited for it.
#
# FORKS (300) in each of RUNS turns, nine at least. BEFORE: another mprof, measured in the same turns.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
FORKS=${FORKS:-300}
TURNS=$((RUNS > 9 ? RUNS : 9))

build forks || exit 1
need_mprof

follow() { # MPROF ENGINE
	"$1" run --engine="$2" --trace-children=yes -o /dev/null --data=/dev/null -- "$B/bench/forks" "$FORKS"
}
export -f follow
export B FORKS

whats=(fast trap)
[ -z "${BEFORE:-}" ] || whats=(before "${whats[@]}")
for ((i = 0; i < TURNS; i++)); do
	sample forks.alone "$B/bench/forks" "$FORKS"
	for what in "${whats[@]}"; do
		case $what in
		before) sample forks.before bash -c 'follow "$@"' - "$BEFORE" fast ;;
		*) sample "forks.$what" bash -c 'follow "$@"' - "$MPROF" "$what" ;;
		esac
	done
done

echo "## Forks: a child that is followed"
echo
echo "Microseconds for each, medians of $TURNS turns of $FORKS forks; added: each turn's own difference to alone."
echo
table engine "us a fork" "us added" "added by fast, divided by it"
for what in "${whats[@]}"; do
	turns "forks.$what+" "forks.$what" forks.alone "a - b"
done
row alone "$(num "$(median forks.alone)" 0)" - -
for what in "${whats[@]}"; do
	row "$what" "$(num "$(median "forks.$what")" 0)" "$(num "$(median "forks.$what+")" 0)" \
		"$(num "$(ratio forks.fast+ "forks.$what+")")"
done
