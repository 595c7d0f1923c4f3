#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the manual pages and prints a line for each mistake: options that a command's page lacks, or for which it
refers to a page that does not describe them; references to sections and pages that do not exist.

usage: manual.py MAN-FOLDER <COMPLETION   (what `mprof completion bash` prints)"""
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
pages = {f.name: f.read_text().split("\n") for f in sorted(folder.glob("mprof*.[157]"))}


def flags(line):
    """The options that a line of mdoc names, with their dashes."""
    line = re.sub(r" Ns Op = Ns Ar \S+| Ns = Ns (?:(?!, Fl).)*", "", line)
    return {"-" + w for w in re.findall(r"(?:Fl |, (?!Fl))(-?[A-Za-z_][\w-]*)", line)}


def described(page):
    return {o for line in pages[page] if line.startswith(".It Fl") for o in flags(line)}


def elsewhere(page):
    """What its list of such options says: [page, options]."""
    lines = pages[page]
    for i, line in enumerate(lines):
        m = re.fullmatch(r"\.It Xr (mprof\S*) 1", line)
        if m and lines[i + 1].startswith(".Fl "):
            yield m.group(1) + ".1", flags(lines[i + 1])


def commands():
    for name, words in re.findall(r"^\t(\w+)\) printf '%s\\n' (.*);;", sys.stdin.read(), re.M):
        yield name, {w.split("=")[0] for w in words.split()} - {"--output", "--offset"}


def check_options():
    for command, options in commands():
        page = f"mprof-{command}.1"
        if page not in pages:
            print(f"{command} has no page")
            continue
        if not any(line.startswith(f".It Xr mprof-{command} 1") for line in pages["mprof.1"]):
            print(f"mprof.1 does not lead to {page}")
        told = described(page)
        for other, named in elsewhere(page):
            # pprof's graph is told of in a sentence.
            lacking = named - described(other) - {"-x", "-y"}
            if lacking:
                print(f"{page}: {other} does not describe", *sorted(lacking))
            told |= named
        if options - told:
            print(f"{page} does not have", *sorted(options - told))
        # What is told twice is told differently some day.
        for other, named in elsewhere(page):
            if named & described(page):
                print(f"{page} describes what it says {other} does:", *sorted(named & described(page)))


def check_references():
    for page, lines in pages.items():
        sections = {line[4:] for line in lines if re.match(r"\.S[hs] ", line)}
        for line in lines:
            m = re.match(r"\.(?:.* )?Sx (.*)", line)
            if m and not any(m.group(1) == s or m.group(1).startswith(s + " ") for s in sections):
                print(f"{page} has no section {m.group(1)}")
            for name, section in re.findall(r"Xr (mprof\S*) (\d)", line if line.startswith(".") else ""):
                if f"{name}.{section}" not in pages:
                    print(f"{page}: there is no {name}({section})")


check_options()
check_references()
