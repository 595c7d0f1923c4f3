#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Takes a page of mprof apart.

	page.py FILE			the ids of its blocks
	page.py FILE ID			the JSON in one of them
	page.py FILE sums N		what the leaves of the tree of profile N sum up to, as the totals of a report
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


def main():
	path, what = sys.argv[1], sys.argv[2:]
	if not what:
		print("\n".join(blocks(path)))
	elif what[0] == "sums":
		print(json.dumps(sums(json.loads(content(path, f"mprof-tree-{what[1]}")))))
	elif what[0] == "paths":
		print("\n".join(paths(json.loads(content(path, f"mprof-tree-{what[1]}")))))
	else:
		print(content(path, what[0]), end="")


main()
