/** The table of a comparison. */
import type { Entry } from './store.js';
import { quantile, verdict, type Verdict } from './statistics.js';
import { isShare, type ComparedProblem } from './problem.js';

/** The played campaigns of one problem, by method. */
export interface Played {
  compared: ComparedProblem;
  entries: ReadonlyMap<string, readonly Entry[]>;
}

export interface Beside {
  peer: string;
  /** `cannot`: the peer cannot play the problem; `open`: campaigns are missing. */
  outcome: Verdict | 'cannot' | 'open';
  p?: number;
}

/** Qualities with the worst value where no run keeps the thresholds. */
export const qualitiesOf = (entries: readonly Entry[]): number[] =>
  entries.flatMap(({ quality }) => (quality === undefined ? [] : [quality ?? Infinity]));

/** The outcome of ours beside every peer. Two campaigns of each are the least from which one can tell anything. */
export function besideOf({ compared, entries }: Played, peers: readonly string[]): Beside[] {
  const mine = qualitiesOf(entries.get('ours') ?? []);
  return peers.map((peer) => {
    const all = entries.get(peer) ?? [];
    if (all.some(({ cannot }) => cannot !== undefined)) return { peer, outcome: 'cannot' };
    const theirs = qualitiesOf(all);
    if (mine.length < 2 || theirs.length < 2) return { peer, outcome: 'open' };
    const found = verdict(mine, theirs, isShare(compared));
    return { peer, outcome: found.verdict, p: found.p };
  });
}

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
  const beside = besideOf(
    played,
    methods.filter((each) => each !== 'ours'),
  );
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
  ];
}

/** Of each peer: how often ours wins, ties and loses, and the share of wins or ties. */
export function totalsOf(all: readonly Played[], peers: readonly string[]) {
  return Object.fromEntries(
    peers.map((peer) => {
      const count = (outcome: Beside['outcome']): number =>
        all.filter((played) => besideOf(played, [peer])[0]?.outcome === outcome).length;
      const [win, tie, loss] = [count('win'), count('tie'), count('loss')];
      const decided = win + tie + loss;
      return [
        peer,
        {
          ...{ win, tie, loss, cannot: count('cannot'), open: count('open') },
          win_or_tie: decided === 0 ? null : Number(((win + tie) / decided).toFixed(3)),
        },
      ];
    }),
  );
}
