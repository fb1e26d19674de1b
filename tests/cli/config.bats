#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise config, as a user runs it.

bats_require_minimum_version 1.5.0

setup() {
	export HOME="$BATS_TEST_TMPDIR/home" XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	export XDG_CONFIG_HOME="$HOME/config" XDG_STATE_HOME="$HOME/state"
	export MORTISE_SYSTEM_CONFIG="$BATS_TEST_TMPDIR/etc"
	mkdir -p "$XDG_CONFIG_HOME/mortise" "$BATS_TEST_TMPDIR/project/.mortise"
	ini="$XDG_CONFIG_HOME/mortise/mortise.ini"
	project="$BATS_TEST_TMPDIR/project/.mortise/mortise.ini"
	cd "$BATS_TEST_TMPDIR/project"
}

@test "show: every value, INI that can be read back, JSON" {
	printf '[llm]\nmodel = a/b\n[llm.cheap]\nmodel = c/d\n' > "$ini"
	run mortise config show
	[ "$status" -eq 0 ]
	[[ "$output" == *"# $ini:2"*"model = a/b"* ]]
	mortise config > "$BATS_TEST_TMPDIR/shown.ini"
	run mortise config show --config "$BATS_TEST_TMPDIR/shown.ini" --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '."llm.cheap".model.value' <<< "$output")" = c/d ]
	[ "$(jq -r .llm.timeout.value <<< "$output")" = 300s ]
}

@test "explain: value, meaning, origin, what it overrides" {
	printf '[llm]\ntimeout = 10s\n' > "$ini"
	MORTISE_LLM_TIMEOUT=20s run mortise config explain llm.timeout -o llm.timeout=30s
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "llm.timeout = 30s" ]
	[[ "$output" == *"set:  [llm] timeout = 30s  (-o)"* ]]
	[[ "$output" == *"over: [llm] timeout = 20s  (MORTISE_LLM_TIMEOUT)"* ]]
	[[ "$output" == *"over: [llm] timeout = 10s  ($ini:2)"* ]]
	[[ "$output" == *"over: built in: 300s"* ]]
	run mortise config explain llm.timout
	[ "$status" -eq 1 ]
	[[ "$output" == *"did you mean \`timeout\`?"* ]]
}

@test "an error: file, line, suggestion, and nothing else happens" {
	printf '[llm]\nmodel = a/b\n\nmodle = c/d\n' > "$ini"
	for command in "config show" "config check" "plugins"; do
		run mortise $command
		[ "$status" -eq 2 ]
		[ "${output#mortise: }" = "$ini:4: [llm] unknown option \`modle\`; did you mean \`model\`?" ]
	done
}

@test "check: options of plugins and names in [controller]" {
	[ -e "$top_builddir/plugins/tools/editor.so" ] || skip "no editor built"
	printf '[tool.editor]\nnonsense = 1\n[tool.x]\nplugin = editr\n' > "$ini"
	run mortise config check -o controller.agent=unknown
	[ "$status" -eq 2 ]
	[[ "$output" == *"$ini:2: [tool.editor] unknown option \`nonsense\`"* ]]
	[[ "$output" == *"[tool.x]: unknown tool \`editr\`; did you mean \`editor\`?"* ]]
	[[ "$output" == *"-o: [controller] \`agent\`: unknown agent \`unknown\`"* ]]
}

@test "the configuration of a project applies when trusted at its current content" {
	printf '[llm]\nmodel = project/model\n' > "$project"
	run mortise config explain llm.model
	[[ "$output" == *"was ignored because it is not trusted; run \`mortise config trust\` to trust it"* ]]
	[[ "$output" == *"llm.model = (unset)"* ]]
	run mortise config trust
	[ "$status" -eq 0 ]
	run mortise config explain llm.model
	[ "${lines[0]}" = "llm.model = project/model" ]
	printf '[llm]\nmodel = other/model\n' > "$project"
	run mortise config explain llm.model
	[[ "$output" == *"is not trusted"* ]]
	printf '[core]\nplugin_path = .\n' > "$project"
	run mortise config trust .
	[ "$status" -eq 1 ]
	[[ "$output" == *"mortise.ini:2: a project cannot set \`plugin_path\` of [core]"* ]]
	cd /
	run mortise config show
	[ "$status" -eq 0 ]
	[[ "$output" != *"not trusted"* ]]
	run mortise config show -C "$BATS_TEST_TMPDIR/project"
	[ "$status" -eq 0 ]
	[[ "$output" == *"not trusted"* ]]
}

