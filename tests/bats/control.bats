#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A session and those that talk to it: control, status, saving, the socket and who may use it, the
# terminal.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# number NAME: of the answer to status
number() {
	sed -n "s/^$1: *//p" control.out
}

# client PYTHON: talks to the session's socket, s; its deadline is limit's.
client() {
	limited /usr/bin/env python3 -c '
import os, socket, sys, time
path = sys.argv[1]
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(path) # waits while the queue is full
    s.settimeout(30)
    return s
def all_of(s):
    text = b""
    while True:
        part = s.recv(65536)
        if not part:
            return text
        text += part
'"$1" "$XDG_RUNTIME_DIR/mprof/$PID.sock"
}

# ---- commands ----

# lifted PID: while nothing is recorded there is no trap in its code. Jumps stay, and pass through.
lifted() {
	[ "${MPROF_ENGINE:-trap}" != trap ] || text_clean "$1"
}

@test "a session is asked and ended even if who started it has blocked every signal" {
	start phases "$T/phases"
	before "$PID"
	background env --block-signal "$MPROF" attach -o report.txt --data=run.data "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	answered status
	[ "$(number state)" = tracing ]
	tell_await phases go '^done'
	answered save
	detach "$PID"
	clean "$PID"
	finish phases
}

@test "control status tells tasks, events, bytes, modules, overhead and the tracer's own memory" {
	BINS=$D/bins start phases "$T/phases"
	attach -o report.txt --data=run.data "$PID"
	tell_await phases go '^done'
	answered help
	grep -q '^heap_dump' control.out
	answered status
	cat control.out
	[ "$(number state)" = tracing ]
	[ "$(number tasks)" = 9 ]
	[ "$(number modules)" -ge 2 ]
	[ "$(number allocations)" = "$(awk '$1 == "bin" { n += $3 } END { print n }' bins)" ]
	[ "$(number frees)" -gt 0 ]
	[ "$(number 'live bytes')" = $((8 * 7 * 5519)) ]
	grep -Eqi '^tracer.*memory.*: [1-9][0-9]*' control.out
	grep -Eqi '(overhead|processor seconds).*: [0-9.]+' control.out
	detach "$PID"
	clean "$PID"
	finish phases
}

@test "suspend takes every trap out and keeps the session; resume counts again, exactly" {
	BINS=$D/bins start phases "$T/phases"
	before "$PID"
	attach -o report.txt --data=run.data "$PID"
	tell_await phases go '^done'
	answered suspend
	lifted "$PID"
	[ "$(tracer_of "$PID")" -gt 0 ]
	answered status
	[ "$(number state)" = suspended ]
	tell_await phases more '^done'
	answered resume
	tell_await phases go '^done'
	detach "$PID"
	clean "$PID"
	json run.data
	per_size bins >sums
	# What was live in the pause was still there after it, and counts as gone until it is freed.
	missed=$(jq .unseen.missed_blocks report.json)
	jq -e '.unseen.missed_bytes == .unseen.missed_blocks * 5519 and .totals.kept_bytes == 0' report.json
	awk -v missed="$missed" '$2 == 5519 { $4 += missed } { print }' sums >known
	agrees report.json known
	[ "$(total allocs)" = "$(awk '{ n += $3 } END { print n }' sums)" ]
	[ "$(total unknown_frees)" = 160 ] # of the first round; the second's were made and freed unseen
	finish phases
}

@test "blocks that may have been freed while suspended are not kept; frees of those requested meanwhile stand apart" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	tell_await marks "take 100" '^did take 100$'
	answered suspend
	tell_await marks "drop 30" '^did drop 30$'
	tell_await marks "take 50" '^did take 50$'
	answered resume
	tell_await marks "drop 50" '^did drop 50$'
	tell_await marks "drop 20" '^did drop 20$'
	detach "$PID"
	clean "$PID"
	json run.data
	jq -e '.bins[] | select(.size == 6121) | .allocs == 100 and .frees == 100 and .kept_bytes == 0' report.json
	# 50 blocks may lie where others were that had been freed: each free is the one or the other
	jq -e '.unseen.paused_frees + 100 - .unseen.missed_blocks == 70 and .unseen.missed_blocks >= 50 and
		.unseen.missed_bytes == .unseen.missed_blocks * 6121 and .unseen.pauses == 1 and .unseen.paused_ns > 0 and
		.totals.unknown_frees == 0' report.json || fail "$(jq -c .unseen report.json)"
	"$MPROF" report run.data 2>report.err >/dev/null
	grep -q '^mprof: nothing was seen in 1 pause of ' report.err || fail "$(cat report.err)"
	grep -Eq "^mprof: [0-9]+ blocks of [0-9]+ bytes that were there when a pause began may have been freed" report.err
	# That nothing is kept is not known.
	local how='not known, for it was not watched to the end without a break: nothing was seen in 1 pause of [0-9.]+ s in all'
	"$MPROF" report --summary run.data >summary 2>/dev/null
	head -n 1 summary | grep -Eq "^kept by process $PID: $how; [0-9]+ blocks of [0-9]+ bytes that were live when a pause began may be kept$" ||
		fail "$(cat summary)"
	grep -Eq "^mprof: kept by process $PID: $how" report.err || fail "$(cat report.err)"
	finish marks
}

@test "suspended and resumed again and again under load, the server is unharmed" {
	start server "$T/server"
	before "$PID"
	attach -o report.txt --data=run.data "$PID"
	local i
	for i in 1 2 3 4 5; do
		progress server 2
		answered suspend
		lifted "$PID"
		progress server 2
		answered resume
	done
	answered suspend
	answered suspend
	detach "$PID"
	clean "$PID"
	finish server
	grep -qx 'checksum right' server.out
}

@test "a stopped program is suspended and resumed, and stays stopped" {
	start server "$T/server" 4
	attach -o report.txt --data=run.data "$PID"
	kill -STOP "$PID"
	stopped() { ! grep -h '^State' /proc/"$PID"/task/*/status | grep -qv '[Tt] ('; }
	until_true "not stopped" stopped
	answered suspend
	lifted "$PID"
	until_true "not stopped, suspended" stopped
	answered resume
	until_true "not stopped, resumed" stopped
	detach "$PID"
	really() { ! grep -h '^State' /proc/"$PID"/task/*/status | grep -qv 'T (stopped)'; }
	until_true "not stopped" really
	kill -CONT "$PID"
	progress server 2
	clean "$PID"
	finish server
}

@test "save writes the data now and goes on; what is saved can be read meanwhile" {
	BINS=$D/bins start phases "$T/phases"
	attach -o report.txt --data=run.data "$PID"
	tell_await phases go '^done'
	answered save
	json run.data bins
	[ "$(tracer_of "$PID")" -gt 0 ]
	mkdir other
	(cd other && limited "$MPROF" control "$PID" save here.data >../save.out) || fail "save FILE"
	cmp <("$MPROF" report run.data) <("$MPROF" report other/here.data)
	tell_await phases more '^done'
	detach "$PID"
	json run.data
	[ "$(total allocs)" -gt "$("$MPROF" report --format=json other/here.data | jq .totals.allocs)" ]
	clean "$PID"
	finish phases
}

