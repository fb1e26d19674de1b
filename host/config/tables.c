/* SPDX-License-Identifier: MIT
 *
 * tables.c - every section and option of our own, and what a project may set. */
#include "config/layers.h"
#include <string.h>

#define OPTION(type_, name_, fallback_, help_, ...)                            \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_,         \
	  .name = (name_), .fallback = (fallback_), .help = (help_), __VA_ARGS__ }

static const struct mt_option core_table[] = {
	OPTION(LIST, "plugin_path", NULL,
	       "Folders with plugins, searched before the usual ones."),
	OPTION(PATH, "runner", NULL,
	       "The program that runs tools; by default mortise-runner of this "
	       "installation."),
	OPTION(PATH, "prompt_dir", PROMPT_DIR, "Folder of the prompt templates."),
	OPTION(PATH, "model_table", DATA_DIR "/models.ini",
	       "What is known of models: what they can do, their limits and prices."),
	OPTION(CHOICE, "sync", "barrier",
	       "When the event log is forced to disk: before a request or a call "
	       "leaves, after each event, or never.",
	       .choices = "barrier|event|none"),
	OPTION(CHOICE, "log_level", "warning", "The most detailed messages written.",
	       .choices = "error|warning|info|debug"),
	OPTION(BOOL, "log_all_events", "no",
	       "Write a line for every event; the level is then at least info."),
	OPTION(PATH, "log_file", NULL,
	       "File that messages are appended to, instead of standard error."),
	OPTION(BYTES, "spool_total", "1G",
	       "Most bytes of spooled output that a conversation keeps; the oldest files are "
	       "removed.",
	       .min = 1048576, .max = 1099511627776),
	OPTION(LIST, "mcp_json", NULL,
	       "Files of other programs that list MCP servers, whose servers are used "
	       "too."),
	OPTION(BOOL, "tavily", "yes",
	       "Use Tavily's MCP server for searching the web, when TAVILY_API_KEY is a key "
	       "of theirs, and npx is installed, which fetches it."),
	OPTION(PATH, "state_dir", NULL,
	       "Folder of the conversations; by default mortise in the folder for "
	       "state of the user."),
};

