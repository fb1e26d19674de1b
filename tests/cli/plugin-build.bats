#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The ways to build a plugin that doc/plugins.md shows, with the files of pkg-config.
bats_require_minimum_version 1.5.0

setup() {
	command -v pkg-config || skip "pkg-config is not installed"
	export HOME=$BATS_TEST_TMPDIR/home XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	work=$BATS_TEST_TMPDIR/work
	mkdir -p "$work/pc" "$HOME"
	chmod 700 "$work" "$HOME"
	cd "$work"
	# As installed, but with the headers of the source tree.
	for pc in mortise-plugin mortise-harness; do
		sed -e "s#^includedir=.*#includedir=$top_srcdir/sdk-headers#" \
			-e "s#^plugindir=.*#plugindir=$work/plugins#" \
			"$top_builddir/sdk-headers/$pc.pc" > "pc/$pc.pc"
	done
	export PKG_CONFIG_PATH=$work/pc
	unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES LDFLAGS
	cp "$top_srcdir/examples/vendor/wc.c" .
}

# snippet LANGUAGE: the block of doc/plugins.md in this language
snippet() {
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$top_srcdir/doc/plugins.md" | sed '1d;$d'
}

@test "the variables of pkg-config" {
	[ "$(pkg-config --variable=abi mortise-plugin)" = 1.0 ]
	[ "$(pkg-config --variable=userplugindir mortise-plugin)" = .local/lib/mortise/plugins ]
	[[ "$(pkg-config --variable=confdir mortise-plugin)" == */mortise ]]
	[ "$(pkg-config --variable=plugindir mortise-plugin)" = "$work/plugins" ]
}

@test "abi is the version of the header" {
	printf '#include <mortise/plugin.h>\nABI MT_ABI_MAJOR MT_ABI_MINOR\n' > abi.c
	[ "$(${CC:-cc} -E $(pkg-config --cflags mortise-harness) abi.c | sed -n 's/^ABI \([0-9]*\)u \([0-9]*\)u$/\1.\2/p')" \
		= "$(pkg-config --variable=abi mortise-plugin)" ]
}

@test "a directory created by mortise plugins new" {
	mortise plugins new tool words
	make -C words CC="${CC:-cc}" test
	make -C words install plugindir="$(pkg-config --variable=plugindir mortise-plugin)"
	[ -f plugins/words.so ]
}

@test "CMake" {
	command -v cmake || skip "cmake is not installed"
	snippet cmake > CMakeLists.txt
	CC=${CC:-cc} cmake -S . -B build
	cmake --build build
	cmake --install build
	mortise plugins check plugins/wc.so
}

@test "Meson" {
	command -v meson || skip "meson is not installed"
	snippet meson > meson.build
	CC=${CC:-cc} meson setup build
	meson install -C build
	mortise plugins check plugins/wc.so
}
