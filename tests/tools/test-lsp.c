/* SPDX-License-Identifier: MIT
 *
 * test-lsp.c - the toolset lsp: positions and URIs, a server of words that behaves or
 * does not, and clangd and pylsp if they are installed. */
#include "plugins/tools/lsp/edits.h"
#include "plugins/tools/lsp/positions.h"
#include "tests/tools/plugin-kit.h"

#include <signal.h>
#include <sys/stat.h>

static const struct mt_toolset *set;
static struct mt_instance instance;
static char top[64];
static void *self;
static struct mt_call call;

/* ---- positions ------------------------------------------------------------- */

static void columns(void)
{
	static const char line[] = "a\xc3\xa4\xf0\x9d\x84\x9e"
				   "b";
	static const struct {
		size_t at, utf16, utf8, utf32;
	} cases[] = { { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 3, 2, 3, 2 }, { 7, 4, 7, 3 },
		      { 8, 5, 8, 4 } };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t at = cases[i].at;

		CHECK(lsp_column_of(line, at, ENCODING_UTF16) == cases[i].utf16);
		CHECK(lsp_column_of(line, at, ENCODING_UTF8) == cases[i].utf8);
		CHECK(lsp_column_of(line, at, ENCODING_UTF32) == cases[i].utf32);
		CHECK(lsp_column_offset(line, 8, cases[i].utf16, ENCODING_UTF16) == at);
		CHECK(lsp_column_offset(line, 8, cases[i].utf8, ENCODING_UTF8) == at);
		CHECK(lsp_column_offset(line, 8, cases[i].utf32, ENCODING_UTF32) == at);
	}
	CHECK(lsp_column_offset(line, 8, 3, ENCODING_UTF16) == 3);
	CHECK(lsp_column_offset(line, 8, 900, ENCODING_UTF16) == 8);
	CHECK(lsp_encoding_of("utf-8") == ENCODING_UTF8);
	CHECK(lsp_encoding_of("latin1") == ENCODING_UTF16);
}

