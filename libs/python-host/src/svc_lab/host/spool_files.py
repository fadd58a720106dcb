"""The files of a task, written to its spool folder."""

from __future__ import annotations

import hashlib
import os

from .json_values import kind_of

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Callable

MAX_FILES = 1_000
MAX_NAME = 200
_PIECE = 1024 * 1024


class FileError(Exception):
    """A file of a task does not exist or could not be written. The message names the file."""


def write_files(
    folder: str, files: Mapping[str, object], check: Callable[[], object]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Writes files under generated names, one after the other, without loading them into memory.

    `check` is called between pieces, and ends the writing by an exception. A file that cannot be written does not keep
    the others from being written. Returns the written files, and for each other file why it was not written.
    """
    written: list[dict[str, Any]] = []
    problems: list[str] = []
    if len(files) > MAX_FILES:
        problems.append(f"The task returned {len(files)} files: the first {MAX_FILES} are kept")
    for index, (name, content) in enumerate(list(files.items())[:MAX_FILES], 1):
        path = f"file-{index}"
        try:
            _check_name(name)
            written.append({"name": name, "path": path, **_write(os.path.join(folder, path), name, content, check)})
        except FileError as error:
            problems.append(str(error))
    return written, problems


def _write(path: str, name: str, content: object, check: Callable[[], object]) -> dict[str, Any]:
    pieces = _pieces_of(name, content)
    digest = hashlib.sha256()
    size = 0
    with open(path, "xb") as file:
        while True:
            try:
                piece = next(pieces, None)
            except FileError:
                raise
            except Exception as error:
                check()
                raise FileError(f"The file {name} could not be written: {error}") from error
            if piece is None:
                break
            check()
            data = _bytes_of(name, piece)
            try:
                file.write(data)
            except OSError as error:
                raise FileError(f"The file {name} could not be written: {error}") from error
            digest.update(data)
            size += len(data)
    return {"size": size, "sha256": digest.hexdigest()}


def _pieces_of(name: str, content: object) -> Any:
    if isinstance(content, (str, bytes, bytearray, memoryview)):
        return iter([content])
    if isinstance(content, dict) and isinstance(content.get("path"), (str, os.PathLike)):
        content = os.fspath(content["path"])
        return _pieces_on_disk(name, content)
    if isinstance(content, os.PathLike):
        return _pieces_on_disk(name, os.fspath(content))
    if callable(getattr(content, "read", None)):
        return iter(lambda: content.read(_PIECE) or None, None)  # type: ignore[attr-defined]
    if hasattr(content, "__iter__") and not isinstance(content, dict):
        pieces: Iterable[Any] = content  # type: ignore[assignment]
        return iter(pieces)
    raise FileError(
        f"The file {name} is {kind_of(content)}: give bytes, a string, an open file, or the pathlib.Path of a file on this computer"
    )


def _pieces_on_disk(name: str, path: Any) -> Any:
    if not os.path.isabs(path):
        raise FileError(f"The file {name} has the path {path}: give an absolute path")
    try:
        file = open(path, "rb")  # noqa: SIM115 -- the pieces close it
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileError(_absence(name, path)) from error
    except OSError as error:
        raise FileError(f"The file {name} could not be written: {error}") from error

    def pieces() -> Any:
        with file:
            while piece := file.read(_PIECE):
                yield piece

    return pieces()


def _absence(name: str, path: str) -> str:
    folder = os.path.dirname(path)
    where = (
        f'there is no "{os.path.basename(path)}" in the folder {folder}'
        if os.path.exists(folder)
        else f"there is no folder {folder}"
    )
    return f"The file {name} that the task returned does not exist: {where}"


def _bytes_of(name: str, piece: object) -> bytes:
    if isinstance(piece, (bytes, bytearray, memoryview)):
        return bytes(piece)
    if isinstance(piece, str):
        return piece.encode("utf-8", "replace")
    raise FileError(f"The stream of the file {name} gave {kind_of(piece)}: it must give bytes or text")


def _check_name(name: object) -> None:
    problem = None
    if not isinstance(name, str):
        problem = "is no text"
    elif not 1 <= len(name) <= MAX_NAME:
        problem = f"has {len(name)} characters; use 1 to {MAX_NAME}"
    elif name.strip() != name:
        problem = "begins or ends with a space"
    elif "/" in name or "\\" in name or name in (".", ".."):
        problem = "is a path; give a name without slashes"
    elif any(ord(each) < 32 or 127 <= ord(each) < 160 or 0xD800 <= ord(each) < 0xE000 for each in name):
        problem = "holds control characters"
    if problem is not None:
        raise FileError(f"The file name {name!r} {problem}")
