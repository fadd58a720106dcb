import { ServiceError, type JsonObject, type JsonValue } from '@lab/contracts';

/** One life of an agent process. */
export interface AgentIncarnation {
  computer: string;
  inc: number;
}

/** Another agent that runs devices of an attempt. */
export interface OtherAgent extends AgentIncarnation {
  /** A call of the attempt that was sent to this agent is over at the latest after this time, in milliseconds. */
  restMs: number;
}

export interface DeviceAddress extends AgentIncarnation {
  lab: string;
  name: string;
}

/** A call of a task to a device that another agent runs. */
export interface PeerCall {
  callId: string;
  function: string;
  arguments: JsonObject;
  attemptId: string;
  fence: number;
  /** Signed proof that the attempt has the device; undefined: the service signs none. */
  grant?: string | undefined;
}

/** The way to devices that other agents run. */
export interface Peers {
  /**
   * Calls a function of a device.
   *
   * @param timeoutMs how long to wait for the answer; a call that has not begun 1 s later never begins
   * @throws ServiceError the error of the other agent, or one with effect none when the call did not reach it;
   *   {@link Unanswered} when the call reached it and no answer came
   */
  call(to: DeviceAddress, call: PeerCall, timeoutMs: number): Promise<JsonValue | undefined>;
  /**
   * Tells another agent that an attempt is over. That agent begins no further call of the attempt, and stops the calls
   * in progress if it can.
   *
   * @returns whether a call of the attempt still goes on there
   * @throws ServiceError when the other agent was not reached
   */
  barCalls(to: AgentIncarnation, attemptId: string, reason: string): Promise<boolean>;
  /**
   * Calls `over` once, when a message of a later incarnation of the agent arrives.
   *
   * @returns a function that ends the watch
   */
  whenOver(agent: AgentIncarnation, over: () => void): () => void;
}

/** A call was sent to another agent and no answer came. The caller cannot know whether it began or still goes on. */
export class Unanswered extends ServiceError {
  /** True: the process of the called device has ended, so the call no longer goes on. */
  readonly over: boolean;

  constructor(
    code: 'disconnected' | 'deadline_exceeded' | 'agent_unreachable',
    message: string,
    options: { over?: boolean; cause?: unknown } = {},
  ) {
    super(code, message, { effect: 'maybe', cause: options.cause });
    this.over = options.over ?? false;
  }
}
