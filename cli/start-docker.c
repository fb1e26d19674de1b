/* SPDX-License-Identifier: MIT
 *
 * start-docker.c - a runner in a container of Docker or podman. The engine removes the
 * container when the runner ends, which it does when its input is closed. */
#include "start-docker.h"

#include "auto.h"
#include "files.h"
#include "strbuf.h"

#include <string.h>

/* Where the bundle is in a container: every user of it may read this. */
static const char bundle_place[] = "/mortise";

/* The option is CSV: a path with a comma is quoted. */
static int add_mount(struct start *s, const char *from, const char *to, bool writable,
		     struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(3 << 12);

	if (strpbrk(from, "\"\r\n") || strpbrk(to, "\"\r\n"))
		return fail(err, MT_EUNSUPPORTED,
			    "%s cannot be mounted in a container: its name contains a "
			    "quotation mark or a line break",
			    from);
	if (strbuf_addf(&text, "type=bind,\"source=%s\",\"target=%s\"%s", from, to,
			writable ? "" : ",readonly"))
		return out_of_memory(err);
	return start_add(s, "--mount", err) || start_add(s, text.text, err) ? err->code
									    : MT_OK;
}

/* A directory of the host at the same path; "": none. */
static int mount_directory(struct start *s, const char *path, struct error *err)
{
	if (!*path)
		return MT_OK;
	return dir_make(path, err) || add_mount(s, path, path, true, err) ? err->code
									  : MT_OK;
}

static int mount_directories(struct start *s, struct error *err)
{
	static const char *const names[] = { "spool_dir", "state_dir", "user_dir",
					     "sandbox.cache" };
	int status = MT_OK;

	for (size_t i = 0; !status && i < ARRAY_LEN(names); i++) {
		json_object *path = js_path(s->params, names[i]);

		status =
			mount_directory(s, path ? json_object_get_string(path) : "", err);
	}
	return status;
}

/* The paths that the user mounts are in the sandbox too: SOURCE:PATH or SOURCE:PATH:OPTIONS. */
static int open_volumes(struct start *s, struct error *err)
{
	for (int i = 0; i + 1 < s->argc; i++) {
		AUTO(free) char *volume = NULL;
		char *path, *options;
		json_object *list;

		if (strcmp(s->argv[i], "--volume") != 0)
			continue;
		volume = strdup(s->argv[++i]);
		path = volume ? strchr(volume, ':') : NULL;
		options = path ? strchr(++path, ':') : NULL;
		if (options)
			*options++ = '\0';
		list = js_path(s->params, options && strstr(options, "ro")
						  ? "sandbox.read"
						  : "sandbox.write");
		if (!volume || (path && *path == '/' && list &&
				js_add(list, json_object_new_string(path))))
			return out_of_memory(err);
	}
	return MT_OK;
}

int start_docker_label(struct start *s, const char *name, const char *value,
		       struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 12);

	if (strbuf_addf(&text, "mortise.%s=%s", name, value))
		return out_of_memory(err);
	return start_add(s, "--label", err) || start_add(s, text.text, err) ? err->code
									    : MT_OK;
}

/* ENGINE run|create [OPTION]... comes from the runtime, and its last word is the image. */
static int docker_prepare(struct start *s, struct error *err)
{
	AUTO(free) char *image = s->argv[--s->argc];
	AUTO(free) char *program = path_join(bundle_place, "bin/mortise-runner");
	int status =
		!program ? out_of_memory(err)
			 : start_docker_label(s, "conversation",
					      js_str(s->params, "conversation", ""), err);

	s->argv[s->argc] = NULL;
	if (!status)
		status = open_volumes(s, err);
	if (!status)
		status = add_mount(s, s->workspace, s->there, true, err);
	if (!status)
		status = add_mount(s, s->bundle.path, bundle_place, false, err);
	if (!status)
		status = mount_directories(s, err);
	if (!status && (start_add(s, "--workdir", err) || start_add(s, s->there, err) ||
			start_add(s, "--entrypoint", err) || start_add(s, program, err)))
		status = err->code;
	if (!status && start_docker_is_kept(s))
		status = start_docker_name(s, image, err);
	if (!status && (start_add(s, "--", err) || start_add(s, image, err)))
		status = err->code;
	return status ? status : start_move_plugins(s, bundle_place, err);
}

static void docker_explain(const struct start *s, const char *last, struct error *err)
{
	static const struct {
		const char *printed, *sentence; /* with the engine and the image */
	} table[] = {
		{ "Cannot connect to the Docker daemon",
		  "%s cannot reach its daemon to run %s; start the daemon, or set "
		  "DOCKER_HOST" },
		{ "permission denied while trying to connect",
		  "%s may not connect to the daemon to run %s; join the group docker, or "
		  "use podman" },
		{ "unauthorized",
		  "%s got no access to the image %s; log in to its registry with the "
		  "command `login`" },
		{ "authentication required",
		  "%s got no access to the image %s; log in to its registry with the "
		  "command `login`" },
		{ "pull access denied",
		  "%s found no image %s: it does not exist, or its registry requires a "
		  "login (command `login`)" },
		{ "Unable to find image",
		  "%s found no image %s; build or pull it, or correct `image` in "
		  "[runtime.docker]" },
		{ "image not known",
		  "%s found no image %s; build or pull it, or correct `image` in "
		  "[runtime.docker]" },
		{ "short-name",
		  "%s found no image %s; build or pull it, or write its registry in "
		  "`image` of [runtime.docker]" },
		{ "pinging container registry",
		  "%s found no image %s, and its registry does not respond; build the "
		  "image, check `image` in [runtime.docker], or the network" },
		{ "exec format error",
		  "%s cannot run %s here: the image is for another architecture" },
		{ "no space left on device",
		  "%s cannot run %s because the disk is full; free some space" },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (start_printed(s, table[i].printed)) {
			fail(err, MT_EIO, table[i].sentence, s->argv[0], s->what);
			return;
		}
	fail(err, MT_EIO, "%s could not run %s (exit code %d)%s%s", s->argv[0], s->what,
	     s->code, *last ? ": " : "", last);
}

const struct start_place start_docker = {
	.name = "docker",
	.prepare = docker_prepare,
	.arrange = start_docker_find,
	.explain = docker_explain,
};
