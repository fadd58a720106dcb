import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { permissions, type ProcessRole } from '@lab/contracts/broker';
import type { Secret } from '@lab/runtime';
import type { Keys, Revocations } from '@lab/trust';
import { ringText } from '@lab/trust/key-ring';
import { readIfThere, writePrivately } from './private-files.js';
import { ownServerSettings, type OwnServer } from './own-server.js';

/** What was signed with the keys. */
interface Signed {
  /** Digest of all that the signatures depend on. */
  stamp: string;
  /** Lines of the configuration of the server. */
  settings: string[];
  /** With this, gateways admit agents. */
  issuer: string;
  /** Credentials by role and name. */
  credentials: Record<string, string>;
}

/**
 * Who may use the broker: the private keys of a service, and what was signed with them. Both stay in the data folder, because
 * a signature takes some 30 ms of a start. Everything is signed anew when the permissions of a later version differ.
 */
export class BrokerAccess {
  readonly #path: string;
  readonly #stamp: string;
  #signing: Promise<Signed> | undefined;

  private constructor(
    private readonly secrets: string,
    private readonly accounts: string,
    private readonly keys: string,
  ) {
    this.#path = join(secrets, 'broker-access');
    this.#stamp = createHash('sha256')
      .update(JSON.stringify([keys, accounts, permissions, credentialsForm, timesPassedIn(keys)]))
      .digest('hex');
  }

  /** Makes the keys if the data folder has none. */
  static async kept(dataDir: string): Promise<BrokerAccess> {
    const present = BrokerAccess.present(dataDir);
    if (present !== undefined) return present;
    const { makeKeys } = await import('@lab/trust');
    mkdirSync(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
    const keys = `${JSON.stringify(makeKeys())}\n`;
    writePrivately(keysPath(dataDir), keys);
    return new BrokerAccess(join(dataDir, 'secrets'), accountsPath(dataDir), keys);
  }

  /** Undefined: the data folder has no keys, as on the computer of an instrument. */
  static present(dataDir: string): BrokerAccess | undefined {
    const keys = readIfThere(keysPath(dataDir));
    return keys === undefined
      ? undefined
      : new BrokerAccess(join(dataDir, 'secrets'), accountsPath(dataDir), keys);
  }

  /**
   * The whole configuration of a nats-server outside of the stack.
   *
   * @throws Error in one sentence when the settings of the cluster are not complete
   */
  async ownServer(server: OwnServer): Promise<string> {
    const { brokerIdentity, readKeys } = await import('@lab/trust');
    return ownServerSettings(await brokerIdentity(readKeys(this.keys)), server);
  }

  /** Writes the key with which gateways admit agents. @returns the path of the file */
  async agentIssuer(): Promise<string> {
    const path = join(this.secrets, 'agent-issuer');
    writePrivately(path, (await this.#current()).issuer);
    return path;
  }

  /** Path of the file with all keys. */
  get keysPath(): string {
    return join(this.secrets, 'broker-keys');
  }

  /** Writes the key with which orchestrators sign what agents believe. @returns the path of the file */
  authorityKey(): string {
    const path = join(this.secrets, 'authority-key');
    writePrivately(path, authorityKeyText(JSON.parse(this.keys) as Keys));
    return path;
  }

  /** New credentials of a process, as text. They are not kept. */
  async issue(role: ProcessRole, name: string): Promise<string> {
    const { issueCredentials, readKeys } = await import('@lab/trust');
    return issueCredentials(readKeys(this.keys), role, name);
  }

  /** Lines of the configuration of the nats-server of the stack. It accepts the processes of this service and nobody else. */
  async serverSettings(): Promise<readonly string[]> {
    return (await this.#current()).settings;
  }

  /**
   * Writes the credentials of a process to a file that only this user can read.
   *
   * @param name of the computer for an agent; otherwise of the process
   * @returns the path of the file
   */
  async credentials(role: ProcessRole, name: string): Promise<string> {
    const signed = await this.#current();
    const who = `${role} ${name}`;
    let credentials = signed.credentials[who];
    if (credentials === undefined) {
      credentials = await this.issue(role, name);
      // Others may have been kept meanwhile.
      const latest = this.#kept() ?? signed;
      this.#keep({ ...latest, credentials: { ...latest.credentials, [who]: credentials } });
    }
    const path = join(this.secrets, `nats-credentials-${encodeURIComponent(who.replace(' ', '-'))}`);
    writePrivately(path, credentials);
    return path;
  }

  async #current(): Promise<Signed> {
    return (
      this.#kept() ?? (await (this.#signing ??= this.#sign().finally(() => (this.#signing = undefined))))
    );
  }

  /** Undefined: nothing was signed yet, or what it depends on has changed. */
  #kept(): Signed | undefined {
    try {
      const kept = JSON.parse(readIfThere(this.#path) ?? '{}') as Partial<Signed>;
      return kept.stamp === this.#stamp && kept.issuer !== undefined ? (kept as Signed) : undefined;
    } catch (error) {
      // A damaged file is of no use, and everything in it can be signed again.
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  async #sign(): Promise<Signed> {
    const { brokerIdentity, identitySettings, readKeys } = await import('@lab/trust');
    const identity = await brokerIdentity(readKeys(this.keys), await this.#revocations());
    const settings = identitySettings(identity, this.accounts);
    const { agentIssuerKey } = await import('@lab/trust/agent-issuer');
    const issuer = agentIssuerKey(readKeys(this.keys));
    const signed = { stamp: this.#stamp, settings, issuer, credentials: {} };
    this.#keep(signed);
    return signed;
  }

  /** What the broker of the stack refuses at present. A new statement must not let a revoked agent in again. */
  async #revocations(): Promise<Revocations> {
    const { accountOf, readKeys, revocationsIn } = await import('@lab/trust');
    const statement = readIfThere(join(this.accounts, `${accountOf(readKeys(this.keys))}.jwt`));
    return statement === undefined ? {} : revocationsIn(statement.trim());
  }

  #keep(signed: Signed): void {
    writePrivately(this.#path, JSON.stringify(signed));
  }
}

/**
 * Whether processes connect with credentials. An address with a user or a token needs none.
 *
 * @param url address of the broker; undefined: the embedded one
 */
export function takesCredentials(url: Secret | undefined): boolean {
  return url === undefined || new URL(url.reveal()).username === '';
}

/** Text of the file with which orchestrators sign what agents believe. */
export const authorityKeyText = ({
  authority,
  authorities,
}: Pick<Keys, 'authority' | 'authorities'>): string =>
  authorities === undefined ? JSON.stringify(authority) : ringText(authorities.keys);

/** How many keys have ended by now, or do not sign yet. What depends on the time is signed anew when it changes. */
function timesPassedIn(keys: string): number {
  try {
    const { agents, processes = [], authorities } = JSON.parse(keys) as Partial<Keys>;
    const moments = [...(agents?.before ?? []), ...processes, ...(authorities?.keys ?? [])].flatMap(
      (each) => [each.until, 'since' in each ? each.since : null],
    );
    return moments.filter((moment) => moment !== null && Date.parse(moment) <= Date.now()).length;
  } catch {
    // Whoever reads the keys says that they are damaged.
    return 0;
  }
}

/** Rises when credentials contain more, so that those that were kept are made again. */
const credentialsForm = 2;

const keysPath = (dataDir: string): string => join(dataDir, 'secrets', 'broker-keys');
const accountsPath = (dataDir: string): string => join(dataDir, 'nats', 'accounts');