static const struct mt_option llm_table[] = {
	OPTION(TEXT, "model", NULL,
	       "The model as provider/name, for instance anthropic/claude-sonnet-4-5."),
	OPTION(TEXT, "base_url", NULL,
	       "Where the provider is asked, instead of its usual address."),
	OPTION(TEXT, "api_key_env", NULL,
	       "Name of the environment variable that holds the key."),
	OPTION(PATH, "api_key_file", NULL, "File whose first line is the key."),
	OPTION(TEXT, "api_key_command", NULL,
	       "Command for /bin/sh whose first line of output is the key, for example of a "
	       "password manager."),
	OPTION(NUMBER, "temperature", NULL,
	       "How freely the model chooses; unset: as the provider thinks.", .max = 2),
	OPTION(NUMBER, "top_p", NULL,
	       "Share of likely words the model chooses from; unset: as the provider "
	       "thinks.",
	       .max = 1),
	OPTION(INT, "seed", NULL,
	       "Number that makes a model choose alike each time, where a provider takes "
	       "one.",
	       .max = INT32_MAX),
	OPTION(INT, "max_output_tokens", NULL,
	       "Most tokens of one reply; unset: what the model can.", .min = 1,
	       .max = 100000000),
	OPTION(INT, "max_input_tokens", NULL,
	       "Most tokens of one request; unset: what the model can.", .min = 1,
	       .max = 1000000000),
	OPTION(CHOICE, "reasoning_effort", NULL,
	       "How much a reasoning model thinks; unset: as the provider thinks.",
	       .choices = "none|minimal|low|medium|high|xhigh|max"),
	OPTION(INT, "thinking_budget", NULL,
	       "Most tokens a model thinks, where it takes such a limit; 0: it does "
	       "not think.",
	       .max = 10000000),
	OPTION(DURATION, "timeout", "300s", "Longest time for a whole reply.", .min = 1,
	       .max = 86400000),
	OPTION(DURATION, "stall_timeout", "60s",
	       "Longest time without a byte from the provider.", .min = 1,
	       .max = 86400000),
	OPTION(INT, "retries", "5",
	       "How often a request is sent in all, if it fails for a passing reason; "
	       "0 and 1: once.",
	       .max = 100),
	OPTION(DURATION, "retry_min_wait", "8s", "Shortest wait before a new attempt.",
	       .max = 86400000),
	OPTION(DURATION, "retry_max_wait", "64s", "Longest wait before a new attempt.",
	       .max = 86400000),
	OPTION(NUMBER, "retry_multiplier", "8",
	       "Factor of the exponential growth of the waits.", .max = 1000),
	OPTION(LIST, "fallback", NULL,
	       "Models that are asked in order when all attempts have failed for a "
	       "passing reason or for want of credit: names of [llm.NAME]."),
	OPTION(BOOL, "stream", "yes", "Ask for replies in pieces as they are made."),
	OPTION(CHOICE, "native_tool_calling", "auto",
	       "Whether tools are called by the provider's own form or as text.",
	       .choices = "auto|yes|no"),
	OPTION(CHOICE, "vision", "auto", "Whether the model is shown images.",
	       .choices = "auto|yes|no"),
	OPTION(CHOICE, "api", "auto",
	       "Which of OpenAI's interfaces is spoken: chat completions or responses; "
	       "auto: as the model and the provider want.",
	       .choices = "auto|chat|responses"),
	OPTION(TEXT, "aws_region", NULL,
	       "AWS region that is asked; unset: AWS_REGION or that of the profile."),
	OPTION(TEXT, "aws_profile", NULL,
	       "Profile of ~/.aws whose keys sign; unset: the keys of the environment, "
	       "else AWS_PROFILE, else default."),
	OPTION(CHOICE, "prompt_cache", "auto",
	       "Whether the request marks what the provider may keep in its cache.",
	       .choices = "auto|yes|no"),
	OPTION(CHOICE, "token_counter", "estimate",
	       "Who says how long a request is that may be too long: a guess of ours, or "
	       "the provider, which is asked.",
	       .choices = "estimate|provider"),
	OPTION(CHOICE, "stop_words", "auto",
	       "Whether the model is sent words at which it stops.",
	       .choices = "auto|yes|no"),
	OPTION(TEXT, "canonical_name", NULL,
	       "Name under which the table of the models knows it, where a provider "
	       "calls it otherwise."),
	OPTION(TEXT, "api_version", NULL,
	       "Version of the interface, where one is asked for."),
	OPTION(LIST, "extra_headers", NULL,
	       "HTTP headers to send with each request, as Name: value.",
	       .flags = MT_OPTION_SECRET),
	OPTION(PATH, "ca_path", NULL,
	       "File or folder of certificates to trust, instead of the system's."),
	OPTION(TEXT, "proxy", NULL, "URL of the proxy; unset: as the environment says.",
	       .flags = MT_OPTION_SECRET),
	OPTION(NUMBER, "input_cost_per_token", NULL,
	       "Price of a token sent, in US dollars.", .max = 1000),
	OPTION(NUMBER, "output_cost_per_token", NULL,
	       "Price of a token received, in US dollars.", .max = 1000),
	OPTION(BOOL, "log_requests", "no",
	       "Keep requests and replies beside the conversation, secrets masked."),
	OPTION(PATH, "script", NULL, "File that the scripted model plays."),
};

#define FACT_YES_NO(name_, help_) \
	OPTION(CHOICE, name_, NULL, help_, .choices = "yes|no")
#define FACT_TOKENS(name_, help_) \
	OPTION(INT, name_, NULL, help_, .min = 1, .max = 1000000000)
#define FACT_PRICE(name_, help_) OPTION(NUMBER, name_, NULL, help_, .max = 1000000)

