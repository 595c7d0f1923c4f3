#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Attaching to a running program and letting it go: what is counted is exact, and the program is
# afterwards what it was before.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

CYCLES=${CYCLES:-20}

# cycle NAME [FIELD]: one attach and detach, with work done in between and after
cycle() {
	attach -o report.txt "$PID" || return 1
	progress "$1" "${2:-1}" || return 1
	detach "$PID" || return 1
	progress "$1" "${2:-1}" || return 1
	clean "$PID"
}

# ---- many threads ----

# Has the session of a process counted so many frees that some are of what was there before?
many_frees_of() {
	"$MPROF" control --format=json "$1" status | jq -e '.frees > 5000' >/dev/null
}

@test "what the kernel's own threads do in a program, for io_uring, is not interrupted by an attach or a look" {
	"$T/iouring" probe || skip "this kernel or container does not permit io_uring (status $?)"
	local look
	start iouring "$T/iouring"
	for ((i = 0; i < 3; i++)); do
		cycle iouring || fail "cycle $i"
	done
	for look in heap leaks rss; do
		limited "$MPROF" $look "$PID" >look.out 2>look.err || fail "$look" "$(cat look.err)"
	done
	tell_await iouring release '^released$'
	finish iouring
}

@test "a server of 8 threads is attached to and left again and again, and is unharmed" {
	start server "$T/server"
	before "$PID"
	for ((i = 0; i < CYCLES; i++)); do
		cycle server 2 || fail "cycle $i"
	done
	finish server
	grep -qx 'checksum right' server.out
}

@test "attached and left quietly, nothing is said: that it is attached, and frees what was there, is no news" {
	start server "$T/server"
	limited "$MPROF" attach --quiet --background -o /dev/null --data=run.data "$PID" 2>attach.err
	[ ! -s attach.err ] || fail "$(cat attach.err)"
	until_true "no blocks from before" many_frees_of "$PID"
	limited "$MPROF" detach --quiet -o report.txt "$PID" 2>detach.err
	[ ! -s detach.err ] || fail "$(cat detach.err)"
	head -n 1 report.txt | grep -q '^kept by process'
	finish server
}

@test "attached and left at once, before it has done anything, the server is unharmed" {
	start server "$T/server"
	before "$PID"
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt "$PID"
		detach "$PID"
		clean "$PID"
	done
	progress server 2
	finish server
}

@test "a thousand threads are attached to and left" {
	start threads "$T/threads" many 1000
	before "$PID"
	cycle threads
	cycle threads
	[ "$(ls "/proc/$PID/task" | wc -l)" = 1001 ]
	finish threads
	grep -qx 'checksum right' threads.out
}

@test "threads that start and end while mprof attaches and detaches are all found and all let go" {
	start threads "$T/threads" churn
	before "$PID"
	for ((i = 0; i < CYCLES; i++)); do
		cycle threads || fail "cycle $i"
	done
	finish threads
	grep -qx 'checksum right' threads.out
}

# moments_cycles CYCLES KIND N: the machine is busy, so that births and ends fall into everything
moments_cycles() {
	local i n=$1 burners=()
	shift
	BINS=$D/bins start moments "$T/moments" "$1" "$2"
	before "$PID"
	for i in 1 2; do
		env "MPROF_TEST_MARK=$MARK" seq 10000000000 >/dev/null 3>&- &
		burners+=($!)
	done
	for ((i = 0; i < n; i++)); do
		rm -f bins
		attach -o report.txt --data=run.data "$PID" || fail "$1 $2, cycle $i" || return 1
		tell_await moments go '^done' || fail "$1 $2, cycle $i" || return 1
		detach "$PID" || fail "$1 $2, cycle $i" || return 1
		json run.data bins || return 1
		# At once, before it has done anything.
		limited "$MPROF" attach --duration=0.01 -o report.txt --data=run.data "$PID" >front.out 2>&1 ||
			fail "$1 $2, cycle $i: attach" "$(cat front.out)" || return 1
		progress moments || fail "$1 $2, cycle $i" || return 1
		clean "$PID" || return 1
	done
	kill "${burners[@]}"
	finish moments
	grep -qx 'checksum right' moments.out || return 1
	exec {moments_fd}>&-
	rm moments.*
}

