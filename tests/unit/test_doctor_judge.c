/* SPDX-License-Identifier: BSD-2-Clause */
/* From facts to levels, words and remedies, without a process or a file. */
#include "unit/unit.h"

#include "doctor/judge.h"

#include <stdio.h>
#include <string.h>

enum { NOT_PERMITTED = 7 };

/* The line of a check; it is a failure if there is none. */
static const struct finding *line(const struct findings *f, const char *check)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->v[i].check, check))
			return &f->v[i];
	fail_msg("there is no line \"%s\"", check);
	return NULL;
}

static void is(const struct findings *f, const char *check, enum finding_level level,
	       const char *why, const char *remedy)
{
	const struct finding *v = line(f, check);

	if (v->level != level || !strstr(v->a.why.text, why) || !strstr(v->a.remedy.text, remedy))
		fail_msg("%s is %s: \"%s\" -> \"%s\", without \"%s\" -> \"%s\"", check,
			 finding_words[v->level], v->a.why.text, v->a.remedy.text, why, remedy);
	/* Whoever has nothing to complain of has nothing to recommend; and the other way round. */
	if ((v->level == FINDING_OK) != !*v->a.remedy.text && v->level != FINDING_FAIL)
		fail_msg("%s is %s with the remedy \"%s\"", check, finding_words[v->level],
			 v->a.remedy.text);
}

/* ---- the machine ---- */

static const struct machine_facts healthy = {
	.kernel = "Linux 6.1",
	.can_trace = true,
	.can_count = true,
	.follows_inside = true,
	.perf_paranoid = 2,
	.available = UINT64_C(8) << 30,
};

static void a_healthy_machine_has_no_warning(void **state)
{
	struct findings f = {0};

	(void)state;
	judge_machine(&f, &healthy, NOT_PERMITTED);
	is(&f, "parsers", FINDING_OK,
	   "confined: seccomp, Landlock, no capabilities, bounds of memory and time", "");
	assert_int_equal(findings_count(&f, FINDING_OK), f.n);
	assert_int_equal(findings_status(&f), 0);
}

/* An ordinary user of an ordinary machine is not alarmed. */
static void nor_has_one_for_a_user(void **state)
{
	struct machine_facts m = healthy;
	struct findings f = {0};

	(void)state;
	m.us = 1000;
	m.can_trace = m.can_count = false;
	judge_machine(&f, &m, NOT_PERMITTED);
	assert_int_equal(findings_count(&f, FINDING_OK), f.n);
	is(&f, "rights", FINDING_OK, "this user's own", "");
	is(&f, "perf", FINDING_OK, "is 2; --count takes CAP_PERFMON, or root", "");
}

static void each_lack_of_a_machine_has_its_remedy(void **state)
{
	struct machine_facts m = healthy;
	struct findings f = {0};

	(void)state;
	m.can_trace = m.can_count = false;
	m.yama = 1;
	m.perf_paranoid = 4;
	m.fast_lacks = "this processor has no cmpxchg16b";
	m.follows_inside = false;
	m.debuginfod_urls = true;
	m.available = 20 << 20;
	m.unconfined = "Landlock, a seccomp filter";
	judge_machine(&f, &m, NOT_PERMITTED);
	is(&f, "tracing", FINDING_WARN, "ptrace_scope is 1", "set it to 0");
	is(&f, "rights", FINDING_WARN, "root without CAP_SYS_PTRACE", "--cap-add=SYS_PTRACE");
	is(&f, "engine", FINDING_WARN, "cmpxchg16b", "--engine=trap");
	is(&f, "perf", FINDING_WARN, "perf_event_paranoid is 4",
	   "run mprof as root; for --time-unit=i");
	is(&f, "inside", FINDING_WARN, "openat2(2) is not there", "Linux 5.6");
	is(&f, "debug", FINDING_WARN, "no libdebuginfod.so.1", "install");
	is(&f, "memory", FINDING_WARN, "20 MiB", "more");
	is(&f, "parsers", FINDING_WARN, "confined without Landlock, a seccomp filter", "kernel");
	assert_int_equal(findings_status(&f), 0);
}

