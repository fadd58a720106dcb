import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optimizerEvents, serviceRequests } from '@lab/contracts';
import { connectBus, type Bus } from '@lab/messaging';
import { startChild, type RunningChild } from '@lab/runtime';
import { testNats, type TestNats } from '@lab/testkit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
let nats: TestNats;
let bus: Bus;
let folder: string;
let child: RunningChild | undefined;
const announced: string[] = [];

beforeAll(async () => {
  nats = await testNats();
  bus = await connectBus({ url: nats.url, role: 'test', name: 'optimizer-main' });
  await bus.subscribe(optimizerEvents.announced, {}, ({ instance }) => {
    announced.push(instance);
  });
  await bus.flush();
  folder = mkdtempSync(join(tmpdir(), 'svc-optimizer-'));
});

afterAll(async () => {
  await child?.stop();
  await bus.close();
  await nats.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(natsUrl: string): Promise<RunningChild> {
  return startChild({
    name: 'optimizer',
    command: { module: program },
    env: { PATH: process.env.PATH, SVC_NATS_URL: natsUrl, SVC_DATA_DIR: folder },
    cwd: folder,
    ready: 'message',
    startTimeoutMs: 30_000,
    stopTimeoutMs: 10_000,
  });
}

describe('the optimizer process', () => {
  it('is available once it is ready, and exits with 0 on request', async () => {
    child = await start(nats.url);
    const health = await bus.request(serviceRequests.health, { service: 'optimizer' }, {});
    expect(health).toMatchObject({ service: 'optimizer', status: 'ok', instance: child.details.instance });
    await expect.poll(() => announced, { timeout: 10_000 }).toContain(child.details.instance);
    expect(await child.stop()).toEqual({ code: 0, signal: null });
  });

  it('says in one sentence that its broker is not configured', async () => {
    await expect(start('')).rejects.toThrow(
      /^optimizer did not start: The configuration is not usable: SVC_NATS_URL: is not set/,
    );
  });
});
