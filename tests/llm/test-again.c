/* SPDX-License-Identifier: MIT
 *
 * test-again.c - retries after a failed request: the request in another form, other
 * models; and the model that is queried first. */
#include "llm/llm-internal.h"
#include "llm/models/router.h"

#include "bench.h"
#include "oom.h"
#include "server.h"
#include "tap.h"

#define HEAD(status, type) \
	"HTTP/1.1 " status "\r\nContent-Type: " type "\r\nConnection: close\r\n\r\n"
#define JSON HEAD("200 OK", "application/json")
#define FAIL(status, text) \
	{ HEAD(status, "application/json") "{\"error\":{\"message\":\"" text "\"}}", 0, \
	  CLOSE }
#define EMPTY { JSON "{\"choices\":[]}", 0, CLOSE }
#define WHOLE \
	{ JSON "{\"choices\":[{\"message\":{\"content\":\"Hello\"},\"finish_reason\":"   \
	       "\"stop\"}],\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":2}}",    \
	  0, CLOSE }

enum { MAX_SETTINGS = 24 };

static uv_loop_t loop;
static struct server server;
static struct config *config;
static struct registry *registry;
static struct llm_models *models;
static struct llm *llm;
static struct result r;

static int open_models(const char *const *extra, struct error *err)
{
	static char base[64];
	const char *settings[MAX_SETTINGS] = { base, "llm.retry_min_wait=1ms",
					       "llm.retry_max_wait=2ms",
					       "llm.retries=2" };
	struct config_input in = { .overrides = settings, .override_count = 4 };

	snprintf(base, sizeof base, "llm.base_url=http://127.0.0.1:%d/v1/", server.port);
	while (extra && extra[in.override_count - 4]) {
		settings[in.override_count] = extra[in.override_count - 4];
		in.override_count++;
	}
	if (config_load(&in, &config, err) || registry_open(config, &registry, err) ||
	    llm_models_new(&loop, config, registry, NULL, &models, err))
		return err->code;
	return llm_models_get(models, NULL, NULL, "test", &llm, err);
}

static void begin(const struct answer *answers, size_t count)
{
	uv_loop_init(&loop);
	server_start(&server, &loop);
	server_say(&server, answers, count);
}

static void end(void)
{
	models = llm_models_free(models);
	uv_run(&loop, UV_RUN_DEFAULT);
	registry = registry_free(registry);
	config = config_free(config);
	llm = NULL;
	server_stop(&server);
	result_clear(&r);
	CHECK_MSG(uv_loop_close(&loop) == 0, "no handle is left");
}

static void send_one(const struct llm_request *q)
{
	struct bench b = { .loop = &loop, .llm = llm };

	bench_send(&b, q, 0, NULL, &r);
}

/* ---- another form ---------------------------------------------------------- */

static const struct {
	const char *name, *settings[4];
	struct answer answers[3];
	size_t count, asked;    /* requests that the server saw */
	const char *last, *not; /* what the last of them has, and has not */
	int kind;               /* MT_ERROR_NONE: a reply in the end */
} forms[] = {
	{ "an empty answer at no temperature", { "llm.model=some" }, { EMPTY, WHOLE }, 2,
	  2, "\"temperature\":1", "\"temperature\":0", MT_ERROR_NONE },
	{ "an empty answer at temperature 0",
	  { "llm.model=some", "llm.temperature=0" }, { EMPTY, WHOLE }, 2, 2,
	  "\"temperature\":1", "\"temperature\":0", MT_ERROR_NONE },
	{ "an empty answer at another temperature",
	  { "llm.model=some", "llm.temperature=0.5" }, { EMPTY, WHOLE }, 2, 2,
	  "\"temperature\":0.5", "1.0", MT_ERROR_NONE },
	{ "an empty answer of a model without temperatures",
	  { "llm.model=openai/o3", "llm.native_tool_calling=yes" }, { EMPTY, WHOLE }, 2,
	  2, "\"messages\"", "temperature", MT_ERROR_NONE },
	{ "empty for ever", { "llm.model=some" }, { EMPTY }, 1, 2,
	  "\"temperature\":1", NULL, MT_ERROR_MALFORMED },
	{ "another failure leaves the temperature alone", { "llm.model=some" },
	  { FAIL("503 No", "busy"), WHOLE }, 2, 2, "\"messages\"", "temperature",
	  MT_ERROR_NONE },
	{ "too little for a cache",
	  { "llm.model=anthropic/claude-sonnet-4-5" },
	  { FAIL("400 No", "Below the minimum token count to start caching."),
	    { JSON "{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\","
		   "\"content\":[{\"type\":\"text\",\"text\":\"Hello\"}],"
		   "\"stop_reason\":\"end_turn\"}", 0, CLOSE } },
	  2, 2, "\"messages\"", "cache_control", MT_ERROR_NONE },
	{ "too little for a cache, again",
	  { "llm.model=anthropic/claude-sonnet-4-5" },
	  { FAIL("400 No", "minimum token count to start caching") }, 1, 2,
	  "\"messages\"", "cache_control", MT_ERROR_BAD_REQUEST },
};

