/* SPDX-License-Identifier: MIT
 *
 * models.c - `mortise models`: describes models and imports prices from LiteLLM. */
#include "models.h"
#include "files.h"
#include "models/model-params.h"
#include <inttypes.h>
#include <string.h>

enum models_subcommand { MODELS_LIST, MODELS_INFO, MODELS_TEST, MODELS_IMPORT };
static const struct subcommand subcommands[] = {
	[MODELS_LIST] = { "list", 0, 1, NULL },
	[MODELS_INFO] = { "info", 1, 1, NULL },
	[MODELS_TEST] = { "test", 0, 1, NULL },
	[MODELS_IMPORT] = { "import", 1, 1, NULL },
	{ 0 },
};

struct arguments {
	struct common common;
	bool json, vision, server;
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "print JSON",
	     STORE(FLAG_TRUE, struct arguments, json)),
	FLAG(0, "vision", NULL, "test: send an image even if vision is not supported",
	     STORE(FLAG_TRUE, struct arguments, vision)),
	FLAG(0, "server", NULL, "list, info: query the provider's server",
	     STORE(FLAG_TRUE, struct arguments, server)),
	{ 0 },
};

/* ---- list ----------------------------------------------------------------- */

/* A pattern with wildcards matches one of the names of a section, another a part of them. */
static bool cli_models_wanted(const char *globs, size_t len, const char *pattern)
{
	AUTO(free) char *text = strndup(globs, len);
	const char *rest = text, *name;
	size_t name_len;

	if (!pattern || !text)
		return true;
	if (!strpbrk(pattern, "*?["))
		return strcasestr(text, pattern);
	while (option_list_next(&rest, &name, &name_len)) {
		AUTO(free) char *one = strndup(name, name_len);

		if (one && model_matches(one, pattern))
			return true;
	}
	return false;
}

static void print_count(int64_t n)
{
	if (n < 0)
		printf(" %9s", "-");
	else
		printf(" %9" PRId64, n);
}

static void print_price(double price)
{
	if (price < 0)
		printf(" %8s", "-");
	else
		printf(" %8.4g", price);
}

/* Read the facts in one section. */
static bool section_facts(const struct model_section *s, struct model_facts *f)
{
	AUTO(strbuf) struct strbuf text = STRBUF(MODEL_TABLE_MAX);

	model_facts_init(f);
	strbuf_add(&text, "[*, */*]\n");
	strbuf_addn(&text, s->lines, s->lines_len);
	model_facts_apply(f, "x", text.text, text.len);
	return f->window >= 0 || f->price.input >= 0;
}

static int cli_models_put_row(struct strbuf *out, const struct model_section *s,
			      const struct model_facts *f)
{
	strbuf_add(out, out->len > 1 ? ",{" : "{");
	js_key_strn(out, "models", s->globs, s->globs_len);
	if (f->window >= 0)
		js_key_int(out, "window", f->window);
	if (f->output >= 0)
		js_key_int(out, "output", f->output);
	if (f->price.input >= 0)
		strbuf_addf(out, ",\"input_price\":%.10g", f->price.input);
	if (f->price.output >= 0)
		strbuf_addf(out, ",\"output_price\":%.10g", f->price.output);
	return strbuf_addc(out, '}');
}

static void print_row(const struct model_section *s, const struct model_facts *f)
{
	size_t first = s->globs_len;
	const char *comma = memchr(s->globs, ',', s->globs_len);

	if (comma)
		first = (size_t)(comma - s->globs);
	printf("%-42.*s", (int)first, s->globs);
	print_count(f->window);
	print_count(f->output);
	print_price(f->price.input);
	print_price(f->price.output);
	putchar('\n');
}

static int list_file(const char *path, bool needed, const char *pattern,
		     struct strbuf *json, struct error *err)
{
	AUTO(free) char *text = NULL;
	struct model_section s;
	size_t len, pos = 0;
	int status = file_read(path, MODEL_TABLE_MAX, &text, &len, err);

	if (status == MT_ENOTFOUND && !needed) {
		*err = ERROR_NONE;
		return MT_OK;
	}
	while (!status && model_section_next(text, len, &pos, &s)) {
		struct model_facts f;

		if (!cli_models_wanted(s.globs, s.globs_len, pattern) ||
		    !section_facts(&s, &f))
			continue;
		if (json)
			status = cli_models_put_row(json, &s, &f);
		else
			print_row(&s, &f);
	}
	return status;
}

static int list(const struct common *common, const char *pattern, bool json)
{
	AUTO(config) struct config *c = NULL;
	AUTO(strbuf) struct strbuf out = STRBUF(MODEL_TABLE_MAX);
	AUTO(free) char *own = NULL;
	struct error err = ERROR_NONE;
	int status = common_config(common, &c, &err);

	if (status)
		return command_report(EXIT_USAGE, &err);
	if (json)
		strbuf_addc(&out, '[');
	else
		printf("%-42s %9s %9s %8s %8s\n", "MODEL", "WINDOW", "OUTPUT", "IN $/M",
		       "OUT $/M");
	status = list_file(model_table_path(c), true, pattern, json ? &out : NULL, &err);
	own = status ? NULL : model_table_user_path(false, &err);
	if (!status && own)
		status = list_file(own, false, pattern, json ? &out : NULL, &err);
	if (status)
		return command_report(EXIT_FAILED, &err);
	if (json)
		printf("%s]\n", out.text);
	return EXIT_DONE;
}

