/* SPDX-License-Identifier: MIT
 *
 * python-files.h - the files of python/, embedded in the plugin, because it also runs
 * without Mortise's other files. */
#ifndef IPYTHON_PYTHON_FILES_H
#define IPYTHON_PYTHON_FILES_H

extern const char python_agentskills[];
extern const char python_code_mode[];
extern const char python_kernel_start[];

#endif
