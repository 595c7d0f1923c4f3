/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_TREND_H
#define MPROF_PROFILE_TREND_H

#include "profile/profile_data.h"
#include "profile/windows.h"

#include <stdbool.h>

/*
 * Judges the windows of a site (windows.h): does it grow, or is it a cache? Pure functions of plain
 * data.
 */

/* No verdict before this many windows are over. */
#define TREND_WINDOWS 16u

/* A series of windows, without gaps. Several sites may be added up: the floors are then no higher
 * than those of the sum, and the ceilings no lower. */
struct trend_series {
	uint32_t n; /* windows that are over, WINDOWS_MAX at most */
	uint64_t window_ns;
	uint64_t live, live_bytes; /* at the end */
	uint64_t low[WINDOWS_MAX], high[WINDOWS_MAX];
	uint64_t low_bytes[WINDOWS_MAX], high_bytes[WINDOWS_MAX];
	uint64_t births[WINDOWS_MAX];
	uint64_t survivors[WINDOWS_MAX]; /* by the window of their allocation */
};

enum trend_name {
	TREND_TOO_EARLY, /* for a verdict */
	TREND_BRIEF,	 /* steady, and mostly there is no block at all */
	TREND_STEADY,	 /* blocks come and go */
	TREND_ONCE,	 /* allocated at the beginning, and kept */
	TREND_CACHED,	 /* has reached a bound, and stays there */
	TREND_GROWS,
	TREND_NAMES,
};

struct trend_verdict {
	enum trend_name name;
	double z;			/* Mann and Kendall's, of the floors of the second half */
	double stays;			/* survivors divided by births, of the first three
					   quarters; 0 without births */
	double blocks_hour, bytes_hour; /* by the median slope of the floors of the second half */
	double gain;			/* blocks: floor at the end less floor in the middle */
	uint64_t level;			/* blocks, the median ceiling of the last quarter */
	uint32_t since; /* the window in which the growth began; 0: at the beginning */
	bool by_bytes;	/* it grows in bytes: a few blocks that become larger */
};

/* "grows", "cached" and so on, as in the data file and in JSON. */
const char *trend_word(enum trend_name name);

/* Adds the windows @rows[0...n) of one site, sorted by window, to @s, whose n is set. */
void trend_add_windows(struct trend_series *s, const struct pd_window *rows, size_t n);

/**
 * The verdict on a series.
 * Source: the test of Mann (1945) and Kendall (1975) for a trend, with ties.
 */
struct trend_verdict trend_judge(const struct trend_series *s);

#endif
