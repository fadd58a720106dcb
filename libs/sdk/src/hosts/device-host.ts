/**
 * The process of one device. An agent starts it and exchanges the messages `toDevice` and
 * `fromDevice` of contracts with it. It ends after `cleanup`, when the device cannot be initialised, and when author code
 * fails outside a call. When the agent is gone, it runs `_cleanup` and ends.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuthorError, JsonValue } from '@lab/contracts';
import { contextKey, type Allocation, type Reconciliation } from '../author/index.js';
import {
  declaredFunctions,
  importClass,
  withAddedFunctions,
  type AuthorDevice,
  type DeclaredFunction,
} from './author-class.js';
import { describeError } from './author-error.js';
import { Channel } from './channel.js';
import { authorLog, captureConsole } from './console-capture.js';
import { NotJson, toJson } from './json-value.js';
import { toDeviceMessage, type FromDevice, type ToDevice } from './messages.js';

/** Time for `_cleanup` when the agent is gone, in milliseconds. */
const orphanCleanupMs = 5_000;

const channel = new Channel<FromDevice>();
const write = channel.log.bind(channel);
const flushOutput = captureConsole(write);
process.setSourceMapsEnabled(true);

let module = { package: '', source: '' };
let device: AuthorDevice | undefined;
let functions = new Map<string, DeclaredFunction>();
/** The call that the running code serves. */
const current = new AsyncLocalStorage<{ id: string; allocation: Allocation | undefined }>();
/** Calls in progress that may move something. */
let moving = 0;
let initialization: Promise<void> | undefined;
let ready = false;
let ending: Promise<unknown> | undefined;
/** The question to people that is open. */
let asked: string | null = null;

channel.onMessage((raw) => {
  try {
    receive(toDeviceMessage(raw));
  } catch (error) {
    channel.log('error', `message ignored: ${describeError(error, module).message}`);
  }
});
channel.onGone(orphaned);
process.on('SIGTERM', () => orphaned());
// Ctrl-C in a terminal reaches every process of the group, but the agent decides when its devices end.
process.on('SIGINT', () => channel.log('debug', 'SIGINT left to the agent'));
process.on('uncaughtException', (error) => crash(error, 'an error was thrown outside a call'));
process.on('unhandledRejection', (error) => crash(error, 'a promise was rejected and nobody handled it'));

function receive(message: ToDevice): void {
  switch (message.type) {
    case 'init':
      if (initialization !== undefined) throw new Error('init came twice');
      initialization = initialize(message);
      return;
    case 'call':
      void answer(message.call_id, () => call(message));
      return;
    case 'report':
      void answer(message.call_id, async () =>
        toJson(await readyDevice()._report(), `the result of _report`),
      );
      return;
    case 'allocated':
    case 'deallocated':
      void answer(message.call_id, () => follow(message));
      return;
    case 'reconcile':
      if (device !== undefined) throw new Error('reconcile came after the device was made');
      void reconcile(message);
      return;
    case 'stop':
      void stop(message.reason).then((outcome) => channel.send({ type: 'stopped', ...outcome }));
      return;
    case 'ping':
      channel.send({ type: 'pong' });
      return;
    case 'cleanup':
      ending ??= cleanUp();
  }
}

/** Makes the device object once: `_reconcile` and `_initialize` run on the same object. */
async function make(message: ToDevice & { type: 'init' | 'reconcile' }): Promise<AuthorDevice> {
  if (device !== undefined) return device;
  module = message.module;
  const DeviceClass = await importClass(message.path, module.source, 'device');
  device = new DeviceClass();
  device[contextKey] = {
    name: message.name,
    lab: message.lab,
    log: authorLog(write),
    folder,
    callId: () => current.getStore()?.id,
    allocation: () => current.getStore()?.allocation,
    ask,
  };
  return device;
}

/** Characters of a question that are kept. */
const longestQuestion = 1_000;

function ask(question: string | null): void {
  const text = question === null ? null : question.slice(0, longestQuestion);
  if (text === asked) return;
  asked = text;
  channel.send({ type: 'asks', text });
}

/** The folder that the agent names when it starts this process. */
function folder(): string | null {
  const [, , path = null] = process.argv;
  if (path !== null) mkdirSync(path, { recursive: true });
  return path;
}

async function initialize(message: ToDevice & { type: 'init' }): Promise<void> {
  try {
    const made = await make(message);
    const ofClass = declaredFunctions(made);
    await made._initialize(message.init_parameters);
    functions = withAddedFunctions(made, ofClass);
    ready = true;
    channel.send({
      type: 'ready',
      functions: [...functions.values()].map(({ method: _, ...declared }) => declared),
      can_stop: made._stop !== undefined,
      version: process.versions.node,
      follows_allocations: followsAllocations(made),
    });
  } catch (error) {
    channel.send({ type: 'init_failed', error: describeError(error, module) });
    await end(1);
  }
}

