#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints manysites.c: 3000 call sites of malloc in 300 functions, each with a size of its own.
exec awk 'BEGIN {
	print "/* made by manysites.sh */"
	print "#include \"target.h\""
	for (f = 0; f < 300; f++) {
		printf "static NOINLINE void site_%d(void **p)\n{\n", f
		for (s = 0; s < 10; s++)
			printf "\tp[%d] = malloc(%d);\n", s, 10001 + f * 10 + s
		print "}"
	}
	print "int main(void)\n{\n\tvoid *p[10];"
	for (f = 0; f < 300; f++) {
		for (k = 0; k <= f % 2; k++) {
			printf "\tsite_%d(p);\n", f
			print "\tfor (int i = 0; i < 10; i++)\n\t\tMUST(p[i]);"
			if (!k)
				print "\tfor (int i = 0; i < 10; i += 2)\n\t\tfree(p[i]);"
		}
	}
	print "\tfor (int f = 0; f < 300; f++)\n\t\tfor (int s = 0; s < 10; s++)"
	print "\t\t\tbin(10001 + (size_t)(f * 10 + s), 1 + f % 2, s % 2 == 0);"
	print "\tsay(\"manysites: done\\n\");\n\treturn 0;\n}"
}'
