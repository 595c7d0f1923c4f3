// SPDX-License-Identifier: BSD-2-Clause
// Two versions of a program, by -DVERSION=1 and 2: something grows, shrinks, goes, comes, and stays
// as it was. What is in which line differs, so that lines are not what tells functions apart.

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#if VERSION == 2
struct cache_entry {
	char key[24];
	char value[200];
};

static void __attribute__((noinline)) appears(std::vector<std::unique_ptr<cache_entry>> &all)
{
	for (int i = 0; i < 300; i++)
		all.push_back(std::make_unique<cache_entry>());
}
#endif

#if VERSION == 1
static void __attribute__((noinline)) vanishes(std::vector<char *> &all)
{
	for (int i = 0; i < 50; i++)
		all.push_back(static_cast<char *>(malloc(777)));
}
#endif

static char *keep(size_t size)
{
	char *block = static_cast<char *>(malloc(size));

	if (!block)
		abort();
	block[0] = 1;
	return block;
}

static void __attribute__((noinline)) grows(std::vector<char *> &all)
{
	for (int i = 0; i < 100 * VERSION * VERSION; i++)
		all.push_back(keep(128));
}

static void __attribute__((noinline)) shrinks(std::vector<char *> &all)
{
	for (int i = 0; i < 400 / VERSION; i++)
		all.push_back(keep(96));
}

static void __attribute__((noinline)) stays(std::vector<char *> &all)
{
	for (int i = 0; i < 200; i++)
		all.push_back(keep(64));
}

// The same is requested, but what was freed is kept.
static void __attribute__((noinline)) forgets(std::vector<char *> &all)
{
	for (int i = 0; i < 80; i++) {
		char *block = keep(512);

		if (VERSION == 1)
			free(block);
		else
			all.push_back(block);
	}
}

// Much more is requested, and nothing of it is kept.
static void __attribute__((noinline)) churns(void)
{
	for (int i = 0; i < 100 * (VERSION - 1); i++)
		free(keep(1000));
}

int main()
{
	static std::vector<char *> all;

	all.reserve(2000);
	grows(all);
	shrinks(all);
	stays(all);
	forgets(all);
	churns();
#if VERSION == 1
	vanishes(all);
#else
	static std::vector<std::unique_ptr<cache_entry>> entries;

	entries.reserve(300);
	appears(entries);
	for (auto &entry : entries)
		entry.release();
#endif
	return all.size() ? 0 : 1;
}
