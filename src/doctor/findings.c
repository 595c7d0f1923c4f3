/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>

const char *const finding_words[] = {
	[FINDING_OK] = "ok", [FINDING_WARN] = "warn", [FINDING_FAIL] = "fail"};

struct advice *findings_add(struct findings *f, const char *check, enum finding_level level)
{
	if (f->n == FINDINGS_MAX)
		f->n--;
	struct finding *new = &f->v[f->n++];

	*new = (struct finding){.check = check, .level = level};
	return &new->a;
}

static void explain(struct advice *a, const char *fmt, va_list ap)
{
	char text[sizeof a->why.text];

	vsnprintf(text, sizeof text, fmt, ap);
	error_set(&a->why, 0, "%s", text);
}

void findings_ok(struct findings *f, const char *check, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	explain(findings_add(f, check, FINDING_OK), fmt, ap);
	va_end(ap);
}

void findings_warn(struct findings *f, const char *check, const char *remedy, const char *fmt, ...)
{
	struct advice *a = findings_add(f, check, FINDING_WARN);
	va_list ap;

	va_start(ap, fmt);
	explain(a, fmt, ap);
	va_end(ap);
	error_set(&a->remedy, 0, "%s", remedy);
}

void findings_fail(struct findings *f, const char *check, int status, const struct advice *a)
{
	*findings_add(f, check, FINDING_FAIL) = *a;
	f->v[f->n - 1].status = status;
}

int findings_status(const struct findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].level == FINDING_FAIL)
			return f->v[i].status;
	return 0;
}

size_t findings_count(const struct findings *f, enum finding_level level)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->v[i].level == level;
	return n;
}
