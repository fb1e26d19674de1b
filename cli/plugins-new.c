/* SPDX-License-Identifier: MIT
 *
 * plugins-new.c - `mortise plugins new`: creates the directory of a plugin from the
 * templates in core.template_dir. In file names, NAME is replaced by the name of the
 * plugin; in texts, @word@ by a value. */
#include "plugins.h"

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_LENGTH = 64, TEMPLATE_MAX = 1 << 20 };

/* A plugin type in a language: the directories of its templates, and its values. */
static const struct starter {
	const char *kind, *lang;
	const char *parts[5]; /* NULL: none */
	const char *test, *enable, *model;
} starters[] = {
#define TEST_CASES "$(MORTISE) plugins test ./@name@.so"
#define TEST_RUN "MORTISE=\"$(MORTISE)\" sh test.sh"
#define TEST_HARNESS                                                                     \
	"$(CC) $(CPPFLAGS) $(CFLAGS) $(sdk_cflags) -o test test.c $(LDFLAGS)\n"           \
	"\t./test\n\t" TEST_RUN
#define SCRIPT "script:$directory/test.script"
	{ "tool", "c", { "common", "c", "tool", "tool-c" }, TEST_CASES,
	  "controller.tools+=@name@", "" },
	{ "tool", "c++", { "common", "c++", "tool", "tool-c++" }, TEST_CASES,
	  "controller.tools+=@name@", "" },
	{ "tool", "rust", { "common", "rust", "tool", "tool-rust",
			    "../rust/mortise-plugin-sys/src" }, TEST_CASES,
	  "controller.tools+=@name@", "" },
	{ "agent", "c", { "common", "c", "run", "agent" }, TEST_HARNESS,
	  "controller.agent=@name@", SCRIPT },
	{ "condenser", "c", { "common", "c", "run", "condenser" }, TEST_HARNESS,
	  "controller.condensers=@name@", SCRIPT },
	{ "analyzer", "c", { "common", "c", "run", "analyzer" }, TEST_HARNESS,
	  "controller.analyzers=@name@", SCRIPT },
	{ "dialect", "c", { "common", "c", "run", "dialect" }, TEST_HARNESS,
	  "llm.model=@name@/demo", "@name@/demo" },
	{ "runtime", "c", { "common", "c", "run", "runtime" }, TEST_HARNESS,
	  "controller.runtime=@name@", SCRIPT },
};

struct plan {
	const struct starter *starter;
	const char *name, *directory;
	char ident[NAME_LENGTH + 1]; /* the name as an identifier of C */
	struct strbuf *made;         /* the files, one per line */
};

/* ---- arguments of the command -------------------------------------------------- */

static int find_starter(const char *kind, const char *lang, struct plan *plan,
			struct error *err)
{
	bool known = false;

	for (size_t i = 0; i < ARRAY_LEN(starters) && !plan->starter; i++) {
		if (strcmp(starters[i].kind, kind) != 0)
			continue;
		known = true;
		if (strcmp(starters[i].lang, lang) == 0)
			plan->starter = &starters[i];
	}
	if (plan->starter)
		return MT_OK;
	if (!known)
		return fail(err, MT_EINVAL,
			    "unknown kind `%.80s`; use tool, agent, condenser, analyzer, "
			    "dialect or runtime",
			    kind);
	return fail(err, MT_EINVAL,
		    "cannot make a plugin of kind `%s` in `%.80s`; use c for every "
		    "kind, or c++ or rust for a tool",
		    kind, lang);
}

static int plugins_new_check_name(const char *name, struct error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t len = strlen(name);

	if (*name >= 'a' && *name <= 'z' && len <= NAME_LENGTH &&
	    strspn(name, allowed) == len)
		return MT_OK;
	return fail(err, MT_EINVAL,
		    "invalid name `%.80s`; use a lowercase letter, then up to %d of a-z, "
		    "0-9, `_` and `-`",
		    name, NAME_LENGTH - 1);
}

static void set_ident(struct plan *plan)
{
	snprintf(plan->ident, sizeof plan->ident, "%s", plan->name);
	for (char *c = plan->ident; *c; c++)
		if (*c == '-')
			*c = '_';
}

/* ---- templates ------------------------------------------------------------------ */

static const char *plugins_new_value_of(const struct plan *plan, const char *word,
					size_t len)
{
	const struct {
		const char *name, *value;
	} values[] = {
		{ "name", plan->name },
		{ "ident", plan->ident },
		{ "kind", plan->starter->kind },
		{ "test", plan->starter->test },
		{ "enable", plan->starter->enable },
		{ "model", plan->starter->model },
	};

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (strlen(values[i].name) == len &&
		    memcmp(values[i].name, word, len) == 0)
			return values[i].value;
	return NULL;
}

/* Values are also expanded: they may contain the name of the plugin. */
static void plugins_new_expand(const struct plan *plan, const char *text,
			       struct strbuf *out)
{
	const char *mark;

