import type { Clock } from '@lab/ports';
import { checkSchedule } from '../check-schedule.js';
import { objectiveOf, type Problem, type Schedule } from '../problem/problem.js';
import type { Compiled } from './compiled.js';
import { joinSchedules, separate } from './parts.js';
import type { SearchResult } from '../search/search.js';
import type { ExactSolver, Ongoing, PlanLog, Searcher } from './ports.js';

export interface Job {
  compiled: Compiled;
  schedule: Schedule;
  /** Tasks whose places must not change. */
  frozen: ReadonlySet<string>;
}

export interface Finding {
  job: Job;
  schedule: Schedule | null;
  /** Bound of the objective of the problem of the job. */
  lowerBound: number | null;
  engine: 'search' | 'cp-sat';
  ms: number;
  reproducible: boolean;
}

export interface BackgroundPorts {
  clock: Clock;
  searcher: Searcher | null;
  exact: ExactSolver | null;
  log: PlanLog;
}

interface Search {
  job: Job;
  ongoing: Ongoing<SearchResult | null> | null;
}

/** Milliseconds for which a search goes on after a change, so that frequent changes do not starve it. */
const debounceMs = 250;
/** Up to this number of waiting tasks in a part the exact solver looks for an optimum; above, for a lower bound. */
const provable = 60;
/** Milliseconds of search before the proof of such a small problem. */
const provableSearchMs = 1_000;

/**
 * Improves plans in the background: a search while nothing changes and time is left, then proofs or lower bounds of
 * the exact solver, part by part. A new job replaces the previous one. `found` gets each result with its job and must
 * judge whether it still applies; null reports the end of a search.
 */
export class Background {
  #search: Search | null = null;
  #next: Job | null = null;
  #proof: Ongoing<unknown> | null = null;
  #latest: Job | null = null;
  #stopped = false;
  /** A search was lost, and the log has said so. */
  #lost = false;

  constructor(
    private readonly ports: BackgroundPorts,
    private readonly options: { timeLimitMs: number; seed: number },
    private readonly found: (finding: Finding | null) => void,
  ) {}

