#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh - C files are laid out as scripts/format does it. Layouts differ between
# releases of clang-format, so only release 14 counts.
# It does not run the program, so once is enough.
case ${SANITIZE:-} in ?*) echo '1..0 # SKIP it does not depend on the build'; exit 0 ;; esac
cd "$top_srcdir" || exit 1
case $(clang-format --version 2> /dev/null) in
*' version 14.'*) ;;
*)
	echo '1..0 # SKIP clang-format 14 is not installed'
	exit 0
	;;
esac
echo 1..2
if changes=$(scripts/format --check); then
	echo 'ok 1 - scripts/format changes nothing'
else
	echo 'not ok 1 - scripts/format changes nothing'
	printf '%s\n' "$changes" 'Run scripts/format.' | head -n 60 | sed 's/^/# /'
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat > "$tmp/a.c" << 'END'
/* ---- a section ---- */
static const struct row rows[] = {
	{ "a", 1 }, { "long", 22 },
	{ "b",       3 },
};

struct pair {
	int a;         /* the first */
	int longer[2]; /* the second */
};

int f( int a ){
	AUTO(free) char *text = a_function_with_a_long_name_and_arguments(argument_number_one, a);
	return a+1;
}
END
cp "$tmp/a.c" "$tmp/want.c"
cat > "$tmp/edit" << 'END'
s/^int f( int a ){$/int f(int a)\n{/
s/^\t\(AUTO.*\) = \(.*\)$/\t\1 =\n\t\t\2/
s/a+1/a + 1/
END
sed -i -f "$tmp/edit" "$tmp/want.c"
cp .clang-format "$tmp"
scripts/format "$tmp/a.c" && diff "$tmp/want.c" "$tmp/a.c" >&2 || printf 'not '
echo 'ok 2 - code is formatted, tables and members are left as written'
