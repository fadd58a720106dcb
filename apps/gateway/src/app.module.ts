import type { Outbound, Sealing } from '@lab/runtime';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AccessGuard } from './access/access-guard.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { AuditRecorder } from './audit/audit-recorder.js';
import { Authentication } from './access/authentication.js';
import { RecordLabs } from './access/record-labs.js';
import { TokenStore } from './access/token-store.js';
import { TokensController } from './access/tokens.controller.js';
import { CsvController } from './csv/csv.controller.js';
import { LabsController } from './definitions/labs.controller.js';
import { LoadedProtocols } from './definitions/loaded-protocols.js';
import { PackagesController } from './definitions/packages.controller.js';
import { ProtocolsController } from './definitions/protocols.controller.js';
import { AgentsController } from './devices/agents.controller.js';
import { CallPermit } from './devices/call-permit.js';
import { DeviceCalls } from './devices/device-calls.js';
import { DeviceDetails } from './devices/device-details.js';
import { DeviceLocator } from './devices/device-locator.js';
import { DevicesController } from './devices/devices.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { OpenApiDocument } from './docs/openapi-document.js';
import { EventFeed } from './events/event-feed.js';
import { FeedOptions, StreamPlaces } from './events/feed.js';
import { EventsController } from './events/events.controller.js';
import { TaskFilesController } from './files/task-files.controller.js';
import { HealthController } from './health/health.controller.js';
import { LookEvery, Readiness } from './health/readiness.js';
import { Secrets } from './work/secrets.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { Keys } from './idempotency/key-store.js';
import { LeaderWatch } from './orchestrator/leader-watch.js';
import { LogFeed } from './logs/log-feed.js';
import { LogsController } from './logs/logs.controller.js';
import { Measurements } from './metrics/measurements.js';
import { MetricsAccess, MetricsController } from './metrics/metrics.controller.js';
import { FailoverWait, Orchestrator } from './orchestrator/orchestrator.js';
import { AttentionController } from './operating/attention.controller.js';
import { EmergencyStopsController } from './operating/emergency-stops.controller.js';
import { EmergencyStops } from './operating/emergency-stops.js';
import { QueueController } from './operating/queue.controller.js';
import { ScheduleController } from './operating/schedule.controller.js';
import { ArchiveController } from './work/archive.controller.js';
import { ChangesController } from './work/changes.controller.js';
import { ClonesController } from './work/clones.controller.js';
import {
  Announcements,
  BrokerStatus,
  EventReader,
  FileStore,
  LogReader,
  RecordReader,
  Requests,
} from './ports/outside.js';
import { RecordsController } from './records/records.controller.js';
import { ResourcesController } from './records/resources.controller.js';
import { CampaignsController } from './work/campaigns.controller.js';
import { Estimates } from './work/estimates.js';
import { OptimizersController } from './work/optimizers.controller.js';
import { ProtocolRunsController } from './work/protocol-runs.controller.js';
import { SimulationsController } from './work/simulations.controller.js';
import { TasksController } from './work/tasks.controller.js';
import { DeliveryStore, WebhookStore } from './webhooks/webhook-stores.js';
import { WebhookDeliverer, type DelivererOptions } from './webhooks/webhook-deliverer.js';
import { WebhookSender } from './webhooks/webhook-sender.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** The rest of the service as the gateway sees it. */
export interface Surroundings {
  requests: Requests;
  announcements: Announcements;
  broker: BrokerStatus;
  records: RecordReader;
  events: EventReader;
  lines: LogReader;
  files: FileStore;
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  deliverer: DelivererOptions;
  /** Reaches addresses that people give. */
  outbound: Outbound;
  /** Seals secrets in submissions, and those of webhooks; without it none are taken. */
  sealing?: Sealing;
  /** Where answers are kept under idempotency keys. */
  keys: Keys;
  authentication: Authentication;
  tokens: TokenStore;
  audit: AuditRecorder;
  /** How clients of streams are kept, where not as usual. */
  feeds?: Partial<FeedOptions>;
  /** Hears who leads; without one a change of leaders is not noticed. */
  leaders?: LeaderWatch;
  /** What the processes of the service have measured; without it nothing is told. */
  measurements?: Measurements;
  /** Whether everybody may read that. Default: no. */
  openMetrics?: boolean;
  /** How often it is looked whether every part is there, when nobody asks, in milliseconds. Default: never. */
  lookEveryMs?: number;
}

/** All routes but uploads, over whatever surroundings are given. */
@Module({})
export class AppModule {
  /** @param failoverMs how long a request waits for an orchestrator that leads, in milliseconds */
  static over(surroundings: Surroundings, failoverMs: number): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        LabsController,
        ProtocolsController,
        PackagesController,
        SimulationsController,
        ProtocolRunsController,
        CampaignsController,
        OptimizersController,
        CsvController,
        TasksController,
        RecordsController,
        ResourcesController,
        ArchiveController,
        ChangesController,
        ClonesController,
        TaskFilesController,
        DevicesController,
        AgentsController,
        AttentionController,
        EmergencyStopsController,
        QueueController,
        ScheduleController,
        TokensController,
        AuditController,
        EventsController,
        LogsController,
        WebhooksController,
        HealthController,
        MetricsController,
        DocsController,
      ],
      providers: [
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        { provide: Keys, useValue: surroundings.keys },
        { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
        { provide: Authentication, useValue: surroundings.authentication },
        { provide: TokenStore, useValue: surroundings.tokens },
        { provide: AuditRecorder, useValue: surroundings.audit },
        { provide: Requests, useValue: surroundings.requests },
        { provide: Announcements, useValue: surroundings.announcements },
        { provide: BrokerStatus, useValue: surroundings.broker },
        { provide: RecordReader, useValue: surroundings.records },
        { provide: FileStore, useValue: surroundings.files },
        { provide: EventReader, useValue: surroundings.events },
        { provide: LogReader, useValue: surroundings.lines },
        { provide: FeedOptions, useValue: { ...new FeedOptions(), ...surroundings.feeds } },
        StreamPlaces,
        EventFeed,
        LogFeed,
        { provide: WebhookStore, useValue: surroundings.webhooks },
        { provide: DeliveryStore, useValue: surroundings.deliveries },
        {
          provide: WebhookSender,
          useFactory: () => new WebhookSender(surroundings.outbound, surroundings.sealing),
        },
        {
          provide: WebhookDeliverer,
          inject: [WebhookStore, DeliveryStore, EventReader, WebhookSender],
          useFactory: (...parts: [WebhookStore, DeliveryStore, EventReader, WebhookSender]) =>
            new WebhookDeliverer(...parts, surroundings.deliverer),
        },
        { provide: LeaderWatch, useValue: surroundings.leaders ?? new LeaderWatch() },
        { provide: LookEvery, useValue: { ms: surroundings.lookEveryMs ?? 0 } },
        Readiness,
        { provide: Measurements, useValue: surroundings.measurements ?? Measurements.none() },
        { provide: MetricsAccess, useValue: { open: surroundings.openMetrics === true } },
        { provide: Secrets, useValue: new Secrets(surroundings.sealing) },
        { provide: FailoverWait, useValue: { ms: failoverMs } },
        Orchestrator,
        RecordLabs,
        LoadedProtocols,
        DeviceLocator,
        DeviceCalls,
        CallPermit,
        DeviceDetails,
        Estimates,
        {
          provide: EmergencyStops,
          inject: [Announcements, Requests],
          useFactory: (announcements: Announcements, requests: Requests) =>
            new EmergencyStops(announcements, requests),
        },
        OpenApiDocument,
      ],
    };
  }
}
