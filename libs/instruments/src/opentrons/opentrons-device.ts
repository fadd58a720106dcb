import { randomUUID } from 'node:crypto';
import {
  BaseDevice,
  type AddedFunction,
  type CallInDoubt,
  type JsonObject,
  type JsonValue,
  type Reconciliation,
} from '@lab/sdk';
import {
  beforeStart,
  CallNotes,
  didNothing,
  endProcess,
  follow,
  isLost,
  isRefusal,
  LinkRecords,
  nothingDone,
  type GiveUp,
} from '../nodes/index.js';
import { questionAbout, recover, type Recovery } from './recovery.js';
import { Robot, isPlayed, runEnds, textOf, type Command, type NewRun, type Run } from './robot.js';
import { robotFunctions, type RobotActs } from './robot-functions.js';
import { RobotTwin } from './robot-twin.js';
import { uploadProtocol, type GivenProtocol } from './run-protocol.js';
import { opentronsSettings, type OpentronsSettings } from './settings.js';

/**
 * An OT-2 or a Flex of [Opentrons](https://opentrons.com) as a device, over its HTTP API. A call that plays a run lasts as long
 * as the run. The id of a run, and the key of a command, are noted durably before the robot is told to begin, so a later
 * process can ask the robot what became of them. A run that waits for recovery asks for a person.
 */
export class OpentronsDevice extends BaseDevice<object> {
  #settings: OpentronsSettings | undefined;
  #robot: Robot | undefined;
  #about: JsonObject = {};
  readonly #records = new LinkRecords(this);
  #notes = new CallNotes(null);
  /** The latest stop. */
  #stopped: { reason: string } | undefined;
  /** The run or the command in progress. */
  #doing: { run: string } | { command: string } | undefined;
  /** One decision about a failed step at a time, so that each sees what the one before has done. */
  #recovering: Promise<unknown> = Promise.resolve();
  readonly #giveUp: GiveUp;

  /** @param giveUp what happens when the outcome of an effect is unknown */
  constructor(giveUp: GiveUp = endProcess) {
    super();
    this.#giveUp = giveUp;
  }

  /** @throws TypeError when the parameters are wrong; PeerError when the robot does not answer; Error when it is another one */
  async _initialize(parameters: object): Promise<void> {
    const { settings, robot } = this.#connect(parameters);
    const health = await robot.health();
    const { robot_serial: serial = null, robot_model: model = null } = health;
    if (settings.serial !== undefined && !settings.simulate && settings.serial !== serial) {
      throw new Error(
        `${settings.address} is the robot ${health.name} with the serial number ${serial ?? '(none)'}, not ${settings.serial} as in init_parameters.serial`,
      );
    }
    const { name, api_version: software = null } = health;
    this.#about = { name, serial, model, software };
    await this.#notes.clear();
    this.log.info(`${name}, ${model ?? 'unknown model'}, software ${software ?? 'unknown'}`);
  }

  /** A run in progress goes on at the robot, so its call must not end here. */
  _cleanup(): void {
    this.#records.close();
    this.log.debug('the robot goes on by itself');
  }

  async _report(): Promise<object> {
    const about = { ...this.#about, ...this.#records.report() };
    try {
      const run = await this.#ready().robot.currentRun();
      return { ...about, connected: true, run: run === undefined ? null : shown(run) };
    } catch (error) {
      return { ...about, connected: false, description: messageOf(error) };
    }
  }

  override _svc_functions(): Record<string, AddedFunction> {
    const { settings, robot } = this.#ready();
    const acts: RobotActs = {
      upload: (given) => beforeStart(() => this.#upload(given)),
      run: (given) => this.#runOf(given),
      create: async (given) => shown(await robot.create(given)),
      play: (run) => this.#play(run),
      command: (run, type, params, intent) => this.#command(run, type, params, intent),
      steer: (run, action) => this.#steer(run, action),
      recover: (command, action) => this.#recover(command, action),
    };
    return this.#records.functions(robotFunctions(robot, acts, settings.timeouts));
  }

  /** Stops the run in progress, whoever has played it. The robot cannot stop a single command. */
  override async _stop(reason: string): Promise<void> {
    this.#stopped = { reason };
    const doing = this.#doing;
    if (doing !== undefined && 'command' in doing)
      throw new Error(`the robot cannot stop the command ${doing.command}: use its own emergency stop`);
    const { robot } = this.#ready();
    const run = doing === undefined ? await robot.currentRun() : await robot.run(doing.run);
    if (run === undefined || !isPlayed(run) || runEnds.has(run.status)) return;
    this.log.warn(`the run ${run.id} is stopped: ${reason}`);
    await robot.act(run.id, 'stop');
  }

  override async _reconcile(parameters: object, inDoubt: readonly CallInDoubt[]): Promise<Reconciliation> {
    const { robot } = this.#connect(parameters);
    const { nothingMoves } = this.#records;
    if (nothingMoves !== undefined) return { idle: true, detail: nothingMoves };
    const found: string[] = [];
    for (const call of inDoubt) {
      const note = await this.#notes.read(call.callId);
      const verdict =
        note === undefined
          ? { idle: true, detail: `${call.function} was not begun at the robot` }
          : await verdictOf(robot, note);
      if (!verdict.idle) return verdict;
      found.push(verdict.detail);
    }
    const current = await robot.currentRun();
    if (current !== undefined && isPlayed(current) && !runEnds.has(current.status))
      return { idle: false, detail: `the run ${current.id} is ${current.status}` };
    return { idle: true, detail: found.join('; ') };
  }

  #connect(parameters: object): { settings: OpentronsSettings; robot: Robot } {
    const settings = opentronsSettings(parameters);
    const link = this.#records.link(settings, () => new RobotTwin(settings.twin), {
      'opentrons-version': settings.api,
    });
    this.#settings = settings;
    this.#robot = new Robot(link);
    this.#notes = new CallNotes(this.stateFolder);
    return { settings, robot: this.#robot };
  }

