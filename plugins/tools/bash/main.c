/* SPDX-License-Identifier: MIT
 *
 * main.c - the tool `execute_bash`: the ABI around run.h. */
#include "jobs.h"
#include "carry.h"
#include "clock.h"
#include "js.h"
#include "keys.h"
#include "run.h"
#include "space.h"
#include "tool-plugin.h"
#include "utf8.h"
#include <mortise/tool.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	LIVE_MAX = 16 * 1024,  /* maximum size of a live text; the rest is dropped */
	LIVE_MS = 50,          /* minimum interval between live texts */
	RAW_MAX = 24 * 1024,   /* smaller outputs are not spooled */
	METADATA_MAX = 256 * 1024,
	JOB_TEXT_MAX = 16 << 20,
	WAIT_SECONDS = 60,     /* to wait for a job, if the call has no limit */
	WAIT_SPARE_MS = 1000,  /* before the call is terminated */
};

struct bash {
	const struct mt_tool_host *host;
	struct mt_instance *instance;
	struct run *run;      /* for commands; moved jobs have their own */
	struct run *typed_run; /* receives typed input */
	pthread_mutex_t lock; /* for `typed_run` */
	struct jobs *jobs;    /* NULL: none so far */
	struct mt_call *call; /* in progress; NULL: none */
	struct strbuf live, raw;
	bool spooling;
	bool is_v0;      /* the style of results */
	int64_t live_at; /* when live text was last sent, ms */
	char *told_file; /* its path; NULL: not yet requested */
};

static void bash_tool_send_live(struct bash *b)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(4 * LIVE_MAX);
	size_t rest = utf8_tail(b->live.text, b->live.len);

	utf8_add_clean(&clean, b->live.text, b->live.len - rest);
	if (clean.len)
		b->host->output(b->call, clean.text, clean.len);
	strbuf_consume(&b->live, b->live.len - rest);
	b->live_at = clock_ms();
}

/* Send text without control characters that could affect the viewer's terminal. */
static void bash_tool_on_live(void *arg, const char *bytes, size_t len)
{
	struct bash *b = arg;

	if (!b->call)
		return;
	for (size_t i = 0; i < len && b->live.len < LIVE_MAX; i++)
		if ((unsigned char)bytes[i] >= ' ' || strchr("\n\r\t\b", bytes[i]))
			if (bytes[i] && bytes[i] != '\177')
				strbuf_addc(&b->live, bytes[i]);
	if (clock_ms() - b->live_at >= LIVE_MS)
		bash_tool_send_live(b);
}

/* Buffer the first bytes: most outputs are small and appear in full in the result. */
static void on_raw(void *arg, const char *bytes, size_t len)
{
	struct bash *b = arg;

	if (!b->spooling && strbuf_addn(&b->raw, bytes, len) == MT_OK)
		return;
	if (!b->call) /* output outside a call; bytes that do not fit are lost */
		return;
	if (!b->spooling)
		b->host->spool(b->call, b->raw.text, b->raw.len);
	b->spooling = true;
	b->host->spool(b->call, bytes, len);
}

/* The result is incomplete: name the file with the full output. */
static const char *full_output(void *arg)
{
	struct bash *b = arg;

	if (!b->call)
		return "";
	if (!b->spooling)
		b->host->spool(b->call, b->raw.text, b->raw.len);
	b->spooling = true;
	return b->host->spool_path(b->call);
}

static const char *bash_tool_told_file(void *arg)
{
	struct bash *b = arg;
	const char *directory = b->host->conversation_dir(b->instance);

	if (*directory && !b->told_file &&
	    asprintf(&b->told_file, "%s/told", directory) < 0)
		b->told_file = NULL;
	return b->told_file;
}

/* The file of carry.h; NULL: none. Owned. */
static char *carry_file(const struct bash *b)
{
	const char *directory = b->host->conversation_dir(b->instance);
	char *path = NULL;

	return *directory && asprintf(&path, "%s/carry", directory) >= 0 ? path : NULL;
}

