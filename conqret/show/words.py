"""The phrases and number formats that terminal tables and pages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from conqret.data import Reason
from conqret.data.judgment import HTML
from conqret.errors import number as number
from conqret.stats.estimate import MIN_TOPICS, Estimate
from conqret.text.language import NAMES as NAMES

OFFLINE = "Offline baseline"
BASELINE_NOTE = "This is a lexical baseline and no LLM judge: its numbers come from word statistics."
NOT_CORRECTED = (
    "The intervals are not corrected for the number of comparisons: an interval without 0 is no evidence of a "
    "difference if its p-value is .05 or more."
)
"""Said where intervals stand next to p-values that are corrected together."""
SYMMETRIC_FROM = 12
ASSUMES_SYMMETRY = (
    "With fewer than 12 topics the test assumes that topics' effects are symmetric; skewed effects make false findings "
    "more frequent."
)


def symmetry_note(topics: int) -> str:
    """Return the note that a test over ``topics`` topics assumes symmetric effects, for 6 to 11 topics;
    empty otherwise.
    """
    return ASSUMES_SYMMETRY if MIN_TOPICS <= topics < SYMMETRIC_FROM else ""


def baseline_badges(baselines: Sequence[bool]) -> list[tuple[str, str]]:
    """Return a badge if any of the judges or runs on a page is the offline baseline; else an empty list."""
    floors = sum(baselines)
    if not floors:
        return []
    if floors == len(baselines):
        return [(OFFLINE, BASELINE_NOTE)]
    is_baseline, its = ("is a lexical baseline", "its") if floors == 1 else ("are lexical baselines", "their")
    which = f"{number(floors, 'judge')} of {len(baselines)} here {is_baseline}"
    note = f"{which}: {its} numbers come from word statistics."
    return [(OFFLINE, note)]


SECOND = "second."
"""The prefix of metrics of the second argument."""

REASONS: dict[str, str] = {
    Reason.REFUSAL: "the model declined to answer",
    Reason.TRUNCATED: "the answer was cut off, with all the room that it may have",
    Reason.INVALID_JSON: "the response was no valid JSON, after retries as well",
    Reason.INVALID_ANSWER: "the response broke the rules of the format, after retries as well",
    Reason.CONTEXT_OVERFLOW: "the prompt does not fit the model's window",
    Reason.ONE_ORDER_ONLY: "only one order of the two arguments was answered",
    Reason.NOTHING_TO_JUDGE: "there was nothing to judge",
    Reason.DECLINED: "the answer declines",
    Reason.CANNOT_JUDGE: "the judge says that the text gives nothing to rate by",
    Reason.NO_EVIDENCE: "there was nothing in the documents to go by",
    Reason.UNSURE: "the judge was not sure enough, and abstained",
    Reason.NO_BASELINE: "the offline baseline has no evidence for criteria of your own",
    Reason.NO_VISION: "the item has an image, and the model takes none",
    Reason.LANGUAGE: "the offline baseline cannot judge it: not English, or documents in another language than the "
    "question",
    Reason.RATE_LIMITED: "the provider kept refusing for too many requests",
    Reason.TIMEOUT: "no answer came in time",
    Reason.CONNECTION: "the connection failed",
    Reason.SERVER_ERROR: "the provider reported an error of its own",
    Reason.AUTHENTICATION: "the provider did not accept the key",
    Reason.QUOTA: "the quota or credit at the provider is used up",
    Reason.NOT_FOUND: "the provider has no such model or address",
    Reason.BAD_REQUEST: "the provider did not accept the request",
    Reason.JUDGE_FAILED: "the judge of your own failed",
    Reason.BUDGET: "the budget was spent",
    Reason.PROVIDER_DOWN: "no request was sent, as requests kept failing",
    Reason.NOT_RECORDED: "the recording holds no answer to this request",
    Reason.AWAITED: "its answer is awaited: it is in a batch",
    Reason.TOO_MANY_FAILURES: "no request was sent, after too many failures",
}
"""Each reason as the end of the phrase "no value: ..."."""

NO_JUDGMENT = {"left_out": "left out, because of faults", "outstanding": "not judged yet"}
"""Why an item has no judgment."""

FLAGS: dict[str, str] = {
    "override": "tells the judge to ignore its instructions",
    "demand": "demands a rating",
    "address": "speaks to an automated judge",
    "role": "poses as a message of the system",
    "markup": "tries to close a block of the prompt",
    "template": "carries template syntax",
    "hidden": "carries characters that readers cannot see",
    HTML: "carries scripts of a web page",
}
"""Each kind of prompt injection, in words."""


def capitalised(text: str) -> str:
    """Return ``text`` with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def failed(failures: Mapping[str, str]) -> list[str]:
    """Return a sentence for each failure reason, with its example."""
    return [f"Some questions failed: {reason(name)}, as for {example}" for name, example in failures.items()]


