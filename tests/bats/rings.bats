#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What tests/run builds and starts, in a small tree whose tests say that they ran. mprof is not needed here.

bats_require_minimum_version 1.5.0
load ../lib/common

setup_file() {
	:
}

# unit_says NAME LINE: a unit test, built with and without sanitizers
unit_says() {
	local b
	touch "tests/unit/$1.c"
	for b in build build-san; do
		printf '#!/bin/sh\necho %s/%s >>%s/started\necho 1..1\necho "%s"\n' $b "$1" "$D" "$2" >$b/unit/"$1"
		chmod +x $b/unit/"$1"
	done
}

# fuzz_says NAME LINE: a fuzz target, which is replayed with sanitizers only
fuzz_says() {
	touch "tests/fuzz/fuzz_$1.c"
	printf '#!/bin/sh\necho "build-san/fuzz/%s $*" >>%s/started\necho 1..1\necho "%s"\n' "$1" "$D" "$2" >build-san/fuzz/"$1"
	chmod +x build-san/fuzz/"$1"
}

# libfuzzer_says SCRIPT: a fuzz target as make fuzz builds it, which is SCRIPT
libfuzzer_says() {
	mkdir -p build-fuzz/fuzz
	cp "$ROOT/tests/fuzz/run" tests/fuzz/run
	printf '#!/bin/sh\n%s\n' "$1" >build-fuzz/fuzz/cherry
	chmod +x build-fuzz/fuzz/cherry
}

# commands_named FILE NAME...
commands_named() {
	local f=tests/bats/$1 name
	shift
	echo 'echo "${BATS_TEST_FILENAME##*/}" >>'"$D/files" >"$f"
	for name; do
		printf '@test "%s" {\n\techo "${MPROF%%/mprof}: %s${MPROF_ENGINE:+, by $MPROF_ENGINE}" >>%s/started\n}\n' "$name" "$name" "$D" >>"$f"
	done
}

setup() {
	D=$BATS_TEST_TMPDIR
	cd "$D" || return 1
	MARK=mprof-test-$BATS_TEST_NUMBER-$BASHPID-$RANDOM$RANDOM
	mkdir -p tests/unit tests/fuzz tests/bats tests/lint man build/unit build-san/unit build-san/fuzz build/web web/test
	cp "$ROOT/tests/run" tests/run
	printf '#!/bin/sh\necho "$*" >>%s/made\n' "$D" >make
	printf '#!/bin/sh\necho "$*" >>%s/checked\n' "$D" >tests/lint/house.py
	printf '#!/bin/sh\necho "$*" >>%s/started\necho 1..1\necho "ok 1 - round"\n' "$D" >web/test/run.sh
	echo '<!doctype html>' >build/web/page.html
	chmod +x make tests/lint/house.py web/test/run.sh
	cp "$ROOT/man/mprof.1" man/a.1
	cp "$ROOT/man/mprof.data.5" man/a.5
	cp "$ROOT/man/mprof-recipes.7" man/a.7
	unit_says test_base_apple "ok 1 - sweet"
	unit_says test_mma_pear "ok 1 - soft"
	fuzz_says cherry "ok 1 - a stone"
	commands_named exact.bats "apples are counted" "pears are counted"
	commands_named frames.bats "plums are counted"
	commands_named hostile.bats "cherries are counted"
	commands_named faults.bats "run: memory fails for quinces" "attach: memory fails for quinces"
	commands_named attach.bats "grapes are counted"
	commands_named allocators.bats "figs are counted"
	commands_named children.bats "nuts are counted"
	commands_named processes.bats "dates are counted"
	commands_named signals.bats "limes are counted"
	commands_named heap.bats "kiwis are counted"
	commands_named before.bats "pines are counted"
	commands_named looks.bats "beets are counted"
	commands_named top.bats "leeks are counted"
	commands_named hostile_programs.bats "onions are counted"
	commands_named names.bats "a pear has a name"
	touch made started checked files
}

