import {
  awaitsAgent,
  isHeard,
  isQueued,
  isTerminal,
  isUnclear,
  isUnsettled,
  toServiceError,
  type AttemptReport,
  type AttemptStatus,
  type ErrorCode,
  type Reason,
  type ServiceError,
  type TaskStart,
} from '@lab/contracts';
import { Backoff, type Log } from '@lab/ports';
import type { AgentAddress, Agents, AttemptRow, TaskRunRow } from '../rows/index.js';
import type { Turn, TurnLoop } from '../turn/index.js';
import { endTask, failTask, isStopping, queueAgain, stopOf } from '../work/index.js';
import type { AgentDirectory } from './agent-directory.js';
import type { AgentRegistration } from './agent-messages.js';
import { needAttention } from './results.js';

/** A task fails after this many refusals in a row that no waiting can resolve. */
const maxHopelessRefusals = 5;
const hopeless: ReadonlySet<ErrorCode> = new Set([
  'invalid',
  'bad_request',
  'not_found',
  'payload_too_large',
  'forbidden',
  'internal',
]);

const lost: Reason = {
  code: 'attempt_lost',
  message: 'its agent was restarted and does not report the attempt, which may have begun',
};
const neverReached: Reason = {
  code: 'agent_unreachable',
  message: 'its agent was restarted before the start reached it',
};
const forgotten: Reason = {
  code: 'attempt_lost',
  message: 'its agent had accepted the attempt and does not report it any more',
};

/**
 * Commands to agents about attempts: starts each once, asks about uncertain ones, and repeats a stop until the agent
 * acknowledges it. Pending commands are kept in memory only. After a restart or a failed commit the engine asks the
 * agent about an attempt that was being sent, and never sends it again.
 */
export class AttemptCommands {
  readonly #retries = new Backoff();
  readonly #inFlight = new Set<string>();
  /** Attempts whose agent has acknowledged the stop. */
  readonly #stopHeard = new Set<string>();
  /** Attempts that their agent did not report when it registered. */
  readonly #doubted = new Set<string>();
  /** Computer to the incarnations whose ledger its agent still has. */
  readonly #kept = new Map<string, ReadonlySet<number>>();
  #epoch = 0;

  constructor(
    private readonly ports: { agents: Agents; directory: AgentDirectory; log: Log },
    private readonly refusals: Backoff,
    private readonly loop: Pick<TurnLoop, 'enqueue' | 'enqueuePatiently'>,
  ) {}

