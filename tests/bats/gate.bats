#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# --fail-if: a run has failed when a condition holds, and what broke it is told.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# gated STATUS CONDITION... -- [OPTION...] PROGRAM...: under mprof run with these conditions
gated() {
	local want=$1 got=0 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("--fail-if=$1")
		shift
	done
	shift
	limited "$MPROF" run -o run.txt --data=run.data "${options[@]}" "$@" >out 2>err </dev/null || got=$?
	[ "$got" = "$want" ] || fail "status $got, not $want" "$(cat err)"
}

# same_of_file STATUS CONDITION...: mprof report says the same of run.data
same_of_file() {
	local want=$1 got=0 options=()
	shift
	for condition; do options+=("--fail-if=$condition"); done
	limited "$MPROF" report -o report.txt "${options[@]}" run.data 2>report.err || got=$?
	[ "$got" = "$want" ] || fail "report: status $got, not $want" "$(cat report.err)"
	diff <(grep -A12 -- --fail-if err | grep -v '^mprof: the prof') <(grep -A12 -- --fail-if report.err | grep -v '^mprof: the prof')
}

# example.c: 13 requests of 20000 bytes, all live at once; 10 frees; g keeps 8000 bytes, f 2000
@test "each figure of a run is held against its condition, and those that hold end it with status 12" {
	gated 0 'allocs>13' 'allocs<13' 'frees>10' 'bytes>20000' 'kept>10000' 'kept-blocks>3' 'peak>20000' \
		'kept(main)>10000' 'kept(g)>8000' 'kept(f)<6000' 'allocs(g)==1' -- "$T/example"
	not grep -q -- --fail-if err
	gated 12 'allocs>12' 'frees>=10' 'bytes==20000' 'kept>9999' 'kept-blocks<4' 'peak<=20000' 'kept(g)>7999' \
		'kept(f)==6000' 'frees(main)>9' -- "$T/example"
	local pid
	pid=$(sed -n 's/^mprof: process \([0-9]*\): --fail-if=allocs>12: there are 13 requests$/\1/p' err)
	[ -n "$pid" ]
	says err "process $pid: --fail-if=frees>=10: there are 10 frees$"
	says err "process $pid: --fail-if=bytes==20000: there are 20000 bytes$"
	says err "process $pid: --fail-if=kept>9999: there are 10000 bytes$"
	says err "process $pid: --fail-if=kept-blocks<4: there are 3 blocks$"
	says err "process $pid: --fail-if=peak<=20000: there are 20000 bytes$"
	says err "process $pid: --fail-if=kept\(g\)>7999: there are 8000 bytes$"
	says err "process $pid: --fail-if=kept\(f\)==6000: there are 6000 bytes$"
	# The rows that broke it, most first.
	grep -A2 -- '--fail-if=kept(g)' err | tail -n 2 >rows
	grep -Eqx ' +4000 bytes +main > f > g +/.*/example\.c:5' rows
	grep -Eqx ' +4000 bytes +main > g +/.*/example\.c:5' rows
	grep -A3 -- '--fail-if=kept>' err | tail -n 1 | grep -Eqx ' +2000 bytes +main > f +/.*/example\.c:10'
	same_of_file 12 'allocs>12' 'frees>=10' 'bytes==20000' 'kept>9999' 'kept-blocks<4' 'peak<=20000' 'kept(g)>7999' \
		'kept(f)==6000' 'frees(main)>9'
}

# sqlite3 asks for a home directory, and git for a user's name.
@test "what the C library keeps of users and groups is not kept by the program" {
	cat >user.c <<-'EOT'
		#include <grp.h>
		#include <pwd.h>
		int main(void) { return !getpwuid(0) || !getgrgid(0); }
	EOT
	cc -g -O1 -o user user.c
	gated 12 'unfreed>0' -- ./user
	gated 0 'kept>0' -- ./user
	grep -q 'that the runtime keeps (.*name service' err || fail "" "$(cat err)"
}