@test "keys are never shown" {
	printf '[llm]\nextra_headers = Authorization: Bearer sesame\nproxy = http://u:sesame@x\n' > "$ini"
	for command in "show" "show --json" "explain llm.extra_headers" "explain llm" "check"; do
		run mortise config $command
		[[ "$output" != *sesame* ]]
	done
}

@test "the manual lists every key with its default" {
	for section in core llm controller grant.x; do
		mortise config explain $section -o grant.x.env=X | grep -v '^ ' |
		while read -r key _ rest; do
			row=$(grep "^| $key |" "$top_srcdir/doc/configuration.md") ||
				{ echo "no row for $section.$key"; return 1; }
			value=${rest%%  (*}
			case "$key $value" in
			*"(unset)" | runner* | prompt_dir* | template_dir* | model_table* | state_dir* | env* | plugin_path*) ;;
			*) [[ "$row" == *"| $value |"* ]] ||
				{ echo "$section.$key: $value, but: $row"; return 1; } ;;
			esac
		done
	done
}

@test "check accepts the keys that the host defines for each plugin" {
	cat >"$ini" <<-'END'
	[llm.other]
	model = script:x
	[agent.codeact]
	llm = other
	run = fork
	[condenser.recent]
	llm = other
	deadline = 3s
	[analyzer.policy]
	run = inside
	[tool.bash]
	deadline = 3m
	trust_hints = yes
	END
	OPENAI_API_KEY=sk-of-a-test run mortise config check -o llm.model=openai/gpt-4.1
	echo "$output"
	[ "$status" -eq 0 ]
	printf '[agent.codeact]\nrun = outside\n' >"$ini"
	run mortise config check
	[ "$status" -ne 0 ]
	[[ "$output" == *"[agent.codeact] "*"run"* ]]
}

@test "check reports the errors of a run: options of MCP servers, tools, models" {
	conf=$BATS_TEST_TMPDIR/c.ini
	printf '[mcp.x]\ncomand = true\n[mcp.y]\ncommand = true\nargz = 1\n' >"$conf"
	run mortise config check --config "$conf"
	[ "$status" -eq 2 ]
	[[ "$output" == *"c.ini:2: [mcp.x] unknown option \`comand\`; did you mean \`command\`?"* ]]
	[[ "$output" == *"c.ini:5: [mcp.y] unknown option \`argz\`"* ]]
	printf '[llm]\nmodel = nowhere/x\n' >"$conf"
	run mortise config check --config "$conf"
	[ "$status" -eq 2 ]
	[[ "$output" == *"nowhere"* ]]
	run mortise run --config "$conf" -t hi </dev/null
	[ "$status" -eq 2 ]
}

# finds TEXT OPTION...: check reports TEXT, once
finds() {
	local text=$1
	shift
	run mortise config check "$@"
	echo "$output"
	[ "$status" -eq 2 ]
	[ "$(grep -cF -- "$text" <<<"$output")" -eq 1 ]
}

