import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import {
  isServiceError,
  simulatedWaits,
  SimulationScenario,
  type SchedulerType,
  type SimulationRecord,
} from '@lab/contracts';
import { dtoSchema } from '@lab/contracts/bodies';
import { formatDiagnostics, readDocument, type Catalog } from '@lab/definitions';
import { ganttSvg, ganttText, simulate } from '@lab/simulation';
import { readCatalog } from '../../pkg/check.js';
import { configuredUserDir } from '../../pkg/place.js';
import { table } from '../at-service.js';
import { UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';

/** Flags of `svc sim`. */
export interface SimFlags {
  scheduler?: SchedulerType;
  jitter?: string;
  seed?: string;
  userDir?: string;
  json?: boolean;
  svg?: string;
}

/** Width of the chart, in columns, if the output is not a terminal. */
const defaultWidth = 100;
/** Protocol runs that the summary lists. */
const listedRuns = 20;

/**
 * Simulates a scenario with the definitions of a folder of packages, and writes the chart that the flags ask for.
 *
 * @param file path of the scenario
 * @returns the lines to print; undefined when the scenario has faults, which standard error then shows
 * @throws UsageError when the scenario cannot be read or the value of a flag is not allowed
 */
export async function simulateScenario(file: string, flags: SimFlags): Promise<string[] | undefined> {
  const record = await recordOf(file, flags);
  if (record === undefined) return undefined;
  if (flags.svg !== undefined) writeFileSync(flags.svg, ganttSvg(record));
  return flags.json === true ? [JSON.stringify(record, null, 2)] : summary(record);
}

async function recordOf(file: string, flags: SimFlags): Promise<SimulationRecord | undefined> {
  const path = resolve(file);
  const name = basename(path);
  const say = (diagnostics: Parameters<typeof formatDiagnostics>[0]): undefined =>
    void process.stderr.write(`${formatDiagnostics(diagnostics, { userDir: dirname(path) })}\n`);
  const read = readDocument(name, textOf(path), dtoSchema(SimulationScenario));
  if (!read.ok) return say(read.diagnostics);
  const scenario = overridden(read.value, flags);
  const catalog = await readCatalog(
    flags.userDir === undefined ? configuredUserDir() : resolve(flags.userDir),
  );
  try {
    return await simulate(scenario, definitionsOf(catalog), { stopwatch: () => performance.now() });
  } catch (error) {
    if (!isServiceError(error) || error.faults.length === 0) throw error;
    const broken = catalog.diagnostics.length;
    if (broken > 0)
      process.stderr.write(`${broken} errors in the packages may be why: svc pkg check lists them\n\n`);
    return say(read.diagnose(error.faults));
  }
}

/** @throws UsageError when the file cannot be read */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the scenario cannot be read: ${userError(error)}`, { cause: error });
  }
}

/** @throws UsageError when the value of a flag is not allowed */
function overridden(scenario: SimulationScenario, flags: SimFlags): SimulationScenario {
  const said = {
    ...(flags.jitter === undefined ? {} : { jitter: numberOf(flags.jitter) }),
    ...(flags.seed === undefined ? {} : { seed: numberOf(flags.seed) }),
  };
  const checked = dtoSchema(SimulationScenario).check(said);
  if (!checked.ok) throw new UsageError(checked.faults.map(({ message }) => `--${message}`).join('; '));
  const scheduler =
    flags.scheduler === undefined ? scenario.scheduler : { ...scenario.scheduler, type: flags.scheduler };
  return { ...scenario, ...said, ...(scheduler === undefined ? {} : { scheduler }) };
}

function numberOf(text: string): number {
  return text.trim() === '' ? NaN : Number(text);
}

function definitionsOf(catalog: Catalog): Parameters<typeof simulate>[1] {
  return {
    protocol: (type) => catalog.protocol(type),
    task: (type) => catalog.task(type),
    protocolTypes: () => catalog.protocolTypes(),
    taskTypes: () => catalog.taskTypes(),
    labs: () => catalog.labs(),
    deviceType: (type) => catalog.deviceType(type),
    takesWork: () => true,
  };
}

function summary(record: SimulationRecord): string[] {
  const { planning, parallelism, waiting } = record;
  const states = Object.entries(record.tasks_by_state).map(([state, count]) => `${count} ${state}`);
  const waits = simulatedWaits
    .filter((cause) => waiting[cause] > 0)
    .map((cause) => `${cause} ${round(waiting[cause])} s`);
  const used = record.units.filter(({ timeline }) => timeline.length > 0);
  const runs = record.protocol_runs.slice(0, listedRuns);
  const more = record.protocol_runs.length - runs.length;
  return [
    `${record.outcome} under ${record.scheduler}: ${record.tasks_total} tasks (${states.join(', ')})`,
    `makespan ${round(record.makespan)} s, on average ${round(parallelism.average)} tasks at a time, at most ${parallelism.max}`,
    `waiting: ${waits.join(', ') || 'none'}`,
    `planning: ${planning.plans} plans in ${round(planning.total_ms)} ms, the longest ${round(planning.max_ms)} ms`,
    '',
    ...ganttText(record, process.stdout.columns ?? defaultWidth),
    '',
    ...table([
      ['UNIT', 'IN USE', 'KEPT', 'OUT', 'UTILISATION'],
      ...used.map(({ name, busy, held, out, utilisation }) => [
        name,
        `${round(busy)} s`,
        `${round(held)} s`,
        `${round(out)} s`,
        `${Math.round(utilisation * 100)} %`,
      ]),
    ]),
    ...(runs.length === 0
      ? []
      : [
          '',
          ...table([
            ['PROTOCOL RUN', 'STATE', 'SUBMITTED', 'START', 'END'],
            ...runs.map(({ name, state, submitted, start, end }) => [
              name,
              state,
              moment(submitted),
              moment(start),
              moment(end),
            ]),
          ]),
          ...(more > 0 ? [`and ${more} more`] : []),
        ]),
    ...record.stuck.map(
      ({ task, waits_for }) => `stuck: ${task}${waits_for.map((each) => `; ${each}`).join('')}`,
    ),
    ...record.events.map(({ at, what, subject, detail }) =>
      [`at ${round(at)} s: ${what}: ${subject}`, detail].filter((part) => part !== '').join(' '),
    ),
  ];
}

function moment(seconds: number | null): string {
  return seconds === null ? '' : `${round(seconds)} s`;
}

function round(value: number): string {
  return value.toFixed(value >= 100 ? 0 : 2);
}
