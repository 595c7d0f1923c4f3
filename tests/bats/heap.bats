#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Heap profiles that are written while a program runs: when, under which names, and what is in them,
# as google-pprof reads it.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

CYCLES=${CYCLES:-6}

# profiled [OPTION...] -- PROGRAM...: with heap profiles p.NNNN.heap; status in STATUS, words in err.
profiled() {
	STATUS=0
	limited "$MPROF" run --heap-profile=p -o report.txt --data=run.data "$@" >out 2>err </dev/null || STATUS=$?
}

# pprof OPTION... PROGRAM FILE: the text of google-pprof
pprof() {
	limited google-pprof --text --show_bytes "$@" 2>pprof.err
}

# of FUNCTION FILE [COLUMN]: the flat value of a function in such a text
of() {
	awk -v f="$1" -v c="${3:-1}" '$6 == f { n += $c } END { print n + 0 }' "$2"
}

# numbers FILE: the four of the first line
numbers() {
	grep -m1 '^heap profile:' "$1" | tr -dc '0-9 \n' | xargs
}

# sums FILE: the same, of the lines below
sums() {
	awk '/^heap profile:/ { on = 1; next } /^$/ { exit }
		on { gsub(/[\[\]:]/, " "); a += $1; b += $2; c += $3; d += $4 } END { print a, b, c, d }' "$1"
}

has_maps() {
	sed -n '/^MAPPED_LIBRARIES:/,$p' "$1" | grep -q "r-xp .*$2"
}

# agrees PROGRAM FILE: google-pprof's numbers of our file are the program's own account, in all modes
agrees() {
	local mode column n=1 name
	for mode in inuse_objects inuse_space alloc_objects alloc_space; do
		n=$((n + 1))
		pprof --$mode "$1" "$2" >"pprof.$mode" || return 1
		while read -r -a column; do
			name=${column[0]}
			[ "$name" != inlined ] || sed -i 's/ (inline)$//' "pprof.$mode"
			[ "$(of "$name" "pprof.$mode")" = "${column[n - 1]}" ] ||
				fail "$mode of $name is not ${column[n - 1]}" "$(cat "pprof.$mode")" || return 1
		done <totals
	done
}

@test "google-pprof reads the profile of a C program, and the numbers are the program's own" {
	export TOTALS=$D/totals
	for program in heap heap-nopie; do
		rm -f totals
		profiled -- "$T/$program"
		[ "$STATUS" = 0 ]
		[ "$(lines_with totals .)" = 4 ]
		agrees "$T/$program" p.0001.heap
		[ "$(numbers p.0001.heap)" = "$(sums p.0001.heap)" ]
		has_maps p.0001.heap "$T/$program"
	done
	grep -qx 'Starting tracking the heap' err
	grep -Eqx 'Dumping heap profile to p.0001.heap \(Exiting, 1 MB in use\)' err
}

@test "every frame of google-pprof is within the call: lines are those of the calls" {
	profiled -- "$T/heap"
	pprof --lines "$T/heap" p.0001.heap >lines
	line() { grep -n -m1 -- "$1" "$ROOT/tests/targets/heap.c" | cut -d: -f1; }
	grep -q "alloc_leaf .*heap.c:$(line 'p = malloc(n);')\$" lines
	grep -q "fill_big .*heap.c:$(line 'alloc_leaf(50000)')\$" lines
	grep -q "inlined (inline) .*heap.c:$(line 'return malloc(n)')\$" lines
	grep -q "user_of_inlined .*heap.c:$(line '= inlined(1777)')\$" lines
}

@test "google-pprof takes profiles of one run from each other, and finds and leaves out functions" {
	profiled --heap-profile-allocation-interval=1500000 -- "$T/heap"
	[ -e p.0001.heap ] && [ -e p.0002.heap ]
	pprof --alloc_space --base=p.0001.heap "$T/heap" p.0002.heap >diff
	all=$(numbers p.0002.heap | cut -d' ' -f4) first=$(numbers p.0001.heap | cut -d' ' -f4)
	grep -qx "Total: $((all - first)) B" diff
	pprof --alloc_space --focus=churn "$T/heap" p.0002.heap >focus
	[ "$(of alloc_leaf focus)" -gt 0 ]
	[ "$(of grow focus)" = 0 ]
	pprof --alloc_space --ignore=churn "$T/heap" p.0002.heap >ignore
	[ "$(of alloc_leaf ignore)" = 2000000 ]
}

