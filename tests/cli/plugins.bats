#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise plugins: good plugins are listed, each bad one gets one clear sentence.
bats_require_minimum_version 1.5.0

setup() {
	export HOME="$BATS_TEST_TMPDIR/home" XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	export XDG_CONFIG_HOME="$HOME/config" XDG_STATE_HOME="$HOME/state"
	dir="$BATS_TEST_TMPDIR/plugins"
	mkdir -p "$dir" "$HOME"
	chmod 700 "$dir"
	export MORTISE_CORE_PLUGIN_PATH="$dir"
}

# compile NAME [FLAG]... : a plugin from the C text on standard input
compile() {
	name=$1
	shift
	cat > "$BATS_TEST_TMPDIR/$name.c"
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" \
		-o "$dir/$name.so" "$BATS_TEST_TMPDIR/$name.c" "$@"
	chmod 755 "$dir/$name.so"
}

# tool NAME [TEXT BEFORE] : a good tool; TEXT BEFORE is put in front of its source
tool() {
	compile "$1" <<-END
		$2
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			(void)self;
			return host->reply(call, "done");
		}
		MT_TOOL(run, "$1", .name = "$1", .description = "Does nothing.",
			.hints = MT_TOOL_READ_ONLY,
			.schema = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}")
	END
}

@test "check rejects a tool that maps to an unknown action" {
	compile odd <<-'END'
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			(void)self;
			return host->reply(call, "done");
		}
		MT_TOOL(run, "odd", .name = "odd", .description = "Does nothing.",
			.events = "[{\"action\":\"nonsense\",\"observation\":\"tool\"}]")
	END
	run -1 mortise plugins check "$dir/odd.so"
	echo "$output"
	[ "$output" = "$dir/odd.so: tool \`odd\` maps to an unknown action \`nonsense\`; doc/events.md lists the actions" ]
}

# refused SENTENCE : the only plugin is refused with SENTENCE, each time
refused() {
	for time in 1 2; do
		run mortise plugins --refused
		echo "$output"
		[ "$status" -eq 0 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *": "*$1* ]]
	done
	run mortise plugins
	[ "$status" -eq 0 ]
	[[ "$output" == "1 rejected"* ]]
}

@test "a good tool is listed, shown and checked" {
	tool good
	run mortise plugins
	[ "$status" -eq 0 ]
	[[ "$output" == "tool       good"* ]]
	run mortise plugins --json
	[ "$(jq -r '.[0].name' <<< "$output")" = good ]
	run mortise plugins info good
	[[ "$output" == *"good (read-only)"* ]]
	run mortise plugins info tool/good --json
	[ "$(jq -r '.[0].data.tools[0].schema.properties.a.type' <<< "$output")" = string ]
	run mortise plugins check "$dir/good.so"
	[ "$status" -eq 0 ]
	[[ "$output" == *"valid: good 1.0 provides tool good" ]]
	run mortise plugins --refused
	[ "$output" = "no plugin was rejected" ]
	run mortise plugins info goood
	[ "$status" -eq 1 ]
	[[ "$output" == *"did you mean \`good\`?"* ]]
}

# permits : a tool that declares a permission of each kind
permits() {
	tool permits '#define MT_PLUGIN_PERMISSIONS permissions
		#include <mortise/tool.h>
		static const struct mt_permission permissions[] = {
			MT_PERMISSION(MT_PERMIT_READ, "~/.netrc", "Passwords of hosts."),
			MT_PERMISSION(MT_PERMIT_HOST, "api.example.org", 0),
			MT_PERMISSION(MT_PERMIT_SECRET, "TOKEN", 0),
			MT_PERMISSION(MT_PERMIT_ENVIRONMENT, "HTTPS_PROXY", 0) };'
}

permissions="Declared permissions (only those that the user grants apply):
  read         ~/.netrc: Passwords of hosts.
  host         api.example.org
  secret       TOKEN
  environment  HTTPS_PROXY"

@test "a check lists the permissions of a file that is not installed" {
	permits
	export MORTISE_CORE_PLUGIN_PATH=
	run mortise plugins check "$dir/permits.so"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "$dir/permits.so: valid: permits 1.0 provides tool permits"$'\n'"$permissions" ]
	run mortise plugins check --json "$dir/permits.so"
	[ "$(jq -c '[.permissions[].what]' <<<"$output")" = \
		'["~/.netrc","api.example.org","TOKEN","HTTPS_PROXY"]' ]
	tool good
	run mortise plugins check "$dir/good.so"
	[ "${#lines[@]}" -eq 1 ]
}

@test "a permission that the configuration could not grant is refused" {
	asks() { # KIND WHAT SENTENCE
		compile asks <<-END
			#define MT_PLUGIN_PERMISSIONS permissions
			#include <mortise/tool.h>
			static const struct mt_permission permissions[] = {
				MT_PERMISSION(MT_PERMIT_HOST, "*.example.org:8443", 0),
				MT_PERMISSION(MT_PERMIT_$1, "$2", 0) };
			static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return 0; }
			MT_TOOL(run, "asks", .name = "asks", .description = "x")
		END
		refused "$3"
	}
	asks READ etc/passwd 'invalid permission 2 (read `etc/passwd`): use an absolute path, or one after ~/'
	asks WRITE '~root/x' 'invalid permission 2 (write `~root/x`)'
	asks READ '/a, read /etc' 'permission 2 (read `/a, read /etc`) has a comma or a control character'
	asks HOST https://x.org/ 'invalid permission 2 (host `https://x.org/`): use a host name without'
	asks HOST '*' 'invalid permission 2 (host `*`)'
	asks ENVIRONMENT A=B 'invalid permission 2 (environment `A=B`): use the name of a variable'
	asks SECRET 'a]b' 'invalid permission 2 (secret'
	asks SECRET '' 'permission 2 does not name what it permits'
}

