# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC1091
# What is printed for a person at a terminal: width, colours, the pager; and what is said besides the report.

bats_require_minimum_version 1.7.0
load ../lib/common

names_profile() {
	"${CXX:-g++}" -std=gnu++17 -O0 -g -o long -x c++ - <<-'EOT'
		#include <map>
		#include <string>
		std::map<std::string, std::map<std::string, std::string>> kept;
		int main() { for (int i = 0; i < 40; i++) kept[std::to_string(i)]["x"] = std::string(200, 'x'); }
	EOT
	limited "$MPROF" run -o run.txt --data=run.data -- ./long 2>err
}

@test "at a terminal names are as wide as it is, elsewhere they are whole" {
	names_profile
	export PAGER=cat
	at_terminal 120 "$MPROF" report --color=never run.data
	grep -q 'std::map::operator\[\] ' shown
	run ! grep -q 'std::map<' shown
	# a path has a least for each of its names
	[ "$(sed '1,/Direct Allocation/d' shown | grep -v '^mprof:' | awk 'length($0) > 120 { n++ } END { print n + 0 }')" = 0 ]
	at_terminal 120 "$MPROF" report --color=never --names=full run.data
	grep -q 'std::map<.*>::operator\[\](.*) ' shown
	"$MPROF" report run.data >whole 2>/dev/null
	diff whole <(grep -v '^mprof:' shown)
	at_terminal 4000 "$MPROF" report --color=never run.data
	grep -q 'std::map<.*>::operator\[\](.*) ' shown
}

@test "colours are for terminals that show them, and NO_COLOR is obeyed" {
	names_profile
	export PAGER=cat
	at_terminal 120 "$MPROF" report run.data
	grep -qx $'\033\[1m--------- Partial Dynamic Call Paths for Memory Leaks ------------\033\[m' shown
	NO_COLOR=1 at_terminal 120 "$MPROF" report run.data
	run ! grep -q $'\033' shown
	NO_COLOR='' at_terminal 120 "$MPROF" report run.data
	grep -q $'\033' shown
	NO_COLOR=1 at_terminal 120 "$MPROF" report --color=always run.data
	grep -q $'\033' shown
	at_terminal 120 env TERM=dumb "$MPROF" report run.data
	run ! grep -q $'\033' shown
	"$MPROF" report run.data >plain 2>/dev/null
	run ! grep -q $'\033' plain
	"$MPROF" report --color=always run.data >coloured 2>/dev/null
	sed $'s/\033\\[[0-9;]*m//g' coloured | diff plain -
	run -2 "$MPROF" report --color=red run.data
	[[ $output = *'"red" is not auto, always or never'* ]]
}

@test "what is lost or grows is coloured" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/reach" >out 2>err </dev/null
	"$MPROF" report --verdicts=yes run.data >plain 2>/dev/null
	"$MPROF" report --verdicts=yes --color=always run.data >coloured 2>/dev/null
	if grep -q LOST plain; then
		grep -q $'\033\\[1;31mLOST' coloured
	fi
	sed $'s/\033\\[[0-9;]*m//g' coloured | diff plain -
}

@test "report is shown by a pager, as git does it" {
	names_profile
	printf '#!/bin/sh\nsed "s/^/P:/"; echo "left with $LESS"\n' >mypager
	chmod +x mypager
	MPROF_PAGER=./mypager at_terminal 120 env -u LESS "$MPROF" report run.data
	grep -q '^P:mprof: kept by process' shown
	grep -q '^P:kept bytes' shown
	[ "$(tail -n 1 shown)" = "left with FRX" ]
	run ! grep -q '^kept bytes' shown
	# MPROF_PAGER before PAGER; nothing or cat is none
	PAGER=false MPROF_PAGER=./mypager at_terminal 120 "$MPROF" report run.data
	grep -q '^P:kept bytes' shown
	for none in '' cat; do
		MPROF_PAGER=$none PAGER=./mypager at_terminal 120 "$MPROF" report run.data
		grep -q '^kept bytes' shown
	done
	PAGER=./mypager at_terminal 120 "$MPROF" report --no-pager run.data
	grep -q '^kept bytes' shown
	# only for a person
	PAGER=./mypager "$MPROF" report run.data 2>/dev/null | grep -q '^kept bytes'
	PAGER=./mypager at_terminal 120 "$MPROF" report -o file run.data
	run ! grep -q 'P:' shown
	grep -q '^kept bytes' file
	# what is wrong comes by it, too, and the status is ours
	MPROF_PAGER=./mypager at_terminal 120 "$MPROF" report nothing.data && fail "it did not fail"
	grep -q 'P:mprof: .*nothing.data' typed
}

@test "a pager that is left early ends the report, and nobody complains" {
	names_profile
	at_terminal 120 env MPROF_PAGER='head -n 2' "$MPROF" report --verbose run.data || true
	[ "$(wc -l <typed)" = 2 ]
	run ! grep -q 'cannot write' typed
}

@test "--quiet says nothing but what is missing" {
	limited "$MPROF" run --quiet -o run.txt --data=run.data -- "$T/widgets" >out 2>err </dev/null
	[ ! -s err ]
	grep -q 'Direct Allocation' run.txt
	# What matters first stands in the file that was asked for.
	"$MPROF" report --summary run.data | cmp - <(sed '/^$/,$d' run.txt)
	sed '1,/^$/d' run.txt >tables.txt
	"$MPROF" report --quiet run.data 2>err | cmp - tables.txt
	[ ! -s err ]
	"$MPROF" report --quiet -o again.txt run.data
	cmp again.txt run.txt
	"$MPROF" report run.data 2>err | cmp - tables.txt
	grep -q 'kept by process' err
	run -1 "$MPROF" report --quiet nothing.data
	[[ $output = *nothing.data* ]]
}

@test "names are told in a line, and where lines are missing by file" {
	cp "$T/widgets" stripped
	limited "$MPROF" run -o run.txt --data=run.data -- ./stripped >out 2>err </dev/null
	grep -qx 'mprof: names from DWARF of [0-9]* files*' err
	run ! grep -q 'names from DWARF:' err
	strip stripped
	limited "$MPROF" run -o run.txt --data=run.data -- ./stripped >out 2>err </dev/null
	grep -qx 'mprof: \(names from .dynsym\|no names\): .*/stripped' err
	limited "$MPROF" run --verbose -o run.txt --data=run.data -- "$T/widgets" >out 2>err </dev/null
	grep -q 'names from DWARF: .*widgets' err
}
