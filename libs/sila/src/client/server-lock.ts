import { plainType, type Command, type Property } from '../feature/index.js';
import type { CallContext } from './channel.js';
import type { RemoteFeature } from './remote-feature.js';
import type { SilaClient } from './sila-client.js';

const withinMs = 10_000;

/** The lock of a server: its feature LockController, in whatever version. */
export class ServerLock {
  private constructor(
    private readonly remote: RemoteFeature,
    /** Full identifiers of features and calls that a lock protects. */
    private readonly affected: readonly string[],
  ) {}

  /** @returns undefined when the server has no lock */
  static async of(client: SilaClient): Promise<ServerLock | undefined> {
    const remote = [...client.features.values()].find(
      ({ feature }) => feature.identifier === 'LockController' && feature.originator === 'org.silastandard',
    );
    return remote === undefined
      ? undefined
      : new ServerLock(remote, await remote.affectedBy('LockIdentifier'));
  }

  /** @param timeout seconds without use after which the server frees the lock @throws SilaError `ServerAlreadyLocked` */
  async lock(identifier: string, timeout: number): Promise<void> {
    await this.remote.run(
      this.#command('LockServer'),
      { LockIdentifier: identifier, Timeout: timeout },
      { withinMs },
    );
  }

  /** @throws SilaError `ServerNotLocked`, `InvalidLockIdentifier` */
  async unlock(identifier: string): Promise<void> {
    await this.remote.run(this.#command('UnlockServer'), { LockIdentifier: identifier }, { withinMs });
  }

  async isLocked(): Promise<boolean> {
    const property = this.remote.feature.properties.get('IsLocked');
    if (property === undefined) throw new Error('the LockController of the server has no property IsLocked');
    return (await this.remote.get(property, { withinMs })) === true;
  }

  /** Whether a call needs the identifier of the lock. */
  protects(call: string): boolean {
    return this.affected.some((each) => call === each || call.startsWith(`${each}/`));
  }

  /** What a call sends to show that it comes from the owner of the lock. */
  async context(identifier: string): Promise<CallContext> {
    const metadatum = this.remote.feature.metadata.get('LockIdentifier');
    if (metadatum === undefined)
      throw new Error('the LockController of the server has no metadata LockIdentifier');
    return this.remote.context(metadatum, identifier);
  }

  /** A property that is cheap to read and that the lock protects: to read it counts as use of the lock. */
  protectedProperty(client: SilaClient): { remote: RemoteFeature; property: Property } | undefined {
    for (const remote of client.features.values()) {
      for (const property of remote.feature.properties.values()) {
        const type = plainType(property.type, remote.feature);
        const isCheap = !property.observable && type.kind === 'basic' && type.name !== 'Binary';
        if (isCheap && this.protects(remote.identifierOf(property))) return { remote, property };
      }
    }
    return undefined;
  }

  #command(name: string): Command {
    const command = this.remote.feature.commands.get(name);
    if (command === undefined) throw new Error(`the LockController of the server has no command ${name}`);
    return command;
  }
}
