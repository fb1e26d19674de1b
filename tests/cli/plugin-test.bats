#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise plugins test: calls the tools of a plugin as specified in its case file.
bats_require_minimum_version 1.5.0

setup() {
	export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	work=$BATS_TEST_TMPDIR/work
	mkdir -p "$work" "$HOME"
	chmod 700 "$work" "$HOME"
	cd "$work"
	cat > deeds.c <<-'END'
		#include <mortise/tool.h>
		#include <stdlib.h>
		#include <string.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			const char *deed = host->arg_str(call, "deed", NULL);
			char *volatile memory = malloc(8);
			(void)self;
			if (strcmp(deed, "crash") == 0)
				abort();
			if (strcmp(deed, "fail") == 0)
				return host->fail(call, MT_EIO, "The disk is full.");
			if (strcmp(deed, "overrun") == 0)
				memory[8] = 1;
			free(memory);
			return host->reply(call, "deed: %s\n", deed);
		}
		MT_TOOL(run, "deeds", .name = "deeds", .description = "Does a deed.",
			.schema = "{\"type\":\"object\",\"required\":[\"deed\"],"
				  "\"properties\":{\"deed\":{\"type\":\"string\"}}}")
	END
	${CC:-cc} -std=gnu17 -gdwarf-4 -shared -fPIC \
		-I"$top_srcdir/sdk-headers" -o deeds.so deeds.c
	chmod 755 deeds.so
}

@test "cases that pass" {
	cat > deeds.cases <<-'END'
		# a comment
		[the text]
		call = deeds
		arguments = {"deed": "work"}
		result = deed: work

		[a pattern]
		call = deeds
		arguments = {"deed": "work\nmore"}
		match = ^deed: w.*\nmore$

		[more lines]
		call = deeds
		arguments = {"deed": "a\nb"}
		result = deed: a
		  b

		[a failure]
		call = deeds
		arguments = {"deed": "fail"}
		error = disk is full

		[a crash]
		call = deeds
		arguments = {"deed": "crash"}
		error = killed by signal 6 .Aborted

		[a new worker after it]
		call = deeds
		arguments = {"deed": "work"}
		result = deed: work

		[an argument that the schema refuses]
		call = deeds
		error = deed
	END
	run mortise plugins test deeds.so
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 1..7 ]
	[ "${lines[3]}" = "ok 3 - more lines" ]
	[ "${#lines[@]}" -ge 8 ]
	run ! grep '^not ok' <<<"$output"
}

@test "tools that are listed at run time, at first and after a change" {
	cat > late.c <<-'END'
		#include <mortise/tool.h>
		#include <stdio.h>
		static int count = 1;
		static int named(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			(void)self;
			if (host->call_tool(call)[0] == 'm') {
				count++;
				host->changed(host->call_instance(call));
			}
			return host->reply(call, "%s of %d", host->call_tool(call), count);
		}
		static int list(const struct mt_tool_host *host, struct mt_instance *instance,
				void *self, struct mt_listing *listing)
		{
			char name[16];
			struct mt_tool tool = { .size = sizeof tool, .name = name,
				.description = "x", .call = named };
			(void)instance, (void)self;
			for (int i = 1; i <= count; i++) {
				snprintf(name, sizeof name, "tool_%d", i);
				host->add_tool(listing, &tool);
			}
			return MT_OK;
		}
		static const struct mt_tool more = { .size = sizeof more, .name = "more",
			.description = "x", .call = named };
		static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1,
			.tools = &more, .list = list };
		MT_TOOLSET(&set, "late", .name = "late")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" -o late.so late.c
	chmod 755 late.so
	cat > late.cases <<-'END'
		[the first]
		call = tool_1
		result = tool_1 of 1
		[not yet]
		call = tool_2
		error = not registered
		[one more]
		call = more
		result = more of 2
		[the second]
		call = tool_2
		result = tool_2 of 2
	END
	for time in 1 2; do
		run mortise plugins test late.so
		echo "$output"
		[ "$status" -eq 0 ]
	done
	sed -i 's/return MT_OK;/return MT_EIO;/' late.c
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" -o late.so late.c
	rm -rf "$XDG_CACHE_HOME"
	run mortise plugins test late.so
	echo "$output"
	[[ "${lines[1]}" == "not ok 1 - the first" ]]
	[[ "$output" == *"ok 3 - one more"* ]]
	run mortise plugins test -o core.runner=/bin/false late.so
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"not ok 4 - the second"* ]]
}

