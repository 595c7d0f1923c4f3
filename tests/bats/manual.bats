#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The manual: a page for each command, with every option that it takes.

bats_require_minimum_version 1.5.0
load ../lib/common

@test "every option of a command stands in its page, or the page leads to where it is described" {
	"$MPROF" completion bash >options
	python3 "$ROOT/tests/lib/manual.py" "$ROOT/man" <options >wrong
	nothing "$(cat wrong)" "the manual:"
}

@test "an option that a page lacks, a page that is not there and a section that is not there are seen" {
	cp -r "$ROOT/man" man
	"$MPROF" completion bash >options
	sed -i '/^\.It Fl -keep-execs/d' man/mprof-run.1
	sed -i 's/^\.It Fl -hook .*/.It Fl -hooked/' man/mprof-probes.1
	sed -i 's/^\.Sx CLASSES/.Sx KINDS/' man/mprof-heap.1
	rm man/mprof-rss.1
	python3 "$ROOT/tests/lib/manual.py" man <options >wrong
	grep -qx 'mprof-run.1 does not have --keep-execs' wrong
	grep -qx 'mprof-doctor.1: mprof-probes.1 does not describe --hook' wrong
	grep -qx 'rss has no page' wrong
	grep -q '^mprof.1: there is no mprof-rss(1)' wrong
	grep -q '^mprof-heap.1 has no section KINDS' wrong
}

@test "help tells which page tells all of a command" {
	local command
	for command in run attach detach status control probes doctor heap leaks rss top report diff merge stats log completion; do
		[ "$("$MPROF" help $command | tail -n 1)" = "man mprof-$command tells everything." ] || return 1
	done
	"$MPROF" help | grep -q 'man mprof everything'
}
