/* SPDX-License-Identifier: MIT
 *
 * tables.c - sections and options of the host, and which options a project may set. */
#include "config/layers.h"
#include <string.h>

#define OPTION(type_, name_, fallback_, help_, ...)                            \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_,         \
	  .name = (name_), .fallback = (fallback_), .help = (help_), __VA_ARGS__ }

static const struct mt_option core_table[] = {
	OPTION(LIST, "plugin_path", NULL,
	       "Directories with plugins, searched before the default ones."),
	OPTION(PATH, "runner", NULL,
	       "Program that runs tools (default: the installed `mortise-runner`)."),
	OPTION(PATH, "prompt_dir", PROMPT_DIR, "Directory of the prompt templates."),
	OPTION(PATH, "template_dir", TEMPLATE_DIR,
	       "Directory of the templates for `mortise plugins new`."),
	OPTION(PATH, "model_table", DATA_DIR "/models.ini",
	       "File that describes models: capabilities, limits and prices."),
	OPTION(CHOICE, "sync", "barrier",
	       "When to sync the event log to disk: before each request and tool "
	       "call (`barrier`), after each event, or never.",
	       .choices = "barrier|event|none"),
	OPTION(CHOICE, "log_level", "warning", "Lowest severity to log.",
	       .choices = "error|warning|info|debug"),
	OPTION(BOOL, "log_all_events", "no",
	       "Log each event; raises the log level to at least `info`."),
	OPTION(PATH, "log_file", NULL,
	       "File to append log messages to (default: standard error)."),
	OPTION(BYTES, "spool_total", "1G",
	       "Maximum total size of the spooled output of a conversation; the "
	       "oldest files are removed first.",
	       .min = 1048576, .max = 1099511627776),
	OPTION(LIST, "pass_env", NULL,
	       "Environment variables to pass to tools in addition to the default ones; "
	       "`NAME*` matches all names with that prefix."),
	OPTION(LIST, "mcp_json", NULL,
	       "MCP configuration files of other programs whose servers to use."),
	OPTION(BOOL, "tavily", "yes",
	       "Enable Tavily's MCP server for web search if TAVILY_API_KEY is set to a "
	       "Tavily key and `npx` is installed."),
	OPTION(PATH, "state_dir", NULL,
	       "Directory of the conversations (default: `mortise` in the user's "
	       "state directory)."),
};

static const struct mt_option workspace_table[] = {
	OPTION(CHOICE, "workspace", "direct",
	       "Where tools change files: in the workspace itself, or in an overlay that "
	       "`mortise apply` copies to it.",
	       .choices = "direct|overlay"),
	OPTION(BYTES, "overlay_disk", "8G",
	       "Maximum size of the changed files in the overlay of a conversation.",
	       .min = 1048576, .max = 1099511627776),
	OPTION(LIST, "directories", NULL,
	       "Absolute paths of directories that belong to a conversation in addition to "
	       "its workspace: tools can change them, and snapshots cover them."),
	OPTION(BOOL, "snapshots", "yes",
	       "Take a snapshot of the workspace before each call that may write, for "
	       "`undo`, `rewind`, `mortise diff`, `apply` and `discard`."),
	OPTION(BYTES, "snapshot_disk", "1G",
	       "Maximum size of the snapshots of a conversation; the oldest are dropped "
	       "first.",
	       .min = 16777216, .max = 1099511627776),
	OPTION(BYTES, "snapshot_file", "64M",
	       "Maximum size of a file in a snapshot; larger files are not covered.",
	       .min = 1, .max = 1099511627776),
	OPTION(INT, "snapshot_files", "200000",
	       "Maximum number of files in a snapshot; a workspace with more has none.",
	       .min = 1, .max = 10000000),
};

