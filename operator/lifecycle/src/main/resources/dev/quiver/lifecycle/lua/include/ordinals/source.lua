local source = arg_source
