#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What call sites held over the time: the member timeline of the JSON report, against a program that says after each of
# its events what its sites hold.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# held REPORT.json: what one, two and three held at each point, "ONE TWO THREE", once for those that follow each other
held() {
	jq -r '.timeline | (.time_ns | length) as $n
		| [.sites[] | {key: .function, value: .bytes}] | from_entries as $of
		| [$of.one, $of.two, $of.three] | map(. // [range($n) | 0]) | transpose[] | "\(.[0]) \(.[1]) \(.[2])"' "$1" | uniq
}

# told PREFIX: the same as the program told it, from what it held first
told() {
	echo '0 0 0'
	sed -n "s/^$1 [0-9]* //p" out
}

# What was said is what was so, in that order, and the end of no phase is missing.
assert_told() { # REPORT.json [PREFIX]
	local whole
	[ -z "$(contradictions "$1")" ] || fail "$(contradictions "$1")"
	held "$1" >was.held
	told "${2-}holds" | uniq >was.told
	diff was.held was.told | grep '^<' && fail "it never held that: $(cat was.held was.told)"
	told "${2-}phase" | while read -r whole; do
		grep -qxF "$whole" was.held || fail "no point has $whole: $(cat was.held)"
	done
}

by() { # ENGINE [MODE]
	rm -f run.data*
	limited "$MPROF" run --engine="$1" --trace-children=yes -o /dev/null --data=run.data -- "$T/holds" ${2+"$2"} >out 2>err
	limited "$MPROF" report --format=json run.data >run.json
}

phases_by() {
	by "$1"
	assert_told run.json
	# One line each, and requests so far.
	jq -e '.timeline.sites | map(select(.function | test("^(one|two|three)$")) | [.file[-7:], .line > 0]) | unique
		== [["holds.c", true]]' run.json
	jq -e '(.timeline.allocs | last) == .totals.allocs and .timeline.allocs[0] == 0' run.json
	tail -n 1 was.held | grep -qx '0 20011 0'
}

@test "three sites held what they did in each phase, and rest and sites are what was live, by traps" {
	phases_by trap
}

@test "... and by the fast engine" {
	phases_by fast
}

@test "what --alloc-fn counts at the callers stays where it was noted, at every point" {
	by trap
	limited "$MPROF" report --format=json --alloc-fn=two run.data >folded.json
	[ "$(jq '[.direct[] | select(.function == "two")] | length' folded.json)" = 0 ]
	diff <(jq '.timeline | del(.exact)' run.json) <(jq '.timeline | del(.exact)' folded.json)
}

many_by() {
	by "$1" many
	assert_told run.json
	jq -e '.timeline.sites | length == 20' run.json
	# Each of the sixty holds its bytes to the end; of 40 places that are noted in each point 20 sites stay.
	jq -e '[.timeline.sites[] | select(.function | startswith("site_")) |
		(.function[5:] | tonumber - 9) * 100 == .bytes[-1]] | length >= 17 and all' run.json
	jq -e '.timeline | .rest[-1] + ([.sites[].bytes[-1]] | add) == .live_bytes[-1] and .rest[-1] > 0' run.json
}

@test "of more sites than are kept the heaviest are told, and the others are the rest" {
	many_by trap
	many_by fast
}

fork_by() {
	by "$1" fork
	assert_told run.json
	limited "$MPROF" report --format=json run.data.* >child.json
	assert_told child.json 'child '
}

holders_by() {
	rm -f run.data*
	limited "$MPROF" run --engine="$1" -o /dev/null --data=run.data -- "$T/holders" >out 2>err
	limited "$MPROF" report --format=json run.data >run.json
	[ -z "$(contradictions run.json)" ] || fail "$(contradictions run.json)"
	jq -e '[.timeline.sites[] | {key: .function, value: .bytes[-1]}] | group_by(.key[:6])
		| map({key: .[0].key, value: map(.value) | add}) | from_entries
		| (."by_map()" == 48 + 1000 * 48 and ."by_string()" >= 70001 and ."by_wrapper()" == 60000
			and ([to_entries[] | select(.key | startswith("by_library"))][0].value == 50000)
			and (has("xmalloc") or has("xmalloc(unsigned long)") | not))' run.json ||
		fail "$(jq -c '[.timeline.sites[] | [.function, .line, .bytes[-1]]]' run.json)"
}

@test "who holds is the program's own code, whatever containers, libraries and wrappers request for it" {
	holders_by trap
	holders_by fast
}

@test "a forked child has a timeline of its own, without what its parent held" {
	fork_by trap
	fork_by fast
}

saved_by() { # ENGINE
	start holds "$T/holds" live
	attach --engine="$1" -o report.txt --data=run.data "$PID"
	tell_await holds next '^phase'
	tell_await holds next '^phase'
	answered save "$1.data"
	cp holds.out out
	"$MPROF" report --format=json "$1.data" >run.json
	assert_told run.json
	tail -n 1 was.held | grep -qx '40028 80044 30011'
	tell_await holds next '^phase'
	tell_await holds next '^phase'
	detach "$PID"
	cp holds.out out
	"$MPROF" report --format=json run.data >run.json
	assert_told run.json
	finish holds
	rm -f holds.* run.data
}

@test "a profile that is saved while the program runs has its timeline so far, and goes on" {
	saved_by trap
	saved_by fast
}

@test "what comes and goes while it is suspended is not in the timeline" {
	start holds "$T/holds" live
	attach -o report.txt --data=run.data "$PID"
	tell_await holds next '^phase'
	answered suspend
	tell_await holds next '^phase' # four of the first go, four of the second and one of the third come
	answered resume
	tell_await holds next '^phase'
	tell_await holds next '^phase'
	detach "$PID"
	"$MPROF" report --format=json run.data >run.json
	[ -z "$(contradictions run.json)" ] || fail "$(contradictions run.json)"
	held run.json >was.held
	# What was freed unseen counts until its address is given again.
	grep -qx '80056 0 0' was.held && grep -q ' 0 120044$' was.held || fail "$(cat was.held)"
	not grep -qv ' 0 [0-9]*$' was.held
	finish holds
}

@test "no timeline was kept: null; of few points few are left" {
	limited "$MPROF" run --timeline=0 -o /dev/null --data=run.data -- "$T/holds" >out 2>err
	limited "$MPROF" report --format=json run.data | jq -e 'has("timeline") and .timeline == null'
	limited "$MPROF" run --timeline=10 -o /dev/null --data=run.data -- "$T/holds" >out 2>err
	limited "$MPROF" report --format=json run.data >run.json
	jq -e '.timeline.time_ns | length <= 10' run.json
	[ -z "$(contradictions run.json)" ]
}

@test "in SQL: what was held at each point is no more than was live, the peak exactly" {
	by trap
	[ "$(sqlite3 run.data "select count(*) from series where live_bytes < coalesce(
		(select sum(bytes) from held where point = id), 0)")" = 0 ]
	[ "$(sqlite3 run.data "select live_bytes from series where peak")" = "$(jq .totals.peak_bytes run.json)" ]
	[ "$(sqlite3 run.data "select sum(bytes) from held join series p on p.id = point join sites s on s.id = site
		join functions f on f.id = function where peak and f.name = 'three'")" = $((5 * 30011)) ]
}
