/* SPDX-License-Identifier: MIT
 *
 * main.c - grep, glob and view as a read-only toolset. */
#include "text/file-view.h"
#include "js.h"
#include "clock.h"
#include "lines.h"
#include "search.h"
#include "text/tool-ignore.h"
#include "tool-plugin.h"
#include "utf8.h"
#include "view.h"

#include <fcntl.h>
#include <limits.h>
#include <mortise/tool.h>
#include <string.h>
#include <sys/stat.h>

enum {
	LINES_OF_FILE = 20,   /* matches per file, if there are several files */
	LINES_MAX = 300,      /* in total, with context lines */
	CONTEXT_MAX = 20,
	RESULT_MAX = 1 << 20, /* bytes */
	SPARE_MS = 1000,      /* before the host terminates the call */
};

/* The part of the result to show. */
struct show {
	bool lines, counts;
	size_t context;
	size_t offset; /* in files; for a single file, in matches */
};

struct ask {
	const struct tool_self *self;
	struct mt_call *call;
	struct search search;
	char *top;
	struct glob glob;
	struct show show;
};

/* ---- where and how ----------------------------------------------------- */

/* Convert a path from the model to an absolute one. @return owned; NULL: out of memory */
static char *absolute(const struct tool_self *self, const char *path)
{
	const char *home = getenv("HOME"), *base = self->host->workspace(self->instance);
	char *out = NULL;
	int r;

	if (path && path[0] == '~' && (path[1] == '/' || !path[1]) && home)
		r = asprintf(&out, "%s%s", home, path + 1);
	else if (path && path[0] == '/')
		return strdup(path);
	else if (path && *path)
		r = asprintf(&out, "%s/%s", base, path);
	else
		return strdup(base);
	return r < 0 ? NULL : out;
}

static int set_top(struct ask *a, const char *path, struct error *err)
{
	AUTO(free) char *wish = absolute(a->self, path);

	if (!wish)
		return out_of_memory(err);
	a->top = realpath(wish, NULL);
	a->search.top = a->top;
	return a->top ? tool_ignore_check(a->top, err)
		      : fail(err, MT_ENOTFOUND,
			     "Invalid `path` parameter: %s. The path does "
			     "not exist. Please provide a valid path.",
			     wish);
}

static void search_tool_set_limits(struct ask *a)
{
	const struct mt_tool_host *host = a->self->host;
	int64_t left = host->time_left_ms(a->call);
	int64_t own = host->option_int(a->self->instance, "timeout");

	if (left >= 0 && left - SPARE_MS < own)
		own = left > SPARE_MS ? left - SPARE_MS : 0;
	a->search.program = host->option(a->self->instance, "program");
	a->search.files_max = (size_t)host->option_int(a->self->instance, "files_max");
	a->search.file_max = (size_t)host->option_int(a->self->instance, "file_max");
	a->search.until_ms = clock_ms() + own;
	a->search.cancel_fd = host->cancel_fd(a->call);
	if (!a->search.program)
		a->search.program = "";
}

static int set_glob(struct ask *a, const char *pattern, struct error *err)
{
	int r = glob_open(&a->glob, pattern, err);

	a->search.glob = &a->glob;
	return r;
}

/* Text without NUL, or NULL if it is absent. */
static const char *search_tool_text_arg(const struct ask *a, const char *name,
					struct error *err)
{
	size_t len = 0;
	const char *text = a->self->host->arg_str(a->call, name, &len);

	if (text && memchr(text, 0, len))
		fail(err, MT_EINVAL, "`%s` contains a NUL byte.", name);
	return text;
}

/* ---- the response ------------------------------------------------------ */

static void search_tool_put_path(const struct search *s, const struct found_file *f,
				 struct strbuf *out)
{
	listing_put_name(out, strcmp(s->top, "/") == 0 ? "" : s->top);
	if (*f->path) {
		strbuf_addc(out, '/');
		listing_put_name(out, f->path);
	}
	strbuf_addc(out, '\n');
}