@test "saves under load, one after the other, are each a whole profile" {
	start server "$T/server"
	attach -o report.txt --data=run.data "$PID"
	local i last=0
	for i in 1 2 3 4 5; do
		progress server 2
		answered save "s$i.data"
		json "s$i.data"
		[ "$(total allocs)" -gt "$last" ]
		last=$(total allocs)
	done
	detach "$PID"
	clean "$PID"
	finish server
	[ -z "$(find . -name '*.tmp*' -o -name '*.data?*')" ] || fail "$(ls)"
}

@test "a save that cannot be written is said to who asked, and the session goes on" {
	start server "$T/server" 4 100
	attach -o report.txt --data=run.data "$PID"
	refused 1 'nodir' "$MPROF" control "$PID" save nodir/file
	refused 1 . "$MPROF" control "$PID" save "$D"
	answered status
	progress server 2
	detach "$PID"
	clean "$PID"
	[ -s run.data ]
	finish server
}

@test "--autosave saves after every so many allocations" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data --autosave=100 "$PID"
	tell_await marks "alloc 99" '^did alloc 99$'
	answered status
	[ ! -e run.data ]
	tell_await marks "alloc 151" '^did alloc 151$'
	saved() { [ -s run.data ] && [ "$("$MPROF" report --format=json run.data | jq .totals.allocs)" = 200 ]; }
	until_true "not saved" saved
	[ "$(tracer_of "$PID")" -gt 0 ]
	detach "$PID"
	json run.data
	[ "$(total allocs)" = 250 ]
	finish marks
}

@test "autosave under load harms nobody" {
	start server "$T/server"
	attach -o report.txt --data=run.data --autosave=2000 "$PID"
	progress server 2 500
	detach "$PID"
	clean "$PID"
	json run.data
	finish server
	[ "$(ls run.data*)" = run.data ]
}

@test "wrong commands are refused: 2, and those without a session: 11" {
	refused 2 'usage' "$MPROF" control
	refused 2 'usage' "$MPROF" control 1
	refused 2 '"dance" is no command' "$MPROF" control 1 dance
	refused 2 'usage' "$MPROF" control 1 status more
	refused 11 'no session of a process that is called "x"' "$MPROF" control x status
	refused 2 'neither the number nor the name' "$MPROF" control 0 status
	refused 11 'no session' "$MPROF" control $$ status
	refused 11 'no session' "$MPROF" detach $$
	refused 2 'status' "$MPROF" status 1
}

# slowed PID: the table has the figure that the session tells
slowed() {
	limited "$MPROF" status >status.out
	grep -Eq "^ *$1 .*  [0-9.]+  +[1-9][0-9]*\.[0-9]{2}  [^ ]*server" status.out
}

@test "mprof status lists the sessions of this user, and only those that live" {
	limited "$MPROF" status >status.out
	grep -q 'no sessions' status.out
	start one "$T/server" 2 200
	start two "$T/server" 3 200
	attach -o one.txt --data=one.data "$one_pid"
	local front=$FRONT
	attach -o two.txt --data=two.data "$two_pid"
	limited "$MPROF" status >status.out
	[ "$(wc -l <status.out)" = 3 ]
	grep -Eq "^ *$one_pid .*tracing.*server" status.out
	grep -Eq "^ *$two_pid .*tracing.*server" status.out
	grep -q '  busy %  slowdown  command$' status.out
	until_true "no slowdown" slowed "$one_pid"
	detach "$two_pid"
	limited "$MPROF" status >status.out
	[ "$(wc -l <status.out)" = 2 ]
	FRONT=$front
	detach "$one_pid"
	limited "$MPROF" status >status.out
	grep -q 'no sessions' status.out
	finish one
	finish two
}

@test "mprof status lists each process of a session that has several" {
	start one "$T/server" 2 200
	start two "$T/server" 3 200
	attach -o out.txt --data=run.data "$one_pid" "$two_pid"
	limited "$MPROF" status >status.out
	[ "$(wc -l <status.out)" = 4 ]
	grep -Eq "^ *$one_pid  tracing .*server.*, and 1 more: in all\$" status.out || fail "$(cat status.out)"
	grep -Eq "^ *$one_pid  in $one_pid  .*server" status.out
	grep -Eq "^ *$two_pid  in $one_pid  .*server" status.out
	limited "$MPROF" status --format=json >status.json
	jq -e --argjson one "$one_pid" --argjson two "$two_pid" 'length == 1 and (.[0] | .processes == 2
		and ([.each_process[].pid] | sort) == ([$one, $two] | sort)
		and ([.each_process[].allocations] | add) == .allocations
		and ([.each_process[].live_bytes] | add) == .live_bytes)' status.json || fail "$(cat status.json)"
	limited "$MPROF" control "$one_pid" status >status.out
	grep -Eq "^process $two_pid: .*server.*, [0-9]+ allocations, [0-9]+ frees, [0-9]+ live bytes\$" status.out
	detach "$one_pid"
	finish one
	finish two
}

@test "a detach whose report cannot be written ends nothing; one that has returned leaves no socket" {
	start server "$T/server" 2 200
	attach -o report.txt --data=run.data "$PID"
	refused 1 'none/x: No such file' "$MPROF" detach -o none/x "$PID"
	answered status
	[ "$(number state)" = tracing ]
	limited "$MPROF" detach -o detached.txt "$PID"
	[ ! -e "$XDG_RUNTIME_DIR/mprof/$PID.sock" ]
	grep -q TOTAL detached.txt
	ended "$FRONT"
	clean "$PID"
	finish server
}

@test "mprof run can be asked and told to save, too" {
	mkfifo in
	exec {hold}<>in
	env "MPROF_TEST_MARK=$MARK" "$MPROF" run -o report.txt --data=run.data -- "$T/marks" <in >marks.out \
		2>run.err 3>&- &
	local front=$!
	await marks.out '^ready '
	PID=$(sed -n 's/^ready //p' marks.out)
	echo "take 10" >&"$hold"
	await marks.out '^did take 10$'
	answered status
	answered save now.data
	json now.data
	jq -e '.bins[] | select(.size == 6121) | .allocs == 10' report.json
	echo quit >&"$hold"
	ended "$front"
	[ "$STATUS" = 0 ]
	[ ! -e "$XDG_RUNTIME_DIR/mprof/$PID.sock" ]
}

# ---- a profile that cannot be saved ----

# on_a_disk HOW WORDS...: mprof attach in the background, with a small disk of its own at ./disk; HOW is what
# becomes of that. TRACER is the process that holds the program.
on_a_disk() {
	local how=$1
	shift
	unshare -m true 2>/dev/null || skip "not allowed to mount here"
	mkdir -p disk
	cat >on-a-disk <<-'EOT'
		mount -t tmpfs -o size=1m none "$PWD/disk" && mkdir disk/dir || exit 77
		exec "$@"
	EOT
	background unshare -m sh on-a-disk "$MPROF" attach --background --data="$D/disk/dir/f.data" "$@" "$PID"
	ended "$FRONT"
	[ "$STATUS" = 0 ] || fail "status $STATUS" "$(cat attach.err)" || return 1
	FRONT=''
	TRACER=$(tracer_of "$PID")
	case $how in
	full) there dd if=/dev/zero of="$D/disk/filler" bs=4k status=none 2>/dev/null || : ;;
	gone) there rmdir "$D/disk/dir" ;;
	read-only) there mount -o remount,ro "$D/disk" ;;
	esac
}

# there COMMAND...: where that disk is
there() {
	nsenter -t "$TRACER" -m "$@"
}

