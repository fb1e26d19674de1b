/* SPDX-License-Identifier: MIT
 *
 * execute.c - the actions. Scripts that look at an element run in a world of their own,
 * which the page does not see. */
#include "internal.h"
#include "clock.h"
#include "files.h"
#include <math.h>
#include <string.h>

enum { DRAG_STEPS = 5, CHOOSER_MS = 3000, HOVER_MS = 2000, NOOP_MAX_MS = 60000 };

/* ---- an element ------------------------------------------------------------------- */

static const char *text_of(const struct py_call *c, int i)
{
	return c->values[i] ? json_object_get_string(c->values[i]) : "";
}

static double number_of(const struct py_call *c, int i)
{
	return json_object_get_double(c->values[i]);
}

static int execute_find(struct browser *b, const char *bid, struct element **ret,
			struct error *err)
{
	struct element *e = *ret = element_by_bid(b, bid);

	if (!e)
		return fail(err, MT_EINVAL,
			    "ValueError: no element has the bid '%.40s'; bids are in "
			    "brackets in the tree",
			    bid);
	return MT_OK;
}

/* What the browser says of a node that is gone, in words of use. */
static int explain(int status, const struct element *e, struct error *err)
{
	struct error before;

	if (status != MT_EINVAL)
		return status;
	before = *err;
	*err = ERROR_NONE;
	if (strcasestr(before.text, "node") || strstr(before.text, "object"))
		return fail(err, status,
			    "ValueError: element '%s' is no longer on the page, or not "
			    "visible: %s",
			    e->bid, before.text);
	return fail(err, status, "Error: %s", before.text);
}

/* Run a function with the element as `this` and one argument, in our own world of its
 * frame. @return its value, owned. */
static int run_on(struct browser *b, const struct element *e, const char *function,
		  json_object *argument, const struct cdp_wait *wait, json_object **ret,
		  struct error *err)
{
	AUTO(json) json_object *arg = argument, *world = NULL, *node = NULL, *out = NULL;
	json_object *list;
	int status = page_call(b, "Page.createIsolatedWorld",
			       js_make("frameId", 's', b->frames[e->frame].id,
				       "worldName", 's', "mortise", NULL),
			       wait, &world, err);

	*ret = NULL;
	if (!status)
		status = page_call(b, "DOM.resolveNode",
				   js_make("backendNodeId", 'i', e->node,
					   "executionContextId", 'i',
					   js_int(world, "executionContextId", 0), NULL),
				   wait, &node, err);
	if (status)
		return explain(status, e, err);
	list = json_object_new_array();
	js_add_new(list, js_make("value", 'o', STEAL(arg), NULL));
	status = page_call(b, "Runtime.callFunctionOn",
			   js_make("functionDeclaration", 's', function, "objectId", 's',
				   js_str(js_get(node, "object"), "objectId", ""),
				   "arguments", 'o', list, "returnByValue", 'b', 1,
				   "awaitPromise", 'b', 1, "userGesture", 'b', 1, NULL),
			   wait, &out, err);
	if (!status && js_get(out, "exceptionDetails"))
		status = fail(err, MT_EINVAL, "%.300s",
			      js_str(js_path(out, "exceptionDetails.exception"),
				     "description", "a script failed"));
	if (!status)
		*ret = json_object_get(js_path(out, "result.value"));
	return explain(status, e, err);
}

/* As run_on, for functions that return "" or a sentence of fault. */
static int execute_tell(struct browser *b, const struct element *e, const char *function,
			json_object *argument, const struct cdp_wait *wait,
			struct error *err)
{
	AUTO(json) json_object *said = NULL;
	int status = run_on(b, e, function, argument, wait, &said, err);
	const char *text = json_object_is_type(said, json_type_string)
				   ? json_object_get_string(said)
				   : "";

	if (status || !*text)
		return status;
	return fail(err, MT_EINVAL, "Error: element '%s' %s", e->bid, text);
}

