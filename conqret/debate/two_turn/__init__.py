"""Two-turn debates (Parrish et al. 2022): models or annotators write them, and judge which of two options is right.

Writing and judging:

- ``two_turn_files``: questions with two options and their debates as rows of files, also as released
- ``debate_writing``: models write debates as a run (``write``)
- ``debate_judge``: what a model that judges is shown and answers, as a run (``judge``)
- ``judge_answers``: a study with annotators as judges: who judges what, their answers, bonuses, time limits
- ``slider_answers``: the slider of seven points, what each answer earns, and answers as rows of a file

Results:

- ``outcomes``: accuracy, abstentions, bonuses, and the difference that debate makes (``outcomes``)
- ``outcome_page``: these as tables (Table 2), plots and a sentence; payoffs and break-even confidence
- ``anova``: repeated-measures ANOVA, and a mixed model
- ``writer_scores``: how often judges follow a writer, bonuses, Elo ratings
- ``text_grades``: annotations of the texts, and rubric grades of counter-arguments (Table 3)
- ``two_turn_command``: ``conqret debate two-turn write``, ``judge`` and ``outcomes``
"""
