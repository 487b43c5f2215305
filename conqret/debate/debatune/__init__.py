"""DEBATunE: debates between models, what their statements are worth, and models trained on them.

Debates and statements:

- ``debate_files``: topics, statements and instructions as rows of files
- ``debate_run``: debates as a run (``hold``), which writes ``debates.jsonl``; the page that shows them
- ``transcript``: one debate: its turns, the requests for them, and what each side concludes
- ``statement_run``: statements written by a model as a run (``write``), and the offline debater

Scores:

- ``statement_scores``: controllability, and response quality against a baseline system (``score``)
- ``manual_inspection``: statements sampled for annotators, and their agreement with the judge of controllability

Training:

- ``statement_filters``: two-sided topics (``topics``), harmless statements (``filter``), train.jsonl and test.jsonl
  (``export``)
- ``debater_training``: fine-tuning of a local model with trl's SFTTrainer (``tune``)

Commands:

- ``command``: ``conqret debate topics``, ``filter`` and ``score``
- ``debate_command``: ``hold``, ``export``, ``tune`` and ``write``
"""
