"""One pair at a time, nothing shared, nothing padded: what the scorer must equal."""

from __future__ import annotations

import math

from tests.needed import Needed

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
transformers = Needed("transformers", reason="the extra perplexity is not installed: torch is missing")


class Naive:
    """The paper's equation, and the released script's arithmetic, by the shortest way."""

    def __init__(self, folder: str) -> None:
        self.words = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def context(self, answer: str, asked: str = "{} Please restate.", chat: bool = True) -> list[int]:
        text = asked.format(answer)
        if chat and self.words.chat_template:
            whole = self.words.apply_chat_template(
                [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True
            )
            return self.words(whole, add_special_tokens=False).input_ids
        return self.words(text + "\n").input_ids

    def logs(self, ids: list[int]) -> torch.Tensor:
        """log P of each token but the first."""
        with torch.inference_mode():
            logits = self.model(torch.tensor([ids[:-1]])).logits[0].double()
        return logits.log_softmax(-1).gather(1, torch.tensor(ids)[1:, None])[:, 0]

    def perplexity(self, context: list[int], target: str) -> float:
        wanted = self.words(target, add_special_tokens=False).input_ids
        logs = self.logs(context + wanted)[len(context) - 1 :]
        assert len(logs) == len(wanted)
        return math.exp(-float(logs.mean()))

    def released(self, answer: str, targets: list[str], padding: str = "right") -> list[float]:
        """The released script's batch, with its mask, its padding and its denominator."""
        if self.words.chat_template:
            context = self.words.apply_chat_template([{"role": "user", "content": answer}], tokenize=False)
        else:
            context = answer + self.words.eos_token
        self.words.pad_token, self.words.padding_side = self.words.eos_token, padding
        batch = self.words(
            [context + target for target in targets], return_tensors="pt", padding=True, truncation=True
        )
        masked = len(self.words.encode(context, add_special_tokens=False))
        found = []
        for ids, mask in zip(batch.input_ids, batch.attention_mask, strict=True):
            total, first = 0.0, int(mask.nonzero()[0])
            logs = self.logs(ids[mask.bool()].tolist())
            for place in range(1, len(ids)):
                if mask[place] and place >= masked:
                    total -= float(logs[place - first - 1])
            found.append(math.exp(total / int(mask[1:].sum())))
        return found
