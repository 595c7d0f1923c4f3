#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build.sh OUT: makes the template of the page, one file that asks the network for nothing.
# Ends with 3, and one sentence, if a tool is missing.
set -eu

out=${1:?usage: build.sh OUT}
web=$(cd "$(dirname "$0")" && pwd)

for tool in node npm esbuild; do
	if ! command -v "$tool" >/dev/null; then
		echo "the page cannot be built: there is no $tool" \
			"(node, npm and esbuild are needed)" >&2
		exit 3
	fi
done

"$web/fetch.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$web" && node_modules/.bin/tsc --noEmit)
(cd "$web" && esbuild src/main.tsx --bundle --minify --target=es2020 --charset=utf8 --format=iife \
	--jsx=automatic --jsx-import-source=preact --legal-comments=none --log-level=warning \
	--outfile="$work/page.js")
(cd "$web" && esbuild src/style.css --bundle --minify --log-level=warning \
	--outfile="$work/page.css")
node "$web/inline.mjs" "$web/src/page.html" "$work/page.css" "$work/page.js" "$work/page.html"
mkdir -p "$(dirname "$out")"
mv "$work/page.html" "$out"
