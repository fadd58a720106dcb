import { deviceMotion, lastKnown, type DeviceMotion, type LastKnown } from './devices.js';
import { Described, Field, Optional, choice, flag, list, orNull, text, time } from './fields/field.js';
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

/** What is known of a device in the scope of an emergency stop. */
export const stoppedDeviceStates = ['stopped', 'stopping', 'not_reached', 'unknown'] as const;
export type StoppedDeviceState = (typeof stoppedDeviceStates)[number];

/** A device in the scope of an emergency stop in force. */
export class StoppedDevice {
  @Field(text('Laboratory.', 'color_lab')) lab_name!: string;
  @Field(text('Name within the laboratory.', 'robot_arm')) name!: string;
  @Field(text('Computer whose agent runs the device.', 'bench_b')) computer!: string;
  @Field(
    choice(
      stoppedDeviceStates,
      '`stopped`: its agent says that nothing of it moves. `stopping`: its agent has the stop, and a call or `_stop` is in progress. `not_reached`: its agent has not answered. `unknown`: its agent cannot know whether the instrument stands still, or does not run the device.',
    ),
  )
  state!: StoppedDeviceState;
  @Field(orNull(text('Why the device is not `stopped`, in words; null when it is.'))) detail!: string | null;
  @Field(orNull(text('Task run that holds the device.', 'mix_1/mix_colors'))) held_by!: string | null;
  @Field(orNull(deviceMotion)) doing!: DeviceMotion | null;
  @Field(orNull(lastKnown)) last_known!: LastKnown | null;
}

/** Times are ISO 8601 in UTC. */
@Described('An emergency stop, and what is known of every device in its scope.')
export class EmergencyStopReport {
  @Field(text('Unique identifier.')) id!: string;
  @Field(text('`all`, `lab:<lab>` or `device:<lab>.<device>`.', 'lab:color_lab')) scope!: string;
  @Field(text('Reason.', 'spill on the bench')) reason!: string;
  @Field(text('Person who engaged the emergency stop.', 'ada')) by!: string;
  @Field(orNull(time('When the service recorded the emergency stop; null: it is not recorded yet.')))
  engaged_at!: string | null;
  @Field(orNull(time('When a person released it; null while it is in force.'))) released_at!: string | null;
  @Field(orNull(text('Person who released it.'))) released_by!: string | null;
  @Field(
    flag(
      'True: all devices in the scope are known, and the agent of each says that it is stopped. False also after the release.',
    ),
  )
  confirmed!: boolean;
  @Field(
    flag(
      'False: the orchestrator does not say which devices are in the scope, so that devices of silent computers may be missing.',
    ),
  )
  complete!: boolean;
  @Field(list(StoppedDevice, 'The devices in the scope, by laboratory and name; none after the release.'))
  devices!: StoppedDevice[];
}
