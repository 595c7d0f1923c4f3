#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof heap and mprof rss of a process that a session traces: they ask it, and so does mprof control. Runs with
# both engines, by MPROF_ENGINE.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# traced: tabled, with a session
traced() {
	start tabled "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	attach "$PID"
	tell_await tabled 'work 500' '^worked$'
}

let_go() {
	detach -o /dev/null "$PID" && finish tabled
}

heap() {
	looked heap "$@"
}

@test "what a traced program has is what it knows of itself" {
	start tabled "$T/tabled" 4 4000
	heap --format=json "$PID" && mv heap before
	attach "$PID"
	tell_await tabled 'work 2000' '^worked$'
	heap --format=json "$PID" && mv heap after
	tell_await tabled sizes '^sizes$'
	tell_await tabled info '^info '
	python3 "$ROOT/tests/lib/heapdiff.py" before after tabled.out || fail "$(cat heap.err)"
	let_go
}

@test "the rows are what the kernel says, in a session too" {
	traced
	for _ in 1 2 3 4 5; do
		looked rss --format=json "$PID"
		jq -e '([.rows[].rss] | add) == .rollup_rss' rss >/dev/null || fail "$(jq -c . rss)"
		jq -e '.rss > 1000000 and (.doubtful | not)' rss >/dev/null || fail "$(jq -c . rss)"
	done
	let_go
}

@test "mprof control answers the same" {
	traced
	heap "$PID"
	answered heap
	diff <(tail -n +2 heap) <(tail -n +2 control.out)
	looked rss "$PID"
	answered rss
	diff <(grep -o '^Rss *[0-9]*' rss) <(grep -o '^Rss *[0-9]*' control.out)
	answered --format=json heap
	jq -e '.ok and .heap.schema == "mprof.heap.v1"' control.out
	[ "$(wc -l <control.out)" = 1 ]
	answered --format=json rss
	jq -e '.ok and .rss.rss > 0' control.out
	let_go
}

@test "options are obeyed by whoever looks, and the file is written by who asks" {
	traced
	heap --verbose "$PID" && mv heap verbose
	heap "$PID"
	[ "$(wc -l <verbose)" -gt "$(wc -l <heap)" ]
	mkdir here && cd here
	heap -o there.txt "$PID"
	grep -q 'blocks of' there.txt
	[ ! -s heap ]
	looked rss --modules "$PID"
	grep -q 'libc' rss
	cd ..
	let_go
}

@test "classes of C++ are left out of a session's answer, too" {
	start classes "$T/classes"
	attach "$PID"
	heap "$PID"
	grep -q '^ *classes: .* name$' heap || fail "$(cat heap)"
	heap --types=no "$PID"
	not grep -q 'classes:' heap
	detach -o /dev/null "$PID"
	finish classes
}

@test "more than --max-pause allows is said, with its status" {
	start tabled "$T/tabled" 4 60000
	tell_await tabled 'work 100000' '^worked$'
	attach "$PID"
	refused 10 'it would be stopped for about .*--max-pause=' "$MPROF" heap --max-pause=1 "$PID"
	refused 10 'it would be stopped for about .*--max-pause=' "$MPROF" rss --max-pause=1 "$PID"
	let_go
}

@test "an allocator that is not known is said, with its status" {
	lib=/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4
	[ -e "$lib" ] || fail "no $lib"
	start tabled env LD_PRELOAD="$lib" "$T/tabled" 2 400
	attach "$PID"
	refused 10 'cannot walk the heap of process .*tcmalloc' "$MPROF" heap --max-pause=60000 "$PID"
	refused any 'cannot walk the heap of process .*tcmalloc' "$MPROF" control "$PID" heap
	let_go
}

@test "many looks while threads are at work: nothing is lost, and nobody harmed" {
	start tabled "$T/tabled" 4 4000
	before "$PID"
	attach "$PID"
	tell_await tabled churn '^churning$'
	for _ in 1 2 3 4 5 6; do
		looked rss --format=json "$PID"
		jq -e '([.rows[].rss] | add) == .rollup_rss' rss >/dev/null || fail "$(jq -c . rss)"
	done
	tell_await tabled 'work 10' '^worked$'
	detach --format=json "$PID" && mv detach.out report.json
	jq -e '.totals.allocs > 0 and .totals.unknown_frees == 0 and (has("unseen") | not)' report.json || fail "$(jq -c .totals report.json)"
	clean "$PID"
	finish tabled
}