/* Bring it into view. @return where its middle is in the window. */
static int aim(struct browser *b, const struct element *e, const struct cdp_wait *wait,
	       double *ret_x, double *ret_y, struct error *err)
{
	AUTO(json) json_object *shape = NULL;
	json_object *quads, *quad = NULL;
	double x = 0, y = 0;
	int status =
		page_call(b, "DOM.scrollIntoViewIfNeeded",
			  js_make("backendNodeId", 'i', e->node, NULL), wait, NULL, err);

	if (!status)
		status = page_call(b, "DOM.getContentQuads",
				   js_make("backendNodeId", 'i', e->node, NULL), wait,
				   &shape, err);
	if (status)
		return explain(status, e, err);
	quads = js_get(shape, "quads");
	if (quads && json_object_array_length(quads))
		quad = json_object_array_get_idx(quads, 0);
	if (!quad || json_object_array_length(quad) != 8)
		return fail(err, MT_EINVAL, "Error: element '%s' is not visible", e->bid);
	for (size_t i = 0; i < 8; i += 2) {
		x += json_object_get_double(json_object_array_get_idx(quad, i)) / 4;
		y += json_object_get_double(json_object_array_get_idx(quad, i + 1)) / 4;
	}
	*ret_x = x;
	*ret_y = y;
	return MT_OK;
}

/* Would a click in its middle reach it? Its label counts, and what is inside it. */
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

/* ---- actions ----------------------------------------------------------------------- */

