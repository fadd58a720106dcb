import { readFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { isMissing, productLibraries, sha256 } from '../code/index.js';
import { type Diagnostic, fileFault, formatPath, parseYaml, type Path } from '../documents/index.js';
import { isExactVersion, isObject, isPackageName, suggest } from '../model/index.js';
import { SourceMap } from '../templates/index.js';

/** The content of the `package.json` of a package that concerns external npm packages. */
export interface Manifest {
  /** SHA-256 of its text, hexadecimal; null when there is none. */
  hash: string | null;
  /** Null: it gives none. */
  version: string | null;
  /** Names under `svc.external`, each with its exact version; null when the version is wrong. */
  external: ReadonlyMap<string, string | null>;
  /** False: the external packages are unknown, so the code cannot be used. */
  isReadable: boolean;
  diagnostics: Diagnostic[];
}

/**
 * Reads a `package.json`; its faults are in the diagnostics. Without the file there are no external packages.
 *
 * @param path absolute
 * @param userDir absolute; files of diagnostics are relative to it
 */
export async function readManifest(path: string, userDir: string): Promise<Manifest> {
  const file = relative(userDir, path).split(sep).join('/');
  try {
    const text = await readFile(path, 'utf8');
    return { hash: sha256(text), ...externalOf(text, file) };
  } catch (error) {
    if (isMissing(error))
      return { hash: null, version: null, external: new Map(), isReadable: true, diagnostics: [] };
    if (!(error instanceof Error && 'code' in error)) throw error;
    const message = `the file cannot be read (${String(error.code)})`;
    const diagnostics = [fileFault(file, 'unreadable', message)];
    return { hash: null, version: null, external: new Map(), isReadable: false, diagnostics };
  }
}

function externalOf(text: string, file: string): Omit<Manifest, 'hash'> {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const diagnostics: Diagnostic[] = [];
  const external = new Map<string, string | null>();
  const unreadable = { external, version: null, isReadable: false, diagnostics };
  // JSON is YAML: the YAML parser knows all positions.
  const yaml = parseYaml(json);
  const map = SourceMap.identity(json);
  const fault = (path: Path, code: string, message: string, hint: string, what?: 'key'): void => {
    const offset = yaml.ok ? yaml.document.locate(path, what ?? 'value') : null;
    const position = offset === null ? { line: null, column: null } : map.at(offset);
    diagnostics.push({ file, ...position, path: formatPath(path), code, message, hint });
  };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const offset = yaml.ok ? null : (yaml.faults[0]?.offset ?? null);
    const position = offset === null ? { line: null, column: null } : map.at(offset);
    const [code, message] = ['json_syntax', `the file is not valid JSON: ${error.message}`];
    diagnostics.push({ file, ...position, path: '', code, message, hint: null });
    return unreadable;
  }
  if (!isObject(value)) {
    fault([], 'value_type', 'the file must hold an object', 'write {"name": "my_lab", "type": "module"}');
    return unreadable;
  }
  const { svc, dependencies } = value;
  const version = typeof value['version'] === 'string' ? value['version'] : null;
  if (svc === undefined) return { external, version, isReadable: true, diagnostics };
  const form = 'write "svc": {"external": ["serialport"]}';
  if (!isObject(svc)) {
    fault(['svc'], 'value_type', 'must be an object', form);
    return unreadable;
  }
  for (const key of Object.keys(svc)) {
    if (key === 'external') continue;
    fault(['svc', key], 'unknown_key', `there is no key "${key}" here`, form, 'key');
  }
  const names: unknown = svc['external'] ?? [];
  if (!Array.isArray(names)) {
    fault(['svc', 'external'], 'value_type', 'must be a list of names of npm packages', form);
    return unreadable;
  }
  const versions = isObject(dependencies) ? dependencies : {};
  for (const [index, name] of (names as unknown[]).entries()) {
    const path = ['svc', 'external', index];
    if (typeof name !== 'string' || !isPackageName(name)) {
      fault(path, 'package_name', 'must be the name of an npm package', form);
    } else if (productLibraries.includes(name)) {
      fault(path, 'package_name', `${name} comes with the service`, 'remove it from the list');
    } else if (!external.has(name)) {
      const version = Object.hasOwn(versions, name) ? versions[name] : undefined;
      const isExact = typeof version === 'string' && isExactVersion(version);
      external.set(name, isExact ? version : null);
      if (version === undefined) {
        const near = suggest(name, Object.keys(versions));
        const hint = near === undefined ? 'add it there with its exact version' : `did you mean "${near}"?`;
        fault(path, 'missing_dependency', `"${name}" is not among the dependencies`, hint);
      } else if (!isExact) {
        const message = 'agents install exactly one version, so no range can be given';
        fault(['dependencies', name], 'inexact_version', message, 'write a version such as "12.0.0"');
      }
    }
  }
  return { external, version, isReadable: true, diagnostics };
}
