#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""same-lines.py DATA MODULE FILE: compares names and lines of all frames of a module in a profile with those that
eu-addr2line(1) finds in FILE. Prints each difference, and fails if there is one, or nothing to compare.

For split DWARF and link-time optimized programs, eu-addr2line 0.188 finds no inlined functions; then
its only line must be that of mprof's innermost function. It needs .debug_aranges."""
import os
import sqlite3
import subprocess
import sys

data, module, path = sys.argv[1:]
db = sqlite3.connect("file:%s?mode=ro" % data, uri=True)
sites = {s[0]: s[1:] for s in db.execute(
    "select s.id, s.address, coalesce(f.linkage, f.name), s.file, s.line, s.inlined, s.exact, f.name"
    " from sites s join functions f on f.id = s.function join modules m on m.id = f.module"
    " where m.path = ? or m.path like ?", (module, "%/" + module))}
nodes = dict((n[0], n[1:]) for n in db.execute("select id, parent, site from nodes where site is not null"))

# A run of sites is a physical function and what is inlined into it: it ends where the next one begins.
runs = {}
inner = {nodes[n][0] for n in nodes if nodes[n][0] in nodes and nodes[n][1] in sites and sites[nodes[n][1]][4]}
for n in nodes:
    run, at = [], n
    if n in inner or nodes[n][1] not in sites:
        continue
    while True:
        site = sites[nodes[at][1]]
        run.append(site)
        if not site[4]:
            break
        at = nodes[at][0]
    runs[site[0] - (not site[5])] = run


def addr2line(addresses):
    text = "".join("%#x\n" % a for a in addresses)
    out = subprocess.run(["eu-addr2line", "-a", "-f", "-i", "-A", "-e", path], input=text, text=True,
                         stdout=subprocess.PIPE, check=False).stdout.splitlines()
    found, lines = {}, iter(out)
    for line in lines:
        if line.startswith("0x"):
            found[int(line, 16)] = frames = []
        else:
            # "function" or "function inlined at file:line in caller", then "file:line[:column]"
            frames.append((line.split(" inlined at ")[0].split(" (discr")[0], next(lines).split(" (discr")[0]))
    return found


def same_place(got, want):
    # The folder of a unit may be relative, and DWARF 5 has it in the line table, too: eu-addr2line
    # says it twice.
    if got == want:
        return True
    prefix = want[:-len(got)].rstrip("/")
    return want.endswith("/" + got) and got.startswith(prefix + "/")


def same_name(got, linkage, want):
    # Without a linkage name in the DWARF one may have it from the symbol table, the other not.
    if want == "??":
        return got.startswith(os.path.basename(path) + "+0x")
    return stem(got) == stem(want) or want.split("<")[0] in linkage


def stem(name):
    return name.split(".")[0].split("@")[0]


bad = inlines = 0
expected = addr2line(sorted(runs))
for address, run in sorted(runs.items()):
    want = expected[address]
    got = [(name, "%s:%d" % (os.path.normpath(file) if file else "??", line))
           for _, name, file, line, _, _, _ in run]
    want = [(name, ":".join([os.path.normpath(where.rsplit(":", 2)[0])] + where.rsplit(":", 2)[1:2])
             if where.count(":") > 1 else where) for name, where in want]
    same = len(want) == len(got)
    inlines += len(want) > 1
    for (g, gl), (w, wl), site in zip(got, want, run):
        same = same and same_place(gl, wl) and same_name(g, site[6], w)
    if len(want) == 1:
        w, wl = want[0]
        same = same_place(got[0][1], wl) and same_name(got[-1][0], run[-1][6], w)
    if not same:
        bad += 1
        print("%#x: mprof %s\n%s eu-addr2line %s" % (address, got, " " * len("%#x" % address), want))
print("%d addresses compared, %d of them with inlined functions, %d different" % (len(runs), inlines, bad))
sys.exit(bad > 0 or not runs)