static void another_form(void)
{
	setenv("OPENAI_API_KEY", "key-of-a-test", 1);
	setenv("ANTHROPIC_API_KEY", "key-of-a-test", 1);
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		AUTO(llm_request) struct llm_request *q = ask("hi");
		struct error err = ERROR_NONE;

		begin(forms[i].answers, forms[i].count);
		if (open_models(forms[i].settings, &err)) {
			CHECK_MSG(0, "%s: %s", forms[i].name, err.text);
			end();
			continue;
		}
		send_one(q);
		CHECK_MSG((r.reply != NULL) == (forms[i].kind == MT_ERROR_NONE) &&
				  (r.reply || r.error.kind == forms[i].kind),
			  "%s: %s", forms[i].name,
			  r.reply ? r.reply->text : r.error.text);
		CHECK_MSG(server.next == forms[i].asked, "%s: asked %zu times",
			  forms[i].name, server.next);
		CHECK_MSG(strstr(server.request.text, forms[i].last), "%s: has %s",
			  forms[i].name, forms[i].last);
		CHECK_MSG(!forms[i].not || !strstr(server.request.text, forms[i].not ),
			  "%s: has no %s", forms[i].name, forms[i].not );
		end();
	}
}

/* ---- when to come back --------------------------------------------------- */

#define QUOTA(id, more)                                                                \
	{ HEAD("429 Too Many Requests", "application/json")                             \
	  "{\"error\":{\"code\":429,\"message\":\"You exceeded your current quota, please " \
	  "check your plan.\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"@type\":"   \
	  "\"type.googleapis.com/google.rpc.QuotaFailure\",\"violations\":[{\"quotaId\":"   \
	  "\"" id "\"}]}" more "]}}", 0, CLOSE }
#define RETRY_INFO                                                                     \
	",{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":"         \
	"\"34.4s\"}"

/* A limit of the minute is waited for as Gemini says, up to a tenth more; a quota
 * that is used up is not, at any provider. */
static const struct {
	const char *name, *model;
	struct answer answer;
	int kind;
	bool waits;
} quotas[] = {
	{ "as it was recorded", "llm.model=gemini/gemini-2.5-pro",
	  QUOTA("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", RETRY_INFO),
	  MT_ERROR_RATE_LIMIT, true },
	{ "the quota of the day", "llm.model=gemini/gemini-2.5-pro",
	  QUOTA("GenerateRequestsPerDayPerProjectPerModel-FreeTier", RETRY_INFO),
	  MT_ERROR_QUOTA, false },
	{ "no credit at OpenAI", "llm.model=openai/gpt-4.1",
	  { HEAD("429 No", "application/json")
	    "{\"error\":{\"message\":\"You exceeded your current quota\",\"type\":"
	    "\"insufficient_quota\",\"code\":\"insufficient_quota\"}}", 0, CLOSE },
	  MT_ERROR_QUOTA, false },
	{ "no credit at Anthropic", "llm.model=anthropic/claude-sonnet-4-5",
	  { HEAD("400 No", "application/json")
	    "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
	    "\"Your credit balance is too low to access the Anthropic API.\"}}", 0, CLOSE },
	  MT_ERROR_QUOTA, false },
};