# detach_there FILE: mprof detach succeeds where the disk is, which goes with the session; ./copy is FILE.
detach_there() {
	there sh -c 'cd "$1" && "$2" detach "$3" >detach.out 2>detach.err && cat "$4" >copy' \
		- "$D" "$MPROF" "$PID" "$1" || fail "$(cat detach.err)"
}

mended() {
	case $1 in
	full) there rm "$D/disk/filler" ;;
	gone) there mkdir "$D/disk/dir" ;;
	read-only) there mount -o remount,rw "$D/disk" ;;
	esac
}

# detach_keeps WHY [OPTION...]: it prints the report and says that, and why, the profile is in memory only.
detach_keeps() {
	local why=$1 status=0
	shift
	limited "$MPROF" detach "$@" "$PID" >detach.out 2>detach.err </dev/null || status=$?
	[ $status = 1 ] || fail "mprof detach: status $status" "$(cat detach.err)" || return 1
	says detach.err "f.data: .*$why" || return 1
	says detach.err "is free; not written, and only in the session's memory: the profile $D/disk/dir/f.data[;,].* [(]and with -o gives up" || return 1
	not grep -q 'the profile is in' detach.err
}

# detach_fails WHY [OPTION...]: its status is 1, and WHY is among what it says.
detach_fails() {
	local why=$1 status=0
	shift
	limited "$MPROF" detach "$@" "$PID" >detach.out 2>detach.err </dev/null || status=$?
	[ $status = 1 ] || fail "mprof detach: status $status" "$(cat detach.err)" || return 1
	says detach.err "$why"
}

# kept WHY: the program is what it was, and the session has its profile.
kept() {
	until_true "not free" all_free "$PID" || return 1
	text_clean "$PID" || return 1
	answered status || return 1
	[ "$(number state)" = unsaved ] || return 1
	number 'not saved' | grep -q "f.data: .*$1" || fail "$(cat control.out)" || return 1
	limited "$MPROF" status >status.out 2>status.err || return 1
	grep -Eq "^ *$PID  unsaved " status.out || fail "$(cat status.out)" || return 1
	says status.err "not traced any more: .*f.data: .*$1"
}

@test "--background: a disk that is full, read-only or gone keeps the session until another try has saved it" {
	local how why live
	for how in full gone read-only; do
		case $how in
		full) why='disk full' ;;
		gone) why='No such file' ;;
		read-only) why='Read-only file system' ;;
		esac
		rm -rf server.* disk
		start server "$T/server" 4 100
		before "$PID"
		on_a_disk $how
		progress server 2
		detach_keeps "$why"
		grep -q 'Allocation Bins with possible Types' detach.out
		cp detach.out first.out
		kept "$why"
		[ "${MPROF_ENGINE:-}" = auto ] || [ "$(number engine)" = "${MPROF_ENGINE:-trap}" ] || fail "$(cat control.out)"
		live=$(number 'live bytes')
		progress server 2
		detach_keeps "$why"
		cmp first.out detach.out
		refused 1 'is not being traced any more' "$MPROF" control "$PID" suspend
		refused 1 "f.data: .*$why" "$MPROF" control "$PID" save
		mended $how
		detach_there "$D/disk/dir/f.data"
		says detach.err "the profile is in $D/disk/dir/f.data"
		cmp first.out detach.out
		limited "$MPROF" report copy >again.txt
		cmp first.out again.txt
		limited "$MPROF" report --format=json copy >report.json
		[ "$live" = "$(total kept_bytes)" ] || fail "live bytes: $live, not $(total kept_bytes)"
		[ "$live" -gt 0 ]
		clean "$PID"
		finish server
	done
}

@test "--background: a profile that could not be saved is saved elsewhere, with those of the children" {
	BINS=$D/bins start family "$T/family"
	on_a_disk full --trace-children=yes
	tell_await family blocks '^did blocks$'
	tell_await family fork '^did fork$'
	tell_await family truth '^did truth$'
	detach_keeps 'disk full'
	refused 1 'none/run.data: No such file' "$MPROF" control "$PID" save none/run.data
	kept 'disk full'
	answered save run.data
	[ "$(grep -c '^data ' control.out)" = 2 ]
	clean "$PID"
	json run.data bins
	local child
	child=$(awk '$1 == "child" { print $2 }' bins)
	grep -qx "data $D/run.data.$child" control.out
	json "run.data.$child"
	[ "$(jq .pid report.json)" = "$child" ]
	finish family
}

@test "--background: a report that is taken elsewhere ends a session that told before that it cannot save" {
	start server "$T/server" 4 100
	on_a_disk full
	progress server 2
	detach_keeps 'disk full' -o report.txt
	[ ! -s detach.out ]
	kept 'disk full'
	refused 1 'nowhere/report: No such file' "$MPROF" detach -o nowhere/report "$PID"
	kept 'disk full'
	detach_fails 'f.data: disk full' -o report2.txt
	says detach.err 'the report is in report2.txt; the profile of process [0-9]+ itself has been given up'
	cmp report.txt report2.txt
	grep -q 'Allocation Bins with possible Types' report.txt
	clean "$PID"
	finish server
}

@test "--background: a program that has ended is kept, too; discard, or a second signal, gives it up" {
	local how
	for how in discard TERM; do
		rm -rf server.* disk
		start server "$T/server" 4 100
		on_a_disk full
		refused 1 'only what could not be saved' "$MPROF" control "$PID" discard
		progress server 2
		if [ $how = TERM ]; then
			kill -TERM "$TRACER"
			until_true "not free" all_free "$PID"
		else
			finish server
		fi
		unsaved() { answered status && [ "$(number state)" = unsaved ]; }
		until_true "not kept" unsaved
		if [ $how = TERM ]; then
			kill -TERM "$TRACER"
			until_true "the session is still there" nobody_of_ours
			finish server
		else
			answered discard
			until_true "the session is still there" nobody_of_ours
		fi
		[ ! -e "$XDG_RUNTIME_DIR/mprof/$PID.sock" ]
	done
}

@test "--background: a massif file that could not be written keeps the session" {
	start server "$T/server" 4 100
	on_a_disk full --data=run.data --massif-out-file="$D/disk/m.out"
	progress server 2
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err && fail "$(cat detach.err)"
	says detach.err 'no massif file: cannot write .*/m.out: disk full'
	says detach.err "only in the session's memory: the massif file $D/disk/m.out; mprof detach $PID tries again, "
	json run.data
	# A report is no massif file.
	detach_fails "only in the session's memory: the massif file $D/disk/m.out; " -o report.txt
	answered status
	[ "$(number state)" = unsaved ]
	mended full
	detach_there "$D/disk/m.out"
	grep -q '^snapshot=0' copy
	clean "$PID"
	finish server
}

@test "--background: control save FILE writes a massif file that could not be written to FILE" {
	start server "$T/server" 4 100
	on_a_disk full --data=run.data --massif-out-file="$D/disk/m.out"
	progress server 2
	detach_fails 'm.out: disk full' -o report.txt
	refused 1 'nowhere/m: No such file' "$MPROF" control "$PID" save nowhere/m
	answered save here.out
	[ "$(cat control.out)" = "file $D/here.out" ] || fail "$(cat control.out)"
	grep -q '^snapshot=0' here.out
	clean "$PID"
	finish server
}

@test "--background: of a profile and a massif file that could not be written save FILE writes both, and says where" {
	start server "$T/server" 4 100
	on_a_disk full --massif-out-file="$D/disk/m.out"
	progress server 2
	detach_fails "the profile $D/disk/dir/f.data, the massif file $D/disk/m.out; " -o report.txt
	answered save here
	grep -qx "data $D/here" control.out
	grep -qx "file $D/here.massif" control.out
	json here
	grep -q '^snapshot=0' here.massif
	clean "$PID"
	finish server
}

