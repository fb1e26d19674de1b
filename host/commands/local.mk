# host/commands