static int button_of(const struct py_call *c, int i, const char **ret, struct error *err)
{
	const char *name = c->values[i] ? text_of(c, i) : "left";

	*ret = name;
	if (strcmp(name, "left") == 0)
		return 1;
	if (strcmp(name, "right") == 0)
		return 2;
	if (strcmp(name, "middle") == 0)
		return 4;
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

/* Has it a size, a frame later? Under the mouse it may be small until a picture came. */
static const char has_size[] =
	"function(){return new Promise(done=>{const end=()=>{const r=this.getClientRects()[0];"
	"done(r&&r.width*r.height>0?'':'has no size')};"
	"requestAnimationFrame(()=>requestAnimationFrame(end));"
	"setTimeout(end,document.hidden?100:2000)})}";

/* Put the mouse over an element that has a size, and wait until what that changes is over
 * and a click there would still reach it. */
static int hover_over(struct browser *b, const struct element *e, double *x, double *y,
		      int modifiers, const struct cdp_wait *wait, struct error *err)
{
	int64_t end = clock_ms() + HOVER_MS;
	int status;

	if (input_mouse(b, "mouseMoved", *x, *y, "none", 0, 0, modifiers, wait, err))
		return err->code;
	do {
		*err = ERROR_NONE;
		status = execute_tell(b, e, has_size, NULL, wait, err);
		if (!status)
			status = aim(b, e, wait, x, y, err);
		if (!status)
			status = execute_tell(b, e, is_reached, NULL, wait, err);
	} while (status == MT_EINVAL && clock_ms() < end);
	return status;
}

static int press_at(struct browser *b, double x, double y, const char *button, int bits,
		    int times, int modifiers, const struct cdp_wait *wait,
		    struct error *err)
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

/* An option of a list that is shown closed cannot be clicked: it is chosen. */
static const char choose_option[] =
	"function(){if(this.tagName!=='OPTION'||!this.closest('select')||"
	"this.getClientRects().length)return 'no';"
	"const s=this.closest('select');if(this.disabled||s.disabled)return 'is disabled';"
	"if(s.multiple)this.selected=!this.selected;else this.selected=true;"
	"s.dispatchEvent(new Event('input',{bubbles:true}));"
	"s.dispatchEvent(new Event('change',{bubbles:true}));return ''}";

static int do_click(struct browser *b, const struct py_call *c, int times,
		    const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *chosen = NULL, *sized = NULL;
	struct element *e;
	const char *button, *said;
	double x, y;
	int modifiers, bits = button_of(c, 1, &button, err);

	if (!bits || modifiers_of(c, 2, &modifiers, err) ||
	    execute_find(b, text_of(c, 0), &e, err) ||
	    run_on(b, e, choose_option, NULL, wait, &chosen, err))
		return err->code;
	said = json_object_is_type(chosen, json_type_string)
		       ? json_object_get_string(chosen)
		       : "no";
	if (!*said)
		return MT_OK;
	if (aim(b, e, wait, &x, &y, err) ||
	    execute_tell(b, e, is_reached, NULL, wait, err) ||
	    run_on(b, e, has_size, NULL, wait, &sized, err))
		return err->code;
	if (!json_object_get_string_len(sized) &&
	    hover_over(b, e, &x, &y, modifiers, wait, err))
		return err->code;
	return press_at(b, x, y, button, bits, times, modifiers, wait, err);
}

static int do_hover(struct browser *b, const struct py_call *c,
		    const struct cdp_wait *wait, struct error *err)
{
	struct element *e;
	double x, y;

	if (execute_find(b, text_of(c, 0), &e, err) || aim(b, e, wait, &x, &y, err))
		return err->code;
	return input_mouse(b, "mouseMoved", x, y, "none", 0, 0, 0, wait, err);
}

static int focus(struct browser *b, const char *bid, struct element **ret,
		 const struct cdp_wait *wait, struct error *err)
{
	if (execute_find(b, bid, ret, err))
		return err->code;
	return explain(page_call(b, "DOM.focus",
				 js_make("backendNodeId", 'i', (*ret)->node, NULL), wait,
				 NULL, err),
		       *ret, err);
}

/* Text fields are selected whole, for typing over; others that hold a value of a kind
 * get it at once. "type" says that text is to be typed. */
static const char start_fill[] =
	"function(v){const t=(this.type||'').toLowerCase(),n=this.tagName;"
	"if(this.disabled)return 'is disabled';if(this.readOnly)return 'is read-only';"
	"if(n==='INPUT'&&['checkbox','radio','button','submit','reset','file','image',"
	"'hidden'].includes(t))return 'is an input of type '+t+', which does not "
	"accept text';"
	"if(n==='SELECT')return 'is a list: use select_option';"
	"const s=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value').set;"
	"const f={date:'YYYY-MM-DD',time:'HH:MM',month:'YYYY-MM',week:'YYYY-Www',"
	"'datetime-local':'YYYY-MM-DDTHH:MM',color:'#RRGGBB'};"
	"const no='does not accept the value '+JSON.stringify(v.slice(0,80))+'; ';"
	"if(n==='INPUT'){const c=this.cloneNode();s.call(c,v);const w=c.value;"
	"if(t==='color'?w!==v.toLowerCase():f[t]&&v&&!w)return no+'the format is '+f[t];"
	"if(t==='range'&&(v.trim()===''||Number(w)!==Number(v)))return no+'it takes numbers '+"
	"'from '+(this.min||0)+' to '+(this.max||100)+' in steps of '+(this.step||1);"
	"if(t==='number'&&v&&!w)return no+'it takes a number'}"
	"if(n!=='SELECT'&&this.maxLength>=0&&v.length>this.maxLength)"
	"return no+'it takes at most '+this.maxLength+' characters';"
	"if(n==='INPUT'&&(f[t]||t==='range')){s.call(this,v);"
	"this.dispatchEvent(new Event('input',{bubbles:true}));"
	"this.dispatchEvent(new Event('change',{bubbles:true}));return ''}"
	"if(n!=='INPUT'&&n!=='TEXTAREA'&&!this.isContentEditable)"
	"return 'is not a text field';"
	"this.focus();if(this.select&&n!=='DIV')this.select();else{"
	"const r=this.ownerDocument.createRange();r.selectNodeContents(this);"
	"const s=this.ownerDocument.defaultView.getSelection();s.removeAllRanges();"
	"s.addRange(r)}return 'type'}";

/* The value, before and after. */
static const char read_value[] =
	"function(){return String('value' in this?this.value:this.textContent)}";

/* What a page's script undid, or emptied: the field has its old value again. */
static const char put_back[] =
	"function(old){const v='value' in this?this.value:this.textContent;"
	"if(v!==old){if(v!=='')return '';"
	"const p=this.tagName==='TEXTAREA'?HTMLTextAreaElement:HTMLInputElement;"
	"const put=()=>{if('value' in this)Object.getOwnPropertyDescriptor(p.prototype,"
	"'value').set.call(this,old);else this.textContent=old};put();"
	"this.dispatchEvent(new Event('input',{bubbles:true}));put()}"
	"return 'did not take that value, and has its old one'}";

/* Type over what is there, unless the page does not let it stand. */
static int type_over(struct browser *b, const struct element *e, const char *value,
		     const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *before = NULL;
	int status = run_on(b, e, read_value, NULL, wait, &before, err);

	if (!status)
		status = page_call(b, "Input.insertText",
				   js_make("text", 's', value, NULL), wait, NULL, err);
	if (status || !before || strcmp(json_object_get_string(before), value) == 0)
		return status;
	return execute_tell(b, e, put_back, STEAL(before), wait, err);
}

static int execute_fill(struct browser *b, const char *bid, const char *value,
			const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *out = NULL;
	struct element *e;
	const char *said;

	if (execute_find(b, bid, &e, err) ||
	    run_on(b, e, start_fill, json_object_new_string(value), wait, &out, err))
		return err->code;
	said = json_object_is_type(out, json_type_string) ? json_object_get_string(out)
							  : "";
	if (!*said)
		return MT_OK;
	if (strcmp(said, "type") != 0)
		return fail(err, MT_EINVAL, "Error: element '%s' %s", e->bid, said);
	if (!*value)
		return input_press(b, "Delete", wait, err);
	return type_over(b, e, value, wait, err);
}

/* Select a part of an element's text, or all of it, as a mouse would. An editor gets the
 * focus first: without it, it ignores the selection. */
static const char select_text[] =
	"function(want){const d=this.ownerDocument,s=d.defaultView.getSelection();"
	"if('selectionStart' in this&&'value' in this){const i=this.value.indexOf(want);"
	"if(i<0)return 'has no such text';this.focus();"
	"this.setSelectionRange(i,i+(want.length||this.value.length));return ''}"
	"const w=d.createTreeWalker(this,4),at=[];let all='';"
	"for(let n;n=w.nextNode();){at.push([n,all.length]);all+=n.data}"
	"if(!all.trim())return 'has no text';"
	"const r=d.createRange();if(!want)r.selectNodeContents(this);else{"
	"let i=all.indexOf(want),m=want.length;"
	"if(i<0){const x=new RegExp(want.trim().split(/\\s+/).map(p=>p.replace("
	"/[.*+?^${}()|[\\]\\\\]/g,'\\\\$&')).join('\\\\s+')).exec(all);"
	"if(!x)return 'has no such text';i=x.index;m=x[0].length}"
	"const put=(p,end)=>{for(let k=at.length;k--;)if(at[k][1]<p||(!end&&at[k][1]===p)||"
	"k===0)return [at[k][0],p-at[k][1]]};"
	"r.setStart(...put(i,false));r.setEnd(...put(i+m,true))}"
	"const t=r.startContainer,o=t.nodeType===1?t:t.parentNode;"
	"o.dispatchEvent(new MouseEvent('mousedown',{bubbles:true}));"
	"let h=o.isContentEditable&&o;while(h&&h.parentNode&&h.parentNode.isContentEditable)"
	"h=h.parentNode;if(h)h.focus({preventScroll:true});"
	"s.removeAllRanges();s.addRange(r);"
	"this.dispatchEvent(new MouseEvent('mouseup',{bubbles:true}));return ''}";

static int do_select_text(struct browser *b, const struct py_call *c,
			  const struct cdp_wait *wait, struct error *err)
{
	struct element *e;

	if (execute_find(b, text_of(c, 0), &e, err))
		return err->code;
	return execute_tell(b, e, select_text, json_object_new_string(text_of(c, 1)),
			    wait, err);
}

static const char select_options[] =
	"function(v){if(this.tagName!=='SELECT')return 'is not a list of options';"
	"if(this.disabled)return 'is disabled';"
	"if(!this.multiple&&v.length!==1)return 'takes one option';"
	"const all=[...this.options],want=[];for(const x of v){const o="
	"all.find(o=>o.value===x)||all.find(o=>o.label===x||o.text.trim()===x.trim());"
	"if(!o)return 'has no option '+JSON.stringify(x)+'; it has '+JSON.stringify("
	"all.slice(0,50).map(o=>o.label));if(o.disabled)return 'has '+JSON.stringify(x)+"
	"' disabled';want.push(o)}"
	"for(const o of all)o.selected=want.includes(o);"
	"this.dispatchEvent(new Event('input',{bubbles:true}));"
	"this.dispatchEvent(new Event('change',{bubbles:true}));return ''}";

/* A text or a list of texts, as a list. */
static json_object *texts_of(const struct py_call *c, int i)
{
	json_object *list;

	if (json_object_is_type(c->values[i], json_type_array))
		return json_object_get(c->values[i]);
	list = json_object_new_array();
	if (js_add_new(list, json_object_get(c->values[i])) == MT_OK)
		return list;
	json_object_put(list);
	return NULL;
}

static int do_select(struct browser *b, const struct py_call *c,
		     const struct cdp_wait *wait, struct error *err)
{
	struct element *e;

	if (execute_find(b, text_of(c, 0), &e, err))
		return err->code;
	return execute_tell(b, e, select_options, texts_of(c, 1), wait, err);
}

static int drag_event(struct browser *b, const char *type, double x, double y,
		      const struct cdp_wait *wait, struct error *err)
{
	return page_call(b, "Input.dispatchDragEvent",
			 js_make("type", 's', type, "x", 'd', x, "y", 'd', y, "data", 'o',
				 json_object_get(b->drag), NULL),
			 wait, NULL, err);
}

/* A drag that the page begins (draggable elements) is given to us to play; any other
 * is the mouse alone. */
static int drag(struct browser *b, double x, double y, double to_x, double to_y,
		const struct cdp_wait *wait, struct error *err)
{
	int status = page_call(b, "Input.setInterceptDrags",
			       js_make("enabled", 'b', 1, NULL), wait, NULL, err);

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
		 js_make("enabled", 'b', 0, NULL));
	return status;
}

