import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acquireLock, type FileLock } from '@lab/runtime';
import { offerToleranceMs } from '@lab/trust/offer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockOf } from '../../src/installation/index.js';
import { keep, programIn, readPointer, versionsIn, type Program } from '../../src/keeping/index.js';
import { update, type Outcome, type Stage, type UpdateOptions } from '../../src/updates/index.js';
import { Versions, type Behaviour } from '../keeping/programs.js';
import { PackageService, platform } from './packages.js';

/** Updates from a real HTTP server, with a real keeper and small real programs in place of the agent. */

const updater = fileURLToPath(new URL('updater.mjs', import.meta.url));
let service: PackageService;
let versions: Versions;
let credentials: string;
let signals: EventEmitter;
let said: string[];
const running: Promise<unknown>[] = [];
const locks: FileLock[] = [];

beforeEach(async () => {
  service = await PackageService.open();
  versions = new Versions();
  credentials = await service.credentials();
  signals = new EventEmitter();
  said = [];
});
afterEach(async () => {
  signals.emit('SIGTERM', 'SIGTERM');
  await Promise.all(running.splice(0));
  for (const lock of locks.splice(0)) lock.release();
  await service.close();
  versions.remove();
});

/** Starts a keeper with an installed package of version 0.1.0. */
async function startAgent(trialMs = 20_000): Promise<void> {
  const program = programIn(join(versions.installed('good'), '..')) as Program;
  const kept = keep({
    ...{ data: versions.data, args: [], trialMs, stopMs: 1_000, say: () => undefined },
    ...{ installed: { version: '0.1.0', program }, signals: signals as never },
  });
  running.push(kept);
  await expect.poll(() => versions.events.length, { timeout: 20_000 }).toBeGreaterThan(0);
}
const options = (): Omit<UpdateOptions, 'say'> => ({
  ...{ data: versions.data, gateway: service.url, way: {}, credentials, version: '0.1.0', platform },
  ...{ stopMs: 10_000, waitMs: 20_000 },
});
const updating = (more: Partial<UpdateOptions> = {}): Promise<Outcome> =>
  update({ ...options(), say: (line) => said.push(line), ...more });
const offer = (version: string, behaviour: Behaviour = 'good'): Promise<void> =>
  service.offer(version, versions.text(version, behaviour));
const pointer = () => readPointer(versions.data);
const files = (): string[] => readdirSync(versionsIn(versions.data)).sort();

