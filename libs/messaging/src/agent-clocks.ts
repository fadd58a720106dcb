import { callFreshMs } from '@lab/contracts';
import type { Clock } from '@lab/ports';

/** Age at which a reading is renewed beside the calls that still use it, in milliseconds. */
const renewAfterMs = callFreshMs / 4;
/** Oldest reading that a call is sent with, in milliseconds: half of what the receiver allows. */
const usableMs = callFreshMs / 2;

/** An incarnation of the agent of a computer. */
export interface AgentSession {
  readonly computer: string;
  readonly inc: number;
}

/** A reading of an agent's clock, and since when this process has known it, by its own clock. */
interface Reading {
  inc: number;
  nowMs: number;
  knownAt: number;
}

/**
 * Recent readings of the clocks of agents. A device call carries one, so that the agent can tell by its own clock alone that
 * the call was sent recently: the reading is always older than the call. Each answer of an agent brings the next reading, so
 * that only the first call after a pause waits for one. An agent refuses a reading that is too old whatever this process
 * believes, so a slow network or a suspended process costs a repeat and no safety.
 */
export class AgentClocks {
  /** By computer. */
  readonly #readings = new Map<string, Reading>();
  readonly #renewing = new Set<string>();

  /**
   * @param ask reads the clock of an agent, in its milliseconds
   * @param clock a monotonic clock
   */
  constructor(
    private readonly ask: (agent: AgentSession, signal?: AbortSignal) => Promise<number>,
    private readonly clock: Clock,
  ) {}

  /** The reading for a call that is sent now; undefined: none is recent enough. */
  known({ computer, inc }: AgentSession): number | undefined {
    const reading = this.#readings.get(computer);
    if (reading?.inc !== inc) return undefined;
    const age = this.clock.now() - reading.knownAt;
    if (age >= usableMs) return undefined;
    if (age >= renewAfterMs) this.#renew({ computer, inc });
    return reading.nowMs;
  }

  /** As {@link known}; asks the agent if there is none. @throws what `ask` throws */
  async read(agent: AgentSession, signal?: AbortSignal): Promise<number> {
    return this.known(agent) ?? this.#ask(agent, signal);
  }

  /** Notes the reading that an answer carried. */
  heard({ computer, inc }: AgentSession, nowMs: number | undefined): void {
    if (nowMs !== undefined) this.#note(computer, { inc, nowMs, knownAt: this.clock.now() });
  }

  /** The agent refused a call as late: its reading is older than it seemed. */
  refused({ computer }: AgentSession): void {
    this.#readings.delete(computer);
  }

  async #ask(agent: AgentSession, signal?: AbortSignal): Promise<number> {
    const knownAt = this.clock.now();
    const nowMs = await this.ask(agent, signal);
    this.#note(agent.computer, { inc: agent.inc, nowMs, knownAt });
    return nowMs;
  }

  /** Answers may overtake each other, so the latest reading of an incarnation stays. */
  #note(computer: string, reading: Reading): void {
    const before = this.#readings.get(computer);
    if (before !== undefined && before.inc > reading.inc) return;
    if (before?.inc === reading.inc && before.nowMs > reading.nowMs) return;
    this.#readings.set(computer, reading);
  }

  #renew(agent: AgentSession): void {
    if (this.#renewing.has(agent.computer)) return;
    this.#renewing.add(agent.computer);
    const over = (): void => void this.#renewing.delete(agent.computer);
    // Without an answer the reading grows old, and the next call asks for itself.
    this.#ask(agent).then(over, over);
  }
}
