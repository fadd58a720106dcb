import { envelopeVersion, ServiceError, type AnyRequest, type Envelope } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { act, add, echo, failure, serveSum, type Bench } from './bench.js';

/** Requests, their deadlines and their limits. */
export function requestsContract(bench: Bench): void {
  describe('a request', () => {
    it('gets the reply of the handler', async () => {
      const [server, client] = [await bench.open(), await bench.open()];
      await serveSum(server);
      expect(await client.request(add, { room: 'x' }, { a: 1, b: 2 })).toEqual({ sum: 3 });
    });

    it('reaches a handler in the same process', async () => {
      const bus = await bench.open();
      await serveSum(bus);
      expect(await bus.request(add, { room: 'x' }, { a: 1, b: 2 })).toEqual({ sum: 3 });
    });

    it('reaches one member of a queue of servers, and every other server', async () => {
      const buses = [await bench.open(), await bench.open(), await bench.open()];
      const heard = [0, 0, 0];
      for (const [index, bus] of buses.entries())
        await bus.serve(
          add,
          {},
          () => {
            heard[index]! += 1;
            return { sum: 0 };
          },
          index === 2 ? {} : { queue: 'adders' },
        );
      await Promise.all(buses.map((bus) => bus.flush()));
      const client = await bench.open();
      for (let n = 0; n < 40; n += 1) await client.request(add, { room: 'x' }, { a: 1, b: 2 });
      await expect.poll(() => heard[0]! + heard[1]! + heard[2]!).toBe(80);
      expect(heard[2]).toBe(40);
      await buses[0]!.close();
      await client.request(add, { room: 'x' }, { a: 1, b: 2 });
      await expect.poll(() => heard[0]! + heard[1]!).toBe(41);
    });

    it('is refused before the handler by an error of the server that admits it', async () => {
      const [server, client] = [await bench.open(), await bench.open()];
      const handled: number[] = [];
      const options = {
        admit: (definition: AnyRequest, { body }: Envelope): void => {
          if ((body as { a: number }).a > 1) throw new ServiceError('forbidden', `${definition.name} of 2`);
        },
      };
      const handler = ({ a }: { a: number }) => ({ sum: handled.push(a) });
      await server.serve(add, {}, handler, options);
      expect(await client.request(add, { room: 'x' }, { a: 1, b: 0 })).toEqual({ sum: 1 });
      expect(await failure(client.request(add, { room: 'x' }, { a: 2, b: 0 }))).toMatchObject({
        code: 'forbidden',
        effect: 'none',
        message: 'test.add of 2',
      });
      expect(handled).toEqual([1]);
    });

    it('of a person carries what the sender signs, with its own id and body', async () => {
      const signed: unknown[] = [];
      const signAct = (act: object): string => `signature ${signed.push(act)}`;
      const [server, client] = [await bench.open(), await bench.open('tester', undefined, signAct)];
      const acts: unknown[] = [];
      const handler = (_: unknown, { envelope }: { envelope: Envelope }) => {
        acts.push(envelope.act);
        return { sum: 0 };
      };
      await server.serve(add, {}, handler);
      await server.serve(act, {}, handler);
      await client.request(add, { room: 'x' }, { a: 1, b: 2 });
      await client.request(act, {}, { a: 3, b: 4 }, { id: 'message-1' });
      expect(acts).toEqual([undefined, 'signature 1']);
      expect(signed).toEqual([{ kind: 'test.act', id: 'message-1', body: { a: 3, b: 4 } }]);
    });

    it('carries tokens and envelope to the handler', async () => {
      const [server, client] = [await bench.open('server'), await bench.open('client')];
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

    it('has its own id unless the caller gives one', async () => {
      const bus = await bench.open();
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

    it('reaches only the servers of its tokens', async () => {
      const bus = await bench.open();
      await bus.serve(add, { room: 'one' }, () => ({ sum: 1 }));
      await bus.serve(add, { room: 'two' }, () => ({ sum: 2 }));
      expect(await bus.request(add, { room: 'two' }, { a: 0, b: 0 })).toEqual({ sum: 2 });
      expect((await failure(bus.request(add, { room: 'three' }, { a: 0, b: 0 }))).code).toBe(
        'service_unavailable',
      );
    });

    it('reaches every server of its subject when there are no queue groups', async () => {
      const [one, two, client] = [await bench.open(), await bench.open(), await bench.open()];
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

    it('fails at once without effect when no server exists', async () => {
      const client = await bench.open();
      const error = await failure(client.request(add, { room: 'x' }, { a: 1, b: 2 }, { timeoutMs: 60_000 }));
      expect(error).toMatchObject({ code: 'service_unavailable', effect: 'none', retryable: true });
    });

    it('fails with unknown effect when no reply arrives in time', async () => {
      const bus = await bench.open('tester', 50);
      await bus.serve(add, {}, () => new Promise(() => undefined));
      const error = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }, { timeoutMs: 30 }));
      expect(error).toMatchObject({ code: 'deadline_exceeded', effect: 'maybe', retryable: false });
    });

    it('is not sent when no time is left', async () => {
      const bus = await bench.open();
      let calls = 0;
      await bus.serve(add, {}, () => ({ sum: ++calls }));
      const error = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }, { timeoutMs: 0 }));
      expect(error).toMatchObject({ code: 'deadline_exceeded', effect: 'none' });
      await bus.request(add, { room: 'x' }, { a: 1, b: 2 });
      expect(calls).toBe(1);
    });

    it('can be abandoned by a signal, before and after it was sent', async () => {
      const bus = await bench.open('tester', 50);
      const before = await failure(
        bus.request(add, { room: 'x' }, { a: 1, b: 2 }, { signal: AbortSignal.abort() }),
      );
      expect(before).toMatchObject({ code: 'aborted', effect: 'none' });
      const abort = new AbortController();
      await bus.serve(add, {}, () => {
        abort.abort();
        return new Promise(() => undefined);
      });
      const after = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }, { signal: abort.signal }));
      expect(after).toMatchObject({ code: 'aborted', effect: 'maybe' });
    });

    it('ignores a reply after its deadline, and the next request works', async () => {
      const bus = await bench.open();
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

    it('gets its own reply among thousands in flight', async () => {
      const [server, client] = [await bench.open(), await bench.open()];
      await serveSum(server);
      const replies = await Promise.all(
        Array.from({ length: 3_000 }, (_, a) =>
          client.request(add, { room: 'x' }, { a, b: 1 }, { timeoutMs: 30_000 }),
        ),
      );
      expect(replies.map(({ sum }) => sum)).toEqual(Array.from({ length: 3_000 }, (_, a) => a + 1));
    });

    it('carries any text', async () => {
      const bus = await bench.open();
      await bus.serve(echo, {}, ({ text }) => ({ text }));
      for (const text of ['', 'Ölüm µl', '漢字', '👩‍🔬', '"\\\n\u0000']) {
        expect(await bus.request(echo, {}, { text })).toEqual({ text });
      }
    });
  });

  describe('a server with a limit', () => {
    it('runs at most that many handlers at once, in the order of arrival', async () => {
      const bus = await bench.open();
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

    it('ignores requests that it may not answer, so that the right server can answer', async () => {
      const [mine, other, client] = [await bench.open(), await bench.open(), await bench.open()];
      let when = false;
      let passedOver = 0;
      const handled: string[] = [];
      const serve = (server: typeof mine, name: string, may: () => boolean) =>
        server.serve(add, {}, ({ a }) => (handled.push(`${name} ${a}`), { sum: a }), { when: may });
      await serve(mine, 'mine', () => {
        if (!when) passedOver += 1;
        return when;
      });
      await serve(other, 'other', () => !when);
      await client.request(add, { room: 'x' }, { a: 1, b: 0 });
      // The other server may answer before this one has received the request.
      await expect.poll(() => passedOver).toBe(1);
      when = true;
      await client.request(add, { room: 'x' }, { a: 2, b: 0 });
      expect(handled).toEqual(['other 1', 'mine 2']);
    });

    it('never begins a request that waited longer than its caller', async () => {
      const bus = await bench.open();
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
}
