import { ServiceError } from '@lab/contracts';
import { MemoryStore } from '@lab/engine/testing';
import type { Change, Store } from '@lab/engine';
import { diceOf } from '../plan/chance.js';
import type { Points } from './fault-points.js';
import type { History } from './history.js';
import type { Life } from './life.js';
import type { SimulatedTime } from './simulated-time.js';

/** Fault of one commit. */
export type CommitFault = 'refuse' | 'lose_answer';

/**
 * PostgreSQL as the orchestrator sees it: it takes time, is sometimes unreachable, refuses commits, and may apply a
 * commit without acknowledging it. A commit enters the history when it is applied.
 */
export class Database {
  readonly store: MemoryStore;
  /** The database is unreachable. */
  away = false;
  #commits = 0;
  #asks = 0;

  constructor(
    private readonly parts: {
      time: SimulatedTime;
      points: Points;
      history: History;
      fault: (n: number) => CommitFault | undefined;
      seed: number;
    },
  ) {
    const { history, time } = parts;
    this.store = new MemoryStore(time);
    let seen = 0;
    this.store.afterCommit = () => {
      for (const { epoch, changes } of this.store.commits.slice(seen))
        history.commits.push({ at: time.now(), epoch, changes });
      seen = this.store.commits.length;
    };
    history.events = this.store.events;
  }

  /** The store as one process reaches it: every query takes time, and only a living process gets the answer. */
  of(life: Life): Store {
    const { store } = this;
    const { history, time } = this.parts;
    const own: Partial<Store> = {
      lead: (instance, leaseMs) =>
        this.#ask(life, async () => {
          const epoch = await store.lead(instance, leaseMs);
          if (epoch !== null) history.leaderships.push({ at: time.now(), epoch, instance });
          return epoch;
        }),
      commit: (epoch, changes) => this.#commit(life, epoch, changes),
      close: () => Promise.resolve(),
    };
    return new Proxy<Store>(store, {
      get: (_, name: keyof Store) => {
        const mine = own[name];
        if (mine !== undefined) return mine;
        const question = store[name] as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => this.#ask(life, () => question.apply(store, given));
      },
    });
  }

  #commit(life: Life, epoch: number, changes: readonly Change[]): Promise<void> {
    const { points, history } = this.parts;
    const named = stepsOf(changes);
    return life.ask((resolve, reject) => {
      for (const step of named) points.reach(`commit ${step}`, 'before', life);
      life.act(() => {
        const n = (this.#commits += 1);
        const fault = this.parts.fault(n);
        history.note(
          `${life.node} commits`,
          fault === undefined ? named.join(', ') : `${named.join(', ')}: ${fault}`,
        );
        if (this.away || fault === 'refuse') {
          this.#later(life, () => reject(new ServiceError('store_unavailable', 'the database is away')));
          return;
        }
        this.#later(undefined, () => {
          this.store.commit(epoch, changes).then(
            () => {
              for (const step of named) points.reach(`commit ${step}`, 'after', life);
              if (fault === 'lose_answer')
                reject(new ServiceError('store_unavailable', 'the answer was lost', { effect: 'maybe' }));
              else this.#later(life, resolve);
            },
            (error: Error) => {
              history.note(`commit of ${life.node} refused`, error.message);
              this.#later(life, () => reject(error));
            },
          );
        });
      });
    });
  }

  #ask<Answer>(life: Life, put: () => Promise<Answer>): Promise<Answer> {
    return life.ask((resolve, reject) => {
      this.#later(undefined, () => {
        if (this.away) reject(new ServiceError('store_unavailable', 'the database is away'));
        else put().then(resolve, reject);
      });
    });
  }

  #later(life: Life | undefined, step: () => void): void {
    const ms = 0.2 + diceOf(this.parts.seed, 'database', (this.#asks += 1));
    if (life === undefined) this.parts.time.after(ms, step);
    else life.after(ms, step);
  }
}

/** The steps of a commit, for the names of fault points: new states, and the kinds of the other changes. */
export function stepsOf(changes: readonly Change[]): string[] {
  const steps = new Set<string>();
  for (const change of changes) {
    if (change.op === 'insertAttempt') steps.add(`attempt ${change.row.state}`);
    else if (change.op === 'insertTaskRun') steps.add(`task ${change.row.state}`);
    else if (change.op === 'updateAttempt' && change.patch.state !== undefined)
      steps.add(`attempt ${change.patch.state}`);
    else if (change.op === 'updateTaskRun' && change.patch.state !== undefined)
      steps.add(`task ${change.patch.state}`);
    steps.add(change.op);
  }
  return [...steps].sort();
}
