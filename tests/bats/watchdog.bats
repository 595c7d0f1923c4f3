#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof's own processes are killed, or fail: the program goes on with its own bytes.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

CYCLES=${CYCLES:-5}

@test "kill -9 of mprof attach lets the program go in good order" {
	start server "$T/server"
	before "$PID"
	local i
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt --data=run.data "$PID"
		progress server 2
		kill -KILL "$FRONT"
		ended "$FRONT"
		clean "$PID"
		progress server 2
		[ -s run.data ] || fail "the data is not written"
		rm -f run.data
	done
	finish server
	grep -qx 'checksum right' server.out
}

@test "kill -9 of the tracing process of an idle program: it survives with its own bytes" {
	BINS=$D/bins start phases "$T/phases"
	before "$PID"
	local i
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt --data=run.data "$PID"
		tell_await phases go '^done'
		kill -KILL "$(tracer_of "$PID")"
		ended "$FRONT"
		[ "$STATUS" != 0 ]
		says attach.err 'tracing process (was killed|died)'
		until_true "not free" all_free "$PID"
		own_bytes "$PID"
		nobody_left
		tell_await phases more '^done'
		limited "$MPROF" status >status.out 2>&1
		grep -q 'no sessions' status.out
		[ ! -e "$XDG_RUNTIME_DIR/mprof/$PID.sock" ]
	done
	finish phases
}

# text_as_said PID: the program's code is its file's; and so is the unused space behind it, unless mprof
# has said that it is not, which it may if nobody held the tracing process.
text_as_said() {
	local diff
	if ! grep -q "process $1 keeps [1-9][0-9]* bytes of mprof in the unused space" attach.err; then
		text_clean "$1"
		return
	fi
	[ -n "${KILL_ALONE:-}" ] || fail "why?" "$(cat attach.err)" || return 1
	! "$T/textdiff" "$1" >/dev/null || fail "nothing is left" "$(cat attach.err)" || return 1
	diff=$("$T/textdiff" -f "$1") || fail "a function is not as in the file:" "$diff"
}

# killed_at N [ARG...]: targets/exactly, whose tracer is killed at the end of its system call number N
# (tests/lib/killat.c). What has become of the program is in FATE: alive, trapped (died of SIGTRAP), ended
# (by the journal, which has said so), or, if KILL_ALONE is set, died (of any signal) or unsure (it goes on, and
# mprof has said that it may be wrong); anything else fails.
killed_at() {
	local n=$1
	shift
	rm -f exactly.* killed
	start exactly "$T/exactly" "$@" || return 1
	before "$PID"
	KILL_AT=$n KILL_LOG=$D/killed LD_PRELOAD=$T/killat.so background "$MPROF" attach -o report.txt --data=run.data "$PID"
	ended "$FRONT" || return 1
	[ "$STATUS" = 1 ] || fail "kill $n: mprof ended with $STATUS" "$(cat attach.err)" || return 1
	says attach.err 'the tracing process died' || return 1
	if grep -q "process $PID was put back in order from outside, and goes on" attach.err; then
		FATE=alive
		if [ -n "${KILL_ALONE:-}" ] && grep -q "process $PID handles SIGTRAP, and nobody saw " attach.err; then
			FATE=unsure
			text_as_said "$PID" || return 1
			kill -KILL "$PID"
			ended "$PID"
			return 0
		fi
		until_true "kill $n: not free" all_free "$PID" && text_as_said "$PID" &&
			progress exactly 1 2 && finish exactly || fail "kill $n, at the end of $(cat killed): harmed" "$(tail -n 3 exactly.out)" || return 1
		return 0
	fi
	ended "$PID"
	case $STATUS${KILL_ALONE:+ alone} in
	133) FATE=trapped && says attach.err "process $PID has died of SIGTRAP" ;;
	137*) FATE=ended && says attach.err "process $PID had to be killed" ;;
	1[3-5]?' alone') FATE=died && says attach.err "process $PID has (died of|ended, nobody)" ;;
	*) false ;;
	esac || fail "kill $n, at the end of $(cat killed): ended with status $STATUS" "$(cat attach.err exactly.out)"
}

# Nothing runs but the program's one thread; unless that has been let go on in the very call, it is held.
@test "kill -9 of the tracing process at the end of each of its system calls: no instruction is left out or run twice" {
	needs_traps "fast.bats and fast_beside.bats have the kills of it"
	local n resumed
	for ((n = 0; n < ${KILLS:-60}; n++)); do
		killed_at $n
		resumed=$(grep -Exc 'ptrace (7|9)' killed || :)
		[ "$FATE" = alive ] || [ "$resumed" = 1 ] || fail "kill $n, at the end of $(cat killed): $FATE"
	done
}

