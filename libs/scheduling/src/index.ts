export { checkPlan } from './check-plan.js';
export { compareTasks, GreedyPolicy, isAvailable } from './greedy.js';
export { matchSlots } from './match-slots.js';
export type {
  Assignment,
  Budget,
  Plan,
  PlanSlot,
  PlanTask,
  PlanUnit,
  Policy,
  Snapshot,
  UnitKind,
} from './policy.js';
