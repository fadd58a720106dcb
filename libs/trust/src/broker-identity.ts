import { itself, permissions, processRoles } from '@lab/contracts/broker';
import { decode, encodeAccount, encodeOperator, newScopedSigner, type Account } from '@nats-io/jwt';
import { seedsOf, type Keys } from './keys.js';
import { keyPairOf } from './nkeys.js';

/** What the broker replaces by the name in the credentials of a client. */
const nameInCredentials = '{{name()}}';

/** What a broker must know to accept the processes of a service, and nobody else. It contains no secret. */
export interface BrokerIdentity {
  /** Signed statement of the operator. */
  readonly operator: string;
  /** Public key of the system account. */
  readonly systemAccount: string;
  /** Public key of each account, and the signed statement about it. */
  readonly accounts: ReadonlyMap<string, string>;
}

const unlimited = { subs: -1, data: -1, payload: -1 };
const accountLimits = {
  ...unlimited,
  ...{ conn: -1, leaf: -1, imports: -1, exports: -1, wildcards: true, disallow_bearer: true },
};

/** Keys of agents that the broker must refuse, and since when, in seconds since 1970. */
export type Revocations = Readonly<Record<string, number>>;

/**
 * Signs what the broker must know. The permissions of each role are those of the catalogue, bound to the key that signs its
 * credentials (scoped signing keys of NATS, ADR 0024).
 *
 * @param now in milliseconds since 1970; keys that have ended by then are left out
 */
export async function brokerIdentity(
  keys: Keys,
  revocations: Revocations = {},
  now = Date.now(),
): Promise<BrokerIdentity> {
  const [operator, account, system] = [
    keyPairOf(keys.operator),
    keyPairOf(keys.account),
    keyPairOf(keys.system),
  ];
  const signers = processRoles.flatMap((role) => {
    const named = (pattern: string): string => pattern.replaceAll(itself, nameInCredentials);
    const { publish, subscribe } = permissions[role];
    const template = {
      ...unlimited,
      pub: { allow: publish.map(named) },
      sub: { allow: subscribe.map(named) },
    };
    return seedsOf(keys, role, now).map((seed) => {
      const signer = newScopedSigner(keyPairOf(seed), role, template);
      // The library allows every client to answer any message that it gets. The broker would remember each message for this,
      // and pass a tenth of the messages in the same time.
      delete signer.template.resp;
      return signer;
    });
  });
  const systemAccount = system.getPublicKey();
  const [operatorToken, accountToken, systemToken] = await Promise.all([
    encodeOperator('svc', operator, { system_account: systemAccount }),
    encodeAccount(
      'svc',
      account,
      { signing_keys: signers, limits: accountLimits, revocations: { ...revocations } },
      { signer: operator },
    ),
    encodeAccount('system', system, { limits: accountLimits }, { signer: operator }),
  ]);
  return {
    operator: operatorToken,
    systemAccount,
    accounts: new Map([
      [account.getPublicKey(), accountToken],
      [systemAccount, systemToken],
    ]),
  };
}

/** A server of a cluster that asks the others for statements about accounts does so this often, in seconds. */
const askOthersS = 10;

/**
 * The identity as lines of a configuration of nats-server, 2.9.10 or newer.
 *
 * @param folder where the server keeps what it is told about accounts
 * @param askOthers whether the server belongs to a cluster. One that was down learns within 10 s whom it must refuse
 */
export function identitySettings(identity: BrokerIdentity, folder: string, askOthers = false): string[] {
  return [
    `operator: "${identity.operator}"`,
    `system_account: "${identity.systemAccount}"`,
    `resolver: { type: full, dir: ${JSON.stringify(folder)}, allow_delete: false, interval: "${askOthers ? `${askOthersS}s` : '2m'}" }`,
    'resolver_preload: {',
    ...[...identity.accounts].map(([key, statement]) => `  ${key}: "${statement}"`),
    '}',
  ];
}

/**
 * The keys that a broker refuses at present.
 *
 * @param statement what the operator has signed about the account of the service
 * @throws Error when it is no statement about an account
 */
export function revocationsIn(statement: string): Revocations {
  return decode<Account>(statement).nats.revocations ?? {};
}
