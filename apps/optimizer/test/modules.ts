import { createHash } from 'node:crypto';
import type { JsonObject, ModuleReference } from '@lab/contracts';

/** Optimizers as the service bundles them: plain ES modules that contain the necessary parts of the SDK. */
export interface TestModule {
  reference: ModuleReference;
  text: string;
}

/** A search on a grid of 6 by 6. An argument makes its methods misbehave. Its explanation lists all calls in order. */
const grid = `
class Grid {
  static svc_param_schema() {
    return [
      { key: 'descending', type: 'checkbox', default: false, runtime: true },
      { key: 'mode', type: 'text', default: null, runtime: false },
    ];
  }
  constructor(args) {
    if (args.mode === 'refuse the inputs') {
      throw Object.assign(new Error('inputs are wrong'), {
        name: 'ServiceError',
        code: 'invalid',
        faults: [{ path: 'inputs[0].values', code: 'value', message: 'has no values' }],
      });
    }
    this.args = args;
    this.descending = args.descending ?? false;
    this.told = [];
    this.seen = new Map();
    this.measured = [];
    this.offered = [];
  }
  async sample(count, runs) {
    const { mode } = this.args;
    if (mode === 'throw') throw new Error('cannot invert the matrix');
    if (mode === 'loop') for (;;);
    if (mode === 'loop on the second' && this.sampled) for (;;);
    this.sampled = true;
    if (mode === 'exit') process.exit(9);
    if (mode === 'eat') { const all = []; for (;;) all.push(new Array(1e6).fill(Math.random())); }
    if (mode === 'slow') await new Promise((resolve) => setTimeout(resolve, 1_500));
    if (mode === 'stray') setTimeout(() => { throw new Error('too late'); }, 0);
    if (mode === 'no rows') return 5;
    if (mode === 'few') return [];
    if (mode === 'not finite') return runs.map(() => ({ 'mix.a': NaN, 'mix.b': 1 }));
    if (mode === 'column missing') return runs.map(() => ({ 'mix.a': 1 }));
    if (mode === 'column too many') return runs.map(() => ({ 'mix.a': 1, 'mix.b': 1, 'mix.c': 1 }));
    if (mode === 'print the key') console.log('the key is ' + this.args.ai_api_key);
    if (mode === 'throw the key') throw new Error('401 for ' + this.args.ai_api_key);
    const cells = Array.from({ length: 36 }, (_, i) => (this.descending ? 35 - i : i));
    const left = cells.filter((cell) => !this.seen.has(cell));
    if (left.length < count) throw new Error('grid exhausted: ' + left.length + ' of 36 points remain');
    return runs.map((run, i) => {
      this.seen.set(left[i], 'proposed');
      return { 'mix.a': Math.floor(left[i] / 6), 'mix.b': left[i] % 6 };
    });
  }
  note(what, inputs, runs) {
    inputs.forEach((row, i) => {
      if (row['mix.a'] > 5) throw new Error(runs[i] + ' is outside of the grid');
      this.seen.set(row['mix.a'] * 6 + row['mix.b'], what);
    });
    this.told.push(what + ' ' + runs.join());
  }
  report(inputs, outputs, runs) {
    this.note('measured', inputs, runs);
    outputs.forEach((row, i) => this.measured.push({ ...inputs[i], ...row }));
  }
  report_started(inputs, runs) { this.note('started', inputs, runs); }
  report_failed(inputs, runs) { this.note('failed', inputs, runs); }
  report_details(details) { this.additional = details.map(({ additional }) => additional); }
  get_optimal_solutions() {
    return [...this.measured].sort((x, y) => x['score.loss'] - y['score.loss']).slice(0, 1);
  }
  get_input_names() { return ['mix.a', 'mix.b']; }
  get_output_names() { return ['score.loss']; }
  get_additional_names() { return ['score.picture']; }
  get_num_samples_reported() { return this.measured.length; }
  get_runtime_params() { return { descending: this.descending }; }
  set_runtime_params({ descending }) {
    this.descending = descending;
    if (typeof descending !== 'boolean') throw new Error('descending is not true or false');
  }
  offer_insights(insights) { this.offered = insights; }
  last_sample() {
    return {
      rows: [{ source: 'ai', note: { journal: 'a guess' } }],
      insights_used: this.offered.map(({ id }) => id),
      limits_used: [],
    };
  }
  explain() {
    const { told, additional } = this;
    return { pid: process.pid, told, additional: additional ?? null, key_length: this.args.ai_api_key?.length ?? 0 };
  }
}
`;

