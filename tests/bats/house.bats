#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The rules that tests/lint/house.py checks: the tree keeps them, and each breach is found. mprof is not needed here.

bats_require_minimum_version 1.5.0
load ../lib/common

setup_file() {
	:
}

# A small house in the test's folder, which keeps all rules.
small_house() {
	mkdir -p src/front src/back src/base include tests
	printf '    arrows:\n    main -> front\n    front -> back\n    back ->\n    base ->\n' >ARCHITECTURE.md
	echo '#include "front/front.h"' >src/main.c
	printf '#include <stdio.h>\n#include "back/back.h"\n#include "base/base.h"\n' >src/front/front.c
	printf '#include "fact.h"\n#include "back/back_internal.h"\n' >src/back/back.c
	touch src/front/front.h src/back/back.h src/back/back_internal.h src/base/base.h include/fact.h
	# The exceptions are this tree's.
	sed -E '/^LONG = \{$/,/^\}/{ /^\t/d }' "$ROOT/tests/lint/house.py" >house.py
}

house() {
	python3 house.py --root "$PWD" "$@"
}

# breach SENTENCE [RULE...]: that is all that is wrong with this house.
breach() {
	local want=$1
	shift
	run house "$@"
	[ "$status" = 1 ] || fail "no breach was found" || return 1
	[ "$output" = "$want" ] || fail "not this breach:" "$output"
}

# a copy of this tree, to break a rule in
copy_tree() {
	cp -R "$ROOT/src" "$ROOT/include" "$ROOT/tests" "$ROOT/ARCHITECTURE.md" .
	cp tests/lint/house.py .
}

@test "this tree keeps the rules of the house" {
	run "$ROOT/tests/lint/house.py"
	[ -z "$output" ] || fail "$output"
	[ "$status" = 0 ]
}

@test "an include against the arrows of this tree is found" {
	copy_tree
	sed -i '1a #include "cli/cli.h"' src/profile/live.c
	breach "src/profile/live.c:2: cli/cli.h: there is no arrow profile -> cli" arrows
}

@test "a circle in the arrows of this tree is found" {
	copy_tree
	sed -i 's/^    symbols -> .*/& report/' ARCHITECTURE.md
	sed -i '1a #include "report/report.h"' src/symbols/symbols.c
	run house arrows
	[ "$status" = 1 ]
	[[ $output == "ARCHITECTURE.md: a circle: "*"symbols -> report"* ]] || fail "$output"
}

@test "a file of this tree that grows beyond 500 lines is found" {
	copy_tree
	yes '/* one more */' | head -n 600 >>src/base/error.c
	run house length
	[ "$status" = 1 ]
	[[ $output =~ ^src/base/error.c:\ 6[0-9]+\ lines ]] || fail "$output"
}

@test "a small house that keeps the rules is in order" {
	small_house
	run house
	[ "$status$output" = 0 ] || fail "$output"
}

@test "rooms are in the list of arrows, and those of the list are rooms" {
	small_house
	mkdir src/shed
	touch src/shed/shed.h
	breach "ARCHITECTURE.md: shed is in src/ and not in the list of arrows" arrows
	rm -r src/shed
	sed -i 's/^    base ->$/&\n    shed ->/' ARCHITECTURE.md
	breach "ARCHITECTURE.md: shed is in the list of arrows and not in src/" arrows
	echo nothing >ARCHITECTURE.md
	breach "ARCHITECTURE.md: there is no list of arrows" arrows
}

@test "an arrow that nobody uses is found" {
	small_house
	sed -i 's/^    front -> back$/    front ->/' ARCHITECTURE.md
	breach "src/front/front.c:2: back/back.h: there is no arrow front -> back" arrows
	sed -i 's/^    front ->$/    front -> back/; s/^    main ->/& back/' ARCHITECTURE.md
	breach "ARCHITECTURE.md: nobody uses the arrow main -> back" arrows
}

@test "a header for its own room is not included elsewhere" {
	small_house
	echo '#  include  "back/back_internal.h"' >>src/front/front.c
	breach "src/front/front.c:4: back/back_internal.h is for back/ only" arrows
	sed -i '$d' src/front/front.c
	touch src/back/internal.h
	echo '#include "back/internal.h"' >>src/front/front.c
	breach "src/front/front.c:4: back/internal.h is for back/ only" arrows
}

