import type {
  DeliveryRecord,
  NewWebhookRecord,
  WebhookRecord,
  WebhookReplay,
  WebhookSubmission,
} from '@lab/contracts';

export const webhook: WebhookRecord = {
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

export const delivery: DeliveryRecord = {
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
export const ping: DeliveryRecord = {
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
export const replay: WebhookReplay = { from: 1841 };
