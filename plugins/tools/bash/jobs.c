/* SPDX-License-Identifier: MIT
 *
 * jobs.c - jobs of the shell that run in the background.
 *
 * The shell itself starts them, so they have its directory, variables and functions, and
 * a process group of their own; this process cannot wait for them. A job has ended when
 * its first process has, or has recorded its exit code.
 *
 * A command that has exceeded its time limit becomes a job, too. It stays in its shell,
 * and other commands get a new one. */
#include "jobs.h"
#include "clock.h"
#include "files.h"
#include "moved.h"
#include "output.h"
#include "shell.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	READ_MAX = 4 << 20,   /* bytes of its output that are read */
	SHORT_MAX = 100,      /* bytes of a command in a list */
	TERM_MS = 2000,       /* between SIGTERM and SIGKILL */
	KILL_MS = 2000,
	GROUP_LOOK_MS = 20,
	LAUNCH_S = 30,        /* on a busy machine */
};

struct job {
	int64_t id;
	long pid;            /* of its first process, and of its group */
	uint64_t born;       /* its start time, in the units of the kernel */
	int64_t started_ms;
	char *command, *files; /* `files`: path without its suffix */
	off_t read;          /* bytes of its output that were read */
	bool over;
	int code;            /* -1: unknown, it was killed */
	bool told;           /* a result has stated that it is over */
	struct moved *moved; /* set: it was a command; NULL: the shell started it */
};

struct jobs {
	char *directory;
	int64_t made;
	struct job list[JOBS_MAX];
	size_t count;
	char *offered;       /* path of the output of the next job */
};

/* Skip the numbers that earlier processes of the conversation used: their files
 * remain. */
static void skip_used(struct jobs *j)
{
	for (;; j->made++) {
		AUTO(free) char *path = NULL;

		if (asprintf(&path, "%s/job-%" PRId64 ".sh", j->directory, j->made + 1) <
		    0)
			path = NULL;
		if (!path || access(path, F_OK) != 0)
			return;
	}
}

struct jobs *jobs_new(const char *directory)
{
	struct jobs *j = calloc(1, sizeof *j);

	if (j)
		j->directory = strdup(directory);
	if (j && j->directory) {
		skip_used(j);
		return j;
	}
	free(j);
	return NULL;
}

static void jobs_forget(struct job *job)
{
	moved_free(job->moved);
	free(job->command);
	free(job->files);
	*job = (struct job){ 0 };
}

struct jobs *jobs_free(struct jobs *j)
{
	for (size_t i = 0; j && i < j->count; i++)
		jobs_forget(&j->list[i]);
	if (j) {
		free(j->directory);
		free(j->offered);
	}
	free(j);
	return NULL;
}

static char *bash_jobs_file_of(const struct job *job, const char *ending)
{
	char *path;

	return asprintf(&path, "%s.%s", job->files, ending) < 0 ? NULL : path;
}

/* ---- status ---------------------------------------------------------------- */

/* When a process started; 0: it does not exist, or is a zombie. */
static uint64_t birth(long pid)
{
	char path[64], text[1024], *end, state;
	ssize_t len;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	end = strrchr(text, ')'); /* the name before it may contain any character */
	if (!end || end[1] != ' ')
		return 0;
	state = end[2];
	end += 2;
	for (int field = 3; field < 22 && end; field++) {
		end = strchr(end, ' ');
		end += end != NULL;
	}
	return end && state != 'Z' && state != 'X' ? strtoull(end, NULL, 10) : 0;
}

/* A result states that the job has ended. The host then reports it only to an agent that
 * waits for the one that reads this result. */
static void jobs_tell(struct job *job)
{
	bool is_news = job->over && !job->told;
	AUTO(free) char *notice = is_news ? bash_jobs_file_of(job, "notice") : NULL;
	AUTO(free) char *told = is_news ? bash_jobs_file_of(job, "told") : NULL;

	if (notice && told)
		rename(notice, told);
	job->told = job->over;
}

/* The host removes a notice when it passes it on. */
static bool notice_is_gone(const struct job *job)
{
	AUTO(free) char *path = bash_jobs_file_of(job, "notice");

	return path && access(path, F_OK) != 0;
}

