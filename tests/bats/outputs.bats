#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Outputs have files of their own: two that are the same file are refused before the program starts.

bats_require_minimum_version 1.5.0
load ../lib/common

# collide WHAT-IS-SAID OPTION...
collide() {
	local said=$1
	shift
	refused 2 "$said" "$MPROF" run "$@" -- touch ran
	[ ! -e ran ] || fail "the program ran with $*"
}

# apart OPTION...
apart() {
	limited "$MPROF" run "$@" -- touch ran >out 2>err || fail "$*" "$(cat err)"
	[ -e ran ]
	rm ran
}

@test "two outputs of one name are a usage error, whichever they are" {
	local options=(--data=x -ox --massif-out-file=x --mma-log-file=x --mma-stats-file=x) i k o
	for ((i = 0; i < 5; i++)); do
		for ((k = i + 1; k < 5; k++)); do
			collide 'both name x: give one of them another name' "${options[i]}" "${options[k]}"
			collide 'both name x: ' "${options[k]}" "${options[i]}"
		done
	done
	collide 'both name mprof.data' -o mprof.data # the default
	collide 'both name [0-9]+' -o %p --data=%p
	NAME=x collide 'both name x' -o '%q{NAME}' --data=x
	local more=(--junit=x --sarif=x --html=x)
	for ((i = 0; i < 2; i++)); do
		for o in "${options[@]}" "${more[@]:i+1}"; do
			collide 'both name x: ' '--fail-if=kept>0' "${more[i]}" "$o"
		done
	done
	collide 'sarif=x.77 is a name that --data=x may need' '--fail-if=kept>0' --data=x --sarif=x.77
	[ ! -e x ] && [ ! -e mprof.data ]
}

@test "the program is not written over" {
	cp "$T/plain" prog
	ln -s prog to-prog
	local o
	for o in --data=prog -oprog --html=./prog --junit=prog --sarif=prog --mma-log-file=to-prog; do
		refused 2 'prog would write over the program that is to run: give it another name' \
			"$MPROF" run '--fail-if=kept>1M' "$o" -- ./prog
		PATH="$PWD:$PATH" refused 2 'would write over the program' "$MPROF" run '--fail-if=kept>1M' "$o" -- prog
		cmp prog "$T/plain"
	done
}

@test "no file that is read is written over: probes, suppressions, where names are from" {
	echo 'malloc of_nobody' >probes
	echo 'leak:nobody' >known
	mkdir before
	cp probes known before
	local o
	for o in --data= -o --html=./ --massif-out-file= --mma-log-file=; do
		refused 2 'probes would write over probes, which is read: ' \
			"$MPROF" run --probes=probes "${o}probes" -- "$T/plain"
		refused 2 'known would write over known, which is read: ' \
			"$MPROF" run '--fail-if=kept>1M' --suppressions=known "${o}known" -- "$T/plain"
	done
	cmp probes before/probes
	cmp known before/known
	cp "$T/plain" prog
	"$MPROF" run --quiet -o /dev/null --data=x.data --heap-profile=x --heap-profile-allocation-interval=1 ./prog
	refused 2 'prog would write over prog, which is read' "$MPROF" report --symbols-from=prog -o ./prog x.data
	refused 2 'prog would write over ./prog, which is read' "$MPROF" report -o prog ./prog x.0001.heap
	cmp prog "$T/plain"
}

@test "a name with a sequence that stands for nothing is a usage error, whose ever it is" {
	local o
	for o in --data -o --massif-out-file --heap-profile --mma-log-file --mma-stats-file; do
		collide 'file name: %z is not known' "$o=%z"
		collide 'file name: the environment variable MPROF_TEST_UNSET is not set' "$o=%q{MPROF_TEST_UNSET}"
	done
	MMA_OUTPUT_FILE=%z collide '^mprof: --mma-log-file: file name: %z is not known' --mma-log-file
}

