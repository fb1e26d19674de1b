/* SPDX-License-Identifier: MIT
 *
 * test-ipython.c - ipython.so with a real kernel. */
#include "ipython-kit.h"
#include "schema.h"
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define HAS(text, what) CHECK_MSG(strstr(text, what) != NULL, "%s in: %.400s", what, text)

static const char pixel[] =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAA"
	"AABJRU5ErkJggg==";

static void test_declaration(const struct mt_component *part)
{
	const struct mt_tool *tool = &kit_set->tools[0];
	AUTO(json) json_object *schema =
		js_parse(tool->schema, strlen(tool->schema), NULL);
	AUTO(json) json_object *events =
		js_parse(tool->events, strlen(tool->events), NULL);

	CHECK_STR(part->name, "ipython");
	CHECK_STR(tool->name, "execute_ipython_cell");
	CHECK(schema_valid(schema, NULL) == MT_OK);
	CHECK(json_object_is_type(events, json_type_array));
	CHECK(strlen(tool->brief) < 200);
}

static void test_cells(struct mt_instance *i, struct mt_call *c)
{
	static const struct {
		const char *code, *result;
	} cases[] = {
		{ "x = 6 * 7\nprint('one')\nx", "one\n42" },
		{ "x + 1", "43" },
		{ "", "" },
		{ "x;", "" },
		{ "import sys\nprint('e', file=sys.stderr)", "e" },
		{ "print('a\\x1b[31mred\\x1b[0m')", "ared" },
		{ "print('10%\\r50%\\r100%')", "100%" },
		{ "print('no end', end='')", "no end" },
		{ "print('no end', end='')\n5", "no end\n5" },
		{ "print('caf\\xe9 \\u4f60')", "caf\xc3\xa9 \xe4\xbd\xa0" },
		{ "!echo from a shell", "from a shell" },
		{ "from IPython.display import *\nprint('old')\nclear_output()\nprint('new')",
		  "new" },
		{ "display({'text/html': '<b>', 'text/plain': 'plain'}, raw=True)", "plain" },
		{ "Markdown('# Title')", "<IPython.core.display.Markdown object>" },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		const char *text = cell(i, c, cases[n].code);

		CHECK_MSG(strcmp(text, cases[n].result) == 0, "%s: %s", cases[n].code,
			  text);
	}
	CHECK(kit_run(i, c, "1", -1) == MT_OK);
	AUTO(free) char *whole = NULL;

	CHECK(asprintf(&whole,
		       "1\n[Jupyter current working directory: %s]\n"
		       "[Jupyter Python interpreter: ",
		       i->directory) > 0);
	CHECK_MSG(strncmp(c->text.text, whole, strlen(whole)) == 0, "%s", c->text.text);
	CHECK(c->text.text[c->text.len - 1] == ']');
	HAS(cell(i, c, "len?"), "Return the number of items");
}

static void test_errors(struct mt_instance *i, struct mt_call *c)
{
	const char *text = cell(i, c, "print('before')\ndef f():\n    1 / 0\nf()");

	HAS(text, "before\n---");
	HAS(text, "ZeroDivisionError: division by zero");
	CHECK(c->failed);
	CHECK(!strchr(text, '\033'));
	HAS(cell(i, c, "x = = 1"), "SyntaxError: invalid syntax");
	HAS(cell(i, c, "raise SystemExit(3)"), "SystemExit: 3");
	HAS(cell(i, c, "x"), "42");
	CHECK(!c->failed);
	CHECK_STR(cell(i, c, "print('\\ud800')\n7"), "\\ud800\n7");
}

static void test_image(struct mt_instance *i, struct mt_call *c)
{
	AUTO(strbuf) struct strbuf code = STRBUF(8192);

	strbuf_addf(&code,
		    "import base64\nfrom IPython.display import Image, display\n"
		    "display(Image(base64.b64decode('%s')))\nprint('after')",
		    pixel);
	const char *text = cell(i, c, code.text);

	CHECK_MSG(strncmp(text, "[image 1: image/png, ", 21) == 0, "%s", text);
	HAS(text, "bytes]\nafter");
	CHECK(c->images == 1 && c->image_len > 60);
	CHECK_STR(c->mime, "image/png");
}

static void test_directory(struct mt_instance *i, struct mt_call *c)
{
	CHECK_STR(cell(i, c, "import os\nos.getcwd() == os.environ.get('nothing')"),
		  "False");
	c->shell_dir = "/usr";
	CHECK_STR(cell(i, c, "os.getcwd()"), "'/usr'");
	CHECK_STR(cell(i, c, "%cd -q /var\nos.getcwd()"), "'/var'");
	CHECK_STR(cell(i, c, "os.getcwd()"), "'/var'"); /* the shell has not moved */
	c->shell_dir = "/";
	CHECK(kit_run(i, c, "os.getcwd()", -1) == MT_OK);
	HAS(c->text.text, "'/'\n[Jupyter current working directory: /]\n");
	c->shell_dir = "/there/is/no such \\u00e9";
	HAS(cell(i, c, "os.getcwd()"),
	    "[The kernel cannot change to the directory of the shell: "
	    "FileNotFoundError");
	c->shell_dir = NULL;
}

