import {
  optimizerStates,
  trialSources,
  trialStates,
  type InsightRecord,
  type JournalEntry,
  type JsonObject,
  type JsonValue,
  type KeptInsight,
  type KeptOptimizer,
  type OptimizerDescription,
  type OptimizerRecord,
  type RuntimeParameterValues,
  type SettingField,
  type Trial,
  type TrialNote,
} from '@lab/contracts';
import {
  anything,
  choice,
  flag,
  free,
  integer,
  list,
  map,
  named,
  number,
  object,
  orNull,
  text,
  time,
  type SchemaObject,
  type SchemaOf,
} from './schema-of.js';

const settingValue = anything<boolean | number | string | null>('A boolean, number, text or null.');
const runtimeParams = map(settingValue, 'Values of what may be changed while it runs, by name.');
const row = map(
  anything<number | string | boolean>('A number, text or boolean.'),
  'Values by `TASK.PARAMETER`.',
);
const cause = object<{ code: string; message: string }>({
  code: text('Stable code.', 'waiting_for_optimizer'),
  message: text('In words.'),
});

const field = object<SettingField>(
  {
    key: text('Name of the setting.', 'p_ai'),
    type: choice(['checkbox', 'number', 'text', 'select'], 'How a form shows it.'),
    default: settingValue,
    runtime: flag('May be changed while the campaign runs.'),
    options: list(text(), 'What a `select` offers.') as SchemaOf<readonly string[]>,
    min: number('Smallest value of a `number`.', 0),
    max: number('Largest value of a `number`.', 1),
    description: text('What it is for.'),
  },
  { optional: ['options', 'min', 'max', 'description'], description: 'A setting as a form shows it.' },
);

const note = object<TrialNote>(
  {
    journal: text('What the AI wrote about its suggestion.'),
    model: text('`<provider>:<model>` that was asked.', 'ollama:qwen3.5:9b'),
    tokens: object<NonNullable<TrialNote['tokens']>>({
      input: integer('Tokens read.', 1840),
      output: integer('Tokens written.', 210),
    }),
    insights: list(text(), 'Insights that the suggestion was given.'),
    fallback: cause,
    adjusted: flag('Values were changed a little to fit the domain.'),
    limits_used: list(text(), 'Time limits that ended a computation before its own end.'),
  },
  {
    optional: ['journal', 'model', 'tokens', 'insights', 'fallback', 'adjusted', 'limits_used'],
    description:
      'How the parameters were found; `fallback`: why the AI was not used although it was its turn.',
  },
);

const number1 = integer('Number of the protocol run within the campaign, from 1.', 7);
const run = text('Name of that run.', 'find_teal_run_7');
const source = choice(trialSources, 'Who chose the inputs: the optimizer, the AI, or the submission.');

const trial = object<Trial>(
  {
    number: number1,
    run,
    source,
    state: choice(trialStates),
    inputs: row,
    outputs: orNull(map(number('Measured.', 11.8), 'Results by `TASK.PARAMETER`; null until measured.')),
    additional: free<Record<string, JsonValue>>('Values of `ai_additional_parameters`, as far as known.'),
    note,
  },
  { description: 'The parameters of one run of a campaign, bound to its number once and for ever.' },
);

const described = {
  input_names: list(text('`TASK.PARAMETER`.', 'mix_colors.cyan_volume'), 'What it proposes.'),
  output_names: list(text('`TASK.PARAMETER`.', 'score_color.loss'), 'What it is told.'),
  additional_names: list(text(), 'Further parameters whose values it is told.'),
  fields: list(named<SettingField>('SettingField')),
  runtime_params: runtimeParams,
  arguments: free<JsonObject>('Constructor arguments it was made with, without secrets.'),
};

const description = object<OptimizerDescription>(described, {
  description: 'The optimizer of a protocol before anything is said about it.',
});

const best = orNull(
  list(row, 'The best rows measured: one, or the Pareto front; null while the campaign goes on.'),
);
const failure = orNull(cause);

const kept = object<KeptOptimizer>(
  {
    ...described,
    insights: list(
      object<KeptInsight>({
        id: text('Names the insight.'),
        text: text('What was said.'),
        by: text('Who said it.', 'ada'),
        at: number('When, in milliseconds since 1970.', 1_795_000_000_000),
        used: flag('A suggestion has succeeded that was given it.'),
      }),
    ),
    best,
    failure,
  },
  {
    description: 'What is kept of the optimizer of a campaign; `failure`: why no further trials can be had.',
  },
);

const insight = object<InsightRecord>({
  id: text('Names the insight.'),
  text: text('What was said.', 'Yellow stains the beaker: stay below 12.'),
  by: text('Who said it.', 'ada'),
  at: time('When.'),
  used: flag('A suggestion has succeeded that was given it.'),
});

const journal = object<JournalEntry>({ number: number1, run, source, note });

const optimizer = object<OptimizerRecord>(
  {
    campaign: text('Campaign.', 'find_teal'),
    state: choice(
      optimizerStates,
      '`opening`: being made and told what was measured; `ready`; `waiting`: no worker answers, it is tried again; `closed`: nothing is asked of it.',
    ),
    reason: orNull(cause),
    worker: orNull(text('Worker that has it; null: none has.')),
    ...described,
    insights: list(named<InsightRecord>('InsightRecord'), 'Oldest first.'),
    best,
    failure,
    pending: list(named<Trial>('Trial'), 'Trials whose run has not begun.'),
    journal: list(journal, 'Notes of the latest trials, newest first; all of them are in the trials.'),
    belief: anything<JsonValue>(
      'What its model has learnt, with `explain=true`; null: nothing, or not asked.',
    ),
  },
  { description: 'The optimizer of a campaign. No secret is in it.' },
);

/** Schemas of optimizers, by name. */
export const optimizerSchemas: Record<string, SchemaObject> = {
  SettingField: field.schema,
  Trial: trial.schema,
  InsightRecord: insight.schema,
  KeptOptimizer: kept.schema,
  OptimizerDescription: description.schema,
  OptimizerRecord: optimizer.schema,
  RuntimeParameters: (runtimeParams as SchemaOf<RuntimeParameterValues>).schema,
};
