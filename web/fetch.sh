#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch.sh: gets what package-lock.json names into node_modules, by npm: the only part of a build that may ask a
# network. Ends with 3, and one sentence, if it cannot.
set -eu

web=$(cd "$(dirname "$0")" && pwd)

# Only if the lock file has changed since, so that a second build asks nobody. npm's own mark is
# in the folder that npm ci makes anew.
mark=$web/node_modules/.package-lock.json
if [ -e "$mark" ] && ! [ "$web/package-lock.json" -nt "$mark" ]; then
	exit 0
fi
(cd "$web" && npm ci --ignore-scripts --prefer-offline --silent) || {
	echo "the page cannot be built: npm ci could not get what" \
		"package-lock.json names" >&2
	exit 3
}
touch "$mark"
