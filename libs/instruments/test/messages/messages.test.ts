import type { JsonObject } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import {
  answerFrom,
  answerSpec,
  condition,
  fill,
  fillText,
  holds,
  secretSource,
  takeAnswer,
  TwinModel,
  valueAt,
} from '../../src/messages/index.js';

describe('a template', () => {
  it('takes values with their types, and leaves out what was left out', () => {
    const template = { v: '{volume}', text: 'to {volume} ml', list: ['{volume}', 1], gone: '{nothing}' };
    expect(fill(template, { volume: 2.5 })).toEqual({ v: 2.5, text: 'to 2.5 ml', list: [2.5, 1] });
    expect(fill('{answer.job.0.id}', { answer: { job: [{ id: 7 }] } })).toBe(7);
  });

  it('refuses a text without its value', () => {
    expect(() => fillText('/wells/{well}', {}, String)).toThrow(/\{well\}.*missing/);
    expect(() => fillText('/wells/{well}', { well: ['A1'] }, String)).toThrow(/\{well\}.*\["A1"\]/);
  });

  it('does not take what an object inherits', () => {
    expect(valueAt({ a: {} }, 'a.constructor')).toBeUndefined();
  });
});

describe('an answer', () => {
  const take = (spec: unknown, answer: unknown): unknown =>
    takeAnswer(answerSpec.parse(spec), answer as never);

  it('becomes the declared type, with its factor', () => {
    expect(take({ path: 'w.0', type: 'float', factor: 0.001 }, { w: ['1500'] })).toBe(1.5);
    expect(take({ type: 'bool' }, 'off')).toBe(false);
    expect(take({ each: { a: { path: 'x', type: 'int' }, b: { path: 'y' } } }, { x: 3, y: null })).toEqual({
      a: 3,
      b: null,
    });
  });

  it('that is no such value is refused with its place', () => {
    expect(() => take({ path: 'w', type: 'float' }, { w: 'heavy' })).toThrow(/at w is heavy.*float/);
    expect(() => take({ path: 'w', type: 'int' }, { w: 1.5 })).toThrow(/1.5/);
    expect(() => take({ path: 'w', type: 'int' }, { v: 1 })).toThrow(/at w is missing in \{"v":1\}/);
    expect(() => take({ type: 'float' }, '')).toThrow(/float/);
  });

  it('of a twin has the values of the state at the declared places', () => {
    const spec = answerSpec.parse({ path: 'data.celsius', type: 'float', factor: 0.1 });
    expect(takeAnswer(spec, answerFrom(spec, 'temperature', { temperature: 20 }))).toBeCloseTo(20);
  });

  it('meets a condition by its JSON value', () => {
    const done = condition.parse({ path: 'state', equals: ['done', 3] });
    expect(
      [{ state: 'done' }, { state: 3 }, { state: '3' }, {}].map((each) => holds(done, each as JsonObject)),
    ).toEqual([...[true, true, false, false]]);
  });
});

describe('secrets', () => {
  it('cannot stand in YAML, nor be settings of the service', () => {
    expect(secretSource.safeParse('hunter2').error?.issues[0]?.message).toMatch(/never stands in YAML/);
    expect(secretSource.safeParse({ env: 'SVC_TOKEN' }).success).toBe(false);
    expect(secretSource.safeParse({ env: 'BATH_PASSWORD' }).success).toBe(true);
  });
});

describe('the model of a twin', () => {
  it('moves values towards others as time goes by', async () => {
    let now = 0;
    const settings = { state: { t: 20, target: 20 }, follow: { t: { to: 'target', rate: 2 } } };
    const model = new TwinModel(settings, () => now);
    await model.act(undefined, { target: 30 }, new AbortController().signal);
    now = 3;
    expect(model.state).toEqual({ t: 26, target: 30 });
    now = 100;
    expect(model.state['t']).toBe(30);
  });

  it('answers what its function says, from the state and the arguments', async () => {
    const model = new TwinModel({ state: { t: 20 }, follow: {} });
    const entry = { sets: { t: '{to}' }, answers: { was: '{to}', now: '{t}' }, takes: 0 };
    expect(await model.act(entry, { to: 5 }, new AbortController().signal)).toEqual({ was: 5, now: 5 });
  });

  it('stops when the call is over', async () => {
    const halt = new AbortController();
    const acting = new TwinModel({ state: {}, follow: {} }).act({ takes: 60 }, { t: 1 }, halt.signal);
    halt.abort(new Error('stopped'));
    await expect(acting).rejects.toThrow('stopped');
  });
});
