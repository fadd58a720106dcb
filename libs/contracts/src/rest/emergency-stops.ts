import { Described, Field, Optional, orNull, text, time } from './fields/field.js';
import { by, definedName, line } from './fields/inputs.js';

/** Emergency stop (`POST /api/estop`) of a device, of a laboratory, or of everything. */
export class EmergencyStopRequest {
  @Optional(definedName('Laboratory to stop. Absent: all laboratories.', 'color_lab')) lab_name?: string;
  @Optional(definedName('Device of that laboratory. Absent: all devices of the laboratory.', 'robot_arm'))
  device_name?: string;
  @Optional(line([0, 2_000], 'Reason. The service shows it wherever it refuses work.', 'spill on the bench'))
  reason?: string;
  @Optional(by()) by?: string;
}

/** Releases emergency stops (`POST /api/estop/release`). */
export class EmergencyStopRelease {
  @Optional(line([1, 200], 'Id of the emergency stop. Absent: every emergency stop in force.')) id?: string;
  @Optional(by()) by?: string;
}

/** Times are ISO 8601 in UTC. */
@Described('An emergency stop.')
export class EmergencyStopRecord {
  @Field(text('Unique identifier.')) id!: string;
  @Field(text('`all`, `lab:<lab>` or `device:<lab>.<device>`.', 'lab:color_lab')) scope!: string;
  @Field(text('Reason.', 'spill on the bench')) reason!: string;
  @Field(text('Person who engaged the emergency stop.', 'ada')) by!: string;
  @Field(time('When the service recorded the emergency stop.')) engaged_at!: string;
  @Field(orNull(time('When a person released it; null while it is in force.'))) released_at!: string | null;
  @Field(orNull(text('Person who released it.'))) released_by!: string | null;
}
