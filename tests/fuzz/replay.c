/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TARGET CORPUS: gives each file of a folder to the target once, and prints TAP. What a file does
 * to the target is seen by the sanitizers, which end the process.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static int is_seed(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void replay(int folder, const char *name)
{
	const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	struct stat st;

	FUZZ_EXPECT(fd >= 0 && fstat(fd, &st) == 0);
	const size_t size = (size_t)st.st_size;
	uint8_t *data = malloc(size ? size : 1);

	FUZZ_EXPECT(data && read(fd, data, size) == (ssize_t)size);
	close(fd);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

int main(int argc, char **argv)
{
	struct dirent **seeds;
	const int folder = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	const int n = folder < 0 ? -1 : scandir(argv[1], &seeds, is_seed, alphasort);

	if (n <= 0) {
		fprintf(stderr, "usage: %s FOLDER: one with files to be read\n", argv[0]);
		return 2;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		replay(folder, seeds[i]->d_name);
		printf("ok %d - %s\n", i + 1, seeds[i]->d_name);
		fflush(stdout);
		free(seeds[i]);
	}
	free(seeds);
	close(folder);
	return 0;
}
