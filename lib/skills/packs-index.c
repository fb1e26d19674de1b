/* SPDX-License-Identifier: MIT
 *
 * packs-index.c - reads the manifest and the skills of an archive. */
#include <config.h>

#include "skills/packs.h"
#include "skills/skills-internal.h"

#include "files.h"
#include "ini.h"
#include "log.h"
#include "utf8.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MANIFEST_MAX = 64 << 10 };

struct pack *pack_free(struct pack *p)
{
	if (p) {
		if (p->index >= 0)
			close(p->index);
		free(p->path);
		free(p->name);
		free(p->version);
		free(p->license);
		free(p->description);
		free(p->requires);
		free(p->capabilities);
		free(p);
	}
	return NULL;
}

/* ---- the manifest ---------------------------------------------------------- */

/* Rank of a manifest; lower is better; 0: not a manifest. pack.ini precedes plugin.json,
 * which precedes package.json. They are at the root or one directory (plugin.json: up to
 * two) below it. */
static unsigned manifest_rank(const char *path)
{
	static const struct {
		const char *file;
		unsigned depth_max, rank;
	} manifests[] = {
		{ "pack.ini", 1, 1 }, { "plugin.json", 2, 3 }, { "package.json", 1, 7 },
	};
	const char *file = strrchr(path, '/');
	unsigned depth = 0;

	for (const char *p = path; *p; p++)
		depth += *p == '/';
	file = file ? file + 1 : path;
	for (size_t i = 0; i < ARRAY_LEN(manifests); i++)
		if (strcmp(file, manifests[i].file) == 0 &&
		    depth <= manifests[i].depth_max)
			return manifests[i].rank + depth;
	return 0;
}

static int set_manifest_text(char **field, const char *text)
{
	char *copy = strdup(text ? text : "");

	if (!copy)
		return MT_ENOMEM;
	utf8_blank_controls(copy, strlen(copy));
	free(*field);
	*field = copy;
	return MT_OK;
}

/* Only a minimum version, "mortise >= 0.1", can be required. */
static int check_requires(const char *requires, struct error *err)
{
	unsigned major, minor = 0, own_major = 0, own_minor = 0;

	if (!*requires)
		return MT_OK;
	sscanf(PACKAGE_VERSION, "%u.%u", &own_major, &own_minor);
	if (sscanf(requires, "mortise >= %u.%u", &major, &minor) < 1)
		return fail(err, MT_EUNSUPPORTED,
			    "requires `%.100s`, which is not supported", requires);
	if (major > own_major || (major == own_major && minor > own_minor))
		return fail(err, MT_EUNSUPPORTED,
			    "requires %.100s, but this is " PACKAGE_VERSION, requires);
	return MT_OK;
}

static int read_ini(struct pack *p, const char *name, const char *text, size_t len,
		    struct error *err)
{
	struct ini ini;
	int r = ini_parse_text(name, text, len, &ini, err);

	for (size_t i = 0; !r && i < ini.count; i++) {
		const struct ini_entry *e = &ini.entries[i];
		const struct {
			const char *key;
			char **field;
		} fields[] = {
			{ "name", &p->name }, { "version", &p->version },
			{ "license", &p->license }, { "licence", &p->license }, /* alias */
			{ "description", &p->description }, { "requires", &p->requires },
			{ "capabilities", &p->capabilities },
		};

		for (size_t k = 0;
		     strcmp(e->section, "pack") == 0 && k < ARRAY_LEN(fields); k++)
			if (strcmp(fields[k].key, e->key) == 0)
				r = set_manifest_text(fields[k].field, e->value);
	}
	if (!r || err->code == MT_OK)
		ini_clear(&ini);
	return r ? r : check_requires(p->requires, err);
}

static int read_manifest_json(struct pack *p, const char *text, size_t len,
			      struct error *err)
{
	AUTO(json) json_object *o = js_parse_object(text, len, err);

