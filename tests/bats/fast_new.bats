#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Programs that define operators new and delete themselves, because libstdc++ is linked into them or as their
# own: where these only pass on to malloc() and free() both engines see the same, and exceptions go their way;
# where they do more the fast engine refuses and says why.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/engines

# What is passed on is asked for by who calls the operator.
no_operators() {
	jq -e '.direct | length > 1' "$1.json" >/dev/null
	nothing "$(jq -r '.direct[].function | select(startswith("operator"))' "$1.json")"
}

# bin ENGINE SIZE KEY: of the requests of this size
bin() {
	jq "[.bins[] | select(.size == $2)][0].$3" "$1.json"
}

build_forms() {
	cat >forms.cc <<-'EOT'
		#include <cstddef>
		#include <cstdint>
		#include <cstdio>
		#include <cstdlib>
		#include <memory>
		#include <new>
		#include <string>
		#include <vector>
		#ifdef OWN
		static size_t calls;
		void *operator new(size_t n)
		{
			calls++;
			for (;;) {
				if (void *p = malloc(n))
					return p;
				std::new_handler h = std::get_new_handler();
				if (!h)
					throw std::bad_alloc();
				h();
			}
		}
		void *operator new[](size_t n) { return operator new(n); }
		void *operator new(size_t n, const std::nothrow_t &) noexcept { return malloc(n); }
		void *operator new[](size_t n, const std::nothrow_t &) noexcept { return malloc(n); }
		void operator delete(void *p) noexcept { calls++; free(p); }
		void operator delete[](void *p) noexcept { if (p) free(p); }
		void operator delete(void *p, size_t) noexcept { free(p); }
		void operator delete[](void *p, size_t) noexcept { operator delete[](p); }
		#endif
		static int handled;
		static void *spare;
		static void handler()
		{
			handled++;
			free(spare);
			spare = malloc(3001); // the program's own request, inside of operator new
			if (handled == 2)
				std::set_new_handler(nullptr);
		}
		struct own { // operators of a class are functions as others
			char c[3011];
			static void *operator new(size_t n) { return malloc(n + 2); }
			static void operator delete(void *p) { free(p); }
		};
		struct thrower {
			char c[3019];
			thrower() { throw 42; } // what was requested for it is freed by the compiler's code
		};
		struct alignas(64) wide { char c[3008]; }; // 3008 is a multiple of 64
		__attribute__((noinline)) static void plain()
		{
			delete new char[3023];
			delete[] new char[3037];
			delete[] new (std::nothrow) char[3041];
			delete new (std::nothrow) std::string(3049, 'x');
			operator delete(operator new(3061), (size_t)3061);
			operator delete[](operator new[](3067), (size_t)3067);
			std::vector<int> v(771);
			auto w = std::make_unique<char[]>(3083);
		#ifndef OWN
			delete new wide;
			delete[] new (std::nothrow) wide[2];
		#endif
			delete new own;
			operator delete(nullptr);
			operator delete[](nullptr);
		}
		__attribute__((noinline)) static int throws()
		{
			volatile size_t much = PTRDIFF_MAX - 4096;
			int caught = 0;
			try { new thrower; } catch (int n) { caught += n; }
			try { operator new(much); } catch (const std::bad_alloc &) { caught++; }
			if (!operator new(much, std::nothrow)) caught++;
			std::set_new_handler(handler);
			try { operator new[](much); } catch (const std::bad_alloc &) { caught++; }
			return caught;
		}
		int main()
		{
			for (int i = 0; i < 10; i++)
				plain();
			int caught = throws();
			printf("caught %d handled %d\n", caught, handled);
			return 0;
		}
	EOT
	# shellcheck disable=SC2086
	g++ -std=gnu++17 -g -fno-builtin -fno-allocation-dce -w "$@" -o forms forms.cc
}

