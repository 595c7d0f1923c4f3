# SPDX-License-Identifier: BSD-2-Clause
# Checks of a report, mprof.report.v1: each filter prints a line for each mistake.

# Numbers that differ from a record of the counter.
def number_differences($c; $peak):
	. as $r
	| (if $c.overflow != 0 or $c.reappeared != 0
	   then "the counter failed: \($c.overflow) \($c.reappeared)" else empty end),
	  (["allocs", "alloc_bytes", "frees", "free_bytes", "kept_objects", "kept_bytes",
	    "failed_allocs", "unknown_frees"] + (if $peak then ["peak_bytes"] else [] end)
	   | .[] | select($r.totals[.] != $c.totals[.])
	   | "\(.): mprof \($r.totals[.]), counter \($c.totals[.])"),
	  (($r.bins | map({key: "\(.size)", value: .}) | from_entries) as $rb
	   | ($c.bins | map({key: "\(.size)", value: .}) | from_entries) as $cb
	   | ($rb + $cb | keys[]) as $k | ["allocs", "bytes", "frees", "kept_bytes"][]
	   | select(($rb[$k][.] // 0) != ($cb[$k][.] // 0))
	   | "size \($k) \(.): mprof \($rb[$k][.] // 0), counter \($cb[$k][.] // 0)"),
	  (if ($r.bins | map(.size) | length) != ($r.bins | map(.size) | unique | length)
	   then "a size has two bins" else empty end);

# The same for what the program itself wrote to $BINS, as text.
def truth_differences($truth):
	. as $r | ($r.bins | map({key: "\(.size)", value: .}) | from_entries) as $bins
	| [$truth | split("\n")[] | split(" ") | select(length > 0)] as $lines
	| (if ($lines | map(select(.[0] == "bin")) | length) == 0
	   then "the program wrote no truth" else empty end),
	  ($lines[] | .[0] as $word | .[1] as $n
	   | if $word == "bin" then
		[$n, .[2], .[3], "\(($n | tonumber) * (.[2] | tonumber))"] as $want
		| ($bins[$n] // {}) as $b
		| [$n, "\($b.allocs // 0)", "\($b.frees // 0)", "\($b.bytes // 0)"] as $got
		| select($got != $want)
		| "size, allocs, frees, bytes: \($got), truth \($want)"
	     elif $word == "failed" or $word == "unknown" or $word == "peak" then
		$r.totals[{failed: "failed_allocs", unknown: "unknown_frees", peak: "peak_bytes"}[$word]] as $got
		| select("\($got)" != $n) | "\($word): \($got), truth \($n)"
	     else empty end);

# The same of its timeline: sites and rest are what was live, the end is that of the totals.
def timeline_contradictions:
	.totals as $t | .timeline as $l | ($l.time_ns | length) as $n
	| [["points", $n >= 2 and $n <= 200, true],
	   ["lengths", ([$l | del(.sites)[] | arrays | length] | unique), [$n]],
	   ["lengths of sites", ([$l.sites[].bytes | length] | unique - [$n]), []],
	   ["sites of a timeline", ($l.sites | length) <= 20, true],
	   ["sites twice", ($l.sites | map([.function, .file, .line]) | length - (unique | length)), 0],
	   ["times in order", $l.time_ns, ($l.time_ns | sort)],
	   ["requests in order", $l.allocs, ($l.allocs | sort)],
	   ["sites and rest", ([$l.sites[].bytes, $l.rest] | transpose | map(add)), $l.live_bytes],
	   ["negative rests", ($l.rest | map(select(. < 0))), []],
	   ["live in the end", $l.live_bytes[-1], $t.kept_bytes],
	   ["blocks in the end", $l.live_blocks[-1], $t.kept_objects],
	   ["requests in the end", $l.allocs[-1], $t.allocs],
	   ["the peak", (if $l.peak then $l.live_bytes[$l.peak] else 0 end), $t.peak_bytes],
	   ["above the peak", ($l.live_bytes | max), $t.peak_bytes]]
	| .[] | select(.[1] != .[2]) | "timeline, \(.[0]): \(.[1]), not \(.[2])";

# Where the report does not agree with itself.
def contradictions:
	def sum(f): map(f) | add // 0;
	def classes: ([.[]] | add);
	. as $r | .totals as $t
	| [["schema", .schema, "mprof.report.v1"],
	   ["bins allocs", (.bins | sum(.allocs)), $t.allocs],
	   ["bins bytes", (.bins | sum(.bytes)), $t.alloc_bytes],
	   ["bins frees", (.bins | sum(.frees)), $t.frees],
	   ["bins kept", (.bins | sum(.kept_bytes)), $t.kept_bytes],
	   ["bins size * allocs", (.bins | sum(.size * .allocs)), $t.alloc_bytes],
	   ["bins size * frees", (.bins | sum(.size * .frees)), $t.free_bytes],
	   ["allocs - frees", $t.allocs - $t.frees, $t.kept_objects],
	   ["bytes - freed", $t.alloc_bytes - $t.free_bytes, $t.kept_bytes],
	   ["leaks kept", (.leaks | sum(.kept_bytes)), $t.kept_bytes],
	   ["direct bytes", (.direct | sum(.bytes | classes)), $t.alloc_bytes],
	   ["direct kept", (.direct | sum(.kept | classes)), $t.kept_bytes],
	   ["callgraph self", (.callgraph | map(select(.self_bytes)) | unique_by([.index, .function])
			       | sum(.self_bytes | classes)), $t.alloc_bytes],
	   ["paths without functions", ([.leaks[].path | select(length < 1)] | length), 0],
	   # Longer ones go on to own code, and no further.
	   ["paths of more than 5 with own code before their end",
	    ([.leaks[].path | select(length > 5 and (.[1:] | any(.own)))] | length), 0],
	   ["totals over all", ([.callgraph[] | select(.total_bytes != null)
				 | .total_bytes | if type == "object" then classes else . end
				 | select(. > $t.alloc_bytes)] | length), 0]]
	| (.[] | select(.[1] != .[2]) | "\(.[0]): \(.[1]), not \(.[2])"),
	  ($r | select(.timeline != null) | timeline_contradictions);

# Functions in chains that are in a module of this name.
def functions_of($file):
	.leaks[].path[] | select(.module // "" | endswith($file)) | .function;
