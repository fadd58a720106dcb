import { isAbsolute, join } from 'node:path';
import { readFileSync } from 'node:fs';
import {
  BaseDevice,
  NotBegun,
  type AddedFunction,
  type CallInDoubt,
  type JsonObject,
  type JsonValue,
  type Reconciliation,
} from '@lab/sdk';
import type { z } from 'zod';
import { addedFunctions, readSettings, type FunctionEntry } from '../settings/index.js';
import { ExchangeError } from '../errors/index.js';
import { Link, type Exchange, type LinkOptions } from '../link/index.js';
import { checkNames, readRecording, Traffic } from '../recordings/index.js';
import {
  realTime,
  recorded,
  Replay,
  twinTransport,
  type Time,
  type Transport,
  type Twin,
} from '../transport/index.js';
import { Poll } from './poll.js';
import { overTcp, replaySettings, type commonSettings, type TransportKind } from './settings.js';

/** What the settings of every device of the kit have in common. */
export type CommonSettings = z.output<z.ZodObject<typeof commonSettings>> & {
  functions: Record<string, FunctionEntry>;
  simulate: unknown;
};

/** How a protocol uses its link. */
export type Protocol = Pick<LinkOptions, 'framer' | 'recovery' | 'sync' | 'greet'> & {
  /** Something that the instrument answers. */
  beat?: (exchange: Exchange) => Promise<unknown>;
  settleMs?: number;
};

/** Seconds that the agent waits longer than the instrument may take. */
const agentMargin = 10;
/** Milliseconds for the safe state when the device ends. The agent gives `_cleanup` five seconds. */
const partingMs = 3_000;

/**
 * A device behind a {@link Link}, which takes its functions from its init parameters. A protocol extends it and says how requests
 * look.
 */
export abstract class LinkedDevice<Settings extends CommonSettings> extends BaseDevice {
  /** Transports that the init parameter `transport` may name. A subclass adds others, such as `overSerial`. */
  protected transports: readonly TransportKind[] = [overTcp];
  /** Time. Tests replace it. */
  protected time: Time = realTime;
  protected settings!: Settings;
  #link: Link | undefined;
  #poll: Poll | undefined;
  #isSimulated = false;
  readonly #traffic = Traffic.of(this);

  /** The schema of the init parameters, with strict objects. */
  protected abstract schema(): z.ZodType<Settings>;
  /** Checks what the schema cannot, before anything is opened. @throws TypeError */
  protected abstract check(settings: Settings): void;
  protected abstract protocol(settings: Settings, transport: string): Protocol;
  /** The twin for `simulate`. @param transport the name of the transport that it replaces */
  protected abstract twin(settings: Settings, transport: string): Twin;
  /** Carries a function out. */
  protected abstract carryOut(
    entry: Settings['functions'][string],
    given: JsonObject,
    name: string,
  ): Promise<JsonValue | undefined>;
  /** Brings the instrument to its safe state. @param urgent goes before all that waits */
  protected abstract makeSafe(exchange: Exchange, urgent: boolean): Promise<void>;
  /** Whether the settings say how to make the instrument safe. */
  protected abstract get hasSafeState(): boolean;

  async _initialize(parameters: Record<string, unknown>): Promise<void> {
    const settings = this.#read(parameters);
    // The agent asks for `_stop` after this: without a safe state, an emergency stop has to end the process.
    if (!this.hasSafeState) Object.defineProperty(this, '_stop', { value: undefined });
    const [link, label] = this.#linkOf(settings, true);
    this.#traffic.begin(settings.record);
    await link.start();
    this.#link = link;
    this.log.info(`connected to ${label}`);
    const { poll, report } = settings;
    this.#poll = new Poll(new Map(report.map((name) => [name, this.#reader(name)])), this.time);
    if (poll !== undefined && report.length > 0) this.#poll.start(poll * 1_000);
  }

