#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Naming: many frames in many files, and a C++ program with much DWARF beside what elfutils and binutils
# take for the same addresses. UNITS (36) of it, some 1.5 MB of DWARF each, are compiled once.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
UNITS=${UNITS:-36}
FRAMES=${FRAMES:-100000}
ADDRESSES=${ADDRESSES:-500}
build_linked names || exit 1

value() {
	sed -n "s/^$1 //p" "$tmp/out"
}

echo "## Names"
echo

# ---- many files ----

cc -g -O1 -fPIC -DMODULE -c -o "$tmp/module.o" "$here/manymods.c" || exit 1
modules=()
for i in {1..200}; do
	cc -shared -Wl,--build-id=uuid -o "$tmp/module$i.so" "$tmp/module.o" || exit 1
	modules+=("$tmp/module$i.so")
done
for ((i = 0; i < RUNS; i++)); do
	quiet "$B/bench/names" "$FRAMES" "${modules[@]}" || continue
	calc "$(value lookup) + $(value typing)" >>"$tmp/many"
	value megabytes >>"$tmp/many_mb"
done
echo "$FRAMES frames in ${#modules[@]} files: $(num "$(median many)") seconds, $(num "$(median many_mb)" 0) MB"
echo "(the aim: 5 seconds, 1024 MB)."
echo

# ---- one large program ----

have g++ && have readelf || {
	echo "There is no g++: no large program measured."
	exit 0
}
big=$B/bench/names-$UNITS
if [ ! -x "$big" ]; then
	for ((i = 0; i < UNITS; i++)); do
		cat >"$tmp/u$i.cc" <<-EOT
			#include <algorithm>
			#include <functional>
			#include <iostream>
			#include <map>
			#include <memory>
			#include <regex>
			#include <string>
			#include <unordered_map>
			#include <vector>
			struct T$i { int a[$((i + 17))]; std::string s; };
			static std::map<std::string, std::vector<T$i>> table$i;
			std::vector<std::string> work$i(int n)
			{
				std::vector<std::string> v;
				for (int k = 0; k < n; k++)
					v.push_back(std::string(40 + k, 'x')), table$i[v.back()].push_back(T$i());
				std::sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.size() > b.size(); });
				std::unordered_map<std::string, int> m;
				for (auto &s : v)
					m[s]++;
				std::regex r("[a-c]+x*$i");
				std::smatch sm;
				std::function<bool(int)> f = [&](int k) { return std::regex_search(v[k], sm, r); };
				return f(0) ? v : std::vector<std::string>(m.size());
			}
		EOT
	done
	{
		echo '#include <string>'
		echo '#include <vector>'
		for ((i = 0; i < UNITS; i++)); do echo "std::vector<std::string> work$i(int);"; done
		echo 'int main() { size_t n = 0;'
		for ((i = 0; i < UNITS; i++)); do echo "n += work$i(3).size();"; done
		echo 'return n == 0; }'
	} >"$tmp/main.cc"
	# shellcheck disable=SC2016
	printf '%s\n' "$tmp"/*.cc | xargs -P "$(nproc)" -I{} sh -c 'g++ -std=gnu++17 -O1 -g \
		-fno-eliminate-unused-debug-types -fno-eliminate-unused-debug-symbols -c -o "$1.o" "$1"' - {} &&
		g++ -o "$big" "$tmp"/*.cc.o || exit 1
fi
dwarf=$(readelf -SW "$big" | sed -n 's/.* \.debug_[a-z_]* *[A-Z]* *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/0x\1/p' |
	{ sum=0; while read -r n; do sum=$((sum + n)); done; echo "$sum"; })
"$B/bench/names" -a "$ADDRESSES" "$big" >"$tmp/addresses" || exit 1

# addresses_of NAME COMMAND...: seconds for all of $tmp/addresses
addresses_of() {
	seconds "$1" sh -c 'in=$1; shift; exec "$@" <"$in"' - "$tmp/addresses" "${@:2}"
}
for ((i = 0; i < RUNS; i++)); do
	if quiet "$B/bench/names" "$ADDRESSES" "$big"; then
		value lookup >>"$tmp/lookup"
		value typing >>"$tmp/typing"
		value megabytes >>"$tmp/mb"
		calc "$(value lookup) + $(value typing)" >>"$tmp/all"
	fi
	! have eu-addr2line || addresses_of eu eu-addr2line -f -i -e "$big"
	! have addr2line || addresses_of binutils addr2line -f -i -e "$big"
done
echo "A C++ program with $(num "$(calc "$dwarf / 1048576")" 0) MB of DWARF, $ADDRESSES addresses of it:"
echo
table what seconds "ratio to mprof"
row "mprof: names, lines, inlined functions" "$(num "$(median lookup)")" "$(num "$(calc "$(median lookup) / $(median all)")")"
row "mprof: types of 1000 sizes" "$(num "$(median typing)")" "$(num "$(calc "$(median typing) / $(median all)")")"
row "mprof: both, $(num "$(median mb)" 0) MB" "$(num "$(median all)")" 1
! have eu-addr2line || row "eu-addr2line -f -i" "$(num "$(median eu)")" "$(num "$(ratio eu all)")"
! have addr2line || row "addr2line -f -i" "$(num "$(median binutils)")" "$(num "$(ratio binutils all)")"

# ---- the second time ----

need_mprof
quiet "$MPROF" run -o "$tmp/report" --data="$tmp/data" -- "$big" || exit 1
export XDG_CACHE_HOME=$tmp/cache
echo
echo "mprof report --symbols-from of its profile; again, with what is in the cache (the aim: 5 times as fast);"
echo "without naming anything:"
echo
table format "first, seconds" again "first / again" "without naming"
for format in tables json; do
	for ((i = 0; i < RUNS; i++)); do
		rm -rf "$XDG_CACHE_HOME"
		seconds "first-$format" "$MPROF" report --format=$format --symbols-from="$big" "$tmp/data"
		seconds "again-$format" "$MPROF" report --format=$format --symbols-from="$big" "$tmp/data"
		seconds "plain-$format" "$MPROF" report --format=$format "$tmp/data"
	done
	row $format "$(num "$(median "first-$format")")" "$(num "$(median "again-$format")")" \
		"$(num "$(ratio "first-$format" "again-$format")")" "$(num "$(median "plain-$format")")"
done
