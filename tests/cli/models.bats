# SPDX-License-Identifier: MIT
# mortise models: what is known, and prices taken over.

setup() {
	export XDG_DATA_HOME="$BATS_TEST_TMPDIR/data" XDG_CONFIG_HOME="$BATS_TEST_TMPDIR/config"
}

@test "info tells what is known, and what is not told" {
	run mortise models info openai/gpt-4.1
	[ "$status" -eq 0 ]
	[[ "$output" == *"window                   1047576"* ]]
	[[ "$output" == *"(not told)"* ]]
	run mortise models info nobody/knows
	[ "${lines[0]}" = "Nothing is known of nobody/knows." ]
	mortise models info nobody/knows --json | jq -e '.known == false and .tools == false'
}

@test "list finds by a part of a name and by a glob" {
	run mortise models list gpt-4.1
	[ "$status" -eq 0 ]
	[[ "$output" == *"gpt-4.1-mini"* ]]
	[[ "$output" != *claude* ]]
	mortise models list sonnet --json | jq -e 'length > 2 and all(.[]; .window > 0)'
}

@test "import writes a table of one's own that counts at once" {
	cat > "$BATS_TEST_TMPDIR/prices.json" <<-'END'
		{"sample_spec": {}, "nobody/knows": {"mode": "chat", "max_tokens": 77,
		 "input_cost_per_token": 2e-06, "output_cost_per_token": 4e-06}}
	END
	run mortise models import "$BATS_TEST_TMPDIR/prices.json"
	[ "$status" -eq 0 ]
	[ "$(stat -c %a "$XDG_DATA_HOME/mortise/models.ini")" = 600 ]
	mortise models info nobody/knows --json |
		jq -e '.known and .window == 77 and .input_price == 2 and .output_price == 4'
	run mortise models info nobody/knows -o model.nobody/*.window=5
	[[ "$output" == *"window                   5"* ]]
}

@test "what cannot be imported changes nothing" {
	echo '{"a": {}}' > "$BATS_TEST_TMPDIR/none.json"
	run mortise models import "$BATS_TEST_TMPDIR/none.json"
	[ "$status" -eq 1 ]
	[[ "$output" == *"no model is in it"* ]]
	run mortise models import "$BATS_TEST_TMPDIR/missing.json"
	[ "$status" -eq 2 ]
	[ ! -e "$XDG_DATA_HOME/mortise/models.ini" ]
	run mortise models dance
	[ "$status" -eq 2 ]
}
