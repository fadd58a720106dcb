/** Optimizers side by side, as the page of the benchmarks shows them. */

export type Outcome = 'win' | 'tie' | 'loss' | 'cannot' | 'open';

/** What a method reached on a problem. */
export interface Reached {
  campaigns: number;
  /** Median regret or share of the hypervolume; null: in half of the campaigns no run keeps the thresholds. */
  median?: number | null;
  /** Of ours beside this method. */
  outcome?: Outcome;
  /** A loss by more than 1.5 times in the median regret. */
  isClear?: boolean;
  /** The campaigns that reach the goal of the problem. */
  goal?: { reached: number; outcome?: Outcome };
}

export interface ComparedLine {
  problem: string;
  group: string;
  runs: number;
  isShare: boolean;
  /** What campaigns reach or miss: the words after "campaigns". */
  goal?: string;
  reached: Record<string, Reached>;
}

export interface PeerTotals {
  win: number;
  tie: number;
  loss: number;
  cannot: number;
  open: number;
  win_or_tie: number | null;
  clear_losses: number;
  /** Processor time of a proposed point of ours over that of the peer: the geometric mean over the problems that both played. */
  time_ratio: number | null;
}

export interface Comparison {
  date: string;
  /** A key of the machines, where ours was played. */
  machine: string;
  load: string;
  totals: Record<string, PeerTotals>;
  lines: ComparedLine[];
}

/** The text of a comparison in the file of results, with one line for each problem. */
export const comparisonText = ({ lines, ...head }: Comparison): string =>
  `${JSON.stringify(head).slice(0, -1)},"lines":[\n${lines.map((line) => `    ${JSON.stringify(line)}`).join(',\n')}\n  ]}`;

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export function comparisonSection({ date, machine, load, totals, lines }: Comparison): string[] {
  const peers = Object.keys(totals);
  return [
    '## Other optimizers\n',
    `\`npm run bench:optimizer -- --peers ${peers.join()} --enter\`: the same problems, initial points, noise and budgets, with`,
    'the methods that each library recommends. [Its README](../tools/bench/peers/README.md#optimizers) says what is compared, and how.',
    `This optimizer played on machine ${machine}, ${load}, ${date}. Win, tie and loss are of this optimizer: a test by ranks at 5 %.`,
    'With few campaigns of the other optimizer, only large differences are significant.\n',
    ...header([
      ...['beside', 'wins', 'ties', 'losses', 'wins or ties', 'losses by more than 1.5 times', 'cannot play'],
      ...['too few campaigns', 'processor time over that of the peer'],
    ]),
    ...peers.map((peer) => row([peer, ...totalsCells(totals[peer])])),
    '',
    ...goalsTable(lines, peers),
    'The median of the regret at the end, and in brackets the number of campaigns. Where the unit is a share of the largest known',
    'hypervolume, larger is better. `none`: in half of the campaigns no run keeps the thresholds.\n',
    ...header(['problem', 'group', 'runs', 'unit', 'ours', ...peers]),
    ...lines.map(({ problem, group, runs, isShare, reached }) =>
      row([
        ...[problem, group, String(runs), isShare ? 'share' : 'regret'],
        ...['ours', ...peers].map((name) => cell(reached[name])),
      ]),
    ),
    '',
  ];
}

const header = (names: readonly string[]): string[] => [row(names), row(names.map(() => '---'))];

/** The problems with a goal: how many campaigns reach it. */
function goalsTable(lines: readonly ComparedLine[], peers: readonly string[]): string[] {
  const counted = lines.flatMap(({ goal, ...line }) => (goal === undefined ? [] : [{ ...line, goal }]));
  if (counted.length === 0) return [];
  return [
    'Campaigns that reach a goal, and how many there are. The same test decides between two counts.\n',
    ...header(['problem', 'runs', 'campaigns', 'ours', ...peers]),
    ...counted.map(({ problem, runs, goal, reached }) =>
      row([problem, String(runs), goal, ...['ours', ...peers].map((name) => goalCell(reached[name]))]),
    ),
    '',
  ];
}

function goalCell({ campaigns, goal }: Reached = { campaigns: 0 }): string {
  if (goal === undefined) return '';
  return [`${goal.reached} of ${campaigns}`, goal.outcome].filter(Boolean).join(' ');
}

function totalsCells(totals: PeerTotals | undefined): string[] {
  if (totals === undefined) return [];
  const { win, tie, loss, cannot, open, win_or_tie: share, clear_losses: clear, time_ratio: ratio } = totals;
  return [
    ...[win, tie, loss].map(String),
    share === null ? '' : `${(100 * share).toFixed(0)} %`,
    ...[clear, cannot, open].map(String),
    ratio === null ? '' : ratio.toFixed(2),
  ];
}

function cell(reached: Reached | undefined): string {
  if (reached === undefined) return '';
  const { campaigns, median, outcome, isClear } = reached;
  if (outcome === 'cannot') return 'cannot';
  if (campaigns === 0) return '';
  const value = median === null || median === undefined ? 'none' : String(Number(median.toPrecision(3)));
  const said = { win: 'win', tie: 'tie', loss: isClear ? '**loss**' : 'loss', open: '' }[outcome ?? 'open'];
  return [`${value} (${campaigns})`, said].filter(Boolean).join(' ');
}
