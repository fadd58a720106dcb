import { attentionWarnings, roleIncludes, roles } from '@lab/contracts';
import type { AttentionRecord, CampaignSummary, DeviceRecord, EmergencyStopRecord } from '@lab/api-client';
import { describe, expect, it } from 'vitest';
import {
  deviceTone,
  freshnessOf,
  isWarning,
  mayAct,
  noRecords,
  progressOf,
  situationOf,
  stopScopeOf,
  type Records,
} from '../src/index.js';

const item = (id: string, code: string, opened_at: string): AttentionRecord =>
  ({ id, opened_at, reason: { code, message: '' } }) as AttentionRecord;
const campaign = (given: Partial<CampaignSummary>): CampaignSummary =>
  ({
    ...{ state: 'running', max_protocol_runs: 10, protocol_runs_completed: 4, protocol_runs_failed: 1 },
    ...{ estimated_completion: null, ...given },
  }) as CampaignSummary;
const device = (given: Partial<DeviceRecord>): DeviceRecord =>
  ({ lab_name: 'l', name: 'd', state: 'idle', halted: null, out_of_service: null, ...given }) as DeviceRecord;
const lab = (given: Partial<Records>): Records => ({ ...noRecords, ...given });

describe('the situation', () => {
  it('is calm when nothing is stopped and nothing waits', () => {
    expect(situationOf(lab({ devices: [device({})] }))).toMatchObject({ isCalm: true, nextNeed: undefined });
  });

  it('needs a person now when a question is open, a stop is in force, or the queue is paused', () => {
    const stop = { id: 's' } as EmergencyStopRecord;
    const queue = { paused: true } as NonNullable<Records['queue']>;
    for (const records of [{ attention: [item('a', 'unknown_outcome', '1')] }, { stops: [stop] }, { queue }])
      expect(situationOf(lab(records))).toMatchObject({ isCalm: false, nextNeed: 'now' });
  });

  it('needs a person when the first campaign ends', () => {
    const campaigns = ['2026-11-27T09:00:00.000Z', '2026-11-27T08:00:00.000Z', null].map((end) =>
      campaign({ estimated_completion: end }),
    );
    expect(situationOf(lab({ campaigns })).nextNeed).toBe(Date.parse('2026-11-27T08:00:00.000Z'));
  });

  it('needs nobody while no work is open, and does not know it before the queue is read', () => {
    const queue = { paused: false, running: 0, waiting: 0 } as NonNullable<Records['queue']>;
    const needs = [{ queue }, { queue: { ...queue, waiting: 1 } }, { queue, campaigns: [campaign({})] }, {}];
    expect(needs.map((records) => situationOf(lab(records)).nextNeed)).toEqual([
      'never',
      ...[undefined, undefined, undefined],
    ]);
  });

  it('tells questions from warnings, oldest first', () => {
    const attention = [
      item('b', 'unknown_outcome', '2'),
      item('w', 'runs_long', '0'),
      item('a', 'lost', '1'),
    ];
    const { questions, warnings, nextNeed } = situationOf(lab({ attention }));
    expect([questions.map(({ id }) => id), warnings.map(({ id }) => id), nextNeed]).toEqual([
      ['a', 'b'],
      ['w'],
      'now',
    ]);
  });

  it('shows devices in trouble, the worst first', () => {
    const devices = [
      device({ name: 'fine' }),
      device({ name: 'away', state: 'unreachable' }),
      device({ name: 'broken', state: 'faulted' }),
      device({ name: 'stopped', halted: 'stopped by ada' }),
    ];
    const { troubledDevices } = situationOf(lab({ devices }));
    expect(troubledDevices.map(({ name }) => name)).toEqual(['broken', 'stopped', 'away']);
  });
});

it('every warning of the service is known as a warning', () => {
  for (const code of Object.keys(attentionWarnings))
    expect(isWarning({ reason: { code, message: '' } as never }), code).toBe(true);
  expect(isWarning({ reason: { code: 'unknown_outcome', message: '' } as never })).toBe(false);
});

it('a device that an emergency stop covers alarms, also when it is ready', () => {
  expect(deviceTone(device({ halted: 'stopped by ada' }))).toBe('alarm');
  expect(deviceTone(device({}))).toBe('good');
});

describe('the progress of a campaign', () => {
  it('counts runs that failed as done', () => {
    expect(progressOf(campaign({}))).toMatchObject({
      done: 4,
      failed: 1,
      total: 10,
      share: 0.5,
      endsAt: undefined,
    });
  });
  it('is unknown without a limit', () => {
    expect(progressOf(campaign({ max_protocol_runs: 0 }))).toMatchObject({
      total: undefined,
      share: undefined,
    });
  });
});

it.each([
  ['all', { kind: 'all' }],
  ['lab:color_lab', { kind: 'lab', lab: 'color_lab' }],
  ['device:color_lab.robot.arm', { kind: 'device', lab: 'color_lab', device: 'robot.arm' }],
])('the scope %s is read', (text, scope) => {
  expect(stopScopeOf(text)).toEqual(scope);
});

it('what the page shows is quiet after a missed heartbeat, and old after the next', () => {
  expect([undefined, 0, 80_000, 100_000].map((heardAt) => freshnessOf(heardAt, 100_000))).toEqual([
    ...['stale', 'stale', 'quiet', 'live'],
  ]);
});

describe('rights', () => {
  it('are those of the service', () => {
    for (const role of roles)
      expect(roles.map((needed) => mayAct({ grants: [{ role }] }, needed))).toEqual(
        roles.map((needed) => roleIncludes(role, needed)),
      );
  });
  it('for one laboratory count in it alone', () => {
    const ada = { grants: [{ role: 'operator' as const, lab: 'color_lab' }] };
    expect([
      mayAct(ada, 'operator', 'color_lab'),
      mayAct(ada, 'operator', 'other'),
      mayAct(ada, 'viewer'),
    ]).toEqual([...[true, false, false]]);
  });
});
