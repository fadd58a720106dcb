import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  orchestratorRequests,
  type DeviceDetail,
  type DeviceRecord,
  type Page,
  type Principal,
} from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller, labFilter, Needs } from '../access/index.js';
import { readArguments, readFlag, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { portionOf, readPageRequest } from '../lists/index.js';
import { CallPermit } from './call-permit.js';
import { DeviceCalls } from './device-calls.js';
import { DeviceDetails } from './device-details.js';

/** Devices as they are, and direct calls of their functions. */
@Needs('viewer')
@Controller('api')
export class DevicesController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly calls: DeviceCalls,
    private readonly details: DeviceDetails,
    private readonly permit: CallPermit,
  ) {}

  /** A device belongs to the lab that the filter names, and to no other. */
  @Needs('viewer', { lab: labFilter })
  @Get('devices')
  async list(@Query() query: unknown): Promise<Page<DeviceRecord>> {
    const request = readPageRequest('devices', query);
    const { devices } = await this.orchestrator.ask(orchestratorRequests.listDevices, {});
    const idOf = ({ lab_name, name }: DeviceRecord): string => `${lab_name}.${name}`;
    return request.pageOf(portionOf(devices, 'devices', request, idOf, { lab: 'lab_name' }));
  }

  @Needs('viewer', { lab: 'lab_id' })
  @Get('labs/:lab_id/devices/:device_id')
  async find(
    @Param() { lab_id, device_id }: Record<'lab_id' | 'device_id', string>,
    @Query() query: unknown,
  ): Promise<DeviceDetail> {
    const { report } = readQuery(query, ['report'] as const);
    return this.details.find(lab_id, device_id, { report: readFlag('report', report) });
  }

  @Needs('operator', { lab: 'lab_id' })
  @Post('rpc/:lab_id/:device_id/:function_name')
  @HttpCode(200)
  async call(
    @Param() { lab_id, device_id, function_name }: Record<'lab_id' | 'device_id' | 'function_name', string>,
    @Body() body: unknown,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const parameters = readArguments(body);
    const permit = this.permit.of(request, caller, { function: function_name, arguments: parameters });
    const result = await this.calls.call(lab_id, device_id, function_name, parameters, permit);
    // A string must arrive as JSON too, so the reply is written out here.
    await reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
  }
}
