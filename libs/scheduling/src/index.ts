export { checkPlan } from './check-plan.js';
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
export type { SearchOptions, SearchResult } from './search/search.js';
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
  UnitKind,
} from './policy.js';
