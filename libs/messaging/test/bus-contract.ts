import {
  defineEvent,
  defineRequest,
  encodeToken,
  envelopeVersion,
  isServiceError,
  ServiceError,
  zodSchema,
  type ReplyEnvelope,
} from '@lab/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Bus, BusIdentity, BusLog, BusStatus } from '../src/index.js';

/** A broker under test: real or in memory. */
export interface BrokerUnderTest {
  connect(identity: Pick<BusIdentity, 'role' | 'name' | 'log' | 'drainMs'>): Promise<Bus>;
  /** Sends bytes to a subject as another program could, and gives the bytes of the reply. */
  ask(subject: string, data: Uint8Array): Promise<Uint8Array>;
  tell(subject: string, data: Uint8Array): Promise<void>;
  /** Every connection is lost. */
  stop(): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
}

const add = defineRequest({
  name: 'test.add',
  subject: 'test.v1.add.{room}',
  request: zodSchema(z.object({ a: z.number(), b: z.number() })),
  reply: zodSchema(z.object({ sum: z.number() })),
  timeoutMs: 5_000,
  errors: [],
});

const echo = defineRequest({
  name: 'test.echo',
  subject: 'test.v1.echo',
  request: zodSchema(z.object({ text: z.string() })),
  reply: zodSchema(z.object({ text: z.string() })),
  timeoutMs: 5_000,
  errors: [],
});

const moved = defineEvent({
  name: 'test.moved',
  subject: 'test.v1.moved.{arm}',
  body: zodSchema(z.object({ to: z.number() })),
});