/* The wait is cut short by a cancellation: it is half a minute. */
static void coming_back(void)
{
	for (size_t i = 0; i < ARRAY_LEN(quotas); i++) {
		const char *settings[] = { quotas[i].model, "llm.api_key_env=AGAIN_KEY",
					   NULL };
		AUTO(llm_request) struct llm_request *q = ask("hi");
		struct llm_exchange *x = NULL;
		struct error err = ERROR_NONE;

		begin(&quotas[i].answer, 1);
		result_clear(&r);
		CHECK_MSG(!open_models(settings, &err) &&
				  !llm_send(llm, q, 0, &bench_events, &r, NULL, &x, &err),
			  "%s: %s", quotas[i].name, err.text);
		while (!r.over && !r.retries && uv_run(&loop, UV_RUN_ONCE))
			;
		CHECK_MSG(r.error.kind == quotas[i].kind, "%s: %s", quotas[i].name,
			  r.error.text);
		CHECK_MSG(r.retries == quotas[i].waits && server.next == 1,
			  "%s: %zu waits", quotas[i].name, r.retries);
		CHECK_MSG(!quotas[i].waits ||
				  (r.last_wait_ms >= 34400 && r.last_wait_ms <= 37840),
			  "%s: waits %lld ms", quotas[i].name, (long long)r.last_wait_ms);
		if (!r.over)
			llm_cancel(x);
		end();
	}
}

/* ---- other models ---------------------------------------------------------- */

#define ONE "llm.model=one"
#define LIST "llm.fallback=two, three"
#define TWO "llm.two.model=two"
#define THREE "llm.three.model=three"
#define BUSY FAIL("503 No", "busy")

static const struct {
	const char *name, *settings[8];
	struct answer answers[8];
	size_t count, asked, retries, switches;
	const char *model;      /* that responded; NULL: none did */
	int kind;
} lists[] = {
	{ "the second answers", { ONE, LIST, TWO, THREE }, { BUSY, BUSY, WHOLE }, 3, 3,
	  1, 1, "two", 0 },
	{ "the third answers", { ONE, LIST, TWO, THREE },
	  { BUSY, BUSY, BUSY, BUSY, WHOLE }, 5, 5, 2, 2, "three", 0 },
	{ "no model answers", { ONE, LIST, TWO, THREE }, { BUSY }, 1, 6, 3, 2, NULL,
	  MT_ERROR_OVERLOADED },
	{ "the first answers", { ONE, LIST, TWO, THREE }, { BUSY, WHOLE }, 2, 2, 1, 0,
	  "one", 0 },
	{ "no credit", { ONE, LIST, TWO, THREE }, { FAIL("402 No", "pay"), WHOLE }, 2, 2,
	  0, 1, "two", 0 },
	{ "a wrong key is not transient", { ONE, LIST, TWO, THREE },
	  { FAIL("401 No", "key") }, 1, 1, 0, 0, NULL, MT_ERROR_AUTHENTICATION },
	{ "a list in a list counts for nothing",
	  { ONE, "llm.fallback=two", TWO, "llm.two.fallback=three", THREE }, { BUSY }, 1,
	  4, 2, 1, NULL, MT_ERROR_OVERLOADED },
	{ "an empty one, then another without its temperature",
	  { ONE, LIST, TWO, THREE }, { EMPTY, EMPTY, WHOLE }, 3, 3, 1, 1, "two", 0 },
};

static void check_bill(const char *name, const char *model)
{
	struct llm_usage_totals *bill = llm_models_usage(models);
	const struct llm_metrics *line = NULL;
	const char *who = llm_usage_totals_at(bill, 0, &line);

	CHECK_MSG(llm_usage_totals_sum(bill)->calls == 1 &&
			  llm_usage_totals_sum(bill)->input == 8,
		  "%s: the sum counts it", name);
	CHECK_MSG(who && strcmp(who, model) == 0 && line->output == 2,
		  "%s: it is on the bill of %s", name, model);
}

