#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What is done when something is too much: --snapshot-when, --max-slowdown, --max-memory.

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
	for v in '' rss 'rss>' 'rss<2G' 'rss>2Z' 'rss>-1' 'rss>2G ' 'rss >2G' 'kept>1' 'live>1K/s' 'growth>10M' \
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

# ---- --max-slowdown ----

@test "a limit of slowdown that makes no sense is said in a sentence, and nothing is run" {
	local v
	for v in '' 0 1 1.04 100 -2 2x nan inf; do
		wrong 'is not a factor from 1.05 to below 100' --max-slowdown="$v" || return 1
	done
	wrong 'is not pause or detach' --max-slowdown=2 --over=kill
	wrong 'means nothing without --max-slowdown' --over=pause
}

# endless: a program that keeps 1000 blocks of 777 bytes and then allocates without a pause, until SIGTERM;
# then it frees what it has kept, and ends well if nothing was harmed.
endless() {
	cat >endless.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		static volatile sig_atomic_t over;
		static unsigned char *keep[1000];
		static void end(int sig) { over = sig; }
		int main(void)
		{
			signal(SIGTERM, end);
			for (int i = 0; i < 1000; i++)
				memset(keep[i] = malloc(777), i & 255, 777);
			puts("ready");
			fflush(stdout);
			while (!over) {
				char *volatile p = malloc(64);
				free(p);
			}
			for (int i = 0; i < 1000; i++) {
				for (int k = 0; k < 777; k++)
					if (keep[i][k] != (i & 255))
						return 3;
				free(keep[i]);
			}
			return 0;
		}
	END
	cc -O1 -fno-builtin -o endless endless.c
}

# begin OPTION...: ./endless under mprof run; its number is in PID
begin() {
	background "$MPROF" run -o report.txt --data=run.data "$@" -- ./endless
	await attach.out '^ready'
	PID=$(pgrep -x endless -P "$(pgrep -x mprof-tracer -P "$FRONT")" || pgrep -x endless -s 0 | tail -n 1)
}

# A call with the fast engine is taken to cost a constant time. Where the processor is slow, or busy, that is a
# smaller part of the program's time: 1.8 times instead of 4. The limits for that engine are far below.

@test "what costs too much is paused, and for longer each time; what was there may be gone, and is not kept" {
	local engine limit pause
	endless
	for engine in trap fast; do
		[ $engine = trap ] && limit=2 pause=3 || limit=1.2 pause=15
		rm -f run.data* attach.*
		begin --engine=$engine --max-slowdown=$limit
		await attach.err "^mprof: [0-9.]* s after the start: for 3 s it took .* more than --max-slowdown=$limit: nothing is watched for $pause s\$" || return 1
		# The fast engine's jumps stay, to pads that pass through.
		[ $engine = fast ] || text_clean "$PID" || return 1
		limited "$MPROF" control --format=json "$PID" status >status.json
		# How slow it is now is another figure than that of the moment at which it was judged.
		jq -e '.state == "suspended" and .slowdown >= 1' status.json || fail "$(cat status.json)" || return 1
		await attach.err '^mprof: .* the pause is over$' || return 1
		await attach.err "^mprof: .* nothing is watched for $((2 * pause)) s\$" || return 1
		# In the pause it ends; nobody has seen what it freed.
		kill -TERM "$PID"
		ended "$FRONT"
		[ "$STATUS" = 0 ] || fail "status $STATUS" "$(cat attach.err)" || return 1
		json run.data
		jq -e '.bins[] | select(.size == 777) | .allocs == 1000 and .kept_bytes == 0' report.json || return 1
		jq -e '.unseen.pauses == 2 and .unseen.paused_ns > 3e9 and .unseen.missed_blocks >= 1000' report.json ||
			fail "$(jq -c .unseen report.json)" || return 1
		grep -q '^mprof: nothing was seen in 2 pauses of ' attach.err
		"$MPROF" report run.data 2>&1 >/dev/null | grep -q '^mprof: while it was watched it took the program about [0-9.]* times as long as by itself, of its own processor time: '
	done
}

@test "what costs too much is let go, with the report, if that is wanted" {
	local engine limit
	endless
	for engine in trap fast; do
		[ $engine = trap ] && limit=2 || limit=1.1
		rm -f run.data* attach.*
		begin --engine=$engine --max-slowdown=$limit --over=detach
		await attach.err "^mprof: .* more than --max-slowdown=$limit: it is let go\$" || return 1
		ended "$FRONT"
		[ "$STATUS" = 0 ] || fail "status $STATUS" "$(cat attach.err)" || return 1
		text_clean "$PID" || own_text "$PID" || return 1
		json run.data
		jq -e '.bins[] | select(.size == 777) | .kept_bytes == 777000' report.json || return 1
		jq -e '(.unseen.pauses // 0) == 0' report.json || return 1
		[ "$(tracer_of "$PID")" = 0 ]
		kill -TERM "$PID"
		until_true "it does not end" gone "$PID" || return 1
	done
}

@test "who resumes in a pause does not wait for its end" {
	endless
	begin --max-slowdown=1.2
	await attach.err '^mprof: .* nothing is watched for 15 s$'
	answered resume
	await attach.err '^mprof: .* nothing is watched for 30 s$'
	! grep -q 'the pause is over' attach.err
	kill -TERM "$PID"
	ended "$FRONT"
	[ "$STATUS" = 0 ]
}

@test "who suspends in a pause has it until he resumes" {
	endless
	begin --max-slowdown=2
	await attach.err '^mprof: .* nothing is watched for 3 s$'
	answered suspend
	! grep -q 'suspended already' control.out control.err || fail "$(cat control.out control.err)" || return 1
	answered resume
	await attach.err '^mprof: .* nothing is watched for [0-9]* s$' 2
	! grep -q 'the pause is over' attach.err || fail "$(cat attach.err)" || return 1
	kill -TERM "$PID"
	ended "$FRONT"
	[ "$STATUS" = 0 ]
}

