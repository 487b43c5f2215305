"""``conqret debateqa score``: metrics of answers to debatable questions, one module a subcommand."""