/* Has its first process ended? */
static bool is_gone(const struct job *job)
{
	return job->moved ? moved_has_ended(job->moved) : birth(job->pid) != job->born;
}

/* Read its exit code, if recorded; the notice was written before. */
static void jobs_look(struct job *job)
{
	char *path = job->over ? NULL : bash_jobs_file_of(job, "exit"), *text = NULL;
	bool gone = !job->over && is_gone(job);
	size_t len;

	if (path && file_read(path, 16, &text, &len, NULL) == MT_OK && len) {
		job->over = true;
		job->code = (int)strtol(text, NULL, 10);
		job->told = notice_is_gone(job);
	} else if (gone) {
		job->over = true;
		job->code = -1;
	}
	free(text);
	free(path);
}

static void bash_jobs_put_state(const struct job *job, struct strbuf *out)
{
	if (!job->over)
		strbuf_addf(out, "runs for %" PRId64 " s",
			    (clock_ms() - job->started_ms) / 1000);
	else if (job->code < 0)
		strbuf_add(out, "was killed");
	else
		strbuf_addf(out, "exited with code %d", job->code);
}

static struct job *jobs_find(struct jobs *j, int64_t id, struct error *err)
{
	for (size_t i = 0; i < j->count; i++)
		if (j->list[i].id == id) {
			jobs_look(&j->list[i]);
			return &j->list[i];
		}
	fail(err, MT_ENOTFOUND, "Unknown job %" PRId64 "; `list` shows all jobs.", id);
	return NULL;
}

/* ---- starting ------------------------------------------------------------------ */

static void bash_jobs_put_file(struct strbuf *out, const char *before,
			       const struct job *job, const char *ending)
{
	AUTO(free) char *path = bash_jobs_file_of(job, ending);

	strbuf_add(out, before);
	if (path)
		shell_quote(out, path);
	else
		out->error = MT_ENOMEM;
}

/* The first line of a command, not too long. */
static void bash_jobs_put_command(const struct job *job, struct strbuf *out)
{
	size_t len = strcspn(job->command, "\n");

	utf8_add_clean(out, job->command, utf8_cut(job->command, len, SHORT_MAX));
}

/* The text before the exit code in a notice. */
static void put_notice_text(const struct job *job, struct strbuf *out)
{
	strbuf_addf(out, "[Job %" PRId64 " (`", job->id);
	bash_jobs_put_command(job, out);
	strbuf_add(out, "`) exited with code ");
}

static void quote_notice_text(const struct job *job, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1024);

	put_notice_text(job, &text);
	shell_quote(out, text.text);
}

/* The line for the shell. The command itself is read from a file, so that it cannot
 * end the code around it. The shell disowns the job; otherwise it would report the
 * end of the job with the result of some command. The notice is for the host, which passes
 * it on before the next request. */
static int jobs_put_line(struct strbuf *out, const struct job *job)
{
	bash_jobs_put_file(out, "{ ( builtin . ", job, "sh");
	strbuf_add(out,
		   " ); builtin set -- \"$?\"; builtin printf '%s%s; its output is in "
		   "%s]\\n' ");
	quote_notice_text(job, out);
	bash_jobs_put_file(out, " \"$1\" ", job, "log");
	bash_jobs_put_file(out, " >", job, "notice");
	bash_jobs_put_file(out, "; builtin printf %s \"$1\" >", job, "exit");
	bash_jobs_put_file(out, "; } >", job, "log");
	return strbuf_add(out, " 2>&1 </dev/null & builtin disown");
}

static int jobs_prepare(struct jobs *j, const struct run_call *call, struct job *job,
			struct error *err)
{
	AUTO(free) char *script = NULL;
	int r;

	*job = (struct job){ .id = j->made + 1, .started_ms = clock_ms() };
	job->command = strndup(call->command, call->len);
	if (asprintf(&job->files, "%s/job-%" PRId64, j->directory, job->id) < 0)
		job->files = NULL;
	script = job->files ? bash_jobs_file_of(job, "sh") : NULL;
	if (!job->command || !script)
		return out_of_memory(err);
	r = file_write(script, call->command, call->len, 0600, false, err);
	return r;
}

