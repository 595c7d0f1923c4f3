#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What make install puts where, and whether debian/ agrees with the Makefile. `make check-packages` builds the package.

bats_require_minimum_version 1.5.0
load ../lib/common

# installed [VARIABLE=VALUE...]: what has been built is installed below ./root; nothing is built for it
installed() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		make -s -C "$ROOT" -o all install B="$B" DESTDIR="$D/root" "$@" 2>install.err || fail "$(cat install.err)"
}

# variable NAME: a variable of the Makefile, one word a line
variable() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		make -s -C "$ROOT" --eval="print-it:;@printf '%s\\n' \$($1)" print-it
}

# field NAME: of the changelog's latest entry
field() {
	dpkg-parsechangelog -l "$ROOT/debian/changelog" -S "$1"
}

@test "make install puts the program, its header, manual, probes and completions there, for all to read" {
	(umask 077 && installed PREFIX=/usr)
	(cd root && find . -type f -printf '%m %P\n' | sort -k 2) >files
	diff - files <<-END
		755 usr/bin/mprof
		644 usr/include/mprof/mprof.h
		644 usr/share/bash-completion/completions/mprof
		644 usr/share/fish/vendor_completions.d/mprof.fish
		644 usr/share/man/man1/mprof-attach.1
		644 usr/share/man/man1/mprof-completion.1
		644 usr/share/man/man1/mprof-control.1
		644 usr/share/man/man1/mprof-detach.1
		644 usr/share/man/man1/mprof-diff.1
		644 usr/share/man/man1/mprof-doctor.1
		644 usr/share/man/man1/mprof-heap.1
		644 usr/share/man/man1/mprof-leaks.1
		644 usr/share/man/man1/mprof-log.1
		644 usr/share/man/man1/mprof-merge.1
		644 usr/share/man/man1/mprof-probes.1
		644 usr/share/man/man1/mprof-report.1
		644 usr/share/man/man1/mprof-rss.1
		644 usr/share/man/man1/mprof-run.1
		644 usr/share/man/man1/mprof-stats.1
		644 usr/share/man/man1/mprof-status.1
		644 usr/share/man/man1/mprof-top.1
		644 usr/share/man/man1/mprof.1
		644 usr/share/man/man5/mprof.data.5
		644 usr/share/man/man5/mprof.probes.5
		644 usr/share/man/man7/mprof-recipes.7
		644 usr/share/mprof/probes
		644 usr/share/pkgconfig/mprof.pc
		644 usr/share/zsh/vendor-completions/_mprof
	END
	bash -n root/usr/share/bash-completion/completions/mprof
	cmp root/usr/share/mprof/probes "$ROOT/share/mprof/probes"
}

@test "the manual names the files where they have been installed" {
	installed PREFIX=/opt/tools
	grep -qx '\.It Pa /opt/tools/share/mprof/probes' root/opt/tools/share/man/man1/mprof.1
	not grep -r /usr/local root/opt
	mandoc -T lint -W warning root/opt/tools/share/man/man*/*
}

@test "a program built with what pkg-config says of mprof tells mprof of its blocks" {
	installed PREFIX=/usr
	export PKG_CONFIG_LIBDIR=$D/root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$D/root
	pkg-config --validate mprof
	[ "$(pkg-config --modversion mprof)" = "$(variable VERSION)" ]
	[ "$("$MPROF" --version)" = "mprof $(pkg-config --modversion mprof)" ]
	[ -r "$(pkg-config --variable=probes mprof)" ]
	printf '#include <mprof/mprof.h>\nint main(void)\n{\n\tstatic char pool[77];\n\tmprof_malloclike(pool, 77);\n}\n' >told.c
	# shellcheck disable=SC2046
	cc -g $(pkg-config --cflags --libs mprof) -o told told.c
	limited "$MPROF" run --data=told.data --format=json -o told.json ./told
	[ "$(jq -c '[.bins[] | select(.size == 77) | .allocs]' told.json)" = '[1]' ] || fail "$(jq -c .bins told.json)"
}

@test "the Debian package has the Makefile's version, and is built with the packages the Makefile names" {
	[ "$(field Version)" = "$(variable VERSION)" ] || fail "$(field Version)"
	[ "$(field Source)" = mprof ]
	awk '/^[^ ]/ { on = 0 } /^Build-Depends:/ { on = 1; $1 = "" } on' "$ROOT/debian/control" |
		grep -v debhelper-compat | tr -d ', ' | sort >control
	# These are build-essential.
	variable BUILD_PACKAGES | grep -vxE 'gcc|make|libc6-dev' | sort | diff - control
}

# small_git: a tree of git in ./small with the script that makes the package, and a PATH on which that is only told of
small_git() {
	mkdir -p small/debian small/web bin
	cp "$ROOT/debian/make-deb" "$ROOT/debian/changelog" small/debian/
	printf '#!/bin/sh\nmkdir -p web/node_modules; echo fetched >web/node_modules/one\n' >small/web/fetch.sh
	sed -i 's|mkdir|cd "${0%/*}/.."; mkdir|' small/web/fetch.sh
	printf '#!/bin/sh\nfind . -type f | sort >../mprof_1.deb; pwd >../mprof_1.dsc; env >../mprof_1.changes\n' >bin/dpkg-buildpackage
	printf '#!/bin/sh\n' >bin/npm
	chmod +x small/web/fetch.sh bin/*
	printf '/build/\n/web/node_modules/\n' >small/.gitignore
	mkdir small/build && touch small/build/left "small/not told yet" small/told small/gone
	git -C small init -q && git -C small add . && git -C small reset -q "not told yet" && rm small/gone
}

@test "a package is made of a copy of what git knows or would take, and of what npm has brought" {
	small_git
	CFLAGS=-O9 MAKEFLAGS=B=x PATH=$D/bin:$PATH limited small/debian/make-deb out >said
	[ "$(cat said)" = "$D/out/mprof_1.deb" ] || fail "$(cat said)"
	diff - out/mprof_1.deb <<-END
		./.gitignore
		./debian/changelog
		./debian/make-deb
		./not told yet
		./told
		./web/fetch.sh
		./web/node_modules/one
	END
	not grep -qE '^(CFLAGS|MAKEFLAGS)=' out/mprof_1.changes
	[ "$(cat out/mprof_1.dsc)" != "$D/small" ] && [ ! -e "$(cat out/mprof_1.dsc)" ]
}

@test "a package that cannot be made says why, and without npm it is made without the page" {
	small_git
	printf '#!/bin/sh\necho no page; exit 3\n' >small/web/fetch.sh
	PATH=$D/bin:$PATH limited small/debian/make-deb out >said 2>err
	grep -qx "the package is built without the page" err
	not grep node_modules out/mprof_1.deb
	printf '#!/bin/sh\necho "nothing fits"; exit 2\n' >bin/dpkg-buildpackage
	run env PATH="$D/bin:$PATH" small/debian/make-deb out
	[ "$status" = 1 ] && [[ $output == *"nothing fits"* ]] || fail "$output"
	[ ! -e out/mprof_1.deb ]
	rm -rf small/.git
	run env GIT_CEILING_DIRECTORIES="$D" small/debian/make-deb out
	[ "$status" = 1 ] && [[ ${lines[-1]} == *"is not the top of a git tree"* ]] || fail "$output"
}
