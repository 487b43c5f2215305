"""conqret judges retrieval-augmented arguments with LLMs, and measures how far the judge can be trusted.

    from conqret import Item, judge
    result = judge(items, format="rag-fine-grained", model="offline")

Names are imported when they are first used, so that ``import conqret`` costs next to nothing.

Modules of the package itself; ``docs/architecture.md`` says what each folder has:

- ``errors``: the errors that conqret raises, faults in input files, "did you mean"
- ``_optional``: the message that names the missing extra
- ``options``: options as fields of dataclasses, their help from docstrings, the checks of ranges and choices
- ``registry``: judges, backends, perturbations and the like by name: a module each, and plug-ins by entry points
- ``pytest_plugin``: fixtures and assertions for tests (``conqret_judge``, ``assert_falls``)
- ``__main__``: ``python -m conqret``; ``_version``: the version
"""

from __future__ import annotations

import functools
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret._version import __version__ as __version__

if TYPE_CHECKING:
    from conqret.data import Document as Document
    from conqret.data import Item as Item
    from conqret.data import Judgment as Judgment
    from conqret.data import Measure as Measure
    from conqret.data.criterion import Criterion as Criterion
    from conqret.debate.debatune.debate_run import hold_debates as hold_debates
    from conqret.debate.debatune.debater_training import tune_debater as tune_debater
    from conqret.debate.debatune.manual_inspection import sample_statements as sample_statements
    from conqret.debate.debatune.manual_inspection import statement_agreement as statement_agreement
    from conqret.debate.debatune.statement_filters import debate_training_data as debate_training_data
    from conqret.debate.debatune.statement_filters import filter_statements as filter_statements
    from conqret.debate.debatune.statement_filters import two_sided_topics as two_sided_topics
    from conqret.debate.debatune.statement_run import write_statements as write_statements
    from conqret.debate.debatune.statement_scores import controllability as controllability
    from conqret.debate.debatune.statement_scores import response_quality as response_quality
    from conqret.debate.two_turn.anova import debate_anova as debate_anova
    from conqret.debate.two_turn.debate_judge import judge_debates as judge_debates
    from conqret.debate.two_turn.debate_writing import write_debates as write_debates
    from conqret.debate.two_turn.outcomes import debate_outcomes as debate_outcomes
    from conqret.debate.two_turn.slider_answers import payoffs as payoffs
    from conqret.debate.two_turn.text_grades import grade_counter_arguments as grade_counter_arguments
    from conqret.debate.two_turn.text_grades import summarize_annotations as summarize_annotations
    from conqret.debate.two_turn.two_turn_files import read_two_turn as read_two_turn
    from conqret.debate.two_turn.writer_scores import score_writers as score_writers
    from conqret.debateqa.answer_scores import score_awareness as score_awareness
    from conqret.debateqa.answer_scores import score_baselines as score_baselines
    from conqret.debateqa.answer_scores import score_diversity as score_diversity
    from conqret.debateqa.answering.answering_run import answer as answer
    from conqret.debateqa.curation.benchmark import curate_benchmark as curate_benchmark
    from conqret.debateqa.curation.benchmark_checks import benchmark_coverage as benchmark_coverage
    from conqret.debateqa.curation.benchmark_checks import benchmark_duplicates as benchmark_duplicates
    from conqret.debateqa.curation.benchmark_checks import missed_viewpoints as missed_viewpoints
    from conqret.debateqa.curation.benchmark_figures import benchmark_domains as benchmark_domains
    from conqret.debateqa.curation.benchmark_figures import benchmark_relevance as benchmark_relevance
    from conqret.debateqa.curation.benchmark_figures import remove_partial_answers as remove_partial_answers
    from conqret.debateqa.curation.check_verdicts import debatable_questions as debatable_questions
    from conqret.debateqa.curation.deduplication import dedupe as dedupe
    from conqret.debateqa.curation.deduplication import draw_question_pairs as draw_question_pairs
    from conqret.debateqa.curation.deduplication import duplicate_threshold as duplicate_threshold
    from conqret.debateqa.human_alignment import correlate as correlate
    from conqret.debateqa.stability import metric_stability as metric_stability
    from conqret.debateqa.standings import rank_systems as rank_systems
    from conqret.errors import ConqretError as ConqretError
    from conqret.errors import DeclarationError as DeclarationError
    from conqret.errors import ExecutionError as ExecutionError
    from conqret.errors import ItemsError as ItemsError
    from conqret.experiments.experiment import run as run
    from conqret.experiments.page import report_run as report_run
    from conqret.generation.generation_run import generate as generate
    from conqret.judging.judge import ajudge as ajudge
    from conqret.judging.judge import judge as judge
    from conqret.judging.judgments import Judgments as Judgments
    from conqret.judging.recorded_requests import recorded_requests as recorded_requests
    from conqret.labels.exporting import export_labels as export_labels
    from conqret.labels.sampling import sample_items as sample_items
    from conqret.llm.client_options import ClientOptions as ClientOptions
    from conqret.perspectives.detection_study import apply_detector as apply_detector
    from conqret.perspectives.detection_study import detect as detect
    from conqret.perspectives.detector_tuning import tune_detector as tune_detector
    from conqret.perspectives.own_corpora import collect_corpora as collect_corpora
    from conqret.perspectives.perspective_scores import score_perspectives as score_perspectives
    from conqret.perspectives.perspectives_run import make_perspectives as make_perspectives
    from conqret.perspectives.perspectives_run import perspective_errors as perspective_errors
    from conqret.perturb.perturbing import write_perturbations as write_perturbations
    from conqret.retrieval.corpus_index import build_index as build_index
    from conqret.retrieval.ranking_evaluation import evaluate_rankings as evaluate_rankings
    from conqret.retrieval.retrieve import retrieve as retrieve
    from conqret.runs.management import list_runs as list_runs
    from conqret.runs.management import prune_runs as prune_runs
    from conqret.runs.session import Session as Session
    from conqret.runs.shared_recordings import export_recordings as export_recordings
    from conqret.runs.shared_recordings import import_recordings as import_recordings
    from conqret.scrapers.corpus_building import import_passages as import_passages
    from conqret.scrapers.corpus_building import import_release as import_release
    from conqret.scrapers.corpus_building import make_corpus as make_corpus
    from conqret.scrapers.corpus_collecting import collect_debates as collect_debates
    from conqret.scrapers.corpus_collecting import collect_evidence as collect_evidence
    from conqret.scrapers.corpus_collecting import inspect_debate_page as inspect_debate_page
    from conqret.scrapers.corpus_collecting import list_debate_pages as list_debate_pages
    from conqret.studies.abstain.fit_abstention import abstain as abstain
    from conqret.studies.agreement.annotator_agreement import agreement as agreement
    from conqret.studies.bias.bias_run import bias as bias
    from conqret.studies.calibrate.fit_calibration import calibrate as calibrate
    from conqret.studies.card.methods import describe_methods as describe_methods
    from conqret.studies.check.api import check as check
    from conqret.studies.compare.compare_judges import compare as compare
    from conqret.studies.diff.difference import diff as diff
    from conqret.studies.drift.result import drift as drift
    from conqret.studies.improve.improve_study import improve as improve
    from conqret.studies.jury.jury_run import jury as jury
    from conqret.studies.power.bias_power import power_bias as power_bias
    from conqret.studies.power.sample_sizes import power_agreement as power_agreement
    from conqret.studies.power.sample_sizes import power_difference as power_difference
    from conqret.studies.sensitivity.sensitivity_study import sensitivity as sensitivity
    from conqret.studies.systems.meta_evaluation import systems as systems
    from conqret.studies.tournament.tournament_power import power_tournament as power_tournament
    from conqret.studies.tournament.tournament_run import tournament as tournament
    from conqret.studies.validate.validate import validate as validate
    from conqret.studies.variance.result import variance as variance
    from conqret.suites.suite_fetch import fetch_suite as fetch_suite
    from conqret.suites.suite_report import suite_report as suite_report
    from conqret.suites.suite_run import run_suite as run_suite

_PUBLIC = re.compile(r"^    from (conqret\.\S+) import (\w+) as \2$", re.MULTILINE)

# In a checkout, judges/, prompts/ and scrapers/ lie next to this package and not inside it. An installed copy that
# this folder hides (the checkout's root on sys.path) would lack them, so the root joins the search path.
_ROOT = Path(__file__).resolve().parent.parent
if (_ROOT / "pyproject.toml").is_file() and str(_ROOT) not in __path__:
    __path__.append(str(_ROOT))


@functools.cache
def _homes() -> dict[str, str]:
    """Return the module of each public name: the imports above, for type checkers, are the one list of them. Nothing
    else is public, and docs/api.md says what of it is stable."""
    return {name: home for home, name in _PUBLIC.findall(Path(__file__).read_text(encoding="utf-8"))}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_homes())
    if home := _homes().get(name):
        return getattr(import_module(home), name)
    raise AttributeError(f"module 'conqret' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_homes(), "__version__"])
