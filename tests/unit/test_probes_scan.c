/* SPDX-License-Identifier: BSD-2-Clause */
/* What is found in files: the C library that is mapped here, and small ones compiled here. */
#include "unit/unit.h"
#include "lib/random.h"
#include "probes/probes.h"
#include "probes/scan.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	char dir[64];
	struct module_files files;
	struct scans scans;
	struct probes probes;
};

static int fixture_setup(void **state)
{
	struct fixture *x = calloc(1, sizeof *x);

	*state = x;
	if (!x)
		return -1;
	if (probes_add_builtin(&x->probes, true, NULL))
		return -1;
	x->scans.probes = &x->probes;
	strcpy(x->dir, "/tmp/test_scan.XXXXXX");
	return mkdtemp(x->dir) ? 0 : -1;
}

static int fixture_teardown(void **state)
{
	struct fixture *x = *state;
	char command[128];

	scans_release(&x->scans);
	probes_release(&x->probes);
	module_files_release(&x->files);
	snprintf(command, sizeof command, "rm -r '%s'", x->dir);
	free(x);
	return system(command);
}

/* Number of a new module file; @fd belongs to it. */
static uint32_t add_file(struct fixture *x, const char *path, int fd)
{
	x->files.files = reallocarray(x->files.files, x->files.n + 1, sizeof *x->files.files);
	assert_non_null(x->files.files);
	x->files.files[x->files.n] = (struct module_file){ .path = strdup(path), .fd = fd };
	return (uint32_t)x->files.n++;
}

static const struct scan *scan(struct fixture *x, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	const struct scan *s = scan_file(&x->scans, &x->files, add_file(x, path, fd));
	assert_non_null(s);
	assert_true(s->done);
	return s;
}

/* Compile @source with @flags to a file in the folder; skips the test if that cannot be done
 * here. */
static const struct scan *scan_compiled(struct fixture *x, const char *flags, const char *source)
{
	char path[128], command[1024];
	FILE *f;

	snprintf(path, sizeof path, "%s/source.c", x->dir);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(source, f) >= 0);
	assert_int_equal(fclose(f), 0);
	snprintf(command, sizeof command, "cd '%s' && cc -w %s -o compiled source.c "
					  "2>/dev/null", x->dir,
		 flags);
	if (system(command) != 0) {
		print_message("# cc %s does not work here\n", flags);
		skip();
	}
	snprintf(path, sizeof path, "%s/compiled", x->dir);
	return scan(x, path);
}

static const struct scan_probe *probe_of(void **state, const struct scan *s, const char *name)
{
	const struct fixture *x = *state;

	for (size_t i = 0; i < s->n_probes; i++)
		if (!strcmp(x->probes.v[s->probes[i].probe].name, name))
			return &s->probes[i];
	return NULL;
}

static unsigned ranges_of(const struct scan *s, enum scan_range_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->n_ranges; i++)
		n += s->ranges[i].kind == kind && s->ranges[i].start < s->ranges[i].end;
	return n;
}

/* The C library as the dynamic linker has it; not by an address of malloc, which sanitizers
 * replace. */
static const struct link_map *loaded(const char *name)
{
	struct link_map *map = NULL;
	void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);

	assert_non_null(handle);
	assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	dlclose(handle);
	return map;
}

static uint64_t address_in(const char *library, const char *symbol)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD), *at;

	assert_non_null(handle);
	at = dlsym(handle, symbol);
	dlclose(handle);
	return at ? (uintptr_t)at - loaded(library)->l_addr : 0;
}

/* ---- the libraries of this machine ---- */

static void every_allocator_function_of_the_c_library_is_found(void **state)
{
	const struct scan *s = scan(*state, loaded("libc.so.6")->l_name);

	assert_true(s->dynamic);
	const struct probes *probes = &((struct fixture *)*state)->probes;

	for (size_t i = 0; i < probes->n; i++) {
		uint64_t at = address_in("libc.so.6", probes->v[i].name);
		unsigned found = 0;

		for (size_t j = 0; j < s->n_probes; j++)
			found += s->probes[j].address == at;
		if (found != (at != 0))
			fail_msg("%s: %u times", probes->v[i].name, found);
	}
	assert_non_null(probe_of(state, s, "malloc"));
	assert_non_null(probe_of(state, s, "free"));
}

