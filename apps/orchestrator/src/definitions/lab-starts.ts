import { ServiceError, type LoadedDevice, type ModuleReference } from '@lab/contracts';
import type { UnfinishedWork } from '@lab/engine';
import type { Clock, Timers } from '@lab/ports';
import type { LoadedSet } from '../loaded/index.js';
import { awaitStarts } from './device-starts.js';
import type { Difference } from './lab-difference.js';
import { refuseInUse, type Loading } from './loading.js';

/** Makes changes of laboratories whose devices must start. */
export class LabStarts {
  stopped = false;

  constructor(
    private readonly loading: Loading,
    private readonly ports: { clock: Clock; timers: Timers },
  ) {}

  /**
   * Makes the set the loaded one. First the agents get the code of the devices that are to start, while the earlier version works. If
   * one of the devices does not start, or `commit` fails, the whole change is taken back.
   *
   * @param started the devices that are to start, by laboratory
   * @param guard refuses the change because of unfinished work
   * @param commit called when the devices are usable; default: notes what is loaded
   * @returns the devices, by laboratory
   * @throws ServiceError as of `awaitStarts`; `device_unavailable` with effect none when an agent does not have the code; what
   *   `guard` and `commit` throw
   */
  async start(
    next: LoadedSet,
    started: ReadonlyMap<string, ReadonlySet<string>>,
    guard?: (work: UnfinishedWork[]) => void,
    commit: () => Promise<void> = () => this.loading.remember(),
  ): Promise<Map<string, LoadedDevice[]>> {
    const before = this.loading.current;
    const { engine, definitions, log } = this.loading.parts;
    const begun = this.ports.clock.now();
    // Nothing is fetched for a change that is refused.
    guard?.(engine.views.unfinishedWork());
    const starting = startingDevices(next, started);
    demandCode(starting, await engine.provideCode(codeOf(starting)));
    definitions.starting = new Set([...started.keys()].filter((name) => !before.labs.has(name)));
    try {
      const since = this.ports.clock.now();
      await this.loading.apply(next, guard);
      const ports = { engine, ...this.ports, stopped: () => this.stopped };
      const starts = await Promise.allSettled(
        [...started].map(async ([name, devices]): Promise<[string, LoadedDevice[]]> => [
          name,
          await awaitStarts(ports, name, devices, { since, begun }),
        ]),
      );
      const failed = starts.find((start) => start.status === 'rejected');
      const error: unknown =
        failed === undefined
          ? await commit().then(
              () => undefined,
              (thrown: unknown) => thrown,
            )
          : failed.reason;
      if (error !== undefined) {
        log.error('laboratories could not be started; what was loaded before stays', {
          labs: [...started.keys()],
          error,
        });
        if (!this.stopped) await this.loading.apply(before);
        throw error;
      }
      return new Map(starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : [])));
    } finally {
      definitions.starting = new Set();
    }
  }
}

/** A device that is to start, with its code. */
interface StartingDevice {
  lab: string;
  name: string;
  computer: string;
  module: ModuleReference;
}

function startingDevices(
  next: LoadedSet,
  started: ReadonlyMap<string, ReadonlySet<string>>,
): StartingDevice[] {
  return [...started].flatMap(([lab, names]) =>
    [...names].flatMap((name) => {
      const version = next.labs.get(lab);
      const device = version?.lab.devices[name];
      const module = device && version?.devices.get(device.type)?.module;
      return module === undefined ? [] : [{ lab, name, computer: device?.computer ?? '', module }];
    }),
  );
}

/** The code of devices, once for each computer. */
function codeOf(devices: readonly StartingDevice[]): { computer: string; module: ModuleReference }[] {
  const found = devices.map(
    ({ computer, module }) => [`${computer} ${module.hash}`, { computer, module }] as const,
  );
  return [...new Map(found).values()];
}

/** @throws ServiceError `device_unavailable` with effect none when an agent does not have the code of a device */
function demandCode(
  devices: readonly StartingDevice[],
  missing: Awaited<ReturnType<Loading['parts']['engine']['provideCode']>>,
): void {
  const found = devices.flatMap((device) => {
    const { lab, name, computer } = device;
    const lack = missing.find(
      (each) => each.computer === computer && each.module.hash === device.module.hash,
    );
    if (lack === undefined) return [];
    const message =
      lack.why.code === 'deadline_exceeded'
        ? `${computer} still fetches or installs what the code of ${name} needs: try again in a minute`
        : `${computer} cannot have the code of ${name}: ${lack.why.message}`;
    return [{ lab, fault: { path: `${lab}.devices.${name}`, code: 'code_unavailable', message } }];
  });
  if (found.length === 0) return;
  const labs = [...new Set(found.map(({ lab }) => lab))].join(', ');
  const faults = found.map(({ fault }) => fault);
  const why = faults.map(({ message }) => message).join('; ');
  throw new ServiceError(
    'device_unavailable',
    `the laboratory ${labs} was not loaded, and no device was touched, because ${why}`,
    { faults, effect: 'none' },
  );
}

/** Refuses a change while work uses a changed device, or needs what only the earlier version has. @throws ServiceError `wrong_state` */
export function guardOf(
  differences: ReadonlyMap<string, Difference>,
  hint: string,
): (work: UnfinishedWork[]) => void {
  return (work) => {
    for (const [name, found] of differences) {
      const { gone } = found;
      refuseInUse(
        gone.length > 0 ? `${gone.join(', ')} of the laboratory ${name}` : `a changed device of ${name}`,
        inTheWay(work, name, found),
        hint,
      );
    }
  };
}

/** The unfinished work that uses a changed device of a laboratory, or needs what only the earlier version has. */
export function inTheWay(
  work: readonly UnfinishedWork[],
  lab: string,
  { restarted, replaced, gone }: Difference,
): UnfinishedWork[] {
  return work.filter((each) =>
    gone.length > 0
      ? each.labs.has(lab)
      : [...replaced].some((device) => restarted.has(device) && each.devices.has(`${lab}.${device}`)),
  );
}