@test "check finds servers that cannot be started or reached, paths, headers" {
	finds '[mcp.x] requires either `command` or `url`' -o mcp.x.timeout=9s
	finds '[mcp.x] requires either `command` or `url`' -o mcp.x.command=a -o mcp.x.url=http://b
	finds '[mcp.memory] `url` must start with' -o mcp.memory.url=example.com/mcp
	finds '`prompt_dir`: cannot use /no/such: No such file' -o core.prompt_dir=/no/such
	finds '`runner`: cannot use /no/such: No such file' -o core.runner=/no/such
	finds '`runner`: cannot use /: Is a directory' -o core.runner=/
	finds '`model_table`: cannot use /: Is a directory' -o core.model_table=/
	finds '`prompt_dir`: cannot use /bin/sh: Not a directory' -o core.prompt_dir=/bin/sh
	finds '`state_dir`: cannot use /bin/sh: Not a directory' -o core.state_dir=/bin/sh
	finds '`state_dir`: cannot use /dev/null/x: Not a directory' -o core.state_dir=/dev/null/x
	finds '`model_table`: cannot use /no/such: No such file' -o core.model_table=/no/such
	finds 'no model is set' -o controller.max_iterations=7
	export SOME_KEY=some-key-of-this-test
	mortise config check -o core.state_dir="$BATS_TEST_TMPDIR/not/yet/there" \
		-o llm.model=openai/gpt-4.1 -o llm.api_key_env=SOME_KEY
	model=(-o llm.model=openai/gpt-4.1 -o llm.api_key_env=SOME_KEY)
	if [ "$(id -u)" = 0 ]; then
		mortise config check "${model[@]}" -o core.state_dir=/no-such/state
	else
		finds 'cannot use /: Permission denied' -o core.state_dir=/no-such/state
	fi
	finds '[controller] `delegates`: unknown agent `no-such`' "${model[@]}" \
		-o controller.delegates=no-such -o controller.tools+=delegation
	finds '[llm] extra_headers: invalid' -o llm.extra_headers=colonless \
		-o llm.model=openai/gpt-4.1 -o llm.api_key_env=SOME_KEY
	printf '[analyzer.policy]\nnonsense = 1\n' >"$BATS_TEST_TMPDIR/c.ini"
	finds 'unknown option `nonsense`' --config "$BATS_TEST_TMPDIR/c.ini"
}

@test "check reports every error of the files, the environment and the options" {
	conf=$BATS_TEST_TMPDIR/c.ini
	printf '%s\n' '[llm]' 'temprature = 1' 'temperature = hot' '[nosuch]' 'a = 1' 'b = 2' \
		'[controller]' 'max_iterations = -' 'max_iterations = 5' 'llm = gone' >"$conf"
	MORTISE_LLM_NOSUCH=1 run mortise config check --config "$conf" -o core.nosuch=1 \
		-o nosuch2.x=1
	echo "$output"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 8 ]
	[[ "${lines[0]}" == "$conf:4: unknown section [nosuch]"* ]]
	[[ "${lines[1]}" == "$conf:2: [llm] unknown option \`temprature\`"* ]]
	[[ "${lines[2]}" == "$conf:3: [llm] "*temperature* ]]
	[[ "${lines[3]}" == "$conf:8: [controller] "*max_iterations* ]]
	[[ "${lines[4]}" == "$conf:9: "*"already set in line 8" ]]
	[[ "${lines[5]}" == "MORTISE_LLM_NOSUCH: "* ]]
	[[ "${lines[6]}" == "-o: [core] unknown option \`nosuch\`"* ]]
	[[ "${lines[7]}" == "-o: unknown section [nosuch2]"* ]]
	run mortise config show --config "$conf"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "mortise: $conf:4: unknown section [nosuch]"* ]]
	printf '[controller]\nllm = gone\nrouter = gone\n' >"$conf"
	run mortise config check --config "$conf"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == *"unknown section [llm.gone]"* ]]
	[[ "${lines[1]}" == *"unknown section [router.gone]"* ]]
}

@test "check reports every line that it cannot read, and the errors of the others" {
	conf=$BATS_TEST_TMPDIR/c.ini
	printf '%s\n' '[llm]' 'broken line' '  and its next' 'temprature = 1' '[controller' \
		'max_iterations = -' '[core]' '= 1' 'nosuch = 1' '[]' 'a = 1' >"$conf"
	run mortise config check --config "$conf"
	echo "$output"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 6 ]
	[[ "${lines[0]}" == "$conf:2: neither a section nor a key"* ]]
	[[ "${lines[1]}" == "$conf:5: the section has no"* ]]
	[[ "${lines[2]}" == "$conf:8: the key before"* ]]
	[[ "${lines[3]}" == "$conf:10: the section has no name"* ]]
	[[ "${lines[4]}" == "$conf:4: [llm] unknown option \`temprature\`"* ]]
	[[ "${lines[5]}" == "$conf:9: [core] unknown option \`nosuch\`"* ]]
	run mortise config show --config "$conf"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "mortise: $conf:2: neither a section nor a key"* ]]
}

@test "check stops after a limited number of errors" {
	conf=$BATS_TEST_TMPDIR/c.ini
	{
		echo '[llm]'
		for n in {1..500}; do echo "nosuch$n = 1"; done
	} >"$conf"
	run mortise config check --config "$conf"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 101 ]
	[[ "${lines[100]}" == *"more than 100 errors"* ]]
}