@test "a tool gets the secrets that it is granted, and no others" {
	cat > secret.c <<-'END'
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			static const struct mt_str name = MT_STR("{\"name\":\"key\"}");
			struct mt_str value;
			(void)self;
			if (host->request(call, "secret/get", name, &value))
				return host->fail_text(call, MT_EDENIED, value.ptr, value.len);
			return host->reply_text(call, value.ptr, value.len);
		}
		MT_TOOL(run, "secret", .name = "ask", .description = "Asks.",
			.schema = "{\"type\":\"object\",\"properties\":{}}")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" -o secret.so secret.c
	chmod 755 secret.so
	export SECRET_KEY=open-sesame
	printf '[granted]\ncall = ask\nmatch = "value":"open-sesame"\n' > secret.cases
	run mortise plugins test secret.so -o grant.key.env=SECRET_KEY -o grant.key.tools=secret
	echo "$output"
	[ "$status" -eq 0 ]
	printf '[not granted]\ncall = ask\nerror = not granted\n' > secret.cases
	run mortise plugins test secret.so -o grant.key.env=SECRET_KEY -o grant.key.tools=bash
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" != *open-sesame* ]]
}

@test "secrets in the result of a case that fails are masked" {
	cat > keeper.c <<-'END'
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			static const struct mt_str name = MT_STR("{\"name\":\"key\"}");
			const char *pass = host->option(host->call_instance(call), "pass");
			struct mt_str value;
			(void)self;
			host->request(call, "secret/get", name, &value);
			if (host->arg_str(call, "how", NULL))
				return host->fail(call, MT_EIO, "fails with %s", pass);
			return host->reply(call, "%s %.*s", pass, (int)value.len, value.ptr);
		}
		static const struct mt_option options[] = {
			{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "pass",
			  .help = "Password.", .flags = MT_OPTION_SECRET },
		};
		MT_TOOL_WITH(run, "keeper", (.options = options, .option_count = 1),
			     .name = "ask", .description = "Asks.",
			     .schema = "{\"type\":\"object\"}")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" -o keeper.so keeper.c
	chmod 755 keeper.so
	cat > keeper.cases <<-'END'
		[same]
		call = ask
		result = option-s3cret {"value":"open-sesame"}
		[other]
		call = ask
		match = option-s3cret alone
		[error]
		call = ask
		arguments = {"how": "it fails"}
		error = works
	END
	export SECRET_KEY=open-sesame
	run mortise plugins test keeper.so -o grant.key.env=SECRET_KEY \
		-o grant.key.tools=keeper -o tool.keeper.pass=option-s3cret
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"ok 1 - same"*"not ok 2 - other"*"not ok 3 - error"* ]]
	[[ "$output" == *'#   match: <secret_hidden> alone'* ]]
	[[ "$output" == *'#   got: <secret_hidden> {"value":"<secret_hidden>"}'* ]]
	[[ "$output" == *'#   got the error: fails with <secret_hidden>'* ]]
	[[ "$output" != *s3cret* ]]
	[[ "$output" != *sesame* ]]
}

