import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Secret } from '@lab/runtime';
import { actKeyFiles } from '../stack/act-keys.js';
import { BrokerAccess } from '../stack/broker-access.js';
import { SecretFiles } from '../stack/data-folder.js';
import { readIfThere, writePrivately } from '../stack/private-files.js';
import { authorityPath } from '../stack/own-authority.js';

/** Secrets that the configuration gives in place of those of the data folder. */
export interface GivenSecrets {
  uploadSecret?: Secret | undefined;
  secretsKey?: Secret | undefined;
  actKey?: Secret | undefined;
}

/**
 * Writes what each process needs that runs without the data folder: one folder for each kind of process, with the names of
 * the secrets as file names. Makes the keys that the data folder does not have. The same keys are written each time.
 *
 * @param dataDir the data folder, in which the keys stay
 * @param out folder for the folders `gateway`, `orchestrator`, `optimizer` and `agent`
 * @param computer name of the computer of the agent
 * @returns the paths of the files
 * @throws Error in one sentence when a key is damaged or a file cannot be written
 */
export async function handOut(
  dataDir: string,
  out: string,
  computer: string,
  given: GivenSecrets = {},
): Promise<string[]> {
  const secrets = new SecretFiles(dataDir);
  const access = await BrokerAccess.kept(dataDir);
  const acts = actKeyFiles(secrets, given.actKey);
  const text = (name: string, configured: Secret | undefined): string =>
    (configured ?? secrets.keptSecret(name)).reveal();
  const uploadSecret = text('upload-secret', given.uploadSecret);
  const secretsKey = text('secrets-key', given.secretsKey);
  const credentials = async (role: 'gateway' | 'orchestrator' | 'optimizer' | 'agent', name: string) =>
    contentOf(await access.credentials(role, name));
  const authorities = readIfThere(authorityPath(dataDir));
  const files: Record<string, Record<string, string>> = {
    gateway: {
      'nats-credentials': await credentials('gateway', 'gateway'),
      'agent-issuer': contentOf(await access.agentIssuer()),
      'act-key': contentOf(acts.actKey),
      'upload-secret': uploadSecret,
      'secrets-key': secretsKey,
    },
    orchestrator: {
      'nats-credentials': await credentials('orchestrator', 'orchestrator'),
      'authority-key': contentOf(access.authorityKey()),
      'broker-keys': contentOf(access.keysPath),
      'act-public-key': contentOf(acts.actPublicKey),
      'upload-secret': uploadSecret,
    },
    optimizer: {
      'nats-credentials': await credentials('optimizer', 'optimizer'),
      'secrets-key': secretsKey,
    },
    agent: { 'nats-credentials': await credentials('agent', computer) },
  };
  return Object.entries(files).flatMap(([process, ofProcess]) => {
    const folder = join(out, process);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const all = { ...ofProcess, ...(authorities === undefined ? {} : { 'ca.pem': authorities }) };
    return Object.entries(all).map(([name, content]) => {
      const path = join(folder, name);
      writePrivately(path, `${content.trim()}\n`);
      return path;
    });
  });
}

function contentOf(path: string): string {
  const content = readIfThere(path);
  if (content === undefined) throw new Error(`${path} is missing.`);
  return content;
}
