"""When a request is sent again, and which error ends it."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback

import pytest
from conftest import Answer, Server, problem

import svc_client
from svc_client import NoAnswer, Refused, SvcError, aio, refusals


def test_sends_an_act_again_with_the_same_key_when_the_connection_is_lost(server: Server) -> None:
    server.answers = [Answer(cut=-1), Answer(503, b"proxy", {"content-type": "text/html"}), Answer(body={"name": "x", "ok": 1})]
    assert svc_client.connect(server.url).request("POST", "/api/tasks", body={"name": "x"}) == {"name": "x", "ok": 1}
    assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1
    assert len({seen.headers["x-request-id"] for seen in server.seen}) == 1
    assert {seen.body for seen in server.seen} == {b'{"name": "x"}'}


def test_uses_another_key_for_each_request_and_none_for_a_read_or_an_emergency_stop(server: Server) -> None:
    server.answers = lambda _: Answer(body={})
    svc = svc_client.connect(server.url)
    svc.request("POST", "/api/tasks", body={})
    svc.request("POST", "/api/tasks", body={})
    svc.me()
    svc.estop(reason="test")
    keys = [seen.headers.get("idempotency-key") for seen in server.seen]
    assert keys[0] != keys[1]
    assert None not in keys[:2]
    assert keys[2:] == [None, None]


def test_asks_again_while_an_earlier_attempt_is_in_progress(server: Server) -> None:
    server.answers = [problem("idempotency_key_in_progress", 409), Answer(body={"done": True})]
    assert svc_client.connect(server.url).request("POST", "/api/tasks", body={}) == {"done": True}


def test_asks_again_after_the_time_that_the_service_names(server: Server) -> None:
    server.answers = [problem("backlog_full", 429, headers={"retry-after": "0"}), Answer(body=1)]
    assert svc_client.connect(server.url).request("GET", "/api/me") == 1


def test_does_not_wait_longer_than_the_deadline(server: Server) -> None:
    server.answers = lambda _: problem("backlog_full", 429, headers={"retry-after": "3600"})
    with pytest.raises(refusals.BacklogFull) as caught:
        svc_client.connect(server.url).request("POST", "/api/tasks", body={})
    assert caught.value.retry_after == 3600
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (problem("device_error", 502, effect="maybe"), refusals.DeviceError),
        (problem("agent_unreachable", 503, effect="done", headers={"retry-after": "0"}), refusals.AgentUnreachable),
        (problem("outcome_unknown", 409, effect="maybe"), refusals.OutcomeUnknown),
        (problem("internal", 500), refusals.Internal),
    ],
)
def test_repeats_no_act_that_may_have_had_an_effect(server: Server, answer: Answer, kind: type[Refused]) -> None:
    server.answers = [answer]
    with pytest.raises(kind) as caught:
        svc_client.connect(server.url).request("POST", "/api/rpc/l/d/f", body={})
    assert caught.value.effect == answer.body.get("effect", "none")


def test_says_that_the_outcome_of_an_act_is_unknown_and_names_its_key(server: Server) -> None:
    server.answers = lambda _: Answer(cut=-1)
    with pytest.raises(NoAnswer) as caught:
        svc_client.connect(server.url, deadline=0.2).request("POST", "/api/tasks", body={}, key="my-key")
    assert (caught.value.effect, caught.value.key, caught.value.reason) == ("maybe", "my-key", "lost")
    assert "key='my-key'" in str(caught.value)


def test_says_that_a_read_or_a_refused_connection_had_no_effect(server: Server) -> None:
    server.answers = lambda _: Answer(cut=-1)
    with pytest.raises(NoAnswer) as lost:
        svc_client.connect(server.url, deadline=0.1).me()
    assert lost.value.effect == "none"
    with pytest.raises(NoAnswer) as refused:
        svc_client.connect("http://127.0.0.1:9", deadline=0.1).request("POST", "/api/tasks", body={})
    assert (refused.value.effect, refused.value.reason) == ("none", "refused")


def test_recognizes_a_server_that_is_not_the_service(server: Server) -> None:
    server.answers = [Answer(404, b"<html>", {"content-type": "text/html"})]
    with pytest.raises(NoAnswer) as caught:
        svc_client.connect(server.url).me()
    assert caught.value.reason == "foreign"


def test_gives_each_fault_with_its_hint_the_remedy_and_the_request(server: Server) -> None:
    fault = {"path": "parameters.a.n", "code": "type", "message": "must be an integer", "hint": "write 6"}
    server.answers = [problem("invalid", 422, errors=[fault], headers={"x-request-id": "from-the-service"})]
    with pytest.raises(refusals.Invalid) as caught:
        svc_client.connect(server.url).protocols.submit("x", type="p")
    error = caught.value
    assert (error.code, error.status, error.faults, error.request_id) == ("invalid", 422, [fault], "from-the-service")
    assert "parameters.a.n: must be an integer (write 6)" in str(error)
    assert error.remedy in str(error)


def test_takes_a_code_that_it_does_not_know_for_a_refusal(server: Server) -> None:
    server.answers = [problem("brand_new", 418)]
    with pytest.raises(Refused) as caught:
        svc_client.connect(server.url).me()
    assert caught.value.code == "brand_new"


def test_reads_all_pages_of_a_list(server: Server) -> None:
    server.answers = [Answer(body={"items": [1, 2], "next_cursor": "c d"}), Answer(body={"items": [3], "next_cursor": None})]
    assert list(svc_client.connect(server.url).each("/api/tasks", state=["failed", "cancelled"], archived=True)) == [1, 2, 3]
    assert server.seen[0].path == "/api/tasks?state=failed%2Ccancelled&archived=true"
    assert "cursor=c+d" in server.seen[1].path


def test_encodes_names_in_a_path(server: Server) -> None:
    server.answers = [problem("not_found", 404)]
    with pytest.raises(refusals.NotFound):
        svc_client.connect(server.url).protocols.get("first mix/../x")
    assert server.seen[0].path == "/api/protocols/first%20mix%2F..%2Fx"


def test_takes_the_token_from_the_environment_and_shows_it_nowhere(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SVC_URL", server.url + "/")
    monkeypatch.setenv("SVC_TOKEN", "svc_pat_secret")
    server.answers = [Answer(body={}), problem("forbidden", 403)]
    caplog.set_level(logging.DEBUG)
    svc = svc_client.connect()
    svc.me()
    assert server.seen[0].headers["authorization"] == "Bearer svc_pat_secret"
    with pytest.raises(refusals.Forbidden) as caught:
        svc.me()
    shown = [
        repr(svc),
        repr(vars(svc)),
        repr(vars(svc._transport)),
        caplog.text,
        *traceback.format_exception(caught.type, caught.value, caught.tb),
    ]
    assert "secret" not in "".join(shown)


def test_reads_the_token_from_a_file(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    file = f"{tmp_path}/token"
    monkeypatch.setenv("SVC_TOKEN_FILE", file)
    with pytest.raises(SvcError, match="SVC_TOKEN_FILE: cannot read"):
        svc_client.connect(server.url)
    with open(file, "w", encoding="utf-8") as out:
        out.write("svc_pat_abc\n")
    server.answers = [Answer(body={})]
    svc_client.connect(server.url).me()
    assert server.seen[0].headers["authorization"] == "Bearer svc_pat_abc"


@pytest.mark.parametrize("url", ["lab-server:8070", "ftp://x", "http://", "http://user:pass@lab:8070"])
def test_refuses_what_is_no_address(url: str) -> None:
    with pytest.raises(SvcError) as caught:
        svc_client.connect(url)
    assert "pass@" not in str(caught.value)


def test_refuses_a_number_that_json_does_not_have(server: Server) -> None:
    with pytest.raises(ValueError, match="JSON"):
        svc_client.connect(server.url).request("POST", "/api/tasks", body={"n": float("nan")})
    assert server.seen == []


def test_the_asynchronous_twin_behaves_alike(server: Server) -> None:
    async def work() -> object:
        async with aio.connect(server.url) as svc:
            with pytest.raises(refusals.DuplicateName):
                await svc.protocols.submit("x", type="p")
            items = [item async for item in svc.each("/api/tasks")]
            return items, await svc.request("POST", "/api/tasks", body={"a": 1})

    pages = [Answer(body={"items": [1], "next_cursor": "2"}), Answer(body={"items": [2], "next_cursor": None})]
    server.answers = [problem("duplicate_name", 409), *pages, Answer(cut=-1), Answer(body="done")]
    assert asyncio.run(work()) == ([1, 2], "done")
    assert json.loads(server.seen[-1].body) == {"a": 1}
