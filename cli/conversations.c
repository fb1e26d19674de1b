/* SPDX-License-Identifier: MIT
 *
 * conversations.c - `mortise conversations`: lists, shows, exports and imports
 * conversations. */
#include "commands.h"
#include "columns.h"
#include "conversations.h"
#include "conversation/conversation.h"
#include "conversation/meta.h"
#include "events/trajectory.h"
#include "array.h"
#include "files.h"
#include "spool.h"
#include "utf8.h"

#include <config.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SHOWN_LINES = 12, TITLE_SHOWN = 60 }; /* columns of a title */

struct arguments {
	struct common common;
	bool json, all, screenshots;
	char **operands; /* of the subcommand */
	size_t operand_count;
	const struct config *config;
	char **ids; /* the conversations that operands name; owned */
	size_t id_count;
	bool ids_failed;
	struct prune_options prune;
};

#define NUMBER_TO_MILLION .max = 1000000, .expected = "a number from 0 to 1000000"

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "list, show, cost: print JSON",
	     STORE(FLAG_TRUE, struct arguments, json)),
	FLAG('a', "all", NULL, "show: print every event in full",
	     STORE(FLAG_TRUE, struct arguments, all)),
	FLAG(0, "screenshots", NULL, "export: include screenshots",
	     STORE(FLAG_TRUE, struct arguments, screenshots)),
	FLAG(0, "older-than", "DAYS",
	     "prune: delete conversations unchanged for DAYS days",
	     STORE(FLAG_NUMBER, struct arguments, prune.older_days), NUMBER_TO_MILLION),
	FLAG(0, "keep", "N", "prune: keep the N newest",
	     STORE(FLAG_NUMBER, struct arguments, prune.keep), NUMBER_TO_MILLION),
	FLAG('n', "dry-run", NULL, "delete, prune: only print what would be deleted",
	     STORE(FLAG_TRUE, struct arguments, prune.dry)),
	{ 0 },
};

/* A line of untrusted text: control characters other than tabs become spaces, so that
 * output cannot control the terminal. */
static void conversations_print_line(const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = text[i] == '\t' ? 0 : utf8_control(text + i, len - i);
		putchar(n ? ' ' : text[i]);
	}
	putchar('\n');
}

/* Find the conversations that the first `count` operands name: all of them before the
 * command has an effect, because after a deletion `last` would be another one. */
static int conversations_find_ids(struct arguments *a, size_t count, struct error *err)
{
	a->ids = calloc(count + 1, sizeof *a->ids);
	if (!a->ids)
		return out_of_memory(err);
	for (; a->id_count < count; a->id_count++) {
		a->ids[a->id_count] =
			conversation_find(a->config, a->operands[a->id_count], err);
		if (!a->ids[a->id_count]) {
			a->ids_failed = true;
			return err->code;
		}
	}
	return MT_OK;
}

/* ---- list ------------------------------------------------------------------------ */

/* The disk space of a conversation, including spooled output. */
static int64_t dir_bytes(const char *path)
{
	char *const roots[] = { (char *)(uintptr_t)path, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL, NULL);
	int64_t bytes = 0;
	FTSENT *e;

	while (walk && (e = fts_read(walk)))
		if (e->fts_info == FTS_F)
			bytes += e->fts_statp->st_size;
	if (walk)
		fts_close(walk);
	return bytes;
}

void conversation_entries_clear(struct entries *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->items[i].id);
		free(l->items[i].title);
		free(l->items[i].workspace);
		free(l->items[i].parent);
	}
	free(l->items);
}

char *conversations_root(const struct config *c, struct error *err)
{
	char *dir = conversation_dir(c, "x", err);

	if (dir)
		dir[strlen(dir) - 2] = '\0'; /* without "/x" */
	return dir;
}