static int bash_jobs_launch(struct run *run, const struct run_call *call, struct job *job,
			    struct error *err)
{
	AUTO(strbuf) struct strbuf line = STRBUF(64 * 1024);
	struct run_call start = *call;
	struct run_result result;
	int r;

	if (jobs_put_line(&line, job))
		return out_of_memory(err);
	start.command = line.text;
	start.len = line.len;
	start.timeout = LAUNCH_S;
	start.job = 0;
	r = run_call(run, &start, &result, err);
	if (!r && (!result.ended || result.exit_code != 0 || result.pid <= 0))
		r = fail(err, MT_EIO,
			 "The job was not started: the shell is running another "
			 "command. Wait for it or interrupt it.");
	job->pid = r ? 0 : result.pid;
	job->born = r ? 0 : birth(job->pid);
	run_result_clear(&result);
	return r;
}

/* Make room by removing the oldest one that has ended. */
static int bash_jobs_make_room(struct jobs *j, struct error *err)
{
	size_t running = 0, oldest = JOBS_MAX;

	for (size_t i = j->count; i-- > 0;) {
		jobs_look(&j->list[i]);
		running += !j->list[i].over;
		if (j->list[i].over)
			oldest = i;
	}
	if (running >= JOBS_AT_ONCE)
		return fail(err, MT_ELIMIT,
			    "%zu jobs are running. End one of them first.", running);
	if (j->count < JOBS_MAX)
		return MT_OK;
	jobs_forget(&j->list[oldest]);
	j->count--;
	memmove(&j->list[oldest], &j->list[oldest + 1],
		(j->count - oldest) * sizeof j->list[0]);
	return MT_OK;
}

int jobs_start(struct jobs *j, struct run *run, const struct run_call *call,
	       struct strbuf *out, long *ret_pid, struct error *err)
{
	struct job job;
	int r = bash_jobs_make_room(j, err);

	if (r)
		return r;
	r = jobs_prepare(j, call, &job, err);
	if (!r)
		r = bash_jobs_launch(run, call, &job, err);
	if (r) {
		jobs_forget(&job);
		return r;
	}
	j->made++;
	j->list[j->count++] = job;
	*ret_pid = job.pid;
	return strbuf_addf(out,
			   "Started job %" PRId64
			   " (process %ld). Its output is in %s.log\n",
			   job.id, job.pid, job.files);
}

/* ---- commands that exceeded their time limit --------------------------------------- */

void jobs_offer(struct jobs *j, struct run_call *call)
{
	if (!*j->directory || bash_jobs_make_room(j, NULL))
		return;
	free(j->offered);
	if (asprintf(&j->offered, "%s/job-%" PRId64 ".log", j->directory, j->made + 1) <
	    0)
		j->offered = NULL;
	call->job_log = j->offered;
	call->job = j->offered ? j->made + 1 : 0;
}

int jobs_adopt(struct jobs *j, struct run *run, const struct run_call *call,
	       const struct strbuf *seen)
{
	AUTO(strbuf) struct strbuf notice = STRBUF(1024), log = STRBUF(seen->len + 2);
	struct job job;
	int r = jobs_prepare(j, call, &job, NULL);

	if (!r) {
		put_notice_text(&job, &notice);
		strbuf_addn(&log, seen->text, seen->len);
		strbuf_add(&log, seen->len ? "\n" : "");
		r = file_write(call->job_log, log.text, log.len, 0600, false, NULL);
	}
	if (!r && !notice.error && !log.error)
		job.moved = moved_new(run, job.files, notice.text);
	if (!job.moved) {
		jobs_forget(&job);
		return r ? r : MT_EIO;
	}
	job.read = (off_t)log.len; /* the result contains it */
	j->made++;
	j->list[j->count++] = job;
	return MT_OK;
}

/* The newest one whose end was not reported; NULL: none. */
static struct job *newest_moved(struct jobs *j)
{
	for (size_t i = j->count; i-- > 0;) {
		if (!j->list[i].moved)
			continue;
		jobs_look(&j->list[i]);
		if (!j->list[i].told)
			return &j->list[i];
	}
	return NULL;
}

