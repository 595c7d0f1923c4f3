#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Pages, as far as they are made by mprof: what is in them, where they go, and who shows them. The template is a
# small one of this file; what the real one draws is not looked at here.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

P=$ROOT/tests/lib/page.py

# The common setup, and a template.
eval "common_$(declare -f setup)"
setup() {
	common_setup || return 1
	unset BROWSER SSH_CONNECTION DISPLAY WAYLAND_DISPLAY
	export MPROF_PAGE_TEMPLATE=$D/template.html
	printf '<!doctype html>\n<title><!--mprof:title--></title>\n<body><!--mprof:data--><script>show()</script>\n' \
		>template.html
}

# page OPTION...: mprof report --format=html with them
page() {
	limited "$MPROF" report --format=html "$@"
}

# no_page STATUS REGEX OPTION...: the same, refused
no_page() {
	refused "$1" "$2" "$MPROF" report --format=html "${@:3}"
}

# says_report PAGE N: profile N of the page says what want.json does
says_report() {
	"$P" "$1" "mprof-report-$2" >got.json || fail "no report $2 in $1" || return 1
	jq -S 'del(.leaks, .callgraph, .lifetimes)' want.json | diff - <(jq -S . got.json) >&2 || return 1
	"$P" "$1" rows "$2" >rows.got && "$P" "$1" want <want.json >rows.want || return 1
	diff rows.want rows.got >&2
}

# holds PAGE N DATA: profile N of the page is that of the data file, and its tree sums up to the totals
holds() {
	limited "$MPROF" report --format=json "$3" >want.json || return 1
	says_report "$1" "$2" || return 1
	"$P" "$1" sums "$2" >sums.json || return 1
	jq -e --slurpfile sums sums.json '. as $r | $sums[0] | to_entries
		| all(.value == $r.totals[.key])' want.json >/dev/null ||
		fail "the tree: $(cat sums.json)" "the totals: $(jq -c .totals want.json)"
}

# profile PROGRAM...: run.data of it
profile() {
	limited "$MPROF" run -o /dev/null --data=run.data -- "$@" >run.out 2>run.err || fail "$*" "$(cat run.err)"
}

@test "a page says what the report in JSON says, and the leaves of its tree sum up to the totals" {
	profile "$T/widgets"
	page -o heap.html run.data
	[ "$("$P" heap.html | paste -sd ' ')" = "mprof-index mprof-report-0 mprof-tree-0 mprof-rows-0" ]
	holds heap.html 0 run.data
	"$P" heap.html mprof-index >index.json
	jq -e '.schema == "mprof.page.v1" and (.version | test("^[0-9]")) and (.profiles | length) == 1
		and (.profiles[0].title | test("^widgets \\(pid [0-9]+\\)$"))' index.json
	grep -Eq '^<title>widgets \(pid [0-9]+\) - mprof</title>$' heap.html
	grep -q '^<script>show()</script>$' heap.html
	jq -e '.duration_ns > 0' want.json
	"$P" heap.html mprof-tree-0 >tree.json
	jq -e '.schema == "mprof.tree.v1"' tree.json
	"$P" heap.html paths 0 >paths.txt
	grep -qx 'main > make_red_widget > make_widget [0-9]*' paths.txt
	jq -r '.leaks[] | [.path[].function] | join(" > ")' want.json | sort >kept.txt
	[ -s kept.txt ]
	not grep -vxFf <(sed 's/ [0-9]*$//' paths.txt) kept.txt
	page run.data >out.html
	page -o - run.data | cmp - out.html
	cmp out.html heap.html
}

@test "a data file that is named twice is counted once in a page, and that is said" {
	profile "$T/widgets"
	cp run.data other.data
	ln -s run.data link.data
	page -o all.html run.data other.data ./run.data link.data 2>err
	"$P" all.html mprof-index | jq -e '.profiles | length == 2'
	says err '^mprof: \./run\.data is the same file as run\.data, and is counted once$'
	says err '^mprof: link\.data is the same file as run\.data, and is counted once$'
	page -o one.html run.data run.data 2>err
	page -o want.html run.data
	cmp want.html one.html
	# A condition is held against it once, too.
	page '--fail-if=allocs>0' -o one.html run.data run.data 2>err && fail "not judged"
	says err 'there are [0-9]+ requests$'
}

