import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { OptionalWhole, together } from './fields.js';
import type { Reason } from './records.js';

/** `active`: what it has is delivered. `failing`: the last attempts were not accepted. `disabled`: nothing is sent. */
export const webhookStates = ['active', 'failing', 'disabled'] as const;
export type WebhookState = (typeof webhookStates)[number];

/** `pending`: to be sent, for the first time or again. `given_up`: not accepted, and not tried any more. */
export const deliveryStates = ['pending', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Seconds that the secret before a rotation signs beside the new one. */
export const secretOverlapS = { usual: 86_400, most: 604_800 } as const;

const Filter = (description: string, example: string): PropertyDecorator =>
  together(JSONSchema({ description, example }), IsOptional(), IsString(), Length(1, 500));

/** Which events a webhook gets; what is left out does not narrow it down. The same as the query of `GET /api/events`. */
export class WebhookFilters {
  @Filter('Types or kinds of events, with commas between.', 'task_run.completed,attention')
  type?: string;

  @Filter('Only events of this record, as `<kind>/<id>`.', 'device/color_lab.robot_arm')
  aggregate?: string;

  @Filter('Only events of work of this owner.', 'ada')
  owner?: string;

  @Filter('Only events of this campaign, its runs, their tasks, attempts and trials.', 'sweep')
  campaign?: string;

  @Filter('Only events of this protocol run, its tasks and their attempts.', 'mix_1')
  protocol_run?: string;

  @Filter('Only events of this laboratory.', 'color_lab')
  lab?: string;
}

const Address = (): PropertyDecorator =>
  together(
    JSONSchema({
      description:
        'Where events are sent: over TLS, to a machine on the public internet or one that the configuration allows.',
      example: 'https://receiver.example.org/lab',
    }),
    IsString(),
    Length(1, 2_000),
  );

const Note = (): PropertyDecorator =>
  together(
    JSONSchema({ description: 'What it is for.', example: 'chat of the group' }),
    IsOptional(),
    IsString(),
    Length(0, 200),
  );

const Filters = (): PropertyDecorator =>
  together(
    JSONSchema({
      description: 'Which events it gets; left out: all.',
      type: 'object',
      $ref: '#/components/schemas/WebhookFilters',
    }),
    IsOptional(),
    IsObject(),
    ValidateNested(),
    Type(() => WebhookFilters),
  );

const Enabled = (): PropertyDecorator =>
  together(JSONSchema({ description: 'Whether anything is sent.' }), IsOptional(), IsBoolean());

const EventId = (description: string): PropertyDecorator =>
  together(JSONSchema({ description, example: 1841 }), IsInt(), Min(0), Max(999_999_999_999_999));

/** A webhook to be made (`POST /api/webhooks`). */
export class WebhookSubmission {
  @Address()
  url!: string;

  @Note()
  description?: string;

  @Filters()
  filters?: WebhookFilters;

  @Enabled()
  enabled?: boolean;

  @IsOptional()
  @EventId(
    'Id of the event behind which it begins, as `after` of `GET /api/events`; 0: at the oldest. Left out: from now on.',
  )
  from?: number;
}

/** What is to be different of a webhook (`PATCH /api/webhooks/{webhook_id}`). Fields that are left out stay. */
export class WebhookChange {
  @IsOptional()
  @Address()
  url?: string;

  @Note()
  description?: string;

  @Filters()
  filters?: WebhookFilters;

  @Enabled()
  enabled?: boolean;
}

/** From where on a webhook is to go again (`POST /api/webhooks/{webhook_id}/replay`). */
export class WebhookReplay {
  @EventId('Id of the event behind which it goes on; 0: at the oldest, if none was removed yet.')
  from!: number;
}

/** How the secret of a webhook changes (`POST /api/webhooks/{webhook_id}/rotate-secret`). */
export class SecretRotation {
  @OptionalWhole(
    {
      description: `For how many seconds the secret that there was signs beside the new one. Default ${secretOverlapS.usual}, a day; 0: not at all.`,
      example: 3_600,
    },
    0,
    secretOverlapS.most,
  )
  overlap_s?: number;
}

/** A webhook, without its secret. Times are ISO 8601 in UTC. */
export interface WebhookRecord {
  id: string;
  url: string;
  description: string;
  filters: WebhookFilters;
  enabled: boolean;
  state: WebhookState;
  /** Why it fails, or was disabled by the service; null otherwise. */
  reason: Reason | null;
  /** Since when no attempt was accepted; null: the last one was, or there was none. */
  failing_since: string | null;
  /** Id of the event up to which all that it wants is in its deliveries. */
  position: number;
  /** Until when the secret before the last rotation signs too; null: it does not. */
  previous_secret_until: string | null;
  created_at: string;
  created_by: string;
  changed_at: string;
}

/** Answer to the request that made a webhook or its secret: the only one that holds the secret. */
export interface NewWebhookRecord extends WebhookRecord {
  secret: string;
}

/** What became of one event, or of a ping, at one webhook. Times are ISO 8601 in UTC. */
export interface DeliveryRecord {
  id: string;
  webhook_id: string;
  /** The header `webhook-id`: the same for every attempt, and when the event is sent again later. */
  message_id: string;
  /** Id of the event; null: a ping. */
  event_id: number | null;
  type: string;
  aggregate: string;
  state: DeliveryState;
  /** Attempts since it was last asked for. */
  attempts: number;
  created_at: string;
  /** Of the last attempt; null: none was made. */
  attempted_at: string | null;
  /** Null: none is to come. */
  next_attempt_at: string | null;
  /** HTTP status of the last answer; null: there was none. */
  status: number | null;
  /** How long the last attempt took, in milliseconds. */
  duration_ms: number | null;
  /** Why the last attempt was not accepted. */
  error: string | null;
  /** Beginning of the last answer, 1 kB at most. */
  answer: string | null;
}