static int do_drag(struct browser *b, const struct py_call *c,
		   const struct cdp_wait *wait, struct error *err)
{
	struct element *from, *to;
	double x, y, to_x, to_y;

	if (execute_find(b, text_of(c, 0), &from, err) ||
	    execute_find(b, text_of(c, 1), &to, err) ||
	    aim(b, to, wait, &to_x, &to_y, err) || aim(b, from, wait, &x, &y, err) ||
	    aim(b, to, wait, &to_x, &to_y, err) || aim(b, from, wait, &x, &y, err))
		return err->code;
	return drag(b, x, y, to_x, to_y, wait, err);
}

/* Paths that exist, absolute. */
static int files_of(struct browser *b, const struct py_call *c, int i, json_object **ret,
		    struct error *err)
{
	AUTO(json) json_object *names = texts_of(c, i), *list = json_object_new_array();

	if (!names || !list)
		return fail(err, MT_ENOMEM, "out of memory");
	for (size_t n = 0; n < json_object_array_length(names); n++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(names, n));
		AUTO(free) char *path = path_join(b->config.workspace, name);

		if (!path || access(path, R_OK) != 0)
			return fail(err, MT_EINVAL,
				    "FileNotFoundError: cannot read file %.300s",
				    path ? path : name);
		if (js_add_new(list, json_object_new_string(path)))
			return fail(err, MT_ENOMEM, "out of memory");
	}
	*ret = STEAL(list);
	return MT_OK;
}

