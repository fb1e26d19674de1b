/* SPDX-License-Identifier: MIT
 *
 * @name@ - a dialect of a provider that answers without a network: it ends every task
 * immediately. For a provider on the network, write the request with host->url,
 * host->header and host->body instead of host->local, and give the provider a base_url. */
#define MORTISE_PROVISIONAL
#include <mortise/dialect.h>
#include <string.h>

static int encode(const struct mt_dialect_host *host, struct mt_exchange *x,
		  const struct mt_request *request)
{
	if (host->message_count(request) == 0)
		return host->error(x, MT_ERROR_BAD_REQUEST, -1, "no message to answer");
	return host->local(x, 0);
}

/* Each piece of the body of a response; one without bytes for host->local. */
static int feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len)
{
	static const char arguments[] = "{\"message\": \"Hello from @name@.\"}";

	(void)status, (void)type, (void)bytes, (void)len;
	return host->tool_call(x, 0, NULL, "finish", arguments, strlen(arguments));
}

static int end(const struct mt_dialect_host *host, struct mt_exchange *x, int status)
{
	(void)status;
	return host->stopped(x, "tool_calls");
}

static const struct mt_dialect dialect = {
	.size = sizeof dialect,
	.providers = "{\"@name@\": {\"local\": true}}",
	.encode = encode,
	.feed = feed,
	.end = end,
};

MT_DIALECT(&dialect, "@name@", .name = "@name@",
	   .summary = "Ends every task immediately, without a network.")
