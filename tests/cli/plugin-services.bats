#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# plugin-services.bats - the services of the host for tools, each with a plugin that is
# built from the headers alone.
bats_require_minimum_version 1.5.0

setup() {
	export HOME="$BATS_TEST_TMPDIR/home" XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	export XDG_CONFIG_HOME="$HOME/config" XDG_STATE_HOME="$HOME/state"
	export XDG_DATA_HOME="$HOME/data"
	dir="$BATS_TEST_TMPDIR/plugins"
	work="$BATS_TEST_TMPDIR/work"
	mkdir -p "$dir" "$HOME" "$work" "$XDG_STATE_HOME"
	chmod 700 "$dir" "$XDG_STATE_HOME"
	export MORTISE_CORE_PLUGIN_PATH="$dir,$MORTISE_CORE_PLUGIN_PATH"
}

# compile NAME : a plugin from the C text on standard input
compile() {
	cat > "$BATS_TEST_TMPDIR/$1.c"
	# shellcheck disable=SC2086
	${CC:-cc} -std=gnu17 -Wall -Wextra -Wno-unused-parameter -Werror -shared -fPIC \
		-I"$top_srcdir/sdk-headers" -o "$dir/$1.so" "$BATS_TEST_TMPDIR/$1.c"
	chmod 755 "$dir/$1.so"
}

# service BODY [MEMBERS OF THE TOOL] : a tool `service` whose calls do this
service() {
	compile service <<-END
		#include <mortise/extensions.h>
		#include <stdio.h>
		#include <string.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			struct mt_instance *instance = host->call_instance(call);
			(void)instance;
			$1
		}
		MT_TOOL(run, "service", .name = "service", .description = "For tests.",
			.schema = "{\"type\":\"object\"}", $2)
	END
}

call() { # [FLAG...] : call it
	run mortise tools call -C "$work" -o controller.tools=service "$@" service '{}'
	echo "$output"
}

@test "a long error message is cut, between characters" {
	for form in 'fail(call, MT_EIO, "%s", text)' 'fail_text(call, MT_EIO, text, 5000)'; do
		service 'static char text[5001];
			memset(text, 120, 5000);
			memcpy(text + 4094, "\xc3\xa9", 2);
			return host->'"$form"';'
		run mortise tools call --json -C "$work" -o controller.tools=service service '{}'
		grep -aqE '[^x]x{4094}([^x]|$)' <<< "$output"
		run ! grep -a 'too long' <<< "$output"
	done
}

@test "a long log message is cut, between characters" {
	for form in 'log(instance, MT_LOG_WARNING, "%s", text)' \
			'log_text(instance, MT_LOG_WARNING, text, 2000)'; do
		service 'static char text[2001];
			memset(text, 120, 2000);
			memcpy(text + 1022, "\xc3\xa9", 2);
			host->'"$form"';
			return host->reply(call, "called");'
		call
		[[ "${lines[0]}" =~ " warning service: "x{1022}$ ]]
		[ "${lines[1]}" = called ]
	done
}

@test "a field that the observation cannot have does not cost the result" {
	printf '[turn]\n[call service]\n[turn]\nexpect last contains = the text\n[call finish]\nmessage = Done.\n' \
		>"$work/script"
	for field in 'name", "7", 1' 'media", "\"x\"", 3' 'is_error", "\"yes\"", 5' \
			'arguments", "[]", 2' 'hidden", "true", 4'; do
		service "host->field(call, \"$field); return host->reply(call, \"the text\");"
		run mortise run -C "$work" -m "script:$work/script" -t go -o controller.tools=service,finish \
			-o controller.confirmation=never
		echo "$field: $output"
		[ "$status" -eq 0 ]
		[[ "$output" != *"cannot create an event"* ]]
	done
}

@test "empty texts may be NULL" {
	service 'uint64_t number;
		size_t len = 9;
		struct mt_answer_draft_1 answer;
		const struct mt_str none = { NULL, 0 };
		const struct mt_requests_draft_1 *r = host->extension(MT_REQUESTS_DRAFT_1);
		host->log_text(instance, MT_LOG_INFO, NULL, 0);
		int statuses[] = { host->reply_text(call, NULL, 0), host->output(call, NULL, 0),
			host->spool(call, NULL, 0), host->progress(call, 1, 2, NULL),
			host->reply_media(call, "image/png", NULL, 0),
			host->field(call, "x", NULL, 0), host->save(instance, NULL, 0),
			host->request(call, "x", none, NULL),
			r->submit(call, "x", none, &number), r->wait(call, -1, &answer) };
		for (size_t n = 0; n < sizeof statuses / sizeof *statuses; n++)
			host->reply(call, "%d ", statuses[n]);
		host->reply(call, "%d %d %s|", !host->saved(instance, NULL),
			!host->arg_str(call, "x", &len), host->arg_json(call, NULL, NULL));
		return host->fail_text(call, MT_EIO, NULL, 0);'
	call
	[[ "$output" == *"0 0 0 0 0 -1 -6 -6 0 0 1 1 {}|"* ]]
	[ "$status" -ne 0 ]
}

