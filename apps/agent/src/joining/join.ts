import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { agentCredentials, joinText, makeAgentKey, proveKey } from '@lab/trust/agent-key';
import { codeKeyOf, isCodeKey } from '@lab/trust/code-manifest';
import { certificatesIn, fingerprintOf } from '@lab/trust/fingerprint';
import { z } from 'zod';
import { gatewayAddress, proxyAddress } from './addresses.js';
import { GatewayDoor, GatewayRefusal, reasonOf } from './gateway-door.js';

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
  /** Public code key of the lab: only code that it has signed will run. Undefined: the service says which, if any. */
  codeKey?: string | undefined;
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
  /** Public code key of the lab that it demands; undefined: none. */
  codeKey: string | undefined;
}

/** What an admitted agent gets. */
const admissionShape = z.object({
  computer: z.string().min(1),
  // Both become parts of a file with other keys, so their form is exact: a line more could bring a key of somebody else.
  statement: z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  authority: z.string().regex(/^[\w-]{43}$/),
  /** Public key with which the service signs code. Absent: it is of an earlier release, which signs none. */
  code_key: z.string().refine(isCodeKey).optional(),
  /** Public code key of the lab, which the service wants its computers to demand. Absent: it demands none. */
  lab_code_key: z.string().optional(),
  brokers: z.string().min(1),
  valid_until: z.string(),
});

/** Names of the files in the data folder of an agent that joined. */
export const joinedFiles = {
  settings: 'joined.json',
  credentials: 'agent.creds',
  authority: 'ca.pem',
  /** What the service has signed about its authorities since the computer joined. */
  authorityList: 'ca-list',
  /** The keys with which the service signs, since it replaced the one that the computer pinned. */
  serviceKeys: 'service-keys',
} as const;

const tokenPattern = /^svc_join_(system|[\w-]{43})\.([\w-]{8,64})\.([\w-]{20,128})$/;
const usualPollMs = 3_000;
/** How long an administrator has for an approval before the command gives up. It may be repeated with a new token. */
const longestWaitMs = 24 * 3_600_000;

/** Bytes for which the data folder must have room before the computer joins. The files are smaller. */
const roomBytes = 16_384;

/**
 * Joins a service: makes the key of the agent, proves it, and writes credentials and settings into the data folder. The key
 * never leaves this computer. No file is kept unless everything succeeded.
 *
 * @throws Error in one sentence
 */
export async function join(options: JoinOptions): Promise<Joined> {
  const { dataDir, version, computer } = options;
  demandCodeKey(options.codeKey);
  const url = gatewayAddress(options.url);
  const proxy = options.proxy === undefined ? undefined : proxyAddress(options.proxy);
  const [, fingerprint = '', id = '', secret = ''] = tokenPattern.exec(options.token.trim()) ?? [];
  if (id === '')
    throw new Error('The token is damaged: copy the whole line that "svc agent invite" printed.');
  const authorities = await authorityOf(url, fingerprint, proxy);
  const door = new GatewayDoor(url, { authorities, proxy });
  // The token may work only once, so the computer must be able to keep what it gets for it.
  demandRoom(dataDir);
  const key = makeAgentKey();
  const request = {
    ...{ id, secret, version, key: key.publicKey, proof: proveKey(key, joinText(id, key.publicKey)) },
    ...(computer === undefined ? {} : { computer }),
  };
  const admission = await admitted(door, request, options);
  const { authority, code_key: ofService } = admission;
  if (ofService !== undefined && ofService !== codeKeyOf(authority))
    throw new Error(
      `What answers at ${url} is not the service: it signs code with another key than the rest.`,
    );
  const codeKey = options.codeKey ?? admission.lab_code_key;
  if (admission.lab_code_key !== undefined && admission.lab_code_key !== codeKey)
    throw new Error(
      `The service demands code of ${admission.lab_code_key}, and this computer was to demand code of ${codeKey}. Ask who keeps the code key of the lab, and join with a new token and its key (--code-key).`,
    );
  const env = {
    SVC_NATS_URL: admission.brokers,
    SVC_NATS_CREDENTIALS_FILE: joinedFiles.credentials,
    SVC_GATEWAY_URL: url,
    ...(authorities === undefined ? {} : { SVC_TLS_CA_FILE: joinedFiles.authority }),
    ...(proxy === undefined ? {} : { SVC_HTTPS_PROXY: proxy }),
    ...(codeKey === undefined ? {} : { SVC_CODE_KEY: codeKey }),
  };
  if (authorities !== undefined) writeWhole(pathOf(dataDir, joinedFiles.authority), authorities);
  // Of an earlier joining. They would count for more than what the service says now, also after it was restored from a backup.
  for (const each of [joinedFiles.authorityList, joinedFiles.serviceKeys])
    rmSync(pathOf(dataDir, each), { force: true });
  writeWhole(
    pathOf(dataDir, joinedFiles.credentials),
    agentCredentials(key, admission.statement, authority, ofService),
  );
  // The last: without this file the computer has not joined.
  const settings = { version: 1, computer: admission.computer, env };
  writeWhole(pathOf(dataDir, joinedFiles.settings), `${JSON.stringify(settings, null, 2)}\n`);
  return { computer: admission.computer, validUntil: admission.valid_until, codeKey };
}