static void search_tool_put_end(const struct search *s, const struct found *f,
				struct strbuf *out)
{
	if (f->end == SEARCH_TIME)
		strbuf_add(out, "[The search timed out. Search a smaller directory, or "
				"fewer files.]\n");
	if (f->end == SEARCH_FILES)
		strbuf_addf(out,
			    "[The search was stopped after %zu file%s. Search a smaller "
			    "directory.]\n",
			    s->files_max, s->files_max == 1 ? "" : "s");
	if (f->large)
		strbuf_addf(out, "[%zu %s larger than %zu bytes.]\n", f->large,
			    f->large == 1 ? "file was skipped because it is"
					  : "files were skipped because they are",
			    s->file_max);
	if (f->costly)
		strbuf_addf(out,
			    "[In %zu file%s the pattern took too long to match. Use a "
			    "simpler one.]\n",
			    f->costly, f->costly == 1 ? "" : "s");
	if (f->unreadable)
		strbuf_addf(out, "[%zu %s could not be read.]\n", f->unreadable,
			    f->unreadable == 1 ? "file or directory"
					       : "files or directories");
	if (f->partly)
		strbuf_add(out, "[Some files or directories could not be read.]\n");
}

/* Write the complete result to a file that the model can read in parts. */
static const char *spool(const struct ask *a, const struct found *f)
{
	const struct mt_tool_host *host = a->self->host;

	for (size_t i = 0; i < f->count; i++) {
		AUTO(strbuf) struct strbuf line = STRBUF(SEARCH_PATH_MAX * 4);

		search_tool_put_path(&a->search, &f->files[i], &line);
		host->spool(a->call, line.text, line.len);
	}
	return host->spool_path(a->call);
}

/* Append one page of the matches of a single file. */
static void put_matches(const struct ask *a, const struct found_file *f,
			struct matcher *m, struct strbuf *out)
{
	struct lines_page page = { .context = a->show.context, .skip = a->show.offset,
				   .most = LINES_MAX / (2 * a->show.context + 1) };
	size_t end;

	lines_put(&a->search, f, m, &page, out);
	end = page.skip + page.shown;
	if (page.skip || end < page.total)
		strbuf_addf(out, "[Matching lines %zu to %zu of %zu", page.skip + 1, end,
			    page.total);
	else
		strbuf_addf(out, "[%zu matching line%s", page.total,
			    page.total == 1 ? "" : "s");
	if (end < page.total)
		strbuf_addf(out, "; offset %zu shows the next ones", end);
	strbuf_add(out, ".]\n");
}

/* The first matches of one of several files, or their number.
 * @return the number of lines shown. */
static size_t search_tool_put_file(const struct ask *a, const struct found_file *f,
				   struct matcher *m, size_t room, struct strbuf *out)
{
	size_t most = a->show.lines ? LINES_OF_FILE : 0;
	struct lines_page page = { .context = a->show.context };

	room /= 2 * a->show.context + 1;
	page.most = room < most ? room : most;
	if (!m)
		return 0;
	if (a->show.counts)
		strbuf_cut(out, out->len - 1); /* on the line of the path */
	lines_put(&a->search, f, m, &page, out);
	if (a->show.counts)
		strbuf_addf(out, ": %zu\n", page.total);
	else if (page.shown < page.total)
		strbuf_addf(out, "  ... %zu more; `path` of this file shows them\n",
			    page.total - page.shown);
	return page.shown * (2 * a->show.context + 1);
}

static size_t search_tool_put_files(const struct ask *a, const struct found *f,
				    struct matcher *m, struct strbuf *out)
{
	size_t most = (size_t)a->self->host->option_int(a->self->instance, "results");
	size_t i = a->show.offset, used = 0;

	for (; i < f->count && i - a->show.offset < most && used < LINES_MAX; i++) {
		search_tool_put_path(&a->search, &f->files[i], out);
		used += search_tool_put_file(a, &f->files[i], m, LINES_MAX - used, out);
	}
	return i;
}

