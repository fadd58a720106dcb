import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import type { OpenApiDocument } from '../shared/openapi.js';
import { RawSender, type RawReply } from '../shared/raw-sender.js';
import { chainOf, runChain, type Ask, type Chain } from './chains.js';
import { shrunk } from './curl.js';
import { Findings } from './findings.js';
import { codeOf, judgeBy, type Judge } from './judge.js';
import type { Caller } from './people.js';
import { Pool } from './pool.js';
import type { FuzzRequest } from './request.js';
import { mixed } from './values.js';
import { operationsOf, realize, strayRequest, type Operation, type Recipe } from './requests.js';

/** Requests at the same time. */
const inFlight = 8;
/** Milliseconds after which a reply counts as missing. */
const replyMs = 30_000;
/** Number of requests after which labs, queue and emergency stops are reset. */
const keepEvery = 1_000;
/** Attempts at a request that the service answers too late. A busy machine does so once; a request that hangs the service, each time. */
const mostTries = 3;
/** Milliseconds before such a request is sent again. */
const lateMs = 2_000;
/** Values that are made at once. Making them one by one costs more than sending them. */
const batch = 50;
/** Kinds of faults whose requests are shrunk. */
const mostShrunk = 10;

export interface FuzzOptions {
  url: string;
  document: OpenApiDocument;
  /** The first caller may do everything. */
  people: readonly [Caller, ...Caller[]];
  /** Least number of requests. */
  wanted: number;
  seed: number;
  /** Ids of tokens that no request may revoke. */
  protectedIds?: readonly string[];
  /** Resets what would keep requests from reaching anything. */
  keep?: () => Promise<void>;
}

/**
 * Sends what the document describes, and much that it does not, as every kind of caller, and compares the replies with the
 * document.
 *
 * @returns the findings; the requests of their faults are shrunk
 */
export async function fuzz(options: FuzzOptions): Promise<Findings> {
  const sender = new RawSender(options.url, inFlight, replyMs);
  try {
    const findings = new Findings();
    const judge = judgeBy(options.document);
    const send: Send = ({ caller, headers, ...request }) =>
      sender.send({ ...request, headers: { ...caller.headers, ...headers } });
    await sendAll(options, findings, judge, send);
    for (const [text, fault] of [...findings.faults].slice(0, mostShrunk))
      fault.request = await shrunk(
        fault.request,
        async (request) => judge(fault.key, request, await send(request))?.text === text,
      );
    return findings;
  } finally {
    sender.close();
  }
}

type Send = (request: FuzzRequest) => Promise<RawReply>;

async function sendAll(options: FuzzOptions, findings: Findings, judge: Judge, send: Send): Promise<void> {
  const { document, people, wanted, seed, protectedIds = [], keep } = options;
  const pool = new Pool(protectedIds);
  const [admin] = people;
  const next = dealer(document, people, seed);
  let names = 0;
  const freshName = (): string => `fuzz_${seed}_${(names += 1)}`;

  const ask: Ask = async (key, request) => {
    let reply = await send(request);
    for (let tried = 1; isLate(reply) && tried < mostTries; tried += 1) {
      await wait(lateMs);
      reply = await send(request);
    }
    findings.note(key, request, reply, judge(key, request, reply));
    if (reply.status >= 200 && reply.status < 300) pool.learn(request.path, reply.body);
    return reply;
  };
  const bare = { headers: {}, caller: admin, given: { path: {}, body: undefined } };
  for (const [path, item] of Object.entries(document.paths))
    if (item.get !== undefined && !path.includes('{') && !path.includes('event'))
      await ask(`get ${path}`, { ...bare, method: 'GET', path });

  let kept = 0;
  const work = async (): Promise<void> => {
    while (findings.counts.requests < wanted) {
      if (findings.counts.requests >= kept + keepEvery) {
        kept = findings.counts.requests;
        await keep?.();
      }
      const dealt = next();
      if ('chain' in dealt) await runChain(document, dealt.chain, { ask, admin, freshName });
      else if ('stray' in dealt)
        await ask(undefined, { ...dealt.stray, caller: dealt.caller, given: bare.given });
      else {
        const { operation, recipe, caller } = dealt;
        const reply = await ask(operation.key, { ...realize(operation, recipe, pool, freshName), caller });
        // Accepted work must not pile up: the service refuses more than ten thousand queued tasks.
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

const isLate = ({ status, body }: RawReply): boolean =>
  status === 504 && codeOf(body) === 'deadline_exceeded';

type Dealt =
  | { operation: Operation; recipe: Recipe; caller: Caller }
  | { stray: Pick<FuzzRequest, 'method' | 'path' | 'headers' | 'body'>; caller: Caller }
  | { chain: Chain };

/** Deals operations by their weights, and sometimes a chain or a stray request. The sequence depends only on the seed. */
function dealer(document: OpenApiDocument, people: readonly Caller[], seed: number): () => Dealt {
  let drawn = seed;
  const sample = <T>(arbitrary: fc.Arbitrary<T>): (() => T) => {
    let hand: T[] = [];
    return () => {
      if (hand.length === 0) hand = fc.sample(arbitrary, { numRuns: batch, seed: (drawn += 1) });
      return hand.pop() as T;
    };
  };
  const among = <T>(all: readonly T[], shareOf: (each: T) => number): fc.Arbitrary<T> =>
    mixed(...all.map((each): [number, fc.Arbitrary<T>] => [shareOf(each), fc.constant(each)]));
  const operations = operationsOf(document);
  const someone = among(people, ({ share }) => share);
  const recipes = new Map(operations.map((operation) => [operation, sample(operation.arbitrary)]));
  const choice = sample(
    mixed<Operation | 'stray' | 'chain'>(
      [85, among(operations, ({ weight }) => Math.max(1, Math.round(weight * 100)))],
      [5, fc.constant('stray')],
      [3, fc.constant('chain')],
    ),
  );
  const caller = sample(someone);
  const stray = sample(strayRequest);
  const chain = sample(chainOf(document, someone));
  return () => {
    const chosen = choice();
    if (chosen === 'stray') return { stray: stray(), caller: caller() };
    if (chosen === 'chain') return { chain: chain() };
    const recipe = recipes.get(chosen);
    if (recipe === undefined) throw new Error(`${chosen.key} has no recipes`);
    return { operation: chosen, recipe: recipe(), caller: caller() };
  };
}
