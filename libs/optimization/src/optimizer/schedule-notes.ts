import type { TrialNote } from '@lab/contracts';
import type { Choice } from '../acquisition/preference.js';

/** What the journal keeps of each row of a sample. @param limits time limits that ended a computation early */
export function notesOf(
  choices: readonly (Choice | null)[],
  limits: readonly string[],
): { source: 'optimizer'; note: TrialNote }[] {
  const limited = limits.length === 0 ? {} : { limits_used: [...limits] };
  return choices.map((choice) => ({
    source: 'optimizer',
    note: { ...limited, ...(choice === null ? {} : { schedule: scheduleNote(choice) }) },
  }));
}

function scheduleNote({ worth, seconds, plainSeconds }: Choice): NonNullable<TrialNote['schedule']> {
  const earlier = inWords(plainSeconds - seconds);
  const percent = Math.round(worth * 100);
  return {
    reason: `chosen because it finishes ${earlier} earlier at ${percent} % of the expected improvement`,
    worth: rounded(worth),
    seconds: rounded(seconds),
    plain_seconds: rounded(plainSeconds),
  };
}

/** Seconds as people say them, to two or three digits. */
function inWords(seconds: number): string {
  const [unit, length] =
    seconds >= 5400 ? (['h', 3600] as const) : seconds >= 90 ? (['min', 60] as const) : (['s', 1] as const);
  const value = seconds / length;
  return `${value >= 10 ? Math.round(value) : Number(value.toPrecision(2))} ${unit}`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
