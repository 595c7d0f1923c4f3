/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two files: one whose names are asked for, and another that these are in: its debug file, what
 * dwz(1) has moved away of several, split DWARF in a .dwp file.
 */
#define ELF_IS_NOT_ALL
#define ELF_SECTIONS ".debug_", ".symtab", ".strtab", ".note", ".gnu_debug", ".shstrtab"
#include "elf_mutator.h"
#include "elf_names.h"

#include <fcntl.h>
#include <limits.h>

/* What comes before the two. */
struct head {
	uint32_t other; /* enum other */
	uint32_t size;	/* of the first file */
};

/* What the other file is called, as the first one and its place tell. */
static const char *const names[] = {"f.debug", "common", "prog.dwp"};

enum { NAMES = sizeof names / sizeof *names };

/* A folder of our own, where both are looked for. What there is of the first one is its name. */
static char folder[] = "/tmp/mprof-fuzz.XXXXXX", program[sizeof folder + sizeof "/prog"];

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_EXPECT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void remove_folder(void)
{
	unlink(program);
	rmdir(folder);
}

static void begin(void)
{
	if (program[0])
		return;
	FUZZ_EXPECT(mkdtemp(folder));
	snprintf(program, sizeof program, "%s/prog", folder);
	write_file(program, (const uint8_t *)"", 0);
	atexit(remove_folder);
}

/* Where the first file ends. */
static size_t middle(const uint8_t *data, size_t size, struct head *h)
{
	memcpy(h, data, sizeof *h);
	return sizeof *h + (h->size < size - sizeof *h ? h->size : size - sizeof *h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char other[PATH_MAX];
	struct head h;

	if (size < sizeof h)
		return 0;
	begin();
	const size_t mid = middle(data, size, &h);
	const struct fuzz_file f = fuzz_file(data + sizeof h, mid - sizeof h);
	struct symbols *s = symbols_new();

	FUZZ_EXPECT(s);
	snprintf(other, sizeof other, "%s/%s", folder, names[h.other % NAMES]);
	write_file(other, data + mid, size - mid);
	ask_names(s, symbols_add_module(s, program, f.fd),
		  code_of(data + sizeof h, mid - sizeof h));
	symbols_free(s);
	unlink(other);
	close(f.fd);
	return 0;
}

/* Mostly the other file is changed. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct head h;

	if (size < sizeof h)
		return LLVMFuzzerMutate(data, size, max);
	const size_t mid = middle(data, size, &h);

	if (seed % 4 == 0 || mid == size)
		elf_mutate(data + sizeof h, mid - sizeof h, mid - sizeof h, seed / 4);
	else
		return mid + elf_mutate(data + mid, size - mid, max - mid, seed / 4);
	return size;
}