@test "properties that are defined after the header take effect, with a warning" {
	for macro in DOMAIN VENDOR URL VERSION LICENSE; do
		echo "#define MT_PLUGIN_$macro \"org.example\""
	done >"$BATS_TEST_TMPDIR/macros.h"
	tool late "#include <mortise/tool.h>
		#include \"macros.h\"
		#define MT_PLUGIN_PERMISSIONS permissions
		static const struct mt_permission permissions[] = {
			MT_PERMISSION(MT_PERMIT_HOST, \"api.example.org\", 0) };" \
		2>"$BATS_TEST_TMPDIR/warnings"
	cat "$BATS_TEST_TMPDIR/warnings"
	for macro in DOMAIN VENDOR URL VERSION LICENSE PERMISSIONS; do
		grep -q "MT_PLUGIN_$macro.* redefined" "$BATS_TEST_TMPDIR/warnings"
	done
	run -0 mortise plugins check --json "$dir/late.so"
	[ "$(jq -r .id <<<"$output")" = org.example.late ]
	[ "$(jq -r '.permissions[0].what' <<<"$output")" = api.example.org ]
	tool none
	run -0 mortise plugins check --json "$dir/none.so"
	[ "$(jq -r '.permissions | length' <<<"$output")" = 0 ]
}

@test "a file that is not installed is described" {
	permits
	export MORTISE_CORE_PLUGIN_PATH=
	cd "$dir"
	for file in "$dir/permits.so" ./permits.so permits.so; do
		run mortise plugins info "$file"
		echo "$output"
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = "tool permits: (no summary)" ]
		[ "${lines[2]}" = "  $dir/permits.so" ]
		[[ "$output" == *"$permissions"* ]]
	done
	run mortise plugins info --json "$dir/permits.so"
	[ "$(jq -r '.[].name' <<<"$output")" = permits ]
	run mortise plugins
	[ -z "$output" ]
	constructor child "if (fork() == 0) _exit(0); creat(\"$BATS_TEST_TMPDIR/made\", 0600);"
	run mortise plugins info ./child.so
	[ "$status" -eq 0 ]
	[ ! -e "$BATS_TEST_TMPDIR/made" ]
	constructor dies 'abort();'
	run mortise plugins info ./dies.so
	[ "$status" -eq 1 ]
	[ "$output" = "mortise: $dir/dies.so: crashed (SIGABRT) while it was loaded and queried" ]
	run mortise plugins info ./none.so
	[ "$status" -eq 1 ]
	[ "$output" = "mortise: ./none.so: no such file" ]
	run mortise plugins info tool/none
	[[ "$output" == *"unknown plugin \`tool/none\`"* ]]
}

# sum TYPES... : a tool of one C function, declared with these types
sum() {
	compile sum <<-END
		#include <mortise/function.h>
		#include <mortise/tool.h>
		static int64_t sum(int64_t a, int64_t b) { return a + b; }
		MT_FUNCTION(f, $1, sum, ($2, "a", "the first"), ($3, "b", "the second"));
		MT_TOOL(0, "sum", .name = "sum", .description = "Adds.", .function = &f)
	END
}

@test "a C function becomes a tool: its schema is derived" {
	sum INT64 INT64 INT64
	run mortise plugins info sum --json
	[ "$(jq -c '.[0].data.tools[0].schema.required' <<< "$output")" = '["a","b"]' ]
}

@test "a C function of other types than it is declared with does not compile" {
	for types in "DOUBLE INT64 INT64" "INT64 INT64 INT32" "INT64 INT64 DOUBLE"; do
		# shellcheck disable=SC2086
		run sum $types
		[ "$status" -ne 0 ]
		[[ "$output" == *"sum does not have the types that are declared"* ]]
	done
}

@test "an output string without its size is refused" {
	out() { # MACRO
		compile out <<-END
			#include <mortise/function.h>
			#include <mortise/tool.h>
			#include <stdio.h>
			static void hello(char *text$1) { snprintf(text, 16, "hello"); }
			$2
			MT_TOOL(0, "out", .name = "out", .description = "x", .function = &f)
		END
	}
	run out '' 'MT_FUNCTION(f, VOID, hello, (OUT_STRING, "text", "x", 16));'
	[ "$status" -ne 0 ]
	[[ "$output" == *"hello does not have the types that are declared"* ]]
	out ', size_t n' 'MT_FUNCTION(f, VOID, hello, (OUT_STRING, "text", "x", 16));'
	run mortise tools call -o controller.tools=out \
		-o core.plugin_path="$dir,$top_builddir/plugins/runtimes" out '{}'
	[ "$output" = '{"text":"hello"}' ]
	out '' 'static const struct mt_arg args[] = {
		{ sizeof *args, MT_TYPE_STRING, MT_ARG_OUT, "text", "x", 0, 16 } };
		static const struct mt_function f = MT_FUNCTION_TABLE(hello, MT_TYPE_VOID, args);'
	refused "invalid function of tool \`out\`: argument \`text\`: an output string needs its size after it"
}

# takes PARAMETERS [BODY] : a tool with a table of parameters
takes() {
	compile takes <<-END
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			int64_t limit = -1;
			int all = -1;
			host->arg_int(call, "limit", &limit);
			host->arg_bool(call, "all", &all);
			return host->reply(call, "%s %d %d %s", host->arg_str(call, "path", 0),
				(int)limit, all, host->arg_str(call, "form", 0));
		}
		MT_TOOL(run, "takes", .name = "takes", .description = "x", MT_PARAMS($1))
	END
}

call_takes() { # ARGUMENTS
	run mortise tools call -o controller.tools=takes \
		-o core.plugin_path="$dir,$top_builddir/plugins/runtimes" takes "$1"
	echo "$output"
}

