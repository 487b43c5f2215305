"""The subcommands by name: a module is imported when its command is called, and not for the list of them."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from conqret.cli.arguments import with_checks

PANELS: Mapping[str, Mapping[str, str]] = {
    "Judge": {
        "judge": "Judge items: relevance of the evidence, groundedness, quality of the argument, preference.",
        "report": "Write the HTML report of a run or an experiment, and print its summary.",
        "methods": "What a paper has to say of a run: what was asked, of which model, when, how many, what failed, "
        "agreement.",
        "show": "List a run's items; or show the prompts as they were sent for an item, the raw answers, re-asks, "
        "errors, and the scores made of them.",
        "view": "Show a folder of runs in a browser: what each is, its report, prompts and raw answers; read only.",
        "serve": "Judge over HTTP: an item in, a judgment out, one address for each format, described by OpenAPI.",
        "mcp": "Serve an assistant (MCP, over standard input and output): judge, explain a score, compare runs.",
        "diff": "What changed between two runs, or which of two systems the judge finds better: paired, over topics.",
        "formats": "List the formats of the judge, with their metrics, scales and sources.",
        "prompt": "Show the prompts, copy them to change them, and write evaluation steps for g-eval.",
    },
    "Build what is judged": {
        "scrape": "Read debate pages, and fetch the sources that they cite.",
        "corpus": "Make topics, qrels and splits; import the published ConQRet, or passage files.",
        "index": "Index a corpus, by words or by vectors. One of the same corpus and settings is kept, any other "
        "replaced.",
        "retrieve": "Rank the documents of a corpus for its topics, for one side or both, and score the rankings.",
        "generate": "Write an argument for every ranked topic: conclusions, and premises that cite the documents.",
        "run": "Run an experiment from a file: retrieve, rerank, generate, judge, damage and report.",
        "questions": "Choose the questions of a benchmark: without duplicates, and debatable.",
        "curate": "Make a benchmark of debatable questions with partial answers (DebateQA), and check it.",
    },
    "Measure the judge": {
        "agree": "Krippendorff's alpha, Fleiss's kappa and their like among people, with intervals over topics.",
        "validate": "How far a judge agrees with people, beside how far people agree among themselves.",
        "compare": "Which of several judges is closest to people: alphas and their differences on what all scored, "
        "and whether one is shown to win.",
        "jury": "Several judges as one: what their scores together gain over the best of them, and where they differ.",
        "cards": "A leaderboard of judges: their cards side by side, sorted by a measure, with intervals.",
        "frontier": "Which judge to buy: price and time against agreement with people, and who is shown "
        "to be worth more.",
        "calibrate": "Learn what people say where the judge says 0.7: a map for each metric, and what it changes.",
        "abstain": "Choose when a judge should say nothing: a threshold on its confidence, with a promise about "
        "the errors that are left.",
        "components": "Where do a judge's scores differ, and why: topics, items, models, prompts, "
        "samples; and what more of "
        "each buys.",
        "meta": "How far judges rank systems as people do: rank correlations with intervals over topics, tests between "
        "judges, and length beside them.",
        "power": "How many topics and labels are needed: widths of intervals and power, simulated before anything "
        "is paid for.",
        "label": "Draw the items to be labelled: a random sample, spread over topics and the judge's scores.",
        "annotate": "Have people label items on pages of your own, and keep and read what they say.",
        "bias": "Probe a judge for what should not move its scores: order, position, length, false authority, "
        "stance, its own family, and instructions hidden in the texts.",
        "drift": "See whether a judge is still as it was: the same anchors judged on dated occasions, with charts "
        "and alarms.",
        "selftest": "Plant biases of known size into a simulated judge on your items, and see which a bias run "
        "would find.",
        "sensitivity": "Damage the items by known amounts, judge every version, and see which scores follow.",
        "perturb": "Damage items by a known amount: every level of every item, with a record of what "
        "was changed where.",
    },
    "Answers, perspectives and debates": {
        "answer": "Answer questions from what a model knows, from what a search finds, or with an agent that "
        "searches (DebateQA).",
        "score": "Measure answers to debatable questions: how many perspectives they hold, whether they say so.",
        "rank": "Rank systems by the weighted mean of both metrics (DebateQA, Equation 4); equal scores "
        "share a rank.",
        "perspectives": "Make questions with perspectives, say which documents contain them, and how "
        "many rankings show.",
        "debate": "Debates: hold them, see whether texts keep to their side and what to train on, and whether a "
        "debate helps who judges.",
    },
    "Tools": {
        "runs": "List runs, move them, bring their answers into one store, and remove what nobody needs.",
        "recordings": "Export, import and look at recorded answers.",
        "doctor": "Check the installation: versions, extras, keys (only whether they are set), token "
        "tables, a model.",
    },
}
"""What each command does, as its own help begins, under the headings of the help and in the order of the work:
listing them imports none of them."""

MARKUP: Final = "markdown"
"""What helps are written in, those of the groups' subcommands too: a terminal shows what is in backquotes as code."""

