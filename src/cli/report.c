/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "cli/apart.h"
#include "cli/cli.h"
#include "cli/fn_names.h"
#include "cli/gating.h"
#include "cli/heapfiles.h"
#include "cli/help.h"
#include "cli/lacking.h"
#include "cli/logs.h"
#include "cli/names.h"
#include "cli/massif_report.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/stream.h"
#include "cli/viewed.h"
#include "mma/replay.h"
#include "outputs/tell.h"
#include "outputs/unseen.h"
#include "pprof/read.h"
#include "profile/datafile.h"
#include "report/growth.h"
#include "naming/resolve.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int report_page(struct profile_data *d, const struct options *o)
{
	if (pages_view(o, d)) {
		say("cannot write the page: out of memory");
		return STATUS_FAILED;
	}
	int status = pages_print(o->output, &d, 1, &o->report);
	if (!status)
		unseen_say_notes(say_sentence, d, o->quiet);
	return status;
}

static int report_to(struct profile_data *d, const struct options *o)
{
	if (o->format == FORMAT_HTML)
		return report_page(d, o);
	/* A report on the terminal shows its progress itself. */
	if (o->output || !screen_shows(stdout))
		progress_begin("writing the report");
	FILE *out = stream_open(o);
	if (!out) {
		progress_end();
		return STATUS_FAILED;
	}
	int err = print_profile(d, o, false, out);
	int lost = stream_close(out);
	err = err ? err : lost;
	progress_end();
	if (err < 0)
		stream_failed(o, err);
	else if (!err)
		unseen_say_notes(say_sentence, d, o->quiet);
	if (!err && !o->quiet && o->format == FORMAT_TABLES)
		tell_peak(say_sentence, d);
	if (!err && !o->quiet && o->format == FORMAT_TABLES && o->report.level == REPORT_VERBOSE)
		tell_engines(say_sentence, d);
	return err ? STATUS_FAILED : 0;
}

/* Make a profile of a log: without call chains, and so without names. */
static struct profile_data *profile_of(const struct mma_log *log)
{
	struct profile *p = profile_new();
	struct profile_data *d = profile_data_new();
	int err = p && d ? mma_replay(log, p) : -ENOMEM;

	if (!err)
		err = resolve_profile(p, NULL, 0, PD_NONE, d);
	profile_free(p);
	if (!err)
		return d;
	profile_data_free(d);
	return NULL;
}

static int report_log(const char *path, const struct options *o)
{
	struct mma_log log = { 0 };
	struct error e;
	struct mma_source *s = mma_source_open(path, &e);
	struct profile_data *d = NULL;
	int err = s ? mma_log_read(&log, s, &e) : -EIO, status = STATUS_FAILED;

	mma_source_close(s);
	if (!err && !(d = profile_of(&log)))
		err = error_set(&e, -ENOMEM, "%s: out of memory", path);
	if (err)
		say("%s", e.text);
	else
		status = report_to(d, o);
	if (!err && log.truncated) {
		logs_say_truncated(path, &log);
		status = STATUS_FAILED;
	}
	profile_data_free(d);
	mma_log_release(&log);
	return status;
}

static void tell_names_of(const struct profile_data *d, enum tell_names which,
			  const struct options *o)
{
	struct lacking l = { 0 };

	tell_names(say_sentence, d, which, lacking_add, &l);
	lacking_say(&l, o);
	lacking_release(&l);
}

static int report_file(const char *path, const struct options *o)
{
	if (mma_is_log(path))
		return options_obeyed(o, INPUT_LOG) ? report_log(path, o) : STATUS_USAGE;
	if (o->format == FORMAT_MS_PRINT && is_massif_file(path))
		return options_obeyed(o, INPUT_MASSIF) ? massif_report(path, o) : STATUS_USAGE;
	bool renamed;
	struct profile_data *d = read_named(path, o, &renamed);

	if (!d)
		return STATUS_FAILED;
	int status = report_to(d, o);
	/* JSON contains the sources; but if other files were used, that is said in any case. */
	if (!status && (renamed || (o->format == FORMAT_TABLES && !o->quiet)))
		tell_names_of(d, renamed ? TELL_NAMES_ALL : names_told(o), o);
	profile_data_free(d);
	return status;
}

/* Write one page of several profiles, in their order. */
static int report_pages(char *const *files, size_t n, const struct options *o)
{
	struct profile_data **d = calloc(n, sizeof(struct profile_data *));
	int status = d ? 0 : STATUS_FAILED;

	if (!d)
		say("cannot write the page: out of memory");
	for (size_t i = 0; !status && i < n; i++)
		status = (d[i] = read_viewed(files[i], o)) ? 0 : STATUS_FAILED;
	if (!status)
		status = pages_print(o->output, d, n, &o->report);
	for (size_t i = 0; d && i < n; i++)
		profile_data_free(d[i]);
	free(d);
	return status;
}

/* ---- the growth since a base ---- */

