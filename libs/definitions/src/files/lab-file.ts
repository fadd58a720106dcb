import { isIP } from 'node:net';
import type { JsonObject, JsonValue } from '@lab/contracts';
import { z } from 'zod';
import {
  type DeviceDefinition,
  hintFor,
  type LabDefinition,
  type LabDevice,
  type LabResource,
} from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';
import type { DefinitionIndex } from './index-of.js';
import { readInstrumentFolder } from './instrument-folder.js';
import {
  checkName,
  checkNames,
  isMapping,
  mapping,
  optionalMapping,
  optionalText,
  readShape,
} from './shape.js';

/** The computer of the service, which every laboratory has. */
export const serviceComputer = { name: 'svc_computer', ip: '127.0.0.1' } as const;

const labShape = z.strictObject({
  name: z.string(),
  desc: z.string(),
  computers: optionalMapping,
  devices: mapping,
  resource_types: optionalMapping,
  resources: optionalMapping,
});
const computerShape = z.strictObject({ desc: optionalText, ip: z.string() });
const deviceShape = z.strictObject({
  desc: optionalText,
  type: z.string(),
  computer: z.string(),
  init_parameters: optionalMapping,
  meta: optionalMapping,
  files: mapping.optional(),
});
const resourceTypeShape = z.strictObject({ desc: optionalText, meta: optionalMapping });
const resourceShape = z.strictObject({ type: z.string(), desc: optionalText, meta: optionalMapping });

/** Reads `lab.yml`. Faults are recorded in the document; faulty parts are left out. */
export function readLab(
  source: SourceDocument,
  deviceTypes: DefinitionIndex<DeviceDefinition>,
): LabDefinition {
  const lab = readShape(source, [], source.value, labShape) ?? {};
  if (lab.name !== undefined) checkName(source, ['name'], lab.name, 'value');
  const computers = readComputers(source, lab.computers ?? {});
  const computerNames = new Set([serviceComputer.name, ...Object.keys(lab.computers ?? {})]);
  return {
    name: lab.name ?? '',
    desc: lab.desc ?? '',
    computers,
    devices: readDevices(source, lab.devices ?? {}, computerNames, deviceTypes),
    resources: readResources(source, lab.resource_types ?? {}, lab.resources ?? {}),
  };
}

function readComputers(source: SourceDocument, entries: JsonObject): LabDefinition['computers'] {
  const computers: LabDefinition['computers'] = {
    [serviceComputer.name]: { desc: 'the computer of the service', ip: serviceComputer.ip },
  };
  checkNames(source, ['computers'], entries, true);
  const byAddress = new Map<string, string>();
  for (const [name, entry] of Object.entries(entries)) {
    const path: Path = ['computers', name];
    if (name === serviceComputer.name) {
      source.fault(path, 'reserved_computer', `the computer "${name}" always exists and cannot be defined`, {
        what: 'key',
        hint: 'remove it here; devices can use it at once',
      });
    }
    const computer = readShape(source, path, entry, computerShape);
    const ip = computer?.ip;
    if (computer === undefined || ip === undefined) continue;
    const address = canonicalAddress(ip);
    if (isOwnAddress(address)) {
      source.fault([...path, 'ip'], 'reserved_ip', `the address ${ip} belongs to ${serviceComputer.name}`, {
        hint: `give the address of the computer in the network, or use ${serviceComputer.name}`,
      });
    } else if (isIP(ip) === 0) {
      source.fault([...path, 'ip'], 'bad_ip', `"${ip}" is not an IP address`, {
        hint: 'write for example 192.168.1.20',
      });
    }
    const other = byAddress.get(address);
    if (other !== undefined) {
      source.fault(
        [...path, 'ip'],
        'duplicate_ip',
        `the computers "${other}" and "${name}" have the same address`,
      );
    }
    byAddress.set(address, name);
    if (name !== serviceComputer.name) computers[name] = { desc: computer.desc ?? '', ip };
  }
  return computers;
}

/** One text for all forms of an IP address, so that equal addresses compare as equal. */
export function canonicalAddress(ip: string): string {
  if (isIP(ip) !== 6 || ip.includes('%')) return ip.toLowerCase();
  const host = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host);
  if (!mapped) return host;
  const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function isOwnAddress(address: string): boolean {
  return address === serviceComputer.ip || address === '::1' || address === 'localhost';
}