@test "a page of a profile and its snapshots tells how far each of them goes" {
	limited "$MPROF" run -o /dev/null --data=run.data '--snapshot-when=live>500K' -- "$T/widgets" >run.out 2>run.err
	page -o all.html run.data run.data.snapshot.1
	"$P" all.html mprof-index >index.json
	limited "$MPROF" report --format=json run.data >whole.json
	limited "$MPROF" report --format=json run.data.snapshot.1 >part.json
	jq -e --slurpfile w whole.json --slurpfile p part.json '.profiles
		| .[0].title == .[1].title and .[0].until_ns == $w[0].duration_ns
		and .[1].until_ns == $p[0].timeline.time_ns[-1] and .[1].until_ns < .[0].until_ns' index.json
}

@test "the paths of a page and of JSON go as deep, and own code is what, the options say" {
	profile "$T/deepxx"
	# kept OPTION...: what has 320 bytes kept, of which page and JSON say the same
	kept() {
		limited "$MPROF" report --format=json "$@" run.data >want.json
		page "$@" -o a.html run.data && says_report a.html 0 || return 1
		jq -c '.leaks[] | select(.kept_bytes == 320) | [.path[] | {function, own}]' want.json
	}
	# The schema has five, unless somebody asks.
	kept | jq -e 'length == 5 and (any(.[]; .own) | not)'
	kept --depth=5 | cmp - <(kept)
	kept --depth=all | jq -e '.[0].function == "main" and .[0].own'
	kept --own-code=nosuch | jq -e 'length == 5 and (any(.[]; .own) | not)'
	kept --own-code='*/deepxx' |
		jq -e '(.[0].function | startswith("fill")) and length > 5 and .[0].own and (map(.own) | .[1:] | any | not)'
}

@test "the tree has types, inlined functions, temporary blocks and lines where they are known" {
	profile "$T/sitetyped-gcc-O2"
	page -o a.html run.data
	holds a.html 0 run.data
	"$P" a.html mprof-tree-0 >tree.json
	jq -e '. as $t | [.types.name[] | $t.strings[.]] | any(startswith("struct "))' tree.json
	jq -e '.sites.line | any(. > 0)' tree.json
	jq -e '. as $t | [.sites.file[] | select(. >= 0) | $t.strings[.]] | any(endswith("sitetyped.c"))' tree.json
	profile "$T/lives"
	page -o b.html run.data
	holds b.html 0 run.data
	"$P" b.html mprof-tree-0 >tree.json
	jq -e '[.leaves.temporary[]] | add > 0' tree.json
	[ "$(jq '[.leaves.temporary[]] | add' tree.json)" = "$(jq '[.lifetimes[].temporary] | add' want.json)" ]
}

@test "what the options leave out is not in the page" {
	profile "$T/widgets"
	page --ignore-fn=make_widget -o a.html run.data
	limited "$MPROF" report --ignore-fn=make_widget --format=json run.data >want.json
	says_report a.html 0
	"$P" a.html paths 0 >paths.txt
	not grep -q make_widget paths.txt
	jq -e '.options == ["--ignore-fn=make_widget"] and .left_out.allocs > 0' got.json
	page --at=peak -o b.html run.data
	[ "$("$P" b.html sums 0 | jq '.alloc_bytes, .peak_bytes' | uniq | wc -l)" = 1 ]
}

@test "a run that has seen nothing has a page" {
	profile /bin/true
	page -o a.html run.data
	holds a.html 0 run.data
}

@test "several profiles are in one page, in the order they were named" {
	profile "$T/widgets"
	mv run.data a.data
	profile "$T/lives"
	mv run.data b.data
	cp b.data c.data
	page -o heap.html b.data a.data c.data
	holds heap.html 0 b.data
	holds heap.html 1 a.data
	holds heap.html 2 c.data
	"$P" heap.html mprof-index | jq -e '[.profiles[].title | sub(" .*"; "")] == ["lives", "widgets", "lives"]'
	grep -Eq '^<title>lives \(pid [0-9]+\) and 2 more - mprof</title>$' heap.html
	no_page 1 'not a data file' -o heap.html b.data "$T/widgets"
	no_page 1 'cannot read' -o heap.html b.data none.data
	holds heap.html 1 a.data # as it was
}