async function reconcile(message: ToDevice & { type: 'reconcile' }): Promise<void> {
  try {
    const made = await make(message);
    if (made._reconcile === undefined) {
      channel.send({ type: 'reconciled', supported: false, idle: false });
      return;
    }
    const inDoubt = message.in_doubt.map((each) => ({ callId: each.call_id, function: each.function }));
    const found = (await made._reconcile(message.init_parameters, inDoubt)) as
      Partial<Reconciliation> | undefined;
    if (typeof found?.idle !== 'boolean') {
      throw new TypeError(
        '_reconcile must return { idle: true } or { idle: false }, with a detail if it likes',
      );
    }
    const detail = found.detail === undefined ? {} : { detail: String(found.detail) };
    channel.send({ type: 'reconciled', supported: true, idle: found.idle, ...detail });
  } catch (error) {
    channel.send({
      type: 'reconciled',
      supported: true,
      idle: false,
      error: describeError(error, module),
    });
  }
}

async function stop(reason: string): Promise<{ supported: boolean; error?: AuthorError }> {
  if (device?._stop === undefined) return { supported: false };
  try {
    await device._stop(reason);
    return { supported: true };
  } catch (error) {
    return { supported: true, error: describeError(error, module) };
  }
}

/** A refusal by the host, as opposed to an error of the author's code. */
class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

function readyDevice(): AuthorDevice {
  if (device === undefined || !ready)
    throw new Refusal('device_unavailable', 'The device is not initialised');
  if (ending !== undefined) throw new Refusal('device_unavailable', 'The device is being shut down');
  return device;
}

async function call(message: ToDevice & { type: 'call' }): Promise<JsonValue | undefined> {
  const target = readyDevice();
  const declared = functions.get(message.function);
  if (declared === undefined) {
    const known = [...functions.keys()].join(', ') || 'none';
    throw new Refusal(
      'unknown_function',
      `${module.source} declares no function ${message.function}; it declares: ${known}`,
    );
  }
  const moves = declared.kind === 'query' ? 0 : 1;
  moving += moves;
  let result: unknown;
  try {
    const serves = {
      id: message.call_id,
      allocation: message.allocation && allocationOf(message.allocation),
    };
    result = await current.run(serves, () => declared.method.call(target, message.arguments));
  } finally {
    moving -= moves;
  }
  return result === undefined ? undefined : toJson(result, `the result of ${message.function}`);
}

/** Only methods count: an author may have a field of the same name. */
function followsAllocations(made: AuthorDevice): boolean {
  const { _allocated, _deallocated } = Object.getPrototypeOf(made) as AuthorDevice;
  return typeof _allocated === 'function' || typeof _deallocated === 'function';
}

/** Runs the hook of the author for the beginning or the end of an allocation. */
async function follow(message: ToDevice & { type: 'allocated' | 'deallocated' }): Promise<undefined> {
  const target = readyDevice();
  const allocation = allocationOf(message.allocation);
  await (message.type === 'allocated' ? target._allocated?.(allocation) : target._deallocated?.(allocation));
  return undefined;
}

function allocationOf(given: { attempt_id: string; fence: number }): Allocation {
  return { attemptId: given.attempt_id, fence: given.fence };
}

async function answer(callId: string, work: () => Promise<JsonValue | undefined>): Promise<void> {
  try {
    const value = await work();
    channel.send({ type: 'result', call_id: callId, ...(value === undefined ? {} : { value }) });
  } catch (error) {
    if (error instanceof Refusal) {
      channel.send({ type: 'failure', call_id: callId, code: error.code, error: { message: error.message } });
      return;
    }
    const described = error instanceof NotJson ? { message: error.message } : describeError(error, module);
    const effect = error instanceof Error && error.name === 'NotBegun' ? { effect: 'none' as const } : {};
    channel.send({ type: 'failure', call_id: callId, code: 'device_error', error: described, ...effect });
  }
}

async function cleanUp(): Promise<void> {
  await initialization;
  try {
    await device?._cleanup();
    channel.send({ type: 'cleaned_up' });
    await end(0);
  } catch (error) {
    channel.send({ type: 'cleaned_up', error: describeError(error, module) });
    await end(1);
  }
}

/**
 * Leaves the instrument safe because the agent is gone or ends this process. A process that has only run `_reconcile` does not
 * touch the instrument.
 */
function orphaned(): void {
  if (initialization === undefined) {
    void end(0);
    return;
  }
  const cleanup = (ending ??= stopMoving().then(cleanUp));
  void Promise.race([cleanup, delay(orphanCleanupMs)]).then(() => end(1));
}

async function stopMoving(): Promise<void> {
  if (moving === 0) return;
  const { error } = await stop('the agent ends this process');
  if (error !== undefined) channel.log('error', `_stop failed: ${error.stack ?? error.message}`);
}

function crash(error: unknown, what: string): void {
  const { message, stack } = describeError(error, module);
  channel.log('error', `the device process ends: ${what}: ${stack ?? message}`);
  void end(1);
}

async function end(code: number): Promise<never> {
  flushOutput();
  return channel.exit(code);
}