@test "a table of parameters gives the schema, the checks and the defaults" {
	takes 'MT_TEXT("path", MT_REQUIRED, "The file."),
		MT_INTEGER("limit", .help = "Lines.", .min = 1, .fallback = "10"),
		MT_BOOL("all", .fallback = "true"), MT_NUMBER("ratio", .min = 0.1, .max = 2),
		MT_CHOICE("form", .choices = "long|short", .fallback = "short"),
		MT_LIST("names", .min = 1, .max = 3)'
	run mortise plugins info takes --json
	[ "$(jq -cS '.[0].data.tools[0].schema' <<< "$output")" = "$(jq -cS . <<-'END'
		{"type":"object","additionalProperties":false,"required":["path"],"properties":{
		"path":{"type":"string","description":"The file."},
		"limit":{"type":"integer","minimum":1,"default":10,"description":"Lines."},
		"all":{"type":"boolean","default":true},
		"ratio":{"type":"number","minimum":0.1,"maximum":2},
		"form":{"type":"string","enum":["long","short"],"default":"short"},
		"names":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3}}}
	END
	)" ]
	call_takes '{"path":"x"}'
	[ "$output" = "x 10 1 short" ]
	call_takes '{"path":"x","limit":3,"all":false,"form":"long"}'
	[ "$output" = "x 3 0 long" ]
	for wrong in '{}' '{"path":"x","limit":0}' '{"path":"x","ratio":3}' '{"path":"x","ratio":0.09}' \
		'{"path":"x","names":[]}' '{"path":"x","form":"round"}' '{"path":"x","y":1}'; do
		call_takes "$wrong"
		[ "$status" -ne 0 ]
	done
	takes 'MT_TEXT("path")' # no name is required: the schema does not say so
	run mortise plugins info takes --json
	[ "$(jq '.[0].data.tools[0].schema | has("required")' <<< "$output")" = false ]
}

@test "a tool that says twice what it takes, or how it is called, is refused" {
	twice() { # MEMBERS SENTENCE
		compile twice <<-END
			#include <mortise/function.h>
			#include <mortise/tool.h>
			static int64_t same(int64_t a) { return a; }
			MT_FUNCTION(f, INT64, same, (INT64, "a", "a number"));
			static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return 0; }
			MT_TOOL(0, "twice", .name = "twice", .description = "x", $1)
		END
		refused "tool \`twice\` has $2; remove one of them"
	}
	twice '.call = run, .schema = "{}", MT_PARAMS(MT_TEXT("a"))' '`params` and `schema`'
	twice '.call = run, .function = &f' '`call` and `function`'
	twice '.function = &f, MT_PARAMS(MT_TEXT("a"))' '`params` and `function`'
	# one description of the arguments may replace the derived one
	compile twice <<-'END'
		#include <mortise/function.h>
		#include <mortise/tool.h>
		static int64_t same(int64_t a) { return a; }
		MT_FUNCTION(f, INT64, same, (INT64, "a", "a number"));
		MT_TOOL(0, "twice", .name = "twice", .description = "x", .function = &f,
			.schema = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"maximum\":3}}}")
	END
	run mortise plugins check "$dir/twice.so"
	[ "$status" -eq 0 ]
}

@test "choices that are missing, or do not belong to the type, are refused" {
	takes 'MT_CHOICE("a")'
	refused 'invalid parameters of tool `takes`: parameter `a` has no choices'
	takes 'MT_TEXT("a", .choices = "x|y")'
	refused 'parameter `a` has choices, but is not an MT_CHOICE'
}

@test "a listing from the cache runs no plugin" {
	compile loud <<-END
		#include <mortise/tool.h>
		#include <stdlib.h>
		#include <unistd.h>
		__attribute__((constructor)) static void load(void)
		{
			write(1, "noise on standard output\\n", 25);
			if (getenv("MORTISE_LLM_MODEL") || getenv("HOME"))
				abort(); /* no environment */
			if (access("$BATS_TEST_TMPDIR/crash", F_OK) == 0)
				abort();
		}
		static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return 0; }
		MT_TOOL(run, "loud", .name = "loud", .description = "Prints when it is loaded.",
			.schema = "{}")
	END
	export MORTISE_LLM_MODEL=a/b
	run mortise plugins
	[[ "$output" == "tool       loud"* ]]
	[[ "$output" != *noise* ]]
	touch "$BATS_TEST_TMPDIR/crash"
	run mortise plugins
	[[ "$output" == "tool       loud"* ]]
	[ "$(stat -c %a "$XDG_CACHE_HOME/mortise/plugins.json")" = 600 ]
	touch "$dir/loud.so"
	refused "crashed (SIGABRT)"
	rm "$BATS_TEST_TMPDIR/crash"
	run mortise plugins check "$dir/loud.so"
	[ "$status" -eq 0 ]
}

# constructor NAME STATEMENT... : a good tool that runs STATEMENT when it is loaded
constructor() {
	tool "$1" "#include <errno.h>
		#include <fcntl.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/socket.h>
		#include <sys/stat.h>
		#include <unistd.h>
		__attribute__((constructor)) static void load(void) { $2 }"
}

# Exits with 42 if it is alone in its process and user namespace, else with 43.
lonely() {
	constructor lonely '
		char map[64] = "";
		int fd = open("/proc/self/uid_map", O_RDONLY);
		unsigned inside = 0, outside = 0, count = 0;
		if (fd < 0 || read(fd, map, 63) <= 0)
			_exit(44);
		sscanf(map, "%u %u %u", &inside, &outside, &count);
		_exit(getpid() == 2 && count == 1 && inside == geteuid() ? 42 : 43);'
}

@test "a plugin is probed in a process and user namespace of its own" {
	unshare -Upf true || skip "no user namespaces"
	lonely
	run mortise plugins check "$dir/lonely.so"
	echo "$output"
	[[ "$output" == *"exited (code 42) while it was loaded"* ]]
}

@test "a plugin is probed without namespaces where they are refused" {
	unshare -Urm true || skip "no user namespaces"
	tool good
	lonely
	for refusal in 'echo 0 >/proc/sys/user/max_user_namespaces' \
		'mount -o remount,bind,ro /proc'; do
		run unshare -Urm sh -c "$refusal || exit 99
			mortise plugins check $dir/good.so; mortise plugins check $dir/lonely.so"
		echo "$output"
		[ "$status" -ne 99 ] || skip "$refusal is not possible"
		[[ "$output" == *"good.so: valid"*"exited (code 43) while it was loaded"* ]]
	done
}

