import 'reflect-metadata';
import { defineEvent, defineRequest, ServiceError, zodSchema, type ReplyOf } from '@lab/contracts';
import { testNats, type TestNats } from '@lab/testkit/testing';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectBus, handledBy, type Bus, type BusLog } from '../src/index.js';
import { BusClient, BusModule, BusServer, nestLogger } from '../src/nest.js';

const mix = defineRequest({
  name: 'test.mix',
  subject: 'test.v1.mix.{station}',
  from: { tool: {} },
  to: { tool: {} },
  request: zodSchema(z.object({ volume: z.number() })),
  reply: zodSchema(z.object({ station: z.string(), src: z.string(), volume: z.number() })),
  timeoutMs: 5_000,
  errors: ['device_error'],
});

const mixed = defineEvent({
  name: 'test.mixed',
  subject: 'test.v1.mixed.{station}',
  from: { tool: {} },
  to: { tool: {} },
  body: zodSchema(z.object({ volume: z.number() })),
});

const faults = [{ path: 'volume', code: 'range', message: 'too large' }];
const heard: string[] = [];

function dose(volume: number): number {
  if (volume === 13) throw new Error('password=hunter2');
  if (volume > 100) {
    throw new ServiceError('device_error', 'spilled', { effect: 'done', faults, authorStack: 'at x.ts:1' });
  }
  return volume;
}

const handled = [
  ...handledBy(
    { mix, mixed },
    {
      mix: async ({ volume }, { tokens, envelope }) => {
        const dosed = await Promise.resolve(dose(volume));
        return { station: tokens.station, src: envelope.src, volume: dosed };
      },
      mixed: ({ volume }, { tokens }) => void heard.push(`first ${tokens.station} ${volume}`),
    },
  ),
  ...handledBy(
    { mixed },
    {
      mixed: ({ volume }) => {
        if (volume === 13) throw new ServiceError('invalid', 'thirteen');
        heard.push(`second ${volume}`);
      },
    },
  ),
];

@Controller()
class ForeignController {
  @MessagePattern('untyped')
  answer(): string {
    return 'anything';
  }
}

@Module({ controllers: [ForeignController] })
class ForeignModule {}

describe('a Nest microservice on the bus', () => {
  let nats: TestNats;
  let serverBus: Bus;
  let clientBus: Bus;
  let app: INestMicroservice;
  let client: BusClient;
  const errors: { message: string; fields: Record<string, unknown> | undefined }[] = [];
  const log: BusLog = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) => void errors.push({ message, fields }),
  };
  const start = async (module: object): Promise<INestMicroservice> => {
    const started = await NestFactory.createMicroservice(module as typeof BusModule, {
      strategy: new BusServer(serverBus, handled),
      logger: nestLogger(log),
      abortOnError: false,
    });
    await started.listen();
    return started;
  };

  beforeAll(async () => {
    nats = await testNats();
  });
  afterAll(() => nats.stop());
  beforeEach(async () => {
    serverBus = await connectBus({ url: nats.url, role: 'server', name: 'a', log });
    clientBus = await connectBus({ url: nats.url, role: 'client', name: 'b' });
    client = new BusClient(clientBus);
    app = await start(BusModule);
  });
  afterEach(async () => {
    await app.close();
    await Promise.all([serverBus.close(), clientBus.close()]);
    heard.length = 0;
    errors.length = 0;
  });

  it('gives a handler the checked body, the tokens and the envelope', async () => {
    const reply = await client.call(mix, { station: 'left one' }, { volume: 5 });
    expect(reply).toEqual({ station: 'left one', src: 'client/b', volume: 5 });
  });

  it('answers the client of Nest, with and without tokens in the pattern', async () => {
    const pattern = { definition: mix, tokens: { station: 's' } };
    const reply = await firstValueFrom(client.send<ReplyOf<typeof mix>>(pattern, { volume: 5 }));
    expect(reply).toEqual({ station: 's', src: 'client/b', volume: 5 });
    await expect(firstValueFrom(client.send(mix, { volume: 5 }))).rejects.toMatchObject({
      code: 'bad_request',
    });
    await expect(firstValueFrom(client.send('test.mix', { volume: 5 }))).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  it('carries an error of a handler unchanged to the caller', async () => {
    const thrown = {
      code: 'device_error',
      message: 'spilled',
      effect: 'done',
      faults,
      authorStack: 'at x.ts:1',
    };
    const called = client.call(mix, { station: 's' }, { volume: 101 });
    await expect(called).rejects.toBeInstanceOf(ServiceError);
    await expect(called).rejects.toMatchObject(thrown);
    const sent = client.send({ definition: mix, tokens: { station: 's' } }, { volume: 101 });
    await expect(firstValueFrom(sent)).rejects.toMatchObject(thrown);
    expect(errors).toEqual([]);
  });

  it('turns an unexpected error into internal and logs it once', async () => {
    const called = client.call(mix, { station: 's' }, { volume: 13 });
    await expect(called).rejects.toMatchObject({ code: 'internal', effect: 'maybe' });
    await expect(called).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') as string });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.fields?.error).toMatchObject({ message: 'password=hunter2' });
  });

  it('refuses a malformed body before the handler', async () => {
    const loose = { ...mix, request: zodSchema(z.object({ volume: z.string() })) };
    await expect(clientBus.request(loose, { station: 's' }, { volume: 'much' })).rejects.toMatchObject({
      code: 'bad_request',
      effect: 'none',
      faults: [{ path: 'volume' }],
    });
  });

  it('delivers an event to all of its handlers and logs the one that fails', async () => {
    await firstValueFrom(client.emit({ definition: mixed, tokens: { station: 'x' } }, { volume: 1 }), {
      defaultValue: undefined,
    });
    clientBus.publish(mixed, { station: 'x' }, { volume: 13 });
    clientBus.publish(mixed, { station: 'x' }, { volume: 2 });
    await expect.poll(() => heard.filter((line) => line.endsWith(' 2'))).toHaveLength(2);
    expect(heard.sort()).toEqual(['first x 1', 'first x 13', 'first x 2', 'second 1', 'second 2']);
    await expect.poll(() => errors).toHaveLength(1);
    expect(errors[0]?.fields?.error).toMatchObject({ code: 'invalid', message: 'thirteen' });
  });

  it('refuses to start with a controller whose handlers would get no message', async () => {
    await expect(start(ForeignModule)).rejects.toThrow('the handler of untyped names no message');
  });

  it('serves nothing after its end and does not close the bus of its owner', async () => {
    await app.close();
    await expect(client.call(mix, { station: 's' }, { volume: 5 })).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
    });
    expect(serverBus.connected).toBe(true);
  });

  it('abandons a call whose observable has no subscriber', async () => {
    const answers: unknown[] = [];
    const subscription = client
      .send({ definition: mix, tokens: { station: 's' } }, { volume: 5 })
      .subscribe((answer) => answers.push(answer));
    subscription.unsubscribe();
    await client.call(mix, { station: 's' }, { volume: 6 });
    expect(answers).toEqual([]);
  });
});
