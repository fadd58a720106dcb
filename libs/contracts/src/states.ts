/**
 * The states of every record as tables: for each state the states that may follow, each with the event that causes the
 * change. Other code asks the predicates below and does not compare names of states. The page
 * `docs/reference/states.md` is generated from these tables.
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
    queued: 'the tasks that it depends on have completed',
    skipped: 'its run fails, or a task that it depends on did not complete',
    failed: 'it cannot start as it was declared',
    cancelled: 'it, its run or its campaign is cancelled',
  },
  queued: {
    running: 'its devices and resources are allocated, and it is sent to its computer',
    skipped: 'its run fails',
    failed:
      'its allocation timeout has passed, its values do not resolve, or its computer refuses it permanently',
    cancelled: 'it, its run or its campaign is cancelled',
    needs_attention: 'it failed before it ran, and its failure policy is to ask',
  },
  running: {
    completed: 'its result has arrived and is as declared',
    failed: 'its attempt failed or took too long, and is not tried again',
    cancelled: 'it was asked to stop and has stopped',
    needs_attention:
      'the outcome of its attempt cannot be known, or it failed and its failure policy is to ask',
    queued: 'its attempt never began, or failed and is tried again',
  },
  needs_attention: {
    completed: 'a person decides so, or its result arrives late',
    failed: 'a person decides so, or its result arrives late',
    cancelled: 'a person cancels it, or its agent reports late that it was stopped',
    queued: 'a person decides to try it again, or its agent reports that it never began',
  },
  completed: {},
  failed: { created: 'a person resumes its run' },
  cancelled: { created: 'a person resumes its run' },
  skipped: { created: 'a person resumes its run' },
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
    running: 'its first task starts',
    paused: 'a person pauses it or its campaign',
    failed: 'a task failed or was cancelled before any task ran',
    cancelled: 'it or its campaign is cancelled',
  },
  running: {
    paused: 'a person pauses it, or its campaign is paused',
    completed: 'all its tasks have ended, and none of them fails the run',
    failed: 'a task failed or was cancelled, and no task of it runs any more',
    cancelled: 'it or its campaign was cancelled, and no task of it runs any more',
    needs_attention: 'one of its tasks needs attention',
  },
  paused: {
    created: 'a person resumes it, and no task of it had started',
    running: 'a person resumes it or its campaign, or it is about to end',
    completed: 'its last running task completed',
    failed: 'a task failed, and no task of it runs any more',
    cancelled: 'it or its campaign was cancelled, and no task of it runs',
    needs_attention: 'one of its tasks needs attention',
  },
  needs_attention: {
    running: 'none of its tasks needs attention any more',
    paused: 'none of its tasks needs attention any more, and it was paused',
    completed: 'a person decided about its last task, and that completed it',
    failed: 'the decision of a person fails the run',
    cancelled: 'a person cancelled it',
  },
  completed: {},
  failed: { created: 'a person resumes it or its campaign' },
  cancelled: { created: 'a person resumes it or its campaign' },
};

export const campaignTransitions: Transitions<RunState> = {
  created: {
    running: 'its first run is created or continues',
    paused: 'a person pauses it',
    failed: 'more of its runs failed than its limit allows',
    cancelled: 'a person cancels it',
  },
  running: {
    paused: 'a person pauses it, or a run failed and its failure policy is to pause',
    completed: 'all its runs have ended',
    failed:
      'a run failed and its failure policy is to stop, too many runs failed, or its optimizer has no further trial; and none of its runs is open any more',
    cancelled: 'a person cancelled it, and none of its runs is open any more',
    needs_attention: 'one of its runs needs attention',
  },
  paused: {
    created: 'a person resumes it, and none of its runs had been created',
    running: 'a person resumes it, or it is about to end',
    completed: 'all its runs have ended',
    failed: 'too many of its runs failed, and none of them is open any more',
    cancelled: 'a person cancelled it, and none of its runs is open',
    needs_attention: 'one of its runs needs attention',
  },
  needs_attention: {
    running: 'none of its runs needs attention any more',
    paused: 'none of its runs needs attention any more, and it was paused',
    completed: 'a decision about its last run completed it',
    failed: 'a run failed and its failure policy is to stop, or too many runs failed',
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
const cancelledEnd = 'its agent reports that it was stopped';
const unknownEnd =
  'its agent reports that the outcome cannot be known, or does not know the attempt any more';

export const attemptTransitions: Transitions<AttemptState> = {
  dispatching: {
    running: 'the agent has accepted it',
    uncertain: 'the agent did not answer the start request',
    cancelling: 'the agent has it, and was asked to stop it',
    completed: completedEnd,
    failed: failedEnd,
    cancelled: cancelledEnd,
    never_ran: 'the agent refused it, or reports that it will never run',
    needs_attention: unknownEnd,
  },
  uncertain: {
    running: 'the agent, when asked, reports that it has the attempt',
    cancelling: 'the agent has it, and was asked to stop it',
    completed: completedEnd,
    failed: failedEnd,
    cancelled: cancelledEnd,
    never_ran: 'the agent, when asked, does not know it and refuses it from then on',
    needs_attention: unknownEnd,
  },
  running: {
    cancelling: 'the agent has received the request to stop it',
    completed: completedEnd,
    failed: failedEnd,
    cancelled: cancelledEnd,
    never_ran: 'the agent restarted, and its ledger shows that the attempt had not begun',
    needs_attention: unknownEnd,
  },
  cancelling: {
    completed: 'its result arrives; it completed before it could be stopped',
    failed: failedEnd,
    cancelled: cancelledEnd,
    never_ran: 'the agent restarted, and its ledger shows that the attempt had not begun',
    needs_attention: unknownEnd,
  },
  needs_attention: {
    completed: 'a person decides so, or its result arrives late',
    failed: 'a person decides so, or its result arrives late',
    cancelled: 'a person cancels it, or its agent reports late that it was stopped',
    never_ran: 'its agent reports late that it never began',
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
  'unreachable',
] as const;
/** State of a device. Its agent reports all but `unreachable`, which says that the agent itself is not heard. */
export type DeviceState = (typeof deviceStates)[number];

