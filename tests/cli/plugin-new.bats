#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise plugins new: each directory that it creates builds without warnings, passes its
# own tests and installs.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR/work
	export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache MORTISE_SDK=$top_srcdir/sdk-headers
	mkdir -p "$work" "$HOME"
	chmod 700 "$work" "$HOME"
	cd "$work"
	umask 022
	unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
}

# works KIND [OPTION]...: a new plugin of the kind builds, passes its tests, installs
works() {
	mortise plugins new "$1" "my-$1" "${@:2}"
	make -C "my-$1" CC="${CC:-cc}" CFLAGS='-O2 -Wall -Wextra -Werror' \
		CXXFLAGS='-std=c++17 -O2 -Wall -Wextra -Werror' test
	make -C "my-$1" install
	[ -f "$HOME/.local/lib/mortise/plugins/my-$1.so" ]
	run -1 grep -rI '@[a-z]*@' "my-$1" --include='*.*' --include=Makefile
	[ -s "my-$1/README.md" ]
}

@test "a tool in C" { works tool; }
@test "a tool in C++" {
	command -v "${CXX:-c++}" || skip "a C++ compiler is not installed"
	works tool --lang c++
}
@test "a tool in Rust" {
	rustc --version || skip "rustc is not installed"
	works tool --lang rust
}
@test "without the headers, make names the variable to set" {
	unset MORTISE_SDK
	mortise plugins new tool my-tool
	mortise plugins new tool my-other --lang c++
	for dir in my-tool my-other; do
		run make -C $dir PKG_CONFIG=false
		[ "$status" -ne 0 ]
		[[ "$output" == *"set PKG_CONFIG_PATH to the directory of mortise-plugin.pc, or MORTISE_SDK"* ]]
		[[ "$output" != *"No such file"* ]]
	done
}

@test "templates that cannot be read: no directory is left" {
	export MORTISE_CORE_TEMPLATE_DIR=$work/none
	mkdir there
	for name in mine there; do
		run mortise plugins new tool mine "$name"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ "$output" == *"cannot read templates in $work/none/common: No such file or directory" ]]
	done
	[ "$(ls)" = there ]
}

@test "a template that cannot be read: nothing is left of the others" {
	cp -r "$top_srcdir/examples" examples
	chmod -R u+w examples
	export MORTISE_CORE_TEMPLATE_DIR=$PWD/examples/templates
	mv examples/templates/tool-c examples/away
	mkdir there
	for name in mine there; do
		run mortise plugins new tool mine "$name"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ "$output" == "mortise: cannot read templates in $PWD/examples/templates/tool-c: No such file or directory" ]]
	done
	mkdir -p examples/templates/tool-c/mine.c
	run mortise plugins new tool mine
	echo "$output"
	[ "$status" -eq 1 ]
	[ ! -e mine ]
	[ -z "$(ls there)" ]
}

@test "an agent" { works agent; }
@test "a condenser" { works condenser; }
@test "an analyzer" { works analyzer; }
@test "a dialect" { works dialect; }
@test "a runtime" { works runtime; }

@test "the tests do not depend on the priority, umask or locale of the caller" {
	umask 027
	export LC_ALL=C
	mortise plugins new runtime mine
	nice -n 5 make -C mine CC="${CC:-cc}" test
}

@test "the directory can be named, and nothing in it is overwritten" {
	mortise plugin new tool words here/
	[ -f here/words.c ]
	grep -qx 'call = words' here/words.cases
	run mortise plugin new tool other here
	[ "$status" -eq 1 ]
	[[ "$output" == *"\`here\` exists and is not an empty directory"* ]]
	mkdir empty
	mortise plugin new agent other empty
	[ -f empty/other.c ]
}

@test "an invalid kind, language or name gives one error message" {
	run mortise plugins new store x
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: unknown kind \`store\`; use tool, agent,"* ]]
	run mortise plugins new agent x --lang c++
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot make a plugin of kind \`agent\` in \`c++\`"* ]]
	run mortise plugins new tool My.Tool
	[ "$status" -eq 2 ]
	[[ "$output" == *"invalid name \`My.Tool\`"* ]]
	run mortise plugins new tool
	[ "$status" -eq 2 ]
	[[ "$output" == *"use new KIND NAME [DIR]"* ]]
	run mortise plugins new tool x no/such/directory
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot make the directory \`no/such/directory\`"* ]]
}
