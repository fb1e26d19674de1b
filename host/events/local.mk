# host/events
