import { describe, expect, it } from 'vitest';
import type { AttentionRecord, EmergencyStopRecord } from '@lab/api-client';
import { callsOf, callText, fieldsOf, momentOf } from '../src/index.js';

const call = { device: 'l.pump', function: 'dispense', call_id: 'a/1' };
const read = { device: 'l.pump', function: 'dispense', id: 'a/1', arguments: undefined };

describe('the calls that an item names', () => {
  it('are the last one that ended, and those in doubt', () => {
    const stop = { device: 'l.pump', function: 'stop', call_id: 'a/2', arguments: { at_once: true } };
    const known = { last_confirmed: call, in_doubt: stop };
    expect(callsOf({ device: null, known })).toEqual({
      last: read,
      inDoubt: [{ device: 'l.pump', function: 'stop', id: 'a/2', arguments: { at_once: true } }],
    });
  });

  it('are those of its device when the item is about one', () => {
    const { device, ...unplaced } = call;
    const known = { last_confirmed: null, in_doubt: [unplaced, { ...unplaced, call_id: 'a/2' }] };
    expect(callsOf({ device, known })).toEqual({ last: undefined, inDoubt: [read, { ...read, id: 'a/2' }] });
  });

  it('are none when the item says nothing about calls, or nothing that can be read', () => {
    expect(callsOf({ device: null, known: { silent_since: 'x' } })).toBeUndefined();
    const none = { last: undefined, inDoubt: [] };
    expect(callsOf({ device: null, known: { last_confirmed: null, in_doubt: null } })).toEqual(none);
    expect(callsOf({ device: null, known: { last_confirmed: 7, in_doubt: [{ function: 'f' }] } })).toEqual(
      none,
    );
  });
});

describe('a call', () => {
  const fields = fieldsOf({ volume: { type: 'float', unit: 'ml' }, slow: { type: 'bool' } }) ?? [];

  it('is written with its arguments and their units', () => {
    const effect = { arguments: { volume: 5, slow: true, other: { a: 1 } } };
    expect(callText(read, effect, fields)).toBe('dispense(volume: 5 ml, slow: true, other: {"a":1})');
    expect(callText({ ...read, arguments: { volume: 2 } }, undefined, fields)).toBe('dispense(volume: 2 ml)');
    expect(callText({ ...read, arguments: {} }, undefined, [])).toBe('dispense()');
  });

  it('shows that its arguments are not known', () => {
    expect(callText(read, undefined, fields)).toBe('dispense(...)');
  });
});

describe('the moment to which calls are compared', () => {
  const at = (second: number): string => `2026-11-20T09:30:${String(second).padStart(2, '0')}.000Z`;
  const item = (code: string, known = {}): Pick<AttentionRecord, 'reason' | 'known' | 'opened_at'> => ({
    ...{ reason: { code, message: '' }, known, opened_at: at(40) },
  });
  const stop = (scope: string, second: number): EmergencyStopRecord =>
    ({ scope, engaged_at: at(second) }) as EmergencyStopRecord;

  it.each([
    ['all', 'stop'],
    ['lab:l', 'stop'],
    ['device:l.pump', 'stop'],
    ['lab:other', 'question'],
    ['device:l.arm', 'question'],
  ])('is the stop of %s when the item is about it: %s', (scope, what) => {
    expect(momentOf(item('emergency_stop'), 'l.pump', [stop(scope, 30)]).what).toBe(what);
  });

  it('is the latest stop before the question', () => {
    const stops = [stop('all', 20), stop('lab:l', 30), stop('all', 50)];
    expect(momentOf(item('emergency_stop'), 'l.pump', stops)).toEqual({
      what: 'stop',
      at: Date.parse(at(30)),
    });
    expect(momentOf(item('outcome_unknown'), 'l.pump', stops).what).toBe('question');
  });

  it('is the end of the task, or else the question', () => {
    const ended = momentOf(item('outcome_unknown', { ended_at: at(35) }), 'l.pump', []);
    expect(ended).toEqual({ what: 'end', at: Date.parse(at(35)) });
    const unknown = momentOf(item('outcome_unknown', { ended_at: null }), 'l.pump', []);
    expect(unknown).toEqual({ what: 'question', at: Date.parse(at(40)) });
  });
});
