import { spawn, type ChildProcess } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerLock, SilaClient } from '../libs/sila/src/client/index.js';
import { libraries, Peer, python, type Library } from '../libs/sila/test/peers.js';
import { selfSigned } from '../libs/sila/test/self-signed.js';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';
import { silaLab } from './sila/package.js';
import { svc } from './svc.js';

/**
 * SiLA servers as devices of a service: tasks lock them, calls are recorded, and an agent that is killed leaves no lock. And a device of the
 * service as a SiLA server for a client of another library.
 */

describe.skipIf(python === undefined)('SiLA servers as devices', () => {
  const peers = new Map<Library, Peer>();
  let userDir = '';
  let lab: Lab;
  let agent: Awaited<ReturnType<Lab['withAgent']>>;

  beforeAll(async () => {
    for (const library of libraries)
      peers.set(library, await Peer.start(library, { lock: true, discovery: true }));
    userDir = await mkdtemp(join(tmpdir(), 'svc-sila-'));
    const ports = Object.fromEntries([...peers].map(([name, { port }]) => [name, port])) as Record<
      Library,
      number
    >;
    for (const [name, text] of Object.entries(silaLab(ports))) {
      const path = join(userDir, 'sila_lab', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    lab = await startLab(['sila_lab'], { userDir, idle: false, readyMs: 180_000 });
    agent = await lab.withAgent('sila_pc');
  });
  afterAll(async () => {
    await lab?.stack.dispose();
    await Promise.all([...peers.values()].map((peer) => peer.kill()));
    await rm(userDir, { recursive: true, force: true });
  });

  const submit = (name: string, device: Library, seconds: number) =>
    lab.api.submit('tasks', {
      name,
      type: 'use_bench',
      devices: { bench: { lab_name: 'sila_lab', name: device } },
      input_parameters: { seconds },
    });

  const isLocked = async (library: Library): Promise<boolean | undefined> => {
    const client = await SilaClient.connect(peers.get(library)?.address ?? { host: '', port: 0 }, {
      insecure: true,
    });
    const lock = await ServerLock.of(client);
    const locked = await lock?.isLocked();
    client.close();
    return locked;
  };

  it.each(libraries)('lock the server of %s for a task, and record what the task does', async (library) => {
    expect((await submit(`plain_${library}`, library, 0.5)).status).toBe(201);
    const done = await eventually(() => lab.api.task(`plain_${library}`), isOver);
    expect(done).toMatchObject({ state: 'completed', output_parameters: { reached: 37.5 } });
    await expect.poll(() => isLocked(library), { timeout: 10_000 }).toBe(false);
    const { body } = await lab.api.call<{ items: { function: string; state: string }[] }>(
      'GET',
      `/api/effects?lab=sila_lab&device=${library}`,
    );
    expect(body.items.map((each) => each.function).sort()).toEqual(['Bench_Heat', 'Bench_Move', 'lock']);
  });

  it.each(libraries)(
    'let in the next agent after one was killed in the middle of an effect, with %s',
    async (library) => {
      await submit(`cut_${library}`, library, 6);
      await eventually(
        async () => (await lab.api.device(library)).doing?.function,
        (name) => name === 'Bench_Heat',
      );
      await new Promise((resolve) => setTimeout(resolve, 500));
      agent.kill('SIGKILL');
      // The instrument may still move, so nobody else gets it.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await isLocked(library)).toBe(true);
      agent = await lab.withAgent('sila_pc');
      // The server has said that the command ended, so only a person has to decide about the task.
      expect(await eventually(() => lab.api.task(`cut_${library}`), isOver)).toMatchObject({
        state: 'needs_attention',
      });
      await eventually(
        () => lab.api.device(library),
        ({ state }) => state === 'idle',
      );
      const item = (await lab.api.attention()).find(({ actions }) => actions.includes('failed'));
      expect((await lab.api.resolve(item?.id ?? '', { action: 'failed', by: 'ada' })).status).toBe(200);
      await submit(`next_${library}`, library, 0.1);
      expect(await eventually(() => lab.api.task(`next_${library}`), isOver)).toMatchObject({
        state: 'completed',
      });
    },
  );

  it('are found in the network by svc device discover', async () => {
    const { code, out } = await svc(
      {},
      'device',
      'discover',
      '--interface',
      '127.0.0.1',
      '--timeout',
      '3',
      '--json',
    );
    expect(code).toBe(0);
    for (const { port, uuid } of peers.values())
      expect(JSON.parse(out)).toContainEqual(
        expect.objectContaining({
          ...{ kind: 'sila', name: 'Bench', type: 'TestServer', uuid, address: `127.0.0.1:${port}` },
          ...{ certificate: null, problem: null },
          features: expect.arrayContaining(['org.example/tests/Bench/v1']) as unknown,
        }),
      );
  });

  describe('a device that is offered and announced', () => {
    const program = fileURLToPath(new URL('../apps/cli/bin/svc.mjs', import.meta.url));
    const script = fileURLToPath(new URL('sila/discovery_client.py', import.meta.url));
    let keys: string[];
    let fingerprint: string;
    const children: ChildProcess[] = [];

    beforeAll(async () => {
      const { key, certificate } = selfSigned();
      fingerprint = new X509Certificate(certificate).fingerprint256;
      const files = { key: join(userDir, 'announced.key'), certificate: join(userDir, 'announced.pem') };
      await writeFile(files.key, key, { mode: 0o600 });
      await writeFile(files.certificate, certificate);
      keys = ['--key', files.key, '--certificate', files.certificate];
    });
    afterAll(async () => {
      for (const child of children) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
    });

    /** Offers the mixer. @returns the process and the lines that it prints */
    function offered(...flags: string[]): { offer: ChildProcess; lines: AsyncIterableIterator<string> } {
      const all = ['--listen', '127.0.0.1:0', '--by', 'ada', '--url', lab.stack.url, ...keys, ...flags];
      const offer = spawn(process.execPath, [program, 'device', 'offer', 'sila_lab.mixer', ...all], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(offer);
      return { offer, lines: createInterface(offer.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]() };
    }
    const next = async (lines: AsyncIterableIterator<string>): Promise<string> =>
      String((await lines.next()).value);
    const discovered = async (): Promise<{ uuid: string }[]> => {
      const flags = ['--interface', '127.0.0.1', '--timeout', '3', '--json'];
      const { out } = await svc({}, 'device', 'discover', ...flags);
      return JSON.parse(out) as { uuid: string }[];
    };

    it('is found by svc device discover and by sila2, which trusts the announced certificate, until it stops', async () => {
      const { offer, lines } = offered('--announce');
      const [, address = '', uuid = ''] =
        /is offered at (\S+) as the SiLA server (\S+)/.exec(await next(lines)) ?? [];
      expect(await next(lines)).toBe('it announces itself in the network at 127.0.0.1');
      expect(await discovered()).toContainEqual(
        expect.objectContaining({
          ...{ kind: 'sila', name: 'sila_lab.mixer', type: 'LaboratoryDevice', uuid, address, problem: null },
          certificate: expect.objectContaining({ fingerprint, selfSigned: true }) as unknown,
        }),
      );
      const client = spawn(python ?? '', ['-W', 'ignore', script, uuid], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.push(client);
      const answers = createInterface(client.stdout)[Symbol.asyncIterator]();
      expect(JSON.parse(await next(answers))).toMatchObject({
        name: 'sila_lab.mixer',
        state: expect.stringContaining('mixed') as string,
      });
      offer.kill('SIGTERM');
      expect(await once(offer, 'exit')).toEqual([0, null]);
      expect(await next(answers)).toBe('gone');
      expect((await discovered()).map((each) => each.uuid)).not.toContain(uuid);
    });

    it('is not announced unless somebody says so, and not twice', async () => {
      const silent = offered();
      const [, uuid = ''] = /as the SiLA server (\S+)/.exec(await next(silent.lines)) ?? [];
      expect((await discovered()).map((each) => each.uuid)).not.toContain(uuid);
      const first = offered('--announce');
      await next(first.lines);
      await next(first.lines);
      const second = offered('--announce');
      let said = '';
      second.offer.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
      const [code] = (await once(second.offer, 'exit')) as [number];
      expect([code, said]).toEqual([1, expect.stringContaining('is the same device offered twice?')]);
    });
  });

  describe('a device that is offered to a client of sila2', () => {
    let offer: ChildProcess;
    let client: ChildProcess;
    let answers: AsyncIterableIterator<string>;

    beforeAll(async () => {
      const authority = await makeCertificateAuthority('lab', Date.now());
      const { key, certificate } = await certifyServer(authority, ['127.0.0.1'], Date.now(), 1);
      const write = async (name: string, text: string): Promise<string> => {
        await writeFile(join(userDir, name), text);
        return join(userDir, name);
      };
      const flags = [
        ...['--listen', '127.0.0.1:0', '--by', 'ada', '--url', lab.stack.url],
        ...['--key', await write('mixer.key', key), '--certificate', await write('mixer.pem', certificate)],
      ];
      const program = fileURLToPath(new URL('../apps/cli/bin/svc.mjs', import.meta.url));
      offer = spawn(process.execPath, [program, 'device', 'offer', 'sila_lab.mixer', ...flags], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(offer.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
      const port = /is offered at 127\.0\.0\.1:(\d+) as the SiLA server/.exec(line.toString())?.[1] ?? '';
      const script = fileURLToPath(new URL('sila/offer_client.py', import.meta.url));
      const ca = await write('authority.pem', authority.certificate);
      client = spawn(python ?? '', [script, port, ca], { stdio: ['pipe', 'pipe', 'inherit'] });
      answers = createInterface(client.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
    });
    afterAll(async () => {
      client?.stdin?.end();
      offer?.kill('SIGTERM');
      await Promise.all([client, offer].map((child) => child?.exitCode ?? once(child, 'exit')));
    });

    /** What the client says of a step. */
    async function ask(step: string, ...given: unknown[]): Promise<Record<string, unknown>> {
      client.stdin?.write(`${JSON.stringify([step, ...given])}\n`);
      const { value } = (await answers.next()) as { value: string };
      return JSON.parse(value) as Record<string, unknown>;
    }
    const reservations = async () =>
      (
        await lab.api.all<{ device: string; by: string; reason: string; state?: string }>('/api/reservations')
      ).filter(({ device }) => device === 'mixer');

    it('has its functions as a feature, and tells its state', async () => {
      expect(await ask('about')).toEqual({
        value: {
          uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
          name: 'sila_lab.mixer',
          features: expect.arrayContaining(['org.example/devices/Mixer/v1']) as unknown,
        },
      });
      expect(await ask('status', null)).toEqual({ value: { mixed: 0 } });
      expect(await ask('is_locked')).toEqual({ value: false });
    });

    it('is reserved while the client has locked it, and refuses other identifiers', async () => {
      expect(await ask('lock_server', 'mine')).toEqual({ value: null });
      expect(await reservations()).toMatchObject([{ by: 'ada', reason: 'a client of SiLA has locked it' }]);
      expect(await ask('is_locked')).toEqual({ value: true });
      expect(await ask('lock_server', 'other')).toMatchObject({ error: 'ServerAlreadyLocked' });
      expect(await ask('mix', null, 1, 0)).toMatchObject({ error: 'InvalidMetadata' });
      expect(await ask('mix', 'other', 1, 0)).toMatchObject({ error: 'InvalidLockIdentifier' });
      expect(await ask('unlock_server', 'other')).toMatchObject({ error: 'InvalidLockIdentifier' });
      expect(await ask('status', 'mine')).toEqual({ value: { mixed: 0 } });
    });

    it('runs long commands, fails with the error of the device, and every call is recorded', async () => {
      expect(await ask('mix', 'mine', 2.5, 0.5)).toEqual({
        value: { was_running: true, result: { mixed: 2.5 } },
      });
      expect(await ask('mix', 'mine', 13, 0)).toMatchObject({
        error: 'UndefinedExecutionError',
        message: expect.stringContaining('the valve is stuck') as string,
      });
      // The client knows the bounds from the feature.
      expect(await ask('mix', 'mine', 26, 0)).toMatchObject({
        error: 'ValidationError',
        message: expect.stringContaining('MaximalInclusive(25.0)') as string,
      });
      expect(await ask('clean', 'mine')).toEqual({ value: { clean: true } });
      // A record follows its call.
      const effects = await eventually(
        () => lab.api.all<{ function: string; state: string }>('/api/effects?lab=sila_lab&device=mixer'),
        (records) => records.length === 3 && records.every(({ state }) => state !== 'running'),
      );
      expect(effects.map((each) => `${each.function} ${each.state}`).sort()).toEqual([
        'clean completed',
        'mix completed',
        'mix failed',
      ]);
    });

    it('is free for tasks after the lock, and locked while a task has it', async () => {
      expect(await ask('unlock_server', 'mine')).toEqual({ value: null });
      const mixer = { mixer: { lab_name: 'sila_lab', name: 'mixer' } };
      await lab.api.submit('tasks', { name: 'mixing', type: 'use_mixer', devices: mixer });
      await eventually(
        async () => (await lab.api.device('mixer')).doing?.function,
        (name) => name === 'mix',
      );
      expect(await ask('is_locked')).toEqual({ value: true });
      expect(await ask('lock_server', 'mine')).toMatchObject({
        error: 'ServerAlreadyLocked',
        message: expect.stringContaining('mixing') as string,
      });
      expect(await ask('mix', null, 1, 0)).toMatchObject({ error: 'UndefinedExecutionError' });
      expect(await eventually(() => lab.api.task('mixing'), isOver)).toMatchObject({ state: 'completed' });
      expect(await ask('status', null)).toEqual({ value: { mixed: 3.5 } });
    });
  });
});
