import { z } from 'zod';
import type { JsonValue, JsonObject } from '../json.js';
import { trialStates, type TrialState } from '../states.js';
import {
  Described,
  Field,
  Optional,
  choice,
  described,
  flag,
  free,
  integer,
  list,
  map,
  named,
  number,
  object,
  optional,
  orNull,
  text,
  time,
  type FieldType,
  type TypeOf,
} from './fields/field.js';
import { line } from './fields/inputs.js';
import { codeRuntime, type CodeRuntime } from './work/code-runtime.js';
import { OperatorNote } from './work/work.js';

/** Longest text of one insight, in characters. */
export const longestInsight = 10_000;

/** A remark of a person for the AI (`POST /api/campaigns/{campaign_name}/optimizer/insight`). */
export class InsightSubmission extends OperatorNote {
  @Field(
    line(
      [1, longestInsight],
      'What the AI is to know. The insight waits until a suggestion that was made with it succeeds.',
      'Yellow stains the beaker: stay below 12.',
    ),
  )
  insight!: string;
}

/** A value in a table of an optimizer. */
const cell = described('A number, text or boolean.', () => z.union([z.number(), z.string(), z.boolean()]));
export const optimizerRow = map(cell, 'Values by `TASK.PARAMETER`.');

const settingValue = described('A boolean, number, text or null.', () =>
  z.union([z.boolean(), z.number(), z.string(), z.null()]),
);

/** Values of the parameters of an optimizer that may be changed while it runs, by name. */
export const runtimeParameters = named(
  'RuntimeParameters',
  map(settingValue, 'Values of the parameters that may be changed while the optimizer runs, by name.'),
);
export type RuntimeParameterValues = TypeOf<typeof runtimeParameters>;

/** Why something does not work as intended. */
const cause = object({
  code: text('Stable code.', 'waiting_for_optimizer'),
  message: text('The cause in words.'),
});

@Described('A setting as a form shows it.')
export class SettingField {
  @Field(text('Name of the setting.', 'p_ai')) key!: string;
  @Field(choice(['checkbox', 'number', 'text', 'select'], 'How a form shows the setting.'))
  type!: 'checkbox' | 'number' | 'text' | 'select';
  @Field(settingValue) default!: boolean | number | string | null;
  @Field(flag('True: the setting may be changed while the campaign runs.')) runtime!: boolean;
  @Optional(list(text(), 'The options of a `select`.') as FieldType<readonly string[]>)
  options?: readonly string[] | undefined;
  @Optional(number('Smallest value of a `number`.', 0)) min?: number | undefined;
  @Optional(number('Largest value of a `number`.', 1)) max?: number | undefined;
  @Optional(text('What the setting is for.')) description?: string | undefined;
}

/** Who chose the inputs of a trial: the optimizer of the package, the AI, or the submission. */
export const trialSources = ['optimizer', 'ai', 'given'] as const;
export type TrialSource = (typeof trialSources)[number];

/** Why a row was taken in place of the one with the greatest expected improvement. */
const scheduleChoice = object(
  {
    reason: text(
      'The reason in words.',
      'chosen because it finishes 12 min earlier at 97 % of the expected improvement',
    ),
    worth: number('Its expected improvement, as a share of the greatest one.', 0.97),
    seconds: number(
      'Expected seconds from the moment at which its run may begin to the end of the run.',
      1800,
    ),
    plain_seconds: number('The same for the row with the greatest expected improvement.', 2520),
  },
  'Present if `batch` is `schedule_aware` and another row had a greater expected improvement.',
);

/** Plain JSON that is kept with the trial. Together the notes are the journal of the campaign. */
const trialNote = object(
  {
    journal: optional(text('What the AI wrote about its suggestion.')),
    model: optional(text('`<provider>:<model>` of the AI.', 'ollama:qwen3.5:9b')),
    /** Repeated attempts included; once per suggestion, on its first trial. */
    tokens: optional(
      object({ input: integer('Tokens read.', 1840), output: integer('Tokens written.', 210) }),
    ),
    insights: optional(list(text(), 'Insights that the suggestion was made with.')),
    fallback: optional(cause),
    adjusted: optional(flag('True: values were changed a little to fit the domain.')),
    limits_used: optional(list(text(), 'Time limits that ended a computation early.')),
    schedule: optional(scheduleChoice),
  },
  'How the parameters were found; `fallback`: why the AI was not used although it was its turn.',
);
export type TrialNote = TypeOf<typeof trialNote>;

const runNumber = integer('Number of the protocol run within the campaign, from 1.', 7, 1);
const runName = text('Name of that run.', 'find_teal_run_7');
const trialSource = choice(trialSources, 'Who chose the inputs: the optimizer, the AI, or the submission.');

@Described(
  'The parameters of one run of a campaign. A trial belongs to the number of its run and never moves to another.',
)
export class Trial {
  @Field(runNumber) number!: number;
  @Field(runName) run!: string;
  @Field(trialSource) source!: TrialSource;
  @Field(choice(trialStates)) state!: TrialState;
  @Field(optimizerRow) inputs!: TypeOf<typeof optimizerRow>;
  @Field(orNull(map(number('Measured value.', 11.8), 'Results by `TASK.PARAMETER`; null until measured.')))
  outputs!: Record<string, number> | null;
  @Field(free<Record<string, JsonValue>>('Values of `ai_additional_parameters`, as far as they are known.'))
  additional!: Record<string, JsonValue>;
  @Field(trialNote) note!: TrialNote;
  /** An orchestrator of the release before does not store it. */
  @Optional(
    orNull(
      map(
        number('Seconds.', 41.2),
        'Seconds that each task of its run took, by name of the task; null until the run has completed.',
      ),
    ),
  )
  durations?: Record<string, number> | null | undefined;
}

