# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034
# For tests of running programs: programs that read commands (targets/live.h), attaching, and what
# must be true of a program after detaching. Load after common.

LIVE_WAIT=${LIVE_WAIT:-60} # the deadline of every wait, in seconds

setup() {
	D=$BATS_TEST_TMPDIR
	cd "$D" || return 1
	MARK=mprof-test-$BATS_TEST_NUMBER-$BASHPID-$RANDOM$RANDOM
	export XDG_CACHE_HOME=$D/cache-home
	# Each test has directories for control sockets of its own.
	export XDG_RUNTIME_DIR=$D/run TMPDIR=$D/tmp
	mkdir -m 700 "$XDG_RUNTIME_DIR" "$TMPDIR"
	FRONT=''
}

# Whatever a failed test leaves running is ended here, by its number.
teardown() {
	local pid
	for pid in $(marked); do
		[ "$pid" = "$BASHPID" ] || kill -KILL "$pid" 2>/dev/null || :
	done
	no_strays
}

# until_true WHAT COMMAND...: the command succeeds before the deadline.
until_true() {
	local what=$1 end=$((SECONDS + LIVE_WAIT))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || {
			fail "deadline: $what" "$(tail -n 5 ./*.out ./*.err 2>/dev/null)"
			return 1
		}
		sleep 0.02
	done
}

lines_with() { # FILE REGEX
	grep -aEc -- "$2" "$1" 2>/dev/null || :
}

has_lines() { # FILE REGEX N
	[ "$(lines_with "$1" "$2")" -ge "$3" ]
}

# await FILE REGEX [N]: N (1) lines of the file match.
await() {
	until_true "no /$2/ in $1" has_lines "$1" "$2" "${3:-1}"
}

# start NAME PROGRAM [ARG...]: a program of live.h, ready; its number is in PID and in NAME_pid.
start() {
	local name=$1 fd
	shift
	mkfifo "$name.in"
	exec {fd}<>"$name.in"
	eval "${name}_fd=$fd"
	: >"$name.out"
	env "MPROF_TEST_MARK=$MARK" ${BINS:+BINS="$BINS"} "$@" <"$name.in" >"$name.out" 2>"$name.err" 3>&- &
	PID=$!
	eval "${name}_pid=$PID"
	await "$name.out" '^ready ' || return 1
}

# tell NAME WORDS: one command
tell() {
	local fd=$1_fd
	echo "$2" >&"${!fd}"
}

# tell_await NAME WORDS REGEX: a command, and one more line with this than there were
tell_await() {
	local n
	n=$(lines_with "$1.out" "$3")
	tell "$1" "$2"
	await "$1.out" "$3" $((n + 1))
}

# did WORDS: targets/marks has done this
did() {
	tell_await marks "$1" "^did $1\$"
}

# reported NAME N: number N of the report that the program gives now
reported() {
	tell_await "$1" report '^report ' || return 1
	grep -a '^report ' "$1.out" | tail -n 1 | grep -oE '[0-9]+' | sed -n "${2}p"
}

more_than() { # NAME FIELD NUMBER
	[ "$(reported "$1" "$2")" -gt "$3" ]
}

# progress NAME [FIELD [BY]]: the number in its report has grown; the program is alive and at work.
progress() {
	local field=${2:-1} before
	before=$(reported "$1" "$field") || return 1
	until_true "$1 stands still" more_than "$1" "$field" $((before + ${3:-0}))
}

