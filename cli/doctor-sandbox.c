/* SPDX-License-Identifier: MIT
 *
 * doctor-sandbox.c - the check of `mortise doctor` of the sandbox of tools. */
#include "doctor.h"
#include "overlay-probe.h"

#include "config/choices.h"
#include "sandbox/probe.h"
#include "sandbox/profile.h"

static void doctor_old_landlock(struct doctor *d, int version)
{
	if (version == 1)
		doctor_add(d, DOCTOR_WARNING, "sandbox, files",
			   "Landlock 1 refuses to rename files between directories; use "
			   "Linux 5.19 or later");
	if (version > 0 && version < 6)
		doctor_add(
			d, DOCTOR_WARNING, "sandbox, signals",
			"not restricted by Landlock %d: tools can signal processes of the "
			"user; use Linux 6.12 or later",
			version);
}

void doctor_sandbox(struct doctor *d)
{
	struct sandbox_state state;
	struct error err = ERROR_NONE;

	if (!d->config)
		return;
	if (!sandbox_wanted(d->config)) {
		doctor_add(d, DOCTOR_WARNING, "sandbox",
			   "disabled: tools have all rights of the user; see `mode` and "
			   "`profile` of [sandbox]");
		return;
	}
	if (sandbox_probe(d->config, &state, &err)) {
		doctor_add(d, DOCTOR_PROBLEM, "sandbox", "%s", err.text);
		return;
	}
	if (sandbox_holds(&state))
		doctor_add(
			d, DOCTOR_OK, "sandbox",
			"%s, Landlock %d and system call filters; `mortise sandbox verify` "
			"tries to break out",
			state.namespaces ? "namespaces" : "a handler of system calls",
			state.landlock);
	else
		doctor_add(
			d, DOCTOR_WARNING, "sandbox",
			"not completely enforced: %s; commands of unknown risk require "
			"approval",
			state.reason);
	doctor_old_landlock(d, state.landlock);
	if (overlay_probe_here(d->config, &err))
		doctor_add(d,
			   config_choice(d->config, "workspace", "workspace") ==
					   WORKSPACE_OVERLAY
				   ? DOCTOR_PROBLEM
				   : DOCTOR_OK,
			   "overlay", "not supported: %s", err.text);
	else
		doctor_add(d, DOCTOR_OK, "overlay", "supported: `workspace = overlay`");
}
