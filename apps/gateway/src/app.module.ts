import { LeaderWatch } from '@lab/messaging';
import type { Outbound, Sealing } from '@lab/runtime';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import {
  AccessGuard,
  Authentication,
  type OidcSignIn,
  RecordLabs,
  RecordRoles,
  SessionCookie,
  SessionLife,
  SessionsController,
  TokensController,
  WrongTokens,
} from './access/index.js';
import { AuditController, AuditInterceptor, AuditRecorder } from './audit/index.js';
import { CsvController } from './csv/index.js';
import {
  LabsController,
  LoadedProtocols,
  PackagesController,
  PackageVersionsController,
  ProtocolsController,
} from './definitions/index.js';
import {
  AgentsController,
  CallPermit,
  DeviceCalls,
  DeviceDetails,
  DeviceLocator,
  DevicesController,
  HeldDevices,
  TakenDevices,
} from './devices/index.js';
import { DeletionsController, LegalHoldsController } from './deletions/index.js';
import { DocsController, HomeController, OpenApiDocument } from './docs/index.js';
import { EventFeed, EventsController, FeedOptions, StreamPlaces } from './events/index.js';
import { DeviceFilesController, TaskFilesController } from './files/index.js';
import {
  AgentPackages,
  EnrolmentController,
  Enrolments,
  RolloutsController,
  type EnrolmentOptions,
} from './enrolment/index.js';
import { HealthController, Readiness, ReadinessOptions } from './health/index.js';
import {
  ArchiveController,
  CampaignsController,
  ChangesController,
  ClonesController,
  Estimates,
  OptimizersController,
  ProtocolRunsController,
  Secrets,
  SimulationsController,
  TasksController,
} from './work/index.js';
import { IdempotencyInterceptor } from './idempotency/index.js';
import { FailoverWait, Orchestrator } from './orchestrator/index.js';
import { LogFeed, LogsController } from './logs/index.js';
import { Measurements, MetricsAccess, MetricsController } from './metrics/index.js';
import {
  AttentionController,
  DeviceRoster,
  DrainsController,
  EmergencyStops,
  EmergencyStopsController,
  QueueController,
  ReservationsController,
  ScheduleController,
  StopReports,
  UsageController,
} from './operating/index.js';
import {
  Announcements,
  BrokerStatus,
  DeliveryStore,
  DeviceFileStore,
  EnrolmentStore,
  EventReader,
  FileStore,
  Keys,
  LogReader,
  PackageStore,
  RecordReader,
  Requests,
  TokenStore,
  WebhookStore,
} from './ports/index.js';
import { PipelineIssuers, TokenExchangeController } from './pipelines/index.js';
import { RefusalLog, RefusalsController } from './refusals/index.js';
import { RequestInterceptor } from './request.interceptor.js';
import { InputInterceptor } from './routes/index.js';
import { PageFiles } from './page/index.js';
import { RecordsController, ResourcesController } from './records/index.js';
import {
  type DelivererOptions,
  WebhookDeliverer,
  WebhooksController,
  WebhookSender,
} from './webhooks/index.js';

/** Everything outside of the gateway that it needs. */
export interface Surroundings {
  requests: Requests;
  announcements: Announcements;
  broker: BrokerStatus;
  records: RecordReader;
  events: EventReader;
  lines: LogReader;
  files: FileStore;
  /** Records of files of instruments. */
  deviceFiles: DeviceFileStore;
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  deliverer: DelivererOptions;
  /** Sends requests to addresses that users give. */
  outbound: Outbound;
  /** Seals secrets of submissions and webhooks. Without it the gateway accepts no secrets. */
  sealing?: Sealing;
  /** Stores answers under idempotency keys. */
  keys: Keys;
  authentication: Authentication;
  tokens: TokenStore;
  /** Packed packages. */
  packages: PackageStore;
  audit: AuditRecorder;
  /** Invitations of computers, and the agents that joined. */
  enrolments: EnrolmentStore;
  enrolment: EnrolmentOptions;
  /** Folder with packages of the agent. Default: there is none. */
  agentPackages?: string;
  /** Signs people in at an issuer. Default: nobody can. */
  signIn?: OidcSignIn;
  /** Issuers whose pipelines exchange signed tokens. Default: there are none. */
  pipelines?: PipelineIssuers;
  /** How long sessions of browsers last. Default: 12 hours, and an hour without a request. */
  sessions?: SessionLife;
  /** The web page. Default: there is none. */
  page?: PageFiles;
  refusals: RefusalLog;
  /** Settings of streams that differ from the defaults. */
  feeds?: Partial<FeedOptions>;
  /** Knows the leader. Without it a change of leaders goes unnoticed. */
  leaders?: LeaderWatch;
  /** Knows which devices tasks get. Without it a call relies on the fence that its agent verifies. */
  taken?: TakenDevices;
  /** The answers of agents to emergency stops. Without it none is heard. */
  stopReports?: StopReports;
  /** Knows which devices there are. Default: asks at each emergency stop. */
  roster?: DeviceRoster;
  /** Metrics of the processes. Without it there are none. */
  measurements?: Measurements;
  /** Whether everybody may read the metrics. Default: no. */
  openMetrics?: boolean;
  /** Whether a person needs a reason to act on a device that a task has. Default: yes. */
  heldDevicesNeedReason?: boolean;
  /** Default: the gateway checks the readiness only on request, and does not log it. */
  readiness?: ReadinessOptions;
}