static const struct mt_option llm_table[] = {
	OPTION(TEXT, "model", NULL,
	       "Model as provider/name, for example anthropic/claude-sonnet-4-5."),
	OPTION(TEXT, "base_url", NULL,
	       "Base URL of the API; overrides the provider's default."),
	OPTION(TEXT, "dialect", NULL,
	       "Dialect plugin for the provider of the model (default: the one of "
	       "Mortise, or else the first that serves the provider)."),
	OPTION(TEXT, "api_key_env", NULL,
	       "Environment variable that contains the API key."),
	OPTION(PATH, "api_key_file", NULL, "File whose first line is the API key."),
	OPTION(TEXT, "api_key_command", NULL,
	       "Command, run with `/bin/sh -c`, that prints the API key as its "
	       "first line, for example a password manager."),
	OPTION(NUMBER, "temperature", NULL,
	       "Sampling temperature (default: set by the provider).", .max = 2),
	OPTION(NUMBER, "top_p", NULL,
	       "Nucleus sampling probability (default: set by the provider).", .max = 1),
	OPTION(INT, "seed", NULL, "Random seed, for providers that support one.",
	       .max = INT32_MAX),
	OPTION(INT, "max_output_tokens", NULL,
	       "Maximum number of output tokens per response (default: the model's "
	       "limit).",
	       .min = 1, .max = 100000000),
	OPTION(INT, "max_input_tokens", NULL,
	       "Maximum number of input tokens per request (default: the model's "
	       "limit).",
	       .min = 1, .max = 1000000000),
	OPTION(CHOICE, "reasoning_effort", NULL,
	       "Reasoning effort (default: set by the provider).",
	       .choices = "none|minimal|low|medium|high|xhigh|max"),
	OPTION(INT, "thinking_budget", NULL,
	       "Maximum number of reasoning tokens, for models that support a "
	       "budget; 0 disables reasoning.",
	       .max = 10000000),
	OPTION(DURATION, "timeout", "300s", "Time limit for a complete response.",
	       .min = 1, .max = 86400000),
	OPTION(DURATION, "stall_timeout", "60s",
	       "Maximum idle time while receiving a response.", .min = 1,
	       .max = 86400000),
	OPTION(INT, "retries", "5",
	       "Maximum number of attempts for transient errors; 0 and 1 disable "
	       "retries.",
	       .max = 100),
	OPTION(DURATION, "retry_min_wait", "8s", "Minimum delay between attempts.",
	       .max = 86400000),
	OPTION(DURATION, "retry_max_wait", "64s", "Maximum delay between attempts.",
	       .max = 86400000),
	OPTION(NUMBER, "retry_multiplier", "8", "Multiplier for exponential backoff.",
	       .max = 1000),
	OPTION(LIST, "fallback", NULL,
	       "Models to try, in order, when all attempts fail with transient "
	       "errors or the credit is used up: names of [llm.NAME]."),
	OPTION(BOOL, "stream", "yes", "Stream responses."),
	OPTION(CHOICE, "native_tool_calling", "auto",
	       "When to use the provider's tool calling API; otherwise tools are "
	       "called in text.",
	       .choices = "auto|yes|no"),
	OPTION(CHOICE, "vision", "auto", "When to send images to the model.",
	       .choices = "auto|yes|no"),
	OPTION(CHOICE, "api", "auto",
	       "OpenAI API to use: `chat` or `responses` (`auto`: chosen per model "
	       "and provider).",
	       .choices = "auto|chat|responses"),
	OPTION(TEXT, "aws_region", NULL,
	       "AWS region (default: AWS_REGION, or the region of the profile)."),
	OPTION(TEXT, "aws_profile", NULL,
	       "Profile of ~/.aws that provides the keys (default: keys in the "
	       "environment, then AWS_PROFILE, then `default`)."),
	OPTION(CHOICE, "prompt_cache", "auto",
	       "When to set cache breakpoints in requests.", .choices = "auto|yes|no"),
	OPTION(CHOICE, "token_counter", "estimate",
	       "How to count the tokens of a request that is close to the context "
	       "window: with a local estimate, or by querying the provider.",
	       .choices = "estimate|provider"),
	OPTION(CHOICE, "stop_words", "auto", "When to send stop sequences.",
	       .choices = "auto|yes|no"),
	OPTION(TEXT, "canonical_name", NULL,
	       "Name of the model in the model table, if the provider uses a "
	       "different name."),
	OPTION(TEXT, "api_version", NULL, "API version, for providers that require one."),
	OPTION(LIST, "extra_headers", NULL,
	       "HTTP headers to add to each request, as Name: value.",
	       .flags = MT_OPTION_SECRET),
	OPTION(PATH, "ca_path", NULL,
	       "File or directory of trusted CA certificates (default: the "
	       "system's)."),
	OPTION(TEXT, "proxy", NULL, "Proxy URL (default: set by the environment).",
	       .flags = MT_OPTION_SECRET),
	OPTION(NUMBER, "input_cost_per_token", NULL,
	       "Price of one input token in US dollars.", .max = 1000),
	OPTION(NUMBER, "output_cost_per_token", NULL,
	       "Price of one output token in US dollars.", .max = 1000),
	OPTION(BOOL, "log_requests", "no",
	       "Store requests and responses next to the conversation, with "
	       "secrets masked."),
	OPTION(PATH, "script", NULL, "Script for the scripted model to play."),
};