const inputs = `[{ key: 'mix.a', values: [0, 1, 2, 3, 4, 5] }, { key: 'mix.b', values: [0, 1, 2, 3, 4, 5] }]`;

/** @param args constructor arguments beside `inputs` */
export function gridModule(args: JsonObject = {}): TestModule {
  return moduleWith(
    `export const svc_create_campaign_optimizer = () => [{ inputs: ${inputs}, ...${JSON.stringify(args)} }, Grid];`,
  );
}

/** @param text JavaScript in which the class `Grid` is available */
function moduleWith(text: string): TestModule {
  return moduleOf('experiments/paint/optimizer.ts', `${grid}\n${text}`);
}

export function moduleOf(source: string, text: string, runtime?: 'python'): TestModule {
  const hash = createHash('sha256').update(text).digest('hex');
  const reference = { hash, package: 'paint_lab', source, ...(runtime === undefined ? {} : { runtime }) };
  return { reference, text };
}

/** What a module may do wrong. Each language has a module for each. */
export const mistakes = [
  'exports no function',
  'gives no pair',
  'gives no class',
  'gives a class of something else',
  'gives arguments that are no JSON',
  'throws',
  'ends its process',
] as const;

/** A language of optimizers. One suite holds the processes of all languages to the same guarantees. */
export interface OptimizerLanguage {
  name: 'TypeScript' | 'Python';
  gridModule: typeof gridModule;
  /** A module with a mistake, and what the worker says about it. */
  mistaken: Record<(typeof mistakes)[number], [module: TestModule, message: RegExp]>;
  /** A module whose factory is asynchronous. */
  asynchronous: TestModule;
  words: {
    aNumber: string;
    notFinite: string;
    booleans: string;
    /** What follows the message of an error of the author, as a pattern. */
    place: string;
  };
}

export const typescript: OptimizerLanguage = {
  name: 'TypeScript',
  gridModule,
  mistaken: {
    'exports no function': [
      moduleWith('export const other = 1;'),
      /optimizer\.ts exports no function svc_create_/,
    ],
    'gives no pair': [
      moduleWith('export const svc_create_campaign_optimizer = () => Grid;'),
      /returned a function; it must return a pair/,
    ],
    'gives no class': [
      moduleWith('export const svc_create_campaign_optimizer = () => [{}, {}];'),
      /an object, not a class/,
    ],
    'gives a class of something else': [
      moduleWith(
        `export const svc_create_campaign_optimizer = () => [{}, class Half { sample() {} report() {} }];`,
      ),
      /The class Half .* lacks get_optimal_solutions, get_input_names, .*set_runtime_params; extend Abstract/,
    ],
    'gives arguments that are no JSON': [
      moduleWith('export const svc_create_campaign_optimizer = () => [{ when: new Date() }, Grid];'),
      /constructor arguments .*\.when is a Date object/,
    ],
    throws: [
      moduleWith(`export const svc_create_campaign_optimizer = () => { throw new Error('no file'); };`),
      /no file/,
    ],
    'ends its process': [moduleWith('process.exit(4);'), /could not be made: it ended with exit code 4/],
  },
  asynchronous: moduleWith('export const svc_create_campaign_optimizer = async () => [{}, Grid];'),
  words: { aNumber: 'a number', notFinite: 'NaN', booleans: 'true or false', place: '' },
};
