#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Dialects of third parties: which providers they serve, and how they are enabled.
bats_require_minimum_version 1.5.0

setup() {
	work="$BATS_TEST_TMPDIR"
	mkdir -p "$work/ws" "$work/plugins"
	chmod 700 "$work/plugins"
	export XDG_STATE_HOME="$work/state" XDG_CACHE_HOME="$work/cache"
	export XDG_CONFIG_HOME="$work/config"
	own=$MORTISE_CORE_PLUGIN_PATH
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$own"
}

# dialect NAME PROVIDERS : a dialect that ends each conversation with its own name
dialect() {
	cat >"$work/$1.c" <<-'SOURCE'
		#define MT_PLUGIN_DOMAIN "org.example"
		#define MORTISE_PROVISIONAL
		#include <mortise/dialect.h>
		#include <string.h>
		static int encode(const struct mt_dialect_host *h, struct mt_exchange *x,
				  const struct mt_request *r)
		{
			return h->local(x, 0);
		}
		static int feed(const struct mt_dialect_host *h, struct mt_exchange *x, int status,
				const char *type, const char *bytes, size_t len)
		{
			static const char text[] = "{\"message\":\"from " NAME "\"}";

			return h->tool_call(x, 0, NULL, "finish", text, strlen(text));
		}
		static int end(const struct mt_dialect_host *h, struct mt_exchange *x, int status)
		{
			return h->stopped(x, "tool_calls");
		}
		static const struct mt_dialect dialect = { .size = sizeof dialect,
			.providers = PROVIDERS, .encode = encode, .feed = feed, .end = end };
		MT_DIALECT(&dialect, NAME, .name = NAME)
	SOURCE
	build "$1" "$2"
}

# build NAME PROVIDERS : the plugin of the source that `dialect` wrote
build() {
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" "-DNAME=\"$1\"" \
		"-DPROVIDERS=\"${2//\"/\\\"}\"" -o "$work/plugins/$1.so" "$work/$1.c"
	chmod 755 "$work/plugins/$1.so"
}

# ask MODEL [OPTION]... : run a conversation that needs no key
ask() {
	model=$1
	shift
	OPENAI_API_KEY= run mortise run -q -C "$work/ws" -m "$model" -t go "$@"
	echo "$output"
}

@test "a dialect does not take over a provider that Mortise serves" {
	dialect steal '{"openai": {"local": true}, "free": {"local": true}}'
	ask openai/gpt-4.1
	[ "$status" -ne 0 ]
	[[ "$output" == *OPENAI_API_KEY* ]]
	ask free/any
	[ "$status" -eq 0 ]
	[ "$output" = "from steal" ]
	run -0 mortise plugins --refused
	echo "$output"
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"steal.so: provider \`openai\` of dialect \`steal\` is ignored because "*"/plugins/dialects/openai.so takes precedence; to use it, set dialect = steal in [llm]" ]]
}

@test "the configuration can name the dialect of a provider" {
	dialect steal '{"openai": {"local": true}}'
	for name in steal org.example.steal "$work/plugins/steal.so"; do
		ask openai/gpt-4.1 -o "llm.dialect=$name"
		[ "$status" -eq 0 ]
		[ "$output" = "from steal" ]
	done
	run -0 mortise resume -q last -t more
	[ "$output" = "from steal" ]
	ask anthropic/any -o llm.dialect=steal
	[ "$status" -eq 2 ]
	[[ "$output" == *"dialect \`steal\`, which [llm] names, does not serve the provider \`anthropic\`" ]]
	ask openai/gpt-4.1 -o llm.dialect=stea
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown dialect \`stea\`; did you mean \`steal\`?"* ]]
	ask some-model -o llm.dialect=steal -o llm.base_url=http://127.0.0.1:1
	[[ "$output" == *"from steal" ]]
}

@test "of two dialects with one provider, the first in the path serves it" {
	dialect one '{"free": {"local": true}}'
	dialect two '{"free": {"local": true}}'
	ask free/any
	[ "$output" = "from one" ]
	ask free/any -o llm.dialect=two
	[ "$output" = "from two" ]
	run -0 mortise plugins --refused
	[[ "$output" == *"two.so: provider \`free\` of dialect \`two\` is ignored because $work/plugins/one.so takes precedence"* ]]
	ask fre/any
	[[ "$output" == *"unknown provider \`fre\`; did you mean \`free\`?"* ]]
}

@test "long log messages and errors of a dialect are cut, between characters" {
	dialect wordy '{"free": {"local": true}}'
	sed -i 's/return h->stopped.*/return fail(h, x);/; /^#include <string.h>/a\
		static int fail(const struct mt_dialect_host *h, struct mt_exchange *x)\
		{\
			static char text[6001];\
			memset(text, 120, 6000);\
			memcpy(text + 4094, "\\xc3\\xa9", 2);\
			h->log(x, MT_LOG_WARNING, "%s", text);\
			return h->error(x, MT_ERROR_BAD_REQUEST, -1, "%s", text);\
		}' "$work/wordy.c"
	sed -i 's/return h->tool_call.*/return 0;/' "$work/wordy.c"
	build wordy '{"free": {"local": true}}'
	ask free/any
	[ "$status" -ne 0 ]
	grep -qE " warning llm: [^ ]*: x{4094}( |$)" <<<"$output"
	grep -qE "^error: .*x{100}" <<<"$output"
}

@test "texts with a length: the log and the error of a dialect" {
	dialect given '{"free": {"local": true}}'
	sed -i 's/return h->tool_call.*/return 0;/; s/return h->stopped.*/{\
			h->log_text(x, MT_LOG_WARNING, NULL, 0);\
			h->log_text(x, MT_LOG_WARNING, "loggedxx", 6);\
			return h->error_text(x, MT_ERROR_BAD_REQUEST, -1, "failedxx", 6);\
		}/' "$work/given.c"
	build given '{"free": {"local": true}}'
	ask free/any
	[ "$status" -ne 0 ]
	grep -qE " warning llm: [^ ]*: logged( |$)" <<<"$output"
	grep -qE "^error: .*: failed; " <<<"$output"
}

@test "a dialect without providers, or with invalid ones, is refused" {
	dialect none '{}'
	run -1 mortise plugins check "$work/plugins/none.so"
	[[ "$output" == *"dialect \`none\` has no providers" ]]
	dialect slash '{"a/b": {"local": true}}'
	run -1 mortise plugins check "$work/plugins/slash.so"
	[[ "$output" == *"invalid provider \`a/b\` of dialect \`slash\`: "* ]]
	dialect list '{"a": ["local"]}'
	run -1 mortise plugins check "$work/plugins/list.so"
	[[ "$output" == *"invalid provider \`a\` of dialect \`list\`: "* ]]
}