static const struct mt_option model_table[] = {
	FACT_YES_NO("tools", "It calls tools in the provider's own form."),
	FACT_YES_NO("cache", "It takes marks for its prompt cache."),
	FACT_YES_NO("stop", "It takes stop words."),
	FACT_YES_NO("effort", "It has levels of reasoning effort."),
	FACT_YES_NO("effort_sent", "A level of effort may be sent to it."),
	FACT_YES_NO("effort_budget", "Little effort is sent as a budget of tokens."),
	FACT_YES_NO("vision", "It sees images."),
	FACT_YES_NO("responses", "It is asked through the Responses API."),
	FACT_YES_NO("sampling", "It takes temperature and top_p."),
	FACT_YES_NO("both_samplings", "It takes both of them at once."),
	FACT_YES_NO("no_thinking", "It is told not to think."),
	FACT_YES_NO("adaptive_thinking", "It thinks without a budget."),
	FACT_YES_NO("inline_images", "It fetches no images by their address."),
	FACT_YES_NO("short_tools", "It gets the short descriptions of tools."),
	FACT_YES_NO("example", "With tools as text it gets an example."),
	FACT_YES_NO("send_reasoning", "Its reasoning is sent back as text."),
	FACT_YES_NO("new_limit", "It knows its limit as max_completion_tokens alone."),
	FACT_TOKENS("window", "Most tokens of a request."),
	FACT_TOKENS("output", "Most tokens of a reply."),
	FACT_TOKENS("default_output", "Limit of a reply where none is set."),
	FACT_TOKENS("most_output", "Most that is asked for, whatever else says more."),
	FACT_PRICE("input_price", "US dollars for a million tokens sent."),
	FACT_PRICE("output_price", "US dollars for a million tokens received."),
	FACT_PRICE("cache_read_price", "The same for tokens from the cache."),
	FACT_PRICE("cache_write_price", "The same for tokens put into the cache."),
	FACT_TOKENS("long_from", "Requests of more tokens have the long_ prices."),
	FACT_PRICE("long_input_price", "Price of a long request."),
	FACT_PRICE("long_output_price", "Price of the reply to a long request."),
	FACT_PRICE("long_cache_read_price", "Price from the cache, of a long request."),
	FACT_PRICE("long_cache_write_price", "Price into the cache, of a long request."),
};

