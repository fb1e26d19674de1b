/* SPDX-License-Identifier: MIT
 *
 * plugin-answer.c - answers the questions of a plugin in a forked copy, which cannot open
 * files, and has no data but that of the log. */
#include "controller/plugins/plugin-answer.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/plugins/plugin-host.h"
#include "controller/plugins/plugin-view.h"

#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

#include <string.h>

typedef int answer_fn(struct mt_ctx *x, const struct journal_entry *e,
		      struct strbuf *text, struct error *err);

static int answer_prompt(struct mt_ctx *x, const struct journal_entry *e,
			 struct strbuf *text, struct error *err)
{
	struct error kept = x->error;
	struct mt_str rendered = { "", 0 };
	int r;

	x->error = ERROR_NONE;
	r = plugin_host()->prompt(x, e->text[0].ptr, e->text[1], &rendered);
	*err = x->error;
	x->error = kept;
	if (r)
		return r;
	r = strbuf_addn(text, rendered.ptr, rendered.len);
	free(x->texts[--x->text_count]); /* the rendered text */
	return r;
}

static int answer_blob(struct mt_ctx *x, const struct journal_entry *e,
		       struct strbuf *text, struct error *err)
{
	AUTO(free) char *bytes = NULL;
	size_t len = 0, max = e->a > 0 && e->a < JOURNAL_MAX ? (size_t)e->a : JOURNAL_MAX;
	int r = MT_ENOTFOUND;

	if (x->c && x->c->log)
		r = evlog_blob_read(x->c->log, e->text[0].ptr, max, &bytes, &len, NULL,
				    err);
	return r == MT_EIO ? MT_EINVAL : r ? r : strbuf_addn(text, bytes, len);
}

static int plugin_answer_view(struct mt_ctx *x, const struct journal_entry *e,
			      struct strbuf *text, struct error *err)
{
	(void)e, (void)err;
	return plugin_view_write(x, text);
}

/* Recalled context is rendered from templates, which are files. */
static int answer_recall(struct mt_ctx *x, const struct journal_entry *e,
			 struct strbuf *text, struct error *err)
{
	const struct evlog_head *head = evlog_head(x->c->log, e->a);
	AUTO(event) struct event *event = NULL;
	AUTO(free) char *recalled = NULL;

	if (!head || head->type->id != OBSERVATION_RECALL)
		return MT_EINVAL;
	event = evlog_event(x->c->log, e->a, err);
	if (event)
		recalled = FEATURES_ASK(observation_text, x->c, event);
	return recalled ? strbuf_add(text, recalled) : MT_ENOTFOUND;
}

static int answer_flags(struct mt_ctx *x, const unsigned char *flags, struct strbuf *text)
{
	return flags ? strbuf_addn(text, (const char *)flags, x->view_count + 1)
		     : MT_ENOMEM;
}

static int answer_pins(struct mt_ctx *x, const struct journal_entry *e,
		       struct strbuf *text, struct error *err)
{
	(void)e, (void)err;
	return answer_flags(x, plugin_view_pins(x), text);
}

static int answer_cuts(struct mt_ctx *x, const struct journal_entry *e,
		       struct strbuf *text, struct error *err)
{
	(void)e, (void)err;
	return answer_flags(x, plugin_view_cuts(x), text);
}

/* Use the events as the copy has masked them. */
static int answer_tokens(struct mt_ctx *x, const struct journal_entry *e,
			 struct strbuf *text, struct error *err)
{
	struct view_item *own = x->view;
	AUTO(free) struct view_item *masked = malloc((x->view_count + 1) * sizeof *own);
	int64_t tokens = -1;
	int r;

	(void)err;
	if (!masked)
		return MT_ENOMEM;
	if (x->view_count)
		memcpy(masked, own, x->view_count * sizeof *own);
	r = plugin_view_read_texts(masked, x->view_count, e->text[0]);
	if (r)
		return r;
	x->view = masked;
	tokens = plugin_view_tokens(x);
	x->view = own;
	return strbuf_addn(text, (const char *)&tokens, sizeof tokens);
}

static int answer_window(struct mt_ctx *x, const struct journal_entry *e,
			 struct strbuf *text, struct error *err)
{
	const int64_t tokens = plugin_condenser_out()->window_tokens(x);

	(void)e, (void)err;
	return strbuf_addn(text, (const char *)&tokens, sizeof tokens);
}

static answer_fn *const answers[JOURNAL_TYPES] = {
	[JOURNAL_PROMPT] = answer_prompt, [JOURNAL_BLOB] = answer_blob,
	[JOURNAL_VIEW] = plugin_answer_view,     [JOURNAL_RECALL] = answer_recall,
	[JOURNAL_PINS] = answer_pins,     [JOURNAL_CUTS] = answer_cuts,
	[JOURNAL_TOKENS] = answer_tokens, [JOURNAL_WINDOW] = answer_window,
};

bool plugin_answer_can(uint32_t type)
{
	return answers[type] != NULL;
}

int plugin_answer(struct mt_ctx *x, const struct journal_entry *question,
		  struct strbuf *text, struct error *err)
{
	return answers[question->type](x, question, text, err);
}
