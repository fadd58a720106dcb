import { defineEvent, encodeToken, envelopeVersion, ServiceError, zodSchema } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { add, askJson, echo, failure, serveSum, type Bench } from './bench.js';

/** The receiver refuses invalid messages, and errors arrive unchanged. */
export function checksContract(bench: Bench): void {
  describe('the check of a message', () => {
    it('of a request happens at the server, which refuses an invalid body', async () => {
      const bus = await bench.open();
      let calls = 0;
      await bus.serve(add, {}, () => ({ sum: ++calls }));
      const body = { a: 'one' } as unknown as { a: number; b: number };
      const error = await failure(bus.request(add, { room: 'x' }, body));
      expect(error).toMatchObject({ code: 'bad_request', effect: 'none' });
      expect(error.faults.map(({ path }) => path)).toEqual(['a', 'b']);
      expect(calls).toBe(0);
    });

    it('refuses a subject with an omitted token', async () => {
      const bus = await bench.open();
      await serveSum(bus);
      const error = await failure(bus.request(add, {} as { room: string }, { a: 1, b: 2 }));
      expect(error).toMatchObject({ code: 'bad_request', effect: 'none' });
    });

    it('refuses an invalid body at the server before the handler', async () => {
      const bus = await bench.open();
      let calls = 0;
      await bus.serve(add, {}, () => ({ sum: ++calls }));
      const envelope = { v: envelopeVersion, id: '1', kind: 'test.add', src: 'x', body: { a: 1 } };
      const reply = await askJson(bench.broker, 'test.v1.add.x', envelope);
      expect(reply).toMatchObject({
        ok: false,
        error: { code: 'bad_request', effect: 'none', faults: [{ path: 'b' }] },
      });
      expect(calls).toBe(0);
    });

    it('refuses a message without envelope, of another version or of another kind', async () => {
      const bus = await bench.open();
      await serveSum(bus);
      const good = { v: envelopeVersion, id: '1', kind: 'test.add', src: 'x', body: { a: 1, b: 2 } };
      const subject = `test.v1.add.${encodeToken('x')}`;
      const refused = async (data: Uint8Array): Promise<unknown> =>
        JSON.parse(Buffer.from(await bench.broker.ask(subject, data)).toString()) as unknown;
      const fault = (path: string): object => ({
        ok: false,
        error: { code: 'bad_request', effect: 'none', faults: [{ path }] },
      });
      expect(await refused(Buffer.from('{'))).toMatchObject(fault(''));
      expect(await refused(new Uint8Array())).toMatchObject(fault(''));
      expect(await askJson(bench.broker, subject, { ...good, v: 2 })).toMatchObject(fault('v'));
      expect(await askJson(bench.broker, subject, { ...good, kind: 'test.echo' })).toMatchObject(
        fault('kind'),
      );
      expect(await askJson(bench.broker, subject, good)).toEqual({ ok: true, body: { sum: 3 } });
    });

    it('reports to the caller that the work was done when only the reply is malformed', async () => {
      const bus = await bench.open();
      await bus.serve(add, {}, () => ({ sum: 'three' }) as unknown as { sum: number });
      const error = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }));
      expect(error).toMatchObject({ code: 'internal', effect: 'done' });
      expect(error.faults[0]?.path).toBe('sum');
      expect(bench.lines.map(({ level }) => level)).toContain('error');
    });

    it('refuses an invalid reply of another program', async () => {
      const [server, client] = [await bench.open(), await bench.open()];
      const other = { ...add, reply: zodSchema(z.object({ total: z.number() })) };
      await server.serve(other, {}, () => ({ total: 3 }));
      const error = await failure(client.request(add, { room: 'x' }, { a: 1, b: 2 }));
      expect(error).toMatchObject({ code: 'internal', effect: 'done' });
    });
  });

  describe('an error of a handler', () => {
    it('arrives with code, text, effect, faults and the stack of the author', async () => {
      const bus = await bench.open();
      const faults = [{ path: 'a', code: 'range', message: 'too large', hint: 'at most 9' }];
      await bus.serve(add, {}, () => {
        throw new ServiceError('device_error', 'spilled', {
          effect: 'done',
          faults,
          authorStack: 'at mixer/device.ts:3',
          retryAfterS: 2.5,
          cause: new Error('secret'),
        });
      });
      const error = await failure(bus.request(add, { room: 'x' }, { a: 1, b: 2 }));
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ code: 'device_error', message: 'spilled', effect: 'done', faults });
      expect(error.authorStack).toBe('at mixer/device.ts:3');
      expect(error.retryAfterS).toBe(2.5);
      expect(error.cause).toBeUndefined();
    });

    it('becomes internal when it is unexpected, is logged, and shows nothing of the server', async () => {
      const bus = await bench.open();
      await bus.serve(add, {}, () => Promise.reject(new Error('password=hunter2')));
      const envelope = { v: envelopeVersion, id: '1', kind: 'test.add', src: 'x', body: { a: 1, b: 2 } };
      const data = await bench.broker.ask('test.v1.add.x', Buffer.from(JSON.stringify(envelope)));
      const text = Buffer.from(data).toString();
      expect(JSON.parse(text)).toMatchObject({ ok: false, error: { code: 'internal', effect: 'maybe' } });
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain('.ts');
      const logged = bench.lines.find(({ level }) => level === 'error');
      expect(logged?.fields.error).toMatchObject({ message: 'password=hunter2' });
    });
  });

  describe('a message larger than the broker allows', () => {
    const big = 'x'.repeat(1_100_000);

    it('is refused without effect as a request', async () => {
      const bus = await bench.open();
      let calls = 0;
      await bus.serve(echo, {}, ({ text }) => ({ text: text + String(++calls) }));
      const error = await failure(bus.request(echo, {}, { text: big }));
      expect(error).toMatchObject({ code: 'payload_too_large', effect: 'none' });
      expect(await bus.request(echo, {}, { text: 'small' })).toEqual({ text: 'small1' });
    });

    it('as a reply is reported with the work done', async () => {
      const bus = await bench.open();
      await bus.serve(echo, {}, () => ({ text: big }));
      const error = await failure(bus.request(echo, {}, { text: 'small' }));
      expect(error).toMatchObject({ code: 'payload_too_large', effect: 'done' });
    });

    it('as an error keeps code and effect', async () => {
      const bus = await bench.open();
      await bus.serve(echo, {}, () => {
        throw new ServiceError('device_error', big, { effect: 'maybe' });
      });
      const error = await failure(bus.request(echo, {}, { text: 'small' }));
      expect(error).toMatchObject({ code: 'device_error', effect: 'maybe' });
      expect(error.message.length).toBeLessThan(2_000);
    });

    it('is refused as an event', async () => {
      const bus = await bench.open();
      const shout = defineEvent({
        name: 'test.shout',
        subject: 'test.v1.shout',
        from: { tool: {} },
        to: { tool: {} },
        body: zodSchema(z.object({ text: z.string() })),
      });
      expect(() => bus.publish(shout, {}, { text: big })).toThrow(
        expect.objectContaining({ code: 'payload_too_large' }),
      );
    });
  });
}
