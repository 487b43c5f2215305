"""``conqret score``: metrics of answers to debatable questions, one module a subcommand."""
