/* SPDX-License-Identifier: MIT
 *
 * kernelspec.c - finds kernels and parses their kernel.json. */
#include "kernelspec.h"
#include "files.h"
#include <dirent.h>
#include <string.h>

enum {
	SPEC_MAX = 256 * 1024, /* bytes of a kernel.json */
	ARGS_MAX = 64,
	PLACES_MAX = 32,
	NAMED_MAX = 12,        /* kernels listed in an error */
	VALUE_MAX = 32 * 1024, /* bytes of a variable of its environment */
};

struct places {
	char *dirs[PLACES_MAX];
	size_t count;
};

static void places_clear(struct places *p)
{
	while (p->count)
		free(p->dirs[--p->count]);
}

static void kernelspec_add_place(struct places *p, const char *base, size_t len,
				 const char *below)
{
	char *dir;

	if (!len || *base != '/' || p->count == PLACES_MAX)
		return;
	if (asprintf(&dir, "%.*s/%s", (int)len, base, below) >= 0)
		p->dirs[p->count++] = dir;
}

static void add_variable(struct places *p, const char *name, const char *below)
{
	const char *value = getenv(name);

	if (value)
		kernelspec_add_place(p, value, strlen(value), below);
}

/* Directories as in jupyter_core.paths, nearest first. */
static void find_places(struct places *p)
{
	const char *list = getenv("JUPYTER_PATH");

	for (const char *end; list && *list; list = *end ? end + 1 : end) {
		end = strchrnul(list, ':');
		kernelspec_add_place(p, list, (size_t)(end - list), "kernels");
	}
	if (getenv("JUPYTER_DATA_DIR"))
		add_variable(p, "JUPYTER_DATA_DIR", "kernels");
	else if (getenv("XDG_DATA_HOME"))
		add_variable(p, "XDG_DATA_HOME", "jupyter/kernels");
	else
		add_variable(p, "HOME", ".local/share/jupyter/kernels");
	add_variable(p, "VIRTUAL_ENV", "share/jupyter/kernels");
	add_variable(p, "CONDA_PREFIX", "share/jupyter/kernels");
	kernelspec_add_place(p, "/usr/local", 10, "share/jupyter/kernels");
	kernelspec_add_place(p, "/usr", 4, "share/jupyter/kernels");
}

static bool has_spec(const char *directory)
{
	AUTO(free) char *file = path_join(directory, "kernel.json");

	return file && access(file, R_OK) == 0;
}

/* Append the names of the kernels in a directory, for an error. */
static void name_kernels(const char *place, struct strbuf *out, int *count)
{
	DIR *dir = opendir(place);
	struct dirent *d;

	while (dir && *count < NAMED_MAX && (d = readdir(dir))) {
		AUTO(free) char *directory =
			d->d_name[0] == '.' ? NULL : path_join(place, d->d_name);

		if (directory && has_spec(directory))
			strbuf_addf(out, "%s%s", (*count)++ ? ", " : "", d->d_name);
	}
	if (dir)
		closedir(dir);
}

static int not_found(const char *name, const struct places *p, struct error *err)
{
	AUTO(strbuf) struct strbuf names = STRBUF(512);
	int count = 0;

	for (size_t i = 0; i < p->count; i++)
		name_kernels(p->dirs[i], &names, &count);
	if (count)
		return fail(
			err, MT_ENOTFOUND,
			"unknown Jupyter kernel `%s` (option `kernel`); installed: %s",
			name, names.text);
	return fail(
		err, MT_ENOTFOUND,
		"unknown Jupyter kernel `%s`; install "
		"python3-ipykernel (apt-get install python3-ipykernel, or pip install "
		"ipykernel)",
		name);
}

static int find_dir(const char *name, char **ret, struct error *err)
{
	struct places p = { .count = 0 };
	int status = MT_OK;

	*ret = NULL;
	if (strchr(name, '/')) {
		*ret = has_spec(name) ? strdup(name) : NULL;
		return *ret ? MT_OK
			    : fail(err, MT_ENOTFOUND,
				   "the directory `%s` of the option `kernel` has no kernel.json",
				   name);
	}
	find_places(&p);
	for (size_t i = 0; i < p.count && !*ret; i++) {
		AUTO(free) char *directory = path_join(p.dirs[i], name);

		if (directory && *name && *name != '.' && has_spec(directory))
			*ret = STEAL(directory);
	}
	if (!*ret)
		status = not_found(name, &p, err);
	places_clear(&p);
	return status;
}

