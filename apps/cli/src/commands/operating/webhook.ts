import type { DeliveryRecord, WebhookFilters, WebhookRecord, WebhookSubmission } from '@lab/contracts';
import { Option, type Command } from 'commander';
import { deliveryStates } from '@lab/contracts';
import { atService, json, seconds, table, withJson, withUrl, type ServiceFlags } from '../at-service.js';
import { RefusedError, UsageError } from '../exit-codes.js';

interface CreateFlags extends ServiceFlags {
  type?: string;
  aggregate?: string;
  owner?: string;
  campaign?: string;
  run?: string;
  lab?: string;
  description?: string;
  from?: string;
}

interface DeliveriesFlags extends ServiceFlags {
  state?: (typeof deliveryStates)[number];
  limit?: string;
}

/** Commands about where events are sent. */
export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('manage webhooks, which send events to an address, and see their deliveries');
  withJson(withUrl(webhook.command('create')))
    .description('create a webhook and print its id and secret; the secret is shown only once')
    .argument('<address>', 'address that receives the events')
    .option('--type <types>', 'only events of these types or kinds, separated by commas')
    .option('--aggregate <record>', 'only events of this record, as <kind>/<id>')
    .option('--owner <name>', 'only events of work of this owner')
    .option('--campaign <name>', 'only events of this campaign and its work')
    .option('--run <name>', 'only events of this protocol run and its work')
    .option('--lab <name>', 'only events of this laboratory')
    .option('--description <text>', 'purpose of the webhook')
    .option('--from <event>', 'id of the event after which the deliveries begin (default: now)')
    .action((address: string, flags: CreateFlags) =>
      atService(flags, async (client) => {
        const made = await client.post('/api/webhooks', { body: submissionOf(address, flags) });
        return flags.json === true ? json(made) : [`webhook  ${made.id}`, `secret   ${made.secret}`];
      }),
    );
  withJson(withUrl(webhook.command('list')))
    .description('list webhooks, newest first')
    .action((flags: ServiceFlags) =>
      atService(flags, async (client) => {
        const { items } = await client.get('/api/webhooks', { query: { limit: 500 } });
        if (flags.json === true) return json(items);
        const rows = items.map(({ id, url, state, position }) => [id, url, state, String(position)]);
        return items.length === 0
          ? ['no webhooks']
          : table([['ID', 'ADDRESS', 'STATE', 'POSITION'], ...rows]);
      }),
    );
  ofOne(webhook, 'show', 'show a webhook', (client, id) =>
    client.get('/api/webhooks/{webhook_id}', { path: { webhook_id: id } }),
  );
  ofOne(webhook, 'enable', 'let it go on where it was', (client, id) =>
    client.patch('/api/webhooks/{webhook_id}', { path: { webhook_id: id }, body: { enabled: true } }),
  );
  ofOne(webhook, 'disable', 'send it nothing for the time being', (client, id) =>
    client.patch('/api/webhooks/{webhook_id}', { path: { webhook_id: id }, body: { enabled: false } }),
  );
  ofOne(webhook, 'delete', 'remove it with its deliveries', (client, id) =>
    client.delete('/api/webhooks/{webhook_id}', { path: { webhook_id: id } }),
  );
  withJson(withUrl(webhook.command('rotate-secret')))
    .description('replace the secret of a webhook and print it; it is shown only once')
    .argument('<id>', idText)
    .option('--overlap <seconds>', 'for how long the secret that there was signs beside it (default: a day)')
    .action((id: string, flags: ServiceFlags & { overlap?: string }) =>
      atService(flags, async (client) => {
        const overlap =
          flags.overlap === undefined ? {} : { overlap_s: wholeNumber('--overlap', flags.overlap) };
        const made = await client.post('/api/webhooks/{webhook_id}/rotate-secret', {
          path: { webhook_id: id },
          body: overlap,
        });
        if (flags.json === true) return json(made);
        const { secret, previous_secret_until: until } = made;
        const before = until === null ? 'signs no more' : `signs beside it until ${seconds(until)}`;
        return [`secret   ${secret}`, `the secret that there was ${before}`];
      }),
    );
  withJson(withUrl(webhook.command('replay')))
    .description('let it go on behind an event: what it has had is sent again')
    .argument('<id>', idText)
    .requiredOption('--from <event>', 'id of the event; 0: at the oldest')
    .action((id: string, flags: ServiceFlags & { from: string }) =>
      atService(flags, async (client) => {
        const body = { from: wholeNumber('--from', flags.from) };
        const record = await client.post('/api/webhooks/{webhook_id}/replay', {
          path: { webhook_id: id },
          body,
        });
        return flags.json === true ? json(record) : [`${record.url} goes on behind event ${record.position}`];
      }),
    );
  withJson(withUrl(webhook.command('ping')))
    .description('send a message that says nothing, and tell what came of it')
    .argument('<id>', idText)
    .action((id: string, flags: ServiceFlags) =>
      atService(flags, async (client) => {
        const sent = await client.post('/api/webhooks/{webhook_id}/ping', { path: { webhook_id: id } });
        if (flags.json === true) return json(sent);
        if (sent.state === 'delivered') return [`accepted with ${sent.status} after ${sent.duration_ms} ms`];
        throw new RefusedError(`not accepted: ${sent.error ?? ''}`);
      }),
    );
  withJson(withUrl(webhook.command('deliveries')))
    .description('list what was sent, or is to be, newest first')
    .argument('<id>', idText)
    .addOption(new Option('--state <state>', 'only records in this state').choices(deliveryStates))
    .option('--limit <count>', 'deliveries at most, 1 to 500 (default 100)')
    .action((id: string, flags: DeliveriesFlags) =>
      atService(flags, async (client) => {
        const query = { state: flags.state, limit: flags.limit };
        const { items } = await client.get('/api/webhooks/{webhook_id}/deliveries', {
          path: { webhook_id: id },
          query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)),
        });
        if (flags.json === true) return json(items);
        return items.length === 0 ? ['no deliveries'] : table([deliveryHeader, ...items.map(deliveryRow)]);
      }),
    );
  withJson(withUrl(webhook.command('redeliver')))
    .description('send one event again, whatever became of it')
    .argument('<id>', idText)
    .argument('<delivery>', 'id of the delivery, as svc webhook deliveries shows it')
    .action((id: string, delivery: string, flags: ServiceFlags) =>
      atService(flags, async (client) => {
        const asked = await client.post('/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
          path: { webhook_id: id, delivery_id: delivery },
        });
        return flags.json === true ? json(asked) : [`event ${asked.event_id ?? ''} is sent again`];
      }),
    );
}