static const struct mt_option options[] = {
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_DURATION,
	  .name = "no_change_timeout", .fallback = "30s", .min = 100, .max = 86400000,
	  .help = "A command continues as a job after this time without new output, "
		  "unless the call sets its own timeout." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_DURATION,
	  .name = "timeout", .fallback = "120s", .min = 100, .max = 604800000,
	  .help = "A command continues as a job after this time in any case, "
		  "unless the call sets its own timeout." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_CHOICE,
	  .name = "result_style", .choices = "brief|v0", .fallback = "brief",
	  .help = "Text around the output: brief, or that of OpenHands (v0)." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_CHOICE, .name = "exit_code",
	  .choices = "nonzero|always", .fallback = "nonzero",
	  .help = "When to state the exit code in a brief result." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_TEXT, .name = "shell",
	  .fallback = "bash", .help = "Path of bash, or its name in PATH." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_PATH, .name = "startup",
	  .help = "File that each new shell reads first, for example ~/.bashrc." },
};

/* Same order as the choices of the option. */
enum { RESULT_STYLE_BRIEF, RESULT_STYLE_V0 };
enum { EXIT_CODE_NONZERO, EXIT_CODE_ALWAYS };

static int bash_tool_choice(const struct bash *b, const char *key)
{
	return tool_choice(b->host, b->instance, options, ARRAY_LEN(options), key);
}

static int bash_open(const struct mt_tool_host *host, struct mt_instance *instance,
		     void **ret_self)
{
	struct error err = ERROR_NONE;
	struct bash *b = calloc(1, sizeof *b);

	if (!b)
		return MT_ENOMEM;
	b->host = host;
	b->instance = instance;
	b->live = STRBUF(LIVE_MAX + 8);
	b->raw = STRBUF(RAW_MAX);
	b->is_v0 = bash_tool_choice(b, "result_style") == RESULT_STYLE_V0;
	const struct run_config config = {
		.shell = host->option(instance, "shell"),
		.startup = host->option(instance, "startup"),
		.directory = host->workspace(instance),
		.no_change_ms = host->option_int(instance, "no_change_timeout"),
		.timeout_ms = host->option_int(instance, "timeout"),
		.style = b->is_v0 ? RUN_STYLE_V0 : RUN_STYLE_BRIEF,
		.exit_code_always = bash_tool_choice(b, "exit_code") == EXIT_CODE_ALWAYS,
		.full_output = full_output, .told_file = bash_tool_told_file,
		.raw = on_raw, .live = bash_tool_on_live, .arg = b,
	};

	AUTO(free) char *carried = carry_file(b);
	int status = run_new(&config, &b->run, &err);

	if (!status && carried)
		run_load(b->run, carried);
	if (status || run_warm(b->run, &err) != MT_OK) {
		host->log(instance, MT_LOG_ERROR, "%s", err.text);
		run_free(b->run);
		free(b);
		return err.code;
	}
	pthread_mutex_init(&b->lock, NULL);
	b->typed_run = b->run;
	*ret_self = b;
	return MT_OK;
}

static void bash_close(const struct mt_tool_host *host, struct mt_instance *instance,
		       void *self)
{
	struct bash *b = self;
	AUTO(free) char *carried = carry_file(b);

	(void)host, (void)instance;
	if (carried)
		run_save(b->run, carried);
	run_free(b->run);
	jobs_free(b->jobs);
	pthread_mutex_destroy(&b->lock);
	strbuf_clear(&b->live);
	strbuf_clear(&b->raw);
	free(b->told_file);
	free(b);
}

static void bash_put_text(struct strbuf *json, const char *name, const char *text)
{
	if (text) {
		js_key_str(json, name, text);
	} else {
		js_key(json, name);
		strbuf_add(json, "null");
	}
}

