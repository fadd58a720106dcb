import type { Clock } from '@lab/ports';

/** A process was refused again and again. Times are in milliseconds since 1970. */
export interface RepeatedRefusals {
  /** `<service>/<name>`, as the process calls itself. */
  process: string;
  /** Messages and subscriptions that the broker refused to it. */
  byBroker: number;
  /** Acts of people from it that no gateway had signed. */
  unsigned: number;
  since: number;
}

/** So many refusals of a process are no accident. */
const repeatedAfter = 3;
/** A process that was not refused for this time has stopped, in milliseconds. */
const quietMs = 60_000;
/** A new leader does not know which refusals are new until every process has reported once, in milliseconds. */
const learningMs = 10_000;
/** Processes that are told apart. Anybody may invent names. */
const mostProcesses = 50;
/** Processes whose last report is remembered. */
const mostInstances = 1_000;
const otherProcesses = 'other processes';

/**
 * Counts what the broker and the leader refuse to each process. A single refusal may be a mistake; repeated ones mean
 * wrong credentials, or a program of somebody else. It is kept in memory only.
 */
export class Refusals {
  readonly #refused = new Map<string, RepeatedRefusals & { at: number }>();
  /** Instance to the number of refusals that it reported last. */
  readonly #reported = new Map<string, number>();
  #since = Infinity;

  constructor(private readonly clock: Clock) {}

  /** The leader hears reports from now on. */
  begin(now: number): void {
    this.#since = now;
  }

  /**
   * A process reports how often the broker has refused it since it started.
   *
   * @param instance unique name of the process; several may have the same credentials, and so the same name
   */
  brokerRefused(process: string, instance: string, total: number): void {
    const isLearning = this.clock.now() - this.#since < learningMs;
    const before = this.#reported.get(instance) ?? (isLearning ? total : 0);
    this.#reported.delete(instance);
    this.#reported.set(instance, total);
    const [oldest] = this.#reported.keys();
    if (this.#reported.size > mostInstances && oldest !== undefined) this.#reported.delete(oldest);
    if (total > before) this.#note(process).byBroker += total - before;
  }

  /** The leader refused an act of a person. @param process as the message calls its sender */
  actRefused(process: string): void {
    this.#note(process).unsigned += 1;
  }

  /** The processes that were refused repeatedly, and lately. */
  *repeated(now: number): Iterable<RepeatedRefusals> {
    for (const [process, refused] of this.#refused)
      if (now - refused.at >= quietMs) this.#refused.delete(process);
      else if (refused.byBroker + refused.unsigned >= repeatedAfter) yield refused;
  }

  #note(name: string): RepeatedRefusals {
    const now = this.clock.now();
    const isKnown = this.#refused.has(name) || this.#refused.size < mostProcesses;
    const process = isKnown ? name : otherProcesses;
    const before = this.#refused.get(process);
    const refused =
      before !== undefined && now - before.at < quietMs
        ? before
        : { process, byBroker: 0, unsigned: 0, since: now, at: now };
    refused.at = now;
    this.#refused.set(process, refused);
    return refused;
  }
}
