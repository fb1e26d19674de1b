/* SPDX-License-Identifier: MIT
 *
 * test-bash-plugin.c - bash.so, tested as a host uses it. */
#include "js.h"
#include "schema.h"
#include "tap.h"
#include <dlfcn.h>
#include <mortise/tool.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

/* A host that plays one call. */
struct mt_call {
	json_object *args, *fields;
	struct strbuf text, sentence, live, spool;
};

static const char *arg_str(struct mt_call *c, const char *name, size_t *ret_len)
{
	json_object *o = js_get(c->args, name);

	if (!json_object_is_type(o, json_type_string))
		return NULL;
	*ret_len = (size_t)json_object_get_string_len(o);
	return json_object_get_string(o);
}

static int arg_number(struct mt_call *c, const char *name, double *ret)
{
	json_object *o = js_get(c->args, name);

	if (!o)
		return MT_ENOTFOUND;
	if (json_object_is_type(o, json_type_string))
		return MT_EINVAL;
	*ret = json_object_get_double(o);
	return MT_OK;
}

static int arg_bool(struct mt_call *c, const char *name, int *ret)
{
	json_object *o = js_get(c->args, name);

	if (!o)
		return MT_ENOTFOUND;
	*ret = strcmp(json_object_get_string(o), "true") == 0;
	return MT_OK;
}

static int reply_text(struct mt_call *c, const char *text, size_t len)
{
	return strbuf_addn(&c->text, text, len);
}

static int field(struct mt_call *c, const char *name, const char *json, size_t len)
{
	return js_set(c->fields, name, js_parse(json, len, NULL));
}

static int fail_call(struct mt_call *c, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&c->sentence, fmt, ap);
	va_end(ap);
	return status;
}

static int output(struct mt_call *c, const char *bytes, size_t len)
{
	return strbuf_addn(&c->live, bytes, len);
}

static int spool(struct mt_call *c, const char *bytes, size_t len)
{
	return strbuf_addn(&c->spool, bytes, len);
}

static const char *spool_path(struct mt_call *c)
{
	(void)c;
	return "/spool/1";
}

static int cancel_fd(struct mt_call *c)
{
	(void)c;
	return -1;
}

static int64_t time_left(struct mt_call *c)
{
	(void)c;
	return -1;
}

static const char *style = "v0";

static const char *option(struct mt_instance *i, const char *name)
{
	(void)i;
	return strcmp(name, "shell") == 0          ? "bash"
	       : strcmp(name, "result_style") == 0 ? style
						   : NULL;
}

static int64_t option_int(struct mt_instance *i, const char *name)
{
	(void)i;
	return strcmp(name, "no_change_timeout") == 0 ? 400 : 60000;
}

static const char *workspace(struct mt_instance *i)
{
	(void)i;
	return "/";
}

static const char *conversation_dir(struct mt_instance *i)
{
	(void)i;
	return "";
}

static void log_line(struct mt_instance *i, int level, const char *fmt, ...)
{
	(void)i, (void)level, (void)fmt;
}

static const char *call_tool(struct mt_call *c)
{
	(void)c;
	return "execute_bash";
}

static const struct mt_tool_host host = {
	.size = sizeof host, .call_tool = call_tool, .arg_str = arg_str, .arg_number = arg_number,
	.arg_bool = arg_bool, .reply_text = reply_text, .field = field,
	.fail = fail_call, .output = output, .spool = spool, .spool_path = spool_path,
	.cancel_fd = cancel_fd, .time_left_ms = time_left, .option = option,
	.option_int = option_int, .workspace = workspace,
	.conversation_dir = conversation_dir, .private_dir = conversation_dir, .log = log_line,
};

static const struct mt_toolset *set;
static void *self;

static int call(struct mt_call *c, const char *args)
{
	*c = (struct mt_call){
		.args = js_parse(args, strlen(args), NULL),
		.fields = json_object_new_object(),
		.text = STRBUF(1 << 20), .sentence = STRBUF(1 << 20),
		.live = STRBUF(1 << 20), .spool = STRBUF(1 << 24),
	};
	return set->call(&host, self, c);
}

static void done(struct mt_call *c)
{
	json_object_put(c->args);
	json_object_put(c->fields);
	strbuf_clear(&c->text);
	strbuf_clear(&c->sentence);
	strbuf_clear(&c->live);
	strbuf_clear(&c->spool);
}

static void test_schema(const struct mt_tool *tool)
{
	static const struct {
		const char *args;
		bool good;
	} cases[] = {
		{ "{\"command\":\"ls\"}", true },
		{ "{\"command\":\"\",\"is_input\":true,\"timeout\":1.5}", true },
		{ "{\"command\":\"y\",\"is_input\":\"true\"}", false }, /* the host repairs it */
		{ "{\"command\":\"y\",\"is_input\":\"yes\"}", false },
		{ "{\"is_input\":true}", false },
		{ "{\"command\":\"ls\",\"timeout\":\"5\"}", false },
	};
	AUTO(json) json_object *schema = NULL;
	AUTO(json) json_object *events = NULL;

	schema = js_parse(tool->schema, strlen(tool->schema), NULL);
	events = js_parse(tool->events, strlen(tool->events), NULL);

	CHECK(schema_valid(schema, NULL) == MT_OK);
	CHECK(json_object_is_type(events, json_type_array));
	CHECK(strlen(tool->schema) + strlen(tool->description) < 1700);
	CHECK(strlen(tool->brief) < 200);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json) json_object *args =
			js_parse(cases[i].args, strlen(cases[i].args), NULL);

		CHECK_MSG((schema_check(schema, args, NULL) == MT_OK) == cases[i].good,
			  "%s", cases[i].args);
	}
}

