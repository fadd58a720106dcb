// npm run fuzz:api -- [--requests N] [--seed S]: asks the whole service, as it runs with authentication on, for everything
// that its document describes and for much that it does not, as people of every role and as nobody, and compares the
// replies with the document. The last line is one JSON object; the exit code is 1 when one of its counts but that of the
// requests is not 0. The time is a figure only, for it depends on what else the machine does (to reach: p99 250 ms).
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { issueToken, openGatewayStore } from '@lab/persistence/gateway';
import { startServiceStack } from '@lab/testkit';
import { printMachine, rounded, until } from '../bench/harness.mjs';
import { rawClient } from '../shared/raw-sender.ts';
import { curlOf } from './curl.ts';
import { everybody, grantsBy } from './people.ts';
import { processorTimes } from './processor-time.mjs';
import { fuzz } from './run.ts';

const { values: given } = parseArgs({
  options: { requests: { type: 'string', default: '2000' }, seed: { type: 'string' } },
});
const wanted = Math.max(1, Number.parseInt(given.requests, 10) || 2_000);
const seed = Number.parseInt(given.seed ?? '', 10) || Math.trunc(Date.now() / 1_000) % 2 ** 31;
/** Its devices are all on the computer of the stack, and simulated. */
const laboratory = 'color_lab';
const mostShown = 40;
const dayMs = 86_400_000;
/** A busy machine takes its time to start everything, in milliseconds. */
const startMs = 300_000;

printMachine();
console.log(`seed ${seed}, ${wanted} requests`);
const folder = await mkdtemp(join(tmpdir(), 'fuzz-'));
let findings;
try {
  const config = join(folder, 'config.yml');
  // How often one may ask is tested elsewhere; here it would leave little to be answered.
  await writeFile(
    config,
    'limits: { changes_per_s: 100000, reads_per_s: 100000, requests_per_s: 100000, requests_at_once: 1000 }\n',
  );
  const env = { SVC_LABS: laboratory, SVC_AUTH: 'tokens', SVC_CONFIG: config };
  const stack = await startServiceStack({ env, readyMs: startMs });
  try {
    findings = await fuzzStack(stack);
  } finally {
    await stack.dispose();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const { faults, counts } = findings;
console.log(`statuses: ${findings.statuses}`);
const { byP99, byTotal } = findings.slowest(8);
for (const { key, p99, count } of byP99) console.log(`p99 ${rounded(p99)} ms of ${count}: ${key}`);
for (const { key, total, count } of byTotal)
  console.log(`${rounded(total / 1_000, 1)} s in ${count} answers: ${key}`);
for (const [fault, { count, request, reply }] of [...faults].slice(0, mostShown))
  console.log(
    withoutSecrets(
      `${count} x ${fault}\n    ${curlOf(request)}\n    ${reply.status} ${reply.body.slice(0, 400)}`,
    ),
  );
if (faults.size > mostShown) console.log(`and ${faults.size - mostShown} more kinds`);
console.log(JSON.stringify({ ...counts, p99_ms: rounded(findings.p99Ms) }));
const { requests, ...wrong } = counts;
process.exitCode = requests >= wanted && Object.values(wrong).every((count) => count === 0) ? 0 : 1;

async function fuzzStack(stack) {
  const client = rawClient(stack.url, 1, 30_000);
  const root = await firstToken(stack);
  const call = async (method, path, body) => {
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      authorization: `Bearer ${root.token}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const reply = await client.send({ method, path, headers, body: text });
    if (reply.status < 200 || reply.status > 299) throw new Error(`${method} ${path}: ${reply.body}`);
    return JSON.parse(reply.body);
  };
  /** What is not there at a moment is counted when somebody else meets it. */
  const patiently = (path, body) =>
    until(
      () => call('POST', path, body).catch((error) => error),
      (answer) => !(answer instanceof Error),
    );
  try {
    const { people, ids } = await invite(root, stack, call);
    const document = await call('GET', '/docs-json');
    await until(
      () => call('GET', '/api/devices'),
      ({ items }) => items.length > 0 && items.every(({ state }) => state === 'idle'),
    );
    /** Nothing that was asked for may keep the rest from being met: labs are loaded, the queue runs, no stop is in force. */
    const keep = async () => {
      await patiently('/api/estop/release', {});
      await patiently('/api/queue/resume');
      await patiently('/api/labs/load', { lab_types: [laboratory] });
    };
    const begin = performance.now();
    const before = processorTimes(stack.pid);
    const found = await fuzz({ url: stack.url, document, people, wanted, seed, protectedIds: ids, keep });
    const seconds = (performance.now() - begin) / 1_000;
    // Nothing that was asked for may have left it unable to work.
    await until(
      () => client.send({ method: 'GET', path: '/health/ready', headers: {} }),
      ({ status }) => status === 200,
    );
    console.log(`${rounded(seconds, 1)} s, ${rounded(found.counts.requests / seconds, 0)} requests/s`);
    const times = [...processorTimes(stack.pid)].map(([kind, s]) => [kind, s - (before.get(kind) ?? 0)]);
    const shown = times.sort(([, a], [, b]) => b - a).map(([kind, s]) => `${kind} ${rounded(s, 1)} s`);
    console.log(
      `processor time: ${shown.join(', ')}; this process ${rounded(process.cpuUsage().user / 1e6, 1)} s`,
    );
    return found;
  } finally {
    client.close();
  }
}

/** The one that nobody has to be asked for: from the command line, on the computer of the service. */
async function firstToken(stack) {
  const child = stack.beside('token', 'create', 'fuzz_admin', '--role', 'admin', '--local', '--json');
  let text = '';
  child.stdout.on('data', (piece) => (text += piece));
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(text);
}

/** People with tokens, tokens that count no more, and the ids of all. The first person may do everything. */
async function invite(root, stack, call) {
  const known = [];
  for (const [label, grants] of Object.entries(grantsBy(laboratory))) {
    const name = `fuzz_${label.replaceAll(' ', '_')}`;
    const { id, token } = label === 'admin' ? root : await call('POST', '/api/tokens', { name, grants });
    known.push({ label, name, grants, id, token });
  }
  const revoked = await call('POST', '/api/tokens', { name: 'fuzz_revoked', grants: [{ role: 'admin' }] });
  await call('DELETE', `/api/tokens/${revoked.id}`);
  const expired = await expiredToken(stack);
  const lost = { 'a revoked token': revoked.token, 'an expired token': expired.token };
  return {
    people: everybody(known, lost),
    ids: [...known.map(({ id }) => id), revoked.id, expired.row.id],
  };
}

/** Made two days ago for one day: straight in the database, for the service makes none of the past. */
async function expiredToken({ dataDir }) {
  const url = (await readFile(join(dataDir, 'secrets', 'database-url'), 'utf8')).trim();
  const store = openGatewayStore({ url, poolSize: 1, statementTimeoutMs: 10_000 });
  try {
    const submission = { name: 'fuzz_expired', grants: [{ role: 'admin' }], expires_in_days: 1 };
    const issued = issueToken(submission, 'fuzz', Date.now() - 2 * dayMs);
    await store.tokens.add(issued.row);
    return issued;
  } finally {
    await store.close();
  }
}

function withoutSecrets(text) {
  return text.replace(/\b(svc_(?:pat|svc)_|whsec_)[\w+/=-]+/g, '$1…');
}
