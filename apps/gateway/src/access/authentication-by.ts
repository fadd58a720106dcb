import { ConfigError, isLoopback, type AuthSettings } from '@lab/runtime';
import type { Log } from '@lab/ports';
import { BearerAuthentication, OpenToAll, type Authentication } from './authentication.js';
import { OidcAuthentication } from './oidc-authentication.js';
import { OidcSignIn, type SignInOptions } from './oidc-sign-in.js';
import type { TokenStore } from '../ports/index.js';
import { ProvenPersons } from './proven-persons.js';
import { signedInPath } from './serve-sign-in.js';
import { TokenAuthentication } from './token-authentication.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What a sign-in at an issuer needs beside the settings of authentication. */
export interface SignInSecrets extends Pick<SignInOptions, 'clientSecret' | 'secret'> {
  /** Address at which browsers reach the service. */
  publicUrl: string;
}

export interface Access {
  authentication: Authentication;
  /** undefined: people cannot sign in at an issuer. */
  signIn: OidcSignIn | undefined;
  close: () => Promise<void>;
}

/** The way in which people show who they are, as it is configured. */
export function authenticationBy(
  { type, oidc, session_idle_minutes: idleMinutes }: AuthSettings,
  tokens: TokenStore,
  { publicUrl, ...secrets }: SignInSecrets,
  log: Log,
): Access {
  if (type === 'off')
    return { authentication: new OpenToAll(), signIn: undefined, close: () => Promise.resolve() };
  const persons = new ProvenPersons(tokens);
  const own = new TokenAuthentication(
    tokens,
    persons,
    (oidc?.proof_hours ?? 0) * hourMs,
    log,
    idleMinutes * minuteMs,
  );
  const issuer = oidc === undefined ? undefined : new OidcAuthentication(oidc, persons, log);
  const redirectUri = new URL(signedInPath, publicUrl).href;
  return {
    authentication: new BearerAuthentication(own, issuer, oidc?.token_days),
    signIn:
      oidc?.client === undefined
        ? undefined
        : new OidcSignIn({
            settings: { ...oidc, client: oidc.client },
            ...secrets,
            ...{ redirectUri, persons, log },
          }),
    close: () => own.close(),
  };
}

/**
 * A gateway that others than this computer reach asks who they are, unless it is said outright that it need not.
 *
 * @param host address that it listens on
 * @param publicUrl address at which clients reach it. One of another computer means that a proxy stands before the gateway
 * @returns whether everybody on the network may do everything, because it was said outright
 * @throws ConfigError when that was not said
 */
export function isOpenToNetwork(
  { type, off_anywhere }: Pick<AuthSettings, 'type' | 'off_anywhere'>,
  host: string,
  publicUrl: string,
): boolean {
  const name = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  const listensOpenly = !isLoopback(host);
  if (type !== 'off' || (!listensOpenly && isLoopback(name))) return false;
  if (off_anywhere) return true;
  throw new ConfigError([
    {
      path: listensOpenly ? 'SVC_HTTP_HOST' : 'SVC_PUBLIC_URL',
      code: 'open_to_network',
      message: `${listensOpenly ? host : publicUrl} is reached by other computers, and authentication is off: everybody there could move the instruments`,
      hint:
        'switch it on with SVC_AUTH=tokens; or listen on 127.0.0.1 without SVC_PUBLIC_URL; or, on a network that only trusted people reach, ' +
        'set SVC_AUTH_OFF_ANYWHERE=true',
    },
  ]);
}
