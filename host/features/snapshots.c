/* SPDX-License-Identifier: MIT
 *
 * snapshots.c - takes a snapshot of the workspace before each call that may write, and
 * restores it when events are reverted. A forked child takes it, so that the loop runs
 * meanwhile. The first one is taken while the first request is in flight. */
#include "features/snapshots.h"

#include "controller/call.h"
#include "controller/closing.h"
#include "controller/dispatch.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/overlay.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "files.h"
#include "llm/transport/curl-api.h"

#include <mortise/tool.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
	RESULT_MAX = 1 << 20,
	AFTER_REQUEST_MS = 20,   /* forking must not delay sending the request */
	SNAPSHOT_MS = 5 * 60000, /* time limit for one snapshot */
	QUICK_FILES = 500,       /* of a workspace that needs no child */
	QUICK_BYTES = 1 << 20,   /* of its files that have changed */
};

/* One snapshot that is being taken. It is freed when its handles have closed, after the
 * state of the feature. */
struct snapshot_job {
	uv_timer_t timer;        /* until it begins, then its time limit */
	uv_poll_t poll;          /* of fd */
	int handles;             /* that are not closed yet */
	struct conversation *c;
	enum snapshot_kind kind;
	int64_t event;           /* the state is that before this event */
	pid_t pid;               /* of the child; 0: not forked yet */
	int fd;
	struct strbuf result;
};

struct snapshots {
	struct snapshot_job *job; /* NULL: none */
	struct snapshot_store *quick; /* for a small workspace; not locked */
	struct snapshots_place place; /* of `quick` */
	bool small;              /* the last snapshot had few files */
	bool off;                /* taking one failed, or this is a subagent */
	bool started;            /* the first one of this process was begun */
	bool wrote;              /* a call that may write was made since the agent rested */
	int64_t held;            /* action whose call waits for a snapshot; -1: none */
	int64_t ready;           /* action with a snapshot; -1: none */
	char *report;            /* of the last rewind, owned */
};

static struct snapshots *snapshots_of(const struct conversation *c)
{
	return feature_state(c, &snapshots_feature);
}

/* ---- the child ----------------------------------------------------------------- */

static json_object *snapshots_name_list(const struct snapshot_names *names)
{
	json_object *list = json_object_new_array();

	for (int64_t i = 0; i < names->count && i < SNAPSHOT_NAMES_MAX; i++)
		if (names->list[i])
			json_object_array_add(list,
					      json_object_new_string(names->list[i]));
	return list;
}

/* {"number":N, "files":N, "ignored":[...], "ignored_count":N, ...} */
static void snapshots_describe(json_object *result, int64_t number,
			       const struct snapshot_state *now)
{
	js_set_int(result, "number", number);
	js_set_int(result, "files", now->files);
	js_set(result, "ignored", snapshots_name_list(&now->ignored));
	js_set_int(result, "ignored_count", now->ignored.count);
	js_set(result, "left_out", snapshots_name_list(&now->left_out));
	js_set_int(result, "left_out_count", now->left_out.count);
}

/* A snapshot of the start is only kept if it is the first. */
static int64_t snapshots_perform(const struct snapshot_options *o,
				 enum snapshot_kind kind, int64_t event,
				 struct snapshot_state *now, struct error *err)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;

	if (snapshot_open(o, true, &s, err) || snapshot_make(s, now, err))
		return err->code;
	if (kind == SNAPSHOT_START && snapshot_count(s))
		return 0;
	return snapshot_keep(s, kind, event, now->root, err);
}

/* Both descriptors are above those of the standard streams; `files` -1: none. */
static void snapshots_close_others(int fd, int files)
{
	const unsigned low = (unsigned)(files >= 0 && files < fd ? files : fd);
	const unsigned high = (unsigned)(files > fd ? files : fd);

	syscall(SYS_close_range, 3u, low - 1, 0u);
	if (high - low > 1)
		syscall(SYS_close_range, low + 1, high - 1, 0u);
	syscall(SYS_close_range, high + 1, ~0u, 0u);
}