@test "a plugin being probed cannot signal, start or change anything" {
	echo kept >"$BATS_TEST_TMPDIR/file"
	sleep 600 3>&- &
	other=$!
	constructor parent 'kill(getppid(), SIGKILL);'
	constructor other "kill($other, SIGKILL);"
	constructor child 'if (fork() == 0) { setsid(); sleep(600); _exit(0); }'
	constructor program 'system("touch '"$BATS_TEST_TMPDIR/made"'");'
	constructor remove 'unlink("'"$BATS_TEST_TMPDIR/file"'");'
	constructor create 'fclose(fopen("'"$BATS_TEST_TMPDIR/made"'", "w") ? stdin : stdin);'
	constructor network 'if (socket(AF_INET, SOCK_STREAM, 0) >= 0) abort();'
	run mortise plugins
	echo "$output"
	[ "$status" -eq 0 ]
	kill "$other"
	for name in parent other child program remove create network; do
		[[ "$output" == *"tool       $name"* ]]
	done
	[ "$(cat "$BATS_TEST_TMPDIR/file")" = kept ]
	[ ! -e "$BATS_TEST_TMPDIR/made" ]
	run pgrep -f "$dir"
	[ "$status" -eq 1 ]
}

# hanging COUNT : plugins hang1 to hangCOUNT, which hang when they are loaded
hanging() {
	constructor hang1 'for (;;) pause();'
	for ((n = 2; n <= $1; n++)); do
		cp "$dir/hang1.so" "$dir/hang$n.so"
	done
}

@test "plugins that hang do not delay the others" {
	hanging 10
	tool works
	mortise plugins >"$BATS_TEST_TMPDIR/list" 3>&- &
	for _ in {1..200}; do
		probes=$(pgrep -fc "plugin-probe $dir/hang") || true
		[ "$probes" -lt 10 ] || break
		sleep 0.05
	done
	[ "$probes" -eq 10 ]
	wait $!
	grep "tool       works" "$BATS_TEST_TMPDIR/list"
	run mortise plugins --refused
	[ "$(grep -c "did not respond within" <<<"$output")" -eq 10 ]
}

@test "after a plugin has hung, the rest are probed by the next command" {
	hanging 36
	run mortise plugins --refused
	echo "$output"
	[ "${#lines[@]}" -eq 36 ]
	late=$(grep -c "was not checked because other plugins took too long" <<<"$output")
	[ "$late" -ge 4 ]
	[ "$(grep -c "did not respond within" <<<"$output")" -eq $((36 - late)) ]
	run mortise plugins --refused
	echo "$output"
	[ "$(grep -c "did not respond within" <<<"$output")" -eq 36 ]
}

# edit_cache JQ-ARGUMENT... : change the entries, which are the first line of the file
edit_cache() {
	local cache=$XDG_CACHE_HOME/mortise/plugins.json
	{
		head -n 1 "$cache" | jq -c "$@"
		tail -n +2 "$cache"
	} >"$BATS_TEST_TMPDIR/edited"
	cp "$BATS_TEST_TMPDIR/edited" "$cache"
}

@test "a file during whose check Mortise ended twice is refused" {
	tool good
	mortise plugins
	sleep 0 &
	gone=$!
	wait "$gone"
	for before in 0 1; do
		edit_cache --argjson pid "$gone" --argjson n "$before" \
			'.files[] |= {key, prober: $pid, unfinished: $n}'
		run mortise plugins
		[ "$status" -eq 0 ]
		case $before in
		0) [[ "$output" == "tool       good"* ]] ;;
		1) [[ "$output" == "1 rejected"* ]] ;;
		esac
	done
	refused "Mortise ended twice while this file was checked"
}

@test "a corrupt cache is rebuilt" {
	tool good
	mortise plugins
	for text in '' '{' '[]' '{"format":1}' 'null'; do
		echo "$text" > "$XDG_CACHE_HOME/mortise/plugins.json"
		run mortise plugins
		[[ "$output" == "tool       good"* ]]
	done
	for change in '.files[].plugin.components[0].kind = "spoon"' '.texts -= 1' \
		'.files[].plugin.components[0].data = [-1, 5]' \
		'.files[].plugin.components[0].data = [0, 1000000]' \
		'.files[].plugin.components[0].options = [9223372036854775807, 1]' \
		'.files[].plugin.components[0].options = "[]"'; do
		edit_cache "$change"
		run mortise plugins
		[[ "$output" == "tool       good"* ]]
	done
	rm "$dir/good.so"
	run mortise plugins
	[ -z "$output" ]
}

@test "a damaged description in the cache is reported with the remedy" {
	tool good
	mortise plugins
	cache=$XDG_CACHE_HOME/mortise/plugins.json
	for member in data options; do
		at=$(head -n 1 "$cache" | jq --arg m "$member" '.files[].plugin.components[0][$m][0]')
		first=$(head -n 1 "$cache" | wc -c)
		printf o | dd of="$cache" bs=1 seek=$((first + at + 1)) conv=notrunc status=none
		run mortise tools list -o controller.tools=good
		[ "$status" -ne 0 ]
		[[ "$output" == *"the cached description of \`good\` is damaged: "*"delete mortise/plugins.json in the cache directory" ]]
		rm "$cache"
		mortise plugins
	done
}

@test "an older version of the tool kind" {
	tool newer '#include <mortise/tool.h>
		#undef MT_TOOL_MAJOR
		#define MT_TOOL_MAJOR 0'
	refused "built for tool ABI 0.0, but this mortise has 1.0; use a newer build of the plugin"
}

