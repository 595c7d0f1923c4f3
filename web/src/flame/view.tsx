// SPDX-License-Identifier: BSD-2-Clause
// The flame graph and its inversion.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Tree, measure_of } from "../data/tree";
import { useStore } from "../state/store";
import { clip } from "../ui/format";
import { useDark } from "../ui/theme";
import { FlameCanvas, ROW } from "./canvas";
import { type Changes, changes_of, part_of } from "./change";
import { type Colouring, type Palette, change_colour, colouring, palette } from "./colours";
import { Details, Figures, type Shown } from "./details";
import {
	type FrameOptions,
	type Frames,
	find_names,
	find_path,
	make_frames,
	path_of,
} from "./frames";
import { places, types } from "./info";
import { next_match, step } from "./keys";
import { ChangeLegend, Legend } from "./legend";
import { compile, find } from "./search";
import { Hidden, Toolbar } from "./toolbar";
import { PlaceText, Types } from "../ui/name";

const CUT = 1 / 8000; // narrower than half a pixel on a wide screen
const NARROWER = 8;
const ROWS_MIN = 12;
const ROWS_MAX = 25;
const LABEL =
	"Flame graph: arrows go from frame to frame, Enter zooms, Escape goes back. " +
	"The line above tells of the frame.";
const HINT =
	"A click zooms to a frame. Ctrl and the wheel zoom where the pointer is, " +
	"Shift and the wheel move to the side, Escape goes back.";

/**
 * Frames for the state; they are made anew, with narrower ones, when zoomed into a narrow one.
 * @seen: how much of the whole is seen, by the wheel.
 */
function useFrames(
	tree: Tree,
	seen: number,
): { frames: Frames; options: FrameOptions; zoomed: number } {
	const { state } = useStore();
	const measure = measure_of(state.measure, tree);
	const [cut, set_cut] = useState(CUT);
	const options = useMemo(
		(): FrameOptions => ({
			measure,
			inverted: state.inverted,
			hidden: new Set(state.hidden),
			collapse: state.collapse,
			cut,
		}),
		[measure, state.inverted, state.hidden.join("\n"), state.collapse, cut],
	);
	const frames = useMemo(() => make_frames(tree, options), [tree, options]);
	const zoomed = useMemo(() => find_path(frames, state.zoom), [frames, state.zoom.join()]);

	useEffect(() => {
		const zoom = frames.value[0] ? frames.value[zoomed] / frames.value[0] : 1;
		const part = Math.min(zoom, seen);
		const wanted =
			CUT *
			NARROWER **
				Math.floor(Math.log(Math.max(part, 1e-12)) / Math.log(NARROWER));

		if (wanted !== cut && part > 0) set_cut(Math.min(wanted, CUT));
	}, [frames, zoomed, seen]);
	return { frames, options, zoomed };
}

const TOLD = 400; // of a name, where the pointer is

interface Tip {
	f: number;
	x: number;
	y: number;
}

function Tooltip({ tip, shown }: { tip: Tip; shown: Shown }): JSX.Element {
	const { tree, frames, options } = shown;
	const key = tree.keys[frames.key[tip.f]];
	const right = tip.x > innerWidth / 2;
	const of = useMemo(
		() => types(tree, frames, tip.f, options.measure),
		[tree, frames, tip.f],
	);

	return (
		<div
			class="tip"
			role="presentation"
			style={{
				left: right ? "auto" : `${tip.x + 14}px`,
				right: right ? `${innerWidth - tip.x + 14}px` : "auto",
				top: tip.y > innerHeight - 170 ? "auto" : `${tip.y + 16}px`,
				bottom:
					tip.y > innerHeight - 170
						? `${innerHeight - tip.y + 12}px`
						: "auto",
			}}
		>
			<p class="whole">
				{key ? clip(key.name, TOLD) : "all"}
				{key?.inlined && <span class="tag">inlined</span>}
			</p>
			<p class="row">
				<Figures {...shown} f={tip.f} />
			</p>
			<p class="row">
				{places(tree, { ...frames, frame_of: null }, tip.f).map((p) => (
					<PlaceText key={p} place={p} />
				))}
				<Types types={of} />
			</p>
		</div>
	);
}

function Empty({ tree }: { tree: Tree }): JSX.Element {
	return (
		<p class="empty">
			{tree.leaves.length
				? "Nothing of that: choose another measure."
				: "This profile has no call chains: nothing was allocated."}
		</p>
	);
}