static void what_forbids_everything_fails(void **state)
{
	struct machine_facts m = healthy;
	struct findings f = {0};

	(void)state;
	m.yama_forbids = "the cause";
	m.yama_remedy = "the remedy";
	judge_machine(&f, &m, NOT_PERMITTED);
	is(&f, "tracing", FINDING_FAIL, "the cause", "the remedy");
	assert_int_equal(findings_status(&f), NOT_PERMITTED);
}

/* ---- a process ---- */

static void a_container_is_no_obstacle(void **state)
{
	const struct process_facts p = {.threads = 2,
					.pid_namespaces = 1,
					.inner = 7,
					.other_root = true,
					.confined = "docker-default (enforce)"};
	struct findings f = {0};

	(void)state;
	judge_process(&f, &p);
	assert_int_equal(findings_count(&f, FINDING_OK), f.n);
	is(&f, "container", FINDING_OK, "where it is process 7, with another /", "");
	is(&f, "confined", FINDING_OK, "docker-default (enforce)", "");
}

static void a_filter_is_one_only_for_those_who_cannot_suspend_it(void **state)
{
	struct process_facts p = {.threads = 1, .seccomp = 2, .confined = ""};
	struct findings f = {0}, by_root = {0}, strict = {0};

	(void)state;
	judge_process(&f, &p);
	is(&f, "seccomp", FINDING_WARN, "a seccomp filter", "CAP_SYS_ADMIN");
	p.seccomp = 1;
	judge_process(&strict, &p);
	is(&strict, "seccomp", FINDING_WARN, "strict seccomp", "--engine=trap");
	p.can_admin = true;
	judge_process(&by_root, &p);
	is(&by_root, "seccomp", FINDING_OK, "strict seccomp", "");
}

/* ---- a program ---- */

static void rights_that_tracing_takes_away_are_told(void **state)
{
	struct program_facts p = {.file = "/bin/su", .setuid = true, .readable = true};
	struct findings f = {0}, by_root = {0};

	(void)state;
	judge_program(&f, &p);
	is(&f, "rights", FINDING_WARN, "setuid", "as root");
	p.can_trace = true;
	judge_program(&by_root, &p);
	is(&by_root, "rights", FINDING_OK, "setuid, which holds", "");
}

static void what_cannot_be_read_is_told(void **state)
{
	const struct program_facts p = {.file = "/opt/secret"};
	struct findings f = {0};

	(void)state;
	judge_program(&f, &p);
	is(&f, "readable", FINDING_WARN, "not be read", "chmod +r /opt/secret");
}

static void a_script_names_its_interpreter(void **state)
{
	const struct program_facts p = {.file = "/bin/sh", .script = "./x", .readable = true};
	struct findings f = {0};

	(void)state;
	judge_program(&f, &p);
	is(&f, "program", FINDING_OK, "./x is a script: its interpreter /bin/sh", "");
}

/* ---- functions ---- */

static const struct function_facts seen[] = {
	{.name = "malloc", .gives = true, .forms_part = true},
	{.name = "free", .frees = true, .forms_part = true},
	{.name = "mprof_mark"},
};

static void an_allocator_that_the_engine_sees_is_well(void **state)
{
	const char *const names[] = {"glibc's", "jemalloc"};
	const struct allocator_facts a = {names, 2, seen, 3, true, NULL};
	struct findings f = {0};

	(void)state;
	judge_allocator(&f, &a);
	is(&f, "allocator", FINDING_OK,
	   "glibc's, jemalloc: 3 functions would be trapped, 2 of them to be told of blocks", "");
	is(&f, "room", FINDING_OK, "", "");
	is(&f, "fast", FINDING_OK, "would see 2 of the 2 functions that tell of blocks", "");
}

static void the_engine_is_refused_for_what_it_would_miss(void **state)
{
	struct function_facts v[2];
	struct allocator_facts a = {NULL, 0, v, 2, false, NULL};
	struct findings f = {0}, refused = {0};

	(void)state;
	memcpy(v, seen, sizeof v);
	v[1].left = "too short";
	judge_allocator(&f, &a);
	is(&f, "allocator", FINDING_OK, "by its functions' names: 2 functions", "");
	is(&f, "room", FINDING_WARN, "no room behind any code", "");
	is(&f, "fast", FINDING_WARN, "its free cannot be seen without a trap: too short",
	   "--engine=trap");
	a.fast_refused = "it has no vdso";
	judge_allocator(&refused, &a);
	is(&refused, "fast", FINDING_WARN, "refused: it has no vdso", "--engine=trap");
}

