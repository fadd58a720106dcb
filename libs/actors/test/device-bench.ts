import type { DeviceState, DeviceStatus, FunctionKind, JsonValue } from '@lab/contracts';
import { Devices } from '../src/devices/index.js';
import type { AgentLimits } from '../src/index.js';
import {
  MemoryCallRecords,
  MemoryDeviceProcesses,
  MemoryLog,
  MemoryModules,
  VirtualTime,
  type DeviceScript,
  type SimulatedDevice,
} from '../src/testing/index.js';
import { defaultLimits } from '../src/ports/index.js';
import { deferred, device } from './world.js';

export const arm = { lab: 'lab', name: 'arm' };

export interface BenchOptions {
  /** The behaviour of the `life`-th process of the device beside its calls, counted from 1. */
  script?: (life: number) => Partial<DeviceScript>;
  records?: MemoryCallRecords;
  limits?: Partial<AgentLimits>;
  time?: VirtualTime;
}

/** The end of a call: its value, or code and effect of its error. */
export type Ended = JsonValue | undefined;

/** One device with all its surroundings in memory. The test decides when its calls end. */
export class DeviceBench {
  readonly time: VirtualTime;
  readonly records: MemoryCallRecords;
  readonly log = new MemoryLog();
  readonly modules = new MemoryModules();
  readonly processes: MemoryDeviceProcesses;
  readonly devices: Devices;
  readonly statuses: DeviceStatus[] = [];
  /** Names of the calls that a process has begun, in order. */
  readonly begun: string[] = [];
  #open: { name: string; resolve: (value: JsonValue | undefined) => void }[] = [];
  #calls = 0;

  constructor(options: BenchOptions = {}) {
    this.time = options.time ?? new VirtualTime();
    this.records = options.records ?? new MemoryCallRecords();
    this.processes = new MemoryDeviceProcesses((_, life) => ({
      ...this.#puppet(),
      ...options.script?.(life),
    }));
    const { time, records, log, modules, processes } = this;
    this.devices = new Devices(
      {
        clock: time,
        wall: time,
        timers: time,
        processes,
        modules,
        records,
        checkArguments: (_, values) => ({ values, faults: [] }),
        log,
      },
      { ...defaultLimits, deviceNoticeMs: 0, ...options.limits },
      (status) => this.statuses.push(status),
    );
  }

  /** Assigns the device and waits until its first start has ended. */
  async up(): Promise<this> {
    this.devices.assign([device('arm')]);
    await this.time.advance(0);
    return this;
  }

  get status(): DeviceStatus {
    const [status] = this.devices.statuses();
    if (status === undefined) throw new Error('the device is not there');
    return status;
  }

  get state(): DeviceState {
    return this.status.state;
  }

  get process(): SimulatedDevice {
    return this.processes.latest('lab', 'arm');
  }

  /** The number of started processes. */
  get lives(): number {
    return this.processes.started.get('lab.arm')?.length ?? 0;
  }

  /** Messages that the latest process has received, without pings. */
  get heard(): string[] {
    return this.process.received.map(({ type }) => type).filter((type) => type !== 'ping');
  }

  /** Begins a call and lets it proceed as far as it can. */
  async call(
    name: FunctionKind,
    options: { callId?: string; attemptId?: string; signal?: AbortSignal; patienceMs?: number } = {},
  ): Promise<{ id: string; ended: Promise<Ended>; now: () => Ended | 'open' }> {
    const id = options.callId ?? `call-${++this.#calls}`;
    let now: Ended | 'open' = 'open';
    const ended = this.devices
      .call(arm, { function: name, arguments: {}, ...options, callId: id }, undefined)
      .catch((error: { code: string; effect: string }) => `${error.code} ${error.effect}`)
      .then((value) => (now = value));
    await this.time.advance(0);
    return { id, ended, now: () => now };
  }

  /** Ends the oldest call of this name that is in progress. */
  async end(name: FunctionKind, value: JsonValue = 'done'): Promise<void> {
    const index = this.#open.findIndex((call) => call.name === name);
    this.#open.splice(index, 1)[0]?.resolve(value);
    await this.time.advance(0);
  }

  /** Kills the process. */
  async crash(): Promise<void> {
    this.process.exit({ code: 7, signal: null, lastStderr: null });
    await this.time.advance(0);
  }

  #puppet(): DeviceScript {
    return {
      functions: (['effect', 'idempotent', 'query'] as const).map((kind) => ({ name: kind, kind })),
      call: (name) => {
        this.begun.push(name);
        const end = deferred<JsonValue | undefined>();
        this.#open.push({ name, resolve: end.resolve });
        return end.promise;
      },
    };
  }
}