# runtime.cc: keeps 1000 bytes; libstdc++ its pool, the C library the buffer of stdout
@test "what the runtime keeps is not kept by the program, as the summary has it, and that is said in a line" {
	local not='--fail-if=kept does not count [0-9]+ bytes in 2 blocks that the runtime keeps \(.*stdio buffers [0-9]+\): unfreed does$'
	gated 0 'kept>1000' 'kept-blocks>1' -- --junit=junit.xml --sarif=sarif.json "$T/runtime"
	says err "process [0-9]+: $not"
	[[ $(xpath 'string(//testsuite[1]/system-out)') =~ ${not%\$} ]]
	jq -r '.runs[0].invocations[0].toolExecutionNotifications[].message.text' sarif.json | grep -Eq -- "$not"
	same_of_file 0 'kept>1000' 'kept-blocks>1'
	gated 12 'kept>999' 'unfreed>70000' 'unfreed-blocks==3' -- "$T/runtime"
	says err '--fail-if=kept>999: there are 1000 bytes$'
	[ "$(grep -c 'runtime keeps' err)" = 1 ]
	gated 0 'unfreed<70000' -- "$T/runtime"
	not grep -q 'runtime keeps' err
	# Nor does it grow by that: the program of the base has neither.
	gated 0 'kept>0' -- true
	mv run.data old.data
	gated 0 'kept>+1000' -- --base=old.data "$T/runtime"
	gated 12 'kept>+999' 'unfreed>+70000' -- --base=old.data "$T/runtime"
	gated 0 'kept>1000' -- --junit=junit.xml --sarif=sarif.json "$T/runtime"
	validated
}

@test "what is lost is told of a run that lets its program go" {
	cat >lets_go.c <<-EOT
		#include <stdlib.h>
		#include <unistd.h>
		int main(void) { char *volatile p = malloc(50); p = NULL; alarm(60); for (;;) { free(malloc(10)); usleep(1000); } }
	EOT
	cc -g -o lets_go lets_go.c
	gated 12 'lost>0' -- --duration=1 ./lets_go
	local pid
	pid=$(sed -n 's/^mprof: process \([0-9]*\): --fail-if=lost>0: there are 56 bytes$/\1/p' err)
	[ -n "$pid" ] || fail "$(cat err)"
	kill "$pid"
}

@test "peaks and temporary blocks are those that the program is known to have" {
	gated 0 'peak>81203' 'peak<81203' -- "$T/peak"
	gated 12 'peak>=81203' -- "$T/peak"
	[ "$(cat out)" = 'peak: passed' ]
	gated 12 'temporary>0' -- "$T/lives"
	says err 'temporary>0: there are [0-9]+ blocks$'
	local n
	n=$(sed -n 's/.*temporary>0: there are \([0-9]*\) blocks$/\1/p' err)
	json run.data
	[ "$n" = "$(jq '[.lifetimes[].temporary] | add' report.json)" ]
}

@test "the status is one's own choice, and wins over the program's" {
	gated 7 'kept>0' -- --fail-status=7 "$T/example"
	gated 12 'allocs>=0' -- sh -c 'exit 3'
	gated 3 'allocs<0' -- sh -c 'exit 3'
	gated 12 'allocs>=0' -- sh -c 'kill -9 $$'
	gated 137 'allocs<0' -- sh -c 'kill -9 $$'
	# What cannot be told is a failure only where there was none.
	gated 1 'lost>0' -- --duration=600 "$T/example"
	says err '--fail-if=lost>0 cannot be told: .*: nobody has looked at the memory for what is lost'
	gated 3 'lost>0' -- --duration=600 sh -c 'exit 3'
	gated 12 'lost>0' 'kept>0' -- --duration=600 "$T/example"
	gated 127 'kept>0' -- ./nothing-here
}

