/**
 * The life of every record as tables of data: from each state to each that may follow it, the event that causes it. Code
 * asks the predicates below; nobody compares state names elsewhere to decide what is allowed. The page
 * `docs/reference/states.md` is made of these tables.
 */
export type Transitions<State extends string> = {
  readonly [From in State]: { readonly [To in State]?: string };
};

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
  created: {
    queued: 'the tasks it depends on are completed',
    skipped: 'its run fails, or a task it depends on did not complete',
    failed: 'it cannot be started as it was declared',
    cancelled: 'it, its run or its campaign is cancelled',
  },
  queued: {
    running: 'its devices and resources are allocated and it is sent to its computer',
    skipped: 'its run fails',
    failed: 'its allocation timeout is over, its values do not resolve, or its computer refuses it for good',
    cancelled: 'it, its run or its campaign is cancelled',
    needs_attention: 'it failed before it ran, and its policy is to ask',
  },
  running: {
    completed: 'its result has arrived and is as declared',
    failed: 'its attempt failed or took too long, and is not tried again',
    cancelled: 'it was asked to stop and has stopped',
    needs_attention: 'nobody can know how its attempt ended, or it failed and its policy is to ask',
    queued: 'its attempt never began, or failed and is tried again',
  },
  needs_attention: {
    completed: 'a person says so, or its result arrives after all',
    failed: 'a person says so, or its result arrives after all',
    cancelled: 'a person cancels it, or its agent says after all that it was stopped',
    queued: 'a person has it tried again, or its agent says that it never began',
  },
  completed: {},
  failed: { created: 'the run it belongs to is resumed' },
  cancelled: { created: 'the run it belongs to is resumed' },
  skipped: { created: 'the run it belongs to is resumed' },
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

export const protocolRunTransitions: Transitions<RunState> = {
  created: {
    running: 'its first task is started',
    paused: 'a person pauses it or its campaign',
    failed: 'a task failed or was cancelled before any ran',
    cancelled: 'it or its campaign is cancelled',
  },
  running: {
    paused: 'a person pauses it, or its campaign is paused',
    completed: 'all its tasks have ended, none of them so that the run fails',
    failed: 'a task failed or was cancelled, and nothing of it runs any more',
    cancelled: 'it or its campaign was cancelled, and nothing of it runs any more',
    needs_attention: 'one of its tasks needs attention',
  },
  paused: {
    created: 'a person resumes it, and nothing of it had started',
    running: 'a person resumes it or its campaign, or it begins to end',
    completed: 'its last running task completed',
    failed: 'a task failed, and nothing of it runs any more',
    cancelled: 'it or its campaign was cancelled, and nothing of it runs',
    needs_attention: 'one of its tasks needs attention',
  },
  needs_attention: {
    running: 'none of its tasks needs attention any more',
    paused: 'none of its tasks needs attention any more, and it was paused',
    completed: 'a person settled its last task, and that completed it',
    failed: 'a person settled it so that the run fails',
    cancelled: 'a person cancelled it',
  },
  completed: {},
  failed: { created: 'a person resumes it or its campaign' },
  cancelled: { created: 'a person resumes it or its campaign' },
};

