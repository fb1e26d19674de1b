/* SPDX-License-Identifier: MIT
 *
 * skills.c - `mortise skills`: lists skills and manages packs. */
#include "commands.h"
#include "download.h"
#include "spool.h"

#include "skills/packs.h"
#include "skills/skills.h"
#include "columns.h"
#include "files.h"
#include "tools/mcp-servers.h"
#include "utf8.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_COLUMNS = 60, NAME_COLUMNS = 24 };

struct job {
	struct common common;
	struct config *config;
	const char *workspace, *key;
	const char *word; /* the operand; NULL: none */
	bool json, problems, inside;
	struct strbuf *out;
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "print JSON",
	     STORE(FLAG_TRUE, struct job, json)),
	FLAG(0, "key", "FILE",
	     "private key to sign a new pack; public key to verify one",
	     STORE(FLAG_TEXT, struct job, key)),
	FLAG(0, "inside", NULL, "pack: store the signature in the pack, not next to it",
	     STORE(FLAG_TRUE, struct job, inside)),
	FLAG(0, "problems", NULL, "list: print unreadable and duplicate skills",
	     STORE(FLAG_TRUE, struct job, problems)),
	{ 0 },
};

/* ---- the list ------------------------------------------------------------- */

static void cli_skills_put_json(struct strbuf *out, struct skill *s)
{
	skill_describe(s);
	strbuf_addc(out, '{');
	js_key_str(out, "name", s->name);
	js_key_str(out, "description", s->description ? s->description : "");
	js_key_str(out, "type", skill_type(s));
	js_key_str(out, "place", s->place);
	js_key_str(out, "source", s->source);
	js_key(out, "triggers");
	strbuf_addc(out, '[');
	for (size_t i = 0; i < s->trigger_count; i++) {
		if (i)
			strbuf_addc(out, ',');
		js_put_str(out, s->triggers[i], strlen(s->triggers[i]));
	}
	strbuf_add(out, "]}");
}

/* Columns of the terminal; 0: standard output is not a terminal. */
static size_t columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

struct layout {
	size_t columns; /* 0: do not truncate */
	size_t name, place;
};

static struct layout cli_skills_lay_out(const struct skills *all)
{
	struct layout l = { .columns = columns() };
	struct skill *s;

	for (size_t i = 0; (s = skills_at(all, i)); i++) {
		size_t name = columns_count(s->name, strlen(s->name));
		size_t place = columns_count(s->place, strlen(s->place));

		l.name = name > l.name ? name : l.name;
		l.place = place > l.place ? place : l.place;
	}
	l.name = l.name > NAME_COLUMNS ? NAME_COLUMNS : l.name;
	l.place = l.place > NAME_COLUMNS ? NAME_COLUMNS : l.place;
	return l;
}

/* Truncate the line at the width of the terminal, if standard output is one. */
static void cli_skills_put_line(struct strbuf *out, struct skill *s,
				const struct layout *l)
{
	AUTO(strbuf) struct strbuf line = STRBUF(64 << 10), text = STRBUF(64 << 10);
	size_t most = l->columns > LEAST_COLUMNS ? l->columns : LEAST_COLUMNS;

	columns_put(&line, s->name, strlen(s->name), l->name, SIZE_MAX);
	strbuf_add(&line, "  ");
	columns_put(&line, s->place, strlen(s->place), l->place, SIZE_MAX);
	strbuf_add(&line, "  ");
	skill_summary(s, &text);
	columns_put(&line, text.text, text.len, 0, SIZE_MAX);
	if (l->columns && columns_count(line.text, line.len) > most) {
		strbuf_cut(&line, columns_fit(line.text, line.len, most - 3));
		strbuf_add(&line, "...");
	}
	strbuf_addf(out, "%s\n", line.text);
}

static void cli_skills_put_list(const struct job *j, const struct skills *all)
{
	struct layout l = cli_skills_lay_out(all);
	struct skill *s;

	if (j->json)
		strbuf_addc(j->out, '[');
	for (size_t i = 0; (s = skills_at(all, i)); i++) {
		if (j->json && i)
			strbuf_addc(j->out, ',');
		if (j->json)
			cli_skills_put_json(j->out, s);
		else
			cli_skills_put_line(j->out, s, &l);
	}
	if (j->json)
		strbuf_add(j->out, "]\n");
}

static void put_problems(const struct job *j, const struct skills *all)
{
	const struct skill_problem *p;

	for (size_t i = 0; (p = skills_problem(all, i)); i++)
		strbuf_addf(j->out, "%s: %s%s\n", p->path, p->warning ? "(warning) " : "",
			    p->text);
}

