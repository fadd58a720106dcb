import {
  optimizerRequests as requests,
  runtimeOf,
  ServiceError,
  type JsonObject,
  type ModuleReference,
  type RequestOf,
} from '@lab/contracts';
import type { Timers } from '@lab/ports';
import { withSecretsOpened, type Log, type Sealing } from '@lab/runtime';
import type { FilePiece } from '@lab/hosting';
import type { HostKind, OptimizerHosts } from './hosts.js';
import type { Lend } from './lent.js';
import { OptimizerProcess, type Question } from './optimizer-process.js';

type Making = RequestOf<typeof requests.describe>;
type Opening = RequestOf<typeof requests.open>;
interface SessionName {
  campaign_id: string;
  session: string;
}

/** A session without requests is closed after this time, in milliseconds. Its campaign may open another one at any time. */
const idleMs = 3_600_000;
/** How long a request without computation waits for one with computation, in milliseconds. */
const turnMs = 25_000;
/** Subtracted from the caller's timeout, so that the caller gets this worker's error and not its own, in milliseconds. */
const wayBackMs = 1_000;

export interface SessionsParts {
  modules: {
    path(module: ModuleReference): Promise<string>;
    /** Fetches files of the package of a module. */
    archivePieces(module: ModuleReference): FilePiece;
  };
  /** Undefined: this worker cannot decrypt secrets. */
  sealing: Sealing | undefined;
  timers: Timers;
  log: Log;
  hosts: OptimizerHosts;
  /** Answers the calls of optimizers. */
  lend: Lend;
  /** Longest computation of a call, in milliseconds. The timeout of the call may be shorter. */
  computingMs: number;
  /** Called when a process has ended by itself. */
  lost(session: SessionName, reason: string): void;
}

interface Session {
  name: SessionName;
  epoch: number;
  process: OptimizerProcess;
  opened: Promise<JsonObject>;
  stopIdling: () => void;
}