  #ready(): { settings: OpentronsSettings; robot: Robot } {
    if (this.#settings === undefined || this.#robot === undefined)
      throw new Error('the device is not initialised');
    return { settings: this.#settings, robot: this.#robot };
  }

  #upload(given: GivenProtocol): Promise<string> {
    const { robot, settings } = this.#ready();
    return uploadProtocol(robot, given, settings.files);
  }

  async #runOf(given: NewRun): Promise<JsonValue> {
    const before = this.#stopped;
    const { id } = await beforeStart(() => this.#ready().robot.create(given));
    return this.#play(id, before);
  }

  /** Plays a run and waits for its end. @param before the latest stop when the call began */
  async #play(id: string, before = this.#stopped): Promise<JsonValue> {
    const { robot } = this.#ready();
    const { callId } = this;
    await beforeStart(async () => {
      const run = await robot.run(id);
      if (isPlayed(run)) throw new Error(`the run ${id} was played before: it is ${run.status}`);
      if (callId !== undefined) await this.#notes.keep(callId, { run: id });
      if (this.#stopped !== before)
        throw new Error(`the run ${id} was not played: stopped (${this.#stopped?.reason ?? ''})`);
    });
    this.#doing = { run: id };
    try {
      await robot.act(id, 'play').catch((error: unknown) => {
        if (didNothing(error)) throw nothingDone(error);
        this.log.warn(`the answer to the play of the run ${id} was lost: ${messageOf(error)}`);
      });
      const end = await this.#end(id);
      if (callId !== undefined) await this.#notes.drop(callId);
      if (end.status === 'succeeded') return shown(end);
      const stopped = this.#stopped === before ? '' : ` (${this.#stopped?.reason ?? ''})`;
      throw new Error(
        `the run ${id} is ${end.status}${stopped}${end.errors.length === 0 ? '' : `: ${textOf(end.errors)}`}`,
      );
    } finally {
      this.#doing = undefined;
      this.askPerson(null);
    }
  }