#define FACT_YES_NO(name_, help_) \
	OPTION(CHOICE, name_, NULL, help_, .choices = "yes|no")
#define FACT_TOKENS(name_, help_) \
	OPTION(INT, name_, NULL, help_, .min = 1, .max = 1000000000)
#define FACT_PRICE(name_, help_) OPTION(NUMBER, name_, NULL, help_, .max = 1000000)

static const struct mt_option model_table[] = {
	FACT_YES_NO("tools", "Supports the provider's tool calling API."),
	FACT_YES_NO("cache", "Supports cache breakpoints."),
	FACT_YES_NO("stop", "Supports stop sequences."),
	FACT_YES_NO("effort", "Supports reasoning effort levels."),
	FACT_YES_NO("effort_sent", "Requests may contain a reasoning effort."),
	FACT_YES_NO("effort_budget", "Low effort is sent as a token budget."),
	FACT_YES_NO("vision", "Supports vision."),
	FACT_YES_NO("pdf", "Supports PDF input."),
	FACT_YES_NO("responses", "Uses the Responses API."),
	FACT_YES_NO("sampling", "Supports temperature and top_p."),
	FACT_YES_NO("temperature_and_top_p",
		    "Supports temperature and top_p in one request."),
	FACT_YES_NO("no_thinking", "Requests disable reasoning explicitly."),
	FACT_YES_NO("adaptive_thinking", "Supports reasoning without a token budget."),
	FACT_YES_NO("inline_images",
		    "Images are sent inline because the API does not fetch URLs."),
	FACT_YES_NO("short_tools", "Sends the short tool descriptions."),
	FACT_YES_NO("example", "Adds an example when tools are called in text."),
	FACT_YES_NO("send_reasoning", "Sends earlier reasoning back as text."),
	FACT_YES_NO("max_completion_tokens",
		    "Sends the output limit only as max_completion_tokens."),
	FACT_TOKENS("window", "Context window in tokens."),
	FACT_TOKENS("output", "Maximum number of output tokens."),
	FACT_TOKENS("default_output", "Output limit if none is configured."),
	FACT_TOKENS("output_cap", "Upper bound for every requested output limit."),
	FACT_PRICE("input_price", "US dollars per million input tokens."),
	FACT_PRICE("output_price", "US dollars per million output tokens."),
	FACT_PRICE("cache_read_price",
		   "US dollars per million tokens read from the cache."),
	FACT_PRICE("cache_write_price",
		   "US dollars per million tokens written to the cache."),
	FACT_TOKENS("long_from",
		    "Number of input tokens above which the long_ prices apply."),
	FACT_PRICE("long_input_price", "Input price of long requests."),
	FACT_PRICE("long_output_price", "Output price of long requests."),
	FACT_PRICE("long_cache_read_price", "Cache read price of long requests."),
	FACT_PRICE("long_cache_write_price", "Cache write price of long requests."),
};

