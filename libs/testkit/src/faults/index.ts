export { addTally, emptyTally, explain, playSeeds, type Report, type Tally } from './campaign.js';
export { invariants, type Invariant, type Violation } from '../invariants/index.js';
export { check } from './checker.js';
export { scheduleOf, type Fault, type Schedule } from './schedule.js';
export { simulate, type Outcome } from './simulate.js';
export { plan, play, scheduleOfTrial, type Coverage, type Trial } from './enumerate.js';
export { exempt, pointList } from './point-list.js';
export { scenarios } from './scenarios.js';
