import { fileURLToPath } from 'node:url';
import { withoutPython } from '@lab/testkit/python';
import { optimizerModules } from '@lab/testkit/testing';
import { moduleOf, type TestModule } from './modules.js';

const packages = fileURLToPath(new URL('../../../lab-packages/', import.meta.url));

/** The grid of the multiplication lab in Python: the same space and the same order, beside an AI. */
const grid = `
import itertools

from svc_lab.optimizer import AbstractSequentialOptimizer, ContinuousOutput, DiscreteInput, Minimize
from svc_lab.optimizers import HybridOptimizer


class GridSearch(AbstractSequentialOptimizer):
    def __init__(self, axes, output, descending):
        self._names = list(axes)
        self._points = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
        self._output = output
        self._descending = descending
        self._known = set()
        self._measured = []

    def _key(self, row):
        return tuple(row[name] for name in self._names)

    def sample(self, num_protocol_runs):
        free = [point for point in self._points if self._key(point) not in self._known]
        if len(free) < num_protocol_runs:
            raise RuntimeError(f"The grid is exhausted: {len(free)} points are left")
        rows = (free[::-1] if self._descending else free)[:num_protocol_runs]
        self.report_started(rows)
        return rows

    def report(self, inputs_df, outputs_df):
        self.report_started(inputs_df)
        self._measured += [{**inputs, **outputs} for inputs, outputs in zip(inputs_df, outputs_df)]

    def report_started(self, inputs_df):
        self._known.update(self._key(row) for row in inputs_df)

    def get_optimal_solutions(self):
        best = min(row[self._output] for row in self._measured)
        return [row for row in self._measured if row[self._output] == best]

    def get_input_names(self):
        return self._names

    def get_output_names(self):
        return [self._output]

    def get_num_samples_reported(self):
        return len(self._measured)

    def get_runtime_params(self):
        return {"descending": self._descending}

    def set_runtime_params(self, params):
        if not isinstance(params["descending"], bool):
            raise ValueError("descending must be True or False")
        self._descending = params["descending"]


class GridCampaign(HybridOptimizer):
    def __init__(self, *, descending=False, **arguments):
        self._descending = descending
        super().__init__(**arguments)

    @classmethod
    def svc_param_schema(cls):
        return [{"key": "descending", "type": "checkbox", "default": False, "runtime": True}]

    def _create_optimizer(self, inputs, outputs, constraints):
        return GridSearch({each.key: each.values for each in self.domain.inputs}, outputs[0].key, self._descending)


def svc_create_campaign_optimizer():
    return {
        "inputs": [
            DiscreteInput("first.number", [2, 4, 8]),
            DiscreteInput("first.factor", [3, 4, 5]),
            DiscreteInput("second.factor", [8, 16, 32, 64]),
        ],
        "outputs": [ContinuousOutput("score.loss", Minimize())],
        "descending": False,
        "p_bayesian": 1,
        "p_ai": 0,
    }, GridCampaign
`;

/** A grid search beside an AI, in each language that this computer can run. */
export const hybridLanguages: { name: string; module: () => Promise<TestModule> }[] = [
  {
    name: 'TypeScript',
    module: async () =>
      (await optimizerModules(packages, ['multiplication_lab'])).get('optimize_multiplication')!,
  },
  ...(withoutPython() ? [] : [{ name: 'Python', module: () => Promise.resolve(pythonGrid()) }]),
];

function pythonGrid(): TestModule {
  const source = 'experiments/multiply/optimizer.py';
  const bundle = { svc_python: 1, package: 'paint_lab', files: { [source]: grid } };
  return moduleOf(source, JSON.stringify(bundle), 'python');
}