@test "kill -9 of the tracing process while signals come: the program is right, or is ended and that is said" {
	needs_traps "fast.bats and fast_beside.bats have the kills of it"
	local n
	for ((n = 0; n < ${KILLS:-60}; n += 3)); do
		killed_at $n 300
	done
}

@test "kill -9 of the tracing process that has just heard of a signal: the program gets it, whichever it is" {
	local sig n
	for sig in 10 64; do
		for n in 0 1 2; do
			rm -f heaplive.* killed
			start heaplive "$T/heaplive"
			tell_await heaplive "handle $sig" "^did handle"
			KILL_FROM=signal KILL_AT=$n KILL_LOG=$D/killed LD_PRELOAD=$T/killat.so \
				attach -o report.txt --data=run.data "$PID"
			kill "-$sig" "$PID"
			ended "$FRONT"
			[ "$STATUS" = 1 ]
			says attach.err "process $PID was put back in order from outside, and goes on"
			tell_await heaplive report "^report 0 blocks, 1 signals" ||
				fail "signal $sig, at the end of $(cat killed)" "$(cat heaplive.out)"
			finish heaplive
		done
	done
}

# missed_traps FATE [ARG...]: the tracer is killed when the program has run into the trap after the one that
# was served last, and what becomes of it is this.
missed_traps() {
	local n wanted=$1
	shift
	export KILL_LATE=yes
	for n in 0 1 2 3 4 5 6 7; do
		killed_at $n "$@"
		[ "$FATE" = "$wanted" ] || fail "kill $n: $FATE" "$(cat attach.err)"
	done
}

@test "a thread is in a trap that the killed tracing process was not told of: the program dies, and that is said" {
	needs_traps "fast.bats and fast_beside.bats have the kills of it"
	missed_traps trapped
}

# Its SIGTRAP would not be its death: it would come back to the middle of an instruction.
@test "a thread is in such a trap, and its program handles SIGTRAP: it is ended, and that is said" {
	needs_traps "fast.bats and fast_beside.bats have the kills of it"
	missed_traps ended 0 traps
}

@test "kill -9 of a tracing process that nobody may hold: the program is right, or dies, or nobody can know and that is said" {
	needs_traps "fast.bats and fast_beside.bats have the kills of it"
	local n
	export KILL_ALONE=yes
	for ((n = 0; n < ${KILLS:-60}; n += 3)); do
		killed_at $n
	done
	killed_at 7 300
	# Its handler may have been called for a breakpoint, and come back to the middle of an instruction.
	for ((n = 0; n < 8; n++)); do
		killed_at 8 0 traps
		[ "$FATE" != alive ] || fail "nobody can know that" "$(cat attach.err)"
	done
}

@test "kill -9 of the tracing process of a suspended program, whatever its name is" {
	cp "$T/server" 'n) Z (x'
	start server './n) Z (x'
	before "$PID"
	attach -o report.txt --data=run.data "$PID"
	answered suspend
	kill -KILL "$(tracer_of "$PID")"
	ended "$FRONT"
	until_true "not free" all_free "$PID"
	own_bytes "$PID"
	progress server 2
	finish server
}

