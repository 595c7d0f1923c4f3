// SPDX-License-Identifier: BSD-2-Clause
// Frames as they are made: a child of a frame is found by the function it stands for.

/** Frames in arrays that grow as needed; frame 0 is there from the beginning. */
export class FrameList {
	n = 1;
	parent: Int32Array;
	key: Int32Array;
	node: Int32Array; // a node of the tree that the frame stands for, the first that was seen

	constructor(room = 1024) {
		this.parent = new Int32Array(room).fill(-1);
		this.key = new Int32Array(room).fill(-1);
		this.node = new Int32Array(room).fill(-1);
	}

	add(parent: number, key: number, node: number): number {
		if (this.n === this.parent.length) this.grow();
		const f = this.n++;

		this.parent[f] = parent;
		this.key[f] = key;
		this.node[f] = node;
		return f;
	}

	protected grow(): void {
		const wider = (a: Int32Array): Int32Array => {
			const b = new Int32Array(2 * a.length);

			b.set(a);
			return b;
		};

		this.parent = wider(this.parent);
		this.key = wider(this.key);
		this.node = wider(this.node);
	}
}

/** The same as a table of (parent, key) -> frame. */
export class FrameTable extends FrameList {
	private slots: Int32Array;

	constructor(room = 1024) {
		super(room);
		this.slots = new Int32Array(2 * room);
	}

	/** The child of @parent for @key, or -1. */
	find(parent: number, key: number): number {
		const mask = this.slots.length - 1;
		let i = hash(parent, key) & mask;

		for (let f; (f = this.slots[i]) !== 0; i = (i + 1) & mask)
			if (this.parent[f] === parent && this.key[f] === key) return f;
		return -1;
	}

	/** The child of @parent for @key, made if it is not there yet. */
	child(parent: number, key: number, node: number): number {
		const mask = this.slots.length - 1;
		let i = hash(parent, key) & mask;

		for (let f; (f = this.slots[i]) !== 0; i = (i + 1) & mask)
			if (this.parent[f] === parent && this.key[f] === key) return f;
		if (this.n === this.parent.length) {
			this.grow();
			return this.child(parent, key, node);
		}
		return (this.slots[i] = this.add(parent, key, node));
	}

	protected override grow(): void {
		super.grow();
		this.slots = new Int32Array(2 * this.parent.length);
		const mask = this.slots.length - 1;
		for (let f = 1; f < this.n; f++) {
			let i = hash(this.parent[f], this.key[f]) & mask;

			while (this.slots[i] !== 0) i = (i + 1) & mask;
			this.slots[i] = f;
		}
	}
}

function hash(a: number, b: number): number {
	let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);

	h ^= h >>> 15;
	h = Math.imul(h, 0x2c1b3c6d);
	return (h ^ (h >>> 13)) >>> 0;
}
