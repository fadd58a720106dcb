import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CampaignRecord, ProtocolRunRecord, Trial } from '@lab/contracts';
import { withoutPython } from '@lab/testkit/python';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isOver, type CampaignWithRuns } from './api.js';
import { startColorDrivers, type ColorDrivers } from './eos/color-drivers.js';
import { eosSources, hasBofire } from './eos/sources.js';
import { GuideShell } from './guide-commands.js';
import { startLab, type Lab } from './lab.js';

/** Packages of EOS run as their authors published them, and the page of the guide about them is followed, on one stack. */

const sources = await eosSources();
const withBofire = sources !== undefined && (await hasBofire());
/** Longest wait for a campaign with BoFire, in milliseconds. */
const limitMs = 300_000;
let userDir = '';
let lab: Lab;
let drivers: ColorDrivers;
const results: string[] = [];

const post = (path: string, body?: unknown) => lab.api.call('POST', path, body);

/** Runs a protocol of a package to its end. */
async function finished(owner: string, type: string, parameters: object = {}): Promise<ProtocolRunRecord> {
  const name = `${owner} ${type}`;
  const answer = await lab.api.submit('protocols', { name, type, parameters });
  expect(answer.body).toMatchObject({ name });
  const run = await eventually(() => lab.api.run(name), isOver);
  const tasks = `${run.tasks.filter((task) => task.state === 'completed').length}/${run.tasks.length} tasks`;
  results.push(
    `${owner.padEnd(10)} ${type.padEnd(28)} ${run.state.padEnd(10)} ${tasks}  ${run.reason?.message ?? ''}`,
  );
  return run;
}

/** A campaign at its end. */
async function ended(owner: string, name: string): Promise<CampaignWithRuns> {
  const campaign = await eventually(() => lab.api.campaign(name), isOver, limitMs);
  const { state, protocol_runs_completed: runs } = campaign;
  results.push(`${owner.padEnd(10)} ${name.padEnd(28)} ${state.padEnd(10)} ${runs} runs with BoFire`);
  return campaign;
}

const outputsOf = (run: ProtocolRunRecord, name: string) =>
  run.tasks.find((task) => task.name === name)?.output_parameters;

/** Copies a package into the folder of the service. */
const take = (from: string, ...to: string[]) => cp(from, join(userDir, ...to), { recursive: true });

beforeAll(async () => {
  if (withoutPython()) return;
  userDir = await mkdtemp(join(tmpdir(), 'svc-eos-'));
  if (sources !== undefined) {
    await take(join(sources.eos, 'user', 'example'), 'example');
    await take(join(sources.examples, 'color_lab'), 'eos_examples', 'color_lab');
    drivers = await startColorDrivers();
  }
  lab = await startLab(sources === undefined ? [] : ['multiplication_lab', 'color_lab'], { userDir });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await drivers?.close();
  await rm(userDir, { recursive: true, force: true });
  if (results.length > 0)
    process.stdout.write(`\nPackages of EOS\n${results.map((line) => `  ${line.trimEnd()}\n`).join('')}`);
});

it.skipIf(withoutPython())('the guide: the commands do what the page says', async () => {
  const shell = new GuideShell();
  try {
    const env = { SVC_URL: lab.stack.url, SVC_DATA_DIR: lab.stack.dataDir, SVC_USER_DIR: userDir };
    const followed = await shell.follow('docs/guide/from-eos.md', { instead: {}, env });
    expect(followed).toMatchObject({
      typed: 8,
      compared: 5,
      left: [expect.stringContaining('a service already'), expect.stringContaining('no pandas')],
    });
  } finally {
    shell.dispose();
  }
});

