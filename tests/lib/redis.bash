# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# A redis server of the test's own. Load after live.

# begin_redis: without files, at $SOCK; sets PID. Debian has the program in two packages, and the one that has it as
# redis-server starts a server.
begin_redis() {
	SOCK=$D/redis.sock
	# shellcheck disable=SC2016
	env "MPROF_TEST_MARK=$MARK" bash -c 'exec -a redis-server redis-check-rdb "$@"' redis --port 0 --unixsocket "$SOCK" \
		--save '' --appendonly no --dir "$D" >redis.out 2>redis.err </dev/null 3>&- &
	PID=$!
	until_true "redis does not answer" redis_answers
}

redis_answers() {
	[ "$(redis-cli -s "$SOCK" ping 2>/dev/null)" = PONG ]
}
