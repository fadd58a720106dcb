"""Where the service is, and who asks: the variables of the command `svc`."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from ..errors import SvcError

DEFAULT_URL = "http://127.0.0.1:8070"


class Token:
    """An access token that no repr, log or traceback shows."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def header(self) -> str:
        return f"Bearer {self._text}"

    def __repr__(self) -> str:
        return "Token(***)"


def address_of(url: str | None) -> str:
    """The address without a slash at its end; without one, that of SVC_URL."""
    found = (url or os.environ.get("SVC_URL") or DEFAULT_URL).rstrip("/")
    parts = urlsplit(found)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise SvcError(f"{found!r} is no address of a service", remedy=f"use an address such as {DEFAULT_URL}")
    if parts.username or parts.password:
        raise SvcError("the address holds a name or password", remedy="pass the token as token=, or set SVC_TOKEN")
    return found


def token_of(token: str | None) -> Token | None:
    """The given token, else SVC_TOKEN, else the content of the file that SVC_TOKEN_FILE names."""
    text = token or os.environ.get("SVC_TOKEN")
    file = os.environ.get("SVC_TOKEN_FILE")
    if not text and file:
        try:
            text = Path(file).read_text(encoding="utf-8")
        except OSError as error:
            raise SvcError(f"SVC_TOKEN_FILE: cannot read {file}: {error.strerror}", remedy="name a readable file") from None
    text = (text or "").strip()
    if text and not (text.isascii() and text.isprintable() and " " not in text):
        raise SvcError("the token has characters that no token has", remedy="pass the token alone, as `svc token create` prints it")
    return Token(text) if text else None
