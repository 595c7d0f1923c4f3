# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154
# Memory over time of running programs: attaching, and files of a moment.

load ../lib/common
load ../lib/live

# field FILE NAME: all values of a field of the snapshots
field() {
	sed -n "s/^$2=//p" "$1"
}

control() {
	limited "$MPROF" control "$@" >control.out 2>control.err || fail "$(cat control.err)"
}

@test "attached, the profile begins with what is allocated from then on" {
	start marks "$T/marks"
	tell_await marks "take 100" '^did take 100$'
	attach -o report.txt --data=/dev/null --massif-out-file=m.out --time-unit=B "$PID"
	tell_await marks "take 7" '^did take 7$'
	tell_await marks "drop 5" '^did drop 5$'
	detach "$PID"
	clean "$PID"
	finish marks
	ms_print m.out >/dev/null
	[ "$(field m.out mem_heap_B | head -1)" = 0 ]
	[ "$(field m.out mem_heap_B | sort -n | tail -1)" = $((7 * 6121)) ]
	[ "$(field m.out mem_heap_B | tail -1)" = $((2 * 6121)) ]
	grep -q '^heap_tree=peak$' m.out
}

@test "snapshots of this moment, while the program sleeps" {
	start marks "$T/marks"
	attach -o report.txt --data=/dev/null --massif-out-file=m.out --time-unit=B --threshold=0 "$PID"
	tell_await marks "take 3" '^did take 3$'
	control "$PID" snapshot one.out
	[ "$(field one.out snapshot)" = 0 ]
	[ "$(field one.out mem_heap_B)" = $((3 * 6121)) ]
	[ "$(field one.out heap_tree)" = empty ]
	control "$PID" detailed_snapshot "$D/two.out"
	[ "$(field two.out heap_tree)" = detailed ]
	grep -q " n[0-9]*: $((3 * 6121)) 0x[0-9A-F]*: other (marks.c:" two.out
	control "$PID" all_snapshots
	[ "$(field massif.vgdb.out snapshot | wc -l)" = 4 ]
	cp massif.vgdb.out before.out
	control "$PID" snapshot
	[ "$(field massif.vgdb.out snapshot)" = 0 ]
	# The table knows nothing of it.
	control "$PID" all_snapshots after.out
	cmp before.out after.out
	local f
	for f in one two before; do
		ms_print $f.out >/dev/null
	done
	detach "$PID"
	clean "$PID"
	finish marks
}