static void symbols(void)
{
	static const struct {
		const char *line, *symbol;
		size_t at;
	} cases[] = {
		{ "foo(bar)", "bar", 4 },
		{ "foobar bar", "bar", 7 },
		{ "bars bar_ bar", "bar", 10 },
		{ "x = std::vector<int>()", "std::vector", 9 },
		{ "a.b.c", "a.b", 2 },
		{ "self.name", "name", 5 },
		{ "a + b", "+", 2 },
		{ "nothing", "bar", SIZE_MAX },
		{ "", "bar", SIZE_MAX },
		{ "bar", "", SIZE_MAX },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		CHECK_MSG(lsp_symbol_in(cases[i].line, strlen(cases[i].line),
					cases[i].symbol) == cases[i].at,
			  "`%s` in `%s`", cases[i].symbol, cases[i].line);
}

static void uris(void)
{
	static const char *const bad[] = { "",	       "http://x/y",  "file://host/x",
					   "file:///%", "file:///%4", "file:///a%00b",
					   "untitled:1", "file://" };
	AUTO(strbuf) struct strbuf uri = STRBUF(1000);
	char *path;

	lsp_uri_put(&uri, "/a b/\xc3\xa4%?.c");
	CHECK_MSG(strcmp(uri.text, "file:///a%20b/%C3%A4%25%3F.c") == 0, "%s", uri.text);
	path = lsp_uri_path(uri.text);
	CHECK(path && strcmp(path, "/a b/\xc3\xa4%?.c") == 0);
	free(path);
	path = lsp_uri_path("FILE://localhost/x#L3");
	CHECK(path && strcmp(path, "/x") == 0);
	free(path);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_MSG(!lsp_uri_path(bad[i]), "`%s` is refused", bad[i]);
}

/* ---- a call ------------------------------------------------------------------ */

static void run(const char *tool, const char *args)
{
	kit_end(&call);
	kit_call(set, self, tool, &call, args);
}

/* The result of a call that succeeds. */
static void answers(const char *tool, const char *args, const char *expected)
{
	run(tool, args);
	CHECK_MSG(call.status == MT_OK && strcmp(call.text.text, expected) == 0,
		  "%s %s: %d %s%s", tool, args, call.status, call.text.text,
		  call.sentence.text);
}

/* A call that fails with a sentence that contains `why`. */
static void refuses(const char *tool, const char *args, const char *why)
{
	run(tool, args);
	CHECK_MSG(call.status != MT_OK && strstr(call.sentence.text, why) &&
			  call.text.len == 0,
		  "%s %s: %d %s%s", tool, args, call.status, call.text.text,
		  call.sentence.text);
}

static char *contents(const char *name)
{
	AUTO(free) char *path = path_join(top, name);
	char *text = NULL;
	size_t len;

	CHECK(file_read(path, 1 << 20, &text, &len, NULL) == MT_OK);
	return text;
}

static void has(const char *name, const char *expected)
{
	AUTO(free) char *text = contents(name);

	CHECK_MSG(text && strcmp(text, expected) == 0, "%s: %s", name, text);
}

static const char *option[64];

static void open_with(const char *first, ...)
{
	va_list ap;
	size_t n = 0;

	va_start(ap, first);
	for (const char *s = first; s && n < ARRAY_LEN(option) - 1;
	     s = va_arg(ap, const char *))
		option[n++] = s;
	va_end(ap);
	option[n] = NULL;
	instance.set = option;
	CHECK(set->open(&kit_host, &instance, &self) == MT_OK);
}

static char command[4096];

/* The server of words in a mode. */
static void open_words(const char *mode, const char *timeout)
{
	const char *dir = getenv("top_srcdir");

	snprintf(command, sizeof command, "%s/tests/tools/lsp-server.py %s %s/starts",
		 dir ? dir : ".", mode, top);
	open_with("server.words", command, "extensions.words", "words", "timeout",
		  timeout, "start_timeout", "60s", "results", "3", NULL);
}

static void close_set(void)
{
	kit_end(&call);
	set->close(&kit_host, &instance, self);
}

static void write_words(void)
{
	kit_file(top, "a.words", "def one\nuse \xf0\x9d\x84\x9e one two\n");
	kit_file(top, "sub/b c.words", "one\r\n  call one(one)\r\n");
}

/* ---- a server that behaves ----------------------------------------------------- */

static void finds(const char *mode)
{
	write_words();
	open_words(mode, "60s");
	answers("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\",\"line\":2}",
		"a.words:1:5  def one\n");
	answers("find_references", "{\"path\":\"sub/b c.words\",\"symbol\":\"one\"}",
		"5 references in 2 files:\n"
		"a.words:1:5  def one\n"
		"a.words:2:7  use \xf0\x9d\x84\x9e one two\n"
		"sub/b c.words:1:1  one\n"
		"[1 to 3 of 5; offset 3 shows the next ones.]\n");
	answers("find_references",
		"{\"path\":\"sub/b c.words\",\"symbol\":\"one\",\"offset\":3}",
		"5 references in 2 files:\n"
		"sub/b c.words:2:8  call one(one)\n"
		"sub/b c.words:2:12  call one(one)\n");
	answers("find_definition", "{\"path\":\"a.words\",\"symbol\":\"two\"}",
		"The language server found no definition of `two`.\n");
	close_set();
}

static void wrong_arguments(void)
{
	write_words();
	open_words("good", "60s");
	refuses("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\",\"line\":9}",
		"`one` is not in line 9 of a.words. Lines with it: 1, 2.");
	refuses("find_definition", "{\"path\":\"a.words\",\"symbol\":\"none\"}",
		"`none` does not occur in a.words.");
	refuses("find_definition", "{\"path\":\"c.words\",\"symbol\":\"one\"}",
		"c.words: No such file or directory.");
	refuses("find_definition", "{\"path\":\"/etc/passwd\",\"symbol\":\"root\"}",
		"/etc/passwd is outside the workspace.");
	refuses("find_definition", "{\"path\":\"sub\",\"symbol\":\"root\"}",
		"No language server is configured for");
	refuses("find_definition", "{\"path\":\"a.words\"}",
		"Missing argument `symbol`.");
	refuses("find_definition", "{\"path\":\"a\\u0000b\",\"symbol\":\"x\"}",
		"contains a NUL byte");
	refuses("rename_symbol", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
		"Missing argument `new_name`.");
	close_set();
}

static void new_errors(void)
{
	write_words();
	kit_file(top, "a.words", "def one\nBAD old\n");
	open_words("good", "60s");
	refuses("diagnostics", "{}", "No language server is running. Name a file");
	answers("diagnostics", "{\"path\":\"a.words\"}",
		"1 diagnostic:\na.words:2:1  error: bad: BAD old\n");
	answers("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
		"a.words:1:5  def one\n");
	kit_file(top, "a.words", "def one\n\nBAD old\n  BAD new\n");
	answers("find_definition", "{\"path\":\"sub/b c.words\",\"symbol\":\"one\"}",
		"a.words:1:5  def one\n[1 new error since the last call:]\n"
		"a.words:4:3  error: bad: BAD new\n");
	answers("find_definition", "{\"path\":\"sub/b c.words\",\"symbol\":\"one\"}",
		"a.words:1:5  def one\n");
	answers("diagnostics", "{}",
		"2 diagnostics:\na.words:3:1  error: bad: BAD old\n"
		"a.words:4:3  error: bad: BAD new\n");
	kit_file(top, "a.words", "def one\n");
	answers("diagnostics", "{}", "No diagnostics for the files that are open.\n");
	close_set();
}

static void renames(void)
{
	const struct mt_tool *tool = &set->tools[3];

	write_words();
	open_words("good", "60s");
	kit_begin(&call,
		  "{\"path\":\"a.words\",\"symbol\":\"one\",\"new_name\":\"first\"}");
	CHECK(tool->preview(&kit_host, self, &call) != MT_OK);
	CHECK_MSG(strstr(call.sentence.text, "starts after the approval"), "%s",
		  call.sentence.text);
	answers("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
		"a.words:1:5  def one\n");
	kit_end(&call);
	kit_begin(&call,
		  "{\"path\":\"a.words\",\"symbol\":\"one\",\"new_name\":\"first\"}");
	CHECK(tool->preview(&kit_host, self, &call) == MT_OK);
	CHECK_MSG(strstr(call.text.text,
			 "Would rename `one` to `first`: 5 changes in 2 files:\n"
			 "a.words:1:5  def first\n"),
		  "%s", call.text.text);
	has("a.words", "def one\nuse \xf0\x9d\x84\x9e one two\n");
	answers("rename_symbol",
		"{\"path\":\"a.words\",\"symbol\":\"one\",\"new_name\":\"first\"}",
		"Renamed `one` to `first`: 5 changes in 2 files:\n"
		"a.words:1:5  def first\na.words:2:7  use \xf0\x9d\x84\x9e first two\n"
		"sub/b c.words:1:1  first\n[Further changed lines are not shown.]\n");
	has("a.words", "def first\nuse \xf0\x9d\x84\x9e first two\n");
	has("sub/b c.words", "first\r\n  call first(first)\r\n");
	answers("find_definition", "{\"path\":\"a.words\",\"symbol\":\"first\"}",
		"a.words:1:5  def first\n");
	close_set();
}

static void many_files(void)
{
	char name[32], args[128];

	open_words("good", "60s");
	for (int i = 0; i < 80; i++) {
		snprintf(name, sizeof name, "many/%d.words", i);
		snprintf(args, sizeof args, "{\"path\":\"%s\"}", name);
		kit_file(top, name, "x\n");
		run("diagnostics", args);
		CHECK_MSG(call.status == MT_OK, "%s: %s", name, call.sentence.text);
	}
	close_set();
}

/* The server also publishes diagnostics of 600 files that are not open, and empty ones of
 * as many: new ones replace old ones, and files can still be opened. */
static void many_diagnostics(void)
{
	write_words();
	kit_file(top, "a.words", "def one\nBAD old\n");
	open_words("whole-project", "60s");
	run("diagnostics", "{\"path\":\"a.words\"}");
	answers("find_definition", "{\"path\":\"sub/b c.words\",\"symbol\":\"one\"}",
		"a.words:1:5  def one\n");
	kit_file(top, "a.words", "def one\n\nBAD old\n");
	run("diagnostics", "{}");
	CHECK_MSG(strstr(call.text.text, "511 diagnostics:\n"), "%s%s", call.text.text,
		  call.sentence.text);
	answers("diagnostics", "{\"path\":\"a.words\"}",
		"1 diagnostic:\na.words:3:1  error: bad: BAD old\n");
	close_set();
}

/* ---- servers that do not --------------------------------------------------------- */

static void hostile(void)
{
	static const struct {
		const char *mode, *timeout, *why;
	} cases[] = {
		{ "garbage", "60s", "does not begin with a Content-Length header" },
		{ "endless-headers", "60s", "its headers do not end" },
		{ "long-header", "60s", "its headers do not end" },
		{ "huge", "60s", "a message of more than 32 MiB" },
		{ "negative", "60s", "does not speak the protocol" },
		{ "no-length", "60s", "a message has no Content-Length" },
		{ "not-json", "60s", "does not speak the protocol" },
		{ "deep", "60s", "does not speak the protocol" },
		{ "half", "60s", "exited with status 3" },
		{ "exits", "60s", "exited with status 3: the index is corrupt" },
		{ "killed", "60s", "was killed by signal 9" },
		{ "wrong-ids", "60s", "responses to requests that were not made" },
		{ "flood", "1s", "in time" },
		{ "asks", "1s", "in time" },
		{ "silent", "1s", "did not answer textDocument/definition in time" },
		{ "refuses", "60s", "answered: no license" },
		{ "not-locations", "60s", "an invalid location" },
		{ "many", "60s", "more than 10000 locations" },
		{ "fails", "60s", "answered: cannot rename" },
	};

	write_words();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		printf("# %s\n", cases[i].mode);
		open_words(cases[i].mode, cases[i].timeout);
		refuses("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
			cases[i].why);
		refuses("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
			"");
		close_set();
	}
}

