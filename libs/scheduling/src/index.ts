export { agedPriority } from './ageing.js';
export { checkPlan } from './check-plan.js';
export { checkSchedule } from './check-schedule.js';
export { checkTimetable } from './check-timetable.js';
export { inlineSearcher } from './cpsat/inline-searcher.js';
export { CpsatPolicy, type CpsatKnobs } from './cpsat/policy.js';
export type {
  ExactAnswer,
  ExactRequest,
  ExactSolver,
  Ongoing,
  PlanLog,
  Searcher,
  SearchRequest,
} from './cpsat/ports.js';
export { cpModelOf, type ExactModel } from './exact/cp-model.js';
export type { CpModelProto, CpResponse } from './exact/cp-model-proto.js';
export { lowerBound } from './exact/lower-bound.js';
export { compareTasks, GreedyPolicy, isAvailable } from './greedy.js';
export { matchSlots } from './match-slots.js';
export { objectiveOf } from './problem/problem.js';
export type {
  Activity,
  Objective,
  Precedence,
  Problem,
  ProblemRun,
  Schedule,
  Slot,
} from './problem/problem.js';
export { improve } from './search/improve.js';
export { construct, type Construction } from './search/list-heuristics.js';
export type { SearchOptions, SearchResult } from './search/search.js';
export { shopLowerBound } from './shop/bound.js';
export { improveShop } from './shop/improve-shop.js';
export { isShop } from './shop/shop.js';
export type {
  Assignment,
  Plan,
  PlanDependency,
  PlannedTask,
  PlanQuality,
  PlanRunning,
  PlanSlot,
  PlanTask,
  PlanUnit,
  Policy,
  RunNeeds,
  Snapshot,
  Timetable,
} from './policy.js';