have_names() {
	ls names/mprof/*.names >/dev/null 2>&1
}

@test "what a tree needs of names is read before anybody asks for one" {
	# Big enough for its names to be worth keeping.
	cat >big.cc <<-'EOT'
		#include <iostream>
		#include <regex>
		#include <string>
		#include <vector>
		int main()
		{
			std::vector<std::regex> all;
			std::cout << "ready 1" << std::endl;
			for (std::string word; std::getline(std::cin, word) && word != "quit";) {
				all.emplace_back(word);
				std::cout << "did " << word << std::endl;
			}
		}
	EOT
	g++ -std=gnu++17 -O1 -g -o big big.cc
	export XDG_CACHE_HOME=$PWD/names
	start big ./big
	attach -o report.txt --data=/dev/null --massif-out-file=m.out "$PID"
	tell_await big '[a-c]+x*' '^did '
	until_true "no names are read" have_names
	detach "$PID"
	finish big
	[ ! -e massif.vgdb.out ]
}

@test "snapshots while eight threads allocate" {
	start server "$T/server"
	attach -o report.txt --data=/dev/null --massif-out-file=m.out --time-unit=B "$PID"
	local i
	for i in 1 2 3; do
		progress server 2
		control "$PID" detailed_snapshot "s$i.out"
		ms_print "s$i.out" >/dev/null
		[ "$(field "s$i.out" mem_heap_B)" -gt 0 ]
	done
	control "$PID" all_snapshots all.out
	[ "$(field all.out snapshot | wc -l)" -ge 50 ] && [ "$(field all.out snapshot | wc -l)" -lt 100 ]
	detach "$PID"
	clean "$PID"
	finish server
}

@test "a child of the group is asked by its own number" {
	background "$MPROF" run -o report.txt --data=/dev/null --trace-children=yes --massif-out-file=m.out \
		--time-unit=B -- sh -c "sleep $LIVE_WAIT & echo \$! >child; wait"
	until_true "no child" test -s child
	local child
	child=$(<child)
	asked() {
		control "$child" snapshot child.out >/dev/null && grep -q '^cmd: sleep' child.out
	}
	until_true "no answer for the child" asked
	[ "$(field child.out snapshot)" = 0 ]
	kill "$child"
	ended "$FRONT"
}

tracer_kib() {
	answered status || return 1
	sed -n "s/^tracer's memory in KiB: //p" control.out
}

@test "children that have ended take hardly any memory, and each has its file" {
	local i before
	start family "$T/family"
	attach -o report.txt --data=/dev/null --trace-children=yes --massif-out-file=m.%p --time-unit=B "$PID"
	tell_await family blocks '^did blocks$'
	for i in {1..5}; do
		tell_await family fork '^did fork$'
	done
	before=$(tracer_kib)
	for i in {1..25}; do
		tell_await family fork '^did fork$'
	done
	# The blocks that a child inherits alone would be more than this.
	[ $(($(tracer_kib) - before)) -lt $((25 * 40)) ] || fail "$(tracer_kib) - $before"
	detach "$PID"
	finish family
	local m=(m.*[0-9])
	[ ${#m[@]} = 31 ]
	for i in "${m[@]}"; do
		ms_print "$i" >/dev/null
	done
	[ ! -e "/dev/null.${m[-1]#m.}" ]
}

@test "a restart from within ends one file and begins another" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data --massif-out-file=m.out --time-unit=B "$PID"
	tell_await marks "take 3" '^did take 3$'
	tell_await marks "restart other.data" '^did restart'
	tell_await marks "take 2" '^did take 2$'
	tell_await marks "drop 5" '^did drop 5$'
	detach "$PID"
	finish marks
	[ "$(field m.out.1 mem_heap_B | tail -1)" = $((3 * 6121)) ]
	[ "$(field m.out mem_heap_B | head -1)" = 0 ]
	[ "$(field m.out mem_heap_B | sort -n | tail -1)" = $((2 * 6121)) ]
	[ "$(field m.out mem_heap_B | tail -1)" = 0 ]
}

# status_of_run NAME OPTION... PROGRAM...: the exit status of a run with this massif file
status_of_run() {
	local status=0
	limited "$MPROF" run -o /dev/null --data=/dev/null --time-unit=B --massif-out-file="$1" "${@:2}" 2>err >/dev/null ||
		status=$?
	echo $status
}

@test "a file of what is over that could not be written makes the status 1" {
	local longest
	longest=$(printf 'm%.0s' {1..254})
	# Before an exec .1 stands behind the name, of a child its number.
	[ "$(status_of_run "$longest" -- sh -c 'exec true')" = 1 ]
	says err "no massif file: cannot write $longest.1: File name too long"
	[ "$(status_of_run "$longest" --trace-children=yes -- "$T/forks")" = 1 ]
	[ -s "$longest" ]
	start marks "$T/marks"
	attach -o report.txt --data=/dev/null --massif-out-file="$longest" --time-unit=B "$PID"
	tell_await marks restart '^did restart'
	# Whoever detaches is told, too.
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err && return 1
	says detach.err 'not everything could be written that was due while the session went on'
	ended "$FRONT"
	[ "$STATUS" = 1 ] || fail "attach ended with $STATUS"
	finish marks
	says attach.err "no massif file: cannot write $longest.1: File name too long"
	[ "$(status_of_run m.out -- sh -c 'exec true')" = 0 ]
}

@test "a file name that no command can have is refused before anybody is asked" {
	refused 2 'newline' "$MPROF" control $$ snapshot $'x\nstatus'
	refused 2 'too long' "$MPROF" control $$ snapshot "/$(printf 'x/%.0s' {1..2100})x"
	start marks "$T/marks"
	attach -o report.txt --data=/dev/null --massif-out-file=m.out --time-unit=B "$PID"
	# As long as a name in a directory can be, and its answer whole.
	local deep
	deep=$PWD$(printf '/./%.0s' {1..1200})last
	[ "$(limited "$MPROF" control "$PID" snapshot "$deep")" = "file $deep" ]
	[ -s last ]
	detach "$PID"
	finish marks
}

@test "what cannot be answered is refused" {
	start marks "$T/marks"
	attach -o report.txt --data=/dev/null "$PID"
	refused 1 'massif-out-file' "$MPROF" control "$PID" snapshot
	refused 11 'no session' "$MPROF" control $$ snapshot
	refused 2 'usage' "$MPROF" control "$PID" snapshot a b
	control "$PID" help
	grep -q '^detailed_snapshot ' control.out
	detach "$PID"
	attach -o report.txt --data=/dev/null --massif-out-file=m.out --time-unit=B "$PID"
	refused 1 'nowhere' "$MPROF" control "$PID" snapshot nowhere/x
	detach "$PID"
	clean "$PID"
	finish marks
}

# kept_process: the one that is asked for names, a child of FRONT's tracer
kept_process() {
	pgrep -x mprof-apart -P "$(pgrep -x mprof-tracer -P "$FRONT")"
}

is_stopped() {
	local pid
	pid=$(kept_process) && grep -q '^State:.T' "/proc/$pid/status"
}

# is_replaced PID: there is another one by now
is_replaced() {
	local pid
	pid=$(kept_process) && [ "$pid" != "$1" ]
}

@test "the process that is asked for each context sleeps in between, and is replaced if it is killed or a library comes" {
	local engine first second
	cat >turns.c <<-'END'
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <stdlib.h>
		#include <unistd.h>
		__attribute__((noinline)) static void *shunned(int n) { void *volatile p = malloc(n); return p; }
		__attribute__((noinline)) static void *counted(int n) { void *volatile p = malloc(n); return p; }
		static int in;
		static void turn(void)
		{
			char byte;
			if (read(in, &byte, 1) != 1)
				exit(3);
			free(shunned(1000)), free(counted(1));
			write(1, "turn\n", 5);
		}
		int main(int argc, char **argv)
		{
			in = open(argv[1], O_RDONLY);
			turn();
			shunned(10000), counted(10);
			turn();
			shunned(100000), counted(100);
			turn();
			void *(*make)(size_t) = (void *(*)(size_t))dlsym(dlopen(argv[argc - 1], RTLD_NOW), "plug_make");
			make(10000000);
			shunned(1000000), counted(1000);
			return 0;
		}
	END
	gcc -O1 -g -o turns turns.c
	for engine in trap fast; do
		rm -f attach.*
		mkfifo "in.$engine"
		exec 4<>"in.$engine"
		background "$MPROF" run --engine=$engine --massif-out-file=m.out --time-unit=B --threshold=0 \
			--ignore-fn=shunned --ignore-fn=plug_a_leaf -o report.txt --data=run.data -- ./turns "in.$engine" "$T/plug-a.so"
		echo -n x >&4
		await attach.out '^turn$'
		until_true "it is not stopped" is_stopped || return 1
		first=$(kept_process)
		kill -KILL "$first"
		echo -n x >&4
		until_true "none in its place" is_replaced "$first" || return 1
		second=$(kept_process)
		echo -n x >&4
		ended "$FRONT"
		exec 4>&-
		[ "$STATUS" = 0 ] || fail "status $STATUS" "$(cat attach.err)" || return 1
		gone "$first" && gone "$second"
		! grep -Eq 'are left out|no names' attach.err || fail "$(cat attach.err)" || return 1
		grep -q ': counted ' m.out
		! grep -q ": shunned \\|: plug_a_leaf " m.out || fail "$(cat m.out)" || return 1
		# What the C library has for itself is in there, too.
		[ "$(field m.out mem_heap_B | sort -n | tail -n 1)" -lt 50000 ] || fail "$(cat m.out)" || return 1
	done
}