	if (!o)
		return err->code;
	if (*js_str(o, "name", ""))
		set_manifest_text(&p->name, js_str(o, "name", ""));
	set_manifest_text(&p->version, js_str(o, "version", ""));
	set_manifest_text(&p->license, js_str(o, "license", ""));
	return set_manifest_text(&p->description, js_str(o, "description", ""));
}

/* "archive" of "/x/archive.tar.gz". */
static char *plain_name(const char *path)
{
	const char *file = strrchr(path, '/');
	size_t n;

	file = file ? file + 1 : path;
	n = strcspn(file, ".");
	for (const char *dot = file + n; *dot; dot++) { /* versions also contain dots */
		if (strcmp(dot, ".tgz") == 0 || strncmp(dot, ".tar", 4) == 0 ||
		    strcmp(dot, ".txz") == 0 || strcmp(dot, ".zip") == 0) {
			n = (size_t)(dot - file);
			break;
		}
	}
	return strndup(file, n);
}

struct pack *pack_new(const char *path)
{
	struct pack *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->index = -1;
	p->path = strdup(path);
	p->name = plain_name(path);
	if (p->path && p->name && !set_manifest_text(&p->version, "") &&
	    !set_manifest_text(&p->license, "") &&
	    !set_manifest_text(&p->description, "") &&
	    !set_manifest_text(&p->requires, "") &&
	    !set_manifest_text(&p->capabilities, ""))
		return p;
	return pack_free(p);
}

/* ---- reading the archive ------------------------------------------------- */

struct indexing {
	struct pack *pack;
	struct skills *skills, *commands;
	unsigned rank;         /* of the manifest that was read */
};

/* True for a Markdown file directly in a directory of this name. */
static bool packs_index_is_in(const char *path, const char *dir)
{
	const char *file = strrchr(path, '/');
	size_t n = strlen(dir), len = file ? strlen(file) : 0, before;

	if (len < 5 || strcasecmp(file + len - 3, ".md") != 0 ||
	    strcasecmp(file + 1, "readme.md") == 0)
		return false;
	before = (size_t)(file - path);
	return before >= n && strncmp(file - n, dir, n) == 0 &&
	       (before == n || file[-(ptrdiff_t)n - 1] == '/');
}

/* True for a standard skill anywhere, an older one in a directory for such skills, or a
 * command of a plugin. */
static bool is_skill_file(const char *path)
{
	const char *file = strrchr(path, '/');

	return skill_is_standard_file(file ? file + 1 : path) ||
	       packs_index_is_in(path, "skills") ||
	       packs_index_is_in(path, "microagents") ||
	       packs_index_is_in(path, "commands");
}

static bool is_indexed_file(const char *path, void *arg)
{
	(void)arg;
	return manifest_rank(path) || is_skill_file(path);
}

static int take_manifest(struct indexing *x, const struct pack_entry *e,
			 struct error *err)
{
	unsigned rank = manifest_rank(e->path);

	if (x->rank && x->rank <= rank)
		return MT_OK;
	x->rank = rank;
	if (e->len > MANIFEST_MAX)
		return fail(err, MT_ELIMIT, "%s is larger than %d KiB", e->path,
			    MANIFEST_MAX >> 10);
	return rank < 3 ? read_ini(x->pack, e->path, e->bytes, e->len, err)
			: read_manifest_json(x->pack, e->bytes, e->len, err);
}

/* A command of a plugin: the user calls it by /NAME. */
static int make_command(struct skill *s, const char *path)
{
	const char *file = strrchr(path, '/') + 1;
	AUTO(free) char *name = strndup(file, strlen(file) - 3);
	AUTO(free) char *call = NULL;

	s->hidden = true;
	if (!name || asprintf(&call, "/%s", name) < 0)
		return MT_ENOMEM;
	free(s->name);
	s->name = STEAL(name);
	if (s->trigger != TRIGGER_NONE)
		return MT_OK;
	s->triggers = calloc(1, sizeof *s->triggers);
	if (!s->triggers)
		return MT_ENOMEM;
	s->triggers[0] = STEAL(call);
	s->trigger_count = 1;
	s->trigger = TRIGGER_KEYWORD;
	return MT_OK;
}

