"""Functions of a VISA instrument that a definition declares: which commands they send, and what an answer means."""

from __future__ import annotations

import itertools
import math
import re
import string
from collections.abc import Iterator, Mapping
from typing import Any

from ..parameters import declaration_faults
from .values import plain

_KEYS = ("ask", "write", "until", "parameters", "answer", "unit", "pattern", "kind", "desc", "datatype", "simulated")
_ANSWERS = ("str", "int", "float", "bool", "list", "block")
_KINDS = ("effect", "idempotent", "query")
_NO_NUMBER = 9.9e37
"""From here on a number of SCPI means infinity (9.9E37) or not a number (9.91E37): SCPI-99, volume 1, 7.2.1."""
_MOST_QUESTIONS = 256


class VisaFunction:
    """One entry of the init parameter `functions`. Raises ValueError that names what is wrong with it."""

    def __init__(self, name: str, declared: Any) -> None:
        self._where = f"init_parameters.functions.{name}"
        if not isinstance(declared, Mapping):
            raise ValueError(f"{self._where} must have ask or write")
        declared = {key: value for key, value in declared.items() if value is not None}
        unknown = [key for key in declared if key not in _KEYS]
        if unknown:
            raise ValueError(
                f"{self._where} has {', '.join(unknown)}, which means nothing here: possible are {', '.join(_KEYS)}"
            )
        self.name = name
        self.parameters: dict[str, Any] = self._of_type(declared, "parameters", dict, {})
        self.kind = self._one_of(declared, "kind", _KINDS, "effect")
        self.ask: str | None = self._of_type(declared, "ask", str, None)
        written = declared.get("write", [])
        self.writes: list[str] = [written] if isinstance(written, str) else list(written)
        self.until: Mapping[str, Any] = self._of_type(declared, "until", dict, {})
        self.datatype = self._of_type(declared, "datatype", str, "f")
        self.answer = self._one_of(declared, "answer", _ANSWERS, "str")
        self._unit = self._of_type(declared, "unit", str, "")
        self._pattern = self._regular(declared.get("pattern"), "pattern")
        self._desc = self._of_type(declared, "desc", str, "")
        self.simulated: Any = declared.get("simulated")
        self._check_templates()

    @property
    def description(self) -> str:
        texts = [self._desc or (self.ask and f"Asks {self.ask}") or f"Sends {'; '.join(self.writes)}"]
        return f"{texts[0]} ({self._unit})" if self._unit and self.ask is not None else texts[0]

    @property
    def is_block(self) -> bool:
        """Whether the answer is a block of binary numbers of IEEE 488.2."""
        return self.answer == "block"

    @property
    def commands(self) -> list[str]:
        """All texts that are sent, with the names of parameters in braces."""
        return [*self.writes, *([] if self.ask is None else [self.ask]), *([self.until["ask"]] if self.until else [])]

    def filled(self, command: str, given: Mapping[str, Any]) -> str:
        """A command with the values of parameters. Raises ValueError for a value that would be a second command."""
        values = {
            name: _written(given[name] if name in given else spec.get("value"), name)
            for name, spec in self.parameters.items()
        }
        return command.format(**values)

    def parsed(self, text: str) -> Any:
        """What an answer means. Raises RuntimeError if it is not of the declared type."""
        found = text.strip()
        if self._pattern is not None:
            match = self._pattern.search(found)
            if match is None:
                raise RuntimeError(
                    f"{self.name}: the instrument answered {found!r}, which does not match {self._pattern.pattern}"
                )
            found = match.group(match.lastindex or 0)
        try:
            return self._converted(found)
        except ValueError:
            raise RuntimeError(f"{self.name}: the instrument answered {found!r}, which is no {self.answer}") from None

    def is_over(self, answer: str) -> bool:
        """Whether the answer to `until.ask` says that the function has done its work."""
        return re.search(self.until["is"], answer.strip()) is not None

    def questions(self) -> Iterator[str]:
        """All texts that `ask` can become. Raises ValueError if these are too many, or no list."""
        names = [name for name in self.parameters if self.ask is not None and name in fields_of(self.ask)]
        values = [self._values_of(name) for name in names]
        if math.prod(len(each) for each in values) > _MOST_QUESTIONS:
            raise ValueError(
                f"{self._where}.ask can be more than {_MOST_QUESTIONS} questions, which simulate: true cannot answer"
            )
        for row in itertools.product(*values):
            yield self.filled(self.ask or "", dict(zip(names, row)))

    def _values_of(self, name: str) -> list[Any]:
        spec = self.parameters[name]
        if spec["type"] == "choice":
            return list(spec["choices"])
        if spec["type"] == "bool":
            return [False, True]
        if spec["type"] == "int" and "min" in spec and "max" in spec:
            return list(range(spec["min"], min(spec["max"], spec["min"] + _MOST_QUESTIONS) + 1))
        raise ValueError(
            f"{self._where}.ask has {name}, which can have any value, so that simulate: true cannot answer: give {name} choices, or min and "
            "max of an int, or let simulate have devices and resources of pyvisa-sim"
        )

    def _converted(self, text: str) -> Any:
        if self.answer == "str":
            return text
        if self.answer == "bool":
            return _truth(text)
        if self.answer == "int":
            return int(text)
        if self.answer == "list":
            return [_number(each) for each in text.split(",")] if text else []
        return _number(text)

    # What is wrong with a declaration.

    def _check_templates(self) -> None:
        if not all(isinstance(each, str) for each in self.writes) or not (self.writes or self.ask):
            raise ValueError(f"{self._where} must have ask, a text, or write, a text or a list of texts")
        faults = declaration_faults(None, self.parameters)
        if faults:
            raise ValueError(f"{self._where}: {'; '.join(faults)}")
        if self.until:
            self._check_until()
        used = [field for command in self.commands for field in self._checked_fields(command)]
        for field in used:
            if field not in self.parameters:
                raise ValueError(f"{self._where} sends {{{field}}}, which its parameters do not declare")
        for name, spec in self.parameters.items():
            if name not in used:
                raise ValueError(f"{self._where}.parameters declares {name}, which no command sends")
            if spec.get("optional") is True:
                raise ValueError(
                    f"{self._where}.parameters.{name} is optional, but a command sends it: give it a value instead"
                )

    def _check_until(self) -> None:
        if set(self.until) - {"ask", "is", "every"} or not (
            isinstance(self.until.get("ask"), str) and isinstance(self.until.get("is"), (str, int))
        ):
            raise ValueError(
                f"{self._where}.until must have ask, and is, a regular expression, and may have every, in seconds"
            )
        every = self.until.get("every", 0.2)
        if not (isinstance(every, (int, float)) and 0.01 <= every <= 60):
            raise ValueError(f"{self._where}.until.every is {every!r}: it is a number of seconds, from 0.01 to 60")
        self._regular(str(self.until["is"]), "until.is")
        self.until = {"ask": self.until["ask"], "is": str(self.until["is"]), "every": float(every)}

    def _checked_fields(self, command: str) -> list[str]:
        try:
            return fields_of(command)
        except ValueError as error:
            raise ValueError(
                f"{self._where} sends {command!r}: {error}; a brace itself is written {{{{ or }}}}"
            ) from None

    def _regular(self, text: Any, key: str) -> re.Pattern[str] | None:
        try:
            return None if text is None else re.compile(str(text))
        except re.error as error:
            raise ValueError(f"{self._where}.{key} is {text}: that is no regular expression ({error})") from None

    def _of_type(self, declared: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
        value = declared.get(key, default)
        if value is not default and not isinstance(value, kind):
            raise ValueError(f"{self._where}.{key} is {value!r}: it must be a {kind.__name__}")
        return value

    def _one_of(self, declared: Mapping[str, Any], key: str, options: tuple[str, ...], default: str) -> str:
        value = declared.get(key, default)
        if value not in options:
            raise ValueError(f"{self._where}.{key} is {value!r}: it is one of {', '.join(options)}")
        return value


def fields_of(command: str) -> list[str]:
    """The parameters in a template. Only plain names are taken, because more would reach into objects."""
    found: list[str] = []
    for _, field, spec, conversion in string.Formatter().parse(command):
        if field is None:
            continue
        if not field.isidentifier() or conversion or "{" in (spec or ""):
            raise ValueError(f"{{{field}}} is no name of a parameter")
        found.append(field)
    return found


def _written(value: Any, name: str) -> Any:
    """A value as it stands in a command."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, list):
        return ",".join(str(_written(each, name)) for each in value)
    if isinstance(value, str) and (";" in value or not value.isprintable()):
        raise ValueError(f"{name} is {value!r}: a line end or a semicolon would begin a second command")
    return value


def _number(text: str) -> float | None:
    value = float(text)
    return None if abs(value) >= _NO_NUMBER else plain(value)


def _truth(text: str) -> bool:
    known = {"1": True, "ON": True, "TRUE": True, "0": False, "OFF": False, "FALSE": False}
    if text.upper() not in known:
        raise ValueError(text)
    return known[text.upper()]