@test "chains of threads that live for a moment each are attached to and left" {
	moments_cycles $((CYCLES / 2)) chains 2
	moments_cycles $((CYCLES / 4)) chains 20
}

@test "makers of eight threads at a time, which live for a moment, are attached to and left" {
	moments_cycles $((CYCLES / 2)) makers 1
	moments_cycles $((CYCLES / 4)) makers 4
}

@test "a program whose main thread goes by pthread_exit while it is traced is left" {
	start leadergone "$T/leadergone" late
	attach -o report.txt --data=run.data "$PID"
	tell_await leadergone go '^main has gone'
	progress leadergone 1 20
	detach "$PID"
	progress leadergone
	until_true "not free" all_free "$PID"
	finish leadergone
	grep -qx 'checksum right' leadergone.out
}

@test "a program whose main thread has gone by pthread_exit is attached to and left" {
	start leadergone "$T/leadergone"
	attach -o report.txt --data=run.data "$PID"
	progress leadergone 1 20
	detach "$PID"
	json run.data
	[ "$(jq '.bins[] | select(.size == 3719) | .allocs' report.json)" -ge 20 ]
	progress leadergone
	until_true "not free" all_free "$PID"
	finish leadergone
	grep -qx 'checksum right' leadergone.out
}

@test "a hundred threads and fifty libraries, one of which comes and goes" {
	local i libs=()
	for i in {1..50}; do
		cp "$T/plug-a.so" "$D/lib$i.so"
		libs+=("$D/lib$i.so")
	done
	start modules "$T/modules" "${libs[@]}"
	for i in 1 2 3 4 5; do
		attach -o report.txt --data=run.data "$PID"
		progress modules 1 100
		detach "$PID"
		until_true "not free" all_free "$PID"
		text_clean "$PID"
		progress modules 1 100
	done
	json run.data
	[ "$(jq '.totals.truncated_chains' report.json)" = 0 ]
	finish modules
	grep -qx 'checksum right' modules.out
}

# ---- counts ----

@test "what eight threads do between two handshakes is counted exactly" {
	BINS=$D/bins start phases "$T/phases"
	before "$PID"
	attach -o report.txt --data=run.data "$PID"
	tell_await phases go '^done'
	detach "$PID"
	clean "$PID"
	json run.data bins
	[ "$(total allocs)" = "$(awk '$1 == "bin" { n += $3 } END { print n }' bins)" ]
	finish phases
}

@test "what is done before attaching and after detaching is not counted, and the next session begins at nothing" {
	BINS=$D/bins start phases "$T/phases"
	tell_await phases more '^done'
	for i in 1 2 3; do
		rm -f bins
		attach -o report.txt --data=run.data "$PID"
		[ $i = 3 ] || tell_await phases go '^done'
		detach "$PID"
		tell_await phases more '^done'
		json run.data
		if [ $i = 1 ]; then
			agrees report.json bins
		elif [ $i = 3 ]; then
			[ "$(total allocs)" = 0 ] && [ "$(total frees)" = 0 ]
		fi
	done
	finish phases
}

# ---- code that changes its mapping ----

@test "code whose mapping is split and joined while traced is counted exactly and left clean" {
	BINS=$D/bins start patched "$T/patched"
	local word
	attach -o report.txt --data=run.data "$PID"
	for word in work open load work close load work truth; do
		tell_await patched $word "^did $word\$" || fail "at $word"
	done
	detach "$PID"
	clean "$PID"
	json run.data bins
	local done_before
	done_before=$(reported patched 1)
	tell_await patched work '^did work$'
	[ "$(reported patched 1)" -gt "$done_before" ]
	finish patched
}

@test "code whose mapping is split when mprof detaches is left clean" {
	start patched "$T/patched"
	attach -o report.txt --data=run.data "$PID"
	tell_await patched open '^did open$'
	tell_await patched load '^did load$'
	detach "$PID"
	clean "$PID"
	tell_await patched work '^did work$'
	finish patched
}

# ---- how it ends ----

