import { spokenProtocol, type ProtocolRange } from '@lab/contracts';
import type { AgentRegistration } from './agent-messages.js';

/** An agent whose registration was refused. */
export interface RefusedAgent {
  computer: string;
  version: string;
  /** Versions of the protocol that it speaks. */
  protocol: ProtocolRange;
  message: string;
  /** When it was refused for the first time, and last. */
  since: number;
  at: number;
}

/** An agent that was not refused for this time has stopped trying, in milliseconds. */
const rememberedMs = 60_000;

/** Agents that were refused lately for one reason, one for each computer. */
export class RefusedAgents {
  readonly #latest = new Map<string, RefusedAgent>();

  add(
    { computer, version, protocol }: Pick<AgentRegistration, 'computer' | 'version' | 'protocol'>,
    message: string,
    now: number,
  ): void {
    const known = this.#latest.get(computer);
    const since = known !== undefined && now - known.at < rememberedMs ? known.since : now;
    const refused = { computer, version, protocol: spokenProtocol(protocol), message, since, at: now };
    this.#latest.set(computer, refused);
  }

  /** The agent was accepted meanwhile. */
  forget(computer: string): void {
    this.#latest.delete(computer);
  }

  *lately(now: number): Iterable<RefusedAgent> {
    for (const refused of this.#latest.values())
      if (now - refused.at < rememberedMs) yield refused;
      else this.#latest.delete(refused.computer);
  }

  /** @returns undefined: the agent of the computer was not refused lately */
  of(computer: string, now: number): RefusedAgent | undefined {
    const refused = this.#latest.get(computer);
    return refused !== undefined && now - refused.at < rememberedMs ? refused : undefined;
  }
}
