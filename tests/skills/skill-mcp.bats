#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# skill-mcp.bats - MCP servers of skills: a server starts only after the user agrees.

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
	export XDG_DATA_HOME=$work/data XDG_CACHE_HOME=$work/cache
	mkdir -m 700 "$work/home" "$work/state" "$work/config" "$work/data" "$work/cache"
	export MORTISE_SKILLS_BUNDLED=
	mkdir -p "$work/ws/.agents/skills/zed"
	cd "$work/ws"
	server="$top_srcdir/tests/tools/mcp-hostile.py"
	printf -- '---\nname: zed\ndescription: Stripes.\ntriggers: [zebra]\n---\nAll.\n' \
		>.agents/skills/zed/SKILL.md
	jq -n --arg s "$server" --arg f "$work/started" \
		'{mcpServers: {stripes: {command: "python3", args: [$s, "plain", $f]}}}' \
		>.agents/skills/zed/.mcp.json
}

talk() {
	cat >"$work/script" <<'EOF2'
[turn]
[call think]
thought = Well.
[turn]
[call finish]
message = Done.
EOF2
	mortise run --model "script:$work/script" -t "a zebra"
}

@test "servers of a skill start once it is trusted, with the trusted content" {
	run talk
	[ "$status" -eq 0 ]
	[[ "$output" == *"mortise skills trust zed"* ]]
	[ ! -e "$work/started" ]
	mortise skills show zed | grep -F 'only if they are trusted'
	mortise skills show zed | grep -F '"command":"python3"'
	run mortise mcp list
	[[ "$output" != *stripes* ]]

	run mortise skills trust zed
	[ "$status" -eq 0 ]
	[[ "$output" == *"which are trusted"*"mcp-hostile.py"* ]]
	mortise mcp list | grep stripes
	[ ! -e "$work/started" ]
	mortise mcp test stripes | grep '4 tools'
	run talk
	[[ "$output" != *"mortise skills trust"* ]]
	[ "$(stat -c %a "$work/data/mortise/mcp.d/zed.json")" = 600 ]

	# a server that it names later needs a new agreement
	jq '.mcpServers.more = {command: "false"}' .agents/skills/zed/.mcp.json >x
	mv x .agents/skills/zed/.mcp.json
	run mortise mcp list
	[[ "$output" == *stripes* && "$output" != *more* ]]
	run talk
	[[ "$output" == *"mortise skills trust zed"* ]]
	mortise skills untrust zed
	run mortise mcp list
	[[ "$output" != *stripes* ]]
	run mortise skills trust unknown
	[ "$status" -ne 0 ]
	[[ "$output" == *"unknown skill"* ]]
}

@test "front matter of the older format and of an archive; removal deletes the servers" {
	mkdir -p "$work/p/skills/one"
	mv .agents/skills/zed "$work/p/skills/zed"
	printf -- '---\nname: old\nmcp_tools:\n  stdio_servers:\n    - name: older\n      command: python3\n      args: ["%s", "plain"]\n---\nText.\n' \
		"$server" >"$work/p/skills/old.md"
	printf -- '---\nname: none\ndescription: No servers.\n---\nText.\n' \
		>"$work/p/skills/one/SKILL.md"
	mortise skills pack "$work/p"
	mortise skills install "$work/p.tar.gz"
	run mortise skills trust none
	[ "$status" -ne 0 ]
	[[ "$output" == *"has no MCP servers"* ]]
	mortise skills trust old
	mortise skills trust zed
	mortise mcp list | grep older
	mortise mcp list | grep stripes
	mortise mcp test older | grep '4 tools'
	mortise skills remove p
	run mortise mcp list
	[[ "$output" == *"No MCP server"* ]]
}

@test "a file of servers that others may write to is refused" {
	mortise skills trust zed
	chmod 666 "$work/data/mortise/mcp.d/zed.json"
	run talk
	[ "$status" -ne 0 ]
	[[ "$output" == *"zed.json"* ]]
	[ ! -e "$work/started" ]
}
