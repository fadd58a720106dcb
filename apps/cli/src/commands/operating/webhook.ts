import type { DeliveryRecord, WebhookFilters, WebhookRecord, WebhookSubmission } from '@lab/contracts';
import { Option, type Command } from 'commander';
import { deliveryStates, webhookInclusions, type WebhookInclusion } from '@lab/contracts/vocabulary';
import { asks, seconds, serviceCommand, table, tableOf, type ServiceFlags } from '../at-service.js';
import { RefusedError, UsageError } from '../exit-codes.js';

interface CreateFlags extends ServiceFlags {
  type?: string;
  aggregate?: string;
  owner?: string;
  campaign?: string;
  run?: string;
  lab?: string;
  include?: string;
  description?: string;
  from?: string;
}

interface DeliveriesFlags extends ServiceFlags {
  state?: (typeof deliveryStates)[number];
  /** Sent as typed, because the service checks the value. */
  limit?: number;
}

/** Commands for webhooks: addresses to which the service sends events. */
export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('manage webhooks, which send events to an address, and see their deliveries');
  asks(
    serviceCommand(
      webhook,
      'create',
      'create a webhook and print its id and secret; the secret is shown only once',
    )
      .argument('<address>', 'address that receives the events')
      .option('--type <types>', 'only events of these types or kinds, separated by commas')
      .option('--aggregate <record>', 'only events of this record, as <kind>/<id>')
      .option('--owner <name>', 'only events of work of this owner')
      .option('--campaign <name>', 'only events of this campaign and its work')
      .option('--run <name>', 'only events of this protocol run and its work')
      .option('--lab <name>', 'only events of this laboratory')
      .option(
        '--include <details>',
        'what the service adds to events of work, separated by commas: meta, outputs',
      )
      .option('--description <text>', 'purpose of the webhook')
      .option('--from <event>', 'id of the event after which the deliveries begin (default: now)'),
    (client, flags: CreateFlags, url: string) =>
      client.post('/api/webhooks', { body: submissionOf(url, flags) }),
    ({ id, secret }) => [`webhook  ${id}`, `secret   ${secret}`],
  );
  asks(
    serviceCommand(webhook, 'list', 'list webhooks, newest first'),
    async (client) => (await client.get('/api/webhooks', { query: { limit: 500 } })).items,
    tableOf<WebhookRecord>('no webhooks', {
      ID: ({ id }) => id,
      ADDRESS: ({ url }) => url,
      STATE: ({ state }) => state,
      POSITION: ({ position }) => String(position),
    }),
  );
  /** A command about one webhook. */
  const ofOne = (name: string, description: string): Command =>
    serviceCommand(webhook, name, description).argument('<id>', 'its id, as the list shows it');
  const pathOf = (id: string) => ({ path: { webhook_id: id } });
  asks(
    ofOne('show', 'show a webhook'),
    (client, _flags: ServiceFlags, id: string) => client.get('/api/webhooks/{webhook_id}', pathOf(id)),
    shown,
  );
  for (const [name, description, enabled] of [
    ['enable', 'let it go on where it was', true],
    ['disable', 'send it nothing for the time being', false],
  ] as const)
    asks(
      ofOne(name, description),
      (client, _flags: ServiceFlags, id: string) =>
        client.patch('/api/webhooks/{webhook_id}', { ...pathOf(id), body: { enabled } }),
      shown,
    );
  asks(
    ofOne('delete', 'remove it with its deliveries'),
    (client, _flags: ServiceFlags, id: string) => client.delete('/api/webhooks/{webhook_id}', pathOf(id)),
    shown,
  );
  asks(
    ofOne('rotate-secret', 'replace the secret of a webhook and print it; it is shown only once').option(
      '--overlap <seconds>',
      'for how long the secret that there was signs beside it (default: a day)',
    ),
    (client, { overlap }: ServiceFlags & { overlap?: string }, id: string) => {
      const body = overlap === undefined ? {} : { overlap_s: wholeNumber('--overlap', overlap) };
      return client.post('/api/webhooks/{webhook_id}/rotate-secret', { ...pathOf(id), body });
    },
    ({ secret, previous_secret_until: until }) => {
      const before = until === null ? 'signs no more' : `signs beside it until ${seconds(until)}`;
      return [`secret   ${secret}`, `the secret that there was ${before}`];
    },
  );
  asks(
    ofOne('replay', 'let it go on behind an event: what it has had is sent again').requiredOption(
      '--from <event>',
      'id of the event; 0: at the oldest',
    ),
    (client, { from }: ServiceFlags & { from: string }, id: string) => {
      const body = { from: wholeNumber('--from', from) };
      return client.post('/api/webhooks/{webhook_id}/replay', { ...pathOf(id), body });
    },
    ({ url, position }) => [`${url} goes on behind event ${position}`],
  );
  asks(
    ofOne('ping', 'send a message that says nothing, and tell what came of it'),
    (client, _flags: ServiceFlags, id: string) => client.post('/api/webhooks/{webhook_id}/ping', pathOf(id)),
    ({ state, status, duration_ms: ms, error }) => {
      if (state === 'delivered') return [`accepted with ${status} after ${ms} ms`];
      throw new RefusedError(`not accepted: ${error ?? ''}`);
    },
  );
  asks(
    ofOne('deliveries', 'list what was sent, or is to be, newest first')
      .addOption(new Option('--state <state>', 'only records in this state').choices(deliveryStates))
      .option('--limit <count>', 'deliveries at most, 1 to 500 (default 100)'),
    async (client, { state, limit }: DeliveriesFlags, id: string) => {
      const query = { state, limit };
      return (await client.get('/api/webhooks/{webhook_id}/deliveries', { ...pathOf(id), query })).items;
    },
    tableOf<DeliveryRecord>('no deliveries', {
      CREATED: (delivery) => seconds(delivery.created_at),
      EVENT: (delivery) => String(delivery.event_id ?? '-'),
      TYPE: ({ type }) => type,
      STATE: ({ state }) => state,
      ATTEMPTS: ({ attempts }) => String(attempts),
      STATUS: ({ status }) => String(status ?? '-'),
      NEXT: (delivery) => seconds(delivery.next_attempt_at),
      ERROR: ({ error }) => error ?? '-',
      ID: ({ id }) => id,
    }),
  );
  asks(
    ofOne('redeliver', 'send one event again, whatever became of it').argument(
      '<delivery>',
      'id of the delivery, as svc webhook deliveries shows it',
    ),
    (client, _flags: ServiceFlags, id: string, delivery: string) =>
      client.post('/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
        path: { webhook_id: id, delivery_id: delivery },
      }),
    (asked) => [`event ${asked.event_id ?? ''} is sent again`],
  );
}