@test "an invalid status of list or open is an error of the plugin" {
	compile lists <<-'END'
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "x");
		}
		static int list(const struct mt_tool_host *host, struct mt_instance *instance,
				void *self, struct mt_listing *l)
		{
			return 7;
		}
		static int set_open(const struct mt_tool_host *host, struct mt_instance *instance,
				    void **ret_self)
		{
			return (int)host->option_int(instance, "status");
		}
		static const struct mt_option options[] = { { .size = sizeof *options,
			.type = MT_OPTION_INT, .name = "status", .fallback = "0" } };
		static const struct mt_tool fixed = { .size = sizeof fixed, .name = "fixed",
			.description = "x", .call = run };
		static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1,
			.tools = &fixed, .open = set_open, .list = list };
		MT_TOOLSET(&set, "lists", .name = "lists", .options = options, .option_count = 1)
	END
	printf '[turn]\ntext = Done.\n' > "$BATS_TEST_TMPDIR/script"
	run mortise run -C "$work" -o controller.tools=lists \
		-m "script:$BATS_TEST_TMPDIR/script" -t go
	echo "$output"
	[[ "$output" == *"cannot list the tools of \`lists\`: invalid"* ]]
	for value in 7 -99; do
		run mortise tools call -C "$work" -o controller.tools=lists \
			-o "tool.lists.status=$value" fixed '{}'
		echo "$output"
		[[ "$output" == *"\`open\` of \`lists\` returned the invalid status $value"* ]]
	done
}

@test "a call knows its instance, its tool and its id" {
	service 'return host->reply(call, "%s %s", host->call_tool(call), host->call_id(call));'
	call
	[ "$output" = "service 1" ]
}

@test "every function of a toolset is given the host and its instance" {
	compile service <<-'END'
		#include <mortise/tool.h>
		#include <string.h>
		static struct mt_instance *own;
		static int set_open(const struct mt_tool_host *h, struct mt_instance *i, void **self)
		{
			own = i;
			return MT_OK;
		}
		static int more(const struct mt_tool_host *h, void *self, struct mt_call *c)
		{
			return h->reply(c, "%s: %s", h->call_tool(c),
				h->call_instance(c) == own ? "its instance" : "another one");
		}
		static int list(const struct mt_tool_host *h, struct mt_instance *i, void *self,
			struct mt_listing *l)
		{
			struct mt_tool tool = { .size = sizeof tool, .name = h->option(i, "name"),
				.description = "x", .schema = "{\"type\":\"object\"}" };
			return h->add_tool(l, &tool);
		}
		static void set_close(const struct mt_tool_host *h, struct mt_instance *i, void *self)
		{
			h->log(i, MT_LOG_INFO, "closed");
		}
		static const struct mt_option options[] = { { .size = sizeof *options,
			.type = MT_OPTION_TEXT, .name = "name", .fallback = "listed", .help = "x" } };
		static const struct mt_tool tools[] = { { .size = sizeof *tools, .name = "first",
			.description = "x", .schema = "{\"type\":\"object\"}" } };
		static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1,
			.tools = tools, .open = set_open, .list = list, .call = more,
			.close = set_close };
		MT_TOOLSET(&set, "service", .name = "service", .options = options,
			.option_count = 1)
	END
	run mortise tools call -o controller.tools=service first '{}'
	[ "$output" = "first: its instance" ]
}

@test "a tool of one function has options, a summary and a title" {
	compile service <<-'END'
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "%s",
				host->option(host->call_instance(call), "greeting"));
		}
		static const struct mt_option options[] = { { .size = sizeof *options,
			.type = MT_OPTION_TEXT, .name = "greeting", .fallback = "hello",
			.help = "What it says." } };
		MT_TOOL_WITH(run, "service", (.summary = "Says something.", .options = options,
			.option_count = 1), .name = "service", .title = "Greeter",
			.description = "Greets.", .schema = "{\"type\":\"object\"}")
	END
	call
	[ "$output" = "hello" ]
	call -o tool.service.greeting=hi
	[ "$output" = "hi" ]
	run mortise plugins info service
	[[ "${lines[0]}" == "tool service: Says something." ]]
	[[ "$output" == *"    Greeter"* ]]
	run mortise tools list --json -o controller.tools=service
	[ "$(jq -r '.[0].title' <<< "$output")" = Greeter ]
}

@test "texts with a length: the result, the failure, the log" {
	service 'host->log_text(instance, MT_LOG_WARNING, "loggedxx", 6);
		host->reply_text(call, "repliedxx", 7);
		return host->fail_text(call, MT_EDENIED, "failedxx", 6);'
	call
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *" warning service: logged" ]]
	[ "${lines[1]}" = replied ]
	[ "${lines[2]}" = "mortise: failed" ]
}

@test "an extension of the host: a structured result" {
	service 'const struct mt_result_draft_1 *r = host->extension(MT_RESULT_DRAFT_1);
		if (!r || host->extension("mortise.result.draft-99"))
			return host->fail(call, MT_EUNSUPPORTED, "not there");
		if (r->structured(call, "[]", 2) != MT_EINVAL)
			return host->fail(call, MT_EINVAL, "not checked");
		if (r->structured(call, "{\"n\":3}", 7))
			return host->fail(call, MT_EINVAL, "not taken");
		return host->reply(call, "three");'
	call --json
	[ "$(jq -c .structured <<< "${lines[0]}")" = '{"n":3}' ]
	[ "${lines[1]}" = three ]
}

