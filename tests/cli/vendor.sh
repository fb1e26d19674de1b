#!/bin/sh
# SPDX-License-Identifier: MIT
# A vendor's view: install, build examples/vendor outside the tree with nothing
# but the installed headers and pkg-config, check it, have an agent call it.
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
n=0
check() { # NAME STATUS
	n=$((n + 1))
	[ "$2" = 0 ] && echo "ok $n - $1" || echo "not ok $n - $1"
}

echo 1..6
make -C "$top_builddir" install DESTDIR="$tmp/root" > "$tmp/install.log" 2>&1
status=$?
[ $status = 0 ] || cat "$tmp/install.log" >&2
check 'make install DESTDIR' $status

make -C "$top_builddir" installcheck DESTDIR="$tmp/root" > "$tmp/installcheck.log" 2>&1
status=$?
[ $status = 0 ] || tail -n 40 "$tmp/installcheck.log" >&2
check 'make installcheck DESTDIR' $status

pc=$(find "$tmp/root" -name mortise-plugin.pc)
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$tmp/root"
mkdir "$tmp/vendor" && cp "$top_srcdir"/examples/vendor/* "$tmp/vendor" &&
	make -C "$tmp/vendor" CC="${CC:-cc}" CFLAGS='-O2 -Wall -Wextra -Werror' >&2
check 'the example builds with pkg-config alone' $?
unset PKG_CONFIG_SYSROOT_DIR
plugindir=$(pkg-config --variable=plugindir mortise-plugin)
make -C "$tmp/vendor" install DESTDIR="$tmp/root" >&2 &&
	[ -f "$tmp/root$plugindir/wc.so" ] && [ -f "$tmp/root$plugindir/bash.so" ]
check 'it installs where pkg-config says' $?

mortise plugins check "$tmp/vendor/wc.so" > "$tmp/check.out" 2>&1
status=$?
cat "$tmp/check.out" >&2
grep -q "tool wc" "$tmp/check.out" && [ $status = 0 ]
check 'mortise plugins check accepts and describes it' $?

mkdir "$tmp/work" && printf 'one two\nthree\nfour five six\n' > "$tmp/work/lines.txt"
cat > "$tmp/wc.script" <<'END'
[turn]
expect tool = count_words
[call count_words]
path = lines.txt
[turn]
expect last contains = 3 lines, 6 words, 28 bytes
[call finish]
message = It has three lines.
END
mortise run -C "$tmp/work" --model "script:$tmp/wc.script" \
	-o "core.plugin_path=$MORTISE_CORE_PLUGIN_PATH,$tmp/vendor" -o controller.tools+=wc \
	-t 'How long is lines.txt?' > "$tmp/run.out" 2>&1
status=$?
cat "$tmp/run.out" >&2
[ $status = 0 ]
check 'an agent calls it and reads the result' $?
