#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Agents of third parties: waiting for the user without a model, and exit codes.
bats_require_minimum_version 1.5.0

setup() {
	work="$BATS_TEST_TMPDIR"
	mkdir -p "$work/ws" "$work/plugins"
	chmod 700 "$work/plugins"
	export XDG_STATE_HOME="$work/state" XDG_CACHE_HOME="$work/cache"
	export XDG_CONFIG_HOME="$work/config"
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$MORTISE_CORE_PLUGIN_PATH"
}

# agent NAME FLAGS BODY : an agent whose function `advance` has this body
agent() {
	cat >"$work/$1.c" <<-SOURCE
		#define MORTISE_PROVISIONAL
		#include <mortise/agent.h>
		static int text(const struct mt_host *host, struct mt_ctx *ctx, struct mt_str *ret)
		{
			*ret = (struct mt_str)MT_STR("I greet.");
			return MT_OK;
		}
		static int advance(const struct mt_host *host, const struct mt_agent_out *out,
				   struct mt_ctx *ctx, const struct mt_in *in)
		{
			$3
		}
		static const struct mt_agent agent = { .size = sizeof agent, .flags = $2,
			.system = text, .advance = advance };
		MT_AGENT(&agent, "$1", .name = "$1")
	SOURCE
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" \
		-o "$work/plugins/$1.so" "$work/$1.c"
	chmod 755 "$work/plugins/$1.so"
}

@test "an agent without a model waits for the user" {
	agent hi MT_AGENT_NO_MODEL \
		'return out->message(ctx, (struct mt_str)MT_STR("hi"), 1);'
	run -0 mortise run -q -C "$work/ws" -o controller.agent=hi -t hello
	echo "$output"
	[ "$(grep -c '^hi' <<<"$output")" -eq 1 ]
	run -0 mortise resume -q last -t again
	echo "$output"
	[ "$(grep -c '"content":"hi"' "$work"/state/mortise/conversations/*/events.jsonl)" -eq 2 ]
}

@test "an agent that fails, before or after its request, ends with exit code 6" {
	printf '[turn]\n[call finish]\nmessage = done\n' >"$work/script"
	agent before 0 'return MT_EIO;'
	agent after 0 'struct mt_request *r = host->request(ctx);
		host->request_history(r);
		host->send(ctx, r);
		return 4711;'
	agent reply 0 'struct mt_request *r = host->request(ctx);
		if (in->what == MT_REPLIED) return MT_EIO;
		host->request_history(r);
		return host->send(ctx, r);'
	for name in before after reply; do
		run mortise run -q -C "$work/ws" -o "controller.agent=$name" \
			-m "script:$work/script" -t go
		echo "$output"
		[ "$status" -eq 6 ]
		[[ "$output" == *"agent $name: "* ]]
	done
}