const idText = 'its id, as the list shows it';
type Client = Parameters<Parameters<typeof atService>[1]>[0];

/** A command on one webhook that answers with the webhook. */
function ofOne(
  webhook: Command,
  name: string,
  description: string,
  act: (client: Client, id: string) => Promise<WebhookRecord>,
): void {
  withJson(withUrl(webhook.command(name)))
    .description(description)
    .argument('<id>', idText)
    .action((id: string, flags: ServiceFlags) =>
      atService(flags, async (client) => {
        const record = await act(client, id);
        return flags.json === true ? json(record) : shown(record);
      }),
    );
}

function shown({ id, url, description, filters, state, reason, position, ...rest }: WebhookRecord): string[] {
  const events = Object.entries(filters).map(([field, value]) => `${field}=${String(value)}`);
  return table([
    ['id', id],
    ['address', url],
    ...(description === '' ? [] : [['for', description]]),
    ['events', events.length === 0 ? 'all' : events.join(' ')],
    ['state', reason === null ? state : `${state}: ${reason.message}`],
    ...(rest.failing_since === null ? [] : [['failing since', seconds(rest.failing_since)]]),
    ['position', String(position)],
    ['made', `${seconds(rest.created_at)} by ${rest.created_by}`],
  ]);
}

const deliveryHeader = ['CREATED', 'EVENT', 'TYPE', 'STATE', 'ATTEMPTS', 'STATUS', 'NEXT', 'ERROR', 'ID'];

function deliveryRow(delivery: DeliveryRecord): string[] {
  return [
    seconds(delivery.created_at),
    String(delivery.event_id ?? '-'),
    delivery.type,
    delivery.state,
    String(delivery.attempts),
    String(delivery.status ?? '-'),
    delivery.next_attempt_at === null ? '-' : seconds(delivery.next_attempt_at),
    delivery.error ?? '-',
    delivery.id,
  ];
}

/** @throws UsageError */
function submissionOf(url: string, flags: CreateFlags): WebhookSubmission {
  const { type, aggregate, owner, campaign, run, lab, description, from } = flags;
  const given = { type, aggregate, owner, campaign, protocol_run: run, lab };
  const filters: WebhookFilters = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  return {
    url,
    filters,
    ...(description === undefined ? {} : { description }),
    ...(from === undefined ? {} : { from: wholeNumber('--from', from) }),
  };
}

/** @throws UsageError */
function wholeNumber(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number from 0`);
}