export const campaignTransitions: Transitions<RunState> = {
  created: {
    running: 'its first run is created, or goes on',
    paused: 'a person pauses it',
    failed: 'more of its runs failed than may',
    cancelled: 'a person cancels it',
  },
  running: {
    paused: 'a person pauses it, or a run failed and its policy is to pause',
    completed: 'it has had all its runs',
    failed:
      'a run failed and its policy is to stop, too many failed, or its optimizer has no further trial, and none of its runs is open any more',
    cancelled: 'a person cancelled it, and none of its runs is open any more',
    needs_attention: 'one of its runs needs attention',
  },
  paused: {
    created: 'a person resumes it, and none of its runs had been created',
    running: 'a person resumes it, or it begins to end',
    completed: 'it has had all its runs',
    failed: 'too many of its runs failed, and none of them is open any more',
    cancelled: 'a person cancelled it, and none of its runs is open',
    needs_attention: 'one of its runs needs attention',
  },
  needs_attention: {
    running: 'none of its runs needs attention any more',
    paused: 'none of its runs needs attention any more, and it was paused',
    completed: 'its last run was settled, and that completed it',
    failed: 'a run failed and its policy is to stop, or too many failed',
    cancelled: 'a person cancelled it',
  },
  completed: {},
  failed: { created: 'a person resumes it' },
  cancelled: { created: 'a person resumes it' },
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

const completedEnd = 'its result arrives, and its outputs are as declared';
const failedEnd = 'its result arrives: it failed, or its outputs are not as declared';
const cancelledEnd = 'its agent says that it was stopped';
const unknownEnd = 'its agent says that nobody can know how it ended, or knows nothing of it any more';

export const attemptTransitions: Transitions<AttemptState> = {
  dispatching: {
    running: 'the agent has accepted it',
    uncertain: 'the agent did not answer the start',
    cancelling: 'the agent has it, and was asked to stop it',
    completed: completedEnd,
    failed: failedEnd,
    cancelled: cancelledEnd,
    never_ran: 'the agent refused it, or says that it will never run',
    needs_attention: unknownEnd,
  },
  uncertain: {
    running: 'the agent, asked, says that it has it',
    cancelling: 'the agent has it, and was asked to stop it',
    completed: completedEnd,
    failed: failedEnd,
    cancelled: cancelledEnd,
    never_ran: 'the agent, asked, never heard of it and refuses it from then on',
    needs_attention: unknownEnd,
  },
  running: {
    cancelling: 'the agent has heard that it shall stop',
    completed: completedEnd,
    failed: failedEnd,
    cancelled: cancelledEnd,
    never_ran: 'the agent was restarted, and its ledger says that it had not begun',
    needs_attention: unknownEnd,
  },
  cancelling: {
    completed: 'its result arrives: it completed before it could be stopped',
    failed: failedEnd,
    cancelled: cancelledEnd,
    never_ran: 'the agent was restarted, and its ledger says that it had not begun',
    needs_attention: unknownEnd,
  },
  needs_attention: {
    completed: 'a person says so, or its result arrives after all',
    failed: 'a person says so, or its result arrives after all',
    cancelled: 'a person cancels it, or its agent says after all that it was stopped',
    never_ran: 'its agent says after all that it never began',
  },
  completed: {},
  failed: {},
  cancelled: {},
  never_ran: {},
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

const unloaded = 'its laboratory is unloaded, or people stop it';
const ended = 'its process ended';

export const deviceTransitions: Transitions<DeviceState> = {
  disabled: {
    initializing: 'its process is started',
    uncertain: 'the agent before this one ended in the middle of an effect',
  },
  initializing: {
    idle: 'it is initialised',
    restarting: ended,
    faulted: 'it could not be initialised in time, or too often',
    disabled: unloaded,
  },
  idle: {
    busy: 'a call that acts begins',
    restarting: ended,
    faulted: 'its process ended too often',
    disabled: unloaded,
  },
  busy: {
    idle: 'the call has ended',
    aborting: 'the call took too long, or is to be stopped',
    uncertain: 'its process or its agent ended during a call',
    restarting: 'its process ended, and the call is known to have done nothing more',
    faulted: 'its process ended too often',
    disabled: unloaded,
  },
  aborting: {
    idle: 'the driver stopped the instrument',
    uncertain: 'nobody can know whether the instrument stands still',
    restarting: ended,
    faulted: 'its process ended too often',
    disabled: unloaded,
  },
  uncertain: {
    idle: 'the driver read the instrument and knows that it stands still',
    initializing: 'a person says that it stands still',
    restarting: ended,
    faulted: 'its process ended too often',
    disabled: unloaded,
  },
  restarting: {
    initializing: 'its process is started again',
    faulted: 'its process ended too often',
    disabled: unloaded,
  },
  faulted: { initializing: 'a person has it started again', disabled: unloaded },
};

export const agentStates = ['online', 'suspect', 'offline', 'draining', 'incompatible'] as const;
export type AgentState = (typeof agentStates)[number];

export const agentTransitions: Transitions<AgentState> = {
  online: {
    suspect: 'it was not heard for 3 s',
    offline: 'it said that it leaves, or nobody could hear it for 10 s',
    draining: 'it takes no more work before it leaves',
  },
  suspect: {
    online: 'it is heard again',
    offline: 'it was not heard for 10 s, or said that it leaves',
    draining: 'it takes no more work before it leaves',
  },
  offline: {
    online: 'it registers, or is heard again',
    incompatible: 'it registers with a version that does not fit',
  },
  draining: { online: 'it registers anew', offline: 'it has left' },
  incompatible: { online: 'it registers with a version that fits', offline: 'it was not heard for 10 s' },
};

export const trialStates = ['proposed', 'running', 'measured', 'failed'] as const;
/** State of the row of parameters of one run of a campaign with an optimizer. */
export type TrialState = (typeof trialStates)[number];

export const trialTransitions: Transitions<TrialState> = {
  proposed: { running: 'its run is created' },
  running: {
    measured: 'its run completed, and every output is known',
    failed: 'its run failed or was cancelled, or an output is not known',
  },
  measured: {},
  failed: { running: 'its run is resumed' },
};

/** May a record go from one state to the other? */
export function mayFollow<State extends string>(table: Transitions<State>, from: State, to: State): boolean {
  return table[from][to] !== undefined;
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

/** The run of a trial in this state has not begun. */
export function isProposed(state: TrialState): boolean {
  return state === 'proposed';
}

/** The run of a trial in this state is over. */
export function isSettled(state: TrialState): boolean {
  return state === 'measured' || state === 'failed';
}

/** The dependants of a task run in this state may start. */
export function isSatisfied(state: TaskRunState): boolean {
  return state === 'completed';
}

/** A task run in this state may be using its devices at this moment. */
export function isActive(state: TaskRunState): boolean {
  return state === 'running' || state === 'needs_attention';
}

/** A task run in this state has not begun. */
export function isWaiting(state: TaskRunState): boolean {
  return state === 'created' || state === 'queued';
}

/** A task run in this state waits for tasks it depends on, and for nothing else yet. */
export function awaitsDependencies(state: TaskRunState): boolean {
  return state === 'created';
}

/** A task run in this state waits for its devices and resources: it may be dispatched, as far as it goes. */
export function isQueued(state: TaskRunState): boolean {
  return state === 'queued';
}

/** An agent has it, or may have it: a task run in this state ends when that agent says so, and is stopped by asking it. */
export function isWithAgent(state: TaskRunState): boolean {
  return state === 'running';
}

/** Nobody can know how it ended, or it is for a person to say how it goes on. */
export function isUnclear(state: TaskRunState | RunState | AttemptState): boolean {
  return state === 'needs_attention';
}

/** Tasks of a protocol run in this state may start. */
export function mayStartTasks(state: RunState): boolean {
  return state === 'created' || state === 'running';
}

/** It is not known whether the agent has the attempt: it is asked, and never sent again. */
export function isUnsettled(state: AttemptState): boolean {
  return state === 'dispatching' || state === 'uncertain';
}

/** The end of an attempt in this state is still to come from its agent. */
export function awaitsAgent(state: AttemptState): boolean {
  return !isTerminal(state) && state !== 'needs_attention';
}

/** A device in this state may be in motion, and its agent will tell of the end. */
export function isMoving(state: DeviceState): boolean {
  return state === 'busy' || state === 'aborting';
}

/** A device in this state takes commands; an allocated task may be sent to it. */
export function isUsable(state: DeviceState): boolean {
  return state === 'idle' || state === 'busy';
}

/** A device in this state is started no more by its agent before a person has it started. */
export function isGivenUp(state: DeviceState): boolean {
  return state === 'faulted';
}

/** Nothing may be sent to a device in this state, and its process not be started, before it is known what it did. */
export function isInDoubt(state: DeviceState): boolean {
  return state === 'uncertain';
}

/** A device in this state is on its way to be usable, or waits for its process to be started. */
export function isStarting(state: DeviceState): boolean {
  return state === 'disabled' || state === 'initializing' || state === 'restarting';
}

/** What an agent in this state said last of its devices holds at this moment. */
export function isHeard(state: AgentState): boolean {
  return state === 'online';
}

/** An agent in this state has left or is taken to be gone, until it is heard again. */
export function isGone(state: AgentState): boolean {
  return state === 'offline';
}

/** An agent in this state is connected, as far as anybody knows. */
export function isReachable(state: AgentState): boolean {
  return state === 'online' || state === 'suspect';
}

/** New work may be sent to an agent in this state. */
export function mayDispatchTo(state: AgentState): boolean {
  return state === 'online';
}

/** A run or campaign in this state starts nothing until a person has decided. */
export function awaitsPerson(state: RunState): boolean {
  return state === 'paused' || state === 'needs_attention';
}
