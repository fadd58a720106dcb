import type { LabSchedule, PlannedLabTask } from '@lab/contracts';
import type { PlanRunning, PlanTask, Snapshot } from '@lab/scheduling';
import { type CampaignRow, allocationKey } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';
import { pendingTrials } from '../work/index.js';
import type { ProtocolPlan } from './protocol-plan.js';
import type { Workload } from './workload.js';

/** More unfinished tasks do not fit into one message beside their units. */
const mostTasks = 1_000;

interface Situation {
  workload: Workload;
  state: WorkingState;
  /** Milliseconds since 1970. */
  now: number;
}

/** Tasks of one run, or an on-demand task. */
interface Group {
  run: string | null;
  priority: number;
  running: PlanRunning[];
  waiting: PlanTask[];
}

type Slot = PlannedLabTask['slots'][number];

/**
 * The unfinished work and a further run of a campaign, in numbers. Tasks of which nobody knows when they go on count as if
 * they went on now.
 *
 * @returns undefined: there are too many tasks, or the protocol of the campaign is missing
 */
export function labScheduleFor(situation: Situation, campaign: CampaignRow): LabSchedule | undefined {
  const { workload, state, now } = situation;
  const protocol = state.protocolOf(campaign);
  if (protocol === undefined) return undefined;
  const snapshot = workload.snapshot(state, 0, now);
  if (snapshot.tasks.length + (snapshot.running?.length ?? 0) > mostTasks) return undefined;
  const numbers = new Numbers();
  const groups = groupsOf(snapshot);
  return {
    work: groups.map((group) => {
      const run = state.rows.protocolRuns.get(group.run ?? '');
      return {
        run: run?.campaignId === campaign.id ? run.name : null,
        tasks: new GroupTasks(group, snapshot, situation, numbers).all(),
      };
    }),
    coming: pendingTrials(state, campaign).map((trial) => trial.run),
    next: nextTasks(workload, protocol.protocol.type, workload.planOf(protocol), snapshot, numbers),
    concurrent: campaign.maxConcurrentProtocolRuns,
  };
}

/** Numbers of units, in the order in which they are first seen. */
class Numbers {
  readonly #numbers = new Map<string, number>();

  of(unit: string): number {
    const number = this.#numbers.get(unit) ?? this.#numbers.size;
    this.#numbers.set(unit, number);
    return number;
  }
}

/** Higher priorities first, otherwise in the order of submission. */
function groupsOf({ running = [], tasks }: Snapshot): Group[] {
  const groups = new Map<string, Group>();
  const groupOf = ({ id, run, priority }: PlanTask | PlanRunning): Group => {
    const key = run ?? id;
    const group = groups.get(key) ?? { run, priority, running: [], waiting: [] };
    groups.set(key, group);
    return group;
  };
  for (const task of running) groupOf(task).running.push(task);
  for (const task of tasks) groupOf(task).waiting.push(task);
  return [...groups.values()].sort(
    (a, b) => Number(b.running.length > 0) - Number(a.running.length > 0) || b.priority - a.priority,
  );
}

/** The tasks of a group in numbers: units that it keeps, then running tasks, then waiting ones. */
class GroupTasks {
  readonly #kept: { unit: string; keepers: readonly string[] }[];
  readonly #indexes: Map<string, number>;

  constructor(
    private readonly group: Group,
    { units }: Snapshot,
    private readonly situation: Situation,
    private readonly numbers: Numbers,
  ) {
    const { run, running, waiting } = group;
    this.#kept = [...units.values()].flatMap(({ id, busy, heldBy, heldFor }) =>
      run !== null && heldBy === run && !busy ? [{ unit: id, keepers: heldFor }] : [],
    );
    const ids = [...running, ...waiting].map(({ id }) => id);
    this.#indexes = new Map(ids.map((id, index) => [id, this.#kept.length + index]));
  }

  all(): PlannedLabTask[] {
    const { numbers, group } = this;
    const kept = this.#kept.map(({ unit, keepers }) => ({
      ...{ task: '', seconds: 0, started: 0, earliest: 0, after: [] },
      slots: [{ units: [numbers.of(unit)], like: null, kept: this.#all(keepers) }],
    }));
    return [
      ...kept,
      ...group.running.map((task) => this.#running(task)),
      ...group.waiting.map((task) => this.#waiting(task)),
    ];
  }

  #running({ id, startedAt, expectedEnd, units }: PlanRunning): PlannedLabTask {
    return {
      task: this.#nameOf(id),
      seconds: Math.max(0, expectedEnd - startedAt) / 1000,
      started: Math.min(0, startedAt - this.situation.now) / 1000,
      ...{ earliest: 0, after: [] },
      slots: Object.values(units).map(({ unit, keptFor }) => ({
        units: [this.numbers.of(unit)],
        like: null,
        kept: this.#all(keptFor),
      })),
    };
  }

  #waiting({ id, duration, notBefore = 0, dependencies = [], slots }: PlanTask): PlannedLabTask {
    return {
      task: this.#nameOf(id),
      seconds: duration,
      started: null,
      earliest: Math.max(0, notBefore - this.situation.now) / 1000,
      after: dependencies.flatMap(({ task, minLagMs }) =>
        this.#all([task]).map((index) => ({ task: index, lag: minLagMs / 1000 })),
      ),
      slots: slots.map(({ candidates, sameAs, keptFor = [] }) => ({
        units: candidates.map((unit) => this.numbers.of(unit)),
        like: this.#like(sameAs),
        kept: this.#all(keptFor),
      })),
    };
  }

  #like(sameAs: { task: string; slot: string } | undefined): Slot['like'] {
    if (sameAs === undefined) return null;
    const task = this.#indexes.get(sameAs.task);
    const other = this.group.waiting.find(({ id }) => id === sameAs.task);
    const slot = other?.slots.findIndex(({ name }) => name === sameAs.slot) ?? -1;
    return task === undefined || slot < 0 ? null : { task, slot };
  }

  #nameOf(id: string): string {
    return this.situation.state.rows.taskRuns.get(id)?.name ?? '';
  }

  #all(ids: readonly string[]): number[] {
    return ids.flatMap((id) => this.#indexes.get(id) ?? []);
  }
}

/** The tasks of a further run, on the units that anybody may get. */
function nextTasks(
  workload: Workload,
  type: string,
  plan: ProtocolPlan,
  { units }: Snapshot,
  numbers: Numbers,
): PlannedLabTask[] {
  return plan.tasks.map((planned) => ({
    task: planned.entry.name,
    seconds: workload.expectedSeconds(type, planned),
    started: null,
    earliest: 0,
    after: planned.dependencies.map(({ task, minLagMs }) => ({ task, lag: minLagMs / 1000 })),
    slots: planned.slots.map(({ kind, candidates, reference, keepers }): Slot => {
      const source = reference?.source ?? null;
      const name = source === null ? '' : allocationKey(kind, source);
      const slot = plan.tasks[reference?.task ?? -1]?.slots.findIndex((each) => each.name === name) ?? -1;
      return {
        units: candidates.filter((unit) => units.get(unit)?.usable !== false).map((unit) => numbers.of(unit)),
        like: reference === null || slot < 0 ? null : { task: reference.task, slot },
        kept: [...keepers],
      };
    }),
  }));
}
