"""DebateQA: answers to debatable questions, their metrics, and the benchmark behind them.

``debateqa_files``: questions, partial answers and answers as rows of files. ``scoring``: Perspective Diversity, typed
questions to a model, and the folder of scores; ``model_metrics``: Dispute Awareness and other metrics by a model;
``baseline_metrics``: BLEU, ROUGE-L, BARTScore, SemScore; ``answer_scores``: the public functions. ``score_table``:
tables of scores, and their agreement with annotators; ``standings``: ranks; ``stability``: agreement of measuring
models. ``answer_score_command``, ``rank_command``: the commands. ``answering/``: answers by a model with or without
retrieval. ``curation/``: how a benchmark is made and checked.
"""