static int write_growth(const struct profile_data *now, const struct profile_data *base,
			const struct options *o)
{
	FILE *out = stream_open(o);
	if (!out)
		return STATUS_FAILED;
	int err = report_growth(now, base, &o->report, out), lost = stream_close(out);
	err = err ? err : lost;
	if (err == -EOVERFLOW)
		say("cannot tell what has changed: a sum is beyond 2^63 - 1");
	else if (err)
		stream_failed(o, err);
	return err ? STATUS_FAILED : 0;
}

static const char *program_of(const struct profile_data *d)
{
	return d->program < d->n_modules ? path_last(d->modules[d->program].path) : NULL;
}

/* Say if these are different programs: then growth means nothing, and one of the files is probably
 * wrong. */
static void say_other_program(const struct profile_data *now, const struct profile_data *base)
{
	const char *new = program_of(now), *old = program_of(base);

	if (new && old && strcmp(new, old))
		say("the two profiles are of different programs: the base of %s, the other of %s",
		    old, new);
}

static int report_grown(const char *path, const struct options *o)
{
	struct profile_data *now = read_viewed(path, o);
	struct profile_data *base = now ? read_viewed(o->pprof.base, o) : NULL;
	int status = STATUS_FAILED;

	if (base)
		say_other_program(now, base);
	if (base && o->format == FORMAT_HTML)
		status = pages_print_growth(o->output, now, base, &o->report);
	else if (base)
		status = write_growth(now, base, o);

	profile_data_free(now);
	profile_data_free(base);
	return status;
}

/* ---- in pprof's formats ---- */

static int write_heap(struct heap_stacks *h, const struct options *o)
{
	FILE *out = stream_open(o);
	struct error e;

	if (!out)
		return STATUS_FAILED;
	int err = heapfiles_print(h, o, out, &e), lost = stream_close(out);
	if (err)
		say("%s", e.text);
	else if (lost)
		stream_failed(o, lost);
	return err || lost ? STATUS_FAILED : 0;
}

static int report_heap(char *const *files, size_t n, const char *binary, const struct options *o)
{
	struct heap_stacks h = { 0 };
	struct error e;
	int status = STATUS_FAILED;

	int err = heapfiles_read(files, n, binary, o, &h, &e);

	if (err < 0)
		say("%s", e.text);
	else if (!err)
		status = write_heap(&h, o);
	heap_stacks_release(&h);
	return status;
}

static bool is_program(const char *path)
{
	char magic[SELFMAG] = "";
	struct stat st;
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	bool elf = f && fread(magic, 1, SELFMAG, f) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);

	if (f)
		fclose(f);
	return elf;
}

/* The first heap profile among the files; NULL: all are data files. */
static const char *first_heap(char *const *files, size_t n, const char *base)
{
	for (size_t i = 0; i < n; i++)
		if (heap_file_kind(files[i]) != HEAP_FILE_OTHER)
			return files[i];
	return base && heap_file_kind(base) != HEAP_FILE_OTHER ? base : NULL;
}

/* Remove the program from the files and return it; NULL: it is not among them. As with
 * google-pprof, a program may stand beside a profile; it is not used with data files alone. */
static const char *take_program(char **files, size_t *n, const struct options *o)
{
	if (*n < 2 || !(pprof_is_used(o) || first_heap(files, *n, o->pprof.base)))
		return NULL;
	for (size_t i = 0; i < *n; i++) {
		const char *path = files[i];

		if (!is_program(path))
			continue;
		memmove(files + i, files + i + 1, (--*n - i) * sizeof *files);
		return path;
	}
	return NULL;
}

/* Heap profiles lack what the tables and Massif's formats need. False: that has been said. */
static bool heap_has_format(const char *path, struct options *o)
{
	const struct option_def *of_tables = options_find_given(o, OF_TABLES);

	if (of_tables) {
		say("report: --%s is for data files; %s is a heap profile, which tells neither the "
		    "sizes of single blocks nor times", of_tables->name, path);
		return false;
	}
	if (o->format == FORMAT_TABLES && !o->format_given)
		o->format = FORMAT_TEXT;
	if (is_pprof_format(o->format) || o->format == FORMAT_JSON)
		return options_obeyed(o, INPUT_HEAP);
	say("report: %s is a heap profile, of which only the formats text, folded, heap, pprof, "
	    "dot and json can be made", path);
	return false;
}

static int report_files(char **files, size_t n, const char *binary, struct options *o)
{
	const char *heap = first_heap(files, n, o->pprof.base);

	if (heap)
		return heap_has_format(heap, o) ? report_heap(files, n, binary, o) : STATUS_USAGE;
	if (!pprof_check_use(o))
		return STATUS_USAGE;
	if (pprof_is_used(o) && (n > 1 || o->pprof.base))
		return report_heap(files, n, binary, o);
	if (n > 1 && is_program(files[0])) {
		say("%s is not a data file of mprof", files[0]);
		return STATUS_FAILED;
	}
	if (n > 1 && o->format == FORMAT_HTML && o->pprof.base) {
		say("report: --base is taken from one data file; \"%s\" is one too many", files[1]);
		return STATUS_USAGE;
	}
	if (n > 1 && o->format == FORMAT_HTML)
		return report_pages(files, n, o);
	if (n > 1) {
		say("report: one data file at a time; \"%s\" is one too many", files[1]);
		return STATUS_USAGE;
	}
	return o->pprof.base ? report_grown(files[0], o) : report_file(files[0], o);
}