static int do_list(void *arguments, struct error *err)
{
	struct job *j = arguments;
	AUTO(skills) struct skills *all = NULL;
	int r = skills_load(j->config, j->workspace, &all, err);

	if (r)
		return r;
	if (j->problems)
		put_problems(j, all);
	else
		cli_skills_put_list(j, all);
	return MT_OK;
}

/* ---- one skill -------------------------------------------------------------- */

/* Print the commands that the MCP servers of a skill run. */
static void put_servers(const struct job *j, const struct skill *s)
{
	AUTO(json) json_object *servers = skill_mcp_servers(s);

	if (!servers)
		return;
	strbuf_addf(j->out, "provides MCP servers, %s:\n",
		    mcp_servers_trusted(s->name, servers)
			    ? "which are trusted"
			    : "which start only if they are "
			      "trusted");
	json_object_object_foreach(servers, name, server) {
		strbuf_addf(j->out, "  %s: ", name);
		js_put(j->out, server);
		strbuf_addc(j->out, '\n');
	}
}

static int show_skill(struct job *j, struct skill *s, struct error *err)
{
	AUTO(json) json_object *files = NULL;

	if (skills_content(s, err))
		return err->code;
	skill_describe(s);
	if (j->json) {
		cli_skills_put_json(j->out, s);
		return strbuf_addc(j->out, '\n');
	}
	strbuf_addf(j->out, "%s (%s, %s)\n%s\n", s->name, s->place, s->source,
		    s->description ? s->description : "");
	for (size_t i = 0; i < s->trigger_count; i++)
		strbuf_addf(j->out, "%s%s", i ? ", " : "comes with: ", s->triggers[i]);
	strbuf_add(j->out, s->trigger_count ? "\n" : "");
	put_servers(j, s);
	strbuf_addf(j->out, "\n%s\n", s->content);
	files = skills_files(s, 64);
	for (size_t i = 0; files && i < json_object_array_length(files); i++)
		strbuf_addf(j->out, "%s%s", i ? ", " : "\nfiles: ",
			    json_object_get_string(json_object_array_get_idx(files, i)));
	return strbuf_add(j->out, files && json_object_array_length(files) ? "\n" : "");
}

