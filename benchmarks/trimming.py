"""How long it takes to cut ten documents of 100,000 tokens, and three examples, to a model's window.

    python benchmarks/trimming.py [--rounds 5]

The texts are varied words (a text that repeats itself is tokenised faster than a real one). Each round makes the
whole prompt of ``conqret generate arguments``: fill, count, cut, fill again, count again. The bar of the project is 1
s.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from dataclasses import dataclass

from conqret.data import Document
from conqret.generation.budget import BudgetedQuestion
from conqret.generation.examples import Example, Expert
from conqret.llm.tokens import count_tokens
from conqret.prompts import Library

WINDOW = 128_000
"""Tokens: gpt-4o-mini's, which the paper names (ConQRet, section 3.2.2)."""

TOKENS, DOCUMENTS = 100_000, 10
EXAMPLE_TOKENS, EXAMPLES = 10_000, 3

_SYLLABLES = "ba con de es fo gra hi in jo ka lu men ne or pre qui ro sta ti un ver wi ex yo za".split()


@dataclass(frozen=True)
class Window:
    """A model's window, as a client has it."""

    context_window: int | None = WINDOW
    model_id: str = "gpt-4o-mini"

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text``."""
        return count_tokens(text)


def document(name: str, tokens: int, rng: random.Random) -> Document:
    """A document of about so many tokens, in sentences of invented words among common ones."""
    common = "the of and to in that it was for on are with as they be at one have this from by".split()
    invented = ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(5_000)]
    words: list[str] = []
    while len(words) < tokens * 0.6:
        sentence = [
            rng.choice(common if rng.random() < 0.45 else invented) for _ in range(rng.randint(8, 30))
        ]
        words += [sentence[0].title(), *sentence[1:-1], sentence[-1] + "."]
    text = " ".join(words)
    share = tokens / count_tokens(text)
    return Document(
        id=name, text=" ".join(words[: int(len(words) * min(1.0, share))]), title=f"Document {name}"
    )


def main() -> None:
    """Print the times of all rounds, and what was cut."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    rng = random.Random(13)
    documents = [document(f"d{n}", TOKENS, rng) for n in range(DOCUMENTS)]
    expert = Expert("example", "Are trams good?", "pro", (("They are", ("Riders doubled [1].",)),), ("e1",))
    examples = [Example(expert, (document(f"e{n}", EXAMPLE_TOKENS, rng),)) for n in range(EXAMPLES)]
    whole = sum(count_tokens(one.text) for one in (*documents, *(d for e in examples for d in e.documents)))
    prompt = Library()["generate/pro"]
    question = BudgetedQuestion(prompt, "Should trams be free?", "pro", documents, examples)
    question.bare()
    times, busy = [], []
    fitted = None
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        fitted = question.fitted(Window())
        times.append(time.perf_counter() - began)
        busy.append(time.process_time() - worked)
    if fitted is None or fitted.tokens is None:
        raise SystemExit("the prompt did not fit")
    shares = [trim.after / trim.before for trim in fitted.trims]
    print(f"{whole:,} tokens of documents cut to a prompt of {fitted.tokens:,} (window {WINDOW:,})")
    print(f"share kept: {min(shares):.4f} to {max(shares):.4f}, {len(shares)} documents")
    print(f"seconds: median {statistics.median(times):.2f} ({', '.join(f'{one:.2f}' for one in times)})")
    print(f"of the processor: median {statistics.median(busy):.2f}")


if __name__ == "__main__":
    main()
