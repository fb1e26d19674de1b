#!/bin/sh
# SPDX-License-Identifier: MIT
# aimock.sh - conversations with a mock of the providers that we did not write:
# npm's @copilotkit/aimock. Its llmock is found by $LLMOCK, or installed where npx looks;
# skipped otherwise: a test downloads nothing.
plan=5
echo "1..$plan"
skip() {
	i=0
	while [ $((i += 1)) -le $plan ]; do echo "ok $i # SKIP $1"; done
	exit 0
}

if [ -z "$LLMOCK" ]; then
	command -v npx > /dev/null || skip "node is not there"
	npx --no-install -p @copilotkit/aimock llmock --help > /dev/null 2>&1 < /dev/null ||
		skip "aimock is not installed (set LLMOCK to its program llmock)"
	LLMOCK="npx --no-install -p @copilotkit/aimock llmock"
fi
dir=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2> /dev/null; rm -rf "$dir"' EXIT

# Ten turns with a call, told apart by how many replies the request holds.
{
	printf '{"fixtures":['
	for n in 0 1 2 3 4 5 6 7 8 9; do
		printf '{"match":{"userMessage":"work","turnIndex":%d},"response":{' $n
		printf '"content":"Step %d.","toolCalls":[{"name":"bash",' $n
		printf '"arguments":{"command":"echo %d"}}]}},\n' $n
	done
	printf '{"match":{"userMessage":"work","turnIndex":10},'
	printf '"response":{"content":"All done."}}]}'
} > "$dir/fixtures.json"
{
	for n in 0 1 2 3 4 5 6 7 8 9; do
		echo "$n: Step $n. [bash {\"command\":\"echo $n\"}]"
	done
	echo "10: All done."
	echo "calls 11, input counted, retries"
} > "$dir/wanted"

# start FLAGS...: sets $port
start() {
	: > "$dir/log"
	# shellcheck disable=SC2086 # words
	$LLMOCK -p 0 -f "$dir/fixtures.json" "$@" > "$dir/log" 2>&1 &
	server=$!
	tries=0
	port=
	while [ -z "$port" ] && [ $((tries += 1)) -lt 200 ]; do
		port=$(sed -n 's/.*127\.0\.0\.1:\([0-9][0-9]*\).*/\1/p' "$dir/log" | head -n 1)
		[ -n "$port" ] || sleep 0.1
	done
}
stop() {
	kill "$server" 2> /dev/null
	wait "$server" 2> /dev/null
	server=
}

number=0
# check NAME MODEL BASE SETTINGS...: the conversation is the wanted one
check() {
	name=$1 model=$2 base=$3
	shift 3
	MOCK_KEY=mock "$top_builddir/tests/llm/talk" "$model" 20 \
		"llm.base_url=http://127.0.0.1:$port$base" llm.api_key_env=MOCK_KEY \
		llm.retries=30 llm.retry_min_wait=1ms llm.retry_max_wait=2ms "$@" \
		> "$dir/got" 2>&1
	number=$((number + 1))
	if sed 's/retries.*/retries/' "$dir/got" | cmp -s - "$dir/wanted"; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' "$dir/got" "$dir/log"
	fi
}

start --chunk-size 3
check "chat completions as a stream" openai/gpt-4.1 /v1
check "chat completions whole" openai/gpt-4.1 /v1 llm.stream=no
check "Azure's path" azure/gpt-4.1 ""
check "OpenRouter's path" openrouter/openai/gpt-4.1 /api/v1
stop
start --chaos-drop 0.2 --chaos-malformed 0.1 --chaos-disconnect 0.2
check "through dropped requests, broken answers and cut connections" \
	openai/gpt-4.1 /v1
stop
