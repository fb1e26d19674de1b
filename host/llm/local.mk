# Models: exchanges with them, retries, what dialects see of the host.
libhost_a_SOURCES += \
	%D%/adapt-request.c %D%/dialect-host.c \
	%D%/encode-ahead.c %D%/errors.c %D%/estimate.c %D%/exchange.c %D%/llm-internal.h %D%/llm.c %D%/llm.h \
	%D%/llm-records.c %D%/llm-records.h \
	%D%/media.c %D%/media.h %D%/request-log.c %D%/retry-policy.c \
	%D%/usage-json.c %D%/usage-json.h %D%/window-check.c

# HTTP requests on the event loop.
libhost_a_SOURCES += \
	%D%/transport/backoff.c %D%/transport/backoff.h %D%/transport/curl-api.c \
	%D%/transport/curl-api.h %D%/transport/http.h %D%/transport/http-exchange.c \
	%D%/transport/http-exchange.h %D%/transport/http-requests.c \
	%D%/transport/http-requests.h %D%/transport/pool.c

# Which models providers have, what a model supports and costs, and which one is used.
libhost_a_SOURCES += \
	%D%/models/cost.c %D%/models/model-features.c %D%/models/models.c %D%/models/models.h \
	%D%/models/provider.c %D%/models/provider.h %D%/models/router.c %D%/models/router.h \
	%D%/models/server-context.c %D%/models/server-models.c %D%/models/server-models.h \
	%D%/models/usage.c
