#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes outputs of mprof without what depends on when and where the program ran, so that two runs can be
compared: timeless.py DIRECTORY... The result for DIRECTORY/FILE is DIRECTORY.timeless/FILE; a file's kind is its
name up to the first dot: report, json, data, massif, log, stats or heap. Others are skipped."""

import json
import os
import re
import sqlite3
import sys


def report(path):
    # The first line tells when and how long.
    yield from open(path).read().splitlines()[1:]


def json_report(path):
    doc = json.load(open(path))
    del doc["pid"], doc["duration_ns"], doc["engines"]
    doc.get("peak", {}).pop("time_ns", None)
    for leaf in doc["lifetimes"]:
        del leaf["ns"]
    # At which events there is a point hangs on the time; only what was live at the end does not.
    timeline = doc["timeline"]
    doc["timeline"] = timeline and {key: timeline[key][-1] for key in ("live_bytes", "live_blocks", "allocs")}
    yield from json.dumps(doc, indent=1, sort_keys=True).splitlines()


# What of the data file's meta data is a time, or a sum of all else; which engine it was; and how large mprof's own
# tables have been.
OF_THE_RUN = re.compile(r"pid|engines|windows_over|checksum|.*_ns|load_total.*|memory_.*")

# Places, nodes and leaves are numbered as they came.
WHOLE_LEAVES = """
    WITH RECURSIVE up(leaf, node, path) AS (
        SELECT rowid, node, '' FROM leaves
        UNION ALL
        SELECT leaf, parent, path || ' < ' || f.name || '+' || s.offset || ' ' || coalesce(s.file, '') || s.line ||
            s.inlined || s.exact || s.guessed
        FROM up JOIN nodes n ON n.id = node JOIN sites s ON s.id = site JOIN functions f ON f.id = function)
    SELECT size, l.node < 2, up.node, path, sum(l.allocs), sum(l.frees), sum(p.blocks), min(label)
    FROM up JOIN leaves l ON l.rowid = leaf LEFT JOIN peak p USING (leaf) LEFT JOIN labels USING (leaf)
    WHERE up.node < 2 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""
ARCS = """
    SELECT c.name, d.name, calls, bytes_s, bytes_m, bytes_l, bytes_x
    FROM arcs JOIN functions c ON c.id = caller JOIN functions d ON d.id = callee ORDER BY 1, 2, 3"""


def data(path):
    db = sqlite3.connect(path)
    for key, value in db.execute("SELECT key, value FROM meta ORDER BY key"):
        if not OF_THE_RUN.fullmatch(key):
            yield f"meta {key} {value}"
    for name, sql in (
        ("leaf", WHOLE_LEAVES),
        ("arc", ARCS),
        ("bin", "SELECT * FROM bins ORDER BY 1"),
        (
            "leak",
            """SELECT kept_bytes, allocs, bytes, frees, freed_bytes, truncated, path FROM leaks
               ORDER BY path, 1""",
        ),
        ("module", "SELECT path, build_id, names FROM modules ORDER BY 1"),
        ("type", "SELECT * FROM types ORDER BY 1, 2"),
        ("recorded", "SELECT * FROM recorded"),
    ):
        for row in db.execute(sql):
            yield f"{name} {row}"


def massif(path):
    yield from open(path).read().splitlines()


class Numbers:
    """Names things by the order in which they have come to light."""

    def __init__(self):
        self.known = {}

    def __call__(self, match):
        return match[1] + str(self.known.setdefault(match[2], len(self.known)))


def log(path):
    blocks, tasks = Numbers(), Numbers()
    for line in open(path):
        line = re.sub(r"^secs=\d+ nsecs=\d+ ", "", line.rstrip("\n"))
        line = re.sub(r"(tid=)(\d+)", tasks, line)
        yield re.sub(r"(\w+=)(0x[0-9a-f]{5,})", blocks, line)


def stats(path):
    for line in open(path):
        if not re.match(r"duration|load_total|load_avg", line):
            yield line.rstrip("\n")


def heap(path):
    text = open(path).read()
    maps = []
    for m in re.finditer(r"^([0-9a-f]+)-([0-9a-f]+) (\S+) (\S+) \S+ \S+ +(/.*)$", text, re.M):
        maps.append((int(m[1], 16), int(m[2], 16), int(m[4], 16), m[5]))

    def place(match):
        pc = int(match[0], 16)
        for lo, hi, offset, name in maps:
            if lo <= pc < hi:
                return f"{name}+{pc - lo + offset:#x}"
        return match[0]

    lines = text.split("MAPPED_LIBRARIES:")[0].splitlines()
    yield lines[0]
    yield from sorted(re.sub(r"0x[0-9a-f]+", place, line) for line in lines[1:])


KINDS = {"report": report, "json": json_report, "data": data, "massif": massif, "log": log, "stats": stats, "heap": heap}

if __name__ == "__main__":
    for folder in sys.argv[1:]:
        os.makedirs(folder + ".timeless")
        for name in os.listdir(folder):
            kind = KINDS.get(name.split(".")[0])
            if kind:
                with open(f"{folder}.timeless/{name}", "w") as out:
                    out.writelines(line + "\n" for line in kind(f"{folder}/{name}"))
