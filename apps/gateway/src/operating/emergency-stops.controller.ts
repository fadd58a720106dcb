import { Controller, Get, Post } from '@nestjs/common';
import {
  EmergencyStopRelease,
  EmergencyStopRequest,
  isServiceError,
  longestPage,
  orchestratorRequests,
  type EmergencyStopRecord,
  type Page,
  type Principal,
} from '@lab/contracts';
import { ApiTags } from '@nestjs/swagger';
import { actorName, anyLab, Caller, Needs } from '../access/index.js';
import { emergencyStopRequests } from '../examples/index.js';
import { EachTime } from '../idempotency/index.js';
import { ListQuery, readListQuery, type PageRequest } from '../lists/index.js';
import { committed } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  fromOrchestrator,
  Operation,
  OptionalBody,
  page,
  record,
  recordList,
} from '../routes/index.js';
import { EmergencyStops } from './emergency-stops.js';

/** Every emergency stop in force. */
const inForce = readListQuery('emergency_stops', { limit: String(longestPage) })();

/** Emergency stops: of everything, a laboratory or a device. */
@ApiTags('Operating')
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
    record('EmergencyStopRecord', 'The agents were notified, and the emergency stop is recorded.'),
    {
      description:
        'Stops everything, a laboratory, or a device of a laboratory. The gateway notifies every agent at once, whatever the state of the orchestrator and the database. Each agent runs `_stop` on each of its devices in the scope, outside of all queues. Nothing starts in the scope until the emergency stop is released. It survives every restart. Status 503 with the effect `done` means: the agents were notified and keep to it, but the emergency stop is not recorded yet.',
      problems: ['unknown_lab', 'unknown_device'],
    },
  )
  @Post()
  async engage(
    @OptionalBody(EmergencyStopRequest, emergencyStopRequests) request: EmergencyStopRequest,
    @Caller() caller: Principal,
  ): Promise<EmergencyStopRecord> {
    return this.recorded(await this.stops.engage({ ...request, by: actorName(caller, request.by) }));
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

  @Operation('List emergency stops', page('EmergencyStopRecord', 'Those in force, newest first.'))
  @Get()
  async list(@ListQuery('emergency_stops') request: PageRequest): Promise<Page<EmergencyStopRecord>> {
    return request.pageOf(await this.records.list('emergency_stops', request));
  }

  private recorded(id: string): Promise<EmergencyStopRecord> {
    return committed(() => this.records.emergencyStop(id), `emergency stop ${id}`);
  }
}
