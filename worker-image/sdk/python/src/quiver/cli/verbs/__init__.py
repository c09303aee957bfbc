"""The verbs: a module for each, with arguments(parser) and run(parsed), which answers an exit code or None for 0."""
