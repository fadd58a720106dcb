import { parseYaml } from '@lab/definitions/documents';
import type { JsonValue } from '@lab/contracts';
import type { DeviceKind } from './kind.js';

/**
 * The `init_parameters` of a device in `lab.yml` that a person has chosen.
 *
 * @param kind undefined: the device has none
 * @param chosen values by name, as a person types them
 * @returns a line for each
 * @throws Error when the kind has no such parameter
 */
export function chosenParameters(
  kind: DeviceKind | undefined,
  chosen: Readonly<Record<string, string>>,
): string[] {
  if (kind === undefined) throw new Error('--set is for devices of a kind: name it with --kind');
  const known = valueOf(kind.files('any', 'Any')['devices/any/device.yml'] ?? '') as {
    init_parameters: Record<string, JsonValue>;
  };
  return Object.entries(chosen).map(([name, given]) => {
    if (!Object.hasOwn(known.init_parameters, name)) {
      const names = Object.keys(known.init_parameters).join(', ');
      throw new Error(`--set ${name}: the kind ${kind.name} has no such parameter; it has ${names}`);
    }
    const isText =
      typeof known.init_parameters[name] === 'string' ||
      ['string', 'undefined'].includes(typeof valueOf(given));
    return `${name}: ${isText ? `'${given.replaceAll("'", "''")}'` : given}`;
  });
}

/** @returns undefined when it is no YAML */
function valueOf(text: string): JsonValue | undefined {
  const parsed = parseYaml(text);
  return parsed.ok ? parsed.document.value : undefined;
}