static void slack_of_the_c_library_is_behind_its_code_and_unused(void **state)
{
	const struct link_map *map = loaded("libc.so.6");
	const struct scan *s = scan(*state, map->l_name);
	const uint8_t *memory = (const uint8_t *)(uintptr_t)map->l_addr;

	assert_in_range(s->slack_start, 1, s->slack_end);
	assert_int_equal(s->slack_end % 4096, 0);
	assert_true(s->slack_end - s->slack_start < 4096);
	assert_int_equal(s->slack_start % 16, 0);
	for (uint64_t i = s->slack_start; i < s->slack_end; i++)
		assert_int_equal(memory[i], 0);
}

enum { FINE, LOST, LESS };

static void use_up_what_is_free(void)
{
	for (size_t size = 1 << 20; size >= 16; size /= 2)
		for (void *volatile p = malloc(size); p; p = malloc(size))
			;
}

/* In a process that gets so many more bytes of addresses. */
static int scanned_within(struct fixture *x, size_t more, size_t whole)
{
	const char *path = loaded("libc.so.6")->l_name;
	unsigned long pages = 0;
	int wstatus;
	pid_t pid = fork();

	if (!pid) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		uint32_t number = add_file(x, path, fd);
		FILE *f = fopen("/proc/self/statm", "re");

		if (!f || fscanf(f, "%lu", &pages) != 1)
			_exit(LESS);
		const rlim_t now = pages * (rlim_t)sysconf(_SC_PAGESIZE);

		setrlimit(RLIMIT_AS, &(struct rlimit){ now, RLIM_INFINITY });
		use_up_what_is_free();
		setrlimit(RLIMIT_AS, &(struct rlimit){ now + more, RLIM_INFINITY });
		const struct scan *s = scan_file(&x->scans, &x->files, number);
		_exit(!s ? LOST : s->n_probes == whole ? FINE : LESS);
	}
	waitpid(pid, &wstatus, 0);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

static void without_memory_for_it_a_file_is_lost_and_not_without_functions(void **state)
{
	struct fixture *x = *state;
	const size_t whole = scan(x, loaded("libc.so.6")->l_name)->n_probes;
	int how = LOST;

#ifdef __SANITIZE_ADDRESS__
	skip(); /* it has addresses without end */
#endif
	for (size_t more = 0; more < 64 << 20 && how != FINE; more += 32 << 10) {
		how = scanned_within(x, more, whole);
		assert_int_not_equal(how, LESS);
	}
	assert_int_equal(how, FINE);
	assert_int_equal(scanned_within(x, 0, whole), LOST);
}

static void the_dynamic_linker_has_the_rendezvous(void **state)
{
	const struct link_map *map = loaded("ld-linux-x86-64.so.2");
	const struct scan *s = scan(*state, map->l_name);

	assert_int_equal(s->rendezvous, _r_debug.r_brk - map->l_addr);
	assert_int_equal(scan(*state, loaded("libc.so.6")->l_name)->rendezvous, 0);
}

/* ---- compiled ---- */

static void only_functions_that_a_file_defines_are_its_own(void **state)
{
	const struct scan *s = scan_compiled(*state, "-shared -fPIC",
					     "void *malloc(long);\n"
					     "int malloc_count, calloc;\n" /* no function */
					     "void mallocy(void) {}\n"
					     "void *use(void) { return malloc(1); }\n"
					     "void free(void *p) {}\n");

	assert_int_equal(s->n_probes, 1);
	assert_non_null(probe_of(state, s, "free"));
	assert_true(s->dynamic);
}

static void names_of_one_function_are_one_probe(void **state)
{
	const struct scan *s = scan_compiled(
		*state, "-shared -fPIC -fno-builtin",
		"#define ALIAS(a, b) void *b(long n) { return 0; } void *a(long) "
		"__attribute__((alias(#b)));\n"
		"ALIAS(malloc, pvalloc) ALIAS(calloc, valloc) ALIAS(realloc, posix_memalign)\n"
		"ALIAS(memalign, aligned_alloc) ALIAS(free, reallocarray)\n");

	assert_int_equal(s->n_probes, 5);
	/* The first of the table names it, whatever the order of the symbols. */
	assert_non_null(probe_of(state, s, "malloc"));
	assert_non_null(probe_of(state, s, "calloc"));
	assert_non_null(probe_of(state, s, "realloc"));
	assert_non_null(probe_of(state, s, "reallocarray")); /* before free */
	assert_non_null(probe_of(state, s, "memalign"));
}

