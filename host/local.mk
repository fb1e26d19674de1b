# The conversation process. Each directory is a module.
noinst_LIBRARIES += libhost.a
libhost_a_SOURCES =
libhost_a_CPPFLAGS = $(AM_CPPFLAGS) $(CURL_CFLAGS) $(UV_CFLAGS) $(CRYPTO_CFLAGS)
LIBHOST = libhost.a liblimits.a liboverlay.a libsandbox.a libfncall.a libtools.a librunnerclient.a libhooks.a libmodels.a librequest.a \
	libskills.a $(LIBSNAPSHOT) libregistry.a libconfig.a libevents.a $(LIBMT) $(UV_LIBS) $(UTF8PROC_LIBS)

include host/llm/local.mk
include host/context/local.mk
include host/controller/local.mk
include host/conversation/local.mk
include host/features/local.mk
include host/frontends/local.mk
