#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof doctor: obstacles that are made here, each found with its remedy and in the words of attach and run;
# programs that are well; and that nobody who is looked at is touched.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env -u XDG_RUNTIME_DIR)

# examined STATUS ARG...: mprof doctor ends with it; its words for programs are in doctor.json, those for people in
# doctor.out.
examined() {
	local want=$1 got=0
	shift
	limited "${by[@]}" "${doctor:-$MPROF}" doctor --format=json "$@" >doctor.json 2>doctor.err </dev/null || got=$?
	[ "$got" = "$want" ] || fail "status $got, not $want" "$(cat doctor.err doctor.json)" || return 1
	[ ! -s doctor.err ] || fail "$(cat doctor.err)" || return 1
	jq -e --argjson s "$want" '.status == $s and .can_be_profiled == ($s == 0)
		and all(.findings[]; .level == "ok" or .level == "warn" or .level == "fail")
		and ($s == 0) == all(.findings[]; .level != "fail")' doctor.json >sane ||
		fail "does not agree with itself:" "$(cat doctor.json)"
}

# found LEVEL CHECK REGEX [REMEDY]: there is this line
found() {
	jq -e --arg l "$1" --arg c "$2" --arg w "$3" --arg r "${4:-}" 'any(.findings[]; .level == $l and .check == $c
		and (.text | test($w)) and ((.remedy // "") | test($r)))' doctor.json >is ||
		fail "no $1 $2 /$3/ -> /${4:-}/" "$(jq -c '.findings[]' doctor.json)"
}

# same_words STATUS COMMAND...: it is refused in the words of the line that fails
same_words() {
	local status=0 words
	limited "${by[@]}" "${@:2}" >said.out 2>said.err </dev/null || status=$?
	[ "$status" = "$1" ] || fail "status $status" "$(cat said.err)" || return 1
	words=$(jq -r 'first(.findings[] | select(.level == "fail")) | .text + if .remedy then "; " + .remedy else "" end' doctor.json)
	[ "${#words}" -gt 15 ] || return 1
	grep -qF ": $words" said.err || fail "not \"$words\":" "$(cat said.err)"
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
}

# Whoever runs it now is nobody, with a copy that nobody can run.
be_nobody() {
	by=("${as_nobody[@]}")
	doctor=$(for_anybody "$MPROF")
}

# ---- processes that cannot be had ----

@test "no such process, a zombie, a kernel thread, mprof itself: doctor's words and status are those of attach" {
	examined 3 2147483000
	found fail process 'no such process'
	same_words 3 "$MPROF" attach 2147483000
	python3 -c '
import os, time
p = os.fork()
if p == 0:
    os._exit(0)
open("zombie", "w").write("%d\n" % p)
open("hold").read()' 3>&- &
	until_true "no zombie" test -s zombie
	until_true "no zombie" grep -q '^State:.Z' "/proc/$(cat zombie)/status"
	examined 4 "$(cat zombie)"
	found fail process 'is a zombie'
	same_words 4 "$MPROF" attach "$(cat zombie)"
	if grep -q '^Kthread:.1' /proc/2/status; then
		examined 5 2
		found fail process 'kernel thread'
		same_words 5 "$MPROF" attach 2
	fi
	local status=0
	limited sh -c 'exec "$0" doctor $$' "$MPROF" >out || status=$?
	[ $status = 8 ] && grep -q 'fail *process *that is mprof itself' out
}

@test "a process that somebody else traces, by its first thread or another, is told by whom" {
	start server "$T/server" 2 100
	start holder "$T/holder" "$server_pid"
	examined 6 "$server_pid"
	found fail tracer "process $holder_pid \(holder\) traces it already" 'end that first'
	same_words 6 "$MPROF" attach "$server_pid"
	finish holder || [ "$STATUS" = 0 ]
	rm holder.in
	start holder "$T/holder" "$(ls "/proc/$server_pid/task" | sort -n | tail -n 1)"
	examined 6 "$server_pid"
	found fail tracer "process $holder_pid \(holder\) traces it already" 'end that first'
	same_words 6 "$MPROF" attach "$server_pid"
	finish holder || [ "$STATUS" = 0 ]
	examined 0 "$server_pid"
	finish server
}

@test "a process that a session of mprof traces is told how to end that" {
	start server "$T/server" 2 100
	attach -o report.txt "$PID"
	examined 6 "$PID"
	found fail tracer 'a session of mprof traces it already' "mprof detach $PID ends that"
	same_words 6 "$MPROF" attach "$PID"
	detach "$PID"
	examined 0 "$PID"
	finish server
}

@test "another user's process" {
	need_root
	start server "$T/server" 2 100
	be_nobody
	examined 7 "$PID"
	found fail permission 'it belongs to user 0, we are user 65534' 'as that user or as root'
	same_words 7 "$doctor" attach -o /dev/null --data=/dev/null "$PID"
	finish server
}

@test "a process that has made itself undumpable, and one that is like it but has not" {
	need_root
	be_nobody
	cat >undumpable.c <<-'EOT'
		#include <sys/prctl.h>
		#include <unistd.h>
		int main(int n, char **v) { (void)v; prctl(PR_SET_DUMPABLE, n > 1); write(1, "ready\n", 6); char c; return read(0, &c, 1); }
	EOT
	cc -w -o undumpable undumpable.c
	chmod 755 . undumpable
	mkfifo hold
	exec {hold}<>hold
	env "MPROF_TEST_MARK=$MARK" "${as_nobody[@]}" ./undumpable <hold >u.out 3>&- &
	local pid=$!
	await u.out ready || skip "nobody cannot run a program here"
	examined 7 "$pid"
	found fail permission 'undumpable.*prctl PR_SET_DUMPABLE' 'run mprof as root'
	same_words 7 "$doctor" attach -o /dev/null --data=/dev/null "$pid"
	printf q >&"$hold"
	ended "$pid"
	env "MPROF_TEST_MARK=$MARK" "${as_nobody[@]}" ./undumpable 1 <hold >u2.out 3>&- &
	pid=$!
	await u2.out ready
	examined 0 "$pid"
	found ok tracer 'nobody traces it, and we may'
	printf q >&"$hold"
	ended "$pid"
}

@test "a seccomp filter is in the way of the fast engine, for who cannot suspend it" {
	need_root
	cat >strict.c <<-'EOT'
		#include <linux/seccomp.h>
		#include <stdlib.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(void) { char c; free(malloc(9)); prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); write(1, "ready\n", 6); read(0, &c, 1); syscall(SYS_exit, 0); }
	EOT
	cc -w -o strict strict.c
	chmod 755 . strict
	mkfifo hold
	exec {hold}<>hold
	env "MPROF_TEST_MARK=$MARK" "${as_nobody[@]}" ./strict <hold >u.out 3>&- &
	local pid=$!
	await u.out ready || skip "nobody cannot run a program here"
	examined 0 "$pid"
	found ok seccomp 'strict seccomp'
	be_nobody
	examined 0 "$pid"
	found warn seccomp 'strict seccomp restricts' 'leave it at --engine=trap, or run mprof with CAP_SYS_ADMIN'
	found warn fast 'would be refused: its seccomp filter' '--engine=trap'
	# What the engine itself would say:
	local status=0 words
	limited "${by[@]}" "$doctor" attach --engine=fast -o /dev/null --data=/dev/null "$pid" >said.out 2>said.err </dev/null ||
		status=$?
	[ $status != 0 ]
	words=$(jq -r '.findings[] | select(.check == "fast").text | sub(".*refused: "; "")' doctor.json)
	grep -qF "$words" said.err || fail "not \"$words\"" "$(cat said.err)"
	printf q >&"$hold"
	ended "$pid"
}

@test "a process in another pid namespace is found there, and can be profiled" {
	need_root
	mkfifo hold
	exec {hold}<>hold
	env "MPROF_TEST_MARK=$MARK" unshare --pid --fork --kill-child cat <hold 3>&- >cat.out &
	local front=$! pid
	child() { pid=$(cat "/proc/$front/task/$front/children") && [ -n "$pid" ] && [ "$(cat "/proc/${pid% }/comm")" = cat ]; }
	until_true "it does not start" child || skip "no namespaces here"
	pid=${pid% }
	examined 0 "$pid"
	found ok container 'in another pid namespace, where it is process 1'
	kill "$pid" "$front" 2>/dev/null || :
	kill -KILL "$pid" || :
	ended "$front"
}

# ---- programs that cannot be run ----

@test "a program that is not there, not executable, a directory, none of this machine: in the words of run" {
	local p
	cp "$T/edges" notexec
	chmod 644 notexec
	elf 1 3 prog32
	elf 2 183 prog-arm
	for p in "127 ./nosuch No.such.file" "127 nosuch-in-path no.such.program.in.PATH" "126 ./notexec Permission.denied" \
		"126 $D it.is.a.directory" "126 ./prog32 it.is.a.32-bit.program.for.i386" "126 ./prog-arm 64-bit.program.for.AArch64"; do
		read -r status program words <<<"$p"
		examined "$status" "$program"
		found fail program "$words"
		same_words "$status" "$MPROF" run -o /dev/null --data=/dev/null -- "$program"
	done
	found fail program . 'profile a build of it for that'
}

@test "a text without #! is no program: execve refuses it, whatever a shell does" {
	local kinds=(/proc/sys/fs/binfmt_misc/[!rs]*)
	[ ! -e "${kinds[0]}" ] || skip "the kernel has been told of other kinds of programs"
	printf 'echo\n' >text
	: >empty
	printf '#!./text\n' >behind
	chmod 755 text empty behind
	for program in text empty; do
		examined 126 "./$program"
		found fail program "\./$program is neither an ELF file nor a script that begins with #!" "sh \./$program"
		same_words 126 "$MPROF" run "./$program"
	done
	examined 126 ./behind
	found fail program '\./text is neither'
	[ "$(grep -c allocator doctor.json)" = 0 ]
}

@test "a script without its interpreter, a program without its dynamic linker, and a script that is well" {
	printf '#!/no/such/interpreter -x\n' >script
	printf '#! /bin/sh\necho\n' >well
	chmod 755 script well
	examined 127 ./script
	found fail program 'its interpreter /no/such/interpreter cannot be run' 'first line of the script'
	same_words 127 "$MPROF" run ./script
	sed 's#/lib64/ld-linux-x86-64.so.2#/lib64/ld-linux-x86-64.so.9#' "$T/edges" >linkerless
	chmod 755 linkerless
	examined 127 ./linkerless
	found fail program 'its dynamic linker /lib64/ld-linux-x86-64.so.9 cannot be run' 'install the C library'
	same_words 127 "$MPROF" run ./linkerless
	examined 0 ./well an --argument
	found ok program './well is a script: its interpreter /bin/sh is profiled'
}

@test "of a script of env it is told what env executes" {
	local line
	mkdir bin
	cp "$T/edges" bin/snake
	PATH=$D/bin:$PATH
	while read -r line program; do
		printf '#!%s\n' "${line//_/ }" >script
		chmod 755 script
		examined 0 ./script
		found ok program "./script is a script: its interpreter $program is profiled"
	done <<-END
		/usr/bin/env_snake $D/bin/snake
		/usr/bin/env_-S_X=1_Y=2_snake_-u $D/bin/snake
		/usr/bin/env_-S__$D/bin/snake_-u $D/bin/snake
		/usr/bin/env_snake_-u /usr/bin/env
		/usr/bin/env_-i_snake /usr/bin/env
		/usr/bin/env_no-such-program /usr/bin/env
	END
}

@test "a program whose library is gone is told in its dynamic linker's words" {
	echo 'int one(void) { return 1; }' >lib.c
	echo 'int one(void); int main(void) { return !one(); }' >main.c
	cc -shared -fPIC -Wl,-soname,libgone9.so -o libgone9.so lib.c
	cc -o gone main.c ./libgone9.so
	rm libgone9.so
	examined 127 ./gone
	found fail libraries 'its dynamic linker cannot load it: .*libgone9.so: cannot open' 'install the library'
	local status=0
	limited "$MPROF" run -o /dev/null --data=/dev/null ./gone 2>err || status=$?
	[ $status = 127 ]
	grep -qF "$(jq -r '.findings[] | select(.level == "fail").text | sub("its dynamic linker cannot load it: "; "")' doctor.json)" err
}

@test "a static program that is stripped has no allocator, until it is told where" {
	examined 10 "$T/copy-static"
	found fail allocator 'no allocator found.*static and stripped' 'hook=malloc:0xADDRESS'
	same_words 1 "$MPROF" run -o /dev/null --data=/dev/null "$T/copy-static"
	mkfifo hold
	exec {hold}<>hold
	env "MPROF_TEST_MARK=$MARK" "$T/copy-static" <hold 3>&- >out &
	local pid=$!
	running() { [ "$(cat /proc/$pid/comm)" = copy-static ] && grep -q '^State:.S' /proc/$pid/status; }
	until_true "it does not start" running
	examined 10 "$pid"
	same_words 10 "$MPROF" attach -o /dev/null --data=/dev/null "$pid"
	kill "$pid"
	ended "$pid" || :
	examined 0 --hook=malloc:0x401000 --hook=free:0x401000 "$T/copy-static"
	found ok allocator 'would be trapped'
}

@test "a program that may not be read, and one that is setuid" {
	need_root
	be_nobody
	cp "$T/edges" unreadable
	cp "$T/edges" rights
	chmod 711 unreadable
	chmod 4755 rights
	examined 0 ./unreadable
	found warn readable 'may be executed, but not be read' 'chmod \+r'
	examined 0 ./rights
	found warn rights 'setuid: run by mprof it does not get these rights' 'as root'
}

# ---- names and tables ----

@test "debug information that is missing is told with the one command that installs it, of what apt has" {
	mkdir tools
	strip -o stripped "$T/heap"
	strip -o other "$T/simple"
	cat >tools/dpkg-query <<-EOT
		#!/bin/sh
		echo "diversion by somebody from: /bin/sh"
		echo "made-up:amd64, another: $D/stripped"
		exit 1
	EOT
	cat >tools/apt-cache <<-'EOT'
		#!/bin/sh
		echo 'Package: nobody-asked-for'
		for word; do case $word in made-up-dbg) printf 'Package: %s\nVersion: 1\n' "$word" ;; esac; done
	EOT
	chmod 755 tools/*
	PATH=tools:$PATH examined 0 "$D/stripped"
	found warn debug 'for [0-9]* of [0-9]* files: stripped' '^apt-get install made-up-dbg'
	[ "$(jq -r '.modules[0] | .package + " " + .debug_package' doctor.json)" = "made-up made-up-dbg" ]
	not grep -q 'made-up-dbgsym\|nobody-asked' doctor.json
	# With a debug file it has lines.
	objcopy --only-keep-debug "$T/heap" stripped.debug
	objcopy --add-gnu-debuglink=stripped.debug stripped
	PATH=tools:$PATH examined 0 "$D/stripped"
	jq -e '.modules[0].names | test("^DWARF in .*stripped.debug")' doctor.json
	# Where nobody knows of packages, the build ID is told and no package.
	examined 0 "$D/other"
	jq -e --arg id "$(readelf -n other | sed -n 's/.*Build ID: //p')" '.modules[0].build_id == $id' doctor.json
	found warn debug 'files: other' 'compile other with -g'
	not grep -q apt-get doctor.json
}

@test "a file without unwind tables is named" {
	echo 'int one(void) { return 1; }' >lib.c
	echo 'int one(void); int main(void) { return !one(); }' >main.c
	cc -shared -fPIC -fno-asynchronous-unwind-tables -nostdlib -Wl,-soname,libbare.so -o libbare.so lib.c
	cc -o uses main.c ./libbare.so -Wl,-rpath,"$PWD"
	examined 0 ./uses
	found warn unwinding 'in libbare.so$' '-fasynchronous-unwind-tables'
}

# ---- the machine ----

@test "without a program it tells of the machine, and yama's settings with their remedies" {
	local scope
	limited "$MPROF" doctor >out
	grep -q '^  ok    kernel  *Linux ' out
	[ "$(wc -l <out)" -le 24 ]
	need_root
	# A kernel's setting that this one may not have, in a mount namespace of our own.
	scripted() { # SCOPE
		unshare --mount sh -c 'mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama &&
			echo "$0" >/proc/sys/kernel/yama/ptrace_scope && exec "$@"' "$@"
	}
	scripted 1 true 2>/dev/null || skip "no mount namespaces here"
	doctor=$(for_anybody "$MPROF")
	by=(unshare --mount sh -c 'mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama &&
		echo "$0" >/proc/sys/kernel/yama/ptrace_scope && exec "$@"' 1 "${as_nobody[@]}")
	examined 0
	found warn tracing 'ptrace_scope is 1: mprof run works, mprof attach only as root' 'set it to 0'
	for scope in 2 3; do
		by[5]=$scope
		examined 7
		found fail tracing "ptrace_scope is $scope" .
		examined 126 "$(for_anybody "$T/edges")"
		found fail tracing "ptrace_scope is $scope" .
	done
	# Root may do what 2 allows.
	by=("${by[@]:0:5}" 2)
	examined 0
	found ok tracing .
}

@test "of a program that is cut off run and doctor say that it is damaged, and by what signal it dies" {
	local n
	for n in 100 3000; do
		head -c $n "$T/edges" >"cut$n"
		chmod +x "cut$n"
		examined 126 "./cut$n"
		found fail program "it is damaged: it has $n bytes, less than its headers tell of" "build cut$n again"
	done
	refused 126 'cannot run ./cut3000: it was killed before it began, by signal [0-9]+ \(.*\): it is damaged: it has 3000 bytes' \
		"$MPROF" run -o /dev/null --data=/dev/null ./cut3000
	refused 126 'cannot run ./cut100: Exec format error: it is damaged: it has 100 bytes' \
		"$MPROF" run -o /dev/null --data=/dev/null ./cut100
}

# ---- what is well ----

# healthy ARG...: it can be profiled; what is said to be lacking is, of such files
healthy() {
	examined 0 "$@"
	jq -e 'all(.findings[]; .level == "ok" or .check == "debug" or .check == "own heap")
		and (any(.findings[]; .check == "debug" and .level == "warn") ==
			any(.modules[]; .names | test("^DWARF[^;]*$") | not))' doctor.json >well ||
		fail "a false alarm for $*:" "$(jq -c '.findings[] | select(.level != "ok")' doctor.json)"
}

@test "no false alarm for programs that are well" {
	local p n=0
	for p in sleep cat bash perl sqlite3 ls redis-server "$(binary python3)"; do
		type -P "$p" >/dev/null || continue
		healthy "$p"
		n=$((n + 1))
	done
	for p in plain plain-no-pie plain-static plain-static-pie plain-musl plain-musl-static cxx cxx-static jemallocx threads; do
		healthy "$T/$p"
		n=$((n + 1))
	done
	[ $n -ge 10 ]
	examined 0 "$T/plain-musl"
	found ok allocator "^musl's: [1-9][0-9]* functions"
	examined 0 "$T/jemallocx"
	found ok allocator '^jemalloc, '
	examined 0 "$T/cxx"
	found ok allocator "^glibc's: "
}

# status_of PID: all that the kernel tells and counts of it, but signals that wait for other processes of its user
status_of() {
	cat "/proc/$1/status" /proc/"$1"/task/*/status | grep -v '^SigQ:'
}

@test "processes that are well are said to be, and nobody who is looked at is stopped or changed" {
	local p
	start server "$T/heaplive"
	before "$PID"
	# It sleeps, and nothing else is to change what the kernel counts of it.
	asleep() { grep -q '^State:.S' "/proc/$PID/status"; }
	until_true "it does not sleep" asleep
	status_of "$PID" >status.before
	cut -d' ' -f3-13,20-23 "/proc/$PID/stat" >stat.before
	healthy "$PID"
	healthy -p "$PID"
	healthy "$PID" --debug-dir=.
	limited "$MPROF" doctor "$PID" >out
	tail -n 1 out | grep -q "^it can be profiled.*: mprof attach $PID\$"
	status_of "$PID" >status.after
	diff status.before status.after
	cut -d' ' -f3-13,20-23 "/proc/$PID/stat" | diff stat.before -
	clean "$PID"
	finish server
	mkfifo hold
	exec {hold}<>hold
	for p in cat "$(binary python3)" "perl -e <STDIN>" sqlite3 "bash -c read"; do
		# shellcheck disable=SC2086
		env "MPROF_TEST_MARK=$MARK" $p <hold >p.out 2>&1 3>&- &
		PID=$!
		# Not before its libraries are there.
		ready() { grep -q '^State:.S' "/proc/$PID/status" && [ "$(cat "/proc/$PID/comm")" != env ] && grep -q 'libc' "/proc/$PID/maps"; }
		until_true "$p does not start" ready
		healthy "$PID"
		grep -q '^TracerPid:.0$' "/proc/$PID/status"
		kill -KILL "$PID"
		ended "$PID"
	done
}

# ---- how it is asked ----

@test "calls are counted if that is wanted, and nothing is said of what was not measured" {
	start server "$T/server" 2 100
	examined 0 "$PID"
	found ok slowdown '^not measured: --count=1'
	examined 0 --count=0.2 "$PID"
	jq -e 'any(.findings[]; .check == "slowdown" and (.text | test("^[1-9][0-9]* calls a second; a stop takes [0-9.]+ us")
		or test("^not measured: (this kernel has no uprobe|not permitted)")))' doctor.json
	progress server
	PID=$server_pid
	clean "$PID"
	finish server
}

@test "wrong usage of doctor: 2" {
	refused 2 'one process or program at a time' "$MPROF" doctor $$ 1
	refused 2 'count' "$MPROF" doctor --count=never $$
	refused 2 'counts the calls of a process, and none' "$MPROF" doctor --count=1
	refused 2 'text or json' "$MPROF" doctor --format=html
	refused 2 'unknown option --lines for mprof doctor' "$MPROF" doctor --lines
	refused 3 'no process is called "no-such-name"' "$MPROF" doctor -p no-such-name
}

@test "control characters of a name never reach the terminal" {
	strip -o $'esc\033[31m\nape' "$T/edges"
	limited "$MPROF" doctor $'./esc\033[31m\nape' >out
	grep -qF 'esc\033[31m\012ape' out
	not grep -q $'\033' out
	[ "$(grep -c . out)" -le 12 ]
}
