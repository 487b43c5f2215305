"""How judges answer known damage: the plan of versions, the runs, and the curves over their scores."""