# logged N : the structured result of a conversation in which the tool returns N
logged() {
	service "const struct mt_result_draft_1 *r = host->extension(MT_RESULT_DRAFT_1);
		r->structured(call, \"{\\\"n\\\":$1}\", strlen(\"{\\\"n\\\":$1}\"));
		return host->reply(call, \"done\");" \
		'.output_schema = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}"'
	printf '[turn]\n[call service]\n\n[turn]\n[call finish]\nmessage = x\n' \
		> "$BATS_TEST_TMPDIR/script"
	rm -rf "$XDG_STATE_HOME/mortise/conversations"
	mortise run -C "$work" --model "script:$BATS_TEST_TMPDIR/script" -q \
		-o controller.tools=service,control -t go > /dev/null 2>&1
	grep -h '"observation":"tool"' "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl |
		jq -c .extras.structured
}

@test "a structured result that does not match the output schema is left out" {
	run logged 3
	echo "$output"
	[ "$output" = '{"n":3}' ]
	run logged true
	[ "$output" = null ]
	call --json
	[ "${lines[1]}" = "{}" ]
	[[ "${lines[0]}" == *" warning service: the structured result does not match the output schema: /n: must be an integer"* ]]
	logged 3
	call --json
	[ "${lines[0]}" = '{"structured":{"n":3}}' ]
}

@test "an output schema is checked with the rest of the plugin" {
	service 'return MT_OK;' '.output_schema = "{"'
	run mortise plugins check "$dir/service.so"
	[ "$status" -eq 1 ]
	[[ "$output" == *"invalid output schema of tool \`service\`"* ]]
}

@test "identity and permissions are shown" {
	compile service <<-'END'
		#define MT_PLUGIN_DOMAIN "org.example"
		#define MT_PLUGIN_VENDOR "Example Ltd."
		#define MT_PLUGIN_URL "https://example.org/service"
		#define MT_PLUGIN_PERMISSIONS permissions
		#include <mortise/tool.h>
		static const struct mt_permission permissions[] = {
			MT_PERMISSION(MT_PERMIT_READ, "~/.netrc", "Passwords of hosts."),
			MT_PERMISSION(MT_PERMIT_HOST, "api.example.org", 0),
			MT_PERMISSION(MT_PERMIT_SECRET, "TOKEN", 0),
			MT_PERMISSION(MT_PERMIT_ENVIRONMENT, "HTTPS_PROXY", 0) };
		static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return 0; }
		MT_TOOL(run, "service", .name = "service", .description = "x", .schema = "{}")
	END
	run mortise plugins info service
	[[ "$output" == *"  id org.example.service"* ]]
	[[ "$output" == *"  vendor Example Ltd."* ]]
	[[ "$output" == *"  url https://example.org/service"* ]]
	[[ "$output" == *"Declared permissions (only those that the user grants apply):"* ]]
	[[ "$output" == *"  read         ~/.netrc: Passwords of hosts."* ]]
	[[ "$output" == *"  host         api.example.org"* ]]
	run mortise plugins info service --json
	[ "$(jq -c '[.[0].permissions[].kind]' <<< "$output")" = \
		'["read","host","secret","environment"]' ]
	[ "$(jq -r '.[0].id' <<< "$output")" = org.example.service ]
}

# about TEXT : a plugin that offers this text
about() {
	compile service <<-END
		#define MT_PLUGIN_EXTENSION offer
		#include <mortise/extensions.h>
		#include <string.h>
		static const struct mt_about_draft_1 about = { sizeof about, 0, $1 };
		static const void *offer(const char *name)
		{
			return strcmp(name, MT_ABOUT_DRAFT_1) == 0 ? &about : NULL;
		}
		static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return 0; }
		MT_TOOL(run, "service", .name = "service", .description = "x", .schema = "{}")
	END
}

@test "an extension of a plugin: its description for the user" {
	about '"Needs an account.\nSends \033[31mnothing."'
	run mortise plugins info service
	echo "$output"
	[[ "$output" == *"About:"$'\n'"  Needs an account."$'\n'"  Sends ‹\\e›[31mnothing."* ]]
	run mortise plugins info service --json
	[ "$(jq -r '.[0].about' <<< "$output")" = $'Needs an account.\nSends \e[31mnothing.' ]
	for text in NULL '"\xff"' '(char[5000]){ [0 ... 4998] = 65 }'; do
		about "$text"
		run mortise plugins check "$dir/service.so"
		[ "$status" -eq 1 ]
		[[ "$output" == *"mortise.about.draft-1 is missing, not UTF-8 or longer than 4095 bytes" ]]
	done
}

@test "a wrong id and a wrong permission are refused" {
	for id in service org. .example org..x 'org.exa mple'; do
		compile service <<-END
			#include <mortise/tool.h>
			static const struct mt_toolset set = { .size = sizeof set };
			static const struct mt_component part = { .size = sizeof part,
				.kind = MT_KIND_TOOL, .version_major = 1, .name = "x",
				.functions = &set };
			MT_PLUGIN(.name = "service", .version = "1", .license = "MIT", .id = "$id",
				.components = &part, .component_count = 1)
		END
		run mortise plugins check "$dir/service.so"
		[ "$status" -eq 1 ]
		[[ "$output" == *"invalid id \`$id\`: use a domain, reversed, and a name: org.example.wc" ]]
	done
	compile service <<-'END'
		#define MT_PLUGIN_PERMISSIONS permissions
		#include <mortise/tool.h>
		static const struct mt_permission permissions[] = { MT_PERMISSION(77, "x", 0) };
		static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return 0; }
		MT_TOOL(run, "service", .name = "service", .description = "x", .schema = "{}")
	END
	run mortise plugins check "$dir/service.so"
	[ "$status" -eq 0 ]
	[[ "$output" == *"unknown"*"x"* ]]
	sed s/77/0/ "$BATS_TEST_TMPDIR/service.c" | compile other
	run mortise plugins check "$dir/other.so"
	[[ "$output" == *"permission 1 has no kind" ]]
}

