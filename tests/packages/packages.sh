#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# make check-packages: builds the Debian package, holds it against lintian, runs debian/tests with it installed (as
# root, and it is removed again), and builds it once more, elsewhere and by somebody else, to the same bytes.
#
#	B=build packages.sh
set -u
tree=$(cd "${0%/*}/../.." && pwd)
out=${B:-$tree/build}/deb
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# step NAME COMMAND...
step() {
	local name=$1
	shift
	if "$@" >"$work/log" 2>&1 </dev/null; then
		passed=$((passed + 1))
		echo "ok $name"
	else
		failed=$((failed + 1))
		echo "not ok $name"
		tail -n 30 "$work/log"
	fi
}

# With hints: the only ones let pass are of lines that are long.
checked() {
	lintian -EvIL +pedantic --allow-root --suppress-tags very-long-line-length-in-source-file \
		--fail-on error,warning,info,pedantic "$out"/*.changes
}

tested() {
	local status
	autopkgtest -B "$out"/*.changes -- null
	status=$?
	dpkg --remove mprof
	return $status
}

# Of the source package and what npm has brought, all of it new, in another folder, language and time zone, for nobody
# else to read.
built_again() {
	local now
	now=$(date +%s)
	mkdir -p "$work/else/where" || return
	dpkg-source -x "$out"/mprof_*.dsc "$work/else/where/mprof" || return
	[ ! -d "$tree/web/node_modules" ] || cp -a "$tree/web/node_modules" "$work/else/where/mprof/web/" || return
	find "$work/else" -exec touch --no-dereference --date="@$now" {} +
	(
		umask 077
		cd "$work/else/where/mprof" &&
			env -i PATH="$PATH" HOME=/nonexistent USER=somebody LC_ALL=POSIX TZ=Asia/Tokyo \
				dpkg-buildpackage -us -uc -b -j1
	)
}

same() {
	local deb
	for deb in "$out"/*.deb; do
		cmp "$deb" "$work/else/where/${deb##*/}" || return
	done
}

step "the package is built" "$tree/debian/make-deb" "$out"
[ "$failed" = 0 ] || exit 1
step "lintian has nothing to say about it" checked
if [ "$(id -u)" != 0 ] || dpkg-query -W mprof >/dev/null 2>&1; then
	skipped=$((skipped + 1))
	echo "skipped: its tests install it and remove it, for which one is root, and has it not"
else
	step "it finds a leak where it is installed" tested
fi
step "it is built elsewhere" built_again
step "both are the same to the byte" same
if [ "$skipped" -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ]
