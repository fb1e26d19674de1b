/* SPDX-License-Identifier: MIT
 *
 * python-files.h - the files of python/, which go into the plugin itself: it
 * runs where nothing else of ours is installed. */
#ifndef IPYTHON_PYTHON_FILES_H
#define IPYTHON_PYTHON_FILES_H

extern const char python_agentskills[];
extern const char python_kernel_start[];

#endif