static void what_a_library_keeps_to_itself_is_not_the_allocator(void **state)
{
	const struct scan *s = scan_compiled(*state, "-shared -fPIC -g",
					     "static __attribute__((used)) void *malloc(long n) { "
					     "return 0; }\n"
					     "int x;\n");

	assert_int_equal(s->n_probes, 0);
}

static const char *const operators = "void *_Znwm(long n) { return 0; }\n"
				     "void *_Znam(long n) { return 0; }\n"
				     "void *_ZnwmRKSt9nothrow_t(long n) { return 0; }\n"
				     "void *_ZnamSt11align_val_t(long n) { return 0; }\n"
				     "void _ZdlPv(void *p) {}\n"
				     "void _Znew(void) {}\n";

static void operators_that_only_forward_are_part_of_the_allocator_and_not_trapped(void **state)
{
	const struct scan *s = scan_compiled(*state, "-shared -fPIC -Wl,-soname,"
						     "libstdc++.so.6", operators);

	assert_string_equal(s->soname, "libstdc++.so.6");
	assert_int_equal(ranges_of(s, RANGE_WRAPPER), 4);
	assert_int_equal(s->n_ranges, 4);
	assert_int_equal(s->n_probes, 0);
}

static void operators_of_anybody_else_are_trapped(void **state)
{
	const struct scan *s = scan_compiled(*state, "-shared -fPIC -Wl,-soname,"
						     "libnew.so.1", operators);

	assert_int_equal(ranges_of(s, RANGE_WRAPPER), 4);
	assert_int_equal(s->n_probes, 5);
	assert_non_null(probe_of(state, s, "_ZdlPv"));
}

static void what_the_user_says_of_an_operator_holds_in_a_forwarder(void **state)
{
	struct fixture *x = *state;

	probes_release(&x->probes);
	assert_int_equal(probes_add_hook(&x->probes, "malloc:_Znwm", NULL), 0);
	assert_int_equal(probes_add_builtin(&x->probes, true, NULL), 0);
	const struct scan *s = scan_compiled(*state, "-shared -fPIC -Wl,-soname,"
						     "libstdc++.so.6", operators);

	assert_int_equal(s->n_probes, 1);
	assert_int_equal(s->probes[0].probe, 0);
	assert_true(x->probes.v[0].found);
}

static void a_name_that_the_user_gave_need_not_be_exported(void **state)
{
	struct fixture *x = *state;
	const char *source = "static __attribute__((used, noinline)) void *mine(long n) { return "
			     "0; }\n"
			     "static __attribute__((used, noinline)) void *calloc(long n, long m) "
			     "{ return 0; }\n"
			     "int x;\n";

	assert_int_equal(scan_compiled(*state, "-shared -fPIC", source)->n_probes, 0);
	assert_int_equal(probes_add_hook(&x->probes, "malloc:mine", NULL), 0);
	const struct scan *s = scan_compiled(*state, "-shared -fPIC", source);
	assert_int_equal(s->n_probes, 1);
	assert_non_null(probe_of(state, s, "mine"));
}

/* jemalloc with a prefix, linked into a program that does not export it. */
static void a_programs_own_allocator_by_another_name_need_not_be_exported(void **state)
{
	const char *source = "void *je_malloc(long n) { return 0; }\n"
			     "static __attribute__((used)) void *tc_malloc(long n) { return 0; }\n"
			     "int main(void) { return 0; }\n";
	const struct scan *s = scan_compiled(*state, "", source);

	assert_true(s->dynamic);
	assert_int_equal(s->n_probes, 1);
	assert_non_null(probe_of(state, s, "je_malloc"));
}

