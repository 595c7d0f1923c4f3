/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the findings of mprof doctor, for people and as JSON. */
#include "cli/doctor.h"

#include "base/jsontext.h"
#include "base/stream.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

static void print_verdict(const struct doctor *d, const char *of, FILE *out)
{
	size_t warned = findings_count(&d->findings, FINDING_WARN);
	const bool cannot = findings_status(&d->findings);
	char lacking[64] = "";

	if (warned)
		snprintf(lacking, sizeof lacking, ", with %zu warning%s", warned,
			 text_plural(warned));
	if (!*of)
		fprintf(out, "programs %s be profiled here%s\n", cannot ? "cannot" : "can",
			lacking);
	else if (cannot)
		fprintf(out, "it cannot be profiled\n");
	else if (d->pid)
		fprintf(out, "it can be profiled%s: mprof attach %d\n", lacking, (int)d->pid);
	else
		fprintf(out, "it can be profiled%s: mprof run\n", lacking);
}

int doctor_print(const struct doctor *d, const char *of, FILE *out)
{
	const struct findings *f = &d->findings;

	fprintf(out, "%s\n", *of ? of : "this machine");
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *v = &f->v[i];

		fprintf(out, "  %-4s  %-10s  %s\n", finding_words[v->level], v->check,
			v->a.why.text);
		if (*v->a.remedy.text)
			fprintf(out, "  %-4s  %-10s  -> %s\n", "", "", v->a.remedy.text);
	}
	print_verdict(d, of, out);
	return stream_error(out);
}

/* ---- for programs ---- */

static json_t *finding_json(const struct finding *v)
{
	return json_pack("{s:s, s:s, s:o, s:o}", "check", v->check, "level",
			 finding_words[v->level], "text", json_text(v->a.why.text), "remedy",
			 json_text(*v->a.remedy.text ? v->a.remedy.text : NULL));
}

static json_t *or_null(const char *text)
{
	return json_text(*text ? text : NULL);
}

static json_t *module_json(const struct doctor_module *m)
{
	return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o}", "path", json_text(m->path), "names",
			 json_text(m->names), "unwind_tables", m->unwind, "build_id",
			 or_null(m->build_id), "package", or_null(m->package), "debug_package",
			 or_null(m->debug_package));
}

static json_t *all_json(const struct doctor *d, const char *of)
{
	const int status = findings_status(&d->findings);
	json_t *findings = json_array(), *modules = json_array();

	for (size_t i = 0; i < d->findings.n; i++)
		json_array_append_new(findings, finding_json(&d->findings.v[i]));
	for (size_t i = 0; i < d->n_modules; i++)
		json_array_append_new(modules, module_json(&d->modules[i]));
	return json_pack("{s:o, s:o, s:b, s:i, s:o, s:o}", "of", or_null(of), "pid",
			 d->pid ? json_integer(d->pid) : json_null(), "can_be_profiled", !status,
			 "status", status, "findings", findings, "modules", modules);
}

int doctor_print_json(const struct doctor *d, const char *of, FILE *out)
{
	int err = json_text_put(all_json(d, of), JSON_INDENT(2), out);

	if (!err)
		fputc('\n', out);
	return err ? err : stream_error(out);
}