static void put_found(const struct ask *a, const struct found *f, struct strbuf *out)
{
	const struct show *show = &a->show;
	struct matcher *m = NULL;
	size_t end;

	if (show->lines || show->counts)
		matcher_open(a->search.pattern, a->search.match_case, &m, NULL);
	if (f->count == 1 && m && show->lines) {
		search_tool_put_path(&a->search, &f->files[0], out);
		put_matches(a, &f->files[0], m, out);
		matcher_free(m);
		return;
	}
	end = search_tool_put_files(a, f, m, out);
	matcher_free(m);
	if (show->offset >= f->count && f->count)
		strbuf_addf(out, "[There are only %zu files.]\n", f->count);
	else if (end < f->count) {
		const char *path = spool(a, f);

		strbuf_addf(out,
			    "[These are files %zu to %zu of %zu; offset %zu shows the "
			    "next ones%s%s]\n",
			    show->offset + 1, end, f->count, end,
			    *path ? "; all are listed in " : ".", path);
	}
}

static void put_none(const struct ask *a, struct strbuf *out)
{
	const char *include = search_tool_text_arg(a, "include", NULL);

	if (!a->search.pattern)
		strbuf_add(out, "No file matches this pattern.\n");
	else if (include)
		strbuf_addf(out, "No file that matches `%.200s` contains this pattern.\n",
			    include);
	else
		strbuf_add(out, "No file contains this pattern.\n");
}

static int search_answer(const struct ask *a, const struct found *f)
{
	const struct mt_tool_host *host = a->self->host;
	AUTO(strbuf) struct strbuf out = STRBUF(RESULT_MAX);

	if (f->end == SEARCH_CANCELLED)
		return host->fail(a->call, MT_ECANCELLED, "The search was cancelled.");
	if (f->count)
		strbuf_addf(&out, "%zu file%s, newest first:\n", f->count,
			    f->count == 1 ? "" : "s");
	else
		put_none(a, &out);
	put_found(a, f, &out);
	search_tool_put_end(&a->search, f, &out);
	if (out.error == MT_ENOMEM)
		return tool_out_of_memory(host, a->call);
	return host->reply_text(a->call, out.text, out.len);
}

static int search_find(struct ask *a, struct error *err)
{
	struct found found;
	struct error why = ERROR_NONE;
	int r = search_ripgrep(&a->search, &found, &why);

	if (r == MT_EUNSUPPORTED)
		r = search_walk(&a->search, &found, &why);
	if (r)
		return fail(err, r, "%s", why.text);
	r = search_answer(a, &found);
	walk_found_clear(&found);
	return r;
}

/* ---- the tools --------------------------------------------------------- */

static bool flag_arg(const struct ask *a, const char *name)
{
	int value = 0;

	a->self->host->arg_bool(a->call, name, &value);
	return value != 0;
}

static size_t count_arg(const struct ask *a, const char *name, int64_t most)
{
	int64_t n = 0;

	a->self->host->arg_int(a->call, name, &n);
	return (size_t)(n < 0 ? 0 : n < most ? n : most);
}

static int run_grep(struct ask *a, struct error *err)
{
	const char *pattern = search_tool_text_arg(a, "pattern", err),
		   *path = search_tool_text_arg(a, "path", err);
	const char *include = search_tool_text_arg(a, "include", err);
	int r = err->code;

	if (!r && !pattern)
		r = fail(err, MT_EINVAL, "Missing required argument \"pattern\"");
	a->show = (struct show){
		.counts = flag_arg(a, "count"),
		.context = count_arg(a, "context", CONTEXT_MAX),
		.offset = count_arg(a, "offset", SSIZE_MAX),
	};
	a->show.lines = !a->show.counts && (flag_arg(a, "lines") || a->show.context);
	a->search.match_case = flag_arg(a, "case");
	if (!r)
		r = set_top(a, path, err);
	if (!r && include && *include)
		r = set_glob(a, include, err);
	a->search.pattern = pattern;
	return r ? r : search_find(a, err);
}

