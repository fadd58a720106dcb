import { SilaClient, type ServerIdentity } from './sila-client.js';
import { shownCertificate, type ShownCertificate } from './trust.js';
import type { Address } from '../network/index.js';

/** What a server shows to anybody who asks. Nothing of it is proven, unless an authority has issued its certificate. */
export interface ServerLook {
  /** Undefined: the server does not use TLS, or it does not answer. */
  certificate: ShownCertificate | undefined;
  /** Undefined: the server did not say it. */
  server: ServerIdentity | undefined;
  /** Full identifiers. */
  features: readonly string[];
  /** Why `server` is undefined. */
  problem: string | undefined;
}

/**
 * Asks a server who it is, before anybody trusts it. The questions have no secrets, and the answers are for people who decide about trust.
 */
export async function look(address: Address): Promise<ServerLook> {
  const certificate = await shownCertificate(address).catch(() => undefined);
  const trust =
    certificate === undefined
      ? { insecure: true }
      : certificate.trusted
        ? {}
        : { fingerprint: certificate.fingerprint };
  try {
    const client = await SilaClient.connect(address, trust);
    client.close();
    return { certificate, server: client.server, features: [...client.features.keys()], problem: undefined };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { certificate, server: undefined, features: [], problem };
  }
}
