import { EventEmitter } from 'node:events';
import type { FromTask, JsonObject } from '@lab/contracts';
import type { FileContent } from '../author/index.js';
import { checkSize, isPlainObject, kindOf, NotJson, toJson, toJsonObject } from './json-value.js';

type OutputResources = (FromTask & { type: 'completed' })['output_resources'];

export interface CheckedResult {
  outputParameters: JsonObject;
  outputResources: OutputResources;
  files: Record<string, FileContent>;
}

const form = 'return [output_parameters, resources, files], each of which may be {}';

/**
 * Checks and copies the result of `_execute`.
 *
 * @throws NotJson that names the wrong output and what would be correct
 */
export function checkResult(value: unknown): CheckedResult {
  if (!Array.isArray(value)) throw new NotJson(`_execute returned ${kindOf(value)}: ${form}`);
  if (value.length !== 3) throw new NotJson(`_execute returned a list of ${value.length}: ${form}`);
  const [outputs, resources, files] = value as unknown[];
  if (!isPlainObject(outputs)) throw new NotJson(`The output parameters are ${kindOf(outputs)}: ${form}`);
  if (!isPlainObject(resources)) throw new NotJson(`The output resources are ${kindOf(resources)}: ${form}`);
  if (!isPlainObject(files)) throw new NotJson(`The files are ${kindOf(files)}: ${form}`);
  keepFailuresForReading(Object.values(files));
  const outputParameters: JsonObject = {};
  for (const [name, output] of Object.entries(outputs)) {
    if (output === undefined)
      throw new NotJson(`The output parameter ${name} is undefined: give it a value or leave it out`);
    outputParameters[name] = toJson(output, `the output parameter ${name}`, { storable: true });
  }
  const outputResources: OutputResources = {};
  for (const [name, resource] of Object.entries(resources)) {
    outputResources[name] = resourceValue(name, resource);
  }
  checkSize(
    [outputParameters, outputResources as unknown as JsonObject],
    'What _execute returned, without its files,',
  );
  return { outputParameters, outputResources, files: files as Record<string, FileContent> };
}

/** Handles the error of a stream that fails before it is read; otherwise it would end the process. Reading reports it later. */
function keepFailuresForReading(contents: unknown[]): void {
  for (const content of contents) {
    if (content instanceof EventEmitter) content.on('error', () => undefined);
  }
}

function resourceValue(slot: string, resource: unknown): OutputResources[string] {
  if (
    !isPlainObject(resource) ||
    typeof resource['name'] !== 'string' ||
    typeof resource['type'] !== 'string' ||
    !isPlainObject(resource['meta'])
  ) {
    throw new NotJson(
      `The output resource ${slot} is not a resource: return the one that _execute was given, with its meta changed as needed`,
    );
  }
  const meta = toJsonObject(resource['meta'], `the meta of the output resource ${slot}`, { storable: true });
  return { name: resource['name'], type: resource['type'], meta };
}