	for (; (mark = strchr(text, '@')); text = mark) {
		size_t len = strcspn(++mark, "@ \n");
		const char *value =
			mark[len] == '@' ? plugins_new_value_of(plan, mark, len) : NULL;

		strbuf_addn(out, text, (size_t)(mark - text) - (value != NULL));
		if (!value)
			continue;
		plugins_new_expand(plan, value, out);
		mark += len + 1;
	}
	strbuf_add(out, text);
}

static char *plugins_new_target_of(const struct plan *plan, const char *file)
{
	AUTO(strbuf) struct strbuf path = STRBUF(PATH_MAX);
	bool named = strncmp(file, "NAME.", strlen("NAME.")) == 0;

	strbuf_addf(&path, "%s/%s%s", plan->directory, named ? plan->name : "",
		    named ? file + strlen("NAME") : file);
	return strbuf_take(&path);
}

static int plugins_new_copy_file(const struct plan *plan, const char *from,
				 const char *file, struct error *err)
{
	AUTO(free) char *source = path_join(from, file);
	AUTO(free) char *target = plugins_new_target_of(plan, file);
	AUTO(free) char *text = NULL;
	AUTO(strbuf) struct strbuf out = STRBUF(TEMPLATE_MAX);

	if (!source || !target)
		return out_of_memory(err);
	if (file_read(source, TEMPLATE_MAX, &text, NULL, err))
		return err->code;
	plugins_new_expand(plan, text, &out);
	if (out.error)
		return fail_code(err, out.error);
	if (file_write(target, out.text, out.len, 0644, false, err))
		return err->code;
	return strbuf_addf(plan->made, "%s\n", target) ? out_of_memory(err) : MT_OK;
}

static int copy_part(const struct plan *plan, const char *templates, const char *part,
		     struct error *err)
{
	AUTO(free) char *from = path_join(templates, part);
	struct dirent **files;
	int count;

	if (!from)
		return out_of_memory(err);
	count = scandir(from, &files, NULL, alphasort);
	if (count < 0)
		return fail(err, MT_EIO, "cannot read templates in %s: %s", from,
			    strerror(errno));
	for (int i = 0; i < count; i++) {
		if (!err->code && *files[i]->d_name != '.')
			plugins_new_copy_file(plan, from, files[i]->d_name, err);
		free(files[i]);
	}
	free(files);
	return err->code;
}

/* ---- the directory --------------------------------------------------------------- */

static bool is_empty(const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	size_t count = 0;

	if (!d)
		return false;
	while ((entry = readdir(d)))
		count++;
	closedir(d);
	return count <= 2; /* . and .. */
}

static int make_directory(const char *directory, bool *ret_made, struct error *err)
{
	*ret_made = mkdir(directory, 0777) == 0;
	if (*ret_made || (errno == EEXIST && is_empty(directory)))
		return MT_OK;
	if (errno == EEXIST)
		return fail(err, MT_EEXIST,
			    "`%s` exists and is not an empty directory; name another one",
			    directory);
	return fail(err, MT_EIO, "cannot make the directory `%s`: %s", directory,
		    strerror(errno));
}

/* Remove the created files. The directory was empty before. */
static void undo(const struct plan *plan, bool made)
{
	char *file = plan->made->text, *end;

	for (; (end = strchr(file, '\n')); file = end + 1) {
		*end = '\0';
		unlink(file);
	}
	if (made)
		rmdir(plan->directory);
}

static int plugins_new_make(const struct plan *plan, const char *templates,
			    struct error *err)
{
	bool made;

	if (make_directory(plan->directory, &made, err))
		return err->code;
	for (size_t i = 0; i < ARRAY_LEN(plan->starter->parts) && !err->code; i++)
		if (plan->starter->parts[i])
			copy_part(plan, templates, plan->starter->parts[i], err);
	if (err->code)
		undo(plan, made);
	else
		fputs(plan->made->text, stdout);
	return err->code;
}

int plugin_new(struct common *common, const char *lang, int count, char **words)
{
	AUTO(config) struct config *c = NULL;
	AUTO(strbuf) struct strbuf made = STRBUF(1 << 20);
	struct error err = ERROR_NONE;
	struct plan plan = { .made = &made };

	if (count < 2 || count > 3) {
		fail(&err, MT_EINVAL, "plugins new: use new KIND NAME [DIR]");
		return command_report(EXIT_USAGE, &err);
	}
	plan.name = words[1];
	plan.directory = count > 2 ? words[2] : plan.name;
	if (find_starter(words[0], lang ? lang : "c", &plan, &err) ||
	    plugins_new_check_name(plan.name, &err) || common_config(common, &c, &err))
		return command_report(EXIT_USAGE, &err);
	set_ident(&plan);
	if (plugins_new_make(&plan, config_get(c, "core", "template_dir"), &err))
		return command_report(EXIT_FAILED, &err);
	printf("\nTo build and test it: make -C %s test\n", plan.directory);
	return EXIT_DONE;
}
