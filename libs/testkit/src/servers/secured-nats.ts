import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessRole } from '@lab/contracts';
import { brokerIdentity, identitySettings, issueCredentials, makeKeys, type Keys } from '@lab/trust';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';
import { startNats, type NatsFixture, type NatsOptions } from './nats.js';

/** A real nats-server that accepts the processes of one service alone, each with its own permissions. */
export interface SecuredNats extends NatsFixture {
  readonly keys: Keys;
  /** PEM certificate of the authority that certified it; undefined: it does not encrypt. */
  readonly authority?: string;
  /** The credentials of a process, as text. */
  credentials(role: ProcessRole, name: string): Promise<string>;
}

/**
 * @param options with `tls`, every client must encrypt
 * @throws Error as {@link startNats}
 */
export async function startSecuredNats({
  tls = false,
  ...options
}: Pick<NatsOptions, 'on'> & { tls?: boolean } = {}): Promise<SecuredNats> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-nats-'));
  const keys = makeKeys();
  const settings = identitySettings(await brokerIdentity(keys), join(folder, 'accounts'));
  const config = join(folder, 'server.conf');
  const authority = tls ? await certify(folder, options.on?.address ?? '127.0.0.1') : undefined;
  if (authority !== undefined)
    settings.push(`tls { cert_file: "${join(folder, 'cert.pem')}", key_file: "${join(folder, 'key.pem')}" }`);
  await writeFile(config, `${settings.join('\n')}\n`);
  const nats = await startNats({ ...options, args: ['-c', config] });
  return {
    ...nats,
    ...(authority === undefined ? {} : { authority, url: nats.url.replace(/^nats:/, 'tls:') }),
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

/** Writes the key and the certificate of the server. @returns the certificate of its authority */
async function certify(folder: string, address: string): Promise<string> {
  const authority = await makeCertificateAuthority('test', Date.now());
  const { certificate, key } = await certifyServer(authority, [address], Date.now(), 1);
  await writeFile(join(folder, 'cert.pem'), certificate);
  await writeFile(join(folder, 'key.pem'), key, { mode: 0o600 });
  return authority.certificate;
}
