#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# kill -9 at their system calls, one after the other, of who writes what is not the final profile (autosaves,
# snapshots, massif files, heap profiles), of who is behind mprof top, and of who looks. As killed.bats.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/killed

# Whoever it was, this is said of a process that was to read names, or of one that was to write.
NAMELESS=': reading it ended with signal 9|no names are told: .* ended with signal 9'
UNWRITTEN='the process that was to write .* of process [0-9]* ended with signal 9'

# it_is_said FILE REGEX: if somebody was killed
it_is_said() {
	! killed || grep -aEq -- "$2" "$1" || fail "it is not said:" "$(cat "$1")"
}

# ---- mprof top ----

a_figure() {
	observed && served top --once --interval=0.1 "$PID" && [ "$STATUS" = 0 ] || fail "no look" "$(cat err)"
}

asked_top() { asked top --once --interval=0.1 "$PID"; }

# top_of_its_own: it attaches, and ends what it has begun, whoever is killed
top_of_its_own() {
	ran "${POINTED[@]}" "$MPROF" top --once --interval=0.1 --data=run.data "$PID"
	was_killed && clean "$PID" && nothing_left && data_right && progress server 2 || return 1
	[ "$STATUS" != 0 ] || [ -n "$NEW" ] || fail "no profile" || return 1
	[ "$POINT_OF$STATUS" = first137 ] || said err
}

a_top_without_names() {
	top_of_its_own && [ "$STATUS" = 0 ] && it_is_said err "$NAMELESS"
}

@test "top: who tells it the figures of a session is killed, or itself" {
	begin server 2 500
	points 70 first 1 asked_top
	POINT_FROM=$D/begun
	points 25 '<mprof-tracer' 1 a_figure
	finish server
}

@test "top, of a program without a session: it is killed, or what it has begun to attach, or who reads names for it" {
	begin server 2 500
	points 90 first 1 top_of_its_own
	points 35 '<mprof' 1 top_of_its_own
	points 90 mprof-apart 1 a_top_without_names
	finish server
}

# ---- autosaves and snapshots ----

saved() {
	limited "$MPROF" report --format=json run.data >saved.json 2>&1 && [ "$(jq .totals.allocs saved.json)" = 200 ]
}

# an_autosave REGEX: one is written, or that it is not is said; the next one is
an_autosave() {
	observed --autosave=100 && tell_await marks 'alloc 100' '^did ' && was_killed && data_right || return 1
	tell_await marks 'alloc 100' '^did ' || return 1
	until_true "the next one is not written" saved && it_is_said attach.err "$1" && went_on
}

a_written_autosave() { an_autosave "$UNWRITTEN"; }
a_named_autosave() { an_autosave "$NAMELESS"; }

a_snapshot() {
	rm -f run.data.snapshot.1
	observed "--snapshot-when=live>100000" && tell_await marks 'take 20' '^did ' && was_killed || return 1
	it_is_said attach.err "$UNWRITTEN" || return 1
	[ ! -e run.data.snapshot.1 ] || limited "$MPROF" report run.data.snapshot.1 >snapshot.txt || return 1
	killed || grep -q 'live>100000 .* the profile until then is in' attach.err || return 1
	tell_await marks 'drop 20' '^did ' && went_on
}

@test "autosave: the process that writes it is killed, or who reads names for it" {
	POINT_FROM=$D/begun
	begin marks
	points 25 '<mprof-tracer' 1 a_written_autosave
	points 90 mprof-apart 1 a_named_autosave
	finish marks
}

@test "a snapshot: the process that writes it is killed" {
	POINT_FROM=$D/begun
	begin marks
	points 18 '<mprof-tracer' 1 a_snapshot
	finish marks
}

# Names of large files are kept in a cache, each time anew.
a_kept_name() {
	rm -rf cache-home
	observed && served control "$PID" save && answered_or_said 'who was to answer ended without an answer; the session goes on' || return 1
	killed || [ -n "$(find cache-home -name '*.names')" ] || fail "no names are kept"
}

@test "the cache of names: the process that puts them there is killed" {
	head -c 1100000 /dev/zero >pad
	objcopy --add-section .pad=pad "$T/marks" padded
	POINT_FROM=$D/begun
	begin_program marks ./padded
	points 30 '<mprof-tracer' 1 a_kept_name
	finish marks
}

# ---- massif files ----

# massif_whole FILE...: each that is there
massif_whole() {
	local f
	for f in "$@"; do
		[ ! -e "$f" ] || limited "$MPROF" report --format=ms_print "$f" >ms.txt || fail "$f is damaged" || return 1
	done
}

# a_tree: a massif file of this moment, and one of all at the end
a_tree() {
	ran "$MPROF" control "$PID" detailed_snapshot tree.out && said err && massif_whole tree.out || return 1
	local status=$STATUS
	went_on && massif_whole m.out && [ -s m.out ] || fail "no massif file at the end" || return 1
	[ $status = 0 ] && [ -s tree.out ] && grep -q 'heap_tree=detailed' tree.out
}

names_are_read() {
	[ "$(cut -d' ' -f11 "/proc/$(tracer_of "$PID")/stat")" != 0 ]
}

