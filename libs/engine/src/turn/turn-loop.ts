import { isServiceError, ServiceError, toServiceError, type ErrorCode } from '@lab/contracts';
import { type Clock, type Log, type Timers, backoffMs } from '@lab/ports';
import type { EndedWork, Measures, NameKind, Store } from '../rows/index.js';
import { type TakenNames, Turn, endedKey } from './turn.js';
import type { WorkingState } from './working-state.js';

/** Names about which a command asks the store before it is handled. */
export interface Question {
  kind: NameKind;
  names: readonly string[];
}

/** A finished run or campaign that a command wants to resume. */
export interface Recall {
  kind: 'protocolRun' | 'campaign';
  name: string;
  /** More names to ask about, once the finished work is known. */
  questions?: (work: EndedWork) => readonly Question[];
}

interface Command {
  name: string;
  questions: readonly Question[];
  recall: Recall | undefined;
  /** Reads what the command needs after the commits of all earlier turns. Such commands are the first of their turn. */
  read?: () => Promise<void>;
  act: (turn: Turn) => unknown;
  resolve: (value: unknown) => void;
  reject: (error: ServiceError) => void;
  /** Nobody waits for the answer. The command is kept while the store is unavailable, unless it is `droppable`. */
  quiet: boolean;
  droppable: boolean;
}

export interface TurnHooks {
  /** Decides everything that follows from the state. Called once per turn, after the commands of the turn. */
  settle: (turn: Turn) => void;
  /** The memory was loaded from the store. */
  loaded: () => void;
  /** Memory and store agree. */
  committed: () => void;
  /** The first moment after `since` at which {@link settle} has something to do again, in milliseconds since 1970. */
  nextWake: (since: number) => number | undefined;
  deposed: () => void;
}

/** Milliseconds for which a patient command waits for a turn that something else causes. */
const patienceMs = 20;

/** Errors of the store. The commands themselves are not at fault. */
const storeTrouble: ReadonlySet<ErrorCode> = new Set([
  'store_unavailable',
  'service_unavailable',
  'disconnected',
  'deadline_exceeded',
]);

/** What was read is that of the commits before the turn, so it is handled before the turn changes anything. */
function readersFirst(commands: readonly Command[]): Command[] {
  const reads = ({ read }: Command): boolean => read !== undefined;
  return commands.some(reads)
    ? [...commands.filter(reads), ...commands.filter((each) => !reads(each))]
    : [...commands];
}

function asksNothing({ questions, recall }: Command): boolean {
  return questions.length === 0 && recall === undefined;
}

interface LoopPorts {
  store: Store;
  clock: Clock;
  timers: Timers;
  log: Log;
  measures?: Measures;
}

/**
 * Handles commands in turns. A turn handles all waiting commands one after the other against the memory, commits all
 * changes at once, then runs the effects and answers the callers. Commands that arrive during a commit wait.
 *
 * After a failed commit the memory holds uncommitted decisions, so the loop loads it again. If one command may have
 * caused the failure, each gets a turn of its own, so that only the faulty one fails.
 */
export class TurnLoop {
  #inbox: Command[] = [];
  #patient: Command[] = [];
  #endPatience: (() => void) | undefined;
  #epoch = 0;
  #loaded = false;
  #running: Promise<void> | undefined;
  #stopped = true;
  #troubles = 0;
  #wake: { at: number; cancel: () => void } | undefined;
  /** The time of the latest turn that the timer started, in milliseconds since 1970. */
  #wokenAt = -Infinity;

  constructor(
    private readonly ports: LoopPorts,
    private readonly state: WorkingState,
    private readonly hooks: TurnHooks,
  ) {}

  /** Loads the memory and starts to take turns. @throws ServiceError `store_unavailable` */
  async start(epoch: number): Promise<void> {
    this.#epoch = epoch;
    await this.#load();
    this.#stopped = false;
  }