static void client_requests_are_found_where_they_stand(void **state)
{
	const struct scan *s = scan_compiled(
		*state, "-shared -fPIC -O1",
		"void f(void) { __asm__ volatile(\"rolq $3, %rdi; rolq $13, %rdi\\n"
		"rolq $61, %rdi; rolq $51, %rdi; .globl here; here: xchgq %rbx, %rbx\"); }\n"
		"void g(void) { __asm__ volatile(\"rolq $3, %rdi; xchgq %rbx, %rbx\"); }\n");
	const struct fixture *x = *state;

	assert_int_equal(s->n_probes, 1);
	assert_int_equal(x->probes.v[s->probes[0].probe].kind, PROBE_REQUEST);
	assert_in_range(s->probes[0].address, s->code_start, s->code_end - 3);
}

/* ---- symbols that are no functions ---- */

static void a_label_in_code_that_others_can_see_is_a_function(void **state)
{
	const struct scan *s = scan_compiled(*state, "-shared -fPIC -nostdlib",
					     "__asm__(\".text\\n.globl malloc\\nmalloc: ret\\n"
					     ".weak free\\nfree: ret\\n\"\n"
					     "\".data\\n.globl calloc\\ncalloc: .quad 0\\n\"\n"
					     "\".globl realloc\\nrealloc = 4096\\n\");\n");

	assert_int_equal(s->n_probes, 2);
	assert_non_null(probe_of(state, s, "malloc"));
	assert_non_null(probe_of(state, s, "free"));
	assert_false(s->probes[0].indirect);
}

/* Because every symbol of a file is considered. */
static void a_label_that_nobody_else_can_see_is_none(void **state)
{
	const struct scan *s = scan_compiled(*state, "-static -nostdlib",
					     "__asm__(\".text\\n.globl _start\\n_start: ret\\n"
					     "malloc: ret\\n\");\n");

	assert_int_equal(s->n_probes, 0);
}

static const char *const chosen = "static void *mine(long n) { return 0; }\n"
				  "static void *choose(void) { return mine; }\n"
				  "void *malloc(long n) __attribute__((ifunc(\"choose\")));\n"
				  "void *je_malloc(long n) __attribute__((ifunc(\"choose\")));\n"
				  "void *use(void) { return malloc(1); }\n"
				  "void *memalign(long a, long n);\n"
				  "void *also(void) { return memalign(16, 1); }\n"
				  "void free(void *p) {}\n";

static void an_ifunc_is_found_by_its_resolver_and_the_slots_it_is_put_into(void **state)
{
	struct fixture *x = *state;
	const struct scan *s = scan_compiled(x, "-shared -fPIC -fno-builtin", chosen);
	const struct scan_probe *p = probe_of(state, s, "malloc");

	assert_int_equal(s->n_probes, 2);
	assert_non_null(p);
	assert_true(p->indirect && s->indirect);
	assert_false(probe_of(state, s, "free")->indirect);
	s = scan_got_entries(&x->scans, &x->files, 0);
	assert_int_equal(s->n_got_entries, 2);
	for (int i = 0; i < 2; i++) {
		const char *name = x->probes.v[s->got_entries[i].probe].name;

		assert_true(!strcmp(name, "malloc") || !strcmp(name, "memalign"));
		assert_int_equal(s->got_entries[i].resolver, 0);
		assert_true(s->got_entries[i].unbound >= s->code_start &&
			    s->got_entries[i].unbound < s->code_end);
	}
}

static void an_ifunc_that_a_file_keeps_to_itself_has_slots_by_its_resolver(void **state)
{
	struct fixture *x = *state;
	scan_compiled(x, "-static", "static void *mine(long n) { return 0; }\n"
				    "static void *choose(void) { return mine; }\n"
				    "void *je_malloc(long n) __attribute__((ifunc(\"choose\")));\n"
				    "int main(void) { return je_malloc(1) != 0; }\n");
	const struct scan *s = scan_got_entries(&x->scans, &x->files, 0);
	const struct scan_probe *p = probe_of(state, s, "je_malloc");

	assert_true(p && p->indirect);
	size_t n = 0;
	for (size_t i = 0; i < s->n_got_entries; i++)
		n += s->got_entries[i].resolver == p->address;
	assert_int_equal(n, 1);
}

