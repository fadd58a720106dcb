import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import {
  SecretRotation,
  secretOverlapS,
  ServiceError,
  WebhookChange,
  WebhookReplay,
  WebhookSubmission,
  type DeliveryRecord,
  type NewWebhookRecord,
  type Page,
  type Principal,
  type WebhookFilters,
  type WebhookRecord,
} from '@lab/contracts';
import { deliveryRecord, webhookRecord, type WebhookRow } from '@lab/persistence';
import type { FastifyReply } from 'fastify';
import { Caller, Needs } from '../access/index.js';
import { eventNouns, readFilter, requirePosition } from '../events/index.js';
import { webhookSubmissions } from '../examples/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';
import { DeliveryStore, EventReader, RecordReader, WebhookStore } from '../ports/index.js';
import { Action, Group, JsonBody, Operation, OptionalBody, page, pathName, record } from '../routes/index.js';
import { newSecret } from './signature.js';
import { WebhookDeliverer } from './webhook-deliverer.js';
import { WebhookSender } from './webhook-sender.js';

/** Maximum number of webhooks. */
export const mostWebhooks = 50;

const WebhookId = pathName('webhook_id', 'webhook', {
  description: 'Id of the webhook.',
  example: '7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11',
});

/** Webhooks: where the service sends events, and the deliveries of those events. */
@Group('Webhooks')
@Needs('admin')
@Controller('api/webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhookStore,
    private readonly deliveries: DeliveryStore,
    private readonly events: EventReader,
    private readonly records: RecordReader,
    private readonly sender: WebhookSender,
    private readonly deliverer: WebhookDeliverer,
  ) {}

  @Operation('Create a webhook', record('NewWebhookRecord', 'The new webhook.'), {
    description:
      'The service sends every event that passes the filters as a POST request, signed as the Standard Webhooks specification says, until the receiver answers with a status from 200 to 299. The response contains the secret; the service shows it only once. The address must begin with `https://` and lead to a machine on the public internet, unless the configuration allows more. The service resolves the name in the address before each request.',
    location: true,
    problems: ['events_pruned', 'wrong_state'],
  })
  @Post()
  async create(
    @JsonBody(WebhookSubmission, webhookSubmissions) submission: WebhookSubmission,
    @Caller() caller: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewWebhookRecord> {
    const { url, description, filters, include, enabled, from } = submission;
    this.sender.check(url);
    const secret = newSecret();
    const sealed = this.sender.seal(secret);
    const wanted = checkedFilters(filters);
    if (from !== undefined) await requirePosition(this.events, eventNouns, from, 'from');
    const made = await this.webhooks.add(
      {
        id: randomUUID(),
        url,
        description: description ?? '',
        filters: wanted,
        include: include ?? [],
        enabled: enabled ?? true,
        position: from ?? (await this.events.extent()).latest,
        secret: sealed,
        created_by: caller.name,
      },
      mostWebhooks,
    );
    if (made === undefined)
      throw new ServiceError(
        'wrong_state',
        `There are ${mostWebhooks} webhooks, the maximum. Remove one first.`,
      );
    this.deliverer.changed(made.id);
    reply.header('location', `/api/webhooks/${made.id}`);
    return { ...webhookRecord(made), secret };
  }

  @Operation('List webhooks', page('WebhookRecord', 'Newest first.'))
  @Get()
  async list(@ListQuery('webhooks') request: PageRequest): Promise<Page<WebhookRecord>> {
    return request.pageOf(await this.records.list('webhooks', request));
  }

  @Operation('Read a webhook', record('WebhookRecord', 'The webhook.'))
  @Get(':webhook_id')
  async read(@WebhookId() id: string): Promise<WebhookRecord> {
    return webhookRecord(await this.#webhook(id));
  }

  @Operation('Change a webhook', record('WebhookRecord', 'The webhook after the change.'), {
    description:
      'New filters and a new `include` apply to events that have no delivery yet, and to events that are replayed. A disabled webhook sends nothing. When it is enabled again, it continues where it stopped, and retries the deliveries that wait at once.',
  })
  @Patch(':webhook_id')
  async change(
    @WebhookId() id: string,
    @JsonBody(WebhookChange, {
      off: { summary: 'Send nothing for the time being', value: { enabled: false } },
    })
    { url, description, filters, include, enabled }: WebhookChange,
  ): Promise<WebhookRecord> {
    await this.#webhook(id);
    if (url !== undefined) this.sender.check(url);
    return this.#changed(
      await this.webhooks.change(id, {
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(include === undefined ? {} : { include }),
        ...(enabled === undefined ? {} : { enabled }),
        ...(filters === undefined ? {} : { filters: checkedFilters(filters) }),
      }),
      id,
    );
  }

  @Operation('Remove a webhook', record('WebhookRecord', 'The webhook before its removal.'), {
    description:
      'The service removes the webhook and its deliveries. It does not stop a request that is under way.',
  })
  @Delete(':webhook_id')
  async remove(@WebhookId() id: string): Promise<WebhookRecord> {
    return this.#changed(await this.webhooks.remove(id), id);
  }

  @Operation('Give a webhook a new secret', record('NewWebhookRecord', 'The webhook with its new secret.'), {
    description:
      'The response contains the new secret; the service shows it only once. For some time the service signs with the previous secret as well, so that the receiver can change over.',
  })
  @Action(':webhook_id/rotate-secret')
  async rotate(
    @WebhookId() id: string,
    @OptionalBody(SecretRotation, {
      hour: { summary: 'An hour to change over', value: { overlap_s: 3_600 } },
    })
    { overlap_s: overlapS }: SecretRotation,
  ): Promise<NewWebhookRecord> {
    await this.#webhook(id);
    const secret = newSecret();
    const sealed = this.sender.seal(secret);
    const rotated = await this.webhooks.rotate(id, sealed, overlapS ?? secretOverlapS.usual);
    return { ...this.#changed(rotated, id), secret };
  }

  @Operation('Send events again, or skip some', record('WebhookRecord', 'The webhook at its new position.'), {
    description:
      'The webhook continues behind the given event, before or after its position. It sends repeated events under the same `webhook-id`.',
    problems: ['events_pruned'],
  })
  @Action(':webhook_id/replay')
  async replay(
    @WebhookId() id: string,
    @JsonBody(WebhookReplay, {
      behind: { summary: 'Everything behind an event', value: { from: 1841 } },
    })
    { from }: WebhookReplay,
  ): Promise<WebhookRecord> {
    await this.#webhook(id);
    await requirePosition(this.events, eventNouns, from, 'from');
    return this.#changed(await this.webhooks.moveTo(id, from), id);
  }

  @Operation(
    'Test a webhook',
    record('DeliveryRecord', 'The result: `delivered`, or `given_up` with the reason.'),
    {
      description:
        'The service sends one signed message without content at once, also to a disabled webhook, and answers with the result. It does not retry.',
    },
  )
  @Action(':webhook_id/ping')
  async ping(@WebhookId() id: string): Promise<DeliveryRecord> {
    return found(await this.deliverer.ping(await this.#webhook(id)), 'webhook', id);
  }

  @Operation('List the deliveries of a webhook', page('DeliveryRecord', 'Newest first.'))
  @Get(':webhook_id/deliveries')
  async listDeliveries(
    @WebhookId() id: string,
    @ListQuery('webhook_deliveries', { owner: 'webhook_id' }) request: PageRequest,
  ): Promise<Page<DeliveryRecord>> {
    await this.#webhook(id);
    return request.pageOf(await this.records.list('webhook_deliveries', request, id));
  }

  @Operation('Send one event again', record('DeliveryRecord', 'The service will send the event.'), {
    description:
      'The previous result does not matter. A delivery that waits is retried at once. Later events of the same record wait for it.',
    problems: ['wrong_state'],
  })
  @Action(':webhook_id/deliveries/:delivery_id/redeliver', 202)
  async redeliver(
    @WebhookId() id: string,
    @(pathName('delivery_id', 'delivery', {
      description: 'Id of the delivery.',
      example: '3c9b6f52-7f5e-4b3c-8f0e-5a1d9c2b7e44',
    })())
    deliveryId: string,
  ): Promise<DeliveryRecord> {
    const { enabled } = await this.#webhook(id);
    const kept = found(await this.deliveries.byId(id, deliveryId), 'delivery', deliveryId);
    if (kept.event_id === null)
      throw new ServiceError('wrong_state', 'A ping cannot be sent again. Send a new one.');
    if (!enabled)
      throw new ServiceError('wrong_state', 'The webhook is disabled and sends nothing. Enable it first.');
    const asked = found(await this.deliveries.askAgain(id, deliveryId), 'delivery', deliveryId);
    this.deliverer.changed(id);
    return deliveryRecord(asked);
  }

  /** @throws ServiceError `not_found` */
  async #webhook(id: string): Promise<WebhookRow> {
    return found(await this.webhooks.byId(id), 'webhook', id);
  }

  /** @throws ServiceError `not_found` when it was removed meanwhile */
  #changed(row: WebhookRow | undefined, id: string): WebhookRecord {
    const changed = webhookRecord(found(row, 'webhook', id));
    this.deliverer.changed(id);
    return changed;
  }
}

/** @throws ServiceError `invalid` */
function checkedFilters(filters: WebhookFilters = {}): WebhookFilters {
  const given: WebhookFilters = Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined),
  );
  const { faults } = readFilter(given, 'filters.');
  if (faults.length > 0) throw new ServiceError('invalid', 'The filters are not valid.', { faults });
  return given;
}
