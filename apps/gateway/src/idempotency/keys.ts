/**
 * What the gateway needs of where keys are kept; abstract, because Nest injects by it. All methods reject with
 * ServiceError `store_unavailable` when the database does not answer.
 */

/** One key, as somebody gave it for one address. */
export interface KeyName {
  principal: string;
  /** Method and path. */
  route: string;
  key: string;
}

export interface KeptAnswer {
  status: number;
  /** Of the header `Location`. */
  location: string | null;
  /** JSON text; null: there was none, or it is not kept. */
  body: string | null;
}

export type KeyState =
  | { state: 'new' }
  /** Milliseconds since 1970. */
  | { state: 'broken_off'; begunAt: number }
  | { state: 'in_progress' }
  | { state: 'other_request' }
  | { state: 'answered'; answer: KeptAnswer };

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
