import { Controller, Get, Post } from '@nestjs/common';
import {
  orchestratorRequests,
  ReservationRequest,
  type Page,
  type Principal,
  type ReservationRecord,
} from '@lab/contracts';
import { Actor, actorName, Caller, labFilter, Needs, type Acting } from '../access/index.js';
import { ListQuery, portionOf, type PageRequest } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  page,
  record,
  ReservationId,
} from '../routes/index.js';

const examples = {
  device: {
    summary: 'A device for two hours',
    value: {
      lab: 'color_lab',
      device: 'robot_arm',
      from: '2026-11-23T14:00:00Z',
      to: '2026-11-23T16:00:00Z',
      reason: 'calibration of the arm',
      by: 'ada',
    },
  },
};

/** Reservations: in their time, only tasks of one person start on a device or resource. */
@Group('Operating')
@Controller('api/reservations')
export class ReservationsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  /** A reservation belongs to one lab, so the filter by lab already restricts the list to the labs of the caller. */
  @Needs('viewer', { lab: labFilter })
  @Operation('List the reservations that have not ended', page('ReservationRecord', 'By their beginning.'), {
    problems: fromOrchestrator,
  })
  @Get()
  async list(@ListQuery('reservations') request: PageRequest): Promise<Page<ReservationRecord>> {
    const { reservations } = await this.orchestrator.ask(orchestratorRequests.listReservations, {});
    return request.pageOf(portionOf(reservations, 'reservations', request, ({ id }) => id));
  }

  @Needs('operator', { lab: 'lab' })
  @Operation('Reserve a device or a resource for a time', record('ReservationRecord', 'The reservation.'), {
    description:
      'In this time only tasks whose owner is the person of the reservation start on it. Before, a task of somebody else starts only if it is expected to end by `from`, and an on-demand task without a learned duration not within the hour before `from`. A running task continues to its end. The reservation ends at `to`. A time that overlaps with another reservation of the same device or resource is refused.',
    problems: ['unknown_lab', 'unknown_device', 'not_found', 'wrong_state', ...fromOrchestrator],
  })
  @Post()
  add(
    @JsonBody(ReservationRequest, examples) { device, resource, by, ...asked }: ReservationRequest,
    @Caller() caller: Principal,
  ): Promise<ReservationRecord> {
    return this.orchestrator.ask(orchestratorRequests.addReservation, {
      ...asked,
      device: device ?? null,
      resource: resource ?? null,
      by: actorName(caller, by),
    });
  }

  @Needs('operator', { of: 'reservation' })
  @Operation('End a reservation early', record('ReservationRecord', 'The reservation that has ended.'), {
    description: 'A reservation that has not begun can be ended as well.',
    problems: fromOrchestrator,
  })
  @Action(':id/end')
  end(@ReservationId() id: string, @Actor() { by }: Acting): Promise<ReservationRecord> {
    return this.orchestrator.ask(orchestratorRequests.endReservation, { id, by });
  }
}