gone() { # PID
	[ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

# ended PID: it has ended; its status, 128 + N for a signal, is in STATUS.
ended() {
	until_true "process $1 has not ended" gone "$1" || return 1
	STATUS=0
	wait "$1" || STATUS=$?
}

# finish NAME: told to quit, it ends with 0 and its own word that all is right.
finish() {
	local pid=$1_pid
	tell "$1" quit
	ended "${!pid}" || return 1
	[ "$STATUS" = 0 ] || fail "$1 ended with status $STATUS" "$(tail -n 5 "$1.out" "$1.err")" || return 1
	! grep -aqE 'BROKEN|^checksum wrong' "$1.out" || fail "$1 was harmed:" "$(tail -n 5 "$1.out")"
}

# ---- attaching ----

# background COMMAND...: with the test's mark; its number is in FRONT, its words in attach.out, attach.err.
background() {
	: >attach.err # not what an earlier one has written
	: >attach.out
	env "MPROF_TEST_MARK=$MARK" "$@" >attach.out 2>attach.err </dev/null 3>&- &
	FRONT=$!
}

begun_or_gone() {
	grep -aq '^mprof: attached to' attach.err || gone "$FRONT"
}

# attach [OPTION...] PID: tracing has begun when this returns.
attach() {
	background "$MPROF" attach "$@"
	until_true "mprof attach has not begun" begun_or_gone || return 1
	grep -aq '^mprof: attached to' attach.err || fail "mprof attach did not begin:" "$(cat attach.err)"
}

tracer_of() {
	sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null
}

# detach [OPTION...] [PID]: by mprof detach; both it and the front end with 0.
detach() {
	local status=0
	limited "$MPROF" detach "$@" >detach.out 2>detach.err </dev/null || status=$?
	[ $status = 0 ] || fail "mprof detach: status $status" "$(cat detach.err)" || return 1
	[ -z "${FRONT:-}" ] || {
		ended "$FRONT" || return 1
		[ "$STATUS" = 0 ] || fail "mprof attach ended with status $STATUS" "$(cat attach.err)"
	}
}

# ---- afterwards ----

# before PID: remembers what must be the same when mprof has gone
before() {
	"$T/textdiff" -m "$1" >"maps.$1" || fail "$(cat "maps.$1")"
}

task_states() { # PID
	grep -hsE '^(State|TracerPid):' "/proc/$1/task"/*/status |
		awk '/^State/ { state = $2 } /^TracerPid/ { print state, "traced by", $2 }' | sort | uniq -c
}

all_free() { # PID
	! task_states "$1" | grep -Eq 'traced by [1-9]|[tT] '
}

our_processes() {
	local p comm
	for p in $(marked); do
		read -r comm <"/proc/$p/comm" 2>/dev/null || continue
		case $comm in mprof*) echo "$p" ;; esac
	done
}

nobody_of_ours() {
	[ -z "$(our_processes)" ]
}

# nobody_left: of mprof's own, soon
nobody_left() {
	until_true "processes of mprof are left" nobody_of_ours || fail "" "$(our_processes)"
}

# clean PID: the program's code is its file's, the mappings are what they were, no thread is traced
# or stopped, no process of mprof is left and no socket.
clean() {
	local diff
	until_true "threads of $1 are not free" all_free "$1" || fail "" "$(task_states "$1")" || return 1
	text_clean "$1" || return 1
	nobody_left || return 1
	[ ! -e "$XDG_RUNTIME_DIR/mprof/$1.sock" ] || fail "the control socket is still there"
}

# own_text PID: its code is its file's; of mappings there may be more.
own_text() {
	local diff
	diff=$("$T/textdiff" "$1") || fail "not as in the file:" "$diff"
}

# own_bytes PID: after a kill. What stays mapped of the fast engine then is said, and passed through.
own_bytes() {
	if [ "${MPROF_ENGINE:-trap}" = trap ]; then text_clean "$1"; else own_text "$1"; fi
}

text_clean() {
	diff=$("$T/textdiff" "$1") || fail "not as in the file:" "$diff" || return 1
	[ ! -e "maps.$1" ] || {
		diff=$("$T/textdiff" -m "$1" | diff "maps.$1" -) || fail "other mappings:" "$diff"
	}
}

# as JSON, and it agrees with itself, and with what the program did
json() { # DATA [BINS]
	limited "$MPROF" report --format=json "$1" >report.json || return 1
	agrees report.json "${@:2}"
}

# total NAME: of report.json
total() {
	jq ".totals.$1" report.json
}

# answered WORDS...: the program's session answers a mprof control; its words are in control.out.
answered() {
	local status=0
	limited "$MPROF" control "$PID" "$@" >control.out 2>control.err </dev/null || status=$?
	[ $status = 0 ] || fail "mprof control $*: status $status" "$(cat control.err)"
}

# a_session PYTHON [PID]: something that listens as the session of a process ($$) and answers to each line
# what answer(line) returns
a_session() {
	local socket=$XDG_RUNTIME_DIR/mprof/${2:-$$}.sock
	[ -d "$XDG_RUNTIME_DIR/mprof" ] || mkdir -m 700 "$XDG_RUNTIME_DIR/mprof"
	rm -f listening "$socket"
	env "MPROF_TEST_MARK=$MARK" python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
open("listening", "w").close()
'"$1"'
while True:
    client = s.accept()[0]
    line = client.recv(4096)
    if line:
        client.sendall(answer(line))
    client.close()
' "$socket" 3>&- &
	SESSION=$!
	until_true "nobody listens" test -e listening
}

end_session() {
	kill -KILL $SESSION
	wait $SESSION || :
}

# per_size BINS: the sums of the lines "bin" of a program that wrote several
per_size() {
	awk '$1 == "bin" { a[$2] += $3; f[$2] += $4 }
		END { for (s in a) print "bin", s, a[s], f[s] }' "$1" | sort
}

# looked COMMAND ARG...: a command that looks at a process once succeeds; its answer is in the file COMMAND.
looked() {
	limited "$MPROF" "$1" --max-pause=60000 "${@:2}" >"$1" 2>"$1.err" || {
		fail "mprof $1 ended with status $?" "$(cat "$1" "$1.err")"
		return 1
	}
}
