import { BayesianSequentialOptimizer } from '@lab/optimization';

// Plays one campaign against a test function, with a seed for the optimizer and one for noise and order.

/** Numbers from 0 to 1, by mulberry32: the same for a seed on every machine, and independent of the optimizer's own. */
export function randomNumbers(seed) {
  let state = (seed + 1) * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const clock = { now: () => performance.now() };
export const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * @returns the figure of merit, CPU milliseconds per proposal of the model, and the rows of the initial design
 */
export function playCampaign({ problem, evals, initial, batch = 1, noise = [], flight, merit }, seed) {
  const optimizer = new BayesianSequentialOptimizer(
    {
      inputs: problem.inputs,
      outputs: problem.outputs,
      ...(problem.reference_point && { reference_point: problem.reference_point }),
      num_initial_samples: initial,
      seed,
    },
    clock,
  );
  const random = randomNumbers(seed);
  const all = [];
  const truth = new Map();
  const spread = [];
  const inProgress = [];
  let spent = 0;
  let proposals = 0;
  let begun = 0;

  const propose = (count) => {
    const before = cpuMs();
    const rows = optimizer.sample(count);
    const { origins } = optimizer.last_sample();
    if (origins.includes('model')) {
      spent += cpuMs() - before;
      proposals += origins.filter((origin) => origin === 'model').length;
    }
    rows.forEach((row, i) => origins[i] === 'initial' && spread.push(row));
    begun += count;
    return rows;
  };
  const measure = (row) => {
    const values = problem.evaluate(problem.inputs.map(({ key }) => row[key]));
    all.push(values);
    truth.set(JSON.stringify(problem.inputs.map(({ key }) => row[key])), values);
    const measured = problem.outputs.map(({ key }, k) => [key, values[k] + (noise[k] ?? 0) * normal(random)]);
    optimizer.report([row], [Object.fromEntries(measured)]);
  };

  while (all.length < evals) {
    if (flight === undefined) {
      const wanted = begun < initial ? Math.min(batch, initial - begun) : batch;
      propose(Math.min(wanted, evals - all.length)).forEach(measure);
      continue;
    }
    while (inProgress.length < flight && begun < evals) inProgress.push(...propose(1));
    const [ended] = inProgress.splice(Math.floor(random() * inProgress.length), 1);
    measure(ended);
  }
  const recommended = optimizer
    .get_optimal_solutions()
    .filter((row) => row.recommended)
    .map((row) => truth.get(JSON.stringify(problem.inputs.map(({ key }) => row[key]))));
  return { value: merit({ all, recommended }), cpuMs: proposals === 0 ? 0 : spent / proposals, spread };
}

/** @returns seconds of one proposal with its fit, of the processor and by the wall */
export function timeProposal({ runs, d, batch, surrogate }, seed) {
  const inputs = Array.from({ length: d }, (_, i) => ({
    kind: 'continuous',
    key: `run.x${i + 1}`,
    bounds: [0, 1],
  }));
  const outputs = [{ key: 'run.loss', objective: { kind: 'minimize', weight: 1 } }];
  const optimizer = new BayesianSequentialOptimizer(
    { inputs, outputs, surrogate, num_initial_samples: runs, seed },
    clock,
  );
  const rows = optimizer.sample(runs);
  const smooth = (row) =>
    inputs.reduce((sum, { key }, i) => sum + Math.sin(3 * row[key] + i) + (row[key] - 0.3) ** 2, 0);
  optimizer.report(
    rows,
    rows.map((row) => ({ 'run.loss': smooth(row) })),
  );
  const before = { wall: performance.now(), cpu: cpuMs() };
  optimizer.sample(batch);
  return { cpu: (cpuMs() - before.cpu) / 1000, wall: (performance.now() - before.wall) / 1000 };
}
