/* SPDX-License-Identifier: MIT
 *
 * ffi.c - the tool `ffi`: functions of any shared library, declared only in the
 * configuration. An instance is a library. The runner calls the functions. */
#include "files.h"
#include "function-ini.h"
#include <dlfcn.h>
#include <mortise/tool.h>
#include <string.h>

enum { LINES_MAX = 4096 };

struct ffi {
	const struct mt_tool_host *host;
	struct mt_instance *instance;
	struct functions functions;
	void *library;
};

static void tool_ffi_on_fault(void *arg, size_t n, const char *sentence)
{
	struct ffi *f = arg;

	(void)n;
	f->host->log(f->instance, MT_LOG_ERROR, "%s", sentence);
}

static int declare(struct ffi *f)
{
	AUTO(free) struct function_line *lines = calloc(LINES_MAX, sizeof *lines);
	size_t n = 0;

	if (!lines)
		return MT_ENOMEM;
	while (n < LINES_MAX &&
	       !f->host->option_at(f->instance, "", n, &lines[n].key, &lines[n].value))
		n++;
	return functions_read(lines, n, &f->functions, tool_ffi_on_fault, f);
}

static int ffi_refuse(struct ffi *f, int status, const char *what, const char *why)
{
	f->host->log(f->instance, MT_LOG_ERROR, "%s: %s", what, why ? why : "not found");
	return status;
}

static int bind(struct ffi *f)
{
	const char *path = f->functions.library;
	struct error err = ERROR_NONE;

	if (*path == '/' && !path_is_safe(path, &err))
		return ffi_refuse(f, MT_EDENIED, path, err.text);
	f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!f->library)
		return ffi_refuse(f, MT_EINVAL, path, dlerror());
	for (size_t n = 0; n < f->functions.count; n++) {
		struct declared *d = &f->functions.list[n];

		*(void **)&d->function.address = dlsym(f->library, d->symbol);
		if (!d->function.address)
			return ffi_refuse(f, MT_ENOTFOUND, path, dlerror());
	}
	return MT_OK;
}

static void ffi_close(const struct mt_tool_host *host, struct mt_instance *instance,
		      void *self)
{
	struct ffi *f = self;

	(void)host, (void)instance;
	functions_clear(&f->functions);
	free(f);
}

static int ffi_open(const struct mt_tool_host *host, struct mt_instance *instance,
		    void **ret_self)
{
	struct ffi *f = calloc(1, sizeof *f);
	int status;

	if (!f)
		return MT_ENOMEM;
	f->host = host;
	f->instance = instance;
	status = declare(f);
	if (!status)
		status = bind(f);
	if (status)
		ffi_close(host, instance, f);
	else
		*ret_self = f;
	return status;
}

static int ffi_list(const struct mt_tool_host *host, struct mt_instance *instance,
		    void *self, struct mt_listing *listing)
{
	const struct ffi *f = self;
	int status = MT_OK;

	(void)instance;
	for (size_t n = 0; n < f->functions.count && !status; n++) {
		const struct declared *d = &f->functions.list[n];
		const struct mt_tool tool = { .size = sizeof tool, .hints = d->hints,
					      .name = d->name, .description = d->help,
					      .function = &d->function };

		status = host->add_tool(listing, &tool);
	}
	return status;
}

#define OPTION(type_, name_, help_, ...)                                       \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_,         \
	  .name = (name_), .help = (help_), __VA_ARGS__ }

static const struct mt_option options[] = {
	OPTION(PATH, "library", "Shared library: an absolute path, or a name such as libm.so.6.",
	       .flags = MT_OPTION_REQUIRED),
	OPTION(PATH, "symbol", "Name of the function in the library and of the tool."),
	OPTION(TEXT, "returns", "Return type (default: nothing)."),
	OPTION(TEXT, "help", "Description of the function for the model."),
	OPTION(TEXT, "fails",
	       "Return value that means failure: negative, zero or nonzero; followed "
	       "by errno to report the reason."),
	OPTION(LIST, "hints",
	       "Effects of the function: read-only, destructive, idempotent, "
	       "open-world."),
	OPTION(TEXT, "arg.", "Argument, in the order of the C declaration: arg.x = "
			     "double, description.",
	       .flags = MT_OPTION_PREFIX),
	OPTION(PATH, "function.",
	       "The same keys for one of several functions, for example "
	       "function.NAME.symbol = cos.",
	       .flags = MT_OPTION_PREFIX),
};
static const struct mt_toolset set = { .size = sizeof set, .open = ffi_open,
				       .list = ffi_list, .close = ffi_close };
MT_TOOLSET(&set, "ffi", .name = "ffi",
	   .summary = "Calls C functions of a shared library, declared in the "
		      "configuration.",
	   .options = options, .option_count = ARRAY_LEN(options))
