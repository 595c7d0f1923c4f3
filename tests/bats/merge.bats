#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof merge adds profiles up, and mprof diff tells what has grown from one to another.

bats_require_minimum_version 1.5.0
load ../lib/common

# profile NAME PROGRAM...: NAME.data
profile() {
	local name=$1
	shift
	BINS=$name.bins limited "$MPROF" run -o /dev/null --data="$name.data" -- "$@" >/dev/null 2>&1
}

@test "the sum of profiles has the requests, frees, sizes, chains and lifetimes of all of them" {
	profile a "$T/aligned"
	profile b "$T/aligned"
	profile c "$T/lives"
	[ -s a.bins ] && [ -s b.bins ]
	limited "$MPROF" merge -o sum.data a.data b.data c.data 2>err || fail "status $?" "$(cat err)"
	for name in a b c sum; do
		limited "$MPROF" report --format=json "$name.data" >"$name.json"
		[ -z "$(contradictions "$name.json")" ] || fail "$(contradictions "$name.json")"
	done
	jq -en '[inputs] | .[:-1] as $of | .[-1] as $sum
		| def all_of(f): ($of | map(f) | add) == ($sum | f);
		all_of(.totals.allocs) and all_of(.totals.alloc_bytes) and all_of(.totals.frees) and
		all_of([.bins[] | .allocs] | add) and all_of([.direct[] | .calls] | add) and
		all_of([.lifetimes[].temporary] | add) and
		($sum.totals.peak_bytes == ($of | map(.totals.peak_bytes) | max))' [abc].json sum.json
	# A bin is there once, whoever had it.
	[ "$(jq '.bins | length' sum.json)" = "$(jq -n '[inputs.bins[].size] | unique | length' [abc].json)" ]
	[ "$(jq -c .command sum.json)" = "[\"sum of 3 profiles\",\"$T/aligned\",\"$T/lives\"]" ]
	# The same program in two runs is one.
	[ "$(jq '.direct | length' sum.json)" = "$(jq -s '(.[0].direct | length) + (.[1].direct | length)' a.json c.json)" ]
	says err '^mprof: sum.data is the sum of 3 profiles: '
	says err "its peak, $(jq .totals.peak_bytes sum.json) bytes, is the highest of any one; if they ran at once, they had between that and $(jq -n '[inputs.totals.peak_bytes] | add' [abc].json) at a time"
	says err 'left out: timelines'
	refused 1 'sum.data is a sum of profiles, which has no load over time' "$MPROF" stats sum.data
	# Of a sum among them the profiles count, and it no longer has the peak of each.
	limited "$MPROF" merge -o again.data sum.data sum.data a.data 2>err || fail "status $?" "$(cat err)"
	limited "$MPROF" report --format=json again.data >again.json
	[ "$(jq -c '[.merged, .command]' again.json)" = "[7,[\"sum of 7 profiles\",\"$T/aligned\",\"$T/lives\"]]" ]
	says err '^mprof: again.data is the sum of 7 profiles: '
	says err "its peak, $(jq .totals.peak_bytes sum.json) bytes, is the highest of any one$"
}

@test "a profile says which engine has seen its calls, and a sum says both" {
	local engine said
	for engine in trap fast; do
		limited "$MPROF" run --engine=$engine --stats -o /dev/null --data=$engine.data -- "$T/widgets" >out 2>$engine.err
		[ "$(limited "$MPROF" report --format=json $engine.data | jq -c .engines)" = "[\"$engine\"]" ]
	done
	limited "$MPROF" merge -o sum.data trap.data fast.data 2>err
	[ "$(limited "$MPROF" report --format=json sum.data | jq -c .engines)" = '["trap","fast"]' ]
	says trap.err 'the calls were seen by traps$'
	says fast.err 'the calls were seen by the fast engine$'
	for engine in trap fast sum; do
		limited "$MPROF" report --verbose -o out $engine.data 2>$engine.err
	done
	says trap.err 'the calls were seen by traps$'
	says fast.err 'the calls were seen by the fast engine$'
	says sum.err 'the calls were seen by the fast engine, those of some of the profiles by traps$'
	limited "$MPROF" report -o out sum.data 2>err
	not grep -q 'the calls were seen' err
}

