// Sends random requests to the whole service with authentication on, as people of every role and as nobody, and compares
// the replies with the OpenAPI document. The last line is one JSON object. The exit code is 1 when a count other than
// `requests` is not 0. Times do not count, because they depend on the other work of the machine (target: p99 250 ms).
//
//   npm run fuzz:api -- [--requests 2000] [--seed N]
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '@lab/api-client';
import { issueToken, openGatewayStore } from '@lab/persistence/gateway';
import type { Stack } from '@lab/testkit';
import { optionalWhole, readFlags, whole } from '../shared/flags.js';
import { inFolder } from '../shared/folder.js';
import { printMachine, printResult, rounded, until } from '../shared/measure.js';
import type { OpenApiDocument } from '../shared/openapi.js';
import { processorTimes } from '../shared/processes.js';
import { devicesIdle, withStack } from '../shared/stack.js';
import { curlOf } from './curl.js';
import type { Findings } from './findings.js';
import { everybody, grantsBy, type Caller, type Person } from './people.js';
import { fuzz } from './run.js';

const flags = readFlags({ requests: whole(2_000, { least: 1 }), seed: optionalWhole });
const wanted = flags.requests;
const seed = flags.seed ?? Math.trunc(Date.now() / 1_000) % 2 ** 31;
/** All devices of this lab are simulated, on the computer of the stack. */
const laboratory = 'color_lab';
const mostShown = 40;
const dayMs = 86_400_000;
/** How long everything may take to start on a busy machine, in milliseconds. */
const startMs = 300_000;

printMachine();
console.log(`seed ${seed}, ${wanted} requests`);
const findings = await inFolder('fuzz', async (folder) => {
  const config = join(folder, 'config.yml');
  // Other tests hold the rate limits. Here they would refuse most requests.
  await writeFile(
    config,
    'limits: { changes_per_s: 100000, reads_per_s: 100000, requests_per_s: 100000, requests_at_once: 1000, wrong_tokens_per_min: 100000 }\n',
  );
  const env = { SVC_LABS: laboratory, SVC_AUTH: 'tokens', SVC_CONFIG: config };
  return withStack({ env, readyMs: startMs }, fuzzStack);
});

const { faults, counts } = findings;
console.log(`statuses: ${findings.statuses}`);
const { byP99, byTotal } = findings.slowest(8);
for (const { key, p99, count } of byP99) console.log(`p99 ${rounded(p99)} ms of ${count}: ${key}`);
for (const { key, total, count } of byTotal)
  console.log(`${rounded(total / 1_000, 1)} s in ${count} replies: ${key}`);
for (const [fault, { count, request, reply }] of [...faults].slice(0, mostShown))
  console.log(
    withoutSecrets(
      `${count} x ${fault}\n    ${curlOf(request)}\n    ${reply.status} ${reply.body.slice(0, 400)}`,
    ),
  );
if (faults.size > mostShown) console.log(`and ${faults.size - mostShown} more kinds`);
printResult({ ...counts, p99_ms: rounded(findings.p99Ms) });
const { requests, ...wrong } = counts;
process.exitCode = requests >= wanted && Object.values(wrong).every((count) => count === 0) ? 0 : 1;

async function fuzzStack(stack: Stack): Promise<Findings> {
  const root = await firstToken(stack);
  const api = new ApiClient(stack.url, { token: root.token, timeoutMs: 30_000 });
  const { people, ids } = await invite(root, stack, api);
  const headers = { authorization: `Bearer ${root.token}` };
  const document = (await (await fetch(`${stack.url}/docs-json`, { headers })).json()) as OpenApiDocument;
  await devicesIdle(api);
  /** Undoes what would keep requests from reaching anything: unloaded labs, a paused queue, emergency stops. */
  const keep = async (): Promise<void> => {
    await persist(() => api.post('/api/estop/release', { body: {} }));
    await persist(() => api.post('/api/queue/resume'));
    await persist(() => api.post('/api/labs/load', { body: { lab_types: [laboratory] } }));
  };
  const begin = performance.now();
  const before = processorTimes(stack.pid);
  const found = await fuzz({ url: stack.url, document, people, wanted, seed, protectedIds: ids, keep });
  const seconds = (performance.now() - begin) / 1_000;
  // No request may have left the service unable to work.
  await persist(() => api.get('/health/ready'));
  console.log(`${rounded(seconds, 1)} s, ${rounded(found.counts.requests / seconds, 0)} requests/s`);
  const times = [...processorTimes(stack.pid)].map(
    ([kind, s]) => [kind, s - (before.get(kind) ?? 0)] as const,
  );
  const shown = times.toSorted(([, a], [, b]) => b - a).map(([kind, s]) => `${kind} ${rounded(s, 1)} s`);
  console.log(
    `processor time: ${shown.join(', ')}; this process ${rounded(process.cpuUsage().user / 1e6, 1)} s`,
  );
  return found;
}

/** Sends a request again until it succeeds: a part of the service may be away for a moment. */
async function persist(send: () => Promise<unknown>): Promise<void> {
  await until(
    () =>
      send().then(
        () => 'done',
        (error: unknown) => String(error),
      ),
    (outcome) => outcome === 'done',
  );
}

interface IssuedToken {
  id: string;
  token: string;
}

/** The first token, which only the command line on the computer of the service can create. */
async function firstToken(stack: Stack): Promise<IssuedToken> {
  const child = stack.beside('token', 'create', 'fuzz_admin', '--role', 'admin', '--local', '--json');
  let text = '';
  child.stdout?.on('data', (piece) => (text += String(piece)));
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(text) as IssuedToken;
}

interface Invited {
  /** The first caller may do everything. */
  people: [Caller, ...Caller[]];
  /** Ids of all tokens. */
  ids: string[];
}

/** Creates people with tokens, and tokens that are no longer valid. */
async function invite(root: IssuedToken, stack: Stack, api: ApiClient): Promise<Invited> {
  const create = (name: string, grants: Person['grants']): Promise<IssuedToken> =>
    api.post('/api/tokens', { body: { name, grants } });
  const known: (Person & IssuedToken)[] = [];
  for (const [label, grants] of Object.entries(grantsBy(laboratory))) {
    const name = `fuzz_${label.replaceAll(' ', '_')}`;
    const { id, token } = label === 'admin' ? root : await create(name, grants);
    known.push({ label, name, grants, id, token });
  }
  const revoked = await create('fuzz_revoked', [{ role: 'admin' }]);
  await api.delete('/api/tokens/{token_id}', { path: { token_id: revoked.id } });
  const expired = await expiredToken(stack);
  const lost = { 'a revoked token': revoked.token, 'an expired token': expired.token };
  return {
    people: everybody(known, lost),
    ids: [...known.map(({ id }) => id), revoked.id, expired.row.id],
  };
}

/** A token of two days ago for one day. It is written to the database, because the service issues none in the past. */
async function expiredToken({ dataDir }: Stack): Promise<ReturnType<typeof issueToken>> {
  const url = (await readFile(join(dataDir, 'secrets', 'database-gateway-url'), 'utf8')).trim();
  const store = openGatewayStore({ url, poolSize: 1, statementTimeoutMs: 10_000 });
  try {
    const submission = { name: 'fuzz_expired', grants: [{ role: 'admin' as const }], expires_in_days: 1 };
    const issued = issueToken(submission, 'fuzz', Date.now() - 2 * dayMs);
    await store.tokens.add(issued.row);
    return issued;
  } finally {
    await store.close();
  }
}

function withoutSecrets(text: string): string {
  return text.replace(/\b(svc_(?:pat|svc)_|whsec_)[\w+/=-]+/g, '$1…');
}
