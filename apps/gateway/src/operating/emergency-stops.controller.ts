import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
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
import { actorName, anyLab, Caller, Needs } from '../access/index.js';
import { DtoPipe, readQuery } from '../routes/index.js';
import { EachTime } from '../idempotency/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { readPageRequest } from '../lists/index.js';
import { committed } from '../lookup/index.js';
import { EmergencyStops } from './emergency-stops.js';

/** All that may be in force at once. */
const inForce = readPageRequest('emergency_stops', { limit: String(longestPage) });

/** Emergency stops: of everything, a laboratory or a device. */
@Needs('viewer')
@Controller('api/estop')
export class EmergencyStopsController {
  constructor(
    private readonly stops: EmergencyStops,
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  /** Whoever answers for one lab may stop all of them: a stop must not wait for somebody with the right to it. */
  @Needs('operator', { lab: anyLab })
  @EachTime()
  @Post()
  async engage(
    @Body(DtoPipe.orNothing(EmergencyStopRequest)) request: EmergencyStopRequest,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<EmergencyStopRecord> {
    readQuery(query, []);
    return this.recorded(await this.stops.engage({ ...request, by: actorName(caller, request.by) }));
  }

  @Needs('operator')
  @Post('release')
  @HttpCode(200)
  async release(
    @Body(DtoPipe.orNothing(EmergencyStopRelease)) { id, by }: EmergencyStopRelease,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<EmergencyStopRecord[]> {
    readQuery(query, []);
    // Which ones is settled once: a request that is asked again after a failover must not release a newer stop.
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

  @Get()
  async list(@Query() query: unknown): Promise<Page<EmergencyStopRecord>> {
    const request = readPageRequest('emergency_stops', query);
    return request.pageOf(await this.records.list('emergency_stops', request));
  }

  private recorded(id: string): Promise<EmergencyStopRecord> {
    return committed(() => this.records.emergencyStop(id), `emergency stop ${id}`);
  }
}
