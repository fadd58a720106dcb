/**
 * The life of every record as tables of data: from each state, the states that may follow. Code asks the predicates
 * below; nobody compares state names elsewhere to decide what is allowed.
 */
type Transitions<State extends string> = { readonly [S in State]: readonly State[] };

export const taskRunStates = [
  'created',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'skipped',
  'needs_attention',
] as const;
export type TaskRunState = (typeof taskRunStates)[number];

export const taskRunTransitions: Transitions<TaskRunState> = {
  created: ['queued', 'skipped', 'failed', 'cancelled'],
  // Needs attention before it ran: its agent refuses it, and its policy is to ask.
  queued: ['running', 'skipped', 'failed', 'cancelled', 'needs_attention'],
  // Back to queued: the agent refused the dispatch, so nothing was done; or it failed and is tried again.
  running: ['completed', 'failed', 'cancelled', 'needs_attention', 'queued'],
  needs_attention: ['completed', 'failed', 'cancelled', 'queued'],
  completed: [],
  // Back to created: the run it belongs to was resumed.
  failed: ['created'],
  cancelled: ['created'],
  skipped: ['created'],
};

export const runStates = [
  'created',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'needs_attention',
] as const;
/** State of a protocol run or a campaign. */
export type RunState = (typeof runStates)[number];

export const runTransitions: Transitions<RunState> = {
  created: ['running', 'paused', 'failed', 'cancelled'],
  running: ['paused', 'completed', 'failed', 'cancelled', 'needs_attention'],
  paused: ['created', 'running', 'completed', 'failed', 'cancelled', 'needs_attention'],
  needs_attention: ['running', 'paused', 'completed', 'failed', 'cancelled'],
  completed: [],
  // Back to created: a person resumed it.
  failed: ['created'],
  cancelled: ['created'],
};

export const attemptStates = [
  'dispatching',
  'uncertain',
  'running',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'never_ran',
  'needs_attention',
] as const;
/** State of one execution of a task run, as far as the orchestrator knows it. */
export type AttemptState = (typeof attemptStates)[number];

export const attemptTransitions: Transitions<AttemptState> = {
  dispatching: [
    'running',
    'uncertain',
    'cancelling',
    'completed',
    'failed',
    'cancelled',
    'never_ran',
    'needs_attention',
  ],
  uncertain: ['running', 'cancelling', 'completed', 'failed', 'cancelled', 'never_ran', 'needs_attention'],
  // Never ran although it was accepted: the agent was restarted, and its journal says that it had not begun.
  running: ['cancelling', 'completed', 'failed', 'cancelled', 'never_ran', 'needs_attention'],
  cancelling: ['completed', 'failed', 'cancelled', 'never_ran', 'needs_attention'],
  needs_attention: ['completed', 'failed', 'cancelled', 'never_ran'],
  completed: [],
  failed: [],
  cancelled: [],
  never_ran: [],
};

export const deviceStates = [
  'disabled',
  'initializing',
  'idle',
  'busy',
  'aborting',
  'uncertain',
  'restarting',
  'faulted',
] as const;
export type DeviceState = (typeof deviceStates)[number];

export const deviceTransitions: Transitions<DeviceState> = {
  // Uncertain from the start: the agent before this one ended in the middle of an effect.
  disabled: ['initializing', 'uncertain'],
  initializing: ['idle', 'restarting', 'faulted', 'disabled'],
  idle: ['busy', 'restarting', 'faulted', 'disabled'],
  busy: ['idle', 'aborting', 'uncertain', 'restarting', 'faulted', 'disabled'],
  aborting: ['idle', 'uncertain', 'restarting', 'faulted', 'disabled'],
  uncertain: ['idle', 'initializing', 'restarting', 'faulted', 'disabled'],
  restarting: ['initializing', 'faulted', 'disabled'],
  faulted: ['initializing', 'disabled'],
};

export const agentStates = ['online', 'suspect', 'offline', 'draining', 'incompatible'] as const;
export type AgentState = (typeof agentStates)[number];

export const agentTransitions: Transitions<AgentState> = {
  online: ['suspect', 'offline', 'draining'],
  suspect: ['online', 'offline', 'draining'],
  offline: ['online', 'incompatible'],
  draining: ['online', 'offline'],
  incompatible: ['online', 'offline'],
};

/** May a record go from one state to the other? */
export function mayFollow<State extends string>(table: Transitions<State>, from: State, to: State): boolean {
  return table[from].includes(to);
}

/** It is over: nothing happens to the record any more unless a person resumes what it belongs to. */
export function isTerminal(state: TaskRunState | RunState | AttemptState): boolean {
  return (
    state === 'completed' ||
    state === 'failed' ||
    state === 'cancelled' ||
    state === 'skipped' ||
    state === 'never_ran'
  );
}

/** A run or campaign in this state is over and did not complete: a person may have it go on. */
export function mayBeResumed(state: RunState): boolean {
  return state === 'failed' || state === 'cancelled';
}

/** The dependants of a task run in this state may start. */
export function isSatisfied(state: TaskRunState): boolean {
  return state === 'completed';
}

/** A device in this state takes commands; an allocated task may be sent to it. */
export function isUsable(state: DeviceState): boolean {
  return state === 'idle' || state === 'busy';
}

/** New work may be sent to an agent in this state. */
export function mayDispatchTo(state: AgentState): boolean {
  return state === 'online';
}

/** A run or campaign in this state starts nothing until a person has decided. */
export function awaitsPerson(state: RunState): boolean {
  return state === 'paused' || state === 'needs_attention';
}
