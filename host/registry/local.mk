# host/registry
