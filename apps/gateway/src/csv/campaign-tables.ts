import type { CampaignRecord, TaskParameters } from '@lab/contracts';
import { dynamicParameters, type ParameterSpec, type ProtocolSnapshot } from '@lab/definitions/model';
import type { CampaignRun } from '@lab/persistence';
import { cellOf } from './cells.js';
import { columnOf } from './parameter-rows.js';
import { csvLine } from './rfc4180.js';

/** A column of a table of runs. */
interface Column<Row> {
  name: string;
  /** The content of the cell of a run. */
  cell(row: Row): string;
}

type Parameters = Pick<CampaignRun, 'parameters'>;

/** Types of outputs that fit into a cell. Other outputs are in the records of the tasks. */
const inOneCell: readonly ParameterSpec['type'][] = ['int', 'float', 'str', 'bool', 'choice'];

/** A table as text, row by row. */
export class Table<Row> {
  constructor(private readonly columns: readonly Column<Row>[]) {}

  header(): string {
    return csvLine(this.columns.map(({ name }) => cellOf(name)));
  }

  row(row: Row): string {
    return csvLine(this.columns.map((column) => column.cell(row)));
  }
}

/** Parameters of runs, in a form that the service reads again. @param protocols versions of the protocol of the runs */
export function parameterTable(protocols: readonly ProtocolSnapshot[]): Table<Parameters> {
  return new Table(parameterColumns(protocols));
}

/** Runs with their parameters and results. @param protocols versions of the protocol of the runs */
export function resultTable(protocols: readonly ProtocolSnapshot[]): Table<CampaignRun> {
  const parameters = parameterColumns(protocols);
  const taken = new Set(parameters.map(({ name }) => name));
  return new Table<CampaignRun>([
    { name: 'number', cell: ({ number }) => cellOf(number) },
    { name: 'run', cell: ({ name }) => cellOf(name) },
    { name: 'state', cell: ({ state }) => state },
    { name: 'source', cell: ({ source }) => source },
    { name: 'started_at', cell: (run) => run.started_at ?? '' },
    { name: 'ended_at', cell: (run) => run.ended_at ?? '' },
    ...parameters,
    ...outputColumns(protocols, taken),
    { name: 'reason', cell: ({ reason }) => cellOf(reason?.code) },
    { name: 'reason_message', cell: ({ reason }) => cellOf(reason?.message) },
  ]);
}

/** The known parameters of the runs that have not begun, by number. */
export function* comingParameters(
  {
    global_parameters: global,
    protocol_run_parameters: rows,
    optimize,
    max_protocol_runs: most,
  }: CampaignRecord,
  begun: number,
): Generator<Parameters, void, undefined> {
  const known = rows?.length ?? (optimize ? 0 : most);
  for (let index = begun; index < known; index += 1)
    yield { parameters: merged(global, rows?.[index] ?? {}) };
}

function merged(global: TaskParameters, own: TaskParameters): TaskParameters {
  const tasks = new Set([...Object.keys(global), ...Object.keys(own)]);
  return Object.fromEntries([...tasks].map((task) => [task, { ...global[task], ...own[task] }]));
}

function parameterColumns(protocols: readonly ProtocolSnapshot[]): Column<Parameters>[] {
  const columns = new Map<string, Column<Parameters>>();
  for (const { task, parameter } of protocols.flatMap(dynamicParameters)) {
    const name = columnOf({ task, parameter });
    columns.set(name, { name, cell: ({ parameters }) => cellOf(parameters[task]?.[parameter]) });
  }
  return [...columns.values()];
}

/** @param taken names of columns; an output with the name of a parameter gets a suffix */
function outputColumns(
  protocols: readonly ProtocolSnapshot[],
  taken: ReadonlySet<string>,
): Column<CampaignRun>[] {
  const columns = new Map<string, Column<CampaignRun>>();
  for (const { protocol, tasks } of protocols) {
    for (const { name: task, type } of protocol.tasks) {
      for (const [output, spec] of Object.entries(tasks[type]?.output_parameters ?? {})) {
        if (!inOneCell.includes(spec.type)) continue;
        const plain = columnOf({ task, parameter: output });
        const name = taken.has(plain) ? `${plain} (output)` : plain;
        columns.set(name, { name, cell: ({ outputs }) => cellOf(outputs[task]?.[output]) });
      }
    }
  }
  return [...columns.values()];
}
