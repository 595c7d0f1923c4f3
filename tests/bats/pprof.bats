#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof report in pprof's formats, of its own profiles and of others', compared with google-pprof and
# with readers that share no code with it.

bats_require_minimum_version 1.5.0
load ../lib/common

# recorded PROGRAM [ARG...]: run.data and p.NNNN.heap of it
recorded() {
	rm -f ./*.heap
	limited "$MPROF" run --heap-profile=p --quiet --data=run.data -o tables.txt -- "$@" >out 2>err </dev/null
}

# report OPTION... FILE...
report() {
	limited "$MPROF" report "$@" 2>report.err || fail "mprof report $*" "$(cat report.err)"
}

pprof() {
	limited google-pprof --text "$@" 2>pprof.err
}

# What the libraries do before main is named from other parts of their debugging data, or differently
# where there is none: only the program's functions are compared.
ours_only() {
	grep -Ev ' (_start|__libc_start_[a-z_]*)( |$)|libc_start_call_main|libc-start|call_init|_dl_|_GLOBAL__|libstdc|@@GLIBCXX' "$1" |
		sed '2,$s/^\(.\{16\}\)......./\1/' # the running sum has their part in it
}

same_as_pprof() { # PROGRAM OPTION... FILE
	local program=$1
	shift
	pprof "${@:1:$#-1}" "$program" "${@: -1}" | sed "s|$D/||" >theirs
	report --format=text "$@" | sed "s|$D/||" >ours
	diff <(ours_only theirs) <(ours_only ours) || fail "with $*"
	[ "$(wc -l <ours)" -gt 1 ]
}

@test "text is google-pprof's, in all four modes and with all its options, for C and C++" {
	for program in heap heap-nopie heapxx; do
		recorded "$T/$program"
		for mode in inuse_space inuse_objects alloc_space alloc_objects; do
			same_as_pprof "$T/$program" --$mode p.0001.heap
			same_as_pprof "$T/$program" --$mode --show_bytes --cum p.0001.heap
			same_as_pprof "$T/$program" --$mode --show_bytes --lines p.0001.heap
		done
		same_as_pprof "$T/$program" --alloc_space --addresses p.0001.heap
		same_as_pprof "$T/$program" --alloc_space --focus='churn|box' p.0001.heap
		same_as_pprof "$T/$program" --alloc_space --ignore='churn|box' p.0001.heap
		same_as_pprof "$T/$program" --alloc_space --focus='heap.*[.]c' p.0001.heap
	done
}

@test "a base is taken away as google-pprof does it" {
	rm -f ./*.heap
	limited "$MPROF" run --heap-profile=p --heap-profile-allocation-interval=1500000 --data=run.data \
		-o tables.txt -- "$T/heap" 2>err
	for mode in inuse_space inuse_objects alloc_space alloc_objects; do
		same_as_pprof "$T/heap" --$mode --show_bytes --base=p.0001.heap p.0002.heap
	done
	report --inuse_space --show_bytes --base=p.0002.heap p.0001.heap >text
	grep -q '^Total: -' text
	report --inuse_space --show_bytes --drop_negative --base=p.0002.heap p.0001.heap >text
	grep -qx 'Total: 0 B' text
	report --base=p.0001.heap p.0001.heap >text
	[ "$(cat text)" = 'Total: 0.0 MB' ]
}

@test "profiles of two runs, of two builds and at other addresses, are taken from each other by function" {
	sed 's/i < 40/i < 45/' "$ROOT/tests/targets/heap.c" >heap.c
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -O1 -g -fno-builtin -pthread -o heap heap.c
	recorded "$T/heap"
	mv run.data old.data
	mv p.0001.heap old.h
	recorded ./heap
	for files in "old.data run.data" "old.h p.0001.heap"; do
		set -- $files
		report --format=folded --base="$1" "$2" >folded

		# no two stacks that cancel each other out
		[ "$(grep -c 'main;fill_big;alloc_leaf 250000$' folded)" = 1 ]
		[ "$(wc -l <folded)" = 1 ] || fail "$(cat folded)"
		report --format=json --base="$1" "$2" >diff.json
		jq -e '.difference and .totals.inuse_space == 250000 and .totals.inuse_objects == 5' diff.json
	done
}

@test "the four tables tell what has grown since another profile, also of another build" {
	sed 's/i < 40/i < 45/; s/i < 300/i < 290/' "$ROOT/tests/targets/heap.c" >heap.c
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -O1 -g -fno-builtin -pthread -o heap heap.c
	recorded "$T/heap"
	mv run.data old.data
	recorded ./heap
	report --base=old.data run.data >grown
	grep -Eq '^ +50000 +[+]5 +[+]250000 +0 +[+]250000$' grown
	grep -Eq '^ +3000 +-10 +-30000 +-10 +0$' grown
	grep -Eq '^ +<TOTAL> +-5 +[+]220000 +-10 +[+]250000$' grown
	grep -Eq '^ +[+]5 +[+]250000 +0 +[+]250000 +[|][|] > main > fill_big > alloc_leaf$' grown
	grep -Eq '^ +-5 +[+]220000 +-10 +[+]250000 +alloc_leaf$' grown
	grep -Eq '^ +-10 +-30000 +-10 +0 +from churn  \(less\)$' grown
	not grep -Eq 'grow$|deep' grown # as much as before
	report --base=run.data run.data >nothing
	not grep -q '[+]' nothing
	report --base=run.data old.data >less
	grep -Eq '^ +-5 +-250000 +0 +-250000 .* alloc_leaf  \(less\)$' less
}

@test "a program under another name, the same or another build, is matched in all forms" {
	sed 's/i < 40/i < 45/' "$ROOT/tests/targets/heap.c" >heap.c
	cc -D_GNU_SOURCE -I"$ROOT/tests/targets" -O1 -g -fno-builtin -pthread -o app-2.0 heap.c
	cp "$T/heap" app-1.0
	cp "$T/heap" app-1.1
	for program in app-1.0 app-1.1 app-2.0; do
		recorded "./$program"
		mv run.data "$program.data"
		mv p.0001.heap "$program.h"
	done
	report --base=app-1.0.data app-1.1.data >same
	not grep -q '[+]' same
	report --base=app-1.0.data app-2.0.data >grown
	grep -Eq '^ +[+]5 +[+]250000 +0 +[+]250000 +[|][|] > main > fill_big > alloc_leaf$' grown
	not grep -q 'less)' grown
	for kind in data h; do
		report --format=folded --base=app-1.0.$kind app-1.1.$kind >folded
		[ ! -s folded ] || fail "$kind: $(cat folded)"
		report --format=folded --base=app-1.0.$kind app-2.0.$kind >folded
		grep -q 'main;fill_big;alloc_leaf 250000$' folded
		[ "$(wc -l <folded)" = 1 ] || fail "$kind: $(cat folded)"
	done
}

@test "a library's next version, under another name, is matched in all forms" {
	cat >take.c <<-'END'
		#include <stdlib.h>
		void *kept[100];
		void take(void) { for (int i = 0; i < N; i++) kept[i] = malloc(100); }
	END
	echo 'void take(void); int main(void) { take(); return 0; }' >main.c
	for n in 10 15; do
		cc -g -O1 -fno-builtin -shared -fPIC -DN=$n -Wl,-soname,libtake.so.1.$n -o libtake.so.1.$n take.c
		cc -g -o app-$n main.c ./libtake.so.1.$n -Wl,-rpath,"$PWD"
		recorded ./app-$n
		mv run.data $n.data
		mv p.0001.heap $n.h
	done
	report --base=10.data 15.data >grown
	grep -Eq '^ +[+]5 +[+]500 +0 +[+]500 +[|][|] > main > take$' grown
	not grep -q 'less)' grown
	for kind in data h; do
		report --format=folded --base=10.$kind 15.$kind >folded
		grep -q 'main;take 500$' folded
		[ "$(wc -l <folded)" = 1 ] || fail "$kind: $(cat folded)"
	done
}

@test "an option that no part of the report would obey is wrong usage" {
	recorded "$T/heap"
	local o
	for o in --focus=al --ignore=al --cum --show_bytes --inuse_space --inuse_objects --alloc_space \
		--alloc_objects --functions --files --addresses --nodecount=3 --nodefraction=.1 \
		--edgefraction=.1 --drop_negative --symbols=yes '--focus=('; do
		refused 2 "option [a-z_]* means nothing without --format=text" "$MPROF" report "$o" run.data
		refused 2 'means nothing' "$MPROF" report --format=json "$o" run.data
		refused 2 'means nothing' "$MPROF" report --base=run.data "$o" run.data
		refused 2 'means nothing' "$MPROF" "$o" "$T/heap" run.data
		[ "$o" != --focus='(' ] || continue
		report --format=text "$o" run.data >/dev/null
		report --format=json --base=run.data "$o" run.data >/dev/null
		report "$o" p.0001.heap >/dev/null
	done
	refused 2 'option cum means nothing' "$MPROF" run --cum -- "$T/heap"
	for o in text folded ms_print; do
		refused 2 'lifetimes means nothing' "$MPROF" report --format=$o --lifetimes run.data
	done
	refused 2 'lifetimes means nothing' "$MPROF" report --base=run.data --lifetimes run.data
	for o in massif ms_print; do
		refused 2 'base means nothing' "$MPROF" report --format=$o --base=run.data run.data
	done
	# what has a form of its own in the tables
	report --list=main --show_bytes run.data >list
	report --list=main --show_bytes --base=run.data run.data >list
	grep -q main list
	refused 1 '"[(]" is no regular expression' "$MPROF" report --format=text --focus='(' run.data
	[ "$(wc -l <refused.err)" = 1 ] || fail "$(cat refused.err)"
}

@test "several files are added up" {
	recorded "$T/heap"
	report --show_bytes p.0001.heap p.0001.heap >twice
	grep -qx 'Total: 4107352 B' twice
	report --show_bytes --base=p.0001.heap p.0001.heap p.0001.heap >once
	diff once <(report --show_bytes p.0001.heap)
}

@test "profile.proto is what another reader expects, and its sums are those of the JSON report" {
	for program in heap heapxx; do
		recorded "$T/$program"
		report --format=pprof -o p.pb.gz run.data
		limited python3 "$ROOT/tests/lib/proto-sums.py" p.pb.gz >proto.json
		report --format=json run.data >report.json
		jq -e --slurpfile r report.json '$r[0].totals as $t
			| .sums == [$t.allocs, $t.alloc_bytes, $t.kept_objects, $t.kept_bytes]
			and .types == [["alloc_objects", "count"], ["alloc_space", "bytes"],
				["inuse_objects", "count"], ["inuse_space", "bytes"]]
			and .period == ["space", "bytes", 1]' proto.json
		jq -e --arg p "$T/$program" '.mappings[0][0] == $p and (.mappings[0][1] | length) == 40
			and .mappings[0][2] == 1 and .comments == [$p]' proto.json
		# one schema says one shape: mprof.heap.v1 is that of mprof heap
		report --format=json p.pb.gz | jq -e --slurpfile r report.json '.schema == "mprof.stacks.v1"
			and .totals.inuse_space == $r[0].totals.kept_bytes'
	done
	recorded "$T/heap"
	report --format=pprof -o p.pb.gz run.data
	limited python3 "$ROOT/tests/lib/proto-sums.py" p.pb.gz >proto.json
	jq -e '[.stacks[] | select([.frames[][0]] == ["inlined", "user_of_inlined", "main"]) | .values]
		== [[10, 17770, 10, 17770]]' proto.json
	line=$(grep -n 'return malloc(n)' "$ROOT/tests/targets/heap.c" | cut -d: -f1)
	jq -e --argjson l "$line" '[.stacks[].frames[] | select(.[0] == "inlined") | .[2]] == [$l]' proto.json
}

@test "protoc decodes profile.proto with a description of its own" {
	recorded "$T/heap"
	report --format=pprof -o p.pb.gz run.data
	cat >other.proto <<-'EOF'
		syntax = "proto3";
		message P { repeated T t = 1; repeated S s = 2; repeated string n = 6; int64 period = 12; }
		message T { int64 type = 1; int64 unit = 2; }
		message S { repeated uint64 l = 1; repeated int64 v = 2; }
	EOF
	gzip -dc p.pb.gz | limited protoc --decode=P other.proto >decoded
	[ "$(grep -c '^t {' decoded)" = 4 ]
	grep -q 'n: "user_of_inlined"' decoded
	[ "$(grep -c '^s {' decoded)" = "$(jq '.stacks | length' <(report --format=json --base=run.data run.data))" ]
}

@test "each format can be read again, and says the same" {
	for program in heap heapxx; do
		recorded "$T/$program"
		for mode in inuse_space alloc_objects; do
			report --$mode --format=text --show_bytes run.data >text
			report --format=pprof -o p.pb.gz run.data
			report --$mode --show_bytes p.pb.gz | diff text -
			gzip -dc p.pb.gz >p.pb
			report --$mode --show_bytes p.pb | diff text -
			report --format=heap run.data >p.heap
			report --$mode --show_bytes p.heap | diff text -
			pprof --$mode --show_bytes "$T/$program" p.heap >theirs
			diff <(ours_only text) <(ours_only theirs)
			report --format=heap --symbols=yes run.data >named.heap
			# such a file has no names of the linker's, by which a type is told from a name; and
			# "--" is what separates names
			report --$mode --show_bytes named.heap >again
			pprof --$mode --show_bytes named.heap >theirs
			for f in text again theirs; do
				ours_only $f | sed 's/ void std::/ std::/; s/operator- -/operator--/' | sort >$f.sorted
			done
			diff text.sorted again.sorted
			diff text.sorted theirs.sorted
		done
	done
}

@test "folded stacks are google-pprof's" {
	for program in heap heapxx; do
		recorded "$T/$program"
		report --format=folded --alloc_space p.0001.heap | sort >ours
		limited google-pprof --collapsed --alloc_space "$T/$program" p.0001.heap 2>/dev/null |
			sed 's/<[0-9a-f]\{16\}>//g; s/\[inline\]/ (inline)/g' | sort >theirs
		diff <(grep -v _dl_init theirs) <(grep -v _dl_init ours)
		[ "$(awk '{ n += $NF } END { print n }' ours)" = \
			"$(jq .totals.alloc_bytes <(report --format=json run.data))" ]
	done
	report --format=folded --names=short --alloc_space p.0001.heap | grep -q 'main;shop::box::put 30000'
}

@test "graphs are google-pprof's: nodes, edges, and what is left out of them" {
	recorded "$T/heap"
	for o in --inuse_space '--alloc_objects --nodecount=4' \
		'--alloc_space --nodefraction=.2 --edgefraction=.3 --focus=alloc_leaf'; do
		# edges that are as heavy as each other stand in any order there
		limited google-pprof --dot $o "$T/heap" p.0001.heap 2>/dev/null | sort >theirs
		report --format=dot $o p.0001.heap | sort >ours
		grep -q -- '->' ours
		diff theirs ours || fail "with $o"
	done
	report --dot --show_bytes run.data >graph
	grep -q '^N[0-9]* \[label="alloc_leaf\\n2000000 (97.4%)\\r",shape=box,fontsize=57.3\];$' graph
	[ "$(tail -n 1 graph)" = '}' ]
	for o in --nodecount=x --nodefraction=1.1 --edgefraction=-1 --nodefraction=nan; do
		refused 2 "option (node|edge)(count|fraction): " "$MPROF" report --dot $o p.0001.heap
	done
}

@test "files of libtcmalloc are read, with the numbers that google-pprof finds" {
	HEAPPROFILE=tc limited "$T/heap-tcmalloc" 2>tc.err
	for mode in inuse_space inuse_objects alloc_space alloc_objects; do
		same_as_pprof "$T/heap-tcmalloc" --$mode --show_bytes tc.0001.heap
	done
}

@test "sampled profiles are corrected as google-pprof does it" {
	printf 'heap profile: 30: 4000 [ 50: 90000] @ heap_v2/524288\n 10: 1000 [ 20: 20000] @ 0x1000 0x2001\n 20: 3000 [ 30: 70000] @ 0x3000\n\nMAPPED_LIBRARIES:\n' >v2.heap
	for mode in inuse_space inuse_objects alloc_space alloc_objects; do
		pprof --$mode "$T/heap" v2.heap | sort >theirs
		report --$mode v2.heap | sort >ours
		diff <(sed 's/[0-9]%/%/g' theirs) <(sed 's/[0-9]%/%/g' ours) || # the last digit is rounded
			diff <(awk '{ print $1 + 0 > 0 }' theirs) <(awk '{ print $1 + 0 > 0 }' ours)
	done
	report --inuse_objects v2.heap >text
	# 10 / (1 - exp(-100 / 524288)) and 20 / (1 - exp(-150 / 524288))
	grep -Eq '^ +69915 .* 0000000000003000$' text
	grep -Eq '^ +52433 .* 0000000000001000$' text
	printf 'heap profile: 1: 10 [ 1: 10] @ heap/200\n 1: 10 [ 1: 10] @ 0x1000\n\nMAPPED_LIBRARIES:\n' >v1.heap
	report --inuse_objects v1.heap >text
	grep -qx 'Total: 10 objects' text # 1 / (1 - exp(-10 / 100)) = 10.5
}

# jemalloc_ran: profiles je.*.heap that jemalloc itself writes of a program that has it
jemalloc_ran() { # SAMPLE
	cat >je.c <<-'EOF'
		#include <stdlib.h>
		#define NOINLINE __attribute__((noinline))
		static void *kept[400];
		NOINLINE static void *leaf(size_t n) { void *p = malloc(n); __asm__(""); return p; }
		NOINLINE static void many(void) { for (int i = 0; i < 300; i++) kept[i] = leaf(20480); __asm__(""); }
		NOINLINE static void freed(void) { for (int i = 0; i < 100; i++) free(leaf(320)); __asm__(""); }
		int main(void) { many(); freed(); return kept[0] == NULL; }
	EOF
	cc -O1 -g -o je je.c -Wl,--no-as-needed -l:libjemalloc.so.2
	rm -f je.*.heap
	MALLOC_CONF="prof:true,prof_final:true,prof_accum:true,lg_prof_sample:$1,prof_prefix:je" limited ./je
	[ -s je.*.f.heap ]
	head -n 1 je.*.f.heap | grep -q '^heap_v2/'
}

@test "jemalloc's own dumps are read: all of its numbers, exact when it samples everything" {
	jemalloc_ran 0
	report --show_bytes je.*.heap | grep -E ' (leaf|many|freed|main)$' | sort >text
	report --alloc_objects je.*.heap | grep -E ' (leaf|many|freed|main)$' | sort >allocs
	# values, without percentages: the C++ library's own block is in them
	[ "$(awk '{ print $1, $4, $6 }' text | xargs)" = "0 6144000 main 0 6144000 many 6144000 6144000 leaf" ]
	[ "$(awk '{ print $1, $4, $6 }' allocs | xargs)" = \
		"0 100 freed 0 300 many 0 400 main 400 400 leaf" ]
	not grep -q jemalloc < <(report --show_bytes je.*.heap)
	report --format=pprof -o je.pb.gz je.*.heap
	report --show_bytes je.pb.gz | diff <(report --show_bytes je.*.heap) -
}

@test "jemalloc's samples are corrected as jeprof does it" {
	jemalloc_ran 12
	for mode in inuse_space inuse_objects alloc_space alloc_objects; do
		limited jeprof --text --$mode --show_bytes ./je je.*.heap 2>/dev/null |
			awk '$6 ~ /^(leaf|many|freed)$/ { print $6, $4 }' | sort >theirs
		report --$mode --show_bytes je.*.heap | awk '$6 ~ /^(leaf|many|freed)$/ { print $6, $4 }' | sort >ours
		# whole numbers are made for each stack here, and of the sum there: at most one for each of two
		join theirs ours | awk '{ d = $2 - $3 } d < 0 || d > 2 { print; bad = 1 } END { exit bad || NR < 2 }'
		[ "$(wc -l <ours)" = "$(wc -l <theirs)" ]
	done
}

@test "what tcmalloc tells of its heap's growth and of its samples is read" {
	cat >growing.cc <<-'EOF'
		#include <gperftools/malloc_extension.h>
		#include <cstdio>
		#include <cstdlib>
		#include <string>
		static void *kept[400];
		__attribute__((noinline)) static void *leaf(size_t n) { void *p = malloc(n); __asm__(""); return p; }
		int main()
		{
			for (int i = 0; i < 400; i++)
				kept[i] = leaf(20000);
			std::string text;
			MallocExtension::instance()->GetHeapSample(&text);
			fputs(text.c_str(), stdout);
			text.clear();
			MallocExtension::instance()->GetHeapGrowthStacks(&text);
			fputs(text.c_str(), stderr);
			return kept[0] == nullptr;
		}
	EOF
	c++ -O1 -g -o growing growing.cc -Wl,--no-as-needed -ltcmalloc
	limited ./growing >samples.heap 2>growth.heap
	head -n 1 growth.heap | grep -q '@ growth$'
	pprof --show_bytes ./growing growth.heap | awk '$6 ~ /^(leaf|main)$/ { print $1, $4, $6 }' >theirs
	report --show_bytes growth.heap | awk '$6 ~ /^(leaf|main)$/ { print $1, $4, $6 }' >ours
	[ "$(wc -l <ours)" = 2 ]
	diff theirs ours
	# Debian's takes no samples by itself: "%warn", or a period of 0
	report samples.heap >text
	[ "$(cat text)" = 'Total: 0.0 MB' ]
}

@test "Go's profiles in text are read, with the names in their comments" {
	printf '%s\n' 'heap profile: 1: 1048576 [2: 2097152] @ heap/2' \
		'1: 1048576 [2: 2097152] @ 0x4a1001 0x4a2002 0x46c003' \
		'#	0x4a1000	main.inner+0x10		/src/main.go:9' \
		'#	0x4a1000	main.outer+0x20		/src/main.go:14' \
		'#	0x4a2001	main.main+0x30		/src/main.go:20' \
		'' '' '# runtime.MemStats' '# Alloc = 4464' '# PauseNs = [1 2]' >go.heap
	report --format=folded --alloc_space go.heap >folded
	[ "$(cat folded)" = '000000000046c002;main.main;main.outer;main.inner (inline) 2097152' ]
	report --lines go.heap | grep -q 'main.main /src/main.go:20$'
}

@test "a base in profile.proto is taken away stack by stack" {
	recorded "$T/heapxx"
	report --format=pprof -o a.pb.gz p.0001.heap
	report --format=folded --base=a.pb.gz a.pb.gz >folded
	[ ! -s folded ] || fail "$(cat folded)"
	report --format=folded --base=p.0001.heap a.pb.gz >folded
	[ ! -s folded ] || fail "$(cat folded)"
	report --show_bytes --base=a.pb.gz a.pb.gz a.pb.gz | diff - <(report --show_bytes a.pb.gz)
}

@test "a difference as a heap file is marked, read again, and google-pprof has the same total" {
	rm -f ./*.heap
	limited "$MPROF" run --heap-profile=p --heap-profile-allocation-interval=1500000 --data=run.data \
		-o tables.txt -- "$T/heap" 2>err
	report --format=heap --base=p.0002.heap p.0001.heap >less.heap
	head -n 1 less.heap | grep -q '@ heapprofile/difference$'
	report --show_bytes less.heap | diff - <(report --show_bytes --base=p.0002.heap p.0001.heap)
	report --format=heap --base=p.0001.heap p.0002.heap >more.heap
	head -n 1 more.heap | grep -q '@ heapprofile$'
	diff <(pprof --show_bytes "$T/heap" more.heap | head -n 1) <(report --show_bytes more.heap | head -n 1)
}

@test "a heap profile has no tables: asking for them is an error, not something else" {
	recorded "$T/heap"
	report --format=pprof -o p.pb.gz run.data
	for f in p.0001.heap p.pb.gz; do
		for o in --format=tables --format=massif --format=ms_print; do
			refused 2 "$f is a heap profile" "$MPROF" report $o $f
			[ ! -s refused.out ]
		done
		for o in --lifetimes --leaktable --verbose --at=peak '--types none'; do
			refused 2 "${o%%[= ]*} is for data files; $f is a heap profile" "$MPROF" report $o $f
			[ ! -s refused.out ]
		done
		refused 2 'is a heap profile' "$MPROF" report --format=tables --base=$f run.data
		report $f | grep -q '^Total: ' # the default is what it was
	done
}

@test "lines of the source are listed with their numbers" {
	recorded "$T/heap"
	line=$(grep -n 'p = realloc(p' "$ROOT/tests/targets/heap.c" | cut -d: -f1)
	for f in run.data p.0001.heap; do
		report --list='^grow$' --alloc_space --show_bytes $f >list
		grep -q "^ROUTINE =* grow in .*heap.c" list
		grep -Eq '^105031 +105031 +Total B' list
		grep -Eq "^105015 +105015 +$line: .*realloc" list
	done
	report --list=main --show_bytes run.data >list
	grep -Eq '^ +[.] +2000000 .*fill_big\(\);' list
}

@test "the program can be given when it is no longer where it was" {
	cp "$T/heap" moved
	recorded ./moved
	mkdir elsewhere
	mv moved elsewhere
	report p.0001.heap >without
	not grep -q alloc_leaf without
	report p.0001.heap elsewhere/moved >with
	grep -q alloc_leaf with
	report elsewhere/moved p.0001.heap | diff with -
}

# damaged REGEX FILE: it is refused with 1 and such a sentence, and nothing on standard output
damaged() {
	refused 1 "$1" "$MPROF" report "$2" || return 1
	[ ! -s refused.out ] || fail "printed of $2:" "$(cat refused.out)"
	rm -f x.out
	refused 1 "$1" "$MPROF" report -o x.out "$2" || return 1
	[ ! -e x.out ] || fail "x.out was written of $2"
}

@test "a program is taken for a program only beside a profile, and where pprof would take it" {
	recorded "$T/heap"
	cp run.data mprof.data
	cp "$T/heap" moved
	local none='^mprof: ./moved is not a data file of mprof$'
	# there is a report in mprof.data, but nobody has asked for that one
	refused 1 "$none" "$MPROF" report ./moved
	refused 1 "$none" "$MPROF" report --format=json ./moved
	refused 1 "$none" "$MPROF" report --text ./moved
	refused 1 "$none" "$MPROF" report ./moved run.data
	refused 1 "$none" "$MPROF" report --base=run.data ./moved
	refused 2 'one data file at a time; "./moved"' "$MPROF" report run.data ./moved
	report --text run.data >want
	report --text ./moved run.data | cmp - want
	report --text run.data ./moved | cmp - want
	report p.0001.heap >want
	report ./moved p.0001.heap | cmp - want
	report --list=churn ./moved run.data | grep -q churn
	# as in 1990
	limited "$MPROF" ./moved run.data | cmp - <(limited "$MPROF" report run.data)
}

@test "files that are damaged are refused with file and line" {
	recorded "$T/heap"
	local n
	n=$(($(wc -l <p.0001.heap) + 1))
	sed '3s/\[/(/' p.0001.heap >x.heap
	damaged 'x.heap:3: not of the form "objects: bytes \[objects: bytes\] @ addresses"' x.heap
	sed '2s/0x/0xg/' p.0001.heap >x.heap
	damaged 'x.heap:2: no address; expected 0x and hexadecimal digits' x.heap
	sed '2s/@.*/@/' p.0001.heap >x.heap
	damaged 'x.heap:2: no address; expected' x.heap
	sed '2s/@.*//' p.0001.heap >x.heap
	damaged 'x.heap:2: not of the form' x.heap
	sed '2s/ *\([0-9]*:\)/-\1/' p.0001.heap >x.heap
	damaged 'x.heap:2: a number is negative; expected' x.heap
	sed '2s/\[ */[-/' p.0001.heap >x.heap
	damaged 'x.heap:2: a number is negative; expected' x.heap
	sed '1s/ \([0-9]*:\)/ -\1/' p.0001.heap >x.heap
	damaged 'x.heap:1: a number is negative; expected' x.heap
	sed '2s/[0-9][0-9]*:/99999999999999999999:/' p.0001.heap >x.heap
	damaged 'x.heap:2: ' x.heap
	{ cat p.0001.heap; echo garbage; } >x.heap
	damaged "x.heap:$n: no line of a memory map; expected" x.heap
	{ cat p.0001.heap p.0001.heap; } >x.heap
	damaged "x.heap:$n: no line of a memory map; expected" x.heap
	printf 'heap profile: 1: 2 [ 3: 4] @ strange\n' >x.heap
	damaged 'x.heap:1: .*kind.*expected' x.heap
	: >x.heap
	damaged 'x.heap:0: the file is empty' x.heap
	echo hello >x.heap
	damaged 'x.heap:1: no heap profile begins here; expected' x.heap
	damaged 'not/there.heap: No such file' not/there.heap
	# as a base, and among several
	refused 1 'x.heap:1: ' "$MPROF" report --base=x.heap p.0001.heap
	[ ! -s refused.out ]
	refused 1 'x.heap:1: ' "$MPROF" report p.0001.heap x.heap
	[ ! -s refused.out ]
	refused 1 'regular expression' "$MPROF" report --focus='(' p.0001.heap
}

