# host/controller
