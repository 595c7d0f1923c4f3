/* SPDX-License-Identifier: BSD-2-Clause */
// Objects of classes with virtual functions, and blocks that look like such and are none. Told
// "classes" it says "class BLOCKS BYTES RTTI NAME" for each class of those that live, then "classes";
// "quit" ends it.
#include "target.h"

#include <malloc.h>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <typeinfo>
#include <vector>

#ifdef __GXX_RTTI
enum { RTTI = 1 };
#else
enum { RTTI = 0 };
#endif

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
	uint64_t id = 7;
};

struct Circle : Shape {
	double area() const override { return 3 * r * r; }
	double r = 1;
};

struct Square : Shape {
	double area() const override { return side * side; }
	double side = 2;
	char name[20] = "square";
};

struct Logged {
	virtual ~Logged() = default;
	virtual void log() {}
	long lines = 0;
};

// Its second word but one is the address of a vtable, too: one that is of a part.
struct Both : Circle, Logged {
	void log() override {}
};

// A base without virtual functions: the class's own pointer still comes first.
struct Plain {
	long a = 1, b = 2;
};
struct Later : Plain {
	virtual ~Later() = default;
};

struct Left : virtual Logged {
	long left = 1;
};
struct Right : virtual Logged {
	long right = 1;
};
struct Diamond : Left, Right {
	void log() override {}
};

namespace geo {
namespace {
struct Hidden : Circle {
	double area() const override { return 0; }
};
}
template <class T, int N> struct Grid : Shape {
	double area() const override { return N; }
	T cells[N] = {};
};
}

struct alignas(16) Wide : Shape {
	double area() const override { return 16; }
	long double x = 0;
};

struct Large : Shape {
	double area() const override { return 0; }
	char bytes[50000] = {};
};

/* ---- what is kept ---- */

enum { KEPT_MAX = 20000 };

static struct {
	void *block;
	const char *name;
	int rtti;
} kept[KEPT_MAX];
static size_t n_kept;

static void *keep(void *block, const char *name, int rtti = RTTI)
{
	MUST(n_kept < KEPT_MAX);
	kept[n_kept].block = block;
	kept[n_kept].name = name;
	kept[n_kept++].rtti = rtti;
	return block;
}

static void say_classes()
{
	static bool said[KEPT_MAX];

	memset(said, 0, sizeof said);
	for (size_t i = 0; i < n_kept; i++) {
		size_t n = 0, bytes = 0;

		if (said[i] || !kept[i].name)
			continue;
		for (size_t k = i; k < n_kept; k++) {
			if (!kept[k].name || strcmp(kept[i].name, kept[k].name))
				continue;
			said[k] = true;
			n++;
			bytes += malloc_usable_size(kept[k].block);
		}
		say("class %zu %zu %s %s\n", n, bytes, kept[i].rtti ? "true" : "false",
		    kept[i].name);
	}
	say("classes\n");
}

/* ---- what is none ---- */

static void nothing(void *) {}

// As a table of functions in C is, with nothing before them, like an offset and type information
// that are not there.
extern const struct {
	void *before[2];
	void (*functions[3])(void *);
} table;
const decltype(table) table = { { nullptr, nullptr }, { nothing, nothing, nothing } };

// Volatile, or what is only written would be no write at all.
static void *none(const void *first, uint64_t second)
{
	volatile uint64_t *block = (volatile uint64_t *)malloc(40);

	MUST(block);
	block[0] = (uintptr_t)first;
	block[1] = second;
	block[2] = block[3] = block[4] = (uintptr_t)first;
	return (void *)block;
}

static void make_decoys()
{
	Circle *c = new Circle;
	Both *b = new Both;
	uint64_t vtable, part;

	memcpy(&vtable, c, sizeof vtable);
	memcpy(&part, (void *)static_cast<Logged *>(b), sizeof part);
	for (int i = 0; i < 20; i++) {
		keep(none((void *)(vtable + 8), 3), nullptr);
		keep(none((void *)(vtable - 16), 3), nullptr);
		keep(none((void *)(vtable + 1), vtable + 2), nullptr);
		keep(none((void *)part, 0), nullptr);
		keep(none("text that is not written to", 2), nullptr);
		keep(none((void *)nothing, 1), nullptr);
		/* A number, and a member behind it: no array of so many. */
		keep(none((void *)5, vtable), nullptr);
		keep(none((void *)vtable, 0), "Circle");
		operator delete(n_kept ? kept[--n_kept].block : nullptr);
#ifdef __GXX_RTTI
		keep(none(&typeid(Circle), 1), nullptr);
#endif
	}
	delete c;
	delete b;
	// What was an object, and has not been written to since.
	static void *gone[400];
	for (auto &p : gone)
		p = new Square[2];
	for (auto &p : gone)
		delete[] (Square *)p;
	for (auto &p : gone)
		p = keep(malloc(2 * sizeof(Square) + 8), nullptr);
}

int main()
{
	setvbuf(stdout, nullptr, _IONBF, 0);
	make_decoys();
	keep(none(table.functions, 0), "table");
	for (int i = 0; i < 1060; i++)
		keep(new Circle, "Circle");
	for (int i = 0; i < 300; i++)
		keep(new Both, "Both");
	for (int i = 0; i < 70; i++)
		keep(new Later, "Later");
	for (int i = 0; i < 90; i++)
		keep(new Diamond, "Diamond");
	for (int i = 0; i < 33; i++)
		keep(new geo::Hidden, "geo::(anonymous namespace)::Hidden");
	for (int i = 0; i < 44; i++)
		keep(new geo::Grid<char, 40>, "geo::Grid<char, 40>");
	for (int i = 0; i < 12; i++)
		keep(new Square[2 + i], "Square[]");
	keep(new Square[5000], "Square[]");
	keep((char *)(void *)new Square[1] - 8, "Square (8 bytes into the block)");
	for (int i = 0; i < 5; i++)
		keep((char *)(void *)new Wide[3 + i] - 16, "Wide[]");
	for (int i = 0; i < 3; i++)
		keep(new Large, "Large");
	keep((char *)(void *)new Large[3] - 8, "Large[]");
	for (size_t i = 0; i < n_kept; i++)
		if (kept[i].name && !strcmp(kept[i].name, "Square[]"))
			kept[i].block = (char *)kept[i].block - 8;
	struct Local : Shape {
		double area() const override { return 1; }
	};
	for (int i = 0; i < 8; i++)
		keep(new Local, "main::Local");
	for (int i = 0; i < 25; i++)
		keep(new std::ostringstream,
		     "std::__cxx11::basic_ostringstream<char, std::char_traits<char>, "
		     "std::allocator<char> >", 1);
	static std::vector<std::shared_ptr<Shape>> shared(250);
	for (auto &s : shared) {
		auto made = std::make_shared<Square>();

		// The count stands before the object, in the same block.
		keep((char *)(void *)made.get() - 16, "Square (make_shared)");
		s = made;
	}
	char line[64];
	say("ready %d\n", (int)getpid());
	while (fgets(line, sizeof line, stdin)) {
		if (!strcmp(line, "classes\n"))
			say_classes();
		if (!strcmp(line, "quit\n"))
			return 0;
	}
	return 0;
}
