import { ServiceError, type JsonObject } from '@lab/contracts';
import { holdsSecrets, withSecretsSealed, type Sealing } from '@lab/runtime';

/** Seals secrets in free-form objects. Only an optimizer worker can open them. */
export class Secrets {
  /** @param sealing undefined: this gateway has no key and accepts no secrets */
  constructor(private readonly sealing: Sealing | undefined) {}

  /**
   * A copy with every secret sealed.
   *
   * @param path of the object in the body
   * @throws ServiceError `invalid` when the object has a secret and the gateway has no key
   */
  sealed(object: JsonObject, path: string): JsonObject {
    if (!holdsSecrets(object)) return object;
    if (this.sealing !== undefined) return withSecretsSealed(object, this.sealing);
    throw new ServiceError('invalid', 'The body contains an API key, which this gateway cannot protect.', {
      faults: [
        {
          path,
          code: 'no_secrets_key',
          message: 'holds an API key, and the gateway has no key to seal it with',
          hint: 'set SVC_SECRETS_KEY for gateway and optimizer, or give the optimizer worker the key in its environment',
        },
      ],
    });
  }
}
