/* SPDX-License-Identifier: MIT
 *
 * main.c - the tool `execute_ipython_cell`: the ABI around session.h. */
#include "options.h"
#include "clock.h"
#include "hex.h"
#include "plain.h"
#include "python-files.h"
#include "session.h"
#include "space.h"
#include "tool-plugin.h"
#include "utf8.h"
#include <mortise/extensions.h>
#include <mortise/tool.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>

enum {
	LIVE_MAX = 64 * 1024,     /* maximum size of a live text */
	RAW_MAX = 24 * 1024,      /* smaller outputs are not spooled */
	INPUT_MAX = 256 * 1024,   /* typed, not yet read */
	NOTES_MAX = 16 * 1024,
	TEXT_MAX = 4 * (OUTPUT_HEAD + OUTPUT_TAIL),
	MARGIN_MS = 300,          /* to report before the caller's own limit */
	GRACE_MS = 1000,          /* to react to an interrupt */
	PROMPT_MAX = 200,
	TIMEOUT_MAX_S = 7 * 86400,
};

static const struct mt_option options[] = {
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_TEXT, .name = "kernel",
	  .fallback = "python3",
	  .help = "Jupyter kernel: a name from `jupyter kernelspec list`, or the "
		  "directory with its kernel.json." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_DURATION,
	  .name = "timeout", .fallback = "120s", .min = 100, .max = 604800000,
	  .help = "A cell is interrupted after this time, unless the call sets its own "
		  "timeout." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_DURATION,
	  .name = "start_timeout", .fallback = "60s", .min = 100, .max = 3600000,
	  .help = "Time limit for the startup of a kernel." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_DURATION,
	  .name = "input_timeout", .fallback = "0s", .min = 0, .max = 86400000,
	  .help = "Time limit for input to a cell that calls input(); then the cell is "
		  "interrupted." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_LIST, .name = "imports",
	  .fallback = "agentskills",
	  .help = "Modules to import into a new Python kernel with `from X import *`, "
		  "in this order." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_CHOICE, .name = "transport",
	  .choices = "ipc|tcp", .fallback = "ipc",
	  .help = "Connection to the kernel: sockets in a private directory (`ipc`), "
		  "or ports of 127.0.0.1 for kernels that support only these (`tcp`)." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_BOOL, .name = "code_mode",
	  .fallback = "no",
	  .help = "Define `tools` in Python kernels, with the enabled tools as functions." },
};

/* Values of the option `transport`, in the order of its choices. */
enum { TRANSPORT_IPC, TRANSPORT_TCP };

struct ipython {
	const struct mt_tool_host *host;
	struct mt_instance *instance;
	struct session session;
	int64_t timeout_ms, input_ms;
	struct output output;
	struct plain plain;

	struct mt_call *call;   /* in progress */
	struct strbuf raw;      /* output that is not in a spool yet */
	struct strbuf notes;    /* text around the output */
	bool spooling;
	bool asked;             /* the user was asked for the awaited answer */
	int images;
	char token[33];         /* prefix of prompts that are tool calls; "": none */

	pthread_mutex_t lock;   /* protects the following members */
	struct strbuf typed;    /* by the user, for input() */
	int wake_fd;
};

/* ---- output of a cell ---------------------------------------------------- */

/* Buffer the first bytes: most outputs are small and appear in full in the result. */
static void ipython_keep(struct ipython *p, const char *bytes, size_t len)
{
	if (!p->spooling && p->raw.len + len < RAW_MAX &&
	    strbuf_addn(&p->raw, bytes, len) == MT_OK)
		return;
	if (!p->spooling)
		p->host->spool(p->call, p->raw.text, p->raw.len);
	p->spooling = true;
	p->host->spool(p->call, bytes, len);
}

static void ipython_tool_on_text(void *arg, const char *bytes, size_t len)
{
	struct ipython *p = arg;

	ipython_keep(p, bytes, len);
	for (size_t at = 0, n; at < len; at += n) {
		AUTO(strbuf) struct strbuf live = STRBUF(LIVE_MAX + 1);

		n = utf8_cut(bytes + at, len - at, LIVE_MAX);
		n = n ? n : len - at < LIVE_MAX ? len - at : LIVE_MAX;
		plain_add(&p->plain, bytes + at, n, &live);
		if (live.len)
			p->host->output(p->call, live.text, live.len);
	}
}