/** @throws Error in one sentence when it is no key. Before the token is used. */
function demandCodeKey(key: string | undefined): void {
  if (key === undefined || isCodeKey(key)) return;
  throw new Error('--code-key must be svc_code_ and 43 characters, as "svc pkg key new" prints it.');
}

const draftOf = (path: string): string => `${path}.${process.pid}.draft`;

/** Writes a file that only this user can read, completely or not at all. */
export function writeWhole(path: string, text: string): void {
  const draft = draftOf(path);
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    renameSync(draft, path);
  } catch (error) {
    // What was written may have the key of the agent.
    rmSync(draft, { force: true });
    throw error;
  }
}

/** @throws Error in one sentence when the files cannot be written into the folder */
function demandRoom(folder: string): void {
  const draft = draftOf(pathOf(folder, joinedFiles.settings));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(draft, Buffer.alloc(roomBytes), { mode: 0o600, flush: true });
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC';
    const hint = isFull
      ? 'make room on its disk'
      : 'let this user write there, or choose another folder with --data';
    throw new Error(
      `The data folder ${folder} cannot be written: ${reasonOf(error)}. The token was not used: ${hint}, then join again.`,
      { cause: error },
    );
  }
}

/** What an admitted agent gets, from an answer of a gateway. @throws Error in one sentence when it is something else */
export function admissionIn(answer: unknown, url: string): z.infer<typeof admissionShape> {
  const { data, error } = admissionShape.safeParse(answer);
  if (data !== undefined) return data;
  throw new Error(`What answers at ${url} is not the service: its answer admits no agent.`, { cause: error });
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
    throw unreachable(url, error);
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
    `${url} is not the service that made this token: its certificate authority is another one. Somebody may be in between, or the service has replaced its authority since: then join with a new token.`,
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
    const given = await door.post('/agents/join', request).catch((error: unknown) => {
      // The service may start again while an administrator is awaited. The same key gets the same answer.
      if (told && isPassing(error)) return undefined;
      throw error instanceof GatewayRefusal
        ? new Error(error.message, { cause: error })
        : unreachable(url, error);
    });
    if (given !== undefined) {
      if (given.status !== 202) return admissionIn(given.answer, url);
      if (!told) onWaiting?.();
      told = true;
    }
    if (Date.now() > giveUpAt) throw new Error('No administrator has approved this computer within a day.');
    await delay(pollMs, undefined, signal === undefined ? {} : { signal });
  }
}

/** Whether the gateway, or something before it, may only be away for a while. */
const isPassing = (error: unknown): boolean => !(error instanceof GatewayRefusal) || error.status >= 500;

function unreachable(url: string, cause: unknown): Error {
  const why = reasonOf(cause);
  return new Error(`${url} cannot be reached: ${why}. "svc-agent doctor ${url}" says what is wrong.`, {
    cause,
  });
}
