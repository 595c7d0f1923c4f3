# SPDX-License-Identifier: BSD-2-Clause
"""Types at call sites against the source.

	sitetypes.py truth SOURCE FILE...	what each call of an allocator is converted to, by libclang
	sitetypes.py judge PROGRAM TELLER	reads that, and tells how many of the program's sites are right
"""
import collections
import os
import re
import subprocess
import sys

CALLS = {t + "z" + c + u for t in ("", "try") for c in ("malloc", "calloc", "realloc") for u in ("", "_usable")}
CALLS = {c if not c.startswith("tryz") else "ztry" + c[4:] for c in CALLS} | {"zcalloc_num"}


def pointee(t, clang):
	t = t.get_canonical()
	if t.kind != clang.TypeKind.POINTER:
		return None
	name = re.sub(r"\b(const|volatile) ", "", t.get_pointee().get_canonical().spelling).strip()
	return "bytes" if name in ("char", "unsigned char", "signed char") else name


def converted_to(stack, clang):
	kind = clang.CursorKind
	for parent in reversed(stack):
		if parent.kind in (kind.UNEXPOSED_EXPR, kind.PAREN_EXPR, kind.CSTYLE_CAST_EXPR):
			name = pointee(parent.type, clang)
			if name and name != "void":
				return name
		elif parent.kind == kind.VAR_DECL:
			return pointee(parent.type, clang) or "void"
		else:
			return "void"
	return "void"


def calls_in(node, stack, clang):
	if node.kind == clang.CursorKind.CALL_EXPR and node.spelling in CALLS:
		yield node, converted_to(stack, clang)
	for child in node.get_children():
		yield from calls_in(child, stack + [node], clang)


def truth(source, files):
	from clang import cindex as clang
	resources = subprocess.check_output(["clang", "-print-resource-dir"], text=True).strip()
	args = ["-std=gnu11", "-D_GNU_SOURCE", "-resource-dir", resources]
	args += ["-I" + os.path.join(source, d) for d in
		 (".", "../deps/hiredis", "../deps/lua/src", "../deps/linenoise", "../deps/hdr_histogram")]
	index, rows = clang.Index.create(), set()
	for name in files:
		for top in index.parse(name, args=args).cursor.get_children():
			if not top.location.file or top.location.file.name.startswith("/usr"):
				continue
			for call, to in calls_in(top, [], clang):
				at = call.location
				rows.add((os.path.basename(at.file.name), at.line, call.extent.end.line,
					  call.spelling, to))
	for row in sorted(rows):
		print(*row, sep="\t")


def constant_size(before):
	"""What the caller puts into the first argument, if it is a number."""
	for text in reversed(before[-14:]):
		m = re.match(r"mov +\$0x([0-9a-f]+),%[er]di$", text)
		if m or text.startswith("call") or re.search(r",%[er]di$", text):
			return int(m[1], 16) if m else 0
	return 0


def sites_of(program):
	"""(return address, size or 0, callee) of each call of an allocator that is none's own."""
	text = subprocess.check_output(["objdump", "-d", "--no-show-raw-insn", program], text=True)
	pending, before, inside = None, [], ""
	for line in text.splitlines():
		m = re.match(r"[0-9a-f]+ <(.*)>:", line)
		if m:
			pending, before, inside = None, [], m[1].split(".")[0]
			continue
		m = re.match(r" *([0-9a-f]+):\t(.*)", line)
		if not m:
			continue
		if pending:
			yield (m[1], *pending)
			pending = None
		call = re.match(r"call +[0-9a-f]+ <([^>@+]+)", m[2])
		if call and call[1] in CALLS and inside not in CALLS:
			sized = "realloc" not in call[1] and call[1] != "zcalloc_num"
			pending = (constant_size(before) if sized else 0, call[1])
		before = [] if call else before + [m[2].rstrip()]


def plain(name):
	"""Compilers spell some types differently."""
	name = re.sub(r"\b(struct|union|enum) ", "", name)
	name = re.sub(r"\b(short|long) unsigned int\b", r"unsigned \1", name)
	return re.sub(r" (?=\*)", "", re.sub(r".* \(\*\)\(.*", "function *", name))


def judge(program, teller):
	known = collections.defaultdict(set)
	for row in sys.stdin:
		name, first, last, callee, to = row.rstrip("\n").split("\t")
		for line in range(int(first), int(last) + 1):
			known[name, line, callee].add(plain(to))
	sites = list(sites_of(program))
	asked = "".join(f"{address} {size}\n" for address, size, _ in sites)
	told = subprocess.run([teller, program], input=asked, capture_output=True, text=True, check=True)
	lines = subprocess.check_output(["addr2line", "-e", program] +
					[hex(int(s[0], 16) - 1) for s in sites], text=True)
	n = collections.Counter()
	for (_, _, callee), said, line in zip(sites, told.stdout.splitlines(), lines.splitlines()):
		name, number = line.split(" ")[0].rsplit(":", 1)
		want = known[os.path.basename(name), int(re.sub(r"\D", "", number) or 0), callee] - {"void"}
		got = {plain(t) for t in said.split("\t")[1:]}
		n["one type"] += len(got) == 1
		if want:
			n["none" if not got else "wrong" if not got & want else
			  "right" if len(got) == 1 else "several"] += 1
	whole = n["right"] + n["wrong"] + n["several"] + n["none"]
	print(f"{len(sites)} sites, {n['one type']} with one type; of {whole} whose type the source tells: "
	      f"{100 * n['right'] / whole:.1f} % right, {100 * n['wrong'] / whole:.1f} % wrong, "
	      f"{n['several']} of several types, {n['none']} of none")
	return 100 * n["right"] < 93 * whole or 1000 * n["wrong"] > 5 * whole


if sys.argv[1] == "truth":
	truth(sys.argv[2], sys.argv[3:])
else:
	sys.exit(judge(*sys.argv[2:4]))