static void other_models(void)
{
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		AUTO(llm_request) struct llm_request *q = ask("hi");
		struct error err = ERROR_NONE;

		begin(lists[i].answers, lists[i].count);
		if (open_models(lists[i].settings, &err)) {
			CHECK_MSG(0, "%s: %s", lists[i].name, err.text);
			end();
			continue;
		}
		send_one(q);
		CHECK_MSG(r.reply ? lists[i].model &&
					    strcmp(r.reply->model, lists[i].model) == 0
				  : !lists[i].model && r.error.kind == lists[i].kind,
			  "%s: %s", lists[i].name,
			  r.reply ? r.reply->model : r.error.text);
		CHECK_MSG(server.next == lists[i].asked &&
				  r.retries == lists[i].retries &&
				  r.switches == lists[i].switches,
			  "%s: asked %zu times, %zu waits, %zu switches", lists[i].name,
			  server.next, r.retries, r.switches);
		if (lists[i].model && r.reply) {
			check_bill(lists[i].name, lists[i].model);
			CHECK(!strstr(server.request.text, "temperature"));
		}
		/* the next request begins with the first model again */
		server_say(&server, lists[1].answers + 4, 1);
		send_one(q);
		CHECK_STR(r.reply ? r.reply->model : r.error.text, "one");
		end();
	}
}

static void on_switch_cancel(void *arg, const struct llm_error *why,
			     const struct llm *next)
{
	struct llm_exchange **x = arg;

	(void)why, (void)next;
	llm_cancel(*x);
	*x = NULL;
}

static void never_done(void *arg, struct llm_reply *reply)
{
	(void)arg;
	llm_reply_free(reply);
	CHECK_MSG(0, "no reply after a cancellation");
}

static void never_failed(void *arg, const struct llm_error *error)
{
	(void)arg;
	CHECK_MSG(0, "no failure after a cancellation: %s", error->text);
}

/* Also from inside a callback. */
static void cancelled(void)
{
	static const struct answer busy[] = { BUSY };
	static const char *const settings[] = { ONE, LIST, TWO, THREE, NULL };
	static const struct llm_events events = { .switched = on_switch_cancel,
						  .done = never_done,
						  .failed = never_failed };
	AUTO(llm_request) struct llm_request *q = ask("hi");
	struct llm_exchange *x = NULL;
	struct error err = ERROR_NONE;

	begin(busy, 1);
	CHECK_MSG(!open_models(settings, &err), "%s", err.text);
	CHECK(llm && !llm_send(llm, q, 0, &events, &x, NULL, &x, &err));
	while (x && uv_run(&loop, UV_RUN_ONCE))
		;
	CHECK_MSG(!x && server.next == 2, "cancelled while the model was changed");
	end();
}

