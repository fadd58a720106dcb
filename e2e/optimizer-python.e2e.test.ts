import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Trial } from '@lab/contracts';
import { withoutPython } from '@lab/testkit/python';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isOver, type CampaignWithRuns } from './api.js';
import { startLab, type Lab } from './lab.js';

/** A campaign with an optimizer in Python in the whole service, through crashes of its process and of the orchestrator. */

const runs = 14;
const limitMs = 120_000;

const files = (trace: string): Record<string, string> => ({
  'package.json': '{ "name": "blend_lab", "version": "1.0.0", "private": true, "type": "module" }\n',
  'laboratories/blend_lab/lab.yml': `name: blend_lab
desc: Blends inks
devices:
  valve: { desc: Doses ink, type: valve, computer: svc_computer }
`,
  'devices/valve/device.yml': 'type: valve\ndesc: A valve that doses\n',
  'devices/valve/device.py': `
from svc_lab import BaseDevice


class Valve(BaseDevice):
    def _initialize(self, parameters):
        pass

    def _cleanup(self):
        pass

    def _report(self):
        return {}

    def dose(self, volume):
        return {"dosed": volume}
`,
  'tasks/blend/task.yml': `type: blend
desc: Doses an ink
devices:
  valve: { type: valve }
input_parameters:
  cyan: { type: float, unit: ml, min: 0, max: 100, desc: Cyan }
output_parameters:
  loss: { type: float, unit: n/a, desc: Distance from the wanted color }
`,
  'tasks/blend/task.py': `
import time

from svc_lab import BaseTask


class Blend(BaseTask):
    def _execute(self, devices, parameters, resources):
        devices["valve"].dose(volume=parameters["cyan"])
        time.sleep(0.4)
        return {"loss": (parameters["cyan"] - 6) ** 2}, {}, {}
`,
  'experiments/blend/experiment.yml': `type: blend
desc: Looks for a blend
labs: [blend_lab]
tasks:
  - name: mix
    type: blend
    desc: Blends once
    duration: 1
    devices:
      valve: { lab_name: blend_lab, name: valve }
    parameters: { cyan: svc_dynamic }
`,
  // Every proposal is noted on the disk, with the process that makes it.
  'experiments/blend/optimizer.py': `
import os

from svc_lab.optimizer import AbstractSequentialOptimizer


class Counting(AbstractSequentialOptimizer):
    def __init__(self, step):
        self._step = step
        self._known = {}

    def sample(self, num_protocol_runs):
        rows = []
        while len(rows) < num_protocol_runs:
            value = self._step * (1 + len(self._known))
            self._known[value] = None
            rows.append({"mix.cyan": value})
            with open(${JSON.stringify(trace)}, "a") as file:
                file.write(f"{os.getpid()} {value}\\n")
        return rows

    def report(self, inputs_df, outputs_df):
        for inputs, outputs in zip(inputs_df, outputs_df):
            self._known[inputs["mix.cyan"]] = outputs["mix.loss"]

    def report_started(self, inputs_df):
        for inputs in inputs_df:
            self._known.setdefault(inputs["mix.cyan"], None)

    def get_optimal_solutions(self):
        measured = {value: loss for value, loss in self._known.items() if loss is not None}
        best = min(measured, key=measured.get)
        return [{"mix.cyan": best, "mix.loss": measured[best]}]

    def get_input_names(self):
        return ["mix.cyan"]

    def get_output_names(self):
        return ["mix.loss"]

    def get_num_samples_reported(self):
        return len([loss for loss in self._known.values() if loss is not None])


def svc_create_campaign_optimizer():
    return {"step": 0.5}, Counting
`,
});

