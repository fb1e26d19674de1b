# plugins/condensers