@test "--background: what a session that has ended by itself could not write is told by the next detach" {
	start server "$T/server" 4 100
	on_a_disk full --data=run.data -o "$D/disk/report" --heap-profile="$D/disk/h" --mma-log-file="$D/disk/l" \
		--mma-stats-file="$D/disk/s"
	finish server
	until_true "the session is still there" nobody_of_ours
	refused 11 "and the profile is in $D/run.data; " "$MPROF" detach "$PID"
	local what
	for what in 'the heap profile .*/disk/h.0001.heap' 'the log .*/disk/l' 'the statistics .*/disk/s' '.*/disk/report'; do
		says refused.err "cannot write $what: No space left on device"
	done
}

@test "a heap profile that could not be written is told with its name to who detaches" {
	start server "$T/server" 4 100
	on_a_disk full --data=run.data --heap-profile="$D/disk/h"
	progress server 2
	detach_fails 'cannot write the heap profile .*/disk/h.0001.heap: No space left on device'
	clean "$PID"
	finish server
}

@test "detach prints the report of a session that saves no profile, in each form and to a file" {
	start server "$T/server" 4 100
	local how
	for how in tables json file; do
		attach --background --data=/dev/null "$PID"
		FRONT=''
		progress server 2
		case $how in
		tables) detach "$PID" && grep -q 'Allocation Bins with possible Types' detach.out ;;
		json) detach --format=json "$PID" && jq -e '.totals.allocations > 0 or .bins != []' detach.out ;;
		file) detach -o here.txt "$PID" && grep -q 'Allocation Bins with possible Types' here.txt ;;
		esac
		not grep -q /dev/null detach.err
		clean "$PID"
	done
	finish server
}

@test "detach says where the profile is before its report, whose reader may have had enough" {
	start server "$T/server" 4 100
	attach --background --data=run.data "$PID"
	FRONT=''
	progress server 2
	limited "$MPROF" detach "$PID" 2>detach.err | true || :
	says detach.err "the profile is in $D/run.data"
	clean "$PID"
	finish server
}

@test "detach prints the report of a profile whose name has a line break, and says the name" {
	start server "$T/server" 4 100
	attach --background --data=$'two\nlines' "$PID"
	FRONT=''
	progress server 2
	detach "$PID"
	grep -q 'Allocation Bins with possible Types' detach.out
	says detach.err "the profile is in $D/two\\\\012lines"
	json $'two\nlines'
	clean "$PID"
	finish server
}

@test "detach does not print over a file of the session that it ends" {
	start server "$T/server" 4 100
	attach --background --data=run.data --massif-out-file=m.out "$PID"
	FRONT=''
	progress server 2
	ln -s run.data link
	local file
	for file in run.data ./link "$D/m.out" run.data.77; do
		refused 2 "-o $file would write over a file of the session of process $PID" "$MPROF" detach -o "$file" "$PID"
	done
	detach -o report.txt "$PID"
	json run.data
	clean "$PID"
	finish server
}

@test "two sessions do not write the same file: the second is refused, whatever it calls it" {
	local first
	start server "$T/server" 4 100
	first=$PID
	start other "$T/server" 4 100
	attach --background "$first"
	FRONT=''
	refused 2 "--data=mprof.data: the session of process $first writes that file; give this one another name" \
		"$MPROF" attach --background "$PID"
	refused 2 "--mma-log-file=../${D##*/}/mprof.data: the session of process $first writes" \
		"$MPROF" attach --data=other.data --mma-log-file="../${D##*/}/mprof.data" "$PID"
	attach --background --data=other.data "$PID"
	FRONT=''
	detach "$PID"
	detach "$first"
	json mprof.data
	[ "$(jq .pid report.json)" = "$first" ]
	clean "$first"
	finish server
	finish other
}

@test "a session in the foreground tells the client, too, what it could not write" {
	start server "$T/server" 4 100
	mkdir gone
	attach -o report.txt --data=gone/f.data "$PID"
	progress server 2
	rmdir gone
	limited "$MPROF" detach "$PID" >detach.out 2>detach.err && fail "status 0" "$(cat detach.err)"
	a_sentence detach.err 'gone/f.data: No such file'
	ended "$FRONT"
	[ "$STATUS" = 1 ]
	says attach.err 'gone/f.data: No such file'
	[ -s report.txt ]
	clean "$PID"
	finish server
}

@test "who cannot find a session is told how it ends; a thread's number stands for its process" {
	start server "$T/server" 4 100
	attach --background --data=run.data "$PID"
	FRONT=''
	local tracer thread
	tracer=$(tracer_of "$PID")
	progress server 2
	mkdir -m 700 other
	XDG_RUNTIME_DIR=$D/other refused 6 "another XDG_RUNTIME_DIR or TMPDIR or by another user; kill $tracer ends it" \
		"$MPROF" attach --data=other.data "$PID"
	# shellcheck disable=SC2012
	thread=$(ls "/proc/$PID/task" | tail -n 1)
	[ "$thread" != "$PID" ]
	detach "$thread"
	clean "$PID"
	attach --background --data=again.data "$PID"
	FRONT=''
	kill "$(tracer_of "$PID")"
	clean "$PID"
	json again.data
	finish server
}

@test "control save refuses the standard files, which would be the session's" {
	start server "$T/server" 2 200
	attach --background --data=run.data "$PID"
	FRONT=''
	local file
	for file in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
		refused 2 "$file would be the session's, and not yours" "$MPROF" control "$PID" save $file
	done
	detach "$PID"
	finish server
}

@test "a report that cannot be written is told once, and an autosave that fails is, too" {
	start server "$T/server" 4 100
	on_a_disk full --data=run.data
	progress server 2
	detach_fails 'cannot write /dev/full: No space left on device' -o /dev/full
	[ "$(grep -c 'cannot write' detach.err)" = 1 ] || fail "$(cat detach.err)"
	mkdir gone
	attach --data=gone/f.data --autosave=20 -o report.txt "$PID"
	mv gone away
	progress server 1 2000
	kill -TERM "$FRONT"
	ended "$FRONT"
	[ "$(grep -c 'gone/f.data: No such file' attach.err)" -le 2 ] || fail "$(cat attach.err)"
	finish server
}

@test "status tells what sessions answer, and of those that do not that they do not" {
	local name first tracers=''
	local -A tracer
	for name in one two three; do
		start $name "$T/server" 2 200
		attach --background --data=$name.data "$PID"
		FRONT=''
		[ $name = three ] || {
			tracer[$PID]=$(tracer_of "$PID")
			tracers="$tracers ${tracer[$PID]}"
			eval "$name=$PID"
		}
	done
	# shellcheck disable=SC2086
	kill -STOP $tracers
	limited "$MPROF" status >status.out
	limited "$MPROF" status --format=json >status.json
	# shellcheck disable=SC2086
	kill -CONT $tracers
	grep -Eq "^ *$PID  tracing " status.out || fail "$(cat status.out)"
	# shellcheck disable=SC2154
	for name in "$one" "$two"; do
		first=${tracer[$name]}
		grep -q "^ *$name  the session .* for 2 seconds: process $first, which traces it, is stopped; kill -CONT $first lets it go on" status.out || fail "$(cat status.out)"
	done
	[ "$(jq -c '[.[].ok] | sort' status.json)" = '[false,false,true]' ]
	detach "$PID"
	detach "$one"
	detach "$two"
	finish one
	finish two
	finish three
}

