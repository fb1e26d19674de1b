/* SPDX-License-Identifier: MIT
 *
 * shell-directory.c - remembers the directory of the shell, for other tools and for
 * relative paths. */
#include "conversation/shell-directory.h"

#include "controller/feature-api.h"
#include "files.h"

#include <string.h>

/* Its state in a conversation is the directory; NULL: unknown. */
static char **directory_of(const struct conversation *c)
{
	return feature_state(c, &shell_directory_feature);
}

const char *shell_directory_of(const struct conversation *c)
{
	return *directory_of(c);
}

int shell_directory_resolve(const struct conversation *c, json_object *json)
{
	static const char *const types[] = { "read", "write", "edit" };
	json_object *args = js_get(json, "args");
	const char *path = js_str(args, "path", "");
	bool by_path = false;

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		by_path = by_path || strcmp(js_str(json, "action", ""), types[i]) == 0;
	if (!by_path || !*path || *path == '/' ||
	    strcmp(js_str(args, "impl_source", "default"), "oh_aci") == 0)
		return MT_OK;
	while (strncmp(path, "./", 2) == 0)
		path += 2;

	AUTO(free)
	char *whole = path_join(shell_directory_of(c) ?: conversation_workspace(c), path);

	return whole ? js_set_str(args, "path", whole) : MT_ENOMEM;
}

static void note_directory(struct conversation *c, const struct event *action,
			   const struct runner_result *result, struct event *observation)
{
	const char *dir = js_str(js_get(result->fields, "metadata"), "working_dir", "");
	bool is_run = observation->type->id == OBSERVATION_RUN;
	char *copy = is_run && *dir == '/' ? strdup(dir) : NULL;

	(void)action;
	if (!copy)
		return;
	free(*directory_of(c));
	*directory_of(c) = copy;
}

/* Other tools can request the directory. */
static bool answer_directory(struct conversation *c, uint64_t call, uint64_t request,
			     const char *method, json_object *params)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 * 1024);

	(void)call;
	(void)params;
	if (strcmp(method, "shell/directory") != 0)
		return false;
	strbuf_addc(&text, '{');
	js_key_str(&text, "directory", shell_directory_of(c) ?: "");
	strbuf_addc(&text, '}');
	runner_answer(conversation_runner(c), request, text.error, text.text, text.len);
	return true;
}

static void forget_directory(struct conversation *c)
{
	free(*directory_of(c));
	*directory_of(c) = NULL;
}

const struct feature shell_directory_feature = {
	.name = "shell directory",
	.state_size = sizeof(char *),
	.after_result = note_directory,
	.request = answer_directory,
	.release = forget_directory,
};
