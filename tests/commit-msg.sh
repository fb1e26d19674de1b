#!/bin/sh
# SPDX-License-Identifier: MIT
# commit-msg.sh - scripts/commit-msg accepts good subjects and refuses the others.
tmp=$(mktemp) || exit 1
trap 'rm -f "$tmp"' EXIT
n=0

# subject accepted|refused TEXT
subject() {
	n=$((n + 1))
	printf '%s\n\nA body; it may say anything.\n# a comment\n' "$2" > "$tmp"
	is=accepted
	sh "$top_srcdir/scripts/commit-msg" "$tmp" 2> /dev/null || is=refused
	[ $is = "$1" ] || printf 'not '
	echo "ok $n - $1: $2"
}

while read -r want text; do
	subject "$want" "$text"
done << 'END'
accepted editor: keep CRLF when inserting
accepted policy: do not treat projects under /root as system files
accepted lib, runner: free the frame that was not sent
accepted .ci: name failed tests at the end of the output
accepted doc/tools.md: describe `fetch`
accepted mcp: pass the token in a header
accepted sdk-headers: embed the version
accepted host/*: rename faces to frontends
accepted mcp: serve over http://localhost
accepted Revert "editor: keep CRLF when inserting"
accepted fixup! editor: keep CRLF when inserting
refused policy: a project below /root is no file of the system
refused doc: what of skills needs trust
refused editor: keeps CRLF when inserting
refused editor: kept CRLF and added tests
refused editor: keep CRLF; mcp: serve HTTP
refused editor: keep CRLF when inserting.
refused editor: Keep CRLF when inserting
refused keep CRLF when inserting
refused editor:keep CRLF when inserting
refused registry: a plugin that ended its probe is tried again after a minute, not an hour
refused tests: adding a case
END
subject refused ''
subject refused "$(printf 'lib: keep \001 bytes')"
printf '# a comment\n\nlib: keep CRLF\n' > "$tmp"
n=$((n + 1))
sh "$top_srcdir/scripts/commit-msg" "$tmp" || printf 'not '
echo "ok $n - comments and blank lines before the subject are skipped"
echo "1..$n"
