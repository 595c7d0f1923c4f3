# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154
# Memory over time: massif files, against Massif itself.

load ../lib/common

# massif NAME "PROGRAM [ARG...]" [OPTION...]: profiles it; its massif file is NAME.
massif() {
	local name=$1 program=$2
	shift 2
	# shellcheck disable=SC2086
	limited "$MPROF" run --massif-out-file="$name" --time-unit=B --data=/dev/null "$@" -- $program \
		>"$name.stdout" 2>"$name.stderr" </dev/null
}

# valgrind_massif NAME "PROGRAM [ARG...]" [OPTION...]: the same by Valgrind, which would free what libraries keep.
valgrind_massif() {
	local name=$1 program=$2
	shift 2
	# shellcheck disable=SC2086
	limited valgrind --tool=massif --massif-out-file="$name" --time-unit=B --run-libc-freeres=no \
		--run-cxx-freeres=no "$@" $program >/dev/null 2>"$name.stderr" </dev/null
}

# model usable|rounded LOG MAX_SNAPSHOTS DETAILED_FREQ INACCURACY ADMIN
model() {
	python3 "$ROOT/tests/lib/massif_model.py" "$@"
}

# Addresses are where Valgrind loads a program, and its options have other names.
without_addresses() {
	sed -E 's/^desc:.*//; s/0x[0-9A-F]+: //' "$1"
}

# field FILE NAME: all values of a field of the snapshots
field() {
	sed -n "s/^$2=//p" "$1"
}

@test "the manual's example gives the snapshots and trees of the manual" {
	massif m.out "$T/example" --alignment=8
	ms_print m.out | sed -E '1,6d; s/0x[0-9A-F]+:/0x:/' >printed
	diff "$BATS_TEST_DIRNAME/massif-example.expected" printed
	[ "$(head -1 m.out)" = "desc: --massif-out-file=m.out --time-unit=B --alignment=8" ]
	[ "$(sed -n 2p m.out)" = "cmd: $T/example" ]
	says m.out.stderr "the massif file of process [0-9]+ is m.out"
}

@test "with the usual alignment the example's snapshots are of the same kinds" {
	massif m.out "$T/example"
	[ "$(field m.out heap_tree | nl -v0 | awk '$2 != "empty" { printf "%d %s ", $1, $2 }')" = \
		"9 detailed 14 peak 24 detailed " ]
	[ "$(field m.out snapshot | tail -1)" = 24 ]
}

@test "a program with pools: every snapshot and every tree is Massif's" {
	local o
	for o in --threshold=1.0 --max-snapshots=10 --detailed-freq=1 --peak-inaccuracy=0 --depth=2 \
		"--threshold=0 --alloc-fn=more" --heap-admin=0 --threshold=100 --threshold=10; do
		# shellcheck disable=SC2086
		valgrind_massif v.out "$T/pools" $o
		# shellcheck disable=SC2086
		massif m.out "$T/pools" $o
		echo "options: $o"
		diff <(without_addresses v.out) <(without_addresses m.out)
		ms_print m.out >/dev/null
	done
}

@test "functions that are ignored, and wrappers, are Massif's too" {
	local o
	for o in "--alloc-fn=take" "--alloc-fn=more --alloc-fn=take" "--ignore-fn=more" "--ignore-fn=take" \
		"--ignore-fn=take --alloc-fn=more" "--ignore-fn=main"; do
		# shellcheck disable=SC2086
		valgrind_massif v.out "$T/pools" --threshold=0 $o
		# shellcheck disable=SC2086
		massif m.out "$T/pools" --threshold=0 $o
		echo "options: $o"
		diff <(without_addresses v.out) <(without_addresses m.out)
	done
}

# rows FILE: TIME USEFUL EXTRA KIND of each snapshot
rows() {
	sed -n 's/^\(time\|mem_heap_B\|mem_heap_extra_B\|heap_tree\)=//p' "$1" | paste -d ' ' - - - -
}

