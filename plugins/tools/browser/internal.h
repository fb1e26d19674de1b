/* SPDX-License-Identifier: MIT
 *
 * internal.h - shared declarations of the browser tool. */
#ifndef BROWSER_INTERNAL_H
#define BROWSER_INTERNAL_H

#include "browser.h"

enum { REQUESTS_MAX = 64 };

struct tab {
	char target[ID_MAX], session[ID_MAX]; /* the main frame has the target's id */
	bool loading, crashed, watched; /* watched: its requests are reported */
	/* Requests of the page since the last action: hashes of their ids. */
	uint64_t requests[REQUESTS_MAX];
	size_t request_count;
	double console_time, console_now; /* of the last message that a result had, and
					     that was kept; ms */
};

/** A node of the page that has a bid. */
struct element {
	int64_t node;      /* backendNodeId */
	unsigned frame;
	char bid[BID_MAX];
	bool shown;        /* by the last observation */
	struct ax_mark mark;
};

struct frame {
	char id[ID_MAX], label[BID_MAX]; /* "" of the page itself */
	unsigned last, inner;            /* elements, frames in it so far */
};

struct browser {
	struct browser_config config;
	struct chrome chrome;
	struct cdp *cdp;
	struct tab tabs[TABS_MAX];
	size_t tab_count, active;
	struct strbuf notes;
	struct strbuf console; /* a line each: messages and errors of the pages */
	size_t console_told;   /* bytes of it that a result had */
	enum next_dialog { DIALOG_USUAL, DIALOG_ACCEPT, DIALOG_DISMISS } next_dialog;
	char *dialog_text;     /* for the next prompt; NULL: its own default */
	double mouse_x, mouse_y;
	bool was_started;
	int64_t changed;       /* clock_ms() of the last sign that the page changes */
	/* of the page that `loader` names */
	char loader[ID_MAX];
	struct element *elements;
	size_t element_count, element_room;
	uint32_t *by_node, *by_bid; /* places in `elements` plus 1, by hash */
	size_t slots;
	struct frame frames[FRAMES_MAX];
	size_t frame_count;
	/* set by events */
	int64_t chooser;       /* node of the file input that asked; -1: one without */
	json_object *drag;     /* data of a drag that the page began */
};

/* browser.c */
static inline struct tab *tab_of(struct browser *b)
{
	return &b->tabs[b->active];
}
/** Call on the active tab. */
int page_call(struct browser *b, const char *method, json_object *params,
	      const struct cdp_wait *wait, json_object **ret, struct error *err);
/** Open an empty tab and go to it. */
int page_open(struct browser *b, const struct cdp_wait *wait, struct error *err);
/** Close what has crashed; there is always a tab. */
int page_repair(struct browser *b, const struct cdp_wait *wait, struct error *err);
/** Stop what blocks the page: a URL that does not respond, a script that does not end. */
void page_interrupt(struct browser *b);
/** An action begins: what the page fetches from now on is its doing. */
void page_begin(struct browser *b);
/** A call ends: events are not read until the next one, so the browser is asked to
 *  report few. */
void page_end(struct browser *b);
/** Handle events until the page is quiet: nothing loads, nothing is fetched, and
 *  settle_ms have passed without a change; at most load_ms, of which fetching holds it
 *  up for FETCH_MS. */
int page_settle(struct browser *b, const struct cdp_wait *wait, struct error *err);
/** An object of members: name, kind, value, ..., NULL. Kinds: 's' text, 'i' int64_t,
 *  'd' double, 'b' int, 'o' json_object * (taken; NULL: out of memory). NULL, or as
 *  js_failed, if memory ran out. */
json_object *browser_json(const char *name, ...);

/** A line for the next observation. */
void page_note(struct browser *b, const char *fmt, ...) MT_PRINTF(2, 3);

/* console.c */
/** A message or an error of a page. */
void console_on_event(struct browser *b, struct tab *t, const char *method,
		      json_object *p);
/** Note what no result had yet: the beginnings of the last lines. */
void console_tell(struct browser *b);
/** Note all lines that are kept. */
void console_tell_all(struct browser *b);

/* elements.c */
struct element *element_by_bid(struct browser *b, const char *bid);
/** Find it, or give it a bid. NULL: out of memory. `is_frame`: it holds a page. */
struct element *element_add(struct browser *b, unsigned frame, int64_t node,
			    bool is_frame);
void elements_clear(struct browser *b);

/* element-script.c */
/** Fails with a sentence if there is none. */
int element_find(struct browser *b, const char *bid, struct element **ret,
		 struct error *err);
/** What the browser says of a node that is gone, in words of use. @return `status`. */
int element_explain(int status, const struct element *e, struct error *err);
/** Run a function with the element as `this` and one argument (taken; NULL: none), in
 *  the isolated world of its frame. `ret`: its value, owned. */
int element_run(struct browser *b, const struct element *e, const char *function,
		json_object *argument, const struct cdp_wait *wait, json_object **ret,
		struct error *err);
/** As element_run, for functions that return "" or a sentence of fault. */
int element_tell(struct browser *b, const struct element *e, const char *function,
		 json_object *argument, const struct cdp_wait *wait, struct error *err);
/** Bring it into view. `ret_x`, `ret_y`: where its middle is in the window. */
int element_aim(struct browser *b, const struct element *e, const struct cdp_wait *wait,
		double *ret_x, double *ret_y, struct error *err);

/* screenshot.c */
int screenshot_take(struct browser *b, enum screenshot kind, const struct cdp_wait *wait,
		    struct strbuf *ret, struct error *err);

/* input.c */
int input_mouse(struct browser *b, const char *type, double x, double y,
		const char *button, int buttons, int count, int modifiers,
		const struct cdp_wait *wait, struct error *err);
int input_press(struct browser *b, const char *keys, const struct cdp_wait *wait,
		struct error *err);
int input_key(struct browser *b, const char *key, bool down, int modifiers,
	      const struct cdp_wait *wait, struct error *err);
/** Bit of a modifier's name, 0 if it is none. */
int input_modifier(const char *name, size_t len);

#endif