static const struct mt_option controller_table[] = {
	OPTION(TEXT, "base", NULL,
	       "The controller that this one is like, where it says nothing; default "
	       "is [controller]."),
	OPTION(TEXT, "agent", "codeact", "The agent."),
	OPTION(LIST, "tools", "bash, editor, think, finish, skill, memory, mcp",
	       "Tools the agent has: names of [tool.NAME], of toolsets or of tools."),
	OPTION(INT, "tools_shown", "60",
	       "With more tools than this, those of MCP servers are offered by name only, "
	       "until the model asks for them; 0: never.",
	       .max = 10000),
	OPTION(BOOL, "plan", "no",
	       "Whether the agent plans long work: it has the task list and is told how to "
	       "use it."),
	OPTION(LIST, "condensers", "conversation_window",
	       "What shortens the history, in order: names of [condenser.NAME] or of "
	       "condensers."),
	OPTION(LIST, "analyzers", "llm, policy",
	       "What judges the risk of actions; the highest counts."),
	OPTION(BOOL, "propagate_unknown", "no",
	       "Whether one analyzer that does not know the risk makes it unknown, "
	       "whatever the others say."),
	OPTION(CHOICE, "analyzer_failure", "unknown",
	       "What an analyzer that fails is taken to have said.",
	       .choices = "unknown|high"),
	OPTION(CHOICE, "confirmation", "auto",
	       "Which actions wait for a person; auto is risky where a person can answer, "
	       "else never.",
	       .choices = "auto|never|always|risky"),
	OPTION(CHOICE, "confirm_risk", "high",
	       "With confirmation = risky: the lowest risk that waits for a person.",
	       .choices = "low|medium|high"),
	OPTION(BOOL, "confirm_unknown", "yes",
	       "With confirmation = risky: what nobody could judge waits too."),
	OPTION(TEXT, "runtime", "local", "Where tools run."),
	OPTION(TEXT, "llm", NULL, "The model: a name of [llm.NAME]; unset: [llm]."),
	OPTION(TEXT, "router", NULL,
	       "What chooses among several models: a name of [router.NAME]; unset or "
	       "noop: nothing."),
	OPTION(INT, "max_iterations", "500", "Most steps of a task.", .min = 1,
	       .max = 1000000000),
	OPTION(CHOICE, "text_only", "auto",
	       "What a reply without a tool call is where no user can respond: the answer, "
	       "which ends the task, or a reason to prompt the model to continue; auto is "
	       "done for `run` and `resume`, else continue.",
	       .choices = "auto|done|continue"),
	OPTION(BOOL, "stuck_detection", "yes",
	       "Notice when the agent goes in circles, and stop it."),
	OPTION(BOOL, "stuck_nudge", "yes",
	       "Tell the model once that it goes in circles, before it is stopped."),
	OPTION(CHOICE, "stuck_compare", "normalized",
	       "How loop detection compares results: `normalized` ignores digits, times, "
	       "sizes and addresses; `output` compares the exact text; `exit_code` compares "
	       "commands by exit code, everything else exactly.",
	       .choices = "normalized|output|exit_code"),
	OPTION(INT, "stuck_identical", "8",
	       "Number of identical consecutive actions that are a loop whatever their "
	       "results; 0 disables this rule.", .min = 0, .max = 32),
	OPTION(BOOL, "stuck_thought", "no",
	       "Whether actions differ when only what the model says with them does."),
	OPTION(INT, "stuck_same", "4",
	       "The same action with the same result this many times is a circle.",
	       .min = 2, .max = 32),
	OPTION(INT, "stuck_errors", "3",
	       "The same action failing this many times is a circle.", .min = 2,
	       .max = 32),
	OPTION(INT, "stuck_monologue", "3",
	       "The same message this many times, and nothing done, is a circle.",
	       .min = 2, .max = 32),
	OPTION(INT, "stuck_pattern", "6",
	       "This many actions of which two take turns, with the same results, are a "
	       "circle.",
	       .min = 4, .max = 32),
	OPTION(NUMBER, "max_budget", NULL,
	       "Most money spent on a task, in US dollars; unset: no limit.",
	       .max = 1000000000),
	OPTION(INT, "max_tokens", NULL,
	       "Most tokens sent and received for a task; unset: no limit.", .min = 1,
	       .max = 1000000000000),
	OPTION(DURATION, "max_time", NULL,
	       "Longest time of work on a task, without the time it waits for a person; "
	       "unset: no limit.",
	       .min = 1, .max = 31536000000),
	OPTION(INT, "parallel_calls", "4",
	       "How many calls of one reply that only read run beside each other; 1: one "
	       "after the other.",
	       .min = 1, .max = 16),
	OPTION(INT, "max_calls", NULL, "Most calls of tools; unset: no limit.", .min = 1,
	       .max = 1000000000),
	OPTION(LIST, "delegates", NULL,
	       "Agents that this one may give work to, with the tools of `delegation`: "
	       "names of [controller.NAME]."),
	OPTION(INT, "max_depth", "3",
	       "How deep agents may give work on; 0: not at all.", .max = 16),
	OPTION(INT, "max_children", "4",
	       "Most agents of delegate_tasks that work at the same time.", .min = 1,
	       .max = 64),
	OPTION(INT, "max_children_total", "32",
	       "Most agents that delegate_tasks starts in one conversation.", .min = 1,
	       .max = 10000),
	OPTION(INT, "max_message_chars", "30000",
	       "Most characters of one observation that the model is shown.", .min = 100,
	       .max = 100000000),
	OPTION(TEXT, "instructions", NULL,
	       "What the agent is to keep to in a conversation; it reads it with the first "
	       "message."),
	OPTION(TEXT, "system_suffix", NULL,
	       "Text that stands behind the system text of the agent."),
	OPTION(TEXT, "message_suffix", NULL,
	       "Text that stands behind each message of the user, for the model."),
	OPTION(BOOL, "git_status", "no",
	       "Show the model at the start what has changed in the repository; the first "
	       "request then waits for git."),
	OPTION(CHOICE, "setup", "trusted",
	       "When the project's .openhands/setup.sh is run, at the start of a "
	       "conversation.",
	       .choices = "trusted|always|never"),
	OPTION(DURATION, "setup_timeout", "10m", "Longest time of that.", .min = 1000,
	       .max = 86400000),
};

static const struct mt_option plugin_table[] = {
	OPTION(TEXT, "plugin", NULL,
	       "The component; by default the name of the section."),
};

