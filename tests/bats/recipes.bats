# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC1091,SC2016
# man/mprof-recipes.7: each of its commands is run, in their order, and prints what stands there.

bats_require_minimum_version 1.7.0
load ../lib/common
load ../lib/live

page=$ROOT/man/mprof-recipes.7

@test "every recipe's command does what the page says" {
	PATH=$(dirname "$MPROF"):$PATH
	export PATH PID
	"${CC:-gcc}" -g -O1 -o shop "$ROOT/examples/shop.c"
	env "MPROF_TEST_MARK=$MARK" ./shop 0 10 >/dev/null 2>&1 </dev/null 3>&- &
	PID=$!
	until_true "the shop has no receipts yet" shop_is_at_work
	limited python3 "$ROOT/tests/lib/recipes.py" "$page" || fail "a recipe is not as the page says"
	kill "$PID"
	ended "$PID"
	[ -s shop.html ]
	[ -s oom.data.snapshot.1 ]
}

shop_is_at_work() {
	[ "$("$MPROF" leaks --format=json "$PID" 2>/dev/null | jq '[.lost[].blocks] | add // 0')" -gt 5 ]
}

@test "there is an answer to fifteen questions, and a changed output is seen" {
	[ "$(grep -c '^\.Dl \$ mprof ' "$page")" -ge 15 ]
	printf '.Dl $ printf "one 12\\ntwo\\nthree\\n"\n.Bd -literal\none 7\n\\&...\nthree\n.Ed\n' >good
	python3 "$ROOT/tests/lib/recipes.py" good
	sed 's/^three/four/' good >bad
	run -1 python3 "$ROOT/tests/lib/recipes.py" bad
	sed 's/^\\&\.\.\.$//' good >bad
	run -1 python3 "$ROOT/tests/lib/recipes.py" bad
	printf '.Dl $ false\n' >bad
	run -1 python3 "$ROOT/tests/lib/recipes.py" bad
	printf '.Dl $ sh -c "exit 12"\n.\\" status 12\n' >good
	python3 "$ROOT/tests/lib/recipes.py" good
}
