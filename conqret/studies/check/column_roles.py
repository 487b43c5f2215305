"""Which column of a table holds the judge's verdicts, the human labels, their texts and groups, by the names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from conqret.errors import DeclarationError, UnknownNameError
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import is_failed, number_of, pass_or_fail, preference, word_of

HUMAN = frozenset(
    "human humans ann annot annotator annotators annotation annotations annotated rater raters gold golden "
    "goldstandard truth groundtruth oracle expert experts reviewer reviewers labeler labeller coder sme manual "
    "adjudicated consensus majority crowd mensch menschlich menschliche menschliches gutachter experte humain "
    "annotateur".split()
)
ADJUDICATED = frozenset("gold golden adjudicated consensus majority final".split())
"""Words for a label that was made of those of several annotators."""
MACHINE = frozenset("llm ai auto autorater autograder automated automatic ki".split())
JUDGE = MACHINE | frozenset("judge judges grader evaluator bot machine".split())
PREDICTED = frozenset("predicted pred prediction predictions preds model".split())
"""Words for what a model says, which is a verdict where no column is a judge's by its name."""
MODEL = re.compile(
    r"(?:(?:openai|anthropic|google|mistralai|meta llama|azure) )?(?:gpt|chatgpt|claude|gemini|llama|mistral|mixtral|"
    r"ministral|qwen|deepseek|command|cohere|gemma|grok|nova|haiku|sonnet|opus|prometheus|selene|kimi|glm|phi|"
    r"o [134])\b.*"
)
"""The words of a column that has the name of a model."""
MODELS = frozenset("gpt chatgpt claude gemini llama mistral qwen deepseek".split())
LABELS = frozenset(
    "label labels labeled labelled expected target actual reference truth true user class thumbs".split()
)
"""Words for labels where another column is the judge's."""
CHECKED = frozenset("correct correctness accepted approved".split())
"""Words that say whether an answer is right: a label next to a judge, and a verdict next to a label."""
VERDICTS = frozenset(
    "verdict verdicts grade graded score scores rating ratings rated result outcome decision pass passed success "
    "assessment evaluation eval judgment judgement classification urteil bewertung winner preference preferred run "
    "trial attempt repeat".split()
)
CRITERIA = frozenset(
    "faithfulness relevance relevancy groundedness helpfulness toxicity hallucination coherence accuracy quality "
    "fluency consistency".split()
)
"""Words for that which is judged: verdicts, where no other column is a judge's by its name."""
PROBABILITY = frozenset("probability prob proba probs score confidence likelihood p".split())
NOT_VERDICTS = frozenset(
    "reason reasons reasoning rationale explanation explain critique comment comments feedback note notes prompt input "
    "output response answer text texts content message messages question query context contexts name id ids time "
    "timestamp date created updated latency duration cost price token tokens count version temperature url link seed "
    "source file path language lang split weight rank raw trace thinking analysis justification evidence usage email "
    "agree agrees agreement match matches disagree disagreement diff difference delta error errors status metadata "
    "type category topic system index confidence probability prob likelihood inclusion sampling".split()
)
"""Words of columns that hold something else, unless the name ends as a verdict's (``answer_correctness``)."""
ID = "id item_id item row_id example_id sample_id record_id case_id test_id trace_id span_id uid uuid key nr no number "
ID += "question_id qid query_id prompt_id doc_id idx index"
TEXTS: Mapping[str, str] = {
    "id": ID,
    "input": "input inputs question query prompt user_input instruction request user_prompt frage eingabe",
    "output": "output outputs answer response completion actual_output model_output model_response model_answer "
    "generation candidate argument reply antwort ausgabe text",
    "reason": "reason reasoning rationale explanation critique judge_reason judge_reasoning judge_rationale "
    "judge_explanation judge_critique llm_reason llm_explanation justification feedback judge_comment begruendung "
    "begründung",
    "context": "context contexts retrieved_contexts documents",
    "expected": "expected_output expected_answer reference_answer reference ground_truth_answer",
    "answer_a": "answer_a response_a output_a answer_1 response_1",
    "answer_b": "answer_b response_b output_b answer_2 response_2",
    "human_reason": "human_reason human_comment human_explanation annotator_comment human_notes notes comment comments",
}
"""The names of columns of texts, for each text the likelier first."""
RUN = "run runs run_id run_no run_number trial repeat repetition epoch iteration attempt replicate"
SYSTEM = "system systems variant model model_name policy arm system_name condition"
JUDGE_NAMES = (
    "judge judge_name judge_model judge_id evaluator evaluator_name grader llm llm_judge model model_name "
)
JUDGE_NAMES += "metric metric_name"
ANNOTATOR_NAMES = (
    "annotator annotator_id annotator_name rater rater_id labeler reviewer worker worker_id coder "
)
ANNOTATOR_NAMES += "user_id completed_by"
CHANCES = "inclusion_probability inclusion_prob sampling_probability probability_of_inclusion"
SWAPPED = "swapped is_swapped position_swapped swap flipped order position_order presentation_order"
FIRST_ORDER = ("ab", "a b", "original", "forward", "order 1", "not swapped", "unswapped")
SECOND_ORDER = ("ba", "b a", "swapped", "swap", "reversed", "reverse", "flipped", "order 2")


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name in small letters: of ``judgeVerdict_1`` judge, verdict and 1."""
    parts = re.sub(r"(?<=[a-zäöü])(?=[A-Z])", " ", name)
    return tuple(part.casefold() for part in re.findall(r"[^\W\d_]+|\d+", parts))


def loose(name: str) -> str:
    """Return a column's name with underscores between its words, in small letters."""
    return "_".join(words(name))


