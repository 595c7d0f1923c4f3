# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC1091,SC2016
# man/mprof-recipes.7: each of its commands is run, in their order, and prints what stands there.

bats_require_minimum_version 1.7.0
load ../lib/common
load ../lib/live

page=$ROOT/man/mprof-recipes.7

@test "every recipe's command does what the page says" {
	needs_traps "the page shows what is printed by default, the engine's name too"
	PATH=$(dirname "$MPROF"):$PATH
	export PATH PID POSTMASTER CONTAINED
	"${CC:-gcc}" -g -O1 -o shop "$ROOT/examples/shop.c"
	env "MPROF_TEST_MARK=$MARK" ./shop 0 10 >/dev/null 2>&1 </dev/null 3>&- &
	PID=$!
	env "MPROF_TEST_MARK=$MARK" "$T/backends" 20 >backends.out 2>&1 </dev/null 3>&- &
	POSTMASTER=$!
	await backends.out '^ready'
	contain
	until_true "the shop has no receipts yet" shop_is_at_work
	limited python3 "$ROOT/tests/lib/recipes.py" "$page" || fail "a recipe is not as the page says"
	kill "$PID" "$POSTMASTER"
	# The first process of a container hears of nothing else.
	kill -KILL "$CONTAINED"
	ended "$PID"
	ended "$POSTMASTER"
	ended "$CONTAINER"
	[ "$(ls backend.*.data | wc -l)" = 21 ]
	[ -s shop.html ]
	[ -s oom.data.snapshot.1 ]
}

# A shop in namespaces of its own, and under a root where nothing is but what it needs; $CONTAINED is its number here, and
# $CONTAINER who waits for it. Where that is not permitted it is one without.
contain() {
	local file own=(unshare --pid --fork --kill-child --mount --uts --ipc --net)
	[ "$(id -u)" = 0 ] || own+=(--map-root-user)
	mkdir root
	for file in $(ldd shop | grep -o '/[^ ]*') "$D/shop"; do
		mkdir -p "root${file%/*}"
		cp "$file" "root$file"
	done
	mv "root$D/shop" root/shop
	if ! "${own[@]}" true 2>/dev/null; then
		env "MPROF_TEST_MARK=$MARK" ./shop 0 10 >/dev/null 2>&1 </dev/null 3>&- &
		CONTAINER=$! CONTAINED=$!
		return
	fi
	env "MPROF_TEST_MARK=$MARK" "${own[@]}" chroot root /shop 0 10 >/dev/null 2>&1 </dev/null 3>&- &
	CONTAINER=$!
	until_true "nothing runs in the container" is_contained
}

is_contained() {
	CONTAINED=$(tr -d ' ' <"/proc/$CONTAINER/task/$CONTAINER/children")
	[ -n "$CONTAINED" ] && [ "$(tr '\0' ' ' <"/proc/$CONTAINED/cmdline")" = "/shop 0 10 " ] &&
		[ ! -e /shop ] && [ -x "/proc/$CONTAINED/root/shop" ] &&
		[ "$(readlink "/proc/$CONTAINED/ns/pid")" != "$(readlink /proc/self/ns/pid)" ]
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
