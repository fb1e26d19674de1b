/* SPDX-License-Identifier: MIT
 *
 * models-test.c - `mortise models test`: tests streaming, tool calls and vision with
 * small requests. */
#include "models.h"
#include "llm/llm.h"
#define MORTISE_PROVISIONAL
#include <inttypes.h>
#include <mortise/advance.h>
#include <string.h>

#define TASK "Say the word ready, then call the tool report with that word."
#define SCHEMA                                                                  \
	"{\"type\":\"object\",\"properties\":{\"word\":{\"type\":\"string\"}}," \
	"\"required\":[\"word\"]}"
#define PARAMS "{\"max_tokens\":2000}"

/* A red PNG image of 1x1 pixel. */
static const char dot[] =
	"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0"
	"\x0cIDATx\x9c"
	"c\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xae"
	"B`\x82";

struct asking {
	uv_loop_t *loop;
	struct llm *llm;
	uint64_t began;           /* uv_hrtime */
	int64_t first_ms;         /* until the first text; -1: none was received */
	size_t pieces;
	struct llm_reply *reply;
	struct llm_error error;
	bool over;
};

static void models_test_on_delta(void *arg, bool reasoning, const char *text, size_t len)
{
	struct asking *a = arg;

	(void)reasoning, (void)text, (void)len;
	if (!a->pieces++)
		a->first_ms = (int64_t)((uv_hrtime() - a->began) / 1000000);
}

static void models_test_on_done(void *arg, struct llm_reply *reply)
{
	struct asking *a = arg;

	a->reply = reply;
	a->over = true;
}

static void models_test_on_failed(void *arg, const struct llm_error *error)
{
	struct asking *a = arg;

	a->error = *error;
	a->over = true;
}

/* Send a request and wait for the reply. */
static int models_test_ask(struct asking *a, const struct llm_request *q, int64_t index,
			   struct error *err)
{
	static const struct llm_events events = {
		.delta = models_test_on_delta, .done = models_test_on_done,
						  .failed = models_test_on_failed };

	a->reply = llm_reply_free(a->reply);
	a->over = false;
	a->pieces = 0;
	a->first_ms = -1;
	a->began = uv_hrtime();
	if (llm_send(a->llm, q, index, &events, a, NULL, NULL, err))
		return err->code;
	while (!a->over && uv_run(a->loop, UV_RUN_ONCE))
		;
	return a->reply ? MT_OK : fail(err, MT_EIO, "%s", a->error.text);
}

static struct llm_request *models_test_make(const struct llm *l, const char *text,
					    bool image, struct llm_part parts[2])
{
	struct llm_request *q = llm_request_new();

	parts[0] = (struct llm_part){ .text = text, .len = strlen(text) };
	parts[1] = (struct llm_part){ .mime = "image/png", .text = dot,
				      .len = sizeof dot - 1 };
	if (!q)
		return NULL;
	q->stream = llm_feature(l, "stream");
	q->params = js_parse_object(PARAMS, strlen(PARAMS), NULL);
	if (llm_request_add(q, &(struct llm_message){ .role = MT_ROLE_USER,
						      .parts = parts,
						      .part_count = image ? 2 : 1 })
	    || (!image
		&& llm_request_tool(q, &(struct llm_tool){
			.name = "report", .description = "Reports a word.",
			.schema = SCHEMA })))
		return llm_request_free(q);
	return q;
}

/* ---- output -------------------------------------------------------------------- */

struct findings {
	const char *streaming, *tools, *vision; /* "yes", ... */
	int64_t first_ms, latency_ms;
	const struct llm_metrics *sums;
};

static const char *of_streaming(const struct asking *a)
{
	if (!llm_feature(a->llm, "stream"))
		return "off";
	return a->pieces > 1 ? "yes" : a->pieces ? "one chunk" : "no text";
}

static const char *of_tools(const struct asking *a)
{
	for (size_t i = 0; i < a->reply->call_count; i++)
		if (strcmp(a->reply->calls[i].name, "report") == 0)
			return llm_feature(a->llm, "tools") ? "yes" : "as text";
	return a->reply->call_count ? "wrong tool" : "not called";
}

