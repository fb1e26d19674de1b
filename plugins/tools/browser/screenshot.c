/* SPDX-License-Identifier: MIT
 *
 * screenshot.c - captures a page as a screenshot, plain or marked: each element that
 * accepts actions gets a frame and its bid, drawn into the image, not into the page. */
#include "base64.h"
#include "browser-internal.h"
#include <string.h>

enum { PICTURE_MAX = 16 << 20, MARKS_MAX = 300 };

static const char draw[] =
	"async function(data,marks){"
	"const bytes=Uint8Array.from(atob(data),c=>c.charCodeAt(0)),"
	"image=await createImageBitmap(new Blob([bytes],{type:'image/png'})),"
	"canvas=new OffscreenCanvas(image.width,image.height),g=canvas.getContext('2d'),"
	"colors=['#c00','#06c','#080','#808','#a50','#077','#b06','#444'];"
	"g.drawImage(image,0,0);g.font='bold 12px sans-serif';g.textBaseline='top';"
	"g.lineWidth=2;"
	"for(let i=0;i<marks.length;i++){const [bid,x,y,w,h]=marks[i],"
	"t=g.measureText(bid).width+4;g.strokeStyle=g.fillStyle=colors[i%8];"
	"g.strokeRect(x,y,w,h);const lx=Math.max(0,Math.min(x-1,image.width-t)),"
	"ly=y>=14?y-14:Math.max(0,y);g.fillRect(lx,ly,t,14);g.fillStyle='#fff';"
	"g.fillText(bid,lx+2,ly+2)}"
	"const out=new Uint8Array(await(await canvas.convertToBlob()).arrayBuffer());"
	"let text='';for(let i=0;i<out.length;i+=32768)"
	"text+=String.fromCharCode(...out.subarray(i,i+32768));return btoa(text)}";

static json_object *list_marks(const struct browser *b)
{
	json_object *list = json_object_new_array();
	size_t count = 0;

	for (size_t i = 0; list && i < b->element_count && count < MARKS_MAX; i++) {
		const struct element *e = &b->elements[i];
		const double box[] = { e->mark.x, e->mark.y, e->mark.width,
				       e->mark.height };
		json_object *one;

		if (!e->shown || !e->mark.som)
			continue;
		one = json_object_new_array();
		js_add_new(one, json_object_new_string(e->bid));
		for (size_t k = 0; k < ARRAY_LEN(box); k++)
			js_add_new(one, json_object_new_double(box[k]));
		js_add_new(list, one);
		count++;
	}
	return list;
}

/* @return the marked screenshot, as base64 in "result.value" of `ret`. */
static int add_marks(struct browser *b, const char *data, const struct cdp_wait *wait,
		     json_object **ret, struct error *err)
{
	AUTO(json) json_object *world = NULL;
	json_object *args;
	int status = page_call(b, "Page.createIsolatedWorld",
			       browser_json("frameId", 's', b->frames[0].id, "worldName",
					    's', "mortise", NULL),
			       wait, &world, err);

	if (status)
		return status;
	args = json_object_new_array();
	js_add_new(args, browser_json("value", 's', data, NULL));
	js_add_new(args, browser_json("value", 'o', list_marks(b), NULL));
	return page_call(b, "Runtime.callFunctionOn",
			 browser_json("functionDeclaration", 's', draw,
				      "executionContextId", 'i',
				      js_int(world, "executionContextId", 0), "arguments",
				      'o', args, "returnByValue", 'b', 1, "awaitPromise",
				      'b', 1, NULL),
			 wait, ret, err);
}

/* Without marks if they cannot be drawn. */
int screenshot_take(struct browser *b, enum screenshot kind, const struct cdp_wait *wait,
		    struct strbuf *ret, struct error *err)
{
	AUTO(json) json_object *shot = NULL, *drawn = NULL;
	const char *data, *marked = NULL;
	int status =
		page_call(b, "Page.captureScreenshot",
			  browser_json("format", 's', "png", NULL), wait, &shot, err);

	if (status)
		return status;
	data = js_str(shot, "data", "");
	if (kind == SCREENSHOT_MARKED && b->frame_count) {
		status = add_marks(b, data, wait, &drawn, NULL);
		if (status && status != MT_EINVAL)
			return cdp_gave_up(status, err);
		marked = js_str(js_get(drawn, "result"), "value", NULL);
	}
	*ret = STRBUF(PICTURE_MAX);
	data = marked ? marked : data;
	if (base64_read(ret, data, strlen(data)))
		strbuf_clear(ret);
	return MT_OK;
}
