/* SPDX-License-Identifier: MIT
 *
 * browser.c - the lifetime of the browser and its tabs, and browser events: dialogs,
 * downloads, new tabs. */
#include "browser-internal.h"
#include "clock.h"
#include "files.h"
#include "utf8.h"
#include <string.h>

enum { START_MS = 30000, START_TRIES = 3, FETCH_MS = 3000 };

json_object *browser_json(const char *name, ...)
{
	json_object *o = json_object_new_object();
	va_list ap;

	va_start(ap, name);
	for (const char *n = name; n; n = va_arg(ap, const char *))
		switch (va_arg(ap, int)) {
		case 's':
			js_set_str(o, n, va_arg(ap, const char *));
			break;
		case 'i':
			js_set_int(o, n, va_arg(ap, int64_t));
			break;
		case 'd':
			js_set_new(o, n, json_object_new_double(va_arg(ap, double)));
			break;
		case 'b':
			js_set_bool(o, n, va_arg(ap, int));
			break;
		case 'o':
			js_set_new(o, n, va_arg(ap, json_object *));
			break;
		}
	va_end(ap);
	return o;
}

int page_call(struct browser *b, const char *method, json_object *params,
	      const struct cdp_wait *wait, json_object **ret, struct error *err)
{
	return cdp_call(b->cdp, tab_of(b)->session, method, params, wait, ret, err);
}

/* ---- events --------------------------------------------------------------------- */

void page_note(struct browser *b, const char *fmt, ...)
{
	va_list ap;

	if (b->notes.len > NOTES_MAX - 2048)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&b->notes, fmt, ap);
	va_end(ap);
	strbuf_addc(&b->notes, '\n');
}

static struct tab *tab_find(struct browser *b, const char *session)
{
	for (size_t i = 0; *session && i < b->tab_count; i++)
		if (strcmp(b->tabs[i].session, session) == 0)
			return &b->tabs[i];
	return NULL;
}

static void browser_watch(struct browser *b, struct tab *t)
{
	t->watched = true;
	t->request_count = 0;
	/* Also delivers the messages since the last call. */
	cdp_send(b->cdp, t->session, "Runtime.enable", browser_json(NULL));
	cdp_send(b->cdp, t->session, "Log.enable", browser_json(NULL));
	cdp_send(b->cdp, t->session, "Network.enable",
		 browser_json("maxTotalBufferSize", 'i', (int64_t)0,
			      "maxResourceBufferSize", 'i', (int64_t)0, NULL));
}

static void on_attached(struct browser *b, json_object *p)
{
	static const char *const enable[] = { "Page.enable", "DOM.enable",
					      "Inspector.enable" };
	json_object *info = js_get(p, "targetInfo");
	struct tab *t = &b->tabs[b->tab_count];
	const char *session = js_str(p, "sessionId", "");

	if (strcmp(js_str(info, "type", ""), "page") != 0)
		return;
	if (b->tab_count == TABS_MAX) {
		cdp_send(b->cdp, "", "Target.closeTarget",
			 browser_json("targetId", 's', js_str(info, "targetId", ""),
				      NULL));
		page_note(b, "[A new tab was closed: %d tabs are already open.]",
			  TABS_MAX);
		return;
	}
	*t = (struct tab){ 0 };
	snprintf(t->session, sizeof t->session, "%s", session);
	snprintf(t->target, sizeof t->target, "%s", js_str(info, "targetId", ""));
	b->active = b->tab_count++;
	b->changed = clock_ms();
	for (size_t i = 0; i < ARRAY_LEN(enable); i++)
		cdp_send(b->cdp, session, enable[i], browser_json(NULL));
	browser_watch(b, t);
	/* The window includes more than the page. */
	cdp_send(b->cdp, session, "Emulation.setDeviceMetricsOverride",
		 browser_json("width", 'i', (int64_t)b->config.chrome.width, "height",
			      'i', (int64_t)b->config.chrome.height, "deviceScaleFactor",
			      'i', (int64_t)1, "mobile", 'b', 0, NULL));
	cdp_send(b->cdp, session, "Runtime.runIfWaitingForDebugger", browser_json(NULL));
}

static void browser_detach(struct browser *b, struct tab *t)
{
	size_t i = (size_t)(t - b->tabs);

	memmove(t, t + 1, (--b->tab_count - i) * sizeof *t);
	if (b->active >= i && b->active > 0)
		b->active--;
	b->changed = clock_ms();
}