static void models_test_print_text(const struct llm *l, const struct findings *f)
{
	printf("%-12s %s\n%-12s %s\n%-12s %s\n%-12s %s\n", "model", llm_name(l),
	       "streaming", f->streaming, "tools", f->tools, "vision", f->vision);
	if (f->first_ms >= 0)
		printf("%-12s %" PRId64 " ms\n", "first text", f->first_ms);
	printf("%-12s %" PRId64 " ms\n%-12s %" PRId64 " in, %" PRId64 " out\n", "answer",
	       f->latency_ms, "tokens", f->sums->input, f->sums->output);
	if (f->sums->cost_known)
		printf("%-12s $%.6f\n", "cost", f->sums->cost);
	else
		printf("%-12s unknown\n", "cost");
}

static void models_test_print_json(const struct llm *l, const struct findings *f)
{
	AUTO(strbuf) struct strbuf out = STRBUF(65536);

	strbuf_addc(&out, '{');
	js_key_str(&out, "model", llm_name(l));
	js_key_str(&out, "streaming", f->streaming);
	js_key_str(&out, "tools", f->tools);
	js_key_str(&out, "vision", f->vision);
	if (f->first_ms >= 0)
		js_key_int(&out, "first_text_ms", f->first_ms);
	js_key_int(&out, "latency_ms", f->latency_ms);
	js_key_int(&out, "input", f->sums->input);
	js_key_int(&out, "output", f->sums->output);
	if (f->sums->cost_known)
		strbuf_addf(&out, ",\"cost\":%.10g", f->sums->cost);
	printf("%s}\n", out.text);
}

/* ---- the calls ------------------------------------------------------------------- */

/* Check whether the model accepts an image. The content of the reply is not checked. */
static const char *try_image(struct asking *a, struct error *err)
{
	struct llm_part parts[2];
	AUTO(llm_request) struct llm_request *q =
		models_test_make(a->llm, "Which color is this dot? One word.", true,
				 parts);

	if (!q || models_test_ask(a, q, 1, err))
		return "refused";
	return "yes";
}

static int models_test_run(struct asking *a, bool vision, bool json)
{
	struct llm_part parts[2];
	struct error err = ERROR_NONE;
	AUTO(llm_request) struct llm_request *q =
		models_test_make(a->llm, TASK, false, parts);
	struct findings f = { .sums = llm_metrics(a->llm), .vision = "not tried" };

	if (!q) {
		out_of_memory(&err);
		return command_report(EXIT_FAILED, &err);
	}
	if (models_test_ask(a, q, 0, &err))
		return command_report(EXIT_MODEL, &err);
	f.streaming = of_streaming(a);
	f.tools = of_tools(a);
	f.first_ms = a->first_ms;
	f.latency_ms = a->reply->latency_ms;
	if (vision)
		f.vision = try_image(a, &err);
	(json ? models_test_print_json : models_test_print_text)(a->llm, &f);
	return err.code ? command_report(EXIT_MODEL, &err) : EXIT_DONE;
}

/* A test does not retry, unless -o llm.retries is given. */
static void once(const struct common *in, struct common *out)
{
	size_t room = ARRAY_LEN(out->overrides) - 1;
	size_t n = in->override_count < room ? in->override_count : room;

	*out = *in;
	out->overrides[0] = "llm.retries=1";
	memcpy(out->overrides + 1, in->overrides, n * sizeof *in->overrides);
	out->override_count = n + 1;
}

int models_test(const struct common *common, const char *name, bool vision, bool json)
{
	AUTO(config) struct config *c = NULL;
	AUTO(registry) struct registry *r = NULL;
	struct error err = ERROR_NONE;
	struct asking a = { .loop = command_loop(&err) };
	struct llm_pool *pool = NULL;
	struct common quick;
	int code;

	once(common, &quick);
	if (!a.loop || common_config(&quick, &c, &err) || registry_open(c, &r, &err) ||
	    !(pool = llm_pool_new(a.loop, &err)) ||
	    llm_open(pool, c, r, "llm", name, NULL, &a.llm, &err))
		code = command_report(EXIT_USAGE, &err);
	else
		code = models_test_run(&a, vision || llm_facts(a.llm)->vision, json);
	llm_reply_free(a.reply);
	llm_free(a.llm);
	llm_pool_free(pool);
	if (a.loop)
		uv_run(a.loop, UV_RUN_DEFAULT);
	return code;
}
