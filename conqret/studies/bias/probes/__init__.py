"""The probes (see :mod:`conqret.studies.bias.contrast`).

- ``places``: ``position``, ``first place``, ``longer argument``, ``dimension order``
- ``changed_texts``: ``length``, ``document order``, ``distraction``, ``formatting``, ``injection``, ``authority``,
  and the remarks of ``texts.toml``
- ``questions``: ``repeatability``, ``wording``, ``yes-bias``, ``language``
- ``typed_questions``: ``levels``, for decision models
- ``groups``: ``stance``, ``self-preference`` (the judge's own model family), ``severity`` (everyday and controversial
  questions)
"""

from conqret.studies.bias.probes import changed_texts, groups, places, questions, typed_questions

PROBES = (
    *(*changed_texts.PROBES, *groups.PROBES, *places.PROBES, *questions.PROBES),
    typed_questions.LEVELS,
)
"""All of them, without an order."""
