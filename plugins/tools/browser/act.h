/* SPDX-License-Identifier: MIT
 *
 * act.h - the actions, each a function. They fail with MT_EINVAL and an error message in
 * Python's style. */
#ifndef BROWSER_ACT_H
#define BROWSER_ACT_H

#include "browser-internal.h"

/* Arguments of a call. */
static inline const char *act_text(const struct py_call *c, int i)
{
	return c->values[i] ? json_object_get_string(c->values[i]) : "";
}

static inline double act_number(const struct py_call *c, int i)
{
	return json_object_get_double(c->values[i]);
}

/* act-mouse.c */
int act_click(struct browser *b, const struct py_call *c, int times,
	      const struct cdp_wait *wait, struct error *err);
int act_hover(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	      struct error *err);
int act_drag(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	     struct error *err);
/** Actions by coordinates. */
int act_mouse(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	      struct error *err);
/** Press a button `times` times; `bits`: the button as a bit. */
int act_press_at(struct browser *b, double x, double y, const char *button, int bits,
		 int times, int modifiers, const struct cdp_wait *wait,
		 struct error *err);

/* act-form.c */
/** Give an element the focus. */
int act_focus(struct browser *b, const char *bid, struct element **ret,
	      const struct cdp_wait *wait, struct error *err);
int act_fill(struct browser *b, const char *bid, const char *value,
	     const struct cdp_wait *wait, struct error *err);
int act_select_text(struct browser *b, const struct py_call *c,
		    const struct cdp_wait *wait, struct error *err);
int act_select(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	       struct error *err);
int act_upload(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	       struct error *err);
int act_mouse_upload(struct browser *b, const struct py_call *c,
		     const struct cdp_wait *wait, struct error *err);

/* act-page.c */
int act_goto(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	     struct error *err);
/** Go forward or back by this number of pages. */
int act_history(struct browser *b, int step, const struct cdp_wait *wait,
		struct error *err);
int act_scroll(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	       struct error *err);
int act_noop(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	     struct error *err);
int act_show_tab(struct browser *b, size_t i, const struct cdp_wait *wait,
		 struct error *err);
int act_new_tab(struct browser *b, const struct cdp_wait *wait, struct error *err);
int act_answer(struct browser *b, const struct py_call *c, struct error *err);
int act_close_tab(struct browser *b, const struct cdp_wait *wait, struct error *err);

#endif