@test "thousands of calls of all kinds: useful bytes are Massif's, and extra bytes are all that differs" {
	local seed=0 o way
	for o in "100 10 1.0 8" "1000 10 1.0 8" "10 1 0 0" "37 3 7.5 40"; do
		seed=$((seed + 1))
		# shellcheck disable=SC2086
		set -- $o
		for way in valgrind_massif massif; do
			$way $way.out "$T/mixture $seed 2000 $way.log" --max-snapshots="$1" --detailed-freq="$2" \
				--peak-inaccuracy="$3" --heap-admin="$4"
		done
		echo "seed $seed, options: $o"
		diff <(cut -d ' ' -f 1,3 valgrind_massif.log) <(cut -d ' ' -f 1,3 massif.log)
		# Massif charges what its allocator made of a block, we what rounding up adds: the same rules
		# with either give either file, to the last snapshot.
		diff <(model usable valgrind_massif.log "$@") <(rows valgrind_massif.out)
		diff <(model rounded massif.log "$@") <(rows massif.out)
	done
	# As long as no snapshot has been dropped, each event has its own.
	valgrind_massif v.out "$T/mixture 5 400 v.log" --max-snapshots=1000
	massif m.out "$T/mixture 5 400 m.log" --max-snapshots=1000
	[ "$(field m.out snapshot | wc -l)" -gt 350 ]
	diff <(field v.out mem_heap_B | uniq) <(field m.out mem_heap_B | uniq)
}

@test "--ignore-fn: a block that one function allocates and another resizes" {
	massif m.out "$T/ignores" --ignore-fn=hidden --max-snapshots=1000
	diff <(rows m.out | cut -d ' ' -f 1-3) - <<-END
		0 0 0
		1608 1600 8
		16008 16000 8
		16008 16000 8
		32016 0 0
		32088 64 8
		32160 0 0
	END
	# Where only what is ignored is resized by others it is the same in Massif, but for its trees: what
	# seen() made of the ignored block stays in them for good.
	valgrind_massif v.out "$T/ignores" --ignore-fn=hidden --max-snapshots=1000
	diff <(rows v.out | sed 's/ 48000 8 peak$/ 16000 8 peak/') <(rows m.out)
	# A counted block that goes to hidden() is released; coming back it is not counted again.
	massif m.out "$T/ignores both" --ignore-fn=hidden --max-snapshots=1000
	[ "$(rows m.out | cut -d ' ' -f 1-3 | tail -4 | tr '\n' ,)" = \
		"16008 16000 8,32016 0 0,32088 64 8,32160 0 0," ]
	massif m.out "$T/ignores both" --ignore-fn=seen --max-snapshots=1000
	[ "$(rows m.out | cut -d ' ' -f 1-3 | tr '\n' ,)" = "0 0 0,3208 3200 8,3208 3200 8,6416 0 0," ]
}

@test "a block that is made smaller where nothing was allocated before: that place is in no snapshot before it" {
	local seed
	for seed in 1 2 3; do
		# Of a block that is made smaller in place Massif keeps the size: extra bytes, and the time.
		valgrind_massif v.out "$T/resized $seed" --threshold=0 --max-snapshots=1000 --detailed-freq=1 \
			--peak-inaccuracy=0
		massif m.out "$T/resized $seed" --threshold=0 --max-snapshots=1000 --detailed-freq=1 --peak-inaccuracy=0
		echo "seed $seed"
		diff <(without_addresses v.out | sed '/^time=/d; /^mem_heap_extra_B=/d') \
			<(without_addresses m.out | sed '/^time=/d; /^mem_heap_extra_B=/d')
		[ "$(field m.out heap_tree | grep -c peak)" = 1 ]
	done
}

@test "a C++ program: the useful bytes of every snapshot are Massif's, and the trees in its source" {
	valgrind_massif v.out "$T/shapes" --threshold=0 --max-snapshots=1000 --detailed-freq=7
	massif m.out "$T/shapes" --threshold=0 --max-snapshots=1000 --detailed-freq=7
	[ "$(field m.out snapshot | wc -l)" -gt 400 ]
	# What a reused block is rounded up to is the allocator's business.
	diff <(without_addresses v.out | grep -E '^mem_heap_B|^heap_tree|[(][a-z_.+]+:[0-9]+[)]$') \
		<(without_addresses m.out | grep -E '^mem_heap_B|^heap_tree|[(][a-z_.+]+:[0-9]+[)]$')
	ms_print m.out >/dev/null
}

