import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProtocolRunRecord, ProtocolRunSubmission } from '@lab/contracts';
import { eventually, isOver } from '../api.js';
import { lab } from './lab.js';

/** The flagship: one arm, one cleaning station, three stations, one tester, five beakers. */

let example: ProtocolRunSubmission;

async function readExample(name: string): Promise<ProtocolRunSubmission> {
  const path = fileURLToPath(new URL(`../../lab-packages/color_lab/examples/${name}`, import.meta.url));
  return JSON.parse(await readFile(path, 'utf8')) as ProtocolRunSubmission;
}

beforeAll(async () => {
  example = await readExample('run.json');
});

const taskOf = (run: ProtocolRunRecord, name: string) => {
  const task = run.tasks.find((each) => each.name === name);
  if (task === undefined) throw new Error(`${run.name} has no task ${name}`);
  return task;
};

/** When each task held the device, in order of time. */
function usesOf(runs: ProtocolRunRecord[], device: string): [number, number][] {
  return runs
    .flatMap((run) => run.tasks)
    .filter((task) => Object.values(task.devices).some((each) => each.name === device))
    .map((task): [number, number] => [Date.parse(task.started_at ?? ''), Date.parse(task.ended_at ?? '')])
    .sort(([a], [b]) => a - b);
}

describe('a run of color_mixing', () => {
  it('carries one beaker on one station through all its tasks and measures a color', async () => {
    expect((await lab.api.submit('protocols', example)).status).toBe(201);
    const run = await eventually(() => lab.api.run(example.name), isOver);
    expect([run.state, run.reason]).toEqual(['completed', null]);

    const station = taskOf(run, 'retrieve_container').devices['station'];
    expect(station?.name).toMatch(/^station_[123]$/);
    for (const name of ['mix_colors', 'analyze_color', 'empty_container'])
      expect(taskOf(run, name).devices['station']).toEqual(station);
    const beakers = run.tasks.flatMap((task) => Object.values(task.input_resources).map((each) => each.name));
    expect(new Set(beakers).size).toBe(1);

    const measured = taskOf(run, 'analyze_color').output_parameters ?? {};
    for (const name of ['red', 'green', 'blue']) {
      expect(measured[name]).toBeGreaterThanOrEqual(0);
      expect(measured[name]).toBeLessThanOrEqual(255);
    }
    expect(taskOf(run, 'score_color').output_parameters?.['loss']).toBeGreaterThanOrEqual(0);
  });

  it('keeps the photograph of its camera', async () => {
    const run = await lab.api.run(example.name);
    const [file] = run.tasks.flatMap((task) =>
      task.output_files.map((each) => ({ task: task.name, ...each })),
    );
    if (file === undefined) throw new Error('no task produced a file');
    const path = `/api/tasks/${file.task}/files/${encodeURIComponent(file.name)}?protocol_run_name=${example.name}`;
    const content = await fetch(`${lab.stack.url}${path}`);
    expect(content.status).toBe(200);
    expect((await content.arrayBuffer()).byteLength).toBe(file.size);
  });
});

describe('a run of lightfastness', () => {
  it('fades a spot of paint in its station and records the fading', async () => {
    const fading = await readExample('lightfastness.json');
    expect((await lab.api.submit('protocols', fading)).status).toBe(201);
    const run = await eventually(() => lab.api.run(fading.name), isOver);
    expect([run.state, run.reason]).toEqual(['completed', null]);

    const test = taskOf(run, 'test_lightfastness');
    expect(test.devices['tester']?.name).toBe('microfading_tester');
    expect(test.devices['station']).toEqual(taskOf(run, 'retrieve_container').devices['station']);
    const { dose, color_difference: difference } = test.output_parameters ?? {};
    // Two minutes at five megalux: a paint with much yellow changes visibly.
    expect(dose).toBeCloseTo(1 / 6, 4);
    expect(difference).toBeGreaterThan(1);
    const path = `/api/tasks/test_lightfastness/files/fading.csv?protocol_run_name=${fading.name}`;
    const rows = (await (await fetch(`${lab.stack.url}${path}`)).text()).trim().split('\n');
    expect(rows).toHaveLength(13);
    expect(rows.at(-1)).toBe(`120,${String(dose)},${String(difference)}`);
  });
});

describe('two runs at once', () => {
  it('share the arm and the cleaning station, and each has its own station and beaker', async () => {
    const names = ['rival_1', 'rival_2'];
    await Promise.all(names.map((name) => lab.api.submit('protocols', { ...example, name })));
    const runs = await Promise.all(names.map((name) => eventually(() => lab.api.run(name), isOver, 60_000)));
    expect(runs.map((run) => run.state)).toEqual(['completed', 'completed']);
    for (const device of ['robot_arm', 'cleaning_station']) {
      const uses = usesOf(runs, device);
      expect(uses.length).toBeGreaterThan(2);
      for (const [index, [start]] of uses.entries())
        if (index > 0) expect(start).toBeGreaterThanOrEqual(uses[index - 1]?.[1] ?? NaN);
    }
    const [a, b] = runs.map((run) => taskOf(run, 'retrieve_container'));
    expect(a?.input_resources['beaker']?.name).not.toBe(b?.input_resources['beaker']?.name);
    const overlap = (x: ProtocolRunRecord, y: ProtocolRunRecord): boolean =>
      (x.started_at ?? '') < (y.ended_at ?? '') && (y.started_at ?? '') < (x.ended_at ?? '');
    const [first, second] = runs;
    expect(first !== undefined && second !== undefined && overlap(first, second)).toBe(true);
  });
});
