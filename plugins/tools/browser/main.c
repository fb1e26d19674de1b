/* SPDX-License-Identifier: MIT
 *
 * main.c - the tool `browser`: the ABI around browser.h. */
#define MT_PLUGIN_PERMISSIONS permissions /* for <mortise/tool.h> */
#include "browser.h"
#include "clock.h"
#include "files.h"
#include "js.h"
#include "tool-plugin.h"
#include "utf8.h"
#include <mortise/tool.h>
#include <string.h>

enum {
	WIDTH = 1280, HEIGHT = 720,
	LOOK_MS = 60000,    /* to capture a page after its actions */
	MARGIN_MS = 500,    /* to report before the caller's own limit */
};

#define OPTION(type_, name_, ...)                                              \
	{ .size = sizeof(struct mt_option), .type = (type_), .name = name_, __VA_ARGS__ }

static const struct mt_option options[] = {
	OPTION(MT_OPTION_TEXT, "program",
	.help = "Path of Chromium, or its name in PATH (default: the "
						  "first of chromium, chromium-browser, "
						  "google-chrome-stable, google-chrome)."),
	OPTION(MT_OPTION_BOOL, "sandbox", .fallback = "yes",
	       .help = "Enable Chromium's sandbox, which is not available to root. "
		       "Disable it only if user namespaces are not permitted and "
		       "something else confines the browser."),
	OPTION(MT_OPTION_TEXT, "hosts", .help = "Hosts that the browser may reach, for example "
						"example.org, *.example.org; other "
						"names do not resolve "
						"(default: all)."),
	OPTION(MT_OPTION_TEXT, "downloads", .fallback = ".downloads",
	       .help = "Directory for downloads, relative to the workspace."),
	OPTION(MT_OPTION_DURATION, "timeout", .fallback = "30s", .min = 500, .max = 3600000,
	       .help = "Time limit for an action."),
	OPTION(MT_OPTION_DURATION, "load_time", .fallback = "10s", .min = 0, .max = 600000,
	       .help = "Maximum time to wait for a page to load before it is read."),
	OPTION(MT_OPTION_DURATION, "settle_time", .fallback = "200ms", .min = 0,
	       .max = 60000, .help = "Time without changes after which a page is read."),
	OPTION(MT_OPTION_BYTES, "tree_max", .fallback = "25K", .min = 1024, .max = 16 << 20,
	       .help = "Maximum size of the accessibility tree; the rest is omitted."),
	OPTION(MT_OPTION_CHOICE, "tree", .choices = "visible|all", .fallback = "visible",
	       .help = "Elements to show: those in view (`visible`), or the whole page "
		       "with `~` before those out of view (`all`)."),
	OPTION(MT_OPTION_CHOICE, "dialogs", .choices = "dismiss|accept",
	       .fallback = "dismiss",
	       .help = "Answer to confirm and prompt dialogs. Alerts are closed, and "
		       "leaving a page is accepted."),
	OPTION(MT_OPTION_BOOL, "screenshots", .fallback = "no",
	       .help = "Attach a screenshot to every result, for models with vision."),
	OPTION(MT_OPTION_BOOL, "coordinates", .fallback = "yes",
	       .help = "Offer calls by coordinates and keyboard, such as "
		       "mouse_click(x, y) and keyboard_press(key), with screenshots."),
};

/* Values of options, in the order of their choices. */
enum { TREE_VISIBLE, TREE_ALL };
enum { DIALOGS_DISMISS, DIALOGS_ACCEPT };

struct plugin {
	const struct mt_tool_host *host;
	struct mt_instance *instance;
	struct browser *browser;
	char *downloads, *directory;
	struct view view; /* default of a call */
	unsigned groups;
	int64_t timeout_ms;
};

static void plugin_close(const struct mt_tool_host *host, struct mt_instance *instance,
			 void *self)
{
	struct plugin *p = self;

	(void)host, (void)instance;
	browser_free(p->browser);
	free(p->downloads);
	free(p->directory);
	free(p);
}

/* Directory for the profile: the private directory, if there is one. */
static const char *browser_tool_private_dir(struct plugin *p)
{
	const char *dir = p->host->private_dir ? p->host->private_dir(p->instance) : NULL;

	return dir && *dir ? dir : "/tmp";
}

/* Index of an option's value among its choices. */
static int browser_tool_choice_of(const struct plugin *p, const char *key)
{
	return tool_choice(p->host, p->instance, options, ARRAY_LEN(options), key);
}