# ---- the socket ----

# no_place HOW DIRECTORY: made by somebody else, or as good as that
no_place() {
	case $1 in
	open) mkdir "$2" && chmod 777 "$2" ;;
	link) ln -s "$D/elsewhere" "$2" ;;
	file) : >"$2" ;;
	foreign) mkdir -m 700 "$2" && chown 65534 "$2" ;;
	esac
}

@test "a directory for sockets that others could have made is not used, but one that is ours" {
	start server "$T/server" 2 200
	local how
	for how in open link file foreign; do
		[ $how != foreign ] || [ "$(id -u)" = 0 ] || continue
		rm -rf x elsewhere
		mkdir -m 700 x elsewhere
		no_place $how x/mprof
		export XDG_RUNTIME_DIR=$D/x
		attach -o report.txt "$PID"
		says attach.err "will not use $D/x/mprof for control sockets: .*; the control socket is elsewhere"
		[ -S "$TMPDIR/mprof-$(id -u)/$PID.sock" ]
		[ -z "$(ls -A elsewhere)" ]
		[ ! -d x/mprof ] || [ -z "$(ls -A x/mprof)" ]
		limited "$MPROF" status >status.out
		grep -Eq "^ *$PID .*tracing" status.out
		answered status
		detach "$PID"
		clean "$PID"
		[ ! -e "$TMPDIR/mprof-$(id -u)/$PID.sock" ]
	done
	finish server
}

@test "where no directory for sockets can be trusted the session goes on without one, and says what that costs" {
	start server "$T/server" 4 100
	local how tracer
	mkdir -m 700 elsewhere x
	export XDG_RUNTIME_DIR=$D/x
	for how in open link file foreign; do
		[ $how != foreign ] || [ "$(id -u)" = 0 ] || continue
		rm -rf run.data report.txt x/mprof "$TMPDIR/mprof-$(id -u)"
		no_place $how x/mprof
		no_place $how "$TMPDIR/mprof-$(id -u)"
		attach -o report.txt --data=run.data "$PID"
		says attach.err "no control socket: will not use $D/x/mprof .*cannot reach this session, SIGTERM to process $FRONT ends it"
		says attach.err '^mprof: attached to process [0-9]+; Ctrl-C ends it$'
		[ -z "$(ls -A elsewhere)" ]
		refused 1 'will not use .*x/mprof' "$MPROF" status
		refused 1 'will not use .*x/mprof' "$MPROF" detach "$PID"
		progress server 2
		kill -TERM "$FRONT"
		ended "$FRONT"
		[ "$STATUS" = 0 ] && [ -s report.txt ] && [ -s run.data ] || fail "$(cat attach.err)"
		clean "$PID"
	done
	# In the background, too.
	limited "$MPROF" attach --background -o report.txt --data=run.data "$PID" 2>attach.err
	says attach.err '^mprof: attached to process [0-9]+$'
	tracer=$(tracer_of "$PID")
	kill -TERM "$(sed -n 's/.*SIGTERM to process \([0-9]*\) ends it/\1/p' attach.err)"
	ended "$tracer"
	clean "$PID"
	finish server
}

@test "without XDG_RUNTIME_DIR, a directory in /tmp that somebody else has made first is refused" {
	[ "$(id -u)" = 0 ] || skip "only root can be somebody else"
	local uid=$((70000 + RANDOM)) as_other
	[ ! -e "/tmp/mprof-$uid" ]
	local theirs
	theirs=$(for_anybody "$MPROF")
	as_other=(setpriv --reuid=$uid --clear-groups env -u XDG_RUNTIME_DIR -u TMPDIR)
	mkdir -m 700 "/tmp/mprof-$uid"
	refused 1 "/tmp/mprof-$uid" "${as_other[@]}" "$theirs" status
	rmdir "/tmp/mprof-$uid"
	ln -s "$D" "/tmp/mprof-$uid"
	refused 1 "/tmp/mprof-$uid" "${as_other[@]}" "$theirs" status
	rm "/tmp/mprof-$uid"
}

# somebody_else COMMAND...: another user than root, who has kept root's environment; WAY is a directory in which
# he, too, may write.
somebody_else() {
	limited env TMPDIR="$WAY/tmp" setpriv --reuid=$UID_OF_HIS --regid=$UID_OF_HIS --clear-groups "$@"
}

