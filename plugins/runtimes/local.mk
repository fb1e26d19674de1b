# plugins/runtimes
