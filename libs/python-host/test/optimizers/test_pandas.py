"""Campaign optimizers of packages of EOS whose classes need pandas alone."""

import asyncio
import json
import os
import tempfile
import unittest

from svc_lab.host.author_optimizer import make_optimizer
from svc_lab.host.optimizer_session import OptimizerSession
from svc_lab.host.package_code import PackageCode, forget, use

RANDOM = """
import pandas as pd
from eos.optimization.abstract_sequential_optimizer import AbstractSequentialOptimizer
from eos.optimization.exceptions import EosCampaignOptimizerDomainError


class Steps(AbstractSequentialOptimizer):
    def __init__(self, step: float, fail: bool = False):
        self.step, self.next, self.results, self.heard, self.context = step, 0.0, [], [], ""
        if fail:
            raise EosCampaignOptimizerDomainError("no domain")

    async def sample(self, num_protocol_runs: int = 1) -> pd.DataFrame:
        rows = [{"mix.a": self.next + self.step * i} for i in range(num_protocol_runs)]
        self.next += self.step * num_protocol_runs
        return pd.DataFrame(rows)

    async def report(self, inputs_df: pd.DataFrame, outputs_df: pd.DataFrame) -> None:
        assert list(inputs_df.columns) == ["mix.a"] and len(inputs_df) == len(outputs_df)
        self.results += pd.concat([inputs_df, outputs_df], axis=1).to_dict("records")

    def get_optimal_solutions(self) -> pd.DataFrame:
        return pd.DataFrame(self.results).nsmallest(1, "score.loss")

    def get_input_names(self) -> list[str]:
        return ["mix.a"]

    def get_output_names(self) -> list[str]:
        return ["score.loss"]

    def get_num_samples_reported(self) -> int:
        return len(self.results)

    def get_additional_parameters(self) -> list[str]:
        return ["look.red"]

    def add_insight(self, insight: str) -> None:
        self.heard.append(insight)

    def set_protocol_context(self, protocol_yaml: str) -> None:
        self.context = protocol_yaml

    def get_runtime_params(self) -> dict:
        return {"step": self.step}

    def set_runtime_params(self, params: dict) -> None:
        self.step = params["step"]

    @classmethod
    def eos_param_schema(cls):
        return [{"key": "step", "type": "number", "default": 1, "runtime": True}]


def eos_create_campaign_optimizer() -> tuple[dict, type[AbstractSequentialOptimizer]]:
    return {"step": 0.5}, Steps
"""
SOURCE = "protocols/mixing/optimizer.py"


class Worker:
    protocol = "mixes"


def complete(value):
    async def whole():
        return await value

    return asyncio.run(whole()) if hasattr(value, "__await__") else value


class OptimizersOfEos(unittest.TestCase):
    def made(self, text=RANDOM, **overrides):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "bundle")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"svc_python": 1, "package": "eos_demo", "files": {SOURCE: text}}, file)
        code = PackageCode(path)
        use(code)
        try:
            return make_optimizer(code, SOURCE, overrides, [], complete, worker=Worker())
        finally:
            forget(code)

    def test_get_data_frames_and_give_rows(self):
        made = self.made()
        session = OptimizerSession(made.optimizer, ["mix.a"], ["score.loss"], print)
        runs = [{"number": number, "run": f"c/{number}"} for number in (1, 2)]
        trials = session.propose(runs, [])["trials"]
        self.assertEqual([trial["inputs"] for trial in trials], [{"mix.a": 0.0}, {"mix.a": 0.5}])
        results = [
            {**trial, "state": "measured", "outputs": {"score.loss": loss}, "additional": {"look.red": 7}}
            for trial, loss in zip(trials, (3.0, 1.0))
        ]
        self.assertEqual(session.tell(results), 2)
        self.assertEqual(session.best(), [{"mix.a": 0.5, "score.loss": 1.0, "look.red": 7}])
        self.assertEqual(made.optimizer.names("get_additional_names"), ["look.red"])

    def test_hear_each_remark_once_and_know_the_protocol(self):
        made = self.made()
        theirs = made.optimizer.object._theirs
        session = OptimizerSession(made.optimizer, ["mix.a"], ["score.loss"], print)
        remark = {"id": "i1", "text": "stay low"}
        for number, remarks in ((1, [remark]), (2, [remark, {"id": "i2", "text": "or high"}])):
            session.propose([{"number": number, "run": f"c/{number}"}], remarks)
        self.assertEqual((theirs.heard, theirs.context), (["stay low", "or high"], "mixes"))

    def test_take_overrides_and_runtime_parameters(self):
        made = self.made(step=2)
        self.assertEqual(made.fields, [{"key": "step", "type": "number", "default": 1, "runtime": True}])
        self.assertEqual(made.optimizer.runtime_params(), {"step": 2})
        made.optimizer.set_runtime_params({"step": 3})
        self.assertEqual(made.optimizer.runtime_params(), {"step": 3})
        with self.assertRaisesRegex(ValueError, 'no parameter "speed"'):
            self.made(speed=1)

    def test_are_refused_with_what_is_wrong(self):
        with self.assertRaisesRegex(TypeError, "do not fit Steps: .*step"):
            self.made(RANDOM.replace('{"step": 0.5}', "{}"))
        with self.assertRaisesRegex(Exception, "no domain"):
            self.made(RANDOM.replace('{"step": 0.5}', '{"step": 1, "fail": True}'))
        with self.assertRaisesRegex(TypeError, "Half that eos_create_campaign_optimizer returned lacks"):
            self.made("class Half: ...\n\ndef eos_create_campaign_optimizer():\n    return {}, Half\n")
        with self.assertRaisesRegex(ImportError, r"optimizer.py needs the library no_such_one: install it"):
            self.made(f"import no_such_one.api\n{RANDOM}")
        with self.assertRaisesRegex(ModuleNotFoundError, "eos.optimization.beacon_ai_agent is a part of EOS"):
            self.made("import eos.optimization.beacon_ai_agent\n")


if __name__ == "__main__":
    unittest.main()