@test "what counts is the file, not how its name is spelled" {
	mkdir dir
	ln -s dir to-dir
	ln -s file to-file
	ln -s to-file to-link
	ln -s "$D/dir/new" to-new
	echo kept >one
	ln one two
	collide 'are the same file' --data=file -o ./file
	collide 'are the same file' --data=file -o "$PWD/file"
	collide 'are the same file' --data=file -o dir/../file
	collide 'are the same file' --data=dir/file -o to-dir/file
	collide 'are the same file' --data=file --mma-log-file=to-file
	collide 'are the same file' --data=file --mma-log-file=to-link
	collide 'are the same file' --massif-out-file=dir/new --mma-stats-file=to-new
	collide 'are the same file' --data=one -o two
	[ "$(cat one)" = kept ]
}

@test "names that an output takes later are its own" {
	collide '-o p.0001.heap is a name that --heap-profile=p may need' --heap-profile=p -o p.0001.heap
	collide 'p.12345.heap is a name' --heap-profile=./p --data=p.12345.heap
	collide 'p.old.heap is a name' --heap-profile=p --data=p.old.heap # it would be deleted
	collide 'p_77.0001.heap is a name' --heap-profile=p --data=p_77.0001.heap
	HEAPPROFILE=p collide 'p.0001.heap is a name' -o p.0001.heap
	mkdir d
	collide 'd.1.heap is a name' --heap-profile=d --data=d.1.heap # d itself is no file of it
	collide 'x.77 is a name that --data=x may need' --data=x --mma-log-file=x.77
	collide 'x.77.2 is a name' --mma-log-file=x --data=x.77.2
	collide 'm.1 is a name' --massif-out-file=m -o m.1
	ln -s y k.0001.heap
	collide 'are the same file' --heap-profile=k --heap-profile-cleanup=no -o y
}

@test "what is alike but not the same is taken, and what is no file cannot be destroyed" {
	apart --data=x -o x1 --mma-log-file=x.log --mma-stats-file=x.77.log
	apart --data=p --heap-profile=p -o p.heap
	[ -s p ] && [ -s p.heap ] && [ -s p.0001.heap ]
	apart --data=/dev/null -o /dev/null --mma-log-file=/dev/null
	mkfifo fifo
	cat fifo >read &
	apart --data=/dev/null -o fifo
	wait $!
	[ -s read ]
}

@test "attach refuses the same, and leaves the process alone" {
	refused 2 'both name x' "$MPROF" attach --data=x -o x $$
	[ ! -e x ]
}

@test "a report is not written over what it is made from" {
	limited "$MPROF" run -o report --data=data --mma-log-file=log -- "$T/plain" >out 2>err
	ln data other
	cp data before.data
	cp log before.log
	refused 2 'would write over data, which is read' "$MPROF" report -o ./data data
	refused 2 'would write over data' "$MPROF" report -o other data
	refused 2 'would write over data' "$MPROF" report -o other --base=data before.data
	refused 2 'would write over log' "$MPROF" report -o log log
	refused 2 'would write over log' "$MPROF" stats -o log log
	refused 2 'would write over log' "$MPROF" log -o log before.log log
	refused 2 'both name x' "$MPROF" report -o x '--fail-if=kept>1' --junit=x data
	refused 2 'both name x' "$MPROF" report '--fail-if=kept>1' --sarif=x --junit=x data
	refused 2 'both name x' "$MPROF" detach --html=x '--fail-if=kept>1' --junit=x 1
	[ ! -e x ]
	cmp data before.data
	cmp log before.log
	limited "$MPROF" report -o report data
}

@test "that a profile takes the place of an older one is said" {
	limited "$MPROF" run -o /dev/null -- "$T/plain" >out 2>err
	says err 'the profile is in mprof.data$'
	limited "$MPROF" run -o /dev/null -- "$T/plain" >out 2>err
	says err 'the profile is in mprof.data, in the place of an older one$'
	limited "$MPROF" run -o /dev/null --data=other.data -- "$T/plain" >out 2>err
	says err 'the profile is in other.data$'
}