/** What an optimizer says about itself once it is made. */
@Described('The optimizer of a protocol before any campaign uses it.')
export class OptimizerDescription {
  @Field(list(text('`TASK.PARAMETER`.', 'mix_colors.cyan_volume'), 'Parameters that the optimizer proposes.'))
  input_names!: string[];
  @Field(list(text('`TASK.PARAMETER`.', 'score_color.loss'), 'Results that the optimizer receives.'))
  output_names!: string[];
  @Field(list(text(), 'Further parameters whose values the optimizer receives with each result.'))
  additional_names!: string[];
  @Field(list(SettingField)) fields!: SettingField[];
  @Field(runtimeParameters) runtime_params!: RuntimeParameterValues;
  @Field(free<JsonObject>('Constructor arguments of the optimizer, without secrets.')) arguments!: JsonObject;
}

const insightFields = {
  id: text('Identifier of the insight.'),
  text: text('Text of the insight.'),
  by: text('Person who gave the insight.', 'ada'),
  at: number('When the person gave it, in milliseconds since 1970.', 1_795_000_000_000),
};
const used = flag('True: a suggestion that was made with the insight has succeeded.');

/** A remark of a person for the AI. It waits until a suggestion that was made with it succeeds. */
export const insight = object(insightFields);
export type Insight = TypeOf<typeof insight>;

const keptInsight = object({ ...insightFields, used });
export type KeptInsight = TypeOf<typeof keptInsight>;

const best = orNull(
  list(optimizerRow, 'The best rows measured: one row, or the Pareto front; null while the campaign runs.'),
);
type Best = TypeOf<typeof best>;

/** Kept for as long as the campaign is kept. No secret is in it. Insights stand oldest first. */
@Described('What is kept of the optimizer of a campaign; `failure`: why no further trials can be made.')
export class KeptOptimizer extends OptimizerDescription {
  @Field(list(keptInsight)) insights!: KeptInsight[];
  @Field(best) best!: Best;
  @Field(orNull(cause)) failure!: TypeOf<typeof cause> | null;
  /** Of the latest session of the optimizer. */
  @Field(orNull(codeRuntime)) runtime!: CodeRuntime | null;
}

/** A remark of a person for the AI. Times are ISO 8601 in UTC. */
export class InsightRecord {
  @Field(text('Identifier of the insight.')) id!: string;
  @Field(text('Text of the insight.', 'Yellow stains the beaker: stay below 12.')) text!: string;
  @Field(text('Person who gave the insight.', 'ada')) by!: string;
  @Field(time('When the person gave the insight.')) at!: string;
  @Field(used) used!: boolean;
}

@Described('How the parameters of one run were found.')
export class JournalEntry {
  @Field(runNumber) number!: number;
  @Field(runName) run!: string;
  @Field(trialSource) source!: TrialSource;
  @Field(trialNote) note!: TrialNote;
}

/** Number of journal entries that the record of an optimizer shows. */
export const shownJournal = 50;

export const optimizerStates = ['opening', 'ready', 'waiting', 'closed'] as const;

/** What belief of an optimizer is: any JSON value. */
export const belief = described<JsonValue>(
  'What the model of the optimizer has learnt, with `explain=true`; null: nothing, or not asked for.',
  () => z.json() as z.ZodType<JsonValue>,
);

/** The optimizer of a campaign (`GET /api/campaigns/{campaign_name}/optimizer`). */
@Described('The optimizer of a campaign. No secret is in it.')
export class OptimizerRecord extends OptimizerDescription {
  @Field(text('Campaign.', 'find_teal')) campaign!: string;
  @Field(
    choice(
      optimizerStates,
      '`opening`: the worker makes the optimizer and sends it the measured trials. `ready`: the optimizer can be asked. `waiting`: no worker answers, and the service tries again. `closed`: the service asks nothing of it.',
    ),
  )
  state!: (typeof optimizerStates)[number];
  @Field(orNull(cause)) reason!: TypeOf<typeof cause> | null;
  @Field(orNull(text('Worker that has the optimizer; null: none has.'))) worker!: string | null;
  @Field(list(InsightRecord, 'Oldest first.')) insights!: InsightRecord[];
  @Field(best) best!: Best;
  @Field(orNull(cause)) failure!: TypeOf<typeof cause> | null;
  /** Of the latest session of the optimizer. */
  @Field(orNull(codeRuntime)) runtime!: CodeRuntime | null;
  @Field(list(Trial, 'Trials whose run has not begun, by number.')) pending!: Trial[];
  @Field(
    list(
      JournalEntry,
      `The latest ${shownJournal} entries of the journal, newest first. \`GET .../optimizer/journal\` has all, in pages.`,
    ),
  )
  journal!: JournalEntry[];
  @Field(belief) belief!: JsonValue;
}
