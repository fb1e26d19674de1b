/* SPDX-License-Identifier: MIT
 *
 * models-server.c - `mortise models list --server` and `info --server`: queries the
 * provider's server. */
#include "models.h"
#include "llm/models/server-models.h"
#include <inttypes.h>
#include <string.h>

static void models_server_print_list(const char *provider, json_object *list)
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

static int models_server_show(struct llm *l, const char *provider, bool json)
{
	AUTO(json) json_object *list = NULL;
	struct error err = ERROR_NONE;
	const char *text;

	if (llm_server_models(l, &list, &err))
		return command_report(EXIT_MODEL, &err);
	if (!json) {
		models_server_print_list(provider ? provider : "", list);
		return EXIT_DONE;
	}
	text = js_text(list, NULL);
	if (!text) {
		out_of_memory(&err);
		return command_report(EXIT_FAILED, &err);
	}
	puts(text);
	return EXIT_DONE;
}

/* The model of a name (NULL: the configured one), for the duration of a command. */
struct asked {
	struct config *config;
	struct registry *registry;
	struct uv_loop_s *loop;
	struct llm_pool *pool;
	struct llm *llm;
};

static int asked_open(struct asked *a, const struct common *common, const char *model,
		      struct error *err)
{
	*a = (struct asked){ .loop = command_loop(err) };
	if (!a->loop || common_config(common, &a->config, err) ||
	    registry_open(a->config, &a->registry, err) ||
	    !(a->pool = llm_pool_new(a->loop, err)) ||
	    llm_open(a->pool, a->config, a->registry, "llm", model, NULL, &a->llm, err))
		return command_report(EXIT_USAGE, err);
	return EXIT_DONE;
}

static void asked_close(struct asked *a)
{
	llm_free(a->llm);
	llm_pool_free(a->pool);
	if (a->loop)
		uv_run(a->loop, UV_RUN_DEFAULT);
	registry_free(a->registry);
	config_free(a->config);
}

int models_server(const struct common *common, const char *provider, bool json)
{
	AUTO(strbuf) struct strbuf model = STRBUF(512);
	struct error err = ERROR_NONE;
	struct asked a;
	int code;

	if (provider)
		strbuf_addf(&model, "%s%s", provider, strchr(provider, '/') ? "" : "/");
	code = asked_open(&a, common, provider ? model.text : NULL, &err);
	if (code == EXIT_DONE)
		code = models_server_show(a.llm, provider, json);
	asked_close(&a);
	return code;
}

int models_server_window(const struct common *common, const char *name, int64_t *ret)
{
	struct error err = ERROR_NONE;
	struct asked a;
	int code = asked_open(&a, common, name, &err);

	*ret = -1;
	if (code == EXIT_DONE)
		*ret = llm_server_context_window(a.llm);
	if (code == EXIT_DONE && *ret <= 0) {
		fail(&err, MT_EIO, "server of %s does not report a context window", name);
		code = command_report(EXIT_MODEL, &err);
	}
	asked_close(&a);
	return code;
}