/* Signals of the terminal are for the parent. */
static void snapshots_detach(int fd, int files)
{
	static const int ignored[] = { SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	snapshots_close_others(fd, files);
}

_Noreturn static void snapshots_run_child(const struct snapshot_options *o,
					  enum snapshot_kind kind, int64_t event, int fd,
					  int files)
{
	json_object *result = js_new_object();
	struct snapshot_state now = { 0 };
	struct error err = ERROR_NONE;
	const char *text;
	int64_t number;
	size_t len;

	snapshots_detach(fd, files);
	number = snapshots_perform(o, kind, event, &now, &err);
	if (number < 0) {
		js_set_str(result, "error", err.text);
		js_set_int(result, "code", number);
	} else {
		snapshots_describe(result, number, &now);
	}
	text = js_text(result, &len);
	_exit(text && file_write_all(fd, text, len) == MT_OK ? 0 : 1);
}

/* ---- the job ------------------------------------------------------------------- */

static void snapshots_on_closed(uv_handle_t *handle)
{
	struct snapshot_job *job = handle->data;

	if (--job->handles)
		return;
	auto_close(&job->fd);
	strbuf_clear(&job->result);
	free(job);
}

/* End the job, and the child if it is still running. */
static void snapshots_end_job(struct conversation *c)
{
	struct snapshot_job *job = STEAL(snapshots_of(c)->job);

	if (!job)
		return;
	if (job->pid) {
		kill(job->pid, SIGKILL);
		while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
			;
		uv_close((uv_handle_t *)&job->poll, snapshots_on_closed);
	}
	uv_close((uv_handle_t *)&job->timer, snapshots_on_closed);
}

static void snapshots_finish(struct conversation *c, const char *why);

static void snapshots_on_readable(uv_poll_t *poll, int status, int events)
{
	struct snapshot_job *job = poll->data;
	char piece[65536];
	ssize_t n = read(job->fd, piece, sizeof piece);

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN) && status >= 0)
		return;
	if (n > 0 && !strbuf_addn(&job->result, piece, (size_t)n))
		return;
	snapshots_finish(job->c, "its process exited unexpectedly");
}

static void snapshots_on_timeout(uv_timer_t *timer)
{
	struct snapshot_job *job = timer->data;

	snapshots_finish(job->c, "it took longer than 5 minutes");
}

static int snapshots_fork(struct snapshot_job *job, struct error *err)
{
	struct conversation *c = job->c;
	AUTO(snapshots_place) struct snapshots_place place = { 0 };
	int fds[2], files;

	if (snapshots_place_open(conversation_config(c), evlog_dir(conversation_log(c)),
				 conversation_files(c, &files), &place, err))
		return err->code;
	curl_api_join(); /* a thread that loads libraries would leave them half-loaded */
	if (!digest_crypto_api(err))
		return err->code;
	if (pipe2(fds, O_CLOEXEC))
		return fail(err, MT_EIO, "%s", strerror(errno));
	job->pid = fork();
	if (job->pid == 0)
		snapshots_run_child(&place.options, job->kind, job->event, fds[1], files);
	close(fds[1]);
	if (job->pid < 0) {
		job->pid = 0;
		close(fds[0]);
		return fail(err, MT_EIO, "%s", strerror(errno));
	}
	job->fd = fds[0];
	uv_poll_init(conversation_loop(c), &job->poll, job->fd);
	job->poll.data = job;
	job->handles++;
	uv_poll_start(&job->poll, UV_READABLE, snapshots_on_readable);
	uv_timer_start(&job->timer, snapshots_on_timeout, SNAPSHOT_MS, 0);
	return MT_OK;
}

static void snapshots_begin(struct snapshot_job *job)
{
	struct error err = ERROR_NONE;

	if (snapshots_fork(job, &err))
		snapshots_finish(job->c, error_text(&err));
}

static void snapshots_on_due(uv_timer_t *timer)
{
	snapshots_begin(timer->data);
}

/* Begin a snapshot now, or after this time. */
static void snapshots_start(struct conversation *c, enum snapshot_kind kind,
			    unsigned delay_ms)
{
	struct snapshots *s = snapshots_of(c);
	struct snapshot_job *job = calloc(1, sizeof *job);

	s->job = job;
	if (!job) {
		snapshots_finish(c, "out of memory");
		return;
	}
	job->c = c;
	job->kind = kind;
	job->event = s->held >= 0 ? s->held : evlog_count(conversation_log(c));
	job->fd = -1;
	job->handles = 1;
	job->result = STRBUF(RESULT_MAX);
	uv_timer_init(conversation_loop(c), &job->timer);
	job->timer.data = job;
	if (delay_ms)
		uv_timer_start(&job->timer, snapshots_on_due, delay_ms, 0);
	else
		snapshots_begin(job);
}

