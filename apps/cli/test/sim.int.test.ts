import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { simulationShell } from './simulation-shell.js';

/** Types the `svc sim` commands of the guide. */

const { files, svc } = simulationShell();

describe('svc sim', () => {
  it('prints the output that the guide shows, with its chart', async () => {
    const command = /```sh\nsvc (sim .*)\n```/.exec(files.page)?.[1]?.split(' ') ?? [];
    const shown = /```text\n([\s\S]*?)```/.exec(files.page)?.[1] ?? 'nothing';
    const { code, out, err } = await svc(...command);
    expect([code, err]).toEqual([0, '']);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd());
    const told = lines.map((line) => line.replace(/^planning: .*/, 'planning: ...'));
    expect(told).toEqual(shown.trimEnd().split('\n'));
    const svg = await readFile(join(files.folder, 'color_day.svg'), 'utf8');
    expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });

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
  ])('names the place of a wrong word in a scenario and the right word: %s', async (right, wrong, told) => {
    await writeFile(join(files.folder, 'bad.yml'), files.scenario.replace(right, wrong));
    const { code, out, err } = await svc('sim', 'bad.yml');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(told);
  });

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