  /** Handles a command in the next turn. Resolves after the commit with the value that `act` returned. */
  submit<Value>(
    name: string,
    act: (turn: Turn) => Value,
    questions: readonly Question[] = [],
    recall?: Recall,
  ): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      const settle = { resolve: (value: unknown) => resolve(value as Value), reject };
      this.#push({ name, questions, recall, act, ...settle, quiet: false, droppable: false });
    });
  }

  /** Handles a command that needs no answer. @param droppable it may be lost, because its sender repeats it */
  enqueue(name: string, act: (turn: Turn) => void, droppable = false): void {
    this.#push(this.#quiet(name, act, droppable));
  }

  /** As {@link enqueue}, but saves a commit: the command joins the next turn, and after 20 ms it gets one of its own. */
  enqueuePatiently(name: string, act: (turn: Turn) => void): void {
    if (this.#stopped) return;
    this.#patient.push(this.#quiet(name, act, false));
    this.#endPatience ??= this.ports.timers.after(patienceMs, () => {
      this.#inbox.unshift(...this.#takePatient());
      this.#running ??= this.#pump();
    });
  }

  /**
   * Reads from the store between two commits, then handles what was read first in the turn of the second: it has every decision that
   * the memory has, and no other. A read that fails is dropped.
   */
  enqueueRead<Value>(name: string, read: () => Promise<Value>, act: (turn: Turn, read: Value) => void): void {
    let value: Value;
    const command = this.#quiet(name, (turn) => act(turn, value), true);
    this.#push({ ...command, read: async () => void (value = await read()) });
  }

  /** Takes no new turns. Resolves when the current turn is over. Waiting commands are refused. */
  async stop(): Promise<void> {
    this.#end();
    await this.#running;
    this.#refuseAll(new ServiceError('service_unavailable', 'the orchestrator is stopping'));
  }

  #quiet(name: string, act: (turn: Turn) => void, droppable: boolean): Command {
    const log = this.ports.log;
    const reject = ({ code, message }: ServiceError): void =>
      log.warn('not recorded', { what: name, code, message });
    const settle = { resolve: () => undefined, reject };
    return { name, questions: [], recall: undefined, act, ...settle, quiet: true, droppable };
  }

  #takePatient(): Command[] {
    this.#endPatience?.();
    this.#endPatience = undefined;
    return this.#patient.splice(0);
  }

  #push(command: Command): void {
    if (this.#stopped) {
      if (!command.quiet)
        command.reject(new ServiceError('service_unavailable', 'the orchestrator is not leading'));
      return;
    }
    this.#inbox.push(command);
    this.#running ??= this.#pump();
  }

  async #pump(): Promise<void> {
    // Commands that arrive in the same tick share the first turn.
    await Promise.resolve();
    try {
      while (this.#inbox.length > 0 && !this.#stopped) {
        const commands = readersFirst([...this.#takePatient(), ...this.#inbox]);
        this.#inbox = [];
        const over = this.ports.measures?.begin('turn');
        const goesOn = await this.#takeTurn(commands);
        over?.();
        if (!goesOn) break;
      }
    } finally {
      this.#running = undefined;
    }
    this.#arm();
  }

  /** @returns false when the store cannot be read; the waiting commands are kept */
  async #takeTurn(commands: Command[]): Promise<boolean> {
    if (!(await this.#ensureLoaded())) {
      this.#inbox = [...commands, ...this.#inbox].filter((command) => this.#survives(command));
      return false;
    }
    if ((await this.#decide(commands, true)) === 'done') return true;
    for (const command of commands) {
      if (this.#stopped)
        command.reject(new ServiceError('service_unavailable', 'the orchestrator is stopping'));
      else if (await this.#ensureLoaded()) await this.#decide([command], false);
      else if (this.#survives(command)) this.#inbox.push(command);
    }
    if (!this.#stopped && (await this.#ensureLoaded())) await this.#decide([], true);
    return true;
  }

  /** Decides whether a command is kept while the store is unavailable. A command that is not kept was refused. */
  #survives(command: Command): boolean {
    if (command.quiet) return !command.droppable;
    command.reject(new ServiceError('store_unavailable', 'the database does not answer; nothing was done'));
    return false;
  }

  /** @returns `alone`: nothing was done, and each command must be handled in a turn of its own */
  async #decide(commands: readonly Command[], settle: boolean): Promise<'done' | 'alone'> {
    const answerable: Command[] = [];
    const { taken, ended } = await this.#ask(commands, answerable);
    const turn = new Turn(this.state, this.ports.clock.now(), taken, ended);
    const answers: (() => void)[] = [];
    for (const command of answerable) {
      const before = turn.changes.length;
      try {
        const value = command.act(turn);
        answers.push(() => command.resolve(value));
      } catch (error) {
        const known = toServiceError(error, 'none');
        if (!isServiceError(error)) this.#logDefect(command.name, error);
        if (turn.changes.length > before) {
          this.#loaded = false;
          if (commands.length > 1 || settle) return 'alone';
        }
        answers.push(() => command.reject(known));
        if (!this.#loaded) return this.#answer(answers);
      }
    }
    if (settle) {
      try {
        this.hooks.settle(turn);
      } catch (error) {
        this.#logDefect('settling', error);
        return this.#retreat(commands);
      }
    }
    try {
      if (turn.changes.length > 0) await this.#commit(turn);
    } catch (error) {
      const known = toServiceError(error, 'maybe');
      this.#loaded = false;
      if (known.code === 'stale_message') return this.#depose(answerable);
      if (storeTrouble.has(known.code)) {
        this.ports.log.error('commit failed', { code: known.code, message: known.message });
        for (const command of answerable) command.reject(known);
        return 'done';
      }
      if (settle) {
        if (commands.length === 0)
          this.ports.log.error('commit refused', { code: known.code, message: known.message });
        return this.#retreat(commands);
      }
      for (const command of answerable) command.reject(known);
      return 'done';
    }
    if (settle) this.#troubles = 0;
    this.state.forgetWhatIsOver();
    for (const effect of turn.effects) {
      try {
        effect();
      } catch (error) {
        this.#logDefect('effect', error);
      }
    }
    this.hooks.committed();
    return this.#answer(answers);
  }

  async #commit({ changes }: Turn): Promise<void> {
    const { store, measures } = this.ports;
    const over = measures?.begin('commit');
    try {
      await store.commit(this.#epoch, changes);
    } finally {
      over?.();
    }
    measures?.committed(changes);
  }

  #answer(answers: readonly (() => void)[]): 'done' {
    for (const answer of answers) answer();
    return 'done';
  }

  #retreat(commands: readonly Command[]): 'done' | 'alone' {
    this.#loaded = false;
    return commands.length > 0 ? 'alone' : 'done';
  }

  /** Asks the store about names and finished work. Refuses the commands whose questions were not answered. */
  async #ask(
    commands: readonly Command[],
    answerable: Command[],
  ): Promise<{ taken: TakenNames; ended: ReadonlyMap<string, EndedWork> }> {
    const { store } = this.ports;
    const names = new Map<NameKind, Set<string>>();
    const ended = new Map<string, EndedWork>();
    const taken = new Map<NameKind, ReadonlySet<string>>();
    const note = (questions: readonly Question[]): void => {
      for (const question of questions) {
        const all = names.get(question.kind) ?? new Set<string>();
        for (const name of question.names) all.add(name);
        names.set(question.kind, all);
      }
    };
    try {
      for (const { questions, recall } of commands) {
        note(questions);
        if (recall === undefined) continue;
        const work = await store.ended(recall.kind, recall.name);
        if (work === undefined) continue;
        ended.set(endedKey(recall.kind, recall.name), work);
        note(recall.questions?.(work) ?? []);
      }
      for (const [kind, all] of names) taken.set(kind, await store.takenNames(kind, [...all]));
      answerable.push(...(await this.#haveRead(commands)));
    } catch (error) {
      const known = toServiceError(error, 'none');
      const silent = commands.filter(asksNothing);
      for (const command of commands) if (!silent.includes(command)) command.reject(known);
      answerable.push(...(await this.#haveRead(silent)));
    }
    return { taken, ended };
  }

  /** Lets the commands read what they need. Refuses those that cannot; the others of their turn go on. */
  async #haveRead(commands: readonly Command[]): Promise<Command[]> {
    const ready: Command[] = [];
    for (const command of commands)
      try {
        await command.read?.();
        ready.push(command);
      } catch (error) {
        command.reject(toServiceError(error, 'none'));
      }
    return ready;
  }

  async #ensureLoaded(): Promise<boolean> {
    if (this.#loaded) return true;
    try {
      await this.#load();
      return true;
    } catch (error) {
      this.ports.log.error('the store cannot be read', { message: toServiceError(error).message });
      return false;
    }
  }

  async #load(): Promise<void> {
    const rows = await this.ports.store.load();
    this.state.load(rows);
    this.#loaded = true;
    this.hooks.loaded();
  }

  #depose(commands: readonly Command[]): 'done' {
    this.#end();
    this.ports.log.warn('leadership lost: another orchestrator decides', { epoch: this.#epoch });
    const error = new ServiceError('service_unavailable', 'another orchestrator leads; nothing was done');
    for (const command of commands) command.reject(error);
    this.#refuseAll(error);
    this.hooks.deposed();
    return 'done';
  }

  #end(): void {
    this.#stopped = true;
    this.#takePatient();
    this.#wake?.cancel();
    this.#wake = undefined;
  }

  #refuseAll(error: ServiceError): void {
    const waiting = this.#inbox;
    this.#inbox = [];
    for (const command of waiting) if (!command.quiet) command.reject(error);
  }

  /** Sets one timer for the next wake-up; without a loaded memory, for the next attempt to load it. */
  #arm(): void {
    if (this.#stopped) return;
    const now = this.ports.clock.now();
    let at: number | undefined;
    // Since the last wake-up, not since now: nothing that became due during a commit may be skipped.
    if (this.#loaded) at = this.hooks.nextWake(this.#wokenAt);
    else at = now + backoffMs((this.#troubles += 1));
    if (this.#wake !== undefined && this.#wake.at === at) return;
    this.#wake?.cancel();
    this.#wake = undefined;
    if (at === undefined) return;
    const cancel = this.ports.timers.after(Math.max(0, at - now), () => {
      this.#wake = undefined;
      this.enqueue('time', (turn) => {
        this.#wokenAt = turn.now;
        turn.state.dispatchDue = true;
      });
    });
    this.#wake = { at, cancel };
  }

  #logDefect(where: string, error: unknown): void {
    this.ports.log.error('defect', {
      where,
      message: error instanceof Error ? error.message : String(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
  }
}