static void wrong_names(void)
{
	static const struct {
		const char *settings[5], *says;
	} cases[] = {
		{ { ONE, "llm.fallback=tow", TWO }, "unknown section [llm.tow]; did you "
						    "mean `two`?" },
		{ { ONE, "llm.fallback=missing" }, "unknown section [llm.missing]" },
		{ { ONE, "llm.fallback=two", "llm.two.model=moon/x",
		    "llm.two.base_url=" }, "unknown provider `moon`" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static const struct answer none[] = { BUSY };
		struct error err = ERROR_NONE;

		begin(none, 1);
		CHECK_MSG(open_models(cases[i].settings, &err) &&
				  strstr(err.text, cases[i].says),
			  "wrong: %s", err.text);
		end();
	}
}

/* ---- rules ------------------------------------------------------------------ */

static struct llm_request *asking(size_t bytes, bool image)
{
	struct llm_request *q = llm_request_new();
	struct llm_part *parts = calloc(2, sizeof *parts);
	char *text = calloc(1, bytes + 1);

	memset(text, 'x', bytes);
	parts[0] = (struct llm_part){ .text = text, .len = bytes };
	parts[1] = (struct llm_part){ .mime = "image/png", .text = "\x89PNG", .len = 4 };
	llm_request_own(q, parts);
	llm_request_own(q, text);
	llm_request_add(q, &(struct llm_message){ .role = MT_ROLE_USER, .parts = parts,
						  .part_count = image ? 2 : 1 });
	return q;
}

static void rules(void)
{
	static const char *const settings[] = {
		ONE, TWO, THREE, "llm.four.model=four",
		"router.r.rules=images: two,tokens > 2000 : three, condensing:four", NULL
	};
	static const struct {
		size_t bytes;
		bool image;
		enum llm_purpose purpose;
		const char *model;
	} cases[] = {
		{ 10, false, LLM_FOR_AGENT, "one" },
		{ 10, true, LLM_FOR_AGENT, "two" },
		{ 10, true, LLM_FOR_CONDENSING, "two" },
		{ 7996, false, LLM_FOR_AGENT, "one" },
		{ 8000, false, LLM_FOR_AGENT, "three" },
		{ 8000, false, LLM_FOR_CONDENSING, "three" },
		{ 10, false, LLM_FOR_CONDENSING, "four" },
	};
	static const struct answer none[] = { BUSY };
	struct llm_router *router = NULL;
	struct error err = ERROR_NONE;

	begin(none, 1);
	CHECK(!open_models(settings, &err));
	CHECK_MSG(!llm_router_open(models, config, "r", &router, &err), "%s", err.text);
	for (size_t i = 0; router && i < ARRAY_LEN(cases); i++) {
		AUTO(llm_request)
		struct llm_request *q = asking(cases[i].bytes, cases[i].image);

		CHECK_STR(llm_name(llm_router_choose(router, q, cases[i].purpose, llm)),
			  cases[i].model);
		CHECK_STR(llm_name(llm_router_choose(NULL, q, cases[i].purpose, llm)),
			  "one");
	}
	llm_router_free(router);
	end();
}

/* Token counts of the provider of the model apply to its rules. */
static void rules_learn(void)
{
	static const struct answer half[] = {
		{ JSON "{\"choices\":[{\"message\":{\"content\":\"Hello\"},"
		       "\"finish_reason\":\"stop\"}],\"usage\":"
		       "{\"prompt_tokens\":2000,\"completion_tokens\":2}}", 0, CLOSE }
	};
	static const char *const settings[] = {
		ONE, THREE, "core.state_dir=/dev/null/nowhere",
		"router.r.rules=tokens > 1500: three", NULL
	};
	AUTO(llm_request) struct llm_request *q = asking(4000, false);
	struct llm_router *router = NULL;
	struct error err = ERROR_NONE;

	begin(half, 1);
	CHECK(!open_models(settings, &err));
	CHECK_MSG(!llm_router_open(models, config, "r", &router, &err), "%s", err.text);
	CHECK_STR(llm_name(llm_router_choose(router, q, LLM_FOR_AGENT, llm)), "one");
	send_one(q);
	CHECK_STR(llm_name(llm_router_choose(router, q, LLM_FOR_AGENT, llm)), "three");
	llm_router_free(router);
	end();
}

static void wrong_rules(void)
{
	static const struct {
		const char *name, *rules, *says; /* NULL: none is wanted */
	} cases[] = {
		{ "", NULL, NULL },
		{ "noop", NULL, NULL },
		{ "rr", "images: two", "unknown section [router.rr]" },
		{ "other", "images: two", "unknown section [router.other]" },
		{ "r", "", "has no rules" },
		{ "r", "images", "has no model" },
		{ "r", "images:", "has no model" },
		{ "r", "images: tow", "did you mean `two`?" },
		{ "r", "image: two", "did you mean `images`?" },
		{ "r", "moon: two", "unknown condition" },
		{ "r", "images > 3: two", "unknown condition" },
		{ "r", "tokens: two", "tokens > N" },
		{ "r", "tokens > many: two", "tokens > N" },
		{ "r", "tokens > -1: two", "tokens > N" },
		{ "r", "tokens > 99999999999999999999: two", "tokens > N" },
	};
	static const struct answer none[] = { BUSY };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char rule[128];
		const char *settings[] = { ONE, TWO, cases[i].rules ? rule : NULL, NULL };
		struct llm_router *router = NULL;
		struct error err = ERROR_NONE;

		snprintf(rule, sizeof rule, "router.r.rules=%s",
			 cases[i].rules ? cases[i].rules : "");
		begin(none, 1);
		CHECK_MSG(!open_models(settings, &err), "%s", err.text);
		llm_router_open(models, config, cases[i].name, &router, &err);
		CHECK_MSG(!router && (cases[i].says ? !!strstr(err.text, cases[i].says)
						    : err.code == 0),
			  "`%s`: %s", cases[i].rules ? cases[i].rules : "", err.text);
		end();
	}
}

