"""How judges answer known perturbations: the plan of versions, the runs, and the curves over their scores."""
