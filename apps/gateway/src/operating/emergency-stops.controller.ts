import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import {
  EmergencyStopRelease,
  EmergencyStopRequest,
  isServiceError,
  orchestratorRequests,
  type EmergencyStopRecord,
  type Principal,
} from '@lab/contracts';
import { Caller } from '../access/caller.js';
import { Needs } from '../access/needs.js';
import { DtoPipe } from '../http/dto-pipe.js';
import { maxLimit, readFlag, readQuery } from '../http/request-input.js';
import { Orchestrator } from '../orchestrator.js';
import { RecordReader } from '../ports.js';
import { actorName } from '../work/ownership.js';
import { committed } from '../work/records.js';
import { EmergencyStops } from './emergency-stops.js';

/** Emergency stops: of everything, a laboratory or a device. */
@Needs('viewer')
@Controller('api/estop')
export class EmergencyStopsController {
  constructor(
    private readonly stops: EmergencyStops,
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('operator', { lab: 'lab_name' })
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
        ? (await this.records.emergencyStops({ released: false, limit: maxLimit })).map((stop) => stop.id)
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
  list(@Query() query: unknown): Promise<EmergencyStopRecord[]> {
    const { all } = readQuery(query, ['all'] as const);
    return this.records.emergencyStops({ released: readFlag('all', all), limit: maxLimit });
  }

  private recorded(id: string): Promise<EmergencyStopRecord> {
    return committed(() => this.records.emergencyStop(id), `emergency stop ${id}`);
  }
}
