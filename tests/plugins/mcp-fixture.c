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

/* ---- tools that ask the client ---------------------------------------------------- */

#define ELICIT(key_, message_, properties_)                                                \
	"\"" key_ "\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"" message_  \
	"\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties_ "}}}}"
#define SAMPLE(key_, text_)                                                                \
	"\"" key_ "\":{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{"        \
	"\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text_ "\"}}],"            \
	"\"maxTokens\":100}}"
#define ROOTS "\"client_roots\":{\"method\":\"roots/list\",\"params\":{}}"
#define CLIENT(requests_) "client/ask", "{\"requests\":{" requests_ "}}"
#define COMPLETE(text_) \
	"model/complete", "{\"messages\":[{\"role\":\"user\",\"content\":\"" text_ "\"}]}"
#define NAME "\"name\":{\"type\":\"string\"}"

enum { ROUNDS_MAX = 2 };

static const struct asking {
	const char *tool;
	struct {
		const char *method, *params;
	} rounds[ROUNDS_MAX];
} asking[] = {
	{ "test_sampling", { { COMPLETE("Test prompt for sampling") } } },
	{ "test_missing_capability", { { COMPLETE("Anything") } } },
	{ "test_elicitation", { { CLIENT(ELICIT("who", "Who are you?",
		"\"username\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}")) } } },
	{ "test_choice", { { "user/ask",
		"{\"question\":\"Which color?\",\"choices\":[\"red\",\"blue\"]}" } } },
	{ "test_elicitation_sep1034_defaults", { { CLIENT(ELICIT("all", "Values?",
		"\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
		"\"age\":{\"type\":\"integer\",\"default\":30},"
		"\"score\":{\"type\":\"number\",\"default\":95.5},"
		"\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],"
		"\"default\":\"active\"},"
		"\"verified\":{\"type\":\"boolean\",\"default\":true}")) } } },
	{ "test_elicitation_sep1330_enums", { { CLIENT(ELICIT("all", "Choices?",
		"\"untitledSingle\":{\"type\":\"string\","
		"\"enum\":[\"option1\",\"option2\",\"option3\"]},"
		"\"titledSingle\":{\"type\":\"string\",\"oneOf\":["
		"{\"const\":\"value1\",\"title\":\"First Option\"},"
		"{\"const\":\"value2\",\"title\":\"Second Option\"},"
		"{\"const\":\"value3\",\"title\":\"Third Option\"}]},"
		"\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
		"\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
		"\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
		"\"enum\":[\"option1\",\"option2\",\"option3\"]}},"
		"\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":["
		"{\"const\":\"value1\",\"title\":\"First Choice\"},"
		"{\"const\":\"value2\",\"title\":\"Second Choice\"},"
		"{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}")) } } },
	{ "test_input_required_result_elicitation",
	  { { CLIENT(ELICIT("user_name", "What is your name?", NAME)) } } },
	{ "test_input_required_result_sampling",
	  { { CLIENT(SAMPLE("capital_question", "What is the capital of France?")) } } },
	{ "test_input_required_result_list_roots", { { CLIENT(ROOTS) } } },
	{ "test_input_required_result_request_state",
	  { { CLIENT(ELICIT("confirm", "Please confirm",
			    "\"ok\":{\"type\":\"boolean\"}")) } } },
	{ "test_input_required_result_multiple_inputs",
	  { { CLIENT(ELICIT("user_name", "What is your name?", NAME) ","
		     SAMPLE("greeting", "Generate a greeting") "," ROOTS) } } },
	{ "test_input_required_result_multi_round",
	  { { CLIENT(ELICIT("step1", "Step 1: What is your name?", NAME)) },
	    { CLIENT(ELICIT("step2", "Step 2: What is your favorite color?",
			    "\"color\":{\"type\":\"string\"}")) } } },
	{ "test_input_required_result_tampered_state",
	  { { CLIENT(ELICIT("confirm", "Please confirm",
			    "\"ok\":{\"type\":\"boolean\"}")) } } },
	{ "test_input_required_result_capabilities",
	  { { CLIENT(ELICIT("user_name", "What is your name?", NAME) ","
		     SAMPLE("greeting", "Generate a greeting")) } } },
};

static const struct asking *asking_of(const char *tool)
{
	for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
		if (strcmp(asking[i].tool, tool) == 0)
			return &asking[i];
	return NULL;
}

static int ask(const struct mt_tool_host *host, struct mt_call *call,
	       const struct asking *a)
{
	host->reply(call, "state-ok\n");
	for (int i = 0; i < ROUNDS_MAX && a->rounds[i].method; i++) {
		struct mt_str result = { 0 }, params = { a->rounds[i].params,
							 strlen(a->rounds[i].params) };
		int status = host->request(call, a->rounds[i].method, params, &result);

		if (status)
			return host->fail(call, status, "%.*s", (int)result.len,
					  result.ptr);
		host->reply_text(call, result.ptr, result.len);
	}
	return MT_OK;
}

/* ---- all tools ----------------------------------------------------------------------- */

static int fixture_call(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	const char *name = host->call_tool(call);

	(void)self;
	if (asking_of(name))
		return ask(host, call, asking_of(name));
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

/* Keywords of JSON Schema that a server must keep in a list; the suite checks them. */
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
	TOOL("test_tool_with_logging"), TOOL("test_sampling"),
	TOOL("test_missing_capability"), TOOL("test_elicitation"), TOOL("test_choice"),
	TOOL("test_elicitation_sep1034_defaults"), TOOL("test_elicitation_sep1330_enums"),
	TOOL("test_input_required_result_elicitation"),
	TOOL("test_input_required_result_sampling"),
	TOOL("test_input_required_result_list_roots"),
	TOOL("test_input_required_result_request_state"),
	TOOL("test_input_required_result_multiple_inputs"),
	TOOL("test_input_required_result_multi_round"),
	TOOL("test_input_required_result_tampered_state"),
	TOOL("test_input_required_result_capabilities"),
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