/* ---- files ---- */

static const struct module_facts complete = {"/bin/a", "DWARF in /usr/lib/debug/a", true, "12", "",
					     ""};

static void files_with_everything_are_well(void **state)
{
	struct findings f = {0};

	(void)state;
	judge_modules(&f, &complete, 1, true);
	assert_int_equal(findings_count(&f, FINDING_OK), 2);
}

/* Each package once, whatever the order of its files. */
static void one_command_installs_what_can_be_installed(void **state)
{
	const struct module_facts v[] = {
		{"/bin/a", ".dynsym", true, "12", "", ""},
		{"/lib/b", ".dynsym", true, "34", "b1", "b1-dbg"},
		{"/lib/c", ".symtab", true, "56", "c1", "c1-dbgsym"},
		{"/lib/b2", "none", true, "78", "b1", "b1-dbg"},
		complete,
	};
	struct findings f = {0};

	(void)state;
	judge_modules(&f, v, 5, true);
	is(&f, "debug", FINDING_WARN, "for 4 of 5 files: a, b, c, b2",
	   "apt-get install b1-dbg c1-dbgsym (and for the rest: --format=json has the build IDs)");
}

/* A truncated name would be another package's. */
static void a_command_ends_with_a_whole_name(void **state)
{
	enum { N = 60 };
	struct module_facts v[N];
	char names[N][32];
	struct findings f = {0};

	(void)state;
	for (size_t i = 0; i < N; i++) {
		snprintf(names[i], sizeof names[i], "a-long-package-%02zu-dbgsym", i);
		v[i] = (struct module_facts){"/lib/b", ".dynsym", true, "78", "b", names[i]};
	}
	judge_modules(&f, v, N, true);
	is(&f, "debug", FINDING_WARN, "for 60 of 60 files", "dbgsym (and for the rest: ");
	is(&f, "debug", FINDING_WARN, "", "apt-get install a-long-package-00-dbgsym ");
}

static void outside_of_doctor_only_what_can_be_installed_is_told(void **state)
{
	const struct module_facts v[] = {
		{"/bin/a", ".dynsym", true, "12", "a1", ""},
		{"/lib/b", ".dynsym", true, "34", "b1", "b1-dbg"},
		{"/lib/c", "DWARF; its split DWARF is missing", true, "56", "c1", "c1-dbgsym"},
		{"/lib/b2", "none", true, "78", "b1", "b1-dbg"},
		{"/lib/d", "DWARF in /e", true, "9a", "d1", "d1-dbg"},
	};
	struct error said;

	(void)state;
	assert_true(names_can_be_installed(v, 5, &said));
	assert_string_equal(said.text, "for the lines and types of b, c, b2: "
				       "apt-get install b1-dbg c1-dbgsym");
	assert_false(names_can_be_installed(v, 1, &said));
	assert_false(names_can_be_installed(v + 4, 1, &said));
	names_are_missing(v, 1, &said);
	assert_string_equal(said.text, "lines and types of a are missing: mprof doctor says "
				       "whether a package has them");
	names_are_missing(v, 5, &said);
	assert_string_equal(said.text, "lines and types of a, b, c, b2 and 1 more are missing: "
				       "mprof doctor says whether a package has them");
}

/* As in a report. */
static void what_is_there_in_part_is_missing(void **state)
{
	struct module_facts v[] = {complete, complete};
	struct findings f = {0};

	(void)state;
	v[1].path = "/lib/b";
	v[1].names = "DWARF; its split DWARF is missing";
	judge_modules(&f, v, 2, true);
	is(&f, "debug", FINDING_WARN, "for 1 of 2 files: b", "b");
}

