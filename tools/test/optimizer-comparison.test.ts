import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Python } from '@lab/hosting';
import { withoutPython } from '@lab/testkit/python';
import { afterAll, describe, expect, it } from 'vitest';
import { comparedProblem, comparedProblems, digestOf } from '../bench/optimizer/comparison/all.js';
import { playCampaign } from '../bench/optimizer/comparison/campaign.js';
import { dtlz2Of, dtlz2Volume } from '../bench/optimizer/comparison/functions.js';
import {
  bestOf,
  ours,
  random,
  spaceOf,
  startsOf,
  type Method,
} from '../bench/optimizer/comparison/method.js';
import { measured } from '../bench/optimizer/comparison/noise.js';
import { hasFront, keeps, quality } from '../bench/optimizer/comparison/problem.js';
import {
  besideOf,
  enteredLine,
  linesOf,
  totalsOf,
  type Played,
} from '../bench/optimizer/comparison/report.js';
import { canDecide, mannWhitney, quantile, verdict } from '../bench/optimizer/comparison/statistics.js';
import { Store, type Entry, type Key } from '../bench/optimizer/comparison/store.js';
import { hypervolume } from '../bench/optimizer/hypervolume.js';
import { pageOf } from '../bench/page/page.js';
import { resultsText } from '../bench/page/results.js';
import { belongs } from '../bench/optimizer/random-domains.js';
import { PeerProcess } from '../bench/peers/optimizers/process.js';
import { inTools } from '../shared/paths.js';

/** The comparison with the optimizers of others. */

