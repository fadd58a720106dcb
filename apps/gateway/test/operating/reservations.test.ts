import { describe, expect, it } from 'vitest';
import { orchestratorRequests as requests, ServiceError, type ReservationRecord } from '@lab/contracts';
import { expectProblem, sharedHarness } from '../twins.js';
import { reservation } from '../color-lab-records.js';

const gateway = sharedHarness();

const at = '/api/reservations';
const window = { from: reservation.from, to: reservation.to };
const body = { lab: 'color_lab', device: 'robot_arm', ...window, reason: 'calibration', by: 'ada' };

describe('a reservation', () => {
  it('is requested for a device or a resource, with actor, time and reason', async () => {
    gateway.requests.on(requests.addReservation, () => reservation);
    const { device: _device, by: _by, ...rest } = body;
    const answers = [
      await gateway.send('POST', at, body),
      await gateway.send('POST', at, { ...rest, resource: 'beaker_1' }),
    ];
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([201, reservation]);
    expect(gateway.requests.of(requests.addReservation).map((asked) => asked.body)).toEqual([
      { ...body, resource: null },
      { ...rest, device: null, resource: 'beaker_1', by: 'unknown' },
    ]);
  });

  it.each([
    ['lab', { ...body, lab: undefined }],
    ['reason', { ...body, reason: '' }],
    ['from', { ...body, from: '14:00' }],
    ['to', { ...body, to: '2026-11-23T16:00:00' }],
    ['until', { ...body, until: body.to }],
  ])('is refused when %s is wrong', async (path, wrong) => {
    const answer = await gateway.send('POST', at, wrong);
    expectProblem(answer, 422, 'invalid');
    expect(answer.body.errors?.[0]).toMatchObject({ path });
    expect(gateway.requests.sent).toEqual([]);
  });

  it('is refused with the words of the orchestrator when it overlaps with another', async () => {
    gateway.requests.on(requests.addReservation, () => {
      throw new ServiceError('wrong_state', 'it is reserved by bob');
    });
    const answer = await gateway.send('POST', at, body);
    expectProblem(answer, 409, 'wrong_state');
    expect(answer.body.detail).toBe('it is reserved by bob');
  });

  it('is listed by its beginning, filtered and in pages', async () => {
    const beaker: ReservationRecord = {
      ...reservation,
      ...{ id: 'later', lab: 'wet_lab', device: null, resource: 'beaker_1' },
      from: '2026-11-24T14:00:00.000Z',
    };
    gateway.requests.on(requests.listReservations, () => ({ reservations: [beaker, reservation] }));
    const listed = async (query: string): Promise<unknown> =>
      (await gateway.send('GET', at + query)).body.items;
    expect(await listed('')).toEqual([reservation, beaker]);
    expect(await listed('?limit=1')).toEqual([reservation]);
    expect(await listed('?lab=wet_lab')).toEqual([beaker]);
    expect(await listed('?device=robot_arm')).toEqual([reservation]);
    expect(await listed('?resource=beaker_1&by=ada')).toEqual([beaker]);
    expect(await listed('?by=bob')).toEqual([]);
  });

  it('is ended by its id, with the actor', async () => {
    gateway.requests.on(requests.endReservation, () => reservation);
    const path = `${at}/${reservation.id}/end`;
    expect((await gateway.send('POST', path, { by: 'eve' })).body).toEqual(reservation);
    expect(gateway.requests.of(requests.endReservation)[0]?.body).toEqual({ id: reservation.id, by: 'eve' });
    gateway.requests.on(requests.endReservation, () => {
      throw new ServiceError('not_found', 'it has ended');
    });
    expectProblem(await gateway.send('POST', path), 404, 'not_found');
  });
});
