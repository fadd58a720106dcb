"""Keeps API keys out of everything that leaves the process of an optimizer, as `libs/sdk/src/hosts/concealment.ts`."""

from __future__ import annotations

import re

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CONCEALED = "***"
SECRET_NAME = re.compile(r"(^|_)api_key$", re.IGNORECASE)
"""Names of argument fields, at any depth, and of environment variables that hold a secret."""
SHORTEST = 6
"""Shorter texts are not concealed, because they would also match texts that are no secret."""


class Concealment:
    def __init__(self, environment: Mapping[str, str]) -> None:
        """Variables named `..._API_KEY` are secrets."""
        self._secrets: list[str] = []
        self.learn(dict(environment))

    def learn(self, value: Any) -> None:
        """Takes every text in fields named `api_key` or `..._api_key` as a secret from now on."""
        if isinstance(value, list):
            for each in value:
                self.learn(each)
        elif isinstance(value, dict):
            for key, each in value.items():
                if not isinstance(each, str):
                    self.learn(each)
                elif SECRET_NAME.search(key) and len(each) >= SHORTEST:
                    self._secrets.append(each)

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, CONCEALED)
        return text

    def value(self, value: Any) -> Any:
        """A copy without known secrets in its texts and without the content of secret fields."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            self.text(key): CONCEALED if SECRET_NAME.search(key) and isinstance(each, str) else self.value(each)
            for key, each in value.items()
        }
