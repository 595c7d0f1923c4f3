#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The rules of this house that a program can check.

	house.py [--root DIR] [RULE...]

arrows	every #include in src/ goes along an arrow of ARCHITECTURE.md, or to base/ or include/;
	a header named *_internal.h or internal.h is included in its own room only; every room is
	in the list, every arrow is used, and the list has no circle
length	no file of src/ has more than 500 lines, but for those in LONG
units	a unit test is named after the room and the file that it is about: test_ROOM_FILE.c
calls	no file of src/ calls what is in CALLS
columns	no line of src/, include/ and tests/ (C only) and of the sources of the page has more than 100
	columns, tabs being 8 wide

Without a RULE all are checked. Prints a line for each breach; ends with 1 if there is one.
"""

import argparse
import re
import sys
from pathlib import Path

LINES_MAX = 500
COLUMNS_MAX = 100

# Files that may be longer than LINES_MAX, each with its reason.
LONG = {
	"src/arch/x86_64.c": "a machine has one file: whoever ports writes one, and finds all there",
}

# Functions of the C library that are not used, each with its reason.
CALLS = {
	"open_memstream": "it loses output and does not say so; memstream_open() of base/memstream.h does",
}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
ARROW = re.compile(r"    (\S+) ->((?: \S+)*)$")


def sources(root, *folders):
	return sorted(f for d in folders for f in (root / d).rglob("*.[ch]"))


def lines_of(path):
	return path.read_text(encoding="utf-8", errors="replace").removesuffix("\n").split("\n")


# ---- arrows ----

def read_arrows(root):
	"""The lines `    ROOM -> ROOM...` behind `    arrows:` in ARCHITECTURE.md: {room: [rooms]}."""
	arrows, inside = {}, False
	for line in lines_of(root / "ARCHITECTURE.md"):
		m = ARROW.match(line)
		if line == "    arrows:":
			inside = True
		elif inside and m:
			arrows[m[1]] = m[2].split()
		elif inside:
			break
	return arrows


def find_circle(arrows):
	"""Rooms that lead from one back to it, or None."""
	done = set()

	def walk(room, path):
		if room in path:
			return path[path.index(room):] + [room]
		if room in done:
			return None
		for to in arrows.get(room, []):
			circle = walk(to, path + [room])
			if circle:
				return circle
		done.add(room)
		return None

	for room in arrows:
		circle = walk(room, [])
		if circle:
			return circle
	return None


def room_of(src, path):
	"""The folder of src/ that a file is in, and the file's own name without its ending if in none."""
	parts = path.relative_to(src).parts
	return parts[0] if len(parts) > 1 else path.stem


def includes_of(path):
	for number, line in enumerate(lines_of(path), 1):
		m = INCLUDE.match(line)
		if m:
			yield number, m[1], m[2]


def check_include(root, room, bracket, name, arrows):
	"""What is wrong with a file of @room including @name, or None; and the room it leads to, or None."""
	src = root / "src"
	to, slash, _ = name.partition("/")
	if name.startswith("."):
		return "an include begins with its room, not with a dot", None
	if not slash or not (src / to).is_dir():
		if bracket == "<" or not (src / room / name).is_file():
			return None, None	# the system's, of include/, or generated
		return f'"{name}" is to be included as "{room}/{name}"', None
	if to == room:
		return None, None
	if re.search(r"(^|[/_])internal\.h$", name):
		return f"{name} is for {to}/ only", to
	if to == "base" or to in arrows.get(room, []):
		return None, to
	return f"{name}: there is no arrow {room} -> {to}", to


def check_arrows(root):
	src = root / "src"
	arrows = read_arrows(root)
	if not arrows:
		yield "ARCHITECTURE.md: there is no list of arrows"
		return
	rooms = {room_of(src, f) for f in sources(root, "src")}
	for room in sorted(rooms - set(arrows)):
		yield f"ARCHITECTURE.md: {room} is in src/ and not in the list of arrows"
	for room in sorted(({to for tos in arrows.values() for to in tos} | set(arrows)) - rooms):
		yield f"ARCHITECTURE.md: {room} is in the list of arrows and not in src/"
	circle = find_circle(arrows)
	if circle:
		yield "ARCHITECTURE.md: a circle: " + " -> ".join(circle)

	for path in sources(root, "include"):
		for number, _, name in includes_of(path):
			if (src / name).is_file():
				yield f"{path.relative_to(root)}:{number}: {name}: include/ may not lead into src/"
	used = set()
	for path in sources(root, "src"):
		room = room_of(src, path)
		for number, bracket, name in includes_of(path):
			wrong, to = check_include(root, room, bracket, name, arrows)
			used.add((room, to))
			if wrong:
				yield f"{path.relative_to(root)}:{number}: {wrong}"
	for room, tos in arrows.items():
		for to in tos:
			if (room, to) not in used:
				yield f"ARCHITECTURE.md: nobody uses the arrow {room} -> {to}"


# ---- length and columns ----

def check_length(root):
	long = {str(f.relative_to(root)): len(lines_of(f)) for f in sources(root, "src")}
	long = {name: n for name, n in long.items() if n > LINES_MAX}
	for name, n in long.items():
		if name not in LONG:
			yield f"{name}: {n} lines, more than {LINES_MAX}, and no reason in {Path(__file__).name}"
	for name in LONG:
		if name not in long:
			yield f"{name}: needs no reason in {Path(__file__).name}, it is not longer than {LINES_MAX} lines"


def page_sources(root):
	"""What the page is made of and tested by; not what npm brings."""
	return sorted(f for d in ("src", "test", "dev") for end in ("ts", "tsx", "mjs", "css")
		for f in (root / "web" / d).rglob(f"*.{end}"))


def check_columns(root):
	for path in sources(root, "src", "include", "tests") + page_sources(root):
		wide = [n for n, line in enumerate(lines_of(path), 1) if len(line.expandtabs(8)) > COLUMNS_MAX]
		if wide:
			yield f"{path.relative_to(root)}:{wide[0]}: {len(wide)} lines of more than {COLUMNS_MAX} columns"


# ---- calls ----

def check_calls(root):
	called = re.compile(rf"\b({'|'.join(CALLS)})\s*\(")
	for path in sources(root, "src"):
		for number, line in enumerate(lines_of(path), 1):
			m = called.search(line)
			if m and not line.lstrip().startswith(("* ", "/*")):
				yield f"{path.relative_to(root)}:{number}: {m[1]}(): {CALLS[m[1]]}"


# ---- names of unit tests ----

def check_units(root):
	rooms = {f.name for f in (root / "src").iterdir() if f.is_dir()}
	for path in sorted((root / "tests" / "unit").glob("*.c")):
		if not re.match(f"test_({'|'.join(sorted(rooms))})_", path.name):
			yield f"{path.relative_to(root)}: is to be named test_ROOM_FILE.c, after a room in src/"


RULES = {"arrows": check_arrows, "length": check_length, "units": check_units, "columns": check_columns,
	"calls": check_calls}


def main():
	parser = argparse.ArgumentParser(usage=__doc__)
	parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
	parser.add_argument("rules", nargs="*")
	args = parser.parse_args()
	unknown = set(args.rules) - set(RULES)
	if unknown:
		parser.error("no such rule: " + " ".join(sorted(unknown)))
	if not sources(args.root, "src"):
		sys.exit(f"{args.root}: no sources")
	breaches = [sentence for rule in args.rules or RULES for sentence in RULES[rule](args.root)]
	for sentence in breaches:
		print(sentence)
	sys.exit(1 if breaches else 0)


main()