static const struct mt_option controller_table[] = {
	OPTION(TEXT, "base", NULL,
	       "Controller configuration to inherit from (default: [controller])."),
	OPTION(TEXT, "agent", "codeact", "Agent to run."),
	OPTION(TEXT, "description", NULL,
	       "Purpose of the agent, shown to agents that may delegate to it "
	       "(default: the summary of `agent`)."),
	OPTION(LIST, "tools", "bash, editor, search, tasks, think, finish, skill, memory, mcp",
	       "Tools of the agent: names of [tool.NAME], toolsets or single "
	       "tools."),
	OPTION(INT, "tool_search_threshold", "60",
	       "Number of tools above which those of MCP servers are listed by "
	       "name only, until the model searches for them; 0 disables this.",
	       .max = 10000),
	OPTION(BOOL, "plan", "no",
	       "Add instructions for planning long tasks to the system prompt, and "
	       "enable the task list."),
	OPTION(LIST, "condensers", "conversation_window",
	       "Condensers to apply to the history, in order: names of "
	       "[condenser.NAME] or of condensers."),
	OPTION(LIST, "analyzers", "llm, policy",
	       "Analyzers that assess the risk of actions; the highest risk is "
	       "used."),
	OPTION(BOOL, "propagate_unknown", "no",
	       "Treat the risk as unknown if any analyzer reports it as unknown."),
	OPTION(CHOICE, "analyzer_failure", "unknown",
	       "Risk level to assume when an analyzer fails.", .choices = "unknown|high"),
	OPTION(CHOICE, "confirmation", "auto",
	       "When to ask for approval of an action; `auto` means `risky`.",
	       .choices = "auto|never|always|risky"),
	OPTION(CHOICE, "on_ask", "refuse",
	       "Refuse an action that requires approval if no user can give it, and tell the "
	       "model, or stop with exit code 8.",
	       .choices = "refuse|stop"),
	OPTION(CHOICE, "confirm_risk", "high",
	       "With `risky`, lowest risk that requires approval.",
	       .choices = "low|medium|high"),
	OPTION(BOOL, "confirm_unknown", "yes",
	       "With `risky`, also ask when the risk is unknown."),
	OPTION(CHOICE, "approve", "commands",
	       "Ask to approve a shell command of unknown risk itself, or the effects that it "
	       "has in a preview without network.",
	       .choices = "commands|effects"),
	OPTION(TEXT, "judge", NULL,
	       "Model that assesses calls of UNKNOWN risk, and whether the task is done when "
	       "the agent finishes: a section [llm.NAME], or `default`."),
	OPTION(BOOL, "judge_unknown", "no",
	       "Let the judge lower UNKNOWN to LOW or MEDIUM."),
	OPTION(DURATION, "judge_deadline", "30s",
	       "Time limit for a response of the judge. Without a response, the risk stays "
	       "unknown, and the task counts as done.",
	       .min = 100, .max = 600000),
	OPTION(INT, "judge_rounds", "3",
	       "Maximum number of times that the judge sends the agent back to its task, "
	       "per user message; 0: the judge does not assess whether the task is done.",
	       .max = 100),
	OPTION(TEXT, "runtime", "local", "Runtime that runs the tools."),
	OPTION(TEXT, "llm", NULL, "Model to use: a name of [llm.NAME] (default: [llm])."),
	OPTION(TEXT, "router", NULL,
	       "Rules that choose the model of each request: a name of "
	       "[router.NAME] (default, or `noop`: none)."),
	OPTION(INT, "max_iterations", "500", "Maximum number of steps per task.",
	       .min = 1, .max = 1000000000),
	OPTION(TEXT, "until", NULL,
	       "Command that must succeed before the agent may finish; until then it "
	       "continues, within its limits."),
	OPTION(CHOICE, "text_only", "auto",
	       "Effect of a response without a tool call when no user can respond: "
	       "it is the answer and ends the task (`done`), or the model is "
	       "prompted to continue; `auto` is `done` for `run` and `resume`, "
	       "otherwise `continue`.",
	       .choices = "auto|done|continue"),
	OPTION(BOOL, "stuck_detection", "yes", "Detect loops and stop the agent."),
	OPTION(BOOL, "stuck_nudge", "yes",
	       "Warn the model once about a loop before stopping it."),
	OPTION(CHOICE, "stuck_compare", "output",
	       "How loop detection compares results: `output` (or `normalized`) "
	       "ignores digits, times, sizes and addresses; `exit_code` compares "
	       "commands by exit code, everything else exactly; `exact` compares the "
	       "exact text.",
	       .choices = "output|exit_code|exact|normalized"),
	OPTION(INT, "stuck_identical", "8",
	       "Number of identical consecutive actions that count as a loop, "
	       "regardless of their results; 0 disables this rule.",
	       .min = 0, .max = 32),
	OPTION(BOOL, "stuck_compare_thought", "no",
	       "Treat actions as different if only the text that the model wrote "
	       "with them differs."),
	OPTION(INT, "stuck_repeat", "4",
	       "Number of times that the same action with the same result counts "
	       "as a loop.",
	       .min = 2, .max = 32),
	OPTION(INT, "stuck_errors", "3",
	       "Number of times that the same failing action counts as a loop.", .min = 2,
	       .max = 32),
	OPTION(INT, "stuck_monologue", "3",
	       "Number of times that the same message without an action counts as "
	       "a loop.",
	       .min = 2, .max = 32),
	OPTION(INT, "stuck_alternate", "6",
	       "Number of actions that alternate between two, with the same "
	       "results, that count as a loop.",
	       .min = 4, .max = 32),
	OPTION(NUMBER, "max_budget", NULL,
	       "Maximum cost of a task in US dollars (default: no limit).",
	       .max = 1000000000),
	OPTION(INT, "max_tokens", NULL,
	       "Maximum number of input and output tokens per task (default: no "
	       "limit).",
	       .min = 1, .max = 1000000000000),
	OPTION(DURATION, "max_time", NULL,
	       "Maximum working time per task, without the time spent waiting for "
	       "the user (default: no limit).",
	       .min = 1, .max = 31536000000),
	OPTION(INT, "parallel_calls", "4",
	       "Maximum number of read-only calls of one response to run in "
	       "parallel; 1 disables parallel calls.",
	       .min = 1, .max = 16),
	OPTION(INT, "max_calls", NULL,
	       "Maximum number of tool calls (default: no limit).", .min = 1,
	       .max = 1000000000),
	OPTION(LIST, "delegates", "explore, review",
	       "Agents to which this one may delegate, with the `delegation` "
	       "toolset: names of [controller.NAME]."),
	OPTION(CHOICE, "context", "task",
	       "Initial context of a subagent of this section: its task only (`task`), or "
	       "also the messages, prompt, tools and model of its parent (`fork`).",
	       .choices = "task|fork"),
	OPTION(INT, "max_depth", "3", "Maximum depth of delegation; 0 disables it.",
	       .max = 16),
	OPTION(INT, "max_children", "4",
	       "Maximum number of subagents that run at the same time.", .min = 1,
	       .max = 64),
	OPTION(INT, "max_children_total", "32",
	       "Maximum number of subagents that delegate_tasks starts per "
	       "conversation.",
	       .min = 1, .max = 10000),
	OPTION(INT, "max_message_chars", "30000",
	       "Maximum number of characters of an observation that are sent to "
	       "the model.",
	       .min = 100, .max = 100000000),
	OPTION(INT, "max_turn_chars", "100000",
	       "Maximum total number of characters of the results of one response that "
	       "are sent to the model, or a quarter of the context window if that is "
	       "less; 0 disables both limits. The longest results are cut, and name a "
	       "file with the complete text.",
	       .max = 100000000),
	OPTION(TEXT, "instructions", NULL,
	       "Instructions for the agent, sent with the first message."),
	OPTION(TEXT, "system_suffix", NULL, "Text appended to the system prompt."),
	OPTION(TEXT, "message_suffix", NULL,
	       "Text appended to each user message, for the model only."),
	OPTION(BOOL, "git_status", "yes",
	       "Report changed files of the repository to the model at the start; the "
	       "first request waits for git, for at most three seconds."),
	OPTION(CHOICE, "setup", "trusted",
	       "When to run the project's .openhands/setup.sh at the start of a "
	       "conversation.",
	       .choices = "trusted|always|never"),
	OPTION(DURATION, "setup_timeout", "10m", "Time limit for the setup script.",
	       .min = 1000, .max = 86400000),
};