static void on_block(void *arg, const char *bytes, size_t len)
{
	struct ipython *p = arg;

	if (!plain_at_start(&p->plain))
		ipython_tool_on_text(p, "\n", 1);
	ipython_tool_on_text(p, bytes, len);
	if (bytes[len - 1] != '\n')
		ipython_tool_on_text(p, "\n", 1);
}

static void on_image(void *arg, const char *mime, const void *bytes, size_t len)
{
	struct ipython *p = arg;
	char line[128];
	int status = p->host->reply_media(p->call, mime, bytes, len);

	if (status == MT_OK)
		snprintf(line, sizeof line, "[image %d: %s, %zu bytes]", ++p->images,
			 mime, len);
	else
		snprintf(line, sizeof line, "[image too large to show: %s, %zu bytes]",
			 mime, len);
	on_block(p, line, strlen(line));
}

static void on_clear(void *arg)
{
	struct ipython *p = arg;

	plain_reset(&p->plain);
}

/* Take a complete typed line, without its newline. */
static bool take_typed(struct ipython *p, struct strbuf *ret)
{
	pthread_mutex_lock(&p->lock);
	const char *end = memchr(p->typed.text, '\n', p->typed.len);

	if (end) {
		strbuf_addn(ret, p->typed.text, (size_t)(end - p->typed.text));
		strbuf_consume(&p->typed, (size_t)(end - p->typed.text) + 1);
	}
	pthread_mutex_unlock(&p->lock);
	return end;
}

/* Ask the client of the conversation, if there is one. */
static int ipython_tool_ask_user(struct ipython *p, const char *prompt,
				 struct strbuf *ret)
{
	AUTO(strbuf) struct strbuf params = STRBUF(8192);
	AUTO(json) json_object *answer = NULL;
	struct mt_str result = { 0 };

	strbuf_addc(&params, '{');
	js_key_strn(&params, "question", prompt, utf8_cut(prompt, strlen(prompt), 1000));
	strbuf_addc(&params, '}');
	const struct mt_str text = { params.text, params.len };
	int status = p->host->request(p->call, "user/ask", text, &result);

	if (status != MT_OK)
		return status;
	answer = js_parse_object(result.ptr, result.len, NULL);
	const char *value = js_str(answer, "answer", NULL);

	return value ? strbuf_add(ret, value) : MT_EINVAL;
}

/* ---- calls of tools by code ---------------------------------------------- */

/* Send a request and wait for the response until `until_ms`. */
static int request_until(struct ipython *p, const char *method, struct mt_str params,
			 int64_t until_ms, struct mt_str *ret)
{
	const struct mt_requests_draft_1 *requests =
		p->host->extension ? p->host->extension(MT_REQUESTS_DRAFT_1) : NULL;
	struct mt_answer_draft_1 answer = { 0 };
	int64_t left = until_ms - clock_ms();
	uint64_t number;
	int status;

	if (!requests)
		return p->host->request(p->call, method, params, ret);
	status = requests->submit(p->call, method, params, &number);
	if (status == MT_OK)
		status = requests->wait(p->call, left > 0 ? left : 0, &answer);
	if (status != MT_OK)
		return status;
	*ret = answer.text;
	return answer.status;
}

/* `ret`: the response for the code, {text, is_error}. */
static int ipython_tool_call(struct ipython *p, const char *params, int64_t until_ms,
			     struct strbuf *ret)
{
	const struct mt_str text = { params, strlen(params) };
	struct mt_str result = { 0 };
	int status = request_until(p, "tool/call", text, until_ms, &result);

	if (status == MT_OK)
		return strbuf_addn(ret, result.ptr, result.len);
	if (status == MT_ETIMEOUT || !result.ptr)
		return status == MT_ETIMEOUT ? MT_ETIMEOUT : MT_ECANCELLED;
	strbuf_addc(ret, '{');
	js_key_strn(ret, "text", result.ptr, result.len);
	js_key_bool(ret, "is_error", true);
	return strbuf_addc(ret, '}');
}

/* The definition of `tools` for a new kernel. */
static int add_tools(void *arg, struct strbuf *code)
{
	struct ipython *p = arg;
	const struct mt_str none = MT_STR("{}");
	struct mt_str list = { 0 };
	int status = p->host->request(p->call, "tool/list", none, &list);

	if (status != MT_OK)
		return status;
	strbuf_add(code, python_code_mode);
	strbuf_add(code, "_mortise_tools(");
	js_put_str(code, p->token, strlen(p->token));
	strbuf_add(code, ", ");
	js_put_str(code, list.ptr, list.len);
	return strbuf_add(code, ")\ndel _mortise_tools\n");
}