/* A pattern that is the name of a directory matches its content. */
static int enter_directory(const struct ask *a, char **rest)
{
	AUTO(free) char *path = NULL, *inside = NULL;
	size_t len = strlen(*rest);
	struct stat st;

	while (len && (*rest)[len - 1] == '/')
		len--;
	if (!len || strpbrk(*rest, "*?[]{}\\!"))
		return MT_OK;
	if (asprintf(&path, "%s/%s", a->top, *rest) < 0) {
		path = NULL;
		return MT_ENOMEM;
	}
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return MT_OK;
	if (asprintf(&inside, "%.*s/**", (int)len, *rest) < 0) {
		inside = NULL;
		return MT_ENOMEM;
	}
	free(*rest);
	*rest = STEAL(inside);
	return MT_OK;
}

static int run_glob(struct ask *a, struct error *err)
{
	const char *pattern = search_tool_text_arg(a, "pattern", err),
		   *path = search_tool_text_arg(a, "path", err);
	AUTO(free) char *base = NULL, *rest = NULL;
	struct stat st;
	int r = err->code;

	if (!r && !pattern)
		r = fail(err, MT_EINVAL, "Missing required argument \"pattern\"");
	a->show.offset = count_arg(a, "offset", SSIZE_MAX);
	if (!r && glob_split(pattern, &base, &rest))
		r = out_of_memory(err);
	if (!r)
		r = set_top(a, base ? base : path, err);
	if (!r && (stat(a->top, &st) || !S_ISDIR(st.st_mode)))
		r = fail(err, MT_EINVAL,
			 "Invalid `path` parameter: %s is not a directory.", a->top);
	if (!r && enter_directory(a, &rest))
		r = out_of_memory(err);
	if (!r)
		r = set_glob(a, rest, err);
	return r ? r : search_find(a, err);
}

static void search_tool_put_field(const struct ask *a, const char *name, const char *text)
{
	AUTO(strbuf) struct strbuf json = STRBUF(1 << 20);

	if (js_put_str(&json, text, strlen(text)) == MT_OK)
		a->self->host->field(a->call, name, json.text, json.len);
}

static int run_view(struct ask *a, struct error *err)
{
	const struct mt_tool_host *host = a->self->host;
	const char *path = search_tool_text_arg(a, "path", err);
	AUTO(free) char *whole = path ? absolute(a->self, path) : NULL;
	struct view v = { .path = whole, .first = 1, .last = -1,
			  .cancel_fd = a->search.cancel_fd, .text = STRBUF(RESULT_MAX),
			  .media = STRBUF(VIEW_IMAGE_MAX + 8) };
	int r = err->code;

	if (!r && !whole)
		r = path ? out_of_memory(err)
			 : fail(err, MT_EINVAL, "Missing required argument \"path\"");
	if (!r)
		r = tool_ignore_check(whole, err);
	v.range.ptr = host->arg_json(a->call, "view_range", &v.range.len);
	if (!r)
		r = view_path(&v, err);
	if (whole)
		search_tool_put_field(a, "path", whole);
	search_tool_put_field(a, "impl_source", "oh_aci");
	if (!r)
		r = host->reply_text(a->call, v.text.text, v.text.len);
	if (!r && v.mime)
		r = host->reply_media(a->call, v.mime, v.media.text, v.media.len);
	strbuf_clear(&v.text);
	strbuf_clear(&v.media);
	return r;
}

static int search_run(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	static const struct {
		const char *name;
		int (*run)(struct ask *a, struct error *err);
		bool is_headed; /* its errors */
	} runs[] = {
		{ "grep", run_grep, false },
		{ "glob", run_glob, false },
		{ "view", run_view, true },
	};
	__auto_type row = ROW_NAMED(runs, host->call_tool(call));
	struct ask a = { .self = self, .call = call };
	struct error err = ERROR_NONE;
	int r;

	search_tool_set_limits(&a);
	r = row->run(&a, &err);
	if (err.code) {
		if (row->is_headed)
			host->reply(call, "ERROR:\n");
		r = host->fail(call, err.code, "%s", err.text);
	}
	free(a.top);
	glob_close(&a.glob);
	return r;
}