@test "the path of a scripted model is relative to the configuration file" {
	dir=$BATS_TEST_TMPDIR/conf
	mkdir -p "$dir/sub" "$BATS_TEST_TMPDIR/ws"
	printf '[turn]\ntext = From the file.\n' >"$dir/sub/turns"
	printf '[llm]\nmodel = script:sub/turns\n[llm.second]\nmodel = script:turns\n' >"$dir/c.ini"
	run mortise config explain llm.model --config "$dir/c.ini"
	[[ "$output" == *"script:$dir/sub/turns"* ]]
	run mortise run -q --config "$dir/c.ini" -C "$BATS_TEST_TMPDIR/ws" -t hi </dev/null
	[ "$status" -eq 0 ]
	[ "$output" = "From the file." ]
	run mortise config check --config "$dir/c.ini" -o controller.llm=second
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot read $dir/turns: No such file"* ]]
	cd "$dir/sub"
	run mortise run -q --config "$dir/c.ini" -m script:turns -t hi </dev/null
	[ "$status" -eq 0 ]
	printf '[llm]\nmodel = script:%s\n' "$dir/sub/turns" >"$dir/c.ini"
	run mortise run -q --config "$dir/c.ini" -t hi </dev/null
	[ "$status" -eq 0 ]
}

@test "the error for api_key says where a key belongs, and does not print it" {
	printf '[llm]\napi_key = sk-secret-of-mine\n' >"$BATS_TEST_TMPDIR/c.ini"
	run mortise config check --config "$BATS_TEST_TMPDIR/c.ini"
	[ "$status" -eq 2 ]
	[[ "$output" == *"c.ini:2: [llm] API keys are not allowed in configuration files; use api_key_env"* ]]
	[[ "$output" != *sk-secret* ]]
}

@test "trust refuses a file that does not load; a run names the files it ignored" {
	mkdir -p "$BATS_TEST_TMPDIR/p/.mortise"
	cd "$BATS_TEST_TMPDIR/p"
	printf '[llm]\nmodle = x\n' >.mortise/mortise.ini
	run mortise config trust
	[ "$status" -eq 1 ]
	[[ "$output" == *"mortise.ini:2: [llm] unknown option \`modle\`; did you mean"* ]]
	for text in 'controller]\ntools = nothing-of-this-name' 'mcp.x]\ncomand = y' \
		'agent.codeact]\nnonsense = 1'; do
		printf "[$text\n" >.mortise/mortise.ini
		run mortise config trust
		echo "$output"
		[ "$status" -eq 1 ]
		[[ "$output" == "mortise: "*"/p/.mortise/mortise.ini:2: ["*" unknown "* ]]
	done
	printf '[controller]\nmax_iterations = 9\n' >.mortise/mortise.ini
	printf '[turn]\ntext = Done.\n' >script
	run mortise run -m script:script -t hi </dev/null
	[ "$status" -eq 0 ]
	[[ "$output" == *".mortise/mortise.ini was ignored because it is not trusted; run \`mortise config trust\` to trust it"* ]]
	# errors that also occur without it do not matter
	run mortise config trust -o controller.agent=unknown
	[ "$status" -eq 0 ]
	run mortise run -m script:script -t hi </dev/null
	[[ "$output" != *"not trusted"* ]]
}

@test "enforced.ini overrides every other layer, named sections included" {
	export MORTISE_SYSTEM_CONFIG=$BATS_TEST_TMPDIR/etc
	mkdir -m 700 "$MORTISE_SYSTEM_CONFIG"
	printf '[controller]\nmax_iterations = 7\n[llm]\nmodel = script:none\n' \
		>"$MORTISE_SYSTEM_CONFIG/enforced.ini"
	printf '[controller.x]\nmax_iterations = 9\n' >"$BATS_TEST_TMPDIR/c.ini"
	export MORTISE_CONTROLLER_MAX_ITERATIONS=8
	for key in controller.max_iterations controller.x.max_iterations; do
		run mortise config explain $key --config "$BATS_TEST_TMPDIR/c.ini" -o $key=10
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = "$key = 7" ]
		set=$(grep '^  set: ' <<<"$output")
		[[ "$set" == *"= 7  ("*"etc/enforced.ini:2)" ]]
		[[ "$output" == *"  over: [${key%.*}] max_iterations = 10  (-o)"* ]]
	done
	run mortise run -m script:other -t hi </dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot choose the model: it is set by $MORTISE_SYSTEM_CONFIG/enforced.ini:4"* ]]
}

