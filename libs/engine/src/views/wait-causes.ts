import { isUnclear, isWaiting, type WaitCause } from '@lab/contracts';
import type { PlanSlot, PlanTask } from '@lab/scheduling';
import type { UnitView } from '../dispatch/index.js';
import { serviceComputer } from '../labs/index.js';
import type { ProtocolRunRow, TaskRunRow } from '../rows/index.js';
import {
  drainBefore,
  nothingStarts,
  stopsInForce,
  wordsOf,
  drainOfComputer,
  outageOver,
  wordsOfOutage,
  wordsOfReservation,
} from '../stops/index.js';
import { hasBegun } from '../work/index.js';
import type { Forecast } from './forecast.js';

/** Greatest number of tasks that one cause names. Its message gives the total. */
const namedTasks = 5;

export interface CausePorts {
  forecast: Forecast;
  view: UnitView;
  /** Id of each unplanned task to the reason why the plan leaves it out. */
  unplanned: ReadonlyMap<string, string>;
  refusedUntil: (task: string) => number | undefined;
  isServiceComputerThere: () => boolean;
}

/** All known reasons why a task has not started; empty when it has started or ended. */
export function waitCauses(ports: CausePorts, row: TaskRunRow): WaitCause[] {
  const { forecast } = ports;
  const task = forecast.tasks.get(row.id);
  if (task === undefined || !isWaiting(row.state)) return [];
  const run = row.runId === null ? undefined : forecast.state.rows.protocolRuns.get(row.runId);
  const held = [...heldByPeople(forecast, run, row), ...timeCauses(ports, row, task)];
  const units = (task.dependencies ?? []).length > 0 ? [] : unitCauses(ports, task);
  const causes = [...held, ...units];
  return causes.length > 0 ? causes : planCauses(ports, task);
}

function heldByPeople({ state }: Forecast, run: ProtocolRunRow | undefined, task: TaskRunRow): WaitCause[] {
  const causes: WaitCause[] = [];
  const pause = state.queuePause();
  const drain = drainBefore(state, run ?? task);
  if (drain !== undefined)
    causes.push({
      code: 'paused',
      message: `${drain.by} drains ${drain.campaignId === null ? 'the queue' : 'its campaign'}, so nothing new begins`,
    });
  if (pause !== undefined) causes.push({ code: 'paused', message: `the queue is paused by ${pause.by}` });
  if (nothingStarts(state))
    for (const stop of stopsInForce(state))
      if (stop.scope === 'all') causes.push({ code: 'emergency_stop', message: wordsOf(stop) });
  if (run === undefined) return causes;
  if (state.isPaused(run))
    causes.push({
      code: 'paused',
      message: `${run.pausedAt === null ? 'its campaign' : 'its protocol run'} is paused`,
    });
  const unclear = state.tasksOf(run.id).filter((each) => isUnclear(each.state));
  if (unclear.length > 0)
    causes.push({
      code: 'attention',
      message: 'a person must decide about a task of its run',
      ...named(unclear.map((each) => state.labelOf(each))),
    });
  if (run.campaignId !== null && run.pausedAt === null && !hasBegun(state, run))
    causes.push({
      code: 'campaign_limit',
      message: 'its campaign has reached its limit of concurrent runs',
    });
  return causes;
}

function timeCauses(ports: CausePorts, row: TaskRunRow, task: PlanTask): WaitCause[] {
  const { forecast } = ports;
  const { now } = forecast.snapshot;
  const causes: WaitCause[] = [];
  const before = (task.dependencies ?? []).map((each) => each.task);
  const labels = before.map((id) => forecast.labelOf(id));
  if (before.length > 0)
    causes.push({
      code: 'dependency',
      message: `${labels.slice(0, 3).join(', ')}${labels.length > 3 ? ', ...' : ''} ${labels.length === 1 ? 'has' : 'have'} not completed`,
      ...named(labels),
      until: iso(forecast.expectations.lastEnd(before)),
    });
  const { follows } = task;
  if (follows !== undefined && !before.includes(follows))
    causes.push({
      code: 'group',
      message: 'it starts when the previous task of its group ends',
      ...named([forecast.labelOf(follows)]),
      until: iso(forecast.expectations.endOf(follows)),
    });
  const again = Math.max(row.retryAt ?? 0, ports.refusedUntil(row.id) ?? 0);
  if (again > now)
    causes.push({
      code: 'retry_pause',
      message: 'it failed or was refused, and is tried again later',
      until: iso(again),
    });
  const { notBefore = 0 } = task;
  if (notBefore > Math.max(now, again))
    causes.push({
      code: 'lag',
      message: 'the minimum lag after a dependency is not over',
      until: iso(notBefore),
    });
  return causes;
}

