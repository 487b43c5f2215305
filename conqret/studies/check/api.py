"""``conqret.check``: from a table of verdicts and labels to how good the judge is, with conditions and files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.errors import check_known, strict_options
from conqret.show.page import write_files
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.studies.check.checked_table import DrawnBy
from conqret.studies.check.result import CheckResult, JudgeCheck
