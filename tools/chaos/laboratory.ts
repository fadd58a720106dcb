import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writePackage } from '../shared/folder.js';
import { inTools } from '../shared/paths.js';

/** The laboratory of a chaos run: six computers with four simulated instruments each. */

export const computers = ['svc_computer', 'bench_1', 'bench_2', 'bench_3', 'bench_4', 'bench_5'];
const perComputer = 4;

/** How the names of what is in Python end. */
const inPython = '_python';

/**
 * The last instrument of each computer cannot report its state after a crash: a person has to look. Half of the instruments of
 * each computer can be in Python, among them the last one of every other computer.
 */
const instrumentsOf = (some: readonly string[]) =>
  some.flatMap((computer, index) =>
    Array.from({ length: perComputer }, (_, place) => ({
      name: `instrument_${index * perComputer + place + 1}`,
      computer,
      blind: place === perComputer - 1,
      isOther: (index + place) % 2 === 0,
    })),
  );

/** The names of the instruments of the first computers. */
export const devicesOf = (some: readonly string[]): string[] => instrumentsOf(some).map(({ name }) => name);

export const deviceNames = devicesOf(computers);

/** The instruments of one language, and what ends the names of the types of tasks and protocols that use them. */
export interface Bench {
  ending: string;
  devices: readonly string[];
}

/** @param python half of the instruments are in Python */
export function benchesOf(some: readonly string[], python = false): Bench[] {
  if (!python) return [{ ending: '', devices: devicesOf(some) }];
  const of = (isOther: boolean): string[] =>
    instrumentsOf(some)
      .filter((each) => each.isOther === isOther)
      .map(({ name }) => name);
  return [
    { ending: '', devices: of(false) },
    { ending: inPython, devices: of(true) },
  ];
}

/**
 * Writes the package of the laboratory.
 *
 * @param packages folder of the packages
 * @param logs folder in which the instruments record their motions
 * @param some the first of the computers
 * @param python half of the instruments are in Python, and there are tasks in Python
 */
export async function writeLaboratory(
  packages: string,
  logs: string,
  some: readonly string[],
  python = false,
): Promise<void> {
  await mkdir(logs, { recursive: true });
  const others = some.slice(1).map((name, index) => [name, { ip: `10.0.0.${index + 2}` }]);
  const devices = instrumentsOf(some).map(({ name, computer, blind, isOther }) => [
    name,
    {
      desc: 'Moves on command',
      type: python && isOther ? `instrument${inPython}` : 'instrument',
      computer,
      init_parameters: { folder: logs, blind },
    },
  ]);
  const target = join(packages, 'chaos_lab');
  await writePackage('chaos/packages/chaos_lab', target, {
    name: 'chaos_lab',
    computers: Object.fromEntries(others) as Record<string, object>,
    devices: Object.fromEntries(devices) as Record<string, object>,
  });
  if (python) await cp(inTools('chaos/packages/python'), target, { recursive: true });
}