@test "a profile.proto that is damaged is refused in plain words" {
	recorded "$T/heap"
	report --format=pprof -o p.pb.gz run.data
	head -c 100 p.pb.gz >x.pb.gz
	damaged 'cannot read x.pb.gz: its gzip data is truncated: the file is not whole' x.pb.gz
	head -c -1 p.pb.gz >x.pb.gz
	damaged 'x.pb.gz: its gzip data is truncated' x.pb.gz
	python3 -c 'import sys; b = bytearray(open("p.pb.gz", "rb").read()); b[-6] ^= 1; open("x.pb.gz", "wb").write(b)'
	damaged 'x.pb.gz: its gzip data is damaged' x.pb.gz
	echo hello >x.pb.gz
	damaged 'x.pb.gz .*: it is neither compressed with gzip nor a protocol buffer' x.pb.gz
	echo hello | gzip >x.pb.gz
	damaged 'x.pb.gz .*: what is in its gzip data is not a protocol buffer' x.pb.gz
	gzip -dc p.pb.gz | head -c -1 | gzip >x.pb.gz
	damaged 'x.pb.gz .*: what is in its gzip data is not a protocol buffer .*, or is cut off' x.pb.gz
	: >x.pb.gz
	damaged 'x.pb.gz: it is empty' x.pb.gz
}

@test "a session prints pprof's formats, too" {
	limited "$MPROF" run --format=text --show_bytes --data=run.data -o text -- "$T/heap" 2>err
	grep -qx 'Total: 2053676 B' text
	limited "$MPROF" run --format=pprof --data=run.data -o p.pb.gz -- "$T/heap" 2>err
	limited python3 "$ROOT/tests/lib/proto-sums.py" p.pb.gz | jq -e '.sums[3] == 2053676'
}
