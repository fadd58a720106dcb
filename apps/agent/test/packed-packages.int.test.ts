import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownKind } from '@lab/definitions/model';
import { startSecuredNats, type SecuredNats } from '@lab/testkit';
import { Authority } from '@lab/trust/authority';
import { CodeSigner, type CodeArchive } from '@lab/trust/code-manifest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dependencies, greeter, manifest, module, packed, sha256, text } from './greeter.js';
import { Lab } from './lab.js';

/** A real agent without a registry, and an orchestrator that offers it npm packages in archives. */

let nats: SecuredNats;
let lab: Lab;
let service: CodeSigner;
/** Written by npm, if it runs. */
let npmRan: string;
beforeEach(async () => {
  nats = await startSecuredNats();
  service = CodeSigner.ofService(new Authority(nats.keys.authority));
  lab = await Lab.open(nats, await nats.credentials('orchestrator', 'stand-in'));
  lab.modules.set(module.hash, { reference: module, text });
  lab.assigned.set('svc_computer', [{ ...lab.device('meter'), module }]);
  npmRan = join(lab.dataDir, 'npm-ran');
});
afterEach(() => lab.close());

/** Offers an archive. @returns as a manifest names it */
async function offered(files: Record<string, string> = greeter): Promise<CodeArchive> {
  const content = await packed(files);
  lab.archives.set(sha256(content), content);
  return { dependencies, ...ownKind(), sha256: sha256(content), size: content.length };
}
async function start(env: Record<string, string> = {}) {
  const npm = join(lab.dataDir, 'npm-cli.js');
  writeFileSync(npm, `require('node:fs').writeFileSync(${JSON.stringify(npmRan)}, ''); process.exit(1);`);
  return lab.launch('svc_computer', {
    ...{ SVC_NATS_CREDENTIALS: await nats.credentials('agent', 'svc_computer'), npm_execpath: npm, ...env },
  });
}
const detail = (): string => String(lab.latest('meter')?.detail);
/** What is in the folder of npm packages. */
const sets = (): string[] => {
  const folder = join(lab.dataDir, 'agents', 'svc_computer', 'packages');
  return existsSync(folder) ? readdirSync(folder) : [];
};

it('gets the packages of a module by the hash in the signed manifest, and runs no npm', async () => {
  const archive = await offered();
  const other = { ...archive, platform: 'win32-x64', sha256: 'b'.repeat(64) };
  lab.signed = () => ({ manifest: manifest(service, [other, archive]) });
  const agent = await start();
  await lab.deviceIs('meter', 'idle');
  expect(agent.lines.filter((line) => line.includes('said: good morning'))).toHaveLength(1);
  expect([existsSync(npmRan), sets()]).toEqual([false, [expect.stringMatching(/^[0-9a-f]{64}-packed$/)]]);
  // A restart asks for no archive.
  agent.child.kill('SIGTERM');
  await agent.gone;
  const fetches = lab.fetches.length;
  const again = await start();
  await lab.until('the device runs again', () =>
    again.lines.some((line) => line.includes('said: good morning')),
  );
  expect(lab.fetches.slice(fetches).filter(({ hash }) => hash === archive.sha256)).toEqual([]);
});

it('removes what an agent that was killed had unpacked, and unpacks it anew', async () => {
  lab.signed = () => ({ manifest: manifest(service, []) });
  const agent = await start();
  await lab.deviceIs('meter', 'faulted');
  agent.child.kill('SIGKILL');
  await agent.gone;
  const folder = join(lab.dataDir, 'agents', 'svc_computer', 'packages');
  writeFileSync(join(folder, '.packed-left'), '');
  const archive = await offered();
  lab.signed = () => ({ manifest: manifest(service, [archive]) });
  await start();
  await lab.deviceIs('meter', 'idle');
  expect(sets()).toEqual([expect.stringMatching(/-packed$/)]);
});

it('runs npm for packages of which nobody has packed any', async () => {
  lab.signed = () => ({ manifest: manifest(service) });
  await start();
  await lab.deviceIs('meter', 'faulted');
  expect([detail(), existsSync(npmRan)]).toEqual([
    expect.stringContaining('npm could not install greeter@1.0.0'),
    true,
  ]);
});

describe('a device does not start, says why, and leaves nothing, when', () => {
  it.each<[string, () => Promise<CodeArchive>, string]>([
    [
      'the packages were packed for other kinds of computers alone',
      async () => ({ ...(await offered()), platform: 'win32-x64', abi: '1' }),
      'has packed greeter@1.0.0 for win32-x64 with ABI 1 of Node, and this computer is ',
    ],
    [
      'other bytes come',
      async () => {
        const archive = await offered();
        const content = Buffer.from(lab.archives.get(archive.sha256) ?? '');
        content[20] = (content[20] ?? 0) ^ 1;
        lab.archives.set(archive.sha256, content);
        return archive;
      },
      'is another file: it has another SHA-256',
    ],
    ['more bytes come', async () => ({ ...(await offered()), size: 10 }), 'and 10 are expected'],
    [
      'the service does not have the archive',
      async () => ({ ...(await offered()), sha256: 'c'.repeat(64) }),
      'there is no archive cccc',
    ],
    [
      'the archive has a file outside of its folder',
      () => offered({ ...greeter, 'node_modules/../../escaped': '' }),
      'is damaged: it has the path "node_modules/../../escaped"',
    ],
    [
      'the archive lacks a package',
      () => offered({ 'node_modules/other/package.json': '{}' }),
      'does not contain all of them',
    ],
  ])('%s', async (_, offer, why) => {
    const archive = await offer();
    lab.signed = () => ({ manifest: manifest(service, [archive]) });
    await start();
    await lab.deviceIs('meter', 'faulted');
    expect(detail()).toContain(why);
    expect([existsSync(npmRan), sets()]).toEqual([false, []]);
  });
});

it('takes archives of the lab alone when it demands the code key of the lab', async () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const key = CodeSigner.ofLab(pem);
  const [own, foreign] = [
    await offered(),
    await offered({ ...greeter, 'node_modules/other/index.js': `module.exports = 'stolen';` }),
  ];
  lab.signed = () => ({ manifest: manifest(service, [foreign]), lab_manifest: manifest(key, [own]) });
  const agent = await start({ SVC_CODE_KEY: key.publicKey });
  await lab.deviceIs('meter', 'idle');
  expect(agent.lines.filter((line) => /said: /.test(line))).toEqual([
    expect.stringContaining('said: good morning'),
  ]);
});
