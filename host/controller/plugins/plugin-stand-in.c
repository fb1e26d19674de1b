/* SPDX-License-Identifier: MIT
 *
 * plugin-stand-in.c - stand-ins for functions of agents, condensers and analyzers:
 * each runs the function of the plugin in a forked copy. */
#include "controller/plugins/plugin-stand-in.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/plugins/analyzer-out.h"
#include "controller/plugins/analyzer-subject.h"
#include "controller/plugins/plugin-copy.h"
#include "controller/plugins/plugin-fork.h"
#include "controller/plugins/plugin-host.h"
#include "controller/plugins/plugin-http.h"
#include "controller/plugins/plugin-view.h"
#include "controller/turn.h"

#include <mortise/condenser.h>

#include <stdlib.h>

/* The stand-ins for the functions of a component. */
struct plugin_stand_in {
	union {
		struct mt_agent agent;
		struct mt_condenser condenser;
		struct mt_analyzer analyzer;
	} functions;
	struct plugin_fork fork;
};

static int run_in_copy(struct mt_ctx *x, const struct plugin_call *call, void *arg)
{
	return plugin_fork_call(x, call, &x->part->stand_in->fork, arg);
}

/* ---- the next call of `advance` ------------------------------------------------------- */

static struct mt_str stand_in_given(struct mt_str s)
{
	return (struct mt_str){ s.ptr ? s.ptr : "", s.len };
}

/* The data that a waiting copy needs for a call. A view without events is always written,
 * because asking for it costs more. */
static int write_news(const struct mt_ctx *x, const void *arg, bool view,
		      struct strbuf *out, struct error *err)
{
	const struct mt_in *in = arg;
	const struct llm_reply *reply = (const struct llm_reply *)in->reply;
	AUTO(json) json_object *record = reply ? llm_reply_json(reply) : NULL;
	AUTO(json) json_object *http =
		in->http ? plugin_http_result_json(in->http) : NULL;
	AUTO(strbuf) struct strbuf events = STRBUF(JOURNAL_MAX);
	struct journal_entry e = { .type = JOURNAL_NEWS, .a = in->what, .b = in->error };
	int r = MT_OK;

	e.text[NEWS_STATE] = stand_in_given(in->state);
	e.text[NEWS_BODY] = in->body;
	if (record)
		e.text[NEWS_REPLY].ptr = js_text(record, &e.text[NEWS_REPLY].len);
	if (http)
		e.text[NEWS_BODY].ptr = js_text(http, &e.text[NEWS_BODY].len);
	if ((reply && !e.text[NEWS_REPLY].ptr) || (http && !e.text[NEWS_BODY].ptr))
		r = MT_ENOMEM;
	if (!r && (view || !x->view_count)) {
		r = plugin_view_write(x, &events);
		e.text[NEWS_VIEW] = (struct mt_str){ events.text, events.len };
	}
	r = r ? r : journal_put(out, &e);
	return r ? fail_code(err, r) : MT_OK;
}

static int stand_in_take_reply(struct mt_ctx *x, struct mt_str text,
			       struct llm_reply **ret)
{
	AUTO(json) json_object *record = js_parse_object(text.ptr, text.len, &x->error);

	*ret = record ? llm_reply_from_json(record, &x->error) : NULL;
	return *ret ? MT_OK : x->error.code;
}

/* In the copy: the result of an HTTP request, which `in` borrows from `http`. */
static int take_http(struct mt_ctx *x, struct mt_str text, struct plugin_http_input *http,
		     struct mt_in *in)
{
	json_object *result = js_parse_object(text.ptr, text.len, &x->error);

	if (!result)
		return x->error.code;
	plugin_http_input(http, result);
	in->http = &http->result;
	in->body = (struct mt_str){ 0 };
	return MT_OK;
}

/* In the copy: what `advance` gets. The caller frees `http->json` and `*ret_reply`, from
 * which `ret` borrows. */
static void take_news(struct mt_ctx *x, const struct journal_entry *news,
		      struct plugin_http_input *http, struct mt_in *ret,
		      struct llm_reply **ret_reply)
{
	*ret_reply = NULL;
	http->json = NULL;
	*ret = (struct mt_in){
		.size = sizeof *ret, .what = (uint32_t)news->a,
		.error = (uint32_t)news->b, .effect = news->a != MT_START,
		.state = news->text[NEWS_STATE], .body = news->text[NEWS_BODY],
	};
	if (news->text[NEWS_REPLY].ptr &&
	    stand_in_take_reply(x, news->text[NEWS_REPLY], ret_reply))
		plugin_copy_give_up(x);
	ret->reply = (const struct mt_reply *)*ret_reply;
	if (news->a == MT_HTTP_DONE && ret->body.ptr &&
	    take_http(x, ret->body, http, ret))
		plugin_copy_give_up(x);
}

/* ---- agents --------------------------------------------------------------------------- */