def named(columns: Iterable[str], names: str) -> str | None:
    """Return the first column that has one of ``names``, in the order of the names; None if there is none."""
    by_name = {loose(column): column for column in reversed(list(columns))}
    return next((by_name[name] for name in names.split() if name in by_name), None)


def chosen(table: TextTable, names: Sequence[str]) -> list[str]:
    """Return the columns that the user names, whatever their case and separators.

    Raises:
        UnknownNameError: the table has no such column.
    """
    exact, spelled = set(table.columns), {loose(column): column for column in table.columns}
    columns: list[str] = []
    for name in names:
        parts = (
            [name] if name in exact or loose(name) in spelled else [part.strip() for part in name.split(",")]
        )
        for part in parts:
            column = part if part in exact else spelled.get(loose(part))
            if column is None:
                raise UnknownNameError(f"column of {table.source}", part, table.columns)
            columns.append(column)
    return list(dict.fromkeys(columns))


def holds_verdicts(texts: Sequence[str]) -> bool:
    """Return True if a column may hold verdicts: numbers, known words, or few short ones."""
    distinct = dict.fromkeys(texts)
    sample = list(islice((text for text in distinct if not is_failed(text)), 200))
    if not sample:
        return True
    known = sum(
        number_of(text) is not None or pass_or_fail(text) is not None or preference(text) is not None
        for text in sample
    )
    filled = sum(map(bool, texts))
    few = len(distinct) <= min(30, max(4, filled // 3)) and all(len(text) <= 40 for text in sample)
    return known >= 0.8 * len(sample) or few


def human_and_judges(table: TextTable, taken: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the columns of human labels and those of judges, by their names; columns in ``taken`` are left out.

    Names that say it come first (``human``, ``llm_judge``, ``gpt-4o``); then those that say it next to another
    (``label`` and ``verdict``).
    """
    by_role: dict[str, list[str]] = {
        "human": [],
        "judge": [],
        "label": [],
        "verdict": [],
        "checked": [],
        "soft": [],
    }
    for column in table.columns:
        role = _role(words(column)) if column not in taken else ""
        if role and holds_verdicts(table.columns[column]):
            by_role[role].append(column)
    humans, judges = by_role["human"], by_role["judge"]
    if not judges:
        judges = by_role["verdict"] or (by_role["checked"] or by_role["label"] if humans else [])
        judges = judges or [column for column in by_role["soft"] if set(words(column)) & JUDGE]
    if not humans:
        humans = [
            column
            for column in by_role["label"] or by_role["checked"]
            if column not in judges and any(_comparable(table, column, judge) for judge in judges)
        ]
    return humans, judges


def _comparable(table: TextTable, label: str, verdict: str) -> bool:
    """Whether a column may hold labels of the same things as one of verdicts: numbers, pass or fail, or its words."""
    cells, verdicts = ({word_of(text) for text in table.columns[name] if text} for name in (label, verdict))
    known = all(
        number_of(cell) is not None or pass_or_fail(cell) is not None for cell in cells if not is_failed(cell)
    )
    return known or bool(cells & verdicts)


def _role(parts: tuple[str, ...]) -> str:
    """human and judge where the name says so; label, verdict and checked where it says so next to another."""
    if not parts:
        return ""
    names = frozenset(parts)
    ends_as_verdict = parts[-1] in VERDICTS | CRITERIA | CHECKED | {"label", "labels"} or (
        len(parts) > 1 and parts[-1].isdigit() and parts[-2] in VERDICTS | {"label"}
    )
    if names & NOT_VERDICTS and not ends_as_verdict:
        return "soft" if names & JUDGE and names & {"output", "response", "answer", "raw"} else ""
    if parts[-1] == "model" and len(parts) > 1:
        return ""
    if names & {"human", "humans"}:
        return "human"
    if names & (MACHINE | MODELS) or MODEL.fullmatch(" ".join(parts)):
        return "judge"
    if names & HUMAN:
        return "human"
    if names & JUDGE:
        return "judge"
    if names & PREDICTED:
        return "verdict" if parts != ("model",) else ""
    return next(
        (
            role
            for role, known in (("label", LABELS), ("verdict", VERDICTS | CRITERIA), ("checked", CHECKED))
            if names & known
        ),
        "",
    )


_GENERIC = JUDGE | PREDICTED | VERDICTS | {"label", "labels"}


def runs_of(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of each judge: several where they are numbered runs (``run1``, ``judge_run_2``)."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        parts = words(column)
        numbers = [place for place, part in enumerate(parts) if part.isdigit()]
        run = [place for place in numbers if place and parts[place - 1] in (*RUN.split(), "r")]
        stem: str | None = None
        if run:
            stem = " ".join(parts[: run[-1] - 1] + parts[run[-1] + 1 :])
        elif len(numbers) == 1 and numbers[0] == len(parts) - 1 and set(parts[:-1]) <= _GENERIC:
            stem = " ".join(parts[:-1])
        groups.setdefault(column if stem is None else f"\0{stem}", []).append(column)
    named_groups: dict[str, list[str]] = {}
    for stem, members in groups.items():
        if len(members) == 1:
            named_groups[members[0]] = members
        else:
            named_groups[stem.strip("\0") or "judge"] = members
    return named_groups


def orders_of(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the two columns of each judge that saw both orders, A first and B first."""
    pairs: dict[str, dict[int, str]] = {}
    for column in columns:
        text = " ".join(words(column))
        for place, marks in enumerate((FIRST_ORDER, SECOND_ORDER)):
            mark = next((mark for mark in marks if re.search(rf"(?:^|\s){mark}(?:$|\s)", text)), None)
            if mark is not None:
                stem = re.sub(r"\s+", " ", re.sub(rf"(?:^|\s){mark}(?=$|\s)", " ", text)).strip()
                pairs.setdefault(stem, {}).setdefault(place, column)
                break
        else:
            pairs.setdefault(text, {}).setdefault(0, column)
    return {stem or "judge": (pair[0], pair[1]) for stem, pair in pairs.items() if len(pair) == 2}


def same_subject(first: str, second: str) -> bool:
    """Return True if two names differ only in words for the kind of column (``judge_verdict``, ``judge_score``)."""
    kinds = _GENERIC | PROBABILITY | {"judge", "of", "pass"}
    return set(words(first)) - kinds == set(words(second)) - kinds


def label_and_score(table: TextTable) -> DeclarationError:
    """Return the error for a table with a label and a score, which tools write for one verdict, too."""
    label, score = named(table.columns, "label") or "", named(table.columns, "score") or ""
    return DeclarationError(
        f"{table.source}: {label!r} and {score!r} may both be the judge's. If {label!r} is the human label: "
        f"{table.command('--judge', score, '--human', label)}; if it is the judge's verdict: "
        f"{table.command('--judge', label)}"
    )


def check_no_labels(table: TextTable, judges: Sequence[str], others: Collection[str]) -> None:
    """Raise an error if a column next to those of judges may hold labels, but its name does not say so."""
    names = [
        name
        for name, cells in table.columns.items()
        if name not in (*judges, *others)
        and not (set(words(name)) & NOT_VERDICTS and not _role(words(name)))
        and len(set(cells)) > 1
        and holds_verdicts(cells)
        and any(
            _comparable(table, name, judge) if _role(words(name)) else set(cells) <= set(table.columns[judge])
            for judge in judges
        )
    ]
    if names:
        ready = table.command(*(part for name in names for part in ("--human", name)))
        judge = table.command(*(part for name in judges for part in ("--judge", name)))
        raise DeclarationError(
            f"{table.source}: no column has the name of human labels. If they are in {', '.join(names)}: {ready}; if "
            f"there are none yet: {judge}"
        )


def no_judge(table: TextTable, texts: Collection[str], humans: Sequence[str]) -> DeclarationError:
    """Return the error for a table in which no column has the name of a judge's."""
    fitting = [
        name
        for name, cells in table.columns.items()
        if name not in texts and holds_verdicts(cells) and 2 <= len(set(cells)) <= max(2, len(cells) // 2)
    ]
    judge, rest = fitting[0] if fitting else "COLUMN", fitting[1:]
    human = humans[0] if humans else rest[0] if rest else "COLUMN"
    ready = table.command("--judge", judge, "--human", human)
    return DeclarationError(
        f"{table.source}: no column has the name of a judge's verdicts (columns: {', '.join(table.columns)}). Name it: "
        f"{ready}"
    )
