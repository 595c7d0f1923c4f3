#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Every allocator and every kind of binary: each program states its own totals, and the report has
# exactly these; and which functions are trapped, as the user says.

bats_require_minimum_version 1.5.0
load ../lib/common

# stated [-p LIBRARY] [-t WORD] [MPROF-OPTION...] -- PROGRAM [ARG...]
#
# Runs the program alone and under mprof: same output, same end, and the numbers that it stated. -p: with
# this library preloaded; -t: without what it states of WORD. Leaves report.json, bins and err.
stated() {
	local preload='' without='^$' status=0
	while :; do
		case $1 in
		-p) preload=$2 ;;
		-t) without="^$2 " ;;
		*) break ;;
		esac
		shift 2
	done
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	# Not in mprof itself: with a sanitizer in it, it cannot bear another malloc.
	[ -z "$preload" ] || set -- env LD_PRELOAD="$preload" "$@"
	limited "$@" >out0 2>err0 </dev/null || status=$?
	[ "$status" = 0 ] || fail "alone: status $status" "$(cat out0 err0)" || return 1
	rm -f bins run.data
	BINS=bins limited "$MPROF" run -o run.txt --data=run.data "${options[@]}" -- "$@" \
		>out 2>err </dev/null || fail "status $?" "$(tail -n 20 err)" || return 1
	cmp out0 out || fail "other output" || return 1
	limited "$MPROF" report --format=json run.data >report.json || return 1
	grep -v "$without" bins >bins.stated
	agrees report.json bins.stated
}

# by_whom PROGRAM: BY is the engine for it. Of static programs with an allocator of their own the fast one may
# have to see all, and where it does not it refuses: then --engine=auto is what can be asked for.
by_whom() {
	BY=${MPROF_ENGINE:-trap}
	case $BY,$1 in
	fast,own-static | fast,own-bare-static) BY=auto ;;
	esac
}

# leaks_of FUNCTION: kept bytes requested directly in it
leaks_of() {
	jq "[.leaks[] | select(.path[-1].function == \"$1\") | .kept_bytes] | add // 0" report.json
}

