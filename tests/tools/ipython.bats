#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ipython.bats - cells in a conversation: with a shell, with images, two kernels.
bats_require_minimum_version 1.5.0

setup() {
	[ -n "$(find -L /usr/share/jupyter /usr/local/share/jupyter -name kernel.json 2>/dev/null)" ] ||
		skip "no Jupyter kernel is installed"
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws/sub" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
}

events() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

play() { # OPTION... : the turns of $work/script
	run mortise run -C "$work/ws" --model "script:$work/script" -t go "$@"
	printf '%s\n' "$output"
}

@test "cells keep their state, follow the shell and show images" {
	cat >"$work/script" <<-'END'
	[turn]
	[call execute_ipython_cell]
	code = x = 20
	[turn]
	[call execute_bash]
	command = cd sub
	[turn]
	[call execute_ipython_cell]
	code <<CODE
	import os
	print(os.path.basename(os.getcwd()), x + 1)
	CODE
	[turn]
	[call execute_ipython_cell]
	code <<CODE
	import base64
	from IPython.display import Image
	Image(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='))
	CODE
	[turn]
	[call finish]
	message = Done.
	END
	play -o controller.tools+=ipython
	[ "$status" -eq 0 ]
	seen=$(events | jq -c 'select(.observation == "run_ipython")')
	[ "$(jq -s length <<<"$seen")" -eq 3 ]
	# The user sees the cells and their output, not the lines for the model.
	[[ "$output" == *$'\n>>> x = 20\n$ cd sub\n>>> import os\n'*$'\n  sub 21\n>>> import base64\n'* ]]
	[[ "$output" != *"[Jupyter"* ]]
	[[ "$(jq -rs '.[1].content' <<<"$seen")" == "sub 21"$'\n'"[Jupyter current working directory: $work/ws/sub]"* ]]
	[ "$(jq -rs '.[1].success' <<<"$seen")" = true ]
	[[ "$(jq -rs '.[2].content' <<<"$seen")" == "[image 1: image/png, "* ]]
	[ "$(jq -rs '.[2].extras.media[0].mime' <<<"$seen")" = image/png ]
	[ "$(events | jq -r 'select(.action == "run_ipython").args.code' | head -n 1)" = "x = 20" ]
}

@test "two kernels are two tools" {
	cat >"$work/config" <<-END
	[tool.calc]
	plugin = ipython
	imports = math
	END
	run mortise tools list --config "$work/config" -o controller.tools=ipython,calc
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 2 ]
	[[ "${lines[1]}" == "calc_execute_ipython_cell "*calc* ]]
	run mortise tools call calc_execute_ipython_cell '{"code":"floor(2.5)"}' --config "$work/config" \
		-C "$work/ws" -o controller.tools=ipython,calc
	[[ "$output" == 2$'\n'* ]]
}

@test "tools call and serve: a failing cell is an error" {
	run --separate-stderr mortise tools call execute_ipython_cell '{"code":"1/0"}' \
		-C "$work/ws" -o controller.tools=ipython
	[ "$status" -eq 1 ]
	[[ "$output" == *"ZeroDivisionError: division by zero"* ]]
	[ "$stderr" = "mortise: the tool reported an error" ]
	for call in 1:1/0 2:1/1; do
		printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"execute_ipython_cell","arguments":{"code":"%s"}}}\n' \
			"${call%%:*}" "${call#*:}"
	done >"$work/calls"
	{
		printf '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
		cat "$work/calls"
	} >"$work/in"
	mortise tools serve -C "$work/ws" -o controller.tools=ipython <"$work/in" >"$work/out"
	[ "$(jq -c 'select(.id == 1).result.isError' "$work/out")" = true ]
	[ "$(jq -c 'select(.id == 2).result.isError' "$work/out")" = false ]
}

@test "a kernel that is not installed gives an error message" {
	run mortise tools call execute_ipython_cell '{"code":"1"}' -C "$work/ws" \
		-o controller.tools=ipython -o tool.ipython.kernel=no-such
	[ "$status" -ne 0 ]
	[[ "$output" == *"unknown Jupyter kernel \`no-such\` (option \`kernel\`); installed: "*python3* ]]
}
