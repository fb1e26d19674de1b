#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh [--update] - the frozen part of the ABI against its baseline, by
# libabigail, without suppressions. After an addition, noted in the header's log
# of changes, --update writes the baseline again; what existed never changes.
abi=$top_srcdir/sdk-headers/abi
baseline=$abi/tool-1.abi
if ! command -v abidw > /dev/null || ! command -v abidiff > /dev/null; then
	echo "1..0 # SKIP abigail-tools are not installed"
	exit 0
fi
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the baseline is of x86_64"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # OUTPUT HEADERS_DIR
	${CC:-cc} -std=gnu17 -g -O0 -fPIC -shared -fvisibility=hidden -I"$2" -o "$1" \
		"$abi/witness.c"
}

differs() { # LIBRARY
	abidiff --no-show-locs "$baseline" "$1" > "$work/out" 2>&1
}

build "$work/witness.so" "$top_srcdir/sdk-headers" || exit 1
if [ "$1" = --update ]; then
	abidw --no-corpus-path --no-comp-dir-path --no-show-locs "$work/witness.so" |
		sed "s| path='[^']*'| path='witness.c'|" > "$baseline"
	exit
fi

echo 1..4
if differs "$work/witness.so"; then
	echo "ok 1 - the ABI of tools is as its baseline"
else
	echo "not ok 1 - the ABI of tools is as its baseline"
	sed 's/^/# /' "$work/out"
fi

# The guard guards: each of these would break plugins, and is seen.
count=1
while IFS='|' read -r name file edit; do
	count=$((count + 1))
	rm -rf "$work/headers"
	cp -r "$top_srcdir/sdk-headers" "$work/headers"
	chmod -R u+w "$work/headers"
	sed "$edit" "$top_srcdir/sdk-headers/mortise/$file" > "$work/headers/mortise/$file"
	if build "$work/changed.so" "$work/headers" && ! differs "$work/changed.so"; then
		echo "ok $count - seen: $name"
	else
		echo "not ok $count - seen: $name"
	fi
done << 'END'
a member before others|tool.h|s/const char \*brief; .*/const char *more; const char *brief;/
a wider member|plugin.h|s/uint32_t option_count;/uint64_t option_count;/
another number of a status|plugin.h|s/MT_EIO = -3,/MT_EIO = -13,/
END
