import { Described, Field, Optional, orNull, text, time } from './fields/field.js';
import { by, definedName, line, moment } from './fields/inputs.js';

/** Greatest number of days from now to the end of a reservation. */
export const longestReservationDays = 30;

/** A person reserves a device or a resource for a time (`POST /api/reservations`). */
export class ReservationRequest {
  @Field(definedName('Laboratory of the device or resource.', 'color_lab')) lab!: string;
  @Optional(definedName('Device to reserve. Either this or `resource`.', 'robot_arm')) device?: string;
  @Optional(definedName('Resource to reserve. Either this or `device`.', 'beaker_1')) resource?: string;
  @Field(moment('When the reservation begins. A time that is past means now.', '2026-11-23T14:00:00Z'))
  from!: string;
  @Field(
    moment(
      `When the reservation ends by itself: later than \`from\` and than now, at most ${longestReservationDays} days from now.`,
      '2026-11-23T16:00:00Z',
    ),
  )
  to!: string;
  @Field(line([1, 2_000], 'Reason. The service shows it to everybody who waits.', 'calibration of the arm'))
  reason!: string;
  @Optional(by()) by?: string;
}

@Described(
  'A device or resource that a person has reserved for a time. Only tasks of this person start on it during that time.',
)
export class ReservationRecord {
  @Field(text('Id of the reservation.', '0190c0de-0000-7000-8000-00000000000d')) id!: string;
  @Field(text('Laboratory of the device or resource.', 'color_lab')) lab!: string;
  @Field(orNull(text('Reserved device; null: a resource is reserved.', 'robot_arm'))) device!: string | null;
  @Field(orNull(text('Reserved resource; null: a device is reserved.', 'beaker_1'))) resource!: string | null;
  @Field(text('Person who has reserved it.', 'ada')) by!: string;
  @Field(text('Reason.', 'calibration of the arm')) reason!: string;
  @Field(time('When the reservation begins.')) from!: string;
  @Field(time('When the reservation ends by itself.')) to!: string;
  @Field(time('When the person made the reservation.')) created_at!: string;
}
