import { awaitsAgent } from '@lab/contracts';
import type { LabMap } from '../labs/index.js';
import type { WorkingState } from '../turn/index.js';

/** What uses a computer at this moment. Both lists are sorted. */
export interface ComputerUse {
  /** Labels of the tasks that run on the computer or use one of its devices. */
  users: string[];
  /** Names of the runs that keep one of its devices between two tasks. */
  keepers: string[];
}

export function useOf(state: WorkingState, labs: LabMap, computer: string): ComputerUse {
  const users = new Set(tasksOn(state, computer));
  const keepers = new Set<string>();
  for (const device of labs.devicesOf(computer)) {
    const allocation = state.allocation('device', device.key);
    const task = state.rows.taskRuns.get(allocation?.taskRunId ?? '');
    const run = state.rows.protocolRuns.get(allocation?.heldByRunId ?? '');
    if (task !== undefined && allocation !== undefined && state.isInUse(allocation))
      users.add(state.labelOf(task));
    else if (run !== undefined) keepers.add(run.name);
  }
  return { users: [...users].sort(), keepers: [...keepers].sort() };
}

/** Unfinished attempts on a computer, by the labels of their tasks. */
export function tasksOn(state: WorkingState, computer: string): string[] {
  const labels: string[] = [];
  for (const attempt of state.rows.attempts.values()) {
    if (attempt.computer !== computer || !awaitsAgent(attempt.state)) continue;
    const task = state.rows.taskRuns.get(attempt.taskRunId);
    if (task !== undefined) labels.push(state.labelOf(task));
  }
  return labels.sort();
}
