// SPDX-License-Identifier: BSD-2-Clause
// Who calls a function and whom it calls, as far as memory was requested on the way.

import { type Tree, sums_of } from "./tree";

export interface Relative {
	fn: number; // index into the tree's functions
	bytes: number;
	calls: number;
}

const fn_of = (t: Tree, node: number): number =>
	node >= 0 && t.site[node] >= 0 ? t.site_fn[t.site[node]] : -1;

class Sums {
	private of = new Map<number, Relative>();

	add(fn: number, bytes: number, calls: number): void {
		let r = this.of.get(fn);

		if (!r) this.of.set(fn, (r = { fn, bytes: 0, calls: 0 }));
		r.bytes += bytes;
		r.calls += calls;
	}

	list(): Relative[] {
		return [...this.of.values()].sort((a, b) => b.bytes - a.bytes);
	}
}

/** Of each arc the requests whose chains go over it; inside a cycle one may count several times. */
export function relatives(t: Tree, fn: number): { callers: Relative[]; callees: Relative[] } {
	const callers = new Sums();
	const callees = new Sums();
	const bytes = sums_of(t, "bytes");
	const calls = sums_of(t, "allocs");

	for (let i = 0; i < t.n; i++) {
		const to = fn_of(t, i);
		const from = fn_of(t, t.parent[i]);

		if (from === to || from < 0 || to < 0) continue;
		if (to === fn) callers.add(from, bytes[i], calls[i]);
		else if (from === fn) callees.add(to, bytes[i], calls[i]);
	}
	return { callers: callers.list(), callees: callees.list() };
}
