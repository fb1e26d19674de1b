/* SPDX-License-Identifier: MIT
 *
 * models-server.c - `mortise models list --server`: what a server has, for instance
 * one on this machine. */
#include "commands/models.h"
#include "llm/server.h"
#include <inttypes.h>
#include <string.h>

static void print_list(const char *provider, json_object *list)
{
	printf("%-44s %10s\n", "MODEL", "WINDOW");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *row = json_object_array_get_idx(list, i);
		AUTO(strbuf) struct strbuf name = STRBUF(4096);
		int64_t window = js_int(row, "window", -1);

		strbuf_addf(&name, "%s%s%s", provider, *provider ? "/" : "",
			    js_str(row, "name", ""));
		for (size_t n = 0; n < name.len; n++)
			if ((unsigned char)name.text[n] < ' ' || name.text[n] == 0x7f)
				name.text[n] = '?';
		if (window > 0)
			printf("%-44s %10" PRId64 "\n", name.text, window);
		else
			printf("%-44s %10s\n", name.text, "-");
	}
}

static int show(struct llm *l, const char *provider, bool json)
{
	AUTO(json) json_object *list = NULL;
	struct error err = ERROR_NONE;

	if (llm_server_models(l, &list, &err))
		return complain(EXIT_MODEL, &err);
	if (json)
		puts(js_text(list, NULL));
	else
		print_list(provider ? provider : "", list);
	return EXIT_DONE;
}

int models_server(const struct common *common, const char *provider, bool json)
{
	AUTO(config) struct config *c = NULL;
	AUTO(registry) struct registry *r = NULL;
	AUTO(strbuf) struct strbuf model = STRBUF(512);
	struct error err = ERROR_NONE;
	struct uv_loop_s *loop = command_loop(&err);
	struct llm_pool *pool = NULL;
	struct llm *l = NULL;
	int code;

	if (provider)
		strbuf_addf(&model, "%s%s", provider, strchr(provider, '/') ? "" : "/any");
	if (!loop || common_config(common, &c, &err) || registry_open(c, &r, &err)
	    || !(pool = llm_pool_new(loop, &err))
	    || llm_open(pool, c, r, "llm", provider ? model.text : NULL, NULL, &l, &err))
		code = complain(EXIT_USAGE, &err);
	else
		code = show(l, provider, json);
	llm_free(l);
	llm_pool_free(pool);
	if (loop)
		uv_run(loop, UV_RUN_DEFAULT);
	return code;
}
