import { isServiceError, ServiceError, type Fault, type SimulationScenario } from '@lab/contracts';
import { hintFor } from '@lab/definitions/model';
import type { Definitions, Engine } from '@lab/engine';
import { runParameters, valuesOf } from '../laboratory/index.js';

/** A submission in a simulation. */
export interface Arrival {
  /** Milliseconds from the start. */
  at: number;
  /** Name of the run, campaign or task. */
  name: string;
  /** Path in the scenario, for faults. */
  path: string;
  /** Runs of the same group start only while fewer than `most` of them are unfinished. */
  gate: { group: string; most: number } | null;
  submit: (engine: Engine) => Promise<unknown>;
}

/** Durations of on-demand tasks in seconds, by name. */
export type OnDemandDurations = ReadonlyMap<string, number>;

/**
 * All submissions of a scenario in the order of their arrival.
 *
 * @param maxTasks greatest number of tasks
 * @throws ServiceError `invalid` with every fault: names that are not loaded, too many tasks
 */
export function arrivalsOf(
  scenario: SimulationScenario,
  definitions: Definitions,
  maxTasks: number,
): { arrivals: Arrival[]; durations: OnDemandDurations } {
  const faults: Fault[] = [];
  const arrivals: Arrival[] = [];
  const durations = new Map<string, number>();
  const counts = new Map<string, number>();
  let total = 0;
  // Counted before any submission is made, because a refused scenario may be of any size.
  const fits = (tasks: number): boolean => (total += tasks) <= maxTasks;
  const nameFor = (base: string): string => {
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return `${base}_${count.toString().padStart(3, '0')}`;
  };
  const protocolOf = (type: string, path: string) => {
    const protocol = definitions.protocol(type);
    if (protocol === undefined)
      faults.push(unknown(path, 'unknown_protocol', 'protocol', type, definitions.protocolTypes()));
    return protocol;
  };
  for (const [index, entry] of (scenario.protocols ?? []).entries()) {
    const path = `protocols[${index}]`;
    const { type, iterations = 1, at = 0, every = 0, max_concurrent: most, priority = 0 } = entry;
    const protocol = protocolOf(type, `${path}.type`);
    if (protocol === undefined || !fits(protocol.protocol.tasks.length * iterations)) continue;
    const parameters = runParameters(protocol, entry.parameters);
    for (let number = 0; number < iterations; number += 1) {
      const name = nameFor(type);
      arrivals.push({
        at: toMs(at + number * every),
        name,
        path,
        gate: most === undefined ? null : { group: path, most },
        submit: (engine) => engine.submissions.protocolRun({ name, type, priority, parameters }),
      });
    }
  }
  for (const [index, entry] of (scenario.campaigns ?? []).entries()) {
    const path = `campaigns[${index}]`;
    const protocol = protocolOf(entry.protocol, `${path}.protocol`);
    if (protocol === undefined || !fits(protocol.protocol.tasks.length * entry.max_protocol_runs)) continue;
    const { at = 0, global_parameters: given, ...rest } = entry;
    const name = nameFor(`${entry.protocol}_campaign`);
    const submission = { ...rest, name, global_parameters: runParameters(protocol, given) };
    arrivals.push({
      at: toMs(at),
      name,
      path,
      gate: null,
      submit: (engine) => engine.submissions.campaign(submission),
    });
  }
  for (const [index, entry] of (scenario.tasks ?? []).entries()) {
    const path = `tasks[${index}]`;
    const { type, count = 1, at = 0, every = 0, duration = 1, input_parameters: given, ...rest } = entry;
    const task = definitions.task(type)?.task;
    if (task === undefined) {
      const types = definitions.taskTypes();
      faults.push(unknown(`${path}.type`, 'unknown_task_type', 'task type', type, types));
      continue;
    }
    if (!fits(count)) continue;
    const input_parameters = valuesOf(task.input_parameters, given);
    for (const [name, value] of Object.entries(given ?? {})) input_parameters[name] = value;
    for (let number = 0; number < count; number += 1) {
      const name = nameFor(type);
      durations.set(name, duration);
      arrivals.push({
        at: toMs(at + number * every),
        name,
        path,
        gate: null,
        submit: (engine) => engine.submissions.task({ ...rest, type, name, input_parameters }),
      });
    }
  }
  faults.push(...lossFaults(scenario, definitions));
  if (total > maxTasks)
    faults.push({
      path: '',
      code: 'too_large',
      message: `the scenario has ${total} tasks, but at most ${maxTasks} are simulated`,
      hint: 'take fewer iterations',
    });
  else if (faults.length === 0 && total === 0)
    faults.push({
      path: '',
      code: 'empty',
      message: 'the scenario has no work',
      hint: 'name at least one of protocols, campaigns and tasks',
    });
  if (faults.length > 0) throw new ServiceError('invalid', 'The scenario is not valid.', { faults });
  return { arrivals: arrivals.sort((a, b) => a.at - b.at), durations };
}

/** The refusal of the engine, as faults of the scenario. */
export function refused({ path, name }: Arrival, error: unknown): unknown {
  if (!isServiceError(error) || error.code === 'internal') return error;
  const faults =
    error.faults.length === 0
      ? [{ path, code: error.code, message: `${name}: ${error.message}` }]
      : error.faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` }));
  return new ServiceError('invalid', 'The scenario is not valid.', { faults });
}

/** The definitions of the laboratories of a scenario. Definitions that need another laboratory are left out. */
export function definitionsFor(scenario: SimulationScenario, all: Definitions): Definitions {
  const chosen = scenario.labs;
  if (chosen === undefined) return all;
  const names = all.labs().map(({ name }) => name);
  const faults = chosen.flatMap((name, index) =>
    names.includes(name) ? [] : [unknown(`labs[${index}]`, 'unknown_lab', 'laboratory', name, names)],
  );
  if (faults.length > 0) throw new ServiceError('invalid', 'The scenario is not valid.', { faults });
  return {
    protocol: (type) => all.protocol(type),
    task: (type) => all.task(type),
    protocolTypes: () => all.protocolTypes(),
    taskTypes: () => all.taskTypes(),
    labs: () => all.labs().filter(({ name }) => chosen.includes(name)),
    deviceType: (type, lab) => all.deviceType(type, lab),
    takesWork: (lab) => chosen.includes(lab),
  };
}

function lossFaults({ losses = [] }: SimulationScenario, definitions: Definitions): Fault[] {
  const devices = definitions
    .labs()
    .flatMap((lab) => Object.keys(lab.devices).map((name) => `${lab.name}.${name}`));
  return losses.flatMap(({ device }, index) =>
    devices.includes(device)
      ? []
      : [unknown(`losses[${index}].device`, 'unknown_device', 'device', device, devices)],
  );
}

function unknown(path: string, code: string, what: string, name: string, names: readonly string[]): Fault {
  const hint = hintFor(name, names);
  const message = `there is no ${what} "${name}" loaded`;
  return hint === undefined ? { path, code, message } : { path, code, message, hint };
}

function toMs(seconds: number): number {
  return Math.round(seconds * 1000);
}
