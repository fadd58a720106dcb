import type {
  Insight,
  JsonValue,
  LabSchedule,
  RuntimeParameterValues,
  Trial,
  TrialNote,
  TrialSource,
} from '@lab/contracts';
import { isCell, runtimeParamsOf, setRuntimeParams, type AuthorOptimizer } from './author-optimizer.js';
import { isPlainObject, kindOf, toJson, toJsonObject } from './json-value.js';

/** Largest table or belief, in bytes of JSON: half of the largest message. */
const maxResultBytes = 1_000_000;

interface Run {
  number: number;
  run: string;
}

/** A trial that was proposed by the optimizer or reported to it. */
interface KnownTrial {
  trial: Trial;
  /** Identifiers of the insights that its suggestion used. */
  insightsUsed: readonly string[];
}

/** How the optimizer found a row of the latest sample, as far as the optimizer says so. */
interface RowOrigin {
  source: TrialSource;
  note: TrialNote;
}

/** The method of the object that is called when a trial reaches a state. */
type Step = 'report_started' | 'report' | 'report_failed';

/**
 * One life of the optimizer of a campaign. It keeps track of the trials that the object knows. Each state of a trial is
 * reported once, in the order of the trial numbers, and a run keeps its row however often the row is requested.
 */
export class OptimizerSession {
  readonly #inputs: readonly string[];
  readonly #outputs: readonly string[];
  readonly #known = new Map<number, KnownTrial>();

  /** @param warn takes warnings for people about problems that fail nothing */
  constructor(
    private readonly optimizer: AuthorOptimizer,
    names: { inputs: readonly string[]; outputs: readonly string[] },
    private readonly warn: (text: string) => void,
  ) {
    this.#inputs = names.inputs;
    this.#outputs = names.outputs;
  }

  /**
   * Reports trials that are new or have changed their state. A given trial that the optimizer refuses is skipped; its result
   * stays in the campaign.
   *
   * @returns the number of results that the optimizer has
   * @throws the error of the author's code; the session is then unusable
   */
  async tell(trials: readonly Trial[]): Promise<number> {
    this.optimizer.report_details?.(
      trials.map(({ run, source, note, additional, durations }) =>
        structuredClone({
          ...{ run, source, note, additional },
          ...(durations === null || durations === undefined ? {} : { durations }),
        }),
      ),
    );
    for (const { step, trials: together } of this.#stepsFor(trials)) {
      try {
        await this.#take(step, together);
      } catch (error) {
        const [first] = together;
        if (first?.source !== 'given') throw error;
        const reason = error instanceof Error ? error.message : String(error);
        this.warn(`the optimizer learns nothing from ${first.run}, whose inputs were given: ${reason}`);
      }
      for (const trial of together) {
        this.#known.set(trial.number, { insightsUsed: [], ...this.#known.get(trial.number), trial });
      }
    }
    const measured = this.optimizer.get_num_samples_reported();
    if (typeof measured !== 'number' || !Number.isInteger(measured) || measured < 0) {
      throw new Error(
        `get_num_samples_reported returned ${kindOf(measured)} that is no count: ${String(measured)}`,
      );
    }
    return measured;
  }

