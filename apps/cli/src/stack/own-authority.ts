import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Authority, AuthorityCheck, authorityKeyIn } from '@lab/trust/authority';
import {
  readAuthorities,
  signAuthorities,
  trustedIn,
  writtenAuthorities,
  type AuthorityEntry,
} from '@lab/trust/authority-list';
import type { CertifiedKey } from '@lab/trust/certificates';
import {
  acceptedEntries,
  ringIn,
  ringOf,
  ringText,
  rotated,
  signingEntry,
  type KeyRing,
  type Overlap,
} from '@lab/trust/key-ring';
import { readIfThere, writePrivately } from './private-files.js';

/** How long a certificate of a server is valid, in days. */
const validDays = 90;

/** Path of the certificates of the service's own authorities, which computers of the lab trust. They are no secret. */
export const authorityPath = (dataDir: string): string => join(dataDir, 'ca.pem');
/** Path of the signed list of these authorities, for computers that joined. There is none before the first rotation. */
export const authorityListPath = (dataDir: string): string => join(dataDir, 'ca-list');

const keyPath = (dataDir: string): string => join(dataDir, 'secrets', 'ca-key');

/** The certificate authority of a service, and those before it that are still trusted. Their keys stay in the data folder. */
export class OwnAuthority {
  private constructor(
    private readonly dataDir: string,
    readonly ring: KeyRing<CertifiedKey>,
  ) {}

  /** Makes the authority if the data folder has none. @throws Error in one sentence when its file is damaged */
  static async kept(dataDir: string): Promise<OwnAuthority> {
    const present = OwnAuthority.present(dataDir);
    if (present !== undefined) return present;
    const pair = await newAuthority();
    mkdirSync(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
    writePrivately(keyPath(dataDir), pair.key);
    writePrivately(authorityPath(dataDir), pair.certificate);
    return new OwnAuthority(dataDir, ringOf(pair));
  }

  /** Undefined: the data folder has none. @throws Error in one sentence when its file is damaged */
  static present(dataDir: string): OwnAuthority | undefined {
    const text = readIfThere(keyPath(dataDir));
    if (text === undefined) return undefined;
    if (text.trimStart().startsWith('{'))
      return new OwnAuthority(
        dataDir,
        ringIn(text, 'file secrets/ca-key', pairIn, () => undefined),
      );
    const certificate = readIfThere(authorityPath(dataDir));
    return certificate === undefined
      ? undefined
      : new OwnAuthority(dataDir, ringOf({ key: text, certificate }));
  }

  /** Certificate of the authority that signs now. */
  get certificate(): string {
    return this.#signing.certificate;
  }

  /** Certificates of all authorities that computers must trust now, newest first. */
  get trusted(): string {
    return this.ring.length === 1 ? this.certificate : trustedIn({ authorities: this.#entries }, Date.now());
  }

  /**
   * Certifies a new key of a server for these names and addresses.
   *
   * @param use `peer`: the nodes of a cluster also accept the server as one of theirs
   */
  async certify(
    names: readonly [string, ...string[]],
    use: 'server' | 'peer' = 'server',
  ): Promise<CertifiedKey> {
    const { certifyServer } = await import('@lab/trust/certificates');
    return certifyServer(this.#signing, names, Date.now(), validDays, use);
  }

  /**
   * Makes a new authority, which signs after the lead time. The one before stays trusted for the overlap.
   *
   * @param brokerKeys text of the keys of the broker, which sign the list; undefined: no computer has joined
   */
  async rotate(overlap: Overlap, now: number, brokerKeys: string | undefined): Promise<OwnAuthority> {
    const next = new OwnAuthority(this.dataDir, rotated(this.ring, await newAuthority(), now, overlap));
    writePrivately(keyPath(this.dataDir), ringText(next.ring));
    next.publish(brokerKeys);
    return next;
  }

  /** Writes what follows from the authorities for clients, unless it is there: their certificates, and the signed list. */
  publish(brokerKeys: string | undefined): void {
    // A file that was never rotated is itself the only copy of the certificate.
    if (this.ring[0].since === null) return;
    if (readIfThere(authorityPath(this.dataDir)) !== this.trusted)
      writePrivately(authorityPath(this.dataDir), this.trusted);
    const signer = authorityKeyIn((JSON.parse(brokerKeys ?? '{}') as { authority?: unknown }).authority);
    if (signer === undefined) return;
    const text = (readIfThere(authorityListPath(this.dataDir)) ?? '').trim();
    const written = writtenAuthorities(text);
    // The key that signs may have been replaced.
    const current = text === '' ? undefined : readAuthorities(text, new AuthorityCheck(signer.x));
    if (JSON.stringify(current?.authorities) === JSON.stringify(this.#entries)) return;
    // Computers refuse a list that is older than one they have seen, whatever the clock said meanwhile.
    const madeAt = Math.max(Date.now(), Date.parse(written?.made_at ?? '1970-01-01') + 1);
    writePrivately(
      authorityListPath(this.dataDir),
      `${signAuthorities(new Authority(signer), this.#entries, madeAt)}\n`,
    );
  }

  get #entries(): AuthorityEntry[] {
    return acceptedEntries(this.ring, Date.now()).map(({ key, until }) => ({
      ...{ certificate: key.certificate, until },
    }));
  }

  get #signing(): CertifiedKey {
    return signingEntry(this.ring, Date.now()).key;
  }
}

async function newAuthority(): Promise<CertifiedKey> {
  const { makeCertificateAuthority } = await import('@lab/trust/certificates');
  return makeCertificateAuthority(`laboratory ${hostname()}`, Date.now());
}

function pairIn(given: unknown): CertifiedKey | undefined {
  const { certificate, key } = (given ?? {}) as Partial<CertifiedKey>;
  const isPem = (text: unknown): boolean => typeof text === 'string' && text.startsWith('-----BEGIN ');
  return isPem(certificate) && isPem(key) ? ({ certificate, key } as CertifiedKey) : undefined;
}
