import { describe, expect, it } from 'vitest';
import { taskRecord } from '../twins.js';
import { isOwn } from '../../src/work/own-submission.js';

const at = Date.parse('2026-11-21T12:00:00Z');
const record = taskRecord({
  created_at: '2026-11-21T12:00:01.000Z',
  owner: 'ada',
  priority: 3,
  devices: { arm: { lab_name: 'l', name: 'arm' } },
  input_parameters: { volume: 2, speed: 1 },
  input_resources: { beaker: { name: 'beaker_1', type: 'beaker', meta: {} } },
  meta: { a: [1, { b: null }] },
});
const same = {
  name: record.name,
  type: record.type,
  owner: 'ada',
  priority: 3,
  devices: { arm: { lab_name: 'l', name: 'arm' } },
  input_parameters: { volume: 2 },
  input_resources: { beaker: 'beaker_1' },
  retry: { attempts: 2 },
  meta: { a: [1, { b: null }] },
};

describe('a record is of a submission', () => {
  it('when it says all that the submission says, and more', () => {
    expect(isOwn(record, same, at)).toBe(true);
    expect(isOwn(record, { name: record.name, type: record.type }, at)).toBe(true);
  });

  it('unless it differs in anything, or is older than the request', () => {
    expect(isOwn(undefined, same, at)).toBe(false);
    expect(isOwn(record, same, at + 120_000)).toBe(false);
    for (const other of [
      { type: 'x' },
      { owner: '' },
      { priority: 0 },
      { devices: { arm: { lab_name: 'l', name: 'leg' } } },
      { devices: { leg: { lab_name: 'l', name: 'arm' } } },
      { input_parameters: { volume: 3 } },
      { input_resources: { beaker: 'beaker_2' } },
      { meta: { a: [1, { b: 0 }] } },
      { meta: { a: [1] } },
    ])
      expect(isOwn(record, { ...same, ...other }, at)).toBe(false);
  });
});