static void test_input(struct mt_instance *i, struct mt_call *c)
{
	const char *text;

	c->answer = "Ada";
	CHECK_STR(cell(i, c, "name = input('Name? ')\nname"), "Name? Ada\n'Ada'");
	CHECK(c->asked == 1);
	text = cell(i, c, "import getpass\nlen(getpass.getpass('Secret: '))");
	CHECK_STR(text, "Secret: \n3");
	CHECK_STR(cell(i, c, "input('a') + input('b')"), "aAda\nbAda\n'AdaAda'");
	c->answer = NULL;
	text = cell(i, c, "print('so')\ninput('Who? ')");
	HAS(text, "so\n"); /* it and the prompt come by two sockets */
	HAS(text, "Who? ");
	HAS(text, "KeyboardInterrupt");
	HAS(text,
	    "\n[The cell was interrupted: it waited for input, which is not available");
	CHECK_STR(cell(i, c, "name"), "'Ada'");
	/* a kernel that gives up a question slowly, as on a busy machine, is not killed */
	text = cell(i, c,
		    "import signal, time\n"
		    "def slow(*args):\n    time.sleep(2.5)\n    raise KeyboardInterrupt\n"
		    "signal.signal(signal.SIGINT, slow)\ninput('Who? ')");
	HAS(text, "\n[The cell was interrupted: it waited for input");
	CHECK_STR(cell(i, c, "name"), "'Ada'");
}

/* Run a cell that does not end, with longer and longer time-outs until it has come
 * as far as `wanted`: a busy machine may not even begin it in the first. */
static double run_out(struct mt_instance *i, struct mt_call *c, const char *code,
		      const char *wanted)
{
	double timeout = 0.3;

	while (kit_run(i, c, code, timeout) == MT_OK && !strstr(c->text.text, wanted) &&
	       timeout < 60)
		timeout *= 4;
	return timeout;
}

static void test_timeout(struct mt_instance *i, struct mt_call *c)
{
	char sentence[80];
	double timeout = run_out(i, c,
				 "x = 42\nimport time\ntry:\n    print('begun')\n"
				 "    time.sleep(60)\nfinally:\n    print('over')",
				 "over");

	HAS(c->text.text, "begun\n");
	HAS(c->text.text, "KeyboardInterrupt");
	snprintf(sentence, sizeof sentence, "\n[Execution timed out (%g seconds).]\n",
		 timeout);
	HAS(c->text.text, sentence);
	CHECK_STR(cell(i, c, "x"), "42");
	/* One that does not obey. */
	run_out(i, c,
		"import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
		"import time\nprint('never')\ntime.sleep(60)",
		"never");
	HAS(c->text.text, "never");
	HAS(c->text.text, "so the kernel was killed and its state is lost");
	HAS(cell(i, c, "x"), "NameError");
}

static void cancel_now(struct mt_call *c)
{
	eventfd_write(c->cancel_fd, 1);
}

static void test_cancel(struct mt_instance *i, struct mt_call *c)
{
	c->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->on_live = cancel_now;
	cell(i, c, "x = 1");
	CHECK(kit_run(i, c, "import time\nprint('go')\ntime.sleep(60)", -1) ==
	      MT_ECANCELLED);
	HAS(c->text.text, "go\n");
	HAS(c->sentence.text, "The cell was interrupted");
	close(c->cancel_fd);
	c->cancel_fd = -1;
	c->on_live = NULL;
	CHECK_STR(cell(i, c, "x"), "1");
}

static void test_death(struct mt_instance *i, struct mt_call *c)
{
	const char *text = cell(i, c, "import os\nos._exit(3)");

	HAS(text, "[The kernel exited (exit code 3), and its state is lost");
	HAS(cell(i, c, "x"), "NameError");
	CHECK(!strstr(c->text.text, "new one"));
	text = cell(i, c, "import os\nos.kill(os.getpid(), 9)");
	HAS(text, "[The kernel exited (signal 9)");
	/* It ends a little after the cell: the next one must not run in what is ending. */
	for (const char *const *end = (const char *const[]){ "exit", "quit()", NULL };
	     *end; end++) {
		cell(i, c, "gone = 1");
		text = cell(i, c, *end);
		HAS(text, "[The kernel exited (exit code 0), and its state is lost");
		HAS(cell(i, c, "gone"), "NameError");
	}
	/* Between two calls. */
	text = cell(i, c, "import os, threading\nos.getpid()");
	pid_t pid = (pid_t)strtol(text, NULL, 10);

	CHECK(pid > 1 && kill(pid, SIGKILL) == 0);
	for (int n = 0; n < 1000; n++) {
		text = cell(i, c, "2 + 2");
		if (strcmp(text, "4") != 0)
			break;
		usleep(10000);
	}
	CHECK_MSG(strncmp(text, "[The kernel", 11) == 0, "%s", text);
}