@test "a plugin knows its own file" {
	service 'return host->reply(call, "%s", host->plugin_path(instance));'
	call
	[ "$output" = "$dir/service.so" ]
}

@test "the directory of the user outlives the runner, and is one for all instances" {
	service 'char path[4096], text[16] = "";
		snprintf(path, sizeof path, "%s/count", host->user_dir(instance));
		FILE *f = fopen(path, "a+");
		if (!f)
			return host->fail(call, MT_EIO, "cannot open %s", path);
		fputs("x", f);
		rewind(f);
		if (!fgets(text, sizeof text, f))
			text[0] = 0;
		fclose(f);
		return host->reply(call, "%s", text);'
	call
	[ "$output" = x ]
	call
	[ "$output" = xx ]
	[ "$(cat "$XDG_DATA_HOME/mortise/plugin-data/service/count")" = xx ]
	[ "$(stat -c %a "$XDG_DATA_HOME/mortise/plugin-data/service")" = 700 ]
}

@test "without a conversation nothing can be saved" {
	service 'size_t len = 7;
		const void *saved = host->saved(instance, &len);
		return host->reply(call, "%d %d [%s] %zu", host->save(instance, "x", 1),
			saved == 0, host->conversation_dir(instance), len);'
	call
	[ "$output" = "-6 1 [] 0" ]
}

@test "saved data and the directory of the conversation survive a resume" {
	service 'size_t len; char path[4096];
		const char *saved = host->saved(instance, &len);
		snprintf(path, sizeof path, "%s/file", host->conversation_dir(instance));
		FILE *f = fopen(path, "r");
		host->reply(call, "saved %s, file %s", saved ? saved : "nothing", f ? "there" : "new");
		f = f ? f : fopen(path, "w");
		if (f)
			fclose(f);
		static char big[MT_SAVED_MAX + 1];
		if (host->save(instance, big, sizeof big) != MT_ELIMIT)
			return host->fail(call, MT_EINVAL, "too much is taken");
		return host->save(instance, "the state", 9);'
	cat > "$BATS_TEST_TMPDIR/script" <<-'END'
		[turn]
		[call service]

		[turn]
		expect last contains = saved nothing, file new
		[call finish]
		message = First.

		[turn]
		[call service]

		[turn]
		expect last contains = saved the state, file there
		[call finish]
		message = Second.
	END
	run mortise run -C "$work" --model "script:$BATS_TEST_TMPDIR/script" -q \
		-o controller.tools=service,control -t go
	echo "$output"
	[ "$status" -eq 0 ]
	run mortise resume last -t "again"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Second."* ]]
}

@test "a large argument is read in pieces, from any offset" {
	compile service <<-'END'
		#include <mortise/extensions.h>
		#include <string.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			const struct mt_arguments_draft_1 *a = host->extension(MT_ARGUMENTS_DRAFT_1);
			char piece[4093];
			uint64_t total = 7, at = 0, sum = 0;
			size_t n = 7, len;
			const char *text = host->arg_str(call, "text", &len);
			if (a->length(call, "none", &total) != MT_ENOTFOUND ||
			    a->length(call, "number", &total) != MT_EINVAL ||
			    a->read(call, "none", 0, piece, 1, &n) != MT_ENOTFOUND ||
			    a->read(call, "number", 0, piece, 1, &n) != MT_EINVAL ||
			    total != 7 || n != 7)
				return host->fail(call, MT_EINVAL, "not refused");
			if (a->length(call, "text", &total) || total != len)
				return host->fail(call, MT_EINVAL, "another length");
			while (!a->read(call, "text", at, piece, sizeof piece, &n) && n) {
				if (memcmp(text + at, piece, n))
					return host->fail(call, MT_EINVAL, "not the text");
				at += n;
				sum++;
			}
			if (a->read(call, "text", len - 2, piece, 9, &n) || n != 2 ||
			    a->read(call, "text", len + 9, piece, 9, &n) || n != 0 ||
			    a->read(call, "text", UINT64_MAX, piece, 9, &n) || n != 0 ||
			    a->read(call, "text", 0, 0, 0, &n) || n != 0)
				return host->fail(call, MT_EINVAL, "wrong at the end");
			if (a->read(call, "other", 1, piece, 9, &n))
				return host->fail(call, MT_EINVAL, "no default");
			return host->reply(call, "%d bytes in %d pieces, %.*s", (int)at, (int)sum,
				(int)n, piece);
		}
		MT_TOOL(run, "service", .name = "service", .description = "x",
			MT_PARAMS(MT_TEXT("text"), MT_TEXT("other", .fallback = "abc"),
				MT_INTEGER("number"), MT_TEXT("none")))
	END
	{
		printf '[turn]\n[call service]\nnumber := 3\ntext = '
		head -c 900000 /dev/zero | tr '\0' x
		printf 'end\n\n[turn]\nexpect last contains = 900003 bytes in 220 pieces, bc\n'
		printf '[call finish]\nmessage = Done.\n'
	} > "$BATS_TEST_TMPDIR/script"
	run mortise run -C "$work" --model "script:$BATS_TEST_TMPDIR/script" -q \
		-o controller.tools=service,control -t go
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = Done. ]
}

