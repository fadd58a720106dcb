// npm run fuzz:api -- [--requests N] [--seed S]: asks the whole service, as it runs, for everything that its document
// describes and for much that it does not, and compares the replies with the document. The last line is one JSON
// object; the exit code is 1 when anything of it should not be.
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { startServiceStack } from '@lab/testkit';
import { percentile, printMachine, rounded, until } from '../bench/harness.mjs';
import { chainOf, requestsOf } from './chains.mjs';
import { rawClient } from './client.mjs';
import { Conformity } from './conformity.mjs';
import { Pool } from './pool.mjs';
import { operationsOf, realize, strayRequest } from './requests.mjs';

const { values: given } = parseArgs({
  options: { requests: { type: 'string', default: '2000' }, seed: { type: 'string' } },
});
const wanted = Math.max(1, Number.parseInt(given.requests, 10) || 2_000);
const seed = Number.parseInt(given.seed ?? '', 10) || Math.trunc(Date.now() / 1_000) % 2 ** 31;
/** Its devices are all on the computer of the stack, and simulated. */
const laboratory = 'color_lab';
/** Requests under way at once. */
const inFlight = 8;
/** An answer that takes longer counts as none, in milliseconds. */
const answerMs = 30_000;
/** After so many requests the laboratories, the queue and the stops are put right again. */
const keepEvery = 1_000;
/** Values that are made at once: making them one by one costs more than sending them. */
const batch = 50;
const mostShown = 40;
const slowestP99Ms = 250;

printMachine();
console.log(`seed ${seed}, ${wanted} requests, ${inFlight} at once`);
const stack = await startServiceStack({ env: { SVC_LABS: laboratory } });
const client = rawClient(stack.url, inFlight, answerMs);
const counts = { requests: 0, server_errors: 0, schema_mismatches: 0, unauthenticated_successes: 0 };
/** Milliseconds of the answers, by operation. */
const durations = new Map();
const faults = new Map();
const statuses = new Map();
let failure;

const json = async (method, path, body) => {
  const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = text === undefined ? {} : { 'content-type': 'application/json' };
  const reply = await client.send({ method, path, headers, body: text });
  return {
    status: reply.status,
    body: reply.body === '' ? undefined : JSON.parse(reply.body),
    text: reply.body,
  };
};

try {
  const document = (await json('GET', '/docs-json')).body;
  await until(
    async () => (await json('GET', '/api/devices')).body,
    (list) => itemsOf(list).length > 0 && itemsOf(list).every(({ state }) => state === 'idle'),
  );
  const labs = [laboratory];
  await fuzz(document, labs);
} catch (error) {
  failure = error;
} finally {
  client.close();
  await stack.dispose();
}
if (failure !== undefined) throw failure;

for (const [fault, { count, example }] of [...faults].slice(0, mostShown))
  console.log(`${count} x ${fault}\n    ${example}`);
if (faults.size > mostShown) console.log(`and ${faults.size - mostShown} more kinds`);
console.log(
  `statuses: ${[...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')}`,
);
const slowest = [...durations]
  .map(([key, each]) => ({ key, p99: percentile(each, 0.99), count: each.length }))
  .sort((a, b) => b.p99 - a.p99)
  .slice(0, 8);
for (const { key, p99, count } of slowest) console.log(`p99 ${rounded(p99)} ms of ${count}: ${key}`);
const figures = { ...counts, p99_ms: rounded(percentile([...durations.values()].flat(), 0.99)) };
console.log(JSON.stringify(figures));
const { requests, p99_ms: p99, ...wrong } = figures;
const isRight =
  requests >= wanted && p99 <= slowestP99Ms && Object.values(wrong).every((count) => count === 0);
process.exitCode = isRight ? 0 : 1;

function itemsOf(list) {
  return Array.isArray(list) ? list : (list?.items ?? []);
}