/* ---- the result ------------------------------------------------------------------ */

static void snapshots_put_list(struct strbuf *out, json_object *result, const char *key,
			       const char *count_key)
{
	struct snapshot_names names = { .count = js_int(result, count_key, 0) };
	json_object *list = js_get(result, key);

	for (size_t i = 0; i < js_length(list) && i < SNAPSHOT_NAMES_MAX; i++)
		names.list[i] = (char *)json_object_get_string(
			json_object_array_get_idx(list, i));
	if (names.count && out->len)
		strbuf_add(out, "; ");
	snapshots_put_names(out, &names);
}

/* Name once what undo will not restore. */
static void snapshots_announce(struct conversation *c, json_object *result)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);

	snapshots_put_list(&text, result, "ignored", "ignored_count");
	snapshots_put_list(&text, result, "left_out", "left_out_count");
	if (text.len)
		conversation_notice(c,
				    conversation_is_interactive(c) ? MT_LOG_WARNING
								   : MT_LOG_INFO,
				    "snapshots for undo do not cover: %s", text.text);
}

static void snapshots_log(struct conversation *c, int64_t action, int64_t number)
{
	AUTO(json) json_object *record = js_new_object();

	if (!js_set_str(record, "record", "snapshot") &&
	    !js_set_int(record, "action", action) &&
	    !js_set_int(record, "snapshot", number))
		evlog_record(conversation_log(c), record, NULL);
}

/* Without snapshots the work continues. */
static void snapshots_give_up(struct conversation *c, const char *why)
{
	snapshots_of(c)->off = true;
	conversation_notice(c, MT_LOG_WARNING,
			    "cannot take a snapshot of the workspace, so undo will not "
			    "restore files: %s",
			    why);
}

/* The call that waits can be sent. */
static void snapshots_release_call(struct conversation *c)
{
	struct snapshots *s = snapshots_of(c);
	int64_t held = s->held;

	s->held = -1;
	s->ready = held;
	if (turn_pending(c) == held)
		dispatch_send(c);
	step_run_ready(c);
}

/* ---- a small workspace ---------------------------------------------------------- */

static int snapshots_open_quick(struct conversation *c, struct error *err)
{
	struct snapshots *s = snapshots_of(c);

	if (s->quick)
		return snapshot_continue(s->quick, err);
	if (!s->place.dir &&
	    snapshots_place_open(conversation_config(c), evlog_dir(conversation_log(c)),
				 conversation_files(c, NULL), &s->place, err))
		return err->code;
	if (s->place.options.files > QUICK_FILES)
		s->place.options.files = QUICK_FILES;
	s->place.options.quick = QUICK_BYTES;
	return snapshot_open(&s->place.options, true, &s->quick, err);
}

/* Forking takes longer than looking at a few files. @return the number of the snapshot;
 * MT_ELIMIT or another status: a child must take it */
static int64_t snapshots_take_quick(struct conversation *c, enum snapshot_kind kind,
				    int64_t event)
{
	struct snapshots *s = snapshots_of(c);
	struct snapshot_state now = { 0 };
	struct error err = ERROR_NONE;
	int64_t number;

	if (!s->small || s->job)
		return MT_ELIMIT;
	number = snapshots_open_quick(c, &err);
	if (!number)
		number = snapshot_make(s->quick, &now, &err);
	if (!number)
		number = snapshot_keep(s->quick, kind, event, now.root, &err);
	snapshot_state_clear(&now);
	if (s->quick)
		snapshot_pause(s->quick);
	s->small = number > 0;
	return number;
}

/* ---- the end of a job ----------------------------------------------------------- */

/* The job is over; `why`: if it has no result. */
static void snapshots_finish(struct conversation *c, const char *why)
{
	struct snapshots *s = snapshots_of(c);
	struct snapshot_job *job = s->job;
	AUTO(json) json_object *result =
		job && job->result.len
			? js_parse_object(job->result.text, job->result.len, NULL)
			: NULL;
	enum snapshot_kind kind = job ? job->kind : SNAPSHOT_STEP;
	int64_t number = js_int(result, "number", -1);

	snapshots_end_job(c);
	s->small = number >= 0 && js_int(result, "files", INT64_MAX) <= QUICK_FILES / 2;
	if (number < 0)
		snapshots_give_up(c, js_str(result, "error", why));
	else if (kind == SNAPSHOT_START && number > 0)
		snapshots_announce(c, result);
	if (kind == SNAPSHOT_STEP && number > 0)
		snapshots_log(c, s->held, number);
	if (conversation_is_closing(c))
		conversation_close_finish(c);
	else if (s->held >= 0 && (kind == SNAPSHOT_STEP || s->off))
		snapshots_release_call(c);
	else if (s->held >= 0)
		snapshots_start(c, SNAPSHOT_STEP, 0);
}