/* Tell the model how to answer the next dialog differently. */
static const char *other_answer(const char *type, bool accept)
{
	if (strcmp(type, "alert") == 0 || strcmp(type, "beforeunload") == 0)
		return "";
	if (accept)
		return " Call dismiss_dialog() before the action to dismiss it.";
	return strcmp(type, "prompt") == 0
		       ? " Call accept_dialog('answer') before the action to answer it."
		       : " Call accept_dialog() before the action to accept it.";
}

/* An alert can only be accepted. Leaving a page was requested. */
static void on_dialog(struct browser *b, const char *session, json_object *p)
{
	const char *type = js_str(p, "type", "dialog");
	const char *text = js_str(p, "message", "");
	const char *answer = js_str(p, "defaultPrompt", "");
	bool asked = b->next_dialog != DIALOG_USUAL;
	bool accept = asked ? b->next_dialog == DIALOG_ACCEPT
			    : b->config.accept_dialogs || strcmp(type, "alert") == 0 ||
				      strcmp(type, "beforeunload") == 0;

	if (asked && b->dialog_text)
		answer = b->dialog_text;
	cdp_send(b->cdp, session, "Page.handleJavaScriptDialog",
		 browser_json("accept", 'b', accept, "promptText", 's', answer, NULL));
	page_note(b, "[Dialog (%s): %.*s - %s.%s]", type,
		  (int)utf8_cut(text, strlen(text), 1000), text,
		  accept ? "accepted" : "dismissed",
		  asked ? "" : other_answer(type, accept));
	if (strcmp(type, "alert") != 0)
		b->next_dialog = DIALOG_USUAL;
	b->changed = clock_ms();
}

static void on_download(struct browser *b, const char *what, json_object *p)
{
	const char *state = js_str(p, "state", "");
	const char *path = js_str(p, "filePath", NULL);

	b->changed = clock_ms();
	if (strcmp(what, "downloadWillBegin") == 0)
		page_note(b, "[Download started: %.300s, to %s]",
			  js_str(p, "suggestedFilename", "a file"), b->config.downloads);
	else if (strcmp(state, "completed") == 0)
		page_note(b, "[Download complete%s%.1000s]", path ? ": " : "",
			  path ? path : "");
	else if (strcmp(state, "canceled") == 0)
		page_note(b, "[Download cancelled]");
}

static void on_loading(struct browser *b, struct tab *t, const char *what, json_object *p)
{
	bool main = strcmp(js_str(p, "frameId", ""), t->target) == 0;

	if (main && strcmp(what, "frameStartedLoading") == 0)
		t->loading = true;
	else if (main && strcmp(what, "frameStoppedLoading") == 0)
		t->loading = false;
	if (t == tab_of(b))
		b->changed = clock_ms();
}

static uint64_t id_hash(const char *id)
{
	uint64_t h = 1469598103934665603u;

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * 1099511628211u;
	return h;
}

/* Track requests whose response may soon change the page. */
static void on_network(struct browser *b, struct tab *t, const char *what, json_object *p)
{
	static const char *const awaited[] = { "XHR", "Fetch", "Script", "Stylesheet",
					       "Document" };
	uint64_t id = id_hash(js_str(p, "requestId", ""));
	size_t i = 0;

	while (i < t->request_count && t->requests[i] != id)
		i++;
	if (strcmp(what, "requestWillBeSent") == 0) {
		const char *type = js_str(p, "type", "");

		for (size_t k = 0;
		     i == t->request_count && i < REQUESTS_MAX && k < ARRAY_LEN(awaited);
		     k++)
			if (strcmp(type, awaited[k]) == 0)
				t->requests[t->request_count++] = id;
	} else if (i < t->request_count && strncmp(what, "loadingF", 8) == 0) {
		t->requests[i] = t->requests[--t->request_count];
		if (t == tab_of(b))
			b->changed = clock_ms();
	}
}

static void on_page(struct browser *b, const char *session, const char *what,
		    json_object *p)
{
	struct tab *t = tab_find(b, session);

	if (strcmp(what, "javascriptDialogOpening") == 0)
		on_dialog(b, session, p);
	else if (strcmp(what, "fileChooserOpened") == 0)
		b->chooser = js_int(p, "backendNodeId", -1);
	else if (t && strncmp(what, "frame", 5) == 0)
		on_loading(b, t, what, p);
}

