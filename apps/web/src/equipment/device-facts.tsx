import type { DeviceRecord } from '@lab/api-client';
import { deviceTone, type Words } from '@lab/web-model';
import type { ReactNode } from 'react';
import { State } from '../design/index.js';
import { useWords } from '../settings/index.js';

type Facts = Pick<DeviceRecord, 'state' | 'halted' | 'out_of_service' | 'doing' | 'detail'>;

/** The state of a device in a word: an emergency stop counts more than anything else. */
export function DeviceState({ device }: { device: Facts }): ReactNode {
  const words = useWords();
  const { state, halted, out_of_service: outage } = device;
  return (
    <State tone={deviceTone(device)}>
      {halted === null ? words.state(outage === null ? state : 'disabled') : words.say('device.halted')}
    </State>
  );
}

/** What a device does, and why it takes no work. @param now milliseconds since 1970 */
export function factsOf(
  words: Words,
  { halted, out_of_service: outage, doing, detail }: Facts,
  now: number,
): string[] {
  return [
    ...(doing === null
      ? []
      : [
          words.say('devices.doing', {
            name: doing.function,
            age: words.age(now - Date.parse(doing.since)),
          }),
        ]),
    ...(halted === null ? [] : [halted]),
    ...(outage === null ? [] : [words.say('device.out', { reason: outage.reason, by: outage.by })]),
    ...(detail === null || detail === halted ? [] : [detail]),
  ];
}
