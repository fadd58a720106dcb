import { isUtf8 } from 'node:buffer';
import { setImmediate as breathe } from 'node:timers/promises';
import { ServiceError, type Fault, type JsonObject, type TaskParameters } from '@lab/contracts';
import {
  checkRunParameters,
  checkValue,
  dynamicParameters,
  type DynamicParameter,
  type ProtocolSnapshot,
} from '@lab/definitions/model';
import { readCell, readText } from './cells.js';
import { NumberCells } from './number-cells.js';
import { recordsOf, type CsvRecord, type Separator } from './rfc4180.js';

/** Maximum number of rows and columns of a file of parameters. */
export const mostRows = 100_000;
export const mostColumns = 1_000;

/** Maximum number of listed faults. */
const mostFaults = 20;
/** Number of cells after which the reader yields to other requests. */
const cellsAtOnce = 5_000;

/** Name of the column of a parameter. */
export function columnOf({ task, parameter }: Pick<DynamicParameter, 'task' | 'parameter'>): string {
  return `${task}.${parameter}`;
}

/**
 * Reads parameters of runs from a CSV file: a header row with `TASK.PARAMETER`, then one row for each run. An empty cell is
 * a value that is not given.
 *
 * @param protocol with the task types of its open parameters
 * @throws ServiceError `invalid` with the line, the column and a hint for each fault
 */
export async function readParameterRows(body: Buffer, protocol: ProtocolSnapshot): Promise<TaskParameters[]> {
  if (!isUtf8(body))
    throw invalid([
      { path: '', code: 'encoding', message: 'the file is not UTF-8 text', hint: 'Save it as "CSV UTF-8".' },
    ]);
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  const separator = separatorOf(text);
  const records = recordsOf(text, separator);
  const header = records.next();
  if (header.done === true)
    throw invalid([
      { path: '', code: 'empty', message: 'the file has no header', hint: columnsHint(protocol) },
    ]);
  const columns = columnsOf(header.value, protocol);
  const faults: Fault[] = [];
  const rows: TaskParameters[] = [];
  const numbers = new NumberCells(separator);
  let cells = 0;
  for (const record of records) {
    if (rows.length === mostRows)
      throw invalid([
        {
          path: '',
          line: record.line,
          code: 'too_many_rows',
          message: `there are more than ${mostRows} rows`,
        },
      ]);
    rows.push(rowOf(record, columns, numbers, faults));
    if (faults.length >= mostFaults) break;
    cells += columns.length;
    if (cells >= cellsAtOnce) {
      cells = 0;
      await breathe();
    }
  }
  faults.push(...numbers.faults());
  if (faults.length > 0) throw invalid(faults.slice(0, mostFaults));
  return rows;
}

/** The separator of the header row, which holds for all rows. */
function separatorOf(text: string): Separator {
  const found = new Set<string>();
  let isQuoted = false;
  for (const character of text.trimStart()) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '\n' || character === '\r')) break;
    else if (!isQuoted) found.add(character);
  }
  return found.has(';') && !found.has(',') ? ';' : ',';
}

/** @throws ServiceError `invalid` */
function columnsOf({ line, cells }: CsvRecord, protocol: ProtocolSnapshot): DynamicParameter[] {
  if (cells.length > mostColumns)
    throw invalid([
      { path: '', line, code: 'too_many_columns', message: `there are more than ${mostColumns} columns` },
    ]);
  const open = new Map(dynamicParameters(protocol).map((each) => [columnOf(each), each]));
  const faults: Fault[] = [];
  const seen = new Set<string>();
  const columns = cells.flatMap((cell, index) => {
    const text = readText(cell.trim());
    const name = 'value' in text ? text.value.trim() : cell;
    if (seen.has(name))
      faults.push({
        path: name,
        line,
        code: 'repeated',
        message: `there are two columns "${name}"`,
        hint: 'Leave one of them out.',
      });
    seen.add(name);
    const found = open.get(name);
    if (found === undefined) faults.push(unknownColumn(name, index, line, protocol));
    return found ?? [];
  });
  if (faults.length > 0) throw invalid(faults.slice(0, mostFaults));
  return columns;
}

function unknownColumn(name: string, index: number, line: number, protocol: ProtocolSnapshot): Fault {
  const hint = columnsHint(protocol);
  if (name === '')
    return {
      path: '',
      line,
      code: 'no_name',
      message: `column ${index + 1} of the header has no name`,
      hint,
    };
  const [task = '', parameter, ...more] = name.split('.');
  if (parameter === undefined || more.length > 0)
    return {
      path: name,
      line,
      code: 'unknown_column',
      message: `"${name}" is no TASK.PARAMETER of the protocol ${protocol.protocol.type}`,
      hint,
    };
  const [why] = checkRunParameters(
    protocol,
    { [task]: { [parameter]: null } },
    { path: '', complete: false },
  );
  return { hint, ...why, path: name, line, code: why?.code ?? 'unknown_column', message: why?.message ?? '' };
}

const mostNamed = 12;

function columnsHint(protocol: ProtocolSnapshot): string {
  const names = dynamicParameters(protocol).map(columnOf);
  if (names.length === 0) return `The protocol ${protocol.protocol.type} leaves no parameter open.`;
  const more = names.length > mostNamed ? ' and so on' : '';
  return `Name columns by what the protocol leaves open, with commas or semicolons between: ${names.slice(0, mostNamed).join(', ')}${more}.`;
}

function rowOf(
  { line, cells }: CsvRecord,
  columns: readonly DynamicParameter[],
  numbers: NumberCells,
  faults: Fault[],
): TaskParameters {
  const row = new Map<string, JsonObject>();
  if (cells.length !== columns.length) {
    faults.push({
      path: '',
      line,
      code: 'cells',
      message: `line ${line} has ${cells.length} cells, and the header has ${columns.length}`,
      hint: 'Give each row as many cells as there are columns; a cell that holds a comma stands in quotation marks.',
    });
    return {};
  }
  for (const [index, { task, parameter, spec }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell.trim() === '') continue;
    const column = columnOf({ task, parameter });
    const reading = readCell(spec, cell, numbers.at({ line, column }));
    if ('fault' in reading) {
      faults.push({ path: column, line, ...reading.fault });
      continue;
    }
    for (const { path, ...wrong } of checkValue(spec, reading.value, column))
      faults.push({ hint: 'Write a value that the parameter may have.', ...wrong, path, line });
    const values = row.get(task) ?? {};
    row.set(task, values);
    values[parameter] = reading.value;
  }
  return Object.fromEntries(row);
}

function invalid(faults: Fault[]): ServiceError {
  const [first] = faults;
  const where =
    first?.line === undefined
      ? ''
      : ` In line ${first.line}, ${first.path || 'as a whole'}: ${first.message}.`;
  const count = faults.length === 1 ? 'One thing is' : `${faults.length} things are`;
  return new ServiceError('invalid', `${count} wrong with the rows.${where}`, { faults });
}