static int plugin_open(const struct mt_tool_host *host, struct mt_instance *instance,
		       void **ret_self)
{
	struct error err = ERROR_NONE;
	struct plugin *p = calloc(1, sizeof *p);
	const char *downloads = host->option(instance, "downloads");
	const char *workspace = host->workspace(instance);

	if (!p)
		return MT_ENOMEM;
	*p = (struct plugin){ .host = host, .instance = instance,
			      .groups = ACTIONS_BID | ACTIONS_NAV | ACTIONS_TAB |
					ACTIONS_CHAT | ACTIONS_INFEASIBLE |
					ACTIONS_OWN };
	p->view.whole = browser_tool_choice_of(p, "tree") == TREE_ALL;
	p->view.picture = host->option_int(instance, "screenshots") ? SCREENSHOT_PLAIN
								    : SCREENSHOT_NO;
	p->timeout_ms = host->option_int(instance, "timeout");
	if (host->option_int(instance, "coordinates"))
		p->groups |= ACTIONS_COORD;
	p->downloads = path_join(workspace, downloads ? downloads : ".downloads");
	p->directory = strdup(browser_tool_private_dir(p));
	const struct browser_config config = {
		.chrome = { host->option(instance, "program"), p->directory, WIDTH, HEIGHT,
			    host->option_int(instance, "sandbox") == 0,
			    host->option(instance, "hosts") },
		.downloads = p->downloads, .workspace = workspace,
		.accept_dialogs = browser_tool_choice_of(p, "dialogs") == DIALOGS_ACCEPT,
		.tree_max = (size_t)host->option_int(instance, "tree_max"),
		.load_ms = host->option_int(instance, "load_time"),
		.settle_ms = host->option_int(instance, "settle_time"),
	};

	if (!p->downloads || !p->directory || browser_new(&config, &p->browser, &err)) {
		host->log(instance, MT_LOG_ERROR, "%s", status_name(MT_ENOMEM));
		plugin_close(host, instance, p);
		return MT_ENOMEM;
	}
	*ret_self = p;
	return MT_OK;
}

/* ---- one call ---------------------------------------------------------------------- */

static void put_text_field(struct plugin *p, struct mt_call *call, const char *name,
			   const char *text)
{
	AUTO(strbuf) struct strbuf json = STRBUF(1 << 20);

	js_put_str(&json, text ? text : "", text ? strlen(text) : 0);
	if (!json.error)
		p->host->field(call, name, json.text, json.len);
}

static void browser_tool_put_fields(struct plugin *p, struct mt_call *call,
				    const char *code, const struct observation *o,
				    const struct error *fault)
{
	AUTO(strbuf) struct strbuf json = STRBUF(1 << 20);
	char number[24];

	put_text_field(p, call, "url", o->url);
	p->host->field(call, "trigger_by_action", "\"browse_interactive\"", 20);
	put_text_field(p, call, "last_browser_action", code);
	put_text_field(p, call, "last_browser_action_error", fault->text);
	put_text_field(p, call, "focused_element_bid", o->focused);
	p->host->field(call, "error", fault->code ? "true" : "false",
		       fault->code ? 4 : 5);
	snprintf(number, sizeof number, "%zu", o->active);
	p->host->field(call, "active_page_index", number, strlen(number));
	strbuf_addc(&json, '[');
	for (size_t i = 0; i < o->tab_count; i++) {
		strbuf_add(&json, i ? "," : "");
		js_put_str(&json, o->tabs[i] ? o->tabs[i] : "",
			   o->tabs[i] ? strlen(o->tabs[i]) : 0);
	}
	strbuf_addc(&json, ']');
	if (!json.error)
		p->host->field(call, "open_pages_urls", json.text, json.len);
}

/* Coordinates refer to a screenshot: calls that use them are offered only with one, and
 * only if the model gets it. */
static const char by_pixels[] =
	"[Elements without a bid, for example in a canvas: mouse_click(x, y, button='left'), "
	"mouse_dblclick(x, y), mouse_move(x, y), mouse_down(x, y), mouse_up(x, y), "
	"mouse_drag_and_drop(from_x, from_y, to_x, to_y), keyboard_press(key), "
	"keyboard_type(text), in pixels of the screenshot.]";

static void browser_put_tree(struct plugin *p, struct mt_call *call,
			     const struct observation *o)
{
	p->host->reply(call, "============== BEGIN accessibility tree ==============\n");
	p->host->reply_text(call, o->tree.text, o->tree.len);
	p->host->reply(call, "\n============== END accessibility tree ==============\n%s",
		       o->cut ? "[The tree was cut here: the page has more elements.]\n"
			      : "");
}

