import { isReachable, toServiceError } from '@lab/contracts';
import { Backoff, type Log } from '@lab/ports';
import type { LabMap } from '../labs/index.js';
import type { Agents } from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import type { AgentDirectory } from './agent-directory.js';

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
