import type { JsonObject } from '@lab/contracts';
import { withoutPython } from '@lab/testkit/python';
import { moduleOf, typescript, type OptimizerLanguage, type TestModule } from './modules.js';

/** The grid of `modules.ts` in Python, as the service bundles it. */
const grid = `
import asyncio
import os
import sys
import threading

from svc_lab.optimizer import AbstractSequentialOptimizer, Invalid


def late():
    raise RuntimeError("too late")


class Grid(AbstractSequentialOptimizer):
    def __init__(self, inputs=(), mode=None, descending=False, ai_api_key=None):
        if mode == "refuse the inputs":
            fault = {"path": "inputs[0].values", "code": "value", "message": "has no values"}
            raise Invalid("inputs are wrong", [fault])
        self._mode = mode
        self._key = ai_api_key
        self._descending = descending
        self._told = []
        self._seen = {}
        self._measured = []
        self._offered = []
        self._additional = None
        self._sampled = False

    @classmethod
    def svc_param_schema(cls):
        return [
            {"key": "descending", "type": "checkbox", "default": False, "runtime": True},
            {"key": "mode", "type": "text", "default": None, "runtime": False},
        ]

    async def sample(self, num_protocol_runs, run_names):
        mode = self._mode
        if mode == "throw":
            raise ValueError("cannot invert the matrix")
        while mode == "loop" or (mode == "loop on the second" and self._sampled):
            pass
        self._sampled = True
        if mode == "exit":
            os._exit(9)
        if mode == "slow":
            await asyncio.sleep(1.5)
        if mode == "stray":
            threading.Timer(0.05, late).start()
        if mode == "no rows":
            return 5
        if mode == "few":
            return []
        if mode == "not finite":
            return [{"mix.a": float("nan"), "mix.b": 1} for _ in run_names]
        if mode == "column missing":
            return [{"mix.a": 1} for _ in run_names]
        if mode == "column too many":
            return [{"mix.a": 1, "mix.b": 1, "mix.c": 1} for _ in run_names]
        if mode == "print the key":
            print("the key is " + self._key)
        if mode == "throw the key":
            raise ValueError("401 for " + self._key)
        cells = range(35, -1, -1) if self._descending else range(36)
        left = [cell for cell in cells if cell not in self._seen]
        if len(left) < num_protocol_runs:
            raise ValueError(f"grid exhausted: {len(left)} of 36 points remain")
        chosen = left[:num_protocol_runs]
        self._seen.update(dict.fromkeys(chosen, "proposed"))
        return [{"mix.a": cell // 6, "mix.b": cell % 6} for cell in chosen]

    def _note(self, what, inputs, runs):
        for row, run in zip(inputs, runs):
            if row["mix.a"] > 5:
                raise ValueError(run + " is outside of the grid")
            self._seen[row["mix.a"] * 6 + row["mix.b"]] = what
        self._told.append(what + " " + ",".join(runs))

    def report(self, inputs_df, outputs_df, run_names):
        self._note("measured", inputs_df, run_names)
        self._measured += [{**inputs, **outputs} for inputs, outputs in zip(inputs_df, outputs_df)]

    def report_started(self, inputs_df, run_names):
        self._note("started", inputs_df, run_names)

    async def report_failed(self, inputs_df, run_names):
        self._note("failed", inputs_df, run_names)

    def report_details(self, details):
        self._additional = [each["additional"] for each in details]

    def get_optimal_solutions(self):
        return sorted(self._measured, key=lambda row: row["score.loss"])[:1]

    def get_input_names(self):
        return ["mix.a", "mix.b"]

    def get_output_names(self):
        return ["score.loss"]

    def get_additional_names(self):
        return ["score.picture"]

    def get_num_samples_reported(self):
        return len(self._measured)

    def get_runtime_params(self):
        return {"descending": self._descending}

    def set_runtime_params(self, params):
        self._descending = params["descending"]
        if not isinstance(self._descending, bool):
            raise ValueError("descending is not true or false")

    def offer_insights(self, insights):
        self._offered = insights

    def last_sample(self):
        return {
            "rows": [{"source": "ai", "note": {"journal": "a guess"}}],
            "insights_used": [each["id"] for each in self._offered],
            "limits_used": [],
        }

    def explain(self):
        return {
            "pid": os.getpid(),
            "told": self._told,
            "additional": self._additional,
            "key_length": len(self._key or ""),
        }
`;

const values = '[0, 1, 2, 3, 4, 5]';
const inputs = `[{"key": "mix.a", "values": ${values}}, {"key": "mix.b", "values": ${values}}]`;

function gridModule(args: JsonObject = {}): TestModule {
  const given = JSON.stringify(JSON.stringify(args));
  return moduleWith(`
import json

def svc_create_campaign_optimizer():
    return {"inputs": ${inputs}, **json.loads(${given})}, Grid
`);
}

/** @param text Python in which the class `Grid` is available */
function moduleWith(text: string): TestModule {
  const source = 'experiments/paint/optimizer.py';
  const files = { [source]: `${grid}\n${text}` };
  return moduleOf(source, JSON.stringify({ svc_python: 1, package: 'paint_lab', files }), 'python');
}

const factory = (body: string): TestModule =>
  moduleWith(`def svc_create_campaign_optimizer():\n    ${body}\n`);

const python: OptimizerLanguage = {
  name: 'Python',
  gridModule,
  mistaken: {
    'exports no function': [moduleWith('other = 1'), /optimizer\.py defines no function svc_create_/],
    'gives no pair': [factory('return Grid'), /returned a type; it must return a pair/],
    'gives no class': [factory('return {}, {}'), /is a dict, not a class/],
    'gives a class of something else': [
      moduleWith(
        'class Half:\n    def sample(self): ...\n    def report(self): ...\n\ndef svc_create_campaign_optimizer():\n    return {}, Half',
      ),
      /The class Half .* lacks get_optimal_solutions, get_input_names, .*; extend AbstractSequential/,
    ],
    'gives arguments that are no JSON': [
      factory('return {"mode": float("nan")}, Grid'),
      /the argument mode is nan, which JSON cannot carry/,
    ],
    throws: [factory('raise RuntimeError("no file")'), /no file/],
    'ends its process': [moduleWith('sys.exit(4)'), /could not be made: it ended with exit code 4/],
  },
  asynchronous: moduleWith('async def svc_create_campaign_optimizer():\n    return {}, Grid'),
  words: {
    aNumber: 'an int',
    notFinite: 'nan',
    booleans: 'True or False',
    place: ' \\(paint_lab/experiments/paint/optimizer\\.py:\\d+\\)',
  },
};

/** The languages that this computer can run. */
export const languages = withoutPython() ? [typescript] : [typescript, python];
