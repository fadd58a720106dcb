import { tmpdir } from 'node:os';
import {
  BaseDevice,
  NotBegun,
  type AddedFunction,
  type CallInDoubt,
  type DeviceFunctionKind,
  type JsonObject,
  type JsonValue,
  type Reconciliation,
} from '@lab/sdk';
import {
  beforeStart,
  CallNotes,
  changedFunctions,
  didNothing,
  endProcess,
  fileOf,
  follow,
  isLost,
  LinkRecords,
  nothingDone,
  type GiveUp,
} from '../nodes/index.js';
import { adminFunctions } from './admin-functions.js';
import {
  ended,
  MadsciNode,
  textOf,
  type ActionResult,
  type MadsciAction,
  type MadsciInfo,
  type Upload,
} from './madsci-node.js';
import { MadsciTwin } from './madsci-twin.js';
import { toldFunctions } from './node-functions.js';
import { keepArchive } from './results.js';
import { madsciSettings, type MadsciSettings } from './settings.js';

/**
 * A node of [MADSci](https://github.com/AD-SDL/MADSci) as a device. Its functions are the actions that the node tells of. Each
 * call creates an action, notes its id durably, and only then starts it. So a later process can ask the node for the state of
 * an action that was interrupted here.
 */
export class MadsciDevice extends BaseDevice<object> {
  /** Exists when the node has a command that stops it. */
  override _stop?: (reason: string) => Promise<void>;
  #settings: MadsciSettings | undefined;
  #node: MadsciNode | undefined;
  #info: MadsciInfo | undefined;
  readonly #records = new LinkRecords(this);
  #notes = new CallNotes(null);
  /** The latest stop. */
  #stopped: { reason: string } | undefined;
  readonly #giveUp: GiveUp;

  /** @param giveUp what happens when the outcome of an effect is unknown */
  constructor(giveUp: GiveUp = endProcess) {
    super();
    this.#giveUp = giveUp;
  }

  /**
   * @throws TypeError when the parameters are wrong; PeerError when the node does not answer; Error when it is another node
   */
  async _initialize(parameters: object): Promise<void> {
    const { settings, node } = this.#connect(parameters);
    const info = await node.info();
    const { node: wanted } = settings;
    const isWanted = wanted === undefined || wanted === info.node_name || wanted === info.node_id;
    if (!isWanted && !settings.simulate) {
      throw new Error(
        `${settings.address} is the node ${info.node_name} (${info.node_id ?? 'no id'}), not ${wanted} as in init_parameters.node`,
      );
    }
    this.#info = info;
    const stop = stopCommandOf(settings, info);
    if (stop !== undefined) this._stop = (reason) => this.#stop(node, stop, reason);
    await this.#notes.clear();
    this.log.info(
      `${info.node_name} (${info.module_name ?? 'unknown module'} ${info.module_version ?? ''}) has ${Object.keys(info.actions).length} actions`,
    );
  }

  /** An action in progress goes on at the node, so its call must not end here. */
  _cleanup(): void {
    this.#records.close();
    this.log.debug('the node goes on by itself');
  }

  async _report(): Promise<object> {
    const info = this.#info;
    const about = {
      node: info?.node_name ?? null,
      id: info?.node_id ?? null,
      module: info?.module_name ?? null,
      version: info?.module_version ?? null,
      ...this.#records.report(),
    };
    try {
      const status = await this.#ready().node.status();
      return { ...about, connected: true, ...status, errors: textOf(status.errors) };
    } catch (error) {
      return { ...about, connected: false, description: messageOf(error) };
    }
  }