@test "provisional kinds must be of the same version" {
	compile early <<-'END'
		#define MORTISE_PROVISIONAL
		#include <mortise/condenser.h>
		static int advance(const struct mt_host *h, const struct mt_condenser_out *o,
			struct mt_ctx *c, const struct mt_in *in) { return 0; }
		static const struct mt_condenser f = { .size = sizeof f, .advance = advance };
		static const struct mt_component part = { .size = sizeof part,
			.kind = MT_KIND_CONDENSER, .version_minor = MT_CONDENSER_MINOR + 1, .name = "early",
			.functions = &f };
		MT_PLUGIN(.name = "early", .version = "1", .license = "MIT", .components = &part,
			.component_count = 1)
	END
	refused "built for condenser ABI 0.8, but this mortise has 0.7 (provisional versions must be equal); update mortise"
}

@test "a component of another version is refused, the others of its plugin are offered" {
	compile mixed <<-'END'
		#define MORTISE_PROVISIONAL
		#include <mortise/condenser.h>
		#include <mortise/tool.h>
		static int advance(const struct mt_host *h, const struct mt_condenser_out *o,
			struct mt_ctx *c, const struct mt_in *in) { return 0; }
		static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return 0; }
		static const struct mt_condenser f = { .size = sizeof f, .advance = advance };
		static const struct mt_tool tool = { .size = sizeof tool, .name = "mixed",
			.description = "x", .schema = "{}", .call = run };
		static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1,
			.tools = &tool };
		static const struct mt_component parts[] = {
			{ .size = sizeof *parts, .kind = MT_KIND_CONDENSER, .version_minor = 77,
			  .name = "early", .functions = &f },
			{ .size = sizeof *parts, .kind = MT_KIND_TOOL, .version_major = 1,
			  .name = "mixed", .functions = &set },
			{ .size = sizeof *parts, .kind = 99, .name = "odd", .functions = &set } };
		MT_PLUGIN(.name = "mixed", .version = "1", .license = "MIT",
			.components = parts, .component_count = 3)
	END
	for time in 1 2; do
		run mortise plugins
		[[ "${lines[0]}" == "tool       mixed"* ]]
		[ "${lines[1]}" = "2 rejected; \`mortise plugins --refused\` lists the reasons" ]
		run mortise plugins --refused
		[[ "${lines[0]}" == *"mixed.so: \`early\`: built for condenser ABI 0.77, but this mortise has "* ]]
		[[ "${lines[1]}" == *"mixed.so: \`odd\`: unknown component type 99; update mortise" ]]
	done
	run mortise plugins check "$dir/mixed.so"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == *"valid: mixed 1 provides tool mixed" ]]
	[[ "${lines[1]}" == *"rejected: \`early\`: built for condenser ABI 0.77"* ]]
	# a rejected component is found by its own kind and name, not by its file
	unset MORTISE_CORE_PLUGIN_PATH
	. "$top_srcdir/tests/env.sh"
	export MORTISE_CORE_PLUGIN_PATH="$dir,$MORTISE_CORE_PLUGIN_PATH"
	run -2 mortise run -t hi --model script:none -o controller.condensers=early
	echo "$output"
	[[ "$output" == *"condenser \`early\` was rejected: $dir/mixed.so: \`early\`: built for condenser ABI 0.77"* ]]
	run -2 mortise run -t hi --model script:none -o controller.agent=early
	[[ "$output" == *"unknown agent \`early\`"* ]]
	run -2 mortise run -t hi --model script:none -o controller.condensers=mixed
	[[ "$output" == *"unknown condenser \`mixed\`"* ]]
	for name in early condenser/early; do
		run mortise plugins info $name
		[ "$status" -ne 0 ]
		[[ "$output" == *"mixed.so: \`early\`: built for condenser ABI 0.77"* ]]
	done
	run mortise plugins info agent/early
	[[ "$output" == *"unknown plugin \`agent/early\`"* ]]
}

@test "libraries that are missing or too old, undefined symbols" {
	lib="$BATS_TEST_TMPDIR/lib"
	mkdir "$lib"
	make_lib() { # VERSION SYMBOL
		echo "$1 { global: $2; };" > "$lib/map"
		echo "int $2(void) { return 1; }" > "$lib/x.c"
		${CC:-cc} -shared -fPIC -Wl,--version-script="$lib/map" \
			-Wl,-soname,libmortisetest.so.1 -o "$lib/libmortisetest.so.1" "$lib/x.c"
	}
	for version in MORTISE_9 GLIBC_9.9; do
		make_lib "$version" helper
		compile needy -L"$lib" -l:libmortisetest.so.1 -Wl,-rpath,"$lib" <<-'END'
			#include <mortise/tool.h>
			int helper(void);
			static int run(const struct mt_tool_host *h, void *s, struct mt_call *c)
			{ return helper(); }
			MT_TOOL(run, "needy", .name = "needy", .description = "x", .schema = "{}")
		END
		run mortise plugins check "$dir/needy.so"
		echo "$output"
		[ "$status" -eq 0 ]
		make_lib MORTISE_1 helper
		run mortise plugins check "$dir/needy.so"
		echo "$output"
		[ "$status" -eq 1 ]
		case $version in
		GLIBC*) [[ "$output" == *"built for glibc 9.9, but this system has "* ]] ;;
		*) [[ "$output" == *"requires a newer library (version MORTISE_9)"* ]] ;;
		esac
	done
	rm "$lib/libmortisetest.so.1"
	refused "requires the library libmortisetest.so.1, which is not installed"
	tool needy 'int nowhere(void); int (*pointer)(void) = nowhere;'
	refused "undefined symbol nowhere; link the library that defines it"
}

@test "a library that could not be read is retried" {
	lib="$BATS_TEST_TMPDIR/lib"
	mkdir "$lib"
	echo 'int helper(void) { return 1; }' > "$lib/x.c"
	${CC:-cc} -shared -fPIC -Wl,-soname,libmortisetest.so.2 \
		-o "$lib/libmortisetest.so.2" "$lib/x.c"
	compile reader -L"$lib" -l:libmortisetest.so.2 -Wl,-rpath,"$lib" <<-'END'
		#include <mortise/tool.h>
		int helper(void);
		static int run(const struct mt_tool_host *h, void *s, struct mt_call *c)
		{ return helper(); }
		MT_TOOL(run, "reader", .name = "reader", .description = "x", .schema = "{}")
	END
	mv "$lib/libmortisetest.so.2" "$lib/whole"
	mkdir "$lib/libmortisetest.so.2" # a read fails
	refused "cannot be loaded: "
	rmdir "$lib/libmortisetest.so.2"
	mv "$lib/whole" "$lib/libmortisetest.so.2"
	run mortise plugins
	echo "$output"
	[[ "$output" == "tool       reader"* ]]
}

