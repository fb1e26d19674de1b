#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# every.bats - requirements on every tool: a long and a short description, hints;
# results are limited for the model, and stored in a file up to 16 MiB.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
}

tools() { # of every plugin of tools that was built, a JSON object a line
	for so in "$top_builddir"/plugins/tools/*.so; do
		mortise plugins info --json "$(basename "$so" .so)" | jq -c '.[].data.tools[]?'
	done
}

@test "every tool has a long and a short description" {
	tools >"$work/tools"
	[ "$(wc -l <"$work/tools")" -ge 20 ]
	wrong=$(jq -r 'select((.description | length) < 30 or (.brief // "" | length) < 12
		or (.brief | length) > (.description | length)
		or (.brief | length) > 200) | .name' "$work/tools")
	[ -z "$wrong" ] || { echo "$wrong"; false; }
}

@test "every tool declares its side effects" {
	tools >"$work/tools"
	[ -s "$work/tools" ]
	# 1 read-only, 2 destructive, 32 handled by the controller; a fetch only reads,
	# but a URL can disclose data, and a language server runs code of the project.
	wrong=$(jq -r 'select((.name | IN("fetch", "find_definition", "find_references",
		"diagnostics", "check_changes") | not) and .hints % 4 == 0 and
		(.hints / 32 | floor) % 2 == 0) | .name' "$work/tools")
	[ -z "$wrong" ] || { echo "$wrong"; false; }
	# No tool is both.
	[ -z "$(jq -r 'select(.hints % 4 == 3) | .name' "$work/tools")" ]
}

@test "unknown arguments of a tool are refused, and the valid ones are named" {
	tools >"$work/tools"
	wrong=$(jq -r 'select(.schema.additionalProperties != false) | .name' "$work/tools")
	[ -z "$wrong" ] || { echo "$wrong"; false; }
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = true
descrption = nothing

[turn]
expect last contains = Unexpected argument descrption in tool call execute_bash. Allowed arguments are: command, is_input, timeout
[call think]
thought = so
mood = good

[turn]
expect last contains = Unexpected argument mood in tool call think. Allowed arguments are: thought
[call finish]
message = Done.
EOF
	run mortise run -C "$work/ws" --model "script:$work/script" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "a long result is cut for the model, and complete in a file" {
	text=$(for n in $(seq 20000); do printf 'word%s ' "$n"; [ $((n % 10)) -ne 0 ] || echo; done)
	printf '[turn]\n[call do]\nwhat = echo\ntext <<END\n%s\nEND\n[turn]\nexpect last contains = %s\n[call finish]\nmessage = Done.\n' \
		"$text" 'The output is long; all of it is in /' >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o core.plugin_path+="$top_builddir/tests/plugins" \
		-o 'controller.tools=bad, finish' -t go
	printf '%s\n' "$output" | tail -n 3
	[ "$status" -eq 0 ]
	file=$(find "$work/state" -path '*/spool/*' -type f)
	[ "$(cat "$file")" = "$text" ]
	run mortise tools call -o controller.tools=view -o sandbox.read+="$work/state" view \
		"{\"path\": \"$file\", \"view_range\": [1500, 1501]}"
	[[ "$output" == *"word14991 "* ]]
	[[ "$output" == *"word15010 "* ]]
}

@test "an endless result is stored up to 16 MiB" {
	printf '[turn]\n[call do]\nwhat = reply_flood\n[turn]\n[call finish]\nmessage = Done.\n' >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o core.plugin_path+="$top_builddir/tests/plugins" \
		-o 'controller.tools=bad, finish' -t go
	[ "$status" -eq 0 ]
	[[ "$output" == *"[The output is long; its beginning is in /"* ]]
	[ "$(stat -c %s "$(find "$work/state" -path '*/spool/*' -type f)")" -eq $((16 << 20)) ]
}

@test "a tool in tools call has its deadline, and a long result its file" {
	mkdir -p "$work/ws"
	printf 'x%.0s' $(seq 40000) >"$work/ws/long.txt"
	cat >"$work/sleep.ini" <<-END
	[tool.napper]
	plugin = ffi
	library = libc.so.6
	deadline = 300ms
	function.sleep.returns = unsigned
	function.sleep.arg.seconds = unsigned
	END
	run timeout 120 mortise tools call --config "$work/sleep.ini" -C "$work/ws" \
		-o controller.tools=napper sleep '{"seconds": 1000}'
	echo "$output"
	[[ "$output" == *"did not finish within 300 ms"* ]]
	run mortise tools call -C "$work/ws" -o controller.tools=bash execute_bash \
		'{"command": "cat long.txt"}'
	file=$(grep -o '/tmp/mortise-call-[^] ;]*' <<<"$output" | head -n 1)
	[ "$(cat "$file")" = "$(cat "$work/ws/long.txt")" ]
	rm -r "${file%/*}"
	run mortise tools call -o controller.tools=bash grep '{"pattern": "x"}'
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"tool grep of \`search\` is not enabled"*"controller.tools+=search"* ]]
	# a tool of a toolset that is enabled already
	run mortise tools list -C "$work/ws" -o controller.tools+=grep
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^grep ' <<<"$output")" -eq 1 ]
	run mortise tools call bash '{"command": "true"}'
	echo "$output"
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: unknown tool \`bash\`; use one of execute_bash, "* ]]
}
