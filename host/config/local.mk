# host/config
