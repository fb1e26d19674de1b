/* SPDX-License-Identifier: MIT
 *
 * start-runner.c - `mortise start-runner` (hidden): the program that a runtime names to run
 * tools in another place. It reads the hello of the host, makes the bundle, adapts the
 * paths of the hello to the other place, starts the program that leads there (ssh, docker), and
 * relays. If that ends without a runner, it answers the hello with the reason.
 *
 * One process relays in each direction, so neither waits for the other. */
#include "start-runner.h"

#include "bundle.h"
#include "clock.h"
#include "commands.h"
#include "files.h"
#include "registry/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum {
	HELLO_MAX = 16 << 20,
	WAIT_MS = 5000,           /* between signs of life before the hello */
	SIGNS_MAX = 120,          /* of them: ten minutes */
	PARAMETERS = 3,           /* PLACE WORKSPACE WORKSPACE-THERE */
};

static const struct start_place *const places[] = { &start_docker, &start_ssh };

/* ---- the hello ------------------------------------------------------------------ */

/* The host sends nothing else before it is answered. */
static int read_hello(struct start *s, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(HELLO_MAX);
	char buffer[1 << 16];
	ssize_t n = 1;

	while (n && !text.error && !(text.len && text.text[text.len - 1] == '\n')) {
		n = read(STDIN_FILENO, buffer, sizeof buffer);
		if (n > 0)
			strbuf_addn(&text, buffer, (size_t)n);
		else if (n < 0 && errno != EINTR)
			break;
	}
	s->hello = text.error ? NULL : js_parse_object(text.text, text.len, err);
	s->params = js_get(s->hello, "params");
	return s->params ? MT_OK : fail(err, MT_EIO, "the host sent no hello");
}

int start_move_plugins(struct start *s, const char *path, struct error *err)
{
	json_object *instances = js_get(s->params, "instances");
	json_object *read = js_path(s->params, "sandbox.read");

	for (size_t i = 0; i < js_length(instances); i++) {
		json_object *o = json_object_array_get_idx(instances, i);
		AUTO(free) char *inner = bundle_plugin_path(js_str(o, "plugin", ""));
		AUTO(free) char *whole = inner ? path_join(path, inner) : NULL;

		if (!whole || js_set_str(o, "plugin", whole))
			return out_of_memory(err);
	}
	if (read && js_add(read, json_object_new_string(path)))
		return out_of_memory(err);
	return MT_OK;
}

/* Where /bin is a link to /usr/bin, the host lists only the latter; elsewhere these are
 * directories. */
static int start_open_system(struct start *s, struct error *err)
{
	static const char *const paths[] = { "/bin", "/sbin", "/lib", "/lib64" };
	json_object *read = js_path(s->params, "sandbox.read");

	for (size_t i = 0; read && i < ARRAY_LEN(paths); i++)
		if (js_add(read, json_object_new_string(paths[i])))
			return out_of_memory(err);
	return MT_OK;
}

static int start_bundle(struct start *s, struct error *err)
{
	AUTO(config) struct config *config = NULL;
	AUTO(registry) struct registry *registry = NULL;
	AUTO(bundle_plugins) struct bundle_plugins plugins = { 0 };
	json_object *instances = js_get(s->params, "instances");
	const struct common common = { 0 };
	int status = common_config(&common, &config, err);

	if (!status)
		status = registry_open(config, &registry, err);
	if (!status)
		status = bundle_plugins_installed(registry, &plugins, err);
	for (size_t i = 0; !status && i < js_length(instances); i++)
		status =
			bundle_plugins_add(&plugins,
					   js_str(json_object_array_get_idx(instances, i),
						  "plugin", ""),
					   err);
	if (!status)
		status = bundle_make(config_get(config, "core", "runner"),
				     (const char *const *)plugins.paths, plugins.count,
				     &s->bundle, err);
	return status;
}

/* ---- the program ---------------------------------------------------------------- */

int start_add(struct start *s, const char *text, struct error *err)
{
	char *copy = s->argc < START_ARGS_MAX ? strdup(text) : NULL;

	if (!copy)
		return s->argc < START_ARGS_MAX
			       ? out_of_memory(err)
			       : fail(err, MT_ELIMIT, "over %d arguments of %s",
				      START_ARGS_MAX, s->argv[0]);
	s->argv[s->argc++] = copy;
	s->argv[s->argc] = NULL;
	return MT_OK;
}

/* What clients of container engines and ssh need: where things are, the agent of ssh, the
 * engine and the proxy. The rest, such as variables that tools are granted, is not theirs. */