struct run *jobs_take(struct jobs *j, struct run_call *call)
{
	struct job *job = newest_moved(j);

	if (!job)
		return NULL;
	free(j->offered);
	j->offered = bash_jobs_file_of(job, "log");
	call->job_log = j->offered;
	call->job = j->offered ? job->id : 0;
	return call->job ? moved_take(job->moved) : NULL;
}

/* The result has shown all of its output. */
static void skip_output(struct job *job, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		job->read = st.st_size;
}

void jobs_put_back(struct jobs *j, const struct run_call *call,
		   const struct run_result *result)
{
	struct job *job = jobs_find(j, call->job, NULL);

	skip_output(job, call->job_log);
	moved_continue(job->moved, result->ended, result->exit_code);
	jobs_look(job);
	if (result->ended)
		jobs_tell(job);
}

/* ---- reading ---------------------------------------------------------------------- */

int jobs_list(struct jobs *j, struct strbuf *out)
{
	for (size_t i = 0; i < j->count; i++) {
		struct job *job = &j->list[i];
		size_t len = strcspn(job->command, "\n");
		size_t cut = utf8_cut(job->command, len < SHORT_MAX ? len : SHORT_MAX,
				      SHORT_MAX);

		jobs_look(job);
		jobs_tell(job);
		strbuf_addf(out, "%" PRId64 ": ", job->id);
		bash_jobs_put_state(job, out);
		strbuf_add(out, ": ");
		utf8_add_clean(out, job->command, cut);
		strbuf_add(out, job->command[cut] ? " ...\n" : "\n");
	}
	return j->count ? out->error : strbuf_add(out, "No jobs.\n");
}

bool jobs_running(struct jobs *j, int64_t id)
{
	for (size_t i = 0; i < j->count; i++)
		if ((id < 0 || j->list[i].id == id) && !j->list[i].over)
			return true;
	return false;
}

/* Append text unchanged, without the control characters of a terminal. */
static void put_clean(struct strbuf *out, const char *bytes, size_t len)
{
	AUTO(strbuf) struct strbuf plain = STRBUF(READ_MAX + 1);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)bytes[i] >= ' ' || bytes[i] == '\n' ||
		    bytes[i] == '\t')
			strbuf_addc(&plain, bytes[i]);
	utf8_add_clean(out, plain.text, plain.len);
}

static int bash_jobs_put_output(struct job *job, const char *path, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf clean = STRBUF((size_t)READ_MAX * 4);
	AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	AUTO(free) char *bytes = malloc(READ_MAX);
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END), skipped = 0;
	bool cut = false;
	ssize_t n;

	if (!bytes)
		return MT_ENOMEM;
	if (end < job->read)
		job->read = 0; /* the file was truncated */
	if (end - job->read > READ_MAX) {
		skipped = end - job->read - READ_MAX;
		job->read = end - READ_MAX;
	}
	n = fd < 0 ? 0 : pread(fd, bytes, (size_t)(end - job->read), job->read);
	if (n > 0) {
		job->read += n;
		put_clean(&clean, bytes, (size_t)n);
	}
	if (skipped)
		strbuf_addf(out, "[%lld earlier bytes are in %s]\n", (long long)skipped,
			    path);
	if (clean.error || output_cut(clean.text, clean.len, OUTPUT_CHARS, out, &cut))
		return MT_ENOMEM;
	if (clean.len && clean.text[clean.len - 1] != '\n')
		strbuf_addc(out, '\n');
	if (cut)
		strbuf_addf(out, "[The output was cut; all of it is in %s]\n", path);
	return out->error;
}

static int bash_jobs_put_news(struct job *job, struct strbuf *out, struct error *err)
{
	AUTO(free) char *path = bash_jobs_file_of(job, "log");
	off_t before = job->read;

	if (!path || bash_jobs_put_output(job, path, out))
		return out_of_memory(err);
	strbuf_addf(out, "[Job %" PRId64 " ", job->id);
	bash_jobs_put_state(job, out);
	jobs_tell(job);
	if (job->read == before)
		strbuf_addf(out, "; no output%s", before ? " since the last read" : "");
	return strbuf_add(out, ".]\n");
}

