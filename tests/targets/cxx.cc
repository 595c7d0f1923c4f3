// SPDX-License-Identifier: BSD-2-Clause
// operator new and delete in all their forms, and exceptions that leave functions that allocated.
#include "target.h"

#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

struct plain { // no destructor: new[] adds no count
	char c[7001];
};
struct alignas(256) wide {
	char c[7168];
};
struct made {
	char c[7013];
	explicit made(bool fail)
	{
		if (fail)
			throw std::runtime_error("no");
	}
};

namespace deep
{
template <typename T> NOINLINE std::vector<T> *grow(int n)
{
	auto *v = new std::vector<T>;

	for (int i = 0; i < n; i++) {
		v->reserve((size_t)(i + 1) * 7019 / sizeof(T) + 1);
		v->push_back(T());
	}
	return v;
}
} // namespace deep

static NOINLINE void thrower(int n)
{
	std::unique_ptr<char[]> own(new char[7027]);

	fill(own.get(), 7027, n);
	if (n == 0)
		throw 42;
	thrower(n - 1);
	check(own.get(), 7027, n);
}

int main()
{
	plain *volatile p = nullptr;
	wide *volatile w = nullptr;

	for (int i = 0; i < 10; i++) {
		p = new plain;
		if (i % 2)
			delete p;
	}
	bin(sizeof(plain), 10, 5);
	p = new plain[3];
	delete[] p;
	p = new (std::nothrow) plain[3];
	bin(3 * sizeof(plain), 2, 1);
	for (int i = 0; i < 4; i++) {
		w = new wide;
		MUST(!((uintptr_t)w % 256));
		if (i)
			delete w;
	}
	bin(sizeof(wide), 4, 3);
	for (int i = 0; i < 5; i++) { // a throwing constructor gives the memory back
		try {
			made *m = new made(i != 0);
			fill(m->c, sizeof m->c, 1);
		} catch (const std::runtime_error &) {
		}
	}
	bin(sizeof(made), 5, 4);
	for (int i = 0; i < 8; i++) {
		try {
			thrower(5);
			MUST(false);
		} catch (int) {
		}
	}
	bin(7027, 8 * 6, 8 * 6);
	volatile size_t much = PTRDIFF_MAX;
	try {
		p = reinterpret_cast<plain *>(operator new(much));
		MUST(false);
	} catch (const std::bad_alloc &) {
	}
	MUST(!operator new(much, std::nothrow));
	truth("failed 2\n");
	auto *v = deep::grow<char>(3); // one block each of 7020, 14039, 21058 bytes, the last kept
	MUST(v->size() == 3);
	bin(7020, 1, 1);
	bin(14039, 1, 1);
	bin(21058, 1, 0);
	say("cxx: done\n");
	return 0;
}
