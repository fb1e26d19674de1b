/* SPDX-License-Identifier: MIT
 *
 * effect.h - whether a command can change the state of the shell that runs it. */
#ifndef BASH_EFFECT_H
#define BASH_EFFECT_H

#include <stddef.h>

/** What a command can change of the variables, functions, aliases, options and traps of
 *  its shell. */
enum effect {
	EFFECT_NONE,    /* nothing, if no function, alias, trap or option takes part in it */
	EFFECT_VALUES,  /* variables, the directory and other values */
	EFFECT_UNKNOWN, /* also what a later command means: functions, aliases, traps,
	                   options; or the text does not show it */
};

enum effect bash_effect(const char *command, size_t len);

#endif
