"""DebateQA: answers to debatable questions, their metrics, and the benchmark behind them.

Metrics of one system's answers:

- ``debateqa_files``: questions, partial answers, answers and human verdicts as rows of files
- ``answer_scores``: the public functions ``score_diversity``, ``score_awareness`` and ``score_baselines``
- ``scoring``: Perspective Diversity (perplexity), typed questions to a model, and the folder of a scoring run
- ``model_metrics``: Dispute Awareness, Direct-Score, G-Eval and Num-of-POVs
- ``baseline_metrics``: BLEU, ROUGE-L, BARTScore and SemScore
- ``score_table``: ``scores.parquet`` written and read; means by system

Systems and metrics compared:

- ``standings``: ranks of systems by both metrics (Table 2, Figure 3), and their page
- ``human_alignment``: rank correlation with annotators' preferences (Table 14), Elo, verdicts against labels (Table
  15)
- ``stability``: agreement of measuring models, and heat maps (Figures 9 to 11)
- ``answer_score_command``: ``conqret debateqa score``; ``rank_command``: ``conqret debateqa rank``

Folders: ``answering/`` has answers by a model with or without retrieval, ``curation/`` how a benchmark is made and
checked.
"""