@test "where a report and what is said of it lead to one file, what matters first comes first" {
	limited "$MPROF" run -o /dev/null --data=run.data -- "$T/widgets" >out 2>err
	limited "$MPROF" report run.data >both 2>&1
	limited "$MPROF" report run.data >tables 2>said
	[ "$(head -n 2 both)" = "$(head -n 2 said)" ] || fail "$(head -n 20 both)"
	[ "$(sort both)" = "$(sort said tables)" ]
}

@test "the file - is standard output" {
	limited "$MPROF" run -o - --data=data -- "$T/plain" >out 2>err
	limited "$MPROF" report -o report data
	grep -qxF -e "$(head -n 1 report)" out
	! grep -q 'MPROF +-' err
	limited "$MPROF" report -o- data >out
	cmp out report
	limited "$MPROF" report --output=- -o report data >out
	[ ! -s out ]
	[ ! -e ./- ]
}

@test "a report that cannot be written whole is said to be so, once" {
	limited "$MPROF" run --data=data -o /dev/full -- "$T/plain" >out 2>err && return 1
	[ "$(ours err | grep -c 'cannot write /dev/full: No space left')" = 1 ]
	for o in '' --format=json --format=text --format=ms_print --base=data; do
		refused 1 'cannot write /dev/full: No space left' "$MPROF" report $o -o /dev/full data
		limited "$MPROF" report $o data >/dev/full 2>err && return 1
		[ "$(ours err | grep -c 'cannot write the report: No space left')" = 1 ]
	done
}

# refuses NAME FORM OPTION...: the option NAME means nothing with what is printed or read.
refuses() {
	local name=$1 form=$2
	shift 2
	refused 2 "^mprof: option $name means nothing.*$form" "$MPROF" "$@" || fail "$*"
}

