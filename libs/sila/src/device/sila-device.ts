import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Mask, MessageReplay, readRecording, Traffic } from '@lab/instruments';
import {
  BaseDevice,
  NotBegun,
  type AddedFunction,
  type Allocation,
  type CallInDoubt,
  type JsonObject,
  type JsonValue,
  type Reconciliation,
} from '@lab/sdk';
import {
  Connection,
  isDefined,
  isFramework,
  recordedChannel,
  replayedChannel,
  ServerLock,
  SilaClient,
  SilaConnectionError,
  type CallContext,
  type Channel,
  type RemoteFeature,
  type Trust,
} from '../client/index.js';
import type { Command, Property } from '../feature/index.js';
import { declarationOf, exposed, type Exposed } from './exposed-functions.js';
import { Executions, type Execution } from './executions.js';
import { haltOf, type Halt } from './halt.js';
import { locate } from './locate.js';
import { LockKeeper } from './lock-keeper.js';
import { Metadata, metadataParameter } from './metadata.js';
import { silaSettings, waitOf, type LockTerms, type SilaSettings } from './settings.js';

/** How long the start waits for the server, in milliseconds. */
const startMs = 20_000;
/** How long the server may be away while it executes an observable command, in milliseconds. */
const awayMs = 60_000;
/** How long `_reconcile` waits for the end of an execution, in milliseconds. The service gives it 30 s. */
const settleMs = 20_000;
/** Seconds that `lock` may take beside the wait for the lock. */
const lockS = 3_600;

/** The codes of gRPC after which the server may be executing the command all the same. */
const inDoubt: readonly string[] = [
  'UNAVAILABLE',
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'DATA_LOSS',
  'ABORTED',
];

/** A command as a call wants it. */
interface Effect {
  remote: RemoteFeature;
  command: Command;
  given: JsonObject;
  /** Metadata of the call. */
  own: CallContext;
  /** Aborted by a stop that came after the call. */
  halted: AbortSignal;
}

/**
 * Any SiLA 2 server as a device. The commands and properties of the server are its functions. A package needs one class without content:
 *
 * ```ts
 * export default class Instrument extends SilaDevice {}
 * ```
 *
 * The guide page `sila.md` has the init parameters. A command is an effect and a property is a query, unless the lab says otherwise. If the
 * server can be locked, it is locked from the first effect of a task to the end of the task.
 */
export class SilaDevice extends BaseDevice {
  #settings: SilaSettings | undefined;
  #client: SilaClient | undefined;
  #functions = new Map<string, Exposed>();
  readonly #traffic = Traffic.of(this);
  readonly #mask = new Mask();
  #executions = new Executions(null);
  #metadata = Metadata.none;
  #keeper: LockKeeper | undefined;
  /** The terms that a task chose, by the owner of the lock. */
  #chosen: { owner: string; terms: LockTerms } | undefined;
  /** An effect is under way. */
  #acting = false;
  /** The execution of the observable command that is under way, and its UUID once the server has named it. */
  #running: { uuid: string | null; named: Promise<string> } | undefined;
  /** Aborted by a stop: an effect that is not sent by then is not sent. */
  #halting = new AbortController();
  readonly #ending = new AbortController();

  async _initialize(parameters: JsonObject): Promise<void> {
    const client = await this.#connected(parameters);
    const settings = this.#read(parameters);
    this.#functions = exposed(client, settings);
    this.#metadata = await Metadata.of(client, settings.metadata);
    await this.#executions.forget();
    const halt = haltOf(client, this.#functions, settings.stop, (remote, command, given) =>
      this.#command(remote, command, given),
    );
    if (halt !== undefined) this._stop = (reason) => this.#halt(halt, reason);
    this.log.info(`connected with ${client.label} (UUID ${client.server.uuid})`);
  }