# his_server [COMMAND...]: a server of his own, started by way of the command
his_server() {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	UID_OF_HIS=$((70000 + RANDOM))
	WAY=$(mktemp -d /tmp/mprof-test-XXXXXX)
	chmod 755 "$WAY"
	cp "$MPROF" "$T/server" "$WAY/"
	mkdir -m 1777 "$WAY/his" "$WAY/tmp"
	THEIRS=$WAY/mprof
	[ $# = 0 ] || somebody_else "$@" true 2>/dev/null || skip "no user namespaces here"
	start server setpriv --reuid=$UID_OF_HIS --regid=$UID_OF_HIS --clear-groups "$@" "$WAY/server" 4 100
}

eval "teardown_live() $(declare -f teardown | tail -n +2)"
teardown() {
	[ -z "${WAY:-}" ] || rm -rf "$WAY"
	teardown_live
}

@test "who has become another user and kept XDG_RUNTIME_DIR has sessions of his own" {
	his_server
	chmod 711 .
	somebody_else "$THEIRS" attach --background -o /dev/null --data="$WAY/his/f.data" "$PID" >attach.out 2>attach.err ||
		fail "$(cat attach.err)"
	a_sentence attach.err "attached to process $PID; mprof detach $PID ends it"
	[ -S "$WAY/tmp/mprof-$UID_OF_HIS/$PID.sock" ]
	[ -z "$(ls -A run)" ]
	somebody_else "$THEIRS" status >status.out
	grep -Eq "^ *$PID .*tracing" status.out
	# He finds it with another environment, too.
	mkdir -m 700 "$WAY/his/run"
	chown $UID_OF_HIS "$WAY/his/run"
	XDG_RUNTIME_DIR=$WAY/his/run somebody_else "$THEIRS" detach "$PID" >detach.out 2>detach.err ||
		fail "$(cat detach.err)"
	[ -s "$WAY/his/f.data" ]
	until_true "not free" all_free "$PID"
	finish server
}

@test "root who has kept somebody else's XDG_RUNTIME_DIR leaves nothing of his own in it" {
	his_server
	mkdir -m 700 "$WAY/his/run"
	chown $UID_OF_HIS "$WAY/his/run"
	XDG_RUNTIME_DIR=$WAY/his/run
	attach -o report.txt --data=run.data "$PID"
	[ -z "$(ls -A "$WAY/his/run")" ] && [ -S "$TMPDIR/mprof-0/$PID.sock" ]
	detach "$PID"
	[ -z "$(ls -A "$WAY/his/run")" ]
	until_true "not free" all_free "$PID"
	finish server
}

@test "in a user namespace of one's own the directory for sockets is that of the user outside" {
	his_server unshare -Ur
	mkdir -m 700 "$WAY/tmp/mprof-0" # who is called 0 there is not root, whose this is
	export XDG_RUNTIME_DIR=''
	somebody_else nsenter -U --preserve-credentials -t "$PID" "$THEIRS" attach --background -o /dev/null \
		--data="$WAY/his/f.data" "$PID" >attach.out 2>attach.err || fail "$(cat attach.err)"
	a_sentence attach.err "attached to process $PID; mprof detach $PID ends it"
	[ -S "$WAY/tmp/mprof-$UID_OF_HIS/$PID.sock" ] && [ -z "$(ls -A "$WAY/tmp/mprof-0")" ]
	# From inside and from outside it is the same user.
	somebody_else nsenter -U --preserve-credentials -t "$PID" "$THEIRS" status >status.out
	grep -Eq "^ *$PID .*tracing" status.out
	somebody_else "$THEIRS" detach "$PID" >detach.out 2>detach.err || fail "$(cat detach.err)"
	[ -s "$WAY/his/f.data" ]
	until_true "not free" all_free "$PID"
	finish server
}

@test "in a user namespace where we have no number there is no control socket, and all else goes on" {
	his_server unshare -U
	: >attach.err
	TMPDIR=$WAY/tmp background setpriv --reuid=$UID_OF_HIS --regid=$UID_OF_HIS --clear-groups \
		nsenter -U --preserve-credentials -t "$PID" "$THEIRS" attach -o /dev/null --data=/dev/null "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	says attach.err "no control socket: in this user namespace our user has no number"
	progress server 2
	kill -TERM "$FRONT"
	ended "$FRONT"
	[ "$STATUS" = 0 ]
	until_true "not free" all_free "$PID"
	finish server
}

@test "the socket's directory is closed to others" {
	start server "$T/server" 2 200
	attach -o report.txt "$PID"
	[ "$(stat -c %a "$XDG_RUNTIME_DIR/mprof")" = 700 ]
	[ -S "$XDG_RUNTIME_DIR/mprof/$PID.sock" ]
	detach "$PID"
	clean "$PID"
	finish server
}

@test "garbage on the socket stops neither the program nor the session" {
	start server "$T/server"
	attach -o report.txt --data=run.data "$PID"
	client '
import random
random.seed(1)
for n in (1, 10, 4095, 4096, 4097, 100000):
    s = connect()
    try:
        s.sendall(bytes(random.randrange(256) for i in range(n)))
        s.close()
    except OSError:
        pass
for line in (b"\n", b"\0\n", b"dance\0\n", b"detach\0junk\n", b"detach\0\n", b" \n", b"save\n"[:2] + b"\n", b"statusstatus\n", b"%s%n\n", b"A" * 4000 + b"\n"):
    s = connect()
    s.sendall(line)
    answer = all_of(s)
    assert answer.startswith(b"error ") if b"\0" not in line else answer == b"", (line, answer)
'
	answered status
	progress server 2
	answered status
	detach "$PID"
	clean "$PID"
	finish server
}

@test "half-open and slow clients stop neither the program nor the session, nor those that come after them" {
	start server "$T/server"
	attach -o report.txt --data=run.data "$PID"
	client '
idle = [connect() for i in range(60)]
half = [connect() for i in range(5)]
for s in half:
    s.shutdown(socket.SHUT_WR)
slow = connect()
for c in b"stat":
    slow.sendall(bytes([c]))
    time.sleep(0.02)
s = connect()
s.sendall(b"status\n")
assert all_of(s).startswith(b"ok\n")
for c in b"us\n":
    slow.sendall(bytes([c]))
assert all_of(slow).startswith(b"ok\n")
# one that asks and never reads
deaf = [connect() for i in range(5)]
for s in deaf:
    s.sendall(b"status\n")
s = connect()
s.sendall(b"status\n")
assert all_of(s).startswith(b"ok\n")
'
	progress server 2
	answered status
	detach "$PID"
	clean "$PID"
	finish server
}

@test "a client that asks for the end and goes away has asked for it all the same" {
	start server "$T/server" 4 100
	attach -o report.txt --data=run.data "$PID"
	client '
s = connect()
s.sendall(b"detach\n")
s.close()
'
	ended "$FRONT"
	[ "$STATUS" = 0 ]
	clean "$PID"
	finish server
}

@test "a command that comes as the session ends is told that there is none: 11" {
	mkdir -m 700 "$XDG_RUNTIME_DIR/mprof"
	# The last word of a session, before and behind a command that it has not heard.
	limited python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
open("listening", "w").close()
for heard in False, True, True:
    client = s.accept()[0]
    if heard:
        client.recv(1)
    client.sendall(b"ended\n")
    client.close()
' "$XDG_RUNTIME_DIR/mprof/$$.sock" 3>&- &
	until_true "nobody listens" test -e listening
	refused 11 "session of process $$ has just ended" "$MPROF" detach $$
	refused 11 "session of process $$ has just ended" "$MPROF" detach $$
	refused 11 "session of process $$ has just ended" "$MPROF" control $$ status
	wait
}

@test "a client of another user is not listened to, even where it could come in" {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
	local way
	way=$(mktemp -d /tmp/mprof-test-XXXXXX)
	export XDG_RUNTIME_DIR=$way
	start server "$T/server" 4 100
	attach -o report.txt --data=run.data "$PID"
	# as if somebody had opened the way
	chmod 711 "$way" "$way/mprof"
	chmod 777 "$XDG_RUNTIME_DIR/mprof/$PID.sock"
	cat >knock <<-'EOT'
		import socket, sys
		s = socket.socket(socket.AF_UNIX)
		s.settimeout(20)
		try:
		    s.connect(sys.argv[1])
		    s.sendall(b"detach\n")
		    print("answer", s.recv(100))
		except (BrokenPipeError, ConnectionResetError):
		    print("answer", b"")
	EOT
	(cd / && limited setpriv --reuid=65534 --clear-groups /usr/bin/python3 - "$XDG_RUNTIME_DIR/mprof/$PID.sock") \
		<knock >knock.out 2>knock.err || skip "nobody cannot get there: $(tail -n 1 knock.err)"
	chmod 700 "$way" "$way/mprof"
	[ "$(cat knock.out)" = "answer b''" ] || fail "$(cat knock.out)"
	answered status
	progress server 2
	detach "$PID"
	clean "$PID"
	finish server
	rm -r "$way"
}

@test "a socket that a killed session has left behind hinders neither status nor the next session" {
	start server "$T/server" 2 200
	mkdir -m 700 "$XDG_RUNTIME_DIR/mprof"
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' \
		"$XDG_RUNTIME_DIR/mprof/$PID.sock"
	refused 11 'no session' "$MPROF" detach
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' \
		"$XDG_RUNTIME_DIR/mprof/$PID.sock" 2>/dev/null || :
	attach -o report.txt "$PID"
	detach "$PID"
	clean "$PID"
	finish server
}

# ---- what was lost ----

naps() {
	sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status"
}

has_napped() { # PID TIMES
	[ "$(naps "$1")" -ge "$2" ]
}

# looked_again TRACER: what has been told without a stop until now has been taken; of stops there is none left anyway.
looked_again() {
	[ "${MPROF_ENGINE:-trap}" = trap ] ||
		until_true "the tracer does not look" has_napped "$1" $(($(naps "$1") + 2))
}

@test "events that the tracer has no memory for are told by detach, by every report and in the data file" {
	start marks "$T/marks"
	attach --background -o /dev/null --data=run.data "$PID"
	FRONT=
	local tracer
	tracer=$(tracer_of "$PID")
	# no more than it has; until it has it again, not even a name for a file
	prlimit --pid "$tracer" --as="$(awk '/^VmSize/ { print $2 * 1024 }' "/proc/$tracer/status"):"
	did "take 9000"
	looked_again "$tracer"
	prlimit --pid "$tracer" --as=unlimited:
	answered status
	local lost
	lost=$(number 'events lost')
	[ "$lost" -gt 0 ] || fail "nothing was lost" "$(cat control.out)"
	local words="$lost events could not be counted: for want of memory \($lost\), because the stack could not be read \(0\)"
	detach -o run.txt "$PID"
	says detach.err "$words"
	says detach.err " $lost events lost"
	[ "$(sed -n 2p run.txt)" = "$lost events lost: the numbers below are without them" ]
	[ "$(sqlite3 run.data "select value from meta where key = 'lost'")" = "$lost" ]
	limited "$MPROF" report run.data >report.txt 2>report.err
	cmp run.txt report.txt
	says report.err "$words"
	local format
	for format in text folded pprof dot json ms_print; do
		limited "$MPROF" report --format=$format -o "out.$format" run.data 2>report.err
		says report.err "$words"
	done
	jq -e ".unseen.lost_events == $lost and .totals.allocs + $lost == 9000" out.json
	cp run.data base.data
	limited "$MPROF" report --base=base.data -o out run.data 2>report.err
	says report.err "run.data: $words"
	says report.err "base.data: $words"
	clean "$PID"
	finish marks
}

# ---- JSON, and versions ----

# as_json STATUS COMMAND...: control.json is one line that says whether it went well
as_json() {
	local want=$1 status=0
	shift
	limited "$MPROF" control --format=json "$PID" "$@" >control.json 2>control.err </dev/null || status=$?
	[ "$status" = "$want" ] || fail "mprof control $*: status $status" "$(cat control.err)" || return 1
	[ "$(wc -l <control.json)" = 1 ] || fail "$(cat control.json)" || return 1
	[ "$(jq .ok control.json)" = "$([ "$want" = 0 ] && echo true || echo false)" ] || fail "$(cat control.json)"
}

@test "control --format=json answers as JSON what it tells people" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data --massif-out-file=m.out --heap-profile="$D/h" "$PID"
	did "take 5"
	answered suspend
	as_json 0 status
	answered status
	[ "$(jq -r .state control.json)" = suspended ]
	[ "$(jq .pid control.json)" = "$PID" ]
	jq -e '(.elapsed_seconds > 0) and (.tracer_memory_kib > 0) and (has("not_saved") | not)' control.json
	jq -e --arg engine "${MPROF_ENGINE/auto/fast}" --arg default trap '.engine == ([$engine, $default] | map(select(. != "")) | first) and .busy_percent >= 0 and .busy_percent <= 100' control.json
	local name
	for name in command processes tasks modules allocations frees 'live bytes' 'events lost' stops; do
		[ "$(jq -r ".[\"${name// /_}\"]" control.json)" = "$(number "$name")" ] || fail "$name" "$(cat control.json)"
	done
	[ "$(number 'live bytes')" = 30605 ]
	as_json 0 suspend
	jq -e '.note | test("suspended already")' control.json
	as_json 0 resume
	jq -e '. == {ok: true}' control.json
	as_json 0 stats
	jq -e '.stats | .load_max == 30605 and .load_current == 30605 and .live_blocks == 5' control.json
	as_json 0 save "na\"me"$'\xff'
	[ -s "na\"me"$'\xff' ]
	jq -e --arg d "$D" '.files == [$d + "/na\"me\ufffd"]' control.json
	as_json 0 snapshot now.out
	jq -e --arg d "$D" '.files == [$d + "/now.out"]' control.json
	[ -s now.out ]
	as_json 0 heap_dump because
	[ -s "$(jq -r '.files[0]' control.json)" ]
	as_json 0 help
	[ "$(jq -r '.commands[].name' control.json)" = "$(limited "$MPROF" control "$PID" help | cut -d' ' -f1)" ]
	jq -e '[.commands[].help | length > 0] | all' control.json
	jq -e '.commands[] | select(.name == "heap_dump") | .takes == "REASON"' control.json
	detach "$PID"
	clean "$PID"
	finish marks
}

@test "control --format=json: what fails is said as JSON, too, with the exit status that it has as text" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	as_json 1 mark
	jq -e '.error | test("--mma-log-file")' control.json
	says control.err "process $PID: this session writes no event log"
	as_json 1 save nowhere/file
	jq -e '.error | test("nowhere/file")' control.json
	as_json 1 discard
	refused 2 '"dance" is no command' "$MPROF" control --format=json "$PID" dance
	refused 2 '"detach" is no command' "$MPROF" control "$PID" detach
	refused 2 'format: "xml" is not text or json' "$MPROF" control --format=xml "$PID" status
	client '
import json
for line, why in ((b"mprof/2 json dance", "does not know"), (b"mprof/2 json detach", "in that form")):
    s = connect()
    s.sendall(line + b"\n")
    head, kind, text = all_of(s).split(b"\n", 2)
    assert (head, kind, text[-1:]) == (b"mprof/2 1", b"error", b"\0"), (head, kind, text)
    answer = json.loads(text[:-1])
    assert answer["ok"] is False and why in answer["error"], answer
s = connect()
s.sendall(b"mprof/3 text status\n")
answer = all_of(s)
assert answer.startswith(b"mprof/2 1\nerror\n") and b"another version" in answer, answer
'
	detach "$PID"
	as_json 11 status
	jq -e '.error | test("no session")' control.json
	clean "$PID"
	finish marks
}