@test "a program that ends while it is traced ends as alone, and is reported" {
	BINS=$D/bins start phases "$T/phases"
	attach -o report.txt --data=run.data "$PID"
	tell_await phases go '^done'
	finish phases
	ended "$FRONT"
	[ "$STATUS" = 0 ]
	[ -s report.txt ]
	json run.data
	sed -i /unknown/d bins # at its end libc frees what is its own
	agrees report.json bins
	[ ! -e "$XDG_RUNTIME_DIR/mprof/$PID.sock" ]
}

@test "a program that is killed while it is traced is reported" {
	start server "$T/server"
	attach -o report.txt --data=run.data "$PID"
	progress server 2
	kill -KILL "$PID"
	ended "$PID"
	[ "$STATUS" = 137 ]
	ended "$FRONT"
	[ "$STATUS" = 0 ]
	json run.data
	[ "$(total allocs)" -gt 0 ]
	[ ! -e "$XDG_RUNTIME_DIR/mprof/$PID.sock" ]
}

@test "SIGINT, SIGTERM and SIGHUP to mprof attach let the program go and report" {
	local sig
	start server "$T/server" 4 100
	before "$PID"
	for sig in INT TERM HUP; do
		rm -f report.txt run.data
		attach -o report.txt --data=run.data "$PID"
		progress server 2
		kill -$sig "$FRONT"
		ended "$FRONT"
		[ "$STATUS" = 0 ] || fail "SIG$sig: status $STATUS" "$(cat attach.err)"
		[ -s report.txt ] && [ -s run.data ]
		clean "$PID"
		progress server 2
	done
	finish server
}

@test "signals to the tracing process itself let the program go and report" {
	local sig
	start server "$T/server" 4 100
	before "$PID"
	for sig in INT TERM HUP; do
		rm -f report.txt run.data
		attach -o report.txt --data=run.data "$PID"
		progress server 2
		kill -$sig "$(tracer_of "$PID")"
		ended "$FRONT"
		[ -s report.txt ] && [ -s run.data ]
		clean "$PID"
		progress server 2
	done
	finish server
}

@test "--duration ends the session by itself" {
	start server "$T/server"
	before "$PID"
	attach -o report.txt --data=run.data --duration=0.5 "$PID"
	ended "$FRONT"
	[ "$STATUS" = 0 ]
	[ -s report.txt ] && [ -s run.data ]
	clean "$PID"
	progress server 2
	finish server
}

@test "--background returns when tracing has begun, and does not keep its standard output open" {
	start server "$T/server"
	before "$PID"
	# Like words=$(mprof attach --background PID), which waits until everybody has closed it.
	(
		env "MPROF_TEST_MARK=$MARK" "$MPROF" attach --background -o report.txt --data=run.data "$PID" \
			2>attach.err
		echo $? >status
	) </dev/null 3>&- | cat >words 3>&- &
	local reader=$!
	until_true "it does not return" test -s status
	[ "$(cat status)" = 0 ] || fail "$(cat attach.err)"
	[ "$(tracer_of "$PID")" -gt 0 ]
	progress server 2
	until_true "standard output is still open" gone "$reader"
	[ ! -s words ]
	FRONT=''
	detach "$PID"
	clean "$PID"
	[ -s report.txt ] && [ -s run.data ] && [ -s detach.out ]
	finish server
}

@test "what package has missing lines is asked for in the foreground, for who wants to know all" {
	mkdir tools
	printf '#!/bin/sh\necho asked >>%s/asked\n' "$D" >tools/dpkg-query
	chmod 755 tools/dpkg-query
	PATH=$D/tools:$PATH
	strip -o stripped "$T/server"
	start server ./stripped 2 100
	limited "$MPROF" attach --background -o report.txt --data=run.data "$PID"
	progress server 2
	detach "$PID"
	[ -s report.txt ] && [ ! -e asked ]
	attach --verbose "$PID"
	progress server 2
	detach "$PID"
	[ "$(cat asked)" = asked ]
	finish server
}

@test "--background says in the foreground what goes wrong, with its status" {
	refused 3 'no such process' "$MPROF" attach --background 2147483000
}

@test "mprof detach prints the report and says where it was written" {
	start server "$T/server"
	attach -o report.txt --data=run.data "$PID"
	progress server 2
	detach "$PID"
	cmp report.txt detach.out
	says detach.err "$D/run.data"
	limited "$MPROF" report run.data >report2.txt
	cmp report2.txt detach.out
	finish server
}