@test "operator new and names of C++ are as with google-pprof's own" {
	profiled -- "$T/heapxx"
	pprof --alloc_space "$T/heapxx" p.0001.heap >text
	[ "$(of shop::box::put text)" = 30000 ]
	[ "$(of shop::item::operator-- text)" = 2300 ]
	! grep -q 'operator new' text
}

@test "with names in the file google-pprof needs no program, and says the same" {
	profiled -- "$T/heap"
	pprof "$T/heap" p.0001.heap >with
	mv p.0001.heap q
	profiled --symbols=yes -- "$T/heap"
	sed -n 2p p.0001.heap | grep -qx "binary=$T/heap"
	pprof p.0001.heap >without
	diff with without
	profiled --symbols=yes -- "$T/heapxx"
	pprof p.0001.heap | grep -q 'shop::item::operator'
}

@test "a stripped program keeps its addresses, within its mapping" {
	profiled -- "$T/heap-stripped"
	[ "$STATUS" = 0 ]
	python3 - "$T/heap-stripped" p.0001.heap <<-'EOF'
		import sys, re
		text = open(sys.argv[2]).read()
		stacks, maps = text.split("MAPPED_LIBRARIES:\n")
		code = [tuple(int(x, 16) for x in l.split()[0].split("-"))
		        for l in maps.splitlines() if "r-xp" in l]
		ours = [tuple(int(x, 16) for x in l.split()[0].split("-"))
		        for l in maps.splitlines() if "r-xp" in l and sys.argv[1] in l]
		n = 0
		for line in stacks.splitlines()[1:]:
		    addrs = [int(a, 16) for a in line.partition("@")[2].split()]
		    for a in addrs:
		        assert any(s <= a <= e for s, e in code), hex(a)
		    n += any(s <= addrs[0] < e for s, e in ours) if addrs else 0
		assert n >= 5, n
	EOF
}

@test "contexts are as deep as --depth says, 32 by default" {
	deepest() { sed '/^MAPPED/q' "$1" | awk '/@ 0x/ { sub(/.*@/, ""); if (NF > n) n = NF } END { print n }'; }
	profiled -- "$T/heap"
	[ "$(deepest p.0001.heap)" = 32 ]
	profiled --depth=5 -- "$T/heap"
	[ "$(deepest p.0001.heap)" = 5 ]
	[ "$(numbers p.0001.heap)" = "$(sums p.0001.heap)" ]
	profiled --depth=200 -- "$T/heap"
	[ "$(deepest p.0001.heap)" -gt 50 ]
}

@test "libtcmalloc's own profile of the same program has the same objects and bytes of its functions" {
	HEAPPROFILE=tc limited "$T/heap-tcmalloc" 2>tc.err
	profiled -- "$T/heap-tcmalloc"
	for mode in inuse_objects inuse_space alloc_objects alloc_space; do
		pprof --$mode "$T/heap-tcmalloc" tc.0001.heap >theirs
		pprof --$mode "$T/heap-tcmalloc" p.0001.heap >ours
		# Theirs takes the first address one further, where the inlined function is over.
		sed -i 's/ (inline)$//; s/ user_of_inlined$/ inlined/' theirs ours
		for f in alloc_leaf grow inlined deep; do
			[ "$(of $f theirs)" = "$(of $f ours)" ] || fail "$mode of $f" "$(cat theirs ours)"
			[ $mode = inuse_objects ] || [ "$(of $f ours)" -gt 0 ]
		done
	done
}

@test "the last profile is written after return, _exit, abort and SIGKILL, with the map of the end" {
	for how in return:0 exit:3 abort:134 kill:137; do
		rm -f p.*.heap
		profiled -- "$T/heap" "${how%:*}"
		[ "$STATUS" = "${how#*:}" ] || fail "$how: status $STATUS"
		grep -Eq '^Dumping heap profile to p.0001.heap \(Exiting,' err
		has_maps p.0001.heap "$T/heap"
		grep -q '\[heap\]' p.0001.heap # it was not there when the program began
		pprof "$T/heap" p.0001.heap >text
		[ "$(of alloc_leaf text)" = 2000000 ]
	done
}

@test "the last profile has the map when the first thread has ended before the last" {
	profiled -- "$T/heap" thread
	pprof "$T/heap" p.0001.heap >text
	[ "$(of alloc_leaf text)" = 4000000 ]
	grep -q '\[heap\]' p.0001.heap
}