function coloured(
	p: Palette,
	how: Colouring,
	c: Changes | null,
	fr: Frames,
	dark: boolean,
): Palette {
	if (how !== "change" || !c) return p;
	return { ...p, of_frame: (f) => change_colour(part_of(c, fr, f), dark) };
}

/** What says the same as the colour. */
const sign_of =
	(c: Changes) =>
	(f: number): string =>
		c.now[f] > c.before[f] ? "▲ " : c.now[f] < c.before[f] ? "▼ " : "";

/** Rows of the graph that are on the page, however low the window is. */
const least_rows = (fr: Frames): number => Math.min(Math.max(fr.rows.length, ROWS_MIN), ROWS_MAX);

const WHEEL = 100; // pixels of a step of a wheel; a pinch comes as many small ones
const FASTEST = 1.5; // that a step zooms
const LINE = 16; // pixels, of wheels that count lines

/**
 * What a turn of the wheel does to the graph; false: nothing, so that it scrolls. With Ctrl, which
 * a pinch of two fingers says too, browsers would zoom the page.
 */
function wheel(drawer: FlameCanvas, e: WheelEvent): boolean {
	const unit = e.deltaMode === e.DOM_DELTA_PIXEL ? 1 : LINE;
	const side = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX;
	const down = e.shiftKey ? 0 : e.deltaY;

	if (e.ctrlKey || e.metaKey) {
		const times = Math.exp((e.deltaY * unit) / WHEEL);

		drawer.widen(Math.min(Math.max(times, 1 / FASTEST), FASTEST), e.offsetX);
	} else if (Math.abs(side) > Math.abs(down) && drawer.part() < 1) drawer.pan(side * unit);
	else return false;
	e.preventDefault();
	return true;
}

