import type { Fault } from '@lab/contracts';
import { ServiceError } from '@lab/contracts/vocabulary';
import type { Table } from '@lab/sdk';
import type { Domain } from '../domain/domain.js';
import type { Measurement, Point } from '../domain/space.js';
import { under } from './fields.js';
import { invalid } from './settings.js';

/**
 * The rows of a table as points of a domain.
 *
 * @throws ServiceError `invalid` with a fault for every mistake in a row
 */
export function pointsOf(table: Table, domain: Domain): Point[] {
  if (!Array.isArray(table)) throw new ServiceError('invalid', 'The inputs are not a list of rows');
  const faults = table.flatMap((row, i) => under(`inputs[${i}]`, domain.validate(row)));
  if (faults.length > 0) throw invalid('The inputs are invalid; nothing was recorded', faults);
  return table.map((row) => ({ ...row }) as Point);
}

/**
 * The rows of a table as results.
 *
 * @param count required number of rows
 * @param names outputs; a row has no others
 * @param needed outputs that a row must have. `some`: at least one; the others may be missing, null, NaN or infinite
 *   and are left out
 * @throws ServiceError `invalid` with a fault for each missing or unknown column and number that is not finite
 */
export function resultsOf(
  table: Table<number>,
  count: number,
  names: readonly string[],
  needed: 'all' | 'some' = 'all',
): Measurement[] {
  if (!Array.isArray(table) || table.length !== count) {
    throw new ServiceError(
      'invalid',
      `The outputs are not a list of ${count} rows, one for each row of inputs`,
    );
  }
  const faults = table.flatMap((row, i) => resultFaults(row, `outputs[${i}]`, names, needed));
  if (faults.length > 0) throw invalid('The outputs are invalid; nothing was recorded', faults);
  return table.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => isResult(value))));
}

function isResult(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Names of runs; null without names. @throws ServiceError `invalid` unless they are `count` different names */
export function runNamesOf(count: number, names: readonly string[] | undefined): (string | null)[] {
  if (names === undefined) return Array.from({ length: count }, () => null);
  if (!Array.isArray(names) || names.length !== count || new Set(names).size !== count) {
    throw new ServiceError('invalid', `The run names are not ${count} different names, one for each row`);
  }
  return [...names];
}

function resultFaults(row: unknown, path: string, names: readonly string[], needed: 'all' | 'some'): Fault[] {
  if (typeof row !== 'object' || row === null) return [{ path, code: 'type', message: 'A row is an object' }];
  const given = row as Record<string, unknown>;
  const unknown = Object.keys(given).filter((key) => !names.includes(key));
  const mayLack = needed === 'some' && names.some((key) => isResult(given[key]));
  return [
    ...unknown.map((key) => ({
      path: `${path}.${key}`,
      code: 'unknown_key',
      message: `"${key}" is no output`,
      hint: `The outputs are ${names.join(', ')}`,
    })),
    ...names.flatMap((key): Fault[] => {
      const value = given[key];
      if (isResult(value)) return [];
      if (mayLack && (typeof value === 'number' || (value ?? null) === null)) return [];
      const message = key in given ? `${String(value)} is not a finite number` : 'The result is missing';
      return [{ path: `${path}.${key}`, code: 'value', message, hint: 'Report the run as failed instead' }];
    }),
  ];
}