@test "an include cannot hide where it leads" {
	small_house
	echo '#include "../back/back.h"' >src/base/base.c
	breach "src/base/base.c:1: an include begins with its room, not with a dot" arrows
	echo '#include <back/back.h>' >src/base/base.c
	breach "src/base/base.c:1: back/back.h: there is no arrow base -> back" arrows
	echo '#include "base.h"' >src/base/base.c
	breach 'src/base/base.c:1: "base.h" is to be included as "base/base.h"' arrows
	echo 'int a;' >src/base/base.c
	echo '#include "front/front.h"' >include/fact.h
	breach "include/fact.h:1: front/front.h: include/ may not lead into src/" arrows
}

@test "lines are counted in columns, tabs of 8 and characters of any length" {
	small_house
	printf '%0100d\n%s\n' 0 "$(printf 'ö%.0s' {1..100})" >src/base/base.c
	printf '\t%092d\n' 0 >tests/a.c
	run house columns
	[ "$status$output" = 0 ] || fail "$output"
	printf '\t%093d\n%0101d\n' 0 0 >>tests/a.c
	echo '/* on */' >>tests/a.c
	breach "tests/a.c:2: 2 lines of more than 100 columns" columns
	rm tests/a.c
	mkdir -p web/src/ui web/node_modules
	printf '%0101d\n' 0 | tee web/node_modules/a.ts >web/src/ui/a.tsx
	breach "web/src/ui/a.tsx:1: 1 lines of more than 100 columns" columns
}

@test "a file has 500 lines, or more with a reason, and no reason without" {
	small_house
	yes '' | head -n 500 >src/base/base.c
	run house length
	[ "$status$output" = 0 ] || fail "$output"
	echo >>src/base/base.c
	breach "src/base/base.c: 501 lines, more than 500, and no reason in house.py" length
	sed -i 's|^LONG = {|&"src/base/base.c": "it is",|' house.py
	run house length
	[ "$status$output" = 0 ] || fail "$output"
	sed -i '$d' src/base/base.c
	breach "src/base/base.c: needs no reason in house.py, it is not longer than 500 lines" length
}

@test "a unit test has the name of its room" {
	small_house
	mkdir tests/unit
	touch tests/unit/test_back_shelf.c tests/unit/help.h
	run house units
	[ "$status$output" = 0 ] || fail "$output"
	touch tests/unit/test_shelf.c
	breach "tests/unit/test_shelf.c: is to be named test_ROOM_FILE.c, after a room in src/" units
}

@test "a function that loses output without a word is not called" {
	small_house
	printf '/* not open_memstream(3) */\nint memopen(void);\n' >src/base/base.c
	run house calls
	[ "$status$output" = 0 ] || fail "$output"
	echo '*f = open_memstream (0, 0);' >>src/base/base.c
	breach "src/base/base.c:3: open_memstream(): it loses output and does not say so; memstream_open() of base/memstream.h does" calls
}

# The objects are those that have been built; flags has the compiler and what it was called with.
@test "what prints reports needs neither libdw nor libelf" {
	local source objects=()
	[ -r "$B/flags" ] || fail "nothing has been built in $B" || return 1
	for source in "$ROOT"/src/{report,profile,base,heapwalk}/*.c "$ROOT/src/pprof/stacktable.c" \
		"$ROOT"/src/still/still.c "$ROOT"/src/proc/{maps,smaps,file}.c \
		"$ROOT"/src/naming/{where,shortname}.c "$ROOT/src/symbols/demangle.c"; do
		source=${source#"$ROOT"/}
		objects+=("$B/${source%.c}.o")
	done
	echo 'int main(void) { return 0; }' >main.c
	run bash -c "$(cat "$B/flags") -o reports main.c ${objects[*]@Q} -lsqlite3 -ljansson -liberty -lm"
	[ "$status" = 0 ] || fail "$output" || return 1
	run ldd reports
	[[ "$output" != *libdw* && "$output" != *libelf* ]] || fail "$output"
}
