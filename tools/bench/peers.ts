// Runs the multiplication campaign of EOS on this service, on EOS and on MADSci in alternation, and compares what each of them
// adds to tasks of no duration. tools/bench/peers/README.md says what runs of each.
import { join } from 'node:path';
import { readFlags, refuse, someOf, text, whole } from '../shared/flags.js';
import { inFolder } from '../shared/folder.js';
import { printMachine, printResult } from '../shared/measure.js';
import { eosRepository, installEos, installMadsci, type Options } from './peers/install.js';
import { eos } from './peers/eos.js';
import { madsci } from './peers/madsci.js';
import { measure, medians, tableOf, type Amount, type Figures } from './peers/measure.js';
import { ours } from './peers/ours.js';
import type { Peer } from './peers/peer.js';
import { stopAll } from './peers/program.js';

const systems = [
  'ours',
  'ours_thread',
  'ours_single_use',
  'eos',
  'eos_quick',
  'madsci',
  'madsci_quick',
] as const;

/**
 * `slow_runs`: runs of MADSci with its default intervals, with which a task takes more than 5 s. `quick_hz` and `quick_ms`:
 * how often the loops of EOS and MADSci look for work where they are set to be quick.
 */
const {
  only,
  rounds,
  runs,
  at_once: atOnce,
  slow_runs: slowRuns,
  quick_hz: quickHz,
  quick_ms: quickMs,
  'eos-source': eosSource = eosRepository,
  python,
} = readFlags({
  only: someOf(systems),
  rounds: whole(3, { least: 1 }),
  runs: whole(100, { least: 1 }),
  at_once: whole(8, { least: 1 }),
  slow_runs: whole(3, { least: 1 }),
  quick_hz: whole(1_000, { least: 1 }),
  quick_ms: whole(100, { least: 1 }),
  'eos-source': text,
  python: text,
});

/** Installs a peer if it is asked for. A peer that cannot be had ends the process with a sentence. */
async function installed(prefix: string, install: (options: Options) => Promise<string>): Promise<string> {
  if (!only.some((name) => name.startsWith(prefix))) return '';
  try {
    return await install({ python, eosSource });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const eosFolder = await installed('eos', installEos);
const madsciFolder = await installed('madsci', installMadsci);

const usual: Amount = { runs, warm: 5, atOnce };

/** The systems, and how much work each of them gets. */
const known: Record<(typeof systems)[number], (folder: string) => [Peer, Amount]> = {
  ours: (folder) => [ours(folder, 'reusable'), usual],
  ours_thread: (folder) => [ours(folder, 'thread'), usual],
  ours_single_use: (folder) => [ours(folder, 'single_use'), usual],
  eos: (folder) => [eos('EOS', eosFolder, folder), usual],
  eos_quick: (folder) => [eos(`EOS, ${quickHz} Hz`, eosFolder, folder, quickHz), usual],
  madsci: (folder) => [madsci('MADSci', madsciFolder, folder), { runs: slowRuns, warm: 1, atOnce }],
  madsci_quick: (folder) => [
    madsci(`MADSci, ${quickMs} ms`, madsciFolder, folder, quickMs / 1_000),
    { runs: Math.min(runs, 20), warm: 2, atOnce },
  ],
};

/** For what fails when everything has been stopped: it removes its folders. */
const cleanUpMs = 10_000;

// A tool that is ended leaves no process behind.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    void stopAll().finally(() => setTimeout(() => process.exit(130), cleanUpMs).unref());
  });

printMachine();
await inFolder('peers', async (folder) => {
  const all = only.map((name) => {
    const [peer, amount] = known[name](join(folder, name));
    const figures: Figures[] = [];
    return { name, peer, amount, figures };
  });
  // The first start makes databases; only later ones are measured.
  for (const { peer } of all) await (await peer.start()).stop();
  for (let round = 1; round <= rounds; round += 1) {
    for (const { peer, amount, figures } of all) {
      figures.push(await measure(peer, round, amount));
      console.log(`round ${round}, ${peer.title}: ${JSON.stringify(figures.at(-1))}`);
    }
  }
  const results = all.map(({ name, peer, figures }) => ({
    name,
    title: peer.title,
    figures: medians(figures),
  }));
  for (const line of tableOf(results)) console.log(line);
  printResult({
    rounds,
    runs,
    ...Object.fromEntries(results.map(({ name, figures }) => [name, figures])),
  });
});