@test "a secret that is granted to the tool" {
	service 'struct mt_str result;
		struct mt_str params = MT_STR("{\"name\":\"token\"}");
		int r = host->request(call, "secret/get", params, &result);
		if (r)
			return host->fail_text(call, r, result.ptr, result.len);
		return host->reply_text(call, result.ptr, result.len);'
	call
	[ "$status" -eq 1 ]
	[[ "$output" == *"this secret is not granted to the tool"* ]]
	call -o grant.token.tools=service -o grant.token.env=SERVICE_TOKEN
	[ "$status" -eq 1 ]
	[[ "$output" == *"the secret \`token\` is not set"* ]]
	SERVICE_TOKEN=s3cret-of-mine call -o grant.token.tools=service \
		-o grant.token.env=SERVICE_TOKEN
	[ "$status" -eq 0 ]
	[ "$output" = '{"value":"<secret_hidden>"}' ]
	SERVICE_TOKEN=s3cret-of-mine call -o grant.token.tools=bash \
		-o grant.token.env=SERVICE_TOKEN
	[ "$status" -eq 1 ]
}

@test "a secret that the tool prints is masked in its text, its fields and its error" {
	service 'struct mt_str result;
		struct mt_str params = MT_STR("{\"name\":\"token\"}");
		int fails = 0, r = host->request(call, "secret/get", params, &result);
		char text[64];
		if (r)
			return host->fail_text(call, r, result.ptr, result.len);
		snprintf(text, sizeof text, "%.*s", (int)result.len, result.ptr);
		host->field(call, "note", result.ptr, result.len);
		host->arg_bool(call, "fails", &fails);
		if (fails)
			return host->fail(call, MT_EIO, "no luck with %s", text);
		return host->reply(call, "%d: %s", (int)strlen(text), text);'
	export SERVICE_TOKEN=s3cret-of-mine
	call --json -o grant.token.tools=service -o grant.token.env=SERVICE_TOKEN
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *'26: {"value":"<secret_hidden>"}'* ]]
	[[ "$output" == *'"note":'*'<secret_hidden>'*'26:'* ]]
	[[ "$output" != *s3cret* ]]
	run mortise tools call -C "$work" -o controller.tools=service \
		-o grant.token.tools=service -o grant.token.env=SERVICE_TOKEN service \
		'{"fails":true}'
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *'no luck with {"value":"<secret_hidden>"}'* ]]
	[[ "$output" != *s3cret* ]]
}

@test "a secret reaches the tool of the MCP server, and its client only masked" {
	service 'struct mt_str result;
		struct mt_str params = MT_STR("{\"name\":\"token\"}");
		int fails = 0, r = host->request(call, "secret/get", params, &result);
		char text[64];
		if (r)
			return host->fail_text(call, r, result.ptr, result.len);
		snprintf(text, sizeof text, "%.*s", (int)result.len, result.ptr);
		host->progress(call, 1, 2, text);
		host->output(call, text, strlen(text));
		host->log_text(instance, MT_LOG_WARNING, text, strlen(text));
		host->arg_bool(call, "fails", &fails);
		if (fails)
			return host->fail(call, MT_EIO, "no luck with %s", text);
		return host->reply(call, "%d: %s", (int)strlen(text), text);'
	export SERVICE_TOKEN=s3cret-of-mine
	{
		printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":'
		printf '"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
		printf '{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"debug"}}\n'
		for fails in false true; do
			printf '{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{' $fails
			printf '"_meta":{"progressToken":7},"name":"service","arguments":{"fails":%s}}}\n' $fails
		done
	} > "$BATS_TEST_TMPDIR/requests"
	mortise tools serve -C "$work" -o controller.tools=service \
		-o grant.token.tools=service -o grant.token.env=SERVICE_TOKEN \
		< <(cat "$BATS_TEST_TMPDIR/requests") > "$BATS_TEST_TMPDIR/answers" \
		2> "$BATS_TEST_TMPDIR/errors"
	cat "$BATS_TEST_TMPDIR/answers" "$BATS_TEST_TMPDIR/errors"
	grep -F '26: {\"value\":\"<secret_hidden>\"}' "$BATS_TEST_TMPDIR/answers"
	grep -F 'no luck with {\"value\":\"<secret_hidden>\"}' "$BATS_TEST_TMPDIR/answers"
	grep '"notifications/progress".*<secret_hidden>' "$BATS_TEST_TMPDIR/answers"
	grep -F '<secret_hidden>' "$BATS_TEST_TMPDIR/errors"
	if grep -r s3cret "$BATS_TEST_TMPDIR/answers" "$BATS_TEST_TMPDIR/errors"; then return 1; fi
}

@test "a secret reaches the tool of a conversation, and the model only masked" {
	service 'struct mt_str result;
		struct mt_str params = MT_STR("{\"name\":\"token\"}");
		int r = host->request(call, "secret/get", params, &result);
		if (r)
			return host->fail_text(call, r, result.ptr, result.len);
		return host->reply(call, "%d: %.*s", (int)result.len, (int)result.len, result.ptr);'
	printf 's3cret-in-a-file\n' > "$HOME/token"
	chmod 600 "$HOME/token"
	cat > "$BATS_TEST_TMPDIR/script" <<-'END'
		[turn]
		[call service]

		[turn]
		expect last contains = 28: {"value":"<secret_hidden>"}
		[call finish]
		message = Done.
	END
	run mortise run -C "$work" --model "script:$BATS_TEST_TMPDIR/script" -q \
		-o controller.tools=service,control -o grant.token.tools=service \
		-o "grant.token.file=$HOME/token" -t go
	echo "$output"
	[ "$status" -eq 0 ]
	run -1 grep -rq s3cret-in-a-file "$XDG_STATE_HOME"
}

