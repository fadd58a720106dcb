import type { KeptAnswer, KeyName, KeyState } from '@lab/persistence';

export type { KeptAnswer, KeyName, KeyState };

/**
 * What the gateway needs of where keys are kept; abstract, because Nest injects by it. All methods reject with
 * ServiceError `store_unavailable` when the database does not answer.
 */
export abstract class Keys {
  /** Takes a key; with `new` and `broken_off` it is held by `holder` for `leaseS` seconds. */
  abstract take(name: KeyName, fingerprint: string, holder: string, leaseS: number): Promise<KeyState>;
  /** Holds on to all keys of a holder that have no answer. */
  abstract holdOn(holder: string, leaseS: number): Promise<void>;
  abstract answer(name: KeyName, holder: string, answer: KeptAnswer): Promise<void>;
  /** Nothing was done: it is as if the key had never been given. */
  abstract giveBack(name: KeyName, holder: string): Promise<void>;
  /** It is not known what was done. */
  abstract letGo(name: KeyName, holder: string): Promise<void>;
  /** Forgets what is older than is kept. */
  abstract forget(): Promise<unknown>;
}