# rings NAME ARG...: runs tests/run with T=NAME
rings() {
	local name=$1
	shift
	run env -u BATS_RUN_TMPDIR MAKE="$D/make" B="$D/build" T="$name" CYCLES= tests/run "$@"
}

@test "all tests are built with everything and started in all builds" {
	rings ""
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "42 passed, 0 failed" ] || fail "$output"
	[ "$(grep -c . started)" = 38 ] || fail "$(cat started)"
	[ "$(grep quinces started | sed "s|^$D/||" | sort)" = "build-san: run: memory fails for quinces
build: attach: memory fails for quinces
build: run: memory fails for quinces" ] || fail "$(cat started)"
	grep -q CC=clang made
	grep -q 'SAN=address,undefined .* unit-tests fuzz-targets all$' made || fail "$(cat made)"
	grep -qx "build-san/fuzz/cherry tests/fuzz/corpus/cherry" started
	[ -s checked ]
	grep -qx "$D/build/web/page.html $D/build/mprof" started
}

@test "a page that could not be fetched is said to be untested, one that could not be built has failed" {
	rm build/web/page.html
	echo "npm ci could not get what package-lock.json names" >build/web/page.html.log
	rings ""
	[ "${lines[-1]}" = "41 passed, 0 failed, 1 skipped" ] || fail "$output"
	[[ $output == *"web/page: skipped all, there is no page: npm ci could not"* ]] || fail "$output"
	mkdir web/node_modules
	touch web/node_modules/.package-lock.json
	printf '#!/bin/sh\nexit 1\n' >web/test/run.sh
	rings ""
	[ "$status" = 1 ] && [ "${lines[-1]}" = "41 passed, 1 failed" ] || fail "$output"
}

@test "the unit ring builds nothing, holds the tree against its rules and starts the unit tests" {
	rings "" unit
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "3 passed, 0 failed" ] || fail "$output"
	[ "$(sort started)" = "build/test_base_apple
build/test_mma_pear" ] || fail "$(cat started)"
	[ ! -s made ] && [ ! -s files ] && [ -s checked ]
}

@test "the ring of engines starts what runs programs with each engine but traps, and nothing else" {
	commands_named fast_lives.bats "melons are counted"
	commands_named rss.bats "sloes are counted"
	rings "" engines
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "34 passed, 0 failed" ] || fail "$output"
	[ "$(grep -c ', by fast$' started) $(grep -c ', by auto$' started) $(wc -l <started)" = "17 17 34" ] || fail "$(cat started)"
	not grep -qE "melons|sloes" started
	[ ! -s made ] && [ ! -s checked ]
}

@test "with a name only what has it is built and started" {
	rings apple
	[ "$status" = 0 ] || fail "$output"
	[ "$(sort started)" = "$D/build-san: apples are counted
$D/build: apples are counted
$D/build: apples are counted, by fast
build-san/test_base_apple
build/test_base_apple" ] || fail "$(cat started)"
	[ "$(sort -u files)" = exact.bats ]
	[ "$(grep -c . made)" = 1 ]
	grep -q 'T=apple unit-tests all$' made
	[ ! -s checked ]
}

@test "with the name of a command test nothing is built with sanitizers" {
	rings "has a name"
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "1 passed, 0 failed" ] || fail "$output"
	[ "$(cat started)" = "$D/build: a pear has a name" ]
	[ ! -s made ]
}

@test "with the name of a unit test only that one is linked" {
	run make -n -C "$ROOT" B="$D/elsewhere" T=base_array_none unit-tests
	[[ $output != */unit/test_* ]] || fail "$output"
	make -n -C "$ROOT" B="$D/elsewhere" T=mma_parse unit-tests >plan
	[ "$(grep -c -- '-o [^ ]*/unit/test_' plan)" = 1 ]
	grep -q -- '-o [^ ]*/unit/test_mma_parse ' plan
}

