import { describe, expect, it } from 'vitest';
import {
  agentTransitions,
  attemptTransitions,
  deviceTransitions,
  isTerminal,
  mayFollow,
  runTransitions,
  taskRunTransitions,
} from './states.js';

const tables = {
  taskRunTransitions,
  runTransitions,
  attemptTransitions,
  deviceTransitions,
  agentTransitions,
};

describe.each(Object.entries(tables))('%s', (_, table) => {
  const states = Object.keys(table);
  const next = table as Record<string, readonly string[]>;

  it('names only states of its own', () => {
    for (const state of states) expect(states).toEqual(expect.arrayContaining([...(next[state] ?? [])]));
  });

  it('never lets a state follow itself', () => {
    for (const state of states) expect(mayFollow(next, state, state)).toBe(false);
  });

  it('reaches every state from the first', () => {
    const seen = new Set([states[0] ?? '']);
    for (const state of seen) for (const following of next[state] ?? []) seen.add(following);
    expect([...seen].sort()).toEqual([...states].sort());
  });

  it('answers every pair as the table says', () => {
    for (const from of states)
      for (const to of states) expect(mayFollow(next, from, to)).toBe((next[from] ?? []).includes(to));
  });
});

describe('terminal states', () => {
  it.each([
    ['task run', taskRunTransitions],
    ['run', runTransitions],
    ['attempt', attemptTransitions],
  ])('of a %s are exactly those that nothing follows, but for a resume of the whole', (_, table) => {
    const resumed = new Set(['created', 'running', 'paused']);
    for (const [state, following] of Object.entries<readonly string[]>(table)) {
      const terminal = isTerminal(state as keyof typeof taskRunTransitions);
      if (terminal) expect(following.filter((next) => !resumed.has(next))).toEqual([]);
      else expect(following.some((next) => isTerminal(next as keyof typeof taskRunTransitions))).toBe(true);
    }
    expect(table['completed']).toEqual([]);
  });
});