#define ALLOW_REQUEST                                                                   \
	(JOURNAL_BIT(PROMPT) | JOURNAL_BIT(REQUEST) | JOURNAL_BIT(HISTORY) |            \
	 JOURNAL_BIT(REQUEST_MESSAGE) | JOURNAL_BIT(TOOL) | JOURNAL_BIT(SET) |          \
	 JOURNAL_BIT(DEFINE_TOOL) | JOURNAL_BIT(MEDIA) | JOURNAL_BIT(SEND) |            \
	 JOURNAL_BIT(HTTP) | JOURNAL_BIT(KEEP))
#define ALLOW_VIEW (JOURNAL_BIT(VIEW) | JOURNAL_BIT(RECALL))

static int call_system(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_agent *f = functions;
	struct mt_str text = { "", 0 };
	int r = f->system(plugin_copy_host(), x, &text);

	(void)arg;
	return r ? r : plugin_copy_system(x, text);
}

static int agent_system(const struct mt_host *host, struct mt_ctx *x,
			struct mt_str *ret_text)
{
	static const struct plugin_call call = {
		.function = "system", .call = call_system,
		.allowed = JOURNAL_BIT(PROMPT) | JOURNAL_BIT(SYSTEM),
	};

	(void)host;
	return run_in_copy(x, &call, ret_text);
}

static int call_agent(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_agent *f = functions;

	return f->advance(plugin_copy_host(), plugin_copy_agent_out(), x, arg);
}

static int call_agent_next(struct mt_ctx *x, const void *functions,
			   const struct journal_entry *news)
{
	struct plugin_http_input http;
	struct mt_in in;
	struct llm_reply *reply;
	int r = MT_OK;

	take_news(x, news, &http, &in, &reply);
	turn_clear(x->c);
	if (reply)
		r = turn_set_reply(x->c, reply, &x->error);
	r = r ? r : call_agent(x, functions, &in);
	json_object_put(http.json);
	return r;
}

static int agent_advance(const struct mt_host *host, const struct mt_agent_out *out,
			 struct mt_ctx *x, const struct mt_in *in)
{
	static const struct plugin_call call = {
		.function = "advance", .call = call_agent,
		.next = call_agent_next, .news = write_news,
		.allowed = ALLOW_REQUEST | JOURNAL_BIT(CALL) | JOURNAL_BIT(ACTION) |
			   JOURNAL_BIT(MESSAGE) | JOURNAL_BIT(REPORT) | ALLOW_VIEW,
	};

	(void)host, (void)out;
	return run_in_copy(x, &call, (struct mt_in *)in);
}

static void stand_in_agent(struct plugin_stand_in *f, const struct component *c)
{
	f->functions.agent =
		(struct mt_agent){ .size = sizeof f->functions.agent,
				   .flags = (uint32_t)js_int(component_data(c), "flags", 0),
				   .tools = js_str(component_data(c), "tools", NULL),
				   .system = agent_system,
				   .advance = agent_advance };
}

/* ---- condensers ------------------------------------------------------------------------ */

static int call_condenser(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_condenser *f = functions;

	return f->advance(plugin_copy_host(), plugin_copy_condenser_out(), x, arg);
}

static int call_condenser_next(struct mt_ctx *x, const void *functions,
			       const struct journal_entry *news)
{
	struct plugin_http_input http;
	struct mt_in in;
	struct llm_reply *reply;
	int r;

	take_news(x, news, &http, &in, &reply);
	r = call_condenser(x, functions, &in);
	json_object_put(http.json);
	llm_reply_free(reply);
	return r;
}

static int condenser_advance(const struct mt_host *host,
			     const struct mt_condenser_out *out, struct mt_ctx *x,
			     const struct mt_in *in)
{
	static const struct plugin_call call = {
		.function = "advance", .call = call_condenser,
		.next = call_condenser_next, .news = write_news,
		.allowed = ALLOW_REQUEST | ALLOW_VIEW | JOURNAL_BIT(DROP) |
			   JOURNAL_BIT(MASK) | JOURNAL_BIT(FORGET) | JOURNAL_BIT(PINS) |
			   JOURNAL_BIT(CUTS) | JOURNAL_BIT(TOKENS) | JOURNAL_BIT(WINDOW),
	};

	(void)host, (void)out;
	return run_in_copy(x, &call, (struct mt_in *)in);
}

static int call_check(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_condenser *f = functions;

	(void)arg;
	return f->check(plugin_copy_host(), x);
}

static int condenser_check(const struct mt_host *host, struct mt_ctx *x)
{
	static const struct plugin_call call = { .function = "check",
						 .call = call_check };

	(void)host;
	return run_in_copy(x, &call, NULL);
}

static void stand_in_condenser(struct plugin_stand_in *f, const struct component *c)
{
	bool check = js_bool(component_data(c), "check", false);

	f->functions.condenser =
		(struct mt_condenser){ .size = sizeof f->functions.condenser,
				       .advance = condenser_advance,
				       .check = check ? condenser_check : NULL };
}

/* ---- analyzers ------------------------------------------------------------------------- */

