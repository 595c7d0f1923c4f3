#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What other tools make of programs that people use, beside both engines: processor time of the program and of
# the tool together, which other work on the machine changes least, and time on the clock.
#
# SCALE (1) multiplies the work, which is small, for some of them take a hundred times as long; RUNS turns.
# Debian's packages: heaptrack valgrind libgoogle-perftools4 ltrace. bpftrace is left out: a uprobe on malloc of the C library
# is in the way of whoever else profiles on the machine, see NOTES.md.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
SCALE=${SCALE:-1}
need_mprof
export PYTHONHASHSEED=0 PERL_HASH_SEED=0

sql_table $((6000 * SCALE)) >"$tmp/sql"
cat >>"$tmp/sql" <<-EOT
	create index tb on t(b);
	select count(*), sum(c), max(b) from t;
EOT
python_words $((6 * SCALE)) >"$tmp/py"
perl_items $((20000 * SCALE)) >"$tmp/pl"

tcmalloc=$(ldconfig -p | sed -n 's/.*libtcmalloc\.so\.4 .*=> //p' | head -n 1)
kinds='malloc+calloc+realloc+free'
# under TOOL COMMAND...: in ${cmd[@]}; 1: it is not here
under() {
	local tool=$1
	shift
	case $tool in
	alone) cmd=("$@") ;;
	fast | trap) cmd=("$MPROF" run --engine="$tool" -o /dev/null --data="$tmp/data" -- "$@") ;;
	heaptrack) have heaptrack && cmd=(heaptrack --raw -o "$tmp/heaptrack" "$@") ;;
	massif) have valgrind && cmd=(valgrind --tool=massif --massif-out-file="$tmp/massif" "$@") ;;
	gperftools) [ -n "$tcmalloc" ] && cmd=(env LD_PRELOAD="$tcmalloc" HEAPPROFILE="$tmp/gperf" "$@") ;;
	ltrace) have ltrace && cmd=(ltrace -b -o "$tmp/ltrace" -x "$kinds@libc.so*" "$@") ;;
	esac
}

# taken NAME COMMAND...: its processor time, with that of all whom it has waited for, and its time; - if it took too
# long
taken() {
	local name=$1 TIMEFORMAT='%U %S %R' ended=1
	shift
	{ time quiet "$@" 2>>"$tmp/said" || ended=0; } 2>"$tmp/times"
	tail -n 1 "$tmp/times" | awk -v e=$ended '{ print e ? $1 + $2 : "-" }' >>"$tmp/$name"
	tail -n 1 "$tmp/times" | awk -v e=$ended '{ print e ? $3 : "-" }' >>"$tmp/$name.clock"
}

tools=(alone fast trap heaptrack massif gperftools ltrace)
programs=()
one() { # NAME COMMAND...
	local name=$1 i tool cmd
	shift
	programs+=("$name")
	for ((i = 0; i < RUNS; i++)); do
		for tool in "${tools[@]}"; do
			under "$tool" "$@" && taken "$name.$tool" "${cmd[@]}"
		done
	done
}

rows() { # SUFFIX
	local name tool cells
	table program "alone, s" "${tools[@]:1}"
	for name in "${programs[@]}"; do
		cells=("$(num "$(median "$name.alone$1")")")
		for tool in "${tools[@]:1}"; do
			cells+=("$(num "$(ratio "$name.$tool$1" "$name.alone$1")" 1)")
		done
		row "$name" "${cells[@]}"
	done
}

have sqlite3 && one sqlite3 sqlite3 -batch :memory: ".read $tmp/sql"
have perl && one perl perl "$tmp/pl"
cc1=$($CC -print-prog-name=cc1 2>/dev/null)
if [ -x "$cc1" ]; then
	$CC -E -std=gnu17 -D_GNU_SOURCE -I"$here/../src" -I"$here/../include" -o "$tmp/source.i" \
		"$here/../src/base/idindex.c"
	one cc1 "$cc1" -quiet -O1 -fpreprocessed "$tmp/source.i" -o "$tmp/source.s"
fi
python=$(python_itself)
[ -z "$python" ] || PYTHONMALLOC=malloc one "python3, PYTHONMALLOC=malloc" "$python" "$tmp/py"

echo "## Beside other tools"
echo
echo "Processor time, of the program and the tool together, by that of the program alone; medians of $RUNS turns,"
echo "starting and naming included. -: it is not installed, or took more than $LIMIT s."
echo
rows ""
echo
echo "Time on the clock, the same:"
echo
rows .clock
echo
echo "Load $(cut -d ' ' -f 1-3 /proc/loadavg) after the last of them."