/**
 * The sessions of one worker: at most one per campaign, each with its own process. The first use of a language starts a
 * spare process besides its own, and each later use takes the spare and starts the next one. A laboratory without campaigns
 * has none.
 */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #sessions = new Map<string, Session>();
  /** Processes that make an optimizer only to describe it. */
  readonly #describing = new Set<OptimizerProcess>();
  /** One for each language, in Python with the libraries that were used last. */
  readonly #spares = new Map<
    HostKind['runtime'],
    { environment: HostKind['environment']; process: OptimizerProcess }
  >();
  #stopped = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#sessions.size;
  }

  /** Makes an optimizer, describes it and drops it. @throws ServiceError as `optimizer.describe` */
  async describe(making: Making): Promise<JsonObject> {
    await this.#demand(making.module);
    const process = this.#take(making.module);
    this.#describing.add(process);
    try {
      const question = { ...(await this.#make(making, {})), given: making.given };
      return await process.ask(question, { workMs: limitOf(requests.describe) });
    } catch (error) {
      // The code of the optimizer ended the process or took too long.
      if (process.over === undefined || this.#stopped) throw error;
      throw new ServiceError('optimizer_error', `The optimizer could not be made: ${process.over}`);
    } finally {
      this.#describing.delete(process);
      process.kill('its optimizer is described');
    }
  }

  /**
   * Begins a session, in place of an earlier one of its campaign. A repeat for the present session changes nothing.
   *
   * @param epoch epoch of the requesting leader
   * @throws ServiceError as `optimizer.open`; `stale_message` when a later leader has opened another session
   */
  async open(opening: Opening, epoch: number): Promise<JsonObject> {
    const { campaign_id, session, campaign, runtime_params, module } = opening;
    await this.#demand(module);
    await this.#parts.hosts.prepareDebugger(module);
    const earlier = this.#sessions.get(campaign_id);
    if (earlier?.name.session === session) return earlier.opened;
    if (earlier !== undefined && earlier.epoch > epoch)
      throw stale(`a later leader has opened another session`);
    const heldAt = earlier?.process.heldAt;
    if (heldAt !== undefined)
      throw new ServiceError(
        'optimizer_unavailable',
        `a person may hold the optimizer in a debugger (${heldAt}); it is made anew when it goes on`,
        { retryAfterS: 10 },
      );
    if (earlier !== undefined) this.#drop(earlier, 'another session of its campaign has begun');
    const process = this.#take(module, true);
    const log = this.#parts.log.child({ campaign });
    const opened = this.#make(opening, runtime_params).then((question) =>
      process
        .ask(question, { workMs: limitOf(requests.open) })
        .then((description) => ({ ...description, runtime: runtimeOf(module, process.version) })),
    );
    const begun: Session = {
      name: { campaign_id, session },
      epoch,
      process,
      opened,
      stopIdling: () => undefined,
    };
    this.#sessions.set(campaign_id, begun);
    process.adopt(log, (reason) => {
      if (this.#sessions.get(campaign_id) !== begun) return;
      this.#drop(begun, reason);
      log.warn('the process of an optimizer has ended', { session, reason });
      this.#parts.lost(begun.name, reason);
    });
    try {
      const description = await opened;
      this.#touch(begun);
      return description;
    } catch (error) {
      this.#drop(begun, 'its optimizer could not be made');
      throw error;
    }
  }

  /** Sends a request that may compute. @throws ServiceError as that request */
  compute(name: SessionName, question: Question, request: { timeoutMs: number }): Promise<JsonObject> {
    return this.#ask(name, question, {
      workMs: Math.min(this.#parts.computingMs, limitOf(request)),
    });
  }

  /** Sends a request without computation. @throws ServiceError, `optimizer_unavailable` also while a computation goes on */
  inform(name: SessionName, question: Question, request: { timeoutMs: number }): Promise<JsonObject> {
    return this.#ask(name, question, { workMs: limitOf(request), turnMs });
  }

  close({ campaign_id, session }: SessionName): void {
    const found = this.#sessions.get(campaign_id);
    if (found?.name.session !== session) return;
    // The service gives up a call after minutes. A person at a breakpoint does not.
    if (found.process.heldAt === undefined) this.#drop(found, 'its campaign is over');
    else void found.process.idle().then(() => this.close({ campaign_id, session }));
  }

  stop(): void {
    this.#stopped = true;
    const reason = 'the optimizer worker stops';
    for (const session of [...this.#sessions.values()]) this.#drop(session, reason);
    for (const process of this.#describing) process.kill(reason);
    for (const { process } of this.#spares.values()) process.kill(reason);
  }

  #ask(
    name: SessionName,
    question: Question,
    limits: { workMs: number; turnMs?: number },
  ): Promise<JsonObject> {
    const found = this.#sessions.get(name.campaign_id);
    if (found === undefined || found.name.session !== name.session) {
      throw stale('this worker has no such session; open one, and tell it all trials');
    }
    this.#touch(found);
    return found.process.ask(question, limits);
  }

  async #make({ protocol, integers, module, overrides }: Making, runtime_params: Opening['runtime_params']) {
    const path = await this.#parts.modules.path(module);
    return {
      type: 'make' as const,
      protocol,
      integers,
      module,
      path,
      overrides: this.#opened(overrides),
      runtime_params,
    };
  }

  #opened(overrides: JsonObject): JsonObject {
    const { sealing } = this.#parts;
    if (sealing === undefined) return overrides;
    try {
      return withSecretsOpened(overrides, sealing);
    } catch (error) {
      throw new ServiceError('optimizer_unavailable', error instanceof Error ? error.message : String(error));
    }
  }

  #touch(session: Session): void {
    session.stopIdling();
    session.stopIdling = this.#parts.timers.after(idleMs, () => {
      if (session.process.heldAt === undefined) this.#drop(session, 'nobody asked for it');
      else this.#touch(session);
    });
  }

  #drop(session: Session, reason: string): void {
    const { campaign_id } = session.name;
    if (this.#sessions.get(campaign_id) === session) this.#sessions.delete(campaign_id);
    session.stopIdling();
    session.process.kill(reason);
  }

  #demand(module: ModuleReference): Promise<void> {
    const { hosts, modules } = this.#parts;
    return hosts.demand(module, modules.archivePieces(module));
  }

  /** @param isKept it serves a session, to which a debugger may attach */
  #take(kind: ModuleReference, isKept = false): OptimizerProcess {
    if (this.#stopped) throw new ServiceError('optimizer_unavailable', 'The optimizer worker is stopping');
    if (isKept && this.#parts.hosts.isDebugged(kind)) return this.#startDebugged(kind);
    const spare = this.#spares.get(kind.runtime);
    const fits = spare !== undefined && spare.environment === kind.environment;
    if (!fits) spare?.process.kill('one with other libraries is started ahead');
    const process = fits ? spare.process : this.#start(kind);
    this.#prepare(kind);
    return process;
  }

  #prepare(kind: HostKind): void {
    const { runtime, environment } = kind;
    const process = this.#start(kind);
    this.#spares.set(runtime, { environment, process });
    process.adopt(this.#parts.log, () => {
      if (this.#spares.get(runtime)?.process === process) this.#spares.delete(runtime);
    });
  }

  #startDebugged(module: ModuleReference): OptimizerProcess {
    const { hosts, timers, log, lend } = this.#parts;
    const { host, address, ended } = hosts.debuggedProgramFor(module);
    return new OptimizerProcess({ host, debugger: address, onGone: ended, timers, log, lend });
  }

  #start(kind: HostKind): OptimizerProcess {
    const { hosts, timers, log, lend } = this.#parts;
    return new OptimizerProcess({ host: hosts.programFor(kind), timers, log, lend });
  }
}

function limitOf({ timeoutMs }: { timeoutMs: number }): number {
  return timeoutMs - wayBackMs;
}

function stale(what: string): ServiceError {
  return new ServiceError('stale_message', `The session is over: ${what}`);
}