@test "a forking program: the child's file begins with the parent's snapshots, as Massif's" {
	valgrind_massif v.%p "$T/heirs"
	massif m.%p "$T/heirs" --trace-children=yes
	local v=(v.*[0-9]) m=(m.*[0-9])
	[ ${#v[@]} = 2 ] && [ ${#m[@]} = 2 ]
	# The child's is the one with the block that it resized.
	grep -l '^mem_heap_B=23456' v.*[0-9] m.*[0-9] | xargs -n1 basename >children
	[ "$(wc -l <children)" = 2 ]
	local f
	for f in v m; do
		mv "$(grep "^$f" children)" "child-$f"
		mv $f.*[0-9] "parent-$f"
	done
	diff <(without_addresses child-v) <(without_addresses child-m)
	diff <(without_addresses parent-v) <(without_addresses parent-m)
}

@test "without %p in the name the first process's file has that name, and the child's number comes behind the other" {
	massif m.out "$T/heirs" --trace-children=yes
	[ -s m.out ]
	local rest=(m.out.*[0-9])
	[ ${#rest[@]} = 1 ]
	ms_print "${rest[0]}" >/dev/null
	grep -q '^mem_heap_B=23456' "${rest[0]}"
}

@test "a child that is not followed has no file and changes nothing" {
	massif m.%p "$T/heirs"
	local m=(m.*[0-9])
	[ ${#m[@]} = 1 ]
	! grep -q '^mem_heap_B=23456' "${m[0]}"
}

@test "an exec ends one file and begins another" {
	limited "$MPROF" run --massif-out-file=m.out --time-unit=B --data=/dev/null -- \
		sh -c "exec $T/example" 2>stderr </dev/null
	[ -s m.out.1 ] && [ "$(sed -n 2p m.out)" = "cmd: $T/example" ]
	[ "$(field m.out snapshot | tail -1)" = 24 ]
	rm m.*
	limited "$MPROF" run --massif-out-file=m.%n --time-unit=B --data=/dev/null -- \
		sh -c "exec $T/example" 2>stderr </dev/null
	[ -s m.1 ] && [ "$(field m.2 snapshot | tail -1)" = 24 ]
}

@test "names of files: variables, per cent signs, and where they are" {
	mkdir there
	WHERE=there massif 'there/%q{WHERE}-100%%.%n' "$T/example"
	[ -s there/there-100%.1 ]
}

@test "a name that cannot be is refused before the program runs" {
	local name
	for name in '%z' '%q{MPROF_TEST_UNSET}' '%q{HOME' '~/x' '' '%'; do
		refused 2 'massif-out-file' "$MPROF" run --massif-out-file="$name" -- touch ran
		[ ! -e ran ]
	done
}

@test "values out of range are refused before the program runs" {
	local o
	for o in --heap=maybe --heap-admin=1025 --heap-admin=-1 --alignment=24 --alignment=8192 --depth=0 \
		--depth=201 --threshold=100.1 --threshold=-1 --threshold=1% --peak-inaccuracy=-1 \
		--time-unit=s --detailed-freq=0 --detailed-freq=1000001 --max-snapshots=9 \
		--max-snapshots=1001 --alloc-fn= --x=72; do
		local name=${o%%=*}
		refused 2 "option -*${name#--}" "$MPROF" run "$o" --massif-out-file=m.out -- touch ran
		[ ! -e ran ]
	done
}

@test "a report refuses values out of ms_print's ranges, and tolerates a per cent sign" {
	local o
	massif m.out "$T/example"
	for o in --x=3 --x=1001 --x=7.5 --x= --y=3 --y=1001 --y=-4 --threshold=100.1 --threshold=-1 --threshold=1%% \
		--threshold=%; do
		local name=${o%%=*}
		refused 2 "option -*${name#--}" "$MPROF" report --format=ms_print "$o" m.out
	done
	for o in --x=4 --x=1000 --y=4 --y=1000 --threshold=0% --threshold=100.0%; do
		as_ms_print m.out "$o"
	done
}

@test "why instructions cannot be counted is told: by default time is in ms then, and --time-unit=i is refused" {
	needs_traps "it says that it counts no instructions, and asks nobody why"
	local err words
	while read -r err words; do
		limited "$T/uncounted" "$err" "$MPROF" run --massif-out-file=m.out --data=/dev/null -- "$T/example" \
			2>stderr </dev/null
		[ "$(sed -n 3p m.out)" = "time_unit: ms" ]
		[ "$(field m.out snapshot | tail -1)" -ge 5 ]
		says stderr "time is told in milliseconds: instructions cannot be counted: $words"
		refused 2 "^mprof: --time-unit=i: instructions cannot be counted: .*$words.*; use --time-unit=ms or B" \
			"$T/uncounted" "$err" "$MPROF" run --massif-out-file=m.out --time-unit=i -- touch ran
		refused 2 "time-unit=i.*$words" \
			"$T/uncounted" "$err" "$MPROF" attach --massif-out-file=m.out --time-unit=i $$
		[ ! -e ran ]
	done <<-END
		2 .*no counter
		19 .*no counter
		13 .*not permitted .*perf_event_paranoid
		1 .*not permitted .*perf_event_paranoid
		22 .*Linux 5.13
	END
	# Other units need no counter.
	limited "$T/uncounted" 2 "$MPROF" run --massif-out-file=m.out --time-unit=B --data=/dev/null -- \
		"$T/example" 2>stderr </dev/null
	[ "$(sed -n 3p m.out)" = "time_unit: B" ]
	[ -z "$(grep 'instructions' stderr)" ]
}

@test "with a counter of instructions the default unit is i, and what does more takes more" {
	needs_traps "instructions are counted at stops"
	limited "$MPROF" run --massif-out-file=m.out --data=/dev/null -- "$T/example" 2>stderr </dev/null
	[ "$(sed -n 3p m.out)" = "time_unit: i" ] || {
		says stderr 'time is told in milliseconds: instructions cannot be counted: ' # as above
		return
	}
	[ "$(field m.out time | tail -1)" -gt 10000 ]
	limited "$MPROF" run --massif-out-file=more.out --time-unit=i --data=/dev/null -- "$T/pools" 2>stderr </dev/null
	[ "$(field more.out time | tail -1)" -gt "$(field m.out time | tail -1)" ]
}

@test "a program that ends by a signal has its file" {
	massif m.out "$T/ends" || true
	ms_print m.out >/dev/null
}

@test "a file that cannot be written is told" {
	refused 1 'cannot write the massif file' "$MPROF" run --time-unit=B --massif-out-file=nowhere/m.out -- touch ran
	[ ! -e ran ]
}


# as_ms_print FILE [OPTION...]: what we print of it is what ms_print prints, but for its own options.
as_ms_print() {
	local file=$1
	shift
	ms_print "$@" "$file" >theirs.txt 2>/dev/null
	"$MPROF" report --format=ms_print "$@" "$file" >ours.txt
	grep -q 'ms_print arguments: --format=ms_print ' ours.txt
	diff <(sed 's/ms_print arguments: .*//' theirs.txt) <(sed 's/ms_print arguments: .*//' ours.txt) ||
		fail "$file: options: $*"
}

@test "ms_print's output, to the byte, of our files and of Valgrind's" {
	local o
	massif ours.out "$T/shapes"
	valgrind_massif theirs.out "$T/pools" --threshold=0
	massif stacks.out "$T/example" --max-snapshots=10 --detailed-freq=1 --threshold=0
	sed 's/time_unit: B/time_unit: ms/; s/mem_stacks_B=0/mem_stacks_B=123456789012/' stacks.out >ms.out
	sed 's/time_unit: B/time_unit: i/; s/^desc:.*/desc: a\ndesc: b # c/; s/mem_heap_B=/&77/' theirs.out >i.out
	for o in "" --x=4 --x=1000 --y=4 --y=1000 "--x=33 --y=7" --threshold=0 --threshold=0.5% --threshold=10 \
		--threshold=100; do
		# shellcheck disable=SC2086
		as_ms_print ours.out $o
		# shellcheck disable=SC2086
		as_ms_print theirs.out $o
		# shellcheck disable=SC2086
		as_ms_print stacks.out $o
		# shellcheck disable=SC2086
		as_ms_print ms.out $o
		# shellcheck disable=SC2086
		as_ms_print i.out $o
	done
}

# FUZZ files are compared.
@test "ms_print's output, to the byte, of files at random: one snapshot, nothing allocated, huge numbers, odd trees" {
	local i last=${FUZZ:-40}
	python3 "$ROOT/tests/lib/massif_random.py" 1 "$last"
	for ((i = 1; i <= last; i++)); do
		# shellcheck disable=SC2046
		as_ms_print "$i.out" $(sed -n '1s/^#//p' "$i.out")
	done
	# What a sum in floating point would get wrong: a row that is just not reached, and 100% of it.
	printf '%s\n' 'desc: d' 'cmd: c' 'time_unit: B' snapshot=0 time=36028797018963967 \
		mem_heap_B=94406079036736297 mem_heap_extra_B=0 mem_stacks_B=0 heap_tree=detailed \
		'n1: 94406079036736297 top' ' n0: 94406079036736297 a' snapshot=1 time=36028797018963968 \
		mem_heap_B=1 mem_heap_extra_B=0 mem_stacks_B=0 heap_tree=empty >huge.out
	as_ms_print huge.out
	as_ms_print huge.out --threshold=100 --y=7
}

@test "what a massif file says is harmless for the terminal that it is printed on" {
	printf 'desc: \033[31m\ncmd: a \033]0;title\007 \342\200\256\ntime_unit: B\n' >evil.out
	printf '%s\n' snapshot=0 time=1 mem_heap_B=10 mem_heap_extra_B=0 mem_stacks_B=0 heap_tree=detailed \
		'n1: 10 top' $' n0: 10 \033[2Jf' >>evil.out
	"$MPROF" report --format=ms_print evil.out >printed
	grep -qF 'Command:            a \033]0;title\007 \342\200\256' printed
	grep -qF '\033[2Jf' printed
	not grep -q $'\033' printed
}

@test "a massif file that is none is refused with the line" {
	massif m.out "$T/example"
	head -n 40 m.out >cut.out
	refused 1 'cut.out: line 40: expected "mem_heap_extra_B=" .*end of the file' "$MPROF" report --format=ms_print cut.out
	sed 's/^time=2032/tame=2032/' m.out >bad.out
	refused 1 'bad.out: line [0-9]+: expected .time=.*tame' "$MPROF" report --format=ms_print bad.out
	refused 1 'nothing.out' "$MPROF" report --format=ms_print nothing.out
	refused 1 'cannot write' "$MPROF" report --format=ms_print -o /nonexistent/x m.out
	"$MPROF" report --format=ms_print -o printed m.out
	grep -q 'Number of snapshots: 25' printed
}

@test "--at=peak: the tables for what was live at the peak, and nothing else" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/peak" >out 2>err </dev/null
	says err 'the peak: 81203 bytes in 2 blocks, [0-9.]+ s after the start'
	"$MPROF" report --at=peak --format=json run.data >peak.json
	[ "$(jq -c '[.bins[] | [.size, .allocs, .frees]]' peak.json)" = '[[1200,1,0],[80003,1,0]]' ]
	[ "$(jq '.totals.kept_bytes' peak.json)" = 81203 ]
	"$MPROF" report --at=peak run.data >peak.txt 2>peak.err
	grep -q '^Total bytes live at the peak: 81203$' peak.txt
	says peak.err 'the peak: 81203 bytes'
	# Every table says what it is of, and none speaks of leaks or of what was kept.
	[ "$(grep -c 'live at the Peak' peak.txt)" = 4 ]
	! grep -qi 'leak\|freed\|kept\|allocs' peak.txt || fail "$(cat peak.txt)"
	not grep -q Peak run.txt
	[ "$(jq -c 'keys - ["options"]' peak.json)" = "$("$MPROF" report --format=json run.data | jq -c 'keys - ["growing"]')" ]
	[ "$(sqlite3 run.data 'select sum(size * blocks) from peak join leaves on leaves.rowid = leaf')" = 81203 ]
	[ "$(sqlite3 run.data 'select live_bytes, live_blocks from timeline where peak')" = '81203|2' ]
	"$MPROF" report run.data >end.txt 2>/dev/null
	cmp run.txt end.txt
}

@test "the timeline of a data file as a massif file, with the tree of the exact peak" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/peak" >out 2>err </dev/null
	"$MPROF" report --format=massif --time-unit=B -o m.out run.data
	refused 2 'time-unit=i: .* tells no instructions' "$MPROF" report --format=massif --time-unit=i run.data
	refused 2 'time-unit=i: .* tells no instructions' "$MPROF" run --format=ms_print --time-unit=i -- touch ran
	[ ! -e ran ]
	as_ms_print m.out
	[ "$(field m.out mem_heap_B | sort -n | tail -1)" = 81203 ]
	[ "$(field m.out heap_tree | grep -c peak)" = 1 ]
	grep -qE '^ n0: 80003 0x[0-9A-F]+: main [(]peak.c:[0-9]+[)]$' m.out
	"$MPROF" report --format=ms_print --time-unit=B run.data | sed '/^ms_print arguments/d' >direct
	"$MPROF" report --format=ms_print m.out | sed '/^ms_print arguments/d' >through
	diff <(sed '/^Massif arguments/d' direct) <(sed '/^Massif arguments/d' through)
	"$MPROF" report --format=massif run.data | grep -q '^time_unit: ms$'
}

@test "of a data file's timeline as many snapshots are shown as Massif would have kept" {
	needs_traps "events of one time are one point, and its clock is looked at less often"
	local o most unit column
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/mixture" 1 2000 log >out 2>err </dev/null
	[ "$(sqlite3 run.data 'select count(*) > 400 from timeline')" = 1 ]
	for o in "100" "100 --max-snapshots=100" "10 --max-snapshots=10" "37 --max-snapshots=37" \
		"1000 --max-snapshots=1000"; do
		most=${o%% *}
		for unit in B ms; do
			column=churn_bytes
			[ $unit = B ] || column=time_ns
			sqlite3 run.data "select $column, live_bytes, extra_bytes, peak from timeline order by rowid" >points
			# shellcheck disable=SC2086
			"$MPROF" report --format=massif --time-unit=$unit ${o#"$most"} run.data >m.out
			model points points "$most" |
				awk -v ms=$([ $unit = B ] || echo 1) '{ if (ms) $1 = int($1 / 1e6); print }' |
				diff - <(rows m.out) || fail "$o, $unit"
			[ "$(rows m.out | wc -l)" -lt "$most" ]
			[ "$(rows m.out | wc -l)" -ge $((most / 2)) ] || [ "$most" = 1000 ]
			[ "$(field m.out heap_tree | grep -c peak)" = 1 ]
			# shellcheck disable=SC2086
			"$MPROF" report --format=ms_print --time-unit=$unit ${o#"$most"} run.data >printed
			grep -qx "Number of snapshots: $(rows m.out | wc -l)" printed
		done
	done
	refused 2 'option max-snapshots: "9"' "$MPROF" report --format=ms_print --max-snapshots=9 run.data
	limited "$MPROF" run --format=ms_print --max-snapshots=12 -o printed --data=/dev/null -- \
		"$T/mixture" 1 2000 log >out 2>err </dev/null
	[ "$(sed -n 's/^Number of snapshots: //p' printed)" -lt 12 ]
}

@test "the timeline's points are bounded by --timeline" {
	limited "$MPROF" run -o run.txt --data=run.data --timeline=10 -- "$T/pools" >out 2>err </dev/null
	[ "$(sqlite3 run.data 'select count(*) between 5 and 10 from timeline')" = 1 ]
	[ "$(sqlite3 run.data 'select sum(peak) from timeline')" = 1 ]
}

@test "--timeline=0: none, and what would need it says so" {
	limited "$MPROF" run -o run.txt --data=run.data --timeline=0 -- "$T/pools" >out 2>err </dev/null
	[ "$(sqlite3 run.data 'select count(*) from timeline')" = 0 ]
	limited "$MPROF" report -o peak.txt --at=peak run.data
	for format in massif ms_print; do
		not limited "$MPROF" report --format=$format run.data 2>err
		grep -q 'no timeline: it was recorded with --timeline=0' err || fail "$(cat err)"
	done
	refused 2 'from 10 to 100000, or 0' "$MPROF" run --timeline=9 true
}

# depth_at BYTES: the depth of the stacks in the first snapshot with so many more useful bytes
stacks_with() {
	awk -F= -v want="$1" '/^mem_heap_B=/ { diff = $2 - heap; heap = $2 }
		/^mem_stacks_B=/ && diff == want { print $2; exit }' m.out
}

@test "--stacks=yes: the depth of a recursion, in main and in a thread, and not of another stack" {
	massif m.out "$T/stackdepth" --stacks=yes --max-snapshots=1000
	[ "$(($(stacks_with 107) - $(stacks_with 101)))" = "$(sed -n 's/^main //p' m.out.stdout)" ]
	[ "$(($(stacks_with 307) - $(stacks_with 301)))" = "$(sed -n 's/^thread //p' m.out.stdout)" ]
	# What the thread had is gone, and the signal's stack is not ours.
	[ "$(stacks_with 401)" -lt 50000 ]
	[ "$(field m.out mem_stacks_B | tail -1)" -gt 0 ]
	ms_print m.out >/dev/null
	massif none.out "$T/stackdepth" --max-snapshots=1000
	[ "$(field none.out mem_stacks_B | sort -u)" = 0 ]
}

@test "what is no text is refused at its first byte, however long it is" {
	truncate -s 1T hole
	refused 1 'hole: line 1: a zero byte' "$MPROF" report --format=ms_print hole
	refused 1 'zero: it is not an ordinary file' "$MPROF" report --format=ms_print /dev/zero
	mkfifo pipe
	refused 1 'pipe: it is not an ordinary file' "$MPROF" report --format=ms_print pipe
}