static void test_calls(void)
{
	struct mt_call c;

	CHECK(call(&c, "{\"command\":\"echo hi; cd /usr\"}") == MT_OK);
	CHECK_STR(c.text.text, "hi");
	CHECK_STR(c.live.text, "hi\n");
	CHECK(c.spool.len == 0);
	json_object *m = js_get(c.fields, "metadata");

	CHECK(js_int(m, "exit_code", 9) == 0 && js_int(m, "pid", 9) == -1);
	CHECK_STR(js_str(m, "working_dir", NULL), "/usr");
	CHECK_STR(js_str(m, "suffix", NULL),
		  "\n[The command completed with exit code 0.]");
	CHECK_STR(js_str(m, "prefix", NULL), "");
	CHECK(js_str(m, "username", NULL) && js_str(m, "hostname", NULL));
	CHECK_STR(js_str(c.fields, "command", NULL), "echo hi; cd /usr");
	done(&c);

	CHECK(call(&c, "{\"command\":\"seq 1 30000; false\"}") == MT_OK);
	CHECK(c.spool.len > 160000);
	m = js_get(c.fields, "metadata");
	CHECK(js_int(m, "exit_code", 9) == 1);
	CHECK(strstr(js_str(m, "suffix", ""), "/spool/1") != NULL);
	CHECK(c.sentence.len == 0);
	done(&c);

	CHECK(call(&c, "{\"command\":\"read x; echo got $x\",\"timeout\":0.3}") == MT_OK);
	m = js_get(c.fields, "metadata");
	CHECK(js_int(m, "exit_code", 9) == -1 && !js_get(m, "working_dir"));
	CHECK(strstr(js_str(m, "suffix", ""), "timed out after 0.3 seconds. ") != NULL);
	done(&c);
	CHECK(call(&c, "{\"command\":\"it\",\"is_input\":\"true\"}") == MT_OK);
	CHECK_STR(c.text.text, "got it");
	done(&c);

	CHECK(call(&c, "{\"command\":\"a\\u0000b\"}") == MT_EINVAL);
	CHECK(strstr(c.sentence.text, "NUL") != NULL);
	done(&c);
	CHECK(call(&c, "{\"command\":\"x\",\"timeout\":\"soon\"}") == MT_EINVAL);
	done(&c);
}

/* The default: the text for the model is complete, and marked so. */
static void test_brief(void)
{
	struct mt_call c;

	CHECK(call(&c, "{\"command\":\"seq 1 30000; false\"}") == MT_OK);
	CHECK(strstr(c.text.text, " of 30,000 lines omitted; full output: /spool/1]\n"));
	CHECK(c.spool.len > 160000);
	json_object *m = js_get(c.fields, "metadata");

	CHECK_STR(js_str(m, "result_style", ""), "brief");
	CHECK(js_int(m, "exit_code", 9) == 1);
	CHECK(strncmp(js_str(m, "suffix", ""), "\n[exit code 1]", 15) == 0);
	done(&c);
	/* A line that is cut is whole in the file, however short the output is. */
	CHECK(call(&c, "{\"command\":\"printf %03000d 1\"}") == MT_OK);
	CHECK(strstr(c.text.text, "[1,000 of 3,000 characters omitted]") != NULL);
	CHECK(strstr(c.text.text, "[Long lines are cut; full output: /spool/1]") != NULL);
	CHECK(c.spool.len == 3000);
	done(&c);
}

static atomic_bool answered;

static void *type_answer(void *arg)
{
	static const struct mt_input later = { .size = sizeof later, .kind = 99 };
	static const struct mt_input input = { .size = sizeof input,
					       .kind = MT_INPUT_BYTES,
					       .bytes = MT_STR("typed\n") };

	CHECK(set->input(&host, self, arg, &later) == MT_EUNSUPPORTED);
	/* What comes before the command has begun is thrown away: again. */
	while (!atomic_load(&answered)) {
		set->input(&host, self, arg, &input);
		poll(NULL, 0, 20);
	}
	return NULL;
}

/* Input from another thread while the call runs. */
static void test_input(void)
{
	struct mt_call c;
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, type_answer, &c) == 0);
	CHECK(call(&c, "{\"command\":\"read x; echo got $x\",\"timeout\":60}") == MT_OK);
	atomic_store(&answered, true);
	pthread_join(thread, NULL);
	CHECK(strstr(c.text.text, "got typed") != NULL);
	done(&c);
}

int main(void)
{
	char path[4096];
	const char *build = getenv("top_builddir");

	snprintf(path, sizeof path, "%s/plugins/tools/bash.so", build ? build : ".");
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!so) {
		printf("Bail out! %s\n", dlerror());
		return 1;
	}
	const struct mt_plugin *(*entry)(void);

	*(void **)&entry = dlsym(so, MT_PLUGIN_SYMBOL);
	const struct mt_component *part = entry()->components;

	CHECK_STR(part->name, "bash");
	set = part->functions;
	CHECK_STR(set->tools[0].name, "execute_bash");
	test_schema(&set->tools[0]);
	CHECK(set->open(&host, NULL, &self) == MT_OK);
	test_calls();
	test_input();
	set->close(&host, NULL, self);
	style = "brief";
	CHECK(set->open(&host, NULL, &self) == MT_OK);
	test_brief();
	set->close(&host, NULL, self);
	return tap_done();
}