/* Path of a program: found in PATH if it has no slash. */
static char *program_path(const char *name)
{
	const char *path = getenv("PATH");

	return strchr(name, '/') ? strdup(name)
				 : path_find_program(path ? path : "/usr/bin:/bin", name);
}

static int take_argv(struct kernelspec *k, struct error *err)
{
	json_object *list = js_get(k->json, "argv");
	size_t count = js_length(list);

	if (count == 0 || count > ARGS_MAX)
		return fail(err, MT_EINVAL,
			    "%s/kernel.json: `argv` must be a list of 1 to %d strings",
			    k->directory, ARGS_MAX);
	k->argv = calloc(count + 1, sizeof *k->argv);
	for (size_t i = 0; k->argv && i < count; i++) {
		json_object *one = json_object_array_get_idx(list, i);

		if (!json_object_is_type(one, json_type_string))
			return fail(err, MT_EINVAL,
				    "%s/kernel.json: `argv` must be a list of strings",
				    k->directory);
		k->argv[i] = strdup(json_object_get_string(one));
		if (!k->argv[i])
			return out_of_memory(err);
		k->argc++;
	}
	return k->argv ? MT_OK : out_of_memory(err);
}

static int kernelspec_read_spec(struct kernelspec *k, struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(free) char *file = path_join(k->directory, "kernel.json");
	AUTO(free) char *text = NULL;
	size_t len;

	if (!file)
		return out_of_memory(err);
	if (file_read(file, SPEC_MAX, &text, &len, err) != MT_OK)
		return err->code;
	k->json = js_parse_object(text, len, &why);
	if (!k->json)
		return fail(err, MT_EINVAL, "%s: %s", file, why.text);
	if (take_argv(k, err) != MT_OK)
		return err->code;
	k->program = program_path(k->argv[0]);
	if (!k->program || !path_is_program(k->program))
		return fail(err, MT_ENOTFOUND, "%s: program `%s` not found", file,
			    k->argv[0]);
	k->python = strcmp(js_str(k->json, "language", ""), "python") == 0;
	k->by_message = strcmp(js_str(k->json, "interrupt_mode", ""), "message") == 0;
	return MT_OK;
}

int kernelspec_find(const char *name, struct kernelspec *ret, struct error *err)
{
	*ret = (struct kernelspec){ 0 };
	int status = find_dir(name, &ret->directory, err);

	if (status == MT_OK)
		status = kernelspec_read_spec(ret, err);
	if (status != MT_OK)
		kernelspec_clear(ret);
	return status;
}

void kernelspec_clear(struct kernelspec *k)
{
	for (size_t i = 0; k->argv && i < k->argc; i++)
		free(k->argv[i]);
	free(k->argv);
	free(k->directory);
	free(k->program);
	json_object_put(k->json);
	*k = (struct kernelspec){ 0 };
}

/* Replace ${NAME} and $NAME from the environment; unset names are not changed. */
static int substitute(struct strbuf *out, const char *text)
{
	static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789_";

	while (*text) {
		size_t plain = strcspn(text, "$");
		const char *name = text + plain + 1;
		char key[128];

		strbuf_addn(out, text, plain);
		text += plain;
		if (!*text)
			break;
		bool braces = *name == '{';
		size_t len = strspn(name + braces, word);

		snprintf(key, sizeof key, "%.*s", (int)len, name + braces);
		const char *value = len && len < sizeof key ? getenv(key) : NULL;

		if (!value || (braces && name[1 + len] != '}')) {
			strbuf_addc(out, *text++);
			continue;
		}
		strbuf_add(out, value);
		text = name + len + (braces ? 2 : 0);
	}
	return out->error;
}

int kernelspec_env(const struct kernelspec *k, char **list, int max)
{
	json_object *env = js_get(k->json, "env");
	int n = 0;

	if (!json_object_is_type(env, json_type_object))
		return 0;
	json_object_object_foreach(env, name, value) {
		AUTO(strbuf) struct strbuf text = STRBUF(VALUE_MAX);

		if (n == max || !*name || strchr(name, '=') ||
		    !json_object_is_type(value, json_type_string))
			continue;
		strbuf_addf(&text, "%s=", name);
		if (substitute(&text, json_object_get_string(value)))
			return -1;
		list[n] = strbuf_take(&text);
		if (!list[n++])
			return -1;
	}
	return n;
}
