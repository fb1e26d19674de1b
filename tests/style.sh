#!/bin/sh
# SPDX-License-Identifier: MIT
# style.sh [--lower | --list PATTERN [DIR]] - counts phrases that the project's plain English avoids.
#
# tests/style-patterns names the phrases and what to write instead.
# tests/style-ceilings holds the count that each part of the tree may still have;
# a part or a phrase that it does not name may have none. --lower writes the counts
# of today into it where they fell. --list prints the lines of one phrase.
#
# Text copied from OpenHands does not count: a line that contains "verbatim from
# OpenHands" and the lines after it up to the next blank line.
# It does not run the program, so once is enough.
case ${SANITIZE:-} in ?*) echo '1..0 # SKIP it does not depend on the build'; exit 0 ;; esac
LC_ALL=C
export LC_ALL
top_srcdir=${top_srcdir:-$(dirname "$0")/..}
self=$(cd "$(dirname "$0")" && pwd)/style.sh
cd "$top_srcdir" || exit 1
patterns=tests/style-patterns
ceilings=tests/style-ceilings
tab=$(printf '\t')
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# files: what people and models read, without recorded data
files() {
	find README.md CONTRIBUTING.md quickstart .ci/run Makefile.am configure.ac doc prompts \
		skills scripts examples bench tests sdk-headers lib runner terminal plugins host cli mcp-server \
		-type f \( -name '*.[ch]' -o -name '*.md' -o -name '*.bats' -o -name '*.bash' \
		-o -name '*.sh' -o -name '*.py' -o -name '*.mustache' -o -name '*.ini' \
		-o -name '*.mk' -o -name '*.am' -o -name '*.ac' -o -name 'mortise-chat.1' \
		-o ! -name '*.*' \) \
		! -path 'tests/vectors/*' ! -path 'tests/fixtures/*' ! -path 'tests/fuzz/corpus/*' \
		! -path 'tests/home/*' ! -path 'tests/style*' ! -name 'commit-msg*' ! -path '*/__pycache__/*' \
		2> /dev/null | sort
}

# split: one file of lines for each part of the tree. "There is no" and "no longer"
# are good English.
split() {
	files | xargs grep -nHI '' | awk -v tmp="$tmp" '
		BEGIN {
			n = split("host/controller host/features host/context host/llm host cli mcp-server lib runner " \
				"terminal plugins sdk-headers tests doc prompts skills " \
				"scripts examples bench", parts, " ")
		}
		{
			file = substr($0, 1, index($0, ":") - 1)
			text = substr($0, length(file) + 2)
			text = substr(text, index(text, ":") + 1)
			if (file != last) {
				verbatim = 0
				last = file
				part = "top"
				for (i = n; i > 0; i--)
					if (index(file, parts[i] "/") == 1 &&
					    (part == "top" || length(parts[i]) > length(part)))
						part = parts[i]
				if (part == "host/features") # files move between the two
					part = "host/controller"
				name = part
				gsub("/", "-", name)
			}
			if (text ~ /verbatim from OpenHands/) verbatim = 1
			else if (text ~ /^[ \t]*$/) verbatim = 0
			if (verbatim) next
			gsub(/[Tt]here (is|are|was|were) no /, "there lacks ", text)
			gsub(/ no (longer|more|less|later|earlier|larger|smaller) /, " not- ", text)
			print substr($0, 1, length($0)) > (tmp "/" name ".shown")
			print text > (tmp "/" name ".text")
		}'
}

# counts: "PART PATTERN COUNT" of what there is
counts() {
	for part in host/controller host/features host/context host/llm host cli mcp-server lib runner \
		terminal plugins sdk-headers tests doc prompts skills scripts examples bench top; do
		name=$(echo "$part" | tr / -)
		[ -f "$tmp/$name.text" ] || continue
		while IFS=$tab read -r phrase regex advice; do
			case $phrase in '#'* | '') continue ;; esac
			found=$(grep -cE "$regex" "$tmp/$name.text")
			[ "$found" = 0 ] || echo "$part $phrase $found"
		done < $patterns
	done
}

split
counts > "$tmp/counts"
case ${1:-} in
--lower)
	awk -v counts="$tmp/counts" '
		BEGIN { while ((getline line < counts) > 0) {
			split(line, word, " ")
			now[word[1] " " word[2]] = word[3]
		} }
		/^#/ || NF != 3 { print; next }
		{ key = $1 " " $2
		  if (!(key in now)) next
		  print key, (now[key] < $3 ? now[key] : $3) }' $ceilings > "$tmp/lower" &&
		cat "$tmp/lower" > $ceilings
	exit
	;;
--list)
	regex=$(awk -F "$tab" -v name="$2" '$1 == name { print $2 }' $patterns)
	[ -n "$regex" ] || { echo "style.sh: unknown pattern \`$2\`; see $patterns" >&2; exit 2; }
	for text in "$tmp"/*.text; do
		grep -nE "$regex" "$text" | cut -d: -f1 | awk -v shown="${text%.text}.shown" '
			{ want[$1] }
			END { while ((getline line < shown) > 0) if (++n in want) print line }'
	done | grep "^${3:-}" | cut -c 1-200
	exit 0
	;;
--counts)
	cat "$tmp/counts"
	exit 0
	;;
'') ;;
*)
	echo 'usage: style.sh [--lower | --counts | --list PATTERN [DIR]]' >&2
	exit 2
	;;
esac

count=0
while IFS=$tab read -r phrase regex advice; do
	case $phrase in '#'* | '') continue ;; esac
	count=$((count + 1))
	over=$(awk -v phrase="$phrase" -v ceilings=$ceilings '
		BEGIN { while ((getline line < ceilings) > 0) {
			split(line, word, " ")
			if (line !~ /^#/) allowed[word[1] " " word[2]] = word[3]
		} }
		$2 == phrase && $3 > allowed[$1 " " $2] + 0 {
			print $1 ": " $3 " lines, at most " allowed[$1 " " $2] + 0 " are allowed"
		}' "$tmp/counts")
	[ -z "$over" ] || printf 'not '
	echo "ok $count - $phrase: write $advice"
	[ -z "$over" ] || printf '%s\n' "$over" "see: tests/style.sh --list $phrase" | sed 's/^/# /'
done < $patterns

[ -z "${STYLE_NESTED:-}" ] || exit 0
# The test itself: one line too many is refused, verbatim text is not counted.
mkdir -p "$tmp/tree/tests" "$tmp/tree/doc" "$tmp/tree/lib"
cp $patterns "$tmp/tree/tests"
echo 'doc folder 1' > "$tmp/tree/tests/style-ceilings"
printf 'A folder.\n' > "$tmp/tree/doc/a.md"
printf '/* verbatim from OpenHands */\n"a folder"\n\n"There is no file"\n' > "$tmp/tree/lib/a.c"
count=$((count + 1))
good=$(STYLE_NESTED=1 top_srcdir=$tmp/tree sh "$self" | grep -c '^not ok')
printf 'Two folders.\n' >> "$tmp/tree/doc/a.md"
printf '"the text is no key"\n' >> "$tmp/tree/lib/a.c"
bad=$(STYLE_NESTED=1 top_srcdir=$tmp/tree sh "$self" | grep '^# .* lines, ' | tr '\n' ' ')
[ "$good" = 0 ] && [ "$bad" = '# lib: 1 lines, at most 0 are allowed # doc: 2 lines, at most 1 are allowed ' ] ||
	printf 'not '
echo "ok $count - the counts find one phrase too many"
echo "1..$count"