static bool is_for_client(const char *variable)
{
	static const char *const names[] = {
		"PATH",	       "HOME",	      "USER",	    "LOGNAME",
		"LANG",	       "TZ",	      "TMPDIR",	    "SSH_AUTH_SOCK",
		"HTTP_PROXY",  "HTTPS_PROXY", "NO_PROXY",   "ALL_PROXY",
		"http_proxy",  "https_proxy", "no_proxy",   "all_proxy",
		"SSL_CERT_DIR", "SSL_CERT_FILE", "REGISTRY_AUTH_FILE",
	};
	static const char *const prefixes[] = { "LC_", "XDG_", "DOCKER_",
						"CONTAINER_", "CONTAINERS_" };
	size_t len = strcspn(variable, "=");

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == len && strncmp(variable, names[i], len) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static void keep_variables(void)
{
	char **to = environ;

	for (char **from = environ; *from; from++)
		if (is_for_client(*from))
			*to++ = *from;
	*to = NULL;
}

static void become_program(char *const *argv, const int in[2], const int out[2],
			   const int errors[2])
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	dup2(errors[1], STDERR_FILENO);
	keep_variables();
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "cannot start %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int start_program(struct start *s, char *const *argv, struct error *err)
{
	int in[2], out[2], errors[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
	    pipe2(errors, O_CLOEXEC) < 0 || (s->pid = fork()) < 0)
		return fail(err, MT_EIO, "cannot start %s: %s", argv[0], strerror(errno));
	if (s->pid == 0)
		become_program(argv, in, out, errors);
	close(in[0]);
	close(out[1]);
	close(errors[1]);
	s->in = in[1];
	s->out = out[0];
	s->errors = errors[0];
	s->tail_len = 0;
	return MT_OK;
}

/* Keep the end of the errors. After the hello they are those of the runner. */
static void take_errors(struct start *s)
{
	char buffer[START_TAIL_MAX / 2];
	ssize_t n = read(s->errors, buffer, sizeof buffer);
	size_t keep = sizeof s->tail - sizeof buffer;

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		close(s->errors);
		s->errors = -1;
		return;
	}
	if (s->greeted)
		file_write_all(STDERR_FILENO, buffer, (size_t)n);
	if (s->tail_len > keep) {
		memmove(s->tail, s->tail + s->tail_len - keep, keep);
		s->tail_len = keep;
	}
	memcpy(s->tail + s->tail_len, buffer, (size_t)n);
	s->tail_len += (size_t)n;
}

bool start_printed(const struct start *s, const char *text)
{
	return memmem(s->tail, s->tail_len, text, strlen(text)) != NULL;
}

/* The last line of the errors that is not empty, nor advice to read the help. */
static void last_error(const struct start *s, char *ret, size_t room)
{
	size_t end = s->tail_len, from;

	do {
		while (end && strchr("\r\n \t", s->tail[end - 1]))
			end--;
		from = end;
		while (from && !strchr("\r\n", s->tail[from - 1]))
			from--;
		snprintf(ret, room, "%.*s", (int)(end - from), s->tail + from);
		end = from;
	} while (end && (strncmp(ret, "Run '", 5) == 0 || strncmp(ret, "See '", 5) == 0));
}

/* ---- before the hello is answered ----------------------------------------------- */

/* The host waits longer while it gets lines. */
static void give_sign(const struct start *s)
{
	char last[256];

	last_error(s, last, sizeof last);
	dprintf(STDOUT_FILENO, "waiting for %s%s%s\n", s->what, *last ? ": " : "", last);
}

/* Wait for output of the program, and take its errors. @return false if there will be
 * none, or the host has ended. */
static bool start_wait(struct start *s)
{
	struct pollfd p[] = { { .fd = s->out, .events = POLLIN },
			      { .fd = s->errors, .events = POLLIN },
			      { .fd = s->greeted ? -1 : STDOUT_FILENO } };

	for (int signs = 0; signs < SIGNS_MAX;) {
		int n;

		p[1].fd = s->errors;
		n = poll(p, 3, s->greeted ? -1 : WAIT_MS);
		if (n < 0 && errno != EINTR)
			return false;
		if (n == 0) {
			give_sign(s);
			signs++;
		}
		if (n <= 0)
			continue;
		if (p[1].revents)
			take_errors(s);
		if (p[2].revents)
			return false;
		if (p[0].revents)
			return true;
	}
	return false;
}

const char *start_read_line(struct start *s, char *line, size_t room)
{
	size_t len = 0;

	while (len + 1 < room && start_wait(s)) {
		ssize_t n = read(s->out, line + len, 1);

		if (n <= 0)
			return NULL;
		if (line[len] == '\n') {
			line[len] = '\0';
			return line;
		}
		len++;
	}
	return NULL;
}

/* ---- relaying ------------------------------------------------------------------- */

static void relay_input(const struct start *s)
{
	char buffer[1 << 16];
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(s->out);
	close(s->errors);
	while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0 && file_write_all(s->in, buffer, (size_t)n))
			break;
	_exit(0);
}

static int send_hello(const struct start *s, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(HELLO_MAX + (1 << 20));

	if (js_put(&text, s->hello) || strbuf_addc(&text, '\n'))
		return out_of_memory(err);
	file_write_all(s->in, text.text,
		       text.len); /* if it has ended: its errors say why */
	explicit_bzero(text.text, text.len);
	return MT_OK;
}