@test "operators of a static libstdc++ pass on: every form, exceptions and a new handler are the same by both engines" {
	local flags alone
	for flags in "-O0 -static-libstdc++" "-O2 -static-libstdc++ -static-libgcc" "-O2 -static-libstdc++ -no-pie" \
		"-O1 -static-libstdc++ -fno-plt"; do
		# shellcheck disable=SC2086
		build_forms $flags
		alone=$(./forms)
		[ "$alone" = "caught 45 handled 2" ]
		checked_alike ./forms
		for engine in trap fast; do
			[ "$(cat $engine.out)" = "$alone" ] || fail "$flags, $engine: $(cat $engine.out)"
			no_operators $engine
		done
		truncated fast '== 0'
		[ "$(bin fast 3023 allocs) $(bin fast 3023 frees)" = "10 10" ] || fail "$flags"
		[ "$(bin fast 3008 allocs) $(bin fast 6016 allocs)" = "10 10" ] || fail "$flags"
		[ "$(bin fast 3019 frees) $(bin fast 3001 allocs) $(bin fast 3001 frees)" = "1 2 1" ] || fail "$flags"
		# 1 that throws, 1 that gives null, and 3 tries with a handler
		[ "$(jq .totals.failed_allocs fast.json)" = 5 ] || fail "$flags: $(jq -c .totals fast.json)"
	done
}

@test "operators of the program's own that ask malloc are seen there, by both engines" {
	local flags
	for flags in "-O0" "-O2" "-Os -no-pie" "-O2 -static-libstdc++"; do
		# shellcheck disable=SC2086
		build_forms -DOWN $flags
		checked_alike ./forms
		[ "$(cat fast.out)" = "caught 45 handled 2" ]
		no_operators fast
		[ "$(bin fast 3037 allocs) $(bin fast 3037 frees)" = "10 10" ] || fail "$flags"
		[ "$(jq .totals.failed_allocs fast.json)" = 5 ] || fail "$flags: $(jq -c .totals fast.json)"
	done
}

@test "a library with a static libstdc++ of its own is the same by both engines" {
	cat >lib.cc <<-'EOT'
		#include <string>
		#include <vector>
		extern "C" size_t work(void)
		{
			std::vector<std::string> v;
			for (int i = 0; i < 50; i++)
				v.emplace_back(4001 + i, 'x');
			try { throw v.back(); } catch (const std::string &s) { return s.size(); }
		}
	EOT
	echo 'size_t work(void); int main(void) { for (int i = 0; i < 5; i++) if (work() != 4050) return 1; return 0; }' |
		cat <(echo '#include <stddef.h>') - >main.c
	g++ -O1 -g -shared -fPIC -static-libstdc++ -static-libgcc -o libwork.so lib.cc
	gcc -O1 -g -o main main.c -L. -lwork -Wl,-rpath,"$PWD"
	checked_alike ./main
	no_operators fast
	[ "$(bin fast 4002 allocs)" -ge 5 ]
	# What loads it later: nobody is to suffer.
	echo '#include <dlfcn.h>
		#include <stddef.h>
		int main(void) { void *h = dlopen("./libwork.so", RTLD_NOW); size_t (*work)(void) = h ? dlsym(h, "work") : 0;
		for (int i = 0; i < 5; i++) if (!work || work() != 4050) return 1; return 0; }' >main.c
	gcc -O1 -g -o main main.c
	checked_alike ./main
	not grep 'not seen' fast.err
}

@test "an operator that does more than to pass on is exact, or refused with the reason, and exact by traps" {
	local p why='it (asks|calls|frees|jumps|returns|is|does|writes|takes) [a-z ]*'
	for p in newforms-header newforms-arena; do
		by trap "$T/$p"
		[ "$(bin trap 2111 allocs) $(bin trap 2111 frees)" = "6 6" ] || fail "$p"
		status=0
		"$MPROF" run --engine=fast -o /dev/null --data=/dev/null -- "$T/$p" >out 2>err || status=$?
		if [ "$status" = 0 ]; then
			alike "$T/$p"
			continue
		fi
		grep -Eq "its operator new(\[\])?\(unsigned long[a-z_:, &]*\) cannot be seen without a trap: $why; use --engine=trap" err ||
			fail "$p" "$(cat err)"
		[ ! -s out ] || fail "it has run" "$(cat out)"
		limited "$MPROF" run --engine=auto -o /dev/null --data=auto.data -- "$T/$p" 2>err
		says err 'is watched by traps: its operator new'
		"$MPROF" report --format=json auto.data >auto.json
		[ "$(bin auto 2111 allocs) $(bin auto 2111 frees)" = "6 6" ] || fail "$p"
	done
}