# two_processes: a program that forks when it is told "fork", and ends when it is told "quit"; its child ends when
# the file ./go is there.
two_processes() {
	start two /usr/bin/env python3 -c '
import os, sys, time
print("ready", os.getpid(), flush=True)
sys.stdin.readline()
pid = os.fork()
while pid == 0:
    if os.path.exists("go"):
        os._exit(0)
    time.sleep(0.02)
print("child", pid, flush=True)
sys.stdin.readline()
'
	attach -o report.txt --data="$D/%p.data" --trace-children=yes "$PID"
	tell_await two fork '^child '
	CHILD=$(sed -n 's/^child //p' two.out)
}

@test "save of several processes is one answer, and says of each whether it could be written" {
	two_processes
	mkdir "$CHILD.data"
	refused 1 "$CHILD.data: Is a directory" "$MPROF" control "$PID" save
	[ "$(cat refused.out)" = "data $D/$PID.data" ]
	rmdir "$CHILD.data"
	answered save
	printf '%s\n' "data $D/$PID.data" "data $D/$CHILD.data" | sort >both
	cmp <(sort control.out) both
	limited "$MPROF" control --format=json "$PID" save >control.json
	[ "$(jq -s 'length == 2 and all(.ok)' control.json)" = true ]
	cmp <(jq -r '.files[]' control.json | sort) <(cut -d' ' -f2 both)
	: >go
	detach "$PID"
	finish two
}

@test "mprof status --format=json is an array of the sessions, and only those" {
	limited "$MPROF" status --format=json >status.json
	jq -e '. == []' status.json
	start one "$T/server" 2 200
	start two "$T/server" 3 200
	attach -o one.txt --data=one.data "$one_pid"
	local front=$FRONT
	attach -o two.txt --data=two.data "$two_pid"
	limited "$MPROF" status --format=json >status.json
	jq -e --argjson one "$one_pid" --argjson two "$two_pid" \
		'(map(.pid) | sort) == ([$one, $two] | sort) and all(.ok and .state == "tracing" and (.command | test("server")))' \
		status.json
	refused 2 'takes no arguments' "$MPROF" status --format=json 1
	refused 2 'format: "tables" is not text or json' "$MPROF" status --format=tables
	detach "$two_pid"
	FRONT=$front
	detach "$one_pid"
	finish one
	finish two
}