static void relay_output(struct start *s)
{
	char buffer[1 << 16];
	ssize_t n;

	while (start_wait(s)) {
		n = read(s->out, buffer, sizeof buffer);
		if (n == 0 || (n < 0 && errno != EINTR))
			return;
		if (n > 0 && memmem(buffer, (size_t)n, "\"hello\"", 7))
			s->greeted = true;
		if (n > 0 && file_write_all(STDOUT_FILENO, buffer, (size_t)n))
			return;
	}
}

/* ---- the end -------------------------------------------------------------------- */

static void end_program(struct start *s, pid_t copier)
{
	int status = 0;

	close(s->out);
	if (copier > 0)
		kill(copier, SIGKILL);
	while (s->errors >= 0)
		take_errors(s);
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	s->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int start_run(struct start *s, const char *const *argv, char *ret, size_t room,
	      struct error *err)
{
	char line[4096];
	size_t len = 0;
	int status = start_program(s, (char *const *)argv, err);

	if (status)
		return status;
	close(s->in);
	*ret = '\0';
	while (start_read_line(s, line, sizeof line)) {
		snprintf(ret + len, room - len, "%s%s", len ? "\n" : "", line);
		len = strlen(ret);
	}
	/* It has closed its output, unless the host waits no longer. */
	fcntl(s->out, F_SETFL, O_NONBLOCK);
	if (read(s->out, line, 1) != 0)
		kill(s->pid, SIGTERM);
	end_program(s, 0);
	return s->code ? MT_EIO : MT_OK;
}

static void answer_failure(const struct error *err)
{
	AUTO(strbuf) struct strbuf line = STRBUF(1 << 16);

	strbuf_addf(&line, "{\"id\":\"hello\",\"error\":{\"code\":%d",
		    err->code ? err->code : MT_EIO);
	js_key_str(&line, "message", err->text);
	strbuf_add(&line, "}}\n");
	file_write_all(STDOUT_FILENO, line.text, line.len);
}

static int start_relay(struct start *s, const struct start_place *place,
		       struct error *err)
{
	int status = start_program(s, s->argv, err);
	pid_t copier = 0;

	if (status)
		return status;
	if (place->greet)
		status = place->greet(s, err);
	if (!status && !(status = send_hello(s, err)))
		copier = fork();
	if (!status && copier == 0)
		relay_input(s);
	close(s->in); /* it must end when the copier does */
	if (!status)
		relay_output(s);
	end_program(s, copier);
	if (s->greeted)
		_exit(s->code);
	return err->code ? err->code : MT_EIO;
}

static int start_in(const struct start_place *place, struct start *s, struct error *err)
{
	int status = read_hello(s, err);
	char last[512];

	if (!status && js_path(s->params, "sandbox.overlay"))
		status =
			fail(err, MT_EUNSUPPORTED,
			     "the runtime %s cannot use an overlay of the workspace; use "
			     "`runtime = local`, or `workspace = direct` in [workspace]",
			     place->name);
	if (!status)
		status = start_bundle(s, err);
	if (!status)
		status = start_open_system(s, err);
	if (!status)
		status = place->prepare(s, err);
	if (!status && place->arrange)
		status = place->arrange(s, err);
	if (!status)
		status = start_relay(s, place, err);
	last_error(s, last, sizeof last);
	if (status && !err->code)
		place->explain(s, last, err);
	return status;
}

static void start_clear(struct start *s)
{
	for (int i = 0; s->argv && i < s->argc; i++)
		free(s->argv[i]);
	free(s->argv);
	json_object_put(s->hello);
	bundle_clear(&s->bundle);
}

static int start_runner_run(const struct command *self, int argc, char **argv)
{
	struct start s = { .in = -1, .out = -1, .errors = -1 };
	const struct start_place *place = NULL;
	struct error err = ERROR_NONE;

	for (size_t i = 0; argc > PARAMETERS + 2 && i < ARRAY_LEN(places); i++)
		if (strcmp(places[i]->name, argv[1]) == 0)
			place = places[i];
	if (!place) {
		command_help(self);
		return EXIT_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	s.workspace = argv[2];
	s.there = argv[PARAMETERS];
	s.argv = calloc(START_ARGS_MAX + 1, sizeof *s.argv);
	snprintf(s.what, sizeof s.what, "%s", argv[argc - 1]);
	if (!s.argv)
		out_of_memory(&err);
	for (int i = PARAMETERS + 1; !err.code && i < argc; i++)
		start_add(&s, argv[i], &err);
	if (!err.code)
		start_in(place, &s, &err);
	answer_failure(&err);
	start_clear(&s);
	return EXIT_TOOL;
}

const struct command command_start_runner = {
	.name = "start-runner",
	.args = "PLACE WORKSPACE WORKSPACE-THERE PROGRAM...",
	.summary = "Connect a runner in another place to a host (internal)",
	.run = start_runner_run,
	.hidden = true,
};
