"""The command line: one module a subcommand; heavy imports happen inside the commands."""