@test "mprof detach without a number: with one session, with none and with two" {
	start one "$T/server" 2 100
	start two "$T/server" 2 100
	refused 11 'no session' "$MPROF" detach
	attach -o one.txt --data=one.data "$one_pid"
	detach
	clean "$one_pid"
	attach -o one.txt --data=one.data "$one_pid"
	local front=$FRONT
	cp attach.err attach1.err
	attach -o two.txt --data=two.data "$two_pid"
	refused any '2 sessions|two sessions' "$MPROF" detach
	[ "$(tracer_of "$one_pid")" -gt 0 ] && [ "$(tracer_of "$two_pid")" -gt 0 ]
	detach "$two_pid"
	FRONT=$front
	detach
	clean "$one_pid"
	clean "$two_pid"
	finish one
	finish two
}

@test "a second detach says that there is no session" {
	start server "$T/server" 2 100
	attach -o report.txt "$PID"
	detach "$PID"
	local last="ended at [-0-9]+ [0-9:]+, and the profile is in $D/mprof.data"
	refused 11 "no session for process $PID any more: the last one $last" "$MPROF" detach "$PID"
	refused 11 "no session; the last one, of process $PID, $last" "$MPROF" detach
	refused 11 "no session for process $PID any more: the last one $last" "$MPROF" control "$PID" status
	# Of a process that never had one nothing is known.
	refused 11 "no session for process $$; see mprof status" "$MPROF" detach $$
	attach -o report.txt "$PID"
	[ ! -e "$XDG_RUNTIME_DIR/mprof/$PID.ended" ]
	detach "$PID"
	finish server
}

@test "a detach that comes after the process has ended by itself says where the profile is" {
	start server "$T/server" 2 100
	attach -o report.txt --data=run.data "$PID"
	finish server
	ended "$FRONT"
	refused 11 "the last one ended with its process at .*, and the profile is in $D/run.data$" "$MPROF" detach "$PID"
	start server2 "$T/server" 2 100
	mkdir gone
	attach -o report.txt --data=gone/run.data "$PID"
	rmdir gone
	finish server2
	ended "$FRONT"
	refused 11 "its profile has not been saved: cannot write gone/run.data: No such file" "$MPROF" detach
	start server3 "$T/server" 2 100
	attach -o report.txt --data=/dev/null "$PID"
	finish server3
	ended "$FRONT"
	refused 11 "was to save no profile" "$MPROF" detach "$PID"
}

@test "two detaches at the same time are both answered" {
	start server "$T/server" 4 100
	attach -o report.txt --data=run.data "$PID"
	progress server 2
	local one two s1=0 s2=0
	env "MPROF_TEST_MARK=$MARK" "$MPROF" detach "$PID" >d1.out 2>d1.err 3>&- &
	one=$!
	env "MPROF_TEST_MARK=$MARK" "$MPROF" detach "$PID" >d2.out 2>d2.err 3>&- &
	two=$!
	ended "$one" && s1=$STATUS
	ended "$two" && s2=$STATUS
	[[ $s1 = 0 && ($s2 = 0 || $s2 = 11) || $s1 = 11 && $s2 = 0 ]] || fail "$s1 $s2" "$(cat d1.err d2.err)"
	ended "$FRONT"
	clean "$PID"
	finish server
}

@test "a second attach to the same process says that it is traced already, by whom, and harms nothing" {
	start server "$T/server" 4 100
	attach -o report.txt --data=run.data "$PID"
	refused 6 "mprof traces it already; mprof detach $PID ends that" "$MPROF" attach -o report2.txt \
		--data=run2.data "$PID"
	progress server 2
	detach "$PID"
	clean "$PID"
	finish server
}

@test "a thread's number stands for its process" {
	start server "$T/server" 4 100
	local tid
	tid=$(ls "/proc/$PID/task" | grep -vxm1 "$PID")
	[ "$tid" != "$PID" ]
	attach -o report.txt --data=run.data "$tid"
	progress server 2
	detach "$PID"
	clean "$PID"
	json run.data
	[ "$(jq .pid report.json)" = "$PID" ]
	finish server
}

