import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  BaseDevice,
  NotBegun,
  type AddedFunction,
  type CallInDoubt,
  type JsonObject,
  type JsonValue,
  type Reconciliation,
} from '@lab/sdk';
import { ExchangeError, failure, isFailure, messageOf } from '../errors/index.js';
import { checkNames, Mask, MessageReplay, readRecording, Traffic } from '../recordings/index.js';
import { addedFunctions, type FunctionEntry } from '../settings/index.js';
import { holds } from './answers.js';
import type { DeviceSettings } from './device-settings.js';
import type { Ask, Message, OpenPort } from './port.js';
import { PortKeeper } from './port-keeper.js';
import { replayed } from './replay.js';
import { recorded } from './recorded.js';
import { TwinModel } from './twin-model.js';

/** A function of a device, as a protocol carries it out. */
export interface FunctionPlan extends FunctionEntry {
  /**
   * @param ask sends a request of this call
   * @returns what the call returns
   */
  carryOut: (given: JsonObject, ask: Ask, signal: AbortSignal) => Promise<JsonValue | undefined>;
}

/** What a protocol adds to {@link MessageDevice}. */
export interface Protocol {
  settings: DeviceSettings;
  /** The peer for messages. */
  peer: string;
  /** Opens a connection. */
  open: OpenPort;
  /** Opens a connection to a twin. */
  openTwin: (model: TwinModel) => OpenPort;
  /**
   * Identifies the peer and prepares the connection, each time that it is made.
   *
   * @throws Error when the peer is another one, or has not what the init parameters name
   */
  verify: (ask: Ask, simulated: boolean) => Promise<void>;
  /** The functions by name, after the first {@link verify}. */
  functions: () => Readonly<Record<string, FunctionPlan>>;
  /** Takes what the peer said by itself. */
  heard: (event: Message) => void;
  /** What people see, beside the state of the connection. Values that cannot be had are null. */
  report: (ask: Ask) => Promise<JsonObject>;
}

/** What a protocol gets from its device. */
export interface Surroundings {
  /** Takes the secrets, which recordings and messages then do not show. */
  mask: Mask;
  /** `<lab>-<device>` */
  name: string;
  /** Absolute path of a folder for certificates and recordings. */
  folder: string;
  /** The id of the call that the running code serves. */
  callId: () => string | undefined;
  log: BaseDevice['log'];
}

/** Seconds by which the agent waits longer than the device, so that the device can say why a call failed. */
const graceSeconds = 5;
/** Seconds that the safe state may take when the device is stopped or ends: the agent gives 5. */
const safeStateSeconds = 4;
const reportSeconds = 8;

/** A device whose functions its init parameters declare, and whose instrument answers messages. */
export abstract class MessageDevice extends BaseDevice<JsonObject> {
  #protocol: Protocol | null = null;
  #keeper: PortKeeper | null = null;
  readonly #traffic = Traffic.of(this);
  #halt = new AbortController();
  readonly #mask = new Mask();

  /** Only a device with a safe state can be stopped. */
  override _stop?: (reason: string) => Promise<void>;

  /** Reads the init parameters. @throws TypeError that names every fault with its path */
  protected abstract protocol(parameters: JsonObject, surroundings: Surroundings): Promise<Protocol>;

  override async _initialize(parameters: JsonObject): Promise<void> {
    const { protocol, keeper } = await this.#begin(parameters);
    this.#protocol = protocol;
    this.#keeper = keeper;
    await keeper.start();
    try {
      checkNames(protocol.functions());
      checkSafeState(protocol);
      await this.#reachSafeState(protocol.settings.timeout);
    } catch (error) {
      await this.#close();
      throw error;
    }
    const { safe_state: safeState, simulate, replay } = protocol.settings;
    if (safeState.length > 0) this._stop = (reason) => this.#stop(reason);
    const how = replay ? `replays ${replay.file}` : simulate ? 'is simulated' : `is connected`;
    this.log.info(`${this.lab}.${this.name} ${how}: ${protocol.peer}`);
  }

