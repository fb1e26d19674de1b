/* SPDX-License-Identifier: MIT
 *
 * act-form.c - fills fields, selects text and options, and uploads files. */
#include "act.h"
#include "clock.h"
#include "files.h"
#include <string.h>

enum { CHOOSER_MS = 3000 };

int act_focus(struct browser *b, const char *bid, struct element **ret,
	      const struct cdp_wait *wait, struct error *err)
{
	if (element_find(b, bid, ret, err))
		return err->code;
	return element_explain(page_call(b, "DOM.focus",
					 browser_json("backendNodeId", 'i', (*ret)->node,
						      NULL),
					 wait, NULL, err),
			       *ret, err);
}

/* Select the whole content of a text field, to type over it; set the value of other
 * fields directly. "type": the caller types the text. */
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

/* The value, read before and after. */
static const char read_value[] =
	"function(){return String('value' in this?this.value:this.textContent)}";

/* Restore the old value of a field whose new value the page's script rejected or
 * cleared. */
static const char put_back[] =
	"function(old){const v='value' in this?this.value:this.textContent;"
	"if(v!==old){if(v!=='')return '';"
	"const p=this.tagName==='TEXTAREA'?HTMLTextAreaElement:HTMLInputElement;"
	"const put=()=>{if('value' in this)Object.getOwnPropertyDescriptor(p.prototype,"
	"'value').set.call(this,old);else this.textContent=old};put();"
	"this.dispatchEvent(new Event('input',{bubbles:true}));put()}"
	"return 'did not take that value, and has its old one'}";

/* Type over the selected content; fail if the page does not keep the value. */
static int type_over(struct browser *b, const struct element *e, const char *value,
		     const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *before = NULL;
	int status = element_run(b, e, read_value, NULL, wait, &before, err);

	if (!status)
		status = page_call(b, "Input.insertText",
				   browser_json("text", 's', value, NULL), wait, NULL,
				   err);
	if (status || !before || strcmp(json_object_get_string(before), value) == 0)
		return status;
	return element_tell(b, e, put_back, STEAL(before), wait, err);
}

int act_fill(struct browser *b, const char *bid, const char *value,
	     const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *out = NULL, *text = json_object_new_string(value);
	struct element *e;
	const char *said;

	if (!text)
		return out_of_memory(err);
	if (element_find(b, bid, &e, err) ||
	    element_run(b, e, start_fill, STEAL(text), wait, &out, err))
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

/* Select a part of an element's text, or all of it, like a mouse. An editor gets the
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

int act_select_text(struct browser *b, const struct py_call *c,
		    const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *text = json_object_new_string(act_text(c, 1));
	struct element *e;

	if (!text)
		return out_of_memory(err);
	if (element_find(b, act_text(c, 0), &e, err))
		return err->code;
	return element_tell(b, e, select_text, STEAL(text), wait, err);
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

/* Convert a text or a list of texts to a list. */
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

int act_select(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	       struct error *err)
{
	AUTO(json) json_object *texts = texts_of(c, 1);
	struct element *e;

	if (!texts)
		return out_of_memory(err);
	if (element_find(b, act_text(c, 0), &e, err))
		return err->code;
	return element_tell(b, e, select_options, STEAL(texts), wait, err);
}

/* Collect absolute paths, which must exist. */
static int files_of(struct browser *b, const struct py_call *c, int i, json_object **ret,
		    struct error *err)
{
	AUTO(json) json_object *names = texts_of(c, i), *list = json_object_new_array();

	if (!names || !list)
		return out_of_memory(err);
	for (size_t n = 0; n < json_object_array_length(names); n++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(names, n));
		AUTO(free) char *path = path_join(b->config.workspace, name);

		if (!path || access(path, R_OK) != 0)
			return fail(err, MT_EINVAL,
				    "FileNotFoundError: cannot read file %.300s",
				    path ? path : name);
		if (js_add_new(list, json_object_new_string(path)))
			return out_of_memory(err);
	}
	*ret = STEAL(list);
	return MT_OK;
}

static const char is_file_input[] =
	"function(){return this.tagName==='INPUT'&&this.type==='file'?'yes':''}";

/* Click, and get the file input that opens a file chooser. */
static int chooser(struct browser *b, double x, double y, const struct cdp_wait *wait,
		   int64_t *ret, struct error *err)
{
	struct cdp_wait until = { clock_ms() + CHOOSER_MS, wait->cancel_fd };
	int status = page_call(b, "Page.setInterceptFileChooserDialog",
			       browser_json("enabled", 'b', 1, NULL), wait, NULL, err);

	b->chooser = 0;
	if (!status)
		status = act_press_at(b, x, y, "left", 1, 1, 0, wait, err);
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
		 browser_json("enabled", 'b', 0, NULL));
	*ret = b->chooser;
	return status;
}

int act_upload(struct browser *b, const struct py_call *c, const struct cdp_wait *wait,
	       struct error *err)
{
	AUTO(json) json_object *files = NULL, *direct = NULL;
	struct element *e;
	int64_t node;
	double x, y;

	if (files_of(b, c, 1, &files, err) || element_find(b, act_text(c, 0), &e, err) ||
	    element_run(b, e, is_file_input, NULL, wait, &direct, err))
		return err->code;
	node = e->node;
	if (json_object_get_string_len(direct) == 0 &&
	    (element_aim(b, e, wait, &x, &y, err) || chooser(b, x, y, wait, &node, err)))
		return err->code;
	return element_explain(page_call(b, "DOM.setFileInputFiles",
					 browser_json("files", 'o', STEAL(files),
						      "backendNodeId", 'i', node, NULL),
					 wait, NULL, err),
			       e, err);
}

int act_mouse_upload(struct browser *b, const struct py_call *c,
		     const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *files = NULL;
	int64_t node;

	if (files_of(b, c, 2, &files, err) ||
	    chooser(b, act_number(c, 0), act_number(c, 1), wait, &node, err))
		return err->code;
	return page_call(b, "DOM.setFileInputFiles",
			 browser_json("files", 'o', STEAL(files), "backendNodeId", 'i',
				      node, NULL),
			 wait, NULL, err);
}
