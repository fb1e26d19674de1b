#!/bin/sh
# SPDX-License-Identifier: MIT
# abi-growth.sh - old and new are compatible: plugins built from the headers run in a
# host built from headers with one more member in every struct, and plugins built from
# those with MT_NEEDS_... at 0 run in this host. Each is described and called.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
count=0

report() { # STATUS NAME [OUTPUT FILE]
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		[ -z "$3" ] || sed 's/^/# /' "$3"
	fi
}

# The headers as a later version could have them.
grow() { # FROM TO
	mkdir -p "$2/mortise"
	cp "$1"/mortise/*.h "$2/mortise"
	for name in plugin tool function; do
		awk '/^struct mt_[a-z_]* \{$/ { sized = 0; inside = 1 }
		     inside && /^\tuint32_t size;/ { sized = 1 }
		     inside && /^};/ { inside = 0; if (sized) print "\tuint64_t grown;" }
		     { print }' "$1/mortise/$name.h" |
			sed 's/^\(#define MT_[A-Z]*_MINOR\) 0u/\1 1u/' > "$2/mortise/$name.h"
	done
}

variable() { # NAME : of the Makefile
	sed -n "s/^$1 = //p" "$top_builddir/Makefile"
}

common="-g -O0 -std=gnu17 -fPIC $SANITIZE"
links="$(variable JSONC_LIBS) $(variable FFI_LIBS) $(variable PCRE2_LIBS) \
	$(variable INIH_LIBS) -lm -pthread"

# plugin NAME SOURCE HEADERS [FLAG]...
plugin() {
	output="$work/$1.so"
	plugin_source=$2
	headers=$3
	shift 3
	# shellcheck disable=SC2086
	${CC:-cc} $common -shared -fvisibility=hidden -I"$headers" -o "$output" "$@" \
		"$plugin_source" -pthread
}

# compile SOURCE... : objects against the grown headers
compile() {
	for source; do
		# shellcheck disable=SC2086
		${CC:-cc} $common -D_GNU_SOURCE -I"$work/grown" -I"$top_srcdir/lib" \
			-I"$top_srcdir/host" -I"$top_srcdir/runner" -I"$top_builddir" \
			-DPLUGIN_DIR='""' $(variable JSONC_CFLAGS) $(variable FFI_CFLAGS) \
			-c -o "$work/objects/$(basename "$source" .c).o" "$source" || return 1
	done
}

build_host() {
	mkdir "$work/objects" && compile "$top_srcdir"/lib/options*.c \
		"$top_srcdir"/lib/function-*.c "$top_srcdir"/runner/*.c || return 1
	# shellcheck disable=SC2086
	${CC:-cc} $SANITIZE -o "$work/mortise-runner" "$work"/objects/*.o \
		"$top_builddir/libmt.a" $links || return 1
	rm "$work"/objects/*.o
	compile "$top_srcdir"/lib/options*.c "$top_srcdir"/lib/function-*.c \
		"$top_srcdir"/host/registry/descriptor.c \
		"$top_srcdir"/host/registry/describe.c \
		"$top_srcdir"/tests/config/abi-growth.c || return 1
	# shellcheck disable=SC2086
	${CC:-cc} $SANITIZE -o "$work/describe" "$work"/objects/*.o \
		"$top_builddir/libmt.a" $links -ldl
}

# call PLUGIN TOOLSET TOOL ARGUMENTS RESULT [RUNNER]
call() {
	mkdir -p "$work/only"
	rm -f "$work"/only/*
	cp "$work/$1.so" "$work/only/$2.so"
	chmod 755 "$work/only/$2.so"
	MORTISE_CORE_RUNNER=${6:-$MORTISE_CORE_RUNNER} mortise tools call \
		-o "core.plugin_path=$work/only,$MORTISE_CORE_PLUGIN_PATH" \
		-o controller.tools="$2" "$3" "$4" > "$work/out" 2>&1
	status=$?
	grep -qxF -e "$5" "$work/out" && [ "$status" = 0 ]
	report $? "$1: $3${6:+ in a grown runner}" "$work/out"
}

grow "$top_srcdir/sdk-headers" "$work/grown"
build_host > "$work/out" 2>&1
report $? "a host with one member more in every struct is built" "$work/out"

printf 'one two\n' > "$work/text"
while IFS='|' read -r name source tool arguments result; do
	arguments=$(printf '%s' "$arguments" | sed "s|@work@|$work|")
	if [ ! -f "$work/old-$name.so" ]; then
		plugin "old-$name" "$top_srcdir/$source" "$top_srcdir/sdk-headers" \
			> "$work/out" 2>&1 &&
			plugin "new-$name" "$top_srcdir/$source" "$work/grown" \
				-DMT_NEEDS_MINOR=0 -DMT_NEEDS_TOOL_MINOR=0 \
				>> "$work/out" 2>&1
		report $? "$name is built from both headers" "$work/out"
		"$work/describe" "$work/old-$name.so" > "$work/out" 2>&1
		report $? "old-$name: described by a grown registry" "$work/out"
	fi
	call "old-$name" "$name" "$tool" "$arguments" "$result" "$work/mortise-runner"
	call "new-$name" "$name" "$tool" "$arguments" "$result"
done << 'END'
wc|examples/vendor/wc.c|count_words|{"path": "@work@/text"}|1 lines, 2 words, 8 bytes
functions|tests/plugins/functions.c|add|{"a": 2, "b": 3}|5
functions|tests/plugins/functions.c|count_byte|{"bytes": "abca", "wanted": 97}|2
many|tests/plugins/many.c|options|{}|name=(unset) size=4096
END

# What needs the newer host says so, and is refused.
plugin newer "$top_srcdir/examples/vendor/wc.c" "$work/grown" > "$work/out" 2>&1
mortise plugins check "$work/newer.so" > "$work/out" 2>&1
grep -q 'built for plugin ABI 1.1, but this mortise has 1.0; update mortise' "$work/out"
report $? "a plugin that needs the newer host is refused" "$work/out"
"$work/describe" "$work/newer.so" > "$work/out" 2>&1
report $? "the newer host takes it" "$work/out"
echo "1..$count"