static void wrong_edits(void)
{
	static const struct {
		const char *mode, *why;
	} cases[] = {
		{ "outside-edit", "/etc/passwd, which is outside the workspace" },
		{ "escape-edit", "which is outside the workspace" },
		{ "other-uri", "returned `http://example.org/x`, which is not the URI of a file" },
		{ "overlap", "overlapping edits" },
		{ "no-line", "an invalid edit" },
		{ "backwards", "an invalid edit" },
		{ "create", "would also create a file, which is not supported" },
		{ "no-rename", "does not support renaming" },
	};
	AUTO(free) char *link = path_join(top, "link.words");

	write_words();
	CHECK(symlink("/etc/passwd", link) == 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		open_words(cases[i].mode, "60s");
		refuses("rename_symbol",
			"{\"path\":\"a.words\",\"symbol\":\"one\",\"new_name\":\"first\"}",
			cases[i].why);
		has("a.words", "def one\nuse \xf0\x9d\x84\x9e one two\n");
		has("sub/b c.words", "one\r\n  call one(one)\r\n");
		close_set();
	}
	CHECK(unlink(link) == 0);
}

static void outside(void)
{
	write_words();
	open_words("outside", "60s");
	answers("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
		"/etc/passwd:4:5  (outside the workspace)\n");
	close_set();
}