# ---- names ----

@test "%p in the names of data and report is the program's number" {
	start server "$T/server" 2 100
	attach -o 'r-%p.txt' --data='d-%p.data' "$PID"
	detach "$PID"
	[ -s "r-$PID.txt" ] && [ -s "d-$PID.data" ] && [ ! -e mprof.data ]
	finish server
}

@test "without -o the report is on standard error, the data in mprof.data" {
	start server "$T/server" 2 100
	attach "$PID"
	progress server 2
	detach "$PID"
	grep -q 'Allocation Bins with possible Types' attach.err
	[ ! -s attach.out ]
	theirs attach.err >err1
	limited "$MPROF" report mprof.data >report2.txt
	cmp err1 report2.txt
	finish server
}

@test "a data file that cannot be written is refused before the program is touched" {
	start server "$T/server" 2 100
	refused 1 'nodir/data' "$MPROF" attach --data=nodir/data "$PID"
	refused 1 'nodir/report' "$MPROF" attach -o nodir/report "$PID"
	[ "$(tracer_of "$PID")" = 0 ]
	finish server
}

@test "a full disk at the end lets the program go and says so" {
	unshare -m true 2>/dev/null || skip "not allowed to mount here"
	start server "$T/server" 4 100
	before "$PID"
	mkdir full
	cat >on-a-full-disk <<-'EOT'
		mount -t tmpfs -o size=1m none full || exit 77
		dd if=/dev/zero of=full/filler bs=4k status=none 2>/dev/null
		exec "$1" attach -o full/report --data=full/data "$2"
	EOT
	background unshare -m sh on-a-full-disk "$MPROF" "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	[ "$(tracer_of "$PID")" -gt 0 ] || fail "$(cat attach.err)"
	progress server 2
	kill -TERM "$FRONT"
	ended "$FRONT"
	[ "$STATUS" = 1 ]
	says attach.err 'data.*(no space|full)'
	clean "$PID"
	progress server 2
	finish server
}

# ---- an exec of a thread that is not the first ----

@test "exec from a thread that is not the first starts a fresh profile; the one before is written first" {
	local word
	for word in exec exec-main; do
		rm -f run.data* bins execthread.*
		start execthread "$T/execthread"
		attach -o report.txt --data=run.data --keep-execs "$PID"
		tell_await execthread go '^done'
		tell_await execthread $word '^ready'
		progress execthread 1 10
		until_true "what came before is not written" test -s "run.data.$PID.1"
		detach "$PID"
		clean "$PID"
		json "run.data.$PID.1"
		jq -e '.bins[] | select(.size == 6007) | .allocs == 50 and .frees == 49' report.json
		jq -e '[.bins[] | select(.size == 6011)] == []' report.json
		json run.data
		jq -e '.bins[] | select(.size == 6011) | .allocs == 50 and .frees == 49' report.json
		jq -e '[.bins[] | select(.size == 6007)] == []' report.json
		progress execthread
		finish execthread
	done
}

@test "exec while mprof attaches and detaches leaves a program that works" {
	start execthread "$T/execthread"
	for ((i = 0; i < CYCLES; i++)); do
		: >attach.err
		background "$MPROF" attach -o report.txt --data=run.data "$PID"
		tell_await execthread exec '^ready'
		until_true "mprof attach has not begun" begun_or_gone
		limited "$MPROF" detach "$PID" >detach.out 2>detach.err &
		local d=$!
		tell_await execthread exec '^ready'
		wait $d || [ $? = 11 ] || fail "$(cat detach.err attach.err)"
		ended "$FRONT"
		progress execthread
		clean "$PID"
	done
	finish execthread
}

attach_and_leave() {
	background "$MPROF" attach -o report.txt --data=run.data "$PID"
	until_true "mprof attach has not begun" begun_or_gone || return 1
	grep -aq '^mprof: attached to' attach.err || fail "$(cat attach.err)" || return 1
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err || [ $? = 11 ] ||
		fail "$(cat detach.err attach.err)" || return 1
	ended "$FRONT"
}

