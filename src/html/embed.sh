#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the page from WEB and writes it to INC as C that src/html/template.c includes: compressed, or, if it
# cannot be built here, with the reason. It never fails for that: mprof is built all the same.
#
#	embed.sh WEB PAGE INC		PAGE is where the page itself goes; what its build says is in PAGE.log
web=$1 page=$2 inc=$3
again='then build mprof again'

# tools: prints the required tools that are missing
tools() {
	for t in node npm esbuild; do
		command -v "$t" >/dev/null || echo "$t"
	done
}

# Builds at the same time wait for each other: they share WEB/node_modules. Without a network npm gives up soon.
build() {
	npm_config_fetch_retries=1 npm_config_fetch_timeout=20000 \
		timeout 600 flock "$web" "$web/build.sh" "$page" </dev/null >"$page.log" 2>&1 && [ -s "$page" ]
}

mkdir -p "$(dirname "$page")" "$(dirname "$inc")" || exit 1
rm -f "$page"
missing=$(tools | paste -sd , | sed 's/,\([^,]*\)$/ and \1/; s/,/, /g')
if [ ! -x "$web/build.sh" ]; then
	why="its sources, web/, were not there when mprof was built"
elif [ -n "$missing" ]; then
	why="when mprof was built there was no $missing; install nodejs, npm and esbuild (apt-get install nodejs npm esbuild), $again"
elif ! build; then
	why="its build failed when mprof was built, maybe for want of a network: see $page.log, and try again by make page"
else
	why=
fi
if [ -n "$why" ]; then
	echo "mprof is built without its page: $why" >&2
	rm -f "$page"
	printf 'static const unsigned char packed[1];\nstatic const size_t packed_from = 0;\n'
	printf 'static const char missing[] = "%s";\n' "$(printf %s "$why" | sed 's/[\\"]/\\&/g')"
else
	printf 'static const unsigned char packed[] = {\n'
	gzip -9nc "$page" | od -An -v -tx1 | sed 's/ \(..\)/0x\1,/g'
	printf '};\nstatic const size_t packed_from = %d;\n' "$(wc -c <"$page")"
	printf 'static const char missing[] = "";\n'
fi >"$inc.new" && mv "$inc.new" "$inc"
