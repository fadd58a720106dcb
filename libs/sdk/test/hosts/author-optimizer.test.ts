import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeOptimizer } from '../../src/hosts/author-optimizer.js';

/** A subclass that describes only its own field, with a base class whose settings depend on each other. */
const module = `
class Base {
  static svc_param_schema() {
    return [{ key: 'p_ai', type: 'number', default: 0, runtime: true }];
  }
  constructor(args) {
    if (args.p_ai + args.p_bayesian !== 1) throw new Error('no sum of 1');
    this.params = { p_ai: args.p_ai, descending: args.descending ?? false };
  }
  sample() { return []; }
  report() {}
  get_optimal_solutions() { return []; }
  get_input_names() { return ['mix.a']; }
  get_output_names() { return ['score.loss']; }
  get_num_samples_reported() { return 0; }
  get_runtime_params() { return this.params; }
  set_runtime_params(params) { this.params = { ...this.params, ...params }; }
}
class Grid extends Base {
  static svc_fit_arguments(args, integers) {
    return integers.length === 0 ? args : { ...args, integers };
  }
  static svc_param_schema() {
    return [{ key: 'descending', type: 'checkbox', default: false, runtime: true }];
  }
}
export const svc_create_campaign_optimizer = () => [{ p_bayesian: 1, p_ai: 0 }, Grid];
`;

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'optimizer-'));
  writeFileSync(join(place, 'optimizer.mjs'), module);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const make = (overrides: Record<string, number | boolean>, integers: string[] = []) =>
  makeOptimizer(join(place, 'optimizer.mjs'), 'optimizer.ts', overrides, integers, {
    clock: { now: () => 0 },
    models: {},
    protocol: 'mixing',
  });

describe('the arguments of an optimizer', () => {
  it('are fitted to the integer parameters of the protocol before the constructor gets them', async () => {
    expect((await make({}, ['mix.a'])).args).toEqual({ p_bayesian: 1, p_ai: 0, integers: ['mix.a'] });
  });
});

describe('the settings of a subclass', () => {
  it('include those of its base class', async () => {
    const { fields } = await make({});
    expect(fields.map(({ key }) => key)).toEqual(['descending', 'p_ai']);
  });

  it('are set after the creation of the optimizer where they are runtime parameters, also those of its base class', async () => {
    const { optimizer, args } = await make({ p_ai: 0.5, descending: true });
    expect(args).toEqual({ p_bayesian: 1, p_ai: 0 });
    expect(optimizer.get_runtime_params()).toEqual({ p_ai: 0.5, descending: true });
  });
});
