"""Two-turn debates (Parrish et al. 2022): models or annotators write them, and judge which of two options is right.

``two_turn_files``: questions and debates as rows of files. ``debate_writing``: models write debates (``write``).
``debate_judge``: what a judge is shown and answers; ``judging_run``: judging as a run (``judge``). ``slider_answers``:
the slider, its bonuses and answers as rows. ``outcomes``, ``outcome_page``: accuracy, abstentions and whether debate
helps (``outcomes``); ``anova``: repeated-measures ANOVA; ``writer_scores``: whom judges follow. ``text_grades``:
annotations and rubric grades of the texts. ``judge_answers``: a study with annotators as judges. ``two_turn_command``:
the commands.
"""
