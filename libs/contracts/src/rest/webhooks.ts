import {
  Field,
  Optional,
  choice,
  flag,
  integer,
  list,
  object,
  orNull,
  text,
  time,
  type FieldType,
  type TypeOf,
} from './fields/field.js';
import { line, nested, someOf, whole, yesNo } from './fields/inputs.js';
import {
  deliveryStates,
  webhookInclusions,
  type DeliveryState,
  type WebhookInclusion,
} from '../vocabulary.js';

/**
 * `active`: the service delivers the events. `failing`: the receiver did not accept the last attempts. `disabled`:
 * the service sends nothing.
 */
export const webhookStates = ['active', 'failing', 'disabled'] as const;
export type WebhookState = (typeof webhookStates)[number];

/** Seconds for which the old secret signs beside the new one after a rotation: the default, and the most. */
export const secretOverlapS = { usual: 86_400, most: 604_800 } as const;

const filter = (description: string, example: string): FieldType<string> =>
  line([1, 500], description, example);

/** Which events a webhook gets, as in the query of `GET /api/events`. A filter that is absent selects everything. */
export class WebhookFilters {
  @Optional(filter('Types or kinds of events, separated by commas.', 'task_run.completed,attention'))
  type?: string;
  @Optional(filter('Only events of this record, as `<kind>/<id>`.', 'device/color_lab.robot_arm'))
  aggregate?: string;
  @Optional(filter('Only events of work of this owner.', 'ada')) owner?: string;
  @Optional(filter('Only events of this campaign, its runs, and their tasks, attempts and trials.', 'sweep'))
  campaign?: string;
  @Optional(filter('Only events of this protocol run, its tasks and their attempts.', 'mix_1'))
  protocol_run?: string;
  @Optional(filter('Only events of this laboratory.', 'color_lab')) lab?: string;
}

const address = (): FieldType<string> =>
  line(
    [1, 2_000],
    'Address that the service sends events to. It uses TLS and leads to a machine on the public internet, unless the configuration allows others.',
    'https://receiver.example.org/lab',
  );
const purpose = (): FieldType<string> => line([0, 200], 'What the webhook is for.', 'chat of the group');
const filters = (): FieldType<WebhookFilters> =>
  nested(WebhookFilters, 'Which events the webhook gets. Absent: all.');
const include = (): FieldType<WebhookInclusion[]> =>
  someOf(
    webhookInclusions,
    'What the service adds to the body of events. `meta`: the `meta` of the task, protocol run or campaign. `outputs`: at the end of a task or protocol run its `output_parameters`. Default: nothing.',
    ['meta', 'outputs'],
  );
const enabled = (): FieldType<boolean> => yesNo('False: the service sends nothing.');
const eventId = (description: string): FieldType<number> =>
  whole([0, 999_999_999_999_999], description, 1841);

/** A webhook to be made (`POST /api/webhooks`). */
export class WebhookSubmission {
  @Field(address()) url!: string;
  @Optional(purpose()) description?: string;
  @Optional(filters()) filters?: WebhookFilters;
  @Optional(include()) include?: WebhookInclusion[];
  @Optional(enabled()) enabled?: boolean;
  @Optional(
    eventId(
      'Id of the event after which the webhook begins, like `after` of `GET /api/events`; 0: at the oldest event. Absent: from now on.',
    ),
  )
  from?: number;
}

/** What changes about a webhook (`PATCH /api/webhooks/{webhook_id}`). A field that is absent stays as it is. */
export class WebhookChange {
  @Optional(address()) url?: string;
  @Optional(purpose()) description?: string;
  @Optional(filters()) filters?: WebhookFilters;
  @Optional(include()) include?: WebhookInclusion[];
  @Optional(enabled()) enabled?: boolean;
}

/** Where a webhook continues (`POST /api/webhooks/{webhook_id}/replay`). */
export class WebhookReplay {
  @Field(
    eventId(
      'Id of the event after which the webhook continues; 0: at the oldest event, if the service has removed none yet.',
    ),
  )
  from!: number;
}

