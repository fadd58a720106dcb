"""Events over lost connections, and files in pieces."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer, Seen, Server, problem

import svc_client
from svc_client import errors, refusals
from svc_client.blocking import transport
from svc_client.core.events import StreamParser

STREAM = {"content-type": "text/event-stream"}


def event(number: int, kind: str = "task_run.running", aggregate: str = "task_run/1") -> str:
    return f'id: {number}\nevent: {kind}\ndata: {{"id":{number},"type":"{kind}","aggregate":"{aggregate}"}}\n\n'


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "FIRST_PAUSE_S", 0.01)


def test_reads_the_format_whatever_the_pieces() -> None:
    text = (": hello\n" + event(1) + ": heartbeat\nid: 7\n\ndata: [1,\ndata: 2]\r\n\r\n" + "id: 9\ndata: {}").encode()
    for size in (1, 2, 7, len(text)):
        parser = StreamParser()
        blocks = [block for at in range(0, len(text), size) for block in parser.feed(text[at : at + size])]
        assert [(block.id, block.data) for block in blocks] == [
            ("1", {"id": 1, "type": "task_run.running", "aggregate": "task_run/1"}),
            ("7", None),
            (None, [1, 2]),
        ]


def test_goes_on_after_the_last_event_and_repeats_none(server: Server) -> None:
    broken = event(3)
    first = event(1) + event(2)
    server.answers = [
        Answer(body=(first + broken).encode(), headers=STREAM, cut=len(first) + 10),
        Answer(503, {}, {"content-type": "text/html"}),
        Answer(body=(event(2) + event(3) + ": heartbeat\nid: 8\n\n").encode(), headers=STREAM),
        Answer(body=event(9).encode(), headers=STREAM),
    ]
    found: list[Any] = []
    for each in svc_client.connect(server.url).events(after=0, type="task_run"):
        found.append(each["id"])
        if each["id"] == 9:
            break
    assert found == [1, 2, 3, 9]
    assert [seen.headers.get("last-event-id") for seen in server.seen] == ["0", "2", "2", "8"]


def test_says_that_events_were_removed(server: Server) -> None:
    server.answers = [Answer(body=b'event: gap\ndata: {"after":1,"oldest":9}\n\n', headers=STREAM), problem("events_pruned", 410)]
    svc = svc_client.connect(server.url)
    with pytest.raises(errors.EventsGap):
        list(svc.events(after=1))
    with pytest.raises(refusals.EventsPruned):
        list(svc.events(after=1))


class FileServer:
    """Serves one file, and closes each connection after some bytes."""

    def __init__(self, content: bytes, cuts: list[int | None]) -> None:
        self.content = content
        self.cuts = cuts
        self.record = {"name": "a.csv", "size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "media_type": "text/csv"}

    def __call__(self, seen: Seen) -> Answer:
        if "/files/" not in seen.path:
            task = {"name": "measure", "state": "completed", "output_files": [self.record], "output_parameters": {"x": 1}}
            return Answer(body={"name": "r 1", "state": "completed", "reason": None, "tasks": [task]})
        start = int(seen.headers.get("range", "bytes=0-")[6:-1])
        if start and seen.headers["if-range"] != '"tag"':
            return Answer(500, {})
        cut = self.cuts.pop(0) if self.cuts else None
        return Answer(206 if start else 200, self.content[start:], {"etag": '"tag"', "content-type": "text/csv"}, cut)


def test_resumes_a_download_and_compares_it_with_its_record(server: Server, tmp_path: Path) -> None:
    files = FileServer(b"wavelength,reflectance\n" * 20_000, [100_000, 50_000])
    server.answers = files
    run = svc_client.connect(server.url).protocols.get("r 1")
    assert run.outputs == {"measure": {"x": 1}}
    target = run.files["a.csv"].save(tmp_path)
    assert target == tmp_path / "a.csv"
    assert target.read_bytes() == files.content
    assert [seen.headers.get("range", "") for seen in server.seen[1:]] == ["", "bytes=100000-", "bytes=150000-"]
    assert run.files["measure/a.csv"].read() == files.content
    with pytest.raises(svc_client.SvcError, match=r"use one of r 1/measure/a\.csv"):
        run.files["b.csv"]


def test_keeps_no_damaged_file(server: Server, tmp_path: Path) -> None:
    files = FileServer(b"0123456789", [])
    files.record["sha256"] = "0" * 64
    server.answers = files
    old = tmp_path / "a.csv"
    old.write_text("as before", encoding="utf-8")
    with pytest.raises(errors.DamagedFile):
        svc_client.connect(server.url).protocols.get("r 1").files["a.csv"].save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert old.read_text(encoding="utf-8") == "as before"
