#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# code-mode.bats - one cell does the work of many calls, and the model reads only what it
# prints.
bats_require_minimum_version 1.5.0

setup() {
	[ -n "$(find -L /usr/share/jupyter /usr/local/share/jupyter -name kernel.json 2>/dev/null)" ] ||
		skip "no Jupyter kernel is installed"
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	for i in {1..20}; do echo "needle $i." >"$work/ws/f$i.txt"; done
}

@test "one cell does the work of twenty calls; the model reads what the cell prints" {
	cat >"$work/script" <<-'END'
	[turn]
	[call execute_ipython_cell]
	code <<CODE
	texts = [tools.grep(pattern=f"needle {i}\\.", lines=True) for i in range(1, 21)]
	print(sum(f"needle {i + 1}." in text for i, text in enumerate(texts)), "found")
	try:
	    tools.grep(patern="x")
	except ToolError as e:
	    print("refused:", e)
	CODE

	[turn]
	expect last contains = 20 found
	expect last contains = patern
	expect any lacks = needle 7.
	[call finish]
	message = Done.
	END
	run timeout 100 mortise run -C "$work/ws" --model "script:$work/script" -t go \
		-o controller.tools+=ipython,search -o tool.ipython.code_mode=yes
	echo "$output"
	[ "$status" -eq 0 ]
}
