# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034
# For tests that compare the engines: one program, run under each of them. Load after common.

OPTIONS=() # what both runs get besides

# chains DATA: how often each size was allocated by which chain, with the offsets in the functions; a chain
# that is not whole begins with "... > ". "!": there a signal has interrupted the function.
chains() {
	# Each leaf's frames are put together at once: a text that grows with each step up would take a deep stack
	# the square of its depth.
	sqlite3 -separator ' ' "$1" "
		WITH leaf(size, allocs, node) AS (SELECT size, sum(allocs), node FROM leaves GROUP BY 1, 3),
		whole(size, allocs, path) AS (
			SELECT size, allocs, (
				WITH RECURSIVE up(node, depth) AS (
					SELECT leaf.node, 0
					UNION ALL
					SELECT parent, depth + 1 FROM up JOIN nodes ON id = node)
				SELECT group_concat(frame, ' > ') FROM (
					SELECT iif(node = 1, '...', f.name || '+' || s.offset || iif(s.guessed, '?', '') ||
						iif(s.exact, '!', '')) AS frame
					FROM up LEFT JOIN nodes n ON n.id = node LEFT JOIN sites s ON s.id = site
						LEFT JOIN functions f ON f.id = function
					ORDER BY depth DESC))
			FROM leaf)
		SELECT size, sum(allocs), path FROM whole GROUP BY 1, 3" | sort
}

# by ENGINE COMMAND...: ENGINE.data, ENGINE.chains, ENGINE.report and ENGINE.json of it
by() {
	local engine=$1
	shift
	limited "$MPROF" run --engine="$engine" --check-unwinding "${OPTIONS[@]}" -o /dev/null --data="$engine.data" -- \
		"$@" >"$engine.out" 2>"$engine.err" </dev/null || fail "$engine: $*" "$(tail -n 20 "$engine.err")" || return 1
	says "$engine.err" ' 0 wrong$' || return 1
	chains "$engine.data" >"$engine.chains"
	[ -s "$engine.chains" ] || fail "no chains: $*" || return 1
	limited "$MPROF" report --format=json "$engine.data" >"$engine.json"
	# the first line tells when and how long
	limited "$MPROF" report --verbose --offsets "$engine.data" | tail -n +2 >"$engine.report"
}

checked() {
	sed -n 's/.* \([0-9]*\) chains checked,.*/\1/p' "$1.err"
}

# truncated ENGINE JQ-CONDITION
truncated() {
	jq -e ".totals.truncated_chains $2" "$1.json" >/dev/null || fail "$(jq -c .totals "$1.json")"
}

# alike COMMAND...: both engines have the same tables
alike() {
	by trap "$@" && by fast "$@" || return 1
	diff trap.chains fast.chains || fail "other chains: $*" || return 1
	diff trap.report fast.report || fail "another report: $*"
}

# checked_alike COMMAND...: ... and the agent's chains were compared with copies of the stack
checked_alike() {
	alike "$@" || return 1
	[ "$(checked fast)" -gt 0 ] || fail "nothing was checked: $*" "$(cat fast.err)"
}