  restart(job: Job): void {
    if (this.#stopped || job.compiled.waiting.size === 0) return this.#cancelSearch();
    this.#latest = job;
    if (this.#search !== null && job.compiled.origin - this.#search.job.compiled.origin < debounceMs) {
      this.#next = job;
      return;
    }
    this.#begin(job);
  }

  /** Replaces the job that is waiting for its turn. */
  adopt(job: Job): void {
    if (this.#next !== null) this.#next = job;
    if (this.#latest !== null) this.#latest = job;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#latest = null;
    const ends = [this.#search?.ongoing?.done, this.#proof?.done];
    this.#cancelSearch();
    this.#proof?.cancel();
    await Promise.all(ends);
  }

  #cancelSearch(): void {
    this.#next = null;
    const search = this.#search;
    this.#search = null;
    search?.ongoing?.cancel();
  }

  #begin(job: Job): void {
    this.#cancelSearch();
    const { searcher, clock, log } = this.ports;
    if (searcher === null) return this.#prove(job, job.schedule);
    const began = clock.now();
    const { timeLimitMs, seed } = this.options;
    const small = job.compiled.waiting.size <= provable && this.ports.exact?.available === true;
    const frozen = frozenProblem(job);
    const search: Search = { job, ongoing: null };
    this.#search = search;
    let best = job.schedule;
    const findingOf = (schedule: Schedule | null, lowerBound: number | null): Finding => ({
      job,
      schedule,
      lowerBound,
      engine: 'search',
      ms: clock.now() - began,
      reproducible: searcher.reproducible,
    });
    const improved = (schedule: Schedule): void => {
      if (this.#stopped || schedule.objective >= best.objective) return;
      best = schedule;
      this.found(findingOf(schedule, null));
    };
    const over = (result: SearchResult | null): void => {
      if (this.#search !== search) return;
      if (result === null) {
        if (!this.#lost)
          log.warn('a search was lost: the plan is as it was, and the next change begins another');
        this.#lost = true;
      }
      this.#search = null;
      if (result !== null) improved(result.schedule);
      this.found(null);
      if (this.#next !== null) this.#begin(this.#next);
      else if (result?.optimal === true && !frozen.restricted) this.found(findingOf(null, best.objective));
      else {
        if (result?.lowerBound !== undefined && !frozen.restricted)
          this.found(findingOf(null, result.lowerBound));
        this.#prove(job, isSound(job, best) ? best : job.schedule);
      }
    };
    const timeLimit = small ? Math.min(provableSearchMs, timeLimitMs) : timeLimitMs;
    try {
      search.ongoing = searcher.search(
        frozen.problem,
        { seed, start: job.schedule, timeLimitMs: timeLimit, rounds: null },
        improved,
      );
      search.ongoing.done.then(over, () => over(null));
    } catch (error) {
      log.error('a search could not begin', { message: messageOf(error) });
      this.#search = null;
    }
  }

  /** One proof at a time, and no proof is discarded for a newer job, because a cancel costs the solver its process. */
  #prove(job: Job, schedule: Schedule): void {
    const { exact, log } = this.ports;
    if (exact === null || !exact.available || this.#proof !== null || this.#stopped) return;
    let cancelled = false;
    let current: Ongoing<unknown> | null = null;
    const done = this.#proveParts(job, schedule, exact, (ongoing) => {
      current = ongoing;
      return cancelled;
    })
      .catch((error: unknown) => {
        log.error('a proof broke down', { message: messageOf(error) });
      })
      .then(() => {
        this.#proof = null;
        const latest = this.#latest;
        if (!this.#stopped && latest !== null && latest.compiled !== job.compiled && this.#search === null)
          this.#prove(latest, latest.schedule);
      });
    this.#proof = {
      done,
      cancel: () => {
        cancelled = true;
        current?.cancel();
      },
    };
  }

  async #proveParts(
    job: Job,
    incumbent: Schedule,
    exact: ExactSolver,
    goesOn: (ongoing: Ongoing<unknown>) => boolean,
  ): Promise<void> {
    const { clock, log } = this.ports;
    const began = clock.now();
    const { problem } = job.compiled;
    const parts = separate(problem, incumbent);
    let lowerBound = 0;
    let schedule = incumbent;
    for (const part of parts) {
      const waiting = part.problem.activities.filter((activity) => activity.fixed === null).length;
      if (waiting === 0) {
        lowerBound += part.schedule.objective;
        continue;
      }
      const ongoing = exact.solve(part.problem, {
        hint: part.schedule,
        timeLimitMs: this.options.timeLimitMs,
        goal: waiting <= provable ? 'optimum' : 'bound',
      });
      const stop = goesOn(ongoing);
      if (stop) ongoing.cancel();
      const answer = await ongoing.done;
      if (stop || answer.status === 'unavailable') return;
      if (answer.status === 'infeasible') {
        log.error('the exact solver finds the plan impossible', { tasks: waiting });
        return;
      }
      lowerBound += Math.max(0, answer.lowerBound ?? 0);
      if (answer.schedule !== null && answer.schedule.objective < part.schedule.objective)
        schedule = joinSchedules(problem, schedule, part, answer.schedule);
    }
    if (this.#stopped) return;
    const better = objectiveOf(problem, schedule.ends).total < incumbent.objective;
    this.found({
      job,
      schedule: better ? schedule : null,
      lowerBound,
      engine: 'cp-sat',
      ms: clock.now() - began,
      reproducible: false,
    });
  }
}

/** Says whether a schedule keeps every rule: beside frozen tasks, a search only wishes for groups and lags. */
function isSound({ compiled }: Job, schedule: Schedule): boolean {
  return checkSchedule(compiled.problem, schedule).length === 0;
}

function frozenProblem({ compiled, schedule, frozen }: Job): { problem: Problem; restricted: boolean } {
  const { problem, waiting } = compiled;
  let restricted = false;
  const activities = problem.activities.map((activity, index) => {
    if (!frozen.has(waiting.get(index)?.id ?? '')) return activity;
    restricted = true;
    const start = schedule.starts[index] ?? 0;
    const duration = (schedule.ends[index] ?? 0) - start;
    return { ...activity, duration, fixed: { start, units: schedule.units[index] ?? [] } };
  });
  return restricted ? { problem: { ...problem, activities }, restricted } : { problem, restricted };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
