#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Where names and lines come from, and what of them is shown.

bats_require_minimum_version 1.5.0
load ../lib/common

# build FLAGS...: ./names of two units of C++
build() {
	${CXX:-g++} -std=gnu++17 "$@" -o names "$ROOT/tests/targets/names.cc" "$ROOT/tests/targets/names2.cc"
}

# run_names [OPTION...]: leaves run.txt, run.data, err
run_names() {
	limited "$MPROF" run --stats -o run.txt --data=run.data "$@" -- ./names >out 2>err || fail "$(cat err)"
}

# as_addr2line [FILE]: run ./names; names and lines of all its frames are those of eu-addr2line
as_addr2line() {
	run_names || return 1
	python3 "$ROOT/tests/lib/same-lines.py" run.data names "${1:-./names}" >compared ||
		fail "$(cut -c1-600 compared)" || return 1
	run -0 grep -c 'shop::keep(unsigned long)' run.txt
}

need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# the strip a distribution does; leaves ./names without and ./names.debug with names
strip_names() {
	objcopy --only-keep-debug names names.debug
	cp names names.whole
	strip names
}

build_id() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# stdout of a report of run.data to ./report, what is said to ./err
report() {
	limited "$MPROF" report "$@" run.data >report 2>err
}

# ---- the same names and lines as eu-addr2line's, however the program was built ----

@test "gcc -O2 -g" {
	build -O2 -g
	as_addr2line
	[ "$(sed -n 's/.* \([0-9]*\) of them.*/\1/p' compared)" -gt 10 ]
	says err 'names from DWARF: .*/names$'
	report
	says err 'names from DWARF of [0-9]* files*$'
	run ! grep 'names from DWARF: ' err
	report --verbose
	says err 'names from DWARF: .*/names$'
}

@test "gcc -O0 -g" {
	build -O0 -g
	as_addr2line
}

@test "gcc -O3 -flto -g" {
	build -O3 -flto=auto -g
	as_addr2line
}

@test "gcc -gdwarf-4" {
	build -O2 -gdwarf-4
	as_addr2line
}

@test "gcc -gsplit-dwarf" {
	build -O2 -g -gsplit-dwarf
	as_addr2line
	build -O2 -gdwarf-4 -gsplit-dwarf
	as_addr2line
}

# packed DWP: split DWARF of ./names, packed by that program, is named as it is by its .dwo files
packed() {
	build -O2 "${@:2}" -gsplit-dwarf
	as_addr2line
	report --lines --verbose --format=json && jq .leaks,.bins report >want
	timeout 20 "$1" -e names -o names.dwp
	rm -- *.dwo
	run_names
	says err 'names from DWARF, split in .*/names.dwp: .*/names$'
	report --lines --verbose --format=json && jq .leaks,.bins report | diff want -
	mv names.dwp elsewhere.dwp
	run_names
	says err 'names from DWARF; its split DWARF is missing: .*/names$'
	mkdir dir && mv elsewhere.dwp dir/names.dwp
	run_names --debug-dir=dir
	says err 'names from DWARF, split in dir/names.dwp: .*/names$'
}

@test "split DWARF of another build is said not to match" {
	build -O1 -g -gsplit-dwarf
	mkdir other && mv -- *.dwo other
	build -O2 -g -gsplit-dwarf
	run_names
	run ! grep 'split DWARF' err
	cp other/*.dwo .
	run_names
	says err 'names from DWARF; its split DWARF does not match: .*/names$'
}

@test "gcc -gsplit-dwarf, packed into a .dwp file" {
	need dwp
	packed dwp -gdwarf-4
}

@test "clang -gsplit-dwarf, packed into a .dwp file, DWARF 4 and 5" {
	need clang++
	need dwp
	CXX=clang++ packed dwp -gdwarf-4 -gdwarf-aranges
	rm -rf -- *
	need llvm-dwp
	CXX=clang++ packed llvm-dwp -gdwarf-5 -gdwarf-aranges
}

@test "a .dwp file of another build is not taken" {
	need dwp
	build -O1 -gdwarf-4 -gsplit-dwarf
	dwp -e names -o other.dwp
	rm -- *.dwo
	build -O2 -gdwarf-4 -gsplit-dwarf
	rm -- *.dwo
	mv other.dwp names.dwp
	run_names
	says err 'names from DWARF; its split DWARF is missing: .*/names$'
}