@test "where --malloc-lib looks, operators are what is counted, though they pass on" {
	build_forms -O1 -static-libstdc++
	limited "$MPROF" run --malloc-lib=NONE -o /dev/null --data=run.data -- ./forms >out 2>err
	"$MPROF" report --format=json run.data >run.json
	[ "$(bin run 3023 allocs) $(bin run 3023 frees)" = "10 10" ]
	# malloc() by itself is not looked for
	[ "$(bin run 3013 allocs)" = null ]
}

@test "a hooked operator is counted as its definition says, though it passes on" {
	build_forms -O1 -static-libstdc++
	limited "$MPROF" run --hook=new:_Znwm --stats -o /dev/null --data=run.data -- ./forms >out 2>err
	says err 'of the traps: [1-9][0-9]* in calls the allocator made itself'
	limited "$MPROF" run --stats -o /dev/null --data=plain.data -- ./forms >out 2>err
	says err 'of the traps: 0 in calls the allocator made itself'
}

@test "a program with a static libstdc++ that runs is attached to, and its exceptions pass" {
	cat >waits.cc <<-'EOT'
		#include <cstdio>
		#include <new>
		#include <string>
		int main()
		{
			char line[10];
			int caught = 0;
			puts("ready");
			fflush(stdout);
			if (!fgets(line, sizeof line, stdin))
				return 1;
			for (int i = 0; i < 100; i++)
				try {
					std::string s(5003, 'x');
					if (i % 2)
						throw s;
					operator new((size_t)1 << 62);
				} catch (const std::string &) {
					caught++;
				} catch (const std::bad_alloc &) {
					caught += 1000;
				}
			printf("caught %d\n", caught);
			return 0;
		}
	EOT
	g++ -O1 -g -fno-builtin -w -static-libstdc++ -static-libgcc -o waits waits.cc
	mkfifo in
	exec 8<>in
	env "MPROF_TEST_MARK=$MARK" ./waits <in >waits.out 3>&- 8>&- &
	local pid=$!
	await waits.out ready
	attach --engine=fast -o /dev/null --data=fast.data "$pid" 8>&-
	echo go >&8
	ended "$FRONT"
	wait "$pid"
	exec 8>&-
	grep -qx 'caught 50050' waits.out
	"$MPROF" report --format=json fast.data >fast.json
	# each string: into what is thrown it is moved
	[ "$(bin fast 5004 allocs) $(bin fast 5004 frees)" = "100 100" ] || fail "$(jq -c .bins fast.json)"
	[ "$(jq .totals.failed_allocs fast.json)" = 50 ]
	no_operators fast
}

@test "a compiler, cc1, has the same chains by both engines, each checked" {
	local cc1
	cc1=$(gcc -print-prog-name=cc1)
	[ -x "$cc1" ] || skip "there is no cc1 here"
	nm -D "$cc1" | grep -q ' T _Znwm' || skip "cc1 does not define operators new itself"
	cat >some.c <<-'EOT'
		struct list { struct list *next; int n; };
		static int sum(const struct list *l) { int s = 0; for (; l; l = l->next) s += l->n; return s; }
		int twice(const struct list *l) { return 2 * sum(l); }
	EOT
	# What is done may depend on addresses.
	checked_alike setarch -R "$cc1" -O2 -quiet some.c -o /dev/null
	truncated fast '== 0'
	[ "$(checked fast)" -ge "$(jq '.totals.allocs * 9 / 10 | floor' fast.json)" ] || fail "$(cat fast.err)"
	[ "$(jq .totals.allocs fast.json)" -gt 5000 ]
	# Counted beside it in the same run, the sizes are the same, each of them.
	MPROF_ENGINE=fast exact 0 "$cc1" -O2 -quiet some.c -o /dev/null
}
