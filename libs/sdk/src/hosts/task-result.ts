import { EventEmitter } from 'node:events';
import type { FromTask, JsonObject, JsonValue } from '@lab/contracts';
import type { FileContent } from '../author/index.js';
import { checkSize, isPlainObject, kindOf, NotJson, toJson, toJsonObject } from './json-value.js';

type OutputResources = (FromTask & { type: 'completed' })['output_resources'];

export interface CheckedResult {
  outputParameters: JsonObject;
  outputResources: OutputResources;
  files: Record<string, FileContent>;
  /** What is wrong with the rest of the result, for the author; empty: nothing. */
  problems: string[];
}

const form = 'return [output_parameters, resources, files], each of which may be {}';

/**
 * Checks and copies the result of `_execute`. Each part that is right is kept, also if another one is wrong or missing.
 * Output parameters that are too large are left out.
 */
export function checkResult(value: unknown): CheckedResult {
  const problems: string[] = [];
  const parts: unknown[] = Array.isArray(value) ? value : [];
  if (parts.length !== 3) problems.push(`_execute returned ${kindOf(value)}: ${form}`);
  const [outputs, resources, files] = parts;
  const part = (given: unknown, word: string): Record<string, unknown> => {
    if (isPlainObject(given)) return given;
    if (given !== undefined || parts.length >= 3) problems.push(`The ${word} are ${kindOf(given)}: ${form}`);
    return {};
  };
  const attempt = (check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      problems.push(error.message);
    }
  };
  let outputParameters: JsonObject = {};
  for (const [name, output] of Object.entries(part(outputs, 'output parameters')))
    attempt(() => (outputParameters[name] = outputValue(name, output)));
  const outputResources: OutputResources = {};
  for (const [name, resource] of Object.entries(part(resources, 'output resources')))
    attempt(() => (outputResources[name] = resourceValue(name, resource)));
  const contents = part(files, 'files') as Record<string, FileContent>;
  keepFailuresForReading(Object.values(contents));
  const before = problems.length;
  const whole = [outputParameters, outputResources as unknown as JsonObject];
  attempt(() => checkSize(whole, 'What _execute returned, without its files,'));
  if (problems.length > before) outputParameters = {};
  return { outputParameters, outputResources, files: contents, problems };
}

function outputValue(name: string, output: unknown): JsonValue {
  if (output === undefined)
    throw new NotJson(`The output parameter ${name} is undefined: give it a value. Is an await missing?`);
  return toJson(output, `the output parameter ${name}`, { storable: true });
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
