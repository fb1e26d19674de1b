# Models: dialects' services, transport, retries, the bill.
libhost_a_SOURCES += \
	%D%/again.c %D%/aws.c %D%/aws.h %D%/bill.c %D%/body.c %D%/body.h %D%/curl-api.c %D%/curl-api.h \
	%D%/errors.c %D%/exchange.c %D%/exchange.h %D%/features.c %D%/guard.c %D%/http.h \
	%D%/llm.c %D%/llm.h %D%/media.c %D%/media.h %D%/metrics.c %D%/model-import.c %D%/model-params.c \
	%D%/model-params.h %D%/model-table.c %D%/model-table.h %D%/models.c %D%/models.h %D%/pool.c \
	%D%/prepare.c %D%/provider.c %D%/provider.h %D%/reply.c %D%/request.c \
	%D%/request.h %D%/retry.c %D%/retry.h %D%/router.c %D%/router.h %D%/script-write.c %D%/script-write.h \
	%D%/services.c %D%/sigv4.c %D%/sigv4.h

# What is kept of requests, and learned from them.
libhost_a_SOURCES += %D%/estimate.c %D%/server.c %D%/server.h %D%/server-window.c %D%/trace.c

# Tool calls as text.
libhost_a_SOURCES += \
	%D%/fncall/back.c %D%/fncall/describe.c %D%/fncall/fncall.h %D%/fncall/read.c \
	%D%/fncall/request.c %D%/fncall/rewrite.c %D%/fncall/rewrite.h \
	%D%/fncall/values.c %D%/fncall/words.c %D%/fncall/write.c