async function fuzz(document, labs) {
  const conformity = new Conformity(document);
  const pool = new Pool();
  const operations = operationsOf(document);
  const next = dealer(operations, document);
  let names = 0;
  const freshName = () => `fuzz_${seed}_${(names += 1)}`;
  for (const path of ['/api/devices', '/api/tasks', '/api/protocols', '/api/campaigns', '/api/definitions'])
    pool.learn(path, (await json('GET', path)).text);

  const ask = async (key, request) => {
    counts.requests += 1;
    const reply = await client.send(request);
    judge(conformity, key, request, reply);
    if (reply.status >= 200 && reply.status < 300) pool.learn(request.path, reply.body);
    return reply;
  };

  let kept = 0;
  const work = async () => {
    while (counts.requests < wanted) {
      if (counts.requests >= kept + keepEvery) {
        kept = counts.requests;
        await keep(labs);
      }
      const { operation, recipe, chain, stray } = next();
      if (stray !== undefined) await ask(undefined, stray);
      else if (chain !== undefined) {
        for (const { key, request } of requestsOf(document, chain, freshName())) await ask(key, request);
      } else {
        const request = realize(operation, recipe, pool, freshName);
        const reply = await ask(operation.key, request);
        // What is accepted is not let pile up: the service refuses work behind ten thousand tasks.
        if (reply.status === 201 && reply.headers.location !== undefined)
          await json('POST', `${reply.headers.location}/cancel`);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

/** Deals operations by their weights, and now and then a chain or a stray request; always the same for a seed. */
function dealer(operations, document) {
  let drawn = seed;
  const sample = (arbitrary) => {
    let hand = [];
    return () => {
      if (hand.length === 0) hand = fc.sample(arbitrary, { numRuns: batch, seed: (drawn += 1) });
      return hand.pop();
    };
  };
  const recipes = new Map(operations.map((operation) => [operation, sample(operation.arbitrary)]));
  const choice = sample(
    fc.oneof(
      {
        weight: 85,
        arbitrary: fc.oneof(
          ...operations.map((operation) => ({
            weight: Math.max(1, Math.round(operation.weight * 100)),
            arbitrary: fc.constant(operation),
          })),
        ),
      },
      { weight: 5, arbitrary: fc.constant('stray') },
      { weight: 3, arbitrary: fc.constant('chain') },
    ),
  );
  const stray = sample(strayRequest);
  const chain = sample(chainOf(document));
  return () => {
    const chosen = choice();
    if (chosen === 'stray') return { stray: stray() };
    if (chosen === 'chain') return { chain: chain() };
    return { operation: chosen, recipe: recipes.get(chosen)() };
  };
}

function judge(conformity, key, request, reply) {
  durationsOf(key ?? 'no route').push(reply.ms);
  statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
  if (reply.status === 0 || reply.status >= 500) {
    counts.server_errors += 1;
    note(`${key ?? 'no route'}: ${reply.status === 0 ? reply.body : codeOf(reply)}`, request, reply);
    return;
  }
  const fault = conformity.fault(request.method === 'HEAD' ? undefined : key, reply);
  if (fault === undefined || request.method === 'HEAD') return;
  counts.schema_mismatches += 1;
  note(`${key ?? 'no route'}: ${fault}`, request, reply);
}

function durationsOf(key) {
  const known = durations.get(key) ?? [];
  durations.set(key, known);
  return known;
}

function codeOf({ status, body }) {
  const code = /"code":"(\w+)"/.exec(body)?.[1];
  return `${status} ${code ?? ''}`;
}

function note(fault, { method, path, headers, body }, reply) {
  const known = faults.get(fault);
  if (known !== undefined) {
    known.count += 1;
    return;
  }
  const sent = body === undefined ? '' : ` ${JSON.stringify(headers)} ${body.toString().slice(0, 600)}`;
  faults.set(fault, {
    count: 1,
    example: `${method} ${path.slice(0, 300)}${sent}\n    ${reply.status} ${reply.body.slice(0, 400)}`,
  });
}

/** Nothing that was asked for may keep the rest from being met: labs are loaded, the queue runs, no stop is in force. */
async function keep(labs) {
  await json('POST', '/api/estop/release', { by: 'fuzz' });
  await json('POST', '/api/queue/resume');
  await json('POST', '/api/labs/load', { lab_types: labs });
}