no_allocators() { # in chains of the program; one may ask itself for memory when it is loaded
	nothing "$(jq -r '.leaks[].path | select(any(.function == "main"))[]
		| select(.module // "" | test("jemalloc|tcmalloc|mimalloc")) | .function' report.json)" \
		"an allocator's function in a chain:"
}

# ---- who calls free ----

@test "functions that jump to free are exact, with one allocator and with several, and need no fourth stop" {
	local p stops pairs
	for p in '' libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		stated -p "$p" --stats --check-unwinding -- "$T/wrappers" || fail "$p"
		stops=$(sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' err | tail -n 1)
		pairs=$(jq .totals.allocs report.json)
		echo "$p: $stops traps, $pairs allocations"
		[ "$pairs" -ge 1500 ]
		# 300 frees return to where a malloc from the same place is awaited; some are for libraries.
		# Beside the fast engine each return of a trapped free is awaited.
		[ "${MPROF_ENGINE:-trap}" != trap ] || [ "$stops" -le $((3 * pairs + 300 + 100)) ]
	done
}

# ---- binaries ----

@test "a program is exact however it is linked: PIE, no PIE, static, static PIE, stripped" {
	local p
	for p in plain plain-no-pie plain-static plain-static-pie plain-stripped; do
		stated -- "$T/$p" || fail "$p"
	done
	# The last one has no names of its own; the others have.
	stated -- "$T/plain-static-pie"
	[ "$(leaks_of leaf)" = $((20 * 7001)) ]
}

@test "a program with musl is exact however it is linked" {
	local p
	for p in plain-musl plain-musl-no-pie plain-musl-static plain-musl-static-pie plain-musl-stripped; do
		stated --check-unwinding -- "$T/$p" || fail "$p"
		[ "$p" = plain-musl-stripped ] || [ "$(leaks_of leaf)" = $((20 * 7001)) ] || fail "$p: no names"
		# musl's start code has no call frame information; that is where a chain ends, and no more.
		[ "$(jq .totals.truncated_chains report.json)" = 0 ] || fail "$p: truncated chains"
		# Where the fast engine needs a copy of the stack there is nothing to compare it with.
		[ "${MPROF_ENGINE:-trap}" != trap ] || grep -q ' [1-9][0-9]* chains checked, 0 wrong' err || fail "$p: chains"
		[ "$p" = plain-musl-stripped ] || nothing "$(jq -r '.callgraph[].function' report.json |
			grep -vxE 'leaf|work|main')" "$p: start code:"
	done
	! readelf -l "$T/plain-musl-static-pie" | grep -q INTERP
}

@test "the child of a musl thread knows where the chains of its thread end" {
	cat >forked.c <<-'EOT'
		#include <pthread.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void *leaf(size_t n) { void *volatile p = malloc(n); return p; }
		static void *work(void *arg)
		{
			free(leaf(6133));
			pid_t child = fork();
			if (child)
				return waitpid(child, NULL, 0) == child ? arg : arg + 1;
			free(leaf(6151));
			_exit(0);
		}
		int main(void)
		{
			pthread_t t;
			void *bad = "";
			return pthread_create(&t, NULL, work, NULL) || pthread_join(t, &bad) || bad;
		}
	EOT
	musl-gcc -O0 -g -pthread -o forked forked.c
	limited "$MPROF" run --trace-children=yes -o run.txt --data=run.data -- ./forked >out 2>err
	for data in run.data run.data.*; do
		limited "$MPROF" report --format=json "$data" >report.json
		jq -e '.totals.allocs == 1 and .totals.truncated_chains == 0' report.json || fail "$data"
		jq -e '[.leaks, .callgraph[].function] | any(. == "work")' report.json || fail "$data: no chain"
	done
	[ "$(ls run.data.* | wc -l)" = 1 ]
}

# The linker makes glibc's malloc local in a static PIE; what a source file calls so is local everywhere.
@test "of a static program's local functions only those are allocators that the linker has made local" {
	cat >namesakes.c <<-'EOT'
		#include <stdlib.h>
		static __attribute__((noinline)) void *mine(size_t n) __asm__("calloc");
		static void *mine(size_t n)
		{
			__asm__ volatile("");
			return (char *)NULL + n;
		}
		int main(void)
		{
			int calls = 0;
			for (int i = 0; i < 10; i++) {
				calls += mine(7000) != NULL;
				void *volatile p = malloc(6211);
				free(p);
			}
			return calls != 10;
		}
	EOT
	gcc -O1 -g -c -o namesakes.o namesakes.c
	for how in -static -static-pie; do
		gcc $how -o namesakes namesakes.o
		limited "$MPROF" run -o run.txt --data=run.data -- ./namesakes >out 2>err || fail "$(cat err)"
		limited "$MPROF" report --format=json run.data >report.json
		jq -e '[.bins[] | select(.size == 6211) | .allocs, .frees] == [10, 10]' report.json || fail "$how: counts"
		jq -e '[.direct[] | select(.function == "main") | .calls] == [10]' report.json || fail "$how: $(cat run.txt)"
	done
}

# musl's posix_memalign calls aligned_alloc, and has no call frame information: the frame pointer, which is its caller's,
# leads over the caller's frame.
@test "musl's posix_memalign is one call, of its caller's, if that has a frame pointer" {
	cat >memalign.c <<-'EOT'
		#include <pthread.h>
		#include <stdlib.h>
		static void *leaf(void)
		{
			void *p;
			return posix_memalign(&p, 64, 6147) ? NULL : p;
		}
		static void *work(void *arg)
		{
			for (int i = 0; i < 10; i++)
				free(leaf());
			return arg;
		}
		int main(void)
		{
			pthread_t t;
			work(NULL);
			return pthread_create(&t, NULL, work, NULL) || pthread_join(t, NULL);
		}
	EOT
	for how in "" -static; do
		# shellcheck disable=SC2086
		musl-gcc -O0 -g $how -pthread -o memalign memalign.c
		limited "$MPROF" run -o run.txt --data=run.data -- ./memalign >out 2>err || fail "$(cat err)"
		limited "$MPROF" report --format=json run.data >report.json
		jq -e '[.bins[] | select(.size == 6147) | .allocs, .frees] == [20, 20]' report.json || fail "$how: counts"
		jq -e '[.direct[] | select(.calls == 20) | .function] == ["leaf"]' report.json || fail "$how: chains"
		jq -e '.totals | .truncated_chains == 0 and .guessed_chains == 0' report.json
	done
}

@test "a thread's default heap of mimalloc is that of its child, too" {
	cat >heirheap.c <<-'EOT'
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		void *mi_heap_new(void), *mi_heap_set_default(void *), *mi_malloc(size_t);
		void mi_heap_destroy(void *);
		int main(void)
		{
			void *heap = mi_heap_new(), *before = mi_heap_set_default(heap);
			pid_t child = fork();
			if (child)
				return waitpid(child, NULL, 0) != child;
			void *volatile p = mi_malloc(6163);
			mi_heap_set_default(before);
			mi_heap_destroy(heap);
			_exit(!p);
		}
	EOT
	gcc -O0 -g -o heirheap heirheap.c -l:libmimalloc.so.2
	limited "$MPROF" run --trace-children=yes -o run.txt --data=run.data -- ./heirheap >out 2>err
	limited "$MPROF" report --format=json run.data.* |
		jq -e '.bins | any(.size == 6163 and .allocs == 1 and .frees == 1)'
}

@test "a musl function without call frame information in the middle of a chain still truncates it" {
	cat >middle.c <<-'EOT'
		#include <stdlib.h>
		int outer(void) { void *volatile p = malloc(6131); return !p; }
		int through(void);
		__asm__(".text\n.globl through\n.type through,@function\nthrough: subq $24, %rsp\n"
			"call outer\naddq $24, %rsp\nret\n.size through,.-through\n");
		int main(void) { return through(); }
	EOT
	musl-gcc -O0 -fomit-frame-pointer -g -o middle middle.c
	limited "$MPROF" run -o run.txt --data=run.data -- ./middle >out 2>err
	limited "$MPROF" report --format=json run.data |
		jq -e '.totals.truncated_chains == 1 and .totals.truncated_no_cfi == 1'
}

@test "C++ that is linked statically is exact, exceptions through traced frames included" {
	stated -- "$T/cxx-static-pie"
	stated -- "$T/cxx-static"
}

@test "plugins in namespaces with a C library of their own are exact" {
	stated -- "$T/spaces"
	[ "$(leaks_of plug_a_leaf)" = $((16 * 6131)) ]
}

@test "a plugin that is loaded at another address each time is exact and one module" {
	stated -- "$T/elsewhere"
	[ "$(leaks_of plug_a_leaf)" = $((5 * 6143)) ]
	[ "$(jq '[.leaks[] | select(.path[-1].function == "plug_a_leaf")] | length' report.json)" = 1 ]
}

@test "functions of assembly without a type, and those that are chosen when the program starts, are exact" {
	local p
	for p in own-bare own-bare-static own-indirect-no-pie own-indirect-static own-indirect-static-pie; do
		by_whom "$p"
		MPROF_ENGINE=$BY stated -- "$T/$p" || fail "$p"
	done
	for p in own-bare.so own-indirect.so; do
		stated -p "$T/$p" -- "$T/peak" || fail "$p"
		stated -p "$T/$p" -- "$T/recursion" || fail "$p"
		# Chosen before anything could be trapped.
		limited "$MPROF" run -o run.txt --data=run.data -- env LD_PRELOAD="$T/$p" LD_BIND_NOW=1 "$T/recursion" \
			>out 2>err
		limited "$MPROF" report --format=json run.data | jq .totals >now.json
		jq .totals report.json | diff - now.json || fail "$p, bound at the start"
	done
	limited "$MPROF" probes "$T/own-indirect-static" |
		grep -qE '^0x[0-9a-f]+  calloc +calloc .*indirect: where this function says\)$'
}

@test "a program and a library without section headers are exact" {
	local p
	for p in plain plain-no-pie plain-static-pie own own-indirect-no-pie cxx plain-musl; do
		python3 "$ROOT/tests/lib/sstrip.py" "$T/$p" "./$p"
		[ "$(readelf -h "./$p" | awk '/Number of section headers/ { print $5 }')" = 0 ]
		[ "$p" = plain-static-pie ] || stated -- "./$p" || fail "$p"
	done
	refused 1 'no allocator found' "$MPROF" run -- ./plain-static-pie
	for p in own.so own-bare.so own-indirect.so; do
		python3 "$ROOT/tests/lib/sstrip.py" "$T/$p" "./$p"
		stated -p "$PWD/$p" -- "$T/recursion" || fail "$p"
		[ "$(jq '[.leaks[].path[] | select(.module // "" | endswith(".so"))] | length' report.json)" = 0 ] || fail "$p"
	done
}

# ---- operators ----

@test "every form of new and delete is exact: through malloc, static, from an arena, with a header in front" {
	local p
	for p in newforms newforms-static-pie newforms-static-libs newforms-arena newforms-arena-static-pie \
		newforms-header newforms-header-static-pie; do
		stated -- "$T/$p" || fail "$p"
	done
}

@test "every form of new and delete is exact with a preloaded allocator" {
	stated -p libjemalloc.so.2 -- "$T/newforms"
	no_allocators
	# It tries again by itself after a new handler, which nobody can see.
	stated -p libtcmalloc_minimal.so.4 -t failed -- "$T/newforms"
	no_allocators
}

@test "exceptions with a preloaded allocator are exact" {
	stated -p libjemalloc.so.2 -- "$T/cxx"
	stated -p libtcmalloc_minimal.so.4 -- "$T/cxx"
}

@test "operators new are in no chain, whoever defines them" {
	local p
	for p in newforms newforms-static-pie newforms-arena newforms-header; do
		stated -- "$T/$p"
		nothing "$(jq -r '.leaks[].path[].function | select(startswith("operator"))' report.json)" "$p:"
		[ "$(jq '[.direct[] | select(.function == "main")] | length' report.json)" = 1 ]
	done
}

# ---- allocators ----

@test "a preloaded allocator over the C library counts nothing twice" {
	local lib
	for lib in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		stated -p $lib -- "$T/plain" || fail "$lib"
		no_allocators
		stated -p $lib -- "$T/churn" 20 || fail "$lib, churn"
		stated -p $lib -- "$T/plugins" || fail "$lib, plugins"
		stated -p $lib -- "$T/pairs" 500 || fail "$lib, pairs"
	done
}

@test "jemalloc's own functions are exact, xallocx too" {
	stated -- "$T/jemallocx"
}

@test "tcmalloc's functions are exact by their own names" {
	stated -- "$T/tcmallocs"
}

@test "mimalloc's functions and heaps are exact" {
	stated -- "$T/mimallocs"
}

@test "mimalloc's heaps are exact: destroyed, deleted, made the default, and their addresses used again" {
	stated -- "$T/mipools"
	# What a heap itself takes is no request of the program's.
	[ "$(jq '[.bins[] | select(.size < 5401 and .size > 4 and .size != 4096)] | map(select(.size > 1000)) | length' report.json)" = 0 ]
}

@test "GLib's slices are exact, in slabs or from malloc" {
	stated -- "$T/slices"
	G_SLICE=always-malloc stated -- "$T/slices"
}

@test "pools of the Apache Portable Runtime are exact: nested, cleared, with cleanups of the program's" {
	stated -- "$T/aprpools"
}

@test "the Boehm collector's functions are exact" {
	stated -- "$T/boehm"
}

@test "what finalizers of the Boehm collector request and free counts, though it is inside of GC_malloc" {
	stated -- "$T/finalizers"
}

@test "a function that the program tells to be a callback counts inside of an allocator" {
	cat >deferred.c <<-'EOT'
		#include "target.h"
		void *mi_malloc(size_t);
		void mi_free(void *);
		void mi_register_deferred_free(void (*)(bool, unsigned long long, void *), void *);
		static void *waiting[5000];
		static long n, freed;
		void later(bool force, unsigned long long beat, void *arg)
		{
			(void)force, (void)beat, (void)arg;
			for (; n; freed++)
				mi_free(waiting[--n]);
		}
		int main(void)
		{
			mi_register_deferred_free(later, NULL);
			for (int i = 0; i < 5000; i++) {
				void *p = mi_malloc(6701); /* which frees those before */
				waiting[n++] = p;
			}
			MUST(freed > 10);
			bin(6701, 5000, freed);
			truth("unknown 0\n");
			return 0;
		}
	EOT
	gcc -D_GNU_SOURCE -I"$ROOT/tests/targets" -O0 -g -o deferred deferred.c -l:libmimalloc.so.2
	stated --hook=callback:later -- ./deferred
}

# ---- pools that tell ----

@test "blocks announced by the functions of mprof.h are counted beside the slab they were cut from" {
	stated -- "$T/markers"
	[ "$(leaks_of pool_get)" = $((100003 + 28 * 1301)) ]
	[ "$(leaks_of main)" = 1200 ]
}

@test "blocks announced by client requests are counted, unless that is not wanted" {
	stated -- "$T/requests"
	[ "$(jq '[.bins[] | select(.size == 1301) | .allocs] | add' report.json)" = 50 ]
	stated -t bin --client-requests=no -- "$T/requests" || true # the pool is not seen
	[ "$(jq '[.bins[] | select(.size == 1301)] | length' report.json)" = 0 ]
}

@test "the pool of the examples has the cells that it says" {
	cc -g -O0 -I"$ROOT/include" -o pool "$ROOT/examples/pool.c"
	limited "$MPROF" run -o run.txt --data=run.data --mma-log-file=pool.log -- ./pool >out 2>err
	grep -qE '^ +24 +50 +1200 .* 31 +456 ' run.txt
	grep -qE '^ +40 +50 +2000 .* 30 +800 ' run.txt
	grep -qE '^ +48 +1 +48 .* 0 +48 ' run.txt
	# The first cell has the address of the slab; in the log, too, they are two blocks.
	limited "$MPROF" stats --format=json pool.log >log.json
	limited "$MPROF" stats --format=json run.data >data.json
	cmp log.json data.json
	jq -e '.replaced == 0 and .unknown_free == 0 and .load_max >= 48000 + 2000 + 1200' log.json
}

@test "announcements are found in a static program, in a library, and twice in one process" {
	stated -- "$T/markers-static-pie"
	[ "$(leaks_of pool_get)" = $((100003 + 28 * 1301)) ]
	cat >lib.c <<-EOT
		#include <mprof/mprof.h>
		static char cells[10][64];
		void *lib_get(int i) { mprof_malloclike(cells[i], 57); return cells[i]; }
		void lib_put(int i) { mprof_freelike(cells[i]); }
	EOT
	cat >prog.c <<-EOT
		#include <mprof/mprof.h>
		static char cells[10][64];
		void *lib_get(int i);
		void lib_put(int i);
		int main(void)
		{
			for (int i = 0; i < 10; i++) {
				lib_get(i);
				mprof_malloclike(cells[i], 59);
			}
			for (int i = 0; i < 4; i++) {
				lib_put(i);
				mprof_freelike(cells[i + 1]);
				mprof_freelike(cells[i + 1]); /* once too often */
			}
			return 0;
		}
	EOT
	cc -O2 -fPIC -shared -I"$ROOT/include" -o libpool.so lib.c
	local how
	for how in '' -fvisibility=hidden -no-pie; do
		cc -O2 $how -I"$ROOT/include" -o prog prog.c ./libpool.so
		limited "$MPROF" run -o run.txt --data=run.data -- ./prog 2>err
		limited "$MPROF" report --format=json run.data 2>/dev/null |
			jq -e '[.bins[] | select(.size == 57 or .size == 59) | .allocs, .frees] == [10, 4, 10, 4]
				and .totals.unknown_frees == 4' || fail "$how"
	done
}

# ---- what is trapped ----

@test "functions named by --hook are exact, and what they call is not counted" {
	stated --hook=malloc:pool_take --hook=free:pool_give --hook=realloc:pool_more -- "$T/hooked"
	nothing "$(ours err | grep -- --hook || true)" "complaints:"
}

@test "an allocator that promises more than 2^63 bytes: no figure is negative" {
	cat >promises.c <<-EOT
		#include <stddef.h>
		static char room[64];
		__attribute__((noinline)) void *promise(size_t n)
		{
			static size_t used;
			__asm__ volatile("" : : "r"(n));
			return room + 16 * used++;
		}
		__attribute__((noinline)) void release(void *p)
		{
			__asm__ volatile("" : : "r"(p));
		}
		int main(void)
		{
			for (int i = 0; i < 3; i++)
				promise((size_t)1 << 62);
			release(promise(16));
		}
	EOT
	cc -O0 -o promises promises.c
	limited "$MPROF" run --heap-profile=heap --hook=malloc:promise --hook=free:release -o run.txt --data=run.data -- ./promises 2>err
	grep -q '^Total bytes not freed: 13835058055282163712$' run.txt
	limited "$MPROF" report --format=json run.data >report.json
	jq -e '.totals.kept_bytes == 13835058055282163712 and .peak.live_bytes == 13835058055282163728 and
		([.. | numbers | select(. < 0)] == [])' report.json
	# Heap profiles have no such numbers, and say so; nor has a difference.
	for format in text folded; do
		limited "$MPROF" report --format=$format --show_bytes run.data >text.out 2>text.err
		grep -q 9223372036854775807 text.out
		says text.err 'a sum is beyond 2\^63 - 1'
	done
	[ "$(head -n 1 heap.0003.heap)" = 'heap profile:      3: 9223372036854775807 [     3: 9223372036854775807] @ heapprofile' ]
	refused 1 'a sum is beyond 2\^63 - 1' "$MPROF" diff run.data run.data
}

@test "definitions in a file are exact, results through a pointer too" {
	cat >my.probes <<-EOT
		# an allocator of our own
		malloc  pool_take
		free    pool_give
		realloc pool_more
		malloc  pool_into out=2 count=3 size=4	# (flags, &block, n, each)
	EOT
	stated --probes=my.probes -- "$T/hooked"
	[ "$(jq .totals.failed_allocs report.json)" = 1 ]
}

@test "functions of a static program without names are exact by their addresses" {
	needs_traps "functions that the user names, and no others, are for traps"
	local name kind hooks=()
	for name in pool_take:malloc pool_give:free pool_more:realloc malloc:malloc free:free; do
		kind=${name#*:} name=${name%:*}
		hooks+=("--hook=$kind:0x$(awk -v n="$name" '$3 == n { print $1; exit }' "$T/hooked-nameless.names")")
	done
	stated "${hooks[@]}" -- "$T/hooked-nameless"
	refused 1 'no allocator found.*--hook=malloc:0x' "$MPROF" run -- "$T/hooked-nameless"
}

@test "a hook in the middle of an instruction is refused, and the program is what it was" {
	needs_traps "functions that the user names, and no others, are for traps"
	local at into
	at=$((16#$(awk '$3 == "pool_take" { print $1; exit }' "$T/hooked-nameless.names")))
	# push %rbx; mov %rdi,%rbx; lea ...
	objdump -d "$T/hooked-nameless.whole" | grep -A3 '<pool_take>:' >code
	into=$(awk -F'\t' 'NR > 1 { n = split($2, b, " "); if (n > 1) { sub(/:.*/, "", $1); print $1; exit } }' code)
	limited "$MPROF" run -o run.txt --data=run.data --hook=malloc:0x$(printf %x $at) \
		--hook=malloc:0x$(printf %x $((16#${into// /} + 1))) -- "$T/hooked-nameless" >out 2>err
	says err 'there is no instruction at this address but the middle of one: not trapped'
	grep -q 'hooked: done' out
	limited "$MPROF" probes --hook=malloc:0x$(printf %x $at) "$T/hooked-nameless" | grep -q ' malloc  *0x'
}

@test "a hook that is found nowhere is reported at the end" {
	stated --hook=malloc:no_such_function --hook=free:0x10 -- "$T/plain"
	says err '--hook=malloc:no_such_function: no function of this name'
	says err '--hook=free:0x10: the program has no code at this address'
}

@test "--malloc-lib restricts where allocators are looked for, and a name that matches nothing is reported" {
	stated --malloc-lib=libc.so.6 -- "$T/plain"
	stated --malloc-lib=NONE -- "$T/plain-static-pie"
	stated -p libjemalloc.so.2 --malloc-lib=libjemalloc.so.2 -- "$T/cxx"
	MMA_LIBC_NAME=libc.so.6 stated -- "$T/plain"
	limited "$MPROF" run -o run.txt --data=run.data --malloc-lib=NONE --malloc-lib=libnot.so -- "$T/plain" \
		>out 2>err
	says err '--malloc-lib=libnot.so: no object'
	says err 'nothing was trapped in it: no allocator'
	[ "$("$MPROF" report --format=json run.data | jq .totals.allocs)" = 0 ]
	# What a file of definitions tells by address is of the program, which is not libc.so.6.
	printf 'malloc 0x%s\n' "$(nm "$T/hooked" | awk '/ pool_take$/ { print $1 }')" >my.probes
	limited "$MPROF" probes --malloc-lib=libc.so.6 --probes=my.probes "$T/hooked" >list
	! grep -q my.probes list
}

@test "two hooks of one function are one, and none of them is missing" {
	limited "$MPROF" run -o run.txt --data=run.data --hook=malloc:pool_take --hook=calloc:pool_take \
		--hook=free:pool_give -- "$T/hooked" >out 2>err
	[ "$(grep -c 'no function of this name' err)" = 0 ]
	limited "$MPROF" probes --hook=malloc:pool_take --hook=calloc:pool_take "$T/hooked" >list 2>err
	[ "$(grep -c pool_take list)" = 1 ] && [ ! -s err ] || fail "$(cat list err)"
}

@test "an error in a file of definitions tells file, line and what was expected, and nothing runs" {
	printf 'malloc a\n\nmaloc b\n' >bad.probes
	refused 2 'bad.probes:3: expected a kind such as malloc' "$MPROF" run --probes=bad.probes -- touch ran
	refused 2 'bad.probes:3: expected a kind such as malloc' "$MPROF" probes --probes=bad.probes true
	refused 2 'none.probes: No such file' "$MPROF" run --probes=none.probes -- touch ran
	refused 2 'hook=maloc:f: expected a kind' "$MPROF" run --hook=maloc:f -- touch ran
	refused 2 'hook=malloc: expected KIND:NAME' "$MPROF" attach --hook=malloc $$
	[ ! -e ran ]
}

@test "definitions are read from files and from pipes of the shell, and nothing else is waited for" {
	local from
	printf 'malloc pool_take\nfree pool_give\nrealloc pool_more\nmalloc pool_into out=2 count=3 size=4\n' >my.probes
	cat my.probes | limited "$MPROF" run -o run.txt --data=run.data --probes=/dev/stdin -- "$T/hooked" >out 2>err
	[ "$("$MPROF" report --format=json run.data 2>/dev/null | jq .totals.failed_allocs)" = 1 ]
	limited "$MPROF" probes --probes=<(cat my.probes) "$T/hooked" | grep -q ' pool_into '
	mkfifo fifo
	for from in fifo . /dev/zero /dev/ptmx; do
		refused 2 'cannot read the probe definitions in .*: (it is neither a file nor a pipe|Is a dir)' \
			"$MPROF" run --probes=$from -- touch ran || fail "$from"
	done
	[ ! -e ran ]
}

@test "mprof probes lists what would be trapped in a program and its libraries, and why" {
	limited "$MPROF" probes "$T/plain" >list
	grep -qE '^0x[0-9a-f]+  malloc +malloc +/.*libc\.so\.6  \(built-in:[0-9]+\)$' list
	grep -qE '  calloc +calloc ' list
	[ "$(grep -c plain list)" = 0 ]
	printf 'free free\n' >my.probes
	limited env LD_PRELOAD=libjemalloc.so.2 "$MPROF" probes --probes=my.probes --hook=malloc:leaf "$T/plain" >list
	grep -qE '  malloc +leaf +.*/plain  \(--hook=malloc:leaf\)$' list
	grep -qE '  resize +xallocx +/.*libjemalloc\.so\.2 ' list
	[ "$(grep -cE '  free +free +/.*\(my.probes:1\)$' list)" = 2 ]
	limited "$MPROF" probes --malloc-lib=NONE "$T/plain-static" >list
	[ "$(grep -c '  malloc  ' list)" -ge 2 ]
	refused 10 'nothing would be trapped' "$MPROF" probes --malloc-lib=NONE "$T/plain"
	limited "$MPROF" probes "$T/plain-musl" | grep -qE '  malloc +malloc +/.*musl'
	limited "$MPROF" probes "$T/requests" | grep -q '  request  .*/requests  (--client-requests)$'
}

@test "mprof probes of a process tells the addresses that are in it" {
	cp "$(binary sleep)" ./sleeper
	limited ./sleeper 1000 3>&- &
	local pid
	for _ in {1..100}; do
		pid=$(marked | while read -r p; do
			[ "$(readlink "/proc/$p/exe")" = "$PWD/sleeper" ] && echo "$p"
		done | head -n1)
		# asleep: everything has been loaded
		[ -n "$pid" ] && grep -q libc "/proc/$pid/maps" && grep -q '^State:.S' "/proc/$pid/status" && break
		sleep 0.1
	done
	limited "$MPROF" probes "$pid" >list || fail "$(cat list)"
	local at start end
	at=$(awk '$2 == "malloc" && $3 == "malloc" { print $1; exit }' list)
	while read -r start end; do
		((at >= 16#$start && at < 16#$end)) && break
	done < <(sed -nE 's/^([0-9a-f]+)-([0-9a-f]+) r-xp .*libc\.so\.6$/\1 \2/p' "/proc/$pid/maps")
	kill "$pid"
	((at >= 16#$start && at < 16#$end))
	refused 3 'no such process' "$MPROF" probes 2147483646
}

@test "wrappers named by --alloc-fn vanish, functions named by --ignore-fn count for nothing" {
	stated -t bin -- "$T/hooked" || true # its own allocator is not known here
	[ "$(leaks_of pool_take)" != 0 ]
	limited "$MPROF" report --alloc-fn=pool_take --format=json run.data >report.json
	[ "$(jq '[.leaks[].path[].function | select(. == "pool_take")] | length' report.json)" = 0 ]
	[ "$(leaks_of main)" != 0 ]
	limited "$MPROF" report --ignore-fn=pool_take --ignore-fn=pool_more --format=json run.data >ignored.json
	[ "$(jq '[.bins[] | select(.size == 8117)] | length' ignored.json)" = 0 ]
	[ "$(jq '.bins[] | select(.size == 8131) | .allocs' ignored.json)" = 1 ]
	agrees ignored.json
}

# ---- kinds, and sizes ----

@test "labels told by an argument or by the function break tables 3 and 4 down by kind" {
	label_probes >lisp.probes
	stated --probes=lisp.probes -- "$T/labels"
	jq -e '.breakdown == "kind" and (.direct | length == 1) and .direct[0].function == "work"
		and .direct[0].bytes == {c: (12 * 16), f: (3 * 24), s: (2 * 8 + 2 * 2000), o: (2 * 16)}
		and .direct[0].kept == {c: (5 * 16), f: (3 * 24), s: (2 * 8 + 2 * 2000), o: 16}' report.json ||
		fail "$(jq -c .direct report.json)"
	grep -qE '^-+c--f--s--o-+c--f--s--o-+$' run.txt
	grep -qF '% mem(kind)' run.txt
	grep -qF 'kind-func' run.txt
	# Without labels it is the sizes again.
	stated -- "$T/labels"
	jq -e '.breakdown == null and (.direct[0].bytes | keys == ["l", "m", "s", "x"])' report.json
	grep -qE '^-+s--m--l--x-+s--m--l--x-+$' run.txt
}

@test "an ECL program is broken down by kind, with the names of its functions" {
	cp "$ROOT/examples/deriv.lisp" .
	ecl --norc --eval '(progn (compile-file "deriv.lisp" :output-file "deriv.fas") (ext:quit))' >compile 2>&1 ||
		skip "ECL does not compile here"
	limited "$MPROF" run -o run.txt --data=run.data -- \
		ecl --norc --load deriv.fas --eval '(progn (main) (ext:quit))' >out 2>err
	grep -q '20100.0d0' out
	limited "$MPROF" report --format=json run.data >report.json
	agrees report.json
	# 200 masses, 200 squares and the like; conses of the derivations; a vector and 200 structures.
	jq -e '.breakdown == "kind" and ([.direct[] | .bytes | .c, .f, .s] | all(. >= 0))
		and ([.direct[] | select(.function == "L7swarm" or .function == "L9energy") | .bytes.f] | add) >= 400 * 16
		and ([.direct[] | select(.function == "L6deriv") | .bytes.c] | add) >= 100 * 16 * 10' report.json ||
		fail "$(jq -c '.direct[] | select(.function | test("^L[0-9]"))' report.json)"
}

@test "--min-size and --max-size restrict what is recorded, and the report says so" {
	BINS=bins limited "$MPROF" run --min-size=7057 --max-size=7079 -o run.txt --data=run.data -- "$T/plain" \
		>out 2>err
	limited "$MPROF" report --format=json run.data >report.json 2>err2
	jq -e '[.bins[] | [.size, .allocs, .frees]] == [[7057, 1, 1], [7069, 1, 0], [7079, 1, 1]]
		and .totals.unknown_frees == 0 and .totals.failed_allocs == 0
		and .recorded == {min_size: 7057, max_size: 7079}' report.json || fail "$(jq -c .bins,.totals report.json)"
	agrees report.json
	says err 'only requests of 7057 to 7079 bytes were recorded'
	says err2 'only requests of 7057 to 7079 bytes were recorded'
	refused 2 'max-size' "$MPROF" run --min-size=10 --max-size=9 -- "$T/plain"
	refused 2 'min-size' "$MPROF" run --min-size=many -- "$T/plain"
}

# As Go's linker writes it, and a symbol, so that it is not stripped.
go_note() {
	cat >note.s <<-'EOT'
		.section .note.go.buildid, "a", @note
		.long 4, 8, 4
		.asciz "Go\0"
		.ascii "abcdefgh"
		.text
		.globl runtime.mallocgc
		runtime.mallocgc: ret
		.section .note.GNU-stack, "", @progbits
	EOT
}

start_code() {
	printf '.globl _start\n_start: mov $60, %%eax\n xor %%edi, %%edi\n syscall\n'
	echo '.section .note.GNU-stack, "", @progbits'
}

@test "a program without an allocator that is known is told what it is: stripped, with symbols, or Go's" {
	local f
	start_code >start.s
	go_note
	gcc -static -nostdlib -o plain start.s
	gcc -static -nostdlib -o go start.s note.s
	for f in plain go; do
		strip -o $f-stripped $f
		limited ./$f
	done
	refused 1 'program is static and stripped; .*--hook=malloc:0xADDRESS' "$MPROF" run ./plain-stripped
	refused 1 'program is static, and has symbols, but none of them.*--hook=malloc:NAME' "$MPROF" run ./plain
	not grep -q stripped refused.err
	for f in go go-stripped; do
		refused 1 'it is a Go program, whose own allocator \(runtime.mallocgc\) is none that mprof can watch' \
			"$MPROF" run ./$f
		not grep -q -e 'static' -e '--hook' refused.err
		refused 10 'nothing would be trapped in ./go.*: no allocator found: it is a Go program' "$MPROF" probes ./$f
	done
	refused 10 'nothing would be trapped in ./plain: .* has symbols' "$MPROF" probes ./plain
}

@test "a runtime with a heap of its own is named, once, and what it asks of malloc is counted" {
	local n
	go_note
	cat >asks.c <<-'EOT'
		#include <stdlib.h>
		void *heap_asks(void) { return malloc(7331); }
		void v8_new(void) __asm__("_ZN2v87Isolate3NewERKNS0_12CreateParamsE");
		void v8_new(void) {}
	EOT
	echo 'void *heap_asks(void); int main(void) { return !heap_asks(); }' >main.c
	for n in libjvm.so libcoreclr.so libmonosgen-2.0.so.1 libanother.so; do
		gcc -shared -fPIC -Wl,-soname,$n -o $n asks.c
		gcc -o uses main.c ./$n -Wl,-rpath,"$PWD"
		limited "$MPROF" run -o /dev/null --data=run.data ./uses 2>err
		says err ' 1 allocation of 7331 bytes'
		says err 'the peak: 7331 bytes in 1 block, '
		case $n in
		libjvm.so) says err "$n has a heap of its own for the objects of Java, which is not watched" ;;
		libanother.so) says err "$n has a heap of its own for the objects of JavaScript, which" ;;
		*) says err "$n has a heap of its own for the objects of .NET, which is not watched" ;;
		esac
		limited "$MPROF" probes ./uses >out 2>err
		says err 'has a heap of its own'
	done
	gcc -o go main.c asks.c note.s
	limited "$MPROF" run -o /dev/null --data=run.data ./go 2>err
	says err ' 1 allocation of 7331 bytes'
	says err '/go has a heap of its own for the objects of Go'
	# Of a name that is only asked for nothing follows.
	echo 'void v8_new(void) __asm__("_ZN2v87Isolate3NewERKNS0_12CreateParamsE"); void *malloc(unsigned long);
		int main(void) { if (!malloc(7331)) v8_new(); return 0; }' >asking.c
	gcc -o asking asking.c ./libanother.so -Wl,-rpath,"$PWD" -fno-builtin
	limited "$MPROF" run -o /dev/null --data=run.data ./asking 2>err
	says err 'libanother.so has a heap of its own'
}

@test "python's own allocator is named, unless the environment has switched it off" {
	local python
	python=$(binary python3) || skip "python3 is not installed"
	"$MPROF" probes "$python" | grep -q malloc # which finds what there is to find
	mkfifo in1 in2
	exec {one}<>in1 {two}<>in2
	limited "$MPROF" run -o /dev/null --data=run.data -- "$python" -c 1 2>err
	says err ' has an allocator of its own for what has up to 512 bytes, which is not watched; .*PYTHONMALLOC=malloc'
	limited env PYTHONMALLOC=malloc "$MPROF" run -o /dev/null --data=run.data -- "$python" -c 1 2>err
	not grep -q 'allocator of its own' err
	# However it comes into the program's environment.
	for how in "env PYTHONMALLOC=malloc" "sh -c 'exec env PYTHONMALLOC=malloc \"\$@\"' sh"; do
		eval "limited \"\$MPROF\" run -o /dev/null --data=run.data -- $how \"\$python\" -c 1 2>err"
		not grep -q 'allocator of its own' err
	done
	# of one that runs, its own environment is asked
	local wait='print(1, flush=True); input()'
	MPROF_TEST_MARK=$MARK "$python" -c "$wait" <in1 >ready1 3>&- &
	local default=$!
	MPROF_TEST_MARK=$MARK PYTHONMALLOC=malloc "$python" -c "$wait" <in2 >ready2 3>&- &
	local malloc=$!
	for _ in {1..3000}; do
		[ -s ready1 ] && [ -s ready2 ] && break
		sleep 0.02
	done
	limited env PYTHONMALLOC=malloc "$MPROF" attach --duration=0.1 -o /dev/null --data=run.data $default 2>err
	says err ' has an allocator of its own for what has up to 512 bytes'
	limited "$MPROF" attach --duration=0.1 -o /dev/null --data=run.data $malloc 2>err
	not grep -q 'allocator of its own' err
	echo >&"$one"
	echo >&"$two"
	wait $default && wait $malloc
}

# bins_of_sizes MIN MAX REPORT
bins_of_sizes() {
	jq -c ".bins[] | select(.size >= $1 and .size <= $2) | [.size, .allocs, .frees]" "$3"
}

# of_some_sizes MIN MAX PROGRAM [ARG...]: what is recorded of these sizes is what is recorded of them when all
# are, and each request is one or the other.
of_some_sizes() {
	local min=$1 max=$2 left
	shift 2
	limited "$MPROF" run -o /dev/null --data=all.data -- "$@" >out0 2>err0 </dev/null || fail "$(cat err0)" || return 1
	limited "$MPROF" run --min-size="$min" --max-size="$max" --stats -o /dev/null --data=some.data -- "$@" \
		>out 2>err </dev/null || fail "$(cat err)" || return 1
	cmp out0 out || fail "other output" || return 1
	limited "$MPROF" report --format=json all.data >all.json 2>err2 || return 1
	limited "$MPROF" report --format=json some.data >some.json 2>err2 || return 1
	bins_of_sizes "$min" "$max" all.json >want
	bins_of_sizes 0 1e18 some.json >got
	diff want got || fail "not what it is among all" || return 1
	agrees some.json || return 1
	left=$(sed -n 's/^mprof: \([0-9]*\) requests of other sizes, and [0-9]* frees of blocks that are not recorded.*/\1/p' err |
		tail -n 1)
	jq -ne --argjson left "${left:-0}" --slurpfile all all.json --slurpfile some some.json '
		def requests: .totals | .allocs + .failed_allocs;
		($all[0] | requests) == ($some[0] | requests) + $left and $some[0].totals.unknown_frees == 0' >/dev/null ||
		fail "$left are left out" "$(jq -c .totals all.json some.json)"
}

@test "what is recorded of some sizes is exact, whatever allocates, and each other request is counted" {
	local p
	for p in plain plain-static plain-musl plain-musl-static own own-bare own-indirect-static cxx newforms aligned \
		resize oom edges hooked pools labels recursion virtuals jemallocx tcmallocs mimallocs slices aprpools; do
		of_some_sizes 1900 5000 "$T/$p" || fail "$p" || return 1
		not grep -q 'may have been made' err
	done
	for p in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		of_some_sizes 2000 7060 env LD_PRELOAD=$p "$T/plain" || fail "$p"
	done
	# What a small request calls inside is not the program's, large as it may be.
	of_some_sizes 1870 5000 "$T/endless" 20
}

@test "a request of another size costs one stop, and so does its free" {
	local stops left
	cat >sizes.c <<-'EOT'
		#include <stdlib.h>
		__attribute__((noinline)) static void *get(size_t n)
		{
			void *p = malloc(n);
			__asm__ volatile("" : "+r"(p));
			return p;
		}
		int main(void)
		{
			for (int i = 0; i < 2000; i++) {
				free(get(100));
				if (i % 100 == 0)
					free(get(5000));
			}
			return 0;
		}
	EOT
	gcc -O1 -fno-builtin -o sizes sizes.c
	of_some_sizes 4096 1000000 ./sizes
	left=$(sed -n 's/^mprof: \([0-9]*\) requests of other sizes, and .*/\1/p' err)
	stops=$(sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' err)
	[ "$left" -ge 2000 ]
	# Before: three. Once the large ones have planted a trap behind the call, some more come by that.
	[ "$stops" -le $((2 * left + 3 * 20 + 100)) ] || fail "$stops stops" "$(cat err)"
	says err ' 20 allocations of 100000 bytes, 20 frees'
	says err "2000 frees of blocks that are not recorded"
}

@test "where the allocator's frames cannot be told, --min-size waits for what it does, or says that it did not" {
	# No call frame information in between: the chain of the inner request is cut there.
	cat >cut.c <<-'EOT'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdlib.h>
		void *outer(size_t n);
		__attribute__((used)) void *inner(size_t n)
		{
			void *p = malloc(n + 5000);
			__asm__ volatile("" : "+r"(p));
			return p;
		}
		__asm__(".globl through\n.type through, @function\nthrough:\n push %rbp\n xor %ebp, %ebp\n"
			" call inner\n pop %rbp\n ret\n.size through, . - through\n");
		void *through(size_t n);
		__attribute__((noinline)) void *outer(size_t n)
		{
			void *p = through(n);
			__asm__ volatile("" : "+r"(p));
			return p;
		}
		int main(void)
		{
			for (int i = 0; i < 100; i++)
				free(outer(100));
			return 0;
		}
	EOT
	gcc -O1 -fno-builtin -o cut cut.c
	limited "$MPROF" run --hook=malloc:outer --min-size=4096 --stats -o /dev/null --data=run.data ./cut 2>err
	if [ "${MPROF_ENGINE:-trap}" != trap ]; then
		# What is trapped beside the fast engine is always waited for.
		says err ' 0 allocations of 0 bytes'
		says err '^mprof: 100 requests of other sizes, and 100 frees'
		return
	fi
	# Of the first one nobody knows; from then on they are not the program's.
	says err ' 1 allocation of 5100 bytes'
	says err '1 calls may have been made by a request of another size'
	says err '^mprof: 100 requests of other sizes, and 99 frees'
}

@test "a breakpoint that stood at a function already is told of: the kernel may serve it" {
	cat >taken.c <<-'EOT'
		#include <stdlib.h>
		__asm__(".globl taken\n.type taken, @function\ntaken: int3\n ret\n.size taken, . - taken\n");
		int main(void)
		{
			free(malloc(6047));
			return 0;
		}
	EOT
	gcc -O1 -fno-builtin -o taken taken.c
	limited "$MPROF" run -o /dev/null --data=run.data --hook=malloc:taken -- ./taken 2>err
	grep -q '^mprof: in 1 function that was to be trapped a breakpoint stood already' err || fail "$(cat err)"
	limited "$MPROF" run -o /dev/null --data=run.data -- ./taken 2>err
	not grep -q 'stood already' err
}

@test "an ordinary user's program is counted where stat(2) tells another device than its mappings: overlays, Btrfs" {
	[ "$(id -u)" = 0 ] || skip "only root can mount"
	unshare -m true 2>/dev/null || skip "not allowed to mount here"
	cat >asks.c <<-'EOT'
		#include <stdlib.h>
		int main(void) { for (int i = 0; i < 7; i++) free(malloc(777)); return 0; }
	EOT
	cc -O0 -o asks asks.c
	mkdir lower upper theirs
	cp "$(ldd asks | awk '/libc\.so/ { print $3 }')" lower/
	chmod 777 theirs
	local mprof
	mprof=$(for_anybody "$MPROF")
	cat >in-an-overlay <<-'EOT'
		mount -t tmpfs none upper && mkdir upper/files upper/work &&
		mount -t overlay overlay -o lowerdir=lower,upperdir=upper/files,workdir=upper/work /mnt || exit 77
		LD_LIBRARY_PATH=/mnt HOME=theirs exec setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$1" run -o theirs/run.txt --data=theirs/run.data -- ./asks
	EOT
	local got=0
	limited unshare -m sh in-an-overlay "$mprof" 2>err || got=$?
	[ $got != 77 ] || skip "no overlays can be mounted here"
	[ $got = 0 ] || fail "status $got" "$(cat err)"
	limited "$MPROF" report --format=json theirs/run.data >report.json
	[ "$(jq '[.bins[] | select(.size == 777) | .allocs, .frees] | join(" ")' -r report.json)" = '7 7' ] ||
		fail "$(jq -c .bins report.json)" "$(cat err)"
}
