import {
  defineEvent,
  defineRequest,
  isServiceError,
  zodSchema,
  type ReplyEnvelope,
  type ServiceError,
} from '@lab/contracts';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { z } from 'zod';
import type { Bus, BusIdentity, BusLog, SignAct } from '../../src/index.js';

/** The shared parts of the contract: messages, a broker, buses that are closed after each test, and the log. */

/** A broker under test: real or in memory. */
export interface BrokerUnderTest {
  connect(identity: Pick<BusIdentity, 'role' | 'name' | 'log' | 'drainMs' | 'signAct'>): Promise<Bus>;
  /** Sends bytes to a subject as another program does, and returns the bytes of the reply. */
  ask(subject: string, data: Uint8Array): Promise<Uint8Array>;
  tell(subject: string, data: Uint8Array): Promise<void>;
  /** Cuts every connection. */
  stop(): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
}

export const add = defineRequest({
  name: 'test.add',
  subject: 'test.v1.add.{room}',
  from: { tool: {} },
  to: { tool: {} },
  request: zodSchema(z.object({ a: z.number(), b: z.number() })),
  reply: zodSchema(z.object({ sum: z.number() })),
  timeoutMs: 5_000,
  errors: [],
});

/** A person adds. */
export const act = defineRequest({
  name: 'test.act',
  subject: 'test.v1.act',
  act: true,
  from: { tool: {} },
  to: { tool: {} },
  request: add.request,
  reply: add.reply,
  timeoutMs: 5_000,
  errors: [],
});

export const echo = defineRequest({
  name: 'test.echo',
  subject: 'test.v1.echo',
  from: { tool: {} },
  to: { tool: {} },
  request: zodSchema(z.object({ text: z.string() })),
  reply: zodSchema(z.object({ text: z.string() })),
  timeoutMs: 5_000,
  errors: [],
});

export const moved = defineEvent({
  name: 'test.moved',
  subject: 'test.v1.moved.{arm}',
  from: { tool: {} },
  to: { tool: {} },
  body: zodSchema(z.object({ to: z.number() })),
});

interface LogLine {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

export interface Bench {
  readonly broker: BrokerUnderTest;
  readonly lines: readonly LogLine[];
  /** A bus that is closed after the test. */
  open(role?: string, drainMs?: number, signAct?: SignAct): Promise<Bus>;
}

/** Registers the hooks of the enclosing `describe`. */
export function setUpBench(makeBroker: () => Promise<BrokerUnderTest>): Bench {
  let broker: BrokerUnderTest | undefined;
  let opened: Bus[] = [];
  const lines: LogLine[] = [];
  const write =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}): void =>
      void lines.push({ level, message, fields });
  const log: BusLog = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  const current = (): BrokerUnderTest => {
    if (broker === undefined) throw new Error('the broker is not started');
    return broker;
  };

  beforeAll(async () => {
    broker = await makeBroker();
  });
  afterAll(() => broker?.dispose());
  afterEach(async () => {
    await Promise.all(opened.map((bus) => bus.close()));
    opened = [];
    lines.length = 0;
  });

  return {
    get broker() {
      return current();
    },
    lines,
    async open(role = 'tester', drainMs, signAct) {
      const identity = { role, name: String(opened.length), log, signAct };
      const bus = await current().connect(drainMs === undefined ? identity : { ...identity, drainMs });
      opened.push(bus);
      return bus;
    },
  };
}

export async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isServiceError(error)) throw new Error(`no ServiceError: ${String(error)}`);
  return error;
}

export function serveSum(bus: Bus): Promise<unknown> {
  return bus.serve(add, {}, ({ a, b }) => Promise.resolve({ sum: a + b }));
}

export async function askJson(
  broker: BrokerUnderTest,
  subject: string,
  message: unknown,
): Promise<ReplyEnvelope> {
  const data = await broker.ask(subject, Buffer.from(JSON.stringify(message)));
  return JSON.parse(Buffer.from(data).toString()) as ReplyEnvelope;
}
