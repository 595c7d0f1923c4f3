#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What a pair of malloc and free costs, ten functions deep: under mprof in each way of waiting, beside
# three bare int3 stops (mprof needs three for a pair) in the same way, and under other tools.
#
# PAIRS (4000) under mprof, LTRACE_PAIRS (2000), GDB_PAIRS (200), in nine times RUNS short turns: a
# machine that others use is slower for a while and then faster again.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
RUNS=$((RUNS * 9))
PAIRS=${PAIRS:-4000}
LTRACE_PAIRS=${LTRACE_PAIRS:-2000}
GDB_PAIRS=${GDB_PAIRS:-200}
ways=(follow adaptive sleep spin pin)
known=()

build floor && build churn || exit 1
need_mprof
churn=$B/bench/churn

libc() {
	ldd "$churn" | awk '/libc\.so/ { print $3 }'
}

cat >"$tmp/commands" <<-'EOT'
	set pagination off
	set debuginfod enabled off
	set confirm off
	break main
	run
	delete
	break malloc
	commands
	silent
	continue
	end
	break free
	commands
	silent
	continue
	end
	continue
EOT
bpf="uprobe:$(libc):malloc /pid == cpid/ { @a[ustack] = count(); }
	uretprobe:$(libc):malloc /pid == cpid/ { @r = count(); } uprobe:$(libc):free /pid == cpid/ { @f = count(); }"

# Which ways this mprof knows, and which tools are here.
for way in "${ways[@]}"; do
	"$MPROF" run --wait="$way" -o /dev/null --data=/dev/null true 2>/dev/null && known+=("$way")
done
for ((i = 0; i < RUNS; i++)); do
	sample alone "$churn" 1000000
	for way in "${ways[@]}"; do
		sample "floor-$way" "$B/bench/floor" $((3 * PAIRS)) "$way"
		[[ " ${known[*]} " = *" $way "* ]] &&
			sample "mprof-$way" "$MPROF" run --wait="$way" -o /dev/null --data=/dev/null -- "$churn" "$PAIRS"
	done
	have ltrace && sample ltrace ltrace -e malloc+free -o /dev/null "$churn" "$LTRACE_PAIRS"
	have gdb && sample gdb gdb -q -batch -x "$tmp/commands" --args "$churn" "$GDB_PAIRS"
	have bpftrace && sample bpftrace bpftrace -c "$churn $PAIRS" -o "$tmp/bpf" -e "$bpf"
done

echo "## A pair of malloc and free"
echo
echo "Microseconds per pair, ten functions deep, medians of $RUNS turns of $PAIRS; alone it takes $(num "$(median alone)" 3)."
echo
table "waiting" "mprof" "least" "3 bare stops" "least" "mprof / 3 stops" "of the least"
for way in "${ways[@]}"; do
	m=$(median "mprof-$way") ml=$(least "mprof-$way") f=$(median "floor-$way") fl=$(least "floor-$way")
	row "$way" "$(num "$m")" "$(num "$ml")" "$(num "$(calc "3 * $f")")" "$(num "$(calc "3 * $fl")")" \
		"$(num "$(ratio "mprof-$way" "floor-$way" 3)")" "$(num "$(calc "$ml / (3 * $fl)")")"
done
echo
table "tool" "us per pair" "/ mprof" "/ 3 stops, follow"
row "mprof" "$(num "$(median mprof-follow)")" 1.00 "$(num "$(ratio mprof-follow floor-follow 3)")"
tool() {
	if have "$1"; then
		row "$2" "$(num "$(median "$1")")" "$(num "$(ratio "$1" mprof-follow)")" \
			"$(num "$(ratio "$1" floor-follow 3)")"
	else
		row "$2" "not installed" - -
	fi
}
tool ltrace "ltrace -e malloc+free"
tool gdb "gdb, breakpoints with commands"
tool bpftrace "bpftrace, uprobes with ustack (in the kernel: no stops)"