  async _cleanup(): Promise<void> {
    this.#ending.abort(new Error('the device is being stopped'));
    try {
      // Another client must not get a server that may still move for us: the lock expires.
      if (!this.#acting) await this.#keeper?.release();
    } finally {
      this.#keeper?.close();
      this.#client?.close();
      this.#traffic.stop();
    }
  }

  async _report(): Promise<object> {
    const { server, address } = this.#demand();
    const { replay } = this.#read({});
    const { file: recording } = this.#traffic;
    await this.#demand().ping();
    return {
      server,
      address: `${address.host}:${address.port}`,
      lock: this.#keeper === undefined ? 'the server has no lock' : (this.#keeper.owner ?? 'not held'),
      execution: this.#running?.uuid ?? null,
      ...(recording === undefined ? {} : { recording }),
      ...(replay ? { replayed: replay.file } : {}),
    };
  }

  override _svc_functions(): Record<string, AddedFunction> {
    const settings = this.#read({});
    const waitS = this.#keeper === undefined ? 0 : waitOf(settings);
    const functions = [...this.#functions].map(([name, each]): [string, AddedFunction] => [
      name,
      declarationOf(
        name,
        each,
        { settings, waitS, metadata: this.#metadata.namesFor(each.remote.identifierOf(each.part)) },
        (given) => this.#call(each, given),
      ),
    ]);
    return {
      ...Object.fromEntries(functions),
      ...this.#lockFunctions(settings),
      ...this.#traffic.functions(),
    };
  }

  /** Frees the server when the task has ended. */
  override async _deallocated({ fence }: Allocation): Promise<void> {
    await this.#keeper?.release(ownerOf(fence));
    this.#chosen = undefined;
  }

  override async _reconcile(parameters: JsonObject, calls: readonly CallInDoubt[]): Promise<Reconciliation> {
    if (this.#read(parameters).replay) return { idle: true, detail: 'there is no instrument' };
    const left = await new Executions(this.stateFolder).left();
    const open = calls.map(({ callId }) => left.find((each) => each.callId === callId));
    const sent = open.filter((each) => each !== undefined);
    // A command is written down before it is sent, and crossed out when its end is known.
    if (sent.length === 0) return { idle: true, detail: 'no command was under way on the server' };
    const unnamed = sent.find(({ uuid }) => uuid === null);
    if (unnamed !== undefined) {
      return {
        idle: false,
        detail: `${unnamed.command} was sent, and the server gave no execution UUID that could be asked about`,
      };
    }
    const client = await this.#connected(parameters);
    const found: string[] = [];
    for (const each of sent) {
      const { idle, detail } = await this.#settled(client, each);
      if (!idle) return { idle, detail };
      found.push(detail);
    }
    return { idle: true, detail: found.join('; ') };
  }

  #read(parameters: JsonObject): SilaSettings {
    this.#settings ??= silaSettings(parameters);
    return this.#settings;
  }

  #demand(): SilaClient {
    if (this.#client === undefined) throw new Error('the device is not connected with its SiLA server');
    return this.#client;
  }

  /** Connects once: `_reconcile` and `_initialize` run on the same object. */
  async #connected(parameters: JsonObject): Promise<SilaClient> {
    if (this.#client !== undefined) return this.#client;
    const settings = this.#read(parameters);
    const client = await this.#connect(settings);
    this.#client = client;
    this.#executions = new Executions(this.stateFolder);
    const lock = await ServerLock.of(client);
    if (lock !== undefined) {
      const device = `${this.lab}.${this.name}`;
      this.#keeper = new LockKeeper({
        ...{ client, lock, device, folder: this.stateFolder, log: this.log },
        conceal: (identifier) => this.#mask.add(identifier),
      });
    }
    return client;
  }

  async #connect(settings: SilaSettings): Promise<SilaClient> {
    const { insecure, fingerprint, authorities, server_uuid: uuid, replay, address } = settings;
    this.#traffic.label = `sila://${address ?? uuid ?? settings.server_name ?? ''}`;
    if (this.#traffic.isOver) this.#traffic.begin(settings.record);
    if (replay) return SilaClient.over(this.#recorded(await this.#replayed(replay)), uuid);
    const trust: Trust = {
      insecure,
      fingerprint,
      authorities: authorities === undefined ? undefined : await readFile(authorities, 'utf8'),
    };
    const until = performance.now() + startMs;
    for (;;) {
      try {
        const connection = await Connection.open(await locate(settings), trust);
        return await SilaClient.over(this.#recorded(connection), uuid);
      } catch (error) {
        if (!(error instanceof SilaConnectionError) || performance.now() > until) throw error;
        await pause(500, undefined, { signal: this.#ending.signal });
      }
    }
  }

  #recorded(channel: Channel): Channel {
    return recordedChannel(channel, this.#traffic, this.#mask, () => this.callId);
  }

  async #replayed({ file, order }: NonNullable<SilaSettings['replay']>): Promise<Channel> {
    const path = resolve(this.stateFolder ?? '.', file);
    const recording = readRecording(await readFile(path, 'utf8'), path);
    return replayedChannel(new MessageReplay(recording, order), { host: 'replay', port: 0 }, this.#mask);
  }

  async #call({ remote, part, kind }: Exposed, all: JsonObject): Promise<JsonValue> {
    const halted = this.#halting.signal;
    const { [metadataParameter]: metadata, ...given } = all;
    const own = await this.#metadata.context(
      remote.identifierOf(part),
      (metadata ?? undefined) as JsonObject | undefined,
    );
    return kind === 'query' || !('parameters' in part)
      ? this.#ask(remote, part, given, own)
      : this.#act({ remote, command: part, given, own, halted });
  }

  /** Reads, beside a running effect. @param own metadata of the call */
  async #ask(
    remote: RemoteFeature,
    part: Command | Property,
    given: JsonObject,
    own: CallContext,
  ): Promise<JsonValue> {
    const call = remote.identifierOf(part);
    const ask = async (): Promise<JsonValue> => {
      const context = { ...own, ...(await this.#keeper?.context(call)) };
      return 'parameters' in part
        ? this.#through(remote, part, given, context)
        : remote.get(part, { context, signal: this.#ending.signal });
    };
    try {
      return await ask();
    } catch (error) {
      const keeper = this.#keeper;
      const wantsLock = isDefined(error, 'InvalidLockIdentifier') || isFramework(error, 'INVALID_METADATA');
      if (!wantsLock || keeper === undefined || keeper.owner !== undefined) throw error;
      // Some servers answer nobody but the owner of a lock, not even while none is set.
      return this.#locked(keeper, `query ${this.callId ?? ''}`, ask);
    }
  }

  async #act(effect: Effect): Promise<JsonValue> {
    const run = (): Promise<JsonValue> => this.#execute(effect);
    const keeper = this.#keeper;
    const terms = this.#terms();
    if (keeper === undefined || terms.lock_timeout === null) {
      // A dead connection shows here, before the effect.
      await this.#demand().ping();
      return run();
    }
    const fence = this.callAllocation?.fence;
    if (fence !== undefined) {
      await this.#unlessHalted(effect.halted, (signal) => keeper.hold(ownerOf(fence), terms, signal));
      return run();
    }
    // A person who calls a device of a task acts for the task.
    return keeper.owner === undefined
      ? this.#locked(keeper, `call ${this.callId ?? ''}`, run, effect.halted)
      : run();
  }

  /** Waits for the lock of the server. @param halted ends the wait, with its reason */
  async #unlessHalted<T>(halted: AbortSignal, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await wait(AbortSignal.any([this.#ending.signal, halted]));
    } catch (error) {
      halted.throwIfAborted();
      throw error;
    }
  }

  async #locked<T>(
    keeper: LockKeeper,
    owner: string,
    work: () => Promise<T>,
    halted = this.#halting.signal,
  ): Promise<T> {
    // Meanwhile a task may have got the lock. Then the work is done for the task.
    const isOwn = await this.#unlessHalted(halted, (signal) => keeper.share(owner, this.#terms(), signal));
    try {
      return await work();
    } finally {
      if (isOwn) await keeper.release(owner);
    }
  }

  /** Carries an effect out, and writes down what a later process needs in order to ask about it. */
  async #execute({ remote, command, given, own, halted }: Effect): Promise<JsonValue> {
    const callId = this.callId ?? '';
    const context = { ...own, ...(await this.#keeper?.context(remote.identifierOf(command))) };
    await this.#executions.begin({
      callId,
      feature: remote.feature.fullIdentifier,
      command: command.identifier,
    });
    try {
      halted.throwIfAborted();
      this.#acting = true;
      if (!command.observable) return await remote.run(command, given, { context });
      const running = { uuid: null as string | null, named: remote.begin(command, given, { context }) };
      this.#running = running;
      const uuid = await running.named;
      running.uuid = uuid;
      await this.#executions.named(callId, uuid);
      return await remote.follow(command, uuid, awayMs);
    } catch (error) {
      if (error instanceof SilaConnectionError && inDoubt.includes(error.code)) {
        // It never returns, so the command stays written down.
        await this.#leaveInDoubt(error);
      }
      throw error;
    } finally {
      this.#running = undefined;
      this.#acting = false;
      await this.#executions.end(callId);
    }
  }

  /** Stops the instrument. An effect that waits for the lock, or is about to be sent, is not sent any more. */
  async #halt(halt: Halt, reason: string): Promise<void> {
    this.#halting.abort(new NotBegun(`stopped before the command was sent: ${reason}`));
    this.#halting = new AbortController();
    await halt(this.#acting, this.#running?.named);
  }

  /** Runs a command of the device itself, beside its calls. */
  async #command(remote: RemoteFeature, command: Command, given: JsonObject): Promise<void> {
    const call = remote.identifierOf(command);
    const context = { ...(await this.#metadata.context(call)), ...(await this.#keeper?.context(call)) };
    await this.#through(remote, command, given, context);
  }

  /**
   * Nobody knows whether the effect goes on. The process ends, so that the device is uncertain until {@link _reconcile} or a person knows.
   */
  #leaveInDoubt(error: SilaConnectionError): Promise<never> {
    setImmediate(() => {
      throw new Error(`the connection was lost during an effect: ${error.message}`, { cause: error });
    });
    return new Promise(() => undefined);
  }

  async #through(
    remote: RemoteFeature,
    command: Command,
    given: JsonObject,
    context: CallContext,
  ): Promise<JsonValue> {
    if (!command.observable) return remote.run(command, given, { context });
    return remote.follow(command, await remote.begin(command, given, { context }), awayMs);
  }

  /** The terms of the task, or else of the device. */
  #terms(): LockTerms {
    const fence = this.callAllocation?.fence;
    const chosen =
      fence !== undefined && this.#chosen?.owner === ownerOf(fence) ? this.#chosen.terms : undefined;
    return chosen ?? this.#read({});
  }

  /** Asks the server how an execution of an earlier process ended. */
  async #settled(client: SilaClient, { feature, command: name, uuid }: Execution) {
    const remote = client.find(feature);
    const command = remote?.feature.commands.get(name);
    if (remote === undefined || command === undefined || uuid === null)
      return { idle: false, detail: `${client.label} no longer has the command ${name}` };
    const signal = AbortSignal.any([AbortSignal.timeout(settleMs), this.#ending.signal]);
    let last = 'running';
    try {
      for await (const { status, progress } of remote.states(command, uuid, signal)) {
        const done = progress === undefined ? '' : `, ${Math.round(progress * 100)} % done`;
        if (status.startsWith('finished')) {
          const how = status === 'finishedSuccessfully' ? 'ended well' : 'ended with an error';
          return { idle: true, detail: `${name} ${how} (execution ${uuid})` };
        }
        last = `${status}${done}`;
      }
    } catch (error) {
      if (isFramework(error, 'INVALID_COMMAND_EXECUTION_UUID'))
        return {
          idle: false,
          detail: `${client.label} does not know the execution ${uuid} of ${name} any more`,
        };
      if (!signal.aborted) throw error;
    }
    return { idle: false, detail: `${name} is ${last} (execution ${uuid})` };
  }

  #lockFunctions(settings: SilaSettings): Record<string, AddedFunction> {
    return {
      lock: {
        kind: 'idempotent',
        description: 'Locks the server for the task, on the terms of the task',
        timeout: lockS,
        parameters: {
          lock_timeout: { type: 'int', unit: 's', min: 0, max: 86_400, value: settings.lock_timeout ?? 0 },
          lock_retry_delay: {
            type: 'float',
            unit: 's',
            min: 0.05,
            max: 60,
            value: settings.lock_retry_delay,
          },
          lock_max_retries: {
            type: 'int',
            unit: 'n/a',
            min: 0,
            max: 100_000,
            value: settings.lock_max_retries,
          },
        },
        call: (given) => this.#lockAsTold(given),
      },
      unlock: {
        kind: 'idempotent',
        description: 'Frees the lock of the task',
        parameters: {},
        call: async () => {
          await this.#keeper?.release();
          this.#chosen = undefined;
        },
      },
    };
  }

  /** @param given `lock_timeout` 0: the task does not want the lock */
  async #lockAsTold(given: JsonObject): Promise<{ locked: boolean }> {
    const fence = this.callAllocation?.fence;
    if (fence === undefined)
      throw new Error('only a task can lock the server: a call of a person locks it by itself');
    const timeout = given['lock_timeout'] as number;
    const terms: LockTerms = {
      lock_timeout: timeout === 0 ? null : timeout,
      lock_retry_delay: given['lock_retry_delay'] as number,
      lock_max_retries: given['lock_max_retries'] as number,
    };
    waitOf(terms);
    const owner = ownerOf(fence);
    this.#chosen = { owner, terms };
    if (this.#keeper === undefined) return { locked: false };
    if (terms.lock_timeout === null) await this.#keeper.release(owner);
    else await this.#keeper.hold(owner, terms, this.#ending.signal);
    return { locked: terms.lock_timeout !== null };
  }
}

function ownerOf(fence: number): string {
  return `fence ${fence}`;
}
