/* SPDX-License-Identifier: MIT
 *
 * test-calls.c - turns tool calls of a model into actions and back: the
 * slips that are fixed, the sentences for those that are not. */
#include "argument-repair.h"
#include "calls-kit.h"
#include "oom.h"
#include "tap.h"
#include "tools/calls.h"

/* ---- arguments read and fixed --------------------------------------------------- */

static const struct {
	const char *name, *text, *want; /* NULL: no JSON */
} texts[] = {
	{ "an object", "{\"a\":1}", "{\"a\":1}" },
	{ "a raw line end", "{\"a\":\"x\ny\tz\"}", "{\"a\":\"x\\ny\\tz\"}" },
	{ "a raw control character", "{\"a\":\"\x01\"}", "{\"a\":\"\\u0001\"}" },
	{ "line ends between members", "{\n\"a\":\n1\n}", "{\"a\":1}" },
	{ "an escaped quote before one", "{\"a\":\"\\\"\n\"}", "{\"a\":\"\\\"\\n\"}" },
	{ "a list", "[1]", "{}" },
	{ "a text", "\"x\"", "{}" },
	{ "null", "null", "{}" },
	{ "half", "{\"a\":", NULL },
	{ "words", "ls -l", NULL },
	{ "half with a line end", "{\"a\":\"x\n", NULL },
};

static void reading(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct error err = ERROR_NONE;
		AUTO(json) json_object *args =
			repair_parse(texts[i].text, strlen(texts[i].text), &err);
		const char *got = args ? js_text(args, NULL) : NULL;

		CHECK_MSG(texts[i].want ? got && strcmp(got, texts[i].want) == 0
					: !got && err.code == MT_EINVAL,
			  "%s: %s%s", texts[i].name, got ? got : "", err.text);
	}
}

/* Each argument after its type. */
static const char schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"s\":{\"type\":\"string\"},\"i\":{\"type\":\"integer\"},"
	"\"n\":{\"type\":\"number\"},\"b\":{\"type\":\"boolean\"},"
	"\"l\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"
	"\"o\":{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"boolean\"}}},"
	"\"z\":{\"type\":[\"string\",\"null\"]},"
	"\"r\":{\"$ref\":\"#/$defs/count\"},"
	"\"c\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]},"
	"\"loop\":{\"$ref\":\"#/properties/loop\"}},"
	"\"$defs\":{\"count\":{\"type\":\"integer\"}}}";

static const struct {
	const char *name, *args, *want;
} slips[] = {
	{ "what is right", "{\"s\":\"1\",\"i\":1,\"l\":[1]}",
	  "{\"s\":\"1\",\"i\":1,\"l\":[1]}" },
	{ "numbers as text", "{\"i\":\"12\",\"n\":\"1.5\"}", "{\"i\":12,\"n\":1.5}" },
	{ "an integer with a point", "{\"i\":3.0}", "{\"i\":3}" },
	{ "half a number where it is to be whole", "{\"i\":3.5}", "{\"i\":3.5}" },
	{ "a number beyond all", "{\"i\":1e300}", "{\"i\":1e300}" },
	{ "booleans as text", "{\"b\":\"True\"}", "{\"b\":true}" },
	{ "a text that says true", "{\"s\":\"true\"}", "{\"s\":\"true\"}" },
	{ "a list as text", "{\"l\":\"[1, \\\"2\\\"]\"}", "{\"l\":[1,2]}" },
	{ "a list as text with rubbish", "{\"l\":\"[1]</parameter>\"}", "{\"l\":[1]}" },
	{ "an object as text", "{\"o\":\"{\\\"b\\\":\\\"false\\\"}\"}",
	  "{\"o\":{\"b\":false}}" },
	{ "a value that is not a list", "{\"l\":\"one\"}", "{\"l\":\"one\"}" },
	{ "a text in pieces", "{\"s\":[\"a\",\"b\"]}", "{\"s\":\"ab\"}" },
	{ "no text in pieces", "{\"s\":[\"a\",1]}", "{\"s\":[\"a\",1]}" },
	{ "nulls", "{\"s\":null,\"z\":null,\"i\":1}", "{\"z\":null,\"i\":1}" },
	{ "null by a choice", "{\"c\":null}", "{\"c\":null}" },
	{ "a number by a choice", "{\"c\":\"4\"}", "{\"c\":4}" },
	{ "a number by a reference", "{\"r\":\"4\"}", "{\"r\":4}" },
	{ "a reference to itself", "{\"loop\":\"4\"}", "{\"loop\":\"4\"}" },
	{ "the rest of markup", "{\"s\":\"x\",\"</parameter\":\"\",\"a b\":1,\"\":2}",
	  "{\"s\":\"x\"}" },
	{ "an unknown name", "{\"else\":1}", "{\"else\":1}" },
	{ "security_risk misspelt", "{\"securtiy_risk\":\"LOW\"}",
	  "{\"security_risk\":\"LOW\"}" },
	{ "security_risk twice", "{\"security_risk\":\"LOW\",\"security_riks\":\"HIGH\"}",
	  "{\"security_risk\":\"LOW\"}" },
};

