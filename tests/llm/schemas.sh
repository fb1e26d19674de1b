#!/bin/sh
# SPDX-License-Identifier: MIT
# schemas.sh - every request that we send, judged by the schemas of the providers:
# those of ../shared/data next to the sources, by python3-jsonschema.
schemas=$top_srcdir/../shared/data/schemas/llm
echo "1..7"
skip() {
	for n in 1 2 3 4 5 6 7; do echo "ok $n # SKIP $1"; done
	exit 0
}
[ -d "$schemas" ] || skip "no schemas next to the sources"
python3 -c "import jsonschema" 2> /dev/null || skip "python3-jsonschema is not there"

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=x AWS_REGION=eu-west-1
export KEY=x
number=0
# judge KIND MODEL SETTINGS...
judge() {
	kind=$1 model=$2
	shift 2
	number=$((number + 1))
	if out=$("$top_builddir/tests/llm/requests" "$model" llm.retries=1 \
		llm.base_url=http://127.0.0.1:1/v1 llm.api_key_env=KEY "$@" |
		python3 "$top_srcdir/tests/llm/schemas.py" "$schemas" "$kind" 2>&1); then
		echo "ok $number - $model $*: $out"
	else
		echo "$out" | sed 's/^/# /'
		echo "not ok $number - $model $*"
	fi
}
judge chat openai/gpt-4.1
judge responses openai/gpt-5 llm.api=responses llm.reasoning_effort=low
judge anthropic anthropic/claude-sonnet-4-5 llm.thinking_budget=2048
judge anthropic anthropic/claude-opus-4-7 llm.reasoning_effort=high
judge gemini gemini/gemini-2.5-pro llm.reasoning_effort=medium
judge bedrock bedrock/anthropic.claude-sonnet-4-5-v1:0 llm.thinking_budget=2048
judge bedrock bedrock/amazon.nova-pro-v1:0 llm.vision=yes