@test "a wrong condition is a sentence, before anything is run" {
	for wrong in kept 'kept>' 'kept>5%' 'kept()>0' 'held>0' 'allocs>1K' 'kept>-101%' 'kept(f>0'; do
		refused 2 'option fail-if: ".*" is not FIGURE>NUMBER or FIGURE\(FUNCTION\)>NUMBER' \
			"$MPROF" run "--fail-if=$wrong" touch was-run
	done
	refused 2 'fail-if=peak>\+5% is about growth, and needs --base' "$MPROF" run '--fail-if=peak>+5%' touch was-run
	refused 2 'base means nothing to mprof run without a --fail-if about growth' \
		"$MPROF" run --base=x '--fail-if=peak>5' touch was-run
	for option in junit=x sarif=x suppressions=x fail-status=3; do
		refused 2 "option ${option%=*} means nothing without --fail-if" "$MPROF" run "--$option" touch was-run
	done
	refused 2 'option fail-status: "0" is not a number from 1 to 255' "$MPROF" run --fail-status=0 touch was-run
	for figure in lost lost-blocks possible possible-blocks 'lost(main)'; do
		refused 2 "fail-if=${figure//[()]/.}>0 cannot be told of a program that has ended: .* --duration=SECONDS, or ask mprof attach" \
			"$MPROF" run "--fail-if=kept>0" "--fail-if=$figure>0" touch was-run
	done
	refused 1 'cannot read|no such' "$MPROF" run '--fail-if=kept>+1' --base=nothing touch was-run
	refused 1 'suppressions nothing: No such' "$MPROF" run '--fail-if=kept>1' --suppressions=nothing touch was-run
	refused 1 'nowhere/x' "$MPROF" run '--fail-if=kept>1' --junit=nowhere/x touch was-run
	echo 'race:x' >known
	refused 2 'known, line 1: "race:x" is no suppression: expected leak:PATTERN' \
		"$MPROF" run '--fail-if=kept>1' --suppressions=known touch was-run
	refused 2 'means nothing with --background' "$MPROF" attach --background '--fail-if=kept>1' 1
	[ ! -e was-run ]
}

@test "growth is since a base" {
	gated 0 'kept>0' -- true
	gated 0 'kept<0' -- "$T/example"
	mv run.data old.data
	gated 0 'kept>+0' 'peak>+0%' 'kept(g)>+0' -- --base=old.data "$T/example"
	gated 12 'peak>+5%' 'kept(nobody)>+0' -- --base=old.data "$T/peak"
	says err 'peak>\+5%: there are 81203 bytes, and in the base 20000 bytes$'
	says err '--fail-if=kept\(nobody\)>\+0 says nothing: neither the program nor'
	limited "$MPROF" report --base=old.data '--fail-if=peak>+5%' -o grown run.data 2>report.err && fail "passed" ||
		[ $? = 12 ]
	says report.err 'peak>\+5%: there are 81203 bytes, and in the base 20000 bytes$'
	# The growth itself is printed as ever.
	grep -q '81201' grown
}

@test "a function that is nowhere in the program is wrong usage, one that has requested nothing is not" {
	gated 2 'kept(nobody)>0' 'kept(g)<0' 'kept(no_such_*)>0' -- --junit=junit.xml --sarif=sarif.json "$T/example"
	says err '--fail-if=kept\(nobody\)>0 says nothing: neither the program nor a library of it has a function of this name$'
	says err '--fail-if=kept\(no_such_\*\)>0 says nothing'
	[ "$(grep -c -e '--fail-if=kept(nobody)' err)" = 1 ]
	xmllint --noout --nonet junit.xml
	[ "$(xpath 'count(//testsuite[1]/testcase/error)')" = 2 ]
	[ "$(jq -c '[.runs[0].results[].kind]' sarif.json)" = '["open","open"]' ]
	# In the binary, called or not, of the C library, or inlined wherever it is called.
	cat >quiet.cc <<-EOT
		#include <cstdlib>
		namespace shop {
		static inline __attribute__((always_inline)) void *inlined_one(int n) { return std::malloc(n); }
		__attribute__((noinline)) void never_today(int n) { if (n > 5) std::free(inlined_one(n)); }
		}
		int main(int argc, char **) { shop::never_today(argc); std::free(std::malloc(7)); }
	EOT
	c++ -g -O1 -o quiet quiet.cc
	gated 0 'kept(shop::never_today(int))>0' 'kept(shop::inlined_one(int))>0' 'kept(shop::inl*)>0' 'kept(fopen)>0' -- ./quiet
	[ "$(grep -c ': nothing was requested by a function of this name$' err)" = 4 ] || fail "$(cat err)"
	limited "$MPROF" report -o report.txt '--fail-if=kept(shop::never_today(int))>0' run.data
	gated 2 'kept(shop::never_todya(int))>0' -- ./quiet
	says err 'this name; did you mean shop::never_today\(int\)\?$'
	same_of_file 2 'kept(shop::never_todya(int))>0'
	# The program's own failure, and a condition that holds, come first.
	gated 3 'kept(nobody)>0' -- sh -c 'exit 3'
	gated 12 'kept(nobody)>0' 'allocs>=0' -- ./quiet
	# Of a file that is not what it was nothing is known.
	c++ -g -O1 -DX -o quiet -x c++ - <<<'int main() { return 0; }'
	limited "$MPROF" report -o report.txt '--fail-if=kept(nobody)>0' run.data 2>report.err
	says report.err 'kept\(nobody\)>0: nothing was requested by a function of this name$'
}

