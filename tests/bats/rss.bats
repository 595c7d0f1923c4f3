#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof rss: rows that add up to what the kernel says, and each byte in the right one.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# rss ARG...: its answer is in the file rss
rss() {
	looked rss "$@"
}

# row NAME: its bytes
row() {
	jq --arg name "$1" '[.rows[] | select(.name == $name) | .rss] | add // 0' rss
}

# Pss changes while other processes come and go, between the two readings of the kernel's sums: that
# of smaps is what the rows are held against.
adds_up() {
	jq -e '([.rows[].rss] | add) == .rss and .rss == .rollup_rss and ([.rows[].pss] | add) == .pss' rss >/dev/null
}

# grows COMMAND ROW [BYTES]: what the command adds is in this row: so much, or as the program says
grows() {
	local before other want
	rss --format=json "$PID"
	before=$(row "$2")
	tell_await residents "$1" "^done $1\$"
	rss --format=json "$PID"
	adds_up || fail "the rows do not add up after $1" "$(cat rss)" || return 1
	other=$(($(row "$2") - before))
	want=${3:-$(sed -n 's/^usable //p' residents.out)}
	[ "$other" = "$want" ] || fail "$2 has grown by $other, not $want, after $1" "$(cat rss)" || return 1
}

@test "rows add up to smaps' Rss in 100 of 100 looks at a program at work" {
	start tabled "$T/tabled" 4 4000
	tell_await tabled churn '^churning$'
	same=0
	for i in {1..100}; do
		rss --format=json "$PID"
		adds_up && same=$((same + 1)) || cp rss "differs-$i"
	done
	echo "# $same of 100 looks add up" >&3
	[ "$same" = 100 ] || fail "they do not add up" "$(cat differs-*)"
	tell_await tabled still '^stilled$'
	finish tabled
}

@test "each page is in its row" {
	start residents "$T/residents"
	grows anon 'anonymous mappings of the program' 262144
	grows behind 'anonymous mappings of the program' 262144
	grows shared 'shared memory' 262144
	grows file 'files, written (data)' 262144
	grows blocks 'heap: live blocks, usable'
	grows readonly 'heap: live blocks, usable' 262144
	grows closed 'heap: live blocks, usable' 262144
	grows code 'heap: live blocks, usable' 262144
	tell_await residents stack '^done stack$'
	rss --format=json "$PID"
	adds_up
	# But for what of the stack is in use.
	[ "$(row 'stacks, below the pointer')" -ge 245760 ]
	finish residents
}

@test "pages that were read and never written are in no row" {
	start residents "$T/residents"
	rss --format=json "$PID"
	before=$(jq .rss rss) anon=$(row 'anonymous mappings of the program')
	tell_await residents zeros '^done zeros$'
	rss --format=json "$PID"
	adds_up
	[ "$(row 'anonymous mappings of the program')" = "$anon" ]
	[ "$(jq .rss rss)" = "$before" ]
	finish residents
}

@test "of a block that was read and never written only the page with its header counts" {
	read -r major minor < <(uname -r | tr . ' ')
	minor=${minor%%[!0-9]*}
	((major > 6 || (major == 6 && minor >= 7))) || skip "this kernel does not tell which pages are pages of zeros"
	start residents "$T/residents"
	grows unwritten 'heap: live blocks, usable' 4080
	[ "$(jq .zero_pages rss)" = 0 ]
	finish residents
}

@test "with --modules the rows of files are theirs" {
	start residents "$T/residents"
	rss --format=json "$PID"
	code=$(row code)
	rss --format=json --modules "$PID"
	adds_up
	[ "$(row code)" = "$code" ]
	[ "$(jq '[.rows[] | select(.name == "code" and .of == null)] | length' rss)" = 0 ]
	jq -e --arg of "$T/residents" '.rows[] | select(.name == "code" and .of == $of) | .rss > 0' rss
	refused 2 'unknown option --modules for mprof heap' "$MPROF" heap --modules "$PID"
	finish residents
}

@test "the text has the same rows" {
	start residents "$T/residents"
	rss --format=json "$PID" && cp rss json
	rss "$PID"
	[ "$(sed -n '/ bytes /,/^Rss /p' rss | sed '1d;$d' | awk '{ n += $(NF - 1) } END { print n }')" = "$(jq .rss json)" ]
	[ "$(sed -n 's/^Rss *\([0-9]*\).*/\1/p' rss)" = "$(jq .rss json)" ]
	grep -q '^beside it: page tables [1-9]' rss
	finish residents
}

@test "an allocator that is not known: its areas are not divided, and the rows add up" {
	preload=$(find /usr/lib -name libmimalloc.so.2 | head -n 1)
	[ -n "$preload" ] || skip "libmimalloc2.0 is not installed"
	start tabled env LD_PRELOAD="$preload" "$T/tabled" 2 500
	tell_await tabled 'work 2000' '^worked$'
	rss --format=json "$PID"
	adds_up
	a_sentence rss.err "the heap of process $PID is not divided: its allocator is mimalloc"
	[ "$(row 'heap: live blocks, usable')" = 0 ]
	finish tabled
}
