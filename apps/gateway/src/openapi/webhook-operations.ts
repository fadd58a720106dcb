import type {
  DeliveryRecord,
  ErrorCode,
  NewWebhookRecord,
  WebhookRecord,
  WebhookReplay,
  WebhookSubmission,
} from '@lab/contracts';
import { inPath, json, listParameters, pageOf, ref, type Description } from './description.js';

const webhook: WebhookRecord = {
  id: '7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11',
  url: 'https://receiver.example.org/lab',
  description: 'chat of the group',
  filters: { type: 'attention,campaign.completed' },
  enabled: true,
  state: 'active',
  reason: null,
  failing_since: null,
  position: 1841,
  previous_secret_until: null,
  created_at: '2026-11-20T09:30:00.000Z',
  created_by: 'root',
  changed_at: '2026-11-20T09:30:00.000Z',
};
/** Spelled so that nobody takes it for one that is in use. */
const secret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
export const newWebhook: NewWebhookRecord = { ...webhook, secret };

const delivery: DeliveryRecord = {
  id: '3c9b6f52-7f5e-4b3c-8f0e-5a1d9c2b7e44',
  webhook_id: webhook.id,
  message_id: 'event_1841',
  event_id: 1841,
  type: 'campaign.completed',
  aggregate: 'campaign/0190c0de-0000-7000-8000-000000000003',
  state: 'pending',
  attempts: 2,
  created_at: '2026-11-20T09:30:00.000Z',
  attempted_at: '2026-11-20T09:30:06.000Z',
  next_attempt_at: '2026-11-20T09:30:24.000Z',
  status: 503,
  duration_ms: 41,
  error: 'the receiver answered 503',
  answer: 'busy',
};
const ping: DeliveryRecord = {
  ...delivery,
  message_id: `ping_${delivery.id}`,
  event_id: null,
  type: 'webhook.ping',
  aggregate: `webhook/${webhook.id}`,
  state: 'delivered',
  attempts: 1,
  next_attempt_at: null,
  status: 204,
  error: null,
  answer: '',
};

export const webhookSubmissions: Record<string, { summary: string; value: WebhookSubmission }> = {
  some: {
    summary: 'What needs a person, and campaigns that are done',
    value: {
      url: webhook.url,
      description: webhook.description,
      filters: { type: 'attention,campaign.completed' },
    },
  },
  all: { summary: 'Everything, from the oldest event on', value: { url: webhook.url, from: 0 } },
};
const replay: WebhookReplay = { from: 1841 };

const ofWebhook = inPath('webhook_id', 'Id of the webhook.', webhook.id);
const submitted: ErrorCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'invalid',
  'store_unavailable',
];
const reading: ErrorCode[] = ['not_found', 'invalid', 'store_unavailable'];