#define READS (MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT | MT_TOOL_PARALLEL)

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = READS,
		.name = "grep",
		.description =
			"Find files whose text matches a regular expression, newest first, "
			"ignoring case unless `case` is true. `lines` shows the matching "
			"lines, `context` N lines around them, `count` their number. "
			"`include`: such as `*.py` or `src/**/*.{c,h}`. Skips ignored and, "
			"unless named, hidden files.",
		.brief = "Find files by regex; `lines` shows matches.",
		.schema =
			"{\"type\":\"object\",\"properties\":{"
			"\"pattern\":{\"type\":\"string\"},"
			"\"path\":{\"type\":\"string\"},"
			"\"include\":{\"type\":\"string\"},"
			"\"lines\":{\"type\":\"boolean\"},"
			"\"context\":{\"type\":\"integer\"},"
			"\"count\":{\"type\":\"boolean\"},"
			"\"case\":{\"type\":\"boolean\"},"
			"\"offset\":{\"type\":\"integer\"}},"
			"\"required\":[\"pattern\"]"
			",\"additionalProperties\":false}",
	},
	{
		.size = sizeof tools[0],
		.hints = READS,
		.name = "glob",
		.description =
			"Find files by name, such as `src/**/*.{c,h}`, newest first. A "
			"pattern without a slash matches in any directory. Skips ignored "
			"and, unless named, hidden files.",
		.brief = "Find files by name.",
		.schema =
			"{\"type\":\"object\",\"properties\":{"
			"\"pattern\":{\"type\":\"string\"},"
			"\"path\":{\"type\":\"string\"},"
			"\"offset\":{\"type\":\"integer\"}},"
			"\"required\":[\"pattern\"]"
			",\"additionalProperties\":false}",
	},
	{
		.size = sizeof tools[0],
		.hints = READS | MT_TOOL_ON_REQUEST, /* the editor can view files, too */
		.name = "view",
		.description =
			"Read a text file with line numbers, an image, or a directory two "
			"levels deep. Long files are cut: `view_range` [first, last] shows a "
			"part of a file of any size; last -1 is its end.",
		.brief = "Read a numbered file, an image, or a directory.",
		.schema =
			"{\"type\":\"object\",\"properties\":{"
			"\"path\":{\"type\":\"string\",\"description\":\"absolute, or from the "
			"workspace\"},"
			"\"view_range\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
			"\"description\":\"[first, last] line\"}},"
			"\"required\":[\"path\"]"
			",\"additionalProperties\":false}",
		.events =
			"[{\"action\":\"read\",\"observation\":\"read\",\"args\":{"
			"\"path\":\"$path\",\"view_range\":\"$view_range\","
			"\"impl_source\":\"oh_aci\"}}]",
	},
};

static const struct mt_toolset set = {
	.size = sizeof set,
	.flags = MT_TOOLSET_PARALLEL,
	.tool_count = ARRAY_LEN(tools),
	.tools = tools,
	.open = tool_self_open,
	.call = search_run,
	.close = tool_self_close,
};

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "program",
	  .fallback = "rg",
	  .help = "Path of ripgrep, or its name in PATH; used if installed; empty: "
		  "never used." },
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "results",
	  .fallback = "100", .min = 1, .max = 10000,
	  .help = "Maximum number of paths in a result." },
	{ .size = sizeof options[0], .type = MT_OPTION_DURATION, .name = "timeout",
	  .fallback = "30s", .min = 100, .max = 3600000,
	  .help = "Time limit for a search, which then returns partial results." },
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "files_max",
	  .fallback = "200000", .min = 1, .max = 10000000,
	  .help = "Maximum number of files to search." },
	{ .size = sizeof options[0], .type = MT_OPTION_BYTES, .name = "file_max",
	  .fallback = "16M", .min = 1, .max = 1 << 30,
	  .help = "Maximum size of the files to search, without ripgrep." },
};

MT_TOOLSET(&set, "search", .name = "search",
	   .summary = "Finds files by content and by name, and shows them.",
	   .options = options, .option_count = ARRAY_LEN(options))
