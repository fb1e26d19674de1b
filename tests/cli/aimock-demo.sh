#!/bin/sh
# SPDX-License-Identifier: MIT
# aimock-demo.sh - the repair of the demo over HTTP: npm's @copilotkit/aimock, a
# mock that we did not write, says what the scripted model says, streamed and
# not. Its program is found by $LLMOCK; skipped otherwise.
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
if [ -z "$LLMOCK" ]; then
	echo "1..0 # SKIP LLMOCK does not name the program llmock of @copilotkit/aimock"
	exit 0
fi
tmp=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
n=0
check() { # NAME STATUS
	n=$((n + 1))
	[ "$2" = 0 ] && echo "ok $n - $1" || echo "not ok $n - $1"
}
task='The test of this project fails: see `make check`. Mend it.'
work=$tmp/work

fresh() {
	rm -rf "$work"
	cp -R "$top_srcdir/examples/demo" "$work" && chmod -R u+w "$work"
	rm "$work/repair.script"
}

echo 1..7
fresh
sed "s|@WORKSPACE@|$work|" "$top_srcdir/examples/demo/repair.script" >"$tmp/script"
XDG_STATE_HOME=$tmp/state mortise run -q -C "$work" --model "script:$tmp/script" -t "$task" \
	>"$tmp/out" 2>&1
check 'the scripted model repairs it' $?

# Its replies as fixtures, told apart by how many the request holds.
python3 - "$tmp"/state/mortise/conversations/*/events.jsonl >"$tmp/fixtures.json" <<'EOF'
import json, sys
replies = [json.loads(l) for l in open(sys.argv[1]) if l.startswith('{"record":"llm_reply"')]
print(json.dumps({"fixtures": [
    {"match": {"userMessage": "RUNTIME_INFORMATION", "turnIndex": i},
     "response": {"content": r["text"] or "Next.", "toolCalls": [
         {"name": c["name"], "arguments": json.loads(c["arguments"])} for c in r["calls"]]}}
    for i, r in enumerate(replies)]}))
EOF
$LLMOCK -p 0 -f "$tmp/fixtures.json" >"$tmp/log" 2>&1 &
server=$!
tries=0
port=
while [ -z "$port" ] && [ $((tries += 1)) -lt 200 ]; do
	port=$(sed -n 's/.*127\.0\.0\.1:\([0-9][0-9]*\).*/\1/p' "$tmp/log" | head -n 1)
	[ -n "$port" ] || sleep 0.1
done

for stream in yes no; do
	fresh
	! make -s -C "$work" check >"$tmp/before" 2>&1
	check "stream = $stream: the test fails before" $?
	OPENAI_API_KEY=sk-test XDG_STATE_HOME=$tmp/state-$stream mortise run -C "$work" \
		-m openai/mock -o "llm.base_url=http://127.0.0.1:$port/v1" -o llm.stream=$stream \
		-t "$task" >"$tmp/out" 2>&1
	code=$?
	[ $code = 0 ] || cat "$tmp/out" "$tmp/log" >&2
	check "stream = $stream: the agent finishes" $code
	make -s -C "$work" check >"$tmp/after" 2>&1
	check "stream = $stream: the test passes after" $?
done
