import { describe, expect, it } from 'vitest';
import {
  agentStates,
  agentTransitions,
  attemptStates,
  attemptTransitions,
  awaitsAgent,
  awaitsDependencies,
  awaitsPerson,
  campaignTransitions,
  deviceStates,
  deviceTransitions,
  isActive,
  isGivenUp,
  isGone,
  isHeard,
  isInDoubt,
  isQueued,
  isReachable,
  isSatisfied,
  isStarting,
  isTerminal,
  isUnclear,
  isUnsettled,
  isMoving,
  isProposed,
  isSettled,
  isUsable,
  isWaiting,
  isWithAgent,
  mayBeResumed,
  mayDispatchTo,
  mayFollow,
  mayStartTasks,
  protocolRunTransitions,
  runStates,
  taskRunStates,
  taskRunTransitions,
  trialStates,
  trialTransitions,
} from '../src/states.js';

const machines = {
  taskRun: { states: taskRunStates, table: taskRunTransitions },
  attempt: { states: attemptStates, table: attemptTransitions },
  protocolRun: { states: runStates, table: protocolRunTransitions },
  campaign: { states: runStates, table: campaignTransitions },
  trial: { states: trialStates, table: trialTransitions },
  device: { states: deviceStates, table: deviceTransitions },
  agent: { states: agentStates, table: agentTransitions },
};

describe.each(Object.entries(machines))('the states of a %s', (_, machine) => {
  const states: readonly string[] = machine.states;
  const table = machine.table as Record<string, Record<string, string>>;

  it('are exactly the keys of its table', () => {
    expect(Object.keys(table).sort()).toEqual([...states].sort());
    for (const from of states) expect(states).toEqual(expect.arrayContaining(Object.keys(table[from] ?? {})));
  });

  it('have an event for every permitted transition, in words, and for no other', () => {
    for (const from of states)
      for (const to of states) {
        const event = table[from]?.[to];
        expect(mayFollow(table, from, to), `${from} to ${to}`).toBe(event !== undefined);
        if (event !== undefined) expect(event).toMatch(/^[a-z][^|"]{9,}[a-z]$/);
      }
  });

  it('never follow themselves, and are all reachable from the first', () => {
    for (const state of states) expect(mayFollow(table, state, state)).toBe(false);
    const seen = new Set([states[0] ?? '']);
    for (const state of seen) for (const following of Object.keys(table[state] ?? {})) seen.add(following);
    expect([...seen].sort()).toEqual([...states].sort());
  });
});

describe('the final states', () => {
  it.each([
    ['task run', taskRunStates, taskRunTransitions],
    ['protocol run', runStates, protocolRunTransitions],
    ['campaign', runStates, campaignTransitions],
    ['attempt', attemptStates, attemptTransitions],
  ])('of a %s permit only a resume, and all other states lead to them', (_, states, all) => {
    const table = all as Record<string, object>;
    for (const state of states) {
      const following = Object.keys(table[state] ?? {}) as (keyof typeof taskRunTransitions)[];
      if (isTerminal(state)) expect(following.filter((next) => next !== 'created')).toEqual([]);
      else expect(following.some(isTerminal)).toBe(true);
    }
    expect(table['completed']).toEqual({});
  });
});

/** The states for which a predicate is true. */
function yes<State>(states: readonly State[], question: (state: State) => boolean): State[] {
  return states.filter(question);
}

describe('every predicate of a state', () => {
  it('has one answer for every state', () => {
    expect(yes(taskRunStates, isActive)).toEqual(['running', 'needs_attention']);
    expect(yes(taskRunStates, isWaiting)).toEqual(['created', 'queued']);
    expect(yes(taskRunStates, awaitsDependencies)).toEqual(['created']);
    expect(yes(taskRunStates, isQueued)).toEqual(['queued']);
    expect(yes(taskRunStates, isWithAgent)).toEqual(['running']);
    for (const states of [taskRunStates, runStates, attemptStates])
      expect(states.filter((state) => isUnclear(state))).toEqual(['needs_attention']);
    expect(yes(taskRunStates, isSatisfied)).toEqual(['completed']);
    expect(yes(taskRunStates, isTerminal)).toEqual(['completed', 'failed', 'cancelled', 'skipped']);
    for (const state of taskRunStates)
      expect([isActive, isWaiting, isTerminal].filter((question) => question(state))).toHaveLength(1);
    expect(yes(runStates, mayStartTasks)).toEqual(['created', 'running']);
    expect(yes(runStates, awaitsPerson)).toEqual(['paused', 'needs_attention']);
    expect(yes(runStates, mayBeResumed)).toEqual(['failed', 'cancelled']);
    for (const state of runStates)
      expect([mayStartTasks, awaitsPerson, isTerminal].filter((question) => question(state))).toHaveLength(1);
    expect(yes(attemptStates, isUnsettled)).toEqual(['dispatching', 'uncertain']);
    expect(yes(attemptStates, awaitsAgent)).toEqual(['dispatching', 'uncertain', 'running', 'cancelling']);
    expect(yes(trialStates, isProposed)).toEqual(['proposed']);
    expect(yes(trialStates, isSettled)).toEqual(['measured', 'failed']);
    expect(yes(deviceStates, isUsable)).toEqual(['idle', 'busy']);
    expect(yes(deviceStates, isMoving)).toEqual(['busy', 'aborting']);
    expect(yes(deviceStates, isStarting)).toEqual(['disabled', 'initializing', 'restarting']);
    expect(yes(deviceStates, isInDoubt)).toEqual(['uncertain']);
    expect(yes(deviceStates, isGivenUp)).toEqual(['faulted']);
    for (const state of deviceStates)
      expect(
        [
          isUsable,
          isStarting,
          isInDoubt,
          isGivenUp,
          (each: string) => each === 'aborting' || each === 'unreachable',
        ].filter((question) => question(state)),
      ).toHaveLength(1);
    expect(yes(agentStates, mayDispatchTo)).toEqual(['online']);
    expect(yes(agentStates, isHeard)).toEqual(['online']);
    expect(yes(agentStates, isGone)).toEqual(['offline']);
    expect(yes(agentStates, isReachable)).toEqual(['online', 'suspect']);
  });
});