@test "gcc -gz" {
	build -O2 -g -gz
	as_addr2line
}

@test "dwz" {
	need dwz
	build -O2 -g
	dwz names
	as_addr2line
	# with a supplementary file
	build -O2 -g
	cp names second
	dwz -m common names second
	grep -q gnu_debugaltlink <<<"$(readelf -SW names)"
	as_addr2line
}

@test "clang, DWARF 5 and 4" {
	need clang++
	CXX=clang++ build -O2 -g -gdwarf-5 -gdwarf-aranges
	as_addr2line
	CXX=clang++ build -O2 -gdwarf-4 -gdwarf-aranges
	as_addr2line
}

@test "stripped, with a debug link" {
	build -O2 -g
	strip_names
	objcopy --add-gnu-debuglink=names.debug names
	as_addr2line
	says err "names from DWARF in .*/names.debug: "
}

# package_tools NAME: in ./tools are a dpkg-query for which ./names is of package "made-up", and an apt-cache that has
# NAME; ./asked tells who was asked
package_tools() {
	mkdir -p tools
	cat >tools/dpkg-query <<-EOT
		#!/bin/sh
		echo dpkg-query >>"$D/asked"
		echo "made-up:amd64, another: $D/names"
		exit 1
	EOT
	cat >tools/apt-cache <<-EOT
		#!/bin/sh
		echo apt-cache >>"$D/asked"
		for word; do case \$word in $1) echo "Package: \$word" ;; esac; done
	EOT
	chmod 755 tools/*
}

@test "what is missing is told with the package that has it, where the file is that of the profile" {
	local id
	build -O2 -g
	cp names another
	strip_names
	package_tools made-up-dbg
	PATH=$D/tools:$PATH
	run_names --verbose
	says err 'names from .dynsym: .*/names'
	[ "$(tail -n 1 err)" = 'mprof: for the lines and types of names: apt-get install made-up-dbg' ] || fail "$(cat err)"
	[ "$(cat asked)" = "dpkg-query
apt-cache" ]
	report --verbose
	[ "$(tail -n 1 err)" = 'mprof: for the lines and types of names: apt-get install made-up-dbg' ] || fail "$(cat err)"
	report --quiet
	[ ! -s err ]
	# What apt does not have is not named,
	package_tools nothing
	report --verbose
	says err 'names from .dynsym: .*/names'
	not grep apt-get err
	package_tools made-up-dbg
	# nor anything where nobody knows of packages,
	limited env PATH="$D/nowhere" "$MPROF" report --verbose run.data >report 2>err
	says err 'names from .dynsym: .*/names'
	not grep apt-get err
	# nor for a file that is another one here, or is not.
	mv names names.kept
	report --verbose
	not grep apt-get err
	build -O3 -g
	strip names
	report --verbose
	says err 'names from .dynsym: .*/names'
	not grep apt-get err
	mv names.kept names
	report --verbose
	grep apt-get err
	# With a debug file nothing is missing of it.
	id=$(build_id names)
	mkdir -p "debug/.build-id/${id:0:2}"
	mv names.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
	run_names --verbose --debug-dir=debug
	not grep apt-get err
}

@test "a person at a terminal is told the package, others where to ask for it, and nobody waits for apt" {
	local told='mprof: lines and types of names.* are missing: mprof doctor says whether a package has them'
	build -O2 -g
	strip_names
	package_tools made-up-dbg
	PATH=$D/tools:$PATH
	run_names
	grep -qx "$told" err || fail "$(cat err)"
	run_names --quiet
	not grep 'types of' err
	report
	grep -qx "$told" err || fail "$(cat err)"
	not grep apt-get err
	at_terminal 100 "$MPROF" run --quiet --data=run.data -- ./names
	not grep 'types of' shown
	[ ! -e asked ]
	at_terminal 100 "$MPROF" run --data=run.data -- ./names
	grep -qx 'mprof: for the lines and types of names: apt-get install made-up-dbg' shown || fail "$(cat shown)"
	not grep 'are missing: mprof doctor' shown
	at_terminal 100 "$MPROF" report --no-pager run.data
	grep -qx 'mprof: for the lines and types of names: apt-get install made-up-dbg' shown || fail "$(cat shown)"
	[ "$(grep -c apt-cache asked)" = 2 ]
}

