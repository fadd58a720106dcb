import type { Facts, Invariant, Violation } from './facts.js';
import * as motions from './motions.js';
import * as records from './records.js';

/** The rule of each invariant; `defect` has none, its violations are in {@link Facts.found}. */
const rules: Readonly<Record<Exclude<Invariant, 'defect'>, (facts: Facts) => Iterable<string>>> = {
  I1: motions.oneMotionAtATime,
  I2: motions.attemptsInOrder,
  I3: motions.oneOwner,
  I4: records.everythingEnds,
  I5: records.resultsRecordedAsTheyEnded,
  I6: records.filesIntact,
  I7: records.eventsComplete,
  I8: motions.onlyTheLeaderWrites,
  I9: motions.noNeedlessQuestions,
  I10: motions.nothingLeft,
  I11: records.oneTrialForEachRun,
  stop: motions.nothingMovesWhenStopped,
};

/** Judges facts by every invariant. A pure function. */
export function judge(facts: Facts): Violation[] {
  const violations = [...(facts.found ?? [])];
  for (const [invariant, rule] of Object.entries(rules) as [keyof typeof rules, (typeof rules)['I1']][])
    for (const what of rule(facts)) violations.push({ invariant, what });
  return violations;
}