export const usualSessions: SessionLife = { lifeMs: 12 * 3_600_000, idleMs: 3_600_000 };

/** All routes but uploads and downloads, over the given surroundings. */
@Module({})
export class AppModule {
  /** @param failoverMs how long a request waits for an orchestrator that leads, in milliseconds */
  static over(
    surroundings: Surroundings,
    failoverMs: number,
    { cookie, wrongTokens }: { cookie: SessionCookie; wrongTokens: WrongTokens },
  ): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        LabsController,
        ProtocolsController,
        PackagesController,
        PackageVersionsController,
        SimulationsController,
        ProtocolRunsController,
        CampaignsController,
        OptimizersController,
        CsvController,
        TasksController,
        RecordsController,
        ResourcesController,
        ArchiveController,
        DeletionsController,
        LegalHoldsController,
        ChangesController,
        ClonesController,
        TaskFilesController,
        DeviceFilesController,
        DevicesController,
        AgentsController,
        AttentionController,
        EmergencyStopsController,
        DrainsController,
        QueueController,
        UsageController,
        ReservationsController,
        ScheduleController,
        TokensController,
        TokenExchangeController,
        SessionsController,
        EnrolmentController,
        RolloutsController,
        AuditController,
        RefusalsController,
        EventsController,
        LogsController,
        WebhooksController,
        HealthController,
        MetricsController,
        DocsController,
        HomeController,
      ],
      providers: [
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_INTERCEPTOR, useClass: RequestInterceptor },
        IdempotencyInterceptor,
        AuditInterceptor,
        InputInterceptor,
        { provide: Keys, useValue: surroundings.keys },
        { provide: Authentication, useValue: surroundings.authentication },
        { provide: TokenStore, useValue: surroundings.tokens },
        { provide: PackageStore, useValue: surroundings.packages },
        { provide: SessionCookie, useValue: cookie },
        { provide: WrongTokens, useValue: wrongTokens },
        {
          provide: PipelineIssuers,
          useValue: surroundings.pipelines ?? PipelineIssuers.none,
        },
        { provide: SessionLife, useValue: surroundings.sessions ?? usualSessions },
        { provide: PageFiles, useValue: surroundings.page ?? PageFiles.none },
        {
          provide: AgentPackages,
          useFactory: () => new AgentPackages(surroundings.agentPackages, surroundings.enrolment.publicUrl),
        },
        {
          provide: Enrolments,
          inject: [Orchestrator, Requests],
          useFactory: (...parts: [Orchestrator, Requests]) =>
            new Enrolments(surroundings.enrolments, ...parts, surroundings.enrolment),
        },
        { provide: AuditRecorder, useValue: surroundings.audit },
        { provide: RefusalLog, useValue: surroundings.refusals },
        { provide: Requests, useValue: surroundings.requests },
        { provide: Announcements, useValue: surroundings.announcements },
        { provide: BrokerStatus, useValue: surroundings.broker },
        { provide: RecordReader, useValue: surroundings.records },
        { provide: FileStore, useValue: surroundings.files },
        { provide: DeviceFileStore, useValue: surroundings.deviceFiles },
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
          useFactory: () =>
            new WebhookSender(surroundings.outbound, surroundings.sealing, ({ id, created_by: principal }) =>
              surroundings.refusals.note({
                kind: 'webhook_address',
                principal,
                address: '',
                action: `deliver to webhook ${id}`,
                requestId: null,
              }),
            ),
        },
        {
          provide: WebhookDeliverer,
          inject: [WebhookStore, DeliveryStore, EventReader, RecordReader, WebhookSender],
          useFactory: (...parts: [WebhookStore, DeliveryStore, EventReader, RecordReader, WebhookSender]) =>
            new WebhookDeliverer(...parts, surroundings.deliverer),
        },
        { provide: LeaderWatch, useValue: surroundings.leaders ?? new LeaderWatch() },
        { provide: ReadinessOptions, useValue: surroundings.readiness ?? { lookEveryMs: 0 } },
        Readiness,
        { provide: Measurements, useValue: surroundings.measurements ?? Measurements.none() },
        { provide: MetricsAccess, useValue: { open: surroundings.openMetrics === true } },
        { provide: Secrets, useValue: new Secrets(surroundings.sealing) },
        { provide: FailoverWait, useValue: { ms: failoverMs } },
        Orchestrator,
        RecordLabs,
        RecordRoles,
        LoadedProtocols,
        { provide: TakenDevices, useValue: surroundings.taken ?? new TakenDevices() },
        DeviceLocator,
        DeviceCalls,
        { provide: HeldDevices, useValue: { needReason: surroundings.heldDevicesNeedReason !== false } },
        CallPermit,
        DeviceDetails,
        Estimates,
        {
          provide: EmergencyStops,
          inject: [Announcements, Requests],
          useFactory: (announcements: Announcements, requests: Requests) =>
            new EmergencyStops(
              announcements,
              requests,
              surroundings.stopReports ?? new StopReports(),
              surroundings.roster ?? new DeviceRoster(requests),
            ),
        },
        OpenApiDocument,
      ],
    };
  }
}