@test "a function of C++ is named with its parameters or without, and by another's name it is not found" {
	cat >slips.cc <<-EOT
		#include <cstdlib>
		static int xyz;
		struct Cache {
			__attribute__((noinline)) void *insert_one(int n) { return std::malloc(n + xyz); }
		};
		namespace shop {
		static inline __attribute__((always_inline)) void *inlined_one(int n) { return std::malloc(n); }
		namespace { inline __attribute__((always_inline)) void *hidden_one(int n) { return inlined_one(n); } }
		template <class T> __attribute__((noinline)) T *make(int n) { return (T *)std::malloc(n); }
		}
		static void *kept[3];
		int main(int argc, char **)
		{
			Cache cache;
			kept[0] = cache.insert_one(20 + argc);
			kept[1] = shop::make<char>(7);
			if (argc > 5) kept[2] = shop::hidden_one(argc);
		}
	EOT
	c++ -g -O1 -o slips slips.cc
	local name
	gated 12 'kept(Cache::insert_one(int))>0' -- ./slips
	gated 12 'kept(Cache::insert_one)==21' -- ./slips
	same_of_file 12 'kept(Cache::insert_one)==21'
	gated 12 'kept(shop::make)==7' -- ./slips
	gated 12 'kept(*::insert_one)==21' -- ./slips
	gated 0 'kept(shop::inlined_one)>0' 'kept(shop::inlined_one(int))>0' 'kept(fopen)>0' \
		'kept(shop::(anonymous namespace)::hidden_one)>0' 'kept(shop::(anonymous namespace)::hidden_one(int))>0' -- ./slips
	for name in 'Cahce::insert_one(int)' 'Cahce::insert_one' 'Cache::insert_one(long)' 'Cache::insrt_one(int)' \
		'insert_one(int)' insert_one nosuch::insert_one 'Some::Other::Thing::insert_one(int)'; do
		gated 2 "kept($name)>0" -- ./slips
		says err 'has a function of this name; did you mean Cache::insert_one\(int\)\?$' || fail "$name" "$(cat err)"
	done
	for name in nobodys_put xyz n mai $'\xff' 'main(' 'mak(int)' 'wrong::mani::stat(double)' nosuch::get \
		'shop::xinlined_one(int)' lined_one; do
		gated 2 "kept($name)>0" -- ./slips
	done
}

@test "of a stripped program it cannot be told what a function keeps" {
	strip -o stripped "$T/example"
	gated 1 'kept(g)>0' -- ./stripped
	says err 'kept\(g\)>0 cannot be told: there are between 0 and 10000 bytes: a function may be one that nothing names'
	# Whichever they are, they cannot break it, or must.
	gated 0 'kept(g)>10000' -- ./stripped
	gated 12 'kept>0' -- ./stripped
}

