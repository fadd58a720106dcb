import { z } from 'zod';
import type { DeviceDefinition } from '../model/index.js';
import type { SourceDocument } from '../documents/index.js';
import { checkName, optionalMapping, readShape } from './shape.js';

const deviceShape = z.strictObject({ type: z.string(), desc: z.string(), init_parameters: optionalMapping });

/** `device.yml` without its code. Faults are recorded in the document. */
export function readDevice(source: SourceDocument): Omit<DeviceDefinition, 'module'> {
  const device = readShape(source, [], source.value, deviceShape) ?? {};
  if (device.type !== undefined) checkName(source, ['type'], device.type, 'value', true);
  return {
    type: device.type ?? '',
    desc: device.desc ?? '',
    init_parameters: device.init_parameters ?? {},
  };
}
