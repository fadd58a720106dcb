import {
  isReachable,
  toServiceError,
  type ErrorCode,
  type ModuleReference,
  type ServiceError,
} from '@lab/contracts';
import { Backoff, type Log } from '@lab/ports';
import type { LabMap } from '../labs/index.js';
import type { Agents } from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import type { AgentDirectory } from './agent-directory.js';

/** Code that an agent needs soon. */
export interface WantedCode {
  computer: string;
  module: ModuleReference;
}

/** `why`: `not_found` and `forbidden` say that the agent cannot have the code, `deadline_exceeded` that it still works on it. */
export interface MissingCode extends WantedCode {
  why: ServiceError;
}

/** Errors that say that an agent cannot have code, or does not have it yet. After any other one nobody knows. */
const isAnswer: ReadonlySet<ErrorCode> = new Set(['not_found', 'forbidden', 'deadline_exceeded']);

/** Informs reachable agents which devices to run, and repeats this until each has acknowledged. */
export class DeviceAssigner {
  readonly #retries = new Backoff();
  /** Computer to the number of the change that its agent has not acknowledged. */
  readonly #due = new Map<string, number>();
  readonly #inFlight = new Set<string>();
  #version = 0;
  #epoch = 0;

  constructor(
    private readonly ports: { agents: Agents; directory: AgentDirectory; log: Log },
    private readonly enqueue: (name: string, act: (turn: Turn) => void) => void,
  ) {}

  lead(epoch: number): void {
    this.#epoch = epoch;
  }

  /** The laboratories changed. An agent that is offline is informed when it registers. */
  changed(): void {
    this.#version += 1;
    for (const agent of this.ports.directory.all()) this.#due.set(agent.computer, this.#version);
  }

  /** The laboratories have changed since this agent was informed. */
  changedFor(computer: string): void {
    this.#due.set(computer, this.#version);
  }

  pursue(turn: Turn, labs: LabMap): void {
    for (const [computer, version] of this.#due) {
      const agent = this.ports.directory.get(computer);
      if (agent === undefined || !isReachable(agent.state)) {
        this.#due.delete(computer);
        continue;
      }
      if (this.#inFlight.has(computer) || !this.#retries.isDue(computer, turn.now)) continue;
      const { inc } = agent;
      turn.afterCommit(() => this.#send(computer, inc, version, labs));
    }
  }

  /**
   * Lets connected agents fetch and install code before they are informed that devices need it, so that the present processes of
   * these devices work until then. An agent that does not answer is left out: it gets the code when it starts the devices.
   *
   * @returns the code that an agent does not have, with the reason
   */
  async provide(labs: LabMap, wanted: readonly WantedCode[]): Promise<MissingCode[]> {
    const epoch = this.#epoch;
    const missing = await Promise.all(
      wanted.map(async ({ computer, module }): Promise<MissingCode[]> => {
        const agent = this.ports.directory.get(computer);
        if (agent === undefined || !isReachable(agent.state)) return [];
        const devices = labs.assignmentsOf(computer, this.ports.log);
        try {
          await this.ports.agents.provideCode({ computer, inc: agent.inc, epoch }, devices, module);
          return [];
        } catch (error) {
          const why = toServiceError(error);
          if (isAnswer.has(why.code)) return [{ computer, module, why }];
          const { message } = why;
          this.ports.log.warn('an agent could not be asked for new code', { computer, message });
          return [];
        }
      }),
    );
    return missing.flat();
  }

  nextRetry(now: number): number | undefined {
    return this.#retries.next(now);
  }

  #send(computer: string, inc: number, version: number, labs: LabMap): void {
    this.#inFlight.add(computer);
    const devices = labs.assignmentsOf(computer, this.ports.log);
    this.ports.agents.assignDevices({ computer, inc, epoch: this.#epoch }, devices).then(
      () =>
        this.enqueue('devices assigned', () => {
          this.#inFlight.delete(computer);
          this.#retries.clear(computer);
          if (this.#due.get(computer) === version) this.#due.delete(computer);
        }),
      (error: unknown) =>
        this.enqueue('devices not assigned', (turn) => {
          this.#inFlight.delete(computer);
          this.#retries.failed(computer, turn.now);
          this.ports.log.warn('an agent could not be informed of its devices', {
            computer,
            message: toServiceError(error).message,
          });
        }),
    );
  }
}