@test "whoever asks goes away in the middle: the session goes on" {
	traced
	for _ in 1 2 3 4 5 6; do
		"$MPROF" heap "$PID" >/dev/null 2>&1 &
		kill -KILL $!
		wait $! || :
	done
	answered status
	heap "$PID"
	let_go
}

@test "somebody else traces it: that is said as of a look, with the status of attach" {
	start tabled "$T/tabled" 2 400
	tabled=$PID
	start holder "$T/holder" "$tabled"
	refused 6 "cannot look at process $tabled: process [0-9]* \(holder\) traces it already" "$MPROF" heap "$tabled"
	refused 6 "cannot look at process $tabled: process [0-9]* \(holder\) traces it already" "$MPROF" rss "$tabled"
	tell holder q
	ended "$PID"
	finish tabled
}


# asked WORDS: what the session answers to a line that no command of mprof sends
asked() {
	python3 - "$XDG_RUNTIME_DIR/mprof/$PID.sock" "$1" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
s.connect(sys.argv[1])
s.sendall(f"mprof/2 text {sys.argv[2]}\n".encode())
while data := s.recv(65536):
    sys.stdout.write(data.decode().replace("\0", "\n"))
END
}

@test "words that make no sense are refused, and no file is written for who asks" {
	traced
	for words in 'look' 'look heap' 'look nothing 1' "look nothing $PID" 'look heap x' 'look heap 1' 'heap' 'heap 0' 'rss -1' \
		"look heap 99999999999"; do
		asked "$words" >answer
		grep -q '^error' answer || fail "$words" "$(cat answer)"
	done
	asked "look heap $PID --nonsense" >answer
	grep -q '^2 [1-9]' answer || fail "$(cat answer)"
	asked "look heap $PID -o $PWD/theirs --max-pause=60000" >answer
	grep -q '^0 0$' answer && grep -q ' blocks of ' answer || fail "$(cat answer)"
	[ ! -e theirs ]
	asked "look heap $PID$(printf ' --verbose%.0s' {1..40})" >answer
	grep -q '^ok' answer || fail "$(head -5 answer)"
	let_go
}

@test "a process that is stopped by job control is looked at, and stays stopped" {
	traced
	kill -STOP "$PID"
	until_true 'it does not stop' grep -q '^State:.[Tt]' "/proc/$PID/status"
	heap "$PID"
	looked rss "$PID"
	detach -o /dev/null "$PID"
	until_true 'it is not stopped any more' grep -q '^State:.T' "/proc/$PID/status"
	kill -CONT "$PID"
	finish tabled
}

# Programs keep what they share, and what shall be in huge pages, in files there.
@test "pointers in files below /dev that are memory are read" {
	unshare -m true 2>/dev/null || skip "not allowed to mount here"
	cat >pools.c <<-'EOT'
		#include "live.h"
		#include <sys/mman.h>
		static void pool(const char *name)
		{
			int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
			void **at = fd < 0 || ftruncate(fd, 4096) ?
				MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			MUST(at != MAP_FAILED);
			for (int i = 0; i < 100; i++)
				at[i] = calloc(1, 1000);
		}
		static void report(void) { say("report 1\n"); }
		static void go(const char *word)
		{
			(void)word;
			pool("/dev/shm/pool");
			pool("/dev/hugepages/pool");
			pool("/dev/hugepages-1048576kB/pool");
			pool("/dev/pool");
			say("made\n");
		}
		int main(void) { say("ready %d\n", (int)getpid()); live_serve(report, go); return 0; }
	EOT
	cc -g -O1 -D_GNU_SOURCE -I"$ROOT/tests/targets" -pthread -o pools pools.c
	start pools unshare -m sh -c 'mount -t tmpfs none /dev &&
		mkdir /dev/shm /dev/hugepages /dev/hugepages-1048576kB && exec ./pools'
	tell_await pools go '^made'
	looked leaks --format=json --possible=yes "$PID"
	# What else is there may do anything when it is read.
	jq -e '[.lost[] | select(.usable == 1000) | .blocks] == [100]' leaks ||
		fail "lost" "$(jq -c .lost leaks)"
	finish pools
}