/* Name the part of the page that the tree shows. */
static const char *extent_of(const struct view *view, const struct observation *o)
{
	if (!o->unseen && !o->cut)
		return "The whole page.";
	if (o->whole)
		return "The whole page; ~ marks what is out of view.";
	return view->whole
		       ? "The visible part of the page, which is too long to show "
			 "completely; scroll or find(text) to see more."
		       : "The visible part of the page; scroll or find(text) to see more.";
}

static void put_extent(struct plugin *p, struct mt_call *call, const struct view *view,
		       const struct observation *o)
{
	const struct mt_tool_host *host = p->host;

	if (!view->find)
		host->reply(call, "%s", extent_of(view, o));
	else if (o->found)
		host->reply(call,
			    "Lines of the whole page with `%s`, and those next to "
			    "them:",
			    view->find);
	else
		host->reply(call,
			    "No line of the whole page contains `%s`. Search for one "
			    "word, or for a part of it; text in images is not found.",
			    view->find);
}

static void browser_put_result(struct plugin *p, struct mt_call *call,
			       const struct view *view, const struct observation *o,
			       const struct error *fault)
{
	const struct mt_tool_host *host = p->host;

	host->reply(call, "[Current URL: %s]\n", o->url ? o->url : "");
	if (o->tab_count > 1)
		for (size_t i = 0; i < o->tab_count; i++)
			host->reply(call, "[Tab %zu%s: %s]\n", i,
				    i == o->active ? " (active)" : "",
				    o->tabs[i] ? o->tabs[i] : "");
	if (*o->focused)
		host->reply(call, "[Focused element bid: %s]\n", o->focused);
	host->reply_text(call, o->notes.text, o->notes.len);
	if (fault->code)
		host->reply(call,
			    "\n================ BEGIN error message ===============\n"
			    "%s\n================ END error message ===============\n",
			    fault->text);
	else
		host->reply(call, "\n[Action executed successfully.]\n");
	if (o->height > o->view_height + 1)
		host->reply(call, "[Shown: %.0f to %.0f of %.0f px]\n", o->top,
			    o->top + o->view_height, o->height);
	put_extent(p, call, view, o);
	host->reply(call, "\n");
	if (!view->find || o->found)
		browser_put_tree(p, call, o);
	if (o->picture.len && (p->groups & ACTIONS_COORD))
		put_text_field(p, call, "image_note", by_pixels);
	if (o->picture.len)
		host->reply_media(call, "image/png", o->picture.text, o->picture.len);
}

/* Execute the actions until one fails. */
static int browser_plugin_act(struct plugin *p, struct mt_call *call,
			      const struct py_calls *calls, int64_t end,
			      struct error *err)
{
	int status = MT_OK;

	for (size_t i = 0; i < calls->count && !status; i++) {
		struct cdp_wait wait = { clock_ms() + p->timeout_ms,
					 p->host->cancel_fd(call) };

		if (wait.until > end)
			wait.until = end;
		status = browser_act(p->browser, &calls->all[i], &wait, err);
		if (status && calls->count > 1 && status != MT_EIO &&
		    status != MT_ECANCELLED) {
			struct error why = *err;

			*err = ERROR_NONE;
			fail(err, status, "%s (action %zu of %zu: %s)", why.text, i + 1,
			     calls->count, calls->all[i].name);
		}
	}
	return status;
}

/* A requested screenshot or search is taken after the last call. */
static void ask_view(const struct py_calls *calls, struct view *view)
{
	for (size_t i = 0; i < calls->count; i++) {
		const struct py_call *c = &calls->all[i];

		if (c->id == ACT_FIND)
			view->find =
				c->values[0] && json_object_get_string_len(c->values[0])
					? json_object_get_string(c->values[0])
					: NULL;
		if (c->id != ACT_SCREENSHOT)
			continue;
		view->picture = c->values[0] && json_object_get_boolean(c->values[0])
					? SCREENSHOT_MARKED
					: SCREENSHOT_PLAIN;
	}
}

static int browser_tool_fail_call(struct plugin *p, struct mt_call *call,
				  const char *code, const struct error *err)
{
	static const struct observation none;

	browser_tool_put_fields(p, call, code, &none, err);
	return p->host->fail(call, err->code, "%s", err->text);
}

