import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ownKind } from '@lab/definitions/model';
import { startSecuredNats } from '@lab/testkit';
import { Authority } from '@lab/trust/authority';
import { CodeSigner } from '@lab/trust/code-manifest';
import { expect, it } from 'vitest';
import { codeGid, codeUser, demandRoot } from './as-root.js';
import { dependencies, greeter, manifest, module, packed, sha256, text } from './greeter.js';
import { Lab } from './lab.js';

it('packed npm packages are read by the user who runs the code, who can change none of them', async () => {
  demandRoot();
  const nats = await startSecuredNats();
  const lab = await Lab.open(nats, await nats.credentials('orchestrator', 'stand-in'));
  try {
    // The other user must be able to enter it.
    chmodSync(lab.dataDir, 0o755);
    const content = await packed(greeter);
    const archive = { dependencies, ...ownKind(), sha256: sha256(content), size: content.length };
    lab.archives.set(archive.sha256, content);
    lab.modules.set(module.hash, { reference: module, text });
    lab.assigned.set('svc_computer', [{ ...lab.device('meter'), module }]);
    const service = CodeSigner.ofService(new Authority(nats.keys.authority));
    lab.signed = () => ({ manifest: manifest(service, [archive]) });
    const credentials = await nats.credentials('agent', 'svc_computer');
    const agent = lab.launch('svc_computer', { SVC_NATS_CREDENTIALS: credentials, SVC_CODE_USER: codeUser });
    await lab.deviceIs('meter', 'idle');
    expect(agent.lines.some((line) => line.includes('said: good morning'))).toBe(true);
    const folder = join(lab.dataDir, 'agents', 'svc_computer', 'packages');
    const changeable = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => {
      const { mode, uid, gid } = statSync(join(folder, path));
      return uid !== 0 || (mode & 0o002) !== 0 || (gid === codeGid && (mode & 0o020) !== 0);
    });
    expect(changeable).toEqual([]);
  } finally {
    await lab.close();
  }
});
