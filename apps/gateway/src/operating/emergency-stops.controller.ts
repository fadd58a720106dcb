import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Post, Res } from '@nestjs/common';
import {
  EmergencyStopRelease,
  EmergencyStopRequest,
  isServiceError,
  longestPage,
  orchestratorRequests,
  ServiceError,
  type EmergencyStopRecord,
  type EmergencyStopReport,
  type LabRights,
  type Page,
  type Principal,
} from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { actorName, anyLab, Caller, labFilter, Needs, Rights } from '../access/index.js';
import { emergencyStopRequests } from '../examples/index.js';
import { EachTime } from '../idempotency/index.js';
import { ListQuery, readListQuery, type PageRequest } from '../lists/index.js';
import { committed } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  Operation,
  OptionalBody,
  page,
  pathText,
  record,
  recordList,
} from '../routes/index.js';
import { EmergencyStops, reaches, type StopKnowledge } from './emergency-stops.js';

/** Longest wait for the record of an emergency stop, in milliseconds. */
const readMs = 300;

const StopId = pathText('id', {
  description: 'Identifier of the emergency stop.',
  example: '0198a4c2-3d1e-7b6a-9c55-2f6d1c0e8a77',
});

/** Every emergency stop in force. */
const inForce = readListQuery('emergency_stops', { limit: String(longestPage) })();

/** Emergency stops: of everything, a laboratory or a device. */
@Group('Operating')
@Needs('viewer')
@Controller('api/estop')
export class EmergencyStopsController {
  constructor(
    private readonly stops: EmergencyStops,
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  /** The operator of one lab may stop all labs: an emergency stop must not wait for a person with the right role. */
  @Needs('operator', { lab: anyLab })
  @EachTime()
  @Operation(
    'Engage an emergency stop',
    record(
      'EmergencyStopReport',
      'The emergency stop is recorded. `confirmed` says whether everything stopped.',
    ),
    {
      description:
        'Stops everything, a laboratory, or a device of a laboratory. The gateway notifies every agent at once, whatever the state of the orchestrator and the database. Each agent runs `_stop` on each of its devices in the scope, outside of all queues, and answers. The answer of the gateway comes within 2 s and names every device in the scope: stopped, still stopping, not reached, or unknown. Nothing starts in the scope until the emergency stop is released. It survives every restart. Status 202: the agents were notified and keep to the stop, but it is not recorded yet. Status 503: the broker took no notification; `errors` names the devices that may be moving.',
      problems: ['unknown_lab', 'unknown_device', 'service_unavailable'],
      further: { 202: record('EmergencyStopReport', 'The emergency stop is not recorded yet.') },
    },
  )
  @Post()
  async engage(
    @OptionalBody(EmergencyStopRequest, emergencyStopRequests) request: EmergencyStopRequest,
    @Caller() caller: Principal,
    @Rights() { see }: LabRights,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EmergencyStopReport> {
    const engaged = await this.stops.engage({ ...request, by: actorName(caller, request.by) }, see);
    const stored = engaged.recorded ? await this.stored(engaged.stop.id) : undefined;
    reply.code(engaged.recorded ? 201 : 202);
    return reportOf(engaged, stored);
  }

  /** A stop of everything concerns every lab, so a role for one lab shows it too. */
  @Needs('viewer', { lab: anyLab })
  @Operation(
    'Read an emergency stop, and ask all agents about it',
    record('EmergencyStopReport', 'What is known of every device in the scope at this moment.'),
    {
      description:
        'While the emergency stop is in force, the gateway asks every agent and waits up to 1 s for the answers. Repeat the request until `confirmed` is true to follow an emergency stop. A caller with roles for single laboratories reads those of everything and of these, and `devices` has only devices of these; `confirmed` counts all.',
      problems: ['not_found', 'service_unavailable', ...fromOrchestrator],
    },
  )
  @Get(':id')
  async read(@StopId() id: string, @Rights() { see }: LabRights): Promise<EmergencyStopReport> {
    const lately = this.stops.engaged(id);
    const stored = lately === undefined ? await this.records.emergencyStop(id) : await this.stored(id);
    const stop = stored ?? lately;
    if (stop === undefined || !reaches(stop.scope, see))
      throw new ServiceError('not_found', `There is no emergency stop "${id}".`);
    if (stored !== undefined && stored.released_at !== null)
      return { ...stored, confirmed: false, complete: true, devices: [] };
    const { scope, by, reason } = stop;
    return reportOf(await this.stops.look({ id, scope, by, reason }, see), stored);
  }

  @Needs('operator')
  @Operation('Release emergency stops', recordList('EmergencyStopRecord', 'The released emergency stops.'), {
    description:
      'Releases one emergency stop by its id, or every one in force. Devices that no other emergency stop covers take calls again.',
    problems: ['not_found', 'wrong_state', ...fromOrchestrator],
  })
  @Action('release')
  async release(
    @OptionalBody(EmergencyStopRelease, {
      all: { summary: 'Every emergency stop in force', value: { by: 'ada' } },
    })
    { id, by }: EmergencyStopRelease,
    @Caller() caller: Principal,
  ): Promise<EmergencyStopRecord[]> {
    // The list is read once: a request that is sent again after a failover must not release a newer emergency stop.
    const ids =
      id === undefined
        ? (await this.records.list('emergency_stops', inForce)).items.map((stop) => stop.id)
        : [id];
    for (const each of ids) {
      try {
        await this.orchestrator.ask(orchestratorRequests.releaseStop, {
          id: each,
          by: actorName(caller, by),
        });
      } catch (error) {
        const releasedMeanwhile = id === undefined && isServiceError(error) && error.code === 'wrong_state';
        if (!releasedMeanwhile) throw error;
      }
    }
    return Promise.all(ids.map((each) => this.recorded(each)));
  }

  /** A stop of everything concerns every lab, so a role for one lab shows it too. */
  @Needs('viewer', { lab: labFilter })
  @Operation('List emergency stops', page('EmergencyStopRecord', 'Those in force, newest first.'))
  @Get()
  async list(@ListQuery('emergency_stops') request: PageRequest): Promise<Page<EmergencyStopRecord>> {
    return request.pageOf(await this.records.list('emergency_stops', request));
  }

  /** The record, if the database has it and answers at once. */
  private async stored(id: string): Promise<EmergencyStopRecord | undefined> {
    try {
      const late = sleep(readMs, undefined, { ref: false });
      return await Promise.race([this.records.emergencyStop(id), late]);
    } catch (error) {
      if (isServiceError(error)) return undefined;
      throw error;
    }
  }

  private recorded(id: string): Promise<EmergencyStopRecord> {
    return committed(() => this.records.emergencyStop(id), `emergency stop ${id}`);
  }
}

function reportOf(
  { stop, confirmed, complete, devices }: StopKnowledge,
  stored: EmergencyStopRecord | undefined,
): EmergencyStopReport {
  const { engaged_at = null, released_at = null, released_by = null } = stored ?? {};
  return { ...stop, engaged_at, released_at, released_by, confirmed, complete, devices };
}