/* Describe the conversation in `dir`; false if there is none. */
static bool conversations_look_at(const char *root, const char *id, struct entry *ret)
{
	AUTO(free) char *dir = path_join(root, id);
	AUTO(free) char *path = dir ? path_join(dir, "events.jsonl") : NULL;
	AUTO(json) json_object *meta = dir ? meta_read(dir, NULL) : NULL;
	AUTO(evlog) struct evlog *log = NULL;
	struct stat st;

	if (!path || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*ret = (struct entry){ .events = -1, .written = st.st_mtim.tv_sec,
				.written_ns = st.st_mtim.tv_nsec, .bytes = dir_bytes(dir) };
	if (evlog_open(dir, EVLOG_READ, NULL, &log, NULL, NULL) == MT_OK)
		ret->events = evlog_count(log);
	ret->id = strdup(id);
	ret->title = strdup(js_str(meta, "title", log && meta ? "" : "(cannot be read)"));
	ret->workspace = strdup(js_str(meta, "workspace", ""));
	ret->parent = strdup(js_str(meta, "parent", ""));
	return ret->id && ret->title && ret->workspace && ret->parent;
}

static int newest_first(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->written != b->written)
		return a->written < b->written ? 1 : -1;
	if (a->written_ns != b->written_ns)
		return a->written_ns < b->written_ns ? 1 : -1;
	return strcmp(b->id, a->id);
}

int conversation_entries_collect(const char *root, struct entries *l, struct error *err)
{
	DIR *dir = opendir(root);
	struct dirent *d;

	if (!dir)
		return errno == ENOENT ? MT_OK
				       : fail(err, MT_EIO, "cannot read %s: %s", root,
					      strerror(errno));
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		if (ARRAY_ADD(l->items, l->count, ARRAY_MAX))
			break;
		l->count += conversations_look_at(root, d->d_name, &l->items[l->count]);
	}
	closedir(dir);
	if (d)
		return out_of_memory(err);
	if (l->count)
		qsort(l->items, l->count, sizeof *l->items, newest_first);
	return MT_OK;
}

const char *conversation_size_text(int64_t bytes, char ret[16])
{
	static const char units[] = "KMGT";
	double n = (double)bytes / 1024;
	size_t unit = 0;

	while (n >= 1000 && unit + 2 < sizeof units)
		n /= 1024, unit++;
	snprintf(ret, 16, n < 10 ? "%.1f %c" : "%.0f %c", n, units[unit]);
	return ret;
}

static void print_entry(const struct entry *e, bool json, int depth)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct tm tm;
	char when[32], size[16], events[24] = "-";

	if (e->events >= 0)
		snprintf(events, sizeof events, "%" PRId64, e->events);
	strftime(when, sizeof when, json ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M",
		 json ? gmtime_r(&e->written, &tm) : localtime_r(&e->written, &tm));
	if (!json) {
		strbuf_addf(&out, "%*s%-*s %s %7s event%s %7s  ", 2 * depth, "",
			    26 - 2 * depth, e->id, when, events,
			    e->events == 1 ? " " : "s",
			    conversation_size_text(e->bytes, size));
		path_abbreviate(&out, e->workspace);
		strbuf_add(&out, "  ");
		columns_put(&out, e->title, strlen(e->title), 0, TITLE_SHOWN);
		conversations_print_line(out.text, out.len);
		return;
	}
	strbuf_addc(&out, '{');
	js_key_str(&out, "id", e->id);
	js_key_str(&out, "written", when);
	js_key(&out, "events");
	strbuf_add(&out, e->events < 0 ? "null" : events);
	js_key_int(&out, "bytes", e->bytes);
	js_key_str(&out, "title", e->title);
	js_key_str(&out, "workspace", e->workspace);
	if (*e->parent)
		js_key_str(&out, "parent", e->parent);
	printf("%s}\n", out.text);
}

/* Print the subagents of `parent`, recursively. */
static void print_below(struct entries *l, const char *parent, bool json, int depth)
{
	for (size_t i = 0; i < l->count; i++) {
		struct entry *e = &l->items[i];

		if (e->shown || strcmp(e->parent, parent) != 0)
			continue;
		e->shown = true;
		print_entry(e, json, depth);
		print_below(l, e->id, json, depth + 1);
	}
}

