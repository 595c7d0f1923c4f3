#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The types at call sites are those that a program's source has at the same lines.

bats_require_minimum_version 1.5.0
load ../lib/common

# told PROGRAM: for each line of sitetyped.c that a type stands at and a path leads through, the line and its
# types; "?" if none are said
told() {
	limited "$MPROF" run -o /dev/null --data=data "$@" 2>err
	limited "$MPROF" report --format=json data >json
	grep -n 'type: ' "$ROOT/tests/targets/sitetyped.c" | grep -v '"' | sed -E 's,^([0-9]+):.*type: (.*) \*/,\1 \2,' >truth
	jq -r --slurpfile lines <(cut -d' ' -f1 truth) '.leaks[] |
		([.path[].line | select(IN($lines[]))] | last) as $line | select($line) |
		"\($line) \(if .site_type then .site_type.names | join(" | ") else "?" end)"' json | sort -u >got
}

# typed PROGRAM: all that is said is right, and all is said
typed() {
	told "$1"
	sort -u truth | diff - got >&2
	echo "# ${1##*/}: types at $(wc -l <got) lines" >&3
	[ "$(wc -l <got)" -ge 15 ]
}

@test "not optimized" {
	typed "$T/sitetyped-gcc-O0"
}

@test "optimized" {
	typed "$T/sitetyped-gcc-O2"
}

@test "by another compiler, not optimized" {
	typed "$T/sitetyped-clang-O0"
}

@test "by another compiler, optimized" {
	typed "$T/sitetyped-clang-O2"
}

# typed_cxx PROGRAM N: of the lines of sitetyped++.cc, N or more have types, and none has a wrong one. How many
# are in an array is left out: where clang leaves a class of the library out, its size is not known.
typed_cxx() {
	limited "$MPROF" run -o /dev/null --data=data "$1" 2>err
	limited "$MPROF" report --format=json data >json
	grep -n '/\* type: ' "$ROOT/tests/targets/sitetyped++.cc" | sed -E 's,^([0-9]+):.*type: ([^[]*).* \*/,\1 \2,' | sort >truth
	jq -r '.leaks[] | ([.path[] | select(.file // "" | endswith("sitetyped++.cc")) | .line] | last) as $line |
		select($line and .site_type) | "\($line) \(.site_type.names | join(" | "))"' json |
		sed -E 's/std::(vector|pair)<.*>/\1/; s/std::__cxx11::basic_string<.*>/string/; s/\[.*//' | sort -u >got
	[ "$(comm -13 truth got)" = '' ] || fail "wrong" "$(comm -13 truth got)" "of" "$(cat truth)" || return 1
	echo "# ${1##*/}: types at $(wc -l <got) of $(wc -l <truth) lines" >&3
	[ "$(wc -l <got)" -ge "$2" ]
}

@test "of C++, what an object begins with is not taken for the object" {
	for program in "$T"/sitetyped-{g,clang}++-O{0,1,2}; do
		typed_cxx "$program" 10 || return 1
	done
}

@test "with the symbols in a file of their own" {
	cp "$T/sitetyped-gcc-O2" program
	objcopy --only-keep-debug program program.debug
	objcopy --strip-all --add-gnu-debuglink=program.debug program
	typed ./program
}

@test "with line numbers only, and without any, nothing is said" {
	told "$T/sitetyped-lines"
	[ "$(wc -l <got)" -ge 10 ]
	[ "$(cut -d' ' -f2- got | sort -u)" = '?' ]
	cp "$T/sitetyped-gcc-O2" program
	strip program
	limited "$MPROF" run -o /dev/null --data=data ./program 2>err
	limited "$MPROF" report --format=json data >json
	jq -e '[.leaks[] | select(.site_type)] == []' json >&2
}

@test "the first screen, the table of leaks and the data file have them, unless they are not wanted" {
	limited "$MPROF" run -o report --data=data "$T/sitetyped-gcc-O2" 2>err
	grep -Eq '^mprof: .* new_request \(sitetyped.c:[0-9]+\): struct request$' err
	# The table is that of 1990 if nothing is asked for.
	grep -qx 'kept bytes (%)     allocs     bytes (%)      frees     bytes (%)     path' report
	limited "$MPROF" report --site-types=yes data >with 2>err
	grep -Eq '^kept bytes .* bytes \(%\)     type                    path$' with
	grep -Eq ' struct request +\|\| > main > new_request$' with
	[ "$(sqlite3 data "select count(*) from site_types where name = 'struct request' and certain")" -ge 4 ]
	limited "$MPROF" report --site-types=no data >without 2>err
	! grep -q 'struct request' without err || return 1
	limited "$MPROF" report data >plain 2>err
	diff plain without >&2
	limited "$MPROF" report --site-types=no --format=json data | jq -e '[.leaks[] | select(.site_type)] == []' >&2
}

@test "damaged debugging information ends in no type, never in no report" {
	cp "$T/sitetyped-gcc-O2" program
	some=0
	for seed in {1..12}; do
		python3 - program damaged "$seed" <<-'EOF2'
			import random, subprocess, sys
			seed = int(sys.argv[3])
			random.seed(seed)
			data = bytearray(open(sys.argv[1], "rb").read())
			parts = []
			for line in subprocess.check_output(["readelf", "-SW", sys.argv[1]], text=True).splitlines():
			    f = line.replace("[ ", "[").split()
			    if len(f) > 5 and f[1].startswith((".debug_info", ".debug_abbrev", ".debug_loc", ".debug_rng")):
			        parts.append((int(f[4], 16), int(f[5], 16)))
			for _ in range(1 + seed % 7):
			    at, size = random.choice(parts)
			    data[at + random.randrange(size)] = random.randrange(256)
			open(sys.argv[2], "wb").write(data)
		EOF2
		chmod +x damaged
		limited "$MPROF" run -o /dev/null --data=data ./damaged 2>err || fail "seed $seed" "$(cat err)" || return 1
		grep -q 'the profile is in data' err || fail "seed $seed" "$(cat err)" || return 1
		[ "$(sqlite3 data 'select sum(allocs) from leaves')" = 21 ] || fail "seed $seed" "$(cat err)" || return 1
		some=$((some + $(sqlite3 data 'select count(*) from site_types')))
	done
	[ "$some" -gt 20 ]
}