/** How the secret of a webhook changes (`POST /api/webhooks/{webhook_id}/rotate-secret`). */
export class SecretRotation {
  @Optional(
    whole(
      [0, secretOverlapS.most],
      `Seconds for which the old secret signs beside the new one. Default: ${secretOverlapS.usual}, a day. 0: not at all.`,
      3_600,
    ),
  )
  overlap_s?: number;
}

const reason = orNull(
  object({
    code: text('`not_accepted`, `gone` or `events_pruned`.', 'not_accepted'),
    message: text('The reason in words.', 'the receiver answered 503'),
  }),
);

/** A webhook, without its secret. Times are ISO 8601 in UTC. */
export class WebhookRecord {
  @Field(text('Id of the webhook.')) id!: string;
  @Field(text('Address that the service sends events to.', 'https://receiver.example.org/lab')) url!: string;
  @Field(text('What the webhook is for.', 'chat of the group')) description!: string;
  @Field(WebhookFilters) filters!: WebhookFilters;
  @Field(list(choice(webhookInclusions), 'What the service adds to the body of events of work.'))
  include!: WebhookInclusion[];
  @Field(flag('False: the service sends nothing.')) enabled!: boolean;
  @Field(
    choice(
      webhookStates,
      '`failing`: the receiver did not accept the last attempts. `disabled`: by a person, or with a `reason` by the service: after 5 days of failures, when the receiver answered 410, or when events were removed before they were sent.',
    ),
  )
  state!: WebhookState;
  @Field(reason) reason!: TypeOf<typeof reason>;
  @Field(
    orNull(
      time(
        'Since when the receiver has accepted no attempt; null: it accepted the last one, or there was none.',
      ),
    ),
  )
  failing_since!: string | null;
  @Field(
    integer(
      'Id of an event. All events up to this one that pass the filters are among the deliveries.',
      1841,
    ),
  )
  position!: number;
  @Field(orNull(time('Until when the secret before the last rotation signs as well; null: it does not.')))
  previous_secret_until!: string | null;
  @Field(time('When the webhook was made.')) created_at!: string;
  @Field(text('Person who made the webhook.', 'root')) created_by!: string;
  @Field(time('When a person last changed the webhook.')) changed_at!: string;
}

/** Answer to the request that made a webhook or its secret. No other answer contains the secret. */
export class NewWebhookRecord extends WebhookRecord {
  @Field(text('The secret. The service cannot show it again.')) secret!: string;
}

/** The delivery of one event, or of a ping, to one webhook. Times are ISO 8601 in UTC. */
export class DeliveryRecord {
  @Field(text('Id of the delivery.')) id!: string;
  @Field(text('Id of the webhook.')) webhook_id!: string;
  @Field(
    text(
      'The header `webhook-id`. It is the same for every attempt, and when the service sends the event again later.',
      'event_1841',
    ),
  )
  message_id!: string;
  @Field(orNull(integer('Id of the event; null: a ping.', 1841))) event_id!: number | null;
  @Field(text('Type of the event.', 'campaign.completed')) type!: string;
  @Field(text('Record that the event is about.', 'campaign/0190c0de-0000-7000-8000-000000000003'))
  aggregate!: string;
  @Field(choice(deliveryStates, '`given_up`: not accepted in 15 attempts, and not tried any more.'))
  state!: DeliveryState;
  @Field(integer('Attempts since the delivery was last requested.', 2)) attempts!: number;
  @Field(time('When the service recorded the delivery.')) created_at!: string;
  @Field(orNull(time('When the last attempt ended; null: there was none.'))) attempted_at!: string | null;
  @Field(orNull(time('The earliest moment of the next attempt; null: there will be none.')))
  next_attempt_at!: string | null;
  @Field(orNull(integer('HTTP status of the last answer; null: there was none.', 503))) status!:
    number | null;
  @Field(orNull(integer('Milliseconds that the last attempt took.', 41))) duration_ms!: number | null;
  @Field(orNull(text('Why the last attempt was not accepted.', 'the receiver answered 503')))
  error!: string | null;
  @Field(orNull(text('Beginning of the last answer, 1 kB at most.', 'busy'))) answer!: string | null;
}