static int bash_tool_put_fields(struct bash *b, const struct run_call *call,
				const struct run_result *result)
{
	AUTO(strbuf) struct strbuf json = STRBUF(METADATA_MAX);
	AUTO(strbuf) struct strbuf command = STRBUF(call->len * 6 + 3);

	strbuf_addc(&json, '{');
	js_key_int(&json, "exit_code", result->exit_code);
	js_key_int(&json, "pid", result->pid);
	bash_put_text(&json, "username", result->username);
	bash_put_text(&json, "hostname", result->hostname);
	bash_put_text(&json, "working_dir", result->directory);
	bash_put_text(&json, "py_interpreter_path", result->python);
	js_key_strn(&json, "prefix", result->prefix.text, result->prefix.len);
	js_key_strn(&json, "suffix", result->suffix.text, result->suffix.len);
	if (!b->is_v0) /* the text for the model is complete */
		js_key_str(&json, "result_style", "brief");
	strbuf_addc(&json, '}');
	js_put_str(&command, call->command, call->len);
	if (json.error || command.error)
		return tool_out_of_memory(b->host, b->call);
	b->host->field(b->call, "command", command.text, command.len);
	if (result->refused)
		b->host->field(b->call, "is_error", "true", strlen("true"));
	return b->host->field(b->call, "metadata", json.text, json.len);
}

static int bash_reply(struct bash *b, const struct run_call *call,
		      struct run_result *result)
{
	const char *spool = b->spooling ? b->host->spool_path(b->call) : "";

	if (b->is_v0 && result->cut && *spool)
		strbuf_addf(&result->suffix, "\n[The output was cut; all of it is in %s]",
			    spool);
	if (!b->is_v0 && b->jobs && jobs_put_ended(b->jobs, &result->suffix))
		return tool_out_of_memory(b->host, b->call);
	b->host->reply_text(b->call, result->content.text, result->content.len);
	int status = bash_tool_put_fields(b, call, result);

	if (status == MT_OK && result->cancelled)
		status = b->host->fail(b->call, MT_ECANCELLED,
				       "The command was interrupted: the call was "
				       "cancelled.");
	return status;
}

/* ---- jobs ------------------------------------------------------------------- */

static int start_job(struct bash *b, struct mt_call *mt_call, struct strbuf *out,
		     struct error *err)
{
	const struct mt_tool_host *host = b->host;
	struct run_call call = { .timeout = -1, .cancel_fd = host->cancel_fd(mt_call),
				 .time_left_ms = host->time_left_ms(mt_call) };
	char metadata[64];
	long pid = -1;
	int status, len;

	call.command = host->arg_str(mt_call, "command", &call.len);
	if (!call.command || !call.len)
		return fail(err, MT_EINVAL,
			    "Missing `command`, the command that the job runs.");
	status = jobs_start(b->jobs, b->run, &call, out, &pid, err);
	len = snprintf(metadata, sizeof metadata, "{\"exit_code\":-1,\"pid\":%ld}", pid);
	host->field(mt_call, "metadata", metadata, (size_t)len);
	return status;
}

static int64_t bash_tool_wait_ms(struct bash *b, struct mt_call *call)
{
	int64_t left = b->host->time_left_ms(call), most;
	double seconds = WAIT_SECONDS;

	b->host->arg_number(call, "timeout", &seconds);
	if (!(seconds >= 0))
		seconds = 0;
	most = seconds < 86400 ? (int64_t)(seconds * 1000) : 86400000;
	if (left >= 0 && most > left - WAIT_SPARE_MS)
		most = left - WAIT_SPARE_MS;
	return most > 0 ? most : 0;
}

/* The parameters of a job call; `id` is -1 if the verb takes none. */
struct job_request {
	struct bash *b;
	struct mt_call *call;
	int64_t id;
};

static int bash_job_start(const struct job_request *q, struct strbuf *out,
			  struct error *err)
{
	return start_job(q->b, q->call, out, err);
}

