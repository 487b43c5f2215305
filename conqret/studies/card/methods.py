"""Methods paragraphs and tables of a paper on a run: judge, model, dates, counts, failures, agreement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.data.judgment import TopicKeys
from conqret.errors import strict_options
from conqret.io.labels import Labels
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.page import judge_here
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import cost, coverage, metric_names, metric_table, reason_rows
from conqret.show import words
from conqret.show.markup import PREAMBLE, escaped, safe, tables_latex, tables_markdown
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings
from conqret.studies.validate.page import validation_tables
from conqret.studies.validate.result import Validation
from conqret.studies.validate.validate import ValidationResult, validate
from conqret.studies.variance.result import repeatability_table


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods section of a paper: paragraphs by title, and tables."""

    paragraphs: Mapping[str, str]
    tables: tuple[Table, ...]

    def markdown(self) -> str:
        """Return the paragraphs and tables as Markdown."""
        return "\n\n".join([*map(safe, self.paragraphs.values()), tables_markdown(self.tables)])

    def latex(self) -> str:
        """Return the paragraphs and tables as LaTeX, for inclusion in a document."""
        paragraphs = [rf"\paragraph{{{name}.}} {escaped(text)}" for name, text in self.paragraphs.items()]
        return "\n\n".join([PREAMBLE, *paragraphs, tables_latex(self.tables)]) + "\n"

    def plain(self) -> dict[str, object]:
        """Return the paragraphs and tables as dictionaries and lists."""
        tables = [
            {"title": one.title, "header": one.header, "rows": [*one.rows, *one.foot], "note": one.note}
            for one in self.tables
        ]
        return {"paragraphs": dict(self.paragraphs), "tables": tables}


@strict_options
def describe_methods(
    run: str | Path,
    *,
    labels: Labels | None = None,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
) -> Methods:
    """Write the methods paragraphs and tables of a paper on a run: prompts, models, dates, failures,
    agreement.

    Args:
        run: the folder of a run of ``conqret judge``, finished or not.
        labels: human labels of the items; agreement is then reported, too.
        metrics: the metric of each dimension, where the names differ.
        settings: how agreement is measured.

    Raises:
        DeclarationError: there is no run.
    """
    folder = JudgeFolder(Path(run))
    record, summary = folder.record(), folder.so_far()
    topics = TopicKeys.from_judged(folder.judgments()).count
    found = None if labels is None else validate(run, labels=labels, metrics=metrics, settings=settings)
    return methods(record, summary, topics, found)


def methods(
    record: JudgeRecord, summary: Summary, topics: int, found: ValidationResult | None = None
) -> Methods:
    """Return the methods paragraphs and tables of a run, finished or not.

    If a validation is given as ``found``, they also report agreement with annotators and the known limits.
    """
    paragraphs = {"Judge": " ".join(_judge(record, topics)), "Scores": " ".join(_scores(summary))}
    scores = metric_table(summary)
    tables = [Table(f"Scores in [0, 1] of {record.model}", scores.columns, scores.rows, note=scores.note)]
    if summary.reasons:
        columns = (Column("missing because", "text"), "items", Column("for example", "text"))
        rows = reason_rows(summary.reasons, summary.examples)
        tables.append(Table("Missing scores", columns, rows))
    if found is not None:
        paragraphs["Agreement"] = " ".join(_agreement(found.validation))
        _, main, *_ = validation_tables(found.validation)  # the first holds verdicts, no figures of a paper
        tables.append(main)
        tables += [repeatability_table(rows) for rows in [found.card.repeatability] if rows]
        paragraphs["Limits"] = " ".join(found.card.limits)
    return Methods(paragraphs, tuple(tables))


def _judge(record: JudgeRecord, topics: int) -> Iterator[str]:
    known, judge = record.identity, judge_here(record)
    yield (
        f"{words.number(record.items_count, 'item')} on {words.number(topics, 'topic')} ({record.items_name}, sha256 "
        f"{record.items_digest[:16]}) were judged by {record.model} with the format {record.format} of conqret "
        f"{record.conqret}, beginning on {record.created[:10]}."
    )
    if record.items_left_out:
        yield f"{words.number(record.items_left_out, 'further item')} had faults and took no part."
    if record.baseline:
        yield "This is conqret's lexical baseline and not a judge."
    if judge is not None:
        yield f"It measures {judge.summary}. Scale: {judge.scale}. Score: {judge.score}. Source: {judge.source}."
    yield f"Requested metrics: {metric_names(record.metrics)}."
    if "predicted_precision" in record.metrics and "relevant_from" in known:
        yield f"A document counts towards predicted precision from the rating {known['relevant_from']}."
    samples = known.get("samples")
    if samples is not None:
        sent, mean = ("once", "") if samples == 1 else (f"{samples} times", ", and the mean counts")
        yield f"Each request was sent {sent}, at temperature {known.get('temperature')}{mean}."
    if known.get("max_tokens") is not None:
        yield f"Answers had room for {words.count(known['max_tokens'])} tokens."
    prompts = [
        " ".join(pair).removeprefix("prompt ") for pair in known.items() if pair[0].startswith("prompt ")
    ]
    if prompts:
        yield f"Prompts, by their digests: {', '.join(prompts)}."
    yield f"The fingerprint of this judge configuration is {record.fingerprint}."


def _scores(summary: Summary) -> Iterator[str]:
    yield f"{coverage(summary)}."
    if summary.scored < summary.every:
        yield "Missing scores enter no mean; in the worst and best case each of them is 0 or 1."
    used = summary.usage
    yield (
        f"This took {words.number(used.calls + used.recorded, 'request')}, {words.count(used.prompt_tokens)} tokens of "
        f"prompts and {words.count(used.completion_tokens)} of answers, {words.seconds(used.seconds)} of the model's "
        f"time; cost: {cost(used)}."
    )


def _agreement(validation: Validation) -> Iterator[str]:
    rows, average, basis = list(validation.dimensions.values()), validation.average, validation.basis
    people = len({name for row in rows for name in row.names})
    by = "one annotator" if people == 1 else f"{words.count(people)} annotators"
    yield (
        f"{words.number(validation.join.items, 'item')} had labels by {by} ({basis.labels}), on "
        f"{words.number(len(rows), 'dimension')}."
    )
    for scale, target, onto in dict.fromkeys((row.scale, row.target, row.onto) for row in rows):
        yield f"Labels: {scale}. The judge is compared with {target}, and placed on their scale: {onto}."
    yield f"Agreement is Krippendorff's alpha, with {basis.intervals}."
    if average.dimensions:
        first, *others = average.dimensions
        of = f"In the mean of {len(others) + 1} dimensions" if others else f"On {words.label(first).lower()}"
        among = _among(average.inter_annotator_alpha)
        yield f"{of} alpha is {average.judge['mean']} between judge and annotators{among}."
        annotator, judge = average.one_annotator_alpha, average.judge_as_annotator_alpha
        if annotator.value is not None:
            yield f"One annotator reaches {annotator} with the others, and the judge {judge}."
    for row in rows:
        if row.dimension not in average.dimensions:
            dimension = words.label(row.dimension).lower()
            among = _among(row.inter_annotator_alpha)
            yield f"On {dimension} alpha is {row.alpha} between judge and annotators{among}."
    if people == 1:
        yield "One annotator labeled, so nothing is known of how far annotators agree."
    yield f"{validation.coverage:.1%} of the labeled units have a score."


def _among(alpha: Estimate) -> str:
    return "" if alpha.value is None else f", and {alpha} among annotators"
