import { describe, expect, it } from 'vitest';
import { AbstractSequentialOptimizer, type CreateCampaignOptimizer, type Table } from '../../src/index.js';

class Constant extends AbstractSequentialOptimizer {
  private reported = 0;
  constructor(private readonly args: { value: number }) {
    super();
  }
  sample(count: number): Table {
    return Array.from({ length: count }, () => ({ 'mix.volume': this.args.value }));
  }
  report(inputs: Table): void {
    this.reported += inputs.length;
  }
  get_optimal_solutions(): Table {
    return [];
  }
  get_input_names(): string[] {
    return ['mix.volume'];
  }
  get_output_names(): string[] {
    return ['score.loss'];
  }
  get_num_samples_reported(): number {
    return this.reported;
  }
}

const svc_create_campaign_optimizer: CreateCampaignOptimizer<{ value: number }> = () => [
  { value: 4 },
  Constant,
];

describe('an optimizer with only the required methods', () => {
  const [args, Optimizer] = svc_create_campaign_optimizer();

  it('is created from the pair that the factory returns', async () => {
    const optimizer = new Optimizer(args);
    await optimizer.report(await optimizer.sample(2), [{ 'score.loss': 1 }, { 'score.loss': 2 }]);
    expect(optimizer.get_num_samples_reported()).toBe(2);
    expect(await optimizer.sample(1)).toEqual([{ 'mix.volume': 4 }]);
  });

  it('has no settings, refuses unknown ones, and ignores reports about other runs', async () => {
    const optimizer = new Optimizer(args);
    expect(Constant.svc_param_schema()).toEqual([]);
    expect(optimizer.get_runtime_params()).toEqual({});
    expect(() => optimizer.set_runtime_params({})).not.toThrow();
    expect(() => optimizer.set_runtime_params({ beta: 1 })).toThrow('no runtime parameter "beta"');
    await optimizer.report_started([{ 'mix.volume': 1 }], ['run_1']);
    await optimizer.report_failed([{ 'mix.volume': 1 }], ['run_1']);
    expect(optimizer.get_num_samples_reported()).toBe(0);
  });
});
