/* SPDX-License-Identifier: MIT
 *
 * act-page.c - navigation, history, scrolling, waiting and tabs. */
#include "act.h"
#include "clock.h"
#include "files.h"
#include <string.h>

enum { NOOP_MAX_MS = 60000 };

/* Complete an address as users type it: a path is a file, a name is a site. */
static char *act_page_address(struct browser *b, const char *url)
{
	static const char *const whole[] = { "about:", "data:", "blob:", "file:",
					     "view-source:" };
	AUTO(free) char *path = NULL;
	char *text;

	if (strstr(url, "://"))
		return strdup(url);
	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		if (strncmp(url, whole[i], strlen(whole[i])) == 0)
			return strdup(url);
	path = path_join(b->config.workspace, url);
	if (path && access(path, F_OK) == 0)
		return asprintf(&text, "file://%s", path) < 0 ? NULL : text;
	return asprintf(&text, "http://%s", url) < 0 ? NULL : text;
}

int act_goto(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	     struct error *err)
{
	AUTO(json) json_object *out = NULL;
	AUTO(free) char *url = act_page_address(b, act_text(c, 0));
	const char *fault;
	int status;

	if (!url)
		return out_of_memory(err);
	b->changed = clock_ms();
	status = page_call(b, "Page.navigate", browser_json("url", 's', url, NULL), wait,
			   &out, err);
	if (status == MT_EINVAL) {
		*err = ERROR_NONE;
		return fail(err, status, "ValueError: `%.300s` is not a valid URL", url);
	}
	fault = js_str(out, "errorText", NULL);
	if (status || !fault || js_bool(out, "isDownload", false))
		return status;
	return fail(err, MT_EINVAL, "Error: %s at %.300s", fault, url);
}

int act_history(struct browser *b, int step, const struct cdp_wait *wait,
		struct error *err)
{
	AUTO(json) json_object *history = NULL;
	int status = page_call(b, "Page.getNavigationHistory", browser_json(NULL), wait,
			       &history, err);
	json_object *entries = js_get(history, "entries");
	int64_t to = js_int(history, "currentIndex", 0) + step;

	if (status)
		return status;
	if (to < 0 || (size_t)to >= json_object_array_length(entries))
		return fail(err, MT_EINVAL, "Error: there is no page to go %s to",
			    step < 0 ? "back" : "forward");
	return page_call(b, "Page.navigateToHistoryEntry",
			 browser_json("entryId", 'i',
				      js_int(json_object_array_get_idx(entries,
								       (size_t)to),
					     "id", 0),
				      NULL),
			 wait, NULL, err);
}

int act_scroll(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	       struct error *err)
{
	double x = b->mouse_x, y = b->mouse_y;

	if (x <= 0 && y <= 0)
		x = b->config.chrome.width / 2.0, y = b->config.chrome.height / 2.0;
	return page_call(b, "Input.dispatchMouseEvent",
			 browser_json("type", 's', "mouseWheel", "x", 'd', x, "y", 'd', y,
				      "deltaX", 'd', act_number(c, 0), "deltaY", 'd',
				      act_number(c, 1), NULL),
			 wait, NULL, err);
}

int act_noop(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	     struct error *err)
{
	double ms = c->values[0] ? act_number(c, 0) : 1000;
	struct cdp_wait until = { clock_ms(), wait->cancel_fd };
	int status;

	if (!(ms >= 0 && ms <= NOOP_MAX_MS))
		return fail(err, MT_EINVAL,
			    "ValueError: `wait_ms` must be between 0 and %d",
			    NOOP_MAX_MS);
	until.until += (int64_t)ms;
	if (until.until > wait->until)
		until.until = wait->until;
	do
		status = cdp_poll(b->cdp, &until);
	while (status == MT_OK && clock_ms() < until.until);
	return cdp_gave_up(status == MT_ETIMEOUT ? MT_OK : status, err);
}

int act_show_tab(struct browser *b, size_t i, const struct cdp_wait *wait,
		 struct error *err)
{
	if (i >= b->tab_count)
		return fail(
			err, MT_EINVAL,
			"ValueError: invalid index; there are %zu tabs, counted from 0",
			b->tab_count);
	b->active = i;
	return page_call(b, "Page.bringToFront", browser_json(NULL), wait, NULL, err);
}

int act_new_tab(struct browser *b, const struct cdp_wait *wait, struct error *err)
{
	if (b->tab_count == TABS_MAX)
		return fail(err, MT_ELIMIT, "ValueError: %d tabs are already open",
			    TABS_MAX);
	return page_open(b, wait, err);
}

int act_close_tab(struct browser *b, const struct cdp_wait *wait, struct error *err)
{
	size_t before = b->tab_count;
	int status = before == 1 ? act_new_tab(b, wait, err) : MT_OK;

	if (before == 1)
		b->active = 0, before++;
	if (!status)
		status = cdp_call(b->cdp, "", "Target.closeTarget",
				  browser_json("targetId", 's', tab_of(b)->target, NULL),
				  wait, NULL, err);
	while (!status && b->tab_count == before)
		status = cdp_gave_up(cdp_poll(b->cdp, wait), err);
	return status ? status : act_show_tab(b, b->active, wait, err);
}

/* Set the answer to the next dialog. */
int act_answer(struct browser *b, const struct py_call *c, struct error *err)
{
	bool accept = c->id == ACT_ACCEPT_DIALOG;

	free(b->dialog_text);
	b->dialog_text = NULL;
	b->next_dialog = accept ? DIALOG_ACCEPT : DIALOG_DISMISS;
	if (!accept || !c->values[0])
		return MT_OK;
	b->dialog_text = strdup(act_text(c, 0));
	return b->dialog_text ? MT_OK : out_of_memory(err);
}