const unloaded = 'its laboratory is unloaded, or people stop it';
const ended = 'its process ended';
const unheard = 'its agent is not heard any more';
const heardAgain = 'its agent is heard again, and reports it';

export const deviceTransitions: Transitions<DeviceState> = {
  disabled: {
    initializing: 'its process is started',
    uncertain: 'the earlier agent process ended during an effect',
    unreachable: unheard,
  },
  initializing: {
    idle: 'it is initialised',
    restarting: ended,
    faulted: 'it could not be initialised in time, or too often',
    disabled: unloaded,
    unreachable: unheard,
  },
  idle: {
    busy: 'a call that acts begins',
    restarting: ended,
    faulted: 'its process ended too often',
    disabled: unloaded,
    unreachable: unheard,
  },
  busy: {
    idle: 'the call has ended',
    aborting: 'the call took too long, or a request stops it',
    uncertain: 'its process or its agent ended during a call',
    restarting: 'its process ended, and the call is known to have no further effect',
    faulted: 'its process ended too often',
    disabled: unloaded,
    unreachable: unheard,
  },
  aborting: {
    idle: 'the driver stopped the instrument',
    uncertain: 'it cannot be known whether the instrument stands still',
    restarting: ended,
    faulted: 'its process ended too often',
    disabled: unloaded,
    unreachable: unheard,
  },
  uncertain: {
    idle: 'the driver read the instrument and found that it stands still',
    initializing: 'a person confirms that it stands still',
    restarting: ended,
    faulted: 'its process ended too often',
    disabled: unloaded,
    unreachable: unheard,
  },
  restarting: {
    initializing: 'its process starts again',
    faulted: 'its process ended too often',
    disabled: unloaded,
    unreachable: unheard,
  },
  faulted: {
    initializing: 'a person decides to start it again',
    disabled: unloaded,
    unreachable: unheard,
  },
  unreachable: {
    disabled: heardAgain,
    initializing: heardAgain,
    idle: heardAgain,
    busy: heardAgain,
    aborting: heardAgain,
    uncertain: heardAgain,
    restarting: heardAgain,
    faulted: heardAgain,
  },
};

export const agentStates = ['online', 'suspect', 'offline', 'draining', 'incompatible'] as const;
export type AgentState = (typeof agentStates)[number];

