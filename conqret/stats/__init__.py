"""Statistics as pure functions on arrays. No model, no file; randomness comes in as ``rng``.

- ``estimate``, ``jackknife``, ``resampling``: a number with its interval, what it is without each cluster, and how
  clusters are left out
- ``agreement``: Krippendorff's alpha, the alternative annotator test
- ``classification``: accuracy, F1, AUROC, the kappas (Cohen, Fleiss), Gwet's AC2
- ``correlation``: Pearson, Spearman, Kendall, rank correlation of systems (tau-AP)
- ``confidence``: Brier score, calibration error, monotone maps, thresholds with a risk guarantee
- ``effects``, ``curve_tests``: tests of paired effects, and of scores over perturbation levels
- ``prediction_powered``: means from few labels and many judgments; ``variance_components``: a G-study
- ``pair_design``, ``comparative_judgment``, ``strength_posterior``: tournaments; ``paired_ranking``: Elo, Bradley-Terry
"""