@test "no option of a report is dropped without a word: what a form does not obey is wrong usage" {
	limited "$MPROF" run -o run.txt --data=data --mma-log-file=log --massif-out-file=m.out --time-unit=B \
		--heap-profile=p -- "$T/widgets" >out 2>err
	local o f name
	for o in --verbose --normal --terse --leaktable --noleaktable --offsets --types=none; do
		name=${o#--}
		name=${name%=*}
		for f in massif ms_print text folded heap pprof dot; do
			refuses "$name" "with --format=$f" report --format=$f "$o" data
			[ "$f" = massif ] || [ "$f" = ms_print ] ||
				refuses "$name" "with --format=$f" report --format=$f --base=data "$o" data
		done
		refuses "$name" 'with --list' report --list=make "$o" data
		refuses "$name" 'in the JSON of stacks' report --format=json --base=data "$o" data
		refuses "$name" 'with --format=folded' run --format=folded "$o" -- touch ran
	done
	for o in --verbose --normal --terse --leaktable --noleaktable --offsets --types=none --lines --lifetimes \
		--verdicts=yes --names=full; do
		name=${o#--}
		name=${name%=*}
		refuses "$name" 'with --summary' report --summary "$o" data
		refuses "$name" 'with --growth' attach --growth=1 "$o" 2147483000
	done
	refuses depth 'with --summary' report --summary --depth=9 data
	for o in --summary --at=peak; do
		name=${o#--}
		refuses "${name%=*}" 'with --growth' attach --growth=1 "$o" 2147483000
	done
	for f in massif ms_print text folded heap pprof dot; do
		refuses growth "with --format=$f" attach --growth=1 --format=$f 2147483000
	done
	# JSON has all there is
	limited "$MPROF" report --summary --verbose --format=json data >json
	jq -e .totals json >/dev/null
	for f in massif ms_print heap pprof; do
		refuses lines "with --format=$f" report --format=$f --lines data
	done
	refuses lines 'with --list' report --list=make --lines data
	refuses at 'with --format=massif' report --format=massif --at=peak data
	refuses lifetimes 'with --at=peak' report --lifetimes --at=peak data
	refuses list 'with --format' report --format=dot --list=make data
	# of files that have been made with other options
	for o in --names=short --inlines=no --alloc-fn=x --ignore-fn=x --symbols-from=. --debug-dir=. --time-unit=B \
		--max-snapshots=20; do
		name=${o#--}
		refuses "${name%=*}" 'for a massif file' report --format=ms_print "$o" m.out
	done
	for o in --inlines=no --alloc-fn=x --ignore-fn=x --symbols-from=.; do
		name=${o#--}
		refuses "${name%=*}" 'for a heap profile' report "$o" p.0001.heap
	done
	refuses symbols-from 'for an event log' report --symbols-from=. log
	refuses lines 'for an event log' report --lines log
	refuses humanized 'with --format=json' log --format=json --humanized=no log
	refuses humanized 'with --format=json' stats --format=json --humanized=yes log
	refused 2 'option base means nothing without --fail-if' "$MPROF" detach --base=data 1
	refused 2 'option base means nothing without --fail-if' "$MPROF" run --base=data ./ran
	grep -q -- '--base=OLD .*conditions are about growth' <("$MPROF" help detach)
	refuses base 'without a command' --base=data "$T/widgets" data
	[ ! -e ran ]
}

@test "--stats: what is of the session is said once, and of an engine without traps no lines of zeros" {
	local engine
	for engine in trap fast; do
		limited "$MPROF" run --engine=$engine --stats --trace-children=yes -o /dev/null --data=%p.data -- \
			sh -c "'$T/plain' >/dev/null; '$T/plain' >/dev/null; :" 2>err >out
		[ "$(grep -c '(process [0-9]*): ' err)" = 3 ] || fail "$engine" "$(cat err)"
		[ "$(grep -c ' traps hit, ' err)" = 3 ]
		if [ $engine = trap ]; then
			says err '^mprof: mprof was busy for [0-9]+% of the time; the program was stopped then, and while the kernel switched between the two, which comes on top$'
		else
			says err '^mprof: mprof was busy for [0-9]+% of the time$'
		fi
		says err '^mprof: [0-9]+ stops in all$'
		not grep -qE '[^0-9.]1 (allocations|frees|blocks|times|records)' err
		[ $engine = trap ] || not grep -qE 'followed a task|of the traps' err
	done
}

@test "several data files in a form of pprof, and a difference, obey what one alone obeys" {
	limited "$MPROF" run -o run.txt --data=data -- "$T/shapes" >out 2>err
	local o
	for o in "--format=folded --base=data" --base=data; do
		# shellcheck disable=SC2086
		refused 1 'there is no file with the build ID' "$MPROF" report --symbols-from="$D" $o data
	done
	refused 1 'there is no file with the build ID' "$MPROF" report --format=text --symbols-from="$D" data data
	# Its own heap profiles have short names, too, as its data files have.
	limited "$MPROF" run -o run.txt --data=data --heap-profile=p --symbols=yes -- "$T/shapes" >out 2>err
	limited "$MPROF" report --format=json --names=short p.0001.heap >short.json
	limited "$MPROF" report --format=json p.0001.heap >full.json
	jq -e '[.stacks[].frames[].function // "" | select(contains("("))] | length > 0' full.json
	jq -e '[.stacks[].frames[].function // "" | select(startswith("(anonymous") | not) | select(contains("("))]
		| length == 0' short.json
}

@test "the difference of two profiles: lines, terse, no table of leaks" {
	limited "$MPROF" run -o run.txt --data=before -- "$T/plain" >out 2>err
	limited "$MPROF" run -o run.txt --data=after -- "$T/widgets" >out 2>err
	grown() {
		limited "$MPROF" report "$@" --base=before after >grown 2>err || fail "$(cat err)"
	}
	grown
	cp grown whole
	grep -q 'Growth of Memory Leaks' whole
	grep -q '|| > main > make_red_widget > make_widget$' whole
	# What has hardly changed is a line, unless it is asked for.
	tail -n 1 whole | grep -Eqx '[0-9]+ functions and [0-9]+ calls of one by another are left out: .*; --verbose has all'
	grown --verbose
	[ "$(wc -l <grown)" -gt "$(wc -l <whole)" ]
	not grep -q 'left out' grown
	# The answer comes first, and alone if nothing else is wanted.
	head -n 12 whole | grep -Eqx 'kept +[+][0-9]+ bytes  \([0-9]+ before, [0-9]+ now\)'
	head -n 12 whole | grep -Eqx '  more +[+]1023876 bytes in [+]5019 blocks   make_widget'
	grown --summary
	not grep -q -e ------- grown
	cmp grown <(sed '/^-----/,$d' whole)
	grown --lines
	grep -q '|| > main (widgets.c:[0-9]*) > make_red_widget (widgets.c:[0-9]*) > make_widget (widgets.c:[0-9]*)$' grown
	grown --offsets
	grep -q '|| > main+[0-9]* > make_red_widget+[0-9]* > make_widget+[0-9]*$' grown
	grown --terse
	[ "$(wc -l <grown)" -lt "$(wc -l <whole)" ]
	grep -q '^[0-9]* functions and [0-9]* calls of one by another are left out' grown
	[ "$(grep '<TOTAL>' grown)" = "$(grep '<TOTAL>' whole)" ]
	grown --lines --terse --noleaktable
	not grep -q 'Leaks' grown
	grep -q 'left out' grown
}

@test "what will not be written over is told before the program runs, which would run for nothing" {
	mkfifo pipe
	printf '#!/bin/sh\ntouch it-ran\n' >prog
	chmod 755 prog
	refused 1 '^mprof: cannot write pipe: it is not an ordinary file' "$MPROF" run --data=pipe -o /dev/null ./prog
	refused 1 '^mprof: cannot write pipe: it is not an ordinary file' "$MPROF" run --data=/dev/null -o /dev/null \
		--massif-out-file=pipe --time-unit=B ./prog
	if [ "$(id -u)" = 0 ]; then
		mkdir -m 1777 shared
		echo precious >victim
		ln -s "$D/victim" shared/report
		chown -h 65534 shared/report
		refused 1 '^mprof: cannot write the report shared/report: .*somebody else' \
			"$MPROF" run --data=/dev/null -o shared/report ./prog
		refused 1 '^mprof: cannot write the log shared/report: .*somebody else' \
			"$MPROF" run --data=/dev/null -o /dev/null --mma-log-file=shared/report ./prog
	fi
	[ ! -e it-ran ]
}

@test "in a directory of everybody's nothing is written through what somebody else has put there" {
	[ "$(id -u)" = 0 ] || skip "only root can be somebody else"
	mkdir -m 1777 shared
	limited "$MPROF" run --data=run.data -o report.txt "$T/simple"
	local kind file
	for kind in link hardlink file; do
		rm -f shared/*
		echo precious >victim
		for file in report log.mma heap.0001.heap printed page; do
			case $kind in
			link) ln -s "$D/victim" shared/$file && chown -h 65534 shared/$file ;;
			hardlink) ln victim shared/$file ;;
			file) cp victim shared/$file && chown 65534 shared/$file ;;
			esac
		done
		limited "$MPROF" run --data=/dev/null -o shared/report "$T/simple" 2>said.err || :
		says said.err 'cannot write the report shared/report: .*somebody else'
		limited "$MPROF" run --data=/dev/null --mma-log-file=shared/log.mma "$T/simple" 2>said.err || :
		says said.err 'cannot write the log shared/log.mma: .*somebody else'
		limited "$MPROF" run --data=/dev/null -o /dev/null --heap-profile=shared/heap "$T/simple" 2>said.err
		refused any 'cannot write shared/printed: .*somebody else' "$MPROF" report -o shared/printed run.data
		[ "$(cat victim)" = precious ] || fail "$kind: it was written over"
		# What is replaced needs nobody's leave.
		limited "$MPROF" report --format=html -o shared/page run.data
		[ -s shared/page ] && [ ! -L shared/page ] && [ "$(cat victim)" = precious ]
	done
}
