import { orchestratorEvents } from '@lab/contracts';
import type { Measures } from '@lab/engine';
import type { Bus } from '@lab/messaging';

/** Tells which devices each commit gave to tasks, before any message about these tasks is sent. */
export function tellingTaken(bus: Bus, measures: Measures | undefined): Measures {
  return {
    begin: (what) => measures?.begin(what) ?? (() => undefined),
    committed(changes) {
      measures?.committed(changes);
      const devices = changes.flatMap((change) =>
        (change.op === 'claim' || change.op === 'pass') && change.kind === 'device' ? [change.key] : [],
      );
      if (devices.length > 0 && bus.connected) bus.publish(orchestratorEvents.devicesTaken, {}, { devices });
    },
  };
}