@test "a question to the user of a headless run is refused with the reason" {
	service 'struct mt_str result, params = MT_STR("{\"question\":\"Which?\"}");
		int r = host->request(call, "user/ask", params, &result);
		return host->reply(call, "%d: %.*s", r, (int)result.len, result.ptr);'
	cat > "$BATS_TEST_TMPDIR/script" <<-'END'
		[turn]
		[call service]

		[turn]
		expect last contains = -6: no user is available in a headless run
		[call finish]
		message = Done.
	END
	run mortise run -C "$work" --model "script:$BATS_TEST_TMPDIR/script" -q \
		-o controller.tools=service,control -t go
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a tool has its own deadline and result limit" {
	service 'return host->reply(call, "%d", host->time_left_ms(call) <= 7000);' \
		'.deadline_ms = 7000'
	call
	[ "$output" = 1 ]
	call -o tool.service.deadline=60s
	[ "$output" = 0 ]
	service 'for (int i = 0; i < 100; i++)
			host->reply(call, "%d,", i);
		return MT_OK;' '.result_max = 20'
	call
	[ "${lines[0]}" = "0,1,2,3,4,5,6,7,8,9," ]
	# a tool that returns the status of `reply` has not failed
	service 'return host->reply(call, "%s", "0,1,2,3,4,5,6,7,8,9,10");' '.result_max = 20'
	call
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "0,1,2,3,4,5,6,7,8,9," ]
	service 'host->reply(call, "%s", "0,1,2,3,4,5,6,7,8,9,10");
		return host->fail(call, MT_ELIMIT, "Too many numbers.");' '.result_max = 20'
	call
	[ "$status" -ne 0 ]
	[[ "$output" == *"Too many numbers."* ]]
}

@test "several simultaneous model requests, whose replies are read as they arrive" {
	service 'const struct mt_requests_draft_1 *r = host->extension(MT_REQUESTS_DRAFT_1);
		static const char ask[] = "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],"
			"\"model\":\"other\",\"stream\":true}";
		struct mt_str params = { ask, sizeof ask - 1 };
		char pieces[3][64] = { "" }, answer[96];
		uint64_t numbers[3];
		struct mt_answer_draft_1 a;
		int status;
		for (int n = 0; n < 3; n++)
			if (r->submit(call, "model/complete", params, &numbers[n]))
				return host->fail(call, MT_EINVAL, "not submitted");
		while (!(status = r->wait(call, -1, &a)))
			for (int n = 0; n < 3; n++) {
				char *text = pieces[n], *end = text + strlen(text);
				if (numbers[n] != a.number)
					continue;
				if (a.flags & MT_ANSWER_PIECE) {
					snprintf(end, 32, "%.*s", (int)a.text.len - 11,
						a.text.ptr + 9);
					continue;
				}
				snprintf(answer, sizeof answer, "{\"text\":\"%s\",", text);
				host->reply(call, "%d %s %s. ", a.status, text,
					strncmp(a.text.ptr, answer, strlen(answer)) ? a.text.ptr
						: "whole");
			}
		return status == MT_ENOTFOUND ? MT_OK : host->fail(call, status, "no end");'
	printf '[turn]\ntext = one\n\n[turn]\ntext = two\n\n[turn]\ntext = three\n' \
		> "$BATS_TEST_TMPDIR/other"
	cat > "$BATS_TEST_TMPDIR/script" <<-'END'
		[turn]
		[call service]

		[turn]
		expect last contains = 0 one whole.
		expect last contains = 0 two whole.
		expect last contains = 0 three whole.
		[call finish]
		message = Done.
	END
	run mortise run -C "$work" --model "script:$BATS_TEST_TMPDIR/script" -q \
		-o "llm.other.model=script:$BATS_TEST_TMPDIR/other" \
		-o controller.tools=service,control -t go
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = Done. ]
	grep -h '"plugin":"tools"' "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl |
		tail -n 1 | jq -e '.text | fromjson | .calls == 3' > "$BATS_TEST_TMPDIR/seen"
}

# server : an HTTP server that returns the request; sets `port`
server() {
	python3 -c '
import http.server, json
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        text = json.dumps([self.command, self.path, self.headers.get("X-Own", ""),
                           body.decode()]).encode()
        text = {"/big": b"x" * (3 << 20), "/bytes": b"\xff\x00"}.get(self.path, text)
        self.send_response(302 if self.path == "/away" else 200)
        self.send_header("Location", "http://localhost:1/")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    do_GET = do_POST = do_PUT = do_DELETE = do
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()
' > "$BATS_TEST_TMPDIR/port" 3>&- &
	server=$!
	for _ in {1..1500}; do
		[ ! -s "$BATS_TEST_TMPDIR/port" ] || break
		sleep 0.02
	done
	port=$(cat "$BATS_TEST_TMPDIR/port")
}

teardown() {
	[ -z "$server" ] || kill "$server"
}

# asks PARAMS ANSWER : a call that sends PARAMS, and a part of its result
asks() {
	printf '[turn]\n[call service]\nparams := %s\n\n' "$1" >> "$BATS_TEST_TMPDIR/script"
	answers+=("$2")
}

# http_service : a tool that sends its argument `params` with http/send
http_service() {
	compile service <<-'END'
		#define MT_PLUGIN_PERMISSIONS permissions
		#include <mortise/tool.h>
		static const struct mt_permission permissions[] = {
			MT_PERMISSION(MT_PERMIT_HOST, "127.0.0.1", 0),
			MT_PERMISSION(MT_PERMIT_HOST, "*.example.org", 0) };
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			struct mt_str params, result;
			params.ptr = host->arg_json(call, "params", &params.len);
			int status = host->request(call, "http/send", params, &result);
			return status ? host->fail_text(call, status, result.ptr, result.len)
				: host->reply(call, "%.*s", result.len < 9999 ? (int)result.len : 99,
					result.ptr);
		}
		MT_TOOL(run, "service", .name = "service", .description = "x",
			.schema = "{\"type\":\"object\"}")
	END
}

