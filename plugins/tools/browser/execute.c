/* SPDX-License-Identifier: MIT
 *
 * execute.c - executes an action. */
#include "act.h"

static int do_type(struct browser *b, const char *text, const struct cdp_wait *wait,
		   struct error *err)
{
	return page_call(b, "Input.insertText", browser_json("text", 's', text, NULL),
			 wait, NULL, err);
}

static int do_one(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
		  struct error *err)
{
	struct element *e;

	switch (c->id) {
	case ACT_NOOP:
		return act_noop(b, c, wait, err);
	case ACT_GOTO:
		return act_goto(b, c, wait, err);
	case ACT_GO_BACK:
		return act_history(b, -1, wait, err);
	case ACT_GO_FORWARD:
		return act_history(b, 1, wait, err);
	case ACT_SCROLL:
		return act_scroll(b, c, wait, err);
	case ACT_FILL:
		return act_fill(b, act_text(c, 0), act_text(c, 1), wait, err);
	case ACT_CLEAR:
		return act_fill(b, act_text(c, 0), "", wait, err);
	case ACT_SELECT_OPTION:
		return act_select(b, c, wait, err);
	case ACT_SELECT_TEXT:
		return act_select_text(b, c, wait, err);
	case ACT_CLICK:
		return act_click(b, c, 1, wait, err);
	case ACT_DBLCLICK:
		return act_click(b, c, 2, wait, err);
	case ACT_HOVER:
		return act_hover(b, c, wait, err);
	case ACT_FOCUS:
		return act_focus(b, act_text(c, 0), &e, wait, err);
	case ACT_PRESS:
		if (act_focus(b, act_text(c, 0), &e, wait, err))
			return err->code;
		return input_press(b, act_text(c, 1), wait, err);
	case ACT_DRAG_AND_DROP:
		return act_drag(b, c, wait, err);
	case ACT_UPLOAD_FILE:
		return act_upload(b, c, wait, err);
	case ACT_NEW_TAB:
		return act_new_tab(b, wait, err);
	case ACT_TAB_CLOSE:
		return act_close_tab(b, wait, err);
	case ACT_TAB_FOCUS:
		return act_show_tab(b, (size_t)act_number(c, 0), wait, err);
	case ACT_MOUSE_UPLOAD_FILE:
		return act_mouse_upload(b, c, wait, err);
	case ACT_KEYBOARD_PRESS:
		return input_press(b, act_text(c, 0), wait, err);
	case ACT_KEYBOARD_DOWN:
		return input_key(b, act_text(c, 0), true, 0, wait, err);
	case ACT_KEYBOARD_UP:
		return input_key(b, act_text(c, 0), false, 0, wait, err);
	case ACT_KEYBOARD_TYPE:
	case ACT_KEYBOARD_INSERT_TEXT:
		return do_type(b, act_text(c, 0), wait, err);
	case ACT_MOUSE_CLICK:
	case ACT_MOUSE_DBLCLICK:
	case ACT_MOUSE_MOVE:
	case ACT_MOUSE_DOWN:
	case ACT_MOUSE_UP:
	case ACT_MOUSE_DRAG_AND_DROP:
		return act_mouse(b, c, wait, err);
	case ACT_CONSOLE:
		console_tell_all(b);
		return MT_OK;
	case ACT_ACCEPT_DIALOG:
	case ACT_DISMISS_DIALOG:
		return act_answer(b, c, err);
	case ACT_FIND:
		return *act_text(c, 0)
			       ? MT_OK
			       : fail(err, MT_EINVAL, "ValueError: find needs a text");
	case ACT_SCREENSHOT:
	case ACT_SEND_MSG_TO_USER:
	case ACT_REPORT_INFEASIBLE:
		return MT_OK; /* handled by the caller */
	case ACTION_COUNT:
		break;
	}
	return fail(err, MT_EUNSUPPORTED, "NameError: unknown action");
}

int browser_act(struct browser *b, const struct py_call *call,
		const struct cdp_wait *wait, struct error *err)
{
	int status;

	page_begin(b);
	status = b->tab_count ? do_one(b, call, wait, err)
			      : fail(err, MT_EIO, "the browser has no open page");
	if (status == MT_EIO || status == MT_ECANCELLED)
		return status;
	if (status == MT_ETIMEOUT)
		page_interrupt(b);
	if (call->id != ACT_NOOP && call->id != ACT_SCREENSHOT && call->id != ACT_FIND &&
	    call->id != ACT_CONSOLE) {
		int settled = page_settle(b, wait, status ? NULL : err);

		status = status ? status : settled;
	}
	if (status != MT_EIO && status != MT_ECANCELLED) {
		int repaired = page_repair(b, wait, status ? NULL : err);

		status = status ? status : repaired;
	}
	return status;
}
