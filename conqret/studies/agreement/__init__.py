"""Agreement of annotators with each other, and of judges with annotators.

- ``agreement_settings``: settings, what statistics are based on, and files fitted for one judge configuration
- ``statistics``: the declared statistics; ``docs/adding-parts.md`` adds one
- ``annotator_agreement``: inter-annotator agreement (``conqret labels agreement``), with its table and page
- ``label_join``: the join of judgments and labels, and the arrays of one dimension
- ``judge_agreement``: the result for a judge by dimension and by language, with its tables, sentences and pictures
- ``judge_baselines``: the baselines of a judge (text length, a constant, the offline baseline)
- ``pass_fail``: TPR, TNR and pass rates where labels have two values, as in ``conqret check``
- ``level_probabilities``: a judge's probabilities of levels, compared with labels of several levels
- ``command``: the command, and the options of all commands that compare scores with labels
"""