static void without_a_package_the_build_id_is_told(void **state)
{
	struct module_facts v[] = {complete, {"/lib/b", ".dynsym", true, "abcd", "", ""}};
	struct findings f = {0}, owned = {0}, own = {0}, nobody = {0}, none = {0};

	(void)state;
	judge_modules(&f, v, 2, true);
	is(&f, "debug", FINDING_WARN, "1 of 2 files: b",
	   "no package has installed it: find the debug file of build ID abcd of b");
	judge_modules(&nobody, v, 2, false);
	is(&nobody, "debug", FINDING_WARN, "b", "no package manager that is known here");
	v[1].package = "b1";
	judge_modules(&owned, v, 2, true);
	is(&owned, "debug", FINDING_WARN, "b", "no package that can be installed has it");
	v[1].package = v[1].build_id = "";
	judge_modules(&none, v, 2, true);
	is(&none, "debug", FINDING_WARN, "b", "b has no build ID: compile it with -g");
	judge_modules(&own, v + 1, 1, true);
	is(&own, "debug", FINDING_WARN, "b", "compile b with -g");
}

static void missing_unwind_tables_are_told(void **state)
{
	struct module_facts v[6];
	struct findings f = {0};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		v[i] = complete;
		v[i].unwind = false;
	}
	judge_modules(&f, v, 6, true);
	is(&f, "unwinding", FINDING_WARN, "in a, a, a, a and 2 more",
	   "-fasynchronous-unwind-tables");
}

/* ---- cost ---- */

static void what_was_not_measured_is_not_guessed(void **state)
{
	const struct cost_facts never = {0}, failed = {.asked = true, .why_not = "no uprobes"};
	const struct cost_facts counted = {
		.asked = true, .seconds = 2, .calls = 20000, .stops = 30000, .stop_ns = 10000};
	struct findings f = {0}, g = {0}, h = {0};

	(void)state;
	judge_cost(&f, &never);
	is(&f, "slowdown", FINDING_OK, "not measured: --count=1", "");
	judge_cost(&g, &failed);
	is(&g, "slowdown", FINDING_WARN, "not measured: no uprobes", "");
	judge_cost(&h, &counted);
	is(&h, "slowdown", FINDING_OK, "10000 calls a second; a stop takes 10.0 us", "");
	is(&h, "slowdown", FINDING_OK, "1.15 or more", "");
}

static void who_would_be_slowed_a_lot_by_traps_hears_of_the_fast_engine(void **state)
{
	const struct cost_facts counted = {.asked = true,
					   .seconds = 2,
					   .calls = 1000000,
					   .stops = 1500000,
					   .stop_ns = 10000};
	struct findings f = {0};

	(void)state;
	judge_cost(&f, &counted);
	is(&f, "slowdown", FINDING_WARN, "make of a second 8.50 or more",
	   "--engine=fast makes about 1.02 of it");
}

static void more_lines_than_there_is_room_for_overrun_nothing(void **state)
{
	struct findings f = {0};

	(void)state;
	for (int i = 0; i < 2 * FINDINGS_MAX; i++)
		findings_ok(&f, "x", "%d", i);
	assert_int_equal(f.n, FINDINGS_MAX);
	assert_string_equal(f.v[FINDINGS_MAX - 1].a.why.text, "47");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_machine_has_no_warning),
		cmocka_unit_test(nor_has_one_for_a_user),
		cmocka_unit_test(each_lack_of_a_machine_has_its_remedy),
		cmocka_unit_test(what_forbids_everything_fails),
		cmocka_unit_test(a_container_is_no_obstacle),
		cmocka_unit_test(a_filter_is_one_only_for_those_who_cannot_suspend_it),
		cmocka_unit_test(rights_that_tracing_takes_away_are_told),
		cmocka_unit_test(what_cannot_be_read_is_told),
		cmocka_unit_test(a_script_names_its_interpreter),
		cmocka_unit_test(an_allocator_that_the_engine_sees_is_well),
		cmocka_unit_test(the_engine_is_refused_for_what_it_would_miss),
		cmocka_unit_test(files_with_everything_are_well),
		cmocka_unit_test(one_command_installs_what_can_be_installed),
		cmocka_unit_test(a_command_ends_with_a_whole_name),
		cmocka_unit_test(outside_of_doctor_only_what_can_be_installed_is_told),
		cmocka_unit_test(what_is_there_in_part_is_missing),
		cmocka_unit_test(without_a_package_the_build_id_is_told),
		cmocka_unit_test(missing_unwind_tables_are_told),
		cmocka_unit_test(what_was_not_measured_is_not_guessed),
		cmocka_unit_test(who_would_be_slowed_a_lot_by_traps_hears_of_the_fast_engine),
		cmocka_unit_test(more_lines_than_there_is_room_for_overrun_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
