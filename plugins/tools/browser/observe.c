/* SPDX-License-Identifier: MIT
 *
 * observe.c - captures a page: its frames, boxes and accessibility trees become one
 * tree. It does not run anything in the page. */
#include "look.h"
#include "clock.h"
#include "outline.h"
#include "utf8.h"
#include <string.h>

enum {
	FOUND_MAX = 50,
	FIND_MAX = 4 << 20,
	BUSY_MS = 10000,
	LOADING_MS = 3000,
	ADDRESS_SHOWN = 2000
};

static const struct ax_mark *observe_find_mark(void *arg, const char *bid)
{
	struct element *e = element_by_bid(arg, bid);

	return e ? &e->mark : NULL;
}

static void add_line(struct strbuf *out, const char *line, size_t len)
{
	if (out->len)
		strbuf_addc(out, '\n');
	strbuf_addn(out, line, len);
}

/* Keep the lines of a tree that contain a text, and the adjacent lines. */
static int keep_found(struct strbuf *tree, const char *text, size_t *ret_found)
{
	AUTO(strbuf) struct strbuf all = *tree;
	const char *skipped = NULL; /* the previous line, if not kept */
	bool after = false, gap = false;
	size_t found = 0;

	*tree = STRBUF(all.max);
	for (const char *at = all.text, *end = at + all.len; at < end;) {
		size_t len = strcspn(at, "\n");
		AUTO(free) char *line = strndup(at, len);
		bool holds = line && strcasestr(line, text) && found++ < FOUND_MAX;

		if (!line)
			return MT_ENOMEM;
		if (holds && gap)
			add_line(tree, "...", 3);
		if (holds && skipped)
			add_line(tree, skipped, (size_t)(at - skipped) - 1);
		if (holds || after)
			add_line(tree, line, len);
		gap = !holds && !after && tree->len && (gap || skipped);
		skipped = holds || after ? NULL : at;
		after = holds;
		at += len + 1;
	}
	if (found > FOUND_MAX)
		strbuf_addf(tree, "\n[and %zu more]", found - FOUND_MAX);
	*ret_found = found;
	return tree->error;
}

/* URL of the page; borrowed. */
static const char *url_of(const struct look *l)
{
	json_object *strings = list_at(l->snapshot, "strings");
	int64_t n = js_int(l->documents[0].json, "documentURL", -1);

	return n >= 0 && (size_t)n < js_length(strings)
		       ? json_object_get_string(
				 json_object_array_get_idx(strings, (size_t)n))
		       : NULL;
}

static int put_tree(struct look *l, struct observation *o)
{
	AUTO(json) json_object *tree = browser_json("nodes", 'o', l->nodes, NULL);
	struct outline_options options = { .url = url_of(l),
					   .long_lists = l->view->find != NULL };
	int status = MT_ELIMIT;

	l->nodes = NULL;
	if (!tree || js_failed(tree))
		return out_of_memory(l->err);
	o->tree = STRBUF(l->view->find ? FIND_MAX : l->b->config.tree_max);
	/* If a page is too long to show completely, its visible part is more useful than
	 * its beginning. */
	for (o->whole = l->view->whole || l->view->find;; o->whole = false) {
		options.visible_only = !o->whole;
		strbuf_reset(&o->tree);
		status = outline_put(&o->tree, tree, &options, observe_find_mark, l->b,
				     &o->unseen, l->err);
		if (status != MT_ELIMIT || !o->whole)
			break;
	}
	o->cut = status == MT_ELIMIT;
	if (l->view->find && (!status || o->cut))
		return keep_found(&o->tree, l->view->find, &o->found);
	return o->cut ? MT_OK : status;
}

/* Forget the bids if this is not the page captured before. */
static int same_page(struct look *l)
{
	AUTO(json) json_object *tree = NULL;
	int status = page_call(l->b, "Page.getFrameTree", browser_json(NULL), l->wait,
			       &tree, l->err);
	json_object *frame = js_path(tree, "frameTree.frame");
	const char *loader = js_str(frame, "loaderId", "");

	if (!status && strcmp(loader, l->b->loader) != 0) {
		elements_clear(l->b);
		snprintf(l->b->loader, sizeof l->b->loader, "%s", loader);
	}
	for (size_t i = 0; i < l->b->element_count; i++)
		l->b->elements[i].shown = false;
	return status;
}

static char *observe_shortened(const char *url)
{
	size_t len = strlen(url), n = utf8_cut(url, len, ADDRESS_SHOWN);
	char *text;

	return asprintf(&text, "%.*s%s", (int)n, url, n < len ? "..." : "") < 0 ? NULL
										: text;
}

