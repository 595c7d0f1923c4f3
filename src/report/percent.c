/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/percent.h"

#include <stdio.h>
#include <string.h>

unsigned percent_floor(uint64_t m, uint64_t n)
{
	if (!n)
		return 0;
	if (m >= n)
		return 100;
	/* 100 m may need more than 64 bits */
	return (unsigned)((unsigned __int128)m * 100 / n);
}

static void two_columns(char out[3], uint64_t m, uint64_t n)
{
	unsigned p = percent_floor(m, n);
	size_t len = 0;

	if (!m || !n) {
		*out = '\0';
		return;
	}
	if (p >= 100 || !p) {
		strcpy(out, p ? "**" : ".");
		return;
	}
	if (p >= 10)
		out[len++] = (char)('0' + p / 10);
	out[len++] = (char)('0' + p % 10);
	out[len] = '\0';
}

void percent_brackets(char out[PERCENT_BRACKETS], uint64_t m, uint64_t n)
{
	char p[3];

	two_columns(p, m, n);
	*out = '\0';
	if (*p)
		strcat(strcat(strcpy(out, "("), p), ")");
}

void percent_breakdown(char out[PERCENT_BREAKDOWN], const uint64_t m[N_SIZE_CLASSES], uint64_t n)
{
	for (unsigned i = 0; i < N_SIZE_CLASSES; i++) {
		char p[3];

		two_columns(p, m[i], n);
		memset(out + 3 * i, ' ', 3);
		memcpy(out + 3 * i + 3 - strlen(p), p, strlen(p) + 1);
	}
}

void percent_decimal(char out[PERCENT_DECIMAL], uint64_t m, uint64_t n)
{
	double p = n ? 100.0 * (double)m / (double)n : 0.0;

	snprintf(out, PERCENT_DECIMAL, "%.1f", p);
}
