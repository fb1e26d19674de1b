#!/bin/sh
# SPDX-License-Identifier: MIT
# The tool of doc/plugins.md is the one of examples/vendor, short, and compiles.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
check() { # NAME STATUS
	n=$((n + 1))
	[ "$2" = 0 ] && echo "ok $n - $1" || echo "not ok $n - $1"
}

echo 1..5
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' \
	"$top_srcdir/doc/plugins.md" > "$tmp/wc.c"
cmp "$tmp/wc.c" "$top_srcdir/examples/vendor/wc.c" >&2
check 'doc/plugins.md shows examples/vendor/wc.c' $?
[ "$(wc -l < "$tmp/wc.c")" -le 40 ]
check 'the tool has at most 40 lines' $?
# shellcheck disable=SC2086
build() {
	$CC -O2 -Wall -Wextra -Wshadow -Wwrite-strings -Werror -fPIC -fvisibility=hidden \
		"-I$top_srcdir/sdk-headers" "$@" "$tmp/wc.c" -o "$tmp/wc.so" \
		-shared -Wl,-z,defs >&2
}
build -std=gnu11
check 'it compiles as C11' $?
build -std=gnu17
check 'it compiles as C17' $?
[ "$(nm -D --defined-only "$tmp/wc.so" | awk '{ print $3 }')" = mortise_plugin_v1 ]
check 'it exports one symbol' $?