static const struct mt_option plugin_table[] = {
	OPTION(TEXT, "plugin", NULL,
	       "Component to use (default: the name of the section)."),
};

#define FORKING                                                                \
	OPTION(CHOICE, "run", NULL,                                            \
	       "Where the plugin runs: in the conversation process or, for each call, " \
	       "in a forked copy of it that cannot open files or connect (default: " \
	       "`inside` for plugins of Mortise, `fork` for all others).",      \
	       .choices = "inside|fork"),                                      \
	OPTION(DURATION, "deadline", "10s",                                    \
	       "Time limit for one call of a plugin that runs in a forked copy.", \
	       .min = 100, .max = 600000)

static const struct mt_option analyzer_table[] = {
	OPTION(TEXT, "plugin", NULL,
	       "Component to use (default: the name of the section)."),
	FORKING,
};

static const struct mt_option asking_table[] = {
	OPTION(TEXT, "plugin", NULL,
	       "Component to use (default: the name of the section)."),
	FORKING,
	OPTION(TEXT, "llm", NULL,
	       "Model to query: a name of [llm.NAME] (default: the model of the "
	       "controller)."),
	OPTION(LIST, "http_hosts", NULL,
	       "Hosts that the plugin may send HTTP requests to through Mortise; "
	       "`*.NAME` includes subdomains (default: the hosts that it declares)."),
};

