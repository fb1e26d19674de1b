# Models: dialects' services, transport, retries, the bill.
libhost_a_SOURCES += \
	%D%/aws.c %D%/aws.h %D%/body.c %D%/body.h %D%/curl-api.c %D%/curl-api.h \
	%D%/errors.c %D%/exchange.c %D%/exchange.h \
	%D%/http.h %D%/llm.c %D%/llm.h %D%/metrics.c %D%/pool.c %D%/provider.c \
	%D%/provider.h %D%/reply.c %D%/request.c %D%/request.h %D%/retry.c \
	%D%/retry.h %D%/script-write.c %D%/script-write.h %D%/services.c %D%/sigv4.c %D%/sigv4.h