static void browser_on_event(void *arg, const char *session, const char *method,
			     json_object *p)
{
	struct browser *b = arg;
	struct tab *t;

	if (strncmp(method, "Page.", 5) == 0) {
		on_page(b, session, method + 5, p);
	} else if (strncmp(method, "Network.", 8) == 0) {
		t = tab_find(b, session);
		if (t)
			on_network(b, t, method + 8, p);
	} else if (strncmp(method, "Runtime.", 8) == 0 ||
		   strncmp(method, "Log.", 4) == 0) {
		t = tab_find(b, session);
		if (t)
			console_on_event(b, t, method, p);
	} else if (strcmp(method, "Target.attachedToTarget") == 0) {
		on_attached(b, p);
	} else if (strcmp(method, "Target.detachedFromTarget") == 0) {
		cdp_session_gone(b->cdp, js_str(p, "sessionId", ""),
				 "the tab was closed");
		t = tab_find(b, js_str(p, "sessionId", ""));
		if (t)
			browser_detach(b, t);
	} else if (strncmp(method, "Browser.download", 16) == 0) {
		on_download(b, method + 8, p);
	} else if (strcmp(method, "Input.dragIntercepted") == 0) {
		json_object_put(b->drag);
		b->drag = json_object_get(js_get(p, "data"));
	} else if (strcmp(method, "Inspector.targetCrashed") == 0) {
		cdp_session_gone(b->cdp, session, "the page crashed");
		t = tab_find(b, session);
		if (t)
			t->crashed = true;
	}
}

/* ---- lifetime -------------------------------------------------------------------- */

int browser_new(const struct browser_config *config, struct browser **ret,
		struct error *err)
{
	struct browser *b = calloc(1, sizeof *b);

	if (!b)
		return out_of_memory(err);
	b->config = *config;
	b->chrome = (struct chrome){ .pid = -1, .in = -1, .out = -1 };
	b->notes = STRBUF(NOTES_MAX);
	b->console = STRBUF(CONSOLE_MAX);
	*ret = b;
	return MT_OK;
}

static void browser_stop(struct browser *b)
{
	b->cdp = cdp_free(b->cdp);
	chrome_end(&b->chrome);
	elements_clear(b);
	json_object_put(b->drag);
	b->drag = NULL;
	b->tab_count = b->active = 0;
	*b->loader = '\0';
}

struct browser *browser_free(struct browser *b)
{
	if (!b)
		return NULL;
	browser_stop(b);
	strbuf_clear(&b->notes);
	strbuf_clear(&b->console);
	free(b->dialog_text);
	free(b);
	return NULL;
}

static int browser_set_up(struct browser *b, const struct cdp_wait *wait,
			  struct error *err)
{
	int status = dir_make(b->config.downloads, err);

	if (!status)
		status = cdp_call(b->cdp, "", "Target.setAutoAttach",
				  browser_json("autoAttach", 'b', 1,
					       "waitForDebuggerOnStart", 'b', 0,
					       "flatten", 'b', 1, NULL),
				  wait, NULL, err);
	if (!status)
		status = cdp_call(b->cdp, "", "Browser.setDownloadBehavior",
				  browser_json("behavior", 's', "allow", "downloadPath",
					       's', b->config.downloads, "eventsEnabled",
					       'b', 1, NULL),
				  wait, NULL, err);
	while (!status && b->tab_count == 0)
		status = cdp_gave_up(cdp_poll(b->cdp, wait), err);
	return status;
}

static int browser_start(struct browser *b, const struct cdp_wait *wait,
			 struct error *err)
{
	struct cdp_wait mine = { clock_ms() + START_MS, wait->cancel_fd };
	char words[300];
	int status = chrome_start(&b->config.chrome, &b->chrome, err);

	if (!status) {
		status = cdp_new(b->chrome.in, b->chrome.out, browser_on_event, b,
				 &b->cdp, err);
		b->chrome.in = b->chrome.out = -1;
	}
	if (mine.until > wait->until)
		mine.until = wait->until;
	if (!status)
		status = browser_set_up(b, &mine, err);
	if (!status || status == MT_ENOTFOUND || status == MT_ECANCELLED)
		return status;
	chrome_last_words(&b->chrome, words, sizeof words);
	if (*words) {
		*err = ERROR_NONE;
		fail(err, status, "cannot start the browser: %s", words);
	}
	return status;
}

