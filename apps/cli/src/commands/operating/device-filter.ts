import { UsageError } from '../exit-codes.js';

/** The filters of `--device <lab.device>`; none without it. @throws UsageError when it is no such name */
export function deviceFilter({ device: given }: { device?: string }): { lab?: string; device?: string } {
  return given === undefined ? {} : deviceNamed(given);
}

/** The laboratory and the name of `<lab>.<device>`. @throws UsageError when it is no such name */
export function deviceNamed(given: string): { lab: string; device: string } {
  const [, lab, device] = /^([^.]+)\.([^.]+)$/.exec(given) ?? [];
  if (lab === undefined || device === undefined)
    throw new UsageError(`"${given}" is not a device: name it as <lab>.<device>`);
  return { lab, device };
}
