#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a page of data files without the C side: help for those who work on the page.

	page.py --mprof=MPROF [--sites] TEMPLATE OUT DATA...

TEMPLATE is what build.sh wrote, DATA what `mprof run --data=DATA` wrote. The tree comes from the
data file's tables, the report from `mprof report --format=json`. The timeline has what the file
keeps of it; --sites makes up shares of sites for it, so that the stacked areas can be seen.
"""

import argparse
import base64
import html
import json
import sqlite3
import subprocess
import zlib
from pathlib import Path

TITLE = "<!--mprof:title-->"
DATA = "<!--mprof:data-->"
FIRST_NODE = 2	# nodes 0 and 1 are the roots of whole and of truncated chains
MEASURES = ("allocs", "bytes", "frees", "kept_blocks", "kept_bytes", "peak_blocks", "peak_bytes",
	    "temporary")


class Strings:
	"""Texts, each once."""

	def __init__(self):
		self.list, self.ids = [], {}

	def add(self, text):
		if text is None:
			return -1
		if text not in self.ids:
			self.ids[text] = len(self.list)
			self.list.append(text)
		return self.ids[text]


def leaf_figures(db):
	"""{node: {measure: number}} of the nodes that request something themselves."""
	figures = {}
	at_peak = dict(db.execute("SELECT leaf, blocks FROM peak"))
	for row, node, size, allocs, frees in db.execute("SELECT rowid, * FROM leaves"):
		f = figures.setdefault(node, dict.fromkeys(MEASURES, 0))
		for name, blocks in (("kept", allocs - frees), ("peak", at_peak.get(row, 0))):
			f[name + "_blocks"] += blocks
			f[name + "_bytes"] += blocks * size
		f["allocs"] += allocs
		f["bytes"] += allocs * size
		f["frees"] += frees
	for node, blocks in db.execute("SELECT node, blocks FROM lifetimes WHERE axis = 2"):
		figures[node]["temporary"] += blocks
	return figures


def depth_first(db):
	"""(node, parent, site) in depth-first order, without the roots of the data file."""
	children, sites = {}, {}
	for node, parent, site in db.execute("SELECT id, parent, site FROM nodes ORDER BY id"):
		children.setdefault(parent, []).append(node)
		sites[node] = site
	# Whole chains begin right at the top, truncated ones under a root of their own.
	stack = [(n, None) for n in reversed(children.get(0, []))]
	if children.get(1):
		stack.insert(0, (1, None))
	while stack:
		node, parent = stack.pop()
		yield node, parent, sites[node] if node >= FIRST_NODE else -1
		stack += [(n, node) for n in reversed(children.get(node, []))]


def tree_of(db):
	strings = Strings()
	modules = [path for path, in db.execute("SELECT path FROM modules ORDER BY id")]
	functions = db.execute("SELECT name, module FROM functions ORDER BY id").fetchall()
	sites = db.execute("SELECT function, file, line, inlined FROM sites ORDER BY id").fetchall()
	order = list(depth_first(db))
	number = {node: i for i, (node, _, _) in enumerate(order)}
	figures = leaf_figures(db)
	leaves = sorted((number[node], f) for node, f in figures.items() if node in number)
	before = [0] + [i for i, _ in leaves]
	types = db.execute("SELECT node, certain, name FROM site_types").fetchall()
	return {
		"schema": "mprof.tree.v1",
		"modules": [strings.add(m) for m in modules],
		"functions": {
			"name": [strings.add(name) for name, _ in functions],
			"module": [-1 if module is None else module for _, module in functions],
		},
		"sites": {
			"function": [s[0] for s in sites],
			"file": [strings.add(s[1]) for s in sites],
			"line": [s[2] for s in sites],
			"inlined": [s[3] for s in sites],
		},
		"nodes": {
			"up": [0 if p is None else i - number[p]
			       for i, (_, p, _) in enumerate(order)],
			"site": [site for _, _, site in order],
		},
		"leaves": {
			"node": [i - b for (i, _), b in zip(leaves, before)],
			**{m: [f[m] for _, f in leaves] for m in MEASURES},
		},
		"types": {
			"node": [number[n] for n, _, _ in types if n in number],
			"name": [strings.add(name) for n, _, name in types if n in number],
			"certain": [c for n, c, _ in types if n in number],
		},
		"strings": strings.list,
	}


def made_up_sites(live):
	"""Shares of five sites that add up to less than what is live."""
	sites = []
	for i in range(5):
		share = [int(v * (5 - i) / 18 * (0.6 + 0.4 * ((j * (i + 3)) % 17) / 17))
			 for j, v in enumerate(live)]
		sites.append({"function": f"made_up_{i}", "file": "made/up.c", "line": 10 * i,
			      "bytes": share})
	return sites


def timeline_of(db, with_sites):
	rows = db.execute("SELECT time_ns, live_bytes, live_blocks, peak FROM timeline").fetchall()
	if not rows:
		return None
	live = [r[1] for r in rows]
	peaks = [i for i, r in enumerate(rows) if r[3]]
	sites = made_up_sites(live) if with_sites else []
	total, = db.execute("SELECT value FROM meta WHERE key = 'allocs'").fetchone()
	return {
		"time_ns": [r[0] for r in rows],
		"live_bytes": live,
		"live_blocks": [r[2] for r in rows],
		"allocs": [total * i // len(rows) for i in range(len(rows))]
			  if with_sites else None,
		"peak": peaks[0] if peaks else None,
		"sites": sites,
		"rest": [v - sum(s["bytes"][i] for s in sites) for i, v in enumerate(live)],
	}


def block(name, value):
	text = json.dumps(value, separators=(",", ":")).encode()
	data = base64.b64encode(zlib.compress(text, 9)).decode()
	return f'<script type="application/x-mprof" id="{name}">{data}</script>\n'


def profile(mprof, path, with_sites):
	"""The report and the tree of a data file."""
	text = subprocess.run([mprof, "report", "--format=json", path], check=True,
			      stdout=subprocess.PIPE).stdout
	report = json.loads(text.decode(errors="replace"))
	db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
	db.text_factory = lambda b: b.decode(errors="replace")
	report.setdefault("timeline", timeline_of(db, with_sites))
	return report, tree_of(db)


def main():
	parser = argparse.ArgumentParser(usage=__doc__)
	parser.add_argument("--mprof", default="mprof")
	parser.add_argument("--sites", action="store_true")
	parser.add_argument("template", type=Path)
	parser.add_argument("out", type=Path)
	parser.add_argument("data", nargs="+")
	args = parser.parse_args()
	profiles, blocks = [], ""
	for i, path in enumerate(args.data):
		report, tree = profile(args.mprof, path, args.sites)
		name = Path(report["command"][0]).name if report["command"] else "?"
		profiles.append({"title": f"{name} (pid {report['pid']})",
				 "report": f"mprof-report-{i}", "tree": f"mprof-tree-{i}"})
		blocks += block(f"mprof-report-{i}", report) + block(f"mprof-tree-{i}", tree)
	index = {"schema": "mprof.page.v1", "version": "development", "profiles": profiles}
	page = args.template.read_text(encoding="utf-8")
	page = page.replace(DATA, block("mprof-index", index) + blocks)
	page = page.replace(TITLE, html.escape(profiles[0]["title"]))
	args.out.write_text(page, encoding="utf-8")


main()
