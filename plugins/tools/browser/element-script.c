/* SPDX-License-Identifier: MIT
 *
 * element-script.c - runs scripts that inspect an element, in an isolated world,
 * which the page does not see. */
#include "browser-internal.h"
#include <string.h>

int element_find(struct browser *b, const char *bid, struct element **ret,
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

int element_explain(int status, const struct element *e, struct error *err)
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

int element_run(struct browser *b, const struct element *e, const char *function,
		json_object *argument, const struct cdp_wait *wait, json_object **ret,
		struct error *err)
{
	AUTO(json) json_object *arg = argument, *world = NULL, *node = NULL, *out = NULL;
	json_object *list;
	int status = page_call(b, "Page.createIsolatedWorld",
			       browser_json("frameId", 's', b->frames[e->frame].id,
					    "worldName", 's', "mortise", NULL),
			       wait, &world, err);

	*ret = NULL;
	if (!status)
		status = page_call(b, "DOM.resolveNode",
				   browser_json("backendNodeId", 'i', e->node,
						"executionContextId", 'i',
						js_int(world, "executionContextId", 0),
						NULL),
				   wait, &node, err);
	if (status)
		return element_explain(status, e, err);
	list = json_object_new_array();
	js_add_new(list, arg ? browser_json("value", 'o', STEAL(arg), NULL)
			     : browser_json(NULL));
	status = page_call(b, "Runtime.callFunctionOn",
			   browser_json("functionDeclaration", 's', function, "objectId",
					's',
					js_str(js_get(node, "object"), "objectId", ""),
					"arguments", 'o', list, "returnByValue", 'b', 1,
					"awaitPromise", 'b', 1, "userGesture", 'b', 1,
					NULL),
			   wait, &out, err);
	if (!status && js_get(out, "exceptionDetails"))
		status = fail(err, MT_EINVAL, "%.300s",
			      js_str(js_path(out, "exceptionDetails.exception"),
				     "description", "a script failed"));
	if (!status)
		*ret = json_object_get(js_path(out, "result.value"));
	return element_explain(status, e, err);
}

int element_tell(struct browser *b, const struct element *e, const char *function,
		 json_object *argument, const struct cdp_wait *wait, struct error *err)
{
	AUTO(json) json_object *said = NULL;
	int status = element_run(b, e, function, argument, wait, &said, err);
	const char *text = json_object_is_type(said, json_type_string)
				   ? json_object_get_string(said)
				   : "";

	if (status || !*text)
		return status;
	return fail(err, MT_EINVAL, "Error: element '%s' %s", e->bid, text);
}

int element_aim(struct browser *b, const struct element *e, const struct cdp_wait *wait,
		double *ret_x, double *ret_y, struct error *err)
{
	AUTO(json) json_object *shape = NULL;
	json_object *quads, *quad = NULL;
	double x = 0, y = 0;
	int status = page_call(b, "DOM.scrollIntoViewIfNeeded",
			       browser_json("backendNodeId", 'i', e->node, NULL), wait,
			       NULL, err);

	if (!status)
		status = page_call(b, "DOM.getContentQuads",
				   browser_json("backendNodeId", 'i', e->node, NULL),
				   wait, &shape, err);
	if (status)
		return element_explain(status, e, err);
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