@test "suppressions in LeakSanitizer's syntax take out what is kept, each with how much, and unmatched ones are said" {
	cat >known <<-EOT
		# what we know of
		leak:^g\$
		leak:no_such_*
	EOT
	gated 0 'kept>2000' 'kept(g)>0' -- --suppressions=known "$T/example"
	says err 'suppressed by leak:\^g\$, and not counted by --fail-if: 2 blocks of 8000 bytes'
	says err 'the suppression leak:no_such_\* has matched nothing that is kept'
	# The tables have them all the same.
	grep -q 'Total bytes not freed: 10000' run.txt
	gated 12 'kept>1999' -- --suppressions=known "$T/example"
	[ "$(grep -c 'example\.c:5$' err)" = 0 ]
	echo 'leak:targets/example.c' >known
	gated 0 'kept>0' -- --suppressions=known "$T/example"
	echo 'leak:tests/example$' >known
	gated 0 'kept>0' 'kept-blocks>0' -- --suppressions=known "$T/example"
	gated 12 'bytes>0' -- --suppressions=known "$T/example"
}

@test "conditions are for each process, which is told, and a table is for all" {
	local n
	gated 12 'kept(child)>0' 'peak>1G' -- --trace-children=yes "$T/spawns"
	[ "$(grep -c '^mprof: process [0-9]*: --fail-if=kept(child)>0: there are 10618 bytes' err)" = 8 ] || fail "$(cat err)"
	grep -A40 '^ process ' err >table
	[ "$(grep -c ' 10618 !' table)" = 8 ]
	# The shells of system() have no names.
	[ "$(tail -n +2 table | grep -Ec '^ *[0-9]+ ')" = 13 ]
	grep -Eq '^ +all .* - +13 processes$' table
	# Each process that broke it stands there.
	for n in $(sed -n 's/^mprof: process \([0-9]*\): --fail-if=kept(child)>0: there are 10618.*/\1/p' err); do
		grep -Eq "^ *$n +10618 !" table
	done
}

@test "attach and detach hold what was seen against conditions, too" {
	local got=0
	start server "$T/server"
	attach -o /dev/null "$PID"
	limited "$MPROF" detach -o /dev/null '--fail-if=allocs>=0' '--fail-if=lost>1G' "$PID" 2>detach.err || got=$?
	[ "$got" = 12 ] || fail "detach: $got" "$(cat detach.err)"
	says detach.err "process $PID: --fail-if=allocs>=0: there are [0-9]+ requests"
	not grep -q 'lost>1G' detach.err
	got=0
	limited "$MPROF" attach --duration=1 -o /dev/null --data=/dev/null '--fail-if=allocs>=0' "$PID" 2>attach.err || got=$?
	[ "$got" = 12 ] || fail "attach: $got" "$(cat attach.err)"
	finish server
}

# validated: ./junit.xml and ./sarif.json are what their schemas say
validated() {
	local schemas=$T/schemas
	"$ROOT/tests/lib/schemas" "$schemas" 2>npm.err || skip "npm has no schemas: $(tail -n 1 npm.err)"
	xmllint --noout --nonet --schema "$schemas/junit.xsd" junit.xml || return 1
	python3 "$ROOT/tests/lib/sarif.py" "$schemas/sarif.json" sarif.json
}

# xpath EXPRESSION: of ./junit.xml
xpath() {
	xmllint --nonet --xpath "$1" junit.xml
}

@test "JUnit's XML and SARIF are valid, and say what stands on the terminal" {
	echo 'leak:nothing' >known
	gated 12 'kept(child)>0' 'lost>0' 'peak>1G' -- --duration=600 --trace-children=yes --suppressions=known --junit=junit.xml \
		--sarif=sarif.json "$T/spawns"
	[ "$(xpath 'count(//testsuite)')" = 13 ]
	[ "$(xpath 'count(//testcase[failure]/@name[. = "kept(child)>0"])')" = 8 ]
	[ "$(xpath 'count(//testcase[error]/@name[. = "lost>0"])')" = 13 ]
	[ "$(xpath 'count(//testcase[not(*)]/@name[. = "peak>1G"])')" = 13 ]
	[ "$(xpath 'string(//failure/@message)')" = 'there are 10618 bytes' ]
	xpath 'string(//failure)' | grep -q 'main > child  .*/spawns\.c:'
	[ "$(jq '[.runs[0].results[] | select(.ruleId == "kept(child)>0" and .kind == "fail")] | length' sarif.json)" = 8 ]
	jq -e '[.runs[0].results[] | select(.kind == "fail") | .locations[0]] | all(
		(.logicalLocations[0].fullyQualifiedName == "child") and
		(.physicalLocation.artifactLocation.uri | endswith("/tests/targets/spawns.c")) and
		(.physicalLocation.region.startLine > 0))' sarif.json
	validated
}

