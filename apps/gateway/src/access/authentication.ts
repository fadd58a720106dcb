import type { Principal } from '@lab/contracts';

/** Finds out who makes a request. */
export abstract class Authentication {
  /**
   * @param token what came as `Authorization: Bearer <token>`; undefined: no such header
   * @returns undefined for somebody who shows no token
   * @throws ServiceError `unauthorized` for a token that is not valid (any more), `service_unavailable` or
   *   `store_unavailable` when that cannot be found out at present
   */
  abstract principalOf(token: string | undefined): Promise<Principal | undefined>;
}

/** Authentication is off: whoever reaches the server may do everything, and no token is looked at. */
export class OpenToAll implements Authentication {
  readonly #everybody: Principal = { name: 'local', kind: 'local', grants: [{ role: 'admin' }] };

  principalOf(): Promise<Principal> {
    return Promise.resolve(this.#everybody);
  }
}