@test "an exec ends a profile; the next program has a prefix of its own, with its process" {
	profiled -- "$T/heap" exec "$T/heapxx"
	[ "$STATUS" = 0 ]
	pid=$(ls p_*.0001.heap | tr -dc '0-9 \n' | sed 's/0001$//')
	pprof "$T/heap" p.0001.heap | grep -q alloc_leaf
	pprof "$T/heapxx" "p_$pid.0001.heap" >text
	grep -q shop::fill text
	not grep -q alloc_leaf text
	[ "$(ls ./*.heap | wc -l)" = 2 ]
}

@test "a forked child begins with what its parent had when it forked, whatever that does next" {
	# On one processor the parent goes on before its child has begun.
	local cpu
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
	limited taskset -c "$cpu" "$MPROF" run --heap-profile=p -o report.txt --data=run.data \
		--trace-children=yes -- "$T/parting"
	head -n1 p_*.0001.heap >first
	grep -q '^heap profile: *2: *5056 \[ *2: *5056\] @ heapprofile$' first || fail "$(cat first)"
}

@test "a forked child is profiled with --trace-children: its parent's blocks, its own files" {
	profiled --trace-children=yes -- "$T/heap" fork
	child=$(ls p_*.0001.heap)
	pprof "$T/heap" "$child" >text
	[ "$(of alloc_leaf text)" = 1950000 ]
	pprof --alloc_objects "$T/heap" "$child" >text
	[ "$(of alloc_leaf text)" = 640 ]
	pprof "$T/heap" p.0001.heap >text
	[ "$(of alloc_leaf text)" = 2000000 ]
	rm ./*.heap
	profiled -- "$T/heap" fork
	[ "$(ls ./*.heap)" = ./p.0001.heap ]
}

@test "each interval writes profiles, with its reason; the numbers go up" {
	profiled --heap-profile-allocation-interval=1M -- "$T/heap"
	grep -q '^Dumping heap profile to p.0001.heap (1 MB allocated cumulatively, 1 MB currently in use)$' err
	[ "$(numbers p.0001.heap | cut -d' ' -f4)" = 1050000 ]
	[ "$(lines_with err '^Dumping')" = 3 ] # twice in 2.9 MB, and at the end
	profiled --heap-profile-deallocation-interval=300000 -- "$T/heap"
	[ "$(lines_with err 'MB freed cumulatively')" = 3 ]
	profiled --heap-profile-inuse-interval=999999 -- "$T/heap"
	# 20 blocks of 50000 are the first that are more
	[ "$(numbers p.0001.heap | cut -d' ' -f2)" = 1000000 ]
	[ "$(lines_with err 'currently in use)')" = 2 ]
}

@test "each interval at its exact boundary: at it for what is allocated and freed, above it for what is in use" {
	# 40 blocks of 50000 come first; 300 of 3000 are allocated and freed one by one.
	profiled --heap-profile-allocation-interval=1000000 -- "$T/heap"
	[ "$(numbers p.0001.heap)" = "20 1000000 20 1000000" ]
	[ "$(numbers p.0002.heap)" = "40 2000000 40 2000000" ]
	profiled --heap-profile-allocation-interval=1000001 -- "$T/heap"
	[ "$(numbers p.0001.heap)" = "21 1050000 21 1050000" ]
	profiled --heap-profile-inuse-interval=1000000 -- "$T/heap"
	[ "$(numbers p.0001.heap)" = "21 1050000 21 1050000" ]
	profiled --heap-profile-inuse-interval=999999 -- "$T/heap"
	[ "$(numbers p.0001.heap)" = "20 1000000 20 1000000" ]
	freed() { numbers "$1" | awk '{ print $4 - $2 }'; }
	profiled --heap-profile-deallocation-interval=300000 -- "$T/heap"
	[ "$(freed p.0001.heap) $(freed p.0002.heap)" = "300000 600000" ]
	profiled --heap-profile-deallocation-interval=300001 -- "$T/heap"
	[ "$(freed p.0001.heap) $(freed p.0002.heap)" = "303000 606000" ]
	# the first rule that holds gives the reason
	profiled --heap-profile-allocation-interval=1000000 --heap-profile-inuse-interval=999999 -- "$T/heap"
	grep -qx 'Dumping heap profile to p.0001.heap (0 MB allocated cumulatively, 0 MB currently in use)' err
	grep -qx 'Dumping heap profile to p.0002.heap (1 MB allocated cumulatively, 1 MB currently in use)' err
}

@test "cleanup deletes PREFIX.*.heap, in the directory of the prefix, and nothing else" {
	mkdir there
	touch there/{p.0001.heap,p.x.heap,p.heap,pp.0001.heap,p_1.0001.heap,p.0001.heapx,xp.0001.heap} p.0007.heap
	limited "$MPROF" run --heap-profile=there/p -o r --data=d --quiet -- "$T/heap" 2>err
	[ "$(cd there && echo *)" = "p.0001.heap p.0001.heapx p.heap p_1.0001.heap pp.0001.heap xp.0001.heap" ]
	[ -s there/p.0001.heap ] && [ -e p.0007.heap ]
}

@test "the variables of gperftools do the same, options win, and the program does not see them" {
	export HEAPPROFILE=v HEAP_PROFILE_ALLOCATION_INTERVAL=1048576 HEAP_PROFILE_CLEANUP=n
	touch v.9999.heap
	limited "$MPROF" run -o r --data=d -- /usr/bin/env >out 2>err
	not grep -q '^HEAP' out
	grep -q '^Dumping heap profile to v.0001.heap' err
	[ -e v.9999.heap ]
	limited "$MPROF" run --heap-profile-allocation-interval=0 --heap-profile=w -o r --data=d -- "$T/heap" 2>err
	[ "$(lines_with err '^Dumping heap profile to w')" = 1 ]
	HEAP_PROFILE_INUSE_INTERVAL=many refused 2 'HEAP_PROFILE_INUSE_INTERVAL.*many' "$MPROF" run -- true
	unset HEAPPROFILE
	limited "$MPROF" run -o r --data=d -- /usr/bin/env >out 2>err
	grep -q '^HEAP_PROFILE_CLEANUP=n' out
	! grep -q '^Dumping' err
}

@test "wrong values of the options are usage errors" {
	for o in allocation-interval=x deallocation-interval=-1 inuse-interval=1Q time-interval=1.5 signal=9 \
		signal=0 signal=65 cleanup=maybe; do
		refused 2 "option heap-profile-" "$MPROF" run --heap-profile-$o -- true
	done
	refused 2 "option depth" "$MPROF" run --depth=0 -- true
}

@test "a profile that cannot be written is told, the program runs on, and mprof ends with 1" {
	for prefix in not/there /dev/null/x; do
		limited "$MPROF" run --heap-profile=$prefix -o r --data=d -- "$T/heap" 2>err && STATUS=0 || STATUS=$?
		[ "$STATUS" = 1 ]
		says err "cannot write the heap profile $prefix.0001.heap: (No such file|Not a directory)"
		[ -s d ] && [ -s r ]
	done
	# as with the report and the data: the program's own failure is worth more
	limited "$MPROF" run --heap-profile=not/there -o r --data=d -- "$T/heap" exit 2>err || STATUS=$?
	[ "$STATUS" = 3 ]
	says err 'cannot write the heap profile not/there.0001.heap: No such file'
}

@test "a pipe that nobody reads is told, and holds nobody" {
	mkfifo p.0001.heap
	limited "$MPROF" run --heap-profile=p --heap-profile-cleanup=no -o r --data=d -- "$T/heap" 2>err \
		&& STATUS=0 || STATUS=$?
	[ "$STATUS" = 1 ]
	says err 'cannot write the heap profile p.0001.heap: nobody reads this pipe'
	[ -s d ]
	[ -p p.0001.heap ]
}

@test "a dump that fails in the middle is told, the next ones are written, and mprof ends with 1" {
	mkdir p.0001.heap
	limited "$MPROF" run --heap-profile=p --heap-profile-allocation-interval=1M -o r --data=d -- "$T/heap" 2>err \
		&& STATUS=0 || STATUS=$?
	[ "$STATUS" = 1 ]
	says err 'cannot write the heap profile p.0001.heap: Is a directory'
	[ -s p.0002.heap ] && [ -s p.0003.heap ]
	! grep -q '^Dumping heap profile to p.0001' err
}

@test "a full disk is told" {
	[ -c /dev/full ] || skip "no /dev/full"
	ln -s /dev/full p.0001.heap
	limited "$MPROF" run --heap-profile=p --heap-profile-cleanup=no -o r --data=d -- "$T/heap" 2>err \
		&& STATUS=0 || STATUS=$?
	[ "$STATUS" = 1 ]
	says err 'cannot write the heap profile p.0001.heap: No space left'
}

@test "a dump that the program asks for itself and that cannot be written is told; attach ends with 1, too" {
	start heaplive "$T/heaplive"
	mkdir p.0001.heap
	attach --heap-profile="$D/p" --heap-profile-signal=12 -o report.txt --data=run.data "$PID"
	kill -12 "$PID"
	await attach.err 'cannot write the heap profile .*p.0001.heap: Is a directory'
	# Whoever detaches is told, too.
	limited "$MPROF" detach "$PID" >/dev/null 2>detach.err && return 1
	says detach.err 'cannot write the heap profile .*p.0001.heap: Is a directory'
	ended "$FRONT"
	[ "$STATUS" = 1 ]
	[ -s p.0002.heap ]
	finish heaplive
}

@test "a prefix that cannot be is refused before the program runs" {
	for prefix in '%z' '%q{MPROF_TEST_UNSET}' '%q{HOME'; do
		refused 2 'file name: ' "$MPROF" run --heap-profile="$prefix" -- touch ran
		[ ! -e ran ]
	done
}

@test "a prefix has the process and the environment in it" {
	export WHERE=here
	limited "$MPROF" run --heap-profile=%q{WHERE}-%p -o r --data=d --quiet -- "$T/heap" exec "$T/heapxx" 2>err
	[ "$(ls here-*.heap | wc -l)" = 2 ]
	[ "$(ls here-*.0002.heap | wc -l)" = 1 ]
	! grep -Eq '^(Dumping|Starting)' err
}

@test "a dump is made while the program sleeps, with its reason; numbers and map are of that moment" {
	start heaplive "$T/heaplive"
	attach --heap-profile="$D/p" -o report.txt --data=run.data "$PID"
	tell_await heaplive "alloc 30" "^did alloc"
	answered heap_dump "by hand"
	[ "$(cat control.out)" = "heap $D/p.0001.heap" ]
	[ "$(numbers p.0001.heap)" = "30 150000 30 150000" ]
	grep -qx "Dumping heap profile to $D/p.0001.heap (by hand)" attach.err
	tell_await heaplive "free 10" "^did free"
	answered heap_dump
	[ "$(numbers p.0002.heap)" = "20 100000 30 150000" ]
	detach "$PID"
	[ "$(numbers p.0003.heap)" = "20 100000 30 150000" ]
	has_maps p.0003.heap heaplive
	clean "$PID"
	finish heaplive
}

@test "a session without heap profiles says so" {
	start heaplive "$T/heaplive"
	attach -o report.txt --data=run.data "$PID"
	refused any 'no heap profiles' "$MPROF" control "$PID" heap_dump
	detach "$PID"
	finish heaplive
}

@test "the signal asks for a profile and does not reach a program without a handler" {
	start heaplive "$T/heaplive"
	attach --heap-profile="$D/p" --heap-profile-signal=12 -o report.txt --data=run.data "$PID"
	tell_await heaplive "alloc 3" "^did alloc"
	kill -12 "$PID"
	await attach.err 'p.0001.heap \(signal\)'
	[ "$(numbers p.0001.heap)" = "3 15000 3 15000" ]
	tell_await heaplive "handle 12" "^did handle"
	kill -12 "$PID"
	await attach.err 'p.0002.heap \(signal\)'
	until_true "the handler did not run" more_than heaplive 2 0
	[ "$(reported heaplive 2)" = 1 ]
	says attach.err 'has a handler for signal 12'
	detach "$PID"
	clean "$PID"
	finish heaplive
}

@test "time passes, and a profile appears, though the program sleeps" {
	start heaplive "$T/heaplive"
	attach --heap-profile="$D/p" --heap-profile-time-interval=1 -o report.txt --data=run.data "$PID"
	await attach.err 'p.0002.heap \([0-9]+ sec since the last dump\)'
	detach "$PID"
	finish heaplive
}

@test "code that has been unloaded stays in the map if it is in a context" {
	start heaplive "$T/heaplive"
	attach --heap-profile="$D/p" -o report.txt --data=run.data "$PID"
	tell_await heaplive "plugin $T/heapplug.so" "^did plugin"
	answered heap_dump
	has_maps p.0001.heap heapplug.so
	not grep -q heapplug "/proc/$PID/maps"
	pprof "$T/heaplive" p.0001.heap >text
	[ "$(of plugged_alloc text)" = 6000 ]
	detach "$PID"
	finish heaplive
}

@test "deferred, nothing is recorded before resume" {
	start heaplive "$T/heaplive"
	attach --heap-profile="$D/p" --heap-profile-defer -o report.txt --data=run.data "$PID"
	tell_await heaplive "alloc 5" "^did alloc"
	refused any 'no heap profile is being recorded' "$MPROF" control "$PID" heap_dump
	answered resume
	grep -qx 'Starting tracking the heap' attach.err
	tell_await heaplive "alloc 2" "^did alloc 2"
	tell_await heaplive "free 7" "^did free"
	detach "$PID"
	[ "$(numbers p.0001.heap)" = "0 0 2 10000" ]
	finish heaplive
}

@test "a set-user-ID program is not profiled by root" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	cp "$T/heap" setid
	chown 65534 setid
	chmod u+s,a+rx setid
	[ "$(stat -c %a setid)" = 4755 ] || skip "no set-user-ID files here"
	profiled -- ./setid
	[ "$STATUS" = 0 ]
	says err 'set-user-ID.*no heap profiles'
	[ ! -e p.0001.heap ]
}

# ---- mapped memory ----

# cumulative FUNCTION FILE: of a text of google-pprof
cumulative() {
	of "$1" "$2" 4
}

@test "mapped memory has lines of its own, outside of the totals, with the bytes the program asked for" {
	profiled --heap-profile-mmap=yes -- "$T/heapmap"
	[ "$STATUS" = 0 ]
	[ "$(numbers p.0001.heap)" = "40 120040 40 120040" ]
	sed -n 2p p.0001.heap | grep -vq '120040' # they come first
	while read -r name used used_bytes allocs alloc_bytes; do
		for mode in inuse_objects:$used inuse_space:$used_bytes alloc_objects:$allocs alloc_space:$alloc_bytes; do
			pprof --${mode%:*} "$T/heapmap" p.0001.heap >text
			[ "$(cumulative $name text)" = ${mode#*:} ] || fail "$name $mode" "$(cat text)"
		done
	done <<-EOF
		in_parts 1 12288 1 32768
		whole 0 0 1 4196
		moved 1 36864 2 53248
		direct 1 28672 1 28672
		broken 1 30000 1 50000
	EOF
	not grep -q _dl_ text # what the loader maps before the program starts
	report() { limited "$MPROF" report --show_bytes "$@"; }
	diff <(report p.0001.heap | head -n 1) <(pprof "$T/heapmap" p.0001.heap | head -n 1)
}

@test "without the option nothing of it is there; with only it, nothing else" {
	profiled -- "$T/heapmap"
	pprof --alloc_space "$T/heapmap" p.0001.heap >text
	[ "$(cumulative main text)" = 120040 ]
	profiled --heap-profile-only-mmap=yes -- "$T/heapmap"
	[ "$(numbers p.0001.heap)" = "0 0 0 0" ]
	pprof --alloc_space "$T/heapmap" p.0001.heap >text
	[ "$(cumulative direct text)" = 28672 ]
	[ "$(of allocate text)" = 0 ]
	HEAP_PROFILE_MMAP=1 profiled -- "$T/heapmap"
	pprof --alloc_space "$T/heapmap" p.0001.heap >text
	[ "$(cumulative direct text)" = 28672 ]
	[ "$(of allocate text)" = 120040 ]
}

@test "after mprof_restart() the next growth of the break counts, and nothing of before" {
	profiled --heap-profile-mmap=yes -- "$T/heapmap" again
	[ "$STATUS" = 0 ]
	pprof --alloc_space "$T/heapmap" p.0001.heap >text
	[ "$(cumulative broken text)" = 50000 ]
	[ "$(cumulative direct text)" = 0 ]
	pprof "$T/heapmap" p.0001.heap >text
	[ "$(cumulative broken text)" = 30000 ]
}

@test "the log has a line for each call that maps, and changes no profile" {
	profiled --heap-profile-mmap-log=yes -- "$T/heapmap"
	[ "$(numbers p.0001.heap)" = "$(sums p.0001.heap)" ]
	grep -Eqx 'mmap[(]start=0x0, len=4196, prot=0x3, flags=0x22, fd=-1, offset=0x0[)] = 0x[0-9a-f]+' err
	grep -Eqx 'munmap[(]start=0x[0-9a-f]+, len=12288[)]' err
	grep -Eqx 'mremap[(]old_addr=0x[0-9a-f]+, old_size=16384, new_size=36864, flags=0x1, new_addr=0x0[)] = 0x[0-9a-f]+' err
	grep -Eqx 'sbrk[(]inc=50000[)] = 0x[0-9a-f]+' err
	grep -Eqx 'sbrk[(]inc=-20000[)] = 0x[0-9a-f]+' err
}

# ---- what the program asks for itself ----

the_truth_of_calls() {
	cat <<-EOF
		running 0
		running 1
		text ${1:-1 heap profile:      4:    28000 [     4:    28000] @ heapprofile}
		running 0
		text 0 
	EOF
}

@test "a program's own HeapProfiler calls are carried out; they do nothing when nobody traces" {
	limited "$T/heapcalls" >out
	[ "$(grep -c 'running 0' out)" = 3 ]
	[ "$(grep -c 'text 0' out)" = 2 ]
	[ ! -e mine.0001.heap ]
	limited "$MPROF" run -o report.json --format=json --data=run.data -- "$T/heapcalls" >out 2>err
	diff <(the_truth_of_calls) out
	[ "$(numbers mine.0001.heap)" = "4 28000 4 28000" ]
	[ "$(numbers other.0002.heap)" = "2 14000 2 14000" ]
	[ "$(numbers other.0003.heap)" = "3 21000 3 21000" ]
	[ "$(ls ./*.heap | wc -l)" = 3 ]
	grep -qx 'Dumping heap profile to mine.0001.heap (first)' err
	# the text that was fetched is no allocation of the program's
	[ "$(jq '[.totals.allocs, .totals.frees, .totals.unknown_frees] == [10, 3, 0]' report.json)" = true ]
}

@test "the text that was fetched before a fork is no block of the child's either" {
	cat >asks.c <<-'EOT'
		#include "mprof/mprof.h"
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			HeapProfilerStart("mine");
			char *text = GetHeapProfile();
			if (fork())
				wait(NULL);
			free(text);
			return 0;
		}
	EOT
	cc -I "$ROOT/include" -o asks asks.c
	limited "$MPROF" run --trace-children=yes -o /dev/null --data=run.data -- ./asks 2>err
	local file
	for file in run.data run.data.*; do
		limited "$MPROF" report --format=json "$file" >report.json
		[ "$(jq '[.totals.allocs, .totals.frees, .totals.unknown_frees] == [0, 0, 0]' report.json)" = true ] ||
			fail "$file" "$(jq -c .totals report.json)"
	done
	[ -e run.data.* ]
}

@test "a program with the real library asks mprof, and the library writes nothing of its own" {
	limited "$MPROF" run -o r --data=run.data -- "$T/heapcalls-tcmalloc" >out 2>err
	diff <(the_truth_of_calls '0 ') out
	[ "$(numbers mine.0001.heap)" = "4 28000 4 28000" ]
	[ "$(numbers other.0002.heap)" = "2 14000 2 14000" ]
	[ "$(numbers other.0003.heap)" = "3 21000 3 21000" ]
	[ "$(ls ./*.heap | wc -l)" = 3 ]
}

@test "deferred, the program starts by itself, with the last map of its end" {
	limited "$MPROF" run --heap-profile=p --heap-profile-defer -o r --data=run.data -- "$T/heapcalls" >out 2>err
	[ ! -e p.0001.heap ]
	[ "$(numbers other.0003.heap)" = "3 21000 3 21000" ]
	grep -q '\[heap\]' other.0003.heap
}

@test "threads that end in an exec, while ends are watched and all are held, do not hang" {
	start execthread "$T/execthread"
	attach --heap-profile="$D/p" -o report.txt --data=run.data "$PID"
	for ((i = 0; i < CYCLES; i++)); do
		limited "$MPROF" control "$PID" suspend >c.out 2>&1 &
		local c=$!
		tell_await execthread exec '^ready'
		wait $c
		answered resume
		tell_await execthread exec-main '^ready'
		progress execthread 1 10
	done
	detach "$PID"
	clean "$PID"
	finish execthread
	# one before the first exec, and one for each program afterwards, numbered on
	[ -e p.0001.heap ]
	[ "$(ls "p_$PID".*.heap | wc -l)" = $((2 * CYCLES)) ]
}