static const char is_file_input[] =
	"function(){return this.tagName==='INPUT'&&this.type==='file'?'yes':''}";

/* Click, and take the file input that asks for files then. */
static int chooser(struct browser *b, double x, double y, const struct cdp_wait *wait,
		   int64_t *ret, struct error *err)
{
	struct cdp_wait until = { clock_ms() + CHOOSER_MS, wait->cancel_fd };
	int status = page_call(b, "Page.setInterceptFileChooserDialog",
			       js_make("enabled", 'b', 1, NULL), wait, NULL, err);

	b->chooser = 0;
	if (!status)
		status = press_at(b, x, y, "left", 1, 1, 0, wait, err);
	while (!status && !b->chooser) {
		int got = cdp_poll(b->cdp, &until);

		if (got)
			status =
				got == MT_ETIMEOUT
					? fail(err, MT_EINVAL,
					       "Error: the click did not open a file chooser")
					: cdp_gave_up(got, err);
	}
	cdp_send(b->cdp, tab_of(b)->session, "Page.setInterceptFileChooserDialog",
		 js_make("enabled", 'b', 0, NULL));
	*ret = b->chooser;
	return status;
}

static int do_upload(struct browser *b, const struct py_call *c,
		     const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *files = NULL, *direct = NULL;
	struct element *e;
	int64_t node;
	double x, y;

	if (files_of(b, c, 1, &files, err) || execute_find(b, text_of(c, 0), &e, err) ||
	    run_on(b, e, is_file_input, NULL, wait, &direct, err))
		return err->code;
	node = e->node;
	if (json_object_get_string_len(direct) == 0 &&
	    (aim(b, e, wait, &x, &y, err) || chooser(b, x, y, wait, &node, err)))
		return err->code;
	return explain(page_call(b, "DOM.setFileInputFiles",
				 js_make("files", 'o', STEAL(files), "backendNodeId", 'i',
					 node, NULL),
				 wait, NULL, err),
		       e, err);
}