static int make_token(struct ipython *p)
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return MT_EIO;
	hex_write(bytes, sizeof bytes, p->token);
	return MT_OK;
}

/* ---- input() ------------------------------------------------------------- */

static int on_ask(void *arg, const char *prompt, bool hidden, int64_t until_ms,
		  struct strbuf *ret)
{
	struct ipython *p = arg;
	size_t len = strlen(p->token);
	bool found;

	if (len && strncmp(prompt, p->token, len) == 0)
		return ipython_tool_call(p, prompt + len, until_ms, ret);
	found = take_typed(p, ret);
	if (!p->asked) {
		ipython_tool_on_text(p, prompt, strlen(prompt));
		if (!found)
			found = ipython_tool_ask_user(p, *prompt ? prompt : "input()",
						      ret) == MT_OK;
	}
	p->asked = !found;
	if (!found)
		return MT_ENOTFOUND;
	if (!hidden)
		ipython_tool_on_text(p, ret->text, ret->len);
	ipython_tool_on_text(p, "\n", 1);
	return MT_OK;
}

static const struct cell_events cell_events = {
	.text = ipython_tool_on_text, .block = on_block, .image = on_image, .clear = on_clear,
	.ask = on_ask,
};

/* ---- the result ---------------------------------------------------------- */

static void ipython_tool_note_end(struct ipython *p, const struct cell_result *result,
				  const char *how)
{
	struct strbuf *notes = &p->notes;

	if (result->unanswered)
		strbuf_add(notes,
			   "[The cell was interrupted: it waited for input, which is "
			   "not available. Put the value into the code.]\n");
	if (result->timed_out)
		strbuf_addf(notes, "[Execution timed out (%.9g seconds).]\n",
			    (double)p->timeout_ms / 1000);
	if (result->dead && result->killed)
		strbuf_add(
			notes,
			"[The cell ignored the interrupt, so the kernel was killed and "
			"its state is lost. The next cell starts a new one.]\n");
	else if (result->dead)
		strbuf_addf(notes,
			    "[The kernel exited (%s), and its state is lost. The next "
			    "cell starts a new one.]\n",
			    how);
	if (result->aborted)
		strbuf_add(notes, "[The kernel did not run the cell.]\n");
	if (result->incomplete || result->strange)
		strbuf_add(notes,
			   "[Part of the output may be missing: it was too large or "
			   "too fast, or was not sent by this kernel.]\n");
}

/* Append the directory and interpreter, in lines that other programs parse. */
static void note_place(struct ipython *p)
{
	AUTO(free) char *directory = session_directory(&p->session);
	const char *python = session_python(&p->session);

	if (directory)
		strbuf_addf(&p->notes, "[Jupyter current working directory: %s]\n",
			    directory);
	if (*python)
		strbuf_addf(&p->notes, "[Jupyter Python interpreter: %s]\n", python);
}

/* `before`: length of the notes added before the cell ran. */
static int ipython_reply(struct ipython *p, size_t before)
{
	AUTO(strbuf) struct strbuf all = STRBUF(TEXT_MAX), clean = STRBUF(3 * TEXT_MAX);
	AUTO(strbuf) struct strbuf text = STRBUF(3 * TEXT_MAX);
	bool cut;

	plain_end(&p->plain);
	output_text(&p->output, &all);
	utf8_add_clean(&clean, all.text, all.len);
	space_trim_buffer(&clean);
	strbuf_addn(&text, p->notes.text, before);
	if (output_cut(clean.text, clean.len, OUTPUT_CHARS, &text, &cut) != MT_OK ||
	    all.error || clean.error)
		return tool_out_of_memory(p->host, p->call);
	if (text.len > before && p->notes.len > before)
		strbuf_addc(&text, '\n');
	const char *spool = p->spooling ? p->host->spool_path(p->call) : "";

	if (cut && *spool)
		strbuf_addf(&text, "[The output was cut; all of it is in %s]\n", spool);
	strbuf_addn(&text, p->notes.text + before, p->notes.len - before);
	space_trim_buffer(&text);
	p->host->reply_text(p->call, text.text, text.len);
	return MT_OK;
}

