import { Controller, Get, Req, Res } from '@nestjs/common';
import {
  DeviceDisable,
  DeviceRestart,
  isInline,
  maxInlineBytes,
  orchestratorRequests,
  ServiceError,
  type DeviceDetail,
  type DeviceRecord,
  type JsonObject,
  type Page,
  type Principal,
} from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Actor, actorName, Caller, labFilter, Needs, type Acting } from '../access/index.js';
import { AuditedLater } from '../audit/index.js';
import { rpcParameters } from '../examples/index.js';
import { ListQuery, portionOf, type PageRequest } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import {
  Action,
  Body,
  fromOrchestrator,
  Group,
  json,
  JsonBody,
  Operation,
  page,
  pathText,
  QueryFlag,
  record,
} from '../routes/index.js';
import { CallPermit, ForcedCall, type Force } from './call-permit.js';
import { DeviceCalls } from './device-calls.js';
import { DeviceDetails } from './device-details.js';

const LabId = pathText('lab_id', { description: 'Name of the laboratory.', example: 'color_lab' });
const DeviceId = pathText('device_id', { description: 'Name of the device.', example: 'station_1' });
/** Errors of a request that reaches the agent of a device. */
const fromAgent = [
  'unknown_lab',
  'unknown_device',
  'device_error',
  'device_unavailable',
  'agent_unreachable',
  'stale_message',
  ...fromOrchestrator,
] as const;

