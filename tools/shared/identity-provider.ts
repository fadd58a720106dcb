import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration } from 'oidc-provider';

/** The service, as the provider knows it. */
export const identityClient = { id: 'lab', secret: 'the secret of the client' };

/** A real OpenID Connect provider at 127.0.0.1, at which a person signs in without a password. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Who signs in next, and the claims in their ID token. `refuses`: they do not want to. */
  person: { sub: string; roles: string[]; refuses: boolean };
  close(): Promise<void>;
}

/** @param redirectUri of the client {@link identityClient} */
export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  const { default: Provider } = await import('oidc-provider');
  const server: Server = createServer((request, reply) => void provider.callback()(request, reply));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const found: IdentityProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    person: { sub: 'sue', roles: ['operator'], refuses: false },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const configuration: Configuration = {
    clients: [
      {
        client_id: identityClient.id,
        client_secret: identityClient.secret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [redirectUri],
      },
    ],
    claims: { openid: ['sub', 'roles'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/person/${uid}` },
    cookies: { keys: ['cookies of the provider'] },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, roles: found.person.roles }),
    }),
  };
  const provider = new Provider(found.issuer, configuration);
  provider.use(async (context, next) => {
    if (!context.path.startsWith('/person/')) return next();
    const { sub, refuses } = found.person;
    const grant = new provider.Grant({ accountId: sub, clientId: identityClient.id });
    grant.addOIDCScope('openid');
    context.respond = false;
    await provider.interactionFinished(
      context.req,
      context.res,
      refuses
        ? { error: 'access_denied' }
        : { login: { accountId: sub, remember: false }, consent: { grantId: await grant.save() } },
    );
    return undefined;
  });
  return found;
}
