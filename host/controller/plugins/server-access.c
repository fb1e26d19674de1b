/* SPDX-License-Identifier: MIT
 *
 * server-access.c - compares the command of a local MCP server with the rules of the
 * sandbox: in there, a path that is hidden does not exist. */
#include "controller/plugins/server-access.h"

#include "files.h"
#include "options.h"
#include "sandbox/access.h"
#include "sandbox/profile.h"
#include "tools/mcp-servers.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The first word of the list that names a file that tools cannot read. */
static bool find_unreadable(const struct sandbox_rules *r, const char *directory,
			    const char *list, char *ret)
{
	const char *item;
	size_t len;

	while (option_list_next(&list, &item, &len)) {
		AUTO(free) char *word = strndup(item, len);

		if (word && strchr(word, '/') && sandbox_resolve(directory, word, ret) &&
		    access(ret, F_OK) == 0 &&
		    sandbox_access(r, ret, NULL) <= SANDBOX_ACCESS_HIDDEN)
			return true;
	}
	return false;
}

static bool find_in_command(const struct sandbox_rules *r, const char *directory,
			    json_object *options, char *ret)
{
	json_object_object_foreach(options, key, value) {
		const char *text = json_object_get_string(value);

		if ((strcmp(key, "command") == 0 || strcmp(key, "args") == 0 ||
		     strncmp(key, "arg.", 4) == 0) &&
		    text && find_unreadable(r, directory, text, ret))
			return true;
	}
	return false;
}

void server_access_note(const struct config *c, const char *workspace,
			const struct tool_instance *t, struct strbuf *out)
{
	AUTO(sandbox_rules) struct sandbox_rules rules = { 0 };
	AUTO(json) json_object *options = NULL;
	char path[PATH_MAX];

	if (t->server && sandbox_wanted(c) &&
	    !mcp_server_is_remote(t->title, t->options) &&
	    !mcp_server_options(t->title, t->options, &options, NULL) &&
	    !sandbox_profile_rules(c, workspace, &rules, NULL) &&
	    find_in_command(&rules, workspace, options, path))
		strbuf_addf(
			out,
			"; tools in the sandbox cannot read %s: to allow it, add it, or "
			"a directory that contains it, to `read` in [sandbox]",
			path);
}