static void repairing(void)
{
	AUTO(json) json_object *rules = js_parse(schema, sizeof schema - 1, NULL);

	for (size_t i = 0; i < ARRAY_LEN(slips); i++) {
		AUTO(json) json_object *args =
			js_parse(slips[i].args, strlen(slips[i].args), NULL);
		AUTO(json) json_object *want =
			js_parse(slips[i].want, strlen(slips[i].want), NULL);

		CHECK_MSG(args && repair_arguments(rules, args) == MT_OK &&
				  js_equal(args, want),
			  "%s: %s", slips[i].name, js_text(args, NULL));
	}
	for (size_t i = 0; i < ARRAY_LEN(slips); i++) {
		AUTO(json) json_object *args =
			js_parse(slips[i].args, strlen(slips[i].args), NULL);

		if (repair_arguments(NULL, args))
			CHECK_MSG(false, "%s without a schema", slips[i].name);
	}
}

/* ---- calls -------------------------------------------------------------------------- */

static const char tools[] =
	"[{\"name\":\"execute_bash\",\"schema\":{\"type\":\"object\",\"properties\":{"
	"\"command\":{\"type\":\"string\"},\"is_input\":{\"type\":\"string\",\"enum\":"
	"[\"true\",\"false\"]},\"timeout\":{\"type\":\"number\"}},\"required\":[\"command\"],"
	"\"additionalProperties\":false},\"events\":[{\"action\":\"run\","
	"\"observation\":\"run\",\"args\":{\"command\":\"$command\",\"is_input\":"
	"\"$is_input\"},\"timeout\":\"$timeout\"}]},"
	"{\"name\":\"str_replace_editor\",\"schema\":{\"type\":\"object\",\"properties\":{"
	"\"command\":{\"type\":\"string\"},\"path\":{\"type\":\"string\"},\"view_range\":{"
	"\"type\":\"array\",\"items\":{\"type\":\"integer\"}}},\"required\":[\"command\","
	"\"path\"]},\"events\":[{\"when\":{\"command\":\"view\"},\"action\":\"read\","
	"\"observation\":\"read\",\"args\":{\"path\":\"$path\",\"view_range\":"
	"\"$view_range\",\"impl_source\":\"oh_aci\"}},{\"action\":\"edit\",\"observation\":"
	"\"edit\",\"args\":{\"path\":\"$path\",\"command\":\"$command\",\"impl_source\":"
	"\"oh_aci\"}}]},"
	"{\"name\":\"plain\",\"schema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":"
	"\"integer\",\"minimum\":1}},\"required\":[\"x\"]}},"
	"{\"name\":\"plan\",\"hints\":32,\"schema\":{\"type\":\"object\",\"properties\":{"
	"\"command\":{\"type\":\"string\"},\"list\":{\"type\":\"array\"}},\"required\":["
	"\"command\"]},\"events\":[{\"when\":{\"command\":\"plan\"},\"required\":[\"list\"],"
	"\"action\":\"task_tracking\",\"observation\":\"task_tracking\",\"args\":{"
	"\"command\":\"$command\",\"task_list\":{\"$each\":\"$list\",\"item\":{\"id\":"
	"\"task-$n\",\"title\":\"Untitled\"}}}}]},"
	"{\"name\":\"odd\",\"schema\":{\"type\":\"object\"},\"events\":[{\"action\":"
	"\"no_such_action\",\"args\":{}}]}]";