const folder = mkdtempSync(join(tmpdir(), 'comparison-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the problems', () => {
  it('are at least forty, each with a name of its own', () => {
    expect(comparedProblems.length).toBeGreaterThanOrEqual(40);
    expect(new Set(comparedProblems.map(({ name }) => name)).size).toBe(comparedProblems.length);
  });

  const single = comparedProblems.flatMap((each) =>
    hasFront(each.problem) ? [] : [{ ...each, of: each.problem }],
  );

  it.each(single)('$name has the stated optimum at the stated point', (compared) => {
    const { optimum, optimizer, outputs, inputs } = compared.of;
    const truth = compared.of.evaluate(optimizer);
    // Published optimizers have a limited number of digits.
    expect(Math.abs((truth[0] ?? NaN) - optimum)).toBeLessThan(1e-7 * Math.max(1, Math.abs(optimum)) + 1e-5);
    expect(
      keeps(
        outputs,
        truth.map((value, k) => (k === 0 ? value : value + 1e-4)),
      ),
    ).toBe(true);
    const point = Object.fromEntries(inputs.map(({ key }, i) => [key, optimizer[i]!]));
    expect(belongs(point, spaceOf(compared))).toBe(true);
  });

  it.each(single)('$name has no better point among the initial ones', (compared) => {
    for (const seed of [0, 1, 2]) {
      const truths = startsOf(compared, seed).map((point) =>
        compared.of.evaluate(compared.of.inputs.map(({ key }) => point[key] ?? NaN)),
      );
      expect(quality(compared.of, truths)).toBeGreaterThan(0);
    }
  });

  it.each([2, 3, 4])('DTLZ2 with %i objectives has the stated hypervolume', (objectives) => {
    const count = objectives === 2 ? 2000 : objectives === 3 ? 60 : 12;
    let front: number[][] = [[]];
    for (let k = 1; k < objectives; k += 1)
      front = front.flatMap((start) => Array.from({ length: count + 1 }, (_, i) => [...start, i / count]));
    const points = front.map((x) => dtlz2Of(objectives)([...x, 0.5, 0.5]));
    const share =
      hypervolume(
        points,
        Array.from({ length: objectives }, () => 1.1),
      ) / dtlz2Volume(objectives);
    expect(share).toBeGreaterThan(objectives === 2 ? 0.999 : 0.85);
    expect(share).toBeLessThanOrEqual(1);
  });

  it('have no less than two and no more than 20 inputs', () => {
    const counts = comparedProblems.map(({ problem }) => problem.inputs.length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([2, 20]);
  });

  it('get more runs after the initial ones from the scale of the budget, and another digest', () => {
    const [usual, half] = [comparedProblem('branin', 1), comparedProblem('branin', 0.5)];
    expect([usual.evals - usual.initial, half.evals - half.initial]).toEqual([19, 10]);
    expect(digestOf(half)).not.toBe(digestOf(usual));
    expect(digestOf(comparedProblem('branin', 1))).toBe(digestOf(usual));
  });
});

describe('the hypervolume of four objectives', () => {
  it('equals the published value', () => {
    const axes = [0, 1, 2, 3].map((axis) => [0, 1, 2, 3].map((k) => (k === axis ? -1 : 0)));
    // By inclusion and exclusion: the box at the origin, and four slabs of height 1.
    const reference = [2.1, 2.5, 2.3, 2];
    const box = reference.reduce((product, side) => product * side, 1);
    const slabs = reference.reduce((total, side) => total + box / side, 0);
    expect(hypervolume([...axes, [0, 0, 0, 0]], reference)).toBeCloseTo(box + slabs, 10);
  });
});

describe('noise', () => {
  const noise = { deviations: [1], outliers: { share: 0.1, by: 100, sides: 'worse' as const } };
  const draws = Array.from(
    { length: 4000 },
    (_, run) => measured([0], noise, { seed: 1, run, worse: 1 })[0] ?? NaN,
  );
  const usual = draws.filter((value) => Math.abs(value) < 8);

  it('has the stated deviation and share of outliers', () => {
    const deviation = Math.sqrt(usual.reduce((sum, value) => sum + value ** 2, 0) / usual.length);
    expect(deviation).toBeGreaterThan(0.95);
    expect(deviation).toBeLessThan(1.05);
    expect(1 - usual.length / draws.length).toBeGreaterThan(0.08);
    expect(1 - usual.length / draws.length).toBeLessThan(0.12);
    expect(Math.min(...draws)).toBeGreaterThan(-8);
  });

  it('is the same for every method, and another one for each seed and run', () => {
    const at = (seed: number, run: number) => measured([5], noise, { seed, run, worse: 1 });
    expect(at(1, 2)).toEqual(at(1, 2));
    expect(at(1, 2)).not.toEqual(at(1, 3));
    expect(at(1, 2)).not.toEqual(at(2, 2));
  });
});

describe('the test by ranks', () => {
  it.each([
    [[1, 2, 3], [4, 5, 6], 0.1],
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252],
    // The example of scipy.stats.mannwhitneyu.
    [[19, 22, 16, 29, 24], [20, 11, 17, 12], 1 / 9],
    [[1, 1], [1, 2], 1],
    [[Infinity, Infinity, Infinity, Infinity], [1, 2, 3, 4], 2 / 70],
  ])('of %j and %j has the known probability', (a, b, p) => {
    expect(mannWhitney(a, b)).toBeCloseTo(p, 10);
    expect(mannWhitney(b, a)).toBeCloseTo(p, 10);
  });

  it('decides at 5 %, for regrets and for shares of a hypervolume', () => {
    const [low, high] = [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ];
    expect(verdict(low, high, false).verdict).toBe('win');
    expect(verdict(high, low, false).verdict).toBe('loss');
    expect(verdict(high, low, true).verdict).toBe('win');
    expect(verdict([1, 2, 3, 6], [4, 5, 7, 8], false).verdict).toBe('tie');
  });

  it('goes with quantiles that bear infinite values', () => {
    expect(quantile([3, 1, Infinity], 0.5)).toBe(3);
    expect(quantile([1, Infinity], 0.5)).toBe(Infinity);
    expect(quantile([Infinity, Infinity], 0.25)).toBe(Infinity);
  });
});

describe('the file of campaigns', () => {
  const key: Key = { problem: 'branin', method: 'ours', seed: 3, budget: 'abc', version: 'v1' };
  const entry: Entry = { ...key, quality: 0.5, trace: [1, 0.5], cpu_s: 0.1, proposals: 1 };

  it('lets a new process continue, and has nothing of another version', () => {
    const path = join(folder, 'again', 'campaigns.ndjson');
    new Store(path).add(entry);
    const store = new Store(path);
    expect(store.find(key)).toEqual(entry);
    for (const change of [{ version: 'v2' }, { budget: 'abd' }, { seed: 4 }, { method: 'ax' }])
      expect(store.find({ ...key, ...change })).toBeUndefined();
  });

  it('ignores a line that was cut off, and keeps the lines around it', () => {
    const path = join(folder, 'cut.ndjson');
    new Store(path).add(entry);
    appendFileSync(path, '{"problem":"branin","method":"our');
    const store = new Store(path);
    store.add({ ...entry, seed: 4 });
    const again = new Store(path);
    expect(again.find(key)).toEqual(entry);
    expect(again.find({ ...key, seed: 4 })).toEqual({ ...entry, seed: 4 });
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
  });
});

/** Plays with a method that also remembers what it was told. */
async function played(name: string, make: typeof random, seed: number, scale = 0.3) {
  const compared = comparedProblem(name, scale);
  const method = make(compared, seed);
  const told: unknown[] = [];
  let most = 0;
  let running = 0;
  const watched: Method = {
    ...method,
    async report(points, results) {
      told.push(...points.map((point, i) => ({ point, result: results[i] })));
      running -= points.length;
      await method.report(points, results);
    },
    async propose(count) {
      running += count;
      most = Math.max(most, running + compared.initial);
      return method.propose(count);
    },
  };
  const outcome = await playCampaign(compared, watched, seed);
  return { compared, outcome, told, most };
}

describe('a campaign', () => {
  it('gives every method the same initial points with the same noise', async () => {
    const [mine, theirs] = [await played('branin_noise2', ours, 1), await played('branin_noise2', random, 1)];
    const { initial, evals } = mine.compared;
    expect(mine.told).toHaveLength(evals);
    expect(theirs.told).toHaveLength(evals);
    expect(mine.told.slice(0, initial)).toEqual(theirs.told.slice(0, initial));
    expect(mine.told.slice(initial)).not.toEqual(theirs.told.slice(initial));
  });

  it('has the same outcome again, and a trace that never becomes worse', async () => {
    const [first, second] = [await played('gramacy', random, 2), await played('gramacy', random, 2)];
    expect(second.told).toEqual(first.told);
    const { trace, quality: last } = first.outcome;
    expect(trace).toEqual(second.outcome.trace);
    expect(trace).toHaveLength(first.compared.evals);
    expect(trace.at(-1)).toBe(last);
    trace.forEach((value, i) => expect(value).toBeLessThanOrEqual(trace[i - 1] ?? Infinity));
  });

  it('with runs in progress has as many as there are places', async () => {
    const { most, told, compared } = await played('hartmann6_flight4', random, 0);
    expect(most).toBe(4);
    expect(told).toHaveLength(compared.evals);
  });

  it('with a time ends at it, so that long runs leave room for fewer', async () => {
    const { told, compared } = await played('rosenbrock4_durations', random, 0, 1);
    expect(told.length).toBeGreaterThan(compared.initial + 10);
    expect(told.length).toBeLessThan(compared.evals);
  });

  it('with noise is judged by the true values of what the method recommends', async () => {
    const { outcome } = await played('hartmann6_outliers', random, 0);
    // A measurement that is too good misleads random search, which has no model.
    expect(outcome.quality).toBeGreaterThanOrEqual(outcome.trace.at(-1) ?? NaN);
  });
});

describe('the best results', () => {
  const constrainedOne = comparedProblem('gramacy', 1);
  const several = comparedProblem('branin_currin', 1);

  it('keep the thresholds, and miss them least if none keeps them', () => {
    const result = (loss: number, first: number, second: number) => ({
      'run.loss': loss,
      'run.slack1': first,
      'run.slack2': second,
    });
    expect(bestOf(constrainedOne, [result(0, -1, 1), result(2, 1, 1), result(1, 0, 0)])).toEqual([2]);
    expect(bestOf(constrainedOne, [result(0, -1, 1), result(2, -0.5, -0.1), result(1, -2, 0)])).toEqual([1]);
  });

  it('are those that no other one beats, with several objectives', () => {
    const rows = [
      [1, 3],
      [2, 2],
      [2, 3],
      [3, 1],
    ].map(([a = 0, b = 0]) => ({ 'run.f1': a, 'run.f2': b }));
    expect(bestOf(several, rows)).toEqual([0, 1, 3]);
  });
});

describe('the table', () => {
  const entries = (method: string, qualities: (number | null)[]): Entry[] =>
    qualities.map((value, seed) => ({
      ...{ problem: 'branin', method, seed, budget: '', version: '' },
      quality: value,
    }));
  const table: Played = {
    compared: comparedProblem('branin', 1),
    entries: new Map([
      ['ours', entries('ours', [1, 2, 3, 4])],
      ['worse', entries('worse', [5, null, 7, null])],
      ['same', entries('same', [1, 2, 3, 5])],
      ['unable', [{ ...entries('unable', [1])[0]!, cannot: 'no thresholds' }]],
      ['late', entries('late', [1])],
    ]),
  };

  it('tells what a peer cannot do, and what is missing, from a loss', () => {
    const peers = ['worse', 'same', 'unable', 'late'];
    expect(besideOf(table, peers).map(({ outcome }) => outcome)).toEqual(['win', 'tie', 'cannot', 'open']);
    expect(totalsOf([table], peers)).toMatchObject({
      worse: { win: 1, tie: 0, loss: 0, cannot: 0, win_or_tie: 1, clear_losses: 0 },
      unable: { win: 0, cannot: 1, win_or_tie: null },
    });
  });

  it.each([
    [[2, 2.1, 2.2, 2.3], 'loss', true],
    [[1.1, 1.2, 1.3, 1.4], 'loss', false],
  ] as const)('tells a clear loss from another one: %j', (mine, outcome, isClear) => {
    const lost: Played = {
      ...table,
      entries: new Map([
        ['ours', entries('ours', [...mine])],
        ['better', entries('better', [0.9, 1, 1, 1.05])],
      ]),
    };
    expect(besideOf(lost, ['better'])).toMatchObject([{ outcome, isClear }]);
    expect(totalsOf([lost], ['better'])['better']?.clear_losses).toBe(isClear ? 1 : 0);
  });

  it.each([
    [4, 4, true],
    [3, 3, false],
    [8, 2, true],
    [7, 2, false],
    [20, 1, false],
    [20, 0, false],
  ])('of %i and %i campaigns can decide: %s', (mine, theirs, can) => {
    expect(canDecide(mine, theirs)).toBe(can);
  });

  it('is entered with what each method reached', async () => {
    const lines = [enteredLine(table, ['worse', 'same', 'unable', 'late'])];
    const totals = totalsOf([table], ['worse', 'same', 'unable', 'late']);
    const comparison = { date: '2026-11-29', machine: 'A', load: 'idle', totals, lines };
    const results = { machines: {}, groups: [], comparison };
    expect(JSON.parse(resultsText(results))).toEqual(results);
    const page = await pageOf(results);
    expect(page).toMatch(
      /\| branin +\| [\w ]+\| 25 +\| regret +\| 2\.5 \(4\) +\| none \(4\) win +\| 2\.5 \(4\) tie +\| cannot +\| 1 \(1\) +\|/,
    );
    expect(page).toMatch(/\| worse +\| 1 +\| 0 +\| 0 +\| 100 % +\|/);
    expect(page).not.toContain('reach a goal');
  });

  it('counts the campaigns that reach a goal', async () => {
    const goal = { what: 'in the top', regret: 2 };
    const counted: Played = {
      compared: { ...comparedProblem('branin', 1), goal },
      entries: new Map([
        ['ours', entries('ours', [0, 0, 1, 2, 0, 0, 9])],
        ['rare', entries('rare', [3, 0, 3, null, 4, 3, 4])],
        ['often', entries('often', [3, 0, 0, 0, 0, 0, 0])],
        ['late', entries('late', [1])],
      ]),
    };
    const peers = ['rare', 'often', 'late', 'absent'];
    const text = linesOf(counted, ['ours', ...peers]).join('\n');
    expect(text).toContain('ours     6 of 7 campaigns in the top\n');
    expect(text).toContain('rare     1 of 7 campaigns in the top  ours: win (p 0.0291)');
    expect(text).toContain('often    6 of 7 campaigns in the top  ours: tie (p 1)');
    const comparison = { date: '2026-11-29', machine: 'A', load: 'idle', totals: totalsOf([counted], peers) };
    const lines = [enteredLine(counted, peers)];
    const page = await pageOf({ machines: {}, groups: [], comparison: { ...comparison, lines } });
    expect(page).toMatch(
      /\| branin +\| 25 +\| in the top +\| 6 of 7 +\| 1 of 7 win +\| 6 of 7 tie +\| 1 of 1 +\| +\|/,
    );
  });
});

describe.skipIf(withoutPython())('the program of the peers', () => {
  it('answers a question that it cannot fulfil with an error, and goes on', async () => {
    const bin = join(folder, 'peers', 'venv', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'python'), `#!/bin/sh\nexec ${new Python().program} "$@"\n`, { mode: 0o755 });
    const program = new PeerProcess(join(folder, 'peers'));
    try {
      const begin = () => program.begin('unknown', comparedProblem('branin', 1), 0);
      await expect(begin()).rejects.toThrow("KeyError: 'unknown'");
      await expect(begin()).rejects.toThrow("KeyError: 'unknown'");
    } finally {
      program.stop();
    }
  });

  it('finds what a model expects of a row whose whole numbers lost their fraction in JSON', () => {
    const text = [
      'from types import SimpleNamespace as Made',
      'from wrapped import Wrapped',
      'class One(Wrapped):',
      '    def make(self, *parts, seed, initial):',
      '        return Made(domain=Made(check=dict), runs=lambda state: [Made(row={"x": 1.0})],',
      '                    expected=lambda: [{"y": 2}], report=lambda rows, results: None)',
      'space = {"inputs": [], "outputs": [], "constraints": []}',
      'one = One({"space": space, "seed": 0, "initial": 1})',
      'one.report([{"x": 1}], [{"y": 3}])',
      'print(one.expected())',
    ].join('\n');
    const env = {
      ...process.env,
      PYTHONPATH: inTools('bench/peers/optimizers'),
      PYTHONDONTWRITEBYTECODE: '1',
    };
    expect(execFileSync(new Python().program, ['-c', text], { env, encoding: 'utf8' })).toBe("[{'y': 2}]\n");
  });

  it('whose Python is missing fails the campaign', async () => {
    const program = new PeerProcess(join(folder, 'nothing'));
    await expect(program.begin('botorch', comparedProblem('branin', 1), 0)).rejects.toThrow(/ended/);
  });
});
