import type { LabSchedule } from '@lab/contracts';
import type { Preference } from '../acquisition/preference.js';
import type { Domain } from '../domain/domain.js';
import { TaskDurations } from '../schedule/durations.js';
import { RunTimes } from '../schedule/run-times.js';
import type { Runs } from './runs.js';

/** Seconds that each task of a completed run took, by name of the task. */
export interface ReportedDurations {
  run: string;
  durations: Record<string, number>;
}

/** The durations of completed runs, and what follows from them for the choice among points. */
export class TimedDurations {
  private readonly known = new Map<string, Record<string, number>>();

  constructor(
    private readonly domain: Domain,
    private readonly runs: Runs,
  ) {}

  report(details: readonly { run: string; durations?: Record<string, number> | null }[]): void {
    for (const { run, durations } of details) {
      const usable = Object.entries(durations ?? {}).filter(
        ([, seconds]) => Number.isFinite(seconds) && seconds >= 0,
      );
      if (usable.length > 0) this.known.set(run, Object.fromEntries(usable));
    }
  }

  /** In the order of the names of the runs. */
  state(): ReportedDurations[] {
    const names = [...this.known.keys()].sort();
    return names.map((run) => ({ run, durations: { ...this.known.get(run)! } }));
  }

  restore(reported: readonly ReportedDurations[]): void {
    this.known.clear();
    this.report(reported);
  }

  /** @param loss greatest loss of worth, as a share */
  preference(schedule: LabSchedule, loss: number): Preference {
    const runs = this.runs.all();
    const timed = runs.flatMap(({ name, row, status }) => {
      const seconds = name === null || status !== 'measured' ? undefined : this.known.get(name);
      return seconds === undefined ? [] : [{ row, seconds }];
    });
    const durations = new TaskDurations(
      timed,
      this.domain.columns.map(({ input }) => input),
    );
    const rows = new Map(runs.map(({ name, row }) => [name, row]));
    const times = new RunTimes(schedule, durations, (run) => rows.get(run));
    return {
      loss,
      seconds: (candidates) => times.of(candidates),
      choose: (row) => times.choose(row),
    };
  }
}