# as_table: the rows of growth.json as the tables of growth print them, blanks squeezed; those of the paths that keep
# what they kept are in no table
as_table() {
	jq -r 'def signed: if . > 0 then "+\(.)" else "\(.)" end;
		def figures: [.now.allocs - .before.allocs, .now.bytes - .before.bytes, .now.frees - .before.frees,
			.now.kept_bytes - .before.kept_bytes] | map(signed) | join(" ");
		def place: .function + (if .offset then "+\(.offset)" else "" end)
			+ (if .line then " (\(.file | split("/") | last):\(.line))" else "" end);
		"<TOTAL> " + figures,
		(.sizes[] | "\(.size) " + figures),
		(.paths[] | select(.now.kept_bytes != .before.kept_bytes)
			| figures + (if .truncated then " ..." else " ||" end) + " > " + ([.path[] | place] | join(" > "))),
		(.direct[] | figures + " " + .function)' growth.json | sort
}

# in_tables: the rows of the tables of growth in the file grown, without heads, types and the call graph; a sentence
# that nothing has changed has the figures of a total
in_tables() {
	sed -e 's/^Nothing has changed: .*/<TOTAL> 0 0 0 0/' -e '/Growth in the Allocation Call Graph/,$d' -e 's/ *(less)$//' -e 's/^ *//' -e 's/  */ /g' grown |
		sed -nE -e '/^(<TOTAL>|[0-9]+) [-+0][0-9]* [-+0][0-9]* [-+0][0-9]* [-+0][0-9]*( [^|.].*)?$/{
			s/^(([^ ]+ ){4}[^ ]+).*/\1/p;d;}' -e '/^[-+0][0-9]* /p' | sort
}

# change BASE NEW OPTION...: the page of what has changed, d.html, tells what the tables and the JSON of stacks tell
change() {
	local base=$1 new=$2
	shift 2
	page --base="$base" "$@" -o d.html "$new"
	"$P" d.html mprof-growth >growth.json
	limited "$MPROF" report --verbose --base="$base" "$@" "$new" >grown
	diff <(in_tables) <(as_table) || fail "the tables and the page are not the same"
	limited "$MPROF" report --base="$base" --format=json "$new" >stacks.json
	jq -e --slurpfile s stacks.json '$s[0].difference and ($s[0].totals
		| .alloc_objects == $g.now.allocs - $g.before.allocs and .alloc_space == $g.now.bytes - $g.before.bytes
		and .inuse_objects == $g.now.kept_blocks - $g.before.kept_blocks
		and .inuse_space == $g.now.kept_bytes - $g.before.kept_bytes)' --slurpfile gs growth.json \
		--argjson g "$(cat growth.json)" -n
}

@test "the page of a difference has the figures of the tables and of the JSON, and both profiles" {
	profile "$T/plain"
	mv run.data a.data
	profile "$T/widgets"
	mv run.data b.data
	change a.data b.data
	[ "$("$P" d.html | paste -sd ' ')" = \
		"mprof-index mprof-growth mprof-report-0 mprof-tree-0 mprof-rows-0 mprof-report-1 mprof-tree-1 mprof-rows-1" ]
	holds d.html 0 b.data
	holds d.html 1 a.data
	"$P" d.html mprof-index | jq -e '.growth == "mprof-growth"'
	grep -Eq '^<title>widgets \(pid [0-9]+\) since plain \(pid [0-9]+\) - mprof</title>$' d.html
	grep -q '[+][0-9]* || > main > make_red_widget > make_widget$' <(in_tables)
	jq -e '.paths_by == "function" and ([.direct[] | select(.before.allocs == 0)] | length > 0)
		and ([.direct[] | select(.now.allocs == 0)] | length > 0)' growth.json
	"$P" d.html mprof-tree-0 >now.json
	"$P" d.html mprof-tree-1 >base.json
	jq -e --slurpfile b base.json 'def same($t): [$t.functions.name, $t.functions.same] | transpose
		| map({key: $t.strings[.[0]], value: .[1]}) | from_entries;
		same(.).main == same($b[0]).main and same(.).make_widget != null
		and ([same($b[0])[]] | index(same($n).make_widget)) == null' --argjson n "$(cat now.json)" now.json
	change a.data b.data --lines
	jq -e '.paths_by == "line"' growth.json
	change b.data a.data --offsets
	change b.data b.data
	jq -e '.sizes + .paths + .direct == [] and .now == .before and .now.bytes > 0' growth.json
}