  /**
   * Returns rows for runs. A run that has a row in this session keeps it.
   *
   * @param schedule unfinished work of the laboratory; absent: the optimizer does not choose by it, or it is unknown
   *
   * @throws the error of the author's code; Error that names the fault of the returned table
   */
  async propose(
    runs: readonly Run[],
    insights: readonly Insight[],
    schedule?: LabSchedule,
  ): Promise<{ trials: Trial[]; insights_used: string[] }> {
    const missing = runs.filter(({ number }) => !this.#known.has(number)).sort((a, b) => a.number - b.number);
    if (missing.length > 0) await this.#sample(missing, insights, schedule);
    const found = runs.map(({ number }) => this.#known.get(number)!);
    return {
      trials: found.map(({ trial }) => trial),
      insights_used: [...new Set(found.flatMap(({ insightsUsed }) => insightsUsed))],
    };
  }

  /** @throws Unfit when a parameter does not fit; then nothing is changed */
  configure(params: RuntimeParameterValues): RuntimeParameterValues {
    if (Object.keys(params).length > 0) setRuntimeParams(this.optimizer, params);
    return runtimeParamsOf(this.optimizer);
  }

  /** @throws the error of the author's code; Error when the result is no table */
  async best(): Promise<Trial['inputs'][]> {
    const table: unknown = await this.optimizer.get_optimal_solutions();
    return rowsOf(table, 'get_optimal_solutions').map((row, i) => {
      const [odd] = Object.entries(row).find(([, value]) => !isCell(value)) ?? [];
      if (odd !== undefined)
        throw new Error(`Row ${i} of get_optimal_solutions has ${kindOf(row[odd])} as ${odd}`);
      return toJsonObject(row, `row ${i} of get_optimal_solutions`) as Trial['inputs'];
    });
  }

  /** What the model has learnt; null: the optimizer has no model, or the content is larger than a message. */
  async explain(): Promise<JsonValue> {
    const belief: unknown = (await this.optimizer.explain?.()) ?? null;
    const plain = toJson(belief, 'the result of explain', { maxBytes: Infinity });
    const bytes = Buffer.byteLength(JSON.stringify(plain));
    if (bytes <= maxResultBytes) return plain;
    this.warn(
      `what explain returned is not shown: it has ${bytes} bytes of JSON, more than ${maxResultBytes}`,
    );
    return null;
  }

  /** The steps to take, in order. Adjacent trials share a step of the same kind, unless one of them may be refused. */
  #stepsFor(trials: readonly Trial[]): { step: Step; trials: Trial[] }[] {
    const steps: { step: Step; trials: Trial[] }[] = [];
    for (const trial of [...trials].sort((a, b) => a.number - b.number)) {
      const step = stepTo(trial, this.#known.get(trial.number)?.trial);
      if (step === undefined) continue;
      const last = steps.at(-1);
      const joins = trial.source !== 'given' && last?.step === step && last.trials[0]?.source !== 'given';
      if (joins) last.trials.push(trial);
      else steps.push({ step, trials: [trial] });
    }
    return steps;
  }

  async #take(step: Step, trials: readonly Trial[]): Promise<void> {
    const inputs = trials.map((trial) => ({ ...trial.inputs }));
    const names = trials.map(({ run }) => run);
    if (step !== 'report') {
      await this.optimizer[step]?.(inputs, names);
      return;
    }
    const outputs = trials.map((trial) =>
      Object.fromEntries(this.#outputs.map((name) => [name, measuredOf(trial, name)])),
    );
    await this.optimizer.report(inputs, outputs, names);
  }

  async #sample(
    runs: readonly Run[],
    insights: readonly Insight[],
    schedule: LabSchedule | undefined,
  ): Promise<void> {
    this.optimizer.report_schedule?.(schedule ?? null);
    this.optimizer.offer_insights?.(insights.map(({ id, text }) => ({ id, text })));
    const table: unknown = await this.optimizer.sample(
      runs.length,
      runs.map(({ run }) => run),
    );
    const rows = this.#checked(table, runs.length);
    const { origins, insightsUsed } = originsOf(this.optimizer.last_sample?.(), rows.length);
    runs.forEach(({ number, run }, i) => {
      const { source, note } = origins[i]!;
      this.#known.set(number, {
        trial: {
          number,
          run,
          source,
          state: 'proposed',
          inputs: rows[i]!,
          outputs: null,
          additional: {},
          note,
        },
        insightsUsed,
      });
    });
  }

  #checked(table: unknown, count: number): Trial['inputs'][] {
    const rows = rowsOf(table, 'sample');
    if (rows.length !== count) throw new Error(`sample(${count}) returned ${rows.length} rows`);
    return rows.map((row, i) => {
      const where = `Row ${i} of sample(${count})`;
      const extra = Object.keys(row).find((key) => !this.#inputs.includes(key));
      if (extra !== undefined) {
        throw new Error(
          `${where} has a column ${extra}, which is no input; inputs are ${this.#inputs.join(', ')}`,
        );
      }
      return Object.fromEntries(
        this.#inputs.map((name) => {
          const value = row[name];
          if (value === undefined) throw new Error(`${where} lacks the input ${name}`);
          if (!isCell(value)) {
            const shown = typeof value === 'number' ? String(value) : kindOf(value);
            throw new Error(`${where} has ${shown} as ${name}: use a finite number, a text, true or false`);
          }
          return [name, value];
        }),
      );
    });
  }
}

/** The step that takes the object from the state it knows to the present state of a trial. A result never changes. */
function stepTo(trial: Trial, known: Trial | undefined): Step | undefined {
  if (known?.state === 'measured') return undefined;
  if (trial.state === 'measured') return 'report';
  if (trial.state === 'failed') return known?.state === 'failed' ? undefined : 'report_failed';
  return known === undefined ? 'report_started' : undefined;
}

function measuredOf(trial: Trial, name: string): number {
  const value = trial.outputs?.[name];
  if (value === undefined) throw new Error(`${trial.run} is told as measured without a value of ${name}`);
  return value;
}

function rowsOf(table: unknown, method: string): Record<string, unknown>[] {
  if (!Array.isArray(table)) throw new Error(`${method} returned ${kindOf(table)}, not a list of rows`);
  table.forEach((row, i) => {
    if (!isPlainObject(row)) throw new Error(`Row ${i} of ${method} is ${kindOf(row)}, not an object`);
  });
  return table as Record<string, unknown>[];
}

/** The facts of `last_sample` about each row, as far as there are any. */
function originsOf(said: unknown, count: number): { origins: RowOrigin[]; insightsUsed: string[] } {
  const about = isPlainObject(said) ? (toJsonObject(said, 'the result of last_sample') as SampleAccount) : {};
  const limits = about.limits_used ?? [];
  const note: TrialNote = limits.length === 0 ? {} : { limits_used: limits };
  const origins = Array.from(
    { length: count },
    (_, i): RowOrigin => about.rows?.[i] ?? { source: 'optimizer', note },
  );
  return { origins, insightsUsed: about.insights_used ?? [] };
}

/** The optional parts of `last_sample` that are kept. */
interface SampleAccount {
  rows?: RowOrigin[];
  insights_used?: string[];
  limits_used?: string[];
}
