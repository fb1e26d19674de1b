#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# quickstart and its demo, with a configure that builds nothing: the program is that of
# this build tree. tests/fresh-debian runs the real configure.

bats_require_minimum_version 1.5.0

setup() {
	work=$(mktemp -d)
	mkdir "$work/sources" "$work/tmp"
	cd "$work/sources" || return 1
	mkdir packages examples
	cp "$top_srcdir/quickstart" .
	cp -R "$top_srcdir/examples/demo" examples/demo
	chmod -R u+w examples
	touch packages/debian configure.ac Makefile.in config.h.in
	cat > configure <<-END
	#!/bin/sh
	for arg; do
		case \$arg in
		--prefix=/*) prefix=\${arg#--prefix=} ;;
		--prefix=*) echo 'not an absolute path' >&2; exit 1 ;;
		esac
	done
	printf 'all:\ninstall:\n\tmkdir -p "%s/bin"\n\tln -sf "%s" "%s/bin"\n' \
		"\$prefix" "$top_builddir/mortise" "\$prefix" > Makefile
	END
	chmod +x configure
	unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES MORTISE_BUILD MORTISE_LLM_MODEL
	export TMPDIR=$work/tmp
}

teardown() {
	cd / || return
	rm -rf "$work"
}

fixed() { # the demo completed
	[ "$status" -eq 0 ]
	[[ "$output" == *'==> done. Next: '* ]]
	[ -z "$(find "$work" -name halle.csv)" ]
}

@test 'the demo succeeds twice, and leaves its files where it says' {
	run ./quickstart --scripted
	fixed
	[ -x _build/quickstart/prefix/bin/mortise ]
	run env TERM=dumb ./quickstart --scripted
	fixed
	[ "$(ls "$TMPDIR" | wc -l)" -eq 2 ]
}

@test 'a temporary directory with special characters in its path' {
	export TMPDIR="$work/a b|c&d\\e"
	mkdir "$TMPDIR"
	run ./quickstart --scripted
	fixed
}

@test 'MORTISE_BUILD is relative to the directory of the caller' {
	cd "$work" || return 1
	export MORTISE_BUILD=elsewhere/build
	run sources/quickstart --scripted
	fixed
	[ -x "$work/elsewhere/build/prefix/bin/mortise" ]
	[ ! -e "$work/sources/_build" ]
	export MORTISE_BUILD='a b'
	run -1 sources/quickstart --scripted
	[[ "$output" == *"MORTISE_BUILD contains a space"*": $work/a b" ]]
	[ ! -e "$work/a b" ]
}

@test 'the demo writes only to its directory, so that two can run' {
	run -1 grep '/tmp/' examples/demo/repair.script
}

@test 'sources below a directory with a space; the link of another user is refused' {
	mkdir "$work/a space"
	cp -R . "$work/a space/sources"
	cd "$work/a space/sources" || return 1
	link=/var/tmp/mortise-$(id -u)-$(printf %s "$PWD" | cksum | cut -d ' ' -f 1)
	run ./quickstart --scripted
	[ "$(readlink "$link")" = "$PWD" ]
	fixed
	if [ "$(id -u)" = 0 ]; then
		chown -h 65534 "$link"
		run -1 ./quickstart --scripted
		[ "$output" = "quickstart: $link exists and is not your link to these sources; remove it" ]
	fi
	rm "$link"
}

@test 'an invalid argument gives one line' {
	run -1 ./quickstart tests
	[ "$output" = "quickstart: unknown argument \`tests'; use test, --scripted or --help" ]
	run -1 ./quickstart test now
	[ "${#lines[@]}" -eq 1 ]
	[ ! -e _build ]
}