static struct kit kit;
static struct catalog catalog;

static bool wire(void)
{
	json_object *list = js_parse(tools, sizeof tools - 1, NULL);

	kit.docs[kit.doc_count++] = list;
	kit_add(&kit, list);
	catalog = (struct catalog){ .tools = kit.tools, .count = kit.count };
	return kit.count == 5;
}

static const struct {
	const char *name, *tool, *args;
	const char *action, *want; /* type and args of it; NULL: refused, ... */
} calls[] = {
	{ "a command", "execute_bash", "{\"command\":\"ls\"}", "run", "{\"command\":\"ls\"}" },
	{ "no input as text", "execute_bash", "{\"command\":\"ls\",\"is_input\":\"true\"}",
	  "run", "{\"command\":\"ls\",\"is_input\":true}" },
	{ "a time-out blocks", "execute_bash", "{\"command\":\"ls\",\"timeout\":\"2.5\"}",
	  "run", "{\"command\":\"ls\",\"blocking\":true}" },
	{ "a risk", "execute_bash", "{\"command\":\"ls\",\"security_risk\":\"HIGH\"}", "run",
	  "{\"command\":\"ls\",\"security_risk\":2}" },
	{ "a shell of another name", "bash", "{\"command\":\"ls\"}", "run",
	  "{\"command\":\"ls\"}" },
	{ "markup behind a name", "execute_bash</function", "{\"command\":\"ls\"}", "run",
	  "{\"command\":\"ls\"}" },
	{ "git as a tool", "git", "{\"command\":\"status\"}", "run",
	  "{\"command\":\"git status\"}" },
	{ "a search as a tool", "grep", "{\"pattern\":\"it's\"}", "run",
	  "{\"command\":\"rg -n -i 'it'\\\"'\\\"'s' . --sortr=modified\"}" },
	{ "a bare command", "pwd", "", "run", "{\"command\":\"pwd\"}" },
	{ "a command that was left out", "str_replace_editor", "{\"path\":\"/a\"}", "read",
	  "{\"path\":\"/a\",\"impl_source\":\"oh_aci\"}" },
	{ "an edit", "str_replace_editor", "{\"path\":\"/a\",\"command\":\"create\"}", "edit",
	  "{\"path\":\"/a\",\"command\":\"create\"}" },
	{ "a tool without events", "plain", "{\"x\":\"3\"}", "call_tool",
	  "{\"name\":\"plain\",\"arguments\":{\"x\":3}}" },
	{ "a list of tasks", "plan", "{\"command\":\"plan\",\"list\":[{},{\"title\":\"b\"}]}",
	  "task_tracking",
	  "{\"task_list\":[{\"id\":\"task-1\",\"title\":\"Untitled\"},{\"id\":\"task-2\","
	  "\"title\":\"b\"}]}" },

	{ "no JSON", "execute_bash", "{\"command\":", NULL,
	  "Failed to parse tool call arguments: {\"command\": (byte 11: " },
	{ "nothing where something is wanted", "execute_bash", " \n", NULL,
	  "Missing required argument \"command\" in tool call execute_bash" },
	{ "too much", "execute_bash", "{\"command\":\"ls\",\"cwd\":\"/\"}", NULL,
	  "Unexpected argument cwd in tool call execute_bash. Allowed arguments are: command, "
	  "is_input, timeout" },
	{ "a choice that is none", "execute_bash", "{\"command\":\"ls\",\"is_input\":\"yes\"}",
	  NULL, "Wrong arguments in tool call execute_bash: " },
	{ "a number that is too small", "plain", "{\"x\":0}", NULL,
	  "Wrong arguments in tool call plain: " },
	{ "a time-out that is none", "execute_bash",
	  "{\"command\":\"ls\",\"timeout\":\"soon\"}", NULL,
	  "Invalid float passed to 'timeout' argument: soon" },
	{ "a time-out before now", "execute_bash", "{\"command\":\"ls\",\"timeout\":-1}", NULL,
	  "Invalid float passed to 'timeout' argument: -1" },
	{ "what an entry requires", "plan", "{\"command\":\"plan\"}", NULL,
	  "Missing required argument \"list\" for \"plan\" command in tool call plan" },
	{ "tasks that are none", "plan", "{\"command\":\"plan\",\"list\":[1]}", NULL,
	  "Invalid format for item 1 of \"list\". Expected an object but got a number." },
	{ "an unknown action", "odd", "{}", NULL,
	  "tool odd maps to an unknown action `no_such_action`" },
	{ "an unknown tool", "fly", "{\"to\":\"moon\"}", NULL, "fly" },
	{ "a search for nothing", "grep", "{\"pattern\":\" \"}", NULL, "grep" },
};

