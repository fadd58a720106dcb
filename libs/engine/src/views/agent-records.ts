import { isReachable, type AgentRecord, type ComputerDrain } from '@lab/contracts';
import { type Presence, type RefusedAgent, deviceStatusOf, tasksOn, useOf } from '../agents/index.js';
import type { LabMap } from '../labs/index.js';
import { drainOfComputer } from '../stops/index.js';
import type { WorkingState } from '../turn/index.js';
import type { OverviewPorts } from './overview.js';
import { iso } from './wait-causes.js';

type AgentPorts = Pick<OverviewPorts, 'labs' | 'directory' | 'state' | 'now'>;

export function describeAgents(ports: AgentPorts): AgentRecord[] {
  const { labs, directory, state } = ports;
  const computers = new Set([
    ...[...labs.labs.values()].flatMap((lab) => Object.keys(lab.computers)),
    ...[...directory.all()].map(({ computer }) => computer),
    ...state.rows.agents.keys(),
  ]);
  return [...computers].sort().map((computer) => describeAgent(ports, computer));
}

function describeAgent({ labs, directory, state, now }: AgentPorts, computer: string): AgentRecord {
  const agent = directory.get(computer);
  const isHeard = agent !== undefined && isReachable(agent.state);
  const misfit = isHeard ? undefined : directory.misfits.of(computer, now);
  const recorded = state.rows.agents.get(computer)?.inc ?? null;
  const itsLabs = [...labs.labs.values()].filter((lab) => Object.hasOwn(lab.computers, computer));
  return {
    computer,
    labs: itsLabs.map(({ name }) => name).sort(),
    ...connectionOf(agent, recorded, misfit),
    incarnation: agent?.inc ?? recorded,
    version: misfit?.version ?? agent?.version ?? null,
    protocol: misfit?.protocol ?? agent?.protocol ?? null,
    platform: agent?.updates?.platform ?? null,
    address: itsLabs[0]?.computers[computer]?.ip ?? null,
    last_heard_at: agent === undefined ? null : new Date(agent.heardAt).toISOString(),
    clock_offset_ms: agent?.clock.ms ?? null,
    ledger:
      agent?.ledgerTrouble === undefined
        ? null
        : { writable: agent.ledgerTrouble === null, detail: agent.ledgerTrouble },
    devices: [...labs.devices.values()]
      .filter((device) => device.computer === computer)
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map((device) => {
        const { state: itsState, detail } = deviceStatusOf(device, directory);
        return { lab: device.lab, name: device.name, state: itsState, detail };
      }),
    drain: drainOf(labs, state, computer),
    tasks: tasksOn(state, computer),
  };
}

/** Who drains the computer, and what still uses it; null: nobody drains it. */
function drainOf(labs: LabMap, state: WorkingState, computer: string): ComputerDrain | null {
  const row = drainOfComputer(state, computer);
  if (row === undefined) return null;
  const { by, reason, at, until } = row;
  const { users, keepers } = useOf(state, labs, computer);
  const since = new Date(at).toISOString();
  const still = { used_by: users, kept_by: keepers };
  return { by, reason, since, until: iso(until), drained: users.length === 0, ...still };
}

/** The state of the connection to an agent, and why it is not online. */
function connectionOf(
  agent: Presence | undefined,
  recorded: number | null,
  misfit: RefusedAgent | undefined,
): Pick<AgentRecord, 'state' | 'reason'> {
  if (misfit !== undefined) return { state: 'incompatible', reason: misfit.message };
  if (agent === undefined) return { state: 'offline', reason: whyUnheard(recorded) };
  return { state: agent.state, reason: whyAway(agent) };
}

function whyUnheard(recorded: number | null): string {
  return recorded === null ? 'it has never registered' : 'it has not registered with the present leader';
}

function whyAway({ state, heardAt, announcedLeave }: Presence): string | null {
  const since = new Date(heardAt).toISOString();
  switch (state) {
    case 'online':
      return null;
    case 'suspect':
      return `it has been silent since ${since}; nothing is sent to it until it is heard again`;
    case 'offline':
      return announcedLeave ? 'it announced that it stops' : `it has not been heard since ${since}`;
    case 'draining':
      return 'it takes no more work before it leaves';
    case 'incompatible':
      return 'its version does not fit';
  }
}