static int conversations_list(void *arguments, struct error *err)
{
	const struct arguments *a = arguments;
	AUTO(free) char *root = conversations_root(a->config, err);
	struct entries l = { 0 };
	int status = root ? conversation_entries_collect(root, &l, err) : err->code;

	if (!status)
		print_below(&l, "", a->json, 0);
	for (size_t i = 0; i < l.count && !status; i++) /* orphans */
		if (!l.items[i].shown)
			print_entry(&l.items[i], a->json, 0);
	if (!status && l.count == 0 && !a->json)
		puts("No conversations yet; `mortise run -t TEXT` starts one.");
	conversation_entries_clear(&l);
	return status;
}

/* ---- show ------------------------------------------------------------------------- */

static int open_for_reading(const struct config *c, const char *id, struct evlog **ret,
			    struct error *err)
{
	AUTO(free) char *dir = conversation_dir(c, id, err), *report = NULL;
	int status;

	if (!dir)
		return err->code;
	status = evlog_open(dir, EVLOG_READ, NULL, ret, &report, err);
	if (report)
		fprintf(stderr, "mortise: %s\n", report);
	return status;
}

/* Print the first lines of a text, indented. */
static void conversations_print_text(const char *text, size_t len, size_t max_lines)
{
	size_t lines = 0;

	while (len > 0 && lines++ < max_lines) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		fputs("    ", stdout);
		conversations_print_line(text, n);
		text += n + (end != NULL);
		len -= n + (end != NULL);
	}
	if (len > 0)
		puts("    ...");
}

static void print_event(const struct event *e, bool whole)
{
	AUTO(strbuf) struct strbuf message = STRBUF(SIZE_MAX / 2);
	size_t lines = whole ? SIZE_MAX : SHOWN_LINES, len;
	const char *thought = event_arg(e, "thought"), *content = event_content(e, &len);

	event_message(e, &message);
	printf("%" PRId64 " %s: %s\n", e->id, event_source_name(e->source),
	       e->type->name);
	if (e->is_action && *thought && strcmp(thought, message.text) != 0)
		conversations_print_text(thought, strlen(thought), lines);
	if (e->is_action || len == 0)
		conversations_print_text(message.text, message.len, lines);
	else
		conversations_print_text(content, len, lines);
}

static int conversations_show(void *arguments, struct error *err)
{
	struct arguments *a = arguments;
	AUTO(evlog) struct evlog *log = NULL;
	int status = conversations_find_ids(a, 1, err);

	if (!status)
		status = open_for_reading(a->config, a->ids[0], &log, err);
	for (int64_t n = 0; !status && n < evlog_count(log); n++) {
		AUTO(strbuf) struct strbuf line = STRBUF(SIZE_MAX / 2);
		AUTO(event) struct event *e = NULL;

		if (!a->all && !event_is_history(evlog_head(log, n)))
			continue;
		e = evlog_event(log, n, err);
		if (!e)
			return err->code;
		if (!a->json)
			print_event(e, a->all);
		else if (event_write(e, &line) == MT_OK)
			puts(line.text);
	}
	return status;
}

static int cost(void *arguments, struct error *err)
{
	struct arguments *a = arguments;
	int status = conversations_find_ids(a, 1, err);

	return status ? status : conversations_cost(a->config, a->ids[0], a->json, err);
}

/* ---- export ------------------------------------------------------------------------ */

/* Destination of an export. */
struct export_sink {
	FILE *out;
	const char *name;
	struct error *err;
};

static int export_failed(const struct export_sink *to)
{
	return fail(to->err, MT_EIO, "cannot write %s: %s", to->name, strerror(errno));
}

static int write_piece(const char *text, size_t len, void *arg)
{
	const struct export_sink *to = arg;

	return fwrite(text, 1, len, to->out) == len ? MT_OK : export_failed(to);
}

