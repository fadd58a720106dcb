// Measures the time from a decision of the orchestrator to a client of the event stream. 200 clients disconnect and
// reconnect at random while tasks are submitted and cancelled at an even rate. The exit code is 1 when a client missed an
// event or got one twice.
import { Agent, get, type ClientRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { readFlags, whole } from '../shared/flags.js';
import { evenly, percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { RawSender } from '../shared/raw-sender.js';
import { withStack } from '../shared/stack.js';

const range = { least: 1, most: 1_000 };
/** `stay`: mean seconds of a connection. */
const { clients, rate, seconds, stay } = readFlags({
  clients: whole(200, range),
  rate: whole(100, range),
  seconds: whole(20, range),
  stay: whole(10, range),
});
const agent = new Agent({ keepAlive: false });

/** A client of the stream that records its events. It disconnects after about `stay` seconds, and reconnects. */
class Client {
  readonly ids: number[] = [];
  readonly lags: number[] = [];
  returns = 0;
  #closed = false;
  #request: ClientRequest | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param last the event after which the stream begins; undefined: from now on */
  constructor(
    private readonly url: string,
    private last?: number,
  ) {}

  /** Resolves when the first data has arrived. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = this.last === undefined ? {} : { 'last-event-id': String(this.last) };
      this.#request = get(`${this.url}/api/events`, { agent, headers }, (response) => {
        if (response.statusCode === 503) {
          // The gateway still counts a connection that has just ended.
          response.resume();
          setTimeout(() => void this.open().then(resolve, reject), 100);
          return;
        }
        if (response.statusCode !== 200) {
          reject(new Error(`the status of the event stream is ${response.statusCode}`));
          return;
        }
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          const now = Date.now();
          const blocks = (text + piece).split('\n\n');
          text = blocks.pop() ?? '';
          for (const block of blocks) this.#take(block, now);
          resolve();
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          clearTimeout(this.#timer);
          if (!this.#closed) void this.#reopen().then(resolve, reject);
        });
        this.#timer = setTimeout(() => response.destroy(), Math.random() * 2_000 * stay);
      });
      this.#request.on('error', (error) => {
        if (!this.#closed) reject(error);
      });
    });
  }

  async #reopen(): Promise<void> {
    this.returns += 1;
    await this.open();
  }

  #take(block: string, now: number): void {
    const id = /^id: (\d+)$/m.exec(block)?.[1];
    if (id !== undefined) this.last = Number(id);
    const at = /"at":"([^"]+)"/.exec(block)?.[1];
    if (at === undefined || this.last === undefined) return;
    this.ids.push(this.last);
    this.lags.push(now - Date.parse(at));
  }

  close(): void {
    this.#closed = true;
    this.#request?.destroy();
  }
}

printMachine();
await withStack({ env: { SVC_LABS: 'multiplication_lab' } }, async (stack, api) => {
  const sender = new RawSender(stack.url);
  const everybody = Array.from({ length: clients }, () => new Client(stack.url));
  const task = (name: string) => ({ name, type: 'write_file', input_parameters: { text: 'x' } });
  try {
    // Paused work does not start, so that submissions and cancellations are the only events.
    await api.post('/api/queue/pause', { body: {} });
    await Promise.all(everybody.map((client) => client.open()));
    const perSecond = await evenly(rate * seconds, rate, (index) =>
      index % 2 === 0
        ? sender.post('/api/tasks', task(`t${index}`))
        : // A task whose submission is not answered yet cannot be cancelled; then there is one event less.
          sender.post(`/api/tasks/t${index - 1}/cancel`).catch(() => undefined),
    );
    await sender.post('/api/tasks', task('last'));
    await delay(3_000);
    // A witness reads all events again, after the first one that every client was connected for.
    const first = Math.max(...everybody.map(({ ids }) => ids[0] ?? Infinity));
    const witness = new Client(stack.url, first);
    await witness.open();
    await delay(1_000);
    witness.close();
    const all = witness.ids;
    const broken = everybody.filter(({ ids }) => {
      const got = ids.filter((id) => id > first);
      return got.length !== all.length || got.some((id, n) => id !== all[n]);
    });
    const lags = everybody.flatMap((client) => client.lags);
    const returns = everybody.reduce((sum, client) => sum + client.returns, 0);
    if (broken.length > 0) process.exitCode = 1;
    printResult({
      clients,
      events: all.length,
      delivered: lags.length,
      returns,
      lag_p50_ms: percentile(lags, 0.5),
      lag_p99_ms: percentile(lags, 0.99),
      gaps: broken.length,
      requests_per_s: rounded(perSecond, 1),
    });
  } finally {
    for (const client of everybody) client.close();
    sender.close();
  }
});
