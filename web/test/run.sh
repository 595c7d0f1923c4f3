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

# page NAME ARGUMENT...: the page of these data files
page()
{
	MPROF_PAGE_TEMPLATE=$template "$mprof" report --format=html -o "$work/$1.html" "${@:2}"
}

# profile NAME PROGRAM [OPTION...]: NAME.data of it
profile()
{
	(cd "$work" && "$mprof" run --data="$1.data" -o "$1.txt" "${@:3}" -- "./$2" >/dev/null)
}

# detached NAME PROGRAM: the same of one that is let go while it waits for the end of its input
detached()
{
	local go=$work/$1.go ready=$work/$1.ready session
	rm -f "$go" "$ready"
	mkfifo "$go"
	(cd "$work" && exec "$mprof" run --data="$1.data" -o "$1.txt" -- "./$2" <"$go" >"$ready") &
	session=$!
	exec 3>"$go"
	until [ -s "$ready" ]; do
		kill -0 "$session" || return
		sleep 0.1
	done
	"$mprof" detach -o /dev/null "$(cat "$ready")"
	exec 3>&-
	wait "$session"
}

# attached NAME PROGRAM: the same of one that has done all it does before it is attached to, and waits
attached()
{
	local go=$work/$1.go ready=$work/$1.ready program
	rm -f "$go" "$ready"
	mkfifo "$go"
	"$work/$2" <"$go" >"$ready" &
	program=$!
	exec 3>"$go"
	until [ -s "$ready" ]; do
		kill -0 "$program" || return
		sleep 0.1
	done
	(cd "$work" && "$mprof" attach --before=walk --duration=0.5 --data="$1.data" -o "$1.txt" "$program")
	exec 3>&-
	wait "$program"
}

if [ -z "${UNIT:-}" ]; then
	cc -g -O1 -o "$work/widgets" ../examples/widgets.c
	# Of a run before: one more would be one process more.
	rm -f "$work"/*.data*
	cc -g -O1 -o "$work/forks" test/programs/forks.c
	c++ -g -O1 -o "$work/names" test/programs/names.cc
	for program in widgets names; do
		profile "$program" "$program"
		page "$program" "$work/$program.data"
	done
	cc -g -O1 -o "$work/loses" test/programs/loses.c
	detached loses loses
	page loses "$work/loses.data"
	attached attached loses
	page attached "$work/attached.data"
	profile moments widgets --snapshot-when="live>500K"
	page moments "$work"/moments.data*
	cp "$work/names" "$work/bare"
	strip "$work/bare"
	profile bare bare --types=none --timeline=0
	page bare "$work/bare.data"
	page both "$work/widgets.data" "$work/names.data"
	MPROF_PAGE_TEMPLATE=$template profile forks forks --trace-children=yes --html=forks.html
	for version in 1 2; do
		c++ -g -O1 -DVERSION=$version -o "$work/changes" test/programs/changes.cc
		profile "changes-$version" changes
	done
	page peak --at=peak "$work/widgets.data"
	page ignored --ignore-fn=make_widget "$work/widgets.data"
	page whole-names --names=full "$work/names.data"
	"$mprof" merge -o "$work/merged.data" "$work/widgets.data" "$work/names.data"
	page merged "$work/merged.data"
	page changes-peak --at=peak --base="$work/changes-1.data" "$work/changes-2.data"
	page changes --base="$work/changes-1.data" "$work/changes-2.data"
	"$mprof" report --base="$work/changes-1.data" "$work/changes-2.data" >"$work/changes.txt"
	for data in "$work"/*.data*; do
		"$mprof" report --format=json "$data" >"$data.json"
	done
fi
TEMPLATE=$template WORK=$work node --test --test-reporter=tap \
	${ONLY:+"--test-name-pattern=$ONLY"} "$built"/unit/*.mjs \
	$([ -n "${UNIT:-}" ] || ls "$built"/browser/*.mjs)