static void late(void)
{
	write_words();
	open_words("no-start", "60s");
	option[7] = "1s";
	refuses("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
		"did not answer initialize in time");
	close_set();
	open_words("no-diagnostics", "1s");
	refuses("diagnostics", "{\"path\":\"a.words\"}",
		"has not reported diagnostics for a.words");
	close_set();
	open_words("modified", "60s");
	answers("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
		"a.words:1:5  def one\n");
	close_set();
	open_words("indexing", "60s");
	answers("find_definition", "{\"path\":\"a.words\",\"symbol\":\"one\"}",
		"a.words:1:5  def one\n");
	close_set();
}

static void cancelled(void)
{
	write_words();
	open_words("silent", "60s");
	kit_end(&call);
	kit_begin(&call, "{\"path\":\"a.words\",\"symbol\":\"one\"}");
	call.tool = "find_definition";
	CHECK(write(call.cancel[1], "x", 1) == 1);
	CHECK(set->call(&kit_host, self, &call) == MT_ECANCELLED);
	close_set();
}

/* One file cannot be written: the other one keeps its text. */
static void all_or_nothing(void)
{
	AUTO(json) json_object *edit = NULL;
	AUTO(strbuf) struct strbuf json = STRBUF(4096);
	AUTO(free) char *real = realpath(top, NULL), *second = path_join(real, "z.words");
	struct error err = ERROR_NONE;
	struct edits e;

	kit_file(top, "y.words", "one\n");
	kit_file(top, "z.words", "one\n");
	strbuf_addf(
		&json,
		"{\"changes\":{\"file://%s/y.words\":[{\"range\":{\"start\":{\"line\":0,"
		"\"character\":0},\"end\":{\"line\":0,\"character\":3}},\"newText\":\"1\"}],"
		"\"file://%s/z.words\":[{\"range\":{\"start\":{\"line\":0,\"character\":0},"
		"\"end\":{\"line\":0,\"character\":3}},\"newText\":\"1\"}]}}",
		real, real);
	edit = js_parse_object(json.text, json.len, &err);
	CHECK_MSG(edits_read(edit, real, ENCODING_UTF16, &e, &err) == MT_OK, "%s",
		  err.text);
	CHECK(e.count == 2 && e.changes == 2);
	kit_file(top, "z.words", "changed since\n");
	CHECK(edits_write(&e, &err) != MT_OK);
	CHECK_MSG(strstr(err.text, second) && strstr(err.text, "Nothing was changed."),
		  "%s", err.text);
	has("y.words", "one\n");
	has("z.words", "changed since\n");
	edits_clear(&e);
}

