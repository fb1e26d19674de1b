# host/context