@test "packages are asked for once, of all processes, when their reports are there" {
	build -O2 -g
	strip_names
	package_tools made-up-dbgsym
	sed -i '/^exit/d' tools/dpkg-query
	echo 'grep -c "Direct Allocation" run.txt >printed' >>tools/dpkg-query
	PATH=$D/tools:$PATH limited "$MPROF" run --verbose --trace-children=yes -o run.txt --data=run.data.%p -- \
		sh -c './names; ./names; true' >out 2>err </dev/null
	[ "$(grep -c 'names from .dynsym: .*/names' err)" = 2 ] || fail "$(cat err)"
	[ "$(grep -cx 'mprof: for the lines and types of names: apt-get install made-up-dbgsym' err)" = 1 ] || fail "$(cat err)"
	[ "$(grep -c dpkg asked)" = 1 ]
	[ "$(cat printed)" = "$(grep -c "Direct Allocation" run.txt)" ] && [ "$(cat printed)" -ge 2 ]
}

@test "stripped, debug file by build ID only" {
	local id
	build -O2 -g
	strip_names
	id=$(build_id names)
	mkdir -p "debug/.build-id/${id:0:2}"
	mv names.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
	run_names --debug-dir=debug
	says err "names from DWARF in debug/.build-id/${id:0:2}/${id:2}.debug: "
	python3 "$ROOT/tests/lib/same-lines.py" run.data names names.whole
	run_names
	says err 'names from .dynsym: .*/names'
	run ! grep -q 'shop::' run.txt
}

# modules_as_addr2line: of every file of run.data
modules_as_addr2line() {
	local path n=0
	while read -r path; do
		python3 "$ROOT/tests/lib/same-lines.py" run.data "$path" "$path" >compared ||
			fail "$path: $(cut -c1-600 compared)" || return 1
		n=$((n + 1))
	done < <(sqlite3 run.data "select path from modules where names != '' and path like '/%'")
	[ "$n" -ge "$1" ]
}

@test "every frame of sqlite3's, of a C++ program's and of its libraries'" {
	need eu-addr2line
	"$(binary sqlite3)" :memory: 'select 1' | grep -q 1
	limited "$MPROF" run -o run.txt --data=run.data -- "$(binary sqlite3)" :memory: >out 2>err <<-'EOT'
		create table t(a integer primary key, b text);
		with recursive c(x) as (select 1 union all select x + 1 from c where x < 300)
			insert into t select x, hex(zeroblob(x % 50)) from c;
		create index i on t(b);
		select count(*), max(length(b)) from t where b like '%0%';
		select a, group_concat(b) from t group by a % 7 order by b;
	EOT
	[ "$(jq .totals.truncated_chains <(limited "$MPROF" report --format=json run.data))" = 0 ]
	modules_as_addr2line 3
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/cxx" >out 2>err
	modules_as_addr2line 2
}

# ---- what is shown of them ----

@test "--inlines=no: no inlined function, the same sums" {
	build -O2 -g
	run_names --inlines=no
	run ! grep -q 'shop::keep' run.txt
	grep -q 'shop::twice' run.txt
	# the data file has them all the same
	report && grep -q 'shop::keep' report
	limited "$MPROF" report --format=json run.data >all.json
	limited "$MPROF" report --format=json --inlines=no run.data >some.json
	agrees all.json
	agrees some.json
	[ "$(jq -c .totals all.json)" = "$(jq -c .totals some.json)" ]
	[ "$(jq '[.leaks[].path[] | select(.inlined)] | length' some.json)" = 0 ]
	[ "$(jq '[.leaks[].path[] | select(.inlined)] | length' all.json)" -gt 5 ]
	# the caller stands at the line of what was inlined into it
	jq -e '[.leaks[].path[-1] | select(.function == "shop::twice(int)") | .line] | unique == [8, 9]' some.json
}