static const struct mt_option skills_table[] = {
	OPTION(BOOL, "project", "yes",
	       "Read AGENTS.md, similar files and the skills of the project."),
	OPTION(BOOL, "user", "yes", "Read the skills of the user and installed skills."),
	OPTION(BOOL, "packs", "yes", "Read installed skill packs."),
	OPTION(LIST, "path", NULL,
	       "Additional skill directories, for example a checkout of your "
	       "organization's skills."),
	OPTION(PATH, "bundled", SKILL_DIR "/mortise.tar.gz",
	       "Pack or directory of the bundled skills; an empty value disables them."),
	OPTION(LIST, "disabled", NULL, "Names of skills to ignore."),
	OPTION(INT, "list_tokens", "1000",
	       "Maximum size of the skill list in tokens of 4 bytes. Descriptions "
	       "are shortened to fit, then omitted.",
	       .min = 64, .max = 262144),
	OPTION(BYTES, "list_max", NULL,
	       "Maximum size of the skill list in bytes; overrides `list_tokens`.",
	       .min = 256, .max = 1048576),
};

static const struct mt_option router_table[] = {
	OPTION(LIST, "rules", NULL,
	       "Rules; the first that matches chooses the model: images: NAME, "
	       "tokens > N: NAME, condensing: NAME."),
};

static const struct mt_option tool_table[] = {
	OPTION(TEXT, "plugin", NULL,
	       "Component to use (default: the name of the section)."),
	OPTION(TEXT, "llm", NULL,
	       "Model to query, for tools that use one: a name of [llm.NAME] "
	       "(default: the model of the controller)."),
	OPTION(DURATION, "deadline", "15m",
	       "Time limit after which a call is killed; extended if the tool or "
	       "the call has a longer timeout.",
	       .min = 100, .max = 86400000),
	OPTION(BOOL, "trust_hints", "no",
	       "Trust a third-party plugin's declaration of which tools are "
	       "read-only."),
	OPTION(LIST, "http_hosts", NULL,
	       "Hosts that the tool may send HTTP requests to through Mortise; "
	       "`*.NAME` includes subdomains (default: the hosts that its plugin "
	       "declares)."),
	OPTION(LIST, "permissions", NULL,
	       "Permissions that the plugin declares and the user grants: `read PATH`, "
	       "`write PATH`, `host NAME`, `environment NAME`. They open the sandbox for "
	       "all tools of a conversation that has this one."),
};

static const struct mt_option mcp_table[] = {
	OPTION(BOOL, "enabled", "yes", "Enable the server."),
	OPTION(DURATION, "deadline", "15m",
	       "Time limit after which a call is killed; extended if the call has "
	       "a longer timeout.",
	       .min = 100, .max = 86400000),
};

/* The choices of `profile` and `mode` are enums of lib/sandbox/profile.h, those of
 * `network` of lib/sandbox/rules.h. */
static const struct mt_option sandbox_table[] = {
	OPTION(CHOICE, "mode", "auto",
	       "When to run tools in a sandbox: as far as the system supports it (`auto`), "
	       "only if all of it is enforced (`required`), or never (`off`).",
	       .choices = "auto|required|off"),
	OPTION(CHOICE, "profile", "workspace",
	       "Files that tools can change: the workspace, none, or all that the user can "
	       "change (no sandbox).",
	       .choices = "workspace|read-only|full"),
	OPTION(CHOICE, "network", "allow-list",
	       "Network of the tools: the hosts in `hosts`, everything, or nothing.",
	       .choices = "allow-list|full|none"),
	OPTION(LIST, "hosts",
	       "pypi.org, files.pythonhosted.org, registry.npmjs.org, registry.yarnpkg.com, "
	       "crates.io, index.crates.io, static.crates.io, proxy.golang.org, sum.golang.org, "
	       "rubygems.org, repo.maven.apache.org, repo1.maven.org, deb.debian.org, "
	       "security.debian.org, archive.ubuntu.com, security.ubuntu.com",
	       "Hosts that tools can reach with `network = allow-list`: `example.com`, "
	       "`*.example.com` for its subdomains, `example.com:8443`."),
	OPTION(LIST, "read", NULL,
	       "Files and directories outside of the workspace that tools can read, in "
	       "addition to programs, libraries and tool chains."),
	OPTION(LIST, "write", NULL,
	       "Files and directories outside of the workspace that tools can change."),
	OPTION(LIST, "grants", NULL,
	       "Grants that are on: names of [grant.NAME], such as `ssh`. "
	       "`mortise sandbox grants` lists them."),
	OPTION(BOOL, "namespaces", "yes",
	       "Use namespaces if the system allows them."),
	OPTION(INT, "landlock", "7", "Newest version of Landlock to use; 0: none.",
	       .max = 7),
};

