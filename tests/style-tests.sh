#!/bin/sh
# SPDX-License-Identifier: MIT
# style-tests.sh [DIR] - refuses checks that cannot fail: in bats `! command` (never
# fails before the end of a test), `[ a ] && [ b ]` (does not fail if the first
# does) and `run ! grep x < <(command)` (passes if the command fails), in C CHECK_MSG
# of a constant. A skip in setup_file, which fails in bats 1.8, is refused too.
# It does not run the program, so once is enough.
case ${SANITIZE:-} in ?*) echo '1..0 # SKIP it does not depend on the build'; exit 0 ;; esac
LC_ALL=C
export LC_ALL
self=$(cd "$(dirname "$0")" && pwd)/style-tests.sh
cd "${1:-${top_srcdir:-$(dirname "$0")/..}}" || exit 1
count=0

bats() { find tests -name '*.bats' -o -name '*.bash' | sort; }

# report NAME ADVICE BREACHES: one test
report() {
	count=$((count + 1))
	[ -z "$3" ] || printf 'not '
	echo "ok $count - $1"
	[ -z "$3" ] || printf '%s\n' "$3" "$2" | sed 's/^/# /'
}

negated() { bats | xargs grep -nE '^[[:blank:]]*! ' /dev/null; }

joined() {
	bats | xargs grep -nE '^[[:blank:]]+\[.* \]\]? && \[' /dev/null |
		grep -vE '(\|\|.*|&&|\\)$|\[\[ [^]]* && '
}

unread() { bats | xargs grep -nE '^[[:blank:]]*run (!|-[1-9]).* <\(' /dev/null; }

unversioned() {
	bats | xargs grep -lE '^[[:blank:]]+run (!|-[0-9])' /dev/null |
		xargs -r grep -L '^bats_require_minimum_version'
}

# In bats 1.8 a skip in setup_file fails.
skipped_files() {
	bats | while read -r file; do
		sed -n '/^setup_file()/,/^}/{ /skip /{ =; p; }; }' "$file" | paste - - |
			sed "s|^|$file:|"
	done
}

constants() {
	find tests plugins lib host cli mcp-server -name '*.c' 2> /dev/null | sort |
		xargs grep -nE 'CHECK(_MSG)?\((1|true)[,)]' /dev/null
}

# A small tree with a breach of every rule; prints what is not found.
rules_find_breaches() {
	tree=$(mktemp -d) || return
	mkdir -p "$tree/tests" "$tree/lib" "$tree/plugins" "$tree/host"
	printf '\t! grep x y\n\t! grep x y || break\n\t[ a ] && [ b ]\n\trun ! x\n\trun -1 grep x < <(y)\n' \
		> "$tree/tests/a.bats"
	printf 'setup_file() {\n\t[ x ] || skip "no x"\n}\n' > "$tree/tests/b.bats"
	printf '\tCHECK_MSG(1, "all");\n' > "$tree/tests/a.c"
	found=$(sh "$self" "$tree")
	for want in 'a.bats:1:' 'a.bats:2:' 'a.bats:3:' 'a.bats:5:' '# tests/a.bats' 'a.c:1:' \
		'b.bats:2'; do
		echo "$found" | grep -qF "$want" || echo "not found: $want"
	done
	[ "$(echo "$found" | grep -c '^# tests')" = 7 ] || echo "$found"
	rm -rf "$tree"
}

report 'no negated command in a bats test' 'write: run ! command; or run -1 grep' "$(negated)"
report 'one condition on a line of a bats test' 'write two lines' "$(joined)"
report 'a negated command reads no process substitution' \
	'write: command >file, then run -1 grep x file' "$(unread)"
report 'run ! needs bats_require_minimum_version' 'add bats_require_minimum_version 1.5.0' \
	"$(unversioned)"
report 'no skip in setup_file' 'write: || absent REASON || return 0 (tests/wait.bash)' \
	"$(skipped_files)"
report 'no check of a constant' 'count what goes wrong and check that; CHECK_OOM()' \
	"$(constants)"
[ $# -gt 0 ] || report 'the rules find what breaks them' '' "$(rules_find_breaches)"
echo "1..$count"