@test "--lines: the lines of the source, in the tables of leaks and of direct allocation only" {
	build -O2 -g
	run_names --lines
	grep -Fq '> main (names.cc:62) > choose(void (*)(int), int) (names.cc:38) > shop::keep(unsigned long) (names.h:25)' run.txt
	# two calls in two lines of one function are two rows
	grep -Fq 'shop::twice(int) (names2.cc:8) > shop::keep' run.txt
	grep -Fq 'shop::twice(int) (names2.cc:9) > shop::keep' run.txt
	report --lines
	cmp report run.txt
	others() { sed '/Direct Allocation/,/^\f/d' report | grep -v '^ .*[|.]> ' | grep -v '^ .*|| > '; }
	direct() { # bytes and requests by function
		sed -n '/Direct Allocation/,/^\f/p' report | sed 's/ ([^ ]*:[0-9]*)$//' | awk -F'|' 'NF == 5 && /[0-9]/ {
			split($1, first, " "); split($5, last, " "); name = $5; sub(/^ *[0-9]* */, "", name)
			bytes[name] += first[2]; calls[name] += last[1] }
			END { for (name in bytes) print bytes[name], calls[name], name }' | sort
	}
	report
	others >without
	direct >functions
	[ -s functions ]
	report --lines
	others | cmp - without
	direct | diff - functions
	grep -Eq '^ +[0-9.]+ .*\|.*\|.*\|.*\| +[0-9]+   shop::keep\(unsigned long\) \(names.h:25\)$' report
}

@test "--names=short: without arguments and parameters" {
	build -O2 -g
	run_names --names=short
	run ! grep -q '[a-z]<\|(int)\|unsigned long' run.txt # in no table
	grep -q '^ *[0-9]* .* std::_Rb_tree_node$' run.txt
	grep -q '> (anonymous namespace)::call > main::{lambda#1}::operator() > ' run.txt
	grep -q '> choose > shop::keep$' run.txt
	report --names=full
	grep -Fq 'shop::box<shop::shelf::label>::fill(int)' report
	report --names=short
	cmp report run.txt
}

