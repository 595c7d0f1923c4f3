#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The classes that mprof heap tells are those that the program knows of, block for block.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# heap ARG...: its answer is in the file heap
heap() {
	looked heap "$@"
}

# looked_at PROGRAM: what it says of its own objects is in truth, and what mprof says in told
looked_at() {
	start classes "$T/$1"
	heap --format=json "$PID" && cp heap json
	tell_await classes classes '^classes$'
	grep '^class ' classes.out | cut -d' ' -f2- >said
	jq -r '.classes[] | "\(.blocks) \(.bytes) \(.rtti) \(.name)"' json >told
	jq -e '.classes_complete and .classes_unread == 0 and .doubtful == false' json
}

# typed PROGRAM: each object with type information is told, and nothing else is taken for one
typed() {
	looked_at "$1"
	awk '$3 == "true"' told | sort >got
	awk '$3 == "true" && $4 != "table"' said | sort >truth
	diff truth got >&2
	echo "# $1: $(awk '{ n += $1 } END { print n }' got) of $(awk '{ n += $1 } END { print n }' truth) objects with virtual functions, 0 others" >&3
	[ "$(wc -l <truth)" -gt 10 ]
}

# others: how many rows have no type information
others() {
	awk '$3 != "true"' told | wc -l
}

@test "every object with virtual functions has its class, and nothing else has one" {
	typed classes
	[ "$(others)" = 0 ]
	finish classes
}

@test "in a program that has no symbols, too" {
	typed classes-stripped
	# A table of functions with nothing before it could be a class's there, and is said to have no name.
	[ "$(others)" = 1 ]
	grep -Eqx '1 40 false class without a name at classes-stripped\+0x[0-9a-f]+' told
	finish classes
}

@test "in a static program without symbols, too" {
	typed classes-static
	[ "$(others)" = 1 ]
	finish classes
}

@test "in a program that is not relocated" {
	typed classes-norelocs
	[ "$(others)" = 0 ]
	finish classes
}

@test "without type information symbols name a class, and it says so" {
	looked_at classes-nortti
	# Of arrays nothing is known then.
	grep -v -e '\[\]$' -e 'into the block' said | awk '$3 == "false" && $4 != "table"' | sed 's/$/ (no RTTI)/' | sort >truth
	grep ' false ' told | sort | diff truth - >&2
	[ "$(wc -l <truth)" -gt 5 ]
	# What the library has type information for is told by that.
	grep -q '^25 [0-9]* true std::.*basic_ostringstream' told
	finish classes
}

@test "without type information and symbols classes have no names, and are counted" {
	looked_at classes-nortti-stripped
	grep -v -e '\[\]$' -e 'into the block' said | awk '$3 == "false" { print $1, $2 }' | sort >truth
	grep ' false class without a name at classes-nortti-stripped+0x' told | cut -d' ' -f1,2 | sort | diff truth - >&2
	[ "$(wc -l <truth)" -gt 5 ]
	finish classes
}

@test "the text says what the JSON says, and --types=no nothing of it" {
	looked_at classes
	heap "$PID"
	sed -n '/classes:/,$p' heap | sed -E '1d; s/\([0-9.]+\)/ /; s/^ +//; s/  +/ /g' >text
	cut -d' ' -f1,2,4- told | diff - text >&2
	heap --types=no "$PID"
	! grep -q classes: heap || return 1
	heap --types=no --format=json "$PID"
	jq -e '.classes == null' heap
	refused 2 'option types: "perhaps" is not yes or no' "$MPROF" heap --types=perhaps "$PID"
	finish classes
}

@test "a program in C has no classes" {
	start tabled "$T/tabled" 2 500
	tell_await tabled 'work 2000' '^worked$'
	heap --format=json "$PID"
	jq -e '.classes == [] and .blocks > 10' heap >&2
	finish tabled
}
