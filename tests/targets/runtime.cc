/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps one block; whatever else is kept, its libraries keep on purpose. */
#include <cstdio>
#include <cstdlib>
#include <string>

static void *volatile kept;

int main()
{
	{
		std::string text(100, 'x');

		std::puts(text.c_str());
	}
	kept = std::malloc(1000);
	std::fflush(stdout);
	std::_Exit(0);
}
