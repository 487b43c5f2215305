"""The probes (see :mod:`conqret.studies.bias.contrast`).

- ``changed_requests``: ``position``, ``first place``, ``longer argument``, ``dimension order``, ``repeatability``,
  ``wording``, ``yes-bias``, ``language``
- ``changed_texts``: ``length``, ``document order``, ``distraction``, ``formatting``, ``injection``, ``authority``,
  and the remarks of ``texts.toml``
- ``typed_questions``: ``levels``, for decision models
- ``groups``: ``stance``, ``self-preference`` (the judge's own model family), ``severity`` (everyday and controversial
  questions)
"""

from conqret.studies.bias.probes import changed_requests, changed_texts, groups, typed_questions

PROBES = (
    *(*changed_requests.PROBES, *changed_texts.PROBES, *groups.PROBES),
    typed_questions.LEVELS,
)
"""All of them, without an order."""
