import type { PlannedLabTask } from '@lab/contracts';

/** A time in which a unit is taken, in seconds. */
interface Span {
  from: number;
  /** Infinity: nobody knows its end. */
  to: number;
}

/** Start, end and units of a task. */
interface Place {
  start: number;
  end: number;
  /** The unit of each slot. */
  units: readonly number[];
}

/** Earliest start of a task on a unit that it cannot keep from an earlier moment on, by task, slot and unit. */
type Bars = Map<string, number>;

/** More corrections of one run mean that other runs keep units for ever. */
const mostCorrections = 200;

/**
 * Expected times of runs in a laboratory. Each run takes the earliest times that the runs before it leave: the serial
 * schedule generation scheme, run by run (Kolisch 1996, "Serial and parallel resource-constrained project scheduling
 * methods revisited"). It is an estimate: the laboratory decides by event, and may let another run go first.
 */
export class Timetable {
  /** Per unit, in order of time. */
  readonly #taken = new Map<number, Span[]>();

  /**
   * Gives a run its units.
   *
   * @param tasks each after those that it waits for
   * @param seconds duration of each task
   * @param release earliest start in seconds
   * @returns the end of its last task in seconds; Infinity: it cannot end
   */
  add(tasks: readonly PlannedLabTask[], seconds: ArrayLike<number>, release: number): number {
    const placed = this.#placed(tasks, seconds, release);
    if (placed === null) return Infinity;
    for (const [unit, spans] of placed.taken)
      this.#taken.set(
        unit,
        [...(this.#taken.get(unit) ?? []), ...spans].sort((a, b) => a.from - b.from),
      );
    return placed.end;
  }

  /** The result of {@link add}. Nothing is changed. */
  tryOut(tasks: readonly PlannedLabTask[], seconds: ArrayLike<number>, release: number): number {
    return this.#placed(tasks, seconds, release)?.end ?? Infinity;
  }

  #placed(
    tasks: readonly PlannedLabTask[],
    seconds: ArrayLike<number>,
    release: number,
  ): { end: number; taken: Map<number, Span[]> } | null {
    const bars: Bars = new Map();
    for (let tries = 0; tries < mostCorrections; tries += 1) {
      const places = this.#attempt(tasks, seconds, release, bars);
      if (places === null) return null;
      const taken = takenBy(tasks, places);
      if (!this.#correct(tasks, places, bars))
        return { end: places.reduce((last, { end }) => Math.max(last, end), 0), taken };
    }
    return null;
  }

  #attempt(
    tasks: readonly PlannedLabTask[],
    seconds: ArrayLike<number>,
    release: number,
    bars: Bars,
  ): Place[] | null {
    const places: Place[] = [];
    const own = new Map<number, Span[]>();
    for (const [at, task] of tasks.entries()) {
      const place =
        task.started === null
          ? this.#earliest(task, at, seconds[at]!, lowest(task, places, release), places, own, bars)
          : started(task, task.started, seconds[at]!);
      if (place === null) return null;
      places.push(place);
      for (const unit of place.units)
        own.set(unit, [...(own.get(unit) ?? []), { from: place.start, to: place.end }]);
    }
    return places;
  }

  /** The earliest place of a task; null: no unit can fill a slot. */
  #earliest(
    task: PlannedLabTask,
    at: number,
    duration: number,
    from: number,
    places: readonly Place[],
    own: ReadonlyMap<number, Span[]>,
    bars: Bars,
  ): Place | null {
    for (let start = from; ;) {
      const units: number[] = [];
      let later = start;
      for (const [slot, { units: any, like }] of task.slots.entries()) {
        const same = like === null ? undefined : places[like.task]?.units[like.slot];
        let unit = -1;
        let soonest = Infinity;
        for (const candidate of same === undefined ? any : [same]) {
          if (units.includes(candidate)) continue;
          const bar = Math.max(start, bars.get(`${at}:${slot}:${candidate}`) ?? 0);
          const others = this.#taken.get(candidate) ?? [];
          const free = freeFrom([...others, ...(own.get(candidate) ?? [])], bar, duration);
          if (free < soonest) [unit, soonest] = [candidate, free];
        }
        if (unit < 0) return null;
        units.push(unit);
        later = Math.max(later, soonest);
      }
      if (later === start) return { start, end: start + duration, units };
      start = later;
    }
  }

  /**
   * Bars a unit that a task would keep while another run has it.
   *
   * @returns false: there is no such unit
   */
  #correct(tasks: readonly PlannedLabTask[], places: readonly Place[], bars: Bars): boolean {
    for (const [at, task] of tasks.entries()) {
      if (task.started !== null) continue;
      for (const [slot, { kept }] of task.slots.entries()) {
        const { start, units } = places[at]!;
        const unit = units[slot]!;
        const until = kept.reduce((last, keeper) => Math.max(last, places[keeper]?.end ?? 0), 0);
        const other = this.#taken.get(unit)?.find(({ from, to }) => from < until && to > start);
        if (other === undefined) continue;
        bars.set(`${at}:${slot}:${unit}`, other.to);
        return true;
      }
    }
    return false;
  }
}

function started({ slots }: PlannedLabTask, start: number, duration: number): Place {
  return { start, end: Math.max(0, start + duration), units: slots.map(({ units }) => units[0] ?? -1) };
}

function lowest({ earliest, after }: PlannedLabTask, places: readonly Place[], release: number): number {
  return after.reduce(
    (latest, { task, lag }) => Math.max(latest, (places[task]?.end ?? 0) + lag),
    Math.max(earliest, release),
  );
}

/** The first moment from which a unit is free for a duration. */
function freeFrom(taken: readonly Span[], from: number, duration: number): number {
  let start = from;
  for (let moved = true; moved;) {
    moved = false;
    for (const span of taken) {
      if (span.from >= start + duration || span.to <= start) continue;
      start = span.to;
      moved = true;
    }
  }
  return start;
}

/** The spans of a placed run: each unit from the start of a task to the end of those for which it is kept. */
function takenBy(tasks: readonly PlannedLabTask[], places: readonly Place[]): Map<number, Span[]> {
  const taken = new Map<number, Span[]>();
  places.forEach(({ start, end, units }, at) => {
    tasks[at]!.slots.forEach(({ kept }, slot) => {
      const unit = units[slot]!;
      const to = kept.reduce((last, keeper) => Math.max(last, places[keeper]?.end ?? 0), end);
      taken.set(unit, [...(taken.get(unit) ?? []), { from: start, to }]);
    });
  });
  return taken;
}