@test "with the name of a fuzz target its corpus is replayed, and what that breaks is reported" {
	fuzz_says cherry "not ok 1 - a stone"
	rings cherry
	[ "$status" = 1 ]
	[ "$(cat started)" = "build-san/fuzz/cherry tests/fuzz/corpus/cherry" ] || fail "$(cat started)"
	grep -q 'T=cherry fuzz-targets$' made || fail "$(cat made)"
	[[ $output == *"fuzz/cherry: not ok 1 - a stone"* ]] || fail "$output"
}

@test "what threads share is tested for ThreadSanitizer, too" {
	unit_says test_agent_tree "ok 1 - grows"
	mkdir -p build-tsan/unit
	printf '#!/bin/sh\necho "build-tsan/test_agent_tree" >>%s/started\necho 1..1\necho "not ok 1 - grows"\n' "$D" \
		>build-tsan/unit/test_agent_tree
	chmod +x build-tsan/unit/test_agent_tree
	rings agent_tree
	[ "$status" = 1 ]
	grep -q 'thread-tests$' made || fail "$(cat made)"
	grep -qx build-tsan/test_agent_tree started
	[ "${lines[-1]}" = "4 passed, 1 failed" ] || fail "$output"
}

@test "a name that no test has is an error" {
	rings nobody
	[ "$status" = 1 ]
	[ "$output" = 'no test has the name "nobody"' ] || fail "$output"
}

@test "a unit test that fails or dies is reported, whatever else runs at the time" {
	unit_says test_base_apple "not ok 1 - sour"
	printf '#!/bin/sh\nkill -SEGV $$\n' >build/unit/test_mma_pear
	rings "" unit
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "1 passed, 2 failed" ] || fail "$output"
	[[ $output == *"unit/test_base_apple: not ok 1 - sour"* ]]
	[[ $output == *"unit/test_mma_pear: ended with status 139 after 0 tests"* ]] || fail "$output"
}

# ---- make fuzz ----

@test "a fuzz target is built first, which is said, and what came of it is the last line" {
	libfuzzer_says 'echo "#7 cov: 12 ft: 3"; echo "stat::number_of_executed_units: 99"'
	MAKE=$D/make run -0 tests/fuzz/run build-fuzz cherry 5
	[[ ${lines[0]} == "cherry: building "* ]] || fail "$output"
	[ "${lines[-1]}" = "cherry: 99 runs in 5 s, cov: 12 edges, nothing found" ] || fail "$output"
	grep -q 'CC=clang .* build-fuzz/fuzz/cherry$' made || fail "$(cat made)"
}

@test "when a fuzz target breaks the last line is the command that shows it again" {
	libfuzzer_says 'f=build-fuzz/found/cherry-crash-1234; [ $# = 1 ] && { echo "again $1"; exit 77; }
		echo stone >$f; echo "a stack"; echo "Test unit written to $f"; exit 77'
	MAKE=$D/make run -1 tests/fuzz/run build-fuzz cherry 5
	[ "${lines[-1]}" = "build-fuzz/fuzz/cherry build-fuzz/found/cherry-crash-1234" ] || fail "$output"
	run ${lines[-1]}
	[ "$output" = "again build-fuzz/found/cherry-crash-1234" ]
	libfuzzer_says 'echo "no such corpus"; exit 1'
	MAKE=$D/make run -1 tests/fuzz/run build-fuzz cherry 5
	[[ ${lines[-1]} == "cherry: ended with status 1, "* ]] || fail "$output"
}

@test "without a fuzz target, or with a wrong one, a sentence says which there are, and nothing is built" {
	local wrong
	touch tests/fuzz/fuzz_plum.c tests/fuzz/fuzz_plum_tree.c
	libfuzzer_says 'exit 0'
	for wrong in "" apple plu ../fuzz/plum '*'; do
		MAKE=$D/make run -2 tests/fuzz/run build-fuzz "$wrong" 5
		[[ ${#lines[@]} = 1 && $output == *"make fuzz T=NAME, which is one of cherry, plum, plum_tree" ]] || fail "$output"
		[ -z "$wrong" ] || [[ $output == "there is no fuzz target \"$wrong\": "* ]] || fail "$output"
	done
	[ ! -s made ]
}