@test "a session of an mprof without versions is asked in its own words; it has no JSON, which is said" {
	a_session '
def answer(line):
    if line == b"status\n":
        return b"ok\nstate: tracing\n"
    if line == b"save /x\n":
        return b"error disk full\n"
    return b"error this session does not know that command\n"
'
	limited "$MPROF" control $$ status >control.out
	[ "$(cat control.out)" = "state: tracing" ]
	refused 1 "process $$: disk full" "$MPROF" control $$ save /x
	PID=$$
	as_json 1 status
	jq -e '.error | test("older mprof.*use the same version")' control.json
	limited "$MPROF" status >status.out
	grep -Eq "^ *$$  the session .* older mprof.*use the same version" status.out || fail "$(cat status.out)"
	limited "$MPROF" status --format=json >status.json
	jq -e --argjson pid $$ '.[0] | .pid == $pid and .ok == false and (.error | test("older mprof"))' status.json
	end_session
}

@test "an answer that is cut, or of a newer mprof, is not taken for a whole one" {
	a_session '
def answer(line):
    if b"stats" in line:
        return b"mprof/3 whatever\n"
    return b"mprof/2 1\nok\nstate: tra"
'
	PID=$$
	refused 1 "process $$: who was to answer ended in the middle of its answer; the session goes on" "$MPROF" control $$ status
	[ ! -s refused.out ]
	refused 1 "process $$: who was to answer ended in the middle of its answer; the session goes on" "$MPROF" detach $$
	refused 1 'newer mprof: use the same version' "$MPROF" control $$ stats
	as_json 1 status
	jq -e '.error | test("in the middle")' control.json
	limited "$MPROF" status >status.out
	grep -Eq "^ *$$  .*in the middle of its answer" status.out
	end_session
	a_session '
def answer(line):
    return b"mprof/2 1\nok\n[1, 2\0"
'
	limited "$MPROF" status >status.out
	grep -Eq "^ *$$  .*something else than its status" status.out || fail "$(cat status.out)"
	limited "$MPROF" status --format=json >status.json
	jq -e '.[0].ok == false' status.json
	end_session
}

@test "control and status are not hindered by what the environment says of heap profiles" {
	start marks "$T/marks"
	attach -o report.txt --data=run.data "$PID"
	HEAPPROFILE=x HEAP_PROFILE_ALLOCATION_INTERVAL=much answered status
	HEAPPROFILE=x HEAP_PROFILE_ALLOCATION_INTERVAL=much limited "$MPROF" status >status.out
	grep -Eq "^ *$PID .*tracing" status.out
	detach "$PID"
	finish marks
}

# ---- the terminal ----

# on_a_terminal SECONDS|hangup COMMAND...: runs it on a pseudo-terminal, which is read into tty.out; the
# terminal goes away when the file ./hangup is there. Ctrl-C is typed when ./interrupt is there.
on_a_terminal() {
	env "MPROF_TEST_MARK=$MARK" python3 -c '
import os, pty, select, signal, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out = open("tty.out", "wb", buffering=0)
open("tty.pid", "w").write(str(pid))
interrupted = False
while True:
    if os.path.exists("hangup"):
        os.close(fd)
        break
    if os.path.exists("interrupt") and not interrupted:
        os.write(fd, b"\x03")
        interrupted = True
    if select.select([fd], [], [], 0.05)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out.write(data)
status = os.waitpid(pid, 0)[1]
open("tty.status", "w").write(str(os.waitstatus_to_exitcode(status)))
' "$@" >/dev/null 2>tty.err </dev/null 3>&- &
	TTY=$!
}

@test "on a terminal mprof attach shows one live line: seconds, events, live bytes, events per second" {
	start server "$T/server"
	on_a_terminal "$MPROF" attach -o report.txt --data=run.data "$PID"
	await tty.out 'mprof: .*[0-9.]+ s, [1-9][0-9]* events, [0-9]+ bytes.*, [1-9][0-9]* events/s'
	: >interrupt
	ended $TTY
	[ "$(cat tty.status)" = 0 ] || fail "$(cat tty.status tty.out)"
	[ -s report.txt ] && [ -s run.data ]
	# one line, written again and again
	[ "$(tr '\r' '\n' <tty.out | grep -c 'events/s')" -ge 1 ]
	[ "$(grep -ac 'events/s' tty.out)" = 1 ] || fail "more than one line"
	clean "$PID"
	progress server 2
	finish server
}

@test "where standard error is no terminal there is no live line" {
	start server "$T/server" 4 100
	attach -o report.txt --data=run.data --duration=1 "$PID"
	ended "$FRONT"
	run ! grep -q 'events/s' attach.err
	run ! grep -q $'[\r\033]' attach.err
	finish server
}

@test "mprof's terminal closes: the program is let go and the data written" {
	start server "$T/server"
	before "$PID"
	on_a_terminal "$MPROF" attach -o report.txt --data=run.data "$PID"
	await tty.out 'events/s'
	: >hangup
	until_true "still traced" all_free "$PID"
	until_true "no data" test -s run.data
	clean "$PID"
	[ -s report.txt ]
	progress server 2
	finish server
}

@test "mprof's terminal closes in the background: the session goes on" {
	start server "$T/server" 4 100
	on_a_terminal "$MPROF" attach --background -o report.txt --data=run.data "$PID"
	begun() { [ "$(tracer_of "$PID")" -gt 0 ] && grep -aq 'mprof detach' tty.out; }
	until_true "it does not begin" begun
	: >hangup
	ended $TTY
	progress server 2
	answered status
	detach "$PID"
	clean "$PID"
	finish server
}

@test "sessions of two pid namespaces that share a directory of sockets are told apart" {
	unshare -pf --mount-proc true || skip "no pid namespaces can be made here"
	mkfifo first second
	cat >inside <<-'EOT'
		exec 8<>"$D/$1"
		"$T/vforks" <&8 >"$1.out" 2>&1 &
		pid=$!
		until grep -q ready "$1.out"; do sleep 0.02; done
		"$MPROF" attach --background -o /dev/null --data="$1.data" $pid >"$1.attach" 2>&1
		echo "$pid $?" >"$1.attached"
		until [ -e go ]; do sleep 0.02; done
		"$MPROF" status --format=json >"$1.status"
		"$MPROF" detach $pid >"$1.detach" 2>&1
		echo $? >"$1.detached"
		echo quit >&8
		wait $pid
	EOT
	export D T MPROF
	local name
	for name in first second; do
		limited unshare -pf --mount-proc bash inside $name 3>&- &
	done
	until_true "not attached" test -s first.attached -a -s second.attached
	# the same number in both
	cmp first.attached second.attached
	[ "$(cut -d' ' -f2 first.attached)" = 0 ] || fail "$(cat first.attach second.attach)"
	: >go
	wait
	for name in first second; do
		[ "$(cat $name.detached)" = 0 ] || fail "$(cat $name.detach)"
		[ -s $name.data ]
		[ "$(jq 'length' $name.status)" = 1 ] || fail "$(cat $name.status)"
	done
}