static void not_installed(void)
{
	static const struct {
		const char *file, *why;
	} cases[] = {
		{ "x.go", "The user can install the package gopls." },
		{ "x.py", "The user can install the package python3-pylsp" },
		{ "x.c", "The user can install the package clangd." },
		{ "x.rs", "rust-analyzer with rustup" },
		{ "x.tsx", "npm packages typescript-language-server" },
		{ "x.words", "`words` for .words files is not installed" },
	};
	char args[100], *path = strdup(getenv("PATH"));

	open_with("server.words", "/nonexistent/words", "extensions.words", "words",
		  NULL);
	setenv("PATH", "/nonexistent", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		kit_file(top, cases[i].file, "x\n");
		snprintf(args, sizeof args, "{\"path\":\"%s\",\"symbol\":\"x\"}",
			 cases[i].file);
		refuses("find_definition", args, cases[i].why);
	}
	setenv("PATH", path, 1);
	free(path);
	close_set();
	instance.set = (const char *const[]){ "server.zig", "zls", NULL };
	CHECK(set->open(&kit_host, &instance, &self) == MT_EINVAL);
}

/* ---- real servers ------------------------------------------------------------------ */

static bool is_installed(const char *program)
{
	AUTO(free) char *path = path_find_program(getenv("PATH"), program);

	if (!path)
		printf("ok %d # SKIP %s is not installed\n", ++tap_count, program);
	return path;
}

