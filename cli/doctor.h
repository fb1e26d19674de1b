/* SPDX-License-Identifier: MIT
 *
 * doctor.h - shared declarations of the files of `mortise doctor`. To add lines, write a
 * doctor_check and add it to the table in doctor.c. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "commands.h"
#include "registry/registry.h"

enum doctor_level { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_PROBLEM };

struct doctor_line {
	enum doctor_level level;
	char name[48];
	char *text;
};

struct doctor {
	struct common *common;
	struct config *config;       /* NULL: it cannot be loaded */
	struct registry *registry;   /* the same */
	struct doctor_line *lines;
	size_t count;
	bool no_memory;
};

/** Adds one line or more. */
typedef void doctor_check(struct doctor *d);

/** Add a line. The text of a warning or a problem ends with what to do. */
void doctor_add(struct doctor *d, enum doctor_level level, const char *name,
		const char *fmt, ...) MT_PRINTF(4, 5);

/* doctor-machine.c */
doctor_check doctor_kernel, doctor_landlock, doctor_seccomp, doctor_user_namespaces;
/* doctor-sandbox.c */
doctor_check doctor_sandbox;
/* doctor-runtime.c: a runner in the configured place */
doctor_check doctor_runtime;
/* doctor-limits.c: the control groups, and the limits with what enforces each */
doctor_check doctor_limits;
/* doctor-setup.c */
doctor_check doctor_configuration, doctor_model, doctor_plugins, doctor_programs,
	doctor_servers, doctor_state;

#endif