describe.skipIf(sources === undefined)('packages of EOS', () => {
  it('run the example: a device call by position, and outputs that the next task takes', async () => {
    const run = await finished('example', 'optimize_multiplication', {
      mult_1: { number: 4, factor: 16 },
      mult_2: { factor: 16 },
    });
    expect(run).toMatchObject({ state: 'completed', reason: null });
    expect(outputsOf(run, 'mult_1')).toEqual({ in_number: 4, product: 64 });
    expect(outputsOf(run, 'score_multiplication')).toEqual({ loss: 0 });
  });

  it('run the example in a campaign with given parameters', async () => {
    const rows = [2, 4].map((number) => ({ mult_1: { number } }));
    await lab.api.submit('campaigns', {
      name: 'eos campaign',
      protocol: 'optimize_multiplication',
      owner: 'ada',
      max_protocol_runs: rows.length,
      global_parameters: { mult_1: { factor: 16 }, mult_2: { factor: 16 } },
      protocol_run_parameters: rows,
    });
    const campaign = await eventually(() => lab.api.campaign('eos campaign'), isOver);
    expect((campaign as CampaignRecord).state).toBe('completed');
    const losses = campaign.protocol_runs.map((run) => outputsOf(run, 'score_multiplication')?.['loss']);
    expect(losses).toEqual([512, 0]);
  });

  it('run the color lab: resources pass through devices and come back changed', async () => {
    const inks = ['cyan', 'magenta', 'yellow', 'black'];
    const mix = Object.fromEntries(
      inks.flatMap((ink) => [
        [`${ink}_volume`, 5],
        [`${ink}_strength`, 50],
      ]),
    );
    const run = await finished('color_lab', 'color_mixing', {
      mix_colors: { ...mix, mixing_time: 1, mixing_speed: 100 },
      score_color: { target_color: [47, 181, 49] },
    });
    expect(run).toMatchObject({ state: 'completed', reason: null });
    expect(outputsOf(run, 'mix_colors')).toEqual({ total_color_volume: 20 });
    expect(outputsOf(run, 'analyze_color')).toEqual({ red: 207, green: 207, blue: 207 });
    const task = (name: string) => run.tasks.find((each) => each.name === name);
    expect(task('mix_colors')?.output_resources?.['beaker']?.meta).toMatchObject({
      cyan_volume: 5,
      clean: false,
    });
    expect(task('store_container')?.output_resources?.['beaker']?.meta).toEqual({
      volume: 0,
      clean: true,
      location: 'container_storage',
    });
    expect(drivers.called).toEqual(expect.arrayContaining(['move', 'mix', 'analyze', 'empty', 'clean']));
  });

  it.skipIf(withBofire)(
    'say which library is missing when a campaign with an optimizer is submitted',
    async () => {
      const answer = await post('/api/campaigns', {
        ...{ name: 'eos_colors', protocol: 'color_mixing', owner: 'ada' },
        ...{ optimize: true, max_protocol_runs: 4 },
        global_parameters: { score_color: { target_color: [47, 181, 49] } },
      });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({
        detail: expect.stringMatching(
          /optimizer\.py needs the library bofire: install it for the Python of the optimizer worker, pip install "bofire\[optimization\]"/,
        ) as string,
      });
    },
  );

  it.skipIf(!withBofire)(
    'run the optimizer of the color lab: BoFire chooses the runs of a campaign',
    async () => {
      const submitted = await lab.api.submit('campaigns', {
        name: 'eos_colors',
        protocol: 'color_mixing',
        owner: 'ada',
        optimize: true,
        max_protocol_runs: 4,
        global_parameters: { score_color: { target_color: [47, 181, 49] } },
        // The package asks for 25 points before its strategy proposes.
        meta: { optimizer_overrides: { num_initial_samples: 2 } },
      });
      expect(submitted.body).toMatchObject({ name: 'eos_colors' });
      const campaign = await ended('color_lab', 'eos_colors');
      expect(campaign).toMatchObject({ state: 'completed', reason: null, protocol_runs_completed: 4 });
      const trials = await lab.api.all<Trial>('/api/campaigns/eos_colors/trials');
      expect(trials.map(({ source }) => source)).toEqual(Array.from({ length: 4 }, () => 'optimizer'));
      const losses = trials.map(({ outputs }) => outputs?.['score_color.loss'] ?? Infinity);
      expect(campaign.optimizer?.best?.[0]).toMatchObject({ 'score_color.loss': Math.min(...losses) });
      for (const { inputs } of trials) {
        expect(Object.keys(inputs)).toHaveLength(10);
        expect(inputs['mix_colors.cyan_volume']).toBeLessThanOrEqual(25);
      }
    },
    limitMs,
  );

  it.skipIf(!withBofire)(
    'run the example in a campaign of Beacon, whose AI is switched off',
    async () => {
      await lab.api.submit('campaigns', {
        ...{ name: 'eos_beacon', protocol: 'optimize_multiplication', owner: 'ada' },
        ...{ optimize: true, max_protocol_runs: 3 },
      });
      const campaign = await ended('example', 'eos_beacon');
      expect(campaign).toMatchObject({ state: 'completed', protocol_runs_completed: 3 });
      expect(campaign.optimizer?.runtime_params).toMatchObject({ p_bayesian: 1, p_ai: 0 });
    },
    limitMs,
  );

  it('run the packages with which EOS is tested', async () => {
    const unloaded = await post('/api/labs/unload', { lab_types: ['multiplication_lab'] });
    expect(unloaded.status).toBe(200);
    await rm(join(userDir, 'example'), { recursive: true });
    await take(join(sources?.eos ?? '', 'tests', 'user', 'testing'), 'testing');
    expect((await post('/api/packages/refresh')).status).toBe(200);
    const labs = ['abstract_lab', 'dynamic_lab', 'multiplication_lab', 'small_lab'];
    const loaded = await post('/api/labs/load', { lab_types: labs });
    expect(loaded.body).toHaveLength(labs.length);
    const plain = [
      'abstract_protocol',
      'abstract_protocol_2',
      'dynamic_device_protocol',
      'dynamic_resource_protocol',
      'hold_test_dynamic_protocol',
      'hold_test_protocol',
    ];
    const types = [...plain, 'water_purification', 'optimize_multiplication'];
    expect((await post('/api/protocols/load', { protocol_types: types })).body).toHaveLength(types.length);
    const multiplication = { mult_1: { number: 4, factor: 16 }, mult_2: { factor: 16 } };
    const runs = await Promise.all([
      ...plain.map((type) => finished('testing', type)),
      finished('testing', 'water_purification', {
        mixing: { time: 60 },
        evaporation: {
          evaporation_temperature: 90,
          evaporation_rotation_speed: 100,
          evaporation_sparging_flow: 5,
        },
      }),
    ]);
    expect(runs.map(({ type, state }) => [type, state])).toEqual(runs.map(({ type }) => [type, 'completed']));
    const run = await finished('testing', 'optimize_multiplication', multiplication);
    expect(outputsOf(run, 'compute_multiplication_objective')).toEqual({ objective: 4 });
  });

  it('run tasks by themselves, and keep the files that they return', async () => {
    await lab.api.submit('tasks', {
      name: 'one file',
      type: 'File Generation',
      input_parameters: { content_length: 32 },
    });
    const task = await eventually(() => lab.api.task('one file'), isOver);
    expect(task).toMatchObject({ state: 'completed', output_files: [{ name: 'file.txt', size: 32 }] });
  });
});