static void clangd(void)
{
	if (!is_installed("clangd"))
		return;
	AUTO(strbuf) struct strbuf json = STRBUF(1000);

	strbuf_addf(
		&json,
		"[{\"directory\":\"%s/c\",\"command\":\"cc -c a.c\",\"file\":\"a.c\"}]",
		top);
	kit_file(top, "c/compile_commands.json", json.text);
	kit_file(top, "c/a.h", "int count(int n);\n");
	kit_file(top, "c/a.c",
		 "#include \"a.h\"\nint count(int n) { return n; }\n"
		 "/* \xf0\x9d\x84\x9e */ int twice(int n) { return count(n) + "
		 "count(n); }\n");
	open_with("timeout", "60s", NULL);
	answers("find_definition", "{\"path\":\"c/a.c\",\"symbol\":\"count\",\"line\":3}",
		"c/a.c:2:5  int count(int n) { return n; }\n");
	run("find_references", "{\"path\":\"c/a.c\",\"symbol\":\"count\",\"line\":3}");
	CHECK_MSG(strstr(call.text.text, "4 references in 2 files:\n"), "%s%s",
		  call.text.text, call.sentence.text);
	answers("diagnostics", "{\"path\":\"c/a.c\"}", "No diagnostics for c/a.c.\n");
	kit_file(top, "c/a.c", "#include \"a.h\"\nint count(int n) { return m; }\n");
	run("diagnostics", "{}");
	CHECK_MSG(strstr(call.text.text,
			 "c/a.c:2:27  error: Use of undeclared identifier 'm'"),
		  "%s%s", call.text.text, call.sentence.text);
	kit_file(top, "c/a.c", "#include \"a.h\"\nint count(int n) { return n; }\n");
	run("rename_symbol",
	    "{\"path\":\"c/a.c\",\"symbol\":\"count\",\"new_name\":\"sum\"}");
	CHECK_MSG(strstr(call.text.text, "2 changes in 2 files"), "%s%s", call.text.text,
		  call.sentence.text);
	has("c/a.h", "int sum(int n);\n");
	has("c/a.c", "#include \"a.h\"\nint sum(int n) { return n; }\n");
	close_set();
}

static void pylsp(void)
{
	if (!is_installed("pylsp"))
		return;
	kit_file(top, "p/a.py", "def count(n):\n    return n\n\n\nprint(count(1))\n");
	open_with("timeout", "60s", "server.pyright", "", "server.basedpyright", "",
		  NULL);
	answers("find_definition",
		"{\"path\":\"p/a.py\",\"symbol\":\"count\",\"line\":5}",
		"p/a.py:1:5  def count(n):\n");
	run("rename_symbol",
	    "{\"path\":\"p/a.py\",\"symbol\":\"count\",\"new_name\":\"sum\"}");
	CHECK_MSG(call.status == MT_OK, "%s", call.sentence.text);
	has("p/a.py", "def sum(n):\n    return n\n\n\nprint(sum(1))\n");
	close_set();
}

int main(void)
{
	const struct mt_plugin *plugin = kit_load("lsp");

	CHECK(plugin && plugin->component_count == 1);
	if (!plugin)
		return tap_done();
	signal(SIGPIPE, SIG_IGN);
	set = plugin->components[0].functions;
	CHECK(dir_temporary("lsp", top, sizeof top, NULL) == MT_OK);
	instance = (struct mt_instance){ .component = &plugin->components[0],
					 .workspace = top };
	call = (struct mt_call){ .cancel = { -1, -1 } };
	columns();
	symbols();
	uris();
	finds("utf-16");
	finds("utf-8");
	finds("utf-32");
	wrong_arguments();
	new_errors();
	renames();
	many_files();
	many_diagnostics();
	outside();
	late();
	cancelled();
	hostile();
	wrong_edits();
	all_or_nothing();
	not_installed();
	clangd();
	pylsp();
	CHECK(dir_remove(top, NULL) == MT_OK);
	return tap_done();
}
