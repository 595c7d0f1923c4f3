#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""heapdiff.py BEFORE AFTER OUT: two answers of `mprof heap --format=json` about targets/tabled, and
what tabled has printed. What the second has more than the first must be the blocks of its table, size
by size; and, if the allocator is glibc's, the sums must be those of its mallinfo2. Prints how many blocks were compared."""

import json
import sys


def bins(answer):
	return {b["usable"]: b["blocks"] for b in answer["bins"]}


def sums_differ(answer, words):
	info = dict(zip(words[1:9:2], map(int, words[2:9:2]))) | {"mapped bytes": int(words[9])}
	arenas = answer["arenas"]
	walked = {
		"arena": sum(a["system"] for a in arenas),
		"free": sum(a["free_bytes"] + a["fastbin_bytes"] + a["top"] for a in arenas),
		"mapped": answer["mapped"]["blocks"],
		"mapped bytes": answer["mapped"]["bytes"] + answer["mapped"]["overhead"],
	}
	return [f"{what}: {bytes} by the walk, mallinfo2 says {info[what]}"
		for what, bytes in walked.items() if info[what] != bytes]


def main():
	before, after = (json.load(open(name)) for name in sys.argv[1:3])
	lines = [line.split() for line in open(sys.argv[3])]
	table = {int(w[1]): int(w[2]) for w in lines if w and w[0] == "size"}
	old, new = bins(before), bins(after)
	wrong = []
	for usable in sorted(set(old) | set(new) | set(table)):
		found = new.get(usable, 0) - old.get(usable, 0)
		if found != table.get(usable, 0):
			wrong.append(f"usable {usable}: {found} found, {table.get(usable, 0)} in the table")
	if after["allocator"] == "glibc":
		wrong += sums_differ(after, [w for w in lines if w and w[0] == "info"][-1])
	for check in after["checks"]:
		if check["failures"]:
			wrong.append(f"{check['name']}: {check['detail']}")
	if not sum(table.values()):
		wrong.append("the table is empty")
	print("\n".join(wrong) if wrong else f"{sum(table.values())} blocks of {len(table)} sizes")
	sys.exit(bool(wrong))


main()