# attach_in_execs [ARG]: attached and left many times, whatever the program is in the middle of.
attach_in_execs() {
	local problem=''
	start execloop "$T/execloop" "$@"
	for ((i = 0; i < 5 * CYCLES; i++)); do
		attach_and_leave || {
			problem="round $i"
			break
		}
	done
	# Whoever looks for it in the middle of an exec may not find it: it ends itself.
	touch stop
	ended "$PID"
	[ -z "$problem" ] || fail "$problem" || return 1
	[ "$STATUS" = 0 ] || fail "execloop ended with status $STATUS"
}

# The kernel lets a tracer in while an exec is half done: the memory is new already, but the exec is
# told of later.
@test "a process that is in the middle of an exec when mprof attaches is unharmed" {
	attach_in_execs
}

# The exec waits for the threads that have been seized, and PTRACE_SEIZE for the exec.
@test "a process whose thread executes while its threads are being seized is attached to and unharmed" {
	attach_in_execs threads
}

# The exec of a sibling ends the first thread in the middle of a vfork(2), and takes its number over. Nobody
# reads the report, so that mprof does not end meanwhile.
@test "a program whose first thread slept in vfork when another executed is let go" {
	mkfifo report
	start vforkexec "$T/vforkexec"
	attach -o report --data=run.data "$PID"
	tell_await vforkexec go '^ready'
	progress vforkexec
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err &
	until_true "threads are not free" all_free "$PID"
	cat report >report.txt
	ended "$FRONT"
	[ "$STATUS" = 0 ] || fail "$(cat attach.err)"
	clean "$PID"
	progress vforkexec
	finish vforkexec
}

# The exec waits for threads that it has killed while they were still traced. Nobody reads the report, so
# that mprof does not end meanwhile.
@test "a thread that executes when it has been let go need not wait for mprof's end" {
	mkfifo report
	start execloop "$T/execloop" left
	for ((i = 1; i <= CYCLES; i++)); do
		attach -o report --data=run.data "$PID"
		await execloop.out '^traced' $i || fail "round $i" || return 1
		limited "$MPROF" detach "$PID" >detach.out 2>detach.err &
		await execloop.out '^ready ' $((i + 1)) || fail "round $i" || return 1
		cat report >report.txt
		ended "$FRONT"
		[ "$STATUS" = 0 ] || fail "$(cat attach.err)" || return 1
	done
}

# ---- wrong targets ----

# exited_child: a zombie; its parent, which does not wait for it, reads from a fifo that is held open.
zombie() {
	mkfifo hold
	exec {hold}<>hold
	env "MPROF_TEST_MARK=$MARK" python3 -c '
import os
p = os.fork()
if p == 0:
    os._exit(0)
with open("zombie", "w") as f:
    f.write("%d\n" % p)
open("hold").read()' 3>&- &
	until_true "no zombie" test -s zombie
	until_true "no zombie" grep -q '^State:.Z' "/proc/$(cat zombie)/status"
}

as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env -u XDG_RUNTIME_DIR)

@test "a process that is not there: 3" {
	refused 3 'no such process' "$MPROF" attach 2147483000
}

@test "what is no process number: 2" {
	refused 2 . "$MPROF" attach
	refused 2 . "$MPROF" attach 0
	refused 2 . "$MPROF" attach -- -5
	refused 2 . "$MPROF" attach -- -x
	refused 2 . "$MPROF" attach ''
	refused 2 . "$MPROF" attach 99999999999999999999
	refused 2 . "$MPROF" attach $$ 0
	refused 2 . "$MPROF" attach -p "$$,,$$," -p 0
	refused 3 'no process is called "12x"' "$MPROF" attach 12x
	refused 2 'seconds' "$MPROF" attach --duration=never $$
	refused 2 'background' "$MPROF" run --background "$T/edges"
}

@test "a zombie: 4" {
	zombie
	refused 4 'zombie' "$MPROF" attach "$(cat zombie)"
}

@test "a kernel thread: 5" {
	grep -q '^Kthread:.1' /proc/2/status || skip "process 2 is no kernel thread here"
	refused 5 'kernel thread' "$MPROF" attach 2
}

