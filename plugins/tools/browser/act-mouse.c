/* SPDX-License-Identifier: MIT
 *
 * act-mouse.c - clicks, hovering and dragging. */
#include "act.h"
#include "clock.h"
#include <string.h>

enum { DRAG_STEPS = 5, HOVER_MS = 2000 };

/* Would a click in the middle of the element reach it, its label or its content? */
static const char is_reached[] =
	"function(){if(this.disabled)return 'is disabled';"
	"const r=this.getClientRects()[0];if(!r)return 'is not visible';"
	"let t=this.ownerDocument.elementFromPoint(r.x+r.width/2,r.y+r.height/2);"
	"while(t&&t.shadowRoot&&!t.contains(this)){const i=t.shadowRoot.elementFromPoint("
	"r.x+r.width/2,r.y+r.height/2);if(!i||i===t)break;t=i}"
	"if(!t)return '';for(let n=t;n;n=n.parentNode||n.host)if(n===this)return '';"
	"for(let n=this;n;n=n.parentNode||n.host)if(n===t)return '';"
	"for(const l of this.labels||[])if(l.contains(t))return '';"
	"return 'is covered by <'+t.tagName.toLowerCase()+(t.id?' id='+t.id:'')+'>'}";

static int button_of(const struct py_call *c, int i, const char **ret, struct error *err)
{
	static const struct {
		const char *name;
		int bit;
	} buttons[] = { { "left", 1 }, { "right", 2 }, { "middle", 4 } };
	const char *name = c->values[i] ? act_text(c, i) : "left";
	__auto_type row = ROW_NAMED(buttons, name);

	*ret = name;
	if (row)
		return row->bit;
	fail(err, MT_EINVAL,
	     "ValueError: `button` must be left, middle or right, not "
	     "'%.20s'",
	     name);
	return 0;
}

static int modifiers_of(const struct py_call *c, int i, int *ret, struct error *err)
{
	json_object *list = c->values[i];

	*ret = 0;
	for (size_t n = 0; list && n < json_object_array_length(list); n++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(list, n));
		int bit = input_modifier(name, strlen(name));

		if (!bit)
			return fail(err, MT_EINVAL,
				    "ValueError: modifiers must be Alt, Control, "
				    "ControlOrMeta, Meta or Shift, not '%.20s'",
				    name);
		*ret |= bit;
	}
	return MT_OK;
}

/* Does the element have a size after the next frame? Under the mouse it may be small
 * until an image has loaded. */
static const char has_size[] =
	"function(){return new Promise(done=>{const end=()=>{const r=this.getClientRects()[0];"
	"done(r&&r.width*r.height>0?'':'has no size')};"
	"requestAnimationFrame(()=>requestAnimationFrame(end));"
	"setTimeout(end,document.hidden?100:2000)})}";

/* Move the mouse over an element that has a size. Wait until the resulting changes are
 * over and a click there would still reach the element. */
static int hover_over(struct browser *b, const struct element *e, double *x, double *y,
		      int modifiers, const struct cdp_wait *wait, struct error *err)
{
	int64_t end = clock_ms() + HOVER_MS;
	int status;

	if (input_mouse(b, "mouseMoved", *x, *y, "none", 0, 0, modifiers, wait, err))
		return err->code;
	do {
		*err = ERROR_NONE;
		status = element_tell(b, e, has_size, NULL, wait, err);
		if (!status)
			status = element_aim(b, e, wait, x, y, err);
		if (!status)
			status = element_tell(b, e, is_reached, NULL, wait, err);
	} while (status == MT_EINVAL && clock_ms() < end);
	return status;
}

int act_press_at(struct browser *b, double x, double y, const char *button, int bits,
		 int times, int modifiers, const struct cdp_wait *wait, struct error *err)
{
	int status =
		input_mouse(b, "mouseMoved", x, y, "none", 0, 0, modifiers, wait, err);

	for (int n = 1; n <= times && !status; n++) {
		status = input_mouse(b, "mousePressed", x, y, button, bits, n, modifiers,
				     wait, err);
		if (!status)
			status = input_mouse(b, "mouseReleased", x, y, button, 0, n,
					     modifiers, wait, err);
	}
	return status;
}

/* An option of a closed list cannot be clicked: select it. */
static const char choose_option[] =
	"function(){if(this.tagName!=='OPTION'||!this.closest('select')||"
	"this.getClientRects().length)return 'no';"
	"const s=this.closest('select');if(this.disabled||s.disabled)return 'is disabled';"
	"if(s.multiple)this.selected=!this.selected;else this.selected=true;"
	"s.dispatchEvent(new Event('input',{bubbles:true}));"
	"s.dispatchEvent(new Event('change',{bubbles:true}));return ''}";

