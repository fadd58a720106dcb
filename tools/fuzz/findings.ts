import { percentile } from '../shared/measure.js';
import type { RawReply } from '../shared/raw-sender.js';
import type { FuzzRequest } from './request.js';

/** What is wrong with a reply, and the count that it belongs to. */
export interface Fault {
  kind: 'server_errors' | 'schema_mismatches' | 'unauthenticated_successes';
  text: string;
}

/** The first request with this fault. */
export interface FoundFault {
  count: number;
  key: string | undefined;
  request: FuzzRequest;
  reply: RawReply;
}

export class Findings {
  counts = { requests: 0, server_errors: 0, schema_mismatches: 0, unauthenticated_successes: 0 };
  /** By their texts. */
  readonly faults = new Map<string, FoundFault>();
  readonly #statuses = new Map<number, number>();
  /** Milliseconds of the replies, by operation. */
  readonly #durations = new Map<string, number[]>();

  /**
   * @param key of the operation, for example `post /api/tasks`; undefined: the path is no route
   * @param fault undefined: the reply is right
   */
  note(key: string | undefined, request: FuzzRequest, reply: RawReply, fault: Fault | undefined): void {
    const name = key ?? 'no route';
    this.counts.requests += 1;
    this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1);
    const durations = this.#durations.get(name) ?? [];
    this.#durations.set(name, durations);
    durations.push(reply.ms);
    if (fault === undefined) return;
    this.counts[fault.kind] += 1;
    const known = this.faults.get(fault.text);
    if (known === undefined) this.faults.set(fault.text, { count: 1, key, request, reply });
    else known.count += 1;
  }

  /** `200: 17, 404: 3` */
  get statuses(): string {
    return [...this.#statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ');
  }

  get p99Ms(): number {
    return percentile([...this.#durations.values()].flat(), 0.99);
  }

  /** The operations with the slowest replies, and those that took the most time in total. */
  slowest(count: number) {
    const all = [...this.#durations].map(([key, each]) => ({
      key,
      count: each.length,
      p99: percentile(each, 0.99),
      total: each.reduce((sum, ms) => sum + ms, 0),
    }));
    const by = (field: 'p99' | 'total') => all.toSorted((a, b) => b[field] - a[field]).slice(0, count);
    return { byP99: by('p99'), byTotal: by('total') };
  }
}