static bool holds(json_object *args, json_object *want)
{
	json_object_object_foreach(want, name, value)
		if (!js_equal(js_get(args, name), value))
			return false;
	return true;
}

static void to_actions(void)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		struct error err = ERROR_NONE;
		AUTO(event) struct event *e =
			call_event(&catalog, calls[i].tool, calls[i].args,
				   strlen(calls[i].args), "", NULL, &err);
		AUTO(json) json_object *want =
			calls[i].action
				? js_parse(calls[i].want, strlen(calls[i].want), NULL)
				: NULL;

		if (calls[i].action)
			CHECK_MSG(e && strcmp(e->type->name, calls[i].action) == 0 &&
					  holds(event_args(e), want),
				  "%s: %s%s", calls[i].name,
				  e ? js_text(event_args(e), NULL) : "", err.text);
		else
			CHECK_MSG(!e && strstr(err.text, calls[i].want), "%s: %s",
				  calls[i].name, err.text);
	}
}

static void thoughts_and_time(void)
{
	static const char args[] = "{\"command\":\"ls\",\"timeout\":2.5}";
	const struct tool *tool = NULL;
	struct error err = ERROR_NONE;
	AUTO(event) struct event *e = call_event(&catalog, "execute_bash", args,
						 sizeof args - 1, "I look.", &tool, &err);
	AUTO(event) struct event *said = call_message_event("Hi", 2, true, &err);

	CHECK(e && action_timeout_ms(e) == 2500);
	CHECK_STR(e ? event_arg(e, "thought") : "", "I look.");
	CHECK(tool && strcmp(tool->name, "execute_bash") == 0);
	CHECK_STR(e && tool ? call_observation(tool, e) : "", "run");
	CHECK(said && js_bool(event_args(said), "wait_for_response", false));
	CHECK(said && action_timeout_ms(said) == 0);
}

/* ---- and back ------------------------------------------------------------------------ */

static const struct {
	const char *type, *args, *preferred;
	const char *tool, *want; /* tool NULL: refused, with this sentence */
} back[] = {
	{ "run", "{\"command\":\"ls\"}", NULL, "execute_bash",
	  "{\"command\":\"ls\"}" },
	{ "read", "{\"path\":\"/a\",\"view_range\":[1,2]}", NULL, "str_replace_editor",
	  "{\"command\":\"view\",\"path\":\"/a\",\"view_range\":[1,2]}" },
	{ "edit", "{\"path\":\"/a\",\"command\":\"create\",\"impl_source\":\"oh_aci\"}",
	  "str_replace_editor", "str_replace_editor",
	  "{\"command\":\"create\",\"path\":\"/a\"}" },
	{ "call_tool", "{\"name\":\"plain\",\"arguments\":{\"x\":3}}", NULL, "plain",
	  "{\"x\":3}" },
	{ "call_tool", "{\"name\":\"fly\",\"arguments\":{}}", NULL, NULL, "fly" },
	{ "browse", "{\"url\":\"https://example.org\"}", NULL, NULL,
	  "no enabled tool executes the action `browse`" },
};

