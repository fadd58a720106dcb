import { Field, choice, integer, object, optional, orNull, text, time, type TypeOf } from './fields/field.js';

const status = ['ok', 'degraded', 'unavailable'] as const;

const partHealth = object({
  status: choice(status),
  detail: optional(text('How much of the part there is, or why its status is not `ok`.')),
  since: optional(time('Since when the part has this status, as far as the gateway knows; absent for `ok`.')),
});
export type PartHealth = TypeOf<typeof partHealth>;

const parts = object({
  gateway: partHealth,
  broker: partHealth,
  database: partHealth,
  orchestrator: partHealth,
  agents: partHealth,
  packages: partHealth,
});
export type PartName = keyof TypeOf<typeof parts>;

/** Whether the service can do its work (`GET /health/ready`). */
export class HealthReport {
  @Field(
    choice(
      status,
      '`unavailable`: a part that requests need is unavailable. `degraded`: a part does less than it should.',
    ),
  )
  status!: PartHealth['status'];
  @Field(orNull(integer('Leadership epoch of the orchestrator that answered; null: none answered.', 3)))
  epoch!: number | null;
  @Field(parts) parts!: TypeOf<typeof parts>;
}

const work = object(
  {
    waiting: integer('Task runs that have not started.', 5),
    running: integer('Task runs that run.', 2),
    open_questions: integer('Attention items that wait for a person; 500 means 500 or more.', 1),
  },
  'null: the caller has no role `viewer` for all laboratories, or the service cannot tell at this moment.',
);
export type WorkAtAGlance = TypeOf<typeof work>;

const schema = object({
  latest: text('Last migration of the database.', '0017_schema_reader'),
  oldest_reader: text(
    'Last migration of the oldest release that works with the database.',
    '0017_schema_reader',
  ),
  known: text('Last migration that the gateway knows.', '0017_schema_reader'),
});

const release = object(
  {
    orchestrator: text('Version of the orchestrator that leads.', '0.2.0'),
    schema,
  },
  'What an upgrade begins with. null: the caller has no role `viewer` for all laboratories, or the service cannot tell at this moment.',
);
export type RunningRelease = TypeOf<typeof release>;

const links = object(
  {
    api: text('Description of the REST interface.', '/docs'),
    guide: text('The guide, in Markdown.', '/guide/README.md'),
    health: text('Whether the service can do its work.', '/health/ready'),
    metrics: text('Metrics for Prometheus.', '/metrics'),
  },
  'Where to go on.',
);

/** What the service is, how it is, and where to go on (`GET /`). */
export class ServiceSummary {
  @Field(text('What this is.', 'Laboratory orchestration service')) name!: string;
  @Field(text('Version of the program.', '0.1.0')) version!: string;
  @Field(HealthReport) health!: HealthReport;
  @Field(orNull(work)) work!: WorkAtAGlance | null;
  @Field(orNull(release)) release!: RunningRelease | null;
  @Field(links) links!: TypeOf<typeof links>;
}
