"""Two-turn debates: counter-arguments, judges before and after them, and what the debate does to a judge."""
