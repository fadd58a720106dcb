import { randomUUID } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
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
import { deliveryRecord, webhookRecord } from '@lab/persistence';
import type { FastifyReply } from 'fastify';
import { Caller, Needs } from '../access/index.js';
import { eventNouns, readFilter, requirePosition } from '../events/index.js';
import { DtoPipe, lookupName, readQuery, refuseBody } from '../routes/index.js';
import { EventReader, RecordReader } from '../ports/index.js';
import { readPageRequest } from '../lists/index.js';
import { found, noBodyHint } from '../lookup/index.js';
import { DeliveryStore, WebhookStore, type WebhookRow } from './webhook-stores.js';
import { newSecret } from './signature.js';
import { WebhookDeliverer } from './webhook-deliverer.js';
import { WebhookSender } from './webhook-sender.js';

/** Webhooks that there may be. */
export const mostWebhooks = 50;

/** Webhooks: where events are sent, and what became of them. */
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

  @Post()
  async create(
    @Body(new DtoPipe(WebhookSubmission)) submission: WebhookSubmission,
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewWebhookRecord> {
    readQuery(query, []);
    const { url, description, filters, enabled, from } = submission;
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
        enabled: enabled ?? true,
        position: from ?? (await this.events.extent()).latest,
        secret: sealed,
        created_by: caller.name,
      },
      mostWebhooks,
    );
    if (made === undefined)
      throw new ServiceError('wrong_state', `There are ${mostWebhooks} webhooks, and there may be no more.`);
    this.deliverer.changed(made.id);
    reply.header('location', `/api/webhooks/${made.id}`);
    return { ...webhookRecord(made), secret };
  }

  @Get()
  async list(@Query() query: unknown): Promise<Page<WebhookRecord>> {
    const request = readPageRequest('webhooks', query);
    return request.pageOf(await this.records.list('webhooks', request));
  }

  @Get(':webhook_id')
  async read(@Param('webhook_id') given: string, @Query() query: unknown): Promise<WebhookRecord> {
    readQuery(query, []);
    return webhookRecord(await this.#webhook(given));
  }

  @Patch(':webhook_id')
  async change(
    @Param('webhook_id') given: string,
    @Body(new DtoPipe(WebhookChange)) { url, description, filters, enabled }: WebhookChange,
    @Query() query: unknown,
  ): Promise<WebhookRecord> {
    readQuery(query, []);
    const { id } = await this.#webhook(given);
    if (url !== undefined) this.sender.check(url);
    return this.#changed(
      await this.webhooks.change(id, {
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(enabled === undefined ? {} : { enabled }),
        ...(filters === undefined ? {} : { filters: checkedFilters(filters) }),
      }),
      id,
    );
  }

  @Delete(':webhook_id')
  @HttpCode(200)
  async remove(@Param('webhook_id') given: string, @Query() query: unknown): Promise<WebhookRecord> {
    readQuery(query, []);
    const id = lookupName(given, 'webhook');
    return this.#changed(await this.webhooks.remove(id), id);
  }

  @Post(':webhook_id/rotate-secret')
  @HttpCode(200)
  async rotate(
    @Param('webhook_id') given: string,
    @Body(DtoPipe.orNothing(SecretRotation)) { overlap_s: overlapS }: SecretRotation,
    @Query() query: unknown,
  ): Promise<NewWebhookRecord> {
    readQuery(query, []);
    const { id } = await this.#webhook(given);
    const secret = newSecret();
    const sealed = this.sender.seal(secret);
    const record = this.#changed(
      await this.webhooks.rotate(id, sealed, overlapS ?? secretOverlapS.usual),
      id,
    );
    return { ...record, secret };
  }

  @Post(':webhook_id/replay')
  @HttpCode(200)
  async replay(
    @Param('webhook_id') given: string,
    @Body(new DtoPipe(WebhookReplay)) { from }: WebhookReplay,
    @Query() query: unknown,
  ): Promise<WebhookRecord> {
    readQuery(query, []);
    const { id } = await this.#webhook(given);
    await requirePosition(this.events, eventNouns, from, 'from');
    return this.#changed(await this.webhooks.moveTo(id, from), id);
  }

  @Post(':webhook_id/ping')
  @HttpCode(200)
  async ping(
    @Param('webhook_id') given: string,
    @Body() body: unknown,
    @Query() query: unknown,
  ): Promise<DeliveryRecord> {
    readQuery(query, []);
    refuseBody(body, noBodyHint);
    const webhook = await this.#webhook(given);
    return found(await this.deliverer.ping(webhook), 'webhook', webhook.id);
  }

  @Get(':webhook_id/deliveries')
  async listDeliveries(
    @Param('webhook_id') given: string,
    @Query() query: unknown,
  ): Promise<Page<DeliveryRecord>> {
    const { id } = await this.#webhook(given);
    const request = readPageRequest('webhook_deliveries', query, { owner: id });
    return request.pageOf(await this.records.list('webhook_deliveries', request, id));
  }

  @Post(':webhook_id/deliveries/:delivery_id/redeliver')
  @HttpCode(202)
  async redeliver(
    @Param('webhook_id') given: string,
    @Param('delivery_id') givenDelivery: string,
    @Body() body: unknown,
    @Query() query: unknown,
  ): Promise<DeliveryRecord> {
    readQuery(query, []);
    refuseBody(body, noBodyHint);
    const { id, enabled } = await this.#webhook(given);
    const deliveryId = lookupName(givenDelivery, 'delivery');
    const delivery = found(await this.deliveries.byId(id, deliveryId), 'delivery', deliveryId);
    if (delivery.event_id === null)
      throw new ServiceError('wrong_state', 'A ping is not sent again; send another one.');
    if (!enabled)
      throw new ServiceError('wrong_state', 'The webhook is disabled: enable it first, nothing is sent.');
    const asked = found(await this.deliveries.askAgain(id, deliveryId), 'delivery', deliveryId);
    this.deliverer.changed(id);
    return deliveryRecord(asked);
  }

  /** @throws ServiceError `not_found` */
  async #webhook(given: string): Promise<WebhookRow> {
    const id = lookupName(given, 'webhook');
    return found(await this.webhooks.byId(id), 'webhook', id);
  }

  /** @throws ServiceError `not_found` when it was removed meanwhile */
  #changed(row: WebhookRow | undefined, id: string): WebhookRecord {
    const record = webhookRecord(found(row, 'webhook', id));
    this.deliverer.changed(id);
    return record;
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
