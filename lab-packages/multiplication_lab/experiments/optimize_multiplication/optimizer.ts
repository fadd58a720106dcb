import {
  continuousOutput,
  discreteInput,
  HybridOptimizer,
  minimize,
  type HybridArguments,
} from '@lab/optimization';
import {
  AbstractSequentialOptimizer,
  type Cell,
  type CreateCampaignOptimizer,
  type ParameterField,
  type RuntimeParameters,
  type Table,
} from '@lab/sdk';

/** Values of one input, in the order of the search. */
interface Axis {
  key: string;
  values: readonly Cell[];
}

/**
 * Tries every combination of discrete values, each once.
 *
 * It shows what an optimizer of one's own must stand: samples of several rows, results in any order, points that somebody
 * else chose, and, in a new process, everything that was measured before. So what is pending and what is completed is all
 * that it remembers, and both are found again by being told.
 */
export class GridSearch extends AbstractSequentialOptimizer {
  private readonly pending = new Set<string>();
  private readonly completed = new Map<string, Table[number]>();

  constructor(
    private readonly axes: readonly Axis[],
    private readonly output: string,
    private descending: boolean,
  ) {
    super();
  }

  /** @throws Error when fewer points are left than are wanted */
  override sample(num_protocol_runs: number): Table {
    const left = this.grid().filter((point) => !this.isKnown(point));
    if (left.length < num_protocol_runs) {
      throw new Error(
        `The grid is exhausted: ${num_protocol_runs} points were wanted, and ${left.length} of ${this.grid().length} remain`,
      );
    }
    const points = (this.descending ? left.reverse() : left).slice(0, num_protocol_runs);
    this.report_started(points);
    return points.map((point) => ({ ...point }));
  }

  override report(inputs_df: Table, outputs_df: Table<number>): void {
    inputs_df.forEach((point, i) => {
      this.pending.delete(this.keyOf(point));
      this.completed.set(this.keyOf(point), { ...point, ...outputs_df[i] });
    });
  }

  /** What somebody else tries need not be tried again. */
  override report_started(inputs_df: Table): void {
    for (const point of inputs_df) this.pending.add(this.keyOf(point));
  }

  // A point whose run failed stays pending: trying it again would most likely fail again. `report_failed` is left out.

  override get_optimal_solutions(): Table {
    const measured = [...this.completed.values()];
    const best = Math.min(...measured.map((row) => Number(row[this.output])));
    return measured.filter((row) => row[this.output] === best);
  }

  override get_input_names(): string[] {
    return this.axes.map(({ key }) => key);
  }

  override get_output_names(): string[] {
    return [this.output];
  }

  override get_num_samples_reported(): number {
    return this.completed.size;
  }

  override get_runtime_params(): RuntimeParameters {
    return { descending: this.descending };
  }

  /** @throws Error when `descending` is neither true nor false */
  override set_runtime_params({ descending, ...others }: RuntimeParameters): void {
    super.set_runtime_params(others);
    if (descending === undefined) return;
    if (typeof descending !== 'boolean') throw new Error('descending must be true or false');
    this.descending = descending;
  }

  /** Every combination; the first axis changes slowest. */
  private grid(): Table {
    return this.axes.reduce<Table>(
      (points, { key, values }) =>
        points.flatMap((point) => values.map((value) => ({ ...point, [key]: value }))),
      [{}],
    );
  }

  private isKnown(point: Table[number]): boolean {
    const key = this.keyOf(point);
    return this.pending.has(key) || this.completed.has(key);
  }

  private keyOf(point: Table[number]): string {
    return JSON.stringify(this.axes.map(({ key }) => point[key]));
  }
}

interface GridArguments extends HybridArguments {
  /** Begin with the largest values. */
  descending?: boolean;
}

/** Searches a grid, and may ask an AI as well: whoever sets `p_ai` above 0 and names a model gets both. */
export class GridCampaign extends HybridOptimizer<{ descending?: boolean }> {
  static override svc_param_schema(): ParameterField[] {
    return [
      ...HybridOptimizer.svc_param_schema(),
      {
        key: 'descending',
        type: 'checkbox',
        default: false,
        runtime: true,
        description: 'Begin with the largest values',
      },
    ];
  }

  protected override _create_optimizer(
    inputs: GridArguments['inputs'],
    outputs: GridArguments['outputs'],
  ): AbstractSequentialOptimizer {
    const axes = inputs.map((input) => {
      if (input.kind === 'discrete') return { key: input.key, values: input.values };
      throw new Error(`${input.key} is ${input.kind}; a grid has discrete inputs only`);
    });
    const [output, ...others] = outputs;
    if (output === undefined || others.length > 0) throw new Error('A grid search has one output');
    return new GridSearch(axes, output.key, this.settings.descending ?? false);
  }
}

/** 36 combinations, of which two give the product that is wanted. */
export const svc_create_campaign_optimizer: CreateCampaignOptimizer<GridArguments> = () => [
  {
    inputs: [
      discreteInput('first.number', [2, 4, 8]),
      discreteInput('first.factor', [3, 4, 5]),
      discreteInput('second.factor', [8, 16, 32, 64]),
    ],
    outputs: [continuousOutput('score.loss', minimize())],
    constraints: [],
    descending: false,
    p_bayesian: 1,
    p_ai: 0,
  },
  GridCampaign,
];
