import type { DeviceRecord } from '@lab/api-client';
import { describe, expect, it } from 'vitest';
import { deviceDetail } from '../../../gateway/test/color-lab-records.js';
import { campaignRecord, runRecord, taskRecord } from '../../../gateway/test/twins.js';
import { campaignProgress, campaignView } from '../../src/watch/campaign-view.js';
import { runView, taskView } from '../../src/watch/run-view.js';
import { progressBar } from '../../src/watch/style.js';

/** What a terminal shows of work, without the colours. */

const broke = { code: 'task_failed', message: 'the cup broke' } as const;
const arm = { arm: { lab_name: 'color_lab', name: 'arm' } };
const done = taskRecord({ name: 'mix', state: 'completed' });
const busy = taskRecord({ name: 'look', state: 'running', devices: arm });
const waiting = taskRecord({ name: 'score', state: 'queued' });
const device: DeviceRecord = {
  ...deviceDetail,
  functions: [],
  lab_name: 'color_lab',
  name: 'arm',
  state: 'idle',
};
const free = { ...device, held_by: null, detail: null };
const bar = (filled: number): string => '█'.repeat(filled) + '░'.repeat(40 - filled);

describe('the view of a protocol run', () => {
  it('shows the share of ended tasks, and each task with its state and devices', () => {
    const run = runRecord({ name: 'mix_1', state: 'running', tasks: [done, busy, waiting, waiting] });
    expect(runView({ ...run, type: 'color_mixing', paused_at: null })).toEqual([
      '',
      'mix_1  color_mixing  running',
      `${bar(10)} 1/4 tasks`,
      '',
      '  ● mix    completed',
      '  ◐ look   running  on arm',
      '  ○ score  queued',
      '  ○ score  queued',
      '',
    ]);
  });

  it('says that it is paused, and why it ended', () => {
    const run = runRecord({ name: 'mix_1', state: 'failed', reason: broke, tasks: [] });
    const lines = runView({ ...run, type: 'color_mixing', paused_at: '2026-11-20T09:30:00.000Z' });
    expect(lines.slice(1, 3)).toEqual(['mix_1  color_mixing  failed (paused)', `${bar(0)} 0/0 tasks`]);
    expect(lines.slice(-3)).toEqual(['', 'the cup broke', '']);
  });

  it('of a task is one line', () => {
    expect(taskView({ ...busy, type: 'look' })).toEqual(['◐ look  look  running  on arm']);
    expect(taskView({ ...done, state: 'failed', type: 'mix', reason: broke })).toEqual([
      '✗ mix  mix  failed: the cup broke',
    ]);
  });
});

describe('the view of a campaign', () => {
  const run = (name: string, tasks: (typeof done)[], more: object = {}) =>
    runRecord({ name, tasks, ...more });
  const sweep = {
    ...campaignRecord({ name: 'sweep', state: 'running', max_protocol_runs: 4 }),
    protocol: 'color_mixing',
    optimizer: null,
    protocol_runs: [
      run('sweep_1', [done, done], { state: 'completed' }),
      run('sweep_2', [done, busy], { state: 'running' }),
      run('sweep_3', [waiting, waiting], { state: 'running' }),
      run('sweep_4', [done], { state: 'failed', reason: broke }),
    ],
  };

  it('counts the tasks of runs that have not started too', () => {
    expect(campaignProgress(sweep)).toBe(4 / 8);
    expect(campaignProgress({ ...sweep, protocol_runs: [] })).toBe(0);
  });

  it('shows what each run does or waits for, and who has each device', () => {
    const held = { ...free, name: 'station', state: 'busy' as const, held_by: 'sweep_2/look' };
    const away = { ...free, name: 'camera', state: 'unreachable' as const, detail: 'not heard' };
    expect(campaignView(sweep, [free, held, away])).toEqual([
      '',
      'sweep  color_mixing  running',
      `${bar(20)} 2/4 runs`,
      '',
      '  sweep_1                  ● ●  ',
      '  sweep_2                  ● ◐  look',
      '  sweep_3                  ○ ○  waits for score, score',
      '  sweep_4                  ●  the cup broke',
      '',
      '  color_lab.arm                      idle         free',
      '  color_lab.station                  busy         sweep_2/look',
      '  color_lab.camera                   unreachable  free  not heard',
      '',
    ]);
  });
});

it('a bar never grows beyond its width', () => {
  expect([progressBar(-1, 4), progressBar(0.5, 4), progressBar(2, 4)]).toEqual(['░░░░', '██░░', '████']);
});
