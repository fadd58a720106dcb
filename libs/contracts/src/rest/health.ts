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
