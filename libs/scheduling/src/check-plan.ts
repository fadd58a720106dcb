import type { Fault } from '@lab/contracts';
import type { Assignment, Plan, PlanTask, Snapshot } from './policy.js';

/**
 * All faults of a plan for a snapshot; empty when the plan may be carried out. Shares no code with any policy, so that
 * it finds the defects of policies.
 */
export function checkPlan(snapshot: Snapshot, plan: Plan): Fault[] {
  const tasks = new Map(snapshot.tasks.map((task) => [task.id, task]));
  const starts = new Set<string>();
  const owners = new Map<string, string>();
  return plan.assignments.flatMap((assignment, index) => {
    const path = `assignments[${index}]`;
    const task = tasks.get(assignment.task);
    if (task === undefined)
      return [{ path: `${path}.task`, code: 'unknown_task', message: `${assignment.task} is not waiting` }];
    const faults = [...slotFaults(task, assignment, path), ...unitFaults(snapshot, task, assignment, path)];
    if (starts.has(task.id))
      faults.push({ path: `${path}.task`, code: 'started_twice', message: `${task.id} is started twice` });
    starts.add(task.id);
    if (
      task.ready === false ||
      task.blocked === true ||
      (task.notBefore ?? 0) > snapshot.now ||
      (task.dependencies ?? []).length > 0
    )
      faults.push({ path: `${path}.task`, code: 'not_ready', message: `${task.id} cannot start yet` });
    for (const [slot, unit] of Object.entries(assignment.units)) {
      const owner = owners.get(unit);
      if (owner !== undefined)
        faults.push({
          path: `${path}.units.${slot}`,
          code: 'given_twice',
          message: `${unit} was given to ${owner} already`,
        });
      owners.set(unit, task.id);
    }
    return faults;
  });
}

function slotFaults(task: PlanTask, assignment: Assignment, path: string): Fault[] {
  const faults: Fault[] = [];
  const slots = new Map(task.slots.map((slot) => [slot.name, slot]));
  for (const slot of task.slots) {
    const unit = assignment.units[slot.name];
    if (unit === undefined)
      faults.push({
        path: `${path}.units.${slot.name}`,
        code: 'empty_slot',
        message: `the slot ${slot.name} of ${task.id} is not filled`,
      });
    else if (!slot.candidates.includes(unit))
      faults.push({
        path: `${path}.units.${slot.name}`,
        code: 'not_eligible',
        message: `${unit} is not a candidate of the slot ${slot.name}`,
      });
  }
  for (const name of Object.keys(assignment.units))
    if (!slots.has(name))
      faults.push({
        path: `${path}.units.${name}`,
        code: 'unknown_slot',
        message: `${task.id} has no slot ${name}`,
      });
  return faults;
}

function unitFaults(snapshot: Snapshot, task: PlanTask, assignment: Assignment, path: string): Fault[] {
  const faults: Fault[] = [];
  for (const [slot, id] of Object.entries(assignment.units)) {
    const at = `${path}.units.${slot}`;
    const unit = snapshot.units.get(id);
    if (unit === undefined) faults.push({ path: at, code: 'unknown_unit', message: `there is no ${id}` });
    else if (!unit.usable) faults.push({ path: at, code: 'unusable', message: `${id} cannot be used` });
    else if (unit.busy) faults.push({ path: at, code: 'busy', message: `${id} is in use` });
    else if (unit.heldBy !== null && unit.heldBy !== task.run)
      faults.push({ path: at, code: 'held', message: `${id} is held by ${unit.heldBy}` });
    else if (unit.heldBy !== null && !isAllKept(snapshot, task, slot))
      faults.push({
        path: at,
        code: 'kept',
        message: `${id} is kept for what refers to it, and the slot ${slot} has other candidates`,
      });
  }
  return faults;
}

/** Says whether the run of the task keeps every candidate of the slot. */
function isAllKept(snapshot: Snapshot, task: PlanTask, name: string): boolean {
  const slot = task.slots.find((each) => each.name === name);
  return (
    slot === undefined ||
    slot.candidates.every((id) => {
      const by = snapshot.units.get(id)?.heldBy ?? null;
      return by !== null && by === task.run;
    })
  );
}