@test "a case that fails shows file, line, expectation and result" {
	cat > other <<-'END'
		[good]
		call = deeds
		arguments = {"deed": "work"}
		result = deed: work
		[bad]
		call = deeds
		arguments = {"deed": "work"}
		result = deed: play
		[no error]
		call = deeds
		arguments = {"deed": "work"}
		error = anything
		[an error]
		call = deeds
		arguments = {"deed": "fail"}
		match = deed
		[no such tool]
		call = dreams
		result = x
	END
	run --separate-stderr mortise plugins test deeds.so other
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(grep -c '^not ok' <<<"$output")" = 4 ]
	[[ "$output" == *"not ok 2 - bad
#   other:8
#   result: deed: play
#   got: deed: work"* ]]
	[[ "$output" == *"#   got the error: The disk is full."* ]]
	[[ "$output" == *"not ok 5 - no such tool"*dreams* ]]
}

@test "each fault of a case file is one sentence with the line" {
	while IFS='|' read -r text sentence; do
		printf "$text" > deeds.cases
		run mortise plugins test deeds.so
		echo "$output"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == "mortise: deeds.cases:$sentence"* ]]
	done <<-'END'
	# nothing\n| the file contains no case
	call = x\n[a]\n|1: `call` is outside a case
	[a]\nresult = x\n|1: the case `a` has no `call`
	[a]\ncall = x\n|1: the case `a` needs one of result, match, error, structured and preview
	[a]\ncall = x\nresult = y\nerror = z\n|1: the case `a` needs one of
	[a]\ncall = x\nexpect = y\n|3: unknown key `expect`
	[a]\ncall = x\ncall = y\n|3: set `call` of a case once
	[a]\ncall = x\nerror += y\n|3: set `error` of a case once
	[a]\ncall = x\nmatch = (\n|3: invalid regular expression
	[a]\ncall = x\nresult = y\narguments = [1]\n|4: invalid arguments
	[a]\ncall = x\nresult = y\n[a]\n|4: duplicate case `a`
	[a\n|1: the section has no `]`
	END
	rm deeds.cases
	run mortise plugins test deeds.so
	[ "$status" -eq 2 ]
	[[ "$output" == *deeds.cases* ]]
}

@test "a file that is not a plugin, or provides no tool" {
	printf '[a]\ncall = x\nresult = y\n' > deeds.cases
	run mortise plugins test no-such.so deeds.cases
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot open \`no-such.so\`"* ]]
	echo text > text.so
	run mortise plugins test text.so deeds.cases
	[ "$status" -eq 1 ]
	[[ "$output" == "mortise: "* ]]
	run mortise plugins test "$top_builddir/plugins/agents/dummy.so" deeds.cases
	[ "$status" -eq 1 ]
	run mortise plugins test
	[ "$status" -eq 2 ]
}

# with_valgrind: skip the test without valgrind
with_valgrind() {
	command -v valgrind || skip "valgrind is not installed"
	case $SANITIZE in *address*) skip "valgrind cannot run a program with ASan" ;; esac
}

@test "debug information that valgrind cannot read is not an error of the plugin" {
	with_valgrind
	command -v clang || skip "clang is not installed"
	clang -std=gnu17 -g -shared -fPIC -I"$top_srcdir/sdk-headers" -o deeds.so deeds.c
	printf '[a]\ncall = deeds\narguments = {"deed": "work"}\nresult = deed: work\n' > good
	run mortise plugins test --valgrind deeds.so good
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "valgrind finds an invalid write" {
	with_valgrind
	printf '[a]\ncall = deeds\narguments = {"deed": "work"}\nresult = deed: work\n' > good
	printf '[a]\ncall = deeds\narguments = {"deed": "overrun"}\nmatch = .\n' > bad
	run mortise plugins test --valgrind deeds.so good
	echo "$output"
	[ "$status" -eq 0 ]
	run mortise plugins test --valgrind deeds.so bad
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"Invalid write of size 1"*"deeds.c:"* ]]
}

@test "AddressSanitizer finds an invalid write" {
	case $SANITIZE in *address*) skip "mortise has a runtime of its own" ;; esac
	echo "int main(void) { return 0; }" > empty.c
	gcc -fsanitize=address,undefined -o empty empty.c || skip "gcc has no sanitizers"
	printf '[a]\ncall = deeds\narguments = {"deed": "work"}\nresult = deed: work\n' > good
	run mortise plugins test --asan deeds.so good
	[ "$status" -eq 1 ]
	[[ "$output" == *"deeds.so is not linked with libasan; build it by gcc with -fsanitize=address"* ]]
	gcc -std=gnu17 -g -fsanitize=address,undefined -shared -fPIC \
		-I"$top_srcdir/sdk-headers" -o deeds.so deeds.c
	run mortise plugins test --asan deeds.so good
	echo "$output"
	[ "$status" -eq 0 ]
	printf '[a]\ncall = deeds\narguments = {"deed": "overrun"}\nmatch = .\n' > bad
	run mortise plugins test --asan deeds.so bad
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"AddressSanitizer: heap-buffer-overflow"*deeds.c:* ]]
	# other commands still refuse it
	run mortise plugins check deeds.so
	[ "$status" -ne 0 ]
}

@test "structured results and previews" {
	cat > more.c <<-'END'
		#include <mortise/extensions.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			const struct mt_result_draft_1 *r = host->extension(MT_RESULT_DRAFT_1);
			r->structured(call, "{\"n\":1,\"m\":[2]}", 15);
			return host->reply(call, "called");
		}
		static int before(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			return host->reply(call, "deletes %s", host->arg_str(call, "name", NULL));
		}
		static const struct mt_tool tools[] = {
			{ .size = sizeof *tools, .name = "more", .description = "x", .call = run,
			  .preview = before, MT_PARAMS(MT_TEXT("name", .fallback = "all")) },
			{ .size = sizeof *tools, .name = "less", .description = "x", .call = run,
			  .schema = "{}",
			  .output_schema = "{\"type\": \"object\", \"required\": [\"k\"]}" } };
		static const struct mt_toolset set = { .size = sizeof set, .tool_count = 2,
			.tools = tools };
		MT_TOOLSET(&set, "more", .name = "more")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" -o more.so more.c
	chmod 755 more.so
	cat > more.cases <<-'END'
		[structured]
		call = more
		structured = {"m": [2], "n": 1}

		[a preview]
		call = more
		arguments = {"name": "one"}
		preview = deletes one

		[a preview with a default]
		call = more
		preview = deletes all
	END
	run mortise plugins test more.so
	echo "$output"
	[ "$status" -eq 0 ]
	cat > more.cases <<-'END'
		[another object]
		call = more
		structured = {"m": [2], "n": 2}

		[another preview]
		call = more
		preview = called

		[no preview]
		call = less
		preview = x

		[an object that the output schema does not allow]
		call = less
		structured = {"m": [2], "n": 1}
	END
	run mortise plugins test more.so
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"not ok 1 - another object"*'got: {"n":1,"m":[2]}'* ]]
	[[ "$output" == *"not ok 2 - another preview"*"got: deletes all"* ]]
	[[ "$output" == *"not ok 3 - no preview"*"the tool less has no preview"* ]]
	[[ "$output" == *"warning less: the structured result does not match the output schema: "* ]]
	[[ "$output" == *"not ok 4 - an object that the output schema does not allow"* ]]
}