/* ---- pages --------------------------------------------------------------------------- */

/* An address as people write it: a path is a file, a name is a site. */
static char *address(struct browser *b, const char *url)
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

static int do_goto(struct browser *b, const struct py_call *c,
		   const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *out = NULL;
	AUTO(free) char *url = address(b, text_of(c, 0));
	const char *fault;
	int status;

	if (!url)
		return out_of_memory(err);
	b->changed = clock_ms();
	status = page_call(b, "Page.navigate", js_make("url", 's', url, NULL), wait, &out,
			   err);
	if (status == MT_EINVAL) {
		*err = ERROR_NONE;
		return fail(err, status, "ValueError: `%.300s` is not a valid URL", url);
	}
	fault = js_str(out, "errorText", NULL);
	if (status || !fault || js_bool(out, "isDownload", false))
		return status;
	return fail(err, MT_EINVAL, "Error: %s at %.300s", fault, url);
}

static int do_history(struct browser *b, int step, const struct cdp_wait *wait,
		      struct error *err)
{
	AUTO(json) json_object *history = NULL;
	int status = page_call(b, "Page.getNavigationHistory", NULL, wait, &history, err);
	json_object *entries = js_get(history, "entries");
	int64_t to = js_int(history, "currentIndex", 0) + step;

	if (status)
		return status;
	if (to < 0 || (size_t)to >= json_object_array_length(entries))
		return fail(err, MT_EINVAL, "Error: there is no page to go %s to",
			    step < 0 ? "back" : "forward");
	return page_call(b, "Page.navigateToHistoryEntry",
			 js_make("entryId", 'i',
				 js_int(json_object_array_get_idx(entries, (size_t)to),
					"id", 0),
				 NULL),
			 wait, NULL, err);
}

