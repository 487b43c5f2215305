"""How many topics and labels a study needs, and which biases it would find.

- ``sample_sizes``: interval widths and power of agreement, means and differences, simulated from assumptions or a
  pilot
- ``bias_power``: how often a bias run finds a bias of known size (of tournaments: ``conqret.studies.tournament``)
- ``page``: sentences, tables and pages; ``command``: ``conqret judges power``
"""
