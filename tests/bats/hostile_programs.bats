#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Programs that do to themselves what would mislead or harm whoever observes them (tests/targets/hostile.c):
# they do what they do alone, and what is counted is right, or it is said what was given up.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

@test "SIGTRAP by every means, and with every code, reaches the program's own handler" {
	exact 0 "$T/hostile" traps
}

@test "a stack that another thread writes over and takes away while it is unwound costs chains, and no count" {
	exact 0 "$T/hostile" stack
}

@test "eight thousand threads that live for one allocation each are exact" {
	exact -counted 0 "$T/hostile" births 8000
}

@test "names that are made to be misread, and a /proc that is not the kernel's, mislead nobody" {
	exact 0 "$T/hostile" proc "$T/plug-a.so"
	! grep -q $'\033' run.txt || fail "a control character in the report"
}

@test "code and stacks at the ends of the address space are exact" {
	exact 0 "$T/hostile" addresses
	cat out
}

@test "code on an executable stack is exact" {
	exact 0 "$T/hostile-execstack" execstack
}

@test "sparse files of 2^40 bytes that are mapped as modules cost neither memory nor time" {
	exact -counted 0 "$T/hostile" sparse "$T/plug-a.so"
}

@test "tables of a library that are holes of gigabytes are left out with a sentence, and all is counted" {
	local section
	limited "$T/hostile" sparse "$T/plug-a.so" >alone.out
	for section in .symtab .dynstr .eh_frame; do
		python3 "$ROOT/tests/lib/stretch.py" "$T/plug-a.so" big.so $section $((4 << 30))
		BINS=$D/bins limited "$MPROF" run --data=run.data -o run.txt -- "$T/hostile" sparse ./big.so >out 2>err
		cmp out alone.out
		says err 'process [0-9]+ has mapped .*/long\.so, with tables that no program has: .*; they are not read$'
		limited "$MPROF" report --format=json run.data >report.json
		agrees report.json "$D/bins"
		rm bins
	done
}

# undoes_it WHAT: it is profiled, and let go with those words; with the fast engine, which sees the end of a
# program, these are said if it ends by itself, too
undoes_it() {
	limited "$T/hostile" "$1" >alone.out
	mkfifo in
	exec {hold}<>in
	env "MPROF_TEST_MARK=$MARK" "$MPROF" run --duration=3600 -o /dev/null --data=run.data "$T/hostile" "$1" - - <in >out 2>err &
	local front=$!
	until_true "the program does not come to its end" has_lines out '^ready$' 1
	kill -TERM $front
	ended $front
	says err 'process [0-9]+ has changed its own code in [2-9] functions that were observed there: their calls have not been seen since$'
	echo >&"$hold"
	until_true "the program does not end" has_lines out '^done$' 1
	[ "${MPROF_ENGINE:-trap}" = fast ] || return 0
	limited "$MPROF" run -o /dev/null --data=run.data "$T/hostile" "$1" >out 2>err
	says err 'has changed its own code in [2-9] functions'
}

@test "a program that writes its own code back where breakpoints stand goes on, and it is said that its calls are not seen" {
	undoes_it restore
}

@test "a program that maps its own code over breakpoints goes on, and it is said that its calls are not seen" {
	undoes_it remap
}

# Those that end a session let the program go, which then ends by itself.
@test "a program that sends a signal to who traces it is right, and the session goes on or ends in good order" {
	local sig status
	for sig in {1..64}; do
		[ "$sig" != 9 ] && [ "$sig" != 19 ] || continue
		rm -f run.data
		status=0
		limited "$MPROF" run -o /dev/null --data=run.data "$T/hostile" kill "$sig" >out 2>err || status=$?
		[ "$status" = 0 ] || [ "$status" = $((128 + sig)) ] || fail "signal $sig: status $status" "$(cat err)"
		until_true "signal $sig: the program has not come to its end" has_lines out '^done$' 1
		[ -s run.data ] || fail "signal $sig: no profile" "$(cat err)"
	done
}

# python CODE ARG...: in the background, with the test's mark; ended by the file "stop"
python() {
	local code=$1
	shift
	env "MPROF_TEST_MARK=$MARK" "$T/limit" "$LIMIT" /dev/null python3 -c 'import os, socket, sys, time
def over():
    return os.path.exists("stop")
'"$code" "$@" 3>&- &
}

@test "what programs of the same user put where sockets are keeps nobody from a session" {
	start server "$T/server" 2 200
	mkdir -m 700 "$XDG_RUNTIME_DIR/mprof"
	local dir=$XDG_RUNTIME_DIR/mprof
	# Sockets that let nobody in, others that answer nobody, and what is none.
	python '
held = []
for i in range(400):
    s = socket.socket(socket.AF_UNIX)
    s.bind("%s/%d.sock" % (sys.argv[1], 4000001 + i))
    s.listen(0 if i % 2 else 100)
    held.append(s)
    while i % 2:
        c = socket.socket(socket.AF_UNIX)
        c.setblocking(False)
        held.append(c)
        try:
            c.connect(s.getsockname())
        except BlockingIOError:
            break
open("filled", "w").close()
while not over():
    time.sleep(0.05)
' "$dir"
	until_true "the directory is not filled" test -e filled
	mkfifo "$dir/4100000.sock" "$dir/$PID.ended" "$dir/4100001.ended"
	ln -s 4000001.sock "$dir/4100002.sock"
	mkdir "$dir/4100003.sock"
	LIMIT=40 limited "$MPROF" status >status.out 2>&1 || fail "$(cat ended status.out)"
	LIMIT=40 limited "$MPROF" attach --background -o /dev/null --data=run.data "$PID" 2>attach.err || fail "$(cat ended attach.err)"
	LIMIT=40 limited "$MPROF" detach "$PID" >detach.out 2>&1 || fail "$(cat ended detach.out)"
	[ -s run.data ] && [ -f "$dir/$PID.ended" ]
	clean "$PID"
	touch stop
	finish server
}

@test "clients that connect and ask without end keep neither the program nor who ends the session" {
	start server "$T/server" 4 100
	attach -o /dev/null --data=run.data "$PID"
	local i
	for i in 1 2 3 4; do
		python '
while not over():
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(sys.argv[1])
        s.sendall(b"status\n" if int(sys.argv[2]) % 2 else b"stat")
    except OSError:
        pass
    s.close()
' "$XDG_RUNTIME_DIR/mprof/$PID.sock" $i
	done
	progress server 2
	limited "$MPROF" detach "$PID" >detach.out 2>&1 || fail "$(cat detach.out)"
	ended "$FRONT"
	touch stop
	clean "$PID"
	finish server
}
