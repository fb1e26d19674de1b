#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The harnesses: a test program of a vendor needs these headers alone, and sanitizers of
# gcc and clang work with them.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat > tool.c <<-'END'
		#include <mortise/tool.h>
		#include <stdlib.h>
		#include <string.h>
		static int opened;
		static int begin(const struct mt_tool_host *host, struct mt_instance *instance,
				 void **ret_self)
		{
			host->log(instance, MT_LOG_INFO, "the unit is %s",
				  host->option(instance, "unit"));
			*ret_self = &opened;
			opened++;
			return MT_OK;
		}
		static void finish(const struct mt_tool_host *host, struct mt_instance *instance,
				   void *self)
		{
			(void)host, (void)instance;
			--*(int *)self;
		}
		static int wait_for_cancel(const struct mt_tool_host *host, struct mt_call *call)
		{
			while (!host->cancelled(call))
				if (host->time_left_ms(call) == 0)
					return host->fail(call, MT_ETIMEOUT, "No time is left.");
			return host->fail(call, MT_ECANCELLED, "It was cancelled.");
		}
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			const char *text = host->arg_str(call, "text", NULL);
			char *volatile bytes = malloc(4);
			struct mt_str reply;
			int64_t times = 0;
			(void)self;
			if (!text)
				text = "";
			if (strcmp(text, "overrun") == 0)
				bytes[4] = 1;
			free(bytes);
			if (strcmp(text, "wait") == 0)
				return wait_for_cancel(host, call);
			if (!*text)
				return host->fail(call, MT_EINVAL, "`%s` is empty.", "text");
			host->arg_int(call, "times", &times);
			if (host->request(call, "model/complete", (struct mt_str)MT_STR("{}"), &reply))
				return host->fail_text(call, MT_EIO, reply.ptr, reply.len);
			host->field(call, "metadata", "{}", 2);
			host->save(host->call_instance(call), text, strlen(text));
			return host->reply(call, "%s %d %.*s %s", text, (int)times,
					   (int)reply.len, reply.ptr,
					   host->arg_json(call, NULL, NULL));
		}
		static const struct mt_tool tools[] = {
			{ .size = sizeof tools[0], .name = "say", .description = "Says.",
			  .call = run,
			  MT_PARAMS(MT_TEXT("text", MT_REQUIRED, "The text."),
				    MT_INTEGER("times", .fallback = "7")) },
		};
		static const struct mt_option options[] = {
			{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "unit",
			  .fallback = "cm", .help = "The unit." },
		};
		static const struct mt_toolset set = {
			.size = sizeof set, .tool_count = 1, .tools = tools, .open = begin,
			.close = finish };
		MT_TOOLSET(&set, "tool", .name = "tool", .options = options, .option_count = 1)
	END
	cat > test.c <<-'END'
		#include "tool.c"
		#include <mortise/harness.h>
		#define CHECK(condition)                                          \
			do                                                        \
				if (!(condition)) {                               \
					fprintf(stderr, "%d: %s\n", __LINE__, #condition); \
					return 1;                                 \
				}                                                 \
			while (0)
		int main(int argc, char **argv)
		{
			struct mt_harness *h = mt_harness_open(mortise_plugin_v1(), "tool");

			h->log = stdout;
			mt_harness_option(h, "unit", "inch");
			if (argc > 1)
				mt_harness_text(h, "text", argv[1]);
			CHECK(mt_harness_call(h, "say") == MT_EINVAL);
			CHECK(strcmp(h->error, "`text` is empty.") == 0 && opened == 1);

			mt_harness_text(h, "text", "a\"\n\303\251");
			mt_harness_answer(h, "model/complete", MT_OK, "{\"text\":\"yes\"}");
			CHECK(mt_harness_call(h, "say") == MT_OK && !h->error);
			CHECK(strcmp(h->text, "a\"\n\303\251 7 {\"text\":\"yes\"} "
					      "{\"text\":\"a\\\"\\u000a\303\251\"}") == 0);
			CHECK(h->fields && strcmp(h->fields->name, "metadata") == 0);

			mt_harness_json(h, "text", "\"x\\u00e9\"");
			mt_harness_integer(h, "times", -2);
			mt_harness_answer(h, "model/complete", MT_ELIMIT, "The budget is used up.");
			CHECK(mt_harness_call(h, "say") == MT_EIO);
			CHECK(strcmp(h->error, "The budget is used up.") == 0);

			h->tick_ms = 10;
			h->cancel_ms = 95;
			mt_harness_text(h, "text", "wait");
			CHECK(mt_harness_call(h, "say") == MT_ECANCELLED && h->now_ms >= 95);
			h->cancel_ms = -1;
			h->deadline_ms = 60 * 60 * 1000;
			mt_harness_text(h, "text", "wait");
			CHECK(mt_harness_call(h, "say") == MT_ETIMEOUT);
			mt_harness_close(h);
			CHECK(opened == 0);
			return 0;
		}
	END
}

