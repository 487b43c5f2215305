"""partial-answer: is a partial answer grounded in its documents, does it answer the question, and is it ethical?

DebateQA, section 3.3 and A.4: two tasks with a yes or no each, and a question of ethics.
"""

from __future__ import annotations

from conqret.io.label_sheets import LabelTask
from conqret.labels.sheet_tasks.rating import shows

TASK = LabelTask(
    name="partial-answer",
    summary="say 1 or 0: the partial answer is grounded in its documents, answers the question from one perspective, "
    "and violates no moral code",
    shows=shows,
    judged="argument",
    dimensions=("grounded", "answers_question", "ethical"),
    scale=(0, 1),
)