  override async _cleanup(): Promise<void> {
    this.#halt.abort(new ExchangeError('the device is being shut down'));
    try {
      if (this.#keeper?.isConnected === true) await this.#reachSafeState(safeStateSeconds);
      else if ((this.#protocol?.settings.safe_state.length ?? 0) > 0) {
        throw new Error(
          `the instrument is not connected, so its safe state was not set: ${JSON.stringify(this.#keeper?.report())}`,
        );
      }
    } finally {
      await this.#close();
    }
  }

  override async _report(): Promise<object> {
    const protocol = this.#protocol;
    const keeper = this.#keeper;
    if (protocol === null || keeper === null) return { connected: false };
    const values = keeper.isConnected
      ? await this.#during(reportSeconds, null, {}, (ask) => protocol.report(ask))
      : {};
    const { simulate, replay } = protocol.settings;
    const { file: recording } = this.#traffic;
    return {
      ...{ peer: protocol.peer, ...keeper.report() },
      ...(simulate ? { simulated: true } : {}),
      ...(replay === undefined ? {} : { replayed: replay.file }),
      ...(recording === undefined ? {} : { recording }),
      ...values,
    };
  }

  override _svc_functions(): Record<string, AddedFunction> {
    const protocol = this.#begun();
    const { timeout } = protocol.settings;
    const plans = Object.entries(protocol.functions()).map(([name, plan]) => [
      name,
      { ...plan, timeout: (plan.timeout ?? timeout) + graceSeconds },
    ]);
    return {
      ...this.#traffic.functions(),
      ...addedFunctions(Object.fromEntries(plans) as Record<string, FunctionPlan>, (plan, given, name) =>
        // The protocol may have read the function anew when it connected again.
        this.#call(protocol.functions()[name] ?? plan, given, name),
      ),
    };
  }

  override async _reconcile(
    parameters: JsonObject,
    inDoubt: readonly CallInDoubt[],
  ): Promise<Reconciliation> {
    const { protocol, keeper } = await this.#begin(parameters);
    const { idle, simulate, replay } = protocol.settings;
    if (simulate || replay !== undefined) return { idle: true, detail: 'there is no instrument' };
    if (idle === undefined) {
      return { idle: false, detail: 'the init parameter idle does not say how the instrument tells that' };
    }
    this.#protocol = protocol;
    this.#keeper = keeper;
    try {
      await keeper.start();
      const plan = protocol.functions()[idle.function];
      if (plan?.kind !== 'query') throw new Error(`idle.function: there is no query ${idle.function}`);
      const answer = await this.#during(20, idle.function, {}, (ask, signal) =>
        plan.carryOut({}, ask, signal),
      );
      const calls = inDoubt.map((each) => each.function).join(', ');
      return {
        idle: holds(idle, answer ?? null),
        detail: `after ${calls}, ${idle.function} answered ${JSON.stringify(answer)}`,
      };
    } finally {
      await this.#close();
    }
  }

  async #begin(parameters: JsonObject): Promise<{ protocol: Protocol; keeper: PortKeeper }> {
    const folder = this.stateFolder ?? resolve('.');
    const callId = (): string | undefined => this.callId;
    const protocol = await this.protocol(parameters, {
      ...{ mask: this.#mask, name: `${this.lab}-${this.name}`, folder, callId, log: this.log },
    });
    const { settings, peer } = protocol;
    let open = protocol.open;
    if (settings.replay) {
      const file = resolve(folder, settings.replay.file);
      const recording = readRecording(await readFile(file, 'utf8'), file);
      open = replayed(new MessageReplay(recording, settings.replay.order), this.#mask, callId);
    } else if (settings.simulate) open = protocol.openTwin(new TwinModel(settings.twin));
    this.#traffic.label = peer;
    if (this.#traffic.isOver) this.#traffic.begin(settings.record);
    open = recorded(open, this.#traffic, this.#mask, callId);
    const keeper = new PortKeeper({
      ...{ peer, open, log: this.log },
      verify: (port, signal) =>
        protocol.verify(
          (request, of) => port.exchange(request, { name: null, given: {}, signal, ...of }),
          settings.simulate || settings.replay !== undefined,
        ),
      heard: (event) => protocol.heard(event),
    });
    return { protocol, keeper };
  }

  async #call(plan: FunctionPlan, given: JsonObject, name: string): Promise<JsonValue | undefined> {
    for (const [key, { secret }] of Object.entries(plan.parameters)) {
      if (secret === true && given[key] !== undefined) this.#mask.add(given[key]);
    }
    const { settings } = this.#begun();
    const seconds = plan.timeout ?? settings.timeout;
    return this.#during(seconds, name, given, (ask, signal) => plan.carryOut(given, ask, signal), this.#halt);
  }

  /** Does work whose requests end after some seconds, with what is known of its effect if it fails. */
  async #during<Result>(
    seconds: number,
    name: string | null,
    given: JsonObject,
    work: (ask: Ask, signal: AbortSignal) => Promise<Result>,
    halt?: AbortController,
  ): Promise<Result> {
    const keeper = this.#keeper;
    if (keeper === null) throw new NotBegun('the device is not initialised');
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort(new ExchangeError(`${this.#begun().peer} did not answer within ${seconds} s`));
    }, seconds * 1000);
    const signal = halt === undefined ? deadline.signal : AbortSignal.any([deadline.signal, halt.signal]);
    let left = false;
    const ask: Ask = async (request, of) => {
      try {
        const answer = await keeper.exchange(request, { name, given, signal, ...of });
        left = true;
        return answer;
      } catch (error) {
        left ||= !(error instanceof NotBegun);
        throw error;
      }
    };
    try {
      return await work(ask, signal);
    } catch (error) {
      const message = this.#mask.text(messageOf(error));
      throw failure(message, left, { cause: isFailure(error) ? error.cause : error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #stop(reason: string): Promise<void> {
    this.#halt.abort(new ExchangeError(`stopped: ${reason}`));
    this.#halt = new AbortController();
    await this.#reachSafeState(safeStateSeconds);
  }

  async #reachSafeState(seconds: number): Promise<void> {
    const { settings, functions } = this.#begun();
    const plans = functions();
    for (const { function: name, arguments: given } of settings.safe_state) {
      const values = given as JsonObject;
      await this.#during(seconds, name, values, async (ask, signal) =>
        plans[name]?.carryOut(values, ask, signal),
      );
    }
  }

  #begun(): Protocol {
    if (this.#protocol === null) throw new NotBegun('the device is not initialised');
    return this.#protocol;
  }

  async #close(): Promise<void> {
    await this.#keeper?.end();
    this.#traffic.stop();
  }
}

function checkSafeState({ settings, functions }: Protocol): void {
  const plans = functions();
  for (const { function: name } of settings.safe_state) {
    const kind = plans[name]?.kind;
    if (kind === 'idempotent') continue;
    const known = Object.keys(plans).filter((each) => plans[each]?.kind === 'idempotent');
    throw new TypeError(
      `init_parameters.safe_state: ${name} is ${kind === undefined ? 'no function' : `a function of kind ${kind}`}; ` +
        `the device carries the safe state out by itself and more than once, so only idempotent functions can be in it: ${known.join(', ') || 'there is none'}`,
    );
  }
}
