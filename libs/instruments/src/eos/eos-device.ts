import {
  BaseDevice,
  type AddedFunction,
  type CallInDoubt,
  type DeviceFunctionKind,
  type JsonObject,
  type JsonValue,
  type Reconciliation,
} from '@lab/sdk';
import {
  CallNotes,
  changedFunctions,
  declarationsOf,
  endProcess,
  isLost,
  LinkRecords,
  nothingDone,
  PeerError,
  signatureOf,
  type GiveUp,
  type ToldFunction,
} from '../nodes/index.js';
import { EosService } from './eos-service.js';
import { EosTwin } from './eos-twin.js';
import { eosSettings, type EosSettings } from './settings.js';

/**
 * A device of a running EOS, the ancestor of this service, as a device of a lab. Its functions are those that EOS tells of.
 *
 * EOS gives a call no id and keeps no record of it. So when the answer to an effect is lost, only a person can tell whether the
 * effect happened. Nothing keeps tasks of EOS away from the device: leave it out of the protocols of EOS.
 */
export class EosDevice extends BaseDevice<object> {
  /** Exists when the lab names a function that stops the device. */
  override _stop?: (reason: string) => Promise<void>;
  #settings: EosSettings | undefined;
  #service: EosService | undefined;
  #type = '';
  #told: Record<string, ToldFunction> = {};
  readonly #records = new LinkRecords(this);
  #notes = new CallNotes(null);
  readonly #giveUp: GiveUp;

  /** @param giveUp what happens when the outcome of an effect is unknown */
  constructor(giveUp: GiveUp = endProcess) {
    super();
    this.#giveUp = giveUp;
  }

  /** @throws TypeError when the parameters are wrong; PeerError when EOS does not answer; Error when it has no such device */
  async _initialize(parameters: object): Promise<void> {
    const { settings, service } = this.#connect(parameters);
    this.#type = await service.deviceType();
    const told = settings.simulate ? undefined : await service.functions();
    if (told === undefined && !settings.simulate)
      this.log.warn(
        'EOS does not tell the functions of the device: only those in init_parameters.functions exist',
      );
    this.#told = Object.fromEntries(
      told === undefined
        ? Object.keys(settings.functions).map((name): [string, ToldFunction] => [name, {}])
        : Object.entries(told).map(([name, { description, parameters: given }]): [string, ToldFunction] => {
            const declared = declarationsOf(given);
            const text = declared === undefined ? `${description} (${signatureOf(given)})` : description;
            return [name, { description: text.trim(), parameters: declared }];
          }),
    );
    const { stop } = settings;
    if (stop !== '') {
      if (!Object.hasOwn(this.#told, stop))
        throw new TypeError(`init_parameters.stop: the device has no function ${stop}`);
      this._stop = async (reason) => {
        this.log.warn(`${stop}: ${reason}`);
        await service.call(stop, {}, stopMs);
      };
    }
    await this.#notes.clear();
  }

  /** A function in progress goes on in EOS, so its call must not end here. */
  _cleanup(): void {
    this.#records.close();
    this.log.debug('EOS goes on by itself');
  }

  async _report(): Promise<object> {
    const { settings, service } = this.#ready();
    const about = {
      device: `${settings.lab}.${settings.device}`,
      type: this.#type,
      ...this.#records.report(),
    };
    try {
      return { ...about, connected: true, report: await service.report() };
    } catch (error) {
      return { ...about, connected: false, description: messageOf(error) };
    }
  }

  override _svc_functions(): Record<string, AddedFunction> {
    const { settings } = this.#ready();
    return this.#records.functions(
      changedFunctions(this.#told, settings.functions, (name, kind, given) => this.#call(name, kind, given)),
    );
  }

  override async _reconcile(parameters: object, inDoubt: readonly CallInDoubt[]): Promise<Reconciliation> {
    this.#connect(parameters);
    const { nothingMoves } = this.#records;
    if (nothingMoves !== undefined) return { idle: true, detail: nothingMoves };
    for (const call of inDoubt) {
      if ((await this.#notes.read(call.callId)) !== undefined)
        return { idle: false, detail: `${call.function} was sent to EOS, which keeps no record of calls` };
    }
    return { idle: true, detail: 'no call in doubt was sent to EOS' };
  }

  #connect(parameters: object): { settings: EosSettings; service: EosService } {
    const settings = eosSettings(parameters);
    const { lab, device, functions } = settings;
    const link = this.#records.link(settings, () => new EosTwin(lab, device, functions));
    this.#settings = settings;
    this.#service = new EosService(link, lab, device);
    this.#notes = new CallNotes(this.stateFolder);
    return { settings, service: this.#service };
  }

  #ready(): { settings: EosSettings; service: EosService } {
    if (this.#settings === undefined || this.#service === undefined)
      throw new Error('the device is not initialised');
    return { settings: this.#settings, service: this.#service };
  }

  async #call(name: string, kind: DeviceFunctionKind, given: JsonObject): Promise<JsonValue> {
    const { service } = this.#ready();
    const callId = kind === 'effect' ? this.callId : undefined;
    if (callId !== undefined) await this.#notes.keep(callId, { function: name });
    let value: JsonValue;
    try {
      // The agent limits the time of the call.
      value = await service.call(name, given, longestMs);
    } catch (error) {
      // EOS answers an error of a function with 400 or 500, so only a request that did not arrive did nothing for sure.
      if (error instanceof PeerError && !error.reached) throw nothingDone(error);
      if (kind === 'effect' && isLost(error))
        return this.#giveUp(`whether EOS carried out ${name} is not known: ${messageOf(error)}`);
      throw error;
    }
    if (callId !== undefined) await this.#notes.drop(callId);
    return value;
  }
}

/** Milliseconds of the longest function, a week. */
const longestMs = 604_800_000;
/** Milliseconds that a stop may take, less than the agent gives `_stop`. */
const stopMs = 4_500;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
