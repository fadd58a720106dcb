import type { AuditVerification, RefusalRecord, ServiceError } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { AuditRecorder } from '../src/audit/audit-recorder.js';
import { OpenToAll } from '../src/access/authentication.js';
import { RefusalLog } from '../src/refusals/refusal-log.js';
import type {
  AccessTokenRow,
  AuditEntry,
  GatewayStore,
  IssuerPerson,
  ProvenPerson,
  TokenOwner,
} from '@lab/persistence';
import type { RefusalStore, TokenStore } from '../src/ports/stores.js';
import { MemoryPackages } from './memory-packages.js';

export class MemoryTokens implements TokenStore {
  readonly kept: AccessTokenRow[] = [];
  readonly persons: ProvenPerson[] = [];
  failure: ServiceError | undefined;

  private async read<T>(value: () => T): Promise<T> {
    if (this.failure !== undefined) throw this.failure;
    return value();
  }

  add(token: Omit<AccessTokenRow, 'last_used_at' | 'revoked_at' | 'revoked_by'>): Promise<void> {
    return this.read(
      () => void this.kept.push({ ...token, last_used_at: null, revoked_at: null, revoked_by: null }),
    );
  }

  async addExchanged(token: Parameters<TokenStore['addExchanged']>[0]): Promise<boolean> {
    if (this.kept.some(({ exchanged }) => exchanged === token.exchanged)) return false;
    await this.add(token);
    return true;
  }

  addSession(
    session: Parameters<TokenStore['addSession']>[0],
    fromHash: string,
  ): Promise<string | undefined> {
    return this.read(() => {
      const source = this.kept.find(({ hash }) => hash === fromHash);
      if (source !== undefined && source.revoked_at !== null) return undefined;
      const ends = [session.expires_at, source?.expires_at ?? null].filter((end) => end !== null).sort();
      const expires_at = ends[0] ?? null;
      const unused = { last_used_at: null, revoked_at: null, revoked_by: null };
      this.kept.push({ ...session, made_from: source?.id ?? null, expires_at, ...unused });
      return expires_at ?? undefined;
    });
  }

  byHash(hash: string): Promise<AccessTokenRow | undefined> {
    return this.read(() => this.kept.find((token) => token.hash === hash));
  }

  byId(id: string): Promise<AccessTokenRow | undefined> {
    return this.read(() => this.kept.find((token) => token.id === id));
  }

  list({ of, limit, after }: Parameters<TokenStore['list']>[0]): Promise<AccessTokenRow[]> {
    return this.read(() => {
      const newest = this.kept.filter((token) => of === undefined || isOf(token, of)).toReversed();
      return newest.slice(newest.findIndex(({ id }) => id === after?.id) + 1).slice(0, limit);
    });
  }

  revoke(id: string, by: string, at: string): Promise<string[]> {
    return this.read(() => {
      const revoked = this.kept.filter(
        (each) => (each.id === id || each.made_from === id) && each.revoked_at === null,
      );
      for (const token of revoked) Object.assign(token, { revoked_by: by, revoked_at: at });
      return revoked.map((each) => each.id);
    });
  }

  revokedOf(ids: readonly string[]): Promise<string[]> {
    return this.read(() =>
      this.kept.filter(({ id, revoked_at }) => revoked_at !== null && ids.includes(id)).map(({ id }) => id),
    );
  }

  revokeAllOf(name: string, by: string, at: string): Promise<string[]> {
    return this.read(() => {
      const revoked = this.kept.filter((each) => each.name === name && each.revoked_at === null);
      for (const token of revoked) Object.assign(token, { revoked_by: by, revoked_at: at });
      return revoked.map(({ id }) => id);
    });
  }

  provenOf(persons: readonly IssuerPerson[]): Promise<ProvenPerson[]> {
    return this.read(() => this.persons.filter((known) => persons.some((each) => isSame(each, known))));
  }

  proven(persons: readonly ProvenPerson[]): Promise<void> {
    return this.read(() => {
      for (const person of persons) {
        const known = this.persons.find((each) => isSame(each, person));
        if (known === undefined) this.persons.push(structuredClone(person));
        else if (known.proven_at <= person.proven_at) Object.assign(known, structuredClone(person));
      }
    });
  }

  used(lastUse: ReadonlyMap<string, string>): Promise<void> {
    return this.read(() => {
      for (const token of this.kept) token.last_used_at = lastUse.get(token.id) ?? token.last_used_at;
    });
  }
}

const isSame = (a: IssuerPerson, b: IssuerPerson): boolean =>
  a.issuer === b.issuer && a.subject === b.subject;

function isOf(token: AccessTokenRow, of: TokenOwner): boolean {
  return 'name' in of
    ? token.issuer === null && token.name === of.name
    : token.issuer === of.issuer && token.subject === of.subject;
}

export class MemoryRefusals implements RefusalStore {
  kept: RefusalRecord[] = [];
  failure: ServiceError | undefined;

  async add(refusals: readonly RefusalRecord[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.kept.push(...refusals);
  }

  async prune(): Promise<number> {
    return 0;
  }
}

export class MemoryAudit implements Pick<GatewayStore['audit'], 'append' | 'check'> {
  readonly entries: AuditEntry[] = [];
  failure: ServiceError | undefined;

  async append(entries: readonly AuditEntry[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.entries.push(...entries);
  }

  async check(): Promise<AuditVerification> {
    if (this.failure !== undefined) throw this.failure;
    return { entries: this.entries.length, broken: null, head: 'ab12' };
  }
}

/** Access for servers of tests about other matters: everybody may do everything. */
export const openAccess = (log: Log) => ({
  authentication: new OpenToAll(),
  tokens: new MemoryTokens(),
  packages: new MemoryPackages(),
  audit: new AuditRecorder(new MemoryAudit(), log),
  refusals: new RefusalLog(new MemoryRefusals(), () => undefined, log),
});