function shown({
  id,
  url,
  description,
  filters,
  include,
  state,
  reason,
  position,
  ...rest
}: WebhookRecord): string[] {
  const events = Object.entries(filters).map(([field, value]) => `${field}=${String(value)}`);
  return table([
    ['id', id],
    ['address', url],
    ...(description === '' ? [] : [['for', description]]),
    ['events', events.length === 0 ? 'all' : events.join(' ')],
    ...(include.length === 0 ? [] : [['includes', include.join(', ')]]),
    ['state', reason === null ? state : `${state}: ${reason.message}`],
    ...(rest.failing_since === null ? [] : [['failing since', seconds(rest.failing_since)]]),
    ['position', String(position)],
    ['made', `${seconds(rest.created_at)} by ${rest.created_by}`],
  ]);
}

/** @throws UsageError */
function submissionOf(url: string, flags: CreateFlags): WebhookSubmission {
  const { type, aggregate, owner, campaign, run, lab, include, description, from } = flags;
  const given = { type, aggregate, owner, campaign, protocol_run: run, lab };
  const filters: WebhookFilters = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  return {
    url,
    filters,
    ...(include === undefined ? {} : { include: inclusions(include) }),
    ...(description === undefined ? {} : { description }),
    ...(from === undefined ? {} : { from: wholeNumber('--from', from) }),
  };
}

/** @throws UsageError */
function inclusions(text: string): WebhookInclusion[] {
  return text.split(',').map((each) => {
    const known = webhookInclusions.find((inclusion) => inclusion === each.trim());
    if (known !== undefined) return known;
    throw new UsageError(`--include must be one or more of ${webhookInclusions.join(', ')}, not "${each}"`);
  });
}

/** @throws UsageError */
function wholeNumber(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number from 0`);
}