  /** Sends a start. Called once per attempt, after the commit that made it. */
  start(to: AgentAddress, start: TaskStart): void {
    const id = start.attempt_id;
    const fresh = this.ports.directory.current(to.computer, to.inc)?.seq;
    this.#call(
      id,
      () => this.ports.agents.start(fresh === undefined ? to : { ...to, fresh }, start),
      (turn, status) => this.#startAnswered(turn, id, status),
      (turn, error) => this.#startFailed(turn, id, error),
    );
  }

  /** Asks reachable agents about uncertain attempts and requests stops. */
  pursue(turn: Turn): void {
    for (const attempt of turn.state.rows.attempts.values()) {
      if (!awaitsAgent(attempt.state)) continue;
      if (turn.started.has(attempt.id) || this.#inFlight.has(attempt.id)) continue;
      if (!this.#retries.isDue(attempt.id, turn.now)) continue;
      const agent = this.ports.directory.current(attempt.computer, attempt.inc);
      if (agent === undefined || !isHeard(agent.state)) continue;
      const to = { computer: attempt.computer, inc: attempt.inc, epoch: this.#epoch };
      if (isUnsettled(attempt.state) || this.#doubted.has(attempt.id))
        turn.afterCommit(() => this.#ask(to, attempt.id));
      else {
        const reason = this.#stopReason(turn, attempt);
        if (reason !== undefined) turn.afterCommit(() => this.#stop(to, attempt.id, reason));
      }
    }
  }

  /** Compares the attempts that a running agent reports with the rows. This settles attempts whose answer was lost. */
  reported(turn: Turn, computer: string, inc: number, reports: readonly AttemptReport[]): void {
    for (const { attempt_id: id, status, debugged } of reports) {
      const attempt = turn.state.rows.attempts.get(id);
      if (attempt === undefined) this.#stopStray(turn, { computer, inc, epoch: this.#epoch }, id, status);
      if (attempt === undefined || attempt.computer !== computer || attempt.inc !== inc) continue;
      // A person at a breakpoint has all the time.
      if (debugged === true && attempt.deadlineAt !== null && awaitsAgent(attempt.state))
        turn.emit({ op: 'updateAttempt', id, patch: { deadlineAt: null } });
      if (this.#inFlight.has(id) || status === 'unknown') continue;
      if (isUnsettled(attempt.state)) this.#adopt(turn, attempt, status);
    }
  }

  /**
   * Settles every unfinished attempt of a computer whose agent has registered. An attempt of an earlier incarnation
   * that the agent does not report was never accepted if the agent still has that ledger; else nobody can know.
   */
  registered(
    turn: Turn,
    inc: number,
    { computer, attempts: reports, incarnations = [] }: AgentRegistration,
  ): void {
    this.#kept.set(computer, new Set(incarnations));
    const known = new Map(reports.map((report) => [report.attempt_id, report.status]));
    for (const attempt of [...turn.state.rows.attempts.values()]) {
      if (attempt.computer !== computer || isTerminal(attempt.state)) continue;
      const task = turn.state.rows.taskRuns.get(attempt.taskRunId);
      if (task === undefined) continue;
      this.#stopHeard.delete(attempt.id);
      const status = known.get(attempt.id);
      if (this.#inFlight.has(attempt.id) && attempt.inc === inc) continue;
      if (status === 'unknown') {
        // The ledger settles this for certain. A question to a person stays with that person.
        if (!isUnclear(attempt.state)) this.#neverRan(turn, attempt, task);
      } else if (status !== undefined) {
        if (attempt.inc !== inc && !isUnclear(attempt.state))
          turn.emit({ op: 'updateAttempt', id: attempt.id, patch: { inc } });
        const row = turn.state.rows.attempts.get(attempt.id) ?? attempt;
        if (isUnsettled(row.state)) this.#adopt(turn, row, status);
      } else if (isUnclear(attempt.state)) continue;
      else if (attempt.inc === inc) this.#doubted.add(attempt.id);
      else if (this.#inFlight.has(attempt.id)) {
        // The pending answer may still settle this for certain.
        if (attempt.state === 'dispatching') turn.setAttempt(attempt, 'uncertain');
      } else this.#unspoken(turn, attempt, task);
    }
  }

  /** When a command is to be repeated, in milliseconds since 1970. */
  nextRetry(now: number): number | undefined {
    return this.#retries.next(now);
  }

  /** Forgets attempts that are over. */
  prune(isLive: (attemptId: string) => boolean): void {
    this.#retries.prune(isLive);
    for (const set of [this.#stopHeard, this.#doubted]) for (const id of set) if (!isLive(id)) set.delete(id);
  }

  /** Sets the epoch of all commands. Called when the engine becomes the leader. */
  lead(epoch: number): void {
    this.#epoch = epoch;
  }

  /** Stops an attempt that a person declared ended while the agent was away. Every heartbeat may repeat this. */
  #stopStray(turn: Turn, to: AgentAddress, id: string, status: AttemptStatus): void {
    if (this.#inFlight.has(id) || (status !== 'accepted' && status !== 'running')) return;
    turn.afterCommit(() => this.#stop(to, id, 'it was decided about while its computer was away'));
  }

  /** Why the agent must stop the attempt; undefined: it need not, or has acknowledged the stop. */
  #stopReason(turn: Turn, attempt: AttemptRow): string | undefined {
    const task = turn.state.rows.taskRuns.get(attempt.taskRunId);
    if (task === undefined || this.#stopHeard.has(attempt.id)) return undefined;
    return task.cancelRequestedAt !== null ? 'cancelled by request' : stopOf(attempt)?.message;
  }

  #ask(to: AgentAddress, id: string): void {
    this.#call(
      id,
      () => this.ports.agents.status(to, id),
      (turn, status) => this.#statusAnswered(turn, id, status),
      (turn) => this.#retries.failed(id, turn.now),
    );
  }

  #stop(to: AgentAddress, id: string, reason: string): void {
    this.#call(
      id,
      () => this.ports.agents.cancel(to, id, reason),
      (turn, status) => this.#stopAnswered(turn, id, status),
      (turn) => this.#retries.failed(id, turn.now),
    );
  }

  #call<Answer>(
    id: string,
    send: () => Promise<Answer>,
    answered: (turn: Turn, answer: Answer) => void,
    failed: (turn: Turn, error: ServiceError) => void,
  ): void {
    this.#inFlight.add(id);
    const settled = (act: (turn: Turn) => void) => (turn: Turn) => {
      this.#inFlight.delete(id);
      act(turn);
    };
    let reply: Promise<Answer>;
    try {
      reply = send();
    } catch (error) {
      reply = Promise.reject(toServiceError(error, 'maybe'));
    }
    reply.then(
      (answer) => {
        const act = settled((turn) => answered(turn, answer));
        // The agent has the attempt, and nothing waits for the record of that.
        if (answer === 'accepted') this.loop.enqueuePatiently('acceptance by an agent', act);
        else this.loop.enqueue('answer of an agent', act);
      },
      (error: unknown) =>
        this.loop.enqueue(
          'silence of an agent',
          settled((turn) => failed(turn, toServiceError(error, 'maybe'))),
        ),
    );
  }

  #startAnswered(turn: Turn, id: string, status: AttemptStatus): void {
    const found = live(turn, id);
    if (found === undefined) return;
    if (status === 'unknown') this.#neverRan(turn, found.attempt, found.task);
    else this.#adopt(turn, found.attempt, status);
  }

  #startFailed(turn: Turn, id: string, error: ServiceError): void {
    const found = live(turn, id);
    if (found === undefined) return;
    const { attempt, task } = found;
    if (error.effect === 'none') {
      const failures = this.#neverRan(turn, attempt, task, { code: error.code, message: error.message });
      if (hopeless.has(error.code) && failures >= maxHopelessRefusals) this.#giveUp(turn, task.id, error);
      return;
    }
    this.ports.log.warn('no answer to a start; the engine will ask the agent for its status', {
      attempt: id,
      computer: attempt.computer,
      code: error.code,
    });
    if (attempt.state === 'dispatching') turn.setAttempt(attempt, 'uncertain');
    const agent = this.ports.directory.get(attempt.computer);
    if (agent !== undefined && agent.inc !== attempt.inc) {
      const row = turn.state.rows.attempts.get(id);
      if (row !== undefined) this.#unspoken(turn, row, task);
    }
  }

  #statusAnswered(turn: Turn, id: string, status: AttemptStatus): void {
    const found = live(turn, id);
    this.#retries.clear(id);
    this.#doubted.delete(id);
    if (found === undefined) return;
    const { attempt, task } = found;
    if (status !== 'unknown') this.#adopt(turn, attempt, status);
    else if (isUnsettled(attempt.state)) this.#neverRan(turn, attempt, task);
    else needAttention(turn, attempt, task, forgotten);
  }

  #stopAnswered(turn: Turn, id: string, status: AttemptStatus): void {
    const found = live(turn, id);
    this.#retries.clear(id);
    if (found === undefined) return;
    if (status === 'unknown') {
      this.#doubted.add(id);
      return;
    }
    this.#stopHeard.add(id);
    if (found.attempt.state === 'running') turn.setAttempt(found.attempt, 'cancelling');
  }

  /** Settles an attempt that a later incarnation of its agent did not report. */
  #unspoken(turn: Turn, attempt: AttemptRow, task: TaskRunRow): void {
    const isKept = this.#kept.get(attempt.computer)?.has(attempt.inc) === true;
    if (isUnsettled(attempt.state) && isKept) this.#neverRan(turn, attempt, task, neverReached);
    else needAttention(turn, attempt, task, lost);
  }

  /** The agent has the attempt and will report its end. */
  #adopt(turn: Turn, attempt: AttemptRow, status: AttemptStatus): void {
    this.refusals.clear(attempt.taskRunId);
    if (isUnsettled(attempt.state)) turn.setAttempt(attempt, 'running');
    if (status === 'cancelling') {
      const row = turn.state.rows.attempts.get(attempt.id);
      if (row?.state === 'running') turn.setAttempt(row, 'cancelling');
    }
  }

  /** The attempt never begins. Its task is queued again. @returns the number of such attempts in a row */
  #neverRan(turn: Turn, attempt: AttemptRow, task: TaskRunRow, reason: Reason | null = null): number {
    const failures = this.refusals.failed(task.id, turn.now);
    turn.setAttempt(attempt, 'never_ran', { reason, endedAt: turn.now });
    if (isStopping(turn.state, task)) {
      endTask(turn, task, 'cancelled', {
        code: 'cancelled_by_request',
        message: 'cancelled before it began',
      });
      return failures;
    }
    queueAgain(turn, task, { reason: null, queuedAt: task.queuedAt });
    return failures;
  }

  #giveUp(turn: Turn, taskId: string, error: ServiceError): void {
    const task = turn.state.rows.taskRuns.get(taskId);
    if (task === undefined || !isQueued(task.state)) return;
    failTask(turn, task, {
      code: 'dispatch_refused',
      message: `its agent refused it ${maxHopelessRefusals} times: ${error.message}`,
    });
  }
}

function live(turn: Turn, id: string): { attempt: AttemptRow; task: TaskRunRow } | undefined {
  const attempt = turn.state.rows.attempts.get(id);
  const task = attempt === undefined ? undefined : turn.state.rows.taskRuns.get(attempt.taskRunId);
  return attempt === undefined || task === undefined || isTerminal(attempt.state)
    ? undefined
    : { attempt, task };
}
