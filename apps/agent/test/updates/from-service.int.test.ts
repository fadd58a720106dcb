import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '@lab/contracts';
import { systemTimers } from '@lab/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestStop } from '../../src/installation/index.js';
import { keep, programIn, readPointer, type Program } from '../../src/keeping/index.js';
import { UpdatesFromService, type UpdateMode } from '../../src/updates/index.js';
import { Versions, type Behaviour } from '../keeping/programs.js';
import { PackageService, platform } from './packages.js';

/** Updates that the service asks for, from a real HTTP server, with a real keeper and small real programs. */

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let service: PackageService;
let versions: Versions;
let credentials: string;
let signals: EventEmitter;
let stops: number;
const running: Promise<unknown>[] = [];

beforeEach(async () => {
  service = await PackageService.open();
  versions = new Versions();
  credentials = await service.credentials();
  signals = new EventEmitter();
  stops = 0;
  writeFileSync(join(versions.data, 'joined.json'), '{"version":1,"computer":"bench_b","env":{}}');
});
afterEach(async () => {
  signals.emit('SIGTERM', 'SIGTERM');
  await Promise.all(running.splice(0));
  await service.close();
  versions.remove();
});

async function startKeeper(): Promise<void> {
  const program = programIn(join(versions.installed('good'), '..')) as Program;
  const kept = keep({
    ...{ data: versions.data, args: [], stopMs: 1_000, say: () => undefined },
    ...{ installed: { version: '0.1.0', program }, signals: signals as never },
  });
  running.push(kept);
  await expect.poll(() => versions.events.length, { timeout: 20_000 }).toBeGreaterThan(0);
}
const updates = (mode: UpdateMode = 'from_service', more: object = {}): UpdatesFromService =>
  new UpdatesFromService({
    ...{ data: versions.data, version: '0.1.0', mode, gateway: service.url, way: {}, platform },
    credentials: () => credentials,
    stop: () => {
      stops += 1;
      void requestStop(versions.data, 10_000);
    },
    ...{ timers: systemTimers, log },
    ...more,
  });
const offer = (version: string, behaviour: Behaviour = 'good'): Promise<void> =>
  service.offer(version, versions.text(version, behaviour));
const idle = (point: () => void): void => point();

describe('an update that the service asks for', () => {
  it('puts the offered version in place, lets the agent stop, and the keeper starts it', async () => {
    await offer('0.2.0');
    await startKeeper();
    const agent = updates();
    expect(agent.describe()).toEqual({ platform, refusal: null, failed: null });
    expect(await agent.update('0.2.0', 'ada', idle)).toBe('placed');
    expect(readPointer(versions.data)).toMatchObject({ version: '0.2.0', trial: true });
    await expect
      .poll(() => readPointer(versions.data), { timeout: 20_000 })
      .toMatchObject({ version: '0.2.0', trial: false });
    expect([versions.events, stops]).toEqual([['installed started', '0.2.0 started'], 1]);
  });

  it('is done once when it is asked for again meanwhile, and refuses another version', async () => {
    await offer('0.2.0');
    await startKeeper();
    const agent = updates();
    const first = agent.update('0.2.0', 'ada', idle);
    const second = agent.update('0.2.0', 'ada', idle);
    expect(() => agent.update('0.3.0', 'ada', idle)).toThrow('this agent is being updated to 0.2.0');
    expect([await first, await second]).toEqual(['placed', 'placed']);
    expect(await agent.update('0.2.0', 'ada', idle)).toBe('placed');
    await expect.poll(() => versions.events.length, { timeout: 20_000 }).toBe(2);
    expect([service.asked.filter((url) => url.endsWith('.tar.gz')).length, stops]).toEqual([1, 1]);
  });

  it('changes nothing while something runs on the computer, and may be asked for again', async () => {
    await offer('0.2.0');
    await startKeeper();
    const agent = updates();
    const busy = (): void => {
      throw new ServiceError('device_in_use', 'a call of lab.arm runs');
    };
    await expect(agent.update('0.2.0', 'ada', busy)).rejects.toMatchObject({ code: 'device_in_use' });
    expect([readPointer(versions.data), stops]).toEqual([undefined, 0]);
    expect(await agent.update('0.2.0', 'ada', idle)).toBe('placed');
    await expect.poll(() => stops).toBe(1);
  });

  it('says that the computer runs the version already', async () => {
    await offer('0.1.0');
    await startKeeper();
    expect(await updates().update('0.1.0', 'ada', idle)).toBe('runs');
    expect(stops).toBe(0);
  });

  it.each([
    [
      'is not offered',
      () => Promise.resolve(),
      {},
      `the service has no version 0.2.0 for ${platform}; it has: none`,
    ],
    [
      'is offered by another service',
      async () => {
        const other = await PackageService.open();
        await other.offer('0.2.0');
        const signed = other.signed();
        await other.close();
        service.offered = () => signed;
      },
      {},
      'has not signed this offer of packages',
    ],
    [
      'has no room on the disk',
      () => offer('0.2.0'),
      { freeBytes: () => Promise.resolve(1_000) },
      'delete something',
    ],
  ])('is refused when the version %s', async (_, prepare, more, words) => {
    await prepare();
    await startKeeper();
    await expect(updates('from_service', more).update('0.2.0', 'ada', idle)).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining(words) as string,
    });
    expect([readPointer(versions.data), stops]).toEqual([undefined, 0]);
  });
});

describe('an agent takes no update from the service', () => {
  const refused = (agent: UpdatesFromService, words: string): void => {
    expect(agent.describe().refusal).toContain(words);
    expect(() => agent.update('0.2.0', 'ada', idle)).toThrow(words);
  };

  it('when its computer forbids it', async () => {
    await startKeeper();
    refused(updates('by_hand'), 'SVC_AGENT_UPDATES=by_hand forbids');
  });

  it('when its computer did not join, or has no credentials', async () => {
    await startKeeper();
    refused(updates('from_service', { gateway: undefined }), 'did not join with an invitation');
    refused(updates('from_service', { credentials: () => undefined }), 'did not join with an invitation');
  });

  it('when no keeper started it', () => {
    refused(updates(), 'was not started by "svc-agent run"');
  });

  it('and tells which version failed last', async () => {
    versions.point({ failed: { version: '0.2.0', why: 'it crashed', at: '2026-03-01T10:00:00.000Z' } });
    expect(updates().describe().failed).toEqual({ version: '0.2.0', why: 'it crashed' });
  });
});
