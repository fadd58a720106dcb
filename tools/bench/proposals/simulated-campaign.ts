import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatDiagnostics, loadPackages, ModuleStore } from '@lab/definitions';
import type { ProtocolDefinition } from '@lab/definitions/model';
import type { Definitions } from '@lab/engine';
import type { BatchKind, BayesianArguments } from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';
import { playCampaign, type PlayedRun } from '@lab/simulation';
import { benchLabs, type BenchLab } from './labs.js';
import { optimizersOf } from './optimizers.js';

/** A comparison of two campaigns. */
export interface Pair {
  lab: string;
  seed: number;
  /** Number of runs at the same time. */
  concurrent: number;
  /** `batch_loss` */
  loss: number;
  scheduler: 'greedy' | 'cpsat';
}

export interface Figures {
  /** Completed runs. */
  runs: number;
  /** Regret at the end. */
  regret: number;
  /** Mean regret over the time from the end of the initial design. */
  meanRegret: number;
  /** Rows that were chosen by the schedule. */
  chosen: number;
}

/** Smallest regret that counts: less is noise of the optimizer. */
const least = 1e-4;

export async function playBoth(pair: Pair): Promise<Record<BatchKind, Figures>> {
  const lab = benchLabs.find(({ name }) => name === pair.lab);
  if (lab === undefined) throw new Error(`there is no laboratory ${pair.lab}`);
  const { definitions, args } = await packageOf(lab);
  const play = async (batch: BatchKind): Promise<PlayedRun[]> => {
    const optimizers = optimizersOf({ ...args, batch, batch_loss: pair.loss, seed: pair.seed });
    const { runs } = await playCampaign(
      {
        name: 'bench',
        protocol: lab.protocol,
        max_protocol_runs: 0,
        max_concurrent_protocol_runs: pair.concurrent,
        optimize: true,
        global_parameters: lab.globals,
      },
      definitions,
      { stopwatch: () => performance.now() },
      {
        optimizers,
        secondsOf: lab.secondsOf,
        outputsOf: lab.outputsOf,
        until: lab.until,
        jitter: 0.05,
        seed: pair.seed,
        scheduler: { type: pair.scheduler },
      },
    );
    return runs;
  };
  const [plain, aware] = [await play('plain'), await play('schedule_aware')];
  // Both begin with the same design, and nothing is compared before it is over in both.
  const initial = args.num_initial_samples ?? 1;
  const from = Math.max(...[plain, aware].map((runs) => endsOf(runs)[initial - 1]?.at ?? lab.until));
  return { plain: figuresOf(lab, plain, from), schedule_aware: figuresOf(lab, aware, from) };
}

/** Ends of measured runs with the regret of each, in order. */
function endsOf(runs: readonly PlayedRun[]): { at: number; outputs: Record<string, number> }[] {
  return runs
    .flatMap(({ end, outputs }) => (end === null || outputs === null ? [] : [{ at: end, outputs }]))
    .sort((a, b) => a.at - b.at);
}

function figuresOf(lab: BenchLab, runs: readonly PlayedRun[], from: number): Figures {
  const ends = endsOf(runs);
  let best = Infinity;
  let area = 0;
  let since = from;
  for (const { at, outputs } of ends) {
    if (at > from) area += best * (at - since);
    since = Math.max(since, at);
    best = Math.min(best, lab.regretOf(outputs));
  }
  area += best * (lab.until - since);
  return {
    runs: ends.length,
    regret: Math.max(least, best),
    meanRegret: area / (lab.until - from),
    chosen: runs.filter(({ note }) => note.schedule !== undefined).length,
  };
}

/** The definitions of the package, and the arguments of its optimizer. */
async function packageOf({
  userDir,
  protocol,
}: BenchLab): Promise<{ definitions: Definitions; args: BayesianArguments }> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    const catalog = await loadPackages({ userDir, cacheDir });
    const type = catalog.protocol(protocol);
    if (type === undefined) throw new Error(formatDiagnostics(catalog.diagnostics, { userDir }));
    const { labs } = type.protocol;
    const definitions: Definitions = {
      protocol: (name) => catalog.protocol(name),
      task: (name) => catalog.task(name),
      protocolTypes: () => catalog.protocolTypes(),
      taskTypes: () => catalog.taskTypes(),
      labs: () => catalog.labs().filter(({ name }) => labs.includes(name)),
      deviceType: (name) => catalog.deviceType(name),
      takesWork: () => true,
    };
    return {
      definitions,
      args: await argumentsOf(new ModuleStore(join(cacheDir, 'modules')), type.protocol),
    };
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}

/** Of an optimizer that may also ask an AI, only what the Bayesian one knows. */
async function argumentsOf(
  store: ModuleStore,
  { type, optimizer }: ProtocolDefinition,
): Promise<BayesianArguments> {
  if (optimizer === undefined) throw new Error(`${type} has no optimizer`);
  const module = (await import(pathToFileURL(store.path(optimizer.hash)).href)) as {
    svc_create_campaign_optimizer: CreateCampaignOptimizer<BayesianArguments>;
  };
  const [args] = module.svc_create_campaign_optimizer();
  const { inputs, outputs, constraints = [], num_initial_samples: initial } = args;
  return { inputs, outputs, constraints, ...(initial !== undefined && { num_initial_samples: initial }) };
}
