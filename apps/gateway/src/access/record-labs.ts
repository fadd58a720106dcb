import { orchestratorRequests } from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';

/** Kinds of records that belong to labs: the route parameter that names a record, and the words for a missing record. */
export const recordKinds = {
  campaign: { parameter: 'campaign_name', words: 'campaign of that name' },
  protocol_run: { parameter: 'protocol_run_name', words: 'protocol run of that name' },
  task: { parameter: 'task_name', words: 'task of that name' },
  task_run: { parameter: 'id', words: 'task run with that id' },
  attempt: { parameter: 'id', words: 'attempt with that id' },
  attention: { parameter: 'id', words: 'attention item with that id' },
  resource: { parameter: 'resource_name', words: 'resource of that name' },
  agent: { parameter: 'computer', words: 'computer of that name' },
  reservation: { parameter: 'id', words: 'reservation with that id' },
} as const satisfies Record<string, { parameter: string; words: string }>;
export type RecordKind = keyof typeof recordKinds;

/** Finds the labs of the record that an address names. */
@Injectable()
export class RecordLabs {
  constructor(
    private readonly records: RecordReader,
    private readonly orchestrator: Orchestrator,
  ) {}

  /**
   * @returns the names of all labs of the record; empty: it has none, so that only a role for all labs counts;
   *   undefined: there is no such record
   * @throws ServiceError `store_unavailable`; for an agent or a reservation the error of the orchestrator
   */
  async of(
    kind: RecordKind,
    { params, query }: Pick<FastifyRequest, 'params' | 'query'>,
  ): Promise<readonly string[] | undefined> {
    const key = (params as Record<string, string>)[recordKinds[kind].parameter] ?? '';
    if (kind === 'agent') {
      const { agents } = await this.orchestrator.ask(orchestratorRequests.listAgents, {});
      return agents.find(({ computer }) => computer === key)?.labs;
    }
    if (kind === 'reservation') {
      const { reservations } = await this.orchestrator.ask(orchestratorRequests.listReservations, {});
      const reservation = reservations.find(({ id }) => id === key);
      return reservation && [reservation.lab];
    }
    if (kind !== 'task') return this.records.labsOf(kind, key);
    const { protocol_run_name: run } = query as Record<string, unknown>;
    // A repeated parameter names no task. The route refuses it as well.
    return run === undefined || typeof run === 'string' ? this.records.labsOf(kind, key, run) : undefined;
  }
}
