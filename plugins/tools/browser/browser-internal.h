/* SPDX-License-Identifier: MIT
 *
 * browser-internal.h - shared declarations of the browser tool. */
#ifndef BROWSER_BROWSER_INTERNAL_H
#define BROWSER_BROWSER_INTERNAL_H

#include "browser.h"

enum { REQUESTS_MAX = 64 };

struct tab {
	char target[ID_MAX], session[ID_MAX]; /* the main frame has the target's id */
	bool loading, crashed, watched; /* watched: its requests are reported */
	/* Requests of the page since the last action: hashes of their ids. */
	uint64_t requests[REQUESTS_MAX];
	size_t request_count;
	double console_time, console_now; /* of the last message shown in a result, and
					     of the last one stored; ms */
};

/** A node of the page that has a bid. */
struct element {
	int64_t node;      /* backendNodeId */
	unsigned frame;
	char bid[BID_MAX];
	bool shown;        /* shown by the last observation */
	struct ax_mark mark;
};

struct frame {
	char id[ID_MAX], label[BID_MAX]; /* "" for the page itself */
	unsigned last, inner;            /* number of elements and frames in it */
};

struct browser {
	struct browser_config config;
	struct chrome chrome;
	struct cdp *cdp;
	struct tab tabs[TABS_MAX];
	size_t tab_count, active;
	struct strbuf notes;
	struct strbuf console; /* one line per message or error of the pages */
	size_t console_told;   /* bytes of it already shown in a result */
	enum next_dialog { DIALOG_USUAL, DIALOG_ACCEPT, DIALOG_DISMISS } next_dialog;
	char *dialog_text;     /* for the next prompt; NULL: the prompt's default */
	double mouse_x, mouse_y;
	bool was_started;
	int64_t changed;       /* clock_ms() of the last sign of a change */
	/* of the page that `loader` names */
	char loader[ID_MAX];
	struct element *elements;
	size_t element_count, element_room;
	uint32_t *by_node, *by_bid; /* indexes into `elements` plus 1, by hash */
	size_t slots;
	struct frame frames[FRAMES_MAX];
	size_t frame_count;
	/* set by events */
	int64_t chooser;       /* node of the file input; -1: chooser without one */
	json_object *drag;     /* data of a drag that the page started */
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
/** Close crashed tabs; open one if none is left. */
int page_repair(struct browser *b, const struct cdp_wait *wait, struct error *err);
/** Stop what blocks the page: a URL that does not respond, a script that does not end. */
void page_interrupt(struct browser *b);
/** Start an action: later requests of the page are attributed to it. */
void page_begin(struct browser *b);
/** End a call: no events are read until the next one, so make the browser report
 *  fewer. */
void page_end(struct browser *b);
/** Handle events until the page is quiet: nothing loads, nothing is fetched, and
 *  settle_ms have passed without a change; at most load_ms, of which at most FETCH_MS for
 *  requests. */
int page_settle(struct browser *b, const struct cdp_wait *wait, struct error *err);
/** An object of members: name, kind, value, ..., NULL. Kinds: 's' text, 'i' int64_t,
 *  'd' double, 'b' int, 'o' json_object * (taken; NULL: out of memory). NULL, or as
 *  js_failed, if memory ran out. */
json_object *browser_json(const char *name, ...);

/** Append a line to the notes of the next observation. */
void page_note(struct browser *b, const char *fmt, ...) MT_PRINTF(2, 3);

/* console.c */
/** A message or an error of a page. */
void console_on_event(struct browser *b, struct tab *t, const char *method,
		      json_object *p);
/** Append the console messages not shown yet, truncated and only the last lines, to the
 *  notes. */
void console_tell(struct browser *b);
/** Append all stored console lines to the notes. */
void console_tell_all(struct browser *b);

/* elements.c */
struct element *element_by_bid(struct browser *b, const char *bid);
/** Find the element of a node, or assign a bid. NULL: out of memory. `is_frame`: it
 *  contains a page. */
struct element *element_add(struct browser *b, unsigned frame, int64_t node,
			    bool is_frame);
void elements_clear(struct browser *b);

/* element-script.c */
/** Find an element; fails with a message if it does not exist. */
int element_find(struct browser *b, const char *bid, struct element **ret,
		 struct error *err);
/** Explain a browser error about a node that no longer exists. @return `status`. */
int element_explain(int status, const struct element *e, struct error *err);
/** Run a function with the element as `this` and one argument (taken; NULL: none), in
 *  the isolated world of its frame. `ret`: its value, owned. */
int element_run(struct browser *b, const struct element *e, const char *function,
		json_object *argument, const struct cdp_wait *wait, json_object **ret,
		struct error *err);
/** Like element_run, for functions that return "" or an error message. */
int element_tell(struct browser *b, const struct element *e, const char *function,
		 json_object *argument, const struct cdp_wait *wait, struct error *err);
/** Scroll the element into view. `ret_x`, `ret_y`: its center in the window. */
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
/** Bit of the modifier `name`; 0: unknown. */
int input_modifier(const char *name, size_t len);

#endif