static int export_special(struct evlog *log, bool screenshots, const char *path,
			  struct error *err)
{
	struct export_sink to = { .out = fopen(path, "we"), .name = path, .err = err };
	int status;

	if (!to.out)
		return export_failed(&to);
	status = trajectory_export(log, screenshots, write_piece, &to, err);
	if (fclose(to.out) != 0 && !status)
		status = export_failed(&to);
	return status;
}

/* Write a temporary file first: a failure or a signal leaves the old file, and its mode
 * is kept. A symbolic link is followed; a device or pipe is written to directly. */
static int export_file(struct evlog *log, bool screenshots, const char *named,
		       struct error *err)
{
	char temp[PATH_MAX];
	bool special;
	AUTO(free) char *path = file_target(named, &special, err);
	struct export_sink to = { .name = path, .err = err };
	int fd = -1, status;

	if (!path)
		return err->code;
	if (special)
		return export_special(log, screenshots, path, err);
	fd = command_spool_file(path, temp, sizeof temp);
	if (fd >= 0 && fchmod(fd, file_mode(path, 0600)) == 0)
		to.out = fdopen(fd, "w");
	if (!to.out) {
		status = export_failed(&to);
		command_spool_close();
		auto_close(&fd);
		return status;
	}
	status = trajectory_export(log, screenshots, write_piece, &to, err);
	if ((fclose(to.out) != 0 || (!status && rename(temp, path) != 0)) && !status)
		status = export_failed(&to);
	command_spool_close();
	return status;
}

static int conversations_export(void *arguments, struct error *err)
{
	struct arguments *a = arguments;
	AUTO(evlog) struct evlog *log = NULL;
	AUTO(strbuf) struct strbuf path = STRBUF(1 << 16);
	struct export_sink to = { .out = stdout, .name = "standard output", .err = err };
	const char *file = a->operand_count > 1 ? a->operands[1] : NULL;
	struct stat st;
	int status = conversations_find_ids(a, 1, err);

	if (!status)
		status = open_for_reading(a->config, a->ids[0], &log, err);
	if (status)
		return status;
	if (!file || strcmp(file, "-") == 0) {
		status = trajectory_export(log, a->screenshots, write_piece, &to, err);
		return fflush(stdout) != 0 && !status ? export_failed(&to) : status;
	}
	strbuf_add(&path, file);
	if (stat(file, &st) == 0 && S_ISDIR(st.st_mode))
		strbuf_addf(&path, "/%s.json", a->ids[0]);
	return export_file(log, a->screenshots, path.text, err);
}

/* ---- import -------------------------------------------------------------------------
 */

static int import_into(const char *dir, const char *id, const char *workspace,
		       const struct trajectory *t, size_t *ret_count, struct error *err)
{
	const struct evlog_options o = { .sync = SYNC_BARRIER };
	AUTO(evlog) struct evlog *log = NULL;
	int status = evlog_open(dir, EVLOG_CREATE, &o, &log, NULL, err);

	if (!status)
		status = trajectory_import(log, t->events, ret_count, err);
	if (!status)
		status = meta_write(dir, id, t->title, workspace,
				    json_object_new_object(), NULL, NULL, err);
	if (!status)
		status = evlog_add_file(log, "meta.json", err);
	return status ? status : evlog_barrier(log, err);
}

static int conversations_import_one(const struct arguments *a, const struct trajectory *t,
				    struct error *err)
{
	AUTO(free) char *id = meta_new_id();
	AUTO(free) char *dir = id ? conversation_dir(a->config, id, err) : NULL;
	AUTO(free)
	char *workspace = realpath(a->common.workspace ? a->common.workspace : ".", NULL);
	AUTO(strbuf) struct strbuf title = STRBUF(64 << 10);
	size_t count = 0;
	int status;