static const struct mt_option limits_table[] = {
	OPTION(BYTES, "memory", NULL,
	       "Maximum memory of all tools of a conversation and its subagents (default: "
	       "three quarters of the machine's memory); 0: no limit.",
	       .max = 9007199254740992),
	OPTION(INT, "processes", "4096",
	       "Maximum number of processes and threads of all tools of a conversation and "
	       "its subagents; 0: no limit.",
	       .max = 4194304),
	OPTION(INT, "open_files", "65536",
	       "Maximum number of open files of one process of a tool; 0: no limit.",
	       .max = 1073741816),
	OPTION(DURATION, "cpu_time", "100h",
	       "Maximum CPU time of one call, with all its processes; 0: no limit.",
	       .max = 31536000000),
	OPTION(DURATION, "wall_time", "24h",
	       "Maximum duration of one call, whatever its own time limit; 0: no limit.",
	       .max = 31536000000),
	OPTION(BYTES, "output", "1G", "Maximum output of one call; 0: no limit.",
	       .max = 1125899906842624),
	OPTION(BYTES, "disk_written", NULL,
	       "Maximum number of bytes that the processes of one call write to disk "
	       "(default: three quarters of the free space); 0: no limit.",
	       .max = 9007199254740992),
	OPTION(CHOICE, "cgroups", "auto",
	       "When to use control groups for `memory` and `processes`; otherwise the "
	       "processes are sampled.",
	       .choices = "auto|no"),
};

static const struct mt_option hook_table[] = {
	OPTION(CHOICE, "event", NULL, "Event that runs the hook.",
	       .choices = "before-tool|after-tool|user-prompt|stop|session-start|"
			  "session-end",
	       .flags = MT_OPTION_REQUIRED),
	OPTION(TEXT, "matcher", "*",
	       "Tools to match: `*`, a name, or a regular expression that matches "
	       "the full name."),
	OPTION(LIST, "command", NULL,
	       "Program and arguments; with `shell = yes`, a string passed to "
	       "`/bin/sh -c`.",
	       .flags = MT_OPTION_REQUIRED),
	OPTION(BOOL, "shell", "no", "Pass `command` to `/bin/sh -c`."),
	OPTION(DURATION, "timeout", "60s",
	       "Time limit; the hook and its child processes are then killed.",
	       .min = 100, .max = 86400000),
	OPTION(CHOICE, "on_failure", "deny",
	       "Effect on the guarded action if the hook fails or cannot run.",
	       .choices = "deny|allow"),
};

static const struct mt_option grant_table[] = {
	OPTION(TEXT, "env", NULL, "Environment variable that contains the secret."),
	OPTION(PATH, "file", NULL, "File that contains the secret."),
	OPTION(LIST, "tools", NULL, "Tools that may request the secret."),
	OPTION(TEXT, "description", NULL, "Purpose of the grant, and its risks."),
	OPTION(LIST, "read", NULL,
	       "Files and directories that tools can read if the grant is on. `$NAME` at "
	       "the beginning of an item is a variable."),
	OPTION(LIST, "write", NULL, "Files and directories that tools can change."),
	OPTION(LIST, "sockets", NULL,
	       "Unix sockets, or directories of them, that tools can connect to."),
	OPTION(LIST, "variables", NULL, "Environment variables that tools receive."),
	OPTION(LIST, "hosts", NULL,
	       "Hosts that tools can reach, as in `hosts` of [sandbox]."),
	OPTION(LIST, "ports", NULL,
	       "TCP ports (`8080`, `8000-8100`) that tools can use where no namespace "
	       "separates the network: on any host, because Landlock does not filter "
	       "addresses."),
};

#define TABLE(t) .table = (t), .count = ARRAY_LEN(t)

static const struct family families[] = {
	{ "core", .plain = true, .project = true, .current = true, TABLE(core_table) },
	{ "workspace", .plain = true, TABLE(workspace_table) },
	{ "llm", .plain = true, .named = true, .project = true, TABLE(llm_table) },
	{ "controller", .plain = true, .named = true, .project = true,
	  TABLE(controller_table) },
	{ "tool", .named = true, .plugin = true, .project = true, TABLE(tool_table) },
	{ "mcp", .named = true, .plugin = true, .project = true, .current = true,
	  TABLE(mcp_table) },
	{ "condenser", .named = true, .plugin = true, .project = true,
	  TABLE(asking_table) },
	{ "agent", .named = true, .plugin = true, .project = true, TABLE(asking_table) },
	{ "skills", .plain = true, .project = true, TABLE(skills_table) },
	{ "sandbox", .plain = true, .current = true, TABLE(sandbox_table) },
	{ "router", .named = true, .project = true, TABLE(router_table) },
	{ "runtime", .named = true, .plugin = true, TABLE(plugin_table) },
	{ "analyzer", .named = true, .plugin = true, TABLE(analyzer_table) },
	{ "dialect", .named = true, .plugin = true, TABLE(plugin_table) },
	{ "grant", .named = true, .current = true, TABLE(grant_table) },
	{ "limits", .plain = true, .current = true, TABLE(limits_table) },
	{ "hook", .named = true, TABLE(hook_table) },
	{ "model", .named = true, .glob = true, TABLE(model_table) },
};