static const char *const program = "#include <stdlib.h>\n"
				   "int main(void) { free(malloc(1)); return 0; }\n";

static void assert_has_allocator(void **state, const struct scan *s)
{
	assert_non_null(probe_of(state, s, "malloc"));
	assert_non_null(probe_of(state, s, "calloc"));
	assert_non_null(probe_of(state, s, "realloc"));
	assert_non_null(probe_of(state, s, "free"));
	assert_true(s->slack_start < s->slack_end);
}

static void a_static_program_has_its_allocator_in_its_own_symbols(void **state)
{
	const struct scan *s = scan_compiled(*state, "-static", program);

	assert_has_allocator(state, s);
	assert_false(s->dynamic);
}

/* It has a .dynsym too, but an empty one. */
static void so_has_a_static_program_that_can_be_loaded_anywhere(void **state)
{
	assert_has_allocator(state, scan_compiled(*state, "-static-pie", program));
}

static void a_program_that_only_uses_the_allocator_has_none(void **state)
{
	const struct scan *s = scan_compiled(*state, "", program);

	assert_int_equal(s->n_probes, 0);
	assert_true(s->dynamic);
	assert_in_range(s->slack_end - s->slack_start, 1, 4095);
}

/* The executable segment of the file: the end of what is in it. */
static uint64_t end_of_code(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t end = 0;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	assert_int_equal(pread(fd, &eh, sizeof eh, 0), sizeof eh);
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		assert_int_equal(pread(fd, &ph, sizeof ph, (off_t)(eh.e_phoff + i * sizeof ph)),
				 sizeof ph);
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			end = ph.p_vaddr + ph.p_memsz;
	}
	close(fd);
	return end;
}

/* All in one segment, as linkers did it before 2018. */
static void slack_never_covers_what_the_file_has(void **state)
{
	static const char *const flags[] = { "", "-Wl,-z,noseparate-code", "-no-pie",
					     "-Wl,-z,separate-code",
					     "-Wl,-z,max-page-size=65536" };
	struct fixture *x = *state;
	char path[128];

	snprintf(path, sizeof path, "%s/compiled", x->dir);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		const struct scan *s = scan_compiled(x, flags[i], program);

		assert_true(s->slack_start >= end_of_code(path));
		assert_true(s->slack_start <= s->slack_end && s->slack_end - s->slack_start < 4096);
		unlink(path); /* the next one is another file */
	}
}

/* Its hash table counts only exported symbols. */
static void a_program_that_exports_nothing_has_got_entries(void **state)
{
	struct fixture *x = *state;

	scan_compiled(x, "-no-pie -fno-builtin -Wl,--hash-style=gnu",
		      "void *malloc(long); int main(void) { return !malloc(1); }");
	const struct scan *s = scan_got_entries(&x->scans, &x->files, 0);

	assert_int_equal(s->n_got_entries, 1);
	assert_string_equal(x->probes.v[s->got_entries[0].probe].name, "malloc");
}

static void a_function_that_says_to_be_larger_than_memory_ends_with_it(void **state)
{
	struct fixture *x = *state;
	const struct scan *s = scan_compiled(
		x, "-shared -fPIC",
		"__asm__(\".globl tcache_thread_shutdown\\n\"\n"
		"	\".type tcache_thread_shutdown, @function\\n\"\n"
		"	\"tcache_thread_shutdown: ret\\n.size tcache_thread_shutdown, -1\\n\");\n"
		"void *malloc(long n) { return (void *)n; }\n");

	assert_int_equal(s->n_ranges, 1);
	assert_int_equal(s->ranges[0].kind, RANGE_HOUSEKEEPING);
	assert_true(s->ranges[0].start && s->ranges[0].end == UINT64_MAX);
}

/* ---- files that are none ---- */

static void a_file_that_cannot_be_read_has_nothing_in_it(void **state)
{
	struct fixture *x = *state;
	const struct scan *s = scan_file(&x->scans, &x->files, add_file(x, "[vdso]", -1));

	assert_non_null(s);
	assert_int_equal(s->n_probes, 0);
	assert_int_equal(s->slack_end, 0);
	assert_int_equal(scan(x, "/dev/null")->n_probes, 0);
	assert_int_equal(scan(x, "/etc/passwd")->n_probes, 0);
	assert_int_equal(scan(x, "/")->n_probes, 0);
}

