#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# How long attaching stops a process, by its own account ("attaching stopped the process for X ms").

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
sizes=("1 0" "100 0" "1 100" "100 100")

build manymods -pthread -ldl || exit 1
need_mprof
# 500 functions each; as many different files as modules.
$CC -O1 -g -fPIC -shared -DMODULE -o "$tmp/m1.so" "$here/manymods.c" || exit 1
for ((i = 2; i <= 100; i++)); do
	cp "$tmp/m1.so" "$tmp/m$i.so"
	modules+=("$tmp/m$i.so")
done
modules+=("$tmp/m1.so")

attach() {
	local threads=$1 mods=$2 pid ms i

	"$B/bench/manymods" "$threads" "${modules[@]:0:mods}" >"$tmp/ready" 2>&1 &
	pid=$!
	started+=("$pid")
	for ((i = 0; i < 100; i++)); do
		grep -q ready "$tmp/ready" && break
		sleep 0.05
	done
	quiet "$MPROF" attach --stats --duration=0.3 -o /dev/null --data="$tmp/data" "$pid"
	ms=$(sed -nE 's/.*stopped the process for ([0-9.]+) ms.*/\1/p' "$tmp/err")
	echo "${ms:--}" >>"$tmp/at-$threads-$mods"
	kill "$pid"
	wait "$pid" 2>/dev/null
}

for ((r = 0; r < RUNS; r++)); do
	for s in "${sizes[@]}"; do
		# shellcheck disable=SC2086
		attach $s
	done
done

echo "## Attaching"
echo
table "threads" "modules besides libc" "stopped for ms" "least"
for s in "${sizes[@]}"; do
	n=at-${s/ /-}
	row "${s% *}" "${s#* }" "$(num "$(median "$n")")" "$(num "$(least "$n")")"
done
