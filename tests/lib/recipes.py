#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the commands of a manual page and compares their output with what the page shows.

recipes.py PAGE: lines ".Dl $ COMMAND", optionally a comment 'status N', optionally a block ".Bd -literal" of lines: the
output must have these in this order, one after the other. Numbers, blanks and the directories of files are not
compared, and "..." stands for any lines. A line of the page may end earlier than the output's.
"""
import re
import subprocess
import sys


def plain(line):
    line = re.sub(r"/\S*/", "", line)
    line = re.sub(r"[<>]?\d+(\.\d+)?(us|ms|s)?\b", "#", line)
    line = re.sub(r"\(\*\*\)|\(#\)|\(\.\)", "(#)", line)
    line = re.sub(r"\b(bytes|blocks|pages|objects|lines)\b", lambda m: m.group()[:-1], line)
    line = re.sub(r"# [kMG]?B/h", "# B/h", line)
    return re.sub(r"\s+", " ", line).strip()


def recipes(page):
    command, status, block = None, 0, None
    for line in open(page):
        line = line.rstrip("\n")
        if block is not None and line != ".Ed":
            block.append(line.replace("\\&", ""))
        elif line.startswith(".Dl $ "):
            if command:
                yield command, status, block or []
            command, status, block = line[len(".Dl $ "):], 0, None
        elif line.startswith('.\\" status ') and command:
            status = int(line.split()[-1])
        elif line == ".Bd -literal":
            block = []
        elif line == ".Ed":
            yield command, status, block
            command, status, block = None, 0, None
    if command:
        yield command, status, block or []


def missing(want, printed):
    """The first line of the page that is not where it should be; None: all are."""
    at, anywhere = 0, False
    for line in filter(None, want):
        if line == "...":
            anywhere = True
            continue
        places = range(at, len(printed)) if anywhere else range(at, min(at + 1, len(printed)))
        found = next((i for i in places if printed[i].startswith(line)), None)
        if found is None:
            return line
        at, anywhere = found + 1, False
    return None if anywhere or at == len(printed) or not want else "the end, but it goes on: " + printed[at]


def main():
    wrong = 0
    for command, status, block in recipes(sys.argv[1]):
        done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=150)
        printed = [plain(line) for line in done.stdout.decode(errors="replace").split("\n")]
        absent = missing([plain(line) if line != "..." else line for line in block],
                         [line for line in printed if line])
        if done.returncode == status and absent is None:
            continue
        wrong += 1
        print(f"{command}\n  ended with {done.returncode}; not there: {absent}; it printed:")
        print(done.stdout.decode(errors="replace")[:3000])
    return 1 if wrong else 0


sys.exit(main())
