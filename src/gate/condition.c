/* SPDX-License-Identifier: BSD-2-Clause */
#include "gate/condition.h"

#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *one, *many; /* the unit */
	bool bytes;		/* the value may have a suffix */
} figures[GATE_FIGURES] = {
	[GATE_ALLOCS] = {"allocs", "request", "requests", false},
	[GATE_FREES] = {"frees", "free", "frees", false},
	[GATE_BYTES] = {"bytes", "byte", "bytes", true},
	[GATE_KEPT] = {"kept", "byte", "bytes", true},
	[GATE_KEPT_BLOCKS] = {"kept-blocks", "block", "blocks", false},
	[GATE_UNFREED] = {"unfreed", "byte", "bytes", true},
	[GATE_UNFREED_BLOCKS] = {"unfreed-blocks", "block", "blocks", false},
	[GATE_PEAK] = {"peak", "byte", "bytes", true},
	[GATE_TEMPORARY] = {"temporary", "block", "blocks", false},
	[GATE_LOST] = {"lost", "byte", "bytes", true},
	[GATE_LOST_BLOCKS] = {"lost-blocks", "block", "blocks", false},
	[GATE_POSSIBLE] = {"possible", "byte", "bytes", true},
	[GATE_POSSIBLE_BLOCKS] = {"possible-blocks", "block", "blocks", false},
};

const char *gate_figure_name(enum gate_figure figure)
{
	return figures[figure].name;
}

const char *gate_figure_unit(enum gate_figure figure, uint64_t n)
{
	return n == 1 ? figures[figure].one : figures[figure].many;
}

/* ---- reading ---- */

/* The text after the figure's name, or NULL. */
static const char *take_figure(struct gate_condition *c, const char *text)
{
	size_t len = strcspn(text, "(<>=");

	for (int i = 0; i < GATE_FIGURES; i++) {
		if (strlen(figures[i].name) != len || strncmp(figures[i].name, text, len))
			continue;
		c->figure = (enum gate_figure)i;
		return text + len;
	}
	return NULL;
}

/* C++ names have brackets and arrows of their own: the last bracket ends the name. */
static const char *take_site(struct gate_condition *c, const char *text)
{
	const char *end = strrchr(text, ')');

	if (*text != '(')
		return text;
	if (!end || end == text + 1)
		return NULL;
	c->site = strndup(text + 1, (size_t)(end - text - 1));
	return end + 1;
}

static const char *take_operator(struct gate_condition *c, const char *text)
{
	static const char *const words[] = {
		[GATE_MORE] = ">",     [GATE_AT_LEAST] = ">=", [GATE_LESS] = "<",
		[GATE_AT_MOST] = "<=", [GATE_EQUAL] = "==",
	};
	const char *rest = NULL;

	/* Find the longest match. */
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *behind = text_after(text, words[i]);

		if (!behind || (rest && behind < rest))
			continue;
		c->op = (enum gate_operator)i;
		rest = behind;
	}
	return rest;
}

/* "5", "0.25", without the percent sign that follows; in thousandths. */
static bool take_percent(uint64_t *thousandths, const char *text, size_t len)
{
	char digits[32];
	const char *point = memchr(text, '.', len);
	size_t whole = point ? (size_t)(point - text) : len, part = point ? len - whole - 1 : 0;
	uint64_t n;

	/* At most three digits after the point: thousandths. */
	if (!whole || (point && !part) || part > 3 || whole + 3 >= sizeof digits)
		return false;
	memset(digits, '0', sizeof digits);
	memcpy(digits, text, whole);
	if (point)
		memcpy(digits + whole, point + 1, part);
	digits[whole + 3] = '\0';
	if (digits[strspn(digits, "0123456789")] ||
	    !number_in_range(&n, digits, 0, 1000000000000ull))
		return false;
	*thousandths = n;
	return true;
}

static bool take_value(struct gate_condition *c, const char *text)
{
	size_t len;

	if (*text == '+' || *text == '-') {
		c->measure = GATE_GROWTH;
		c->less = *text++ == '-';
	}
	len = strlen(text);
	if (c->measure == GATE_GROWTH && len && text[len - 1] == '%') {
		c->measure = GATE_PERCENT;
		return take_percent(&c->value, text, len - 1) && !(c->less && c->value > 100000);
	}
	return figures[c->figure].bytes ? number_bytes(&c->value, text)
					: number_in_range(&c->value, text, 0, UINT64_MAX);
}

int gate_condition_parse(struct gate_condition *c, const char *text)
{
	*c = (struct gate_condition){.text = text};
	const char *at = take_figure(c, text);
	bool has_site = at && *at == '(';

	at = at ? take_site(c, at) : NULL;
	bool no_memory = at && has_site && !c->site;
	at = at ? take_operator(c, at) : NULL;
	if (at && !no_memory && take_value(c, at))
		return 0;
	gate_condition_release(c);
	return no_memory ? -ENOMEM : -EINVAL;
}

void gate_condition_release(struct gate_condition *c)
{
	free(c->site);
	*c = (struct gate_condition){0};
}

/* ---- comparing ---- */

/* Positive if the figure is above the value. Increases with @now, and decreases with @base. */
static __int128 above(const struct gate_condition *c, uint64_t now, uint64_t base)
{
	__int128 value = c->less ? -(__int128)c->value : (__int128)c->value;

	switch (c->measure) {
	case GATE_ABSOLUTE:
		return (__int128)now - value;
	case GATE_GROWTH:
		return (__int128)now - base - value;
	case GATE_PERCENT:
		break;
	}
	return ((__int128)now - base) * 100000 - (__int128)base * value;
}

static enum gate_outcome outcome(bool holds, bool fails)
{
	return holds ? GATE_BROKEN : fails ? GATE_PASSED : GATE_CANNOT_TELL;
}

enum gate_outcome gate_condition_holds(const struct gate_condition *c, struct gate_bounds now,
				       struct gate_bounds base)
{
	/* This holds for values above -100 % only, and lower ones cannot be given. */
	__int128 low = above(c, now.low, base.high), high = above(c, now.high, base.low);

	switch (c->op) {
	case GATE_MORE:
		return outcome(low > 0, high <= 0);
	case GATE_AT_LEAST:
		return outcome(low >= 0, high < 0);
	case GATE_LESS:
		return outcome(high < 0, low >= 0);
	case GATE_AT_MOST:
		return outcome(high <= 0, low > 0);
	case GATE_EQUAL:
		break;
	}
	return outcome(low == 0 && high == 0, low > 0 || high < 0);
}