/* ---- a call -------------------------------------------------------------- */

/* The directory of this conversation's shell; NULL if unknown. */
static char *shell_directory(struct ipython *p)
{
	const struct mt_str none = MT_STR("{}");
	struct mt_str result = { 0 };

	if (p->host->request(p->call, "shell/directory", none, &result) != MT_OK)
		return NULL;
	AUTO(json) json_object *answer = js_parse_object(result.ptr, result.len, NULL);
	const char *directory = js_str(answer, "directory", "");

	return *directory == '/' ? strdup(directory) : NULL;
}

static void ipython_begin(struct ipython *p, struct mt_call *call)
{
	p->call = call;
	p->spooling = p->asked = false;
	p->images = 0;
	plain_reset(&p->plain);
	strbuf_reset(&p->raw);
	strbuf_reset(&p->notes);
	pthread_mutex_lock(&p->lock);
	strbuf_reset(&p->typed);
	pthread_mutex_unlock(&p->lock);
}

static int ipython_run(struct ipython *p, struct cell *cell)
{
	const struct mt_tool_host *host = p->host;
	AUTO(free) char *directory = shell_directory(p);
	AUTO(strbuf) struct strbuf how = STRBUF(512);
	struct error err = ERROR_NONE;
	struct cell_result result;
	int status =
		session_ready(&p->session, directory, cell->cancel_fd, &p->notes, &err);
	size_t before = p->notes.len;

	if (status == MT_OK)
		status = ipython_session_run(&p->session, cell, &result, &how, &err);
	if (status != MT_OK)
		return host->fail(p->call, status, "%s", err.text);
	ipython_tool_note_end(p, &result, how.text);
	note_place(p);
	if (result.failed || result.aborted || result.dead || result.timed_out)
		host->field(p->call, "is_error", "true", strlen("true"));
	status = ipython_reply(p, before);
	if (status == MT_OK && result.cancelled)
		status = host->fail(p->call, MT_ECANCELLED,
				    "The cell was interrupted: the "
				    "call was cancelled.");
	return status;
}

static int ipython_call(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct ipython *p = self;
	struct cell cell = { .events = &cell_events, .arg = p, .grace_ms = GRACE_MS,
			     .input_ms = p->input_ms, .wake_fd = p->wake_fd };
	int64_t left = host->time_left_ms(call), usual = p->timeout_ms;
	double seconds;

	cell.code = host->arg_str(call, "code", &cell.len);
	if (!cell.code)
		return host->fail(call, MT_EINVAL, "Missing argument `code`.");
	cell.timeout_ms = p->timeout_ms;
	int status = host->arg_number(call, "timeout", &seconds);

	if (status == MT_EINVAL || (status == MT_OK && !(seconds >= 0)))
		return host->fail(call, MT_EINVAL,
				  "`timeout` must be a number of seconds.");
	if (status == MT_OK)
		cell.timeout_ms =
			(int64_t)((seconds < TIMEOUT_MAX_S ? seconds : TIMEOUT_MAX_S) *
				  1000);
	if (left >= 0 && cell.timeout_ms > left - MARGIN_MS - 2 * GRACE_MS)
		cell.timeout_ms = left > MARGIN_MS + 2 * GRACE_MS
					  ? left - MARGIN_MS - 2 * GRACE_MS
					  : 0;
	cell.cancel_fd = host->cancel_fd(call);
	ipython_begin(p, call);
	p->timeout_ms = cell.timeout_ms;
	status = ipython_run(p, &cell);
	p->timeout_ms = usual;
	p->call = NULL;
	return status;
}

static int ipython_input(const struct mt_tool_host *host, void *self,
			 struct mt_call *call, const struct mt_input *input)
{
	struct ipython *p = self;

	(void)host, (void)call;
	if (input->kind != MT_INPUT_BYTES)
		return MT_EUNSUPPORTED;
	pthread_mutex_lock(&p->lock);
	int status = strbuf_addn(&p->typed, input->bytes.ptr, input->bytes.len);

	p->typed.error = MT_OK;
	pthread_mutex_unlock(&p->lock);
	eventfd_write(p->wake_fd, 1);
	return status;
}

/* ---- the instance -------------------------------------------------------- */