static int wired(struct error *err)
{
	struct llm_usage usage = { 1, 1, -1, -1, -1, 0.5 };
	struct llm_models *m = NULL;
	struct llm_router *router = NULL;
	struct llm *one;
	int status = llm_models_new(&loop, config, registry, NULL, &m, err);

	if (!status)
		status = llm_models_get(m, NULL, NULL, "test", &one, err);
	if (!status)
		status = llm_router_open(m, config, "r", &router, err);
	if (m)
		llm_usage_totals_add(llm_models_usage(m), "one", &usage, 1);
	if (m && llm_usage_totals_sum(llm_models_usage(m))->calls != 1)
		status = MT_EINVAL;
	llm_router_free(router);
	llm_models_free(m);
	uv_run(&loop, UV_RUN_DEFAULT);
	return status;
}

/* Whatever is missing: an error that says so, and nothing is left over. */
static void without_memory(void)
{
	static const struct answer none[] = { BUSY };
	static const char *const settings[] = { ONE, LIST, TWO, THREE,
						"router.r.rules=images: two", NULL };
	struct error err = ERROR_NONE;
	size_t runs = 0;
	int status = MT_EINVAL;
	bool right = true;

	begin(none, 1);
	CHECK(!open_models(settings, &err));
	OOM_EACH(err = ERROR_NONE; status = wired(&err); runs++;
		 if (status && status != MT_ENOMEM) {
			 printf("# %d: %s\n", status, err.text);
			 right = false;
		 });
	CHECK_MSG(right && !status && runs > 20, "without memory in %zu ways: %s", runs,
		  err.text);
	end();
}

/* ---- kinds of errors --------------------------------------------------------- */

static const struct {
	int status;
	const char *text;
	int kind;
} told[] = {
	{ 401, "no", MT_ERROR_AUTHENTICATION },
	{ 403, "no", MT_ERROR_AUTHENTICATION },
	{ 400, "Invalid API key provided", MT_ERROR_AUTHENTICATION },
	{ 400, "missing api key", MT_ERROR_AUTHENTICATION },
	{ 402, "pay", MT_ERROR_QUOTA },
	{ 400, "ExceededBudget: over the limit", MT_ERROR_QUOTA },
	{ 429, "You exceeded your current quota, insufficient_quota", MT_ERROR_QUOTA },
	{ 429, "slow down", MT_ERROR_RATE_LIMIT },
	{ 404, "", MT_ERROR_NOT_FOUND },
	{ 408, "", MT_ERROR_TIMEOUT },
	{ 504, "", MT_ERROR_TIMEOUT },
	{ 502, "", MT_ERROR_OVERLOADED },
	{ 503, "", MT_ERROR_OVERLOADED },
	{ 529, "", MT_ERROR_OVERLOADED },
	{ 500, "", MT_ERROR_INTERNAL },
	{ 418, "", MT_ERROR_BAD_REQUEST },
	{ 200, "", MT_ERROR_MALFORMED },
	{ 413, "", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "ContextWindowExceededError: x", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "prompt is too long: 3 tokens > 2 maximum", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "input length and `max_tokens` exceed context limit: 9",
	  MT_ERROR_CONTEXT_WINDOW },
	{ 400, "Please reduce the length of the messages", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "it exceeds the available context size", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "context length exceeded", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "SambaNovaException: maximum context length is 4096",
	  MT_ERROR_CONTEXT_WINDOW },
	{ 400, "Your input exceeds the context window of this model",
	  MT_ERROR_CONTEXT_WINDOW },
	{ 400, "context window exceeds limit (2013)", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "Input is too long for requested model.", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "The input token count (9) exceeds the maximum number of tokens allowed "
	       "(8).", MT_ERROR_CONTEXT_WINDOW },
	{ 400, "content_policy_violation", MT_ERROR_CONTENT_POLICY },
	{ 400, "Output blocked by content filtering policy", MT_ERROR_CONTENT_POLICY },
	{ 400, "`tool_use` ids were found without `tool_result` blocks immediately "
	       "after: x", MT_ERROR_HISTORY },
	{ 400, "unexpected `tool_use_id` found in `tool_result` blocks: x",
	  MT_ERROR_HISTORY },
	{ 400, "An assistant message with 'tool_calls' must be followed by tool messages "
	       "responding to each 'tool_call_id'.", MT_ERROR_HISTORY },
	{ 400, "Failed to parse tool call arguments as JSON", MT_ERROR_HISTORY },
};

