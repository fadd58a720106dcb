// What was found: how often, how soon, and what of it should not be.
import { percentile } from '../bench/harness.mjs';

export class Findings {
  counts = { requests: 0, server_errors: 0, schema_mismatches: 0, unauthenticated_successes: 0 };
  /** By what is wrong: how often, and the first request with its reply. */
  faults = new Map();
  #statuses = new Map();
  /** Milliseconds of the answers, by operation. */
  #durations = new Map();

  /**
   * @param key of the operation; undefined: the request meant none
   * @param fault what is wrong with the reply, and as what it counts; undefined: nothing
   */
  note(key, request, reply, fault) {
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
  get statuses() {
    return [...this.#statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ');
  }

  get p99Ms() {
    return percentile([...this.#durations.values()].flat(), 0.99);
  }

  /** The operations that took the most time altogether, and those with the slowest answers. */
  slowest(count) {
    const all = [...this.#durations].map(([key, each]) => ({
      key,
      count: each.length,
      p99: percentile(each, 0.99),
      total: each.reduce((sum, ms) => sum + ms, 0),
    }));
    const by = (field) => all.toSorted((a, b) => b[field] - a[field]).slice(0, count);
    return { byP99: by('p99'), byTotal: by('total') };
  }
}
