#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A gate for CI: the tests of a project under mprof, which fail if they keep memory, or need more than they did.
#
#	ci.sh PROGRAM [ARG...]
#
# Begin with a copy of this, and with the conditions below that matter to you; `man mprof-report`, CONDITIONS, has all. Beside
# it, as the project grows:
#
#	known-leaks	what is kept on purpose, in LeakSanitizer's syntax: lines leak:PATTERN
#	good.data	a profile of when all was well. With it what grows is a failure, too; to take a new one,
#			cp mprof-ci/profile.data good.data
#
# Ends with 12 if a condition holds, with 1 if one cannot be told, with 2 if one is about a function that there is not, and else
# as the program does. What there is to see is
# in mprof-ci: the report, the profiles, junit.xml and sarif.json.
set -u
mprof=${MPROF:-mprof}
out=mprof-ci
known=known-leaks
good=good.data

rm -rf "$out"
mkdir "$out" || exit 1

# Each process of the tests is looked at by itself: a runner that starts others is one of many.
set -- --trace-children=yes -o "$out/report.txt" --data="$out/profile.data" \
	--junit="$out/junit.xml" --sarif="$out/sarif.json" \
	--fail-if='kept>64K' \
	--fail-if='kept(make_*)>0' \
	-- "$@"
[ ! -e "$known" ] || set -- --suppressions="$known" "$@"
[ ! -e "$good" ] || set -- --base="$good" --fail-if='peak>+10%' --fail-if='allocs>+25%' "$@"

status=0
"$mprof" run "$@" 2>"$out/messages.txt" || status=$?
# What broke it is all that most readers of a log want.
case $status in
0) echo "memory: all is well" ;;
12) grep -A 10 -e --fail-if "$out/messages.txt" ;;
*) cat "$out/messages.txt" ;;
esac

# All processes as one profile, to be looked at by `mprof report mprof-ci/all.data`.
set -- "$out"/profile.data*
[ ! -e "$1" ] || "$mprof" merge -o "$out/all.data" "$@" || [ $status != 0 ] || status=1
exit $status