function readDevices(
  source: SourceDocument,
  entries: JsonObject,
  computers: ReadonlySet<string>,
  deviceTypes: DefinitionIndex<DeviceDefinition>,
): Record<string, LabDevice> {
  checkNames(source, ['devices'], entries);
  const devices: Record<string, LabDevice> = {};
  for (const [name, entry] of Object.entries(entries)) {
    const path: Path = ['devices', name];
    const device = readShape(source, path, entry, deviceShape);
    if (!device) continue;
    if (device.computer !== undefined && !computers.has(device.computer)) {
      source.fault([...path, 'computer'], 'unknown_computer', `there is no computer "${device.computer}"`, {
        hint: hintFor(device.computer, computers),
      });
    }
    if (device.type === undefined) continue;
    const type = deviceTypes.need(source, [...path, 'type'], device.type);
    const own = device.init_parameters ?? {};
    if (type) checkInitParameters(source, [...path, 'init_parameters'], own, type);
    const files =
      device.files === undefined ? undefined : readInstrumentFolder(source, [...path, 'files'], device.files);
    devices[name] = {
      name,
      desc: device.desc ?? '',
      type: device.type,
      computer: device.computer ?? '',
      init_parameters: { ...type?.init_parameters, ...own },
      meta: device.meta ?? {},
      ...(files === undefined ? {} : { files }),
    };
  }
  return devices;
}

function checkInitParameters(
  source: SourceDocument,
  path: Path,
  own: JsonObject,
  type: DeviceDefinition,
): void {
  for (const [key, value] of Object.entries(own)) {
    if (Object.hasOwn(type.init_parameters, key)) {
      const given = kindOfValue(value);
      const declared = kindOfValue(type.init_parameters[key] ?? null);
      if (source.isTranslated || given === null || declared === null || given === declared) continue;
      source.fault(
        [...path, key],
        'init_parameter_type',
        `the device type "${type.type}" declares "${key}" with ${declared}, not ${given}`,
        { hint: 'a default that is left empty in device.yml allows every type' },
      );
      continue;
    }
    source.fault(
      [...path, key],
      'unknown_init_parameter',
      `the device type "${type.type}" has no init parameter "${key}"`,
      {
        what: 'key',
        hint: hintFor(key, Object.keys(type.init_parameters)) ?? 'declare it with its default in device.yml',
      },
    );
  }
}

/** The kind of a value for a sentence; null for an empty value, which says nothing about the type. */
function kindOfValue(value: JsonValue): string | null {
  if (value === null) return null;
  if (Array.isArray(value)) return 'a list';
  return (
    { string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'a mapping'
  );
}

function readResources(
  source: SourceDocument,
  typeEntries: JsonObject,
  entries: JsonObject,
): Record<string, LabResource> {
  checkNames(source, ['resource_types'], typeEntries, true);
  checkNames(source, ['resources'], entries, true);
  const types = new Map<string, JsonObject>();
  for (const [name, entry] of Object.entries(typeEntries)) {
    types.set(name, readShape(source, ['resource_types', name], entry ?? {}, resourceTypeShape)?.meta ?? {});
  }
  const resources: Record<string, LabResource> = {};
  for (const [name, entry] of Object.entries(entries)) {
    const path: Path = ['resources', name];
    const resource = readShape(source, path, entry, resourceShape);
    if (resource?.type === undefined) continue;
    const typeMeta = types.get(resource.type);
    if (!typeMeta) {
      const hint = hintFor(resource.type, types.keys());
      source.fault(
        [...path, 'type'],
        'unknown_resource_type',
        `the lab has no resource type "${resource.type}"`,
        { hint: hint ?? 'declare it under resource_types' },
      );
    }
    resources[name] = { name, type: resource.type, meta: { ...typeMeta, ...resource.meta } };
  }
  return resources;
}

/** The name of a file that may be broken: the declared name, otherwise the name of its folder. */
export function statedName(source: SourceDocument, key: 'name' | 'type', folder: string): string {
  const stated = isMapping(source.value) ? source.value[key] : undefined;
  return typeof stated === 'string' && stated !== '' ? stated : folder;
}