@test "sources below the folder in which mprof runs are named relative to it in SARIF" {
	mkdir src
	cp "$ROOT/tests/targets/example.c" src/
	cc -g -O0 -o example "$PWD/src/example.c"
	gated 12 'kept>0' -- --sarif=sarif.json --junit=junit.xml ./example
	[ "$(jq -c '[.runs[0].results[].locations[0].physicalLocation.artifactLocation] | unique' sarif.json)" = \
		'[{"uri":"src/example.c","uriBaseId":"%SRCROOT%"}]' ]
	validated
}

@test "hostile names break neither JUnit's XML nor SARIF, nor the terminal" {
	local name=$'<&"\'>]]>\x01\x1b[31m\xff\xc3({0}[a](b)'
	mkdir "$name"
	cp "$ROOT/tests/targets/example.c" "$name/$name.c"
	cc -g -O0 -o "$name/$name" "$name/$name.c"
	printf 'leak:%s\nleak:^f$\n' "$name[no]" >known
	gated 12 'kept>0' "kept($name)>0" 'allocs(g)>0' -- --suppressions=known --junit=junit.xml --sarif=sarif.json \
		"$name/$name"
	not grep -aq $'[\x01\x1b\xff]' err
	not grep -aq $'[\x01\x1b\xff]' junit.xml
	not grep -aq $'[\x01\x1b\xff]' sarif.json
	xmllint --noout --nonet junit.xml
	jq -e '.runs[0].results | length > 0' sarif.json
	validated
}

@test "what cannot be written of them is said, and is a failure where there was none" {
	mkdir gone
	gated 1 'kept<0' -- --junit=gone/junit.xml sh -c 'rmdir gone'
	says err 'cannot write gone/junit.xml: No such file'
	gated 0 'kept<0' -- --junit=junit.xml --sarif=sarif.json "$T/example"
	[ "$(xpath 'count(//testcase[not(*)])')" = 1 ]
	[ "$(jq -c '.runs[0].results' sarif.json)" = '[]' ]
	validated
}

@test "what is read is not written over by --junit and --sarif" {
	local option
	limited "$MPROF" run -o /dev/null --data=a.data touch was-run 2>err
	cp a.data b.data
	echo leak:nobody >known
	cp known kept
	for option in junit sarif; do
		refused 2 "--$option=./a.data would write over a.data, which is read" \
			"$MPROF" report -o /dev/null '--fail-if=kept>0' "--$option=./a.data" a.data
		refused 2 "--$option=b.data would write over b.data, which is read" \
			"$MPROF" report -o /dev/null '--fail-if=kept>+0' --base=b.data "--$option=b.data" a.data
		refused 2 "--$option=known would write over known, which is read" \
			"$MPROF" report -o /dev/null '--fail-if=kept>0' --suppressions=known "--$option=known" a.data
	done
	cmp a.data b.data
	cmp known kept
}

@test "suppressions come from a file or a pipe of the shell, and nothing else is waited for" {
	local from
	limited "$MPROF" run -o /dev/null --data=a.data "$T/example" 2>err
	mkfifo pipe
	for from in pipe /dev/zero /dev/full; do
		refused 1 "cannot read the suppressions $from: it is neither a file nor a pipe" \
			"$MPROF" report -o /dev/null '--fail-if=kept>0' "--suppressions=$from" a.data
	done
	head -c 2000000 /dev/zero | tr '\0' '#' >large
	refused 1 'cannot read the suppressions large: File too large' \
		"$MPROF" report -o /dev/null '--fail-if=kept>0' --suppressions=large a.data
	printf 'leak:nobody\nleak:main' >unended
	limited "$MPROF" report -o /dev/null '--fail-if=kept>0' --suppressions=unended a.data 2>err
	limited "$MPROF" report -o /dev/null '--fail-if=kept>0' --suppressions=<(echo leak:main) a.data 2>err
}