/** Why the slots of a task cannot be filled. */
function unitCauses(ports: CausePorts, task: PlanTask): WaitCause[] {
  const { forecast } = ports;
  const causes = task.slots.flatMap((slot) => slotCauses(ports, task, slot));
  if (!task.slots.some((slot) => slot.name.startsWith('device:')))
    causes.push(...serviceComputerCauses(ports));
  const wanted = new Set(causes.flatMap(({ unit }) => unit ?? []));
  for (const slot of task.slots)
    for (const id of slot.candidates)
      if (wanted.has(plainName(id))) causes.push(...aheadOn(forecast, task, id));
  return causes;
}

/** Why a task without devices cannot run on the computer of the service. */
function serviceComputerCauses({ forecast, isServiceComputerThere }: CausePorts): WaitCause[] {
  const causes: WaitCause[] = [];
  if (!isServiceComputerThere())
    causes.push({ code: 'computer_away', message: `computer ${serviceComputer} is not connected` });
  const drain = drainOfComputer(forecast.state, serviceComputer);
  if (drain !== undefined)
    causes.push({
      code: 'out_of_service',
      until: iso(drain.until),
      message: `it has no device, so it would run on ${serviceComputer}: ${wordsOfOutage(drain)}`,
    });
  return causes;
}

function slotCauses(ports: CausePorts, task: PlanTask, slot: PlanSlot): WaitCause[] {
  const { forecast, view } = ports;
  const [kind = '', ...rest] = slot.name.split(':');
  const name = rest.join(':');
  const isDevice = kind === 'device';
  const reservations = reservationCauses(ports, task, slot, name);
  const isReserved = (id: string): boolean => task.reserved?.includes(id) === true;
  const usable = slot.candidates.filter((id) => view.get(id).usable && !isReserved(id));
  if (usable.length === 0) {
    const candidates = slot.candidates.map((id) => ({
      unit: plainName(id),
      why: view.whyUnusable(id, forecast.labelFor) ?? (isReserved(id) ? 'it is reserved' : 'it can be used'),
    }));
    const [only, ...others] = candidates;
    const why = only !== undefined && others.length === 0 ? `: ${only.unit}: ${only.why}` : '';
    return [
      ...outageCauses(ports, slot, name),
      ...reservations,
      {
        code: isDevice ? 'no_eligible_device' : 'no_eligible_resource',
        slot: name,
        message:
          candidates.length === 0
            ? `no loaded laboratory has a ${kind} for "${name}"`
            : `no ${kind} for "${name}" can be used at present${why}`,
        candidates,
      },
    ];
  }
  const isOwn = (id: string): boolean => view.get(id).heldBy === task.run && task.run !== null;
  const free = usable.some((id) => {
    const unit = view.get(id);
    return !unit.busy && (unit.heldBy === null || isOwn(id));
  });
  if (free) return [];
  const taken = usable.map((id) => ({ id, ...(forecast.possession(id) ?? { by: 'somebody', until: null }) }));
  taken.sort((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
  const [first] = taken;
  if (first === undefined) return [];
  const others = taken.length === 1 ? '' : `, the first of ${taken.length} to be free`;
  return [
    {
      code: isDevice ? 'device' : 'resource',
      slot: name,
      unit: plainName(first.id),
      held_by: first.by,
      until: iso(first.until),
      message: `${plainName(first.id)}${others} is used by ${first.by}`,
      ...(taken.length === 1
        ? {}
        : {
            candidates: taken
              .slice(0, namedTasks)
              .map(({ id, by }) => ({ unit: plainName(id), why: `in the hands of ${by}` })),
          }),
    },
    ...reservations,
  ];
}

/** The devices that fit the slot and that people took out of service, themselves or with their computers. */
function outageCauses({ forecast: { state }, view }: CausePorts, slot: PlanSlot, name: string): WaitCause[] {
  return slot.candidates.flatMap((id) => {
    const unit = plainName(id);
    const device = view.device(id);
    const outage = device === undefined ? undefined : outageOver(state, device);
    if (outage === undefined) return [];
    const message = `${unit} cannot be used: ${wordsOfOutage(outage)}`;
    return [{ code: 'out_of_service' as const, slot: name, unit, until: iso(outage.until), message }];
  });
}

/** The reservations of other people that keep the task from the units that fit the slot. */
function reservationCauses(
  { forecast: { state, snapshot }, view }: CausePorts,
  task: PlanTask,
  slot: PlanSlot,
  name: string,
): WaitCause[] {
  const owner = state.rows.taskRuns.get(task.id)?.owner ?? '';
  const reserved = slot.candidates.filter((id) => task.reserved?.includes(id));
  return reserved.flatMap((id) =>
    view.reservationsOf(id, owner, task.duration, snapshot.now).map((row): WaitCause => {
      const unit = plainName(id);
      const window = { from: iso(row.fromAt), until: iso(row.toAt) };
      const message = `${unit} cannot be used: ${wordsOfReservation(row)}`;
      return { code: 'reserved', slot: name, unit, held_by: row.by, ...window, message };
    }),
  );
}

/** The task lacks nothing; the policy chose not to start it. */
function planCauses({ forecast, unplanned }: CausePorts, task: PlanTask): WaitCause[] {
  const row = forecast.state.rows.taskRuns.get(task.id);
  const planned = row === undefined ? undefined : forecast.expectations.planned(row);
  if (planned !== undefined) {
    const ahead = Object.values(planned.units).flatMap((id) => aheadOn(forecast, task, id));
    return [
      ...ahead,
      {
        code: 'planned',
        message: 'it could start, and the plan starts it later',
        until: iso(Math.max(planned.start, forecast.snapshot.now)),
      },
    ];
  }
  const reason = unplanned.get(task.id);
  if (reason !== undefined)
    return [{ code: reason.includes('horizon') ? 'beyond_horizon' : 'unplanned', message: reason }];
  if (task.slots.length > 0) {
    const ahead = task.slots.flatMap((slot) => slot.candidates.flatMap((id) => aheadOn(forecast, task, id)));
    if (ahead.length > 0) return ahead.slice(0, 1);
    if (task.slots.some((slot) => slot.keptFor !== undefined))
      return [
        {
          code: 'hold_order',
          message:
            'starting it now could cause a deadlock: its run and another run could each hold what the other needs',
        },
      ];
  }
  return [{ code: 'unplanned', message: 'the scheduler has not decided about it yet' }];
}

function aheadOn(forecast: Forecast, task: PlanTask, id: string): WaitCause[] {
  const { count, first } = forecast.ahead(task, id, namedTasks);
  if (count === 0) return [];
  return [
    {
      code: 'lower_priority',
      unit: plainName(id),
      message: `${count === 1 ? 'one task is' : `${count} tasks are`} ahead on ${plainName(id)}`,
      ...named(first.map((each) => forecast.labelOf(each.id))),
    },
  ];
}

function named(labels: readonly string[]): { tasks: string[] } {
  return { tasks: [...new Set(labels)].slice(0, namedTasks) };
}

/** Turns `device:lab.arm` into `lab.arm`. */
export function plainName(unit: string): string {
  return unit.slice(unit.indexOf(':') + 1);
}

/** @param at milliseconds since 1970; null: unknown */
export function iso(at: number): string;
export function iso(at: number | null): string | null;
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