static int call_analyzer(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_analyzer *f = functions;
	int r = plugin_copy_open_analyzer(x, f);

	if (!r)
		r = f->advance(plugin_copy_host(), plugin_copy_analyzer_out(), x, arg);
	return !r && x->trial->unread ? MT_ENOMEM : r;
}

/* The data that a waiting copy of an analyzer needs for a call. */
static int write_subject(const struct mt_ctx *x, const void *arg, bool view,
			 struct strbuf *out, struct error *err)
{
	AUTO(json) json_object *subject = analyzer_subject_json(x->trial->subject);
	struct journal_entry e = { .type = JOURNAL_NEWS };
	int r = MT_ENOMEM;

	(void)arg, (void)view;
	e.text[NEWS_STATE].ptr = js_text(subject, &e.text[NEWS_STATE].len);
	if (e.text[NEWS_STATE].ptr && !js_failed(subject))
		r = journal_put(out, &e);
	return r ? fail_code(err, r) : MT_OK;
}

static int call_analyzer_next(struct mt_ctx *x, const void *functions,
			      const struct journal_entry *news)
{
	const struct mt_str text = news->text[NEWS_STATE];
	AUTO(json) json_object *json = js_parse_object(text.ptr, text.len, &x->error);
	AUTO(event) struct event *event = NULL;
	struct mt_in in = { .size = sizeof in, .what = MT_START };
	struct subject subject;
	struct trial trial = { .subject = &subject };
	int r;

	if (!json || analyzer_subject_read(json, &subject, &event, &x->error) ||
	    analyzer_collect_leaves(&trial))
		plugin_copy_give_up(x);
	x->trial = &trial;
	r = call_analyzer(x, functions, &in);
	x->trial = NULL;
	free(trial.leaves);
	return r;
}

static int analyzer_advance(const struct mt_host *host, const struct mt_analyzer_out *out,
			    struct mt_ctx *x, const struct mt_in *in)
{
	static const struct plugin_call call = {
		.function = "advance", .call = call_analyzer,
		.next = call_analyzer_next, .news = write_subject,
		.allowed = JOURNAL_BIT(VERDICT),
	};

	(void)host, (void)out;
	return run_in_copy(x, &call, (struct mt_in *)in);
}

static int call_open(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_analyzer *f = functions;
	void *instance = NULL;

	(void)arg;
	return f->open(plugin_copy_host(), plugin_copy_analyzer_out(), x, &instance);
}

/* Check its options. The copy that makes the first call opens it again. */
static int analyzer_open(const struct mt_host *host, const struct mt_analyzer_out *out,
			 struct mt_ctx *x, void **ret_instance)
{
	static const struct plugin_call call = { .function = "open", .call = call_open };

	(void)host, (void)out;
	*ret_instance = NULL;
	return run_in_copy(x, &call, NULL);
}

static int call_rules(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_analyzer *f = functions;
	int r = plugin_copy_open_analyzer(x, f);

	(void)arg;
	return r ? r : f->rules(plugin_copy_host(), plugin_copy_analyzer_out(), x);
}

static int analyzer_rules(const struct mt_host *host, const struct mt_analyzer_out *out,
			  struct mt_ctx *x)
{
	static const struct plugin_call call = { .function = "rules", .call = call_rules,
						 .allowed = JOURNAL_BIT(RULE) };

	(void)host, (void)out;
	return run_in_copy(x, &call, NULL);
}

static void stand_in_analyzer(struct plugin_stand_in *f, const struct component *c)
{
	f->functions.analyzer = (struct mt_analyzer){
		.size = sizeof f->functions.analyzer,
		.flags = (uint32_t)js_int(component_data(c), "flags", 0),
		.advance = analyzer_advance,
		.open = js_bool(component_data(c), "open", false) ? analyzer_open : NULL,
		.rules = js_bool(component_data(c), "rules", false) ? analyzer_rules : NULL,
	};
}

/* ---- by kind --------------------------------------------------------------------------- */

static void (*const kinds[])(struct plugin_stand_in *f, const struct component *c) = {
	[MT_KIND_AGENT] = stand_in_agent,
	[MT_KIND_CONDENSER] = stand_in_condenser,
	[MT_KIND_ANALYZER] = stand_in_analyzer,
};

bool plugin_stand_in_can(int kind)
{
	return kind > 0 && (size_t)kind < ARRAY_LEN(kinds) && kinds[kind];
}

struct plugin_stand_in *plugin_stand_in_open(const struct component *component)
{
	struct plugin_stand_in *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	plugin_fork_open(&f->fork, component);
	kinds[component->kind](f, component);
	return f;
}

struct plugin_stand_in *plugin_stand_in_free(struct plugin_stand_in *f)
{
	if (f)
		plugin_fork_close(&f->fork);
	free(f);
	return NULL;
}

void plugin_stand_in_end_wait(struct plugin_stand_in *f)
{
	if (f)
		plugin_fork_end_wait(&f->fork);
}

const void *plugin_stand_in_functions(const struct plugin_stand_in *f)
{
	return f ? &f->functions : NULL;
}
