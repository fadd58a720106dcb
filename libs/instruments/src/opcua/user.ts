import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import {
  crypto_utils,
  SecurityPolicy,
  UserTokenType,
  type EndpointDescription,
  type UserIdentityInfo,
} from 'node-opcua-client';
import { readGiven } from '../messages/index.js';

/** As whom a device logs in; undefined: as nobody. */
export type UserSettings =
  { name: string; password: string } | { certificate: string; key: string } | undefined;

/** A user, ready to log in. */
export interface User {
  identity: UserIdentityInfo;
  /** For messages: `the user lab`. */
  about: string;
  /** What to do when the server does not admit the user. */
  advice: string;
}

/**
 * Reads the files of a user. A certificate that no server could admit is refused here: servers count wrong attempts to log in, and block users.
 *
 * @throws Error that names the init parameter and the path, never the key
 */
export async function readUser(settings: UserSettings): Promise<User> {
  if (settings === undefined) {
    return {
      identity: { type: UserTokenType.Anonymous },
      about: 'a device without a user',
      advice: 'write one into init_parameters.user',
    };
  }
  if ('name' in settings) {
    const { name, password } = settings;
    return {
      identity: { type: UserTokenType.UserName, userName: name, password },
      about: `the user ${name}`,
      advice: 'compare name and password in init_parameters.user with those of the server',
    };
  }
  const certificate = await readCertificate(settings.certificate);
  const key = await readKey(settings.key);
  const about = `${certificate.fingerprint256} (${certificate.subject.replaceAll('\n', ', ')}, valid until ${certificate.validTo})`;
  if (!certificate.checkPrivateKey(key)) {
    throw new Error(
      `init_parameters.user.key: the key in ${settings.key} does not belong to the certificate in ${settings.certificate}, ${about}: give the two files that were made together`,
    );
  }
  const now = Date.now();
  if (Date.parse(certificate.validTo) < now || Date.parse(certificate.validFrom) > now) {
    throw new Error(
      `init_parameters.user.certificate: ${settings.certificate} is not valid at this time: it is ${about}, valid from ${certificate.validFrom}. Renew it, or set the clock of this computer`,
    );
  }
  return {
    identity: {
      type: UserTokenType.Certificate,
      certificateData: certificate.raw,
      keyOperations: crypto_utils.keyOperationsFromPrivateKey({ hidden: key }),
    },
    about: `the user certificate in ${settings.certificate}, ${about}`,
    advice:
      'trust it among the users of the server (many keep it in a folder rejected of their user certificates), and compare the clocks of server and device',
  };
}

/**
 * Refuses a user of a kind that the server does not take, before the device logs in.
 *
 * @param policy of the secure channel
 */
export function checkKind(
  { identity: { type }, about }: User,
  endpoint: EndpointDescription,
  url: string,
): void {
  const all = endpoint.userIdentityTokens ?? [];
  const fitting = all.filter(({ tokenType }) => tokenType === type);
  if (fitting.length === 0) {
    throw new Error(
      `${url} does not admit ${about}: it takes ${kindsOf(endpoint)}. Write one of these into init_parameters.user, or enable this kind of users at the server`,
    );
  }
  // The policy of a kind of users is that of the channel, unless it names its own (OPC UA part 4, section 7.42).
  const signs = fitting.some(
    ({ securityPolicyUri: own }) => (own || endpoint.securityPolicyUri) !== String(SecurityPolicy.None),
  );
  if (type === UserTokenType.Certificate && !signs) {
    throw new Error(
      `${url} cannot check ${about}, because nothing is signed without a policy: write init_parameters.security: { policy: Basic256Sha256 }`,
    );
  }
}

/** @param what the reason of the server */
export function refusal(
  { about, advice }: User,
  endpoint: EndpointDescription,
  url: string,
  what: string,
): string {
  return `${url} does not admit ${about} (${what}). It takes ${kindsOf(endpoint)}: ${advice}`;
}

function kindsOf({ userIdentityTokens }: EndpointDescription): string {
  const kinds = (userIdentityTokens ?? []).map(({ tokenType }) => UserTokenType[tokenType]);
  return [...new Set(kinds)].join(', ') || 'nobody';
}

async function readCertificate(path: string): Promise<X509Certificate> {
  const bytes = await readGiven(path, 'init_parameters.user.certificate');
  try {
    return new X509Certificate(bytes);
  } catch (error) {
    throw new Error(
      `init_parameters.user.certificate: ${path} is no certificate in PEM or DER: give the certificate of the user, not its key`,
      { cause: error },
    );
  }
}

async function readKey(path: string): Promise<KeyObject> {
  const bytes = await readGiven(path, 'init_parameters.user.key');
  let key: KeyObject;
  try {
    key = createPrivateKey(bytes);
  } catch (error) {
    const isLocked = /^(-----BEGIN ENCRYPTED|Proc-Type: .*ENCRYPTED)/m.test(bytes.toString());
    throw new Error(
      isLocked
        ? `init_parameters.user.key: the key in ${path} has a passphrase, which nobody can type here: write it without (openssl pkey -in OLD -out NEW), readable only by the user of the agent`
        : `init_parameters.user.key: ${path} is no private key in PEM: give the key that was made with the certificate`,
      { cause: error },
    );
  }
  if (key.asymmetricKeyType === 'rsa') return key;
  throw new Error(
    `init_parameters.user.key: the key in ${path} is of the kind ${String(key.asymmetricKeyType)}, and OPC UA signs with RSA here: have an RSA key and its certificate made`,
  );
}
