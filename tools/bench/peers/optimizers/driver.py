"""Plays campaigns with the optimizers of others, one after the other.

Reads one JSON object a line from the standard input and answers each with one on the standard output:

- `begin` with the method and the problem answers `{}`, or `cannot` with the reason;
- `report` with rows and their results answers `{}`;
- `propose` with a number answers `rows` and `cpu_s`, the seconds of processor time;
- `expect` answers `expected`: what the model expects of every output at each reported row, or null without a model.

An answer with `error` ends the campaign, but not the program.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
import warnings

METHODS = {
    "botorch": ("botorch_method", "BotorchMethod"),
    "ax": ("ax_method", "Ax"),
    "bofire": ("bofire_method", "Bofire"),
    "optuna": ("optuna_method", "Optuna"),
    "optuna_gp": ("optuna_method", "OptunaGp"),
    "skopt": ("skopt_method", "Skopt"),
}
"""Of each method the module and the class. A module is imported with its first campaign."""


def main() -> None:
    # Libraries print. Only answers go to the standard output.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    method = None
    for line in sys.stdin:
        question = json.loads(line)
        try:
            if question["ask"] == "begin":
                method, answer = begin(question), {}
            else:
                assert method is not None, "no campaign has begun"
                answer = answered(method, question)
        except Cannot as error:
            answer = {"cannot": str(error)}
        except Exception as error:  # noqa: BLE001
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class Cannot(Exception):
    """The library cannot play the problem."""


def begin(question: dict) -> object:
    """Makes a method for a problem."""
    from svc_lab.domain import Invalid

    file, name = METHODS[question["method"]]
    made = getattr(importlib.import_module(file), name)
    try:
        return made(question)
    except Invalid as error:
        raise Cannot(str(error)) from None
    except NotImplementedError as error:
        raise Cannot(str(error)) from None


def answered(method: object, question: dict) -> dict:
    if question["ask"] == "report":
        method.report(question["rows"], question["results"])
        return {}
    if question["ask"] == "propose":
        before = time.process_time()
        rows = method.propose(question["count"])
        return {"rows": rows, "cpu_s": time.process_time() - before}
    if question["ask"] == "expect":
        return {"expected": method.expected()}
    raise ValueError(f"{question['ask']!r} is no question")


if __name__ == "__main__":
    main()