# passes COMPILER: the test passes under its sanitizers, which find an invalid write
passes() {
	command -v "$1" || skip "$1 is not installed"
	echo "int main(void) { return 0; }" > empty.c
	"$1" -fsanitize=address,undefined -o empty empty.c || skip "$1 has no sanitizers"
	"$1" -std=gnu17 -g -Wall -Wextra -Wshadow -Werror -I"$top_srcdir/sdk-headers" \
		-o test test.c -fsanitize=address,undefined
	run ./test
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "log 3: the unit is inch" ]
	run ! ./test overrun
	[[ "$output" == *heap-buffer-overflow*tool.c* ]]
}

@test "gcc with sanitizers" { passes gcc; }
@test "clang with sanitizers" { passes clang; }

@test "previews and the extensions of the host" {
	cat > more.c <<-'END'
		#include <mortise/extensions.h>
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			const struct mt_result_draft_1 *result = host->extension(MT_RESULT_DRAFT_1);
			const struct mt_arguments_draft_1 *arguments =
				host->extension(MT_ARGUMENTS_DRAFT_1);
			const struct mt_requests_draft_1 *requests =
				host->extension(MT_REQUESTS_DRAFT_1);
			struct mt_answer_draft_1 answer;
			uint64_t length = 0, number;
			char piece[3];
			size_t n = 0;
			(void)self;
			result->structured(call, "{\"n\":1}", 7);
			if (arguments->length(call, "none", &length) != MT_ENOTFOUND)
				return MT_EINVAL;
			arguments->length(call, "text", &length);
			arguments->read(call, "text", 2, piece, sizeof piece, &n);
			requests->submit(call, "one", (struct mt_str)MT_STR("{}"), &number);
			requests->submit(call, "two", (struct mt_str)MT_STR("{}"), &number);
			while (requests->wait(call, -1, &answer) == MT_OK)
				host->reply(call, "%d %d %s ", (int)answer.number, answer.status,
					    answer.text.ptr);
			return host->reply(call, "%d %.*s", (int)length, (int)n, piece);
		}
		static int before(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			struct mt_str reply;
			(void)self;
			if (host->request(call, "one", (struct mt_str)MT_STR("{}"), &reply) != MT_EDENIED)
				return host->fail(call, MT_EIO, "not denied");
			return host->reply(call, "says %s", host->arg_str(call, "text", NULL));
		}
		MT_TOOL(run, "more", .name = "more", .description = "x", .preview = before,
			MT_PARAMS(MT_TEXT("text", MT_REQUIRED, "x"), MT_TEXT("none")))
	END
	cat > test.c <<-'END'
		#include "more.c"
		#include <mortise/harness.h>
		int main(void)
		{
			struct mt_harness *h = mt_harness_open(mortise_plugin_v1(), "more");

			mt_harness_text(h, "text", "abcd");
			mt_harness_answer(h, "two", MT_OK, "{\"two\":2}");
			mt_harness_answer(h, "one", MT_EIO, "no");
			if (mt_harness_call(h, "more") || !h->structured)
				return 1;
			printf("%s|%s\n", h->text, h->structured);
			mt_harness_text(h, "text", "abcd");
			mt_harness_answer(h, "one", MT_OK, "{}");
			if (mt_harness_preview(h, "more") || h->structured)
				return 2;
			puts(h->text);
			return mt_harness_close(h);
		}
	END
	${CC:-cc} -std=gnu17 -g -Wall -Wextra -Wshadow -Werror -I"$top_srcdir/sdk-headers" \
		-o test test.c
	run ./test
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = '1 -3 no 2 0 {"two":2} 4 cd|{"n":1}' ]
	[ "${lines[1]}" = "says abcd" ]
}

# kind_passes COMPILER KIND: the test that mortise plugins new makes for this kind passes
# under sanitizers, and the example of the header runs
kind_passes() {
	mortise plugins new "$2" mine
	"$1" -std=gnu17 -g -Wall -Wextra -Wshadow -Werror -I"$top_srcdir/sdk-headers" \
		-o test mine/test.c -fsanitize=address,undefined
	./test
	sed -n '/^ \*   #define MORTISE_PROVISIONAL/,/^ \*   }/s/^ \* *//p' \
		"$top_srcdir/sdk-headers/mortise/harness-$2.h" > example.c
	"$1" -std=gnu17 -g -Wall -Wextra -Werror -I"$top_srcdir/sdk-headers" \
		-o example example.c mine/mine.c -fsanitize=address,undefined
	./example > "$2.out"
	rm -r mine
}

