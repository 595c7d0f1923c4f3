#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The text of the four tables. widgets.expected and cycle.expected are the worked examples of
# doc/tables.md, with the fields of the first line that differ from build to build
# replaced by words.

bats_require_minimum_version 1.5.0
load ../lib/common

W=$ROOT/tests/bats/widgets.expected

# plain FILE: with VERSION and N for what differs from build to build
plain() {
	sed -E '1s/\+--v[^+]*\+/+--vVERSION+/; 1s/\+--([sfdl])[0-9]+/+--\1N/g' "$1"
}

widgets() {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/widgets"
}

@test "the widgets of the paper: the whole report" {
	widgets
	diff "$W" <(plain run.txt)
	limited "$MPROF" report run.data >report.txt
	cmp run.txt report.txt
}

@test "the widgets of the paper: the figures" {
	widgets
	limited "$MPROF" report --format=json run.data >report.json
	agrees report.json
	jq -e '.bins == [{size: 204, allocs: 10000, bytes: 2040000, frees: 4981, kept_bytes: 1023876,
			  types: ["widget"]}]' report.json
	jq -e '.totals | .kept_objects == 5019 and .kept_bytes == 1023876' report.json
	jq -e '[.leaks[] | [.path[].function], .kept_bytes, .allocs, .frees, .truncated]
		== [["main", "make_red_widget", "make_widget"], 1023876, 5019, 0, false]' report.json
	jq -e '.callgraph[] | select(.function == "make_widget")
		| [.callers[] | select(.function == "make_red_widget") | .bytes.m, .calls]
		== [1023876, 5019]' report.json
	jq -e '.leaks[0].path[-1] | (.file | endswith("examples/widgets.c")) and .line > 0' report.json
}

@test "verbose and terse print the widgets as normal does, noleaktable leaves table 2 out" {
	widgets
	local o
	for o in verbose terse leaktable; do
		diff "$W" <(limited "$MPROF" report --$o run.data | plain /dev/stdin)
	done
	# table 2 is all from its title to the next form feed and the empty line after it
	awk '/Partial Dynamic Call Paths/ { skip = 1 }
	     !skip { print }
	     skip == 2 { skip = 0 } skip && /\f/ { skip = 2 }' "$W" >noleaks.expected
	diff noleaks.expected <(limited "$MPROF" report --noleaktable run.data | plain /dev/stdin)
}

@test "offsets are printed in the paths of table 2 only" {
	widgets
	limited "$MPROF" report --offsets run.data >offsets.txt
	grep -Eq '\|\| > main\+[0-9]+ > make_red_widget\+[0-9]+ > make_widget\+[0-9]+$' offsets.txt
	sed -E '/\|\| > /s/\+[0-9]+//g' offsets.txt >without.txt
	diff "$W" <(plain without.txt)
}

@test "the widgets' report is the same however the program was compiled" {
	local flags
	for flags in -O0 '-O1 -no-pie' '-O1 -gdwarf-4 -gz' '-O1 -Wl,-z,norelro,-z,noseparate-code'; do
		# shellcheck disable=SC2086
		cc -g $flags -o widgets "$ROOT/examples/widgets.c"
		limited "$MPROF" run -o run.txt --data=run.data -- ./widgets
		diff "$W" <(plain run.txt) || fail "compiled with $flags"
	done
}

@test "functions that the compiler has put into others stay in the paths" {
	cc -g -O2 -o widgets "$ROOT/examples/widgets.c"
	limited "$MPROF" run -o run.txt --data=run.data -- ./widgets
	grep -q '|| > main > make_red_widget > make_widget$' run.txt
}

@test "a program without symbols: all figures are there, the names are module and offset" {
	cp "$T/widgets" stripped
	strip stripped
	limited "$MPROF" run -o run.txt --data=run.data -- ./stripped
	grep -Eq ' 1023876 .*\|\| > stripped\+0x[0-9a-f]+ > stripped\+0x[0-9a-f]+ > stripped\+0x[0-9a-f]+$' run.txt
	diff <(grep TOTAL "$W") <(grep TOTAL run.txt)
}

@test "a cycle and a recursive function in the call graph" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/cycle"
	diff "$ROOT/tests/bats/cycle.expected" <(sed -n '/^  *self  *|.*ances/,$p' run.txt)
}

@test "recursion never counts bytes twice in a function's total" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/cycle"
	limited "$MPROF" report --format=json run.data >report.json
	agrees report.json
	jq -e 'def n: if type == "object" then .s + .m + .l + .x else . end;
		[.callgraph[] | select(.function == "walk" or .function == "leaf" or .function == "main")
		 | {(.function): [(.total_bytes | n), .called, .recursive]}] | add
		== {main: [390, 0, 0], leaf: [80, 2, 0], walk: [300, 3, 3]}' report.json
	jq -e '[.callgraph[] | select(.function == "F" or .function == "G") | .cycle] | unique == [1]' \
		report.json
}

@test "no line of a report ends in blanks and the numbers of all levels add up" {
	limited "$MPROF" run --verbose -o run.txt --data=run.data -- "$T/pairs" 200 >out
	run ! grep -q ' $' run.txt
	local o total
	total=$(grep -m1 '<TOTAL>' run.txt)
	for o in verbose normal terse; do
		limited "$MPROF" report --$o run.data >report.txt
		run ! grep -q ' $' report.txt
		[ "$(grep -m1 '<TOTAL>' report.txt)" = "$total" ]
		# requests of all rows between the heading and <TOTAL> are those of <TOTAL>
		awk '/<TOTAL>/ { exit sum != $2 }
		     /^ +(> 1024|other bins) / { sum += $3; next }
		     /^ +[0-9]+ +[0-9]+ +[0-9]+ / { sum += $2 }' report.txt
	done
}

# rows_of_sizes OPTION...: of the first table of run.data
rows_of_sizes() {
	limited "$MPROF" report "$@" run.data 2>report.err |
		awk '/ size: / { on = 1 } /Partial Dynamic/ { on = 0 } on && $1 ~ /^[0-9]+$/ { n++ } END { print n + 0 }'
}

@test "a first table that nobody reads to its end says what is shorter" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/sizes" 201 2>err
	[ "$(rows_of_sizes)" = 201 ]
	terse=$(rows_of_sizes --terse)
	said="the first table has 201 rows of sizes: --terse prints $terse of them, --summary only what matters first"
	grep -aqx "mprof: $said" err || fail "$(cat err)"
	rows_of_sizes >/dev/null
	grep -aqx "mprof: $said" report.err
	for o in --terse --verbose --summary; do
		rows_of_sizes $o >/dev/null
		not grep -aq 'rows of sizes' report.err
	done
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/sizes" 200 2>err
	[ "$(rows_of_sizes)" = 200 ]
	not grep -aq 'rows of sizes' err
}