	if (!dir)
		return out_of_memory(err);
	if (!workspace)
		return fail(err, MT_EINVAL, "%s: %s",
			    a->common.workspace ? a->common.workspace : ".",
			    strerror(errno));
	status = import_into(dir, id, workspace, t, &count, err);
	if (status) {
		if (status != MT_EEXIST)
			dir_remove(dir, NULL);
		return status;
	}
	columns_put(&title, t->title, strlen(t->title), 0, TITLE_SHOWN);
	printf("%s %zu event%s%s%s\n", id, count, count == 1 ? "" : "s",
	       title.len ? "  " : "", title.text);
	return MT_OK;
}

static int conversations_import(void *arguments, struct error *err)
{
	const struct arguments *a = arguments;
	struct trajectories t = { 0 };
	int status = trajectory_load(a->operands[0], &t, err);

	for (size_t i = 0; i < t.count && !status; i++)
		status = conversations_import_one(a, &t.items[i], err);
	trajectory_clear(&t);
	return status;
}

/* ---- the command ----------------------------------------------------------------------
 */

static int cli_conversations_delete(void *arguments, struct error *err)
{
	struct arguments *a = arguments;
	int status = conversations_find_ids(a, a->operand_count, err);

	return status ? status
		      : conversations_delete(a->config, a->ids, a->id_count, a->prune.dry,
					     err);
}

static int prune(void *arguments, struct error *err)
{
	const struct arguments *a = arguments;

	return conversations_prune(a->config, &a->prune, err);
}

static const struct subcommand subcommands[] = {
	{ "list", 0, 0, conversations_list },
	{ "show", 1, 1, conversations_show },
	{ "cost", 1, 1, cost },
	{ "export", 1, 2, conversations_export },
	{ "import", 1, 1, conversations_import },
	{ "delete", 1, OPERANDS_MAX, cli_conversations_delete },
	{ "prune", 0, 0, prune },
	{ 0 },
};

static int conversations_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { .prune = { .older_days = -1, .keep = -1 } };
	AUTO(config) struct config *config = NULL;
	struct error err = ERROR_NONE;
	enum flags_status flag;
	int index, what, code;

	flag = flags_parse(self, argc, argv, &index, &a.common);
	if (flag != FLAG_END)
		return flags_exit_code(flag);
	what = command_choose(self, argc - index, argv + index);
	if (what < 0)
		return EXIT_USAGE;
	if (index < argc) {
		a.operands = argv + index + 1;
		a.operand_count = (size_t)(argc - index - 1);
	}
	if (self->subcommands[what].run == prune && a.prune.older_days < 0 &&
	    a.prune.keep < 0)
		return command_misused(
			self, "prune requires --older-than DAYS, --keep N, or both");
	if (common_config(&a.common, &config, &err))
		return command_report(EXIT_USAGE, &err);
	a.config = config;
	if (!self->subcommands[what].run(&a, &err))
		code = EXIT_DONE;
	else
		code = a.ids_failed ? command_report_id(&err)
				    : command_report(EXIT_FAILED, &err);
	for (size_t i = 0; i < a.id_count; i++)
		free(a.ids[i]);
	free(a.ids);
	return code;
}

const struct command command_conversations = {
	.name = "conversations",
	.args = "[list | show ID | cost ID | export ID [FILE] | import FILE | "
		"delete ID... | prune]",
	.summary = "List, show, export, import and delete conversations",
	.details = "list    list conversations, newest first\nshow    print the events "
		   "of a conversation\ncost    print tokens and cost per model\nexport  "
		   "write the history as an OpenHands trajectory to standard output, "
		   "to\n        FILE, or to ID.json in a directory\nimport  create a "
		   "conversation from each trajectory or evaluation record\ndelete  "
		   "delete conversations and those of their subagents\nprune   delete "
		   "conversations that no process has open, as selected by\n        "
		   "--older-than and --keep\n\nID may be abbreviated; `last` is the most "
		   "recent conversation.",
	.flags = flags,
	.subcommands = subcommands,
	.run = conversations_run,
};