int page_open(struct browser *b, const struct cdp_wait *wait, struct error *err)
{
	size_t before = b->tab_count;
	int status =
		cdp_call(b->cdp, "", "Target.createTarget",
			 browser_json("url", 's', "about:blank", NULL), wait, NULL, err);

	while (!status && b->tab_count <= before)
		status = cdp_gave_up(cdp_poll(b->cdp, wait), err);
	return status;
}

int page_repair(struct browser *b, const struct cdp_wait *wait, struct error *err)
{
	for (size_t i = b->tab_count; i-- > 0;)
		if (b->tabs[i].crashed) {
			page_note(b, "[The page crashed or hung; its tab was closed.]");
			cdp_send(b->cdp, "", "Target.closeTarget",
				 browser_json("targetId", 's', b->tabs[i].target, NULL));
			browser_detach(b, &b->tabs[i]);
		}
	return b->tab_count ? MT_OK : page_open(b, wait, err);
}

int browser_ready(struct browser *b, const struct cdp_wait *wait, struct error *err)
{
	const struct cdp_wait now = { 0, -1 };
	int status = MT_EIO;

	if (b->cdp) {
		do
			status = cdp_poll(b->cdp, &now);
		while (status == MT_OK && clock_ms() < wait->until);
		if ((status == MT_ETIMEOUT || status == MT_OK) &&
		    page_repair(b, wait, NULL) == MT_OK)
			return MT_OK;
	}
	for (int i = 0; i < START_TRIES; i++) {
		*err = ERROR_NONE;
		browser_stop(b);
		status = browser_start(b, wait, err);
		if (!status || status == MT_ENOTFOUND || status == MT_ECANCELLED)
			break;
	}
	if (status) {
		browser_stop(b);
		return status;
	}
	if (b->was_started)
		page_note(b, "[The browser had exited and was restarted.]");
	else
		page_note(b, "[The browser was started%s.]",
			  geteuid() == 0
				  ? " without its sandbox, which is not available to root"
				  : "");
	b->was_started = true;
	return MT_OK;
}

void page_interrupt(struct browser *b)
{
	page_note(b, "[The page did not respond: loading and scripts were stopped.]");
	cdp_send(b->cdp, tab_of(b)->session, "Page.stopLoading", browser_json(NULL));
	cdp_send(b->cdp, tab_of(b)->session, "Runtime.terminateExecution",
		 browser_json(NULL));
}

void page_begin(struct browser *b)
{
	b->changed = clock_ms();
	for (size_t i = 0; i < b->tab_count; i++)
		b->tabs[i].request_count = 0;
	if (b->tab_count && !tab_of(b)->watched)
		browser_watch(b, tab_of(b));
}

void page_end(struct browser *b)
{
	for (size_t i = 0; i < b->tab_count; i++) {
		static const char *const quiet[] = { "Network.disable", "Runtime.disable",
						     "Log.disable" };

		for (size_t k = 0; b->tabs[i].watched && k < ARRAY_LEN(quiet); k++)
			cdp_send(b->cdp, b->tabs[i].session, quiet[k],
				 browser_json(NULL));
		b->tabs[i].watched = false;
	}
}

/* The time at which the page may be captured in its current state. */
static int64_t quiet_at(const struct browser *b, int64_t began, int64_t end)
{
	const struct tab *t = &b->tabs[b->active];
	int64_t quiet = b->changed + b->config.settle_ms;

	if (b->tab_count && t->loading)
		return end;
	if (b->tab_count && t->request_count && quiet < began + FETCH_MS)
		quiet = began + FETCH_MS;
	return quiet < end ? quiet : end;
}

int page_settle(struct browser *b, const struct cdp_wait *wait, struct error *err)
{
	int64_t began = clock_ms(), end = began + b->config.load_ms;
	int status = MT_OK;

	if (end > wait->until)
		end = wait->until;
	if (b->changed < began)
		b->changed = began;
	while (status == MT_OK || status == MT_ETIMEOUT) {
		struct cdp_wait until = { quiet_at(b, began, end), wait->cancel_fd };

		if (clock_ms() >= until.until) {
			if (b->tab_count && tab_of(b)->loading)
				page_note(b, "[The page is still loading.]");
			return MT_OK;
		}
		status = cdp_poll(b->cdp, &until);
	}
	return cdp_gave_up(status, err);
}
