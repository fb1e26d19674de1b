#!/bin/sh
# SPDX-License-Identifier: MIT
# sources.sh - the fuzz targets, which `make check` does not run: each source that
# local.mk lists exists, and each target compiles.
here=$top_srcdir/tests/fuzz
cd "$top_srcdir" || exit 1
echo 1..2

missing=$(awk '
	$2 == "=" && /^FUZZ_/ { value[$1] = $3 }
	/^FUZZERS \+=/ { lists = lists " " $3 }
	END {
		for (round = 0; round < 5; round++)
			for (name in value)
				while ((at = index(lists, "$(" name ")")) > 0)
					lists = substr(lists, 1, at - 1) value[name] \
						substr(lists, at + length(name) + 3)
		gsub(/[:,]/, " ", lists)
		print lists
	}' "$here/local.mk" | tr ' ' '\n' | grep '\.c$' | sort -u | while read -r file; do
	[ -e "$file" ] || echo "# $file does not exist"
done)
[ -z "$missing" ] || printf 'not '
echo 'ok 1 - the sources of fuzz targets exist'
[ -z "$missing" ] || echo "$missing"

broken=$(for file in tests/fuzz/fuzz-*.c; do
	# shellcheck disable=SC2046 # a list of words
	${CC:-cc} -std=gnu17 -D_GNU_SOURCE -fsyntax-only -Werror=implicit-function-declaration \
		-Isdk-headers -Ilib -Ihost -Itests -I. \
		$(pkg-config --cflags json-c libcurl libuv) \
		-DBUILD='"."' -DSOURCES='"."' -DKEY_DIR='"."' "$file" 2>&1 | grep -a 'error' | sed 's/^/# /'
done)
[ -z "$broken" ] || printf 'not '
echo 'ok 2 - fuzz targets compile'
[ -z "$broken" ] || echo "$broken"
