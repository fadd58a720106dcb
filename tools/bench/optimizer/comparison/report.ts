/** The table of a comparison. */
import type { ComparedLine, Outcome, PeerTotals } from '../../page/comparison.js';
import type { Entry } from './store.js';
import { canDecide, quantile, verdict, type Verdict } from './statistics.js';
import { isShare, type ComparedProblem } from './problem.js';

/** The played campaigns of one problem, by method. */
export interface Played {
  compared: ComparedProblem;
  entries: ReadonlyMap<string, readonly Entry[]>;
}

export interface Beside {
  peer: string;
  /** `cannot`: the peer cannot play the problem; `open`: there are too few campaigns to tell. */
  outcome: Outcome;
  p?: number;
  /** Whether a loss is one by more than 1.5 times in the median regret. */
  isClear?: boolean;
}

/** A loss is clear beyond this ratio of median regrets. */
const clearRatio = 1.5;

/** Qualities with the worst value where no run keeps the thresholds. */
export const qualitiesOf = (entries: readonly Entry[]): number[] =>
  entries.flatMap(({ quality }) => (quality === undefined ? [] : [quality ?? Infinity]));

/** The outcome of ours beside every peer. */
export function besideOf({ compared, entries }: Played, peers: readonly string[]): Beside[] {
  const mine = qualitiesOf(entries.get('ours') ?? []);
  return peers.map((peer) => {
    const all = entries.get(peer) ?? [];
    if (all.some(({ cannot }) => cannot !== undefined)) return { peer, outcome: 'cannot' };
    const theirs = qualitiesOf(all);
    if (!canDecide(mine.length, theirs.length)) return { peer, outcome: 'open' };
    const found = verdict(mine, theirs, isShare(compared));
    const isClear =
      found.verdict === 'loss' && medianRegret(compared, mine) > clearRatio * medianRegret(compared, theirs);
    return { peer, outcome: found.verdict, p: found.p, isClear };
  });
}

/** The campaigns of one method that reach the goal of a problem. */
interface GoalCount {
  reached: number;
  campaigns: number;
  /** Of ours beside this method; undefined for ours, and with too few campaigns to tell. */
  outcome?: Verdict;
  p?: number;
}

/** Of each method that has campaigns: how many of them reach the goal. Without a goal there is nothing to count. */
function goalsOf({ compared: { goal }, entries }: Played, peers: readonly string[]): Map<string, GoalCount> {
  if (goal === undefined) return new Map();
  // Equal values share their ranks, so the test of the qualities decides between two counts as well.
  const hits = (method: string): number[] =>
    qualitiesOf(entries.get(method) ?? []).map((regret) => Number(regret <= goal.regret));
  const mine = hits('ours');
  return new Map(
    ['ours', ...peers].flatMap((method) => {
      const own = hits(method);
      if (own.length === 0) return [];
      const reached = own.reduce((sum, hit) => sum + hit, 0);
      const isDecided = method !== 'ours' && canDecide(mine.length, own.length);
      const { verdict: outcome, p } = isDecided ? verdict(mine, own, true) : {};
      return [[method, { reached, campaigns: own.length, ...(outcome && { outcome, p }) }]];
    }),
  );
}

/** The median regret. With several objectives it is the missing share of the hypervolume. */
const medianRegret = (compared: ComparedProblem, qualities: readonly number[]): number =>
  isShare(compared) ? 1 - quantile(qualities, 0.5) : quantile(qualities, 0.5);

const shown = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(3))) : Number.isNaN(value) ? '-' : 'none';

/** Milliseconds of processor time for one proposed point, the mean of the campaigns. */
export function cpuMsOf(entries: readonly Entry[]): number {
  const all = entries.flatMap(({ cpu_s = NaN, proposals = 0 }) =>
    proposals > 0 ? [(1000 * cpu_s) / proposals] : [],
  );
  return all.reduce((sum, ms) => sum + ms, 0) / all.length;
}

