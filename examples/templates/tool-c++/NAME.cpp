// SPDX-License-Identifier: MIT
//
// @name@ - a tool that counts the words and lines of a text.
#include <exception>
#include <mortise/tool.h>
#include <sstream>
#include <string>

static int count(const mt_tool_host *host, mt_call *call)
{
	size_t length;
	const char *text = host->arg_str(call, "text", &length);
	std::istringstream in(std::string(text, length));
	size_t words = 0, lines = 0;
	std::string line, word;

	if (length == 0)
		return host->fail(call, MT_EINVAL, "`text` is empty.");
	for (; std::getline(in, line); lines++)
		for (std::istringstream rest(line); rest >> word; words++)
			;
	return host->reply(call, "%zu words, %zu lines", words, lines);
}

// No exception may leave a function that the host calls.
static int run(const mt_tool_host *host, void *, mt_call *call) noexcept
try {
	return count(host, call);
} catch (const std::exception &e) {
	return host->fail(call, MT_EIO, "Unexpected error: %s.", e.what());
}

static mt_tool make_tool()
{
	mt_tool tool{};

	tool.size = sizeof tool;
	tool.name = "@ident@";
	tool.description = "Count the words and lines of a text.";
	tool.hints = MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT;
	tool.schema = R"({"type": "object", "required": ["text"], "properties":
		{"text": {"type": "string", "description": "The text."}}})";
	tool.call = run;
	return tool;
}

static mt_toolset make_toolset(const mt_tool *tool)
{
	mt_toolset set{};

	set.size = sizeof set;
	set.tool_count = 1;
	set.tools = tool;
	return set;
}

static mt_component make_component(const mt_toolset *set)
{
	mt_component component{};

	component.size = sizeof component;
	component.kind = MT_KIND_TOOL;
	component.version_major = MT_TOOL_MAJOR;
	component.version_minor = MT_NEEDS_TOOL_MINOR;
	component.name = "@name@";
	component.functions = set;
	return component;
}

static mt_plugin make_plugin(const mt_component *component)
{
	mt_plugin plugin{};

	plugin.size = sizeof plugin;
	plugin.abi_major = MT_ABI_MAJOR;
	plugin.abi_minor = MT_NEEDS_MINOR;
	plugin.name = "@name@";
	plugin.version = "1.0";
	plugin.license = "MIT";
	plugin.components = component;
	plugin.component_count = 1;
	return plugin;
}

const mt_plugin *mortise_plugin_v1()
{
	static const mt_tool tool = make_tool();
	static const mt_toolset set = make_toolset(&tool);
	static const mt_component component = make_component(&set);
	static const mt_plugin plugin = make_plugin(&component);

	return &plugin;
}
