/* SPDX-License-Identifier: MIT
 *
 * control.c - tools without code: the controller handles their events. */
#include <mortise/tool.h>

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_CONTROL | MT_TOOL_OPTIONAL,
		.name = "think",
		.description =
			"Reason about a hard step or a failed attempt; has no effect.",
		.brief = "Record a thought; has no effect.",
		MT_PARAMS(MT_TEXT("thought", MT_REQUIRED)),
		.events = "[{\"action\":\"think\",\"observation\":\"think\","
			  "\"args\":{\"thought\":\"$thought\"}}]",
	},
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_CONTROL,
		.name = "finish",
		.description = "End the task with a final message.",
		.brief = "End the task.",
		MT_PARAMS(MT_TEXT("message", MT_REQUIRED)),
		.events = "[{\"action\":\"finish\","
			  "\"args\":{\"final_thought\":\"$message\"}}]",
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 2, .tools = tools,
};

static const struct mt_tool condensation[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_CONTROL,
		.name = "request_condensation",
		.description =
			"Summarize older parts of this conversation to free context. "
			"Use it when most earlier details are no longer needed.",
		.brief = "Summarize older parts of the conversation.",
		.schema = "{\"type\":\"object\",\"properties\":{}"
			  ",\"additionalProperties\":false}",
		.events = "[{\"action\":\"condensation_request\",\"args\":{}}]",
	},
};

static const struct mt_tool asking[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_CONTROL,
		.name = "ask_user",
		.description =
			"Ask the user one question and wait for the answer, which is "
			"the next message. Use it only for what you can neither find "
			"out nor decide and that is costly to get wrong. State what "
			"you would do without an answer. Later calls of the same "
			"response are not made.",
		.brief = "Ask the user one question and wait for the answer.",
		MT_PARAMS(MT_TEXT("question", MT_REQUIRED)),
		.events = "[{\"required\":[\"question\"],\"action\":\"message\",\"args\":{"
			  "\"content\":\"$question\",\"wait_for_response\":true}}]",
	},
};

static const struct mt_toolset condensation_set = {
	.size = sizeof set, .tool_count = 1, .tools = condensation,
};

static const struct mt_toolset asking_set = {
	.size = sizeof set, .tool_count = 1, .tools = asking,
};

static const struct mt_component parts[] = {
	{
		.size = sizeof parts[0], .kind = MT_KIND_TOOL,
		.version_major = MT_TOOL_MAJOR, .version_minor = MT_NEEDS_TOOL_MINOR,
		.name = "control",
		.summary = "Lets the model think and finish the task.",
		.functions = &set,
	},
	{
		.size = sizeof parts[0], .kind = MT_KIND_TOOL,
		.version_major = MT_TOOL_MAJOR, .version_minor = MT_NEEDS_TOOL_MINOR,
		.name = "request_condensation",
		.summary = "Lets the model request condensation of the history.",
		.functions = &condensation_set,
	},
	{
		.size = sizeof parts[0], .kind = MT_KIND_TOOL,
		.version_major = MT_TOOL_MAJOR, .version_minor = MT_NEEDS_TOOL_MINOR,
		.name = "ask_user",
		.summary = "Lets the model ask the user.",
		.functions = &asking_set,
	},
};

MT_PLUGIN(.name = "control", .version = "1.0", .license = "MIT", .components = parts,
	  .component_count = 3, .id = MT_PLUGIN_ID("control"))
