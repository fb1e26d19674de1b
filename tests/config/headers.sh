#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh - each installed header compiles alone, as C11, C17 and C++17, and
# includes nothing but libc and its own kind.
headers=$top_srcdir/sdk-headers
work=$(mktemp -d)
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

compile() { # NAME COMPILER FLAGS
	name=$1
	shift
	for header in "$headers"/mortise/*.h; do
		base=$(basename "$header")
		case $base$language in harness*c++) continue ;; esac # C only
		printf '#define MORTISE_PROVISIONAL\n#include <mortise/%s>\n' "$base" \
			> "$work/alone"
		"$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$headers" \
			-x "$language" "$work/alone" > "$work/out" 2>&1
		report $? "$base as $name" "$work/out"
	done
}

language=c
compile C11 ${CC:-cc} -std=c11
compile C17 ${CC:-cc} -std=c17
language=c++
if command -v "${CXX:-c++}" > /dev/null; then
	compile C++17 "${CXX:-c++}" -std=c++17
else
	count=$((count + 1))
	echo "ok $count - C++17 # SKIP no C++ compiler"
fi

# The harness runs in test programs, not in plugins.
find "$headers/mortise" -name '*.h' ! -name 'harness*.h' -exec grep -hn '^#include <' {} + |
	grep -v -e '<mortise/' -e '<stddef.h>' -e '<stdint.h>' > "$work/out"
[ ! -s "$work/out" ]
report $? "only stddef.h and stdint.h of libc" "$work/out"

# A kind that may still change says so.
for kind in agent condenser dialect runtime analyzer; do
	! echo "#include <mortise/$kind.h>" | ${CC:-cc} -fsyntax-only -I"$headers" -x c - \
		> "$work/out" 2>&1 && grep -q MORTISE_PROVISIONAL "$work/out"
	report $? "$kind.h needs MORTISE_PROVISIONAL" "$work/out"
done
echo "1..$count"