export const agentTransitions: Transitions<AgentState> = {
  online: {
    suspect: 'it was not heard for 3 s',
    offline: 'it reported that it stops, or was not heard for 10 s',
    draining: 'it takes no more work before it stops',
  },
  suspect: {
    online: 'it is heard again',
    offline: 'it was not heard for 10 s, or reported that it stops',
    draining: 'it takes no more work before it stops',
  },
  offline: {
    online: 'it registers, or is heard again',
    incompatible: 'it registers with an incompatible version',
  },
  draining: { online: 'it registers again', offline: 'it has stopped' },
  incompatible: { online: 'it registers with a compatible version', offline: 'it was not heard for 10 s' },
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

export const rolloutStates = ['running', 'halted', 'completed', 'cancelled'] as const;
/** State of a rollout: an update of the agents of several computers. */
export type RolloutState = (typeof rolloutStates)[number];

export const rolloutTransitions: Transitions<RolloutState> = {
  running: {
    halted: 'a computer could not be updated, or an attention item about an updated computer was opened',
    completed: 'all its computers are updated, and its last ring was watched for the settle time',
    cancelled: 'a person cancels it',
  },
  halted: { running: 'a person resumes it', cancelled: 'a person cancels it' },
  completed: {},
  cancelled: {},
};

export const rolloutStepStates = [
  'waiting',
  'draining',
  'updating',
  'restarting',
  'initializing',
  'updated',
  'failed',
] as const;
/** How far a rollout is with one computer. */
export type RolloutStepState = (typeof rolloutStepStates)[number];

const undone = 'the rollout is halted or cancelled before the agent was asked';
const notDone = 'its agent refuses, comes back with another version, or does not come back in time';

export const rolloutStepTransitions: Transitions<RolloutStepState> = {
  waiting: {
    draining: 'its turn has come, its agent is heard, nobody else drains it, and no run keeps a device of it',
    updated: 'its agent runs the version already',
  },
  draining: {
    waiting: `a run keeps a device of it, its agent is not heard, or ${undone}`,
    updating: 'nothing runs on it any more, and its agent is asked to update',
    updated: 'its agent runs the version already',
  },
  updating: {
    draining: 'its agent says that something runs on it',
    restarting: 'its agent has unpacked the version, and stops',
    initializing: 'its agent is registered with the version',
    failed: notDone,
  },
  restarting: { initializing: 'its agent is registered with the version', failed: notDone },
  initializing: {
    updated: 'its devices are as well as before',
    failed: 'a device that was usable before is not usable again in time, or the version goes back',
  },
  updated: { failed: 'its agent comes back with another version before the rollout ends' },
  failed: { waiting: 'a person resumes the rollout' },
};

/** True if a record may change from one state to the other. */
export function mayFollow<State extends string>(table: Transitions<State>, from: State, to: State): boolean {
  return table[from][to] !== undefined;
}

/** A predicate that is true for these states. */
function among<State extends string>(...states: State[]): (state: State) => boolean {
  return (state) => states.includes(state);
}

/** The record has ended. It changes only if a person resumes the work that it belongs to. */
export const isTerminal = among<TaskRunState | RunState | AttemptState>(
  'completed',
  'failed',
  'cancelled',
  'skipped',
  'never_ran',
);

/** A run or campaign in this state has ended and did not complete. A person may resume it. */
export const mayBeResumed = among<RunState>('failed', 'cancelled');

/** The run of a trial in this state has not begun. */
export const isProposed = among<TrialState>('proposed');

/** The run of a trial in this state has ended. */
export const isSettled = among<TrialState>('measured', 'failed');

/** The dependants of a task run in this state may start. */
export const isSatisfied = among<TaskRunState>('completed');

/** A task run in this state may use its devices at this moment. */
export const isActive = among<TaskRunState>('running', 'needs_attention');

/** A task run in this state has not begun. */
export const isWaiting = among<TaskRunState>('created', 'queued');

/** A task run in this state waits only for tasks that it depends on. */
export const awaitsDependencies = among<TaskRunState>('created');

/** A task run in this state waits for its devices and resources. Its state allows it to be dispatched. */
export const isQueued = among<TaskRunState>('queued');

/** An agent has or may have the task run. It ends when that agent reports it, and only that agent can stop it. */
export const isWithAgent = among<TaskRunState>('running');

/** The outcome cannot be known, or a person must decide how the work continues. */
export const isUnclear = among<TaskRunState | RunState | AttemptState>('needs_attention');

/** Tasks of a protocol run in this state may start. */
export const mayStartTasks = among<RunState>('created', 'running');

/** It is not known whether the agent has the attempt. The orchestrator asks the agent and never sends it again. */
export const isUnsettled = among<AttemptState>('dispatching', 'uncertain');

/** The agent will still report the end of an attempt in this state. */
export function awaitsAgent(state: AttemptState): boolean {
  return !isTerminal(state) && state !== 'needs_attention';
}

/** A device in this state may be in motion, and its agent will report the end. */
export const isMoving = among<DeviceState>('busy', 'aborting');

/** A device in this state initialises itself, which may move the instrument. */
export const isInitializing = among<DeviceState>('initializing');

/** A device in this state takes commands; an allocated task may be sent to it. */
export const isUsable = among<DeviceState>('idle', 'busy');

/** The agent does not start a device in this state again until a person decides so. */
export const isGivenUp = among<DeviceState>('faulted');

/** Until it is known what the device did, it gets no calls, and its process does not start. */
export const isInDoubt = among<DeviceState>('uncertain');

/** A device in this state is about to become usable, or waits until its process starts. */
export const isStarting = among<DeviceState>('disabled', 'initializing', 'restarting');

/** The last report of an agent in this state about its devices is up to date. */
export const isHeard = among<AgentState>('online');

/** An agent in this state has stopped or counts as stopped, until it is heard again. */
export const isGone = among<AgentState>('offline');

/** An agent in this state is connected, as far as the orchestrator knows. */
export const isReachable = among<AgentState>('online', 'suspect');

/** New work may be sent to an agent in this state. */
export const mayDispatchTo = among<AgentState>('online');

/** A run or campaign in this state starts no work until a person decides. */
export const awaitsPerson = among<RunState>('paused', 'needs_attention');

/** A rollout in this state has ended. No other begins before. */
export const isRolloutOver = among<RolloutState>('completed', 'cancelled');

/** A rollout in this state begins with further computers. */
export const mayBeginUpdates = among<RolloutState>('running');

/** No rollout touches a computer in this state. */
export const isUntouched = among<RolloutStepState>('waiting', 'updated', 'failed');

/** The agent was asked to update, and its new version has not served yet. */
export const isBeingUpdated = among<RolloutStepState>('updating', 'restarting', 'initializing');
