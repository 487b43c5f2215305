"""Studies of judges, a folder each.

From tables and labels:

- ``check/``: how good a judge is, from one table of its verdicts and human labels (``conqret check``)
- ``agreement/``: annotators among themselves, and what all studies with labels share
- ``validate/``: judge-human agreement of a run; ``card/``: the judge card, and the methods paragraph of a paper
- ``compare/``: which of several judges agrees best; ``jury/``: several judges as one
- ``calibrate/``: maps from scores to labels
- ``abstain/``: confidence thresholds, cascades
- ``improve/``: a better prompt
- ``systems/``: rank correlation of judge and human rankings of systems

Without labels:

- ``bias/``: probes of order, length, stance and others; ``sensitivity/``: scores under perturbations
- ``diff/``: two runs compared; ``drift/``: runs over time; ``variance/``: where the noise of scores comes from
- ``tournament/``: arguments ranked by comparisons of pairs
- ``power/``: sample sizes, simulated beforehand

``study_judging`` is the run of studies that judge items (bias, sensitivity, improve, tournament).
"""