static int do_scroll(struct browser *b, const struct py_call *c,
		     const struct cdp_wait *wait, struct error *err)
{
	double x = b->mouse_x, y = b->mouse_y;

	if (x <= 0 && y <= 0)
		x = b->config.chrome.width / 2.0, y = b->config.chrome.height / 2.0;
	return page_call(b, "Input.dispatchMouseEvent",
			 js_make("type", 's', "mouseWheel", "x", 'd', x, "y", 'd', y,
				 "deltaX", 'd', number_of(c, 0), "deltaY", 'd',
				 number_of(c, 1), NULL),
			 wait, NULL, err);
}

static int do_noop(struct browser *b, const struct py_call *c,
		   const struct cdp_wait *wait, struct error *err)
{
	double ms = c->values[0] ? number_of(c, 0) : 1000;
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

static int show_tab(struct browser *b, size_t i, const struct cdp_wait *wait,
		    struct error *err)
{
	if (i >= b->tab_count)
		return fail(
			err, MT_EINVAL,
			"ValueError: invalid index; there are %zu tabs, counted from 0",
			b->tab_count);
	b->active = i;
	return page_call(b, "Page.bringToFront", NULL, wait, NULL, err);
}

static int do_new_tab(struct browser *b, const struct cdp_wait *wait, struct error *err)
{
	if (b->tab_count == TABS_MAX)
		return fail(err, MT_ELIMIT, "ValueError: %d tabs are already open",
			    TABS_MAX);
	return page_open(b, wait, err);
}

static int do_close_tab(struct browser *b, const struct cdp_wait *wait, struct error *err)
{
	size_t before = b->tab_count;
	int status = before == 1 ? do_new_tab(b, wait, err) : MT_OK;

	if (before == 1)
		b->active = 0, before++;
	if (!status)
		status = cdp_call(b->cdp, "", "Target.closeTarget",
				  js_make("targetId", 's', tab_of(b)->target, NULL), wait,
				  NULL, err);
	while (!status && b->tab_count == before)
		status = cdp_gave_up(cdp_poll(b->cdp, wait), err);
	return status ? status : show_tab(b, b->active, wait, err);
}

/* ---- all of them ------------------------------------------------------------------------ */

static int do_mouse(struct browser *b, const struct py_call *c,
		    const struct cdp_wait *wait, struct error *err)
{
	double x = number_of(c, 0), y = number_of(c, 1);
	const char *button = "none";
	int bits = 0;

	if (c->id == ACT_MOUSE_MOVE)
		return input_mouse(b, "mouseMoved", x, y, button, 0, 0, 0, wait, err);
	if (c->id == ACT_MOUSE_DRAG_AND_DROP)
		return drag(b, x, y, number_of(c, 2), number_of(c, 3), wait, err);
	bits = button_of(c, 2, &button, err);
	if (!bits)
		return err->code;
	if (c->id == ACT_MOUSE_DOWN)
		return input_mouse(b, "mousePressed", x, y, button, bits, 1, 0, wait,
				   err);
	if (c->id == ACT_MOUSE_UP)
		return input_mouse(b, "mouseReleased", x, y, button, 0, 1, 0, wait, err);
	return press_at(b, x, y, button, bits, c->id == ACT_MOUSE_DBLCLICK ? 2 : 1, 0,
			wait, err);
}

static int do_mouse_upload(struct browser *b, const struct py_call *c,
			   const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *files = NULL;
	int64_t node;

	if (files_of(b, c, 2, &files, err) ||
	    chooser(b, number_of(c, 0), number_of(c, 1), wait, &node, err))
		return err->code;
	return page_call(b, "DOM.setFileInputFiles",
			 js_make("files", 'o', STEAL(files), "backendNodeId", 'i', node,
				 NULL),
			 wait, NULL, err);
}

static int do_type(struct browser *b, const char *text, const struct cdp_wait *wait,
		   struct error *err)
{
	return page_call(b, "Input.insertText", js_make("text", 's', text, NULL), wait,
			 NULL, err);
}

static int do_one(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
		  struct error *err)
{
	struct element *e;

	switch (c->id) {
	case ACT_NOOP:
		return do_noop(b, c, wait, err);
	case ACT_GOTO:
		return do_goto(b, c, wait, err);
	case ACT_GO_BACK:
		return do_history(b, -1, wait, err);
	case ACT_GO_FORWARD:
		return do_history(b, 1, wait, err);
	case ACT_SCROLL:
		return do_scroll(b, c, wait, err);
	case ACT_FILL:
		return execute_fill(b, text_of(c, 0), text_of(c, 1), wait, err);
	case ACT_CLEAR:
		return execute_fill(b, text_of(c, 0), "", wait, err);
	case ACT_SELECT_OPTION:
		return do_select(b, c, wait, err);
	case ACT_SELECT_TEXT:
		return do_select_text(b, c, wait, err);
	case ACT_CLICK:
		return do_click(b, c, 1, wait, err);
	case ACT_DBLCLICK:
		return do_click(b, c, 2, wait, err);
	case ACT_HOVER:
		return do_hover(b, c, wait, err);
	case ACT_FOCUS:
		return focus(b, text_of(c, 0), &e, wait, err);
	case ACT_PRESS:
		if (focus(b, text_of(c, 0), &e, wait, err))
			return err->code;
		return input_press(b, text_of(c, 1), wait, err);
	case ACT_DRAG_AND_DROP:
		return do_drag(b, c, wait, err);
	case ACT_UPLOAD_FILE:
		return do_upload(b, c, wait, err);
	case ACT_NEW_TAB:
		return do_new_tab(b, wait, err);
	case ACT_TAB_CLOSE:
		return do_close_tab(b, wait, err);
	case ACT_TAB_FOCUS:
		return show_tab(b, (size_t)number_of(c, 0), wait, err);
	case ACT_MOUSE_UPLOAD_FILE:
		return do_mouse_upload(b, c, wait, err);
	case ACT_KEYBOARD_PRESS:
		return input_press(b, text_of(c, 0), wait, err);
	case ACT_KEYBOARD_DOWN:
		return input_key(b, text_of(c, 0), true, 0, wait, err);
	case ACT_KEYBOARD_UP:
		return input_key(b, text_of(c, 0), false, 0, wait, err);
	case ACT_KEYBOARD_TYPE:
	case ACT_KEYBOARD_INSERT_TEXT:
		return do_type(b, text_of(c, 0), wait, err);
	case ACT_MOUSE_CLICK:
	case ACT_MOUSE_DBLCLICK:
	case ACT_MOUSE_MOVE:
	case ACT_MOUSE_DOWN:
	case ACT_MOUSE_UP:
	case ACT_MOUSE_DRAG_AND_DROP:
		return do_mouse(b, c, wait, err);
	case ACT_SCREENSHOT:
	case ACT_SEND_MSG_TO_USER:
	case ACT_REPORT_INFEASIBLE:
		return MT_OK; /* handled by the reader of the action */
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
	if (call->id != ACT_NOOP && call->id != ACT_SCREENSHOT) {
		int settled = page_settle(b, wait, status ? NULL : err);

		status = status ? status : settled;
	}
	if (status != MT_EIO && status != MT_ECANCELLED) {
		int repaired = page_repair(b, wait, status ? NULL : err);

		status = status ? status : repaired;
	}
	return status;
}