int act_click(struct browser *b, const struct py_call *c, int times,
	      const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *chosen = NULL, *sized = NULL;
	struct element *e;
	const char *button, *said;
	double x, y;
	int modifiers, bits = button_of(c, 1, &button, err);

	if (!bits || modifiers_of(c, 2, &modifiers, err) ||
	    element_find(b, act_text(c, 0), &e, err) ||
	    element_run(b, e, choose_option, NULL, wait, &chosen, err))
		return err->code;
	said = json_object_is_type(chosen, json_type_string)
		       ? json_object_get_string(chosen)
		       : "no";
	if (!*said)
		return MT_OK;
	if (element_aim(b, e, wait, &x, &y, err) ||
	    element_tell(b, e, is_reached, NULL, wait, err) ||
	    element_run(b, e, has_size, NULL, wait, &sized, err))
		return err->code;
	if (!json_object_get_string_len(sized) &&
	    hover_over(b, e, &x, &y, modifiers, wait, err))
		return err->code;
	return act_press_at(b, x, y, button, bits, times, modifiers, wait, err);
}

int act_hover(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	      struct error *err)
{
	struct element *e;
	double x, y;

	if (element_find(b, act_text(c, 0), &e, err) ||
	    element_aim(b, e, wait, &x, &y, err))
		return err->code;
	return input_mouse(b, "mouseMoved", x, y, "none", 0, 0, 0, wait, err);
}

static int drag_event(struct browser *b, const char *type, double x, double y,
		      const struct cdp_wait *wait, struct error *err)
{
	return page_call(b, "Input.dispatchDragEvent",
			 browser_json("type", 's', type, "x", 'd', x, "y", 'd', y, "data",
				      'o', json_object_get(b->drag), NULL),
			 wait, NULL, err);
}

/* A drag that the page begins (draggable elements) is simulated here; any other needs
 * only mouse events. */
static int drag(struct browser *b, double x, double y, double to_x, double to_y,
		const struct cdp_wait *wait, struct error *err)
{
	int status = page_call(b, "Input.setInterceptDrags",
			       browser_json("enabled", 'b', 1, NULL), wait, NULL, err);

	json_object_put(b->drag);
	b->drag = NULL;
	if (!status)
		status = input_mouse(b, "mouseMoved", x, y, "none", 0, 0, 0, wait, err);
	if (!status)
		status = input_mouse(b, "mousePressed", x, y, "left", 1, 1, 0, wait, err);
	for (int n = 1; n <= DRAG_STEPS && !status && !b->drag; n++)
		status = input_mouse(b, "mouseMoved", x + (to_x - x) * n / DRAG_STEPS,
				     y + (to_y - y) * n / DRAG_STEPS, "left", 1, 0, 0,
				     wait, err);
	if (!status && b->drag) {
		static const char *const types[] = { "dragEnter", "dragOver", "drop" };

		for (size_t i = 0; i < ARRAY_LEN(types) && !status; i++)
			status = drag_event(b, types[i], to_x, to_y, wait, err);
	}
	if (!status)
		status = input_mouse(b, "mouseReleased", to_x, to_y, "left", 0, 1, 0,
				     wait, err);
	cdp_send(b->cdp, tab_of(b)->session, "Input.setInterceptDrags",
		 browser_json("enabled", 'b', 0, NULL));
	return status;
}

int act_drag(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	     struct error *err)
{
	struct element *from, *to;
	double x, y, to_x, to_y;

	if (element_find(b, act_text(c, 0), &from, err) ||
	    element_find(b, act_text(c, 1), &to, err) ||
	    element_aim(b, to, wait, &to_x, &to_y, err) ||
	    element_aim(b, from, wait, &x, &y, err) ||
	    element_aim(b, to, wait, &to_x, &to_y, err) ||
	    element_aim(b, from, wait, &x, &y, err))
		return err->code;
	return drag(b, x, y, to_x, to_y, wait, err);
}

int act_mouse(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	      struct error *err)
{
	double x = act_number(c, 0), y = act_number(c, 1);
	const char *button = "none";
	int bits = 0;

	if (c->id == ACT_MOUSE_MOVE)
		return input_mouse(b, "mouseMoved", x, y, button, 0, 0, 0, wait, err);
	if (c->id == ACT_MOUSE_DRAG_AND_DROP)
		return drag(b, x, y, act_number(c, 2), act_number(c, 3), wait, err);
	bits = button_of(c, 2, &button, err);
	if (!bits)
		return err->code;
	if (c->id == ACT_MOUSE_DOWN)
		return input_mouse(b, "mousePressed", x, y, button, bits, 1, 0, wait,
				   err);
	if (c->id == ACT_MOUSE_UP)
		return input_mouse(b, "mouseReleased", x, y, button, 0, 1, 0, wait, err);
	return act_press_at(b, x, y, button, bits, c->id == ACT_MOUSE_DBLCLICK ? 2 : 1, 0,
			    wait, err);
}
