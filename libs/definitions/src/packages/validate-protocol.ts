import { compareDiagnostics, type Diagnostic, SourceDocument } from '../documents/index.js';
import { DefinitionIndex, hasEosNames, readProtocol, translatedFromEos } from '../files/index.js';
import type { DeviceDefinition, LabDefinition, TaskDefinition } from '../model/index.js';
import type { Catalog } from './catalog.js';

/**
 * Checks the text of a protocol as if it were in a package: template, YAML, structure, and all references to labs and
 * task types of the catalog. Its name may be taken, because a protocol that is being edited has one.
 *
 * @param catalog definitions to which the protocol may refer; broken ones are told apart from unknown ones
 * @param options.fileName name for the diagnostics; default `experiment.yml`
 * @returns all faults in the order of the text; none when a package with this protocol would load. Never throws.
 */
export function validateProtocolText(
  catalog: Catalog,
  text: string,
  options: { fileName?: string } = {},
): Diagnostic[] {
  const file = options.fileName ?? 'experiment.yml';
  const parsed = SourceDocument.parse(file, text);
  if (parsed.isBroken) return parsed.diagnostics;
  const source = hasEosNames(parsed.value) ? translatedFromEos('protocol', parsed) : parsed;
  const tasks = new DefinitionIndex<TaskDefinition>('task type');
  const labs = new DefinitionIndex<LabDefinition>('lab');
  const deviceTypes = new DefinitionIndex<DeviceDefinition>('device type');
  for (const origin of catalog.origins) {
    if (origin.sound) continue;
    if (origin.kind === 'task') tasks.add(origin.name, origin.file, undefined);
    if (origin.kind === 'lab') labs.add(origin.name, origin.file, undefined);
  }
  for (const type of catalog.taskTypes()) tasks.add(type, '', catalog.task(type)?.task);
  for (const name of catalog.labNames()) labs.add(name, '', catalog.lab(name));
  for (const type of catalog.deviceTypes()) deviceTypes.add(type, '', catalog.deviceType(type));
  readProtocol(source, tasks, labs, deviceTypes);
  source.faultUntranslated();
  return source.diagnostics.sort(compareDiagnostics);
}