@test "a file or directory that others may write to" {
	tool good
	chmod 777 "$dir/good.so"
	refused "writable by other users"
	run mortise plugins check "$dir/good.so"
	[ "$status" -eq 1 ]
	chmod 755 "$dir/good.so"
	chmod 777 "$dir"
	refused "writable by other users"
	chmod 755 "$dir"
	run mortise plugins
	[[ "$output" == "tool       good"* ]]
}

@test "the first plugin of a name wins, the other is reported" {
	tool good
	mkdir "$BATS_TEST_TMPDIR/second"
	cp "$dir/good.so" "$BATS_TEST_TMPDIR/second/also.so"
	export MORTISE_CORE_PLUGIN_PATH="$dir,$BATS_TEST_TMPDIR/second,$BATS_TEST_TMPDIR/none"
	run mortise plugins --refused
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[1]}" == *"second/also.so: tool \`good\` is ignored because $dir/good.so takes precedence; to use it, name it in the configuration: $BATS_TEST_TMPDIR/second/also.so" ]]
	[[ "${lines[0]}" == *"none: No such file or directory" ]]
	run mortise plugins --json --refused
	[ "$(jq length <<< "$output")" = 2 ]
}

@test "a file that is reached by two directories of the path is listed once" {
	tool good
	ln -s "$dir" "$BATS_TEST_TMPDIR/link"
	mkdir -m 700 "$BATS_TEST_TMPDIR/links"
	ln -s "$dir/good.so" "$BATS_TEST_TMPDIR/links/other.so"
	export MORTISE_CORE_PLUGIN_PATH="$dir,$dir/,$BATS_TEST_TMPDIR/link,$BATS_TEST_TMPDIR/links"
	run mortise plugins --refused
	[ "$output" = "no plugin was rejected" ]
	run mortise plugins
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "tool       good"* ]]
}

# named NAME TEXT BEFORE : a tool `bash` that returns its name
named() {
	compile "$1" <<-END
		$2
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "$1");
		}
		MT_TOOL(run, "bash", .name = "execute_bash", .description = "Another one.",
			.schema = "{\"type\":\"object\"}")
	END
}

call_bash() { # [FLAG...]
	run mortise tools call -o controller.tools=bash "$@" execute_bash '{"command":"echo ours"}'
	echo "$output"
}

@test "a file with the name of a built-in plugin does not replace it" {
	named theirs '#define MT_PLUGIN_DOMAIN "org.example"'
	named other ''
	export MORTISE_CORE_PLUGIN_PATH="$dir,$top_builddir/plugins/tools,$top_builddir/plugins/runtimes"
	call_bash
	[[ "$output" == ours* ]]
	run mortise plugins --refused
	[[ "${lines[0]}" == *"other.so: tool \`bash\` is ignored because $(realpath "$top_builddir")/plugins/tools/bash.so takes precedence; to use it, name it in the configuration: $dir/other.so" ]]
	[[ "${lines[1]}" == *"theirs.so: "*" name it in the configuration: org.example.bash" ]]
	call_bash -o tool.bash.plugin=org.example.bash
	[ "$output" = theirs ]
	call_bash -o "tool.bash.plugin=$dir/other.so"
	[ "$output" = other ]
	call_bash -o tool.bash.plugin=org.mortise.bash
	[[ "$output" == ours* ]]
	run mortise plugins info org.example.bash --json
	[ "$(jq -r '.[0].path' <<< "$output")" = "$dir/theirs.so" ]
}

@test "of two plugins with one short name both are used, by their ids" {
	named first '#define MT_PLUGIN_DOMAIN "org.example"'
	named second '#define MT_PLUGIN_DOMAIN "com.example"'
	export MORTISE_CORE_PLUGIN_PATH="$dir,$top_builddir/plugins/runtimes"
	call_bash
	[ "$output" = first ]
	run mortise tools call -o controller.tools=org.example.bash execute_bash '{}'
	[ "$output" = first ]
	run mortise tools call -o controller.tools=com.example.bash execute_bash '{}'
	[ "$output" = second ]
	run mortise tools call -o controller.tools=bash -o tool.bash.plugin="$dir/second.so" execute_bash '{}'
	[ "$output" = second ]
	run mortise plugins --refused
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"second.so: tool \`bash\` is ignored because $dir/first.so takes precedence; to use it, name it in the configuration: com.example.bash" ]]
}

@test "of two files with one id, the refusal says that naming it does not help" {
	named first '#define MT_PLUGIN_DOMAIN "org.example"'
	cp "$dir/first.so" "$dir/second.so"
	run mortise plugins --refused
	[ "$output" = "$dir/second.so: tool \`bash\` is ignored because $dir/first.so takes precedence; both have the id org.example.bash; to use it, remove the other, or set \`plugin\` to its path" ]
}

@test "lists have one form, and an option with the name of one of the host is for both" {
	compile lists <<-'END'
		#include <mortise/tool.h>
		static const struct mt_option options[] = {
			{ .size = sizeof *options, .type = MT_OPTION_LIST, .name = "hosts",
			  .help = "Hosts.", .fallback = "a,b ,c" },
			{ .size = sizeof *options, .type = MT_OPTION_TEXT, .name = "deadline",
			  .help = "Its own copy." },
		};
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			struct mt_instance *i = host->call_instance(call);
			const char *deadline = host->option(i, "deadline");
			return host->reply(call, "%s|%s", host->option(i, "hosts"),
					   deadline ? deadline : "none");
		}
		MT_TOOL_WITH(run, "lists", (.options = options, .option_count = 2),
			.name = "lists", .description = "Says its options.",
			.schema = "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":"
				  "{\"n\":{\"type\":\"integer\",\"description\":\"A number.\"}}}")
	END
	export MORTISE_CORE_PLUGIN_PATH="$dir,$top_builddir/plugins/runtimes"
	run mortise tools call -o controller.tools=lists lists '{"n":1}'
	[ "$output" = "a, b, c|none" ]
	run mortise tools call -o controller.tools=lists -o tool.lists.hosts=x,y -o tool.lists.deadline=20s \
		lists '{"n":1}'
	[ "$output" = "x, y|20s" ]
	run mortise plugins info lists
	[[ "$output" == *"    n (integer, required): A number."* ]]
}

@test "a call and a list print what the plugin logs, without secrets" {
	compile says <<-'END'
		#include <mortise/tool.h>
		static const struct mt_option options[] = {
			{ .size = sizeof *options, .type = MT_OPTION_TEXT, .name = "key",
			  .help = "A key.", .flags = MT_OPTION_SECRET },
		};
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "done");
		}
		static const struct mt_tool tool = { .size = sizeof tool, .name = "says",
			.description = "Logs.", .schema = "{}", .call = run };
		static int start(const struct mt_tool_host *host, struct mt_instance *i, void **ret)
		{
			host->log(i, MT_LOG_WARNING, "the key is %s", host->option(i, "key"));
			return MT_OK;
		}
		static int more(const struct mt_tool_host *host, struct mt_instance *i, void *self,
				struct mt_listing *listing)
		{
			host->log(i, MT_LOG_WARNING, "no list with %s", host->option(i, "key"));
			return MT_EIO;
		}
		static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1,
			.tools = &tool, .open = start, .list = more };
		MT_TOOLSET(&set, "says", .name = "says", .options = options, .option_count = 1)
	END
	export MORTISE_CORE_PLUGIN_PATH="$dir,$top_builddir/plugins/runtimes"
	for command in "call says {}" "list"; do
		run mortise tools $command -o controller.tools=says -o tool.says.key=hidden-in-the-log
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *"says"*"the key is <secret_hidden>"* ]]
		[[ "$output" != *hidden-in-the-log* ]]
	done
	[[ "$output" == *"its tools could not be listed: "* ]]
}

# place NAME : a directory with a good plugin, the only one
place() {
	mkdir -p "$BATS_TEST_TMPDIR/$1"
	cp "$BATS_TEST_TMPDIR/good.so" "$BATS_TEST_TMPDIR/$1/good.so"
	export MORTISE_CORE_PLUGIN_PATH=$BATS_TEST_TMPDIR/$1
}

# refused_place TEXT... : it is refused with these texts
refused_place() {
	run mortise plugins --refused
	echo "$output"
	[ "${#lines[@]}" -eq 1 ]
	for text; do [[ "$output" == *"$text"* ]]; done
}

@test "a plugin that other users can replace is refused" {
	tool good
	cp "$dir/good.so" "$BATS_TEST_TMPDIR/good.so"
	top=$BATS_TEST_TMPDIR
	written="other users can replace it, because they can write to $top"

	place a/b/in
	chmod 777 "$top/a"
	refused_place "$top/a/b/in: $written/a; run chmod go-w on that directory"
	run mortise plugins check "$top/a/b/in/good.so"
	[ "$status" -eq 1 ]
	[[ "$output" == *"$written/a; run chmod go-w on that directory" ]]
	chmod 1777 "$top/a"
	run mortise plugins
	[[ "$output" == "tool       good"* ]]

	mkdir -m 777 "$top/links"
	place real
	ln -s "$top/real" "$top/links/d"
	MORTISE_CORE_PLUGIN_PATH=$top/links/d refused_place "$written/links;"
	MORTISE_CORE_PLUGIN_PATH=$top/links/../real refused_place "$written/links;"
	cd "$top/links"
	MORTISE_CORE_PLUGIN_PATH=d refused_place "$written/links;"
	cd "$top"

	place first
	mkdir "$top/last"
	mv "$top/first/good.so" "$top/last/x.so"
	ln -s "$top/last/x.so" "$top/links/y.so"
	ln -s "../links/y.so" "$top/first/good.so"
	refused_place "$top/first/good.so: $written/links;"
	chmod 755 "$top/links"
	run mortise plugins
	[[ "$output" == "tool       good"* ]]
	rm "$top/links/y.so"
	ln -s y.so "$top/links/y.so"
	refused_place "Too many levels of symbolic links"
}

@test "a path with a directory or link of another owner is refused" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to give a directory away"
	tool good
	cp "$dir/good.so" "$BATS_TEST_TMPDIR/good.so"
	place theirs/in
	chown 65534 "$BATS_TEST_TMPDIR/theirs"
	refused_place "another user owns $BATS_TEST_TMPDIR/theirs, and can replace it"
	chown 0 "$BATS_TEST_TMPDIR/theirs"
	ln -s theirs "$BATS_TEST_TMPDIR/link"
	chown -h 65534 "$BATS_TEST_TMPDIR/link"
	MORTISE_CORE_PLUGIN_PATH=$BATS_TEST_TMPDIR/link/in refused_place \
		"another user owns $BATS_TEST_TMPDIR/link, and can replace it"
	chmod 775 "$BATS_TEST_TMPDIR/theirs" # of root: as Debian has /usr/local
	run mortise plugins
	[[ "$output" == "tool       good"* ]]
}

@test "a good plugin next to bad ones is available" {
	tool good
	echo text > "$dir/a.so"
	echo text > "$dir/z.so"
	run mortise plugins
	[[ "${lines[0]}" == "tool       good"* ]]
	[ "${lines[1]}" = "2 rejected; \`mortise plugins --refused\` lists the reasons" ]
	run mortise plugins info a
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.so: not a shared library"* ]]
}

@test "a directory of another owner is named, with the reason" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to give a directory away"
	mkdir -p "$BATS_TEST_TMPDIR/theirs"
	chown 65534 "$BATS_TEST_TMPDIR/theirs"
	MORTISE_CORE_PLUGIN_PATH=$BATS_TEST_TMPDIR/theirs run mortise run -m script:x -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown runtime \`local\` ($BATS_TEST_TMPDIR/theirs was not loaded: owned by another user"* ]]
}

@test "a dialect that was refused is named, with the reason, not its provider as unknown" {
	unset MORTISE_CORE_PLUGIN_PATH
	. "$top_srcdir/tests/env.sh"
	mkdir -p "$BATS_TEST_TMPDIR/dialects"
	echo text >"$BATS_TEST_TMPDIR/dialects/openai.so"
	export MORTISE_CORE_PLUGIN_PATH="${MORTISE_CORE_PLUGIN_PATH/$top_builddir\/plugins\/dialects/$BATS_TEST_TMPDIR/dialects}"
	run -2 mortise run -m openai/gpt-4.1 -t hi
	echo "$output"
	[ "$output" = "mortise: model \`openai/gpt-4.1\`: dialect \`openai\` was rejected: $BATS_TEST_TMPDIR/dialects/openai.so: not a shared library (it appears to be text); a plugin is a compiled .so file" ]
}

@test "a configuration file of a removed package is a warning" {
	export MORTISE_SYSTEM_CONFIG=$BATS_TEST_TMPDIR/etc
	mkdir -p -m 700 "$MORTISE_SYSTEM_CONFIG/conf.d" "$HOME/config/mortise" "$BATS_TEST_TMPDIR/ws"
	file=$MORTISE_SYSTEM_CONFIG/conf.d/50-gone.ini
	printf '[controller]\ntools += gone\n' >"$file"
	printf '[turn]\n[call finish]\nmessage = done\n' >"$BATS_TEST_TMPDIR/script"
	unset MORTISE_CORE_PLUGIN_PATH
	. "$top_srcdir/tests/env.sh"
	export HOME="$BATS_TEST_TMPDIR/home" XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	export XDG_CONFIG_HOME="$HOME/config" XDG_STATE_HOME="$HOME/state"
	ours=$MORTISE_CORE_PLUGIN_PATH
	run --separate-stderr mortise run -q -C "$BATS_TEST_TMPDIR/ws" \
		-m "script:$BATS_TEST_TMPDIR/script" -t hi
	[ "$status" -eq 0 ]
	[ "$output" = "done" ]
	[[ "$stderr" == *"\`gone\` of [controller] is ignored in \`tools\`: it is not installed; install it again, or remove $file"* ]]
	run mortise config check -o "llm.model=script:$BATS_TEST_TMPDIR/script"
	[ "$status" -eq 0 ]

	# installed, it is wired; removed, a conversation that has it says how to resume
	tool gone
	export MORTISE_CORE_PLUGIN_PATH=$ours,$dir
	run mortise tools list
	[[ "$output" == *gone* ]]
	mortise run -q -C "$BATS_TEST_TMPDIR/ws" -m "script:$BATS_TEST_TMPDIR/script" -t hi
	rm "$dir/gone.so"
	run mortise resume last
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown tool \`gone\`"*"reinstall it, or add its directory with -o core.plugin_path+=DIR; to resume without it, use -o 'controller.tools-=NAME')"* ]]
	printf '[turn]\n[turn]\n[call finish]\nmessage = again\n' >"$BATS_TEST_TMPDIR/script"
	run mortise resume last -q -o controller.tools-=gone -t more
	[ "$status" -eq 0 ]
	[ "$output" = again ]

	# a name in the user's own file is an error
	rm "$file"
	printf '[controller]\ntools += gone\n' >"$HOME/config/mortise/mortise.ini"
	run mortise run -q -C "$BATS_TEST_TMPDIR/ws" -m "script:$BATS_TEST_TMPDIR/script" -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown tool \`gone\`"* ]]
}

@test "a terminal does not get the control characters of a plugin" {
	cat > "$BATS_TEST_TMPDIR/red.c" <<'END'
#define MT_PLUGIN_VERSION "1\x1b[31m"
#include <mortise/tool.h>
static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return MT_OK; }
MT_TOOL_WITH(run, "red", (.summary = "Is \x1b[31mred."), .name = "red",
	.description = "Is \x1b[31mred.")
END
	${CC:-cc} -std=gnu17 -w -shared -fPIC -I"$top_srcdir/sdk-headers" -o "$dir/red.so" \
		"$BATS_TEST_TMPDIR/red.c"
	chmod 755 "$dir/red.so"
	for command in "check $dir/red.so" "info red" ""; do
		script -qec "mortise plugins $command" "$BATS_TEST_TMPDIR/seen" </dev/null >/dev/null
		grep -q red "$BATS_TEST_TMPDIR/seen"
		run -1 grep "$(printf '\033\[31m')" "$BATS_TEST_TMPDIR/seen"
	done
	run mortise plugins info red --json
	[ "$(jq -r '.[0].version' <<< "$output")" = "$(printf '1\033[31m')" ]
}

@test "a declared permission applies once the user grants it" {
	tool opens '#define MT_PLUGIN_PERMISSIONS permissions
		#include <mortise/tool.h>
		static const struct mt_permission permissions[] = {
			MT_PERMISSION(MT_PERMIT_ENVIRONMENT, "OPENS_WORD", 0) };'
	for kind in tools agents condensers analyzers dialects runtimes; do
		MORTISE_CORE_PLUGIN_PATH+=,$top_builddir/plugins/$kind
	done
	export OPENS_WORD=opened
	for expected in '=.' '=opened.'; do
		printf '%s\n' '[turn]' '[call execute_bash]' 'command = echo "=$OPENS_WORD."' \
			'[turn]' "expect last contains = $expected" 'text = done' >"$dir/script"
		run timeout 120 mortise run --model "script:$dir/script" -t go \
			-o controller.tools=bash,opens,finish
		echo "$output"
		[ "$status" -eq 0 ]
		export MORTISE_TOOL__OPENS__PERMISSIONS='environment OPENS_WORD'
	done
}
