import type { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import type { BusStatus } from '../../src/index.js';
import { add, echo, failure, moved, type Bench } from './bench.js';

/** Events, and the ends of subscriptions, buses and connections. */
export function lifecycleContract(bench: Bench): void {
  describe('an event', () => {
    it('reaches every listener with its tokens, in the order of publication', async () => {
      const [one, two, sender] = [await bench.open(), await bench.open(), await bench.open()];
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

    it('with an omitted token is refused by the sender', async () => {
      const bus = await bench.open();
      expect(() => bus.publish(moved, {} as { arm: string }, { to: 1 })).toThrow(
        expect.objectContaining({ code: 'bad_request' }),
      );
    });

    it('with an invalid body or a failing handler is logged and does not disturb later events', async () => {
      const bus = await bench.open();
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
      await bench.broker.tell('test.v1.moved.a', Buffer.from('not json'));
      bus.publish(moved, { arm: 'a' }, { to: 'there' } as unknown as { to: number });
      for (const to of [1, 2, 3]) bus.publish(moved, { arm: 'a' }, { to });
      await done;
      expect(heard).toEqual([1, 2, 3]);
      const logged = (wanted: string): number => bench.lines.filter(({ level }) => level === wanted).length;
      await expect.poll(() => logged('error')).toBe(2);
      expect(logged('warn')).toBe(2);
    });
  });

  describe('the end of a subscription', () => {
    it('lets running handlers answer and accepts nothing more', async () => {
      const [server, client] = [await bench.open(), await bench.open()];
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
      const bus = await bench.open('tester', 30);
      const subscription = await bus.serve(echo, {}, () => new Promise(() => undefined));
      const waiting = failure(bus.request(echo, {}, { text: 'x' }, { timeoutMs: 20 }));
      await waiting;
      await subscription.unsubscribe();
      expect(bench.lines.map(({ message }) => message)).toContain('did not end in time');
    });
  });

  describe('closing', () => {
    it('lets running handlers answer, fails pending requests and refuses later ones', async () => {
      const [server, client] = [await bench.open('server', 200), await bench.open('client', 200)];
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
    it('fails pending requests at once, refuses new ones and sends none of them later', async () => {
      const [server, client] = [await bench.open('server', 100), await bench.open('client', 100)];
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
      await bench.broker.stop();
      expect(await waits).toMatchObject({ code: 'disconnected', effect: 'maybe', retryable: false });
      expect(client.connected).toBe(false);
      const meanwhile = await failure(client.request(echo, {}, { text: 'meanwhile' }));
      expect(meanwhile).toMatchObject({ code: 'disconnected', effect: 'none', retryable: true });
      client.publish(moved, { arm: 'a' }, { to: 1 });
      expect((await failure(client.flush())).code).toBe('disconnected');
      const late = await client.serve(add, {}, ({ a }) => ({ sum: a }));

      await bench.broker.start();
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

    it('does not prevent closing', async () => {
      const bus = await bench.open('tester', 100);
      await bus.serve(add, {}, ({ a }) => ({ sum: a }));
      const lost = new Promise<void>((resolve) => {
        bus.onStatus((status) => {
          if (status === 'disconnected') resolve();
        });
      });
      await bench.broker.stop();
      await lost;
      await bus.close();
      await bench.broker.start();
      const fresh = await bench.open();
      expect((await failure(fresh.request(add, { room: 'x' }, { a: 1, b: 1 }))).code).toBe(
        'service_unavailable',
      );
    });
  });
}
