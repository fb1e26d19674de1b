/* SPDX-License-Identifier: MIT
 *
 * overlay-probe.c - tries to mount an overlay next to the conversations. */
#include "overlay-probe.h"

#include "conversation/conversation.h"
#include "files.h"
#include "overlay/overlay.h"

#include <string.h>

int overlay_probe_here(const struct config *c, struct error *err)
{
	AUTO(free) char *dir = conversation_dir(c, "probe", err);

	if (!dir)
		return err->code;
	*strrchr(dir, '/') = '\0';
	return dir_make(dir, err) ? err->code : overlay_probe(dir, err);
}
