"""How well sentences and the language of a text are found, in ten languages and more, against kept libraries.

Sentences: the 50 texts of fixtures/languages/sentences.jsonl; a text counts where all of its sentences are right. The
rules of conqret were made with the 25 of the set `rules`, not with those held out. Language: the texts of the 120 items
of fixtures/languages/items.jsonl, whole, by sentence, and by the first three words of each sentence (six characters in
Chinese and Japanese). A library that is not installed is left out.

    python -m pip install pysbd blingfire lingua-language-detector   # what it is compared with, none of it needed
    python benchmarks/languages.py
"""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from conqret.text.language import language_of
from conqret.text.sentences import sentences

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "languages"
WHOLE_SPACES = frozenset({"zh", "ja"})

Split = Callable[[str, str], Sequence[str]]
Identify = Callable[[str], str]


def rows(name: str) -> list[dict[str, Any]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def splitters() -> Iterator[tuple[str, Split]]:
    yield "conqret", lambda language, text: [span.text for span in sentences(text)]
    for name in ("sentencex", "pysbd", "blingfire"):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        if name == "sentencex":
            yield name, library.segment
        elif name == "pysbd":
            known = importlib.import_module("pysbd.languages").LANGUAGE_CODES

            def split(language: str, text: str, library: Any = library, known: Any = known) -> list[str]:
                code = language if language in known else "en"
                return list(library.Segmenter(language=code, clean=False).segment(text))

            yield name, split
        else:
            yield name, lambda language, text, library=library: library.text_to_sentences(text).split("\n")


def identifiers() -> Iterator[tuple[str, Identify]]:
    yield "conqret, script and function words", lambda text: language_of(text, model=False)
    try:
        importlib.import_module("py3langid")
    except ImportError:
        pass
    else:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
        yield "conqret, with py3langid", language_of
        yield "py3langid alone", lambda text: str(model.classify(text)[0])
    try:
        lingua = importlib.import_module("lingua")
    except ImportError:
        return
    builder = lingua.LanguageDetectorBuilder.from_all_languages()
    for name, detector in (
        ("lingua", builder.build()),
        ("lingua, low accuracy", builder.with_low_accuracy_mode().build()),
    ):

        def identify(text: str, detector: Any = detector) -> str:
            found = detector.detect_language_of(text)
            return found.iso_code_639_1.name.lower() if found else ""

        yield name, identify


def main() -> None:
    cases = rows("sentences.jsonl")
    for name, split in splitters():
        right = dict.fromkeys(("rules", "held-out"), 0)
        for case in cases:
            found = [stripped for part in split(case["language"], case["text"]) if (stripped := part.strip())]
            right[case["set"]] += found == case["sentences"]
        print(f"sentences  {name:36}" + "".join(f"  {part}: {count} of 25" for part, count in right.items()))
    items = [
        (row["language"], row["topic"], row["argument"], row["documents"]) for row in rows("items.jsonl")
    ]
    texts = [
        (code, text)
        for code, _, argument, documents in items
        for text in (argument, *(d["text"] for d in documents))
    ]
    single = [(code, span.text) for code, text in texts for span in sentences(text, code)]
    short = [
        (code, text[:6] if code in WHOLE_SPACES else " ".join(text.split()[:3])) for code, text in single
    ]
    sets = {"texts": texts, "questions": [(code, topic) for code, topic, _, _ in items]}
    sets |= {"sentences": single, "three words": short}
    for name, identify in identifiers():
        identify("This is read once, so that loading a model does not count.")
        for part, pairs in sets.items():
            start = time.process_time()
            found = [identify(text) for _, text in pairs]
            spent = (time.process_time() - start) / len(pairs) * 1000
            right = sum(code == one for (code, _), one in zip(pairs, found, strict=True)) / len(pairs)
            none = found.count("") / len(pairs)
            print(
                f"language   {name:36}  {part} ({len(pairs)}): {right:.1%} right, {none:.1%} none, {spent:.2f} ms"
            )


if __name__ == "__main__":
    main()
