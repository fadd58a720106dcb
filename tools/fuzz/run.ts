// Asks a service for what its document describes and for much that it does not, as everybody who may ask, and compares
// the replies with the document.
import { URLSearchParams } from 'node:url';
import fc from 'fast-check';
import { chainOf, runChain } from './chains.ts';
import { rawClient } from '../shared/raw-sender.ts';
import { Conformity } from './conformity.ts';
import { shrunk } from './curl.ts';
import { Findings } from './findings.ts';
import { isAllowed, isOperator } from './people.ts';
import { Pool } from './pool.ts';
import { operationsOf, realize, strayRequest } from './requests.ts';

/** Requests under way at once. */
const inFlight = 8;
/** An answer that takes longer counts as none, in milliseconds. */
const answerMs = 30_000;
/** After so many requests the laboratories, the queue and the stops are put right again. */
const keepEvery = 1_000;
/** Values that are made at once: making them one by one costs more than sending them. */
const batch = 50;
/** Kinds of faults whose requests are made small. */
const mostShrunk = 10;

/**
 * @param people who asks, as {@link everybody} gives them; the first may do everything
 * @param wanted requests at least
 * @param protectedIds of tokens, which nobody shall revoke
 * @param keep puts right what keeps requests from meeting anything, every now and then
 * @returns what was found; the requests of its faults as small as they go wrong
 */
export async function fuzz({
  url,
  document,
  people,
  wanted,
  seed,
  protectedIds = [],
  keep = () => undefined,
}) {
  const client = rawClient(url, inFlight, answerMs);
  try {
    const findings = new Findings();
    const judge = judgeBy(document);
    const send = ({ caller, headers, ...request }) =>
      client.send({ ...request, headers: { ...caller.headers, ...headers } });
    await askFor({ document, people, wanted, seed, protectedIds, keep, findings, judge, send });
    for (const [text, fault] of [...findings.faults].slice(0, mostShrunk))
      fault.request = await shrunk(
        fault.request,
        async (request) => judge(fault.key, request, await send(request))?.text === text,
      );
    return findings;
  } finally {
    client.close();
  }
}