static void a_file_is_looked_at_once(void **state)
{
	struct fixture *x = *state;
	const char *path = loaded("libc.so.6")->l_name;
	size_t n = scan(x, path)->n_probes;

	close(x->files.files[0].fd);
	x->files.files[0].fd = -1;
	for (uint32_t i = 1; i < 40; i++)
		add_file(x, "[none]", -1);
	for (uint32_t i = 40; i-- > 1;)
		assert_int_equal(scan_file(&x->scans, &x->files, i)->n_probes, 0);
	assert_int_equal(scan_file(&x->scans, &x->files, 0)->n_probes, n);
}

static uint8_t *slurp(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	uint8_t *bytes = malloc((size_t)st.st_size);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
	close(fd);
	*len = (size_t)st.st_size;
	return bytes;
}

static void scan_bytes(struct fixture *x, const uint8_t *bytes, size_t len)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/broken", x->dir);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	const struct scan *s = scan(x, path);
	assert_true(s->slack_end - s->slack_start < 4096 || s->slack_start > s->slack_end);
	scans_release(&x->scans);
	probes_release(&x->probes);
	module_files_release(&x->files);
}

static void cut_sections(uint8_t *bytes)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)bytes;

	eh->e_shoff = 0;
	eh->e_shnum = eh->e_shentsize = eh->e_shstrndx = 0;
}

static void scan_again(struct fixture *x, const uint8_t *bytes, size_t len)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/again", x->dir);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	scans_release(&x->scans);
	x->scans.probes = &x->probes;
	module_files_release(&x->files);
	scan(x, path);
	assert_non_null(scan_got_entries(&x->scans, &x->files, 0));
}

static void a_file_without_section_headers_is_found_to_have_the_same(void **state)
{
	static const char *const flags[] = { "-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv",
					     "-Wl,-soname,libmine.so -Wl,-z,now",
					     "-Wl,-z,noseparate-code" };
	struct fixture *x = *state;
	char path[128], all[256];
	size_t len;

	snprintf(path, sizeof path, "%s/compiled", x->dir);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		snprintf(all, sizeof all, "-shared -fPIC -fno-builtin %s", flags[i]);
		const struct scan *s = scan_compiled(x, all, chosen);
		uint64_t at = probe_of(state, s, "malloc")->address;
		uint8_t *bytes = slurp(path, &len);

		cut_sections(bytes);
		scan_again(x, bytes, len);
		s = &x->scans.of[0];
		assert_int_equal(s->n_probes, 2);
		assert_int_equal(s->n_got_entries, 2);
		assert_int_equal(probe_of(state, s, "malloc")->address, at);
		assert_true(s->dynamic && probe_of(state, s, "malloc")->indirect);
		assert_true(i != 2 || !strcmp(s->soname, "libmine.so"));
		free(bytes);
		unlink(path);
		scans_release(&x->scans);
		x->scans.probes = &x->probes;
		module_files_release(&x->files);
	}
}

static void a_damaged_file_without_section_headers_does_no_harm(void **state)
{
	struct fixture *x = *state;
	char path[128];
	size_t len;

	scan_compiled(x, "-shared -fPIC -fno-builtin -Wl,--hash-style=both "
			 "-Wl,-z,noseparate-code", chosen);
	snprintf(path, sizeof path, "%s/compiled", x->dir);
	uint8_t *good = slurp(path, &len), *bad = malloc(len);
	assert_non_null(bad);
	cut_sections(good);
	Elf64_Phdr *ph = (Elf64_Phdr *)(good + ((Elf64_Ehdr *)good)->e_phoff);
	uint64_t dynamic = 0;
	for (unsigned i = 0; i < ((Elf64_Ehdr *)good)->e_phnum; i++)
		dynamic = ph[i].p_type == PT_DYNAMIC ? ph[i].p_offset : dynamic;
	random_state = 43;
	for (int i = 0; i < 600; i++) {
		static const uint8_t extremes[] = { 0, 1, 0x7f, 0x80, 0xff };

		memcpy(bad, good, len);
		/* The segments, the symbols and hash tables that come behind them, .dynamic. */
		for (uint64_t n = 1 + random_word() % 6; n; n--) {
			size_t where = random_word() % 3 ? 64 + random_word() % 1400
							 : dynamic + random_word() % 320;

			if (where < len)
				bad[where] = random_word() % 2
						     ? extremes[random_word() % sizeof extremes]
						     : (uint8_t)random_word();
		}
		scan_again(x, bad, random_word() % 16 ? len : 64 + random_word() % (len - 64));
	}
	free(good);
	free(bad);
}

