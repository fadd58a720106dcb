"""A simulation of an instrument that answers what its functions declare."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .visa_functions import VisaFunction, fields_of

_DEFAULTS = {"float": "0", "int": "0", "bool": "0", "list": "0", "str": "simulated"}


def twin_of(
    resource: str, functions: Iterable[VisaFunction], identity: str, errors: str, commands: Iterable[str]
) -> dict[str, Any]:
    """A definition of pyvisa-sim. A question such as `VOLT?` is answered with what a command `VOLT {volts}` has set.

    `commands` are sent without an answer. A command that nothing declares is an entry of the error queue. Raises ValueError for what
    pyvisa-sim cannot simulate.
    """
    functions = list(functions)
    dialogues: dict[str, dict[str, str]] = {command: {"q": command} for command in commands}
    properties: dict[str, dict[str, Any]] = {}
    if identity:
        dialogues["*IDN?"] = {"q": "*IDN?", "r": identity}
    for function in functions:
        for command in function.writes:
            _add_command(command, properties, dialogues)
    for function in functions:
        _add_questions(function, properties, dialogues)
    device: dict[str, Any] = {
        "delimiter": "",
        "eom": {_interface_of(resource): {"q": "\n", "r": "\n"}},
        "dialogues": list(dialogues.values()),
        "properties": properties,
    }
    if errors:
        queue = {"q": errors, "default": '0,"No error"', "command_error": '-113,"Undefined header"'}
        device["error"] = {"error_queue": [queue]}
    return {"devices": {"twin": device}, "resources": {resource: {"device": "twin"}}}


def _add_command(command: str, properties: dict[str, Any], dialogues: dict[str, Any]) -> None:
    if not fields_of(command):
        dialogues[command] = {"q": command}
        return
    # pyvisa-sim reads the values back with the same braces.
    pattern = re.sub(r"\{\w+(?::[^}]*)?\}", "{}", command)
    properties.setdefault(pattern, {"default": "0", "setter": {"q": pattern}})


def _add_questions(function: VisaFunction, properties: dict[str, Any], dialogues: dict[str, Any]) -> None:
    if function.until:
        # A pattern such as ^0$ says by itself what the instrument answers at the end.
        expected = function.until["is"].removeprefix("^").removesuffix("$")
        if not function.is_over(expected):
            raise ValueError(
                f"init_parameters.functions.{function.name}.until.is is {function.until['is']}: simulate: true cannot tell what the instrument "
                "answers at the end: let simulate have devices and resources of pyvisa-sim"
            )
        dialogues[function.until["ask"]] = {"q": function.until["ask"], "r": expected}
    if function.ask is None:
        return
    if function.is_block:
        raise ValueError(
            f"init_parameters.functions.{function.name} answers a block, which pyvisa-sim cannot simulate: leave it out with only"
        )
    setter = properties.get(f"{function.ask[:-1]} {{}}") if function.ask.endswith("?") else None
    answer = function.simulated
    if setter is not None:
        setter["getter"] = {"q": function.ask, "r": "{}"}
        setter["default"] = _text_of(function, answer)
        return
    for question in function.questions():
        dialogues[question] = {"q": question, "r": _text_of(function, answer)}


def _text_of(function: VisaFunction, answer: Any) -> str:
    if answer is None:
        return _DEFAULTS[function.answer]
    if isinstance(answer, bool):
        return str(int(answer))
    return ",".join(str(each) for each in answer) if isinstance(answer, list) else str(answer)


def _interface_of(resource: str) -> str:
    from pyvisa import rname  # type: ignore[import-not-found]

    try:
        name = rname.ResourceName.from_string(resource)
    except rname.InvalidResourceName as error:
        raise ValueError(f"init_parameters.arguments.resource_name is {resource}: {error}") from None
    return f"{name.interface_type} {name.resource_class}"
