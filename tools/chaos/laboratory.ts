import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTools } from '../shared/paths.js';

/** The laboratory of a chaos run: six computers with four simulated instruments each. */

export const computers = ['svc_computer', 'bench_1', 'bench_2', 'bench_3', 'bench_4', 'bench_5'];
const perComputer = 4;

/** The last instrument of each computer cannot report its state after a crash: a person has to look. */
const instruments = computers.flatMap((computer, index) =>
  Array.from({ length: perComputer }, (_, place) => ({
    name: `instrument_${index * perComputer + place + 1}`,
    computer,
    blind: place === perComputer - 1,
  })),
);

export const deviceNames = instruments.map(({ name }) => name);

/**
 * Writes the package of the laboratory.
 *
 * @param packages folder of the packages
 * @param logs folder in which the instruments record their motions
 */
export async function writePackage(packages: string, logs: string): Promise<void> {
  const target = join(packages, 'chaos_lab');
  await mkdir(logs, { recursive: true });
  await cp(inTools('chaos/packages/chaos_lab'), target, { recursive: true });
  const benches = computers
    .slice(1)
    .map((name, index) => [name, { desc: 'A bench', ip: `10.0.0.${index + 2}` }]);
  const devices = instruments.map(({ name, computer, blind }) => [
    name,
    { desc: 'Moves on command', type: 'instrument', computer, init_parameters: { folder: logs, blind } },
  ]);
  const lab = {
    name: 'chaos_lab',
    desc: 'Instruments on six computers, all simulated',
    computers: Object.fromEntries(benches) as object,
    devices: Object.fromEntries(devices) as object,
  };
  await mkdir(join(target, 'laboratories', 'chaos_lab'), { recursive: true });
  // JSON is YAML.
  await writeFile(join(target, 'laboratories', 'chaos_lab', 'lab.yml'), JSON.stringify(lab, null, 2));
}
