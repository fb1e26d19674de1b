/* SPDX-License-Identifier: MIT
 *
 * choices.h - the values of options of type choice, as config_choice returns them, in the
 * order of `choices` in tables.c (tests/config/test-config-choices compares them).
 * `core.sync` has the order of enum evlog_sync, `hook.event` that of enum hook_event, and
 * `controller.confirm_risk` that of enum risk. */
#ifndef LIB_CONFIG_CHOICES_H
#define LIB_CONFIG_CHOICES_H

enum log_level_choice {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

/* native_tool_calling, vision, prompt_cache, stop_words */
enum feature_choice { FEATURE_AUTO, FEATURE_YES, FEATURE_NO };
enum token_counter_choice { TOKEN_COUNTER_ESTIMATE, TOKEN_COUNTER_PROVIDER };

enum analyzer_failure_choice { ANALYZER_FAILURE_UNKNOWN, ANALYZER_FAILURE_HIGH };
enum confirmation_choice {
	CONFIRMATION_AUTO,
	CONFIRMATION_NEVER,
	CONFIRMATION_ALWAYS,
	CONFIRMATION_RISKY,
};
enum approve_choice { APPROVE_COMMANDS, APPROVE_EFFECTS };
enum workspace_choice { WORKSPACE_DIRECT, WORKSPACE_OVERLAY };
enum on_ask_choice { ON_ASK_REFUSE, ON_ASK_STOP };
enum context_choice { CONTEXT_TASK, CONTEXT_FORK };
enum text_only_choice { TEXT_ONLY_AUTO, TEXT_ONLY_DONE, TEXT_ONLY_CONTINUE };
enum stuck_compare_choice {
	STUCK_COMPARE_OUTPUT,
	STUCK_COMPARE_EXIT_CODE,
	STUCK_COMPARE_EXACT,
	STUCK_COMPARE_NORMALIZED, /* former name of `output` */
};
enum setup_choice { SETUP_TRUSTED, SETUP_ALWAYS, SETUP_NEVER };

enum cgroups_choice { CGROUPS_AUTO, CGROUPS_NO };

/* of agents, condensers and analyzers; unset: see the table */
enum run_choice { RUN_INSIDE, RUN_FORK };

enum on_failure_choice { ON_FAILURE_DENY, ON_FAILURE_ALLOW };

#endif
