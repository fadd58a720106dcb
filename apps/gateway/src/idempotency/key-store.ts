import type { KeptAnswer, KeyName, KeyState } from '@lab/persistence';

export type { KeptAnswer, KeyName, KeyState };

/**
 * The store of idempotency keys; abstract, because Nest injects by it. Every method rejects with ServiceError
 * `store_unavailable` when the database does not answer.
 */
export abstract class Keys {
  /** Takes a key. After `new` and `broken_off`, `holder` holds it for `leaseS` seconds. */
  abstract take(name: KeyName, fingerprint: string, holder: string, leaseS: number): Promise<KeyState>;
  /** Renews the lease of all keys of a holder that have no answer. */
  abstract holdOn(holder: string, leaseS: number): Promise<void>;
  abstract answer(name: KeyName, holder: string, answer: KeptAnswer): Promise<void>;
  /** Frees a key, because the request had no effect. */
  abstract giveBack(name: KeyName, holder: string): Promise<void>;
  /** Ends the lease of a key, because the effect of the request is unknown. */
  abstract letGo(name: KeyName, holder: string): Promise<void>;
  /** Removes expired keys. */
  abstract forget(): Promise<unknown>;
}
