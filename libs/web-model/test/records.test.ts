import type { CampaignSummary, DeviceRecord } from '@lab/api-client';
import { describe, expect, it } from 'vitest';
import { hear, noRecords, readEvent, type LabEvent, type Records } from '../src/index.js';

const device = (name: string): DeviceRecord => ({
  ...{ lab_name: 'color_lab', name, type: 'robot_arm', computer: 'bench_b', state: 'idle', detail: null },
  ...{ held_by: null, halted: null, out_of_service: null, doubt: null, doing: null, last_known: null },
  ...{ runtime: null, debugger: null },
  functions: [],
});
const campaign = (id: string): CampaignSummary =>
  ({ id, name: id, state: 'running', protocol_runs_completed: 1 }) as CampaignSummary;
const records: Records = {
  ...noRecords,
  devices: [device('arm'), device('station')],
  campaigns: [campaign('c1'), campaign('c2')],
};
const event = (type: string, body: Record<string, unknown>): LabEvent => ({
  ...{ id: 1, type, at: '2026-11-27T06:00:00.000Z', body },
});
const busy = event('device.busy', {
  lab: 'color_lab',
  name: 'arm',
  state: 'busy',
  detail: 'move',
  halted: null,
});

describe('events', () => {
  it('change the state of a device, and of no other', () => {
    const { records: heard, stale } = hear(records, [busy]);
    expect(heard.devices).toMatchObject([
      { name: 'arm', state: 'busy', detail: 'move' },
      { name: 'station', state: 'idle' },
    ]);
    expect(heard.devices[1]).toBe(records.devices[1]);
    expect([...stale]).toEqual([['devices', 2_000]]);
  });

  it('are applied in their order', () => {
    const idle = event('device.idle', {
      lab: 'color_lab',
      name: 'arm',
      state: 'idle',
      detail: null,
      halted: null,
    });
    expect(hear(records, [busy, idle]).records.devices[0]).toMatchObject({ state: 'idle', detail: null });
  });

  it('bring a campaign up to date, and take one that has ended out of the list', () => {
    const { records: heard } = hear(records, [
      event('campaign.running', { id: 'c1', state: 'running', protocol_runs_completed: 2 }),
      event('campaign.completed', { id: 'c2', state: 'completed' }),
    ]);
    expect(heard.campaigns).toMatchObject([{ id: 'c1', protocol_runs_completed: 2 }]);
  });

  it('of an unknown device or kind change nothing that is shown', () => {
    const { records: heard, stale } = hear(records, [
      event('device.idle', { lab: 'color_lab', name: 'new', state: 'idle' }),
      event('of_the_future.happened', {}),
    ]);
    expect(heard.devices).toEqual(records.devices);
    expect([...stale.keys()]).toEqual(['devices']);
  });

  it('that tell no state have their list read soon', () => {
    const out = event('device.out_of_service', {
      lab: 'color_lab',
      name: 'arm',
      by: 'ada',
      reason: 'broken',
    });
    expect([...hear(records, [busy, out]).stale]).toEqual([['devices', 250]]);
    const paused = event('halt.engaged', { id: 'p', scope: 'queue', by: 'ada', reason: '' });
    expect([...hear(records, [paused]).stale.values()]).toEqual([250, 250, 250]);
  });

  it('leave lists alone that they do not concern', () => {
    const { records: heard, stale } = hear(records, [event('attention.opened', { id: 'a' })]);
    expect(heard).toBe(records);
    expect([...stale.keys()]).toEqual(['attention']);
    expect(hear(records, [busy]).records.campaigns).toBe(records.campaigns);
  });
});

describe('the text of an event', () => {
  it('is read', () => {
    expect(readEvent(JSON.stringify({ ...busy, schema: 1, seq: 3 }))).toEqual(busy);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"id":1}',
    '{"id":"1","type":"a.b","at":"","body":{}}',
    '{"id":1,"type":"a.b","at":"","body":null}',
  ])('is refused when it is %s', (text) => {
    expect(readEvent(text)).toBeUndefined();
  });
});
