# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154
# Pages instead of heap blocks: --pages-as-heap=yes.

load ../lib/common
load ../lib/live

# field FILE NAME: all values of a field of the snapshots
field() {
	sed -n "s/^$2=//p" "$1"
}

# pages PROGRAM [ARG...]: its massif file is m.out, with a snapshot of every event
pages() {
	limited "$MPROF" run --massif-out-file=m.out --pages-as-heap=yes --time-unit=B --max-snapshots=1000 \
		--detailed-freq=1 --threshold=0 --data=/dev/null -- "$@" >out 2>err </dev/null
	ms_print m.out >/dev/null
}

# The changes of the useful bytes in pages, in their order.
changes() {
	field m.out mem_heap_B | awk 'NR > 1 && $1 != last { printf "%d ", ($1 - last) / 4096 } { last = $1 }'
}

@test "known mmap, munmap, mremap, brk and shmat calls change what is told by as many pages" {
	not_by_fast "pages are told where system calls stop"
	pages "$T/pagecalls"
	# sbrk begins where no page boundary need be: 7 pages up, then 3 or 4 down.
	changes | grep -Eq ' 100 -20 -20 370 7 -[34] (5 -5 )?' || fail "$(changes)"
	[ "$(field m.out mem_heap_extra_B | sort -u)" = 0 ]
	[ "$(field m.out mem_stacks_B | sort -u)" = 0 ]
	grep -q '^n[0-9]*: [0-9]* (page allocation syscalls) mmap/mremap/brk, --alloc-fns, etc.$' m.out
	grep -Eq ' 0x[0-9A-F]+: known [(]pagecalls.c:[0-9]+[)]$' m.out
	grep -Eq '^ n0: [0-9]+ 0x0: [?]{3}$' m.out
}

@test "in the end as many bytes are told as the program has mapped, its grown stack included" {
	not_by_fast "pages are told where system calls stop"
	pages "$T/pagecalls"
	[ "$(field m.out mem_heap_B | tail -1)" = $(($(sed -n 's/^mapped //p' out) + 4096)) ]
	# Nothing of the heap is traced meanwhile.
	grep -q ': 0 allocations of 0 bytes' err
}

@test "threads that map and unmap at the same time" {
	not_by_fast "pages are told where system calls stop"
	pages "$T/pagecalls" threads
	[ "$(field m.out mem_heap_B | tail -1)" = $(($(sed -n 's/^mapped //p' out) + 4096)) ]
}

@test "attached, it begins with what is mapped, and the program is let go as it was" {
	not_by_fast "pages are told where system calls stop"
	start server "$T/server"
	attach -o report.txt --data=/dev/null --massif-out-file=m.out --pages-as-heap=yes --time-unit=B "$PID"
	progress server 2
	limited "$MPROF" control "$PID" snapshot now.out >/dev/null
	[ "$(field now.out mem_heap_B)" -gt 1000000 ]
	detach "$PID"
	clean "$PID"
	[ "$(field m.out mem_heap_B | head -1)" -gt 1000000 ]
	progress server 2
	finish server
}

@test "stacks and pages do not go together; without the heap there are no pages" {
	refused 2 'pages-as-heap' "$MPROF" run --massif-out-file=m.out --pages-as-heap=yes --stacks=yes -- \
		touch ran
	[ ! -e ran ]
	limited "$MPROF" run --massif-out-file=m.out --pages-as-heap=yes --heap=no --time-unit=B \
		--data=/dev/null -- "$T/pagecalls" >out 2>err </dev/null
	[ "$(field m.out mem_heap_B)" = 0 ]
}

@test "a child of fork goes on with its parent's pages" {
	not_by_fast "pages are told where system calls stop"
	limited "$MPROF" run --massif-out-file=m.%p --trace-children=yes --pages-as-heap=yes --time-unit=B \
		--data=/dev/null -- "$T/heirs" >out 2>err </dev/null
	local m=(m.*[0-9])
	[ ${#m[@]} = 2 ]
	[ "$(field "${m[0]}" mem_heap_B | head -1)" = "$(field "${m[1]}" mem_heap_B | head -1)" ]
	ms_print "${m[0]}" >/dev/null
	ms_print "${m[1]}" >/dev/null
}