@test "the MCP server sends HTTP for tools, and names the requests that it does not support" {
	http_service
	server
	unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
	{
		printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":'
		printf '"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
		printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"service",'
		printf '"arguments":{"params":{"url":"http://127.0.0.1:%s/a"}}}}\n' "$port"
		printf '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"service",'
		printf '"arguments":{"params":{"url":"http://localhost:%s/"}}}}\n' "$port"
	} > "$BATS_TEST_TMPDIR/requests"
	mortise tools serve -C "$work" -o controller.tools=service \
		< <(cat "$BATS_TEST_TMPDIR/requests") > "$BATS_TEST_TMPDIR/answers"
	cat "$BATS_TEST_TMPDIR/answers"
	jq -es 'map(select(.id == 2))[0].result | (.isError | not) and (.content[0].text |
		contains("\"body\":\"[\\\"GET\\\", \\\"/a\\\""))' "$BATS_TEST_TMPDIR/answers"
	jq -es 'map(select(.id == 3))[0].result | .isError and (.content[0].text |
		contains("may not connect to localhost"))' "$BATS_TEST_TMPDIR/answers"
}

@test "HTTP through the host, to the hosts that are declared or allowed" {
	http_service
	server
	unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
	local url="http://127.0.0.1:$port" answers=() n=0
	asks "{\"url\":\"$url/a?b\"}" '"body":"[\"GET\", \"/a?b\", \"\", \"\"]"'
	asks "{\"url\":\"$url/\",\"body\":\"x\",\"headers\":{\"X-Own\":\"y\"}}" \
		'"body":"[\"POST\", \"/\", \"y\", \"x\"]"'
	asks "{\"url\":\"$url/\",\"body\":\"x\",\"method\":\"PUT\"}" '[\"PUT\",'
	asks "{\"url\":\"$url/\",\"method\":\"DELETE\"}" '[\"DELETE\",'
	asks "{\"url\":\"$url/bytes\"}" '"base64":"/wA="'
	asks "{\"url\":\"$url/away\"}" '{"status":302,"headers":{'
	asks "{\"url\":\"$url/away\"}" '"location":"http://localhost:1/"'
	asks "{\"url\":\"$url/big\"}" 'the response is larger than 2097152 bytes'
	asks '{"url":"http://127.0.0.1:1/"}' 'cannot send the request: '
	asks "{\"url\":\"http://localhost:$port/\"}" 'may not connect to localhost: its plugin'
	asks "{\"url\":\"http://xexample.org/\"}" 'may not connect to xexample.org: its plugin'
	for bad in "file:///etc/passwd" "http://127.0.0.1@localhost:$port/" "http:/x" "" \
		"http://localhost:$port\\\\@127.0.0.1/" "http://127.0.0.1:$port@localhost/" \
		"http://127.0.0.1.evil:x/" "http://[::1]/" "http:// 127.0.0.1/"; do
		asks "{\"url\":\"$bad\"}" 'is not an http or https URL'
	done
	asks "{\"url\":\"$url/\",\"method\":\"HEAD\"}" '`method` is GET'
	asks "{\"url\":\"$url/\",\"method\":\"GET\",\"body\":\"x\"}" '`method` is GET'
	asks "{\"url\":\"$url/\",\"headers\":{\"A\":\"b\\r\\nC: d\"}}" 'invalid header `A`'
	asks "{\"url\":\"$url/\",\"headers\":{\"A b\":\"c\"}}" 'invalid header `A b`'
	for header in Host hOST Content-Length Content_Length transfer-encoding Connection \
		Proxy-Authorization; do
		asks "{\"url\":\"$url/\",\"headers\":{\"$header\":\"5\"}}" \
			"cannot set the header \`$header\`"
	done
	asks "{\"url\":\"$url/\",\"headers\":{\"Hostess\":\"5\"}}" '"status":200'
	printf '[turn]\n[call finish]\nmessage = Done.\n' >> "$BATS_TEST_TMPDIR/script"
	run mortise run -C "$work" --model "script:$BATS_TEST_TMPDIR/script" -q \
		-o controller.tools=service,control -o controller.stuck_detection=no -t go
	echo "$output"
	[ "$status" -eq 0 ]
	grep -h '"observation":"tool"' "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl |
		jq -c .content > "$BATS_TEST_TMPDIR/results"
	while read -r result; do
		result=$(jq -r . <<< "$result")
		printf '%s: %s\n' "${answers[n]}" "$result"
		[[ "$result" == *"${answers[n]}"* ]]
		n=$((n + 1))
	done < "$BATS_TEST_TMPDIR/results"
	[ "$n" -eq "${#answers[@]}" ]

	# The configuration of the user overrides the declaration of the plugin.
	answers=()
	rm -r "$BATS_TEST_TMPDIR/script" "$XDG_STATE_HOME/mortise/conversations"
	asks "{\"url\":\"http://localhost:$port/\"}" '{"status":200'
	asks "{\"url\":\"$url/\"}" 'may not connect'
	printf '[turn]\n[call finish]\nmessage = Done.\n' >> "$BATS_TEST_TMPDIR/script"
	run mortise run -C "$work" --model "script:$BATS_TEST_TMPDIR/script" -q \
		-o controller.tools=service,control -o tool.service.http_hosts=localhost -t go
	[ "$status" -eq 0 ]
	cat "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl > "$BATS_TEST_TMPDIR/log"
	[ "$(jq -r 'select(.observation == "tool").content' "$BATS_TEST_TMPDIR/log" |
		grep -c '"status":200\|the tool may not connect to 127.0.0.1:')" = 2 ]
}

