#!/bin/sh
# SPDX-License-Identifier: MIT
# The tool of doc/plugins.md is the one of examples/vendor, short, and compiles; the
# commands that check it work as they are written.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
check() { # NAME STATUS
	n=$((n + 1))
	[ "$2" = 0 ] && echo "ok $n - $1" || echo "not ok $n - $1"
}

echo 1..7
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

# The commands of the section, in a vendor directory with its own home.
awk '/^## / { on = /^## Checking$/ } on && sub(/^    /, "")' "$top_srcdir/doc/plugins.md" \
	> "$tmp/commands"
mkdir "$tmp/home" "$tmp/vendor" && mv "$tmp/wc.c" "$tmp/wc.so" "$tmp/vendor"
good=0
while read -r command; do
	(cd "$tmp/vendor" && HOME=$tmp/home MORTISE_BUILTIN_PLUGINS=yes \
		sh -c "$command" < /dev/null) >> "$tmp/out" 2>&1 || {
		echo "# failed: $command"
		good=1
	}
done < "$tmp/commands"
[ "$good" = 0 ] && [ "$(wc -l < "$tmp/commands")" -ge 7 ]
check 'the commands of "Checking" work as they are written' $?
grep -q '^wc.so: valid: wc 1.0 provides tool wc$' "$tmp/out" &&
	grep -q 'count_words (read-only, idempotent)' "$tmp/out" &&
	grep -q "^$(wc -l < "$tmp/vendor/wc.c") lines, " "$tmp/out"
status=$?
[ $status = 0 ] || sed 's/^/# /' "$tmp/out"
check 'they find the plugin and call its tool' $status
