#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Takes an HTML page of mprof apart.

	page.py FILE			the ids of its blocks
	page.py FILE ID			the JSON in one of them
	page.py FILE sums N		the sums of the leaves of profile N's tree, as the totals of a report
	page.py FILE rows N		leaks, callgraph and lifetimes of profile N as in a report, as far as the tree
					and the rows of the page have them
	page.py FILE want		the same of the report of --format=json on standard input
	page.py FILE paths N		a line for each chain that requested: "f > g BYTES"
"""

import base64
import json
import re
import sys
import zlib

BLOCK = re.compile(r'<script type="application/x-mprof" id="([a-z0-9-]+)">([A-Za-z0-9+/=]*)</script>')


def blocks(path):
	with open(path, encoding="utf-8") as page:
		return {m[1]: m[2] for m in BLOCK.finditer(page.read())}


def content(path, block):
	return zlib.decompress(base64.b64decode(blocks(path)[block], validate=True)).decode("utf-8")


def sums(tree):
	leaves = tree["leaves"]
	assert len({len(column) for column in leaves.values()}) == 1
	return {
		"allocs": sum(leaves["allocs"]), "alloc_bytes": sum(leaves["bytes"]),
		"frees": sum(leaves["frees"]), "kept_objects": sum(leaves["kept_blocks"]),
		"kept_bytes": sum(leaves["kept_bytes"]), "peak_bytes": sum(leaves["peak_bytes"]),
	}


def name(tree, node):
	site = tree["nodes"]["site"][node]
	if site < 0:
		return "..."
	return tree["strings"][tree["functions"]["name"][tree["sites"]["function"][site]]]


def paths(tree):
	up, node = tree["nodes"]["up"], 0
	for delta, size in zip(tree["leaves"]["node"], tree["leaves"]["bytes"]):
		node += delta
		chain, at = [name(tree, node)], node
		while up[at]:
			at -= up[at]
			chain.append(name(tree, at))
		yield " > ".join(reversed(chain)) + f" {size}"


def at_depth(tree, node, depth):
	"""The elements of the innermost functions of a chain, as a report has them, from the outside in."""
	texts, sites, functions = tree["strings"], tree["sites"], tree["functions"]
	path = []
	while len(path) < depth:
		site = tree["nodes"]["site"][node]
		if site < 0:
			path += [] if path else [{"function": "?", "file": None, "line": None, "module": None, "inlined": False, "own": False}]
			break
		function, file = sites["function"][site], sites["file"][site]
		module = functions["module"][function]
		path.append({
			"function": texts[functions["name"][function]], "file": None if file < 0 else texts[file],
			"line": sites["line"][site] or None, "inlined": sites["inlined"][site] == 1, "own": sites["own"][site] == 1,
			"module": None if module < 0 else texts[tree["modules"][module]],
		})
		if not tree["nodes"]["up"][node]:
			break
		node -= tree["nodes"]["up"][node]
	return path[::-1]


def arcs(tree):
	"""What was requested over each arc of the call graph: {(from, to): [calls, bytes]}, by function."""
	up, site = tree["nodes"]["up"], tree["nodes"]["site"]
	below, node, over = [[0, 0] for _ in up], 0, {}
	for delta, calls, size in zip(tree["leaves"]["node"], tree["leaves"]["allocs"], tree["leaves"]["bytes"]):
		node += delta
		below[node] = [calls, size]
	for i in range(len(up) - 1, -1, -1):
		if not up[i]:
			continue
		above = i - up[i]
		below[above] = [a + b for a, b in zip(below[above], below[i])]
		if site[i] >= 0 and site[above] >= 0:
			key = tuple(tree["sites"]["function"][site[n]] for n in (above, i))
			over[key] = [a + b for a, b in zip(over.get(key, [0, 0]), below[i])]
	return {key: of for key, of in over.items() if key[0] != key[1]}


def rows(tree, table):
	leaks, functions, lives = table["leaks"], table["functions"], table["lifetimes"]
	texts = [tree["strings"][n] for n in tree["functions"]["name"]]
	over, buckets = arcs(tree), list(zip(table["buckets"]["power"], table["buckets"]["blocks"]))
	made = {"leaks": [], "callgraph": [], "lifetimes": []}
	for node, depth, cut, kept, allocs, frees, types in zip(*(leaks[c] for c in (
			"node", "depth", "truncated", "kept_bytes", "allocs", "frees", "types"))):
		made["leaks"].append({
			"kept_bytes": kept, "allocs": allocs, "frees": frees, "truncated": cut == 1,
			"types": [table["strings"][n] for n in table["types"][types]], "path": at_depth(tree, node, depth)})
	for f, cycle, own, total, called, again in zip(*(functions[c] for c in (
			"function", "cycle", "self_bytes", "total_bytes", "called", "recursive"))):
		made["callgraph"].append({
			"function": texts[f], "cycle": cycle or None, "self_bytes": own, "total_bytes": total, "called": called,
			"recursive": again,
			"callers": sorted([texts[a], *of] for (a, b), of in over.items() if b == f),
			"callees": sorted([texts[b], *of] for (a, b), of in over.items() if a == f)})
	for node, frees, temporary, n in zip(*(lives[c] for c in ("node", "frees", "temporary", "buckets"))):
		made["lifetimes"].append({
			"frees": frees, "temporary": temporary, "path": at_depth(tree, node, len(tree["nodes"]["up"])),
			"ns": [{"below": 2 ** (p + 1), "blocks": b} for p, b in buckets[:n]]})
		del buckets[:n]
	return made


def want(report):
	def elements(path):
		return [{k: e[k] for k in ("function", "file", "line", "inlined", "module", "own")} for e in path]

	def relatives(list_of):
		return sorted([r["function"], r["calls"], sum(r["bytes"].values())] for r in list_of)

	return {
		"leaks": [{
			**{k: row[k] for k in ("kept_bytes", "allocs", "frees", "truncated")}, "path": elements(row["path"]),
			"types": row.get("site_type", {"names": row["types"]})["names"]} for row in report["leaks"]],
		"callgraph": [{
			**{k: row[k] for k in ("function", "cycle", "total_bytes", "called", "recursive")},
			"self_bytes": sum(row["self_bytes"].values()), "callers": relatives(row["callers"]),
			"callees": relatives(row["callees"])} for row in report["callgraph"]],
		"lifetimes": [{
			**{k: row[k] for k in ("frees", "temporary")}, "path": elements(row["path"]),
			# Where one begins is 0 of an engine that knows only how long it may have been.
			"ns": [{"below": b["below"], "blocks": b["blocks"]} for b in row["ns"]]}
			for row in report["lifetimes"]],
	}


def print_rows(made):
	print(json.dumps(made, sort_keys=True, indent=1))


def main():
	path, what = sys.argv[1], sys.argv[2:]
	if not what:
		print("\n".join(blocks(path)))
	elif what[0] == "sums":
		print(json.dumps(sums(json.loads(content(path, f"mprof-tree-{what[1]}")))))
	elif what[0] == "rows":
		print_rows(rows(*(json.loads(content(path, f"mprof-{b}-{what[1]}")) for b in ("tree", "rows"))))
	elif what[0] == "want":
		print_rows(want(json.load(sys.stdin)))
	elif what[0] == "paths":
		print("\n".join(paths(json.loads(content(path, f"mprof-tree-{what[1]}")))))
	else:
		print(content(path, what[0]), end="")


main()
