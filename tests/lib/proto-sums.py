#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An independent reader of pprof's profile.proto, made from the description of its fields alone.

proto-sums.py FILE: prints its contents as JSON, after checking that all references are right.
It decodes the wire format itself, so that it shares no code with the writer of the file.
"""
import gzip
import json
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of a message; only varints and length-delimited fields may occur."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        assert kind in (0, 2), "wire type %d" % kind
        value, at = varint(data, at)
        if kind == 2:
            assert at + value <= len(data), "a field that is too long"
            value, at = data[at : at + value], at + value
        yield key >> 3, value


def signed(n):
    return n - (1 << 64) if n >= 1 << 63 else n


def message(data, repeated=()):
    out = {n: [] for n in repeated}
    for number, value in fields(data):
        if number in out and number in repeated:
            out[number].append(value)
        else:
            out[number] = value
    return out


def packed(values):
    out = []
    for v in values:
        if isinstance(v, int):
            out.append(v)
            continue
        at = 0
        while at < len(v):
            n, at = varint(v, at)
            out.append(n)
    return out


def main():
    raw = open(sys.argv[1], "rb").read()
    assert raw[:2] == b"\x1f\x8b", "not compressed with gzip"
    p = message(gzip.decompress(raw), repeated=(1, 2, 3, 4, 5, 6, 13))
    # A string of proto3 is UTF-8; readers refuse the whole file if one is not.
    strings = [s.decode("utf-8") for s in p[6]]
    assert strings[0] == "", "the first string is not empty"
    assert len(set(strings)) == len(strings), "a string is there twice"

    def name(m, field):
        return strings[m.get(field, 0)]

    types = [message(t) for t in p[1]]
    mappings = [message(m) for m in p[3]]
    functions = [message(f) for f in p[5]]
    locations = [message(l, repeated=(4,)) for l in p[4]]
    ids = {}
    for what, table in (("mapping", mappings), ("function", functions), ("location", locations)):
        ids[what] = {m[1]: m for m in table}
        assert len(ids[what]) == len(table) and 0 not in ids[what], "ids of " + what
    sums = [0] * len(types)
    stacks = []
    for sample in p[2]:
        s = message(sample, repeated=(1, 2))
        values = [signed(v) for v in packed(s[2])]
        assert len(values) == len(types)
        sums = [a + b for a, b in zip(sums, values)]
        frames = []
        for i in packed(s[1]):
            location = ids["location"][i]
            m = ids["mapping"][location[2]] if location.get(2) else None
            assert m is None or m[2] <= location[3] < m[3], "an address outside of its mapping"
            for l in location[4]:
                line = message(l)
                f = ids["function"][line[1]]
                frames.append([name(f, 2), name(f, 4), line.get(2, 0)])
        stacks.append({"frames": frames, "values": values})
    period = message(p[11])
    json.dump(
        {
            "types": [[name(t, 1), name(t, 2)] for t in types],
            "sums": sums,
            "stacks": stacks,
            "mappings": [[name(m, 5), name(m, 6), m.get(7, 0)] for m in mappings],
            "period": [name(period, 1), name(period, 2), p.get(12, 0)],
            "comments": [strings[c] for c in packed(p[13])],
        },
        sys.stdout,
        indent=1,
    )


main()