static int keep_skill(struct indexing *x, struct skill *s, const char *path,
		      struct error *err)
{
	bool command = packs_index_is_in(path, "commands");

	if (!s->description || !*s->description) {
		AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);

		skill_summary(s, &text);
		set_manifest_text(&s->description, text.text);
	}
	free(STEAL(s->content)); /* loaded on demand */
	s->pack = x->pack;
	if (command && make_command(s, path)) {
		skill_free(s);
		return out_of_memory(err);
	}
	return skills_add(command ? x->commands : x->skills, s, "pack", err);
}

static int take_skill(struct indexing *x, const struct pack_entry *e, struct error *err)
{
	struct error why = ERROR_NONE, warning = ERROR_NONE;
	struct skill *s =
		skill_parse(e->path, NULL, e->bytes, e->len, false, &warning, &why);

	if (!s)
		return why.code == MT_ENOMEM
			       ? out_of_memory(err)
			       : skills_report_problem(x->skills, e->path, false,
						       why.text, err);
	if (warning.code)
		skills_report_problem(x->skills, e->path, true, warning.text, err);
	return keep_skill(x, s, e->path, err);
}

/* Commands follow the skills; duplicates of skills are omitted. */
static int add_commands(struct indexing *x, struct error *err)
{
	int r = MT_OK;

	for (size_t i = 0; !r && i < x->commands->count; i++)
		if (!skills_find(x->skills, x->commands->list[i]->name))
			r = skills_add(x->skills, STEAL(x->commands->list[i]), "pack",
				       err);
	return r;
}

static int index_entry(const struct pack_entry *e, void *arg, struct error *err)
{
	struct indexing *x = arg;

	if (e->kind == 'l' && is_skill_file(e->path))
		return skills_report_problem(
			x->skills, e->path, false,
			"ignored: it is a link, and its target is read in place", err);
	if (!e->bytes)
		return MT_OK;
	return manifest_rank(e->path) ? take_manifest(x, e, err) : take_skill(x, e, err);
}

/* If the lock file next to the archive lists it, the archive must be unchanged. */
static int check_lock(const char *path, struct error *err)
{
	AUTO(free) char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;
	AUTO(json) json_object *locked = NULL;
	char hex[65];

	if (!slash)
		return MT_OK;
	*slash = '\0';
	locked = packs_read_lock(dir);
	if (!locked)
		return MT_OK;
	json_object_object_foreach(locked, name, o) {
		if (strcmp(js_str(o, "file", ""), slash + 1) != 0)
			continue;
		if (pack_hash(path, hex, err))
			return err->code;
		if (strcmp(js_str(o, "sha256", ""), hex) != 0)
			return fail(err, MT_EDENIED,
				    "%s has changed since it was installed: its hash "
				    "differs from the lock file; reinstall %s",
				    path, name);
	}
	return MT_OK;
}

int pack_open(const char *path, struct pack **ret, struct skills **ret_skills,
	      struct error *err)
{
	AUTO(pack) struct pack *p = pack_new(path);
	AUTO(skills) struct skills *s = skills_new("", NULL);
	AUTO(skills) struct skills *commands = skills_new("", NULL);
	struct indexing x = { .pack = p, .skills = s, .commands = commands };
	const struct pack_reader reader = { .wants = is_indexed_file,
					    .entry = index_entry,
					    .arg = &x };
	int r;

	if (s && commands)
		s->quiet = commands->quiet = true; /* the caller reports problems */
	r = p && s && commands ? check_lock(path, err) : out_of_memory(err);

	if (!r)
		r = pack_scan(path, &reader, err);
	if (!r)
		r = add_commands(&x, err);
	if (r)
		return r;
	*ret = STEAL(p);
	*ret_skills = STEAL(s);
	return MT_OK;
}
