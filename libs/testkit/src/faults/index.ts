export { addTally, emptyTally, explain, playSeeds, type Report, type Tally } from './play/campaign.js';
export { invariants, type Invariant, type Violation } from '../invariants/index.js';
export { Chance } from './plan/chance.js';
export { check } from './verdict/checker.js';
export { scheduleOf, type Fault, type Schedule } from './plan/schedule.js';
export { simulate, type Outcome } from './play/simulate.js';
export { plan, play, scheduleOfTrial, type Coverage, type Trial } from './play/enumerate.js';
export { exempt, pointList } from './play/point-list.js';
export { scenarios } from './plan/scenarios.js';