#ifdef __SANITIZE_ADDRESS__
#define FEW_KIB (1024 * 1024) /* freed memory is kept for a while, to catch its use */
#else
#define FEW_KIB (64 * 1024)
#endif

static long resident_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void test_flood(struct mt_instance *i, struct mt_call *c)
{
	cell(i, c,
	     "import resource, sys\n"
	     "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss");
	CHECK_STR(cell(i, c, "before = peak()"), "");
	long before = resident_kib();
	const char *text = cell(i, c,
				"for _ in range(64):\n    print('x' * 1023 * 1024)\n"
				"for _ in range(100000):\n    print('y' * 99)");

	CHECK(strlen(text) > 29000 && strlen(text) < 31000);
	HAS(text, "truncated");
	HAS(text, "yyy\n[The output was cut; all of it is in /spool/1]");
	CHECK(c->spooled == 64 * (1023 * 1024 + 1) + 100000 * 100);
	CHECK_MSG(resident_kib() - before < FEW_KIB, "%ld KiB more",
		  resident_kib() - before);
	text = cell(i, c, "peak() - before");
	CHECK_MSG(strtol(text, NULL, 10) < 128 * 1024, "the kernel took %s KiB more",
		  text);
	/* A value too large for one message. */
	text = cell(i, c, "'z' * 40_000_000");
	HAS(text, "[Part of the output may be missing");
	CHECK_STR(cell(i, c, "3"), "3");
	/* A flood that is cancelled. */
	c->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->on_live = cancel_now;
	CHECK(kit_run(i, c, "while True:\n    print('z' * 999)", -1) == MT_ECANCELLED);
	close(c->cancel_fd);
	c->cancel_fd = -1;
	c->on_live = NULL;
	CHECK_STR(cell(i, c, "3"), "3");
}

struct typist {
	struct mt_instance *instance;
	struct mt_call *call;
};

static void *type_line(void *arg)
{
	static const struct mt_input inputs[] = {
		{ sizeof *inputs, MT_INPUT_BYTES, MT_STR("typ") },
		{ sizeof *inputs, MT_INPUT_BYTES, MT_STR("ed\n") },
	};
	struct typist *t = arg;

	for (size_t n = 0; n < 2; n++)
		kit_set->input(&kit_host, t->instance->self, t->call, &inputs[n]);
	return NULL;
}

static pthread_t thread;
static struct typist typist;

/* The prompt is there: type, once. */
static void type_now(struct mt_call *c)
{
	if (strstr(c->live.text, "Key: ") && typist.call) {
		pthread_create(&thread, NULL, type_line, &typist);
		typist.call = NULL;
	}
}

/* A second kernel next to the first, over TCP, with a user who types. */
static void test_two(struct mt_instance *first, struct mt_call *c)
{
	struct mt_instance second = { .transport = "tcp", .input_timeout = 60000,
				      .imports = " agentskills ,nothing_such, math" };
	struct mt_call other = { .cancel_fd = -1, .on_live = type_now };
	const char *text;

	CHECK(kit_open(&second));
	cell(first, c, "who = 'first'");
	text = cell(&second, &other, "who = 'second'\nfloor(2.5)");
	HAS(text, "[`from nothing_such import *` failed when the kernel started: "
		  "ModuleNotFoundError");
	HAS(text, "]\n2");
	CHECK_STR(cell(&second, &other, "who"), "'second'");
	CHECK_STR(cell(first, c, "who"), "'first'");
	typist = (struct typist){ &second, &other };
	text = cell(&second, &other, "input('Key: ')");
	CHECK_STR(text, "Key: typed\n'typed'");
	if (!typist.call)
		pthread_join(thread, NULL);
	call_clear(&other);
	kit_close(&second);
}

