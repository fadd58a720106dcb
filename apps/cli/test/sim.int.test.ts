import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SimulationRecord } from '@lab/contracts';

/** The built command line on the packages of the product: what the guide shows, typed. */

const path = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
let folder: string;
let page: string;
let scenario: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-sim-'));
  page = await readFile(path('docs/guide/simulation.md'), 'utf8');
  scenario = /```yaml\n(# fragment of color_day\.yml\n[\s\S]*?)```/.exec(page)?.[1] ?? '';
  await writeFile(join(folder, 'color_day.yml'), scenario);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function svc(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const command = [path('apps/cli/bin/svc.mjs'), ...args, '--user-dir', path('lab-packages')];
    execFile(process.execPath, command, { cwd: folder, maxBuffer: 2 ** 26 }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

describe('svc sim', () => {
  it('prints what the guide shows, and draws it', async () => {
    const command = /```sh\nsvc (sim .*)\n```/.exec(page)?.[1]?.split(' ') ?? [];
    const shown = /```text\n([\s\S]*?)```/.exec(page)?.[1] ?? 'nothing';
    const { code, out, err } = await svc(...command);
    expect([code, err]).toEqual([0, '']);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd());
    const told = lines.map((line) => line.replace(/^planning: .*/, 'planning: ...'));
    expect(told).toEqual(shown.trimEnd().split('\n'));
    const svg = await readFile(join(folder, 'color_day.svg'), 'utf8');
    expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });

  it('tells the same twice, and the durations of the same tasks under every policy', async () => {
    const records = await Promise.all(
      [['greedy'], ['greedy'], ['cpsat']].map(async ([policy = '']) => {
        const { out } = await svc('sim', 'color_day.yml', '--scheduler', policy, '--seed', '7', '--json');
        return { ...(JSON.parse(out) as SimulationRecord), planning: null };
      }),
    );
    const [first, again, planned] = records;
    expect(again).toEqual(first);
    expect(planned).toMatchObject({ scheduler: 'cpsat', seed: 7, outcome: 'completed' });
    const durations = (record?: Pick<SimulationRecord, 'tasks'>): Record<string, number> =>
      Object.fromEntries(
        (record?.tasks ?? []).map(({ label, start, end }) => [
          label,
          Math.round(((end ?? NaN) - (start ?? NaN)) * 1000),
        ]),
      );
    expect(durations(planned)).toEqual(durations(first));
  });

  it.each([1, 2, 3])(
    'tells by how much planning ahead ends the two campaigns of the color lab earlier, with seed %i',
    async (seed) => {
      const example = path('lab-packages/color_lab/examples/two_campaigns.yml');
      const options = ['--jitter', '0.1', '--seed', String(seed), '--json'];
      const makespanUnder = async (policy: string): Promise<number> => {
        const { code, out, err } = await svc('sim', example, '--scheduler', policy, ...options);
        expect([code, err]).toEqual([0, '']);
        const record = JSON.parse(out) as SimulationRecord;
        expect([record.outcome, record.tasks_by_state]).toEqual(['completed', { completed: 140 }]);
        return record.makespan;
      };
      const greedy = await makespanUnder('greedy');
      // 12 to 20 % earlier: a part of that is the luck of the search.
      expect(await makespanUnder('cpsat')).toBeLessThan(0.93 * greedy);
    },
    600_000,
  );

  it.each([
    [
      'iterations: 6',
      'iteration: 6',
      /^bad\.yml:7:5 unknown_field\n[\s\S]*7 \| +iteration: 6\n[\s\S]*hint: fields here:.*iterations/,
    ],
    ['color_lab.station_2', 'color_lab.station_9', /^bad\.yml:17:15 unknown_device\n[\s\S]*did you mean/],
    [
      'type: color_mixing',
      'type: color_mixin',
      /^bad\.yml:6:11 unknown_protocol\n[\s\S]*did you mean "color_mixing"/,
    ],
  ])(
    'says where a scenario with a wrong word is wrong, and what would be right: %s',
    async (right, wrong, told) => {
      await writeFile(join(folder, 'bad.yml'), scenario.replace(right, wrong));
      const { code, out, err } = await svc('sim', 'bad.yml');
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(told);
    },
  );

  it.each([
    [['color_day.yml', '--jitter', 'much'], /--jitter/],
    [['color_day.yml', '--scheduler', 'magic'], /greedy, cpsat/],
    [['absent.yml'], /absent\.yml/],
  ])('refuses %j', async (args, told) => {
    const { code, err } = await svc('sim', ...args);
    expect(code).toBe(2);
    expect(err).toMatch(told);
  });
});