@test "a profile added to itself is twice what it was, and alone it stays what it is" {
	profile a "$T/example"
	limited "$MPROF" merge -o two.data a.data a.data 2>err
	limited "$MPROF" merge -o one.data a.data 2>err
	grep -q 'left out: timelines' err
	not grep -q 'its peak' err
	limited "$MPROF" report -o two.txt two.data 2>err
	limited "$MPROF" report -o one.txt one.data 2>err
	limited "$MPROF" report -o a.txt a.data 2>err
	diff <(tail -n +2 a.txt) <(tail -n +2 one.txt)
	grep -q 'Total bytes not freed: 20000$' two.txt
	limited "$MPROF" report -o /dev/null '--fail-if=kept(g)==16000' '--fail-if=allocs==26' two.data 2>err && fail passed ||
		[ $? = 12 ]
	[ "$(grep -c -- '--fail-if=' err)" = 2 ]
	# Sums of sums.
	limited "$MPROF" merge -o four.data two.data two.data 2>err
	limited "$MPROF" merge -o alike.data a.data a.data a.data a.data 2>err
	limited "$MPROF" diff -o diff.txt four.data alike.data
	grep -q '^Nothing has changed: ' diff.txt
	not grep -q TOTAL diff.txt
}

@test "processes of one run are added up" {
	limited "$MPROF" run --trace-children=yes -o run.txt --data=run.data -- "$T/spawns" >/dev/null 2>&1
	limited "$MPROF" merge -o sum.data run.data run.data.* 2>err || fail "$(cat err)"
	json() { limited "$MPROF" report --format=json "$1" 2>/dev/null; }
	# Eight children request three blocks each, and free one.
	[ "$(json sum.data | jq -c '.bins[] | select(.size == 5309) | [.allocs, .frees]')" = '[24,8]' ]
	[ "$(json sum.data | jq -c '[.leaks[] | select(.path[-1].function == "child") | .kept_bytes] | add')" = 84944 ]
}

@test "a sum says if there was no allocator in one of its programs" {
	profile a "$T/aligned"
	limited "$MPROF" run --malloc-lib=libnone.so -o /dev/null --data=none.data -- "$T/aligned" >/dev/null 2>&1
	limited "$MPROF" merge -o sum.data a.data none.data 2>err
	limited "$MPROF" report --format=json -o sum.json sum.data 2>err
	says err '^mprof: nothing was trapped in some of its profiles: no allocator was found'
	jq -e '.unseen.untrapped and .totals.allocs > 0' sum.json
}

@test "what cannot be added up is a sentence, and what was there stays" {
	profile a "$T/example"
	limited "$MPROF" run --min-size=2000 -o /dev/null --data=b.data -- "$T/example" 2>/dev/null
	cp a.data before
	refused 2 'of which profiles. Usage: mprof merge -o SUM FILE' "$MPROF" merge -o x
	refused 2 'where does the sum go. Usage: mprof merge -o SUM FILE' "$MPROF" merge a.data
	refused 2 'would write over a.data, which is read' "$MPROF" merge -o a.data a.data
	refused 1 'nothing: No such file' "$MPROF" merge -o x a.data nothing
	refused 1 'requests of other sizes were recorded' "$MPROF" merge -o x a.data b.data
	head -c 3000 a.data >cut
	refused 1 'cut' "$MPROF" merge -o x a.data cut
	refused 1 'nowhere' "$MPROF" merge -o nowhere/x a.data
	refused 2 'unknown option --data=x for mprof merge' "$MPROF" merge --data=x a.data
	cmp before a.data
	[ ! -e x ]
}

@test "diff is report with a base" {
	profile old "$T/example"
	profile new "$T/peak"
	limited "$MPROF" report --base=old.data -o base.txt new.data
	limited "$MPROF" diff -o diff.txt old.data new.data 2>err
	cmp base.txt diff.txt
	says err 'the two profiles are of different programs: the base of example, the other of peak'
	limited "$MPROF" diff -o diff.txt new.data new.data 2>err
	not grep -aq 'different programs' err
	limited "$MPROF" diff --format=json old.data new.data >diff.json
	limited "$MPROF" report --base=old.data --format=json new.data | cmp - diff.json
	limited "$MPROF" diff -o /dev/null '--fail-if=kept>+1K' old.data new.data 2>err && fail passed || [ $? = 12 ]
	says err 'kept>\+1K: there are 81201 bytes, and in the base 10000 bytes'
	limited "$MPROF" diff -o /dev/null '--fail-if=kept>+0' new.data old.data
	refused 2 'diff: of two profiles. Usage: mprof diff .options. OLD NEW' "$MPROF" diff old.data
	refused 2 'diff: of two profiles' "$MPROF" diff --base=old.data new.data
	refused 1 'nothing' "$MPROF" diff old.data nothing
}