async function askFor({ document, people, wanted, seed, protectedIds, keep, findings, judge, send }) {
  const pool = new Pool(protectedIds);
  const [admin] = people;
  const next = dealer(operationsOf(document), document, people, seed);
  let names = 0;
  const freshName = () => `fuzz_${seed}_${(names += 1)}`;

  const ask = async (key, request) => {
    const reply = await send(request);
    findings.note(key, request, reply, judge(key, request, reply));
    if (reply.status >= 200 && reply.status < 300) pool.learn(request.path, reply.body);
    return reply;
  };
  const bare = { headers: {}, caller: admin, given: { path: {}, body: undefined } };
  for (const path of Object.keys(document.paths))
    if (document.paths[path].get !== undefined && !path.includes('{') && !path.includes('event'))
      await ask(`get ${path}`, { ...bare, method: 'GET', path });

  let kept = 0;
  const work = async () => {
    while (findings.counts.requests < wanted) {
      if (findings.counts.requests >= kept + keepEvery) {
        kept = findings.counts.requests;
        await keep();
      }
      const { operation, recipe, caller, chain, stray } = next();
      if (stray !== undefined) await ask(undefined, { ...stray, caller, given: bare.given });
      else if (chain !== undefined) await runChain(document, chain, { ask, admin, freshName });
      else {
        const request = realize(operation, recipe, pool, freshName);
        const reply = await ask(operation.key, { ...request, caller });
        // What is accepted is not let pile up: the service refuses work behind ten thousand tasks.
        const { location } = reply.headers;
        const cancel = `${operation.key}/{`;
        const act = Object.keys(document.paths).find(
          (path) => `post ${path}`.startsWith(cancel) && path.endsWith('/cancel'),
        );
        if (reply.status === 201 && location !== undefined && act !== undefined)
          await ask(`post ${act}`, { ...bare, method: 'POST', path: `${location}/cancel` });
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

/** Deals operations by their weights, and now and then a chain or a stray request; always the same for a seed. */
function dealer(operations, document, people, seed) {
  let drawn = seed;
  const sample = (arbitrary) => {
    let hand = [];
    return () => {
      if (hand.length === 0) hand = fc.sample(arbitrary, { numRuns: batch, seed: (drawn += 1) });
      return hand.pop();
    };
  };
  const among = (all, shareOf) =>
    fc.oneof(...all.map((each) => ({ weight: shareOf(each), arbitrary: fc.constant(each) })));
  const someone = among(people, ({ share }) => share);
  const recipes = new Map(operations.map((operation) => [operation, sample(operation.arbitrary)]));
  const choice = sample(
    fc.oneof(
      { weight: 85, arbitrary: among(operations, ({ weight }) => Math.max(1, Math.round(weight * 100))) },
      { weight: 5, arbitrary: fc.constant('stray') },
      { weight: 3, arbitrary: fc.constant('chain') },
    ),
  );
  const caller = sample(someone);
  const stray = sample(strayRequest);
  const chain = sample(chainOf(document, someone));
  return () => {
    const chosen = choice();
    if (chosen === 'stray') return { stray: stray(), caller: caller() };
    if (chosen === 'chain') return { chain: chain() };
    return { operation: chosen, recipe: recipes.get(chosen)(), caller: caller() };
  };
}

/** Tells of a reply what is wrong with it, and as what it counts; it knows whose the work is that it saw submitted. */
function judgeBy(document) {
  const conformity = new Conformity(document);
  const owners = new Map();
  return (key, request, reply) => {
    const name = key ?? 'no route';
    const { status, body } = reply;
    if (status === 0 || (status >= 500 && !isStopped(document, key, reply) && !isHealth(key, reply)))
      return {
        kind: 'server_errors',
        text: `${name}: ${status === 0 ? body : `${status} ${codeOf(body)}`}`,
      };
    const isSuccess = status >= 200 && status < 300;
    if (isSuccess && key !== undefined) {
      const breach = breachOf(document, key, request, reply, owners);
      if (breach !== undefined) return { kind: 'unauthenticated_successes', text: `${name}: ${breach}` };
    }
    if (request.method === 'HEAD') return undefined;
    const mismatch = conformity.fault(key, reply);
    return mismatch === undefined ? undefined : { kind: 'schema_mismatches', text: `${name}: ${mismatch}` };
  };
}

/** What somebody was given, or did, who must not; undefined: nothing. */
function breachOf(document, key, { path, caller, given }, { status, body }, owners) {
  const [verb, pattern] = key.split(' ');
  const { label, name, grants } = caller;
  const need = document.paths[pattern][verb]['x-needs'];
  if (!isAllowed(need, grants, { ...given, query: queryOf(path) })) return `${status} to ${label}`;
  if (verb === 'get' || need === 'nothing' || need === 'identity') return undefined;
  if (status === 201 && !pattern.includes('{')) {
    const record = JSON.parse(body);
    if (typeof record.owner !== 'string') return undefined;
    owners.set(`${pattern}/${record.name}`, record.owner);
    return record.owner === name || isOperator(grants)
      ? undefined
      : `${label} submitted work of somebody else`;
  }
  // A task inside of a run has its name from the protocol, which many have.
  if (path.includes('protocol_run_name=')) return undefined;
  const owner = owners.get(decoded(path.split('?')[0].split('/').slice(0, 4).join('/')));
  return owner === undefined || owner === name || isOperator(grants)
    ? undefined
    : `${label} changed work of somebody else`;
}

/** The query parameters of a path; one that is given twice means nothing. */
function queryOf(path) {
  const query = new URLSearchParams(path.split('?')[1]);
  return Object.fromEntries([...query].filter(([name]) => query.getAll(name).length === 1));
}

/** The path as it was meant; what is not well-formed was not. */
function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Whether it is the answer that is described for a device that people have stopped, which is asked for as well. */
function isStopped(document, key, { status, body }) {
  if (key === undefined || status !== 503 || codeOf(body) !== 'device_unavailable') return false;
  const [verb, pattern] = key.split(' ');
  const [described] = Object.values(document.paths[pattern][verb].responses['503']?.content ?? {});
  return 'device_unavailable' in (described?.examples ?? {}) && /\(stopped by /.test(body);
}

/** Whether it is how the service tells that a part of it does not answer at the moment, which a busy machine does. */
function isHealth(key, { status, body }) {
  return status === 503 && ['get /health/ready', 'get /api/health'].includes(key) && body.includes('"parts"');
}

function codeOf(body) {
  return /"code":"(\w+)"/.exec(body)?.[1] ?? '';
}