@test "kill -9 of the tracing process of a stopped program leaves it stopped, with its own bytes" {
	start jobs "$T/jobs"
	local child
	child=$(sed -n 's/^child //p' jobs.out)
	before "$child"
	attach -o report.txt --data=run.data "$child"
	progress jobs
	tell_await jobs stop '^stopped'
	# Its parent is told at once; the tracer sleeps when it has been told of every thread, too.
	tracer_sleeps() { grep -q '^State:.S' "/proc/$(tracer_of "$child")/status"; }
	until_true "the tracer does not come to rest" tracer_sleeps
	kill -KILL "$(tracer_of "$child")"
	ended "$FRONT"
	until_true "still traced: $(task_states "$child")" grep -q '^TracerPid:.0$' "/proc/$child/status"
	own_bytes "$child"
	stopped() { ! grep -h '^State' /proc/"$child"/task/*/status | grep -qv 'T (stopped)'; }
	until_true "it was continued: $(task_states "$child")" stopped
	kill -KILL "$child"
	kill -KILL "$jobs_pid"
	ended "$jobs_pid"
}

@test "a deadly signal that is sent to the tracing process ends the session in good order" {
	start server "$T/server"
	before "$PID"
	local sig
	for sig in SEGV ABRT BUS FPE ILL; do
		rm -f run.data report.txt
		attach -o report.txt --data=run.data "$PID"
		progress server 2
		kill -$sig "$(tracer_of "$PID")"
		ended "$FRONT"
		[ "$STATUS" = 0 ] || fail "SIG$sig: status $STATUS" "$(cat attach.err)"
		[ -s run.data ] && [ -s report.txt ]
		! gone "$PID" || fail "SIG$sig: the program has died" "$(tail -n 3 server.out server.err attach.err)"
		clean "$PID"
		progress server 2
	done
	finish server
}

# break_function PID NAME: what mprof's process does next in this function is an illegal instruction
break_function() {
	python3 - "$1" "$(nm "$MPROF" 2>/dev/null | awk -v f="$2" '$3 == f { print $1 }')" "$(realpath "$MPROF")" <<-'EOT'
		import sys
		pid, at, file = sys.argv[1], int(sys.argv[2], 16), sys.argv[3]
		maps = [l.split() for l in open("/proc/%s/maps" % pid) if l.rstrip().endswith(file)]
		base = int(maps[0][0].split("-")[0], 16)
		with open("/proc/%s/mem" % pid, "r+b", buffering=0) as mem:
		    mem.seek(at if at >= base else base + at)
		    mem.write(b"\x0f\x0b")
	EOT
}

@test "an internal error of the tracing process: the traps come out first" {
	nm "$MPROF" 2>/dev/null | grep -q ' T control_next$' || skip "this mprof has no symbols"
	start server "$T/server"
	before "$PID"
	local i
	for ((i = 0; i < CYCLES; i++)); do
		attach -o report.txt --data=run.data "$PID"
		progress server 2
		break_function "$(tracer_of "$PID")" control_next
		limited "$MPROF" control "$PID" status >control.out 2>control.err || :
		ended "$FRONT"
		[ "$STATUS" != 0 ]
		says attach.err 'internal error .Illegal instruction.: the program has been let go'
		! gone "$PID" || fail "the program has died" "$(tail -n 3 server.out server.err attach.err)"
		until_true "not free" all_free "$PID"
		text_clean "$PID"
		nobody_left
		progress server 2
	done
	finish server
}

@test "an internal error of a child of the tracing process leaves the traps in: all calls are seen" {
	nm "$MPROF" 2>/dev/null | grep -q ' T heap_write_text$' || skip "this mprof has no symbols"
	start marks "$T/marks"
	before "$PID"
	attach --heap-profile="$D/p" --heap-profile-allocation-interval=1 --symbols=yes \
		-o report.txt --data=run.data "$PID"
	break_function "$(tracer_of "$PID")" heap_write_text
	did "take 2"
	await attach.err 'p.0002.heap: the process that writes it ended with signal 4'
	did "take 3"
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err || :
	ended "$FRONT"
	[ "$STATUS" = 1 ]
	[ "$("$MPROF" stats --format=json run.data | jq .malloc)" = 5 ]
	clean "$PID"
	finish marks
}

# survives SIGNAL tracer|front: one process of mprof gets it, then the session is ended in any case
survives() {
	local to=$FRONT
	[ "$2" = front ] || to=$(tracer_of "$PID")
	kill "-$1" "$to"
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err || :
	ended "$FRONT" || return 1
	! gone "$PID" || fail "SIG$1 to the $2: the program has died" "$(tail -n 3 server.out attach.err)" || return 1
	until_true "not free after SIG$1" all_free "$PID" || return 1
	text_clean "$PID" || return 1
	nobody_left || return 1
	progress server 2
}

@test "signals nobody thinks of, to the tracing process, do not end it uncleanly" {
	start server "$T/server"
	before "$PID"
	local sig
	for sig in USR1 USR2 PIPE ALRM VTALRM PROF IO XCPU XFSZ PWR STKFLT SYS QUIT TSTP TTIN; do
		attach -o report.txt --data=run.data "$PID"
		progress server 2
		survives $sig tracer
	done
	finish server
}

@test "signals nobody thinks of, to mprof attach, do not harm the program" {
	start server "$T/server"
	before "$PID"
	local sig
	for sig in USR1 PIPE ALRM XCPU SEGV ABRT QUIT; do
		attach -o report.txt --data=run.data "$PID"
		progress server 2
		survives $sig front
	done
	finish server
}

@test "the tracer and its watcher leave at once when the program is killed, again and again" {
	local i
	for ((i = 0; i < CYCLES; i++)); do
		rm -f server.*
		start server "$T/server" 8 50
		attach -o report.txt --data=run.data "$PID"
		kill -KILL "$PID"
		ended "$PID"
		ended "$FRONT"
		[ "$STATUS" = 0 ]
		nobody_left
	done
}

# Anybody may raise it, and go back to 0; to go lower takes a privilege that a container may lack.
@test "the tracing process is spared when memory runs out; the program is as it was" {
	echo 300 >/proc/self/oom_score_adj
	limited "$MPROF" run -o report.txt --data=run.data -- sh -c 'cat /proc/self/oom_score_adj; cat /proc/$$/oom_score_adj' \
		>out 2>err
	[ "$(cat out)" = "$(printf '300\n300')" ] || fail "the program has another score:" "$(cat out err)"
	start server "$T/server" 2 1000
	attach -o report.txt --data=run.data "$PID"
	local score
	score=$(cat "/proc/$(tracer_of "$PID")/oom_score_adj")
	[ "$score" = 0 ] || [ "$score" = -500 ] || fail "the tracer's score is $score"
	answered status
	grep -Eqx "tracer's oom_score_adj: $score( \(not -500: .*\))?" control.out || fail "$(cat control.out)"
	[ "$(cat "/proc/$PID/oom_score_adj")" = 300 ]
	detach "$PID"
	finish server
}

@test "a report never goes through a link that another user may have planted" {
	[ "$(id -u)" = 0 ] || skip "only root has something to lose"
	echo precious | tee victim >other-victim
	chmod 600 victim other-victim
	mkdir -m 777 theirs
	ln -s "$D/victim" theirs/report
	mkfifo in && chmod 666 in
	chmod 755 .
	exec {hold}<>in
	cp "$T/server" theirs/
	env "MPROF_TEST_MARK=$MARK" setpriv --reuid=65534 --regid=65534 --clear-groups theirs/server 2 200 <in >server.out \
		2>u.err 3>&- &
	PID=$!
	until_true "does not start" has_lines server.out '^ready ' 1 || skip "nobody cannot run a program here: $(cat u.err)"
	refused 1 'cannot write the report theirs/report: it is a link' "$MPROF" attach -o theirs/report --data=theirs/data "$PID"
	rm theirs/report
	attach -o theirs/report --data=theirs/data "$PID"
	ln -sf "$D/victim" theirs/report
	ln -sf "$D/other-victim" theirs/data
	limited "$MPROF" control "$PID" save theirs/data >save.out 2>save.err || :
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err || :
	ended "$FRONT"
	[ "$(cat victim other-victim | uniq)" = precious ] || fail "it was written through the link"
	clean "$PID"
	echo quit >&"$hold"
	ended "$PID"
	[ "$STATUS" = 0 ]
}

# written_to_nobody OPTION...: mprof run, by env with these options, whose program has ended, and whose report nobody
# reads; TRACER
written_to_nobody() {
	mkfifo report
	exec {hold}<>report
	head -c 65536 /dev/zero >&"$hold"
	background env "$@" "$MPROF" run -o report --data=run.data -- true
	until_true "no data file" test -s run.data
	TRACER=$(pgrep -P "$FRONT" -x mprof-tracer)
}

# Who interrupts all of mprof once sends two of its processes a signal, of which one passes it on.
@test "Ctrl-C while what was profiled is written: what that is about is said, and once more gives it up" {
	local hold
	written_to_nobody --default-signal=INT
	kill -INT "$TRACER" "$FRONT"
	until_true "nothing is said" grep -q 'is being written; the same signal once more' attach.err
	# SIGINT is the second bit.
	signals_have_come() { ! grep -hqE '^(Sig|Shd)Pnd:.*[2367abef]$' "/proc/$FRONT/status" "/proc/$TRACER/status"; }
	until_true "the signal has not come" signals_have_come
	[ "$(ours attach.err | grep -c 'is being written')" = 1 ]
	kill -INT "$TRACER" "$FRONT"
	ended "$FRONT"
	[ "$STATUS" = 130 ] || fail "status $STATUS" "$(cat attach.err)"
	says attach.err 'given up: what has not been written by now is lost'
	not grep -q 'tracing process' attach.err
	exec {hold}>&-
	limited "$MPROF" report -o report.txt run.data
	grep -q MPROF report.txt
	nobody_left
}

@test "a signal that mprof was started to ignore gives nothing up" {
	local hold
	written_to_nobody --ignore-signal=INT
	kill -INT "$TRACER" && kill -INT "$TRACER"
	head -c 65536 <&"$hold" >/dev/null
	cat <&"$hold" >report.txt &
	local reader=$!
	ended "$FRONT"
	kill $reader
	[ "$STATUS" = 0 ] || fail "status $STATUS" "$(cat attach.err)"
	not grep -q 'once more' attach.err
	exec {hold}>&-
}