static int bash_job_list(const struct job_request *q, struct strbuf *out,
			 struct error *err)
{
	return jobs_list(q->b->jobs, out) ? out_of_memory(err) : MT_OK;
}

static int bash_job_read(const struct job_request *q, struct strbuf *out,
			 struct error *err)
{
	return jobs_read(q->b->jobs, q->id, out, err);
}

static int bash_job_wait(const struct job_request *q, struct strbuf *out,
			 struct error *err)
{
	return jobs_wait(q->b->jobs, q->id, bash_tool_wait_ms(q->b, q->call),
			 q->b->host->cancel_fd(q->call), out, err);
}

static int bash_job_end(const struct job_request *q, struct strbuf *out,
			struct error *err)
{
	return jobs_end(q->b->jobs, q->id, q->b->host->cancel_fd(q->call), out, err);
}

static const struct job_verb {
	const char *name;
	int (*run)(const struct job_request *q, struct strbuf *out, struct error *err);
	bool takes_id;
	bool tells_running; /* report whether the job (no id: any) still runs */
} job_verbs[] = {
	{ "start", bash_job_start, false, false }, { "list", bash_job_list, false, true },
	{ "read", bash_job_read, true, true },     { "wait", bash_job_wait, true, true },
	{ "end", bash_job_end, true, false },
};

static int do_job(struct job_request *q, const struct job_verb *verb, struct strbuf *out,
		  struct error *err)
{
	if ((!verb || verb->takes_id) && q->b->host->arg_int(q->call, "id", &q->id))
		return fail(err, MT_EINVAL, "Missing `id`, the number of the job.");
	if (!verb)
		return fail(err, MT_EINVAL,
			    "`do` must be start, list, read, wait or end.");
	return verb->run(q, out, err);
}

/* The files of jobs live as long as the conversation, if there is one. */
static struct jobs *open_jobs(struct bash *b)
{
	const char *directory = b->host->conversation_dir(b->instance);

	return jobs_new(*directory ? directory : b->host->private_dir(b->instance));
}

static bool has_jobs(struct bash *b)
{
	if (!b->jobs)
		b->jobs = open_jobs(b);
	return b->jobs != NULL;
}

static int job_call(struct bash *b, struct mt_call *call)
{
	AUTO(strbuf) struct strbuf out = STRBUF(JOB_TEXT_MAX);
	const char *name = b->host->arg_str(call, "do", NULL);
	const struct job_verb *verb = ROW_NAMED(job_verbs, name ? name : "");
	struct job_request q = { .b = b, .call = call, .id = -1 };
	struct error err = ERROR_NONE;
	int status = MT_OK;

	if (!has_jobs(b))
		status = out_of_memory(&err);
	else
		status = do_job(&q, verb, &out, &err);
	if (!status && !b->is_v0 && b->jobs) {
		space_trim_buffer(&out);
		jobs_put_ended(b->jobs, &out);
		strbuf_addc(&out, '\n');
		status = out.error ? out_of_memory(&err) : MT_OK;
	}
	/* Waiting for a running job is not a loop. */
	if (!status && verb->tells_running && jobs_running(b->jobs, q.id))
		b->host->field(call, "running", "true", 4);
	strbuf_reset(&b->raw); /* the shell's messages about starting it */
	strbuf_reset(&b->live);
	if (!status || status == MT_ECANCELLED)
		b->host->reply_text(call, out.text, out.len);
	return status ? b->host->fail(call, status, "%s", err.text) : MT_OK;
}

/* Is the call empty, or input for a running program? */
static bool is_for_program(const struct run_call *call)
{
	return call->is_input || strspn(call->command, " \t\r\n") >= call->len ||
	       key_ctrl(call->command, call->len);
}

static void set_typed_run(struct bash *b, struct run *run)
{
	pthread_mutex_lock(&b->lock);
	b->typed_run = run;
	pthread_mutex_unlock(&b->lock);
}