/* Conditions are checked for each file as it is, whatever is printed for all. */
static int report_gated(char **files, size_t n, const char *binary, struct options *o)
{
	struct gate gate;
	int status = gating_begin(&gate, o);

	if (!status) {
		status = report_files(files, n, binary, o);
		int gated = status == STATUS_USAGE ? 0 : gating_judge_files(&gate, files, n, o);

		status = status ? status : gated;
		if (status != STATUS_USAGE)
			status = gating_status(&gate, o, status);
	}
	gating_release(&gate);
	return status;
}

/* A page is of different processes: drop files that are given twice, however spelled, and say so.
 * Returns how many are left. */
static size_t drop_repeated(char **files, size_t n)
{
	struct stat *v = calloc(n, sizeof *v);
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		const bool known = v && !stat(files[i], &v[left]) && S_ISREG(v[left].st_mode);

		while (known && k < left &&
		       (v[k].st_dev != v[left].st_dev || v[k].st_ino != v[left].st_ino))
			k++;
		if (known && k < left) {
			say("%s is the same file as %s, and is counted once", files[i], files[k]);
			continue;
		}
		files[left++] = files[i];
	}
	free(v);
	return left;
}

/* @files: if there are none, the default. */
static int report_all(struct options *o, char **files, size_t n)
{
	static char default_file[] = "mprof.data";
	char *one[] = { default_file };
	const char *binary = take_program(files, &n, o);

	if (!n) {
		files = one;
		n = 1;
	}
	if (o->format == FORMAT_HTML && !o->pprof.base)
		n = drop_repeated(files, n);
	if (!printed_apart(o, 0) || !output_spares(o, files, n) ||
	    (binary && !output_spares(o, (char *[]){ (char *)binary }, 1)) ||
	    (o->pprof.base && !output_spares(o, (char *[]){ (char *)o->pprof.base }, 1)))
		return STATUS_USAGE;
	char *place = NULL;
	if (!pages_begin(o, &place))
		return STATUS_FAILED;
	screen_begin_pager(o);
	int status = report_gated(files, n, binary, o);
	fn_names_say_unmet(o);
	status = pages_end(o, place, status);
	screen_end_pager();
	return status;
}

int command_report(int argc, char **argv)
{
	struct options o;
	int first = options_parse(&o, "report", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	return report_all(&o, argv + first, (size_t)(argc - first));
}

int command_diff(int argc, char **argv)
{
	struct options o;
	int first = options_parse(&o, "report", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	if (argc - first != 2 || o.pprof.base) {
		say("diff: of two profiles. Usage: mprof diff [options] OLD NEW");
		return STATUS_USAGE;
	}
	o.pprof.base = o.gate.base = argv[first];
	return report_all(&o, argv + first + 1, 1);
}

static void say_no_command(const char *word)
{
	struct nearest n = { .word = word, .len = strlen(word) };

	help_try_commands(&n);
	if (n.best && !strcmp(n.best, word))
		say("options stand behind the command: mprof %s [options]; see mprof help %s", word,
		    word);
	else if (n.best)
		say("\"%s\" is neither a command of mprof nor a program: did you mean mprof %s? "
		    "See mprof help", word,
		    n.best);
	else
		say("\"%s\" is neither a command of mprof nor a program; see mprof help", word);
}

int command_classic(int argc, char **argv)
{
	struct options o;
	int first = options_parse(&o, "report", argc, argv, 1);

	if (first < 0 || !pprof_check_use(&o))
		return STATUS_USAGE;
	if (o.pprof.base || o.gate.fail_ifs[0]) {
		say("option %s means nothing without a command: see mprof report",
		    o.pprof.base ? "base" : "fail-if");
		return STATUS_USAGE;
	}
	if (argc - first > 2) {
		say("\"%s\" is one argument too many; usage: mprof [options] [a.out [mprof.data]]",
		    argv[first + 2]);
		return STATUS_USAGE;
	}
	/* The program is not read, since the data file has the names. But a word that is not a file
	 * is probably a misspelt command. */
	if (first < argc && access(argv[first], F_OK)) {
		say_no_command(argv[first]);
		return STATUS_USAGE;
	}
	char *place = NULL;
	if (!pages_begin(&o, &place))
		return STATUS_FAILED;
	int status = report_file(first + 1 < argc ? argv[first + 1] : "mprof.data", &o);
	fn_names_say_unmet(&o);
	return pages_end(&o, place, status);
}
