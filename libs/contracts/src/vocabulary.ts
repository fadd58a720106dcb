/**
 * Words that records and messages use, without their shapes. This entry point loads no validation library, so that a
 * command line that needs only words starts quickly.
 */
export { protocolText } from './agent-protocol.js';
export * from './errors.js';
export * from './record-name.js';
export * from './states.js';

/** State of a recorded call that may change something. */
export const effectStates = ['running', 'completed', 'failed', 'not_begun', 'unknown'] as const;
export type EffectState = (typeof effectStates)[number];

/** What executes a code module. */
export const runtimes = ['node', 'python'] as const;
export type Runtime = (typeof runtimes)[number];

/** Severity of a line, least first. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * What a person or program may do. From `viewer` to `lab_admin` each role includes those before it. `deployer` includes
 * `dry_runner` and `viewer` alone, and of the others only `admin` includes it: whoever operates a lab may not replace its code.
 * `lab_admin` is given for one lab; the others are given for one lab or for all; `admin` is always given for all.
 */
export const roles = [
  'viewer',
  'submitter',
  'operator',
  'lab_admin',
  'dry_runner',
  'deployer',
  'admin',
] as const;
export type Role = (typeof roles)[number];

/** What the roles about code include. Of the others only `admin` includes them. */
const aboutCode: Partial<Record<Role, readonly Role[]>> = {
  dry_runner: ['viewer'],
  deployer: ['viewer', 'dry_runner'],
};

/** Whether a role allows what another one allows. */
export function roleIncludes(role: Role, needed: Role): boolean {
  if (role === needed || role === 'admin') return true;
  const included = aboutCode[role];
  if (included !== undefined) return included.includes(needed);
  return aboutCode[needed] === undefined && roles.indexOf(role) > roles.indexOf(needed);
}

/** `personal`: belongs to a person and always expires. `service`: belongs to a program that runs for years. */
export const tokenKinds = ['personal', 'service'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** A session is the token of a browser, which began with another token. */
export const storedTokenKinds = [...tokenKinds, 'session'] as const;
export type StoredTokenKind = (typeof storedTokenKinds)[number];

/**
 * What a person may decide. About a task: `completed` with its outputs, `failed`, or `retry` as a new attempt. About a
 * device: `idle`, the device stands still and can safely be started again. About an agent: `lost`, the agent will not
 * return, so the service asks about each task that ran there. About a failed deployment: `acknowledge`.
 */
export const attentionActions = [
  'completed',
  'failed',
  'retry',
  'idle',
  'lost',
  'keep_waiting',
  'cancel',
  'acknowledge',
] as const;
export type AttentionAction = (typeof attentionActions)[number];

/** `pending`: will be sent, for the first time or again. `given_up`: not accepted, and not tried any more. */
export const deliveryStates = ['pending', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What a webhook can add to the events of work. */
export const webhookInclusions = ['meta', 'outputs'] as const;
export type WebhookInclusion = (typeof webhookInclusions)[number];

export const schedulerTypes = ['greedy', 'cpsat'] as const;
export type SchedulerType = (typeof schedulerTypes)[number];

/** Who is recorded when a person does not say who they are. */
export const unnamedPerson = 'unknown';

/** Names of fields that hold a secret anywhere in a free object. */
export const secretField = /(^|_)api_key$/i;

/**
 * The message of an author's error, with the place in the package that threw it: `no port (lab/devices/arm/device.ts:9:5)`. Stacks of
 * Python have no columns.
 */
export function messageWithPlace({
  message,
  stack,
}: {
  message: string;
  stack?: string | undefined;
}): string {
  const place = /^\s+at (?:.* \()?(\S+?:\d+(?::\d+)?)\)?$/m.exec(stack ?? '')?.[1];
  return place === undefined ? message : `${message} (${place})`;
}

/** How the attempt of a file of an instrument was found. */
export const fileMatches = ['time', 'name', 'person'] as const;
export type FileMatch = (typeof fileMatches)[number];
