# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What all measurements share: building, samples that are taken in turns, medians, ratios.
#
#	B		folder of the build; what is measured is built in $B/bench
#	MPROF		the mprof to measure
#	RUNS (5)	samples of each number
#	LIMIT (120)	seconds for one command
#
# A sample is a number in the file $tmp/NAME, one a line. What is compared is sampled in turns, and a
# ratio is the median of the ratios of the turns, so that a machine that is slower for a while does not
# favour either side.

set -u
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
B=${B:-$here/../build}
MPROF=${MPROF:-$B/mprof}
RUNS=${RUNS:-5}
LIMIT=${LIMIT:-120}
CC=${CC:-cc}
export LC_ALL=C

tmp=$(mktemp -d) || exit 1
started=()
clean_up() {
	local pid

	for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
	wait
	rm -rf "$tmp"
}
trap clean_up EXIT

have() {
	command -v "$1" >/dev/null
}

need_mprof() {
	[ -x "$MPROF" ] && return
	echo "There is no $MPROF: nothing measured."
	exit 0
}

# build NAME [FLAG...]: bench/NAME.c as $B/bench/NAME
build() {
	local name=$1
	shift
	mkdir -p "$B/bench" && $CC -std=gnu17 -D_GNU_SOURCE -O2 -g -fno-builtin -Wall -Wextra \
		-o "$B/bench/$name" "$here/$name.c" "$@"
}

# build_linked NAME: the same, linked with mprof's own rooms
build_linked() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$here/.." B="$B" "$B/bench/$1"
}

# quiet COMMAND...: its output in $tmp/out, its errors in $tmp/err; says so if it fails
quiet() {
	timeout -k 5 "$LIMIT" "$@" </dev/null >"$tmp/out" 2>"$tmp/err" && return
	echo "bench: failed: $*" >&2
	tail -n 3 "$tmp/err" >&2
	return 1
}

# sample NAME COMMAND...: the last line of its output that is a number. Whatever went wrong, every turn
# leaves a line, so that turns stay together.
sample() {
	local name=$1
	shift
	if quiet "$@"; then
		awk '/^[0-9.]+$/ { v = $1 } END { print v == "" ? "-" : v }' "$tmp/out" >>"$tmp/$name"
	else
		echo - >>"$tmp/$name"
	fi
}

# seconds NAME COMMAND...: how long it takes
seconds() {
	local name=$1 from=$EPOCHREALTIME
	shift
	if quiet "$@"; then
		awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }' >>"$tmp/$name"
	else
		echo - >>"$tmp/$name"
	fi
}

# stat_of WORDS: the number before WORDS in what mprof last said, as --stats makes it say
stat_of() {
	sed -nE "s/^(.*[^0-9])?([0-9]+) $1.*/\2/p" "$tmp/err" | head -n 1
}

# of_sorted NAME median|least
of_sorted() {
	grep -v '^-' "$tmp/$1" 2>/dev/null | sort -g | awk -v what="$2" '{ v[NR] = $1 }
		END {
			if (!NR) exit
			if (what == "least") print v[1]
			else print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		}'
}

median() {
	of_sorted "$1" median
}

least() {
	of_sorted "$1" least
}

# turns OUT A B EXPRESSION: of each turn of both the value of an awk expression in a and b
turns() {
	paste "$tmp/$2" "$tmp/$3" 2>/dev/null | awk '$1 != "-" && $2 != "-" && NF == 2 {
		a = $1; b = $2; print '"$4"' }' >"$tmp/$1" 2>/dev/null
}

# ratio A B [FACTOR]: the median of A / (FACTOR * B)
ratio() {
	turns ratio "$1" "$2" "b ? a / (b * ${3:-1}) : \"-\""
	median ratio
}

# num VALUE [DIGITS]: for a table
num() {
	if [ -n "${1:-}" ]; then printf "%.${2:-2}f" "$1"; else printf -- -; fi
}

# calc EXPRESSION: by awk; "" if it has an empty operand
calc() {
	awk "BEGIN { print $1 }" 2>/dev/null
}

# row CELL...: a row of a markdown table
row() {
	printf '|'
	printf ' %s |' "$@"
	printf '\n'
}

# table CELL...: its head, the first column to the left and all others to the right
table() {
	row "$@"
	shift
	printf '|---|'
	printf '%0.s---:|' "$@"
	printf '\n'
}

# ---- what programs that people use have to do ----

# sql_table ROWS: statements for a table t of so many rows; what is asked about it is the caller's
sql_table() {
	cat <<-EOT
		create table t(a integer primary key, b text, c real);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < $1)
			insert into t select i, 'row ' || i, i * 1.5 from n;
	EOT
}

# python_words TIMES: a script that takes words apart and puts them together again
python_words() {
	cat <<-EOT
		import json, re
		for i in range($1):
		    words = {w: [len(w), w * 40] for w in re.findall(r"\w+", " ".join("w%d" % n for n in range(2000)))}
		    text = json.dumps(words)
		    assert json.loads(text) == words
		print(len(text))
	EOT
}

# perl_items N: a script that puts so many texts into lists
perl_items() {
	cat <<-EOT
		my %h;
		for my \$i (1 .. $1) { push @{ \$h{ \$i % 97 } }, "item \$i" x (\$i % 5 + 20); }
		print scalar(map { "\$_:" . scalar @{ \$h{\$_} } } sort { \$a <=> \$b } keys %h), "\n";
	EOT
}

# A server on a socket of its own, which keeps nothing.
redis_socket=$tmp/redis.sock
# shellcheck disable=SC2034
redis_server=(redis-server --port 0 --unixsocket "$redis_socket" --save '' --appendonly no --dir "$tmp")

# begin_redis COMMAND...: as redis_server, under whatever stands before it; it answers when this returns, and pid is
# whom to wait for
begin_redis() {
	local i

	"$@" </dev/null >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	started+=("$pid")
	for ((i = 0; i < 300; i++)); do
		[ "$(redis-cli -s "$redis_socket" ping 2>/dev/null)" = PONG ] && break
		sleep 0.1
	done
}

end_redis() {
	redis-cli -s "$redis_socket" shutdown nosave >/dev/null 2>&1
	wait "$pid"
}

# Debian's source of redis, got from where the packages come from, whether the machine has deb-src lines or not.
get_redis_source() {
	local options=(-o "Dir::Etc::sourcelist=$tmp/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::lists=$tmp/lists" -o "Dir::Cache=$tmp/cache" -o APT::Sandbox::User=root)

	[ -z "${REDIS_SOURCE:-}" ] || return 0
	mkdir -p "$tmp/lists/partial" "$tmp/cache/archives/partial"
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(ORIGIN)' 'Created-By: Packages' |
		awk '$3 == "Debian" && $2 !~ /-/ { print "deb-src", $1, $2, "main"; exit }' >"$tmp/sources.list"
	(cd "$tmp" && apt-get "${options[@]}" update && apt-get "${options[@]}" source redis) >"$tmp/apt" 2>&1
}

# build_redis COMPILER: that source with the C library's malloc and debugging information, in $tmp/COMPILER/src
build_redis() {
	cp -r "${REDIS_SOURCE:-$(echo "$tmp"/redis-*/)}" "$tmp/$1"
	LIMIT=1200 quiet make -C "$tmp/$1" CC="$1" MALLOC=libc OPTIMIZATION=-O2 DEBUG=-g redis-server
}

# The interpreter itself, where what is called python3 is a script that looks for it.
python_itself() {
	python3 -c 'import sys; print(sys.executable)' 2>/dev/null
}