/** @sized: types that stand in the table of sizes. */
export function Flame({ tree, sized }: { tree: Tree; sized: ReadonlySet<string> }): JSX.Element {
	const { state, set } = useStore();
	const [seen, set_seen] = useState(1);
	const { frames, options, zoomed } = useFrames(tree, seen);
	const shape = JSON.stringify([
		options.measure,
		options.inverted,
		state.hidden,
		options.collapse,
	]);
	const zoom = state.zoom.join();
	const last = useRef({ shape, zoom });
	const dark = useDark();
	const canvas = useRef<HTMLCanvasElement>(null);
	const scroller = useRef<HTMLDivElement>(null);
	const drawer = useRef<FlameCanvas | null>(null);
	const [selected, select] = useState(-1);
	const [tip, set_tip] = useState<Tip | null>(null);
	const found = useMemo(
		() => find(tree, frames, compile(state.search), options.measure),
		[tree, frames, state.search],
	);
	const total = frames.value[0];
	const changes = useMemo(() => changes_of(tree, frames, options), [tree, frames]);
	const colour = colouring(state.colour, tree);

	useEffect(() => {
		if (!canvas.current || !scroller.current) return undefined;
		const made = (drawer.current = new FlameCanvas(canvas.current, scroller.current));
		const fit = new ResizeObserver(() => made.redraw());

		const on_wheel = (e: WheelEvent): void => {
			if (wheel(made, e)) set_seen(made.part());
		};

		fit.observe(canvas.current);
		// What listens as an attribute may not keep the browser from scrolling.
		canvas.current.addEventListener("wheel", on_wheel, { passive: false });
		return () => {
			fit.disconnect();
			made.release();
		};
	}, []);
	useEffect(() => {
		if (!state.path.length) return;
		const f = find_names(tree, frames, state.path);
		set({ path: [], zoom: path_of(frames, f) });
	}, [frames, state.path]);
	useEffect(() => {
		select(-1);
		set_tip(null);
		if (drawer.current) drawer.current.sign_of = changes && sign_of(changes);
		drawer.current?.show(frames, tree.keys, zoomed, last.current.shape === shape);
		if (!drawer.current?.free) drawer.current?.reveal(zoomed);
	}, [frames]);
	useEffect(() => {
		select((f) => (f === zoomed ? f : -1));
		if (!drawer.current?.free || last.current.zoom !== zoom) back_to(zoomed);
		last.current = { shape, zoom };
	}, [zoomed, zoom, shape]);
	useEffect(
		() =>
			drawer.current?.paint_with(
				coloured(
					palette(tree, colour, dark),
					colour,
					changes,
					frames,
					dark,
				),
				found?.hits ?? null,
			),
		[tree, colour, dark, found, changes, frames],
	);
	useEffect(() => {
		const begin = (): void =>
			drawer.current?.print(
				coloured(
					palette(tree, colour, false),
					colour,
					changes,
					frames,
					false,
				),
			);
		const end = (): void => drawer.current?.print(null);

		addEventListener("beforeprint", begin);
		addEventListener("afterprint", end);
		return () => {
			removeEventListener("beforeprint", begin);
			removeEventListener("afterprint", end);
		};
	}, [tree, colour, changes, frames]);
	// What is under the pointer moves away, and nothing tells of that.
	useEffect(() => {
		const hide = (): void => set_tip(null);

		addEventListener("scroll", hide, true);
		addEventListener("wheel", hide, { passive: true });
		addEventListener("blur", hide);
		return () => {
			removeEventListener("scroll", hide, true);
			removeEventListener("wheel", hide);
			removeEventListener("blur", hide);
		};
	}, []);
	useEffect(() => drawer.current?.mark(selected, tip?.f ?? -1), [selected, tip]);

	/** Where the wheel has led to is left. */
	const back_to = (f: number): void => {
		drawer.current?.zoom(f);
		set_seen(1);
	};
	const zoom_to = (f: number): void => {
		select(f);
		set_tip(null);
		if (drawer.current?.free) back_to(f);
		set({ zoom: path_of(frames, f) }, true);
	};
	const go = (back: boolean): void => {
		const f = next_match(frames, found?.hits ?? null, zoomed, selected, back);

		if (f < 0) return;
		select(f);
		drawer.current?.reveal(f);
	};
	const on_key = (e: KeyboardEvent): void => {
		set_tip(null);
		const from = selected >= 0 ? selected : zoomed;

		if (e.key.startsWith("Arrow")) {
			const f =
				selected < 0 && e.key === "ArrowUp"
					? zoomed
					: step(frames, from, e.key);

			select(f);
			drawer.current?.reveal(f);
		} else if (e.key === "Enter" && selected >= 0) zoom_to(selected);
		else if (e.key === "Escape") escape(e);
		else return;
		e.preventDefault();
	};
	const escape = (e: KeyboardEvent): void => {
		e.stopPropagation();
		if (selected > 0 && selected !== zoomed) select(-1);
		else if (drawer.current?.free) back_to(zoomed);
		else if (state.zoom.length) zoom_to(Math.max(frames.parent[zoomed], 0));
		else set({ search: "" });
	};
	const under = (e: MouseEvent): number => drawer.current?.at(e.offsetX, e.offsetY) ?? -1;
	const tell = (e: MouseEvent): void => {
		const f = under(e);

		set_tip(f >= 0 ? { f, x: e.clientX, y: e.clientY } : null);
	};
	const height = (frames.rows.length - 1) * ROW;
	const shown = { tree, frames, options, changes, f: selected >= 0 ? selected : zoomed };

	return (
		<section class="flame">
			<Toolbar found={found} total={changes ? null : total} tree={tree} go={go} />
			<Hidden />
			<Details {...shown} sized={sized} />
			{!(total > 0) && <Empty tree={tree} />}
			<div class="room" style={{ minHeight: `${least_rows(frames) * ROW}px` }}>
				<div
					class="frames"
					ref={scroller}
					onScroll={() => drawer.current?.redraw()}
				>
					<canvas
						ref={canvas}
						tabIndex={0}
						role="application"
						class={total > 0 ? undefined : "hidden"}
						aria-label={LABEL}
						onKeyDown={on_key}
						onClick={(e) => {
							const f = under(e);

							if (f >= 0) zoom_to(f);
						}}
						onMouseMove={tell}
						onMouseLeave={() => set_tip(null)}
					/>
					<div class="height" style={{ height: `${height}px` }} />
				</div>
			</div>
			<p class="quiet hint">{HINT}</p>
			<div class={dark ? "drawn-dark" : undefined}>
				{colour === "module" && <Legend tree={tree} dark={dark} />}
				{changes && <ChangeLegend dark={dark} how={colour} />}
			</div>
			{tip && tip.f < frames.n && <Tooltip tip={tip} shown={shown} />}
		</section>
	);
}