COMMANDS = {name: told for panel in PANELS.values() for name, told in panel.items()}


HOMES: Mapping[str, str] = {
    "judge": "judging.command",
    "report": "experiments.report_command",
    "methods": "studies.card.methods_command",
    "show": "judging.show_command",
    "view": "serve.view_command",
    "serve": "serve.command",
    "mcp": "serve.mcp_command",
    "diff": "studies.diff.command",
    "formats": "cli.format_list",
    "prompt": "cli.prompt_command",
    "scrape": "scrapers.command",
    "corpus": "scrapers.corpus_command",
    "index": "retrieval.index_command",
    "retrieve": "retrieval.command",
    "generate": "generation.command",
    "run": "experiments.command",
    "questions": "debateqa.curation.questions_command",
    "curate": "debateqa.curation.command",
    "agree": "studies.agreement.command",
    "validate": "studies.validate.command",
    "compare": "studies.compare.command",
    "jury": "studies.jury.command",
    "cards": "studies.leaderboard.command",
    "frontier": "studies.compare.frontier_command",
    "calibrate": "studies.calibrate.command",
    "abstain": "studies.abstain.command",
    "components": "studies.variance.command",
    "meta": "studies.systems.command",
    "power": "studies.power.command",
    "label": "labels.command",
    "annotate": "labels.annotate_command",
    "bias": "studies.bias.command",
    "drift": "studies.drift.command",
    "selftest": "studies.power.selftest_command",
    "sensitivity": "studies.sensitivity.command",
    "perturb": "perturb.command",
    "answer": "debateqa.answering.command",
    "score": "debateqa.scores.command",
    "rank": "debateqa.rank_command",
    "perspectives": "perspectives.command",
    "debate": "debate.command",
    "runs": "cli.runs_command",
    "recordings": "cli.recordings_command",
    "doctor": "cli.doctor",
}
"""The module of each command, within the package."""


MEANT: Mapping[str, str] = {
    "eval": "judge", "scor": "judge", "rate": "judge", "rating": "judge", "grade": "judge", "grading": "judge",
    "assess": "judge", "measure": "judge", "metric": "formats", "agreement": "agree", "alpha": "agree",
    "kappa": "agree", "experiment": "run", "search": "retrieve", "rerank": "retrieve", "ui": "view",
    "dashboard": "view", "server": "serve", "api": "serve", "leaderboard": "cards", "ensemble": "jury",
    "monitor": "drift", "threshold": "abstain",
}  # fmt: skip
"""How what people type begins whom other tools have taught other words, and the command that they mean."""


def meant(name: str) -> str | None:
    """The command that another word for it stands for: ``eval``, ``evaluate`` and ``score-items`` are ``judge``."""
    parts = name.lower().replace("_", "-").split("-")
    return next((command for part in parts for word, command in MEANT.items() if part.startswith(word)), None)


class Commands(TyperGroup):
    """The group of all commands. Each has a module (:data:`HOMES`) with a function of its name and an ``EPILOG``, or
    with several in its ``app``."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Loaded(dict.fromkeys(COMMANDS))
        self._listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order in which they are told."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, or while all are listed what stands for it."""
        if self._listing:
            panel = next(panel for panel, names in PANELS.items() if cmd_name in names)
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name], rich_help_panel=panel)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first argument; where there is none, an error names the one that is meant."""
        if args and args[0] not in self.commands and (command := meant(args[0])) is not None:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{command}'?")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, for which no command is imported."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


class _Loaded(UserDict[str, Any]):
    """Commands by name; each is made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is None:
            self.data[name] = _made(name)
        return self.data[name]


def _made(name: str) -> Any:
    module = import_module(f"conqret.{HOMES[name]}")
    if hasattr(module, "app"):
        module.app.rich_markup_mode = MARKUP
        with_checks(module.app)
        command: Any = typer.main.get_group(module.app)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode=MARKUP)
        alone.command(name, epilog=module.EPILOG)(getattr(module, name))
        with_checks(alone)
        command = typer.main.get_command(alone)
    command.name = name
    return command