@test "mprof probes says of a kernel thread, of a zombie and of another user's process what it is" {
	if grep -q '^Kthread:.1' /proc/2/status; then
		refused 5 'process 2: it is a kernel thread and runs no program' "$MPROF" probes 2
	fi
	zombie
	refused 4 "process $(cat zombie): it has ended and is a zombie" "$MPROF" probes "$(cat zombie)"
	[ "$(id -u)" = 0 ] || skip "only root can be somebody else"
	refused 7 'it belongs to user 0, we are user 65534; run mprof as that user or as root' \
		"${as_nobody[@]}" "$(for_anybody "$MPROF")" probes $$
}

@test "a process of which somebody else traces one thread, not the first: 6, and by whom, and it is unharmed" {
	start server "$T/server" 2 100
	before "$PID"
	start holder "$T/holder" "$(ls "/proc/$PID/task" | sort -n | tail -n 1)"
	PID=$server_pid
	refused 6 "$holder_pid.*holder" "$MPROF" attach "$PID"
	until_true "not as it was" text_clean "$PID"
	finish holder || [ "$STATUS" = 0 ]
	progress server 2
	clean "$PID"
	finish server
	grep -qx 'checksum right' server.out
}

@test "a process that somebody else traces: 6, and by whom" {
	start server "$T/server" 2 100
	start holder "$T/holder" "$server_pid"
	refused 6 "$holder_pid.*holder" "$MPROF" attach "$server_pid"
	finish holder || [ "$STATUS" = 0 ]
	PID=$server_pid
	attach -o report.txt "$PID"
	detach "$PID"
	finish server
}

@test "two capabilities are enough for another user's process, and one is not" {
	[ "$(id -u)" = 0 ] || skip "only root has them to give"
	local theirs trace='+sys_ptrace' both='+sys_ptrace,+dac_override'
	theirs=$(for_anybody "$MPROF")
	start server "$T/server" 2 100
	refused 7 'without CAP_DAC_OVERRIDE' "${as_nobody[@]:0:4}" "--inh-caps=-all,$trace" "--ambient-caps=$trace" \
		"--bounding-set=-all,$trace" "$theirs" attach -o /dev/null --data=/dev/null "$PID"
	progress server
	limited "${as_nobody[@]:0:4}" "--inh-caps=-all,$both" "--ambient-caps=$both" "--bounding-set=-all,$both" \
		"${as_nobody[@]:4}" "$theirs" attach --duration=1 -o report.txt --data=/dev/null "$PID" 2>err || fail "$(cat err)"
	[ -s report.txt ]
	clean "$PID"
	finish server
}

@test "another user's process: 7" {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	start server "$T/server" 2 100
	refused 7 'belongs to user 0.*root' "${as_nobody[@]}" "$(for_anybody "$MPROF")" attach -o /dev/null --data=/dev/null "$PID"
	progress server
	[ "$(tracer_of "$PID")" = 0 ]
	# that somebody else traces it comes second: to end that would be of no use
	attach -o report.txt --data=run.data "$PID"
	for what in "attach -o /dev/null --data=/dev/null" "top --once" heap doctor; do
		# shellcheck disable=SC2086 # the words of it
		limited "${as_nobody[@]}" "$(for_anybody "$MPROF")" $what "$PID" </dev/null >said 2>&1 && fail "$what: $(cat said)"
		grep -q 'belongs to user 0' said || fail "$what: $(cat said)"
		! grep -q 'traces it' said || fail "$what: $(cat said)"
	done
	refused 6 'mprof traces it already' "$MPROF" attach -o /dev/null --data=/dev/null "$PID"
	detach "$PID"
	finish server
}

