#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# run.sh TEMPLATE MPROF: tests the page, in node and in headless chromium; prints TAP.
# UNIT=1: only what needs neither browser nor mprof. ONLY=RE: tests of that name.
# KEEP=DIR: pages and pictures stay there.
set -euo pipefail

template=$(realpath "${1:?usage: run.sh TEMPLATE MPROF}")
mprof=$(realpath "${2:?usage: run.sh TEMPLATE MPROF}")
web=$(cd "$(dirname "$0")/.." && pwd)
built=$web/node_modules/.mprof-tests	# in node_modules, so that what they import is found
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT

cd "$web"
node_modules/.bin/tsc --noEmit -p test
node_modules/.bin/prettier --log-level=warn --check src test dev ./*.mjs >&2
rm -rf "$built"
tests=(test/unit/*.test.ts)
[ -n "${UNIT:-}" ] || tests+=(test/browser/*.test.ts)
esbuild "${tests[@]}" --bundle --platform=node --format=esm --target=node20 --packages=external \
	--jsx=automatic --jsx-import-source=preact --out-extension:.js=.mjs --outbase=test \
	--outdir="$built" --log-level=warning

# page NAME DATA...: the page of data files, and the report of the first
page()
{
	local name=$1
	shift
	"$mprof" report --format=json "$1" >"$work/$name.json"
	MPROF_PAGE_TEMPLATE=$template "$mprof" report --format=html -o "$work/$name.html" "$@"
}

if [ -z "${UNIT:-}" ]; then
	cc -g -O1 -o "$work/widgets" ../examples/widgets.c
	c++ -g -O1 -o "$work/names" test/programs/names.cc
	for program in widgets names; do
		(cd "$work" && "$mprof" run --data="$program.data" -o "$program.txt" -- \
			"./$program" >/dev/null)
	done
	page widgets "$work/widgets.data"
	page names "$work/names.data"
	page both "$work/widgets.data" "$work/names.data"
fi
TEMPLATE=$template WORK=$work node --test --test-reporter=tap \
	${ONLY:+"--test-name-pattern=$ONLY"} "$built"/unit/*.mjs \
	$([ -n "${UNIT:-}" ] || ls "$built"/browser/*.mjs)