a_tree_for() {
	rm -f begun m.out tree.out
	background "${POINTED[@]}" "$MPROF" attach -o report.txt --data=run.data --massif-out-file=m.out "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	# Who reads names ahead of time has come and gone.
	until_true "no names are read" names_are_read
	touch begun
	a_tree
}

a_written_tree() {
	a_tree_for || { killed && answered_or_said 'who was to answer ended without an answer; the session goes on'; }
}

a_named_tree() { a_tree_for && it_is_said attach.err "$NAMELESS"; }

names_ahead() {
	rm -f m.out tree.out
	observed --massif-out-file=m.out && was_killed && a_tree
}

@test "massif: the process that writes a tree is killed, or who reads names for it, or who reads them ahead" {
	POINT_FROM=$D/begun
	begin marks
	points 20 '<mprof-tracer' 1 a_written_tree
	points 90 mprof-apart 1 a_named_tree
	points 9 '<mprof-tracer' 1 names_ahead
	finish marks
}

# massif_of_child: a process that has ended before the others: a copy of the tracing one writes its files
massif_of_child() {
	rm -rf files begun && mkdir files
	ran "${POINTED[@]}" "$MPROF" run --trace-children=yes -o report.txt --data=files/run.data \
		--massif-out-file=files/m.%p -- sh -c ": >begun; $T/simple; :"
	was_killed && nothing_left && massif_whole files/m.* && [ "$(cat out)" = 'simple: done' ] || return 1
	[ "$STATUS" = 0 ] && [ "$(ls files/m.* | wc -l)" = 2 ] || { killed && [ "$STATUS" = 1 ] && says err "$UNWRITTEN"; }
}

@test "massif: the process that writes the file of one that has ended is killed" {
	POINT_FROM=$D/begun
	old
	points 20 '<mprof-tracer' 1 massif_of_child
}

# ---- heap profiles ----

heap_whole() {
	grep -q '^heap profile: ' "$1" && grep -q '^MAPPED_LIBRARIES:' "$1" || fail "$1 is not whole"
}

a_dump() {
	rm -f p.*
	observed --heap-profile="$D/p" --symbols=yes || return 1
	served control "$PID" heap_dump || return 1
	heap_whole p.0002.heap && { [ "$STATUS" != 0 ] || heap_whole p.0001.heap; }
}

a_written_dump() {
	a_dump && answered_or_said 'cannot write the heap profile .*p.0001.heap: the process .* ended with signal 9'
}

a_named_dump() { a_dump && [ "$STATUS" = 0 ] && it_is_said attach.err "$NAMELESS"; }

@test "a heap profile: the process that writes it is killed, or who reads names for it" {
	POINT_FROM=$D/begun
	begin marks
	points 3 '<mprof-tracer' 1 a_written_dump
	points 90 mprof-apart 1 a_named_dump
	finish marks
}

# ---- looks ----

# looked_at COMMAND...: at a program without a session; whoever was killed, it is as it was
looked_at() {
	ran "${POINTED[@]}" "$MPROF" "$@" "$PID" && was_killed && clean "$PID" && nothing_left || return 1
	[ "$name" != server ] || progress server 2 || return 1
	[ "$POINT_OF$STATUS" = first137 ] || said err
}

a_heap() { looked_at heap; }

# is_let_go COMMAND: nobody is told that it took too long
is_let_go() {
	looked_at "$1" && answered_or_said 'let go before all was copied: the process that held it ended with signal 9'
}

a_held_heap() { is_let_go heap; }
a_held_rss() { is_let_go rss; }

some_classes() {
	looked_at heap && [ "$STATUS" = 0 ] && it_is_said err "$NAMELESS"
}

# a_judgement: nobody is told of what has not been read
a_judgement() {
	looked_at doctor && it_is_said err "$NAMELESS" || return 1
	! grep 'looked for malloc' out || fail "it did not look for it"
}

a_served_heap() {
	observed && served heap "$PID" && answered_or_said 'who was to answer ended (without an|in the middle of its) answer; the session goes on'
}

# Of a way to wait nothing is tried first, in a process of its own.
a_look_before() {
	attached --before=walk --wait=sleep && [ "$STATUS" = 0 ] || return 1
	says attach.err 'had [0-9]+ blocks? of .*|what process [0-9]* had on its heap before is not known: '
}

a_last_look() {
	observed && went_on && says attach.err 'resident: [0-9]* bytes = |what the resident memory of process [0-9]* is for is not known'
}

@test "heap: it is killed, or the process that stops the program, or who looks for a session" {
	begin server 2 500
	points 90 first 1 a_heap
	points 60 '<mprof' 1 a_held_heap
	POINT_FROM=$D/begun
	points 90 '<mprof-tracer' 1 a_served_heap
	finish server
}

@test "heap: who reads the names of classes is killed" {
	begin classes
	points 90 mprof-apart 1 some_classes
	finish classes
}

@test "rss and doctor: the process that stops the program is killed, or who reads its files" {
	begin server 2 500
	points 90 '<mprof' 1 a_held_rss
	points 120 mprof-apart 1 a_judgement
	finish server
}

@test "attach: whoever looks at what was there before is killed, or at what is there at the end" {
	begin server 2 500
	points 60 '<mprof-tracer' 1 a_look_before
	POINT_FROM=$D/begun
	points 90 '<mprof-tracer' 1 a_last_look
	finish server
}