static void ipython_close(const struct mt_tool_host *host, struct mt_instance *instance,
			  void *self)
{
	struct ipython *p = self;

	(void)host, (void)instance;
	ipython_session_end(&p->session);
	plain_clear(&p->plain);
	strbuf_clear(&p->raw);
	strbuf_clear(&p->notes);
	strbuf_clear(&p->typed);
	if (p->wake_fd >= 0)
		close(p->wake_fd);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static int ipython_open(const struct mt_tool_host *host, struct mt_instance *instance,
			void **ret_self)
{
	struct ipython *p = calloc(1, sizeof *p);

	if (!p)
		return MT_ENOMEM;
	p->host = host;
	p->instance = instance;
	p->raw = STRBUF(RAW_MAX);
	p->notes = STRBUF(NOTES_MAX);
	p->typed = STRBUF(INPUT_MAX);
	p->timeout_ms = host->option_int(instance, "timeout");
	p->input_ms = host->option_int(instance, "input_timeout");
	p->session.config = (struct session_config){
		.kernel = host->option(instance, "kernel"),
		.imports = host->option(instance, "imports"),
		.private_dir = host->private_dir(instance),
		.workspace = host->workspace(instance),
		.tcp = tool_choice(host, instance, options, ARRAY_LEN(options),
				   "transport") == TRANSPORT_TCP,
		.start_ms = host->option_int(instance, "start_timeout"),
	};
	if (host->option_int(instance, "code_mode") && !make_token(p)) {
		p->session.config.add_code = add_tools;
		p->session.config.arg = p;
	}
	plain_init(&p->plain, &p->output);
	pthread_mutex_init(&p->lock, NULL);
	p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->wake_fd < 0) {
		host->log(instance, MT_LOG_ERROR, "no free file descriptors");
		ipython_close(host, instance, p);
		return MT_EIO;
	}
	*ret_self = p;
	return MT_OK;
}

/* ---- the tool ------------------------------------------------------------ */

static const char description[] =
	"Run a Python cell in a persistent IPython kernel: variables, imports and "
	"functions are kept between cells.\n"
	"* Returns the output, the value of the last expression, and errors with their "
	"traceback; figures and other images are shown to you.\n"
	"* Import what you use, and again when a new kernel is reported. Magics such "
	"as %pip, %timeit and !command work.\n"
	"* A cell starts in the directory of the shell; os.chdir or %cd applies until "
	"the shell changes its directory.\n"
	"* A cell that takes too long is interrupted; set timeout for longer ones. "
	"input() is rarely answered: put values into the code.\n"
	"* Predefined: open_file, goto_line, scroll_down, scroll_up, search_dir, "
	"search_file, find_file, parse_pdf, parse_docx, parse_latex, parse_pptx, "
	"file_editor; see help(NAME).\n"
	"* If `tools` is defined, it has your other tools as functions: "
	"tools.grep(pattern='x') returns text or raises tools.ToolError.";

static const char brief[] =
	"Run a Python cell in a persistent IPython kernel; returns output, last value, "
	"tracebacks and images.";

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"code\":{\"type\":\"string\",\"description\":\"Python code to run, with "
	"IPython magics.\"},"
	"\"timeout\":{\"type\":\"number\",\"description\":\"Seconds until the cell is "
	"interrupted.\"}},"
	"\"required\":[\"code\"]"
	",\"additionalProperties\":false}";

static const char events[] =
	"[{\"action\":\"run_ipython\",\"observation\":\"run_ipython\","
	"\"args\":{\"code\":\"$code\"},\"timeout\":\"$timeout\"}]";

static const struct mt_tool tools[] = {
	{ .size = sizeof(struct mt_tool),
	  .hints = MT_TOOL_DESTRUCTIVE | MT_TOOL_OPEN_WORLD,
	  .name = "execute_ipython_cell",
	  .description = description,
	  .brief = brief,
	  .schema = schema,
	  .events = events },
};

static const struct mt_toolset toolset = {
	.size = sizeof toolset,
	.tool_count = ARRAY_LEN(tools),
	.tools = tools,
	.open = ipython_open,
	.call = ipython_call,
	.input = ipython_input,
	.close = ipython_close,
};

MT_TOOLSET(&toolset, "ipython", .name = "ipython",
	   .summary = "Runs cells of Python or another language in a Jupyter kernel.",
	   .options = options, .option_count = ARRAY_LEN(options))