/** Devices as they are now, and direct calls of their functions. */
@Group('Devices')
@Needs('viewer')
@Controller('api')
export class DevicesController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly calls: DeviceCalls,
    private readonly details: DeviceDetails,
    private readonly permit: CallPermit,
  ) {}

  /** A device belongs to one lab, so the filter by lab already restricts the list to the labs of the caller. */
  @Needs('viewer', { lab: labFilter })
  @Operation('List devices as they are now', page('DeviceRecord', 'By laboratory and name.'), {
    problems: fromOrchestrator,
  })
  @Get('devices')
  async list(@ListQuery('devices') request: PageRequest): Promise<Page<DeviceRecord>> {
    const { devices } = await this.orchestrator.ask(orchestratorRequests.listDevices, {});
    const idOf = ({ lab_name, name }: DeviceRecord): string => `${lab_name}.${name}`;
    return request.pageOf(portionOf(devices, 'devices', request, idOf, { lab: 'lab_name' }));
  }

  @Needs('viewer', { lab: 'lab_id' })
  @Operation(
    'Read a device, with the descriptions and parameters of its functions',
    record('DeviceDetail', 'The device as it is now.'),
    {
      problems: fromAgent,
    },
  )
  @Get('labs/:lab_id/devices/:device_id')
  find(
    @LabId() lab: string,
    @DeviceId() device: string,
    @QueryFlag('report', 'True: the service also asks the device for its report.') report: boolean,
  ): Promise<DeviceDetail> {
    return this.details.find(lab, device, { report });
  }

  @Needs('operator', { lab: 'lab_id' })
  @Operation(
    'Take a device out of service: no task starts on it',
    record('DeviceDetail', 'The device out of service.'),
    {
      description:
        'A running task continues to its end. Tasks that need the device wait, also the next tasks of a run that holds it. The device goes on running, and people can call it. It comes back at `until`, or when a person puts it back. A repeated request replaces reason and time.',
      problems: ['unknown_lab', 'unknown_device', ...fromOrchestrator],
    },
  )
  @Action('labs/:lab_id/devices/:device_id/disable')
  async disable(
    @LabId() lab: string,
    @DeviceId() device: string,
    @JsonBody(DeviceDisable, {
      repair: { summary: 'Until a repair', value: { reason: 'the gripper is broken', by: 'ada' } },
    })
    { reason, until, by }: DeviceDisable,
    @Caller() caller: Principal,
  ): Promise<DeviceDetail> {
    const asked = { lab, device, reason, until: until ?? null, by: actorName(caller, by) };
    await this.orchestrator.ask(orchestratorRequests.disableDevice, asked);
    return this.details.find(lab, device, { report: false });
  }

  @Needs('operator', { lab: 'lab_id' })
  @Operation('Put a device back into service', record('DeviceDetail', 'The device in service.'), {
    description: 'The request can be repeated.',
    problems: ['unknown_lab', 'unknown_device', ...fromOrchestrator],
  })
  @Action('labs/:lab_id/devices/:device_id/enable')
  async enable(
    @LabId() lab: string,
    @DeviceId() device: string,
    @Actor() { by }: Acting,
  ): Promise<DeviceDetail> {
    await this.orchestrator.ask(orchestratorRequests.enableDevice, { lab, device, by });
    return this.details.find(lab, device, { report: false });
  }

  @Needs('operator', { lab: 'lab_id' })
  @Operation('Restart a device', record('DeviceDetail', 'The device; its restart has begun.'), {
    description:
      'The device takes no more calls, its process runs `_cleanup` and ends, and a new process runs `_initialize`. Refused while a task or run holds the device, unless it is faulted or uncertain; while a call of it runs; and under an emergency stop. A device in doubt asks its driver again, and stays in doubt.',
    problems: ['unknown_lab', 'unknown_device', 'wrong_state', 'agent_unreachable', ...fromOrchestrator],
  })
  @Action('labs/:lab_id/devices/:device_id/restart', 202)
  async restart(
    @LabId() lab: string,
    @DeviceId() device: string,
    @JsonBody(DeviceRestart, {
      cable: { summary: 'A loose cable', value: { reason: 'the serial cable was loose', by: 'ada' } },
    })
    { reason, by }: DeviceRestart,
    @Caller() caller: Principal,
  ): Promise<DeviceDetail> {
    const asked = { lab, device, reason, by: actorName(caller, by) };
    await this.orchestrator.ask(orchestratorRequests.restartDevice, asked);
    return this.details.find(lab, device, { report: false });
  }

  @Needs('operator', { lab: 'lab_id' })
  @AuditedLater()
  @Operation(
    'Call a function of a device',
    {
      description: 'The value that the function returned; null when it returned nothing.',
      content: json({}, null),
    },
    {
      description:
        'The call goes straight to the device, without validation, allocation and scheduling. The body maps parameter names to values and may be empty. The service refuses a function that is no query (`device_in_use`) while a task holds the device, unless the caller forces it with a reason. With authentication on, and for a forced call, it writes the call into the audit before it makes the call.',
      problems: [...fromAgent, 'unknown_function', 'device_in_use', 'late_message', 'aborted'],
    },
  )
  @Action('rpc/:lab_id/:device_id/:function_name')
  async call(
    @LabId() lab: string,
    @DeviceId() device: string,
    @(pathText('function_name', {
      description: 'Name of a function that the device declares.',
      example: 'status',
    })())
    name: string,
    @ForcedCall() force: Force,
    @Body(
      {
        schema: { type: 'object', additionalProperties: true },
        required: false,
        examples: rpcParameters,
      },
      readArguments,
    )
    parameters: JsonObject,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const permit = this.permit.of(request, caller, { function: name, arguments: parameters }, force);
    const by = actorName(caller, force.by);
    const result = await this.calls.call(lab, device, name, parameters, by, permit);
    // Nest sends a string as plain text. It must arrive as JSON too.
    await reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
  }
}

/** @throws ServiceError `invalid` */
function readArguments(body: unknown): JsonObject {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ServiceError('invalid', 'The body must be a JSON object of parameter name to value.', {
      faults: [
        { path: '', code: 'type', message: 'must be a JSON object', hint: 'For example {"volume": 2.5}.' },
      ],
    });
  if (isInline(body)) return body as JsonObject;
  const most = `${maxInlineBytes / 1024} KiB`;
  throw new ServiceError('invalid', `The parameters are larger than the ${most} that a call may have.`, {
    faults: [{ path: '', code: 'isInline', message: `must be at most ${most} as JSON` }],
  });
}