@test "an ordinary user is told of a library that was replaced while the program had it mapped" {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	cat >asks.c <<-'EOT'
		#include <stdlib.h>
		#include <unistd.h>
		int main(void)
		{
			char c;
			write(1, "ready\n", 6);
			while (read(0, &c, 1) == 1)
				free(malloc(777));
			return 0;
		}
	EOT
	cc -o asks asks.c 2>/dev/null
	mkdir libs
	cp "$(ldd asks | awk '/libc\.so/ { print $3 }')" libs/libc.so.6
	chmod 755 . asks libs
	mkfifo hold
	exec {hold}<>hold
	env "MPROF_TEST_MARK=$MARK" LD_LIBRARY_PATH=libs setpriv --reuid=65534 --regid=65534 --clear-groups ./asks \
		<hold >asks.out 3>&- &
	local pid=$! mprof
	await asks.out ready || skip "nobody cannot run a program here"
	mv libs/libc.so.6 libs/old
	cp libs/old libs/libc.so.6
	rm libs/old
	mprof=$(for_anybody "$MPROF")
	limited "${as_nobody[@]}" "$mprof" attach --duration=0.1 -o /dev/null --data=/dev/null "$pid" 2>err
	says err "process $pid has mapped .*libs/old \(deleted\), and to read that takes root, or CAP_CHECKPOINT_RESTORE"
	limited "${as_nobody[@]}" "$mprof" probes "$pid" >/dev/null 2>err || :
	says err 'no allocator found where mprof can look: to read .*libs/old \(deleted\) takes root'
	limited "${as_nobody[@]}" "$mprof" doctor "$pid" >said 2>&1 || :
	grep -q 'allocator  *no allocator found where mprof can look: to read .*libs/old (deleted) takes root' said
	# Root reads what the program has.
	limited "$MPROF" attach --duration=0.1 -o /dev/null --data=/dev/null "$pid" 2>err
	not grep -q 'has mapped' err
	exec {hold}>&-
	kill "$pid"
	ended "$pid"
}

@test "a process that has made itself undumpable: 7" {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	cat >undumpable.c <<-'EOT'
		#include <sys/prctl.h>
		#include <unistd.h>
		int main(void) { prctl(PR_SET_DUMPABLE, 0); write(1, "ready\n", 6); char c; return read(0, &c, 1); }
	EOT
	cc -o undumpable undumpable.c 2>/dev/null
	chmod 755 . undumpable
	cp undumpable "$BATS_FILE_TMPDIR/"
	mkfifo hold
	exec {hold}<>hold
	env "MPROF_TEST_MARK=$MARK" setpriv --reuid=65534 --regid=65534 --clear-groups ./undumpable \
		<hold >u.out 3>&- &
	local pid=$!
	await u.out ready || skip "nobody cannot run a program here"
	refused 7 'dumpable' "${as_nobody[@]}" "$(for_anybody "$MPROF")" attach -o /dev/null --data=/dev/null "$pid"
	echo q >&"$hold"
	ended "$pid"
}

@test "mprof itself: 8" {
	refused 8 'mprof itself' sh -c 'exec "$0" attach $$' "$MPROF"
}

@test "a 32-bit program: 9" {
	python3 - <<-'EOT'
		import os, struct
		# pause() for ever: mov eax, 29; int 0x80; jmp
		code = b"\xb8\x1d\x00\x00\x00\xcd\x80\xeb\xf7"
		ident = b"\x7fELF\x01\x01\x01" + bytes(9)
		head = ident + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
		head += struct.pack("<IIIIIIII", 1, 0, 0x8048000, 0x8048000, 84 + len(code), 84 + len(code), 5, 4096)
		open("prog32", "wb").write(head + code)
		os.chmod("prog32", 0o755)
	EOT
	env "MPROF_TEST_MARK=$MARK" ./prog32 3>&- &
	local pid=$!
	paused_or_gone() { grep -q '^State:.[SZ]' "/proc/$pid/status" && [ "$(cat /proc/$pid/comm)" = prog32 ] || gone $pid; }
	until_true "it does not start" paused_or_gone
	! gone "$pid" || skip "this kernel does not run 32-bit programs"
	refused 9 '(32|64)-bit' "$MPROF" attach "$pid"
	kill -KILL "$pid"
	ended "$pid"
}

@test "a program without an allocator: 10, and it goes on unharmed" {
	mkfifo in
	exec {hold}<>in
	env "MPROF_TEST_MARK=$MARK" "$T/copy-static" <in >out 3>&- &
	local pid=$!
	running() { [ "$(cat /proc/$pid/comm)" = copy-static ] && grep -q '^State:.S' /proc/$pid/status; }
	until_true "it does not start" running
	refused 10 'no allocator' "$MPROF" attach "$pid"
	clean "$pid"
	kill -KILL "$pid"
	ended "$pid"
}