/* The command exceeded its time limit: it keeps its shell, and others get a new one. */
static void move_to_jobs(struct bash *b, const struct run_call *call,
			 const struct run_result *result)
{
	struct run *next = run_split(b->run);

	if (!next || jobs_adopt(b->jobs, b->run, call, &result->content))
		run_free(next);
	else
		b->run = next;
}

/* Does the host request the state of the shell? See carry.h. */
static bool is_handover(const struct run_call *call, const char *path)
{
	return path && call->len == strlen(CARRY_COMMAND) &&
	       memcmp(call->command, CARRY_COMMAND, call->len) == 0 &&
	       access(path, F_OK) == 0;
}

/* Send input to the shell if a program runs there, otherwise to the newest job that was a
 * command. */
static int bash_run_command(struct bash *b, struct run_call *call,
			    struct run_result *result, struct error *err)
{
	struct run *job = NULL;
	int status;

	if (!b->is_v0 && !has_jobs(b))
		return out_of_memory(err);
	if (!b->is_v0 && !run_is_busy(b->run) && is_for_program(call))
		job = jobs_take(b->jobs, call);
	else if (!b->is_v0)
		jobs_offer(b->jobs, call);
	set_typed_run(b, job ? job : b->run);
	status = run_call(job ? job : b->run, call, result, err);
	set_typed_run(b, NULL);
	if (job)
		jobs_put_back(b->jobs, call, result);
	else if (!status && result->moved)
		move_to_jobs(b, call, result);
	set_typed_run(b, b->run);
	return status;
}

static int bash_call(const struct mt_tool_host *host, void *self, struct mt_call *mt_call)
{
	const char *name = host->call_tool(mt_call);
	struct bash *b = self;
	struct error err = ERROR_NONE;
	struct run_result result;
	struct run_call call = { .timeout = -1 };
	int is_input = 0;

	if (strcmp(name, "background_job") == 0)
		return job_call(b, mt_call);
	call.command = host->arg_str(mt_call, "command", &call.len);
	if (!call.command)
		return host->fail(mt_call, MT_EINVAL, "Missing argument `command`.");
	if (host->arg_bool(mt_call, "is_input", &is_input) == MT_EINVAL)
		return host->fail(mt_call, MT_EINVAL,
				  "`is_input` must be true or false.");
	if (host->arg_number(mt_call, "timeout", &call.timeout) == MT_EINVAL ||
	    call.timeout != call.timeout)
		return host->fail(mt_call, MT_EINVAL,
				  "`timeout` must be a number of seconds.");
	call.is_input = is_input != 0;
	call.time_left_ms = host->time_left_ms(mt_call);
	call.cancel_fd = host->cancel_fd(mt_call);
	AUTO(free) char *carried = carry_file(b);

	if (is_handover(&call, carried))
		return run_copy(b->run, call.cancel_fd, carried, &err)
			       ? host->fail(mt_call, err.code, "%s", err.text)
			       : MT_OK;
	b->call = mt_call;
	b->live_at = 0;
	int status = bash_run_command(b, &call, &result, &err);

	if (b->live.len)
		bash_tool_send_live(b);
	if (status == MT_OK)
		status = bash_reply(b, &call, &result);
	else
		status = host->fail(mt_call, status, "%s", err.text);
	run_result_clear(&result);
	b->call = NULL;
	b->spooling = false;
	strbuf_reset(&b->live);
	strbuf_reset(&b->raw);
	return status;
}

static int bash_input(const struct mt_tool_host *host, void *self, struct mt_call *call,
		      const struct mt_input *input)
{
	struct bash *b = self;

	(void)host, (void)call;
	if (input->kind != MT_INPUT_BYTES)
		return MT_EUNSUPPORTED;
	pthread_mutex_lock(&b->lock);
	int status = b->typed_run
			     ? run_type(b->typed_run, input->bytes.ptr, input->bytes.len)
			     : MT_ENOTFOUND;

	pthread_mutex_unlock(&b->lock);
	return status;
}

