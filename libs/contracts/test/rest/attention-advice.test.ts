import { describe, expect, it } from 'vitest';
import {
  attentionActions,
  attentionActionsOf,
  attentionChoices,
  attentionKinds,
  attentionLookAt,
  attentionWarnings,
  type JsonObject,
} from '../../src/index.js';

const none = { device: null, computer: null, inRun: true, isStopping: false };
const task = (known: JsonObject, more = {}) => ({
  ...none,
  kind: 'task' as const,
  reason: { code: 'outcome_unknown' },
  computer: 'svc_computer',
  known,
  ...more,
});
const device = (code: string, known: JsonObject) => ({
  ...none,
  kind: 'device' as const,
  reason: { code },
  device: 'l.arm',
  computer: 'pc',
  known,
});
const agent = (code: string, known: JsonObject) => ({
  ...none,
  kind: 'agent' as const,
  reason: { code },
  computer: 'pc',
  known,
});
const doubtful = { device: 'l.arm', function: 'move', call_id: 'c', arguments: { to: 'a3' } };
const arm = { slot: 'arm', device: 'l.arm', computer: 'pc' };
const pump = { slot: 'pump', device: 'l.pump', computer: null };

describe('what to look at', () => {
  it('is, for a task, the call in doubt with its arguments, then each other device and each resource', () => {
    const known = {
      devices: [arm, pump],
      resources: [{ slot: 's', name: 'beaker_1', type: 'beaker', meta: {} }],
      in_doubt: doubtful,
      last_confirmed: { device: 'l.pump', function: 'dose', call_id: 'b' },
      effects: 2,
      started_at: '2026-11-20T09:30:00.000Z',
    };
    expect(attentionLookAt(task(known))).toEqual([
      'l.arm on pc: was move({"to":"a3"}) done? (the task started at 2026-11-20T09:30:00.000Z)',
      'l.pump on svc_computer: how did the task leave it? (the task started at 2026-11-20T09:30:00.000Z); the last call that ended is dose',
      'resource beaker_1: how did the task leave it?',
    ]);
  });

  it('is nothing when the task has begun no effect, and its computer when nothing is known', () => {
    expect(attentionLookAt(task({ devices: [arm], in_doubt: null, effects: 0 }))).toEqual([
      'nothing: the task has begun no call of kind effect',
    ]);
    expect(attentionLookAt(task({}))).toEqual(['computer svc_computer: how far did the task get?']);
  });

  it('is, for a device, every call in doubt and who called, and whether it may be initialised', () => {
    const in_doubt = [{ call_id: 'c', function: 'move', arguments: { to: 'a3' }, by: 'ada' }];
    expect(attentionLookAt(device('device_uncertain', { in_doubt }))).toEqual([
      'l.arm on pc: was move({"to":"a3"}), called by ada, done?',
      'l.arm on pc: does it stand still, and may it be initialised?',
    ]);
    expect(attentionLookAt(device('device_faulted', { in_doubt: [] }))).toEqual([
      'l.arm on pc: is the cause removed, and may it be initialised?',
    ]);
  });

  it('is, for a silent computer, the computer and the devices of its tasks', () => {
    const known = { silent_since: '2026-11-20T09:30:00.000Z', tasks: ['r/a'], devices: ['l.arm'] };
    expect(attentionLookAt(agent('agent_silent', known))).toEqual([
      'computer pc: is it on, does its agent run, and does it reach the broker? (silent since 2026-11-20T09:30:00.000Z)',
      'l.arm on pc: does it move?',
    ]);
  });

  it('is, for a warning, what it warns of', () => {
    const call = {
      call_id: 'c',
      function: 'move',
      arguments: { to: 'a3' },
      began_at: '2026-11-20T09:30:00.000Z',
    };
    expect(attentionLookAt(device('device_not_responding', { call }))).toEqual([
      'l.arm on pc: does move({"to":"a3"}) still move it? (begun at 2026-11-20T09:30:00.000Z)',
    ]);
    expect(attentionLookAt(device('device_asks', { question: 'close the door' }))).toEqual([
      'l.arm on pc: close the door',
    ]);
    expect(attentionLookAt(task({ devices: ['l.arm'] }, { reason: { code: 'runs_long' } }))).toEqual([
      'l.arm: does it still work for the task?',
    ]);
    expect(attentionLookAt(agent('clock_skew', {}))).toEqual(['computer pc: which clock sets its time?']);
    expect(attentionLookAt(agent('ledger_unwritable', {}))).toEqual([
      'computer pc: is its disk full or read-only?',
    ]);
  });

  it('cuts long arguments', () => {
    const [question = ''] = attentionLookAt(
      task({ in_doubt: { ...doubtful, arguments: { text: 'x'.repeat(1_000) } } }),
    );
    expect(question.length).toBeLessThan(300);
    expect(question).toMatch(/…\) done\?$/);
  });
});

describe('the choices', () => {
  it('have one effect for every possible decision about every item', () => {
    const codes = [...Object.keys(attentionWarnings), 'outcome_unknown', 'device_faulted', 'agent_silent'];
    const told = new Set<string>();
    for (const kind of attentionKinds)
      for (const code of codes) {
        const facts = { ...task({}), kind, reason: { code } };
        const actions = attentionActionsOf(facts);
        const choices = attentionChoices(facts, actions);
        expect(choices.map(({ action }) => action)).toEqual(actions);
        for (const { action, effect } of choices) {
          expect(effect).not.toBe('');
          told.add(action);
        }
      }
    expect([...told].sort()).toEqual([...attentionActions].sort());
  });

  it('tell whether a retry may repeat something, and what becomes of the run', () => {
    const effectsOf = (known: JsonObject, more = {}): string[] =>
      attentionChoices(task(known, more), ['completed', 'retry']).map(({ effect }) => effect);
    expect(effectsOf({ effects: 1 })).toEqual([
      'the task is completed with the outputs that you give; its run goes on',
      'the task starts again from its beginning; look first whether what it has done may be done again',
    ]);
    expect(effectsOf({ effects: 0 }, { inRun: false })).toEqual([
      'the task is completed with the outputs that you give',
      'the task starts again from its beginning; it has made no effect',
    ]);
    expect(effectsOf({}, { isStopping: true })[0]).toBe(
      'the task is completed with the outputs that you give; nothing else starts, because the work is being stopped',
    );
  });
});