@test "agents, condensers, analyzers, dialects and runtimes, with gcc and clang" {
	for compiler in gcc clang; do
		command -v "$compiler" || continue
		echo "int main(void) { return 0; }" > empty.c
		"$compiler" -fsanitize=address,undefined -o empty empty.c || continue
		for kind in agent condenser analyzer dialect runtime; do
			kind_passes $compiler $kind
		done
		[ "$(cat agent.out)" = $'request\nhistory\ntool *\nsend\nask Yes.' ]
		grep -q '^verdict 2 1 ' analyzer.out
		[ ! -s condenser.out ] # one observation is kept
		[ "$(tail -1 runtime.out)" = "workspace /home/me/project" ]
	done
}

@test "texts with a length in the harnesses of an agent, an analyzer and a dialect" {
	cat > others.c <<-'END'
		#define MORTISE_PROVISIONAL
		#include <mortise/harness-agent.h>
		#include <mortise/harness-analyzer.h>
		#define FAILED (struct mt_str){ "failedxx", 6 }
		static int advance(const struct mt_host *host, const struct mt_agent_out *out,
				   struct mt_ctx *ctx, const struct mt_in *in)
		{
			(void)out, (void)in;
			host->log_text(ctx, MT_LOG_INFO, (struct mt_str){ NULL, 0 });
			host->log_text(ctx, MT_LOG_INFO, (struct mt_str){ "loggedxx", 6 });
			host->refuse_text(ctx, FAILED);
			return MT_EINVAL;
		}
		static int analyze(const struct mt_host *host, const struct mt_analyzer_out *out,
				   struct mt_ctx *ctx, const struct mt_in *in)
		{
			(void)host, (void)in;
			return out->refuse_text(ctx, FAILED);
		}
		static const struct mt_agent agent = { .size = sizeof agent, .advance = advance };
		static const struct mt_analyzer analyzer = { .size = sizeof analyzer,
			.advance = analyze };
		static const struct mt_component parts[] = {
			{ .size = sizeof *parts, .kind = MT_KIND_AGENT, .functions = &agent },
			{ .size = sizeof *parts, .kind = MT_KIND_ANALYZER, .functions = &analyzer } };
		MT_PLUGIN(.components = parts, .component_count = 2)
		int main(void)
		{
			struct mt_ctx *a = mt_agent_open(mortise_plugin_v1(), NULL);
			struct mt_ctx *b = mt_analyzer_open(mortise_plugin_v1(), NULL);
			a->log = stdout;
			mt_advance_start(a);
			mt_advance_start(b);
			printf("%s %s\n", a->error, b->error);
			return mt_advance_close(a) || mt_advance_close(b);
		}
	END
	cat > dialect.c <<-'END'
		#define MORTISE_PROVISIONAL
		#include <mortise/harness-dialect.h>
		static int encode(const struct mt_dialect_host *host, struct mt_exchange *x,
				  const struct mt_request *r)
		{
			(void)r;
			host->log_text(x, MT_LOG_INFO, "loggedxx", 6);
			return host->error_text(x, MT_ERROR_NONE, -1, "failedxx", 6);
		}
		static const struct mt_dialect dialect = { .size = sizeof dialect, .encode = encode };
		MT_DIALECT(&dialect, "mine", .name = "mine")
		int main(void)
		{
			struct mt_exchange *x = mt_dialect_open(mortise_plugin_v1(), NULL);
			x->log = stdout;
			mt_dialect_encode(x);
			printf("%s\n", x->error);
			return mt_dialect_close(x);
		}
	END
	for name in others dialect; do
		${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -I"$top_srcdir/sdk-headers" -o $name $name.c
	done
	[ "$(./others)" = $'log 3: \nlog 3: logged\nfailed failed' ]
	[ "$(./dialect)" = $'log 3: logged\nfailed' ]
}

@test "the example of the header compiles, and wrong names end the test" {
	sed -n '/^ \*   #include <mortise\/harness.h>/,/^ \*   }/s/^ \* *//p' \
		"$top_srcdir/sdk-headers/mortise/harness.h" > example.c
	cp "$top_srcdir/examples/vendor/wc.c" .
	${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -I"$top_srcdir/sdk-headers" \
		-o example example.c wc.c
	run ./example
	[ "$status" -eq 0 ]
	[[ "$output" == *" words, "* || "$output" == failed:* ]]
	sed 's/"count_words"/"nothing"/' example.c > wrong.c
	${CC:-cc} -std=gnu17 -I"$top_srcdir/sdk-headers" -o wrong wrong.c wc.c
	run ! ./wrong
	[[ "$output" == *"the toolset has no such tool: nothing"* ]]
}
