/* SPDX-License-Identifier: MIT
 *
 * directories.c - tells the model, with the first user message and after each
 * change, which directories belong to the conversation in addition to the workspace. */
#include "features/directories.h"

#include "controller/feature-api.h"
#include "events/evlog.h"
#include "sandbox/roots.h"

#include <string.h>

/* Name of a state record: the list that the model received last. */
static const char told_record[] = "mortise/directories";

enum { DIRECTORIES_MAX = 1 << 18 };

/* `a, b`; empty: there are none. */
static int directories_now(const struct conversation *c, struct strbuf *out)
{
	AUTO(roots) char **roots = NULL;
	int status = roots_list(conversation_config(c), &roots);

	for (size_t i = 0; !status && roots && roots[i]; i++)
		status = strbuf_addf(out, "%s%s", i ? ", " : "", roots[i]);
	return status;
}

static bool directories_known(struct conversation *c, const struct strbuf *now)
{
	size_t len = 0;
	const char *told = evlog_state(conversation_log(c), told_record, &len);

	return (told ? len : 0) == now->len &&
	       (!now->len || memcmp(told, now->text, now->len) == 0);
}

static int directories_log(struct conversation *c, const char *list)
{
	AUTO(strbuf) struct strbuf text = STRBUF(DIRECTORIES_MAX);
	struct error err = ERROR_NONE;
	json_object *args = js_new_object();

	if (*list)
		strbuf_addf(
			&text,
			"These directories belong to this conversation in addition to "
			"the workspace; use absolute paths for files in them: %s",
			list);
	else
		strbuf_add(&text, "Only the workspace belongs to this conversation now.");
	js_set_strn(args, "content", text.text, text.len);
	return conversation_log_event(c,
				      event_action("message", SOURCE_ENVIRONMENT, args,
						   &err),
				      &err) < 0;
}

static void directories_after_message(struct conversation *c, bool first)
{
	AUTO(strbuf) struct strbuf now = STRBUF(DIRECTORIES_MAX);
	AUTO(json) json_object *record = NULL;

	(void)first;
	if (directories_now(c, &now) || directories_known(c, &now) ||
	    directories_log(c, now.text))
		return;
	record = js_new_object();
	if (!js_set_str(record, "record", "state") &&
	    !js_set_str(record, "plugin", told_record) &&
	    !js_set_strn(record, "text", now.text, now.len))
		evlog_record(conversation_log(c), record, NULL);
}

const struct feature directories_feature = {
	.name = "directories",
	.section = "workspace", /* and its snapshots: as when the conversation began */
	.after_message = directories_after_message,
};