describe('an update', () => {
  it('stops the agent in order and starts the newest version, which serves', async () => {
    await offer('0.1.9');
    await offer('0.2.0');
    await startAgent();
    expect(await updating()).toBe('serves');
    expect(versions.events).toEqual(['installed started', '0.2.0 started']);
    expect(pointer()).toMatchObject({ version: '0.2.0', trial: false, previous: null });
    expect(files()).toEqual(['0.2.0', 'current.json', 'offer.json']);
    expect(said.at(-1)).toBe('Version 0.2.0 serves.');
    expect(await updating()).toBe('nothing to do');
    expect(said.at(-1)).toContain('This computer runs version 0.2.0, and the service has no newer one');
    // Only a person goes back.
    expect(await updating({ to: '0.1.9' })).toBe('serves');
    expect(pointer()).toMatchObject({ version: '0.1.9', previous: '0.2.0' });
  });

  it('to a version that crashes goes back by itself, and is not tried again unless it is named', async () => {
    await offer('0.2.0', 'crash');
    await startAgent();
    await expect(updating()).rejects.toThrow(
      'version 0.2.0 failed: it ended with exit code 3. The version before runs again.',
    );
    await expect
      .poll(() => versions.events)
      .toEqual([...['installed started', '0.2.0 started', 'installed started']]);
    expect(await updating()).toBe('nothing to do');
    expect(said.at(-1)).toContain('To try it again: svc-agent update --to 0.2.0');
    await expect(updating({ to: '0.2.0' })).rejects.toThrow('version 0.2.0 failed');
    await offer('0.3.0');
    expect(await updating()).toBe('serves');
    expect(files()).toEqual(['0.3.0', 'current.json', 'offer.json']);
    expect(pointer()).toMatchObject({ version: '0.3.0', failed: { version: '0.2.0' } });
  });

  it('with --check only says what there is', async () => {
    await offer('0.2.0');
    expect(await updating({ onlyCheck: true })).toBe('offered');
    expect(said).toEqual([
      expect.stringMatching(/runs version 0\.1\.0\. The service has version 0\.2\.0 for/),
    ]);
    expect(files()).toEqual(['offer.json']);
  });

  it('of an agent that does not run waits for its start', async () => {
    await offer('0.2.0');
    expect(await updating()).toBe('waits');
    expect(said.at(-1)).toBe('Version 0.2.0 starts with the next "svc-agent run".');
    await startAgent();
    await expect.poll(() => pointer()?.trial, { timeout: 20_000 }).toBe(false);
    expect(versions.events).toEqual(['0.2.0 started']);
  });

  it('is tried with the next start when the agent is stopped meanwhile', async () => {
    await offer('0.2.0', 'mute');
    await startAgent();
    const outcome = updating();
    await expect.poll(() => versions.events.at(-1), { timeout: 20_000 }).toBe('0.2.0 started');
    signals.emit('SIGTERM', 'SIGTERM');
    expect(await outcome).toBe('waits');
    expect(said.at(-1)).toContain('The agent was stopped meanwhile.');
  });

  it('says when the new version neither serves nor fails', async () => {
    await offer('0.2.0', 'mute');
    await startAgent();
    await expect(updating({ waitMs: 1_000 })).rejects.toThrow('neither serves nor has failed within 1 s');
    await expect(updating()).rejects.toThrow('version 0.2.0 has just been started and has not served yet');
  });

  it('of an agent without a keeper is refused before anything is fetched', async () => {
    await offer('0.2.0');
    locks.push(acquireLock(lockOf(versions.data)));
    await expect(updating()).rejects.toThrow(
      `the agent that runs as process ${process.pid} cannot be replaced while it runs`,
    );
    expect(service.asked).toEqual(['/agents/packages']);
  });

  it('is alone on its data folder', async () => {
    locks.push(acquireLock(join(versionsIn(versions.data), 'update.lock')));
    await expect(updating()).rejects.toThrow(`another update runs as process ${process.pid}`);
  });

  it('does not begin without room on the disk', async () => {
    await offer('0.2.0');
    await expect(updating({ freeBytes: () => Promise.resolve(1_000) })).rejects.toThrow(
      /^the disk of .* has 0 MiB free, and the update needs 0 MiB; delete something$/,
    );
    expect(service.asked).toEqual(['/agents/packages']);
  });
});

describe('an offer', () => {
  it.each([
    [
      'of another service',
      async () => {
        const other = await PackageService.open();
        await other.offer('9.9.9');
        const signed = other.signed();
        await other.close();
        return signed;
      },
    ],
    [
      'that was changed on its way',
      async () => {
        await offer('0.2.0');
        const { manifest, signature } = service.signed();
        const text = Buffer.from(manifest, 'base64url').toString().replace('0.2.0', '9.9.9');
        return { manifest: Buffer.from(text).toString('base64url'), signature };
      },
    ],
  ])('%s is refused', async (_what, offered) => {
    const signed = await offered();
    service.offered = () => signed;
    await expect(updating()).rejects.toThrow('has not signed this offer of packages');
    expect(files()).toEqual([]);
  });

  it('that was repeated after a newer one is refused', async () => {
    await offer('0.2.0');
    const old = service.signed(Date.now());
    service.offered = () => service.signed(Date.now() + offerToleranceMs + 60_000);
    await updating({ onlyCheck: true });
    service.offered = () => old;
    await expect(updating()).rejects.toThrow('Somebody repeats an old offer');
  });

  it('from before the agent was admitted is refused', async () => {
    service.offered = () => service.signed(Date.now() - offerToleranceMs - 60_000);
    await expect(updating()).rejects.toThrow('Somebody repeats an old offer');
  });

  it('is missing when nobody answers, or something else does', async () => {
    await expect(updating({ gateway: 'http://127.0.0.1:1' })).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:1 makes no offer: .*"svc-agent doctor" says what is wrong\.$/,
    );
    service.offered = () => ({ hello: 'world' });
    await expect(updating()).rejects.toThrow('The answer is no offer of packages.');
  });
});