interface LogLine {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

/** What every implementation of {@link Bus} guarantees. */
export function busContract(name: string, makeBroker: () => Promise<BrokerUnderTest>): void {
  describe(`a bus over ${name}`, () => {
    let broker: BrokerUnderTest;
    let opened: Bus[] = [];
    const lines: LogLine[] = [];
    const write =
      (level: string) =>
      (message: string, fields: Record<string, unknown> = {}): void =>
        void lines.push({ level, message, fields });
    const log: BusLog = { debug: write('debug'), warn: write('warn'), error: write('error') };

    beforeAll(async () => {
      broker = await makeBroker();
    });
    afterAll(() => broker.dispose());
    afterEach(async () => {
      await Promise.all(opened.map((bus) => bus.close()));
      opened = [];
      lines.length = 0;
    });

    const open = async (role = 'tester', drainMs?: number): Promise<Bus> => {
      const identity = { role, name: String(opened.length), log };
      const bus = await broker.connect(drainMs === undefined ? identity : { ...identity, drainMs });
      opened.push(bus);
      return bus;
    };
    const failure = async (promise: Promise<unknown>): Promise<ServiceError> => {
      const error: unknown = await promise.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!isServiceError(error)) throw new Error(`no ServiceError: ${String(error)}`);
      return error;
    };
    const serveSum = (bus: Bus): Promise<unknown> =>
      bus.serve(add, {}, ({ a, b }) => Promise.resolve({ sum: a + b }));

    describe('a request', () => {
      it('gets the reply of the handler', async () => {
        const [server, client] = [await open(), await open()];
        await serveSum(server);
        expect(await client.request(add, { room: 'x' }, { a: 1, b: 2 })).toEqual({ sum: 3 });
      });

      it('reaches a handler in the same process', async () => {
        const bus = await open();
        await serveSum(bus);
        expect(await bus.request(add, { room: 'x' }, { a: 1, b: 2 })).toEqual({ sum: 3 });
      });

      it('carries tokens and envelope to the handler', async () => {
        const [server, client] = [await open('server'), await open('client')];
        const seen = new Promise((resolve) => {
          void server.serve(add, {}, (_, context) => {
            resolve({ tokens: context.tokens, envelope: context.envelope, expired: context.expired() });
            return Promise.resolve({ sum: 0 });
          });
        });
        await server.flush();
        const fence = { 'lab.arm': 7 };
        const options = { epoch: 3, inc: 4, fence, trace: '00-a-b-01', id: 'message-1', timeoutMs: 4_321 };
        await client.request(add, { room: 'a.b *>' }, { a: 1, b: 2 }, options);
        expect(await seen).toEqual({
          tokens: { room: 'a.b *>' },
          envelope: {
            v: envelopeVersion,
            id: 'message-1',
            kind: 'test.add',
            trace: '00-a-b-01',
            src: 'client/1',
            epoch: 3,
            inc: 4,
            fence,
            ttl_ms: 4_321,
            body: { a: 1, b: 2 },
          },
          expired: false,
        });
      });

      it('has an id of its own unless the caller gives one', async () => {
        const bus = await open();
        const ids: string[] = [];
        await bus.serve(add, {}, (_, { envelope }) => {
          ids.push(envelope.id);
          return { sum: 0 };
        });
        await bus.request(add, { room: 'x' }, { a: 1, b: 2 });
        await bus.request(add, { room: 'x' }, { a: 1, b: 2 });
        expect(new Set(ids).size).toBe(2);
        expect(ids).not.toContain('');
      });

      it('reaches only those who serve its tokens', async () => {
        const bus = await open();
        await bus.serve(add, { room: 'one' }, () => ({ sum: 1 }));
        await bus.serve(add, { room: 'two' }, () => ({ sum: 2 }));
        expect(await bus.request(add, { room: 'two' }, { a: 0, b: 0 })).toEqual({ sum: 2 });
        expect((await failure(bus.request(add, { room: 'three' }, { a: 0, b: 0 }))).code).toBe(
          'service_unavailable',
        );
      });

      it('reaches every server of its subject: there are no queue groups', async () => {
        const [one, two, client] = [await open(), await open(), await open()];
        let calls = 0;
        const both = new Promise<void>((resolve) => {
          const handler = (): { sum: number } => {
            calls += 1;
            if (calls === 2) resolve();
            return { sum: calls };
          };
          void one.serve(add, {}, handler);
          void two.serve(add, {}, handler);
        });
        await Promise.all([one.flush(), two.flush()]);
        await client.request(add, { room: 'x' }, { a: 0, b: 0 });
        await both;
        expect(calls).toBe(2);
      });

      it('fails at once, without effect, when nobody serves it', async () => {
        const client = await open();
        const error = await failure(
          client.request(add, { room: 'x' }, { a: 1, b: 2 }, { timeoutMs: 60_000 }),
        );
        expect(error).toMatchObject({ code: 'service_unavailable', effect: 'none', retryable: true });
      });

      it('fails with unknown effect when no reply comes in time', async () => {
        const bus = await open('tester', 50);
        await bus.serve(add, {}, () => new Promise(() => undefined));
        const error = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }, { timeoutMs: 30 }));
        expect(error).toMatchObject({ code: 'deadline_exceeded', effect: 'maybe', retryable: false });
      });

      it('is not sent when no time is left', async () => {
        const bus = await open();
        let calls = 0;
        await bus.serve(add, {}, () => ({ sum: ++calls }));
        const error = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }, { timeoutMs: 0 }));
        expect(error).toMatchObject({ code: 'deadline_exceeded', effect: 'none' });
        await bus.request(add, { room: 'x' }, { a: 1, b: 2 });
        expect(calls).toBe(1);
      });

      it('can be given up by a signal, before and after it was sent', async () => {
        const bus = await open('tester', 50);
        const before = await failure(
          bus.request(add, { room: 'x' }, { a: 1, b: 2 }, { signal: AbortSignal.abort() }),
        );
        expect(before).toMatchObject({ code: 'aborted', effect: 'none' });
        const abort = new AbortController();
        await bus.serve(add, {}, () => {
          abort.abort();
          return new Promise(() => undefined);
        });
        const after = await failure(
          bus.request(add, { room: 'x' }, { a: 1, b: 2 }, { signal: abort.signal }),
        );
        expect(after).toMatchObject({ code: 'aborted', effect: 'maybe' });
      });

      it('drops a reply that comes after its deadline, and serves the next request', async () => {
        const bus = await open();
        let release = (): void => undefined;
        await bus.serve(echo, {}, ({ text }) =>
          text === 'slow'
            ? new Promise((resolve) => (release = () => resolve({ text: 'late' })))
            : { text: 'prompt' },
        );
        await failure(bus.request(echo, {}, { text: 'slow' }, { timeoutMs: 30 }));
        release();
        expect(await bus.request(echo, {}, { text: 'next' })).toEqual({ text: 'prompt' });
      });

      it('is one of thousands in flight, each with its own reply', async () => {
        const [server, client] = [await open(), await open()];
        await serveSum(server);
        const replies = await Promise.all(
          Array.from({ length: 3_000 }, (_, a) =>
            client.request(add, { room: 'x' }, { a, b: 1 }, { timeoutMs: 30_000 }),
          ),
        );
        expect(replies.map(({ sum }) => sum)).toEqual(Array.from({ length: 3_000 }, (_, a) => a + 1));
      });

      it('carries any text', async () => {
        const bus = await open();
        await bus.serve(echo, {}, ({ text }) => ({ text }));
        for (const text of ['', 'Ölüm µl', '漢字', '👩‍🔬', '"\\\n\u0000']) {
          expect(await bus.request(echo, {}, { text })).toEqual({ text });
        }
      });
    });

    describe('checks', () => {
      it('refuse a body that does not fit before it is sent', async () => {
        const bus = await open();
        const body = { a: 'one' } as unknown as { a: number; b: number };
        const error = await failure(bus.request(add, { room: 'x' }, body));
        expect(error).toMatchObject({ code: 'bad_request', effect: 'none' });
        expect(error.faults.map(({ path }) => path)).toEqual(['a', 'b']);
      });

      it('refuse a subject with a token left out', async () => {
        const bus = await open();
        await serveSum(bus);
        const error = await failure(bus.request(add, {} as { room: string }, { a: 1, b: 2 }));
        expect(error).toMatchObject({ code: 'bad_request', effect: 'none' });
      });

      it('refuse a body that does not fit at the server, before the handler', async () => {
        const bus = await open();
        let calls = 0;
        await bus.serve(add, {}, () => ({ sum: ++calls }));
        const envelope = { v: envelopeVersion, id: '1', kind: 'test.add', src: 'x', body: { a: 1 } };
        const reply = await askJson(broker, 'test.v1.add.x', envelope);
        expect(reply).toMatchObject({
          ok: false,
          error: { code: 'bad_request', effect: 'none', faults: [{ path: 'b' }] },
        });
        expect(calls).toBe(0);
      });

      it('refuse what is no envelope, one of another version, and one of another message', async () => {
        const bus = await open();
        await serveSum(bus);
        const good = { v: envelopeVersion, id: '1', kind: 'test.add', src: 'x', body: { a: 1, b: 2 } };
        const subject = `test.v1.add.${encodeToken('x')}`;
        const refused = async (data: Uint8Array): Promise<unknown> =>
          JSON.parse(Buffer.from(await broker.ask(subject, data)).toString()) as unknown;
        const fault = (path: string): object => ({
          ok: false,
          error: { code: 'bad_request', effect: 'none', faults: [{ path }] },
        });
        expect(await refused(Buffer.from('{'))).toMatchObject(fault(''));
        expect(await refused(new Uint8Array())).toMatchObject(fault(''));
        expect(await askJson(broker, subject, { ...good, v: 2 })).toMatchObject(fault('v'));
        expect(await askJson(broker, subject, { ...good, kind: 'test.echo' })).toMatchObject(fault('kind'));
        expect(await askJson(broker, subject, good)).toEqual({ ok: true, body: { sum: 3 } });
      });

      it('tell the caller that the work was done when only the reply is malformed', async () => {
        const bus = await open();
        await bus.serve(add, {}, () => ({ sum: 'three' }) as unknown as { sum: number });
        const error = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }));
        expect(error).toMatchObject({ code: 'internal', effect: 'done' });
        expect(error.faults[0]?.path).toBe('sum');
        expect(lines.map(({ level }) => level)).toContain('error');
      });

      it('refuse a reply from elsewhere that does not fit', async () => {
        const [server, client] = [await open(), await open()];
        const other = { ...add, reply: zodSchema(z.object({ total: z.number() })) };
        await server.serve(other, {}, () => ({ total: 3 }));
        const error = await failure(client.request(add, { room: 'x' }, { a: 1, b: 2 }));
        expect(error).toMatchObject({ code: 'internal', effect: 'done' });
      });
    });

    describe('an error of a handler', () => {
      it('arrives with code, text, effect, faults and the stack of the author', async () => {
        const bus = await open();
        const faults = [{ path: 'a', code: 'range', message: 'too large', hint: 'at most 9' }];
        await bus.serve(add, {}, () => {
          throw new ServiceError('device_error', 'spilled', {
            effect: 'done',
            faults,
            authorStack: 'at mixer/device.ts:3',
            cause: new Error('secret'),
          });
        });
        const error = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }));
        expect(error).toBeInstanceOf(ServiceError);
        expect(error).toMatchObject({ code: 'device_error', message: 'spilled', effect: 'done', faults });
        expect(error.authorStack).toBe('at mixer/device.ts:3');
        expect(error.cause).toBeUndefined();
      });

      it('that nobody expected becomes internal, is logged, and shows nothing of the server', async () => {
        const bus = await open();
        await bus.serve(add, {}, () => Promise.reject(new Error('password=hunter2')));
        const envelope = { v: envelopeVersion, id: '1', kind: 'test.add', src: 'x', body: { a: 1, b: 2 } };
        const data = await broker.ask('test.v1.add.x', Buffer.from(JSON.stringify(envelope)));
        const text = Buffer.from(data).toString();
        expect(JSON.parse(text)).toMatchObject({ ok: false, error: { code: 'internal', effect: 'maybe' } });
        expect(text).not.toContain('hunter2');
        expect(text).not.toContain('.ts');
        const logged = lines.find(({ level }) => level === 'error');
        expect(logged?.fields.error).toMatchObject({ message: 'password=hunter2' });
      });
    });

    describe('a message larger than the broker takes', () => {
      const big = 'x'.repeat(1_100_000);

      it('is refused without effect as a request', async () => {
        const bus = await open();
        let calls = 0;
        await bus.serve(echo, {}, ({ text }) => ({ text: text + String(++calls) }));
        const error = await failure(bus.request(echo, {}, { text: big }));
        expect(error).toMatchObject({ code: 'payload_too_large', effect: 'none' });
        expect(await bus.request(echo, {}, { text: 'small' })).toEqual({ text: 'small1' });
      });

      it('is reported as a reply, with the work done', async () => {
        const bus = await open();
        await bus.serve(echo, {}, () => ({ text: big }));
        const error = await failure(bus.request(echo, {}, { text: 'small' }));
        expect(error).toMatchObject({ code: 'payload_too_large', effect: 'done' });
      });

      it('keeps code and effect as an error', async () => {
        const bus = await open();
        await bus.serve(echo, {}, () => {
          throw new ServiceError('device_error', big, { effect: 'maybe' });
        });
        const error = await failure(bus.request(echo, {}, { text: 'small' }));
        expect(error).toMatchObject({ code: 'device_error', effect: 'maybe' });
        expect(error.message.length).toBeLessThan(2_000);
      });

      it('is refused as an event', async () => {
        const bus = await open();
        const shout = defineEvent({
          name: 'test.shout',
          subject: 'test.v1.shout',
          body: zodSchema(z.object({ text: z.string() })),
        });
        expect(() => bus.publish(shout, {}, { text: big })).toThrow(
          expect.objectContaining({ code: 'payload_too_large' }),
        );
      });
    });

    describe('a server with a limit', () => {
      it('runs at most that many handlers at once, in the order of arrival', async () => {
        const bus = await open();
        let running = 0;
        let most = 0;
        const order: number[] = [];
        await bus.serve(
          add,
          {},
          async ({ a }) => {
            running += 1;
            most = Math.max(most, running);
            order.push(a);
            await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            return { sum: a };
          },
          { maxInFlight: 2 },
        );
        const numbers = Array.from({ length: 20 }, (_, a) => a);
        await Promise.all(numbers.map((a) => bus.request(add, { room: 'x' }, { a, b: 0 })));
        expect(most).toBe(2);
        expect(order).toEqual(numbers);
      });

      it('never begins what waited longer than its caller', async () => {
        const bus = await open();
        let release = (): void => undefined;
        const begun: number[] = [];
        const firstBegan = new Promise<void>((began) => {
          void bus.serve(
            add,
            {},
            ({ a }) => {
              begun.push(a);
              if (a !== 1) return { sum: a };
              began();
              return new Promise((resolve) => (release = () => resolve({ sum: a })));
            },
            { maxInFlight: 1 },
          );
        });
        await bus.flush();
        const first = bus.request(add, { room: 'x' }, { a: 1, b: 0 });
        await firstBegan;
        const second = failure(bus.request(add, { room: 'x' }, { a: 2, b: 0 }, { timeoutMs: 30 }));
        // After a round trip the second has arrived; a longer wait that begins now ends later than its time.
        await bus.flush();
        await failure(bus.request(add, { room: 'x' }, { a: 3, b: 0 }, { timeoutMs: 60 }));
        expect(await second).toMatchObject({ code: 'deadline_exceeded', effect: 'maybe' });
        await bus.flush();
        release();
        await first;
        await bus.request(add, { room: 'x' }, { a: 4, b: 0 });
        expect(begun).not.toContain(2);
        expect(begun.at(-1)).toBe(4);
      });
    });

    describe('an event', () => {
      it('reaches every listener with its tokens, in the order it was published', async () => {
        const [one, two, sender] = [await open(), await open(), await open()];
        const heard: string[][] = [[], []];
        const all = [one, two].map(
          (bus, index) =>
            new Promise<void>((resolve) => {
              void bus.subscribe(moved, {}, ({ to }, { tokens, expired }) => {
                heard[index]?.push(`${tokens.arm}:${to}:${String(expired())}`);
                if (to === 3) resolve();
              });
            }),
        );
        await Promise.all([one.flush(), two.flush()]);
        for (const to of [1, 2, 3]) sender.publish(moved, { arm: 'left arm' }, { to });
        await Promise.all(all);
        const expected = ['left arm:1:false', 'left arm:2:false', 'left arm:3:false'];
        expect(heard).toEqual([expected, expected]);
      });

      it('that does not fit is refused by the sender', async () => {
        const bus = await open();
        expect(() => bus.publish(moved, { arm: 'a' }, { to: 'there' } as unknown as { to: number })).toThrow(
          expect.objectContaining({ code: 'bad_request' }),
        );
        expect(() => bus.publish(moved, {} as { arm: string }, { to: 1 })).toThrow(
          expect.objectContaining({ code: 'bad_request' }),
        );
      });

      it('that does not fit, and a handler that fails, are logged and disturb no later event', async () => {
        const bus = await open();
        const heard: number[] = [];
        const done = new Promise<void>((resolve) => {
          void bus.subscribe(moved, {}, ({ to }) => {
            heard.push(to);
            if (to === 1) throw new Error('handler failed at 1');
            if (to === 2) return Promise.reject(new Error('handler failed at 2'));
            resolve();
            return undefined;
          });
        });
        await bus.flush();
        await broker.tell('test.v1.moved.a', Buffer.from('not json'));
        for (const to of [1, 2, 3]) bus.publish(moved, { arm: 'a' }, { to });
        await done;
        expect(heard).toEqual([1, 2, 3]);
        const logged = (wanted: string): number => lines.filter(({ level }) => level === wanted).length;
        await expect.poll(() => logged('error')).toBe(2);
        expect(logged('warn')).toBe(1);
      });
    });

    describe('the end of a subscription', () => {
      it('lets running handlers answer and takes nothing more', async () => {
        const [server, client] = [await open(), await open()];
        let release = (): void => undefined;
        let began = (): void => undefined;
        const begun = new Promise<void>((resolve) => (began = resolve));
        const subscription = await server.serve(echo, {}, ({ text }) => {
          if (text !== 'one') return { text };
          began();
          return new Promise((resolve) => (release = () => resolve({ text })));
        });
        const running = client.request(echo, {}, { text: 'one' });
        await begun;
        const ended = subscription.unsubscribe();
        const outcome = (): Promise<string> =>
          client.request(echo, {}, { text: 'two' }).then(
            () => 'served',
            (error: ServiceError) => error.code,
          );
        await expect.poll(outcome).toBe('service_unavailable');
        release();
        expect(await running).toEqual({ text: 'one' });
        await ended;
        await subscription.unsubscribe();
      });

      it('does not wait for a handler longer than drainMs', async () => {
        const bus = await open('tester', 30);
        const subscription = await bus.serve(echo, {}, () => new Promise(() => undefined));
        const waiting = failure(bus.request(echo, {}, { text: 'x' }, { timeoutMs: 20 }));
        await waiting;
        await subscription.unsubscribe();
        expect(lines.map(({ message }) => message)).toContain('did not end in time');
      });
    });

    describe('closing', () => {
      it('answers what runs, fails what waits, refuses what comes later', async () => {
        const [server, client] = [await open('server', 200), await open('client', 200)];
        const statuses: BusStatus[] = [];
        client.onStatus((status) => statuses.push(status));
        await client.serve(add, {}, async ({ a }) => {
          await new Promise((resolve) => setImmediate(resolve));
          return { sum: a };
        });
        let began = (): void => undefined;
        const begun = new Promise<void>((resolve) => (began = resolve));
        await server.serve(echo, {}, () => {
          began();
          return new Promise(() => undefined);
        });
        const waits = failure(client.request(echo, {}, { text: 'x' }));
        const served = server.request(add, { room: 'x' }, { a: 5, b: 0 });
        await begun;
        await server.flush();
        await client.close();
        expect(await served).toEqual({ sum: 5 });
        expect(await waits).toMatchObject({ code: 'disconnected', effect: 'maybe' });
        expect(client.connected).toBe(false);
        expect(statuses).toEqual(['closed']);
        const late = await failure(client.request(echo, {}, { text: 'x' }));
        expect(late).toMatchObject({ code: 'disconnected', effect: 'none' });
        expect((await failure(client.serve(add, {}, () => ({ sum: 0 })))).code).toBe('disconnected');
        expect((await failure(client.flush())).code).toBe('disconnected');
        await client.close();
      });
    });

    describe('a lost connection', () => {
      it('fails what waits at once, refuses what comes meanwhile, and sends none of it later', async () => {
        const [server, client] = [await open('server', 100), await open('client', 100)];
        const began: string[] = [];
        let firstBegan = (): void => undefined;
        const begun = new Promise<void>((resolve) => (firstBegan = resolve));
        await server.serve(echo, {}, ({ text }) => {
          began.push(text);
          firstBegan();
          return text === 'before' ? new Promise(() => undefined) : { text };
        });
        const heard: number[] = [];
        await server.subscribe(moved, {}, ({ to }) => void heard.push(to));
        const statuses: BusStatus[] = [];
        const stopListening = client.onStatus((status) => statuses.push(status));
        const back = [server, client].map(
          (bus) =>
            new Promise<void>((resolve) => {
              const off = bus.onStatus((status) => {
                if (status !== 'connected') return;
                off();
                resolve();
              });
            }),
        );

        const waits = failure(client.request(echo, {}, { text: 'before' }, { timeoutMs: 60_000 }));
        await begun;
        await broker.stop();
        expect(await waits).toMatchObject({ code: 'disconnected', effect: 'maybe', retryable: false });
        expect(client.connected).toBe(false);
        const meanwhile = await failure(client.request(echo, {}, { text: 'meanwhile' }));
        expect(meanwhile).toMatchObject({ code: 'disconnected', effect: 'none', retryable: true });
        client.publish(moved, { arm: 'a' }, { to: 1 });
        expect((await failure(client.flush())).code).toBe('disconnected');
        const late = await client.serve(add, {}, ({ a }) => ({ sum: a }));

        await broker.start();
        await Promise.all(back);
        expect(await client.request(echo, {}, { text: 'after' })).toEqual({ text: 'after' });
        expect(await server.request(add, { room: 'x' }, { a: 4, b: 0 })).toEqual({ sum: 4 });
        client.publish(moved, { arm: 'a' }, { to: 2 });
        await expect.poll(() => heard).toEqual([2]);
        expect(began).toEqual(['before', 'after']);
        expect(statuses).toEqual(['disconnected', 'connected']);
        await late.unsubscribe();
        stopListening();
      });

      it('does not hinder closing', async () => {
        const bus = await open('tester', 100);
        await bus.serve(add, {}, ({ a }) => ({ sum: a }));
        const lost = new Promise<void>((resolve) => {
          bus.onStatus((status) => {
            if (status === 'disconnected') resolve();
          });
        });
        await broker.stop();
        await lost;
        await bus.close();
        await broker.start();
        const fresh = await open();
        expect((await failure(fresh.request(add, { room: 'x' }, { a: 1, b: 1 }))).code).toBe(
          'service_unavailable',
        );
      });
    });
  });
}

async function askJson(broker: BrokerUnderTest, subject: string, message: unknown): Promise<ReplyEnvelope> {
  const data = await broker.ask(subject, Buffer.from(JSON.stringify(message)));
  return JSON.parse(Buffer.from(data).toString()) as ReplyEnvelope;
}
