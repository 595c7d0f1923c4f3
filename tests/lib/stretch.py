#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""stretch.py FROM TO SECTION BYTES: makes a copy of an ELF file in which SECTION is a hole of BYTES bytes."""
import os
import struct
import sys

HOLE = 1 << 28
source, to, wanted, size = sys.argv[1], sys.argv[2], sys.argv[3].encode(), int(sys.argv[4])
elf = bytearray(open(source, "rb").read())
(headers,) = struct.unpack_from("<Q", elf, 40)
number, names = struct.unpack_from("<HH", elf, 60)
(strings,) = struct.unpack_from("<Q", elf, headers + 64 * names + 24)
for at in range(headers, headers + 64 * number, 64):
    (name,) = struct.unpack_from("<I", elf, at)
    if elf[strings + name : elf.index(0, strings + name)] == wanted:
        struct.pack_into("<QQ", elf, at + 24, HOLE, size)
        break
else:
    sys.exit(f"{source} has no section {wanted}")
with open(to, "wb") as f:
    f.write(elf)
os.truncate(to, HOLE + size)