@test "a program that is hardly slowed down is not paused" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data --max-slowdown=50 "$PID"
	did "take 20"
	answered status
	detach "$PID"
	! grep -q 'nothing is watched' attach.err
	json run.data
	[ "$(allocs run.data)" = 20 ]
	finish marks
}

# ---- --max-memory ----

@test "a wrong --max-memory is one sentence and status 2" {
	local v
	for v in '' 0 1K 1000000 nonsense 5X -1 1MM 1iB MiB 0.5MiB; do
		wrong 'is not a number of bytes of 1M or more, as in 64M or 64MiB' --max-memory="$v" || return 1
	done
}

# bins_of DATA: what is requested, freed and kept, by size
bins_of() {
	"$MPROF" report --format=json "$1" 2>/dev/null | jq -c '[.bins[] | [.size, .allocs, .bytes, .frees, .kept_bytes]]'
}

@test "with a limit of memory the tables keep to it, what is counted stays exact, and what is left out is said" {
	local engine
	for engine in trap fast; do
		rm -f bins
		BINS=$D/bins limited "$MPROF" run --engine=$engine -o all.txt --data=all.data -- "$T/ways" 4000 2>err
		not grep -q max-memory err
		BINS=/dev/null limited "$MPROF" run --engine=$engine --max-memory=1M -o less.txt --data=less.data -- "$T/ways" 4000 2>err
		[ "$(sqlite3 all.data "select sum(value) > 4 * 1048576 from meta where key like 'memory_%'")" = 1 ]
		[ "$(sqlite3 less.data "select sum(value) <= 1048576 from meta where key like 'memory_%'")" = 1 ] ||
			fail "$(sqlite3 less.data "select * from meta where key like 'memory_%'")" || return 1
		[ "$(bins_of all.data)" = "$(bins_of less.data)" ] || fail "$(bins_of all.data)" "$(bins_of less.data)" || return 1
		[ "$(bins_of less.data | jq -c '.[] | select(.[0] == 1201) | .[1,3]' | paste -sd' ')" = "$(awk '$2 == 1201 { print $3, $4 }' bins)" ]
		# In this order.
		grep -o 'how long blocks live is not kept\|what was live over the time is not kept\|cut to the innermost [0-9]*' err |
			grep -v 'innermost 16' >steps
		[ "$(cat steps)" = "how long blocks live is not kept
what was live over the time is not kept
cut to the innermost 8" ] || fail "$(cat err)" || return 1
		not grep 'nothing is left' err
		"$MPROF" report --format=json less.data >report.json 2>/dev/null
		jq -e '.unseen.spared_lifetimes and .unseen.spared_timeline and .unseen.spared_depth == 8 and
			.totals.truncated_cut == .totals.truncated_chains and .totals.truncated_cut > 2000 and .lifetimes == []' report.json ||
			fail "$(jq -c '.unseen, .totals' report.json)" || return 1
		# The session has said it at the end, and so does a report.
		"$MPROF" report less.data >/dev/null 2>said
		grep -q '^mprof: to keep to --max-memory it was not kept how long .*; nor what was live .*; [0-9]* chains were cut, the last ones to 8 frames$' err said || return 1
		[ "$(grep -c '^mprof: to keep to --max-memory' said)" = 1 ]
		# What is done at once is said at once: no two lines have the same figures.
		[ -z "$(grep -o 'the profiles take [0-9.]* of' err | sort | uniq -d)" ] || fail "$(cat err)" || return 1
	done
}

@test "status tells what is not kept, and a condition about it cannot be told" {
	cat >keeper.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		static char *volatile kept;
		int main(void)
		{
			char line[80];
			setvbuf(stdin, NULL, _IONBF, 0);
			setvbuf(stdout, NULL, _IONBF, 0);
			puts("ready to");
			while (fgets(line, sizeof line, stdin) && line[0] != 'q') {
				for (int i = 0; i < 30000; i++)
					kept = malloc(1201);
				puts("did it");
			}
			return 0;
		}
	END
	cc -O1 -g -fno-builtin -o keeper keeper.c
	start keeper ./keeper
	attach -o report.txt --data=run.data --max-memory=1M "$PID"
	limited "$MPROF" control --format=json "$PID" status >status.json
	jq -e '.not_kept == "nothing" and .profiles_memory_kib < 512' status.json || fail "$(cat status.json)"
	tell_await keeper go '^did it$'
	limited "$MPROF" control --format=json "$PID" status >status.json
	jq -e '.not_kept == "lifetimes, timeline, chains beyond 1 frame" and .profiles_memory_kib > 1024' status.json || fail "$(cat status.json)"
	limited "$MPROF" status >status.out 2>status.err
	grep -q "^mprof: process $PID: for --max-memory these are not kept: lifetimes, timeline, chains beyond 1 frame$" status.err
	detach "$PID"
	# Live blocks are never left out, however many there are.
	limited "$MPROF" report --format=json run.data >report.json
	jq -e '.bins[] | select(.size == 1201) | .allocs == 30000 and .kept_bytes == 30000 * 1201' report.json
	grep -q 'nothing is left to do without, and live blocks are counted on beyond the limit$' attach.err
	run --separate-stderr limited "$MPROF" report --fail-if='temporary>5' run.data
	[ "$status" = 1 ] && [[ $stderr == *'cannot be told: '*'it was not kept how long blocks live'* ]] || fail "$status: $stderr"
	finish keeper
}