static int plugin_call(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct plugin *p = self;
	struct error err = ERROR_NONE, look_err = ERROR_NONE;
	struct observation o;
	struct py_calls calls = { 0 };
	int64_t left = host->time_left_ms(call);
	int64_t end = left < 0 ? INT64_MAX / 2 : clock_ms() + left - MARGIN_MS;
	struct cdp_wait wait = { end, host->cancel_fd(call) };
	struct view view = p->view;
	size_t len = 0;
	const char *code = host->arg_str(call, "code", &len);
	int status, whole = 0;

	if (!code)
		return host->fail(call, MT_EINVAL, "Missing argument `code`.");
	if (host->arg_bool(call, "whole", &whole) == MT_OK && whole)
		view.whole = true;
	status = browser_ready(p->browser, &wait, &err);
	if (status)
		return browser_tool_fail_call(p, call, code, &err);
	status = browser_calls_parse(code, len, false, &calls, &err);
	if (!status)
		status = actions_bind(&calls, p->groups, true, &err);
	if (!status) {
		ask_view(&calls, &view);
		status = browser_plugin_act(p, call, &calls, end, &err);
	}
	if (status == MT_EIO || status == MT_ECANCELLED) {
		browser_calls_clear(&calls);
		return browser_tool_fail_call(p, call, code, &err);
	}
	wait.until = clock_ms() + LOOK_MS < end ? clock_ms() + LOOK_MS : end;
	if (browser_look(p->browser, &view, &wait, &o, &look_err)) {
		observe_clear(&o);
		browser_calls_clear(&calls);
		return browser_tool_fail_call(p, call, code, err.code ? &err : &look_err);
	}
	browser_tool_put_fields(p, call, code, &o, &err);
	browser_put_result(p, call, &view, &o, &err);
	observe_clear(&o);
	browser_calls_clear(&calls);
	return MT_OK;
}

/* ---- texts for the model and the configuration ------------------------------------- */

static const char description[] =
	"Use a web browser, which stays open between calls. `code` is one or more "
	"calls, one per line, executed in order until one fails. Arguments are "
	"literals. Elements are identified by their bid, in brackets in the "
	"accessibility tree that every call returns; read the latest tree before you "
	"act, and stop after an action that changes the page.\n"
	"goto(url) - open a URL\n"
	"go_back(), go_forward() - move through the history\n"
	"noop(wait_ms=1000) - wait and return the tree\n"
	"scroll(delta_x, delta_y) - in pixels; positive is right and down\n"
	"find(text) - return only the lines with this text, and those next to them, of the "
	"whole page\n"
	"console() - messages and errors of the page\n"
	"accept_dialog(text=''), dismiss_dialog() - answer the next dialog; call it before "
	"the action that opens it\n"
	"fill(bid, value) - replace the text of a field; dates as YYYY-MM-DD\n"
	"select_option(bid, options) - by value or label, one or a list\n"
	"click(bid, button='left', modifiers=[]), dblclick(bid, button='left', "
	"modifiers=[])\n"
	"hover(bid), focus(bid), clear(bid)\n"
	"press(bid, key_comb) - focus and press: 'Enter', 'Control+a', 'ArrowDown', 'x'\n"
	"drag_and_drop(from_bid, to_bid)\n"
	"select_text(bid, text='') - select this part of its text, or all\n"
	"upload_file(bid, file) - a path or a list of paths\n"
	"new_tab(), tab_close(), tab_focus(index) - tabs are counted from 0\n"
	"screenshot(marked=False) - image of the page; marked: labeled with bids";

static const char brief[] =
	"Use a web browser with calls such as goto('http://x'), click('12'), fill('5', "
	"'text'), select_option, press(bid, 'Enter'), scroll(0, 300), go_back(); bids "
	"are in brackets in the returned tree.";

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\","
	"\"description\":\"The calls, for example fill('12', 'mortise')\\nclick('14')\"},"
	"\"whole\":{\"type\":\"boolean\",\"description\":"
	"\"Include what is out of view\"}},"
	"\"required\":[\"code\"]"
	",\"additionalProperties\":false}";

static const char events[] =
	"[{\"action\":\"browse_interactive\",\"observation\":\"browse\","
	"\"args\":{\"browser_actions\":\"$code\",\"return_axtree\":\"$whole\"}}]";

static const struct mt_tool tools[] = {
	{ .size = sizeof(struct mt_tool),
	  .hints = MT_TOOL_DESTRUCTIVE | MT_TOOL_OPEN_WORLD,
	  .name = "browser",
	  .description = description,
	  .brief = brief,
	  .schema = schema,
	  .events = events },
};

static const struct mt_toolset toolset = {
	.size = sizeof toolset,
	.tool_count = ARRAY_LEN(tools),
	.tools = tools,
	.open = plugin_open,
	.call = plugin_call,
	.close = plugin_close,
};

static const struct mt_permission permissions[] = {
	MT_PERMISSION(MT_PERMIT_NAMESPACES, "user", "Chromium's own sandbox needs them."),
};

MT_TOOLSET(&toolset, "browser", .name = "browser",
	   .summary = "Controls a private headless Chromium with Python-style calls.",
	   .options = options, .option_count = ARRAY_LEN(options))
