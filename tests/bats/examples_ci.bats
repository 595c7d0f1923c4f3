#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The sample CI script, and the workflow that runs it.

bats_require_minimum_version 1.5.0
load ../lib/common

# ci STATUS PROGRAM...: the script, in a project that has nothing but the program
ci() {
	local want=$1 got=0
	shift
	MPROF=$MPROF limited "$ROOT/examples/ci.sh" "$@" >ci.out 2>ci.err || got=$?
	[ "$got" = "$want" ] || fail "status $got, not $want" "$(cat ci.out ci.err mprof-ci/messages.txt)"
}

@test "the sample script of CI fails for what is kept, says what that is, and leaves all there is to see" {
	# 5019 red widgets of 204 bytes are forgotten.
	ci 12 "$T/widgets"
	grep -q -- '--fail-if=kept>64K: there are 1023876 bytes$' ci.out
	grep -q -- '--fail-if=kept(make_\*)>0: there are 1023876 bytes$' ci.out
	grep -Eq '^ +1023876 bytes +.*make_red_widget > make_widget ' ci.out
	grep -q 'Total bytes not freed: 1023876' mprof-ci/report.txt
	[ -s mprof-ci/profile.data ] && [ -s mprof-ci/all.data ]
	xmllint --noout mprof-ci/junit.xml
	[ "$(jq '.runs[0].results | length' mprof-ci/sarif.json)" = 2 ]
}

@test "the sample script knows what is kept on purpose, and what has grown since all was well" {
	echo 'leak:make_red_widget' >known-leaks
	ci 0 "$T/widgets"
	[ "$(cat ci.out)" = 'memory: all is well' ]
	ci 0 "$T/example"
	cp mprof-ci/profile.data good.data
	ci 0 "$T/example"
	# Another program needs more.
	ci 12 "$T/widgets"
	grep -q -- '--fail-if=allocs>+25%: there are 10000 requests, and in the base 13 requests$' ci.out
	grep -q -- '--fail-if=peak>+10%: there are [0-9]* bytes, and in the base 20000 bytes$' ci.out
	not grep -q 'fail-if=kept' ci.out
}

@test "the sample script ends as the tests do, looks at each of their processes, and adds them up" {
	ci 3 sh -c 'exit 3'
	ci 12 sh -c "$T/peak; $T/widgets; true"
	[ "$(grep -c '<testsuite ' mprof-ci/junit.xml)" -ge 3 ]
	[ "$(grep -c '<failure ' mprof-ci/junit.xml)" = 3 ]
	limited "$MPROF" report --format=json mprof-ci/all.data >all.json 2>/dev/null
	jq -e '[.bins[] | select(.size == 204) | .allocs] | add == 10000' all.json
	jq -e '[.bins[] | select(.size == 8111) | .allocs] | add == 10' all.json
}

@test "the steps of the sample workflow do what they say" {
	local step status=0
	cp -r "$ROOT/examples" .
	ln -s "$MPROF" mprof
	sed -n 's/^ *run: //p' examples/ci.yml >steps
	[ "$(wc -l <steps)" = 2 ]
	while read -r step; do
		status=0
		PATH=$PWD:$PATH MPROF=mprof limited sh -c "$step" >out 2>err </dev/null || status=$?
	done <steps
	[ "$status" = 12 ] || fail "status $status" "$(cat out err)"
	# The lines are those of the repository.
	[ "$(jq -r '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri' mprof-ci/sarif.json)" = \
		examples/widgets.c ]
	# What it keeps is there.
	for path in $(sed -n 's/^ *\(path\|sarif_file\): //p' examples/ci.yml); do [ -e "$path" ]; done
}
