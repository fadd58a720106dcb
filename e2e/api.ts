import type {
  AttemptRecord,
  AttentionRecord,
  AttentionResolution,
  CampaignRecord,
  DeviceRecord,
  Page,
  Problem,
  ProtocolRunRecord,
  ProtocolRunSummary,
  TaskRunRecord,
} from '@lab/contracts';

export interface CampaignWithRuns extends CampaignRecord {
  protocol_runs: ProtocolRunRecord[];
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** Codes of answers while the database or the broker does not answer. A shared disk can stop for half a minute. */
const passing = ['service_unavailable', 'store_unavailable'];
/** Milliseconds for which `patiently` repeats a request. */
const patienceMs = 60_000;

/** The REST interface as a user's script sees it: a 4xx answer is returned and not thrown. */
export class Api {
  /**
   * @param token sent with each request; without it requests have no `Authorization` header
   * @param send sends requests; default: `fetch` of this process
   */
  constructor(
    readonly url: string,
    private readonly token = '',
    private readonly send: typeof fetch = fetch,
  ) {}

  async call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const response = await this.send(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const parsed: unknown = type.includes('json') && text !== '' ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, body: parsed as T };
  }

  /**
   * As `call`, but it repeats a request that had no effect because a part of the service did not answer. The clients of the
   * product do the same.
   */
  async patiently<T>(method: string, path: string, body?: unknown): Promise<Answer<T & Partial<Problem>>> {
    const end = Date.now() + patienceMs;
    for (;;) {
      const answer = await this.call<T & Partial<Problem>>(method, path, body);
      // The service sends this header only when the request had no effect.
      const afterS = answer.headers.get('retry-after');
      if (afterS === null || !passing.includes(answer.body.code ?? '') || Date.now() > end) return answer;
      console.warn(`${method} ${path} is sent again after ${afterS} s: ${JSON.stringify(answer.body)}`);
      await new Promise((resolve) => setTimeout(resolve, Number(afterS) * 1_000));
    }
  }

  submit(
    kind: 'protocols' | 'campaigns' | 'tasks',
    body: unknown,
  ): Promise<Answer<Problem & { name: string }>> {
    return this.call('POST', `/api/${kind}`, body);
  }

  async run(name: string): Promise<ProtocolRunRecord> {
    return (await this.call<ProtocolRunRecord>('GET', `/api/protocols/${encodeURIComponent(name)}`)).body;
  }

  /** A campaign with its runs and their tasks, in the order of their creation. Each record is one request. */
  async campaign(name: string): Promise<CampaignWithRuns> {
    const path = encodeURIComponent(name);
    const [campaign, runs, tasks] = await Promise.all([
      this.call<CampaignRecord>('GET', `/api/campaigns/${path}`),
      this.all<ProtocolRunSummary>(`/api/campaigns/${path}/runs`),
      this.all<TaskRunRecord>(`/api/tasks?campaign=${path}&sort=created_at`),
    ]);
    return {
      ...campaign.body,
      protocol_runs: runs.map((run) => ({
        ...run,
        tasks: tasks.filter((task) => task.protocol_run === run.name),
      })),
    };
  }

  /** Every record of a list, page by page, {@link patiently}. */
  async all<T>(path: string): Promise<T[]> {
    const found: T[] = [];
    for (let cursor = ''; ;) {
      const query = `${path.includes('?') ? '&' : '?'}limit=500${cursor}`;
      const { status, body }: Answer<Page<T>> = await this.patiently('GET', `${path}${query}`);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
      found.push(...body.items);
      if (body.next_cursor === null) return found;
      cursor = `&cursor=${body.next_cursor}`;
    }
  }

  async task(name: string): Promise<TaskRunRecord> {
    return (await this.call<TaskRunRecord>('GET', `/api/tasks/${encodeURIComponent(name)}`)).body;
  }

  /** A task of a run, by name. */
  async taskOf(run: string, name: string): Promise<TaskRunRecord> {
    const query = `protocol_run_name=${encodeURIComponent(run)}`;
    return (await this.call<TaskRunRecord>('GET', `/api/tasks/${encodeURIComponent(name)}?${query}`)).body;
  }

  async attempts(name: string, run?: string): Promise<AttemptRecord[]> {
    const query = run === undefined ? '' : `?protocol_run_name=${encodeURIComponent(run)}`;
    return this.all(`/api/tasks/${encodeURIComponent(name)}/attempts${query}`);
  }

  /** Open attention items, newest first. */
  async attention(): Promise<AttentionRecord[]> {
    return this.all('/api/attention?state=open');
  }

  resolve(id: string, decision: AttentionResolution): Promise<Answer<AttentionRecord & Problem>> {
    return this.call('POST', `/api/attention/${id}/resolve`, decision);
  }

  async device(name: string): Promise<DeviceRecord> {
    const found = (await this.devices()).find((device) => device.name === name);
    if (found === undefined) throw new Error(`there is no device ${name}`);
    return found;
  }

  async devices(): Promise<DeviceRecord[]> {
    return this.all('/api/devices');
  }

  rpc<T>(lab: string, device: string, name: string, parameters: unknown = {}): Promise<Answer<T>> {
    return this.call('POST', `/api/rpc/${lab}/${device}/${name}`, parameters);
  }

  /** Calls a function of a device although a task has the device. */
  forcedRpc<T>(lab: string, device: string, name: string, parameters: unknown = {}): Promise<Answer<T>> {
    return this.call('POST', `/api/rpc/${lab}/${device}/${name}?force=true&reason=test`, parameters);
  }
}

/**
 * Calls `read()` until `holds` accepts the result.
 *
 * @throws Error with the last thing read when that does not happen within `limitMs`
 */
export async function eventually<T>(
  read: () => Promise<T>,
  holds: (value: T) => boolean,
  limitMs = 90_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) {
      throw new Error(
        `not so within ${limitMs} ms; last seen: ${JSON.stringify(value, null, 1).slice(0, 4_000)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const isOver = (record: { state: string }): boolean =>
  ['completed', 'failed', 'cancelled', 'skipped', 'needs_attention'].includes(record.state);