  override _svc_functions(): Record<string, AddedFunction> {
    const { settings, node } = this.#ready();
    const info = this.#info;
    if (info === undefined) return {};
    const told = toldFunctions(info);
    const functions = changedFunctions(told, settings.functions, (name, kind, given) => {
      const action = info.actions[name];
      if (action === undefined) throw new Error(`the node has no action ${name}`);
      return this.#act(action, kind, given);
    });
    const admin = adminFunctions(node, info, (command, kind) => this.#command(command, kind));
    return this.#records.functions({ ...admin, ...functions });
  }

  override async _reconcile(parameters: object, inDoubt: readonly CallInDoubt[]): Promise<Reconciliation> {
    const { node } = this.#connect(parameters);
    const { nothingMoves } = this.#records;
    if (nothingMoves !== undefined) return { idle: true, detail: nothingMoves };
    const found: string[] = [];
    for (const call of inDoubt) {
      const note = await this.#notes.read(call.callId);
      if (note === undefined) {
        found.push(`${call.function} was not started at the node`);
        continue;
      }
      const { action, action_id: id } = note;
      if (typeof action !== 'string' || typeof id !== 'string') {
        found.push(`the command ${String(note['command'])} was sent`);
        continue;
      }
      const state = await node.actionState(action, id);
      if (state === 'unknown')
        return {
          idle: false,
          detail: `the node does not know the action ${id} (${action}): the node was restarted, or the action did not start`,
        };
      if (!ended.has(state)) return { idle: false, detail: `the action ${id} (${action}) is ${state}` };
      found.push(`the action ${id} (${action}) has ended: ${state}`);
    }
    const status = await node.status();
    const idle =
      !status.busy && !status.errored && !status.initializing && status.running_actions.length === 0;
    return { idle, detail: [...found, status.description].filter((text) => text !== '').join('; ') };
  }

  #connect(parameters: object): { settings: MadsciSettings; node: MadsciNode } {
    const settings = madsciSettings(parameters);
    const link = this.#records.link(settings, () => new MadsciTwin(settings.functions));
    this.#settings = settings;
    this.#node = new MadsciNode(link);
    this.#notes = new CallNotes(this.stateFolder);
    return { settings, node: this.#node };
  }

  #ready(): { settings: MadsciSettings; node: MadsciNode } {
    if (this.#settings === undefined || this.#node === undefined)
      throw new Error('the device is not initialised');
    return { settings: this.#settings, node: this.#node };
  }

  /** Creates, fills, notes and starts an action, and waits for its end. */
  async #act(action: MadsciAction, kind: DeviceFunctionKind, given: JsonObject): Promise<JsonValue> {
    const before = this.#stopped;
    const callId = kind === 'query' ? undefined : this.callId;
    const id = await beforeStart(async () => {
      const { settings, node } = this.#ready();
      const status = await node.status();
      if (!status.ready)
        throw new Error(`${action.name} was not started: ${status.description || 'the node is not ready'}`);
      const { args, uploads } = await argumentsOf(action, given, settings.files);
      const made = await node.create(action.name, args);
      for (const upload of uploads) await node.upload(action.name, made, upload);
      if (callId !== undefined) await this.#notes.keep(callId, { action: action.name, action_id: made });
      if (this.#stopped !== before)
        throw new Error(`${action.name} was not started: stopped (${this.#stopped?.reason ?? ''})`);
      return made;
    });
    const outcome = await this.#run(action.name, id, kind);
    if (callId !== undefined) await this.#notes.drop(callId);
    const stopped = this.#stopped === before ? undefined : this.#stopped?.reason;
    return this.#valueOf(action.name, id, outcome, stopped);
  }

  async #run(name: string, id: string, kind: DeviceFunctionKind): Promise<ActionResult> {
    const { settings, node } = this.#ready();
    try {
      const first = await node.start(name, id);
      if (first.errors.some(({ error_type: type }) => type === 'NotFound'))
        throw new NotBegun(
          `the node forgot the action ${id} (${name}) before it started: ${textOf(first.errors)}`,
        );
      if (ended.has(first.status)) return first;
    } catch (error) {
      if (error instanceof NotBegun) throw error;
      if (didNothing(error)) throw nothingDone(error);
      this.log.warn(`the answer to the start of ${name} (${id}) was lost: ${messageOf(error)}`);
    }
    const state = await follow({
      ask: () => node.actionState(name, id),
      isOver: (each) => each === 'unknown' || ended.has(each),
      everyMs: settings.poll * 1000,
      seen: (each) =>
        this.askPerson(
          each === 'paused'
            ? `the node is paused during ${name}: call node_resume, or cancel the task`
            : null,
        ),
      silent: (why) => {
        this.log.warn(why === null ? 'the node answers again' : `the node does not answer: ${why}`);
        this.askPerson(
          why === null ? null : `the node does not answer during ${name}, which may go on there: ${why}`,
        );
      },
    }).finally(() => this.askPerson(null));
    if (state !== 'unknown') return this.#lastResult(name, id);
    const why = `the node does not know the action ${id} (${name}) any more: whether it was carried out is not known`;
    if (kind === 'effect') return this.#giveUp(why);
    throw new Error(why);
  }

  async #lastResult(name: string, id: string): Promise<ActionResult> {
    const { node, settings } = this.#ready();
    return follow({
      ask: () => node.result(name, id),
      isOver: () => true,
      everyMs: settings.poll * 1000,
      silent: () => undefined,
    });
  }