LABELS = {
    "hallucination": "hallucination (lower is better)",
    "correctness_f1": "correctness F1",
    "bleu": "BLEU",
    "rouge_l": "ROUGE-L",
    "bartscore": "BARTScore",
    "semscore": "SemScore",
    "g_eval": "G-Eval",
    "num_of_povs": "number of points of view",
}
"""The labels of metrics that are not their names with spaces."""


@lru_cache(maxsize=512)
def label(metric: str) -> str:
    """Return a metric's name for readers: ``second.answer_relevance`` becomes "Answer relevance, second"."""
    name = metric.removeprefix(SECOND)
    words = LABELS.get(name, name.replace("_", " ").strip())
    name = words[:1].upper() + words[1:]
    return f"{name}, second" if metric.startswith(SECOND) else name


def stance(name: str) -> str:
    """Return a stance for readers: "no stance" for ``none``, else unchanged."""
    return "no stance" if name == "none" else name


def reason(name: str | None) -> str:
    """Return the description of a failure reason; an unknown one with spaces for underscores."""
    return (REASONS | NO_JUDGMENT).get(name or "", (name or "no reason given").replace("_", " "))


PLACES = 3
"""The decimals of a figure, in sentences, tables and charts alike."""


def score(value: float | None, places: int = PLACES) -> str:
    """Return a value with a fixed number of decimals; a dash for None."""
    return "–" if value is None else f"{value:z.{places}f}"


def item_score(value: float | None) -> str:
    """Return the score of one item or part with two decimals, as ratings are no finer; a dash for None."""
    return score(value, 2)


def with_interval(estimate: Estimate, places: int = PLACES) -> str:
    """Return an estimate with its interval as text, such as "0.462 [0.263, 0.631]"."""
    if estimate.low is None or estimate.high is None:
        return score(estimate.value, places)
    return f"{score(estimate.value, places)} [{estimate.low:z.{places}f}, {estimate.high:z.{places}f}]"


def mean(value: float | None) -> str:
    """Return a mean of counts with one decimal; "none" for None."""
    return "none" if value is None else f"{value:.1f}"


def rating(value: float | None) -> str:
    """Return a rating as text: integers without decimals, others with two; empty for None."""
    if value is None:
        return ""
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def probabilities(distribution: Mapping[str, float]) -> str:
    """Return a distribution as text, such as "1: .05 · 2: .70 · 3: .25"; empty for an empty one."""
    shares = ((label.replace("_", " "), f"{share:.2f}") for label, share in distribution.items())
    return " · ".join(f"{label}: {share.removeprefix('0')}" for label, share in shares)


def p_value(p: float | None) -> str:
    """Return a p-value with three decimals, "<0.001" below that; empty for None."""
    return "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def count(number: int) -> str:
    """Return an integer with thousands separators: 12,345."""
    return f"{number:,}"


def listed(names: Sequence[str], most: int = 100) -> str:
    """Join names with commas and a final "and"; names beyond ``most`` are only counted."""
    names = [*names[:most], *[f"{len(names) - most} more"] * (len(names) > most)]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def counts(numbers: Mapping[str, int]) -> str:
    """Return names with their numbers: ``first 10, tie 3``."""
    return ", ".join(f"{name} {count(number)}" for name, number in numbers.items())


def money(usd: float | None) -> str:
    """Return an amount in US dollars: two decimals from $0.10, four from $0.001, else two significant
    digits; "unknown" for None.
    """
    if usd is None:
        return "unknown"
    if usd == 0 or usd >= 0.1:
        return f"${usd:,.2f}"
    return f"${usd:.4f}" if usd >= 0.001 else f"${usd:.2g}"


def moment(written: str) -> str:
    """Return an ISO 8601 date and time to the minute, in UTC if it has a time zone; a text that is no date
    is returned unchanged.
    """
    try:
        date = datetime.fromisoformat(written)
    except ValueError:
        return written
    if date.tzinfo is not None:
        date = date.astimezone(UTC)
    return f"{date:%Y-%m-%d %H:%M}" + (" UTC" if date.tzinfo is not None else "")


def seconds(duration: float) -> str:
    """Return a duration in a suitable unit: milliseconds, seconds, minutes or hours."""
    if duration < 60:
        return f"{duration * 1000:.0f} ms" if duration < 1 else f"{duration:.1f} s"
    minutes, rest = divmod(round(duration), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
