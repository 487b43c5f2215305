"""Statistics as pure functions on arrays. No model, no file; randomness comes in as ``rng``.

Numbers and intervals:

- ``estimate``: a number with its interval or the reason why it has none; Student's t
- ``jackknife``: a statistic without each cluster (topic), jackknife-t intervals; ``resampling``: clusters left out
- ``prediction_powered``: means from few labels and many judgments, also of unequally drawn labels
- ``variance_components``: a G-study: topics, items, models, prompts, samples

Agreement of judge and annotators:

- ``agreement``: Krippendorff's alpha, the alternative annotator test
- ``classification``: accuracy, precision, recall, F1, Matthews, AUROC, average precision; Cohen's and Fleiss's kappa,
  Gwet's AC2
- ``verdict_rates``: TPR, TNR, kappa and corrected pass rate of pass/fail verdicts, by how rows were drawn; the mid-p
  interval of a share
- ``correlation``: Pearson, Lin's concordance, Spearman, Kendall; rank correlations of systems (tau-AP, tau-GAP)

Confidence:

- ``confidence``: Brier score, ranked probability score, expected calibration error, reliability diagram, isotonic
  regression
- ``selective``: risk-coverage curve, thresholds with a risk guarantee (Learn then Test), cascades of two judges

Tests:

- ``effects``: paired effects with sign flips and maxT, sign test, Holm, the random-effects mean over topics
- ``curve_tests``: whether a score falls, rises or stays over perturbation levels

Comparisons of pairs:

- ``paired_ranking``: Elo and Bradley-Terry of preferences, with jackknife intervals (as in DebateQA)
- ``comparative_judgment``: strengths with ties, graded outcomes, position and several judges (Bayesian), for
  tournaments
- ``strength_posterior``: the posterior behind these, by expectation propagation
- ``pair_design``: which pairs to compare
"""