describe('a package that', () => {
  it.each([
    ['has another SHA-256', { sha256: '0'.repeat(64) }, 'its SHA-256 is another one'],
    ['is longer', { size: 10 }, 'it is longer than the 10 bytes of the offer'],
    ['is shorter', { size: 1_000_000 }, 'bytes, and the offer says 1000000'],
    ['is missing', { name: 'svc-agent-0.2.0-other.tar.gz' }, 'the service answers with status 404'],
  ])('%s is not installed, and nothing of it stays', async (_what, more, why) => {
    await service.offer('0.2.0', versions.text('0.2.0', 'good'), more);
    await expect(updating()).rejects.toThrow(why);
    expect(files()).toEqual(['offer.json']);
    expect(pointer()).toBeUndefined();
  });

  it('is cut off on its way is not installed, and the next update installs it', async () => {
    await offer('0.2.0');
    service.instead = (response, archive) => {
      response.writeHead(200, { 'content-length': archive.length });
      response.write(archive.subarray(0, 100), () => response.destroy());
    };
    await expect(updating()).rejects.toThrow(/^the package svc-agent-0\.2\.0.* could not be fetched: /);
    expect(files()).toEqual(['offer.json']);
    service.instead = undefined;
    expect(await updating()).toBe('waits');
  });

  it('is right for the offer and damaged inside is not installed', async () => {
    await service.offer('0.3.0', undefined, { version: '0.4.0' });
    await expect(updating()).rejects.toThrow(
      'is damaged: it has the path "svc-agent-0.3.0-linux-x64/svc-agent"',
    );
    expect(files()).toEqual(['offer.json']);
  });
});

describe('a power cut', () => {
  /** Runs an update in a process that is killed after a step. */
  async function cutAfter(stage: Stage): Promise<void> {
    const child = spawn(process.execPath, [updater, stage, JSON.stringify(options())], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  }

  it.each<Stage>(['offered', 'fetched', 'unpacked', 'placed'])(
    'after the step "%s" leaves the version before, and the next update cleans up and succeeds',
    async (stage) => {
      await offer('0.2.0');
      await cutAfter(stage);
      await startAgent();
      expect(versions.events).toEqual(['installed started']);
      await offer('0.2.1');
      expect(await updating()).toBe('serves');
      expect(versions.events).toEqual(['installed started', '0.2.1 started']);
      expect(files()).toEqual(['0.2.1', 'current.json', 'offer.json']);
    },
  );

  it('after the step "pointed" leaves a trial for the next start', async () => {
    await offer('0.2.0');
    await cutAfter('pointed');
    await startAgent();
    await expect.poll(() => pointer()?.trial, { timeout: 20_000 }).toBe(false);
    expect(versions.events).toEqual(['0.2.0 started']);
  });

  it('after the step "pointed" does not hinder an update to another version', async () => {
    await offer('0.2.0', 'crash');
    await cutAfter('pointed');
    await offer('0.2.1');
    expect(await updating()).toBe('waits');
    expect(pointer()).toMatchObject({ version: '0.2.1', previous: null, trial: true });
    expect(existsSync(join(versionsIn(versions.data), '0.2.1', 'svc-agent'))).toBe(true);
  });

  it('of the updating process after it stopped the agent changes nothing about the trial', async () => {
    await offer('0.2.0');
    await startAgent();
    await cutAfter('stopped');
    await expect.poll(() => pointer(), { timeout: 20_000 }).toMatchObject({ version: '0.2.0', trial: false });
    expect(versions.events).toEqual(['installed started', '0.2.0 started']);
  });
});
