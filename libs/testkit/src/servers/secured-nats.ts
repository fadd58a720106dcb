import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessRole } from '@lab/contracts';
import { brokerIdentity, identitySettings, issueCredentials, makeKeys, type Keys } from '@lab/trust';
import { startNats, type NatsFixture, type NatsOptions } from './nats.js';

/** A real nats-server that accepts the processes of one service alone, each with its own permissions. */
export interface SecuredNats extends NatsFixture {
  readonly keys: Keys;
  /** The credentials of a process, as text. */
  credentials(role: ProcessRole, name: string): Promise<string>;
}

/** @throws Error as {@link startNats} */
export async function startSecuredNats(options: Pick<NatsOptions, 'on'> = {}): Promise<SecuredNats> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-nats-'));
  const keys = makeKeys();
  const settings = identitySettings(await brokerIdentity(keys), join(folder, 'accounts'));
  const config = join(folder, 'server.conf');
  await writeFile(config, `${settings.join('\n')}\n`);
  const nats = await startNats({ ...options, args: ['-c', config] });
  return {
    ...nats,
    // A spread copies the value of a getter.
    get pid() {
      return nats.pid;
    },
    keys,
    credentials: (role, name) => issueCredentials(keys, role, name),
    async stop() {
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