/* ---- when ------------------------------------------------------------------------ */

static bool snapshots_is_on(const struct conversation *c)
{
	return !snapshots_of(c)->off &&
	       config_bool(conversation_config(c), "workspace", "snapshots");
}

/* The workspace of some runtimes is on another machine. */
static bool snapshots_is_here(const char *workspace)
{
	struct stat st;

	return stat(workspace, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A subagent works in the workspace of its parent, whose snapshots cover it. */
static int snapshots_open(struct conversation *c, struct error *err)
{
	struct snapshots *s = snapshots_of(c);

	(void)err;
	s->held = s->ready = -1;
	s->off = *conversation_parent(c) || !snapshots_is_here(conversation_workspace(c));
	return MT_OK;
}

static bool snapshots_may_write(const struct call *call)
{
	if (!call->tool || call->action->type->id == ACTION_READ)
		return false;
	if (call->tool->hints & MT_TOOL_CONTROL)
		return strcmp(call->tool->name, "delegate_tasks") == 0;
	return !tool_only_reads(call->tool);
}

static void snapshots_on_request(struct conversation *c)
{
	struct snapshots *s = snapshots_of(c);

	if (s->started || s->job || !snapshots_is_on(c))
		return;
	s->started = true;
	snapshots_start(c, SNAPSHOT_START, AFTER_REQUEST_MS);
}

/* Hold the call until its snapshot is taken. */
static bool snapshots_hold(struct conversation *c, struct call *call)
{
	struct snapshots *s = snapshots_of(c);
	int64_t number;

	if (!snapshots_is_on(c) || call->why.code || s->ready == call->id ||
	    !snapshots_may_write(call))
		return false;
	s->wrote = true;
	number = snapshots_take_quick(c, SNAPSHOT_STEP, call->id);
	if (number > 0) {
		s->ready = call->id;
		snapshots_log(c, call->id, number);
		return false;
	}
	s->held = call->id;
	if (s->job && !s->job->pid)
		snapshots_begin(s->job);
	else if (!s->job && !s->started) {
		s->started = true;
		snapshots_start(c, SNAPSHOT_START, 0);
	} else if (!s->job)
		snapshots_start(c, SNAPSHOT_STEP, 0);
	return true;
}

/* Keep the state in which the agent leaves the workspace. */
static void snapshots_at_rest(struct conversation *c, enum agent_state next)
{
	struct snapshots *s = snapshots_of(c);

	if (!state_is_resting(next) || !s->wrote || s->job || !snapshots_is_on(c))
		return;
	s->wrote = false;
	if (snapshots_take_quick(c, SNAPSHOT_REST, evlog_count(conversation_log(c))) < 0)
		snapshots_start(c, SNAPSHOT_REST, 0);
}

static bool snapshots_holds_call(const struct conversation *c)
{
	return snapshots_of(c)->held >= 0;
}

static const char *snapshots_block_step(struct conversation *c)
{
	return snapshots_holds_call(c) ? "taking a snapshot" : NULL;
}

static bool snapshots_keep_open(const struct conversation *c)
{
	return snapshots_of(c)->job != NULL;
}

/* A snapshot that is only for later calls does not delay closing. */
static void snapshots_cancel(struct conversation *c)
{
	struct snapshots *s = snapshots_of(c);
	int64_t held = s->held;

	s->held = -1;
	if (s->job && s->job->kind != SNAPSHOT_REST && conversation_is_closing(c))
		snapshots_end_job(c);
	if (held >= 0 && turn_pending(c) == held)
		observation_log_failure(c, turn_call(c)->action, "",
					"The call was cancelled before it was made.");
}

static void snapshots_release(struct conversation *c)
{
	struct snapshots *s = snapshots_of(c);

	snapshots_end_job(c);
	snapshot_close(s->quick);
	snapshots_place_clear(&s->place);
	free(s->report);
}

/* Tell the model what was restored while the conversation was not open. */
static void snapshots_after_message(struct conversation *c, bool first)
{
	struct evlog *log = conversation_log(c);
	struct error err = ERROR_NONE;
	size_t len = 0;
	const char *text = evlog_state(log, snapshots_note_record, &len);
	AUTO(json) json_object *record = NULL;
	json_object *args;

	(void)first;
	if (!text || !len)
		return;
	args = js_new_object();
	record = js_new_object();
	js_set_strn(args, "content", text, len);
	js_set_str(record, "record", "state");
	js_set_str(record, "plugin", snapshots_note_record);
	js_set_str(record, "text", "");
	conversation_log_event(c, event_action("message", SOURCE_ENVIRONMENT, args, &err),
			       &err);
	evlog_record(log, record, NULL);
}

/* ---- reverted events ------------------------------------------------------------- */

/* Is there a call with a snapshot among the events that are about to be reverted? */
static bool snapshots_has_step(const struct conversation *c, int64_t to)
{
	struct evlog *log = conversation_log(c);

	for (int64_t id = to + 1; id < evlog_count(log); id++)
		if (evlog_dispatched(log, id) && !evlog_head(log, id)->undone &&
		    snapshots_number_of(log, id) >= 0)
			return true;
	return false;
}

/* Calls before the oldest snapshot, which was dropped or belongs to a fork, stay. */
static bool snapshots_is_late(const struct conversation *c,
			      const struct snapshot_store *store, int64_t to)
{
	const struct evlog *log = conversation_log(c);
	int64_t oldest = snapshot_at(store, 0)->event;

	for (int64_t id = to + 1; id < oldest && id < evlog_count(log); id++)
		if (evlog_dispatched(log, id) && !evlog_head(log, id)->undone)
			return true;
	return false;
}

static int snapshots_rewind(struct conversation *c, int64_t to, struct strbuf *text,
			    struct snapshots_restored *ret, struct error *err)
{
	AUTO(snapshots_place) struct snapshots_place place = { 0 };
	AUTO(snapshot_store) struct snapshot_store *store = NULL;
	int r = snapshots_place_open(conversation_config(c),
				     evlog_dir(conversation_log(c)),
				     conversation_files(c, NULL), &place, err);

	if (!r)
		r = snapshot_open(&place.options, false, &store, err);
	if (r || !snapshot_count(store) || !snapshots_has_step(c, to))
		return r == MT_ENOTFOUND ? MT_OK : r;
	if (snapshots_is_late(c, store, to))
		strbuf_addf(text,
			    "The oldest snapshot is that before event %" PRId64
			    ", so changes before it stay.",
			    snapshot_at(store, 0)->event);
	return snapshots_restore(store,
				 snapshots_find(conversation_log(c), store, to)->root,
				 evlog_count(conversation_log(c)), false, ret, err);
}

/* The log is reverted even if the files cannot be restored. */
static void snapshots_before_rewind(struct conversation *c, int64_t to)
{
	struct snapshots *s = snapshots_of(c);
	struct snapshots_restored restored = { 0 };
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	struct error err = ERROR_NONE;

	free(s->report);
	s->report = NULL;
	if (s->off && *conversation_parent(c))
		return;
	if (snapshots_rewind(c, to, &text, &restored, &err))
		strbuf_addf(&text, "Files were not restored: %s.", error_text(&err));
	else if (restored.kept)
		snapshots_put_restored(&text, &restored);
	if (restored.kept)
		strbuf_addf(&text,
			    "\nTo get the files back: mortise apply %s --step %" PRId64,
			    conversation_id(c), evlog_count(conversation_log(c)) - 1);
	snapshots_restored_clear(&restored);
	if (text.len)
		s->report = strbuf_take(&text);
}

char *snapshots_take_report(struct conversation *c)
{
	return STEAL(snapshots_of(c)->report);
}

const struct feature snapshots_feature = {
	.name = "snapshots",
	.state_size = sizeof(struct snapshots),
	.open = snapshots_open,
	.after_message = snapshots_after_message,
	.request_sent = snapshots_on_request,
	.before_send = snapshots_hold,
	.before_state = snapshots_at_rest,
	.before_rewind = snapshots_before_rewind,
	.blocks_step = snapshots_block_step,
	.is_busy = snapshots_holds_call,
	.keeps_open = snapshots_keep_open,
	.cancel = snapshots_cancel,
	.release = snapshots_release,
};