@test "the page of a difference tells what the runtime keeps, as the tables do" {
	profile "$T/plain"
	mv run.data a.data
	profile "$T/runtime"
	mv run.data b.data
	change a.data b.data
	local more
	more=$(sed -nE 's/^kept by the runtime, in no row: \+([0-9]+) bytes.*/\1/p' grown)
	[ "$more" -gt 1000 ]
	jq -e --argjson more "$more" '([.runtime[] | .now - .before] | add) == $more
		and ([.paths[].runtime // empty | .now.kept_bytes - .before.kept_bytes] | add) == $more
		and (.runtime | any(.kind == "stdio buffers"))' growth.json
}

@test "what a page of a difference cannot be of is told" {
	profile "$T/widgets"
	limited "$MPROF" report --format=heap -o run.heap run.data
	no_page 2 'base is taken from one data file; "run.data" is one too many' --base=run.data run.data run.data
	no_page 1 'cannot read none.data' --base=none.data run.data
	no_page 2 'run.heap is a heap profile, of which only' --base=run.heap run.data
	no_page 2 'lifetimes means nothing with --base' --base=run.data --lifetimes run.data
	no_page 2 'would write over run.data' --base=run.data -o run.data run.data
	limited env SSH_CONNECTION=x "$MPROF" report --open --base=run.data -o d.html run.data >out
	"$P" d.html mprof-growth >/dev/null
}

@test "run and attach write a page beside the report, with the options of the report" {
	limited "$MPROF" run --html=heap.html -o report.txt --data=run.data --ignore-fn=nobody -- "$T/widgets" 2>err
	says err '^mprof: the page of process [0-9]+ is heap\.html$'
	limited "$MPROF" report --format=json --ignore-fn=nobody run.data >want.json
	says_report heap.html 0
	jq -e '.from == "start" and .options == ["--ignore-fn=nobody"] and .left_out == null' got.json
	limited "$MPROF" report run.data | cmp - report.txt
	limited "$MPROF" run --html=/dev/null -o report.txt --data=run.data -- "$T/widgets"
	[ -c /dev/null ]
	start server "$T/server"
	attach -o report.txt --data=run.data --html='at-%p.html' "$PID"
	progress server 2
	detach "$PID"
	holds "at-$PID.html" 0 run.data
	jq -e '.from == "attach"' got.json
	finish server
}

# forks: fork.py, which has two children
forks() {
	printf '%s\n' 'import os' 'for i in range(2):' '  if os.fork() == 0: os._exit(0)' '  os.wait()' >fork.py
}

# holds_all PAGE DATA...: the page is that of the data files, in any order but that the first is the first
holds_all() {
	local page=$1 i=0 data pid
	shift
	"$P" "$page" mprof-index >index.json || return 1
	jq -e --argjson n $# '(.profiles | length) == $n and .missing == null' index.json || return 1
	holds "$page" 0 "$1" || return 1
	for data in "${@:2}"; do
		pid=$(limited "$MPROF" report --format=json "$data" | jq .pid)
		i=$(jq --argjson pid "$pid" '[.profiles[].pid] | index($pid)' index.json)
		holds "$page" "$i" "$data" || return 1
	done
}

@test "a run of several processes has one page, which is that of all their data files" {
	forks
	limited "$MPROF" run --trace-children=yes --html=heap.html --data=run.data -o /dev/null -- \
		/usr/bin/python3 fork.py 2>err
	[ "$(ls run.data.* | wc -l)" = 2 ]
	[ "$(ls *.html | grep -v template)" = heap.html ]
	holds_all heap.html run.data run.data.*
	grep -Eq '^<title>python3 \(pid [0-9]+\) and 2 more - mprof</title>$' heap.html
	says err '^mprof: the page of all 3 profiles is heap\.html$'
	# Though no report can be written and no data file is wanted, it is the same.
	limited "$MPROF" run --trace-children=yes --html=heap.html --data=/dev/null -o /dev/full -- \
		/usr/bin/python3 fork.py 2>err && fail "a full disk"
	says err '^mprof: the page of all 3 profiles is heap\.html, in the place of an older one$'
	"$P" heap.html mprof-index | jq -e '.profiles | length == 3 and (map(.started_ns) | unique | length == 3)'
	[ -z "$(ls -A | grep 'mprof\.page')" ]
}

@test "what a process did before an exec is in the page of the session if it is kept" {
	limited "$MPROF" run --keep-execs --html=page --data=run.data -o /dev/null -- /bin/sh -c "exec $T/widgets" 2>err
	[ "$(ls page*)" = page ]
	"$P" page mprof-index | jq -e '[.profiles[].program] == ["sh", "widgets"] and (.profiles | map(.pid) | unique | length) == 1'
	holds page 0 run.data.*.1
	holds page 1 run.data
	limited "$MPROF" run --html=page --data=run.data -o /dev/null -- /bin/sh -c "exec $T/widgets" 2>err
	"$P" page mprof-index | jq -e '[.profiles[].program] == ["widgets"]'
}

@test "a name with %p is that of a page for each process, and ends as a browser wants it" {
	forks
	limited "$MPROF" run --trace-children=yes --html='%p.html' --data=of.%p -o /dev/null -- /usr/bin/python3 fork.py 2>err
	[ "$(ls of.* | sed 's/of\.\(.*\)/\1.html/' | sort)" = "$(ls [0-9]*.html | sort)" ]
	local data
	for data in of.*; do
		holds "${data#of.}.html" 0 "$data"
		says err "^mprof: the page of process ${data#of.} is ${data#of.}\.html\$"
	done
	limited "$MPROF" run --keep-execs --html='e%p.html' --data=run.data -o /dev/null -- /bin/sh -c "exec $T/widgets" 2>err
	[ "$(ls e*.html | grep -Ec '^e[0-9]+(\.1)?\.html$')" = 2 ]
}

@test "a session that is attached to, and detached from, has one page of all, too" {
	printf '%s\n' 'import os, sys' 'print("ready 1", flush=True)' 'sys.stdin.readline()' \
		'for i in range(2):' '  if os.fork() == 0: os._exit(0)' '  os.wait()' \
		'print("forked", flush=True)' 'sys.stdin.readline()' >fork.py
	start family /usr/bin/python3 fork.py
	attach --trace-children=yes -o report.txt --data=run.data --html=at.html "$PID"
	tell_await family fork '^forked'
	detach --html=heap.html "$PID"
	holds_all at.html run.data run.data.*
	holds_all heap.html run.data run.data.*
	[ "$(ls run.data.* | wc -l)" = 2 ]
	finish family
}

@test "detach takes the sequences of a page's name as run does: with %p there is one of each process" {
	forks
	printf '%s\n' 'import sys' 'print("ready 1", flush=True)' 'sys.stdin.readline()' "$(cat fork.py)" \
		'print("forked", flush=True)' 'sys.stdin.readline()' >live.py
	start family /usr/bin/python3 live.py
	attach --trace-children=yes --keep-execs -o report.txt --data=of.%p "$PID"
	tell_await family fork '^forked'
	refused 2 'file name: %z is not known' "$MPROF" detach --html='%z.html' "$PID"
	refused 2 'the environment variable NOT_THERE is not set' env -u NOT_THERE "$MPROF" detach --html='%q{NOT_THERE}.html' "$PID"
	refused 2 "would write over a file of the session" "$MPROF" detach --html=of.%p "$PID"
	refused 2 "both name x$PID" "$MPROF" detach --html=x%p -o "x$PID" "$PID"
	refused 1 "cannot write the page none/$PID.html: No such file" "$MPROF" detach --html=none/%p.html "$PID"
	echo old >"p$PID.html"
	detach --html=p%p.html "$PID"
	[ "$(ls of.* | sed 's/of\.\(.*\)/p\1.html/' | sort)" = "$(ls p*.html | sort)" ]
	[ "$(ls of.* | wc -l)" = 3 ]
	local data
	for data in of.*; do
		holds "p${data#of.}.html" 0 "$data"
	done
	says detach.err "^mprof: the page is p$PID\\.html, in the place of an older one\$"
	[ "$(grep -Ec '^mprof: the page is p[0-9]+\.html$' detach.err)" = 2 ]
	attach -o report.txt --data=run.data "$PID"
	MPROF_TEST_NAME='a%' detach --html='%q{MPROF_TEST_NAME}%%.html' "$PID"
	holds a%%.html 0 run.data
	finish family
}

@test "detach makes one page of all, and takes --format=html and --html" {
	start server "$T/server"
	attach -o report.txt --data=run.data "$PID"
	progress server 2
	detach --html=heap.html "$PID"
	cmp report.txt detach.out
	holds heap.html 0 run.data
	attach -o report.txt --data=run.data "$PID"
	refused 2 'both name x' "$MPROF" detach --html=x -o x "$PID"
	refused 2 'would write over a file of the session' "$MPROF" detach --html=run.data "$PID"
	refused 1 'cannot write the page none/heap.html: No such file' "$MPROF" detach --html=none/heap.html "$PID"
	MPROF_PAGE_TEMPLATE=none refused 1 'cannot read the template none' "$MPROF" detach --html=x "$PID"
	detach --format=html -o heap.html "$PID" # which is there still
	holds heap.html 0 run.data
	finish server
}

@test "a page that cannot be written leaves the old one as it was" {
	profile "$T/widgets"
	page -o heap.html run.data
	cp heap.html old.html
	# Not more than this may be written to a file: with the signal ignored it fails as on a full disk.
	seq 1 20000 >>template.html
	refused 1 'cannot write heap.html: File too large' bash -c 'trap "" XFSZ; ulimit -f 16; exec "$@"' -- \
		"$MPROF" report --format=html -o heap.html run.data
	cmp heap.html old.html
	limited "$MPROF" run --html=heap.html --data=other.data -o /dev/null -- "$T/widgets" # it can be, by who may
	not cmp -s heap.html old.html
	cp old.html heap.html
	printf 'no marks' >template.html
	no_page 1 'template.html is no template of a page: ' -o heap.html run.data
	cmp heap.html old.html
	printf '<!--mprof:title--><!--mprof:data-->' >template.html
	[ -z "$(ls mprof.page.* 2>/dev/null)" ] || fail "$(ls)"
	no_page 1 'cannot write none/heap.html: No such file' -o none/heap.html run.data
	no_page 1 'cannot write \.: Is a directory' -o . run.data
}

@test "a device and a pipe are written to, and no page takes their place" {
	profile "$T/widgets"
	no_page 1 'cannot write /dev/full: No space left' -o /dev/full run.data
	[ -c /dev/full ]
	mkfifo pipe
	cat pipe >through.html &
	page -o pipe run.data
	wait $!
	[ -p pipe ]
	holds through.html 0 run.data
	(page run.data >/dev/full) 2>err && fail "written to a full disk"
	grep -q '^mprof: cannot write the page: No space left' err
	# As the real one, so long that it is the template itself that does not go in.
	{ seq 1 20000; cat template.html; seq 1 20000; } >long.html
	MPROF_PAGE_TEMPLATE=$D/long.html no_page 1 'cannot write /dev/full: No space left' -o /dev/full run.data
	(MPROF_PAGE_TEMPLATE=$D/long.html page run.data >/dev/full) 2>err && fail "written to a full disk"
	grep -q '^mprof: cannot write the page: No space left' err
}

@test "a full disk leaves the old page as it was, and is what is said" {
	unshare -m true 2>/dev/null || skip "not allowed to mount here"
	local got=0
	profile "$T/widgets"
	mkdir full
	seq 1 200000 >>template.html
	cat >on-a-full-disk <<-'EOT'
		mount -t tmpfs -o size=1m none full || exit 77
		echo old >full/heap.html
		"$1" report --format=html -o full/heap.html run.data
		status=$?
		echo "$(ls full): $(cat full/heap.html)" >full.txt
		exit $status
	EOT
	limited unshare -m sh on-a-full-disk "$MPROF" 2>err || got=$?
	[ $got != 77 ] || skip "not allowed to mount here"
	[ $got = 1 ] || fail "ended with $got" "$(cat err)"
	says err 'cannot write full/heap\.html: disk full'
	[ "$(cat full.txt)" = "heap.html: old" ]
}

@test "a run tells of its page before it starts, if there will be none" {
	refused 1 'cannot write the page none/heap.html: No such file' "$MPROF" run --html=none/heap.html -- touch ran
	refused 2 'both name x' "$MPROF" run --html=x -o x -- touch ran
	refused 2 'both name x' "$MPROF" run --html=x --data=x -- touch ran
	refused 2 'html=x\.12 is a name that --data=x may need' "$MPROF" run --html=x.12 --data=x -- touch ran
	refused 2 '[0-9]+\.3\.html is a name that --html=[0-9]+\.html may need' "$MPROF" run --html=%p.html --data=%p.3.html -- touch ran
	refused 2 '%z is not known' "$MPROF" run --html=%z.html -- touch ran
	MPROF_PAGE_TEMPLATE=none refused 1 'cannot read the template none: No such file' "$MPROF" run --html=x -- touch ran
	mkfifo pipe
	MPROF_PAGE_TEMPLATE=pipe refused 1 "cannot read the template pipe: it is neither a file nor a pipe of the shell's" \
		"$MPROF" run --html=x -- touch ran
	[ ! -e ran ]
	limited "$MPROF" run --html=x.html --data=x.12.html -o x.html.12 -- touch ran
}

@test "options that make no sense for a page, or with it, are refused" {
	profile "$T/widgets"
	refused 2 'mprof report and detach: .* --html=FILE' "$MPROF" run --format=html -- touch ran
	refused 2 'option html: "-" is not a file name' "$MPROF" run --html=- -- touch ran
	refused 2 'unknown option --html=x for mprof report \(it is for run, attach, detach\)' "$MPROF" report --html=x run.data
	no_page 2 'inuse_space means nothing' --inuse_space run.data
	refused 2 'open means nothing with another format' "$MPROF" report --open --format=json run.data
	refused 2 'open means nothing with another format' "$MPROF" report --text --open run.data
	refused 2 'open means nothing with -o -' "$MPROF" report --open -o - run.data
	refused 2 'unknown option --open for mprof detach' "$MPROF" detach --open
	no_page 2 'would write over run.data' -o run.data run.data
	[ ! -e ran ]
}

@test "names of programs and of functions are text, whatever they are" {
	local evil='<img src=x onerror=alert(1)>"&'
	cp "$T/widgets" "$evil"
	profile "./$evil"
	page -o heap.html run.data
	not grep -q '<img' heap.html
	grep -q '^<title>&lt;img src=x onerror=alert(1)&gt;&quot;&amp; (pid ' heap.html
	"$P" heap.html mprof-index | jq -e --arg name "$evil" '.profiles[0].title | startswith($name + " (pid ")'
	"$P" heap.html mprof-tree-0 | jq -e --arg name "/$evil" '[.strings[.modules[]]] | any(endswith($name))'
}

# browser NAME [STATUS]: a program that notes its arguments
browser() {
	printf '#!/bin/sh\nprintf "%%s\\n" "$#" "$@" >%s/shown\ncp "$1" %s/seen 2>/dev/null\nexit %s\n' "$D" "$D" "${2:-0}" >"$1"
	chmod +x "$1"
}

@test "report --open shows the page by \$BROWSER, or by xdg-open, without a shell" {
	local page
	profile "$T/widgets"
	browser one
	export BROWSER="nobody-has-this:$D/one --new-window"
	limited "$MPROF" report --open -o '$(touch evil) heap.html' run.data 2>err
	[ "$(sed -n '1,2p' shown | paste -sd ' ')" = "2 --new-window" ]
	page=$(sed -n 3p shown)
	[ "$page" = "$D/\$(touch evil) heap.html" ] && [ ! -e evil ]
	says err '^mprof: the page is /.*heap\.html$'
	holds "$page" 0 run.data
	BROWSER="$D/one --url=%s -x" limited "$MPROF" report --open -o a.html run.data
	[ "$(paste -sd ' ' shown)" = "2 --url=$D/a.html -x" ]
	mkdir bin
	browser bin/xdg-open
	BROWSER='' PATH=$D/bin:$PATH limited "$MPROF" report --open run.data 2>err
	page=$(sed -n 2p shown)
	[[ $page == "$XDG_RUNTIME_DIR"/mprof-*/page.html ]]
	[ "$(stat -c %a "${page%/*}")" = 700 ]
	holds "$page" 0 run.data
	browser fails 3
	BROWSER=$D/fails limited "$MPROF" report --open -o a.html run.data 2>err && fail "a browser that failed"
	says err 'fails could not show the page$'
}

@test "report --open prints the path over ssh, and where nobody can show it" {
	profile "$T/widgets"
	browser one
	BROWSER=$D/one SSH_CONNECTION=x limited "$MPROF" report --open run.data >out 2>err
	[ ! -e shown ] && [ ! -s err ]
	holds "$(cat out)" 0 run.data
	BROWSER=$D/one SSH_CONNECTION=x DISPLAY=:1 limited "$MPROF" report --open -o a.html run.data >out
	[ -e shown ] && [ ! -s out ]
	rm shown
	limited env BROWSER=nobody-has-this PATH="$D" "$MPROF" report --open -o a.html run.data >out
	[ "$(cat out)" = "$D/a.html" ]
	XDG_RUNTIME_DIR=$D/none SSH_CONNECTION=x limited "$MPROF" report --open run.data >out
	[[ $(cat out) == "$TMPDIR"/mprof-*/page.html ]]
	refused 1 'cannot read none.data' "$MPROF" report --open none.data
	[ "$(ls -d "$XDG_RUNTIME_DIR"/mprof-* | wc -l)" = 1 ]
}

@test "report --open leaves no page in another user's XDG_RUNTIME_DIR" {
	[ "$(id -u)" = 0 ] || skip "only root may make a directory of another user's"
	profile "$T/widgets"
	mkdir -m 777 his
	chown 65534 his
	XDG_RUNTIME_DIR=$D/his SSH_CONNECTION=x limited "$MPROF" report --open run.data >out
	[[ $(cat out) == "$TMPDIR"/mprof-*/page.html ]]
	[ -z "$(ls -A his)" ]
}

# embed: what becomes of ./web; $PATH is $D/bin
embed() {
	PATH=$D/bin "$ROOT/src/html/embed.sh" web out/page.html inc 2>err
	grep -o 'missing\[\] = ".*"' inc
}

@test "mprof is built without a page where one cannot be built, and knows why" {
	local t
	mkdir -p bin web
	for t in sh mkdir dirname rm paste sed timeout flock printf gzip od wc mv grep touch cat; do
		ln -s "$(type -P $t)" bin/$t
	done
	[[ $(embed) == *"its sources, web/, were not there when mprof was built"* ]]
	printf '#!/bin/sh\necho building\nexit 1\n' >web/build.sh
	chmod +x web/build.sh
	[[ $(embed) == *"there was no node, npm and esbuild; install nodejs, npm and esbuild"* ]]
	ln -s sh bin/node
	ln -s sh bin/npm
	[[ $(embed) == *"there was no esbuild;"* ]]
	ln -s sh bin/esbuild
	[[ $(embed) == *"its build failed"*"see out/page.html.log"* ]]
	grep -q '^mprof is built without its page: its build failed' err
	[ "$(cat out/page.html.log)" = building ]
	grep -q 'packed_from = 0;' inc
	printf '#!/bin/sh\nprintf "<p>page</p>" >"$1"\n' >web/build.sh
	[ "$(embed)" = 'missing[] = ""' ]
	grep -q 'packed_from = 11;' inc && [ ! -s err ]
	sed -n 's/0x\([0-9a-f]*\),/\1 /gp' inc | xxd -r -p | zcat | cmp - <(printf '<p>page</p>')
}

@test "without a page in mprof --format=html is refused with the reason, and all else works" {
	unset MPROF_PAGE_TEMPLATE
	profile "$T/widgets"
	if page -o heap.html run.data 2>err; then
		grep -q '<script type="application/x-mprof" id="mprof-tree-0">' heap.html
		skip "this mprof has one"
	fi
	no_page 1 'this mprof has no page: .* when mprof was built' -o heap.html run.data
	refused 1 'this mprof has no page' "$MPROF" report --open run.data
	refused 1 'this mprof has no page' "$MPROF" run --html=x -- touch ran
	[ ! -e ran ] && [ ! -e heap.html ]
}
