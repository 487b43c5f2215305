"""``conqret runs methods``: a methods paragraph and tables for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.printing import at, note, result, tell
from conqret.errors import DeclarationError
from conqret.studies.agreement.command import ComparisonOptions

MARKDOWN, LATEX = ".md", ".tex"


def methods(
    run: Path,
    *,
    labels: Annotated[
        list[Path] | None,
        label_options.label_files("Human labels of the items: agreement is then reported, too."),
    ] = None,
    reading: label_options.LabelReading,
    comparison: ComparisonOptions,
    output: Path | None = None,
    confidence: label_options.Confidence = 0.95,
    overwrite: options.Replace = False,
    json_output: options.Printed = None,
) -> None:
    """Write the methods paragraph and tables of a paper on a run: prompts, models, dates, failures, agreement.

    Paragraphs and tables as Markdown or LaTeX, made from the run's own record. No model is called.

    Args:
        run: The folder of a run of `conqret judge`.
        output (--output, -o): A file: LaTeX (.tex) or Markdown (.md).

    Examples:

    conqret runs methods runs/first

    conqret runs methods runs/first --labels labels.csv --scale 1:3 -o methods.tex
    """
    from conqret.io.safe_files import write_new
    from conqret.studies.card.methods import describe_methods

    if output is not None and output.suffix.lower() not in (MARKDOWN, LATEX):
        raise DeclarationError(f"{output} ends in neither {LATEX} nor {MARKDOWN}; give a file that does")
    read = None if labels is None else reading.load(labels)
    methods_text = describe_methods(run, labels=read, **comparison.settings(confidence=confidence))
    none = ("without --labels the text states no agreement with annotators",)
    note(*(none if read is None else read.notes))
    if output is None:
        text = methods_text.latex() if json_output is False else methods_text.markdown()
        result(methods_text.plain(), [text], as_json=json_output or None)
        return
    text = methods_text.latex() if output.suffix.lower() == LATEX else methods_text.markdown()
    write_new({output: text}, overwrite=overwrite)
    result(methods_text.plain(), [], as_json=json_output)
    tell(at(output))
