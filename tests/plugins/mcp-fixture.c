/* SPDX-License-Identifier: MIT
 *
 * mcp-fixture.c - the tools that the official conformance suite of MCP wants of the
 * server under test; never installed. */
#define MT_PLUGIN_VERSION "1"
#include <mortise/tool.h>
#include <string.h>
#include <unistd.h>

enum { STEP_US = 50000 };

static void media(const struct mt_tool_host *host, struct mt_call *call, const char *mime,
		  const char *bytes)
{
	host->reply_media(call, mime, bytes, strlen(bytes));
}

static int fixture_call(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	const char *name = host->call_tool(call);

	(void)self;
	if (strcmp(name, "test_error_handling") == 0)
		return host->fail(call, MT_EIO,
				  "This tool intentionally returns an error for testing");
	if (strcmp(name, "test_logging_tool") == 0)
		host->log(host->call_instance(call), MT_LOG_WARNING,
			  "a warning for tests");
	if (strcmp(name, "test_tool_with_logging") == 0)
		for (int i = 0; i < 3; i++)
			host->log(host->call_instance(call), MT_LOG_INFO, "line %d", i);
	if (strcmp(name, "test_tool_with_progress") == 0 ||
	    strcmp(name, "test_streaming_elicitation") == 0)
		for (int i = 0; i <= 100; i += 50) {
			host->progress(call, i, 100, "on the way");
			usleep(STEP_US);
		}
	if (strcmp(name, "test_image_content") == 0)
		media(host, call, "image/png", "\x89PNG\r\n\x1a\n");
	else if (strcmp(name, "test_audio_content") == 0)
		media(host, call, "audio/wav", "RIFF");
	else if (strcmp(name, "test_embedded_resource") == 0)
		media(host, call, "text/plain", "This is an embedded resource content.");
	else if (strcmp(name, "test_multiple_content_types") == 0) {
		host->reply(call, "Multiple content types test:");
		media(host, call, "image/png", "\x89PNG\r\n\x1a\n");
		media(host, call, "application/json",
		      "{\"test\":\"data\",\"value\":123}");
	} else
		host->reply(call, "This is a simple text response for testing.");
	return MT_OK;
}

#define TOOL(name_)                                                                   \
	{ .size = sizeof(struct mt_tool), .name = name_, .description = "For tests.",  \
	  .schema = "{\"type\":\"object\",\"properties\":{}}" }

/* What the suite looks for in a list: keywords of JSON Schema that a server keeps. */
static const char json_schema[] =
	"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","
	"\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":"
	"{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"
	"\"properties\":{\"name\":{\"type\":\"string\"},"
	"\"address\":{\"$ref\":\"#/$defs/address\"},"
	"\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"
	"\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"
	"\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
	"\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
	"\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"
	"\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}";

static const char header_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
	"\"count\":{\"type\":\"integer\",\"x-mcp-header\":\"Count\"}}}";

static const struct mt_tool tools[] = {
	TOOL("test_simple_text"), TOOL("test_image_content"), TOOL("test_audio_content"),
	TOOL("test_embedded_resource"), TOOL("test_multiple_content_types"),
	TOOL("test_error_handling"), TOOL("test_tool_with_progress"),
	TOOL("test_streaming_elicitation"), TOOL("test_logging_tool"),
	TOOL("test_tool_with_logging"),
	{ .size = sizeof(struct mt_tool), .name = "json_schema_2020_12_tool",
	  .description = "For tests.", .schema = json_schema },
	{ .size = sizeof(struct mt_tool), .name = "test_header_parameters",
	  .description = "For tests.", .schema = header_schema },
};

static const struct mt_toolset toolset = {
	.size = sizeof toolset,
	.flags = MT_TOOLSET_PARALLEL,
	.tool_count = sizeof tools / sizeof *tools,
	.tools = tools,
	.call = fixture_call,
};

MT_TOOLSET(&toolset, "mcp-fixture", .name = "mcp-fixture",
	   .summary = "Tools for a conformance suite.")