@test "a tool that is called without a conversation sends HTTP through the host" {
	http_service
	server
	unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
	run mortise tools call -C "$work" -o controller.tools=service service \
		"{\"params\":{\"url\":\"http://127.0.0.1:$port/a\"}}"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *'"body":"[\"GET\", \"/a\", \"\", \"\"]"'* ]]
	run mortise tools call -C "$work" -o controller.tools=service service \
		"{\"params\":{\"url\":\"http://localhost:$port/\"}}"
	[ "$status" -eq 1 ]
	[[ "$output" == *"may not connect to localhost"* ]]
	cat > "$dir/service.cases" <<-END
		[a request]
		call = service
		arguments = {"params": {"url": "http://127.0.0.1:$port/b"}}
		match = "status":200

		[another]
		call = service
		arguments = {"params": {"url": "http://localhost:$port/"}}
		error = may not connect
	END
	run mortise plugins test "$dir/service.so"
	echo "$output"
	[ "$status" -eq 0 ]
	run mortise plugins test -o tool.service.http_hosts=localhost "$dir/service.so"
	[ "$status" -eq 1 ]
	[[ "$output" == *"not ok 1 - a request"* ]]
}

@test "a medium needs a media type" {
	service 'return host->reply(call, "%d %d %d %d %d %d",
		host->reply_media(call, "image/png", "x", 1),
		host->reply_media(call, "text/plain; charset=utf-8", "x", 1),
		host->reply_media(call, "png", "x", 1),
		host->reply_media(call, "image/", "x", 1),
		host->reply_media(call, "/png", "x", 1),
		host->reply_media(call, "image/a b", "x", 1));'
	call
	[ "${lines[0]}" = "0 0 -1 -1 -1 -1" ]
}

@test "a tool without a schema has no arguments" {
	compile bare <<-'END'
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "it runs");
		}
		MT_TOOL(run, "bare", .name = "runs", .description = "For tests.")
	END
	run mortise tools call -C "$work" -o controller.tools=bare runs '{}'
	[ "$output" = "it runs" ]
	run mortise tools call -C "$work" -o controller.tools=bare runs '{"a": 1}'
	echo "$output"
	[ "$status" -eq 2 ]
	[[ "$output" == *"Unexpected argument a in tool call runs"* ]]
}

@test "a tool that is offered on request: the error says how to enable it" {
	compile bare <<-'END'
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "it runs");
		}
		MT_TOOL(run, "bare", .name = "rare", .description = "For tests.",
			.hints = MT_TOOL_ON_REQUEST)
	END
	run mortise tools call -C "$work" -o controller.tools=bare rare '{}'
	echo "$output"
	[ "$status" -eq 2 ]
	[[ "$output" == *"tool rare of \`bare\` is not enabled; use \`-o controller.tools+=rare\` or --all" ]]
	run mortise tools call -C "$work" -o controller.tools+=rare rare '{}'
	[ "$output" = "it runs" ]
}

@test "a tool that is offered on request and has the name of its toolset is enabled by it" {
	compile rare <<-'END'
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "it runs");
		}
		MT_TOOL(run, "rare", .name = "rare", .description = "For tests.",
			.hints = MT_TOOL_ON_REQUEST)
	END
	run mortise tools call -C "$work" rare '{}'
	echo "$output"
	[ "$status" -eq 2 ]
	for enabled in "-o controller.tools+=rare" "-o tool.other.plugin=rare -o controller.tools=other" --all; do
		echo "$enabled"
		# shellcheck disable=SC2086
		run mortise tools call -C "$work" $enabled rare '{}'
		echo "$output"
		[ "$output" = "it runs" ]
	done
}

@test "tools that are listed at run time are checked like those of the table" {
	compile lists <<-'END'
		#include <mortise/tool.h>
		#include <string.h>
		static char results[100];
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "%s", results);
		}
		static int list(const struct mt_tool_host *host, struct mt_instance *instance,
				void *self, struct mt_listing *l)
		{
			static const struct { const char *name, *schema, *events; int64_t deadline; }
			tools[] = { { "good", 0, 0, 0 }, { "good", 0, 0, 0 },
				    { "fixed", 0, 0, 0 }, { "bad name", 0, 0, 0 },
				    { "a", "{", 0, 0 }, { "b", "{}", "{{", 0 },
				    { "c", "{}", 0, -2 } };
			*results = '\0';
			for (size_t n = 0; n < sizeof tools / sizeof *tools; n++) {
				struct mt_tool tool = { .size = sizeof tool, .call = run,
					.name = tools[n].name, .description = "x",
					.schema = tools[n].schema, .events = tools[n].events,
					.deadline_ms = tools[n].deadline };
				strcat(results, host->add_tool(l, &tool) == MT_EINVAL ?
					"no " : "yes ");
			}
			return MT_OK;
		}
		static const struct mt_tool fixed = { .size = sizeof fixed, .name = "fixed",
			.description = "x", .call = run };
		static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1,
			.tools = &fixed, .list = list };
		MT_TOOLSET(&set, "lists", .name = "lists")
	END
	run mortise tools call -C "$work" -o controller.tools=lists good '{}'
	echo "$output"
	[ "$output" = "yes no no no no no no " ]
}
