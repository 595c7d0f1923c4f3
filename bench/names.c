/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names N FILE...		looks up N return addresses, spread over the functions of all files, and the
 *				types of all sizes up to 1000 in each file; tells how long that took
 * names -a N FILE		prints N of these addresses, less one, for addr2line
 */
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct function {
	uint64_t start, size;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The functions of .symtab. Returns how many. */
static size_t functions_of(const char *path, struct function **out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	Elf_Scn *scn = NULL;
	size_t n = 0;
	GElf_Shdr sh;
	GElf_Sym sym;

	*out = NULL;
	while (elf && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;

		for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
			if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_size < 2)
				continue;
			if (n % 1024 == 0 && !(*out = realloc(*out, (n + 1024) * sizeof **out)))
				exit(1);
			(*out)[n++] = (struct function){ sym.st_value, sym.st_size };
		}
	}
	elf_end(elf);
	close(fd);
	return n;
}

/* The @i-th of @n different addresses of a file. */
static uint64_t address(const struct function *f, size_t n_functions, size_t i, size_t n)
{
	const struct function *at = &f[i * n_functions / n];

	return at->start + 1 + i * 7919 % (at->size - 1);
}

static bool small(uint64_t size, void *ctx)
{
	(void)ctx;
	return size <= 1000;
}

static size_t look_up(struct symbols *s, int module, const char *path, size_t n)
{
	struct function *f;
	size_t n_functions = functions_of(path, &f), found = 0;
	struct sym_frames frames;

	for (size_t i = 0; n_functions && i < n; i++) {
		if (symbols_lookup(s, module, address(f, n_functions, i, n), true, &frames))
			exit(1);
		found += frames.n;
	}
	free(f);
	return found;
}

int main(int argc, char **argv)
{
	int list = argc > 1 && !strcmp(argv[1], "-a"), first = 2 + list, n_files = argc - first;
	struct symbols *s = symbols_new();
	size_t n, found = 0, types = 0;
	struct rusage used;
	struct function *f;

	if (n_files < 1 || !s || !(n = strtoul(argv[1 + list], NULL, 10)))
		return 2;
	if (list) {
		size_t n_functions = functions_of(argv[first], &f);

		for (size_t i = 0; n_functions && i < n; i++)
			printf("0x%" PRIx64 "\n", address(f, n_functions, i, n) - 1);
		return 0;
	}
	double from = now();

	for (int i = 0; i < n_files; i++) {
		int fd = open(argv[first + i], O_RDONLY | O_CLOEXEC);

		if (symbols_add_module(s, argv[first + i], fd) != i)
			return 1;
		close(fd);
		found += look_up(s, i, argv[first + i], n / (size_t)n_files);
	}
	double looked_up = now();

	for (int i = 0; i < n_files; i++) {
		struct sym_type *t;
		size_t m;

		if (symbols_types(s, i, small, NULL, &t, &m))
			return 1;
		types += m;
		free(t);
	}
	getrusage(RUSAGE_SELF, &used);
	printf("frames %zu\ntypes %zu\nlookup %.3f\ntyping %.3f\nmegabytes %.0f\n", found, types,
	       looked_up - from, now() - looked_up, (double)used.ru_maxrss / 1024);
	symbols_free(s);
	return 0;
}