@test "what nothing names is meant by what the report calls it, in tables, massif files and everywhere" {
	cp "$T/widgets" stripped
	strip stripped
	limited "$MPROF" run -o run.txt --data=run.data -- ./stripped >out 2>err
	local name caller path
	path=$(sed -n 's/^ *1023876 .*|| > //p' run.txt)
	name=${path##* > }
	caller=${path% > *}
	caller=${caller##* > }
	[[ $name = stripped+0x* && $caller = stripped+0x* ]] || fail "$path"
	limited "$MPROF" report --ignore-fn="$name" --format=json run.data >report.json 2>err
	jq -e '.totals.allocs == 0' report.json
	limited "$MPROF" report --ignore-fn="$caller" --format=json run.data >report.json 2>err
	jq -e '.totals.allocs == 10000' report.json # it asked for nothing itself
	limited "$MPROF" report --alloc-fn="$name" --ignore-fn="$caller" --format=json run.data >report.json 2>err
	jq -e '.totals.allocs == 4981' report.json
	[ ! -s err ]
	local o
	for o in --format=text --base=run.data "--format=text --base=run.data" --format=folded; do
		# shellcheck disable=SC2086
		limited "$MPROF" report $o --alloc-fn="$name" run.data >out 2>err || fail "$o" "$(cat err)"
		! grep -qF "$name" out || fail "$o: $(cat out)"
	done
	# Massif's names are looked up while it runs; what its file shows of them is "???".
	massif_of() {
		limited "$MPROF" run --massif-out-file=m.out --time-unit=B --threshold=0 -o /dev/null --data=/dev/null \
			"$@" -- ./stripped >out 2>err
	}
	massif_of --ignore-fn="$name"
	[ "$(grep -c '^snapshot=' m.out)" = 1 ]
	massif_of --alloc-fn="$name"
	[ "$(grep -c '^snapshot=' m.out)" -gt 10 ]
	grep -q '^n2: ' m.out # one for either caller, where there was one for the function
	says err 'the massif file'
	not grep -q 'no function' err
}

@test "how much --ignore-fn has left out is told, and no massif file has a part of it" {
	limited "$MPROF" run -o run.txt --data=run.data --ignore-fn=make_widget -- "$T/widgets" >out 2>err
	says err 'left out by --ignore-fn: 10000 allocations of 2040000 bytes, 4981 frees$'
	limited "$MPROF" report --ignore-fn=make_widget run.data >out 2>err
	says err 'left out by --ignore-fn: 10000 allocations of 2040000 bytes, 4981 frees$'
	limited "$MPROF" report --summary --at=peak --ignore-fn=make_widget run.data >out 2>err
	grep -qx 'left out by --ignore-fn: 2040000 bytes in 10000 blocks' out || fail "$(cat out)"
	limited "$MPROF" report --summary --ignore-fn=main run.data >out 2>err
	! grep -q 'left out' out || fail "$(cat out)"
	refused 1 '--ignore-fn cannot leave out 10000 allocations of what was live over time' \
		"$MPROF" report --format=massif --ignore-fn=make_widget run.data
	refused 1 '--ignore-fn cannot leave out 10000 allocations of what was live over time' \
		"$MPROF" report --format=ms_print --ignore-fn=make_widget run.data
	limited "$MPROF" report --format=massif --ignore-fn=main run.data >out
	limited "$MPROF" report --format=massif run.data | diff - out | grep '^[<>]' | not grep -v '^. desc: '
}

@test "a name that no function has, and an expression that nothing matches, are told, once" {
	limited "$MPROF" run -o run.txt --data=run.data --alloc-fn=nobody -- "$T/widgets" >out 2>err
	says err '--alloc-fn=nobody: no function in the profile has this name$'
	limited "$MPROF" report --alloc-fn=malloc --ignore-fn=make_widget --alloc-fn=make_widget run.data >out 2>err
	! grep -q 'no function' err || fail "$(cat err)"
	local o
	for o in --format=tables --format=json --format=massif --format=ms_print --format=dot --base=run.data; do
		limited "$MPROF" report $o --ignore-fn=make_widge --alloc-fn=make_widget run.data >out 2>err
		says err '--ignore-fn=make_widge: no function in the profile has this name$'
		[ "$(grep -c 'no function' err)" = 1 ]
	done
	limited "$MPROF" report --focus=make --ignore='widgets+0x1' --list=make run.data >out 2>err
	says err '--ignore=widgets[+]0x1: no function and no file in the profile matches; it is a regular expression'
	[ "$(grep -c 'matches' err)" = 1 ]
	limited "$MPROF" report --list=nobody run.data >out 2>err
	says err '--list=nobody: no function and no file in the profile matches$'
	# Of several processes one is enough.
	limited "$MPROF" run --trace-children=yes -o run.txt --data=%p --alloc-fn=nobody --ignore-fn=make_widget -- \
		sh -c "'$T/plain'; '$T/widgets'; :" >out 2>err
	says err '--alloc-fn=nobody: no function in the profile has this name$'
	not grep -q ignore-fn= err
	[ "${MPROF_ENGINE:-}" != fast ] || return 0 # it has no pages
	# Pages have their functions in the massif file alone.
	limited "$MPROF" run --massif-out-file=m.out --pages-as-heap=yes --time-unit=B --data=/dev/null -o /dev/null \
		--alloc-fn=main --ignore-fn=nobody -- "$T/pagecalls" >out 2>err </dev/null
	says err '--ignore-fn=nobody: no function in the profile has this name$'
	not grep -q alloc-fn err
}

@test "--types=program, all, none" {
	build -O2 -g
	run_names
	[ "$(sqlite3 run.data "select count(*) from types where rank = 0")" -gt 3 ]
	sqlite3 run.data "select name from types where size in (6011, 6029, 6043, 6047) order by size" >types
	diff types - <<-'EOT'
		shop::shelf
		shop::shelf::label
		(anonymous namespace)::hidden
		(anonymous namespace)::nameless_t
	EOT
	report --verbose
	grep -q 'shop::shelf' report
	report --verbose --types=program
	grep -q 'shop::shelf' report
	report --verbose --types=none
	sed -n '/Allocation Bins/,/Partial/p' report >table1
	run ! grep -q 'shelf\|nameless_t' table1
	limited "$MPROF" report --format=json run.data >report.json
	jq -e '[.leaks[] | select(.path[-1].function == "main") | .types] == [["(anonymous namespace)::nameless_t"]]' \
		report.json
	jq -e '[.direct[] | select(.function == "main") | .types] == [["(anonymous namespace)::nameless_t"]]' report.json
}

@test "Rust: names of both manglings, types" {
	need rustc
	cat >names.rs <<-'EOT'
		use std::collections::BTreeMap;
		struct Shelf<T> { a: [T; 6011], n: Option<Box<Shelf<T>>> }
		mod shop { #[inline(never)] pub fn keep<T>(t: T) { std::mem::forget(std::hint::black_box(Box::new(t))); } }
		trait Fill { fn fill(&self); }
		impl Fill for BTreeMap<u32, u32> {
			#[inline(never)] fn fill(&self) { shop::keep([self.len() as u8; 6029]); }
		}
		fn main() {
			let f = |n: u8| shop::keep(Shelf { a: [n; 6011], n: None });
			f(std::env::args().count() as u8);
			BTreeMap::new().fill();
		}
	EOT
	for how in legacy v0; do
		RUSTC_BOOTSTRAP=1 rustc -g -O -Z unstable-options -C symbol-mangling-version=$how -o names names.rs 2>rust ||
			skip "$(tail -n 1 rust)"
		run_names
		grep -q 'names::shop::keep' run.txt
		run ! grep -q '17h[0-9a-f]\{16\}' run.txt
		# between these and the allocator stand more inlined functions than a path has room for
		limited "$MPROF" report --format=json --names=short --inlines=no run.data >report.json
		jq -r '.leaks[].path[].function' report.json >functions
		grep -q ' as names::Fill>::fill$' functions
		grep -q '^names::shop::keep$' functions
		run ! grep -q 'h[0-9a-f]\{16\}' functions
		[ "$(sqlite3 run.data "select count(*) from types where name = 'names::Shelf<u8>'")" = 1 ]
	done
}

@test "UTF-8 in names stays, control characters and broken UTF-8 do not" {
	build -O1 -g0
	objcopy --redefine-sym _ZN4shop10other_unitEi=$'f\xc3\xbc\xc3\x9fe_\xe2\x82\xac\033[2J\x9b\xff' names odd
	mv odd names
	run_names --verbose
	grep -Fq $'f\xc3\xbc\xc3\x9fe_\xe2\x82\xac\\033[2J\\233\\377' run.txt
	run ! grep -q $'\033' run.txt
	# readers of profile.proto refuse a file with a string that is not UTF-8
	limited "$MPROF" report --format=pprof run.data >p.pb.gz
	limited python3 "$ROOT/tests/lib/proto-sums.py" p.pb.gz >proto.json
	jq -r '.stacks[].frames[][0]' proto.json |
		grep -Fxq $'f\xc3\xbc\xc3\x9fe_\xe2\x82\xac\033[2J\\233\\377'
}

@test "in no format a terminal obeys a name: JSON has numbers of characters, all else octal, and the value is the same" {
	local name=$'f\xc3\xbc\033[2J\xc2\x9b31m\xe2\x80\xae\xe2\x80\xa8\xe2\x80\x8b\x7f' format
	build -O1 -g0
	objcopy --redefine-sym "_ZN4shop10other_unitEi=$name" names odd
	mv odd names
	run_names --verbose --heap-profile=p --symbols=yes --massif-out-file=massif.out
	for format in json text folded heap dot massif ms_print tables; do
		report "--format=$format" || fail "$format: $(cat err)"
		mv report "as.$format"
		[[ $format == @(heap|ms_print) ]] || grep -q $'f\xc3\xbc' "as.$format" || fail "no name as $format"
	done
	limited "$MPROF" diff --format=json run.data run.data >as.diff
	grep -Fq $'f\xc3\xbc\\u001B[2J\\u009B31m\\u202E\\u2028\\u200B\\u007F' as.json
	jq -r '.leaks[].path[].function' as.json | grep -Fxq "$name"
	run ! grep -lP '\x1b|\x7f|\xc2\x9b|\xe2\x80[\xae\xa8\x8b]' as.* run.txt p.*.heap massif.out
	[ -z "$output" ]
}

# ---- later and elsewhere ----

@test "report --symbols-from: an old profile gets its names" {
	build -O2 -g
	run_names
	report --lines --verbose && mv report want
	strip_names
	run_names
	run ! grep -q 'shop::' run.txt
	cp run.data before
	for from in names.debug names.whole; do
		report --lines --verbose --symbols-from=$from
		sed 1d want | diff - <(sed 1d report)
		says err "names from DWARF in $from: .*/names$"
	done
	# in a folder: by build ID, by its name, by its path, by any name
	local id place
	id=$(build_id names)
	for place in ".build-id/${id:0:2}/${id:2}.debug" names names.debug "$PWD/names" whatever; do
		mkdir -p "from/$(dirname "$place")"
		cp names.debug "from/$place"
		report --lines --verbose --symbols-from=from
		sed 1d want | diff - <(sed 1d report)
		rm -r from
	done
	report --lines --verbose --debug-dir=.
	sed 1d want | diff - <(sed 1d report)
	# the file itself stays as it was
	cmp run.data before
}

@test "a stripped file in a folder does not keep those of its build from giving the names" {
	build -O2 -g
	run_names
	report --lines --verbose && mv report want
	strip_names
	local whole
	for whole in names.debug names.whole; do
		mkdir from
		cp names from/
		cp $whole from/whatever
		run_names --debug-dir=from
		says err 'names from DWARF in from/whatever: .*/names$'
		run_names
		for how in --symbols-from --debug-dir; do
			report --lines --verbose $how=from
			sed 1d want | diff - <(sed 1d report)
			says err 'names from DWARF in from/whatever: .*/names$'
		done
		rm -r from
	done
	# a symbol table is better than nothing, DWARF is better than that
	mkdir from
	cp names.whole from/names
	strip -g from/names
	report --symbols-from=from
	says err 'names from .symtab in from/names: .*/names$'
	cp names.debug from/whatever
	report --symbols-from=from
	says err 'names from DWARF in from/whatever: .*/names$'
}

@test "report --symbols-from: another build is refused" {
	build -O2 -g
	strip_names
	run_names
	mkdir other
	(cd other && build -O1 -g)
	refused 1 'other/names is of another build' "$MPROF" report --symbols-from=other/names run.data
	[ ! -s refused.out ]
	refused 1 'other/names is of another build' "$MPROF" report --symbols-from=other run.data
	refused 1 'none of the files of this profile' "$MPROF" report --symbols-from="$T/edges" run.data
	refused 1 'no ELF file' "$MPROF" report --symbols-from=run.txt run.data
	refused 1 'No such file' "$MPROF" report --symbols-from=nosuch run.data
	mkdir empty
	refused 1 'there is no file' "$MPROF" report --symbols-from=empty run.data
	mkfifo empty/names
	refused 1 'there is no file' "$MPROF" report --symbols-from=empty run.data
	# what is right is taken, what is wrong is said
	cp names.debug other/right
	report --symbols-from=other
	grep -q 'shop::' report
}

@test "a debug file of another build is not taken, and that is said" {
	build -O1 -g
	objcopy --only-keep-debug names other.debug
	build -O2 -g
	strip_names
	cp other.debug names.debug
	objcopy --add-gnu-debuglink=names.debug names
	run_names
	says err 'names from .dynsym; .*/names.debug does not match: .*/names$'
	run ! grep -q 'shop::' run.txt
}

@test "a program whose file is deleted or replaced is read as it is mapped" {
	[ "$(id -u)" = 0 ] || skip "root only: /proc/PID/map_files"
	for with in '' "$T/edges"; do
		cp "$T/vanish" ./gone
		[ -z "$with" ] || cp "$with" other
		limited "$MPROF" run --stats -o run.txt --data=run.data -- ./gone gone ${with:+other} 2>err
		grep -q '> main > lose$' run.txt
		says err 'names from DWARF: .*/gone'
	done
}

@test "generated code has its name from the perf map" {
	limited "$MPROF" run --offsets -o run.txt --data=run.data -- "$T/jit" 2>err
	grep -q '> LazyCompile:~jitted game.js:3+21' run.txt
	rm -f "/tmp/perf-$(sqlite3 run.data "select value from meta where key = 'pid'").map"
}

# ---- the cache ----

@test "the second report is the first, also when the cache is damaged, cut short, empty or of another file" {
	local entry at
	cat >big.cc <<-'EOT'
		#include <functional>
		#include <iostream>
		#include <map>
		#include <regex>
		#include <string>
		int main(int argc, char **argv)
		{
			std::map<std::string, std::function<bool(int)>> m;
			std::regex r(argc > 1 ? argv[1] : "[a-c]+x*");
			m["abc"] = [&](int k) { return std::regex_search(std::string(k, 'x'), r); };
			return m["abc"](41);
		}
	EOT
	g++ -std=gnu++17 -O1 -g -o big big.cc
	[ "$(stat -c %s big)" -gt 1048576 ]
	limited "$MPROF" run -o run.txt --data=run.data -- ./big >out 2>err
	again() {
		limited "$MPROF" report --format=json --symbols-from=big run.data >again.json 2>err || fail "$(cat err)"
	}
	rm -r cache-home
	again
	mv again.json first.json
	grep -q 'std::regex' first.json
	entry=$(find cache-home -type f)
	[ -s "$entry" ]
	cp "$entry" good
	again
	cmp first.json again.json
	for at in 0 9 40 200 1000 20000 -3; do
		python3 - "$entry" $at <<-'EOT'
			import sys
			data = bytearray(open(sys.argv[1], "rb").read())
			data[int(sys.argv[2])] ^= 0x20
			open(sys.argv[1], "wb").write(data)
		EOT
		run ! cmp -s "$entry" good
		again
		cmp first.json again.json
		# it was made anew
		cmp "$entry" good
	done
	for at in 0 100 5000; do
		truncate -s $at "$entry"
		again
		cmp first.json again.json
		cmp "$entry" good
	done
	# of the same file as it was at another time: not used, and replaced
	touch -d '2001-02-03' big
	again
	cmp first.json again.json
	run ! cmp -s "$entry" good
	# a place for it that is none
	rm -r cache-home
	touch cache-home
	again
	cmp first.json again.json
}

# ---- debuginfod ----

# serve FILE: a server of debug files for ./names on this machine; its port is in ./port
serve() {
	cat >serve.py <<-'EOT'
		import http.server, sys, time
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        with open("asked", "a") as log:
		            log.write(self.path + "\n")
		        if self.path != "/buildid/%s/debuginfo" % sys.argv[1]:
		            return self.send_error(404)
		        if sys.argv[2] == "never":
		            time.sleep(60)
		        body = open(sys.argv[2], "rb").read()
		        self.send_response(200)
		        self.send_header("Content-Length", str(len(body)))
		        self.end_headers()
		        self.wfile.write(body)
		    def log_message(self, *args):
		        pass
		server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
		server.daemon_threads = True
		with open("port.new", "w") as f:
		    f.write(str(server.server_port))
		import os
		os.rename("port.new", "port")
		server.serve_forever()
	EOT
	rm -f port asked
	MPROF_TEST_MARK=$MARK python3 serve.py "$(build_id names)" "$1" >/dev/null 2>&1 3>&- &
	SERVER=$!
	for _ in {1..200}; do
		[ -e port ] && return
		sleep 0.05
	done
	return 1
}

no_server() {
	kill "$SERVER"
	wait "$SERVER" || true
}

need_debuginfod() {
	ldconfig -p | grep -q libdebuginfod.so.1 || skip "libdebuginfod is not installed"
	need python3
	export DEBUGINFOD_CACHE_PATH=$PWD/cache
	unset DEBUGINFOD_URLS
}

@test "debuginfod is asked if DEBUGINFOD_URLS is set, and only then" {
	need_debuginfod
	build -O2 -g
	strip_names
	mv names.debug elsewhere
	serve elsewhere
	run_names
	[ ! -e asked ]
	run ! grep -q 'shop::' run.txt
	DEBUGINFOD_URLS="" run_names
	[ ! -e asked ]
	DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" run_names
	no_server
	grep -q 'shop::twice' run.txt
	says err 'asking debuginfod for the names of .*/names$'
	says err 'names from DWARF in .*/cache/.*/debuginfo: .*/names$'
}

@test "what debuginfod sends is taken only if it is of the same build" {
	need_debuginfod
	build -O1 -g
	mv names wrong
	build -O2 -g
	strip_names
	mv names.debug elsewhere
	serve wrong
	DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" run_names
	no_server
	run ! grep -q 'shop::' run.txt
	says err 'does not match'
}

@test "a server that does not answer is given up" {
	need_debuginfod
	build -O2 -g
	strip_names
	mv names.debug elsewhere
	serve never
	export DEBUGINFOD_MAXTIME=2
	DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" run_names
	no_server
	says err 'seconds were spent on debuginfod: nothing more is fetched'
	[ -s run.txt ]
	DEBUGINFOD_URLS="http://127.0.0.1:1" run_names
	[ -s run.txt ]
}
