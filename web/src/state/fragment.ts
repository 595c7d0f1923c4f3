// SPDX-License-Identifier: BSD-2-Clause
// What is shown, and its form in the address bar: whoever opens the link sees the same.

import { MEASURES, type Measure } from "../data/tree";
import { COLOURINGS, type Colouring } from "../flame/colours";

export const VIEWS = [
	"overview",
	"flame",
	"timeline",
	"leaks",
	"sizes",
	"direct",
	"callgraph",
	"lifetimes",
	"before",
] as const;
export type View = (typeof VIEWS)[number];
/** Those of a difference. */
export const CHANGE_VIEWS: readonly View[] = ["overview", "flame", "leaks", "sizes", "direct"];

export interface State {
	profile: number;
	view: View;
	measure: Measure;
	inverted: boolean;
	zoom: number[]; // functions from the outermost frame on, by number
	path: string[]; // the same by names, which the flame graph turns into numbers
	search: string;
	hidden: string[];
	collapse: boolean;
	colour: Colouring | ""; // "": what is usual for what is shown
	fn: string; // the function in the middle of the call graph
	filter: string; // of the table
	sort: string; // a column of the table, "-" before it for descending; "": as it comes
}

export const START: State = {
	profile: 0,
	view: "overview",
	measure: "kept_bytes",
	inverted: false,
	zoom: [],
	path: [],
	search: "",
	hidden: [],
	collapse: false,
	colour: "",
	fn: "",
	filter: "",
	sort: "",
};

const ZOOM_MAX = 10000;

function one_of<T extends string>(list: readonly T[], text: string | null, otherwise: T): T {
	return list.find((v) => v === text) ?? otherwise;
}

/** The text after "#"; only what differs from the start is in it. */
export function to_fragment(s: State): string {
	const p = new URLSearchParams();
	const put = (name: string, value: string, usual: string): void => {
		if (value !== usual) p.append(name, value);
	};

	put("view", s.view, START.view);
	put("profile", String(s.profile), "0");
	put("by", s.measure, START.measure);
	put("callers", s.inverted ? "1" : "", "");
	put("zoom", s.zoom.join("."), "");
	s.path.forEach((name) => p.append("path", name));
	put("search", s.search, "");
	s.hidden.forEach((name) => p.append("hide", name));
	put("fold", s.collapse ? "1" : "", "");
	put("colour", s.colour, START.colour);
	put("function", s.fn, "");
	put("filter", s.filter, "");
	put("sort", s.sort, "");
	return p.toString();
}

/** Anything that is not understood is as at the start. */
export function from_fragment(text: string): State {
	const p = new URLSearchParams(text.replace(/^#/, ""));
	const zoom = (p.get("zoom") ?? "")
		.split(".")
		.filter((n) => /^\d{1,9}$/.test(n))
		.map(Number);
	const profile = Number(p.get("profile") ?? 0);

	return {
		profile: Number.isInteger(profile) && profile > 0 ? profile : 0,
		view: one_of(VIEWS, p.get("view"), START.view),
		measure: one_of(MEASURES, p.get("by"), START.measure),
		inverted: p.get("callers") === "1",
		zoom: zoom.slice(0, ZOOM_MAX),
		path: p.getAll("path"),
		search: p.get("search") ?? "",
		hidden: p.getAll("hide"),
		collapse: p.get("fold") === "1",
		colour: one_of(["", ...COLOURINGS], p.get("colour"), START.colour),
		fn: p.get("function") ?? "",
		filter: p.get("filter") ?? "",
		sort: p.get("sort") ?? "",
	};
}
