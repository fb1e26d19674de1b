/* SPDX-License-Identifier: MIT
 *
 * test-config-choices.c - choices of the tables as indexes. */
#include "config-kit.h"

#include "config/choices.h"
#include "events/confirmation.h"
#include "events/evlog.h"
#include "hooks/hooks.h"

static void choices_have_the_order_of_the_tables(void)
{
	static const struct {
		const char *family, *key, *value;
		int index;
	} choices[] = {
		{ "core", "log_level", "error", LOG_LEVEL_ERROR },
		{ "core", "log_level", "warning", LOG_LEVEL_WARNING },
		{ "core", "log_level", "info", LOG_LEVEL_INFO },
		{ "core", "log_level", "debug", LOG_LEVEL_DEBUG },
		{ "core", "sync", "barrier", SYNC_BARRIER },
		{ "core", "sync", "event", SYNC_EVENT },
		{ "core", "sync", "none", SYNC_NONE },
		{ "llm", "native_tool_calling", "auto", FEATURE_AUTO },
		{ "llm", "native_tool_calling", "yes", FEATURE_YES },
		{ "llm", "native_tool_calling", "no", FEATURE_NO },
		{ "llm", "vision", "auto", FEATURE_AUTO },
		{ "llm", "vision", "yes", FEATURE_YES },
		{ "llm", "prompt_cache", "auto", FEATURE_AUTO },
		{ "llm", "prompt_cache", "yes", FEATURE_YES },
		{ "llm", "stop_words", "auto", FEATURE_AUTO },
		{ "llm", "stop_words", "yes", FEATURE_YES },
		{ "llm", "token_counter", "estimate", TOKEN_COUNTER_ESTIMATE },
		{ "llm", "token_counter", "provider", TOKEN_COUNTER_PROVIDER },
		{ "controller", "analyzer_failure", "unknown", ANALYZER_FAILURE_UNKNOWN },
		{ "controller", "analyzer_failure", "high", ANALYZER_FAILURE_HIGH },
		{ "controller", "confirmation", "auto", CONFIRMATION_AUTO },
		{ "controller", "confirmation", "never", CONFIRMATION_NEVER },
		{ "controller", "confirmation", "always", CONFIRMATION_ALWAYS },
		{ "controller", "confirmation", "risky", CONFIRMATION_RISKY },
		{ "controller", "approve", "commands", APPROVE_COMMANDS },
		{ "controller", "approve", "effects", APPROVE_EFFECTS },
		{ "controller", "confirm_risk", "low", RISK_LOW },
		{ "controller", "confirm_risk", "medium", RISK_MEDIUM },
		{ "controller", "confirm_risk", "high", RISK_HIGH },
		{ "controller", "context", "task", CONTEXT_TASK },
		{ "controller", "context", "fork", CONTEXT_FORK },
		{ "controller", "text_only", "auto", TEXT_ONLY_AUTO },
		{ "controller", "text_only", "done", TEXT_ONLY_DONE },
		{ "controller", "text_only", "continue", TEXT_ONLY_CONTINUE },
		{ "controller", "stuck_compare", "output", STUCK_COMPARE_OUTPUT },
		{ "controller", "stuck_compare", "exit_code", STUCK_COMPARE_EXIT_CODE },
		{ "controller", "stuck_compare", "exact", STUCK_COMPARE_EXACT },
		{ "controller", "stuck_compare", "normalized", STUCK_COMPARE_NORMALIZED },
		{ "controller", "setup", "trusted", SETUP_TRUSTED },
		{ "controller", "setup", "always", SETUP_ALWAYS },
		{ "controller", "setup", "never", SETUP_NEVER },
		{ "limits", "cgroups", "auto", CGROUPS_AUTO },
		{ "limits", "cgroups", "no", CGROUPS_NO },
		{ "hook", "event", "before-tool", HOOK_BEFORE_TOOL },
		{ "hook", "event", "after-tool", HOOK_AFTER_TOOL },
		{ "hook", "event", "user-prompt", HOOK_USER_PROMPT },
		{ "hook", "event", "stop", HOOK_STOP },
		{ "hook", "event", "session-start", HOOK_SESSION_START },
		{ "hook", "event", "session-end", HOOK_SESSION_END },
		{ "hook", "on_failure", "deny", ON_FAILURE_DENY },
		{ "hook", "on_failure", "allow", ON_FAILURE_ALLOW },
	};

	for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
		size_t count = 0;
		const struct mt_option *table = config_table(choices[i].family, &count);
		const struct mt_option *o = option_find(table, count, choices[i].key);

		CHECK_MSG(o && option_choice(o, choices[i].value) == choices[i].index,
			  "[%s] %s = %s", choices[i].family, choices[i].key,
			  choices[i].value);
	}
}

static void a_choice_is_read_as_an_index(void)
{
	const char *const overrides[] = { "controller.x.setup=never", "core.sync=event",
					  "controller.confirmation=risky", NULL };
	struct error err;
	struct config *c;

	c = load(&err, overrides);
	CHECK(c && config_choice(c, "controller.x", "setup") == SETUP_NEVER);
	CHECK(c &&
	      config_choice(c, "controller.x", "confirmation") == CONFIRMATION_RISKY);
	CHECK(c && config_choice(c, "core", "sync") == SYNC_EVENT);
	CHECK(c && config_choice(c, "llm", "reasoning_effort") == -1);
	config_free(c);
}

int main(void)
{
	set_up();
	choices_have_the_order_of_the_tables();
	a_choice_is_read_as_an_index();
	return tear_down();
}