static const struct mt_option asking_table[] = {
	OPTION(TEXT, "plugin", NULL,
	       "The component; by default the name of the section."),
	OPTION(TEXT, "llm", NULL,
	       "The model that it asks: a name of [llm.NAME]; unset: that of the "
	       "controller."),
};

static const struct mt_option skills_table[] = {
	OPTION(BOOL, "project", "yes",
	       "Read AGENTS.md and the like and the skills of the project."),
	OPTION(BOOL, "user", "yes", "Read the user's own skills and those installed."),
	OPTION(BOOL, "packs", "yes", "Read the packs of skills that are installed."),
	OPTION(LIST, "path", NULL,
	       "More folders of skills, for instance a checkout of the organisation's."),
	OPTION(PATH, "bundled", SKILL_DIR "/mortise.tar.gz",
	       "Pack, or directory, of the skills that come with this program; empty: none."),
	OPTION(LIST, "disabled", NULL, "Names of skills that are not used."),
	OPTION(INT, "list_tokens", "1000",
	       "Maximum number of tokens of the list of skills, of 4 bytes each. Where "
	       "they are few, descriptions are shortened first, then left out.",
	       .min = 64, .max = 262144),
	OPTION(BYTES, "list_max", NULL,
	       "Maximum size of the list of skills, instead of `list_tokens`.", .min = 256,
	       .max = 1048576),
};

static const struct mt_option router_table[] = {
	OPTION(LIST, "rules", NULL,
	       "Rules, of which the first that holds chooses the model: images: NAME, "
	       "tokens > N: NAME, condensing: NAME."),
};

static const struct mt_option tool_table[] = {
	OPTION(TEXT, "plugin", NULL, "The component; by default the name of the section."),
	OPTION(TEXT, "llm", NULL,
	       "The model that it asks, if it asks one: a name of [llm.NAME]; unset: that "
	       "of the controller."),
	OPTION(DURATION, "deadline", "15m",
	       "When a call that has not returned is ended by force; later if the tool "
	       "or the call has a time-out of its own.",
	       .min = 100, .max = 86400000),
	OPTION(BOOL, "trust_hints", "no",
	       "Trust what a plugin that is not part of Mortise says of its tools: which "
	       "only read."),
};

static const struct mt_option mcp_table[] = {
	OPTION(BOOL, "enabled", "yes", "Whether the server is used."),
	OPTION(DURATION, "deadline", "15m",
	       "When a call that has not returned is ended by force; later if its "
	       "time-out is longer.",
	       .min = 100, .max = 86400000),
};

static const struct mt_option hook_table[] = {
	OPTION(CHOICE, "event", NULL, "When it is run.",
	       .choices = "before-tool|after-tool|user-prompt|stop|session-start|"
			  "session-end",
	       .flags = MT_OPTION_REQUIRED),
	OPTION(TEXT, "matcher", "*",
	       "Tools that it is for: *, a name, or an expression for whole names."),
	OPTION(LIST, "command", NULL,
	       "Program and arguments; with `shell = yes` a text for /bin/sh.",
	       .flags = MT_OPTION_REQUIRED),
	OPTION(BOOL, "shell", "no", "Whether `command` is a text for /bin/sh."),
	OPTION(DURATION, "timeout", "60s", "When it is ended, with all that it started.",
	       .min = 100, .max = 86400000),
	OPTION(CHOICE, "on_failure", "deny",
	       "What it means when it fails or cannot be run: what it guards is not "
	       "done, or is.",
	       .choices = "deny|allow"),
};

static const struct mt_option grant_table[] = {
	OPTION(TEXT, "env", NULL, "Environment variable that holds the secret."),
	OPTION(PATH, "file", NULL, "File whose text is the secret."),
	OPTION(LIST, "tools", NULL, "Tools that may ask for it.",
	       .flags = MT_OPTION_REQUIRED),
};

#define TABLE(t) .table = (t), .count = ARRAY_LEN(t)

