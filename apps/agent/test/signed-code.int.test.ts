import { existsSync } from 'node:fs';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { DeviceAssignment, ModuleReference } from '@lab/contracts';
import { startSecuredNats, type SecuredNats } from '@lab/testkit';
import { Authority } from '@lab/trust/authority';
import { CodeSigner, type SignedModule } from '@lab/trust/code-manifest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lab } from './lab.js';
import { armModule, taskModule } from './modules.js';

/** A real agent with credentials, so that it knows the key of its service, and an orchestrator that offers it code. */

let nats: SecuredNats;
let lab: Lab;
let service: CodeSigner;
/** Written by code that runs although it should not. */
let mark: string;

beforeEach(async () => {
  nats = await startSecuredNats();
  service = CodeSigner.ofService(new Authority(nats.keys.authority));
  lab = await Lab.open(nats, await nats.credentials('orchestrator', 'stand-in'));
  mark = join(lab.dataDir, 'mark');
});
afterEach(() => lab.close());

const labKey = (): CodeSigner =>
  CodeSigner.ofLab(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );

/** Starts an agent, and does not wait for its devices. */
async function start(env: Record<string, string> = {}): Promise<void> {
  const credentials = await nats.credentials('agent', 'svc_computer');
  lab.launch('svc_computer', { SVC_NATS_CREDENTIALS: credentials, ...env });
  await lab.until('the agent is online', () => (lab.online.get('svc_computer') ?? 0) > 0);
}

function manifest(by: CodeSigner, modules: ModuleReference[], change: object = {}): string {
  return by.sign({
    ...{ version: 1, package: 'agent_lab', package_version: '1.0.0', lock: null },
    modules: modules.map(({ hash: sha256, source, dependencies = [] }): SignedModule => ({
      source,
      sha256,
      dependencies,
    })),
    ...{ made_at: '2026-03-01T10:00:00.000Z', ...change },
  });
}

