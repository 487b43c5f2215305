"""A decision server that checks every field of what it is sent, in both wires, and the real one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from aiohttp import web

Alter = Callable[[str, dict[str, Any]], Any]


def served(alter: Alter = lambda name, answer: answer, **more: Any) -> Callable[[Any], web.Response]:
    """A server's answer to a body of either wire: the second option always has .7, and the first the most of the rest.

    A body that breaks the format is answered with 422. ``alter`` gets each answer by its question's name.
    """

    def answer(body: Mapping[str, Any]) -> web.Response:
        try:
            if "state" in body:
                answers: Any = _by_name(body, alter)
            else:
                answers = _in_order(body, alter)
        except AssertionError as error:
            detail = [{"loc": ["body", "questions"], "msg": f"broken format: {error}", "type": "value_error"}]
            return web.json_response({"detail": detail}, status=422)
        usage = {"input_tokens": 1000, "output_tokens": 0}
        return web.json_response({"model": body["model"], "answers": answers, "usage": usage} | more)

    return answer


def shares(count: int) -> list[float]:
    return [0.3 - 0.01 * (count - 2), 0.7, *[0.01] * (count - 2)]


def _by_name(body: Mapping[str, Any], alter: Alter) -> dict[str, Any]:
    assert set(body) == {"model", "state", "questions"}
    assert isinstance(body["state"], dict)
    assert body["questions"]
    answers = {}
    for name, question in body["questions"].items():
        assert name
        assert isinstance(question["instructions"], str)
        criteria, kind = question.get("criteria"), question["type"]
        assert set(question) <= {"type", "instructions", "criteria"}
        said: dict[str, Any] = {"type": kind}
        if kind == "noul":
            assert criteria is None or set(criteria) == {"true", "false"}
            said["noul"] = 0.7
        elif kind == "choice":
            assert isinstance(criteria, dict)
            assert 2 <= len(criteria) <= 255
            assert all(meaning is None or isinstance(meaning, str) for meaning in criteria.values())
            probabilities = dict(zip(criteria, shares(len(criteria)), strict=True))
            said |= {"choice": list(criteria)[1], "probabilities": probabilities, "confidence": 0.5}
        else:
            assert kind == "score"
            assert isinstance(criteria, list)
            assert 2 <= len(criteria) <= 10
            levels = [str(level) for level in range(len(criteria))]
            probabilities = dict(zip(levels, shares(len(levels)), strict=True))
            legend = dict(zip(levels, criteria, strict=True))
            said |= {"score": 1.0, "legend": legend, "probabilities": probabilities, "confidence": 0.5}
        answers[name] = alter(name, said)
    return {name: answer for name, answer in answers.items() if answer is not None}


def _in_order(body: Mapping[str, Any], alter: Alter) -> list[Any]:
    assert set(body) == {"model", "input", "questions"}
    assert isinstance(body["input"], str)
    assert 1 <= len(body["questions"]) <= 128
    answers = []
    for question in body["questions"]:
        kind, name = question["type"], question["name"]
        assert isinstance(question["instructions"], str)
        said: dict[str, Any] = {"type": kind, "name": name}
        if kind == "predicate":
            assert set(question) == {"type", "name", "instructions"}
            said["probability"] = 0.7
        else:
            listed, label = ("choices", "value") if kind == "choice" else ("levels", "label")
            assert set(question) == {"type", "name", "instructions", listed}
            options = question[listed]
            assert 2 <= len(options) <= (255 if kind == "choice" else 10)
            assert all({label} <= set(option) <= {label, "description"} for option in options)
            rows = [
                {"value": option[label] if kind == "choice" else place}
                for place, option in enumerate(options)
            ]
            said["probabilities"] = [
                row | {"probability": share} for row, share in zip(rows, shares(len(rows)), strict=True)
            ]
        answers.append(alter(name, said))
    return answers


REAL = """
import http.server, sparrow_decider.cli
class Told(http.server.ThreadingHTTPServer):
    def serve_forever(self):
        print(f"http://127.0.0.1:{self.server_address[1]}", flush=True)
        super().serve_forever()
sparrow_decider.cli.ThreadingHTTPServer = Told
sparrow_decider.cli.main(["serve", "--port", "0"])
"""
"""A program that serves a real decision model, and prints its address."""


@contextmanager
def real_decider() -> Iterator[str]:
    """The address of a real decision model, which is served by a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", REAL], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        yield address
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
