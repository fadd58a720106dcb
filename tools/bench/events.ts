// From the decision of the orchestrator to a client of the event stream: 200 clients that break off and come again at random,
// while tasks are submitted and cancelled at an even rate. Ends with 1 when a client missed an event or got one twice.
import { Agent, get } from 'node:http';
import { parseArgs } from 'node:util';
import { startServiceStack } from '@lab/testkit';
import { finish, httpClient, percentile, printMachine, rounded } from './harness.mjs';

const { values: flags } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    stay: { type: 'string', default: '10' },
  },
});
const numbers = Object.fromEntries(Object.entries(flags).map(([name, text]) => [name, Number(text)]));
if (Object.values(numbers).some((value) => !Number.isInteger(value) || value < 1 || value > 1_000))
  throw new Error('every option is a whole number from 1 to 1000');
const { clients, rate, seconds, stay } = numbers;

const agent = new Agent({ keepAlive: false });

/** A client of the stream that notes what it gets, and leaves on its own after some `stay` seconds to come again. */
class Client {
  ids = [];
  lags = [];
  returns = 0;
  #last;
  #closed = false;
  #request;
  #timer;

  /** @param after undefined: from now on */
  constructor(url, after) {
    this.url = url;
    this.#last = after;
  }

  /** Resolves once it is told what happens from now on. */
  open() {
    return new Promise((resolve, reject) => {
      const headers = this.#last === undefined ? {} : { 'last-event-id': String(this.#last) };
      this.#request = get(`${this.url}/api/events`, { agent, headers }, (response) => {
        if (response.statusCode === 503) {
          // Whose connection has just ended is counted for a moment yet.
          response.resume();
          setTimeout(() => this.open().then(resolve, reject), 100);
          return;
        }
        if (response.statusCode !== 200) {
          reject(new Error(`the stream is answered with ${response.statusCode}`));
          return;
        }
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => {
          const now = Date.now();
          const blocks = (text + piece).split('\n\n');
          text = blocks.pop();
          for (const block of blocks) this.#take(block, now);
          resolve();
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          clearTimeout(this.#timer);
          if (!this.#closed) this.#again().then(resolve, reject);
        });
        this.#timer = setTimeout(() => response.destroy(), Math.random() * 2_000 * stay);
      });
      this.#request.on('error', (error) => {
        if (!this.#closed) reject(error);
      });
    });
  }

  async #again() {
    this.returns += 1;
    await this.open();
  }

  #take(block, now) {
    const id = /^id: (\d+)$/m.exec(block);
    if (id !== null) this.#last = Number(id[1]);
    const at = /"at":"([^"]+)"/.exec(block);
    if (at === null) return;
    this.ids.push(this.#last);
    this.lags.push(now - Date.parse(at[1]));
  }

  close() {
    this.#closed = true;
    this.#request.destroy();
  }
}

/** Calls `work` at an even rate, whatever each call takes; resolves when all have ended. */
async function evenly(count, perSecond, work) {
  const begin = performance.now();
  const under = [];
  for (let index = 0; index < count; index += 1) {
    const wait = begin + (index * 1_000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    under.push(work(index));
  }
  await Promise.all(under);
  return (count / (performance.now() - begin)) * 1_000;
}

printMachine();
const stack = await startServiceStack({ env: { SVC_LABS: 'multiplication_lab' } });
const http = httpClient(stack.url);
const everybody = Array.from({ length: clients }, () => new Client(stack.url));
try {
  // What is submitted waits, so that submissions and cancels are all that happens.
  await http.call('POST', '/api/queue/pause', {});
  await Promise.all(everybody.map((client) => client.open()));
  const perSecond = await evenly(rate * seconds, rate, (index) =>
    index % 2 === 0
      ? http.call('POST', '/api/tasks', {
          name: `t${index}`,
          type: 'write_file',
          input_parameters: { text: 'x' },
        })
      : // The one before may still be on its way: then this comes to nothing, and is one event less.
        http.call('POST', `/api/tasks/t${index - 1}/cancel`).catch(() => undefined),
  );
  const last = { name: 'last', type: 'write_file', input_parameters: { text: 'x' } };
  await http.call('POST', '/api/tasks', last);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  // What there was is read anew, behind the first event that everybody has been there for.
  const first = Math.max(...everybody.map(({ ids }) => ids[0] ?? Infinity));
  const witness = new Client(stack.url, first);
  await witness.open();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  witness.close();
  const all = witness.ids;
  const broken = everybody.filter(({ ids }) => {
    const got = ids.filter((id) => id > first);
    return got.length !== all.length || got.some((id, n) => id !== all[n]);
  });
  const lags = everybody.slice(0, clients).flatMap((client) => client.lags);
  const returns = everybody.reduce((sum, client) => sum + client.returns, 0);
  console.log(
    `${clients} clients, ${rounded(perSecond, 1)} requests/s for ${seconds} s, ${all.length} events, ${returns} returns: ` +
      `lag p50 ${percentile(lags, 0.5)} ms, p99 ${percentile(lags, 0.99)} ms; ${broken.length} clients missed an event or got one twice`,
  );
  if (broken.length > 0) process.exitCode = 1;
  finish({
    clients,
    events: all.length,
    delivered: lags.length,
    returns,
    lag_p50_ms: percentile(lags, 0.5),
    lag_p99_ms: percentile(lags, 0.99),
    gaps: broken.length,
  });
} finally {
  for (const client of everybody) client.close();
  http.close();
  await stack.dispose();
}
