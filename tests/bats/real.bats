#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Programs people use: totals and every bin are those of the counter in the same run, and the
# output is the same to the byte as without mprof.

bats_require_minimum_version 1.5.0
load ../lib/common

# need NAME: the program to be run, or the test is skipped.
need() {
	PROGRAM=$(binary "$1") || skip "$1 is not installed"
}

@test "sqlite3 running a script" {
	need sqlite3
	cat >in <<-'EOT'
		create table t(a integer primary key, b text, c real);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 400)
			insert into t select i, 'row ' || i, i * 1.5 from n;
		create index tb on t(b);
		select count(*), sum(c), max(b) from t;
		select b, group_concat(a) from t where a % 7 = 3 group by substr(b, 5, 2) order by b;
		explain query plan select * from t where b > 'row 2' order by c;
		.mode json
		select * from t where a between 20 and 30;
	EOT
	exact -peak -counted 0 "$PROGRAM" -batch :memory:
}

@test "python3 -c" {
	need python3
	export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
	exact -peak -counted 0 "$PROGRAM" -c '
import json, re
words = {w: len(w) for w in re.findall(r"\w+", "one two three four five" * 50)}
print(json.dumps(words, indent=1), sum(i * i for i in range(1000)))
print(len([bytearray(n) for n in range(0, 20000, 37)]))
'
}

@test "perl building hashes and matching" {
	need perl
	export PERL_HASH_SEED=0
	exact -peak -counted 3 "$PROGRAM" -e '
my %h;
for my $i (1 .. 2000) { push @{ $h{ $i % 97 } }, "item $i" x ($i % 5); }
print join(",", map { "$_:" . scalar @{ $h{$_} } } sort { $a <=> $b } keys %h), "\n";
my $text = join(" ", map { "w$_" } 1 .. 500);
my @m = $text =~ /w(\d*7)\b/g;
print scalar(@m), " @m\n";
exit 3;'
}

@test "git log in a repository made on the spot" {
	need git
	export HOME=$D GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_PAGER=cat
	export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C
	export GIT_COMMITTER_EMAIL=c@example.org
	limited git init -q -b main repo
	for i in {1..15}; do
		export GIT_AUTHOR_DATE="2001-02-03T04:05:$((i + 10)) +0000"
		export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
		seq "$i" $((i * 20)) >repo/file$((i % 4))
		limited git -C repo add -A
		limited git -C repo commit -q -m "change $i" -m "The body of change $i."
	done
	exact -peak -counted 0 "$PROGRAM" -C repo log --stat -p --no-color
	[ "$(grep -c ^commit out)" = 15 ]
}

@test "xmllint formatting a 1 MB file" {
	need xmllint
	python3 - >big.xml <<-'EOT'
		print("<?xml version='1.0'?><list>")
		for i in range(1000):
		    print(f"<item id='i{i}' kind='k{i % 7}'><name>item {i}</name><text>{'lorem ipsum ' * 80}</text></item>")
		print("</list>")
	EOT
	[ "$(wc -c <big.xml)" -gt 1000000 ]
	exact -peak -counted 0 "$PROGRAM" --format big.xml
}

@test "jq on a 1 MB file" {
	need jq
	python3 - >big.json <<-'EOT'
		import json
		print(json.dumps([{"id": i, "tags": [f"t{i % 13}", f"u{i % 5}"], "text": "dolor sit amet " * 70}
		                  for i in range(1000)]))
	EOT
	[ "$(wc -c <big.json)" -gt 1000000 ]
	exact -peak -counted 0 "$PROGRAM" -c 'map({id, n: (.text | length), t: .tags[0]}) | group_by(.t)[]' big.json
}

@test "the C compiler proper on a small file" {
	PROGRAM=$(gcc -print-prog-name=cc1) && [ -x "$PROGRAM" ] || skip "gcc's cc1 is not installed"
	cat >small.c <<-'EOT'
		#include <stddef.h>
		struct node { struct node *next; int value; };
		int sum(const struct node *n) { int s = 0; for (; n; n = n->next) s += n->value; return s; }
		static int twice(int x) { return 2 * x; }
		int main(int argc, char **argv) { struct node n = { NULL, argc }; (void)argv; return twice(sum(&n)); }
	EOT
	gcc -E small.c -o small.i
	exact -peak -counted 0 "$PROGRAM" -quiet -O1 small.i -o -
}