let userDir: string;
let trace: string;
let lab: Lab;
const skipped = withoutPython();
beforeAll(async () => {
  if (skipped) return;
  userDir = await mkdtemp(join(import.meta.dirname, '.blend-'));
  trace = join(userDir, 'proposals');
  for (const [name, text] of Object.entries(files(trace))) {
    const path = join(userDir, 'blend_lab', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  lab = await startLab(['blend_lab'], { userDir, env: { SVC_PROTOCOLS: 'blend' }, readyMs: 200_000 });
});
afterAll(async () => {
  if (skipped) return;
  await lab.stack.dispose();
  await rm(userDir, { recursive: true, force: true });
});

/** Processes that have proposed, in the order of their first proposal. */
async function proposers(): Promise<number[]> {
  const text = await readFile(trace, 'utf8').catch(() => '');
  return [...new Set(text.split('\n').flatMap((line) => (line === '' ? [] : [Number(line.split(' ')[0])])))];
}

/** Undefined: it has ended, and the next one was not started yet. */
async function orchestrator(): Promise<number | undefined> {
  const text = await readFile(join(lab.stack.dataDir, 'run', 'processes.json'), 'utf8');
  return (JSON.parse(text) as { name: string; pid: number }[]).find(({ name }) => name === 'orchestrator')
    ?.pid;
}

const completed = (count: number): Promise<CampaignWithRuns> =>
  eventually(
    () => lab.api.campaign('blends'),
    (campaign) => campaign.protocol_runs_completed >= count || isOver(campaign),
    limitMs,
  );

describe.skipIf(skipped)('a campaign with an optimizer in Python', () => {
  it(
    'goes on after its process and the orchestrator were killed, and proposes for no run twice',
    async () => {
      const submitted = await lab.api.submit('campaigns', {
        name: 'blends',
        protocol: 'blend',
        optimize: true,
        max_protocol_runs: runs,
        max_concurrent_protocol_runs: 2,
      });
      expect(submitted.status).toBe(201);

      await completed(3);
      const [first] = await proposers();
      process.kill(first ?? 0, 'SIGKILL');
      const after = await eventually(proposers, (all) => all.length === 2, limitMs);
      expect(after[0]).toBe(first);

      await completed(7);
      const leader = await orchestrator();
      process.kill(leader ?? 0, 'SIGKILL');
      await eventually(orchestrator, (pid) => pid !== undefined && pid !== leader, limitMs);

      const campaign = await eventually(() => lab.api.campaign('blends'), isOver, limitMs);
      expect(campaign).toMatchObject({
        ...{ state: 'completed', reason: null },
        ...{ protocol_runs_completed: runs, protocol_runs_failed: 0 },
        // Of the 14 points the one at 6 is the best.
        optimizer: { best: [{ 'mix.cyan': 6, 'mix.loss': 0 }], failure: null },
      });
      const trials = await lab.api.all<Trial>('/api/campaigns/blends/trials');
      expect(trials.map(({ number, state }) => [number, state])).toEqual(
        Array.from({ length: runs }, (_, index) => [index + 1, 'measured']),
      );
      // Each run has the point of its trial, and no point was measured twice.
      expect(campaign.protocol_runs.map(({ parameters }) => parameters['mix'])).toEqual(
        trials.map(({ inputs }) => ({ cyan: inputs['mix.cyan'] })),
      );
      expect(new Set(trials.map(({ inputs }) => inputs['mix.cyan'])).size).toBe(runs);
      const attempts = campaign.protocol_runs.flatMap((run) => run.tasks.map(({ attempt }) => attempt));
      expect(attempts).toEqual(Array.from({ length: runs }, () => 1));
      expect((await proposers()).length).toBeGreaterThanOrEqual(2);
    },
    3 * limitMs,
  );

  it('says in its records which Python has run it', async () => {
    const version = expect.stringMatching(/^3\.\d+\.\d+/) as string;
    const python = { name: 'python', version, environment: null };
    const campaign = await lab.api.campaign('blends');
    expect(campaign.optimizer?.runtime).toEqual(python);
    const { body: optimizer } = await lab.api.call('GET', '/api/campaigns/blends/optimizer');
    expect(optimizer).toMatchObject({ runtime: python });
    const task = campaign.protocol_runs[0]?.tasks[0];
    expect(task?.runtime).toEqual(python);
    expect(await lab.api.taskOf('blends_run_1', 'mix')).toMatchObject({ runtime: python });
    expect(await lab.api.attempts('mix', 'blends_run_1')).toMatchObject([{ runtime: python }]);
    const valve = await eventually(
      () => lab.api.device('valve'),
      ({ state }) => state === 'idle',
    );
    expect(valve).toMatchObject({ runtime: python, debugger: null });
    const doses = await eventually(
      () => lab.api.all<{ state: string }>('/api/effects?lab=blend_lab&device=valve'),
      (all) => all.length === runs && all.every(({ state }) => state === 'completed'),
    );
    expect(doses[0]).toMatchObject({ runtime: python });
  });
});
