import { isGivenUp, isInDoubt, type DeviceStatus } from '@lab/contracts';

/** Says whether the device stays out of use until a person decides: its state is unknown, or it is given up. */
export function needsPerson(status: DeviceStatus): boolean {
  return isGivenUp(status.state) || mayHaveMoved(status);
}

/** Says whether the state of the device is unknown: it may be in the middle of a call. */
export function mayHaveMoved(status: DeviceStatus): boolean {
  return isInDoubt(status.state) || status.doubt !== undefined;
}
