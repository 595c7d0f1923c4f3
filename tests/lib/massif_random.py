# SPDX-License-Identifier: BSD-2-Clause
"""massif_random.py FIRST LAST: writes FIRST.out to LAST.out, valid but odd massif files, random by their
numbers; their first lines are comments with options for printing them."""
import random
import sys

r = random.Random()


def number(most):
    kind = r.randrange(8)
    if kind == 0:
        return 0
    if kind == 1:
        return most
    if kind == 2:
        return min(most, r.choice([1, 9, 999, 1000, 1023, 1024, 10239, 10240, 102399, 1023999, 1 << 20, 10**9]))
    return r.randrange(min(most, 1 << r.randrange(1, 64)) + 1)


def text():
    return r.choice(["0x4005A1: main (a.c:%d)" % r.randrange(999), "(heap allocation functions) malloc/new/new[]",
                     "in 3 places, all below massif's threshold (1.00%)", "0x0: ???", "100% %s %d $x @y \\n",
                     "0x1: operator new(unsigned long) (in /lib/x y.so)", "0x2: f<int> # a comment", "", "9"])


def put_tree(lines, depth, most, left):
    children = r.choice([0, 0, 1, 2, 5]) if depth < 12 and left[0] > 0 else 0
    left[0] -= children
    size = number(most)
    lines.append("%sn%d:%s%d %s" % (" " * depth, children, r.choice([" ", "", "  "]), size, text()))
    for _ in range(children):
        put_tree(lines, depth + 1, size if r.randrange(9) else most, left)


def write(out):
    most = 1 << r.choice([0, 5, 12, 20, 33, 52, 55, 61])
    lines = ["desc: " + r.choice(["(none)", "--depth=3", "a # b"])] * r.randrange(3)
    lines += ["cmd:" + r.choice([" ./a b", "./a", "", " 50%  x # y"]), "time_unit: " + r.choice(["i", "ms", "B"])]
    n = r.choice([1, 1, 2, 3, 10, 60, 100])
    times = sorted(number(r.choice([100, 5000, 3600000, 1 << 40, 1 << 60])) for _ in range(n))
    for i in range(n):
        heap, extra, stacks = (number(most) for _ in range(3))
        kind = r.choice(["empty", "empty", "detailed", "peak"])
        lines += ["#-----------", "snapshot=%d" % i, "#-----------", "", "time=%d" % times[i],
                  "mem_heap_B=%d" % heap, "mem_heap_extra_B=%d" % extra, "mem_stacks_B=%d" % stacks,
                  "heap_tree=" + kind]
        if kind != "empty":
            put_tree(lines, 0, heap + extra + stacks, [r.choice([0, 5, 60])])
    options = []
    if r.randrange(2):
        options.append("--x=%d" % r.choice([4, 5, 6, 72, 1000, r.randrange(4, 200)]))
    if r.randrange(2):
        options.append("--y=%d" % r.choice([4, 5, 20, 1000, r.randrange(4, 100)]))
    if r.randrange(2):
        options.append("--threshold=" + r.choice(["0", "0.0", "100", "1%", "0.5", "33.333", "99.995", "0.001"]))
    print("#" + " ".join(options), file=out)
    print("\n".join(lines), file=out)


def main():
    for i in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
        r.seed(i)
        with open("%d.out" % i, "w") as out:
            write(out)


main()
