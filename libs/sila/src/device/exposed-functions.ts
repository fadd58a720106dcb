import type { AddedFunction, JsonObject, ParameterDeclaration, ParameterDeclarations } from '@lab/sdk';
import type { RemoteFeature, SilaClient } from '../client/index.js';
import {
  plainType,
  type Command,
  type DataType,
  type Element,
  type Feature,
  type Property,
} from '../feature/index.js';
import { metadataParameter } from './metadata.js';
import type { SilaSettings } from './settings.js';

/** Features that serve the connection itself. A lab may name them all the same. */
const ownFeatures: readonly string[] = ['SiLAService', 'LockController', 'CancelController'];

/** Seconds that an observable command may take if the lab says nothing. */
const observableS = 3_600;
/** Seconds of other commands. */
const commandS = 60;

const longestDescription = 160;

export interface Exposed {
  remote: RemoteFeature;
  part: Command | Property;
  kind: AddedFunction['kind'];
}

/**
 * The commands and properties of a server that become functions, by their names: `<Feature>_<Command>` and `<Feature>_<Property>`.
 *
 * @throws TypeError when the settings name a feature or a function that the server does not have
 */
export function exposed(client: SilaClient, settings: SilaSettings): Map<string, Exposed> {
  const chosen =
    settings.features.length === 0
      ? [...client.features.values()].filter(({ feature }) => !ownFeatures.includes(feature.identifier))
      : settings.features.map((identifier) => client.feature(identifier));
  const found = new Map<string, Exposed>();
  for (const remote of chosen) {
    const { feature } = remote;
    for (const part of [...feature.properties.values(), ...feature.commands.values()]) {
      const name = `${feature.identifier}_${part.identifier}`;
      if (found.has(name))
        throw new TypeError(
          `two features have ${name}: name one of them in features, with its full identifier`,
        );
      found.set(name, {
        remote,
        part,
        kind: settings.kinds[name] ?? ('parameters' in part ? 'effect' : 'query'),
      });
    }
  }
  for (const key of ['kinds', 'timeouts'] as const) {
    const unknown = Object.keys(settings[key]).find((name) => !found.has(name));
    if (unknown !== undefined) {
      const names = [...found.keys()].join(', ') || 'none';
      throw new TypeError(
        `init_parameters.${key}.${unknown}: the server has no such function; it has: ${names}`,
      );
    }
  }
  return found;
}

/** How a function is declared, beside what its server says. */
export interface Terms {
  settings: SilaSettings;
  /** Seconds that an effect may have to wait for the lock of the server before it begins. */
  waitS: number;
  /** Names of the metadata that its call can send along. */
  metadata: readonly string[];
}

/** The declaration of a function. */
export function declarationOf(
  name: string,
  { remote, part, kind }: Exposed,
  { settings, waitS, metadata }: Terms,
  call: (given: JsonObject) => unknown,
): AddedFunction {
  const isCommand = 'parameters' in part;
  const ownS = settings.timeouts[name] ?? (isCommand && part.observable ? observableS : commandS);
  const own = isCommand ? parametersOf(part.parameters, remote.feature) : {};
  const parameters = own === undefined ? undefined : { ...own, ...metadataDeclaration(metadata) };
  return {
    kind,
    timeout: Math.min(ownS + (kind === 'query' ? 0 : waitS), 604_800),
    ...describedBy(
      part.description || part.displayName,
      parameters === undefined && isCommand ? part.parameters : [],
    ),
    ...(parameters === undefined ? {} : { parameters }),
    call,
  };
}

function metadataDeclaration(names: readonly string[]): ParameterDeclarations {
  if (names.length === 0) return {};
  const desc = shortened(`Values that this call sends along: ${names.join(', ')}`);
  return { [metadataParameter]: { type: 'dict', optional: true, desc } };
}

/** If a parameter cannot be declared, the description names all of them. */
function describedBy(text: string, undeclared: readonly Element[]): { description?: string } {
  const names = undeclared.map(({ identifier }) => identifier).join(', ');
  const whole = names === '' ? text : `${text} Parameters: ${names}`;
  return whole === '' ? {} : { description: shortened(whole) };
}

/** @returns undefined when one of them cannot be declared: a partial declaration would refuse valid calls */
function parametersOf(fields: readonly Element[], feature: Feature): ParameterDeclarations | undefined {
  const declared: Record<string, ParameterDeclaration> = {};
  for (const { identifier, type, description } of fields) {
    const declaration = declare(type, feature);
    if (declaration === undefined) return undefined;
    declared[identifier] = {
      ...declaration,
      ...(description === '' ? {} : { desc: shortened(description) }),
    };
  }
  return declared;
}

function declare(type: DataType, feature: Feature): ParameterDeclaration | undefined {
  const plain = plainType(type, feature);
  const { minimum, maximum, choices, unit = 'n/a' } = constraintsOf(type, feature);
  const bounds = {
    unit,
    ...(minimum === undefined ? {} : { min: minimum }),
    ...(maximum === undefined ? {} : { max: maximum }),
  };
  if (plain.kind === 'structure') return { type: 'dict' };
  if (plain.kind === 'list') {
    const element = declare(plain.of, feature);
    if (element === undefined || element.type === 'list' || element.type === 'choice') return undefined;
    return { type: 'list', element_type: element.type };
  }
  switch (plain.name) {
    case 'Integer':
      return { type: 'int', ...bounds };
    case 'Real':
      return { type: 'float', ...bounds };
    case 'Boolean':
      return { type: 'bool' };
    case 'String':
      return choices === undefined ? { type: 'str' } : { type: 'choice', choices };
    case 'Any':
      return { type: 'dict' };
    default:
      return { type: 'str' };
  }
}

function constraintsOf(type: DataType, feature: Feature) {
  if (type.kind === 'constrained') return type.constraints;
  if (type.kind !== 'defined') return {};
  const defined = feature.types.get(type.identifier);
  return defined?.kind === 'constrained' ? defined.constraints : {};
}

function shortened(text: string): string {
  return text.length <= longestDescription ? text : `${text.slice(0, longestDescription - 3)}...`;
}
