#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The types at call sites of a C program that is not ours, Debian's redis, built with gcc and with clang,
# against what the source converts each request to. The aim: 93 % right, 0.5 % wrong.
#
#	REDIS_SOURCE	a folder that has its source already, unpacked; what apt-get source gets otherwise

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

echo "## Types at call sites"
echo

for tool in gcc clang make objdump addr2line; do
	have "$tool" || {
		echo "There is no $tool: not measured."
		exit 0
	}
done
python3=/usr/bin/python3
"$python3" -c 'import clang.cindex' 2>/dev/null || {
	echo "There is no clang for Python (python3-clang): not measured."
	exit 0
}
get_redis_source || {
	echo "No source of redis (set REDIS_SOURCE): not measured. $(tail -n 1 "$tmp/apt")"
	exit 0
}
build_linked sitetypes || exit 1

status=0
for compiler in gcc clang; do
	src=$tmp/$compiler/src
	build_redis "$compiler" || continue
	if [ ! -e "$tmp/truth" ]; then
		(cd "$src" && for o in *.o; do [ ! -e "${o%.o}.c" ] || echo "${o%.o}.c"; done |
			xargs "$python3" "$here/sitetypes.py" truth "$src") >"$tmp/truth" || exit 1
	fi
	printf 'redis, %s -O2 -g: ' "$compiler"
	"$python3" "$here/sitetypes.py" judge "$src/redis-server" "$B/bench/sitetypes" <"$tmp/truth" || status=1
done
exit $status