static struct event *action_of(size_t i)
{
	return event_action(back[i].type, SOURCE_USER,
			    js_parse(back[i].args, strlen(back[i].args), NULL), NULL);
}

static void to_calls(void)
{
	for (size_t i = 0; i < ARRAY_LEN(back); i++) {
		struct error err = ERROR_NONE;
		AUTO(event) struct event *e = action_of(i);
		AUTO(json) json_object *args = NULL;
		AUTO(json) json_object *want =
			back[i].tool ? js_parse(back[i].want, strlen(back[i].want), NULL)
				     : NULL;
		const struct tool *tool = NULL;
		int status = action_to_call(&catalog, e, back[i].preferred, &tool, &args,
					    &err);

		if (back[i].tool)
			CHECK_MSG(status == MT_OK &&
					  strcmp(tool->name, back[i].tool) == 0 &&
					  holds(args, want),
				  "%s: %s%s", back[i].type,
				  args ? js_text(args, NULL) : "", err.text);
		else
			CHECK_MSG(status && !tool && strstr(err.text, back[i].want),
				  "%s: %s", back[i].type, err.text);
	}
}

/* ---- hostile, and without memory ------------------------------------------------------- */

static void cut_everywhere(void)
{
	static const char text[] =
		"{\"command\":\"a\\u00e4\nb\",\"timeout\":\"1e1\",\"x\":[{}]}";
	bool fine = true;

	for (size_t len = 0; len < sizeof text - 1; len++) {
		AUTO(free) char *copy = malloc(len + 1);
		struct error err = ERROR_NONE;
		AUTO(event) struct event *e = NULL;

		if (!copy)
			continue;
		memcpy(copy, text, len);
		e = call_event(&catalog, "execute_bash", copy, len, "", NULL, &err);
		fine = fine && !e && err.text[0];
	}
	CHECK_MSG(fine, "half a call is refused with a sentence, wherever it is cut");
}

static void without_memory(void)
{
	bool fine = true;

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		OOM_EACH({
			struct error err = ERROR_NONE;
			AUTO(event) struct event *e =
				call_event(&catalog, calls[i].tool, calls[i].args,
					   strlen(calls[i].args), "thought", NULL, &err);

			fine = fine && (e || err.code);
		})
	CHECK_MSG(fine, "calls without memory: an action or a sentence");
	for (size_t i = 0; i < ARRAY_LEN(back); i++) {
		AUTO(event) struct event *action = action_of(i);

		OOM_EACH({
			AUTO(json) json_object *args = NULL;
			struct error err = ERROR_NONE;
			const struct tool *tool = NULL;
			int status = action_to_call(&catalog, action, back[i].preferred,
						    &tool, &args, &err);

			fine = fine && (status ? err.code == status : args && tool) &&
			       !tool == (status != MT_OK);
		})
	}
	CHECK_MSG(fine, "actions without memory: a call or a sentence");
	for (size_t i = 0; i < ARRAY_LEN(slips); i++) {
		AUTO(json) json_object *rules = js_parse(schema, sizeof schema - 1, NULL);

		OOM_EACH({
			AUTO(json) json_object *args =
				repair_parse(slips[i].args, strlen(slips[i].args), NULL);

			if (args)
				repair_arguments(rules, args);
		})
	}
}

int main(void)
{
	reading();
	repairing();
	CHECK(wire());
	to_actions();
	thoughts_and_time();
	to_calls();
	cut_everywhere();
	without_memory();
	kit_clear(&kit);
	return tap_done();
}
