/* SPDX-License-Identifier: MIT
 *
 * put-call.h - writes a call of the browser as Python source, for comparisons. */
#ifndef TESTS_TOOLS_PUT_CALL_H
#define TESTS_TOOLS_PUT_CALL_H

#include "plugins/tools/browser/actions.h"
#include "literal.h"

static inline int put_call(struct strbuf *out, const struct py_call *call)
{
	size_t n = json_object_array_length(call->args);

	strbuf_addf(out, "%s(", call->name);
	for (size_t i = 0; i < n; i++) {
		strbuf_add(out, i ? ", " : "");
		literal_put(out, json_object_array_get_idx(call->args, i));
	}
	json_object_object_foreach(call->named, name, value) {
		strbuf_addf(out, "%s%s=", n++ ? ", " : "", name);
		literal_put(out, value);
	}
	return strbuf_addc(out, ')');
}

#endif
