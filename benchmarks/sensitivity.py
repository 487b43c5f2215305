"""The curves of the offline judge on real items.

    CONQRET_DATA=… python benchmarks/sensitivity.py -o runs/webis-sensitivity

Judges the forty items of ``webis_items.py``. Their arguments cite nothing, so each gets one made of its own relevant
documents: the first sentence (at least six words) of every relevant document, cited, in document order. Such an
argument is grounded by construction, and its sentences are those of real people.
"""

from __future__ import annotations

import time
from pathlib import Path

from harness import arguments
from webis_items import Label, webis_items

from conqret.data import Item
from conqret.io import open_items
from conqret.llm.client_options import ClientOptions
from conqret.studies.sensitivity.page import write_sensitivity
from conqret.studies.sensitivity.sensitivity_plan import GRID_LEVELS, PerturbationLevels, make_plan
from conqret.studies.sensitivity.sensitivity_study import (
    perturbation_materials,
    run_sensitivity,
    sensitivity_setups,
)
from conqret.text.sentences import sentences

ALONE = ("rag-fine-grained", "static-rubric", "query-rubric", "direct", "citation-support")
SHORTEST = 6
SHARES = ("25%", "50%", "100%")  # the arguments have three to ten cited sentences


def cited(items: list[Item], labels: list[Label]) -> list[Item]:
    """The items with an argument that quotes and cites their relevant documents."""
    relevant = {(label.item, label.document) for label in labels if label.relevant}
    found = []
    for item in items:
        quoted = []
        for place, document in enumerate(item.documents, start=1):
            texts = [f"{span.text.rstrip('.!?;: ')} [{place}]." for span in sentences(document.text)]
            long = [text for text in texts if len(text.split()) > SHORTEST and len(sentences(text)) == 1]
            if (item.id, document.id) in relevant and long:
                quoted.append(long[0])
        found.append(item.model_copy(update={"argument": " ".join(quoted)}))
    return found


def webis(out: Path) -> None:
    """Judge the forty items at all levels; write tables, page and plots."""
    items, labels = webis_items()
    items = cited(items, labels)
    source = open_items(items)
    damages = [
        PerturbationLevels.from_name("irrelevant"),
        PerturbationLevels.from_name("hallucinate", SHARES),
    ]
    damages += [PerturbationLevels.from_name(name) for name in ("shuffle", "wrong-citations", "padding",
                                            "inject-document", "inject-argument", "paraphrase")]  # fmt: skip
    grid = [PerturbationLevels.from_name(name, levels) for name, levels in GRID_LEVELS.items()]
    metrics = ("context_relevance", "predicted_precision", "groundedness", "answer_relevance", "overall_quality",
               "citation_precision", "citation_recall")  # fmt: skip
    setups = sensitivity_setups(source, ALONE, [ClientOptions("offline")], [*damages, *grid], metrics=metrics)
    materials, unable = perturbation_materials(items, [*damages, *grid])
    made = make_plan(items, setups, damages, materials=materials, unable=unable, grid=grid)
    grades: dict[str, dict[str, float]] = {}
    for label in labels:
        grades.setdefault(label.item, {})[label.document] = float(label.relevant)
    began = time.perf_counter()
    results = run_sensitivity(made, out, labels=grades)
    write_sensitivity(results, out)
    print(f"{results.judgments} judgments in {time.perf_counter() - began:.0f} s: {out}")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("runs/webis-sensitivity"))
    webis(parser.parse_args().out)


if __name__ == "__main__":
    main()