/** Operations on webhooks, by method and path. */
export const webhookOperations: Record<string, Description> = {
  'POST /api/webhooks': {
    tag: 'Webhooks',
    summary: 'Have events sent to an address',
    description:
      'Every event that the filters let through is sent as a POST request, signed as in the Standard Webhooks specification, until the receiver answers with a status from 200 to 299. The answer is the only place where the secret ever stands. The address must begin with `https://` and lead to a machine on the public internet, unless the configuration allows more; whom its name leads to is looked at before each request.',
    body: { schema: ref('WebhookSubmission'), required: true, examples: webhookSubmissions },
    success: {
      status: 201,
      description: 'Made.',
      content: json(ref('NewWebhookRecord'), newWebhook),
      location: true,
    },
    problems: [...submitted, 'events_pruned', 'wrong_state'],
  },
  'GET /api/webhooks': {
    tag: 'Webhooks',
    summary: 'List webhooks',
    parameters: listParameters('webhooks'),
    success: { status: 200, description: 'Newest first.', content: pageOf('WebhookRecord') },
    problems: ['invalid', 'store_unavailable'],
  },
  'GET /api/webhooks/{webhook_id}': {
    tag: 'Webhooks',
    summary: 'Read a webhook',
    parameters: [ofWebhook],
    success: { status: 200, description: 'The webhook.', content: json(ref('WebhookRecord'), webhook) },
    problems: reading,
  },
  'PATCH /api/webhooks/{webhook_id}': {
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'Other filters count for events that are not among its deliveries yet. Disabled, it stands still; enabled again, it goes on where it was, and what waits for a further attempt is tried at once.',
    parameters: [ofWebhook],
    body: {
      schema: ref('WebhookChange'),
      required: true,
      examples: { off: { summary: 'Send nothing for the time being', value: { enabled: false } } },
    },
    success: {
      status: 200,
      description: 'As it is after the change.',
      content: json(ref('WebhookRecord'), { ...webhook, enabled: false, state: 'disabled' }),
    },
    problems: ['not_found', ...submitted],
  },
  'DELETE /api/webhooks/{webhook_id}': {
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    description: 'With its deliveries. A request under way is not called back.',
    parameters: [ofWebhook],
    success: {
      status: 200,
      description: 'Removed: as it was.',
      content: json(ref('WebhookRecord'), webhook),
    },
    problems: reading,
  },
  'POST /api/webhooks/{webhook_id}/rotate-secret': {
    tag: 'Webhooks',
    summary: 'Give a webhook another secret',
    description:
      'The answer is the only place where the new secret ever stands. The one before it signs beside it for some time, so that the receiver can change over.',
    parameters: [ofWebhook],
    body: {
      schema: ref('SecretRotation'),
      required: false,
      examples: { hour: { summary: 'An hour to change over', value: { overlap_s: 3_600 } } },
    },
    success: {
      status: 200,
      description: 'Changed.',
      content: json(ref('NewWebhookRecord'), {
        ...newWebhook,
        previous_secret_until: '2026-11-20T10:30:00.000Z',
      }),
    },
    problems: ['not_found', ...submitted],
  },
  'POST /api/webhooks/{webhook_id}/replay': {
    tag: 'Webhooks',
    summary: 'Send events again, or pass some over',
    description:
      'It goes on behind this event, whether that is before or after where it is. What it has had is sent again, under the same `webhook-id`.',
    parameters: [ofWebhook],
    body: {
      schema: ref('WebhookReplay'),
      required: true,
      examples: { behind: { summary: 'Everything behind an event', value: replay } },
    },
    success: {
      status: 200,
      description: 'It goes on there.',
      content: json(ref('WebhookRecord'), webhook),
    },
    problems: ['not_found', ...submitted, 'events_pruned'],
  },
  'POST /api/webhooks/{webhook_id}/ping': {
    tag: 'Webhooks',
    summary: 'Try out a webhook',
    description:
      'Sends one signed message that says nothing, at once, also to one that is disabled, and answers with what came of it. It is not sent again.',
    parameters: [ofWebhook],
    success: {
      status: 200,
      description: 'What came of it: `delivered`, or `given_up` with the reason.',
      content: json(ref('DeliveryRecord'), ping),
    },
    problems: reading,
  },
  'GET /api/webhooks/{webhook_id}/deliveries': {
    tag: 'Webhooks',
    summary: 'List what was sent to a webhook, or is to be',
    parameters: [ofWebhook, ...listParameters('webhook_deliveries')],
    success: { status: 200, description: 'Newest first.', content: pageOf('DeliveryRecord') },
    problems: reading,
  },
  'POST /api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver': {
    tag: 'Webhooks',
    summary: 'Send one event again',
    description:
      'Whatever became of it; what waits for a further attempt is tried at once. Later events of the same record wait for it.',
    parameters: [ofWebhook, inPath('delivery_id', 'Id of the delivery.', delivery.id)],
    success: {
      status: 202,
      description: 'It will be sent.',
      content: json(ref('DeliveryRecord'), delivery),
    },
    problems: [...reading, 'wrong_state'],
  },
};
