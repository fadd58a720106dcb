import type { AuditVerification, ServiceError } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { AuditRecorder } from '../src/audit/audit-recorder.js';
import { OpenToAll } from '../src/access/authentication.js';
import type { AccessTokenRow, AuditEntry, GatewayStore } from '@lab/persistence';
import type { TokenStore } from '../src/ports/stores.js';

export class MemoryTokens implements TokenStore {
  readonly kept: AccessTokenRow[] = [];
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

  byHash(hash: string): Promise<AccessTokenRow | undefined> {
    return this.read(() => this.kept.find((token) => token.hash === hash));
  }

  byId(id: string): Promise<AccessTokenRow | undefined> {
    return this.read(() => this.kept.find((token) => token.id === id));
  }

  list({ name, limit, after }: Parameters<TokenStore['list']>[0]): Promise<AccessTokenRow[]> {
    return this.read(() => {
      const newest = this.kept.filter((token) => name === undefined || token.name === name).toReversed();
      return newest.slice(newest.findIndex(({ id }) => id === after?.id) + 1).slice(0, limit);
    });
  }

  revoke(id: string, by: string, at: string): Promise<boolean> {
    return this.read(() => {
      const token = this.kept.find((each) => each.id === id && each.revoked_at === null);
      return token !== undefined && Boolean(Object.assign(token, { revoked_by: by, revoked_at: at }));
    });
  }

  revokedOf(ids: readonly string[]): Promise<string[]> {
    return this.read(() =>
      this.kept.filter(({ id, revoked_at }) => revoked_at !== null && ids.includes(id)).map(({ id }) => id),
    );
  }

  used(lastUse: ReadonlyMap<string, string>): Promise<void> {
    return this.read(() => {
      for (const token of this.kept) token.last_used_at = lastUse.get(token.id) ?? token.last_used_at;
    });
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
  audit: new AuditRecorder(new MemoryAudit(), log),
});