  async _cleanup(): Promise<void> {
    this.#poll?.stop();
    const link = this.#link;
    try {
      if (link?.status.connected === true && this.hasSafeState) {
        link.interrupt('the device ends');
        await this.#within(
          partingMs,
          this.makeSafe((request) => link.exchange(request), true),
        );
      }
    } finally {
      await link?.close();
      this.#traffic.stop();
    }
  }

  async _report(): Promise<object> {
    const { connected = false, detail } = this.#link?.status ?? {};
    const file = this.#traffic.file;
    const values = await this.#poll?.values(connected);
    return {
      connected,
      ...(detail === undefined ? {} : { detail }),
      ...(this.#isSimulated ? { simulated: true } : {}),
      ...(file === undefined ? {} : { recording: file }),
      ...values,
    };
  }

  override async _stop(reason: string): Promise<void> {
    const link = this.#link;
    if (link?.status.connected !== true)
      throw new Error(
        `nothing was sent to the instrument: ${link?.status.detail ?? 'it is not connected yet'}`,
      );
    link.interrupt(`stopped: ${reason}`);
    await this.makeSafe((request) => link.exchange(request), true);
  }

  override async _reconcile(
    parameters: Record<string, unknown>,
    inDoubt: readonly CallInDoubt[],
  ): Promise<Reconciliation> {
    const settings = this.#read(parameters);
    const [link] = this.#linkOf(settings, false);
    await link.start();
    try {
      return await this.findIdle(settings, (request) => link.exchange(request), inDoubt);
    } finally {
      await link.close();
    }
  }

  /** Whether the instrument is idle after a call with an unknown end. It may only read. */
  protected abstract findIdle(
    settings: Settings,
    exchange: Exchange,
    inDoubt: readonly CallInDoubt[],
  ): Promise<Reconciliation>;

  override _svc_functions(): Record<string, AddedFunction> {
    const { functions } = this.settings;
    const table = Object.fromEntries(
      Object.entries(functions).map(([name, entry]) => [
        name,
        entry.timeout === undefined
          ? entry
          : { ...entry, timeout: Math.min(604_800, entry.timeout + agentMargin) },
      ]),
    );
    return {
      ...this.#traffic.functions(),
      // The margin is for the agent; the function itself has its own time.
      ...addedFunctions(table, (_, given, name) => this.carryOut(this.#entry(name), given, name)),
    };
  }

  /** Makes an exchange with the instrument, for functions of a subclass. */
  protected readonly exchange: Exchange = (request) => {
    if (this.#link === undefined)
      throw new NotBegun(`${request.name} was not sent: the device is not initialised`);
    const { callId } = this;
    return this.#link.exchange(callId === undefined ? request : { call: callId, ...request });
  };

  /** Milliseconds in which the instrument has to answer. */
  protected timeoutMs({ timeout }: { timeout?: number | undefined }): number {
    return (timeout ?? this.settings.answer_timeout) * 1_000;
  }

  /**
   * Carries out several exchanges as one function. Once one of them has begun, a later one that was not sent no longer means that
   * nothing happened.
   *
   * @returns the last value
   */
  protected async inSteps(
    steps: readonly (() => Promise<JsonValue | undefined>)[],
  ): Promise<JsonValue | undefined> {
    const [only] = steps;
    if (only !== undefined && steps.length === 1) return only();
    let last: JsonValue | undefined;
    for (const [index, step] of steps.entries()) {
      try {
        last = (await step()) ?? last;
      } catch (error) {
        if (index > 0 && error instanceof NotBegun)
          throw new ExchangeError(`${error.message}; the steps before it were carried out`, { cause: error });
        throw error;
      }
    }
    return last;
  }

  #entry(name: string): Settings['functions'][string] {
    return this.settings.functions[name] as Settings['functions'][string];
  }

  #read(parameters: Record<string, unknown>): Settings {
    // A default that device.yml leaves empty is null.
    const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
    this.settings = readSettings(this.schema(), given);
    const { functions, report } = this.settings;
    checkNames(functions);
    for (const [index, name] of report.entries()) {
      const entry = Object.hasOwn(functions, name) ? functions[name] : undefined;
      if (entry?.kind !== 'query' || Object.values(entry.parameters).some((each) => !('value' in each)))
        throw new TypeError(
          `init_parameters.report[${index}]: "${name}" must be a function of the kind query that needs no parameters`,
        );
    }
    this.check(this.settings);
    return this.settings;
  }

  /** What reads the value of a function for the report. */
  #reader(name: string): () => Promise<JsonValue | undefined> {
    const entry = this.#entry(name);
    const given = Object.fromEntries(
      Object.entries(entry.parameters).map(([key, { value }]) => [key, value as JsonValue]),
    );
    return () => this.carryOut(entry, given, name);
  }

  #linkOf(settings: Settings, isForWork: boolean): [link: Link, label: string] {
    const [transport, kind] = this.#transport(settings);
    this.#traffic.label = transport.label;
    const { beat, greet, settleMs, ...protocol } = this.protocol(settings, kind);
    const settle = settings.settle_ms ?? settleMs;
    const makeSafe = (exchange: Exchange): Promise<void> => this.makeSafe(exchange, false);
    const link = new Link({
      ...protocol,
      transport: recorded(transport, this.#traffic),
      time: this.time,
      log: this.log,
      ...(settle === undefined ? {} : { settleMs: settle }),
      async greet(exchange) {
        await greet?.(exchange);
        if (isForWork) await makeSafe(exchange);
      },
      heartbeat:
        settings.heartbeat === 0 || beat === undefined
          ? undefined
          : { everyMs: settings.heartbeat * 1_000, beat },
    });
    return [link, transport.label];
  }

  /** @throws TypeError when `transport` names no known transport, or more than one */
  #transport(settings: Settings): [transport: Transport, kind: string] {
    const known = this.transports.map(({ name }) => name);
    const where = 'init_parameters.transport';
    const [name, ...more] = Object.keys(settings.transport);
    const kind = this.transports.find((each) => each.name === name);
    if (name === undefined || more.length > 0 || kind === undefined)
      throw new TypeError(
        `${where}: needs exactly one of ${known.join(', ')}${name === 'serial' && kind === undefined ? '; for serial ports, device.ts adds overSerial of @lab/instruments/serial' : ''}`,
      );
    const real = kind.make(settings.transport[name], `${where}.${name}`);
    const { simulate } = settings;
    this.#isSimulated = simulate !== false && simulate !== undefined;
    if (!this.#isSimulated) return [real, name];
    const replay = replaySettings.safeParse(simulate);
    if (!replay.success)
      return [twinTransport(`twin of ${real.label}`, this.twin(settings, name), this.time), name];
    const file = isAbsolute(replay.data.replay)
      ? replay.data.replay
      : join(this.stateFolder ?? '', replay.data.replay);
    return [new Replay(readRecording(readFileSync(file, 'utf8'), file), replay.data.mode, this.time), name];
  }

  async #within(ms: number, work: Promise<void>): Promise<void> {
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = this.time.after(ms, () =>
        reject(new Error(`the instrument was not made safe within ${ms / 1000} s`)),
      );
    });
    try {
      await Promise.race([work, late]);
    } finally {
      cancel();
    }
  }
}
