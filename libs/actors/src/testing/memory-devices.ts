import type {
  Allocation,
  AuthorError,
  DeviceAssignment,
  DeviceFunction,
  FromDevice,
  JsonObject,
  JsonValue,
  ToDevice,
} from '@lab/contracts';
import type { DeviceProcess, DeviceProcesses } from '../ports/index.js';
import { MemoryProcess } from './memory-process.js';

/** The behaviour of a simulated device. A promise that never settles is a call that never ends. */
export interface DeviceScript {
  functions: DeviceFunction[];
  /** A rejection with an `AuthorError` is reported as it is. */
  initialize?(parameters: JsonObject): Promise<void>;
  call?(name: string, args: JsonObject): Promise<JsonValue | undefined>;
  report?(): Promise<JsonObject>;
  cleanUp?(): Promise<void>;
  /** Absent: the class has neither `_allocated` nor `_deallocated`. */
  follow?(type: 'allocated' | 'deallocated', allocation: Allocation): Promise<void>;
  /** Absent: the class has no `_stop`. */
  stop?(reason: string): Promise<void>;
  /** Absent: the class has no `_reconcile`. */
  reconcile?(inDoubt: { call_id: string; function: string }[]): Promise<{ idle: boolean; detail?: string }>;
  /** False: its event loop is blocked. */
  responds?(): boolean;
  /** Address at which a debugger may attach to the process. Absent: none may. */
  debugger?: string;
  /** Version of Node or Python that the process reports. Absent: it reports none. */
  version?: string;
}

export type SimulatedDevice = MemoryProcess<ToDevice, FromDevice>;

/** Simulated device processes that use the real messages. */
export class MemoryDeviceProcesses implements DeviceProcesses {
  /** Every process that was started, by `<lab>.<name>`, oldest first. */
  readonly started = new Map<string, SimulatedDevice[]>();

  /** @param script returns the behaviour of the `life`-th process of a device, counted from 1 */
  constructor(private readonly script: (device: DeviceAssignment, life: number) => DeviceScript) {}

  start(device: DeviceAssignment): DeviceProcess {
    const key = `${device.lab}.${device.name}`;
    const lives = this.started.get(key) ?? [];
    this.started.set(key, lives);
    const process: SimulatedDevice = new MemoryProcess();
    lives.push(process);
    const script = this.script(device, lives.length);
    process.debugger = script.debugger;
    process.behave((message) => obey(process, script, message));
    return process;
  }

  /** The latest process of a device. */
  latest(lab: string, name: string): SimulatedDevice {
    const process = this.started.get(`${lab}.${name}`)?.at(-1);
    if (process === undefined) throw new Error(`no process was started for ${lab}.${name}`);
    return process;
  }

  /** Number of living processes of a device. */
  alive(lab: string, name: string): number {
    return (this.started.get(`${lab}.${name}`) ?? []).filter((process) => process.alive).length;
  }
}

function obey(process: SimulatedDevice, script: DeviceScript, message: ToDevice): void {
  switch (message.type) {
    case 'init':
      void (script.initialize?.(message.init_parameters) ?? Promise.resolve()).then(
        () =>
          process.say({
            type: 'ready',
            functions: script.functions,
            can_stop: script.stop !== undefined,
            ...(script.version === undefined ? {} : { version: script.version }),
            follows_allocations: script.follow !== undefined,
          }),
        (error: unknown) =>
          process.say({
            type: 'init_failed',
            error: error instanceof Error ? { message: String(error) } : (error as AuthorError),
          }),
      );
      return;
    case 'call':
      answer(
        process,
        message.call_id,
        script.call?.(message.function, message.arguments) ?? Promise.resolve(undefined),
      );
      return;
    case 'allocated':
    case 'deallocated':
      answer(
        process,
        message.call_id,
        (script.follow?.(message.type, message.allocation) ?? Promise.resolve()).then(() => undefined),
      );
      return;
    case 'report':
      answer(process, message.call_id, script.report?.() ?? Promise.resolve({}));
      return;
    case 'reconcile':
      void (script.reconcile?.(message.in_doubt) ?? Promise.resolve(undefined)).then(
        (found) => process.say({ type: 'reconciled', supported: found !== undefined, idle: false, ...found }),
        (error: unknown) =>
          process.say({
            type: 'reconciled',
            supported: true,
            idle: false,
            error: { message: String(error) },
          }),
      );
      return;
    case 'stop':
      void (script.stop?.(message.reason) ?? Promise.resolve()).then(
        () => process.say({ type: 'stopped', supported: script.stop !== undefined }),
        (error: unknown) =>
          process.say({ type: 'stopped', supported: true, error: { message: String(error) } }),
      );
      return;
    case 'ping':
      if (script.responds?.() !== false) process.say({ type: 'pong' });
      return;
    case 'cleanup':
      void (script.cleanUp?.() ?? Promise.resolve()).then(
        () => leave(process, undefined),
        (error: unknown) => leave(process, error),
      );
      return;
  }
}

function answer(process: SimulatedDevice, callId: string, result: Promise<JsonValue | undefined>): void {
  void result.then(
    (value) => process.say({ type: 'result', call_id: callId, ...(value === undefined ? {} : { value }) }),
    (error: unknown) =>
      process.say({
        type: 'failure',
        call_id: callId,
        code: 'device_error',
        error: { message: error instanceof Error ? error.message : String(error) },
        ...(error instanceof Error && error.name === 'NotBegun' ? { effect: 'none' } : {}),
      }),
  );
}

function leave(process: SimulatedDevice, error: unknown): void {
  process.say({
    type: 'cleaned_up',
    ...(error === undefined ? {} : { error: { message: String(error) } }),
  });
  process.exit({ code: 0, signal: null, lastStderr: null });
}
