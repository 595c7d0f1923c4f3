#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# How long blocks live, by call site, from a run, from its data file, and from its log.

bats_require_minimum_version 1.5.0
load ../lib/common

lives() { # of a JSON report: the lines that targets/lives says
	jq -r '.lifetimes[] | select(.path[-1].function | IN("brief", "queue", "stack", "grow", "stay"))
		| "lives \(.path[-1].function) \(.frees) \(.temporary) \(
		[.events[] | "\(if .from == 0 then 1 else .from end):\(.blocks)"] | join(" "))"' "$1" | sort
}

@test "lifetimes in events and temporary blocks are those of the program" {
	limited "$MPROF" run -o run.txt --data=run.data --lifetimes -- "$T/lives" >out 2>err
	limited "$MPROF" report --format=json run.data >report.json
	grep '^lives' out | sort | diff - <(lives report.json)
	# the times add up to the same blocks
	jq -e 'all(.lifetimes[]; (.events | map(.blocks) | add) == .frees and (.ns | map(.blocks) | add) == .frees)' report.json
	jq -e '(.lifetimes | map(.frees) | add) == .totals.frees' report.json
	jq -e 'all(.lifetimes[]; all(.events, .ns; . == sort_by(.from)))' report.json
}

@test "the table of lifetimes is printed if it is asked for, most temporary blocks first" {
	limited "$MPROF" run -o run.txt --data=run.data --lifetimes -- "$T/lives" >out 2>err
	limited "$MPROF" report --lifetimes run.data | cmp - run.txt
	sed -n '/Lifetime Table/,$p' run.txt >table
	awk '/lives.c/ { print $1, $2, $(NF - 1) }' table >rows
	printf '%s\n' '100 100 brief' '10 10 grow' '100 1 queue' '100 1 stack' | diff - rows
	[ "$(awk '/lives.c/ { print $2 }' table)" = "$(awk '/lives.c/ { print $2 }' table | sort -rn)" ]
	grep -Eq '^ +100 +100 \(\*\*\) \| +0 +<2 +<2 \|.*\| +brief \(lives.c:[0-9]+\)$' table
	grep -Eq '^ +100 +1 \(1\) +\| +64 +<128 +<128 \|.*\| +queue \(lives.c:' table
	grep -Eq '^ +100 +1 \(1\) +\| +0 +<128 +<256 \|.*\| +stack \(lives.c:' table
	limited "$MPROF" report run.data >without
	! grep -q Lifetime without
}

@test "without inlined functions the lifetimes still add up" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/cxx" >out 2>err
	limited "$MPROF" report --inlines=no --format=json run.data >report.json
	jq -e '(.lifetimes | map(.frees) | add) == .totals.frees and .totals.frees > 0' report.json
}

@test "lifetimes follow their blocks when functions are left out" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/lives" >out 2>err
	grep '^lives' out | sort >lives
	# what is ignored is gone, and nothing else
	limited "$MPROF" report --ignore-fn=brief --format=json run.data >report.json
	grep -v brief lives | diff - <(lives report.json)
	# an allocation function's blocks are its caller's
	limited "$MPROF" report --alloc-fn=brief --format=json run.data >report.json
	grep -v brief lives | diff - <(lives report.json)
	jq -e '[.lifetimes[] | select(.path[-1].function == "main").frees] == [100]' report.json
	limited "$MPROF" report --lifetimes --alloc-fn=brief --ignore-fn=queue run.data >report.txt
	sed -n '/Lifetime Table/,$p' report.txt | awk '/lives.c/ { print $1, $2, $(NF - 1) }' >rows
	printf '%s\n' '100 100 main' '10 10 grow' '100 1 stack' | diff - rows
	# what was live at the peak had not been freed
	limited "$MPROF" report --at=peak --format=json run.data >report.json
	jq -e '.lifetimes == [] and .totals.frees == 0' report.json
}

@test "the data file's table of lifetimes is what the report shows" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/lives" >out 2>err
	[ "$(sqlite3 run.data 'select sum(blocks) from lifetimes where axis = 0')" = \
		"$(sqlite3 run.data "select value from meta where key = 'frees'")" ]
	[ "$(sqlite3 run.data 'select sum(blocks) from lifetimes where axis = 2')" = 112 ]
}

@test "a log's report has the bins and lifetimes of the run, and no chains" {
	limited "$MPROF" run --engine=trap -o run.txt --data=run.data --mma-log-file=run.log -- "$T/lives" >out 2>err
	limited "$MPROF" report --types=none --format=json run.data >run.json
	limited "$MPROF" report --format=json run.log >log.json 2>err
	diff <(jq .bins run.json) <(jq .bins log.json)
	diff <(jq '.totals' run.json) <(jq '.totals' log.json)
	# all in one place, but the same in sum
	local axis
	for axis in events ns; do
		diff <(jq -c "[.lifetimes[].$axis[]] | group_by(.from) | map({from: .[0].from, below: .[0].below, blocks: map(.blocks) | add})" run.json) \
			<(jq -c "[.lifetimes[].$axis[]]" log.json)
	done
	[ "$(jq '.lifetimes | length' log.json)" = 1 ]
	[ "$(jq '.lifetimes | map(.temporary) | add' run.json)" = "$(jq '.lifetimes[0].temporary' log.json)" ]
	limited "$MPROF" report --lifetimes run.log >report.txt
	grep -q 'Allocation Bins' report.txt
	# compressed, and malformed
	zstd -q run.log -o run.zst
	limited "$MPROF" report --lifetimes run.zst | cmp - report.txt
	echo '1 2 3' >>run.log
	local status=0
	limited "$MPROF" report run.log >out 2>err || status=$?
	[ $status = 1 ] && [ ! -s out ]
	a_sentence err "run.log:$(wc -l <run.log):6: expected a blank"
}

@test "of the fast engine no time is told that is below its clock" {
	limited "$MPROF" run --engine=fast --lifetimes -o run.txt --data=run.data -- "$T/lives" >out 2>err
	grep '^lives' out | sort >lives
	limited "$MPROF" report --format=json run.data >report.json
	lives report.json | diff lives -
	jq -e '.lifetimes | all(.[]; (.ns | length > 0 and all(.[]; .from == 0 and .below >= 2)) and
		all(.events[]; .below == 2 * .from or .from == 0 and .below == 2))' report.json
	# the least, too, is a bound
	sed -n '/Lifetime Table/,$p' run.txt | grep -E 'lives.c' >rows
	[ -s rows ]
	not grep -vE '\| +<[0-9.]+[num]?s +<[0-9.]+[num]?s +<[0-9.]+[num]?s \|' rows
	# and by traps it is not
	limited "$MPROF" run --engine=trap --lifetimes -o run.txt -- "$T/lives" >out 2>err
	sed -n '/Lifetime Table/,$p' run.txt | grep -E 'brief \(lives.c' | grep -E '\| +[0-9.]+[num]?s +<'
}
