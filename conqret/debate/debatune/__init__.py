"""DEBATunE: debates between models, what their statements are worth, and models trained on them.

``debate_files``: topics, statements and instructions as rows of files. ``transcript``: one debate, turn by turn;
``debate_run``: debates as a run (``hold``). ``statement_run``: statements written by a model (``write``), and the
offline debater. ``statement_scores``: controllability and response quality (``score``); ``manual_inspection``:
annotators check the judge. ``statement_filters``: two-sided topics, harmless statements and training data (``topics``,
``filter``, ``export``). ``debater_training``: fine-tuning (``tune``). ``command`` and ``debate_command``: the commands.
"""
