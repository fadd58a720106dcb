"""Waiting, an optimizer of one's own, tables, and how records look."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from conftest import Answer, Seen, Server, problem

import svc_client
from svc_client import SvcError, WaitTimeout, WorkFailed, aio, blocking, errors
from svc_client.blocking import campaigns, driven, work
from svc_client.core.tables import frame_of_csv, units_of
from svc_client.core.work import nested

UNITS = {"mix.volume": "ml"}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (work, driven):
        monkeypatch.setattr(module, "FIRST_POLL_S", 0.01)


def run_record(state: str, **more: Any) -> dict[str, Any]:
    return {"name": "r", "state": state, "reason": None, "tasks": [], **more}


def test_wait_returns_when_the_run_has_completed(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = [{"name": "a", "state": "running", "output_parameters": None, "output_files": []}]
    server.answers = [
        Answer(body=run_record("created")),
        Answer(body=run_record("running", tasks=tasks)),
        Answer(body=run_record("completed")),
    ]
    run = svc_client.connect(server.url).protocols.submit("r", type="p").wait(progress=True)
    assert run.state == "completed"
    assert "0/1 tasks, running: a" in capsys.readouterr().err


def test_wait_says_why_the_run_failed(server: Server) -> None:
    reason = {"code": "task_error", "message": "no beaker"}
    server.answers = lambda _: Answer(body=run_record("failed", reason=reason))
    run = svc_client.connect(server.url).protocols.get("r")
    with pytest.raises(WorkFailed, match=r"protocol run r is failed: no beaker \(task_error\)"):
        run.wait()
    assert run.wait(check=False).reason == reason


def test_wait_ends_after_its_time_and_names_the_question(server: Server) -> None:
    server.answers = lambda _: Answer(body=run_record("needs_attention"))
    run = svc_client.connect(server.url).protocols.get("r")
    with pytest.raises(WaitTimeout, match=r"svc\.attention\.list\(\)"):
        run.wait(timeout=0.05)


class Lab:
    """A service with one campaign. A run completes when its list of parameters has it, with the double as result."""

    def __init__(self) -> None:
        self.record: dict[str, Any] | None = None
        self.failing = {2}

    def __call__(self, seen: Seen) -> Answer:
        path = seen.path.partition("?")[0]
        if seen.method == "POST":
            if self.record is not None:
                return problem("duplicate_name", 409)
            self.record = {**json.loads(seen.body), "state": "running", "reason": None, "optimize": False, "protocol_runs_completed": 0}
            return Answer(201, self.record)
        assert self.record is not None
        listed = self.record["protocol_run_parameters"]
        if seen.method == "PATCH":
            self.record.update(json.loads(seen.body))
            if self.record["max_protocol_runs"] > 0:
                self.record["state"] = "completed"
            return Answer(body=self.record)
        if path.endswith("/runs"):
            states = ["failed" if n in self.failing else "completed" for n in range(1, len(listed) + 1)]
            items = [{"meta": {"campaign_run": n}, "state": state} for n, state in enumerate(states, start=1)]
            return Answer(body={"items": items, "next_cursor": None})
        if path.startswith("/api/protocols/"):
            entry = listed[int(path.rpartition("_")[2]) - 1]
            output = {"y": entry["mix"]["volume"] * 2}
            tasks = [{"name": "score", "state": "completed", "output_parameters": output, "output_files": []}]
            return Answer(body=run_record("completed", tasks=tasks))
        if path.startswith("/api/definitions"):
            return Answer(body={"definition": None})
        return Answer(body=self.record)


class Optimizer:
    def __init__(self) -> None:
        self.told: list[tuple[dict[str, Any], dict[str, float] | None]] = []
        self.asked = 0

    def ask(self) -> dict[str, Any]:
        self.asked += 1
        return {"mix.volume": len(self.told) + 1}

    def tell(self, inputs: dict[str, Any], outputs: dict[str, float] | None) -> None:
        self.told.append((inputs, outputs))


def drive(server: Server) -> svc_client.DrivenCampaign:
    return svc_client.connect(server.url).campaigns.drive("c", protocol="p", outputs=["score.y"])


def test_asks_and_tells_until_there_are_enough_trials_and_ends_the_campaign(server: Server) -> None:
    lab = server.answers = Lab()
    optimizer = Optimizer()
    trials = drive(server).run(optimizer.ask, optimizer.tell, trials=3)
    assert optimizer.told == [
        ({"mix.volume": 1}, {"score.y": 2}),
        ({"mix.volume": 2}, None),
        ({"mix.volume": 3}, {"score.y": 6}),
    ]
    assert [trial["state"] for trial in trials] == ["measured", "failed", "measured"]
    assert lab.record is not None
    assert (lab.record["state"], lab.record["max_protocol_runs"]) == ("completed", 3)


def test_tells_a_new_optimizer_all_results_before_it_asks(server: Server) -> None:
    server.answers = Lab()
    drive(server).propose({"mix.volume": 5}, {"mix.volume": 6})
    optimizer = Optimizer()
    drive(server).run(optimizer.ask, optimizer.tell, trials=3)
    assert optimizer.told[:2] == [({"mix.volume": 5}, {"score.y": 10}), ({"mix.volume": 6}, None)]
    assert optimizer.asked == 1
    again = Optimizer()
    drive(server).run(again.ask, again.tell, trials=3)
    assert (again.told, again.asked) == (optimizer.told, 0)
    with pytest.raises(SvcError, match="has ended with 3 trials"):
        drive(server).run(again.ask, again.tell, trials=4)


def test_refuses_a_proposal_when_another_program_drives_the_campaign(server: Server) -> None:
    server.answers = Lab()
    one, other = drive(server), drive(server)
    assert one.propose({"mix.volume": 1}) == [1]
    with pytest.raises(SvcError, match="another program"):
        other.propose({"mix.volume": 2})


def test_does_not_take_over_a_campaign_of_another_kind(server: Server) -> None:
    lab = server.answers = Lab()
    drive(server)
    assert lab.record is not None
    lab.record["protocol_run_parameters"] = None
    with pytest.raises(svc_client.refusals.DuplicateName):
        drive(server)


def test_names_parameters_by_task_and_takes_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    assert json.dumps(nested({"mix.volume": numpy.float64(1.5), "mix.n": numpy.int64(2)})) == '{"mix": {"volume": 1.5, "n": 2}}'
    with pytest.raises(SvcError, match=r"task\.parameter"):
        nested({"volume": 1})


def trials() -> campaigns.Trials:
    rows: list[Any] = [
        {
            "number": n,
            "run": f"c_run_{n}",
            "source": "given",
            "state": "measured",
            "inputs": {"mix.volume": n},
            "outputs": {"score.y": 3 - n},
            "additional": {},
            "note": {},
        }
        for n in (1, 2)
    ]
    return campaigns.Trials(rows, UNITS)


def test_a_data_frame_has_the_units_of_its_columns() -> None:
    frame = trials().to_dataframe()
    assert list(frame.columns) == ["number", "run", "source", "state", "mix.volume", "score.y"]
    assert frame.attrs["units"] == UNITS
    assert "mix.volume [ml]" in trials().to_dataframe(units="labels").columns
    csv = "number,started_at,mix.volume\n1,2026-11-20T09:30:00.000Z,2.5\n"
    table = frame_of_csv(csv, UNITS, "attrs")
    assert (str(table["started_at"].dt.tz), table["mix.volume"][0], table.attrs["units"]) == ("UTC", 2.5, UNITS)


def test_an_arrow_table_has_the_units_of_its_fields() -> None:
    table = trials().to_arrow()
    assert table.column("mix.volume").to_pylist() == [1, 2]
    assert table.schema.field("mix.volume").metadata == {b"unit": b"ml"}
    assert table.schema.field("score.y").metadata is None


def test_units_are_those_of_inputs_and_outputs() -> None:
    inputs = {"volume": {"unit": "ml"}, "text": {}}
    definition = {"input_parameters": inputs, "output_parameters": {"n": {"unit": "n/a"}, "t": {"unit": "s"}}}
    assert units_of({"mix": definition, "gone": None}) == {"mix.volume": "ml", "mix.t": "s"}


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(errors.MissingLibrary, match="pip install pandas"):
        trials().to_dataframe()


def test_a_plot_shows_the_best_so_far_with_its_unit() -> None:
    pytest.importorskip("matplotlib").use("agg")
    axes = campaigns.Trials(list(trials()), {"score.y": "ml"}).plot("score.y")
    assert axes.get_ylabel() == "score.y [ml]"
    assert list(axes.lines[1].get_ydata()) == [2, 1]


def test_no_text_of_the_service_is_html(server: Server) -> None:
    bad = "<script>alert(1)</script>"
    task = {"name": bad, "state": bad, "output_parameters": {bad: bad}, "output_files": [{"name": bad, "size": 1, "sha256": bad}]}
    record = run_record(bad, name=bad, reason={"code": bad, "message": bad}, tasks=[task])
    server.answers = lambda _: Answer(body=record)
    run = svc_client.connect(server.url).protocols.get("r")
    shown = [run._repr_html_(), run.files._repr_html_(), blocking.Records([{"name": bad, "state": bad}])._repr_html_()]
    assert all("&lt;script&gt;" in each and "<script>" not in each for each in shown)


def test_calls_a_device_as_long_as_its_function_may_take(server: Server) -> None:
    functions = [{"name": "dose", "kind": "effect", "timeout_s": 300, "description": None, "parameters": None}]
    server.answers = [Answer(body={"functions": functions}), Answer(cut=-1), Answer(body=7)]
    assert svc_client.connect(server.url).devices["lab.pump"].call("dose", {"from": "a"}, volume=5) == 7
    assert [seen.path for seen in server.seen[1:]] == ["/api/rpc/lab/pump/dose"] * 2
    assert server.seen[1].headers["idempotency-key"] == server.seen[2].headers["idempotency-key"]
    assert json.loads(server.seen[2].body) == {"from": "a", "volume": 5}
    with pytest.raises(SvcError, match=r"lab\.device"):
        svc_client.connect(server.url).devices["pump"]


def test_decides_a_question(server: Server) -> None:
    choices = [{"action": "failed", "effect": "the run fails"}]
    about = {"kind": "task", "subject": "r/a", "reason": {"code": "x", "message": "unknown"}, "look_at": ["the beaker"]}
    item = {"id": "7", "state": "open", "choices": choices, **about}
    server.answers = [Answer(body={"items": [item], "next_cursor": None}), Answer(body={**item, "state": "resolved"})]
    (question,) = svc_client.connect(server.url).attention.list()
    assert question.choices == {"failed": "the run fails"}
    assert question.resolve("failed", note="it was empty").record["state"] == "resolved"
    assert json.loads(server.seen[1].body) == {"action": "failed", "note": "it was empty"}


def test_both_twins_have_the_same_names() -> None:
    for name in aio.__all__:
        one, other = getattr(aio, name), getattr(blocking, name)
        hidden = {"__aenter__", "__aexit__", "aclose", "__enter__", "__exit__", "close"}
        assert set(dir(one)) - hidden == set(dir(other)) - hidden, name
