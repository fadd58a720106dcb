import type { Fault } from '@lab/contracts';
import { faultsOf, type Report } from './faults.js';
import type { Assignment, Plan, PlanTask, Snapshot } from './policy.js';

/** All faults of a plan for a snapshot; empty: the plan may be carried out. Shares no code with policies. */
export function checkPlan(snapshot: Snapshot, plan: Plan): Fault[] {
  const tasks = new Map(snapshot.tasks.map((task) => [task.id, task]));
  const starts = new Set<string>();
  const owners = new Map<string, string>();
  return faultsOf((report) => {
    for (const [index, assignment] of plan.assignments.entries()) {
      const path = `assignments[${index}]`;
      const task = tasks.get(assignment.task);
      if (task === undefined) {
        report(`${path}.task`, 'unknown_task', `${assignment.task} is not waiting`);
        continue;
      }
      checkSlots(task, assignment, `${path}.units`, report);
      checkUnits(snapshot, task, assignment, `${path}.units`, report);
      if (starts.has(task.id)) report(`${path}.task`, 'started_twice', `${task.id} is started twice`);
      starts.add(task.id);
      if (
        task.ready === false ||
        task.blocked === true ||
        (task.notBefore ?? 0) > snapshot.now ||
        (task.dependencies ?? []).length > 0
      )
        report(`${path}.task`, 'not_ready', `${task.id} cannot start yet`);
      for (const [slot, unit] of Object.entries(assignment.units)) {
        const owner = owners.get(unit);
        if (owner !== undefined)
          report(`${path}.units.${slot}`, 'given_twice', `${unit} was given to ${owner} already`);
        owners.set(unit, task.id);
      }
    }
  });
}

function checkSlots(task: PlanTask, { units }: Assignment, path: string, report: Report): void {
  for (const { name, candidates } of task.slots) {
    const unit = units[name];
    if (unit === undefined)
      report(`${path}.${name}`, 'empty_slot', `the slot ${name} of ${task.id} is not filled`);
    else if (!candidates.includes(unit))
      report(`${path}.${name}`, 'not_eligible', `${unit} is not a candidate of the slot ${name}`);
  }
  for (const name of Object.keys(units))
    if (!task.slots.some((slot) => slot.name === name))
      report(`${path}.${name}`, 'unknown_slot', `${task.id} has no slot ${name}`);
}

function checkUnits(
  snapshot: Snapshot,
  task: PlanTask,
  { units }: Assignment,
  path: string,
  report: Report,
): void {
  for (const [slot, id] of Object.entries(units)) {
    const at = `${path}.${slot}`;
    const unit = snapshot.units.get(id);
    if (unit === undefined) report(at, 'unknown_unit', `there is no ${id}`);
    else if (!unit.usable) report(at, 'unusable', `${id} cannot be used`);
    else if (task.reserved?.includes(id)) report(at, 'reserved', `${id} is reserved for others`);
    else if (unit.busy) report(at, 'busy', `${id} is in use`);
    else if (unit.heldBy !== null && unit.heldBy !== task.run)
      report(at, 'held', `${id} is held by ${unit.heldBy}`);
    else if (unit.heldBy !== null && !isAllKept(snapshot, task, slot))
      report(at, 'kept', `${id} is kept for what refers to it, and the slot ${slot} has other candidates`);
  }
}

function isAllKept({ units }: Snapshot, { run, slots }: PlanTask, name: string): boolean {
  const slot = slots.find((each) => each.name === name);
  return run !== null && (slot?.candidates ?? []).every((id) => units.get(id)?.heldBy === run);
}
