"""The probes (see :mod:`conqret.studies.bias.contrast`)."""

from conqret.studies.bias.probes import changed_texts, groups, places, questions

PROBES = (*changed_texts.PROBES, *groups.PROBES, *places.PROBES, *questions.PROBES)
"""All of them, without an order."""