int jobs_read(struct jobs *j, int64_t id, struct strbuf *out, struct error *err)
{
	struct job *job = jobs_find(j, id, err);

	return job ? bash_jobs_put_news(job, out, err) : err->code;
}

int jobs_put_ended(struct jobs *j, struct strbuf *out)
{
	for (size_t i = 0; i < j->count; i++) {
		struct job *job = &j->list[i];

		jobs_look(job);
		if (!job->over || job->told)
			continue;
		jobs_tell(job);
		strbuf_addf(out, "\n[Job %" PRId64 " (`", job->id);
		bash_jobs_put_command(job, out);
		strbuf_add(out, "`) ");
		bash_jobs_put_state(job, out);
		strbuf_addf(out, "; its output is in %s.log]", job->files);
	}
	return out->error;
}

/* ---- waiting, ending ------------------------------------------------------------- */

/* @return MT_ECANCELLED: `cancel_fd` is readable. */
static int bash_jobs_await(struct job *job, int64_t most_ms, int cancel_fd)
{
	AUTO(close) int fd =
		job->over || job->moved ? -1 : (int)syscall(SYS_pidfd_open, job->pid, 0);
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN },
			       { .fd = cancel_fd, .events = POLLIN } };
	int64_t until = clock_ms() + most_ms, left;

	for (jobs_look(job); !job->over && (left = until - clock_ms()) > 0;
	     jobs_look(job)) {
		/* Without a pidfd, poll the process. */
		if (poll(p, 2,
			 fd < 0 && left > 50 ? 50 : (int)(left < 60000 ? left : 60000)) <
		    0)
			continue;
		if (p[1].revents)
			return MT_ECANCELLED;
	}
	return MT_OK;
}

int jobs_wait(struct jobs *j, int64_t id, int64_t most_ms, int cancel_fd,
	      struct strbuf *out, struct error *err)
{
	struct job *job = jobs_find(j, id, err);

	if (!job)
		return err->code;
	if (bash_jobs_await(job, most_ms, cancel_fd)) {
		strbuf_addf(out, "[Job %" PRId64 " continues.]\n", id);
		return fail(err, MT_ECANCELLED, "The call was cancelled.");
	}
	return bash_jobs_put_news(job, out, err);
}

/* The group is the job's as long as the PID of its first process was not reused. */
static bool group_lives(const struct job *job)
{
	uint64_t born = birth(job->pid);

	return (born == 0 || born == job->born) && kill((pid_t)-job->pid, 0) == 0;
}

/* Signal the whole group, then wait for a while until it ends. */
static int signal_group(const struct job *job, int number, int64_t most_ms, int cancel_fd)
{
	struct pollfd p = { .fd = cancel_fd, .events = POLLIN };
	int64_t until = clock_ms() + most_ms;

	if (!group_lives(job))
		return MT_OK;
	kill((pid_t)-job->pid, number);
	kill((pid_t)-job->pid, SIGCONT); /* a stopped process receives it too */
	while (group_lives(job) && clock_ms() < until)
		if (poll(&p, 1, GROUP_LOOK_MS) > 0)
			return MT_ECANCELLED;
	return MT_OK;
}

int jobs_end(struct jobs *j, int64_t id, int cancel_fd, struct strbuf *out,
	     struct error *err)
{
	struct job *job = jobs_find(j, id, err);
	int r;

	if (!job)
		return err->code;
	if (job->moved) {
		moved_stop(job->moved);
		jobs_look(job);
		return bash_jobs_put_news(job, out, err);
	}
	r = signal_group(job, SIGTERM, TERM_MS, cancel_fd);
	if (signal_group(job, SIGKILL, r ? 0 : KILL_MS, -1) || r) {
		strbuf_addf(out, "[Job %" PRId64 " was killed.]\n", id);
		return fail(err, MT_ECANCELLED, "The call was cancelled.");
	}
	jobs_look(job);
	return bash_jobs_put_news(job, out, err);
}