/** Code that leaves a mark when it is loaded, in the place of the arm. */
function tampered(): ModuleReference {
  const text = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\nexport default class {}\n`;
  const hash = createHash('sha256').update(text).digest('hex');
  const reference = { ...armModule.reference, hash };
  lab.modules.set(hash, { reference, text });
  return reference;
}

const arm = (module = armModule.reference): DeviceAssignment => ({ ...lab.device('arm'), module });

describe('an agent that knows the key of its service', () => {
  it('runs code that the service has signed, and asks once for each module', async () => {
    lab.signed = () => ({ manifest: manifest(service, [armModule.reference, taskModule.reference]) });
    lab.assigned.set('svc_computer', [arm(), { ...arm(), name: 'arm_2' }]);
    await start();
    await lab.deviceIs('arm', 'idle');
    await lab.deviceIs('arm_2', 'idle');
    const call = { mode: 'call', function: 'move', args: { to: 3 } };
    for (let time = 0; time < 2; time += 1)
      expect(await lab.run(call, { arm: {} })).toMatchObject({ output_parameters: { said: { at: 3 } } });
    const begun = lab.fetches.filter(({ offset }) => offset === 0).map(({ hash }) => hash);
    expect(begun.sort()).toEqual([armModule.reference.hash, taskModule.reference.hash].sort());
  });

  it.each([
    [
      'no one',
      () => ({}),
      'restarting',
      'the orchestrator has sent no signed manifest for agent_lab/devices/arm/device.ts',
    ],
    [
      'a stranger',
      (module: ModuleReference) => ({ manifest: manifest(labKey(), [module]) }),
      'faulted',
      'the code of the device is refused: the service that this computer joined has not signed the manifest of agent_lab',
    ],
    [
      'the service, before it was changed,',
      () => ({ manifest: manifest(service, [armModule.reference]) }),
      'faulted',
      `agent_lab/devices/arm/device.ts was signed with the SHA-256 ${armModule.reference.hash} in agent_lab 1.0.0, and `,
    ],
    [
      'the service, for another package,',
      (module: ModuleReference) => ({ manifest: manifest(service, [module], { package: 'other' }) }),
      'faulted',
      'the manifest is that of the package other',
    ],
  ])('starts no device with code that %s has signed, and says why', async (_, signed, state, why) => {
    const module = tampered();
    lab.signed = () => signed(module);
    lab.assigned.set('svc_computer', [arm(module)]);
    await start();
    await lab.deviceIs('arm', state);
    expect(lab.latest('arm')?.detail).toContain(why);
    expect(existsSync(mark)).toBe(false);
  });

  it('starts no task with such code, and the task says why', async () => {
    const module = tampered();
    await start();
    const task = { ...lab.task({}), module };
    await lab.start(task);
    expect(await lab.outcome(task.attempt_id)).toMatchObject({
      ...{ kind: 'failed', code: 'not_started' },
      error: { message: expect.stringContaining('has sent no signed manifest') as string },
    });
    expect(existsSync(mark)).toBe(false);
  });

  it('starts the device as soon as the orchestrator sends what is signed', async () => {
    lab.assigned.set('svc_computer', [arm()]);
    await start();
    await lab.deviceIs('arm', 'restarting');
    lab.signed = () => ({ manifest: manifest(service, [armModule.reference]) });
    await lab.deviceIs('arm', 'idle');
  });
});

describe('an agent that joined before its service signed code', () => {
  /** Such credentials name the authority, and no key for code. */
  const before = async (): Promise<Record<string, string>> => {
    const credentials = await nats.credentials('agent', 'svc_computer');
    return {
      SVC_NATS_CREDENTIALS: credentials.slice(0, credentials.indexOf('-----BEGIN SVC CODE KEY-----')),
    };
  };

  it('runs code of an orchestrator of the previous release, and demands a manifest after the first', async () => {
    lab.assigned.set('svc_computer', [arm()]);
    await start(await before());
    await lab.deviceIs('arm', 'idle');
    lab.signed = () => ({ manifest: manifest(service, [taskModule.reference]) });
    expect(await lab.run({ mode: 'wait', ms: 1 })).toMatchObject({ kind: 'completed' });
    lab.signed = () => ({});
    const task = { ...lab.task({}), module: tampered() };
    await lab.start(task);
    const outcome = await lab.outcome(task.attempt_id);
    expect(JSON.stringify(outcome)).toContain('has sent no signed manifest');
    expect(existsSync(mark)).toBe(false);
  });

  it('does not run what a stranger has signed', async () => {
    const module = tampered();
    lab.signed = () => ({ manifest: manifest(labKey(), [module]) });
    lab.assigned.set('svc_computer', [arm(module)]);
    await start(await before());
    await lab.deviceIs('arm', 'faulted');
    expect(existsSync(mark)).toBe(false);
  });
});

describe('an agent with a code key of its lab', () => {
  it('runs what this key has signed', async () => {
    const key = labKey();
    const modules = [armModule.reference];
    lab.signed = () => ({ manifest: manifest(service, modules), lab_manifest: manifest(key, modules) });
    lab.assigned.set('svc_computer', [arm()]);
    await start({ SVC_CODE_KEY: key.publicKey });
    await lab.deviceIs('arm', 'idle');
  });

  it.each([
    ['nobody but the service', () => ({}), 'the package agent_lab is not signed'],
    [
      'the service in the place of the lab',
      (module: ModuleReference) => ({ lab_manifest: manifest(service, [module]) }),
      'the manifest of agent_lab is not signed with the code key of this computer',
    ],
  ])('does not run what %s has signed', async (_, ofLab, why) => {
    const module = tampered();
    lab.signed = () => ({ manifest: manifest(service, [module]), ...ofLab(module) });
    lab.assigned.set('svc_computer', [arm(module)]);
    await start({ SVC_CODE_KEY: labKey().publicKey });
    await lab.deviceIs('arm', 'faulted');
    expect(lab.latest('arm')?.detail).toContain(why);
    expect(lab.latest('arm')?.detail).toContain('svc pkg sign agent_lab --key FILE');
    expect(existsSync(mark)).toBe(false);
  });
});
