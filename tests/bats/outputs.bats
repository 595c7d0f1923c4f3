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
	local options=(--data=x -ox --massif-out-file=x --mma-log-file=x --mma-stats-file=x) i k
	for ((i = 0; i < 5; i++)); do
		for ((k = i + 1; k < 5; k++)); do
			collide 'both name x: give one of them another name' "${options[i]}" "${options[k]}"
			collide 'both name x: ' "${options[k]}" "${options[i]}"
		done
	done
	collide 'both name mprof.data' -o mprof.data # the default
	collide 'both name [0-9]+' -o %p --data=%p
	NAME=x collide 'both name x' -o '%q{NAME}' --data=x
	[ ! -e x ] && [ ! -e mprof.data ]
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
	cmp data before.data
	cmp log before.log
	limited "$MPROF" report -o report data
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
