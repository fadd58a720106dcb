import { ServiceError, type JsonObject } from '@lab/contracts';
import { holdsSecrets, withSecretsSealed, type Sealing } from '@lab/runtime';

/** The door at which secrets in free objects are sealed: behind it nobody but an optimizer worker can read them. */
export class Secrets {
  /** @param sealing undefined: this gateway has no key, so it takes no secrets */
  constructor(private readonly sealing: Sealing | undefined) {}

  /**
   * A copy with every secret sealed.
   *
   * @param path of the object in the body
   * @throws ServiceError `invalid` when there is a secret, and nothing to seal it with
   */
  sealed(object: JsonObject, path: string): JsonObject {
    if (!holdsSecrets(object)) return object;
    if (this.sealing !== undefined) return withSecretsSealed(object, this.sealing);
    throw new ServiceError('invalid', 'The body holds an API key, which cannot be kept safe here.', {
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
