#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
reachtable.py TRUTH [NAME=FILE...]: prints a table, kind by kind, of the truth that targets/reach has printed and of
what tools found. A file is the output of `mprof leaks --format=json --possible=yes`, of memcheck
(--leak-check=full --show-leak-kinds=all) or of LeakSanitizer (fast_unwind_on_malloc=0).

reachtable.py --check TRUTH NAME=FILE: compares a file with the truth and prints each kind that differs. With
--without-idioms, blocks that a program reaches by idioms, without pointers to their start, must be possible.
"""
import json
import re
import sys
from collections import Counter

CLASSES = ["reachable", "possible", "lost"]


def read_truth(path):
	"""[{size, class, blocks, through, through_bytes, what}]: a row for each kind"""
	rows = []
	for line in open(path, encoding="utf-8"):
		m = re.fullmatch(r"(lost) (\d+) (\d+) (\d+) (\d+) (.*)\n", line) or \
			re.fullmatch(r"(reachable|possible|idiom|behind) (\d+) (\d+)() ?()(.*)\n", line)
		if m:
			rows.append({"class": m[1], "size": int(m[2]), "blocks": int(m[3]), "through": int(m[4] or 0),
				"through_bytes": int(m[5] or 0), "what": m[6]})
	if not rows:
		sys.exit(f"{path} has no truth")
	return rows


def read_mprof(text):
	"""{(size, class): blocks} of possible and lost ones, the through sums by size, and the four sums"""
	found, through = Counter(), {}
	answer = json.loads(text)
	for row in answer["lost"]:
		found[row["usable"], "lost"] = row["blocks"]
		through[row["usable"]] = (row["through_blocks"], row["through_bytes"])
	for row in answer["possible"]:
		found[row["usable"], "possible"] = row["blocks"]
	sums = {name: answer["classes"][name]["blocks"] for name in answer["classes"]}
	return found, through, [sums["reachable"], sums["possible"], sums["lost_direct"], sums["lost_through"]]


def number(text):
	return int(text.replace(",", ""))


def read_memcheck(text):
	found = Counter()
	line = re.compile(r"== ([\d,]+)(?: \(([\d,]+) direct, [\d,]+ indirect\))? bytes in ([\d,]+) blocks are "
		r"(still reachable|possibly lost|definitely lost) in loss record")
	names = {"still reachable": "reachable", "possibly lost": "possible", "definitely lost": "lost"}
	for m in line.finditer(text):
		blocks = number(m[3])
		found[number(m[2] or m[1]) // blocks, names[m[4]]] += blocks
	sums = [re.search(name + r": [\d,]+ bytes in ([\d,]+) blocks", text)
		for name in ("still reachable", "possibly lost", "definitely lost", "indirectly lost")]
	return found, None, [number(m[1]) if m else 0 for m in sums]


def read_lsan(text):
	found = Counter()
	sums = Counter()
	for m in re.finditer(r"(Direct|Indirect) leak of (\d+) byte\(s\) in (\d+) object\(s\)", text):
		sums[m[1]] += int(m[3])
		found[int(m[2]) // int(m[3]), "lost" if m[1] == "Direct" else "through"] += int(m[3])
	return found, None, [None, None, sums["Direct"], sums["Indirect"]]


def read_tool(path):
	text = open(path, encoding="utf-8", errors="replace").read()
	if text.startswith("{"):
		return read_mprof(text)
	return read_lsan(text) if "LeakSanitizer" in text else read_memcheck(text)


def expected(row, idioms):
	"""{class: blocks} of the kind"""
	if row["class"] in CLASSES:
		return {row["class"]: row["blocks"]}
	return {"reachable" if idioms else "possible": row["blocks"]}


def of_kind(found, row):
	"""{class: blocks}; who does not tell reachable ones has told of all others"""
	kinds = {name: found[row["size"], name] for name in ("possible", "lost") if found[row["size"], name]}
	rest = row["blocks"] - sum(kinds.values())
	if rest:
		kinds["reachable"] = rest
	return kinds


def words(kinds):
	return ", ".join(f"{kinds[name]} {name}" for name in CLASSES if name in kinds)


def check(truth, found, through, idioms):
	wrong = []
	sizes = {row["size"] for row in truth}
	for row in truth:
		# Which of a tree's nodes have a colour is not for us to know.
		if row["class"] == "behind" and not idioms:
			continue
		if of_kind(found, row) != expected(row, idioms):
			wrong.append(f"{row['what']}: {words(of_kind(found, row))}, not {words(expected(row, idioms))}")
		if through is not None and row["class"] == "lost" and \
			through.get(row["size"]) != (row["through"], row["through_bytes"]):
			wrong.append(f"{row['what']}: through them {through.get(row['size'])}")
	for (size, name), blocks in sorted(found.items()):
		if through is not None and size not in sizes and (name == "lost" or idioms):
			wrong.append(f"{blocks} {name} of {size} bytes that are not the program's own")
	return wrong


def print_table(truth, tools):
	head = ["blocks", "truth"] + [name for name, _ in tools]
	lines = []
	for row in truth:
		cells = [words(expected(row, True))]
		for _, (found, _, sums) in tools:
			kinds = of_kind(found, row)
			if sums[0] is None and "lost" not in kinds:
				# Who has two classes only calls what is possible reachable.
				lost = found[row["size"], "through"]
				cells.append("lost, without a head" if lost else "not lost")
				continue
			cells.append(words(kinds))
		lines.append([row["what"]] + cells)
	for i, name in enumerate(["all: reachable", "possible", "lost directly", "lost through others"]):
		lines.append([name, ""] + ["" if sums[i] is None else str(sums[i]) for _, (_, _, sums) in tools])
	for line in [head, ["---"] * len(head)] + lines:
		print("| " + " | ".join(line) + " |")


def main(argv):
	checks = "--check" in argv
	idioms = "--without-idioms" not in argv
	files = [a for a in argv if not a.startswith("--")]
	truth = read_truth(files[0])
	tools = [(a.partition("=")[0], read_tool(a.partition("=")[2])) for a in files[1:]]
	if not checks:
		print_table(truth, tools)
		return 0
	wrong = [w for _, (found, through, _) in tools for w in check(truth, found, through, idioms)]
	print("\n".join(wrong), end="\n" if wrong else "")
	return bool(wrong)


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
