import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { rounded } from '../../shared/measure.js';
import type { Work } from '../work.js';

/** Steady requests through the proxy, by which an outage is measured. */

const readEveryMs = 200;
const writeEveryMs = 500;
/** Requests of one kind without an answer, beyond which a client sends no further one. */
const mostOpen = 12;
/** Pause before a submission is sent again, in milliseconds. */
const againMs = 250;
/** Milliseconds after which a client gives up waiting for an answer. */
const patienceMs = 10_000;
/** Milliseconds after which a client gives up a submission. */
const giveUpMs = 120_000;

/** What a repeat gets while the first request counts as under way: for up to 15 s after its gateway was lost. */
const underWay = '409 idempotency_key_in_progress';

interface Answer {
  /** When it came, by performance.now(). */
  at: number;
  kind: 'read' | 'write';
  /** What came: a status with the code of the problem, or the error of the connection. Undefined: the request was served. */
  refusal: string | undefined;
}

/** What the clients saw during one fault. */
export interface Seen {
  /** Longest time without an accepted submission, in seconds. Longer than the truth by at most half a second. */
  outageS: number;
  /** Longest time without an answered read, in seconds. */
  readsS: number;
  /** Answers other than success, and lost ones, by what came. */
  refused: Record<string, number>;
  /** Repeats that were told that the first request is still under way. */
  inDoubt: number;
}

/** Clients that read and submit at an even rate. Each submission is repeated under its idempotency key until it is accepted. */
export class Probes {
  readonly #answers: Answer[] = [];
  #over = false;
  #number = 0;

  /** @param work counts the submissions */
  constructor(
    private readonly url: string,
    private readonly work: Work,
    private readonly devices: readonly string[],
  ) {}

  async runUntilStopped(): Promise<void> {
    const reads = this.#evenly(readEveryMs, () =>
      this.#ask('read', '/api/tasks?limit=1', {}).then(() => undefined),
    );
    const writes = this.#evenly(writeEveryMs, () => this.#submit());
    await Promise.all([reads, writes]);
  }

  stop(): void {
    this.#over = true;
  }

  /** @param since by performance.now() */
  seen(since: number): Seen {
    const answers = this.#answers.filter(({ at }) => at >= since);
    const gap = (kind: Answer['kind']): number => {
      const served = answers
        .filter((each) => each.kind === kind && each.refusal === undefined)
        .map(({ at }) => at);
      const moments = [since, ...served, performance.now()].sort((one, other) => one - other);
      const gaps = moments.map((at, index) => at - (moments[index - 1] ?? at));
      return rounded(Math.max(...gaps) / 1_000);
    };
    const refused: Record<string, number> = {};
    for (const { kind, refusal } of answers)
      if (refusal !== undefined && refusal !== underWay)
        refused[`${kind} ${refusal}`] = (refused[`${kind} ${refusal}`] ?? 0) + 1;
    const inDoubt = answers.filter(({ refusal }) => refusal === underWay).length;
    return { outageS: gap('write'), readsS: gap('read'), refused, inDoubt };
  }

  async #evenly(everyMs: number, send: () => Promise<void>): Promise<void> {
    const open = new Set<Promise<void>>();
    while (!this.#over) {
      const next = delay(everyMs);
      if (open.size < mostOpen) {
        const sent: Promise<void> = send().finally(() => open.delete(sent));
        open.add(sent);
      }
      await next;
    }
    await Promise.all(open);
  }

  async #submit(): Promise<void> {
    const number = (this.#number += 1);
    const name = `probe_${number}`;
    const entry = { name, isRun: false, accepted: false, over: false, cancelled: false, record: undefined };
    this.work.submitted.set(name, entry);
    const instrument = { lab_name: 'chaos_lab', name: this.devices[number % this.devices.length] ?? '' };
    const body = JSON.stringify({
      ...{ name, type: 'work', devices: { instrument }, allocation_timeout: 200_000 },
      input_parameters: { moves: 1, ms: 5, bytes: 0 },
    });
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const giveUpAt = performance.now() + giveUpMs;
    while (performance.now() < giveUpAt) {
      if (await this.#ask('write', '/api/tasks', { method: 'POST', headers, body })) {
        entry.accepted = true;
        return;
      }
      await delay(againMs);
    }
  }

  /** @returns whether it was served */
  async #ask(kind: Answer['kind'], path: string, init: RequestInit): Promise<boolean> {
    let refusal: string | undefined;
    try {
      const response = await fetch(this.url + path, { ...init, signal: AbortSignal.timeout(patienceMs) });
      const text = await response.text();
      if (!response.ok) refusal = `${response.status} ${codeIn(text)}`;
    } catch (error) {
      refusal = error instanceof Error && error.name === 'TimeoutError' ? 'late' : 'connection lost';
    }
    this.#answers.push({ at: performance.now(), kind, refusal });
    return refusal === undefined;
  }
}

/** The code of a problem document; `proxy` when the text is none. */
function codeIn(text: string): string {
  try {
    return (JSON.parse(text) as { code?: string }).code ?? 'no code';
  } catch {
    return 'of the proxy';
  }
}