static void put_pack(const struct job *j, const struct pack *p)
{
	const struct {
		const char *name, *text;
	} lines[] = {
		{ "name", p->name }, { "version", p->version }, { "license", p->license },
		{ "description", p->description }, { "requires", p->requires },
		{ "capabilities", p->capabilities },
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (*lines[i].text)
			strbuf_addf(j->out, "%s: %s\n", lines[i].name, lines[i].text);
}

static int show_pack(struct job *j, const char *path, struct error *err)
{
	AUTO(pack) struct pack *p = NULL;
	AUTO(skills) struct skills *all = NULL;
	int r = pack_open(path, &p, &all, err);

	if (r)
		return r;
	if (!j->json)
		put_pack(j, p);
	cli_skills_put_list(j, all);
	if (!j->json)
		put_problems(j, all);
	return MT_OK;
}

static int do_show(void *arguments, struct error *err)
{
	struct job *j = arguments;
	const char *word = j->word;
	AUTO(skills) struct skills *all = NULL;
	struct skill *s;
	int r;

	if (pack_is_archive(word) && access(word, R_OK) == 0)
		return show_pack(j, word, err);
	r = skills_load(j->config, j->workspace, &all, err);
	s = r ? NULL : skills_find(all, word);
	if (!r && !s)
		return fail(err, MT_ENOTFOUND,
			    "unknown skill `%.100s`; `mortise skills "
			    "list` lists the installed ones",
			    word);
	return r ? r : show_skill(j, s, err);
}

/* ---- their MCP servers ---------------------------------------------------------- */

static int do_trust(void *arguments, struct error *err)
{
	struct job *j = arguments;
	const char *word = j->word;
	AUTO(skills) struct skills *all = NULL;
	AUTO(json) json_object *servers = NULL;
	struct skill *s;

	if (skills_load(j->config, j->workspace, &all, err))
		return err->code;
	s = skills_find(all, word);
	if (!s || skills_content(s, err))
		return s ? err->code
			 : fail(err, MT_ENOTFOUND,
				"unknown skill `%.100s`; `mortise skills list` lists the "
				"installed ones",
				word);
	servers = skill_mcp_servers(s);
	if (!servers)
		return fail(err, MT_ENOTFOUND, "skill %s has no MCP servers", word);
	if (!mcp_servers_trust(s->name, servers, err))
		put_servers(j, s);
	return err->code;
}

static int do_untrust(void *arguments, struct error *err)
{
	struct job *j = arguments;
	const char *word = j->word;
	if (!mcp_servers_trust(word, NULL, err))
		strbuf_addf(j->out, "MCP servers of %s are not trusted\n", word);
	return err->code;
}

/* ---- packs -------------------------------------------------------------------- */

/* Find the signer. Without a signature it is "", or an error if a key was given. */
static int signer_of(const struct job *j, const char *path, char **ret, struct error *err)
{
	int r = pack_verify_signature(path, j->key, KEY_DIR, ret, err);

	if (r == MT_ENOTFOUND && !j->key) {
		*ret = strdup("");
		return *ret ? MT_OK : out_of_memory(err);
	}
	return r == MT_ENOTFOUND ? fail(err, MT_EDENIED, "%s is not signed", path) : r;
}

static int do_verify(void *arguments, struct error *err)
{
	struct job *j = arguments;
	const char *path = j->word;
	AUTO(free) char *signer = NULL;
	char hex[65];
	int r = show_pack(j, path, err);

	if (!r)
		r = signer_of(j, path, &signer, err);
	if (!r)
		r = pack_hash(path, hex, err);
	if (!r && !j->json)
		strbuf_addf(j->out, "%s%s\nsha256: %s\n",
			    *signer ? "signed by " : "not signed", signer, hex);
	return r;
}

static int install_file(struct job *j, const char *path, const char *source,
			struct error *err)
{
	AUTO(free) char *signer = NULL, *name = NULL;
	int r = signer_of(j, path, &signer, err);

	if (!r)
		r = pack_install(path, source, signer, &name, err);
	if (!r)
		strbuf_addf(j->out,
			    "%s is installed%s%s; `mortise skills show NAME` "
			    "prints its skills\n",
			    name, *signer ? ", signed by " : ", not signed", signer);
	return r;
}

static int do_install(void *arguments, struct error *err)
{
	struct job *j = arguments;
	const char *word = j->word;
	AUTO(free) char *path = NULL;
	char dir[PATH_MAX];
	int r;

	if (strncmp(word, "http://", 7) == 0)
		return fail(err, MT_EDENIED,
			    "cannot install %s: only https:// URLs are "
			    "allowed",
			    word);
	if (strncmp(word, "https://", 8) != 0)
		return install_file(j, word, word, err);
	r = command_spool_open("mortise-skills", dir, sizeof dir, err);
	if (!r)
		r = download_file(j->config, word, PACK_FILE_MAX, dir, &path, err);
	if (!r) { /* a signature file next to it is used; it is optional */
		AUTO(strbuf) struct strbuf url = STRBUF(8192), to = STRBUF(8192);

		strbuf_addf(&url, "%s.sig", word);
		strbuf_addf(&to, "%s.sig", path);
		download_to(j->config, url.text, 4096, to.text, NULL);
		r = install_file(j, path, word, err);
	}
	command_spool_close();
	return r;
}

/* The skills of an installed pack; NULL if they cannot be read. */
static struct skills *skills_of_pack(const char *name)
{
	AUTO(free) char *dir = packs_dir(false, NULL), *path = NULL;
	AUTO(json) json_object *locked = dir ? packs_read_lock(dir) : NULL;
	AUTO(pack) struct pack *p = NULL;
	struct skills *all = NULL;

	path = dir ? path_join(dir, js_str(js_get(locked, name), "file", "")) : NULL;
	return path && !pack_open(path, &p, &all, NULL) ? all : NULL;
}

static int do_remove(void *arguments, struct error *err)
{
	struct job *j = arguments;
	const char *word = j->word;
	AUTO(skills) struct skills *all = skills_of_pack(word);
	struct skill *s;
	int r = pack_remove(word, err);

	for (size_t i = 0; !r && all && (s = skills_at(all, i)); i++)
		r = mcp_servers_trust(s->name, NULL, err);
	if (!r)
		strbuf_addf(j->out, "removed %s\n", word);
	return r;
}

static void check_not_empty(const struct skills *all, const char *what, struct error *err)
{
	const struct skill_problem *p = skills_problem(all, 0);

	if (!skills_at(all, 0))
		fail(err, MT_EINVAL,
		     "%s contains no skills: a skill is a directory with "
		     "SKILL.md, or a Markdown file in a directory "
		     "`skills`%s%s%s%s",
		     what, p ? "; " : "", p ? p->path : "", p ? ": " : "",
		     p ? p->text : "");
}

static int skills_fail_create(const char *path, int why, struct error *err)
{
	return fail(err, why == EEXIST ? MT_EEXIST : MT_EIO, "cannot create %s: %s", path,
		    strerror(why));
}

/* Writes a temporary file first, so that nothing uses an incomplete archive. */
static int pack_to_file(const char *dir, const char *path, const char *key,
			struct error *err)
{
	const mode_t mask = umask(022);
	char temp[PATH_MAX];
	int fd, r;

	umask(mask);
	if (access(path, F_OK) == 0)
		return skills_fail_create(path, EEXIST, err);
	fd = command_spool_file(path, temp, sizeof temp);
	if (fd < 0)
		return skills_fail_create(path, errno, err);
	r = pack_make(dir, fd, path, key, err);
	if (!r && (fchmod(fd, 0644 & ~mask) != 0 || link(temp, path) != 0) &&
	    ((errno != EPERM && errno != EOPNOTSUPP) || rename(temp, path) != 0))
		r = skills_fail_create(path, errno, err);
	close(fd);
	command_spool_close();
	return r;
}

/* Packs DIR as DIR.tar.gz next to it; the pack is validated before it is kept. */
static int do_pack(void *arguments, struct error *err)
{
	struct job *j = arguments;
	const char *word = j->word;
	AUTO(strbuf) struct strbuf path = STRBUF(8192);
	AUTO(pack) struct pack *p = NULL;
	AUTO(skills) struct skills *all = NULL;
	size_t n = strlen(word);
	int r;

	while (n > 1 && word[n - 1] == '/')
		n--;
	strbuf_addn(&path, word, n);
	strbuf_add(&path, ".tar.gz");
	if (j->inside && !j->key)
		return fail(err, MT_EINVAL, "--inside requires --key");
	r = pack_to_file(word, path.text, j->inside ? j->key : NULL, err);
	if (!r && !pack_open(path.text, &p, &all, err))
		check_not_empty(all, word, err);
	if (!r && err->code) {
		unlink(path.text);
		r = err->code;
	}
	if (!r && j->key && !j->inside && (r = pack_sign(path.text, j->key, err)))
		unlink(path.text);
	if (!r) {
		strbuf_addf(j->out, "%s\n", path.text);
		put_problems(j, all);
	}
	return r;
}

/* Untrusted text must not control the terminal. */
static void print(struct strbuf *out)
{
	for (size_t i = 0, n; i < out->len; i += n ? n : 1) {
		char ch = out->text[i];

		n = ch == '\n' || ch == '\t' ? 0
					     : utf8_control(out->text + i, out->len - i);
		memset(out->text + i, ' ', n);
	}
	fwrite(out->text, 1, out->len, stdout);
}

/* ---- the command ---------------------------------------------------------------- */

static const struct subcommand subcommands[] = {
	{ "list", 0, 0, do_list },
	{ "show", 1, 1, do_show },
	{ "verify", 1, 1, do_verify },
	{ "install", 1, 1, do_install },
	{ "remove", 1, 1, do_remove },
	{ "pack", 1, 1, do_pack },
	{ "trust", 1, 1, do_trust },
	{ "untrust", 1, 1, do_untrust },
	{ 0 },
};

static int cli_skills_run(const struct command *self, int argc, char **argv)
{
	AUTO(strbuf) struct strbuf out = STRBUF(16 << 20);
	AUTO(config) struct config *config = NULL;
	AUTO(free) char *workspace = NULL;
	struct job j = { .out = &out };
	struct error err = ERROR_NONE;
	int index, what;
	enum flags_status flag = flags_parse(self, argc, argv, &index, &j.common);

	if (flag != FLAG_END)
		return flags_exit_code(flag);
	if (common_config(&j.common, &config, &err))
		return command_report(EXIT_USAGE, &err);
	workspace = realpath(j.common.workspace ? j.common.workspace : ".", NULL);
	j.config = config;
	j.workspace = workspace ? workspace : "/";
	what = command_choose(self, argc - index, argv + index);
	if (what < 0)
		return EXIT_USAGE;
	j.word = argc - index > 1 ? argv[index + 1] : NULL;
	self->subcommands[what].run(&j, &err);
	print(&out);
	return err.code ? command_report(EXIT_FAILED, &err) : EXIT_DONE;
}

const struct command command_skills = {
	.name = "skills",
	.args = "[list | show NAME|FILE | verify FILE | install FILE|URL | remove NAME | "
		"pack DIR | trust NAME | untrust NAME]",
	.summary = "List, install, verify and pack skills",
	.details = "list     list skills (default)\nshow     print a skill, or the "
		   "skills of a pack file\nverify   check the signature of a "
		   "pack\ninstall  install a pack\nremove   remove an installed "
		   "pack\npack     create a pack from a directory\ntrust    allow the "
		   "MCP servers of a skill to start\nuntrust  disallow them\n\nA pack is "
		   "an archive (tar.gz, tar.xz, tar.zst, zip) of skills. Packs are read "
		   "in\nplace: nothing is unpacked and no script is run. See "
		   "doc/skills.md.",
	.flags = flags,
	.subcommands = subcommands,
	.run = cli_skills_run,
};
