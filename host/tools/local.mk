# host/tools