@test "log_level and log_all_events: to standard error, or to a file" {
	cd "$BATS_TEST_TMPDIR"
	printf '[turn]\ntext = Done.\n' >script
	mortise run -m script:script -q -t hi </dev/null 2>err
	[ ! -s err ]
	mortise run -m script:script -q -o core.log_all_events=yes -t hi </dev/null 2>err
	grep -q ' info event: {"id":0' err
	mortise run -m script:script -q -o core.log_all_events=yes -o core.log_file="$PWD/log" \
		-t hi </dev/null 2>err
	[ ! -s err ]
	grep -q ' info event: {"id":0' log
	[ "$(stat -c %a log)" = 600 ]
	run mortise run -m script:script -o core.log_file=/no/such/log -t hi </dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"log_file: cannot open /no/such/log: No such file"* ]]
	mkfifo fifo
	run timeout 20 mortise run -m script:script -o core.log_file="$PWD/fifo" -t hi </dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"log_file: cannot open $PWD/fifo: no process reads from it" ]]
	exec 8<>fifo
	mortise run -m script:script -q -o core.log_all_events=yes -o core.log_file="$PWD/fifo" \
		-t hi </dev/null
	read -r -t 20 line <&8
	exec 8>&-
	[[ "$line" == *" info "* ]]
}

@test "api_key_command: the first line it prints, and it is masked" {
	cd "$BATS_TEST_TMPDIR"
	run mortise config explain llm.api_key_command -o llm.api_key_command="echo x"
	[ "$status" -eq 0 ]
	printf '[turn]\n[call execute_bash]\ncommand = echo the key is hunter2-and-more\n\n[turn]\ntext = Done.\n' >script
	run mortise run -m script:script -o llm.api_key_command="echo run >>count; echo hunter2-and-more" \
		-t hi </dev/null
	[ "$status" -eq 0 ]
	[[ "$output" != *hunter2-and-more* ]]
	[ "$(wc -l <count)" -eq 1 ]
	run mortise run -m script:script -o llm.api_key_command="echo short" -t hi </dev/null
	[[ "$output" == *"the value of api_key_command of [llm] is not masked because it has fewer than 8 bytes"* ]]
	run mortise run -m script:script -o llm.api_key_command="echo secret; exit 3" -t hi </dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"api_key_command of [llm] failed with exit code 3"* ]]
	[[ "$output" != *secret* ]]
}

@test "former names of keys are accepted and shown by their present names" {
	for pair in tools_shown:tool_search_threshold stuck_same:stuck_repeat \
		stuck_pattern:stuck_alternate; do
		run mortise config explain "controller.${pair#*:}" -o "controller.${pair%:*}=9"
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = "controller.${pair#*:} = 9" ]
		run mortise config explain "controller.${pair%:*}" -o "controller.${pair#*:}=8"
		[ "${lines[0]}" = "controller.${pair#*:} = 8" ]
	done
	run mortise config explain controller.stuck_compare_thought -o controller.stuck_thought=yes
	[ "${lines[0]}" = "controller.stuck_compare_thought = yes" ]
	run mortise config explain 'model.gpt*.output_cap' -o 'model.gpt*.most_output=9'
	[ "${lines[0]}" = "model.gpt*.output_cap = 9" ]
	run -1 mortise config explain unknown.stuck_same
}

@test "a link to a configuration that does not exist is refused" {
	etc=$BATS_TEST_TMPDIR/linked
	mkdir "$etc"
	export MORTISE_SYSTEM_CONFIG=$etc
	for name in enforced.ini mortise.ini; do
		ln -s "$BATS_TEST_TMPDIR/gone.ini" "$etc/$name"
		run mortise config show
		[ "$status" -eq 2 ]
		[[ "$output" == *"$etc/$name: a symbolic link on this path leads to nothing"* ]]
		rm "$etc/$name"
	done
	rmdir "$etc"
	ln -s "$BATS_TEST_TMPDIR/gone" "$etc"
	run mortise config show
	[ "$status" -eq 2 ]
	[[ "$output" == *"leads to nothing"* ]]
}
