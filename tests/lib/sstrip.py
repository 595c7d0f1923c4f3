#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sstrip.py FROM TO: makes a copy of an ELF program without section headers, and without what only these refer to."""
import os
import struct
import sys

source, target = sys.argv[1:]
data = bytearray(open(source, "rb").read())
phoff, = struct.unpack_from("<Q", data, 32)
phentsize, phnum = struct.unpack_from("<HH", data, 54)
segments = [struct.unpack_from("<IIQQQQQQ", data, phoff + i * phentsize) for i in range(phnum)]
struct.pack_into("<Q", data, 40, 0)  # e_shoff
struct.pack_into("<HHH", data, 58, 0, 0, 0)  # e_shentsize, e_shnum, e_shstrndx
open(target, "wb").write(data[:max(offset + size for _, _, offset, _, _, size, _, _ in segments)])
os.chmod(target, 0o755)
