/* SPDX-License-Identifier: MIT
 *
 * browser.h - a browser with its tabs: started on first use, restarted after it
 * exited; the last state of its pages; actions on them. */
#ifndef BROWSER_BROWSER_H
#define BROWSER_BROWSER_H

#include "actions.h"
#include "axtree.h"
#include "cdp.h"
#include "chrome.h"

enum {
	TABS_MAX = 32,
	FRAMES_MAX = 200,     /* of a page, that are looked into */
	NOTES_MAX = 16 * 1024,
	CONSOLE_MAX = 32 * 1024,
	BID_MAX = 24,
	ID_MAX = 80,          /* of a target, a session, a frame */
};

struct browser_config {
	struct chrome_config chrome;
	const char *downloads;  /* directory */
	const char *workspace;
	bool accept_dialogs;    /* confirm and prompt: OK instead of Cancel */
	size_t tree_max;        /* bytes of the tree's text */
	int64_t load_ms;        /* to wait for a page */
	int64_t settle_ms;      /* without a change, after an action */
};

/** The captured state of a page: its text, and more. */
struct observation {
	char *url;
	struct strbuf tree;
	bool whole;             /* the tree has what is out of view, too */
	bool unseen;            /* some of the page is out of view */
	size_t found;           /* lines with the text of view.find */
	bool cut;               /* the tree was longer */
	char focused[BID_MAX];
	char *tabs[TABS_MAX];   /* URLs */
	size_t tab_count, active;
	double top, view_height, height; /* of the page: px above the window, in it, in all */
	struct strbuf notes;    /* a line each: dialogs, downloads, ... */
	struct strbuf picture;  /* PNG */
};

/** How to look. */
struct view {
	bool whole;             /* also what is out of view */
	const char *find;       /* show the lines with this text only; NULL: all */
	enum screenshot { SCREENSHOT_NO, SCREENSHOT_PLAIN, SCREENSHOT_MARKED } picture;
};

struct browser;

int browser_new(const struct browser_config *config, struct browser **ret,
		struct error *err);
struct browser *browser_free(struct browser *b);
/** Start it, unless it runs. */
int browser_ready(struct browser *b, const struct cdp_wait *wait, struct error *err);
/** Do one action and wait until the page is quiet. A fault of the page or of the
 *  arguments is MT_EINVAL or MT_ETIMEOUT with a sentence that begins with its type;
 *  MT_EIO: the browser ended; MT_ECANCELLED. */
int browser_act(struct browser *b, const struct py_call *call,
		const struct cdp_wait *wait, struct error *err);
/** Look at the page. One whose scripts do not end is freed of them; if that does not
 *  help, its tab is closed by the next browser_ready. observe_clear is due in any
 *  case. */
int browser_look(struct browser *b, const struct view *view, const struct cdp_wait *wait,
		 struct observation *ret, struct error *err);
void observe_clear(struct observation *o);

#endif