/* ---- info ----------------------------------------------------------------- */

static void print_fact(const struct model_facts *f, const struct model_key *key,
		       struct strbuf *json)
{
	const char *place = (const char *)f + key->offset;
	char value[64];

	if (key->type == MODEL_FLAG)
		snprintf(value, sizeof value, "%s",
			 json                   ? *(const bool *)place ? "true" : "false"
			 : *(const bool *)place ? "yes"
						: "no");
	else if (key->type == MODEL_COUNT && *(const int64_t *)place >= 0)
		snprintf(value, sizeof value, "%" PRId64, *(const int64_t *)place);
	else if (key->type == MODEL_PRICE && *(const double *)place >= 0)
		snprintf(value, sizeof value, "%.10g", *(const double *)place);
	else
		return;
	if (json)
		strbuf_addf(json, ",\"%s\":%s", key->name, value);
	else
		printf("%-24s %s%s\n", key->name, value,
		       model_has_fact(f, key->name) ? "" : "  (default)");
}

/* Replace the window with that of the server. */
static int ask_window(const struct common *common, const char *name,
		      struct model_facts *f)
{
	AUTO(strbuf) struct strbuf text = STRBUF(128);
	int64_t window;
	int code = models_server_window(common, name, &window);

	if (code == EXIT_DONE &&
	    !strbuf_addf(&text, "[*, */*]\nwindow = %" PRId64 "\n", window))
		model_facts_apply(f, name, text.text, text.len);
	return code;
}

static int cli_models_tell(const struct common *common, const char *name, bool server,
			   bool json)
{
	AUTO(config) struct config *c = NULL;
	AUTO(strbuf) struct strbuf out = STRBUF(65536);
	struct error err = ERROR_NONE;
	struct model_facts f;
	int code = EXIT_DONE;

	if (common_config(common, &c, &err))
		return command_report(EXIT_USAGE, &err);
	model_facts_find(c, name, &f);
	if (server)
		code = ask_window(common, name, &f);
	if (json) {
		strbuf_addc(&out, '{');
		js_key_str(&out, "model", name);
		js_key_bool(&out, "known", f.told != 0);
	} else if (!f.told) {
		printf("Model %s is not in the model table.\n", name);
	}
	for (size_t i = 0; i < model_key_count; i++)
		print_fact(&f, &model_keys[i], json ? &out : NULL);
	if (json)
		printf("%s}\n", out.text);
	return code;
}

/* ---- import --------------------------------------------------------------- */

static int cli_models_import(const char *file, bool json)
{
	enum { MOST = 32 << 20 };
	AUTO(free) char *text = NULL, *path = NULL;
	AUTO(strbuf) struct strbuf table = STRBUF(MODEL_TABLE_MAX);
	struct error err = ERROR_NONE, why = ERROR_NONE;
	size_t len;
	int count;

	if (file_read(file, MOST, &text, &len, &err))
		return command_report(EXIT_USAGE, &err);
	count = model_import(text, len, &table, &why);
	if (count < 0) {
		fail(&err, why.code, "cannot import %s: %s", file, why.text);
		return command_report(EXIT_FAILED, &err);
	}
	path = model_table_user_path(true, &err);
	if (!path || file_write(path, table.text, table.len, 0600, true, &err))
		return command_report(EXIT_FAILED, &err);
	if (json)
		printf("{\"models\":%d}\n", count);
	else
		printf("%d model%s imported into %s.\n", count, count == 1 ? "" : "s",
		       path);
	return EXIT_DONE;
}

/* ---- the command ---------------------------------------------------------- */

static int cli_models_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	int index, what;
	const char *operand;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	what = command_choose(self, argc - index, argv + index);
	if (what < 0)
		return EXIT_USAGE;
	operand = argc - index > 1 ? argv[index + 1] : NULL;
	switch ((enum models_subcommand)what) {
	case MODELS_LIST:
		return (a.server ? models_server : list)(&a.common, operand, a.json);
	case MODELS_INFO:
		return cli_models_tell(&a.common, operand, a.server, a.json);
	case MODELS_TEST:
		return models_test(&a.common, operand, a.vision, a.json);
	case MODELS_IMPORT:
		return cli_models_import(operand, a.json);
	}
	return EXIT_FAILED;
}

const struct command command_models = {
	.name = "models",
	.args = "[list [PATTERN] | info NAME | test [NAME] | import FILE]",
	.summary = "Describe and test models; import prices",
	.details = "list    list known models; PATTERN is a substring or a glob\ninfo    "
		   "show what is known about a model\ntest    send a small request, "
		   "which may cost a fraction of a cent\nimport  read LiteLLM's "
		   "model_prices_and_context_window.json into your own table\n\nWith "
		   "--server, PATTERN names a provider (default: that of the configured "
		   "model).",
	.flags = flags,
	.subcommands = subcommands,
	.run = cli_models_run,
};
