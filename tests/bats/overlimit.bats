#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What is done when something is too much: --snapshot-when, --max-slowdown.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# wrong SENTENCE OPTION...: one sentence, with this in it, and status 2; nothing is run
wrong() {
	local sentence=$1
	shift
	run --separate-stderr limited "$MPROF" run "$@" -- touch ran
	[ "$status" = 2 ] || fail "$*: status $status" "$stderr" || return 1
	[ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == "mprof: "*"$sentence"* ]] || fail "$*: $stderr" || return 1
	[ ! -e ran ]
}

# told REGEX [N]: the session has said this
told() {
	await attach.err "^mprof: process $PID: $1" "${2:-1}"
}

# allocs FILE: how many requests of the program's own are in it
allocs() {
	"$MPROF" report --format=json "$1" | jq '[.bins[] | select(.size == 6121) | .allocs] | add // 0'
}

# ---- --snapshot-when ----

@test "a condition on memory that makes no sense is said in a sentence, and nothing is run" {
	local v
	for v in '' rss 'rss>' 'rss<2G' 'rss>2T' 'rss>-1' 'rss>2G ' 'rss >2G' 'kept>1' 'live>1K/s' 'growth>10M' \
		'growth>10M/' 'growth>10M/day' 'growth>/s' 'live>99999999999999999999' \
		"growth>$(printf %040d 1)/s"; do
		wrong 'is not rss>BYTES, live>BYTES, or growth>BYTES/s, /min or /h' --snapshot-when="$v" || return 1
	done
	local -a many
	mapfile -t many < <(printf -- '--snapshot-when=live>%d\n' {1..17})
	wrong '16 of them at most' "${many[@]}"
	wrong 'wants none' --snapshot-when='live>1' --data=/dev/null
	wrong 'is a name that --data=a may need' --snapshot-when='live>1' --data=a -o a.snapshot.1
	wrong 'is a name that --data=a may need' --snapshot-when='live>1' --data=a -o a.12.snapshot.3
}

@test "a profile is written when live bytes pass a limit, once for each crossing, and has what was there then" {
	local engine
	for engine in trap fast; do
		rm -f run.data* marks.*
		start marks "$T/marks"
		attach --engine=$engine -o report.txt --data=run.data --snapshot-when='live>600K' --snapshot-when='live>900K' "$PID"
		did "take 100" # 612100
		answered status
		[ ! -e run.data.snapshot.1 ]
		did "take 10"
		told 'live>600K .618221 bytes.: the profile until then is in run.data.snapshot.1$' || return 1
		did "take 60"
		told 'live>900K .924271 bytes.: the profile until then is in run.data.snapshot.2$' || return 1
		did "drop 70" # to 100: it has not fallen to nine tenths of the lower limit
		did "take 10"
		answered status
		[ ! -e run.data.snapshot.3 ] && [ ! -e run.data ] || fail "$(ls)" || return 1
		detach "$PID"
		[ "$(allocs run.data.snapshot.1)" = 101 ] || fail "$(allocs run.data.snapshot.1)" || return 1
		[ "$(allocs run.data.snapshot.2)" = 151 ] || fail "$(allocs run.data.snapshot.2)" || return 1
		[ "$(allocs run.data)" = 180 ] || fail "$(allocs run.data)" || return 1
		clean "$PID"
		finish marks
	done
}

# Looked at now and then, until it has fallen.
below_again() {
	did "take 1" && did "drop 1" && did "take 21" && did "drop 21" && [ -s run.data.snapshot.2 ]
}

@test "when it has fallen below nine tenths of the limit it is waited for again" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data --snapshot-when='live>100K' "$PID"
	did "take 20"
	told 'live>100K .*snapshot.1$'
	did "drop 20"
	until_true "it never fires again" below_again
	detach "$PID"
	finish marks
}

grown() {
	did "take 20" && [ -s run.data.snapshot.1 ]
}

@test "a program that is killed for its memory has left a profile, by what is resident and by growth" {
	local engine when
	for engine in trap fast; do
		for when in 'rss>12M' 'growth>50K/s'; do
			rm -f run.data* marks.*
			start marks "$T/marks"
			attach --engine=$engine -o report.txt --data=run.data --snapshot-when="$when" "$PID"
			until_true "there is no profile for $when" grown || return 1
			told "$when .[0-9]* bytes.: the profile until then is in run.data.snapshot.1\$" || return 1
			kill -KILL "$PID"
			ended "$FRONT"
			json run.data.snapshot.1
			[ "$(allocs run.data.snapshot.1)" -gt 10 ] || fail "$(allocs run.data.snapshot.1)" || return 1
			"$MPROF" report run.data.snapshot.1 | grep -q main
		done
	done
}

@test "each process that is followed has snapshots of its own, which say whose they are" {
	cat >kin.c <<-'END'
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void *volatile keep;
		int main(void)
		{
			keep = malloc(50000);
			if (!fork()) {
				keep = malloc(300000);
				return 0;
			}
			wait(NULL);
			keep = malloc(300001);
			return 0;
		}
	END
	cc -g -o kin kin.c
	limited "$MPROF" run --trace-children=yes -o report.txt --data=run.data --snapshot-when='live>200K' -- ./kin 2>err
	local child
	child=$(ls | sed -n 's/^run.data.\([0-9]*\)$/\1/p')
	[ -s run.data.snapshot.1 ] && [ -s "run.data.$child.snapshot.1" ] || fail "$(ls)" "$(cat err)"
	grep -q "^mprof: process $child: live>200K (300000 bytes): .* is in run.data.$child.snapshot.1\$" err || fail "$(cat err)"
	[ "$(ls run.data.*snapshot* | wc -l)" = 2 ]
}

@test "a snapshot that cannot be written is told, and the program goes on" {
	start marks "$T/marks"
	mkdir gone
	attach -o report.txt --data=gone/run.data --snapshot-when='live>100K' "$PID"
	rmdir gone
	did "take 20"
	told 'live>100K .*gone/run.data.snapshot.1.*No such file'
	mkdir gone
	did "take 1"
	detach "$PID"
	[ "$(allocs gone/run.data)" = 21 ]
	finish marks
}
