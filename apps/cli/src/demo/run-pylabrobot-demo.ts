import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ApiClient, CampaignSubmission, ProtocolRunRecord } from '@lab/api-client';
import { awaitsPerson, isTerminal } from '@lab/contracts/vocabulary';
import { processEnvironment } from '@lab/runtime';
import { heading } from '../watch/style.js';
import { readWork } from '../watch/work.js';
import { campaignEnded, withDemoService } from './demo-service.js';
import { Progress } from './progress.js';
import { pythonEnvironment } from './python-environment.js';

/** Number of runs of the campaign. */
const runs = 12;
const label = `${runs} dilutions optimized`;
/** Milliseconds between two looks at a run. */
const lookMs = 300;
const protocol = 'serial_dilution';
const owner = 'demo';
const target = { read_plate: { target_factor: 2 } };
/** As many do it: equal volumes, and a short mixing. */
const usual = {
  dilute: { transfer_volume: 120, mix_volume: 80, mix_cycles: 3, flow_rate: 100 },
  ...target,
};
const search: CampaignSubmission = {
  name: 'find_technique',
  protocol,
  owner,
  max_protocol_runs: runs,
  max_concurrent_protocol_runs: 1,
  optimize: true,
  global_parameters: target,
};

/** The packages are in the same tree as this program. */
const userDir = fileURLToPath(new URL('../../../../demo-packages', import.meta.url));
const lock = join(userDir, 'pylabrobot_lab', 'requirements.lock');

/**
 * Installs PyLabRobot into an environment of its own and starts the whole service with a simulated liquid handler and a simulated
 * plate reader. Makes a serial dilution in the usual way, and then lets an optimizer look for a better one.
 *
 * @param signal stops the demonstration and everything that it started
 * @returns whether all work completed and the optimizer found a better dilution than the usual one
 * @throws Error in one sentence when Python, its packages or the service cannot be had; ProblemError when the service refuses
 *   the work
 */
export async function runPylabrobotDemo(output: NodeJS.WriteStream, signal: AbortSignal): Promise<boolean> {
  const tell = (text: string): void => void output.write(`${text}\n`);
  if (!existsSync(lock)) throw new Error(`this demo needs a clone of the project: ${lock} is missing`);
  tell('A simulated liquid handler and plate reader of PyLabRobot dilute a dye, each step by the factor 2.');
  tell('The demo takes about 20 s on two free processor cores, besides the installation of PyLabRobot.\n');
  const progress = new Progress(output, [{ label, total: runs }]);
  const python = await pythonEnvironment(
    lock,
    join(process.cwd(), '.cache', 'python'),
    processEnvironment()['SVC_PYTHON'],
    (text) => progress.step(text),
    signal,
  );
  const settings = { SVC_USER_DIR: userDir, SVC_LABS: 'pylabrobot_lab', SVC_PYTHON: python };
  return withDemoService(settings, progress, signal, async ({ client, url }) => {
    progress.step('a dilution as usual');
    const first = await runOnce(client, 'as_usual', signal);
    progress.step('an optimizer looks for a better technique');
    await client.post('/api/campaigns', { body: search });
    const campaign = await campaignEnded(client, search.name, (ended) => progress.move(label, ended), signal);
    progress.end();
    const best = bestOf(campaign.protocol_runs);
    tell('');
    for (const line of [...comparison(first, best), '', ...(await labware(client))]) tell(line);
    tell(`The description of the interface was at ${url}/docs.`);
    return (
      first.state === 'completed' &&
      campaign.state === 'completed' &&
      best !== undefined &&
      lossOf(best) < lossOf(first)
    );
  });
}

async function runOnce(client: ApiClient, name: string, signal: AbortSignal): Promise<ProtocolRunRecord> {
  await client.post('/api/protocols', { body: { name, type: protocol, owner, parameters: usual } });
  for (;;) {
    const { record } = await readWork(client, { kind: 'protocol', name }, signal);
    if (isTerminal(record.state) || awaitsPerson(record.state)) return record;
    await delay(lookMs, undefined, { signal });
  }
}

function bestOf(of: readonly ProtocolRunRecord[]): ProtocolRunRecord | undefined {
  return [...of].sort((a, b) => lossOf(a) - lossOf(b))[0];
}

/** In percent; infinite: the run has measured nothing. */
function lossOf(run: ProtocolRunRecord): number {
  return numberOf(outputs(run)['loss']) ?? Infinity;
}

const outputs = (run: ProtocolRunRecord): Record<string, unknown> =>
  run.tasks.find(({ name }) => name === 'read_plate')?.output_parameters ?? {};

function comparison(first: ProtocolRunRecord, best: ProtocolRunRecord | undefined): string[] {
  const row = (title: string, run: ProtocolRunRecord): string =>
    columns(
      title,
      fixed(outputs(run)['dilution_factor'], 3),
      `${fixed(outputs(run)['fit_error'], 1)} %`,
      technique(run),
    );
  return [
    heading(columns('', 'factor', 'scatter', '  technique')),
    row('as usual', first),
    ...(best === undefined ? [] : [row('best run', best)]),
  ];
}

function technique(run: ProtocolRunRecord): string {
  const { transfer_volume, mix_volume, mix_cycles, flow_rate } =
    (run.parameters as Record<string, Record<string, unknown>>)['dilute'] ?? {};
  return `  ${fixed(transfer_volume, 1)} ul, mixed ${fixed(mix_cycles, 0)} times ${fixed(mix_volume, 0)} ul at ${fixed(flow_rate, 0)} ul/s`;
}

/** What the service knows about the labware in the end. */
async function labware(client: ApiClient): Promise<string[]> {
  const resources = await client.all('/api/resources', { query: { lab: 'pylabrobot_lab' } });
  return resources.map(({ name, meta }) => {
    const state = (meta['state'] ?? {}) as { tips?: unknown[]; volumes?: Record<string, number> };
    const volume = Object.values(state.volumes ?? {}).reduce((sum, each) => sum + each, 0) / 1000;
    const holds = state.tips === undefined ? `${volume.toFixed(1)} ml` : `${state.tips.length} tips`;
    return `${name.padEnd(10)}${holds.padStart(10)}, fresh pieces taken: ${String(meta['used'])}`;
  });
}

function columns(first: string, factor: string, scatter: string, rest: string): string {
  return `${first.padEnd(10)}${factor.padStart(8)}${scatter.padStart(10)}${rest}`;
}

function fixed(value: unknown, digits: number): string {
  return numberOf(value)?.toFixed(digits) ?? '?';
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