static int list_tabs(struct browser *b, const struct cdp_wait *wait,
		     struct observation *o, struct error *err)
{
	AUTO(json) json_object *targets = NULL;
	int status = cdp_call(b->cdp, "", "Target.getTargets", browser_json(NULL), wait,
			      &targets, err);
	json_object *list = list_at(targets, "targetInfos");

	o->tab_count = b->tab_count;
	o->active = b->active;
	for (size_t i = 0; i < js_length(list); i++) {
		json_object *info = json_object_array_get_idx(list, i);

		for (size_t t = 0; t < b->tab_count; t++) {
			if (strcmp(b->tabs[t].target, js_str(info, "targetId", "")) != 0)
				continue;
			free(o->tabs[t]);
			o->tabs[t] = observe_shortened(js_str(info, "url", ""));
			if (t == b->active && !o->url) {
				o->url = observe_shortened(js_str(info, "url", ""));
			}
		}
	}
	return status;
}

/* Report the part of the page that is in the window. */
static void tell_extent(const struct look *l, struct observation *o)
{
	json_object *page = l->documents[0].json;

	o->top = js_number(page, "scrollOffsetY", 0);
	o->view_height = l->b->config.chrome.height;
	o->height = js_number(page, "contentHeight", 0);
}

static int look_once(struct look *l, struct observation *ret)
{
	int status = same_page(l);

	if (!status)
		status = snapshot_take(l);
	if (!status)
		tell_extent(l, ret);
	if (!status)
		status = page_tree_read(l);
	if (!status)
		status = put_tree(l, ret);
	if (!status && l->view->picture != SCREENSHOT_NO)
		status = screenshot_take(l->b, l->view->picture, l->wait, &ret->picture,
					 l->err);
	if (!status)
		status = list_tabs(l->b, l->wait, ret, l->err);
	for (size_t i = 0; i < l->count; i++)
		free(l->documents[i].nodes);
	json_object_put(l->snapshot);
	json_object_put(l->nodes);
	return status;
}

static void observation_new(struct observation *o)
{
	*o = (struct observation){ .tree = STRBUF(1), .notes = STRBUF(NOTES_MAX),
				   .picture = STRBUF(1) };
}

/* @return true if the page may respond now: its scripts were stopped, or it crashed
 * during the capture and its tab is closed. */
static bool can_look_again(struct browser *b, int status, const struct cdp_wait *wait)
{
	bool crashed = false;

	for (size_t i = 0; i < b->tab_count; i++)
		crashed = crashed || b->tabs[i].crashed;
	if (status && status != MT_ECANCELLED && crashed)
		return page_repair(b, wait, NULL) == MT_OK;
	if (status == MT_ETIMEOUT)
		page_interrupt(b);
	return status == MT_ETIMEOUT;
}

/* A page whose scripts never pause does not respond. After BUSY_MS, or half of the time
 * if that is less, the scripts are stopped and the rest of the time is used for a second
 * try. A large page on a busy machine needs most of it. */
int browser_look(struct browser *b, const struct view *view, const struct cdp_wait *wait,
		 struct observation *ret, struct error *err)
{
	int64_t now = clock_ms(), first = (wait->until - now) / 2;
	bool loading = b->tab_count && tab_of(b)->loading;
	AUTO(free) struct look *l = calloc(1, sizeof *l);
	struct cdp_wait half;
	int status;

	/* While an unresponsive URL loads, the previous page does not respond either. */
	if (first > (loading ? LOADING_MS : BUSY_MS))
		first = loading ? LOADING_MS : BUSY_MS;
	half = (struct cdp_wait){ now + first, wait->cancel_fd };
	observation_new(ret);
	if (!l || !b->tab_count)
		return fail(err, MT_EIO, "the browser has no open page");
	*l = (struct look){ .b = b, .view = view, .wait = &half, .err = err,
			    .focused = ret->focused };
	status = look_once(l, ret);
	if (can_look_again(b, status, wait)) {
		observe_clear(ret);
		observation_new(ret);
		*err = ERROR_NONE;
		*l = (struct look){ .b = b, .view = view, .wait = wait, .err = err,
				    .focused = ret->focused };
		status = look_once(l, ret);
	}
	if (status == MT_ETIMEOUT && b->tab_count)
		tab_of(b)->crashed = true;
	page_end(b);
	console_tell(b);
	strbuf_addn(&ret->notes, b->notes.text, b->notes.len);
	strbuf_reset(&b->notes);
	return status;
}

void observe_clear(struct observation *o)
{
	free(o->url);
	strbuf_clear(&o->tree);
	strbuf_clear(&o->notes);
	strbuf_clear(&o->picture);
	for (size_t i = 0; i < TABS_MAX; i++)
		free(o->tabs[i]);
}
