import { simulatedWaits, type SimulatedWait, type WaitingTimes } from '@lab/contracts';
import type { PlanSlot } from '@lab/scheduling';
import type { TaskHistory, UnitSpell } from '../laboratory/index.js';

/**
 * From the weakest to the strongest obstacle. Of several slots the strongest obstacle counts, of one slot the weakest.
 */
const hindrances = ['planned', 'priority', 'busy', 'held', 'no_device'] as const;

export function noWaiting(): WaitingTimes {
  return Object.fromEntries(simulatedWaits.map((cause) => [cause, 0])) as Record<SimulatedWait, number>;
}

/**
 * How long a task waited and for what, in milliseconds.
 *
 * @param slots the candidates of its slots; undefined: it was never in a plan, because all candidates were in use or
 *   held all the time
 * @param units use of each device and resource, by time
 * @param until end of the simulation, in milliseconds since 1970
 */
export function waitingOf(
  task: TaskHistory,
  slots: readonly PlanSlot[] | undefined,
  units: ReadonlyMap<string, readonly UnitSpell[]>,
  until: number,
): WaitingTimes {
  const times = noWaiting();
  times.dependency = Math.max(0, (task.readyAt ?? until) - task.createdAt);
  for (const { from, to } of task.waits) {
    if (to <= from) continue;
    if (slots === undefined) {
      times.busy += to - from;
      continue;
    }
    const spells = new Map(
      slots.flatMap((slot) =>
        slot.candidates.map((id): [string, UnitSpell[]] => [id, within(units.get(id) ?? [], from, to)]),
      ),
    );
    const moments = [from, to];
    for (const each of spells.values())
      for (const { start, end } of each) {
        if (start > from && start < to) moments.push(start);
        if (end > from && end < to) moments.push(end);
      }
    moments.sort((a, b) => a - b);
    const places = new Map<string, number>();
    for (let index = 1; index < moments.length; index += 1) {
      const start = moments[index - 1] ?? from;
      const end = moments[index] ?? to;
      if (end === start) continue;
      times[causeAt(slots, task, from, start, spells, places)] += end - start;
    }
  }
  return times;
}

function causeAt(
  slots: readonly PlanSlot[],
  task: TaskHistory,
  since: number,
  at: number,
  spells: ReadonlyMap<string, readonly UnitSpell[]>,
  places: Map<string, number>,
): SimulatedWait {
  let worst = 0;
  for (const slot of slots) {
    let best = hindrances.length - 1;
    for (const id of slot.candidates) {
      const spell = spellAt(spells.get(id) ?? [], at, id, places);
      best = Math.min(best, hindrances.indexOf(hindranceOf(spell, task, since)));
    }
    worst = Math.max(worst, best);
  }
  return hindrances[worst] ?? 'planned';
}

function hindranceOf(
  spell: UnitSpell | undefined,
  task: TaskHistory,
  since: number,
): (typeof hindrances)[number] {
  if (spell === undefined) return 'planned';
  if (spell.what === 'out') return 'no_device';
  if (spell.what === 'hold') return spell.by === task.run ? 'planned' : 'held';
  return spell.start >= since ? 'priority' : 'busy';
}

/** The part of a timeline within a period. */
function within(spells: readonly UnitSpell[], from: number, to: number): UnitSpell[] {
  let low = 0;
  let high = spells.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spells[middle]?.end ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  const found: UnitSpell[] = [];
  for (let index = low; index < spells.length; index += 1) {
    const spell = spells[index];
    if (spell === undefined || spell.start >= to) break;
    found.push(spell);
  }
  return found;
}

/** Reads a timeline at rising times, so its position only moves forward. */
function spellAt(
  spells: readonly UnitSpell[],
  at: number,
  id: string,
  places: Map<string, number>,
): UnitSpell | undefined {
  let place = places.get(id) ?? 0;
  while ((spells[place]?.end ?? Infinity) <= at) place += 1;
  places.set(id, place);
  const spell = spells[place];
  return spell !== undefined && spell.start <= at ? spell : undefined;
}