static const struct family families[] = {
	{ "core", .plain = true, .project = true, TABLE(core_table) },
	{ "llm", .plain = true, .named = true, .project = true, TABLE(llm_table) },
	{ "controller", .plain = true, .named = true, .project = true,
	  TABLE(controller_table) },
	{ "tool", .named = true, .plugin = true, .project = true, TABLE(tool_table) },
	{ "mcp", .named = true, .plugin = true, .project = true, TABLE(mcp_table) },
	{ "condenser", .named = true, .plugin = true, .project = true,
	  TABLE(asking_table) },
	{ "agent", .named = true, .plugin = true, .project = true, TABLE(asking_table) },
	{ "skills", .plain = true, .project = true, TABLE(skills_table) },
	{ "router", .named = true, .project = true, TABLE(router_table) },
	{ "runtime", .named = true, .plugin = true, TABLE(plugin_table) },
	{ "analyzer", .named = true, .plugin = true, TABLE(plugin_table) },
	{ "dialect", .named = true, .plugin = true, TABLE(plugin_table) },
	{ "grant", .named = true, TABLE(grant_table) },
	{ "hook", .named = true, TABLE(hook_table) },
	{ "model", .named = true, .glob = true, TABLE(model_table) },
};

/* What loads code, sends keys or the conversation elsewhere, writes outside of
 * the workspace or lowers a guard is for the user alone to set. */
static const struct {
	const char *family, *key;
} not_for_projects[] = {
	{ "core", "plugin_path" },
	{ "core", "runner" },
	{ "core", "prompt_dir" },
	{ "core", "model_table" },
	{ "core", "state_dir" },
	{ "core", "sync" },
	{ "skills", "path" },
	{ "skills", "bundled" },
	{ "core", "mcp_json" },
	{ "core", "tavily" },
	{ "llm", "base_url" },
	{ "llm", "api_key_env" },
	{ "llm", "api_key_file" },
	{ "llm", "api_key_command" },
	{ "core", "log_file" },
	{ "core", "spool_total" },
	{ "llm", "extra_headers" },
	{ "llm", "aws_profile" },
	{ "llm", "ca_path" },
	{ "llm", "proxy" },
	{ "llm", "script" },
	{ "controller", "runtime" },
	{ "controller", "confirmation" },
	{ "controller", "stuck_detection" },
	{ "controller", "analyzers" },
	{ "controller", "propagate_unknown" },
	{ "controller", "analyzer_failure" },
	{ "controller", "confirm_risk" },
	{ "controller", "confirm_unknown" },
	{ "controller", "setup" },
	{ "controller", "max_budget" },
	{ "controller", "max_tokens" },
	{ "controller", "max_time" },
	{ "controller", "max_calls" },
	{ "tool", "plugin" },
	{ "tool", "trust_hints" },
	{ "mcp", "trust_hints" },
	{ "condenser", "plugin" },
	{ "agent", "plugin" },
};

const struct family *family_at(size_t n)
{
	return n < ARRAY_LEN(families) ? &families[n] : NULL;
}

const struct family *family_of(const char *section, const char **ret_name)
{
	size_t len = strcspn(section, ".");

	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const char *name = families[i].name;

		if (strncmp(name, section, len) == 0 && !name[len]) {
			*ret_name = section[len] ? section + len + 1 : NULL;
			return &families[i];
		}
	}
	return NULL;
}

bool project_may_set(const struct family *f, const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(not_for_projects); i++)
		if (strcmp(not_for_projects[i].family, f->name) == 0 &&
		    strcmp(not_for_projects[i].key, key) == 0)
			return false;
	return f->project;
}

bool name_valid(const char *name, size_t len, bool dots)
{
	if (len == 0 || len > NAME_MAX_LEN || name[0] < 'a' || name[0] > 'z')
		return false;
	for (size_t i = 0; i < len; i++) {
		char ch = name[i];

		if (!(ch >= 'a' && ch <= 'z') && !(ch >= '0' && ch <= '9') && ch != '_' &&
		    ch != '-' && !(dots && ch == '.'))
			return false;
	}
	return true;
}

const char *config_family(size_t n)
{
	const struct family *f = family_at(n);

	return f ? f->name : NULL;
}

bool glob_valid(const char *name, size_t len)
{
	if (len == 0 || len > GLOB_MAX_LEN)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] == 0x7f || strchr(",=;#", name[i]))
			return false;
	return true;
}

const struct mt_option *config_table(const char *family, size_t *ret_count)
{
	const char *name;
	const struct family *f = family_of(family, &name);

	*ret_count = f ? f->count : 0;
	return f ? f->table : NULL;
}
