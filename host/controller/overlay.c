/* SPDX-License-Identifier: MIT
 *
 * overlay.c - mounts the overlay of a conversation, and shares that of a parent. */
#include "controller/overlay.h"

#include "config/choices.h"
#include "controller/core.h"
#include "controller/sandbox.h"
#include "files.h"
#include "sandbox/profile.h"
#include "sandbox/roots.h"

#define MORTISE_PROVISIONAL
#include <mortise/runtime.h>

/* Only tools in the sandbox can be given another view of the files. */
static int overlay_check_sandbox(const struct conversation *c, struct error *err)
{
	const struct mt_runtime *runtime = c->runtime.functions;
	struct sandbox_rules settings;

	sandbox_profile_settings(conversation_sandbox_config(c), &settings);
	if (!(runtime->flags & MT_RUNTIME_HOST_MOUNTS))
		return fail(
			err, MT_EUNSUPPORTED,
			"the runtime `%s` does not support an overlay of the workspace; "
			"use `runtime = local` in [controller]",
			c->runtime.component->name);
	if (!sandbox_wanted(conversation_sandbox_config(c)) || !settings.namespaces)
		return fail(
			err, MT_EUNSUPPORTED,
			"an overlay of the workspace requires the sandbox: see `mode`, "
			"`profile` and `namespaces` of [sandbox]");
	return MT_OK;
}

int conversation_mount_overlay(const struct conversation *c, const char *dir,
			       const char *more, struct overlay *ret, struct error *err)
{
	AUTO(roots) char **added = NULL;
	char **roots = NULL;
	int r = overlay_check_sandbox(c, err);

	if (!r && c->overlay)
		r = fail(err, MT_EUNSUPPORTED, "the workspace is an overlay already");
	if (!r && roots_list(c->config, &added))
		r = out_of_memory(err);
	if (!r)
		r = overlay_roots(c->workspace, added, &roots, err);
	if (!r && more && !path_is_in_any(more, roots) &&
	    overlay_add_root_path(&roots, more))
		r = out_of_memory(err);
	if (!r)
		r = overlay_open(dir, roots, ret, err);
	for (size_t i = 0; roots && roots[i]; i++)
		free(roots[i]);
	free(roots);
	return r;
}

/* A subagent with a workspace of its own works in that directory. */
static bool overlay_is_wanted(const struct conversation *c, const char *dir)
{
	if (*c->place)
		return false;
	return overlay_exists(dir) ||
	       config_choice(c->config, "workspace", "workspace") == WORKSPACE_OVERLAY;
}

int conversation_open_overlay(struct conversation *c, const char *passed,
			      struct error *err)
{
	AUTO(free) char *dir = path_join(c->dir, "overlay");
	struct overlay *o;
	int r, fd;

	if (!dir)
		return out_of_memory(err);
	if (!passed && !overlay_is_wanted(c, dir))
		return MT_OK;
	o = calloc(1, sizeof *o);
	if (!o)
		return out_of_memory(err);
	r = passed ? overlay_adopt(passed, PASSED_FD, o, err)
		   : conversation_mount_overlay(c, dir, NULL, o, err);
	if (r) {
		free(o);
		return r;
	}
	c->overlay = o;
	c->files = overlay_path(o, c->workspace, &fd);
	return c->files ? MT_OK : out_of_memory(err);
}

void conversation_close_overlay(struct conversation *c)
{
	if (c->overlay)
		overlay_clear(c->overlay);
	free(c->overlay);
	free(c->files);
	c->overlay = NULL;
	c->files = NULL;
}

const struct overlay *conversation_overlay(const struct conversation *c)
{
	return c->overlay;
}

const char *conversation_files(const struct conversation *c, int *ret_fd)
{
	if (ret_fd)
		*ret_fd = -1;
	if (!c->overlay)
		return c->workspace;
	if (ret_fd)
		free(overlay_path(c->overlay, c->workspace, ret_fd));
	return c->files;
}

char *conversation_file(const struct conversation *c, const char *path)
{
	AUTO(free) char *whole = path_join(c->workspace, path);
	int fd;

	if (!whole || !c->overlay)
		return STEAL(whole);
	return overlay_path(c->overlay, whole, &fd);
}