/* Only the user may set options that load code, redirect keys or the conversation, write
 * outside the workspace, or weaken a protection. */
static const struct {
	const char *family, *key;
} project_forbidden[] = {
	{ "core", "plugin_path" },
	{ "core", "runner" },
	{ "core", "prompt_dir" },
	{ "core", "template_dir" },
	{ "core", "model_table" },
	{ "core", "state_dir" },
	{ "core", "sync" },
	{ "skills", "path" },
	{ "skills", "bundled" },
	{ "core", "mcp_json" },
	{ "core", "pass_env" },
	{ "core", "tavily" },
	{ "llm", "base_url" },
	{ "llm", "dialect" },
	{ "llm", "api_key_env" },
	{ "llm", "api_key_file" },
	{ "llm", "api_key_command" },
	{ "core", "log_file" },
	{ "core", "spool_total" },
	{ "controller", "until" },
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
	{ "controller", "on_ask" },
	{ "controller", "confirm_unknown" },
	{ "controller", "approve" },
	{ "controller", "judge" },
	{ "controller", "judge_unknown" },
	{ "controller", "judge_deadline" },
	{ "controller", "judge_rounds" },
	{ "controller", "setup" },
	{ "controller", "max_budget" },
	{ "controller", "max_tokens" },
	{ "controller", "max_time" },
	{ "controller", "max_calls" },
	{ "tool", "plugin" },
	{ "tool", "trust_hints" },
	{ "tool", "http_hosts" },
	{ "tool", "permissions" },
	{ "mcp", "trust_hints" },
	{ "condenser", "plugin" },
	{ "condenser", "run" },
	{ "condenser", "http_hosts" },
	{ "agent", "plugin" },
	{ "agent", "run" },
	{ "agent", "http_hosts" },
};

/* Former names of keys, which are still accepted. */
static const struct {
	const char *family, *alias, *key;
} key_aliases[] = {
	{ "controller", "tools_shown", "tool_search_threshold" },
	{ "controller", "stuck_same", "stuck_repeat" },
	{ "controller", "stuck_pattern", "stuck_alternate" },
	{ "controller", "stuck_thought", "stuck_compare_thought" },
	{ "model", "both_samplings", "temperature_and_top_p" },
	{ "model", "most_output", "output_cap" },
	{ "model", "new_limit", "max_completion_tokens" },
};

/* Options that are not paths, but whose value may be a path after a prefix. */
static const struct {
	const char *family, *key, *prefix;
} path_prefixes[] = {
	{ "llm", "model", "script:" },
};

const char *config_path_prefix(const struct family *f, const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(path_prefixes); i++)
		if (strcmp(path_prefixes[i].family, f->name) == 0 &&
		    strcmp(path_prefixes[i].key, key) == 0)
			return path_prefixes[i].prefix;
	return NULL;
}

const char *config_current_key(const char *family, const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(key_aliases); i++)
		if (strcmp(key_aliases[i].family, family) == 0 &&
		    strcmp(key_aliases[i].alias, key) == 0)
			return key_aliases[i].key;
	return key;
}

const struct family *config_family_at(size_t n)
{
	return n < ARRAY_LEN(families) ? &families[n] : NULL;
}

const struct family *config_family_of(const char *section, const char **ret_name)
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

bool config_project_may_set(const struct family *f, const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(project_forbidden); i++)
		if (strcmp(project_forbidden[i].family, f->name) == 0 &&
		    strcmp(project_forbidden[i].key, key) == 0)
			return false;
	return f->project;
}

bool config_name_valid(const char *name, size_t len, bool dots)
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
	const struct family *f = config_family_at(n);

	return f ? f->name : NULL;
}

bool config_glob_valid(const char *name, size_t len)
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
	const struct family *f = config_family_of(family, &name);

	*ret_count = f ? f->count : 0;
	return f ? f->table : NULL;
}
