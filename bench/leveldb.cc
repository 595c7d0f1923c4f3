/* SPDX-License-Identifier: BSD-2-Clause */
/* A C++ program that is busy and loses nothing: two threads write to a LevelDB in @argv[1], two
 * read, until it is ended. "ready" when there is enough in it. */
#include <leveldb/cache.h>
#include <leveldb/db.h>

#include <atomic>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

static std::atomic<long> written;

static std::string key(std::minstd_rand &random)
{
	return "key " + std::to_string(random() % 200000);
}

static void write(leveldb::DB *db, unsigned seed)
{
	std::minstd_rand random(seed);

	for (;; written++)
		db->Put(leveldb::WriteOptions(), key(random), std::string(random() % 300, 'v'));
}

static void read(leveldb::DB *db, unsigned seed)
{
	std::minstd_rand random(seed);
	std::string value;

	for (;;)
		db->Get(leveldb::ReadOptions(), key(random), &value);
}

int main(int, char **argv)
{
	leveldb::Options options;
	leveldb::DB *db;

	options.create_if_missing = true;
	options.block_cache = leveldb::NewLRUCache(16 << 20);
	if (!leveldb::DB::Open(options, argv[1], &db).ok())
		return 1;
	std::vector<std::thread> threads;
	for (unsigned i = 1; i <= 2; i++) {
		threads.emplace_back(write, db, i);
		threads.emplace_back(read, db, i);
	}
	while (written < 100000)
		std::this_thread::yield();
	puts("ready");
	fflush(stdout);
	for (auto &t : threads)
		t.join();
}