  /** Waits for the end of a run that was played, and asks for a person while it does not go on by itself. */
  async #end(id: string): Promise<Run> {
    const { robot, settings } = this.#ready();
    const lost = (run: Run): boolean => !runEnds.has(run.status) && (!run.current || !isPlayed(run));
    let end: Run | undefined;
    try {
      end = await follow({
        ask: () => robot.run(id),
        isOver: (run) => runEnds.has(run.status) || lost(run),
        everyMs: settings.poll * 1000,
        seen: async (run) => this.askPerson(await questionAbout(robot, run)),
        silent: (why) => {
          this.log.warn(why === null ? 'the robot answers again' : `the robot does not answer: ${why}`);
          this.askPerson(
            why === null ? null : `the robot does not answer during the run ${id}, which may go on: ${why}`,
          );
        },
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    if (end !== undefined && !lost(end)) return end;
    return this.#giveUp(
      end === undefined
        ? `the robot does not know the run ${id} any more`
        : `the robot was restarted during the run ${id}, or never began it: it is ${end.status}`,
    );
  }

  async #command(
    run: string | null,
    type: string,
    params: JsonObject,
    intent: string | undefined,
  ): Promise<JsonValue> {
    const { robot, settings } = this.#ready();
    const { callId } = this;
    const key = `svc-${callId ?? randomUUID()}`;
    if (callId !== undefined) await this.#notes.keep(callId, { key, run });
    this.#doing = { command: type };
    try {
      const made = await robot
        .enqueue(run, { commandType: type, params, key, intent })
        .catch(async (error: unknown): Promise<Command> => {
          if (didNothing(error)) throw nothingDone(error);
          if (!isLost(error)) throw error;
          const known = await this.#byKey(run, key);
          return known ?? this.#giveUp(`whether the robot began ${type} is not known: ${messageOf(error)}`);
        });
      const end = await follow({
        ask: () => robot.command(run, made.id),
        isOver: ({ status }) => status === 'succeeded' || status === 'failed',
        everyMs: Math.min(settings.poll * 1000, 500),
        silent: (why) =>
          this.askPerson(why === null ? null : `the robot does not answer during ${type}: ${why}`),
      }).catch((error: unknown): Promise<Command> => {
        if (!isRefusal(error)) throw error;
        return this.#giveUp(
          `the robot does not know the command ${made.id} (${type}) any more: it was restarted`,
        );
      });
      if (callId !== undefined) await this.#notes.drop(callId);
      if (end.status === 'succeeded') return { command: end.id, result: end.result ?? null };
      throw new Error(`${type} failed${end.error == null ? '' : `: ${textOf([end.error])}`}`);
    } finally {
      this.#doing = undefined;
      this.askPerson(null);
    }
  }

  /** The command with this key, once the robot answers. */
  async #byKey(run: string | null, key: string): Promise<Command | undefined> {
    const { robot, settings } = this.#ready();
    const { commands } = await follow({
      ask: () => robot.latestCommands(run),
      isOver: () => true,
      everyMs: settings.poll * 1000,
      silent: () => undefined,
    });
    return commands.find((each) => each.key === key);
  }

  async #steer(given: string | undefined, action: 'play' | 'pause' | 'stop'): Promise<JsonValue> {
    const { robot } = this.#ready();
    const run = await this.#chosen(given);
    const { id, status } = run;
    const isDone =
      action === 'play'
        ? status === 'running'
        : action === 'pause'
          ? status === 'paused'
          : runEnds.has(status);
    if (isDone) return shown(run);
    if (action === 'play' && !isPlayed(run))
      throw new Error(`the run ${id} was not played yet: call play_run, which lasts as long as the run`);
    if (action === 'play' && status === 'awaiting-recovery')
      throw new Error(`the run ${id} waits for recovery: call recover`);
    await robot.act(id, action);
    return shown(await robot.run(id));
  }

  async #recover(command: string, action: Recovery): Promise<JsonValue> {
    const { robot } = this.#ready();
    const before = this.#recovering;
    const decision = before
      .catch(() => undefined)
      .then(async () => {
        const run = await this.#chosen(undefined);
        await recover(robot, run, command, action);
        return shown(await robot.run(run.id));
      });
    this.#recovering = decision;
    return decision;
  }

  async #chosen(given: string | undefined): Promise<Run> {
    const { robot } = this.#ready();
    const run = given === undefined ? await robot.currentRun() : await robot.run(given);
    if (run === undefined) throw new Error('no run controls the robot');
    return run;
  }
}

async function verdictOf(robot: Robot, note: JsonObject): Promise<{ idle: boolean; detail: string }> {
  const { run, key } = note;
  if (typeof key === 'string') {
    const { commands } = await robot.latestCommands(typeof run === 'string' ? run : null);
    const command = commands.find((each) => each.key === key);
    if (command === undefined)
      return { idle: false, detail: `the robot does not know the command with the key ${key}` };
    const text = `${command.commandType} is ${command.status}`;
    return { idle: command.status === 'succeeded' || command.status === 'failed', detail: text };
  }
  const played = typeof run === 'string' ? await robot.known(robot.run(run)) : undefined;
  if (played === undefined) return { idle: false, detail: `the robot does not know the run ${String(run)}` };
  if (!isPlayed(played)) return { idle: true, detail: `the run ${played.id} was not played` };
  return { idle: runEnds.has(played.status), detail: `the run ${played.id} is ${played.status}` };
}

function shown(run: Run): JsonObject {
  return {
    run: run.id,
    status: run.status,
    protocol: run.protocolId ?? null,
    started_at: run.startedAt ?? null,
    completed_at: run.completedAt ?? null,
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
