#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the fast engine has mapped into a process.

fastmemory.py full PID: succeeds if the ring that it shares with a live tracer is full, so that threads that
	allocate wait. See src/agent/layout.h.
fastmemory.py kept PID: prints how many KiB of code are mapped from no file, including a page for a flag, and
	how many KiB of addresses are shared memory.
"""
import struct
import sys

HEAD, TAIL, OWNER, ROOM = 0, 64, 192, 65536 // 4 * 3
TID, DIED = 0x3fffffff, 0x40000000  # of the owner, as in a robust futex


def size(m):
    lo, hi = (int(x, 16) for x in m[0].split("-"))
    return hi - lo


def is_shared(m):
    return m[5:] == ["/memfd:mprof", "(deleted)"]


def is_full(text):
    head, tail = struct.unpack_from("<q", text, HEAD)[0], struct.unpack_from("<q", text, TAIL)[0]
    owner = struct.unpack_from("<I", text, OWNER)[0]
    return owner & TID and not owner & DIED and head - tail > ROOM


def full(pid, maps):
    with open("/proc/%s/mem" % pid, "rb", buffering=0) as mem:
        for m in maps:
            if is_shared(m) and m[1] == "rw-s":
                mem.seek(int(m[0].split("-")[0], 16))
                if is_full(mem.read(256)):
                    return True
    return False


def kept(maps):
    code = sum(size(m) for m in maps if m[1] == "r-xp" and len(m) == 5)
    return (code + 4096 if code else 0) // 1024, sum(size(m) for m in maps if is_shared(m)) // 1024


what, pid = sys.argv[1:]
with open("/proc/%s/maps" % pid) as f:
    maps = [line.split() for line in f]
if what == "kept":
    print(*kept(maps))
else:
    sys.exit(0 if full(pid, maps) else 1)
