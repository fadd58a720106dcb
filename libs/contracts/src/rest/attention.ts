import type { JsonObject } from '../json.js';
import {
  Described,
  Field,
  Optional,
  choice,
  free,
  integer,
  list,
  make,
  map,
  object,
  orNull,
  text,
  time,
  zodOf,
  type TypeOf,
} from './fields/field.js';
import { by, line, oneOf, ruled, values, yesNo } from './fields/inputs.js';
import { ResourceValue } from './resources.js';
import { Reason } from './work/work.js';
import { attentionActions, type AttentionAction } from '../vocabulary.js';

/** What an item is about: a task, a device, the agent of a computer, or a process of the service. */
export const attentionKinds = ['task', 'device', 'agent', 'process'] as const;
export type AttentionKind = (typeof attentionKinds)[number];

export const attentionStates = ['open', 'resolved'] as const;
export type AttentionState = (typeof attentionStates)[number];

/** What a person may decide about a task, device or agent that cannot go on without a decision. */
const decisions: { readonly [K in AttentionKind]: readonly AttentionAction[] } = {
  task: ['completed', 'failed', 'retry'],
  device: ['idle'],
  agent: ['lost'],
  process: [],
};

/**
 * Items that warn of something, by the code of their reason, with the choices of a person. The work goes on without a
 * decision, and the item closes when its cause ends.
 */
export const attentionWarnings = {
  runs_long: ['keep_waiting', 'cancel'],
  device_not_responding: [],
  device_asks: [],
  second_agent: [],
  agent_incompatible: [],
  messages_refused: [],
  clock_skew: [],
  ledger_unwritable: [],
  rollout_halted: [],
  restored: [],
  backup_waits: [],
  deployment_failed: ['acknowledge'],
  quota_nearly_used: [],
  waits_for_quota: [],
} as const satisfies Record<string, readonly AttentionAction[]>;
export type AttentionWarning = keyof typeof attentionWarnings;

/** Who pauses the queue of a service that was restored. Its moment may follow. */
export const restorer = 'svc backup restore';

/** Whether an item with this code of its reason is a warning. */
export function isAttentionWarning(code: string): code is AttentionWarning {
  return Object.hasOwn(attentionWarnings, code);
}

/** What a person may decide about an item. */
export function attentionActionsOf(item: {
  kind: AttentionKind;
  reason: { code: string };
}): readonly AttentionAction[] {
  const { code } = item.reason;
  return isAttentionWarning(code) ? attentionWarnings[code] : decisions[item.kind];
}

const attentionChoice = object({
  action: choice(attentionActions),
  effect: text('What the decision leads to.', 'the task starts again from its beginning; ...'),
});
export type AttentionChoice = TypeOf<typeof attentionChoice>;

const resolution = orNull(
  object({
    action: orNull(choice(attentionActions, 'The decision; null: no decision was needed any more.')),
    by: text('Person who decided; `service` when the question resolved itself.', 'ada'),
    note: orNull(text('Why.')),
  }),
);

/** How long a claim lasts unless it is renewed, in milliseconds. */
export const attentionClaimMs = 600_000;

const claim = orNull(
  object(
    {
      by: text('Person who is deciding.', 'ada'),
      since: time('When the person began.'),
      until: time('When the claim ends, unless the person renews it.'),
    },
    'Who is deciding the question at this moment. A claim informs, and keeps nobody from deciding. Null: nobody has said so.',
  ),
);
export type AttentionClaim = NonNullable<TypeOf<typeof claim>>;

/** Times are ISO 8601 in UTC. */
@Described('A question that only a person can settle, or a warning that closes when its cause ends.')
export class AttentionRecord {
  @Field(text('Unique identifier.')) id!: string;
  @Field(choice(attentionKinds)) kind!: AttentionKind;
  @Field(choice(attentionStates)) state!: AttentionState;
  @Field(
    text(
      'What the question is about: `<protocol run>/<task>` or an on-demand task, `<lab>.<device>`, a computer, or a process as `<service>/<name>`.',
      'mix_1/mix_colors',
    ),
  )
  subject!: string;
  @Field(Reason) reason!: Reason;
  @Field(
    list(
      choice(attentionActions),
      'Decisions that a person may take; empty for a warning that asks for none, and once the question is resolved.',
    ),
  )
  actions!: AttentionAction[];
  @Field(list(attentionChoice, 'What each decision in `actions` leads to.')) choices!: AttentionChoice[];
  @Field(
    list(
      text(
        'A place and a question.',
        'color_lab.station_1 on svc_computer: was mix({"seconds":4}) done? (the task started at 2026-11-20T09:30:00.000Z)',
      ),
      'What to look at before a decision; empty once the question is resolved.',
    ),
  )
  look_at!: string[];
  @Field(orNull(text('Protocol run of the task in question.', 'mix_1'))) protocol_run!: string | null;
  @Field(orNull(text('Name of the task in question.', 'mix_colors'))) task!: string | null;
  @Field(orNull(integer('Number of the attempt in question.', 1))) attempt!: number | null;
  @Field(orNull(text('`<lab>.<device>`.', 'color_lab.station_1'))) device!: string | null;
  @Field(
    orNull(
      text('Computer of the agent or device in question; for a process, `<service>/<name>`.', 'bench_b'),
    ),
  )
  computer!: string | null;
  @Field(
    free<JsonObject>(
      'What is known: devices, resources, the last confirmed call, calls in doubt, running tasks, measured times.',
    ),
  )
  known!: JsonObject;
  @Field(time('When the service opened the question.')) opened_at!: string;
  @Field(orNull(time('When the question was resolved.'))) resolved_at!: string | null;
  @Field(resolution) resolution!: TypeOf<typeof resolution>;
  @Field(claim) claim!: AttentionClaim | null;
}

/** A person says that they are deciding (`POST /api/attention/{id}/claim`). */
export class AttentionClaimRequest {
  @Optional(by()) by?: string;
  @Optional(yesNo('Whether to take the claim over from another person.', false)) take_over?: boolean;
}

/** A person's decision (`POST /api/attention/{id}/resolve`). */
export class AttentionResolution {
  @Field(oneOf(attentionActions, 'The decision.', 'completed')) action!: AttentionAction;
  @Optional(by()) by?: string;
  @Optional(line([0, 2_000], 'Reason, for the audit.', 'looked at the beaker: the dose is in')) note?: string;
  @Optional(
    values('For a completed task: its output parameters. The service checks them against the task type.'),
  )
  output_parameters?: JsonObject;
  @Optional(
    ruled(
      map(
        make({ type: 'object' }, () => zodOf(ResourceValue)),
        'For a completed task: the resources as the task left them. A resource that is absent is as the task got it.',
      ),
      {},
      ({ IsMapOf, IsInline }) => [IsMapOf('object'), IsInline()],
    ),
  )
  output_resources?: Record<string, ResourceValue>;
}

/** A person's decision, and the question that it settles. */
export class AttentionDecision extends AttentionResolution {
  @Field(line([1, 200])) id!: string;
}