/* The name of each kind, the text for the user, and whether it is transient. */
static const struct {
	int kind;
	const char *name, *todo;
	bool passing;
} kinds[] = {
	{ MT_ERROR_AUTHENTICATION, "authentication", "set api_key_env", false },
	{ MT_ERROR_RATE_LIMIT, "rate_limit", "wait, or choose", true },
	{ MT_ERROR_QUOTA, "quota", "top it up", false },
	{ MT_ERROR_OVERLOADED, "overloaded", "try again later", true },
	{ MT_ERROR_CONTEXT_WINDOW, "context_window", "condense it", false },
	{ MT_ERROR_CONTENT_POLICY, "content_policy", "rephrase the task",
	  false },
	{ MT_ERROR_BAD_REQUEST, "bad_request", "mortise config show", false },
	{ MT_ERROR_NETWORK, "network", "check the network", true },
	{ MT_ERROR_TIMEOUT, "timeout", "raise timeout", true },
	{ MT_ERROR_MALFORMED, "malformed", "try again", true },
	{ MT_ERROR_NOT_FOUND, "not_found", "check model", false },
	{ MT_ERROR_INTERNAL, "internal", "try again later", true },
	{ MT_ERROR_HISTORY, "history", "condense it", false },
};

static void error_kinds(void)
{
	static const struct answer none[] = { BUSY };
	static const char *const settings[] = { ONE, NULL };
	struct error err = ERROR_NONE;

	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		CHECK_MSG(llm_error_by_status(told[i].status, told[i].text) ==
				  told[i].kind,
			  "%d `%s` is %s, got %s", told[i].status, told[i].text,
			  llm_error_name(told[i].kind),
			  llm_error_name(
				  llm_error_by_status(told[i].status, told[i].text)));
	begin(none, 1);
	CHECK(!open_models(settings, &err));
	for (size_t i = 0; llm && i < ARRAY_LEN(kinds); i++) {
		struct llm_error e = { .kind = kinds[i].kind };

		llm_error_describe(llm, &e, "why");
		CHECK_STR(llm_error_name(kinds[i].kind), kinds[i].name);
		CHECK_MSG(strstr(e.text, "why; ") && strstr(e.text, kinds[i].todo), "%s",
			  e.text);
		CHECK_MSG(llm_error_is_transient(kinds[i].kind, 0) == kinds[i].passing,
			  "%s passes: %s", kinds[i].name,
			  kinds[i].passing ? "yes" : "no");
	}
	end();
}

int main(void)
{
	setenv("AGAIN_KEY", "key-of-a-test", 1);
	another_form();
	coming_back();
	other_models();
	cancelled();
	wrong_names();
	rules();
	rules_learn();
	wrong_rules();
	without_memory();
	error_kinds();
	return tap_done();
}
