/* SPDX-License-Identifier: MIT
 *
 * browser.h - a browser with its tabs: started on first use, restarted after it
 * exited; the last state of its pages; actions on them. */
#ifndef BROWSER_BROWSER_H
#define BROWSER_BROWSER_H

#include "actions.h"
#include "outline.h"
#include "cdp.h"
#include "chrome.h"

enum {
	TABS_MAX = 32,
	FRAMES_MAX = 200,     /* maximum frames of a page to inspect */
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
	int64_t load_ms;        /* time limit for loading a page */
	int64_t settle_ms;      /* required time without a change, after an action */
};

/** The captured state of a page: its text, and more. */
struct observation {
	char *url;
	struct strbuf tree;
	bool whole;             /* the tree includes parts out of view */
	bool unseen;            /* part of the page is out of view */
	size_t found;           /* lines that contain the text of view.find */
	bool cut;               /* the tree was truncated */
	char focused[BID_MAX];
	char *tabs[TABS_MAX];   /* URLs */
	size_t tab_count, active;
	double top, view_height, height; /* of the page, px: scrolled, in view, total */
	struct strbuf notes;    /* a line each: dialogs, downloads, ... */
	struct strbuf picture;  /* PNG */
};

/** What to capture. */
struct view {
	bool whole;             /* include parts out of view */
	const char *find;       /* show only lines with this text; NULL: all */
	enum screenshot { SCREENSHOT_NO, SCREENSHOT_PLAIN, SCREENSHOT_MARKED } picture;
};

struct browser;

int browser_new(const struct browser_config *config, struct browser **ret,
		struct error *err);
struct browser *browser_free(struct browser *b);
/** Start the browser unless it runs. */
int browser_ready(struct browser *b, const struct cdp_wait *wait, struct error *err);
/** Execute one action and wait until the page is quiet. An error of the page or the
 *  arguments is MT_EINVAL or MT_ETIMEOUT, with a message that begins with its type;
 *  MT_EIO: the browser exited; MT_ECANCELLED. */
int browser_act(struct browser *b, const struct py_call *call,
		const struct cdp_wait *wait, struct error *err);
/** Capture the page. Scripts that do not end are stopped; if that does not help, the next
 *  browser_ready closes the tab. The caller must call observe_clear in any case. */
int browser_look(struct browser *b, const struct view *view, const struct cdp_wait *wait,
		 struct observation *ret, struct error *err);
void observe_clear(struct observation *o);

#endif