/** Lines of text, one for each method of a problem. */
export function linesOf(played: Played, methods: readonly string[]): string[] {
  const { compared, entries } = played;
  const peers = methods.filter((each) => each !== 'ours');
  const beside = besideOf(played, peers);
  const unit = isShare(compared) ? 'share of the hypervolume' : 'regret';
  return [
    `${compared.name} (${compared.group}; ${compared.evals} runs; ${unit})`,
    ...methods.map((method) => {
      const all = entries.get(method) ?? [];
      const values = qualitiesOf(all);
      const { outcome, p } = beside.find(({ peer }) => peer === method) ?? {};
      const cannot = all.find((each) => each.cannot !== undefined)?.cannot;
      if (cannot !== undefined) return `  ${method.padEnd(8)} cannot: ${cannot}`;
      if (values.length === 0) return `  ${method.padEnd(8)} not played`;
      const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => shown(quantile(values, q)));
      const verdictText =
        outcome === undefined ? '' : `  ours: ${outcome}${p === undefined ? '' : ` (p ${shown(p)})`}`;
      return `  ${method.padEnd(8)} median ${middle} (${low} to ${high}), ${values.length} seeds, ${shown(cpuMsOf(all))} ms a proposal${verdictText}`;
    }),
    ...[...goalsOf(played, peers)].map(
      ([method, { reached, campaigns, outcome, p = NaN }]) =>
        `  ${method.padEnd(8)} ${reached} of ${campaigns} campaigns ${compared.goal?.what}${outcome === undefined ? '' : `  ours: ${outcome} (p ${shown(p)})`}`,
    ),
  ];
}

/** Of each peer: how often ours wins, ties and loses, the share of wins or ties, and the losses by more than 1.5 times. */
export function totalsOf(all: readonly Played[], peers: readonly string[]): Record<string, PeerTotals> {
  return Object.fromEntries(
    peers.map((peer) => {
      const found = all.flatMap((played) => besideOf(played, [peer]));
      const count = (outcome: Beside['outcome']): number =>
        found.filter((each) => each.outcome === outcome).length;
      const [win, tie, loss] = [count('win'), count('tie'), count('loss')];
      const decided = win + tie + loss;
      return [
        peer,
        {
          ...{ win, tie, loss, cannot: count('cannot'), open: count('open') },
          win_or_tie: decided === 0 ? null : Number(((win + tie) / decided).toFixed(3)),
          clear_losses: found.filter(({ isClear }) => isClear).length,
          time_ratio: timeRatioOf(all, peer),
        },
      ];
    }),
  );
}

function timeRatioOf(all: readonly Played[], peer: string): number | null {
  const logs = all
    .map(({ entries }) => Math.log(cpuMsOf(entries.get('ours') ?? []) / cpuMsOf(entries.get(peer) ?? [])))
    .filter(Number.isFinite);
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length;
  return logs.length === 0 ? null : Number(Math.exp(mean).toFixed(3));
}

/** A problem in the table of the page. */
export function enteredLine(played: Played, peers: readonly string[]): ComparedLine {
  const { compared, entries } = played;
  const beside = new Map(besideOf(played, peers).map((each) => [each.peer, each]));
  const goals = goalsOf(played, peers);
  return {
    ...{ problem: compared.name, group: compared.group, runs: compared.evals, isShare: isShare(compared) },
    ...(compared.goal && { goal: compared.goal.what }),
    reached: Object.fromEntries(
      ['ours', ...peers].map((method) => {
        const values = qualitiesOf(entries.get(method) ?? []);
        const median = quantile(values, 0.5);
        const { outcome, isClear = false } = beside.get(method) ?? {};
        const { reached, outcome: ofGoal } = goals.get(method) ?? {};
        return [
          method,
          {
            campaigns: values.length,
            ...(values.length > 0 && {
              median: Number.isFinite(median) ? Number(median.toPrecision(4)) : null,
            }),
            ...(outcome !== undefined && { outcome }),
            ...(isClear && { isClear }),
            ...(reached !== undefined && { goal: { reached, ...(ofGoal && { outcome: ofGoal }) } }),
          },
        ];
      }),
    ),
  };
}
