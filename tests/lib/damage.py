#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""damage.py FROM TO SEEDS PART...: makes SEEDS copies of an ELF file, TO.0, TO.1, ..., each with a few bytes of one of
its parts changed, the same ones for the same seed. A part is a section's name, or "header", "segments" or "sections"
(the tables of these)."""
import random
import struct
import sys

source, target, seeds, *parts = sys.argv[1:]
data = open(source, "rb").read()
phoff, shoff = struct.unpack_from("<QQ", data, 32)
phentsize, phnum, shentsize, shnum, shstrndx = struct.unpack_from("<HHHHH", data, 54)
headers = [struct.unpack_from("<IIQQQQ", data, shoff + i * shentsize) for i in range(shnum)]
where = {"header": (0, 64), "segments": (phoff, phentsize * phnum), "sections": (shoff, shentsize * shnum)}
for name, kind, _, _, offset, size in headers:
    at = headers[shstrndx][4] + name
    if kind != 8:  # SHT_NOBITS has no bytes
        where[data[at:data.index(0, at)].decode()] = (offset, size)

for seed in range(int(seeds)):
    damaged = bytearray(data)
    rnd = random.Random(seed)
    part = rnd.choice([p for p in parts if where.get(p, (0, 0))[1]])
    offset, size = where[part]
    if rnd.random() < 0.25:  # lengths and versions stand at the beginning
        size = min(size, 32)
    for _ in range(rnd.randint(1, 4)):
        at = offset + rnd.randrange(size)
        damaged[at] = rnd.choice([rnd.randrange(256), damaged[at] ^ 1 << rnd.randrange(8), 0, 0x7f, 0x80, 0xff,
                                  (damaged[at] + 1) % 256])
    open(f"{target}.{seed}", "wb").write(damaged)
