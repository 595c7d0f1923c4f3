# SPDX-License-Identifier: BSD-2-Clause
"""The snapshots that Massif's rules give for a log of tests/targets/mixture.c, by an independent implementation.

massif_model.py usable|rounded LOG MAX_SNAPSHOTS DETAILED_FREQ INACCURACY ADMIN
massif_model.py points LOG MAX_SNAPSHOTS: the timeline of a data file, lines TIME|USEFUL|EXTRA|PEAK

A block is charged the usable size that malloc_usable_size() returned (usable: Massif's way), or its size rounded
up to a multiple of 16 (rounded: mprof's). Prints TIME USEFUL EXTRA KIND for each snapshot.
"""
import sys


class Table:
    def __init__(self, most, freq, inaccuracy):
        self.most, self.freq, self.inaccuracy = most, freq, inaccuracy
        self.rows, self.plain, self.peak, self.interval, self.next = [], 0, 0, 0, 0

    def take(self, time, useful, extra, kind):
        if kind == "peak":
            for row in self.rows:
                row[3] = row[3].replace("peak", "detailed")
            self.peak = useful + extra
        self.plain = self.plain + 1 if kind == "empty" else 0
        self.rows.append([time, useful, extra, kind])
        if len(self.rows) == self.most:
            self.halve()
        self.next = time + self.interval

    def fixed(self, i):
        return i in (0, len(self.rows) - 1) or self.rows[i][3] == "peak"

    def halve(self):
        for _ in range(self.most // 2):
            spans = [(self.rows[i + 1][0] - self.rows[i - 1][0], i)
                     for i in range(1, len(self.rows) - 1) if not self.fixed(i)]
            del self.rows[min(spans)[1]]
        self.interval = min(self.rows[i][0] - self.rows[i - 1][0] for i in range(1, len(self.rows))
                            if not (self.fixed(i) and self.fixed(i - 1)))

    def ordinary(self, time, useful, extra):
        if time >= self.next:
            self.take(time, useful, extra, "detailed" if self.plain + 1 == self.freq else "empty")

    def before_release(self, time, useful, extra):
        if useful + extra > self.peak + int(self.peak * self.inaccuracy / 100):
            self.take(time, useful, extra, "peak")


class Maxima(Table):
    """Of a timeline: what is above both its neighbours stays, and what is highest between two is taken."""

    def __init__(self, most):
        super().__init__(most, 0, 0)
        self.seen = []  # since the last one that was taken, and it

    def fixed(self, i):
        return super().fixed(i) or self.rows[i][1] > max(self.rows[i - 1][1], self.rows[i + 1][1])

    def halve(self):
        super_fixed = super().fixed
        for _ in range(self.most // 2):
            spans = [(self.rows[i + 1][0] - self.rows[i - 1][0], i)
                     for i in range(1, len(self.rows) - 1) if not self.fixed(i)]
            if not spans:
                break
            del self.rows[min(spans)[1]]
        ends = (0, len(self.rows) - 1)
        calm = [i in ends or not self.fixed(i) and not super_fixed(i) for i in range(len(self.rows))]
        gaps = [self.rows[i][0] - self.rows[i - 1][0] for i in range(1, len(self.rows)) if calm[i] and calm[i - 1]]
        self.interval = min(gaps, default=(self.rows[-1][0] - self.rows[0][0]) // len(self.rows))

    def take(self, time, useful, extra, kind):
        super().take(time, useful, extra, kind)
        self.seen = [(time, useful, extra)]

    def highest(self):
        best = max(useful for _, useful, _ in self.seen)
        return next(s for s in self.seen if s[1] == best)

    def ordinary(self, time, useful, extra):
        self.seen.append((time, useful, extra))
        last, high = self.rows[-1] if self.rows else None, self.highest()
        if last and time == last[0]:
            if len(self.rows) > 1 and last[3] != "peak":
                last[:3] = high
        elif time >= self.next:
            missed = last and high[1] > max(last[1], useful)
            self.take(*(high if missed else (time, useful, extra)), "empty")
            self.seen = [(time, useful, extra)]


def of_points(log, most):
    table = Maxima(int(most))
    for line in open(log):
        time, useful, extra, peak = map(int, line.split("|"))
        if peak:
            table.take(time, useful, extra, "peak")
        else:
            table.ordinary(time, useful, extra)
    if table.highest()[1] > table.rows[-1][1]:
        table.take(*table.highest(), "empty")
    return table


def of_events(way, log, most, freq, inaccuracy, admin):
    admin = int(admin)
    table = Table(int(most), int(freq), float(inaccuracy))

    def extra_of(size, usable):
        if size < 0:
            return 0
        return admin + (usable if way == "usable" else (size + 15) // 16 * 16) - size

    time = useful = extra = 0
    table.ordinary(time, useful, extra)
    for line in open(log):
        old, old_usable, new, new_usable = map(int, line.split())
        if new < old:
            table.before_release(time, useful, extra)
        more = max(new, 0) - max(old, 0)
        more_extra = extra_of(new, new_usable) - extra_of(old, old_usable)
        useful, extra, time = useful + more, extra + more_extra, time + abs(more + more_extra)
        table.ordinary(time, useful, extra)
    return table


def main():
    table = of_points(*sys.argv[2:]) if sys.argv[1] == "points" else of_events(*sys.argv[1:])
    for row in table.rows:
        print(*row)


main()
