"""Sensitivity: whether scores change as they should when items are perturbed (``conqret sensitivity``).

- ``sensitivity_study``: the public function, what a plan is made of, and the run
- ``sensitivity_plan``: the versions of all items, and the expected cost
- ``true_precision``: true precision from relevance labels
- ``curves``: mean scores by perturbation level, and their verdicts
- ``result``: the record, the results and the folder
- ``page``: tables, charts and page; ``command``: the command
- ``assertions``: the assertions of the pytest plugin
"""