  /** @param stopped the reason of a stop meanwhile */
  async #valueOf(
    name: string,
    id: string,
    outcome: ActionResult,
    stopped: string | undefined,
  ): Promise<JsonValue> {
    if (outcome.status !== 'succeeded') {
      const errors = textOf(outcome.errors);
      const after = stopped === undefined ? '' : ` after a stop (${stopped})`;
      if (outcome.status === 'not_ready')
        throw new NotBegun(`${name} was not started: ${errors || 'the node is not ready'}`);
      throw new Error(`${name} is ${outcome.status}${after}${errors === '' ? '' : `: ${errors}`}`);
    }
    const value: JsonObject = { action_id: id, result: outcome.json_result ?? null };
    if (outcome.datapoints != null) value['datapoints'] = outcome.datapoints;
    const files = outcome.files ?? [];
    return files.length === 0 ? value : { ...value, files, ...(await this.#archiveOf(name, id)) };
  }

  /** The action has succeeded, so a failure to fetch its files does not fail the call. */
  async #archiveOf(name: string, id: string): Promise<JsonObject> {
    const { node, settings } = this.#ready();
    try {
      const folder = settings.files ?? this.stateFolder ?? tmpdir();
      return { archive: await keepArchive(folder, name, id, await node.archive(name, id)) };
    } catch (error) {
      this.log.error(`the files of ${name} (${id}) were not fetched: ${messageOf(error)}`);
      return { archive: null, archive_error: messageOf(error) };
    }
  }

  /** Runs an admin command as a function. */
  async #command(command: string, kind: DeviceFunctionKind): Promise<JsonValue> {
    const { node } = this.#ready();
    const { callId } = this;
    if (callId !== undefined) await this.#notes.keep(callId, { command });
    try {
      return await node.command(command);
    } catch (error) {
      if (kind !== 'effect' || !isLost(error)) throw error;
      return this.#giveUp(`whether the node carried out ${command} is not known: ${messageOf(error)}`);
    }
  }

  /** The call in progress ends when the node says that its action has ended. */
  async #stop(node: MadsciNode, command: string, reason: string): Promise<void> {
    this.#stopped = { reason };
    this.log.warn(`${command}: ${reason}`);
    await node.command(command);
  }
}

function stopCommandOf({ stop }: MadsciSettings, { capabilities }: MadsciInfo): string | undefined {
  const has = (command: string): boolean => capabilities.admin_commands.includes(command);
  if (stop === 'none') return undefined;
  if (stop === '') return ['safety_stop', 'cancel'].find(has);
  if (has(stop)) return stop;
  throw new TypeError(
    `init_parameters.stop: the node has no command ${stop}; it has ${capabilities.admin_commands.join(', ') || 'none'}`,
  );
}

async function argumentsOf(
  { args, locations, files }: MadsciAction,
  given: JsonObject,
  folder: string | undefined,
): Promise<{ args: JsonObject; uploads: Upload[] }> {
  const known = { ...args, ...locations };
  const plain: JsonObject = {};
  const uploads: Upload[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(files, name)) uploads.push({ argument: name, ...(await fileOf(name, value, folder)) });
    else if (Object.hasOwn(known, name)) plain[name] = value;
    else
      throw new TypeError(
        `the action has no argument ${name}: it has ${[...Object.keys(known), ...Object.keys(files)].join(', ') || 'none'}`,
      );
  }
  return { args: plain, uploads };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
