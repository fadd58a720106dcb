import {
  agentStates,
  attentionWarnings,
  deviceStates,
  mayDispatchTo,
  taskRunStates,
  usageKinds,
  type AgentState,
  type DeviceState,
  type TaskRunState,
  type UsageKind,
} from '@lab/contracts';
import { deviceStatusOf } from '../agents/index.js';
import { serviceComputer } from '../labs/index.js';
import { quotaOf, shareOf } from '../quotas/index.js';
import type { Usage } from '../rows/index.js';
import type { OverviewPorts } from './overview.js';

/** Numbers of tasks, agents and devices by state at one moment. */
export interface Counts {
  /** Unfinished task runs, and all task runs of unfinished runs. */
  tasks: Record<TaskRunState, number>;
  /** Agents that have registered with this leader. */
  agents: Record<AgentState, number>;
  /** Devices of the loaded laboratories. */
  devices: Record<DeviceState, number>;
  /** Open attention items by the code of their reason; every warning is there. */
  attention: Record<string, number>;
  /** Computers that need an agent, and those of them whose agent is connected. */
  computers: {
    expected: number;
    online: number;
    /** Names of the computers whose agent is not connected. */
    missing: string[];
    /** What is wrong with computers whose agent is heard, each with the name of the computer, and with a rollout. */
    troubles: string[];
  };
  /** What all owners store together. */
  stored: Usage;
  /** The greatest share of a quota that an owner and a laboratory has used; 0: nobody has one. */
  quotaShares: Record<UsageKind, number>;
  /** Age of the plan in milliseconds; null: there is none. */
  planAgeMs: number | null;
}

export function countAll({ state, labs, directory, quotas, timetable, now }: OverviewPorts): Counts {
  const tasks = zeros(taskRunStates);
  for (const task of state.rows.taskRuns.values()) tasks[task.state] += 1;
  const agents = zeros(agentStates);
  for (const agent of directory.all()) agents[agent.state] += 1;
  const devices = zeros(deviceStates);
  for (const device of labs.devices.values()) devices[deviceStatusOf(device, directory).state] += 1;
  const attention: Record<string, number> = zeros(Object.keys(attentionWarnings));
  for (const { state: now, reason } of state.rows.attention.values())
    if (now === 'open') attention[reason.code] = (attention[reason.code] ?? 0) + 1;
  const expected = new Set([serviceComputer, ...[...labs.devices.values()].map(({ computer }) => computer)]);
  const online = [...expected].flatMap((computer) => {
    const agent = directory.get(computer);
    return agent !== undefined && mayDispatchTo(agent.state) ? [agent] : [];
  });
  const heard = new Set(online.map(({ computer }) => computer));
  const missing = [...expected].filter((computer) => !heard.has(computer)).sort();
  const troubles = online.flatMap(({ computer, ledgerTrouble }) =>
    ledgerTrouble == null ? [] : [`computer ${computer}: ${ledgerTrouble}`],
  );
  for (const { state: its, version, halt } of state.rows.rollouts.values())
    if (its === 'halted' && halt !== null)
      troubles.push(`the rollout to ${version} is halted: ${halt.reason}`);
  const stored: Usage = { records: 0, files: 0, bytes: 0 };
  const quotaShares = zeros(usageKinds);
  for (const row of state.rows.usage.values()) {
    const share = shareOf(row, quotaOf(quotas, row.kind, row.name)) ?? 0;
    quotaShares[row.kind] = Math.max(quotaShares[row.kind], share);
    if (row.kind === 'owner') for (const what of usedThings) stored[what] += row[what];
  }
  return {
    tasks,
    agents,
    devices,
    attention,
    stored,
    quotaShares,
    computers: { expected: expected.size, online: online.length, missing, troubles },
    planAgeMs: timetable === null ? null : Math.max(0, now - timetable.madeAt),
  };
}

const usedThings = ['records', 'files', 'bytes'] as const;

function zeros<Key extends string>(keys: readonly Key[]): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
}