/* Nothing in a file may crash the tracer: sanitizers watch. */
static void a_damaged_file_does_no_harm(void **state)
{
	struct fixture *x = *state;
	size_t len;
	char path[128];

	scan_compiled(x, "-shared -fPIC",
		      "void *malloc(long n) { return 0; }\nvoid free(void *p) {}\n");
	scans_release(&x->scans);
	probes_release(&x->probes);
	module_files_release(&x->files);
	snprintf(path, sizeof path, "%s/compiled", x->dir);
	uint8_t *good = slurp(path, &len), *bad = malloc(len);
	assert_non_null(bad);
	random_state = 41;
	for (int i = 0; i < 600; i++) {
		memcpy(bad, good, len);
		/* The headers at both ends, and anywhere. */
		for (uint64_t n = 1 + random_word() % 8; n; n--) {
			size_t where = random_word() % 3 == 0 ? random_word() % len :
				       random_word() % 2      ? random_word() % 1024 :
								len - 1 - random_word() % 2048;
			bad[where] = random_word() % 2 ? (uint8_t)random_word() : 0xff;
		}
		scan_bytes(x, bad, i % 3 ? len : random_word() % len);
	}
	free(good);
	free(bad);
}

#define SCAN_TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCAN_TEST(every_allocator_function_of_the_c_library_is_found),
		SCAN_TEST(slack_of_the_c_library_is_behind_its_code_and_unused),
		SCAN_TEST(without_memory_for_it_a_file_is_lost_and_not_without_functions),
		SCAN_TEST(the_dynamic_linker_has_the_rendezvous),
		SCAN_TEST(only_functions_that_a_file_defines_are_its_own),
		SCAN_TEST(names_of_one_function_are_one_probe),
		SCAN_TEST(what_a_library_keeps_to_itself_is_not_the_allocator),
		SCAN_TEST(operators_that_only_forward_are_part_of_the_allocator_and_not_trapped),
		SCAN_TEST(operators_of_anybody_else_are_trapped),
		SCAN_TEST(what_the_user_says_of_an_operator_holds_in_a_forwarder),
		SCAN_TEST(a_name_that_the_user_gave_need_not_be_exported),
		SCAN_TEST(a_programs_own_allocator_by_another_name_need_not_be_exported),
		SCAN_TEST(client_requests_are_found_where_they_stand),
		SCAN_TEST(a_label_in_code_that_others_can_see_is_a_function),
		SCAN_TEST(a_label_that_nobody_else_can_see_is_none),
		SCAN_TEST(an_ifunc_is_found_by_its_resolver_and_the_slots_it_is_put_into),
		SCAN_TEST(an_ifunc_that_a_file_keeps_to_itself_has_slots_by_its_resolver),
		SCAN_TEST(a_static_program_has_its_allocator_in_its_own_symbols),
		SCAN_TEST(so_has_a_static_program_that_can_be_loaded_anywhere),
		SCAN_TEST(a_program_that_only_uses_the_allocator_has_none),
		SCAN_TEST(slack_never_covers_what_the_file_has),
		SCAN_TEST(a_program_that_exports_nothing_has_got_entries),
		SCAN_TEST(a_function_that_says_to_be_larger_than_memory_ends_with_it),
		SCAN_TEST(a_file_that_cannot_be_read_has_nothing_in_it),
		SCAN_TEST(a_file_is_looked_at_once),
		SCAN_TEST(a_file_without_section_headers_is_found_to_have_the_same),
		SCAN_TEST(a_damaged_file_without_section_headers_does_no_harm),
		SCAN_TEST(a_damaged_file_does_no_harm),
	};

	return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