static const char description[] =
	"Run commands in a persistent bash shell, which keeps its directory, variables "
	"and functions.\n"
	"* A command that is silent for a while, or takes too long, becomes a background "
	"job; its end is announced. For long commands, set timeout.\n"
	"* An empty command waits for a running one. is_input sends text and Enter to its "
	"input, or a key: C-c, C-d, C-z, ENTER, TAB, ESC, UP, DOWN. While a program waits "
	"for input, no other command can run; a third C-c kills it.\n"
	"* Start servers with `server > server.log 2>&1 &`.\n"
	"* Pagers and editors are off; use options such as -y. Use `exit` and `set -e` only "
	"in a subshell.";

static const char brief[] =
	"Run commands in a persistent bash. An empty command waits for a running one; "
	"is_input sends it text or a key (C-c).";

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"command\":{\"type\":\"string\"},"
	"\"is_input\":{\"type\":\"boolean\"},"
	"\"timeout\":{\"type\":\"number\",\"description\":\"seconds\"}},"
	"\"required\":[\"command\"]"
	",\"additionalProperties\":false}";

static const char events[] =
	"[{\"action\":\"run\",\"observation\":\"run\","
	"\"args\":{\"command\":\"$command\",\"is_input\":\"$is_input\"},"
	"\"timeout\":\"$timeout\"}]";

static const char job_description[] =
	"Run a server, build or watcher in the background. A job starts with the "
	"current directory, variables and functions of the shell, has no input and "
	"does not block the shell.\n"
	"start: run `command` and return the job number. list: list all jobs. read: "
	"new output of job `id`. wait: wait for its end, at most `timeout` seconds "
	"(60), then read. end: kill it and its child processes.";

static const char job_brief[] =
	"Run `command` in the background (start); list, read, wait for or end jobs by id.";

static const char job_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"do\":{\"type\":\"string\",\"enum\":[\"start\",\"list\",\"read\",\"wait\","
	"\"end\"]},"
	"\"command\":{\"type\":\"string\",\"description\":\"for start\"},"
	"\"id\":{\"type\":\"integer\"},"
	"\"timeout\":{\"type\":\"number\",\"description\":\"for wait, in seconds\"}},"
	"\"required\":[\"do\"]"
	",\"additionalProperties\":false}";

/* Its command is assessed like a shell command. */
static const char job_events[] =
	"[{\"when\":{\"do\":\"start\"},\"action\":\"run\",\"observation\":\"run\","
	"\"args\":{\"command\":\"$command\"},\"required\":[\"command\"]},"
	"{\"action\":\"call_tool\",\"observation\":\"tool\",\"args\":{"
	"\"name\":\"background_job\",\"arguments\":\"$*\"},\"timeout\":\"$timeout\"}]";

static const struct mt_tool tools[] = {
	{ .size = sizeof(struct mt_tool),
	  .hints = MT_TOOL_DESTRUCTIVE | MT_TOOL_OPEN_WORLD,
	  .name = "execute_bash",
	  .description = description,
	  .brief = brief,
	  .schema = schema,
	  .events = events },
	{ .size = sizeof(struct mt_tool),
	  .hints = MT_TOOL_DESTRUCTIVE | MT_TOOL_OPEN_WORLD | MT_TOOL_ON_REQUEST,
	  .name = "background_job",
	  .description = job_description,
	  .brief = job_brief,
	  .schema = job_schema,
	  .events = job_events },
};

static const struct mt_toolset toolset = {
	.size = sizeof toolset,
	.tool_count = ARRAY_LEN(tools),
	.tools = tools,
	.open = bash_open,
	.call = bash_call,
	.input = bash_input,
	.close = bash_close,
};

MT_TOOLSET(&toolset, "bash", .name = "bash",
	   .summary = "Runs commands in a persistent bash shell with its own terminal.",
	   .options = options, .option_count = ARRAY_LEN(options))
