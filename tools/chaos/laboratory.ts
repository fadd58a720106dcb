import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The laboratory under fire: six computers with four simulated instruments each. */

export const computers = ['svc_computer', 'bench_1', 'bench_2', 'bench_3', 'bench_4', 'bench_5'];
const perComputer = 4;

/** The last one of each computer tells nothing of itself after a crash: a person has to look. */
export const instruments = computers.flatMap((computer, index) =>
  Array.from({ length: perComputer }, (_, place) => ({
    name: `instrument_${index * perComputer + place + 1}`,
    computer,
    blind: place === perComputer - 1,
  })),
);

/**
 * Writes the package of the laboratory.
 *
 * @param logs folder in which the instruments write down what they did
 */
export async function writePackage(packages, logs) {
  const target = join(packages, 'chaos_lab');
  await mkdir(logs, { recursive: true });
  await cp(fileURLToPath(new URL('packages/chaos_lab', import.meta.url)), target, { recursive: true });
  const lab = {
    name: 'chaos_lab',
    desc: 'Instruments on six computers, all simulated',
    computers: Object.fromEntries(
      computers.slice(1).map((name, index) => [name, { desc: 'A bench', ip: `10.0.0.${index + 2}` }]),
    ),
    devices: Object.fromEntries(
      instruments.map(({ name, computer, blind }) => [
        name,
        {
          desc: 'Moves when told to',
          type: 'instrument',
          computer,
          init_parameters: { folder: logs, blind },
        },
      ]),
    ),
  };
  await mkdir(join(target, 'laboratories', 'chaos_lab'), { recursive: true });
  // JSON is YAML.
  await writeFile(join(target, 'laboratories', 'chaos_lab', 'lab.yml'), JSON.stringify(lab, null, 2));
}