/* The small functions that a kernel has from the start. */
static void test_skills(struct mt_instance *i, struct mt_call *c)
{
	static const struct {
		const char *code, *result;
	} cases[] = {
		{ "import os\nos.makedirs('sk/.git', exist_ok=True)\n"
		  "open('sk/a.txt', 'w').write(''.join(f'line {n}\\n' for n in range(1, 301)))"
		  "\nfile_editor('create', 'sk/b.py', file_text='one\\ntwo\\n')\n"
		  "open('sk/.git/x', 'w').write('two')\nos.chdir('sk')", "Created " },
		{ "open_file('a.txt', 10, 3)", "lines 9 to 11 of 300]\n9|line 9\n10|line 10" },
		{ "scroll_down()", "lines 12 to 14 of 300]\n12|line 12" },
		{ "scroll_up()", "lines 9 to 11 of 300]" },
		{ "goto_line(300)", "lines 298 to 300 of 300]\n298|line 298" },
		{ "goto_line(301)", "line_number must be between 1 and 300." },
		{ "search_dir('two')", "./b.py:2: two" },
		{ "search_file('line 29')", "29: line 29\n290: line 290" },
		{ "find_file('.p')", "./b.py" },
		{ "find_file('zzz')", "Nothing found for 'zzz'." },
		{ "file_editor('str_replace', 'b.py', old_str='two', new_str='2\\n3')",
		  "     2\t2\n     3\t3" },
		{ "file_editor('insert', 'b.py', insert_line=0, new_str='zero')",
		  "     1\tzero\n     2\tone" },
		{ "file_editor('undo_edit', 'b.py')\nopen('b.py').read()",
		  "'one\\n2\\n3\\n'" },
		{ "open('t.tex', 'w').write('\\\\section{Title} % gone\\nbody')\n"
		  "parse_latex('t.tex')", "Title \nbody" },
		{ "import zipfile\nwith zipfile.ZipFile('d.docx', 'w') as z:\n"
		  "    z.writestr('word/document.xml', '<d xmlns:w=\"http://schemas.openxmlformats"
		  ".org/wordprocessingml/2006/main\"><w:p><w:t>Hello</w:t></w:p></d>')\n"
		  "parse_docx('d.docx')", "Hello" },
		{ "parse_docx('t.tex')", "parse_docx: t.tex is not a document of this kind" },
		{ "parse_pptx('none')", "parse_pptx: [Errno 2]" },
		{ "open('l1', 'wb').write(b'gr\\xfc\\xdfe\\r\\nzwei\\r\\ndrei')\n"
		  "file_editor('str_replace', 'l1', old_str='zwei\\nd', new_str='2\\nd')\n"
		  "file_editor('insert', 'l1', insert_line=1, new_str='x')\n"
		  "file_editor('insert', 'l1', insert_line=4, new_str='y')\n"
		  "open('l1', 'rb').read()", "b'gr\\xfc\\xdfe\\r\\nx\\r\\n2\\r\\ndrei\\r\\ny'" },
		{ "file_editor('create', 'made', file_text='x')\n"
		  "file_editor('undo_edit', 'made')\nos.path.exists('made')", "False" },
		{ "open('n', 'wb').write(b'\\0' * 9)\nopen_file('n')", "n is binary." },
	};

	char go[4200];

	snprintf(go, sizeof go, "%%cd -q %s", i->directory);
	cell(i, c, go);
	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		const char *text = cell(i, c, cases[n].code);

		CHECK_MSG(strstr(text, cases[n].result) != NULL, "%s: %.500s",
			  cases[n].code, text);
	}
	CHECK(strncmp(cell(i, c, "find_file('.git/')\nsearch_dir('two', '.')"), "Nothing",
		      7) == 0);
}

/* Files in its directory are private. */
static void test_private(struct mt_instance *i, struct mt_call *c)
{
	const char *text = cell(i, c,
				"import sys\nsys.argv[-1] if 'json' in sys.argv[-1] else"
				" __import__('ipykernel').get_connection_file()");
	char path[4096];
	struct stat st;

	snprintf(path, sizeof path, "%.*s", (int)strcspn(text + 1, "'"), text + 1);
	CHECK_MSG(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600, "%s", path);
	*strrchr(path, '/') = '\0';
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(strncmp(path, i->directory, strlen(i->directory)) == 0);
}

int main(void)
{
	const struct mt_component *part = kit_load();
	struct mt_instance i = { .kernel = "python3" };
	struct mt_call c = { .cancel_fd = -1 };

	test_declaration(part);
	CHECK(kit_open(&i));
	if (kit_run(&i, &c, "1", -1) == MT_ENOTFOUND) {
		HAS(c.sentence.text, "install python3-ipykernel");
		printf("# no Jupyter kernel is installed: cells are not tried\n");
	} else {
		test_cells(&i, &c);
		test_errors(&i, &c);
		test_image(&i, &c);
		test_directory(&i, &c);
		test_input(&i, &c);
		test_timeout(&i, &c);
		test_cancel(&i, &c);
		test_two(&i, &c);
		test_private(&i, &c);
		test_skills(&i, &c);
		test_death(&i, &c);
		test_flood(&i, &c);
	}
	call_clear(&c);
	kit_close(&i);
	return tap_done();
}
