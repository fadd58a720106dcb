import { mkdirSync, writeFileSync, renameSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { agentCredentials, joinText, makeAgentKey, proveKey } from '@lab/trust/agent-key';
import { certificatesIn, fingerprintOf } from '@lab/trust/fingerprint';
import { z } from 'zod';
import { GatewayDoor, GatewayRefusal } from './gateway-door.js';

export interface JoinOptions {
  /** Address of the gateway. */
  url: string;
  /** `svc_join_<fingerprint>.<id>.<secret>`, from `svc agent invite`. */
  token: string;
  /** Data folder of the agent. */
  dataDir: string;
  /** Name of the computer, if the invitation leaves it open. */
  computer?: string | undefined;
  /** HTTP proxy to the gateway. */
  proxy?: string | undefined;
  version: string;
  /** Told once when an administrator must approve the computer. */
  onWaiting?: () => void;
  /** Milliseconds between two questions whether the computer is approved. Default 3 000. */
  pollMs?: number;
  signal?: AbortSignal;
}

/** What the computer is after it joined. */
export interface Joined {
  computer: string;
  /** End of the credentials, ISO 8601. */
  validUntil: string;
}

/** What an admitted agent gets. */
export const admissionShape = z.object({
  computer: z.string().min(1),
  statement: z.string().min(1),
  authority: z.string().min(1),
  brokers: z.string().min(1),
  valid_until: z.string(),
});

/** Names of the files in the data folder of an agent that joined. */
export const joinedFiles = {
  settings: 'joined.json',
  credentials: 'agent.creds',
  authority: 'ca.pem',
} as const;

const tokenPattern = /^svc_join_(system|[\w-]{43})\.([\w-]{8,64})\.([\w-]{20,128})$/;
const usualPollMs = 3_000;
/** How long an administrator has for an approval before the command gives up. It may be repeated with a new token. */
const longestWaitMs = 24 * 3_600_000;

/**
 * Joins a service: makes the key of the agent, proves it, and writes credentials and settings into the data folder. The key
 * never leaves this computer. Nothing is written unless everything succeeded.
 *
 * @throws Error in one sentence
 */
export async function join(options: JoinOptions): Promise<Joined> {
  const { dataDir, version, computer } = options;
  const url = gatewayAddress(options.url);
  const [, fingerprint = '', id = '', secret = ''] = tokenPattern.exec(options.token.trim()) ?? [];
  if (id === '')
    throw new Error('The token is damaged: copy the whole line that "svc agent invite" printed.');
  const authorities = await authorityOf(url, fingerprint, options.proxy);
  const door = new GatewayDoor(url, { authorities, proxy: options.proxy });
  const key = makeAgentKey();
  const request = {
    ...{ id, secret, version, key: key.publicKey, proof: proveKey(key, joinText(id, key.publicKey)) },
    ...(computer === undefined ? {} : { computer }),
  };
  const admission = await admitted(door, request, options);
  const env = {
    SVC_NATS_URL: admission.brokers,
    SVC_NATS_CREDENTIALS_FILE: joinedFiles.credentials,
    SVC_GATEWAY_URL: url,
    ...(authorities === undefined ? {} : { SVC_TLS_CA_FILE: joinedFiles.authority }),
    ...(options.proxy === undefined ? {} : { SVC_HTTPS_PROXY: options.proxy }),
  };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (authorities !== undefined) writeWhole(pathOf(dataDir, joinedFiles.authority), authorities);
  writeWhole(
    pathOf(dataDir, joinedFiles.credentials),
    agentCredentials(key, admission.statement, admission.authority),
  );
  // The last: without this file the computer has not joined.
  const settings = { version: 1, computer: admission.computer, env };
  writeWhole(pathOf(dataDir, joinedFiles.settings), `${JSON.stringify(settings, null, 2)}\n`);
  return { computer: admission.computer, validUntil: admission.valid_until };
}

/** Writes a file that only this user can read, completely or not at all. */
export function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, path);
}

/** @throws Error in one sentence */
function gatewayAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:') return url.origin;
  if (url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
    return url.origin;
  throw new Error(
    `The address of the service must begin with https://, as in https://lab-server:8443; ${JSON.stringify(text)} does not.`,
  );
}

/**
 * The authority that certified the gateway. Its certificate comes over a connection that nobody vouches for, and is believed
 * because the token, which came another way, contains its fingerprint.
 *
 * @returns undefined: this computer trusts what its system trusts
 */
async function authorityOf(
  url: string,
  fingerprint: string,
  proxy: string | undefined,
): Promise<string | undefined> {
  if (fingerprint === 'system') return undefined;
  let pem: string;
  try {
    pem = await new GatewayDoor(url, { proxy, unverified: true }).get('/agents/ca');
  } catch (error) {
    throw new Error(
      `${url} cannot be reached: ${reasonOf(error)}. "svc-agent doctor ${url}" says what is wrong.`,
      {
        cause: error,
      },
    );
  }
  let found: string;
  try {
    found = fingerprintOf(pem);
  } catch (error) {
    throw new Error(`What answers at ${url} is not the service: it sends no certificate.`, { cause: error });
  }
  // Nothing else of the answer is verified.
  if (found === fingerprint) return certificatesIn(pem);
  throw new Error(
    `${url} is not the service that made this token: its certificate authority is another one. Somebody may be in between.`,
  );
}

async function admitted(
  door: GatewayDoor,
  request: object,
  { onWaiting, pollMs = usualPollMs, signal, url }: JoinOptions,
): Promise<z.infer<typeof admissionShape>> {
  const giveUpAt = Date.now() + longestWaitMs;
  let told = false;
  for (;;) {
    let given;
    try {
      given = await door.post('/agents/join', request);
    } catch (error) {
      if (error instanceof GatewayRefusal) throw new Error(error.message, { cause: error });
      throw new Error(
        `${url} cannot be reached: ${reasonOf(error)}. "svc-agent doctor ${url}" says what is wrong.`,
        {
          cause: error,
        },
      );
    }
    if (given.status !== 202) return admissionShape.parse(given.answer);
    if (!told) onWaiting?.();
    told = true;
    if (Date.now() > giveUpAt) throw new Error('No administrator has approved this computer within a day.');
    await delay(pollMs, undefined, signal === undefined ? {} : { signal });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
