import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writePackage } from '../shared/folder.js';

/** The laboratory of a chaos run: six computers with four simulated instruments each. */

export const computers = ['svc_computer', 'bench_1', 'bench_2', 'bench_3', 'bench_4', 'bench_5'];
const perComputer = 4;

/** The last instrument of each computer cannot report its state after a crash: a person has to look. */
const instrumentsOf = (some: readonly string[]) =>
  some.flatMap((computer, index) =>
    Array.from({ length: perComputer }, (_, place) => ({
      name: `instrument_${index * perComputer + place + 1}`,
      computer,
      blind: place === perComputer - 1,
    })),
  );

/** The names of the instruments of the first computers. */
export const devicesOf = (some: readonly string[]): string[] => instrumentsOf(some).map(({ name }) => name);

export const deviceNames = devicesOf(computers);

/**
 * Writes the package of the laboratory.
 *
 * @param packages folder of the packages
 * @param logs folder in which the instruments record their motions
 * @param some the first of the computers
 */
export async function writeLaboratory(
  packages: string,
  logs: string,
  some: readonly string[],
): Promise<void> {
  await mkdir(logs, { recursive: true });
  const benches = some.slice(1).map((name, index) => [name, { ip: `10.0.0.${index + 2}` }]);
  const devices = instrumentsOf(some).map(({ name, computer, blind }) => [
    name,
    { desc: 'Moves on command', type: 'instrument', computer, init_parameters: { folder: logs, blind } },
  ]);
  await writePackage('chaos/packages/chaos_lab', join(packages, 'chaos_lab'), {
    name: 'chaos_lab',
    computers: Object.fromEntries(benches) as Record<string, object>,
    devices: Object.fromEntries(devices) as Record<string, object>,
  });
}
