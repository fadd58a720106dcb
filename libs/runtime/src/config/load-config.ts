import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Fault } from '@lab/contracts';
import { load as parseYaml, YAMLException } from 'js-yaml';
import type { z } from 'zod';
import { FileSecret, Secret } from '../log/index.js';
import { ConfigError, didYouMean } from './fault-text.js';
import { configFileSchema, knownKeys } from './file-schema.js';
import { keyLines, type LineOfKey } from './key-lines.js';
import { settings as shared, type Setting } from './settings.js';

type Settings = Record<string, Setting<unknown>>;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
type ValuesOf<S extends Settings> = { readonly [K in keyof S]: ValueOf<S[K]> };

export interface ConfigSources {
  /** Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths in the environment. Default: the working folder. */
  cwd?: string;
  /** Values that override all others, by environment variable name; for command-line options. */
  override?: Readonly<Record<string, string | undefined>>;
}

export interface ConfigDefinition<C> {
  /**
   * Merges defaults, `config.yml` and the environment, checks everything and freezes the result.
   *
   * @throws ConfigError naming every fault: wrong keys and values of the file and the environment, together
   */
  load(sources?: ConfigSources): C;
}

/** The result of `load` of a definition. */
export type ConfigOf<D> = D extends ConfigDefinition<infer C> ? C : never;

/** Variables that are read but are not a setting of any configuration. */
const otherVariables = ['SVC_CONFIG', 'SVC_NATS_SERVER_BIN'];
const largestFileBytes = 1_048_576;

/** Declares the configuration of one app by its settings. */
export function defineConfig<S extends Settings>(chosen: S): ConfigDefinition<ValuesOf<S>> {
  return {
    load({ env = process.env, cwd = process.cwd(), override = {} } = {}) {
      const merged = { ...env, ...withoutUndefined(override) };
      const reader = new ConfigReader(merged, cwd);
      return reader.read(chosen) as ValuesOf<S>;
    },
  };
}

function withoutUndefined(record: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

interface Raw {
  value: unknown;
  /** The name that the user knows. */
  path: string;
  /** The file that gives a secret. Absolute. */
  from?: string;
  /** For a mapping: the variables that give single keys. */
  variables?: Readonly<Record<string, string>>;
}

class ConfigReader {
  readonly #faults: Fault[] = [];
  #file: Record<string, unknown> = {};
  #fileName = 'config.yml';
  #fileFolder: string;
  #lineOf: LineOfKey = () => undefined;
  readonly #faultyKeys = new Set<string>();

  constructor(
    private readonly env: Readonly<Record<string, string | undefined>>,
    private readonly cwd: string,
  ) {
    this.#fileFolder = cwd;
  }

  read(chosen: Settings): Record<string, unknown> {
    this.#readFile();
    this.#checkVariableNames(chosen);
    const values: Record<string, unknown> = {};
    const later: [string, Setting<unknown>][] = [];
    for (const [key, setting] of Object.entries(chosen)) {
      const raw = this.#rawOf(setting);
      if (raw === undefined) continue;
      if (raw.value === undefined && setting.fallback !== undefined) later.push([key, setting]);
      else values[key] = this.#check(setting, raw);
    }
    if (this.#faults.length > 0) throw new ConfigError(this.#faults);
    for (const [key, { fallback }] of later) values[key] = fallback?.(values);
    return freezeDeep(values);
  }

  #fault(path: string, code: string, message: string, hint?: string): void {
    this.#faults.push({ path, code, message, ...(hint === undefined ? {} : { hint }) });
  }

  #readFile(): void {
    const named = this.env.SVC_CONFIG || undefined;
    const path = resolve(this.cwd, named ?? 'config.yml');
    this.#fileName = basename(path);
    this.#fileFolder = dirname(path);
    const text = this.#readText(path, named === undefined ? undefined : 'SVC_CONFIG');
    if (text === undefined) return;
    this.#lineOf = keyLines(text);
    let content: unknown;
    try {
      content = parseYaml(text, { filename: this.#fileName });
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      this.#fault(this.#fileName, 'not_yaml', error.toString(true));
      return;
    }
    if (content === undefined || content === null) return;
    if (typeof content === 'object' && !Array.isArray(content))
      this.#file = content as Record<string, unknown>;
    const checked = configFileSchema.safeParse(content);
    if (!checked.success) this.#fileFaults(checked.error.issues);
  }

  /** The text of a file. A missing file is a fault only if `variable` names it. */
  #readText(path: string, variable: string | undefined): string | undefined {
    try {
      const text = readFileSync(path, 'utf8');
      if (text.length <= largestFileBytes) return text;
      this.#fault(variable ?? this.#fileName, 'too_large', `the file ${path} is larger than 1 MiB`);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (variable === undefined && code === 'ENOENT') return undefined;
      this.#fault(
        variable ?? this.#fileName,
        'unreadable',
        `cannot read the file ${path} (${code ?? String(error)})`,
      );
    }
    return undefined;
  }

  #fileFaults(issues: readonly z.core.$ZodIssue[]): void {
    for (const issue of issues) {
      const [top] = issue.path;
      if (top !== undefined) this.#faultyKeys.add(String(top));
      if (issue.code === 'unrecognized_keys') {
        for (const key of issue.keys)
          this.#fault(
            this.#placeOf([...issue.path, key]),
            'unknown_key',
            'unknown key',
            this.#hintFor(issue.path, key),
          );
      } else {
        this.#fault(this.#placeOf(issue.path), 'invalid', issue.message);
      }
    }
  }

  /** The possible alternatives to a key of a mapping of the file. */
  #hintFor(path: readonly PropertyKey[], key: string): string {
    const known = knownKeys(path, this.#file);
    if (known.length === 1)
      return `there is no other than ${known.join()}; the greedy scheduler has no settings`;
    return didYouMean(key, known) ?? `known keys: ${known.join(', ')}`;
  }

  /** `config.yml:4: limits.max_queued` */
  #placeOf(path: readonly PropertyKey[]): string {
    const line = this.#lineOf(path);
    const file = line === undefined ? this.#fileName : `${this.#fileName}:${line}`;
    return path.length === 0 ? file : `${file}: ${pathText(path)}`;
  }

  /** Reports an unknown variable whose name is close to a known one. */
  #checkVariableNames(chosen: Settings): void {
    const declared = [...Object.values(shared), ...Object.values(chosen)] as Setting<unknown>[];
    const known = new Set(
      declared.flatMap(({ env, secret, variables = {} }) => [
        ...(env === undefined ? [] : secret === true ? [env, `${env}_FILE`] : [env]),
        ...Object.values(variables),
      ]),
    );
    for (const name of otherVariables) known.add(name);
    for (const name of Object.keys(this.env)) {
      if (!name.startsWith('SVC_') || known.has(name)) continue;
      const hint = didYouMean(name, known);
      if (hint !== undefined) this.#fault(name, 'unknown_variable', 'unknown variable', hint);
    }
  }

  /** The raw value; undefined when its source already has a fault. */
  #rawOf(setting: Setting<unknown>): Raw | undefined {
    const { env, file } = setting;
    if (env !== undefined) {
      const text = this.env[env] || undefined;
      const pointer = setting.secret === true ? this.env[`${env}_FILE`] || undefined : undefined;
      if (text !== undefined && pointer !== undefined) {
        this.#fault(env, 'given_twice', `is set, and ${env}_FILE too`, 'set one of them');
        return undefined;
      }
      if (pointer !== undefined) {
        const from = resolve(this.cwd, pointer);
        const content = this.#readText(from, `${env}_FILE`);
        return content === undefined ? undefined : { value: content.trim(), path: `${env}_FILE`, from };
      }
      if (text !== undefined) {
        return { value: setting.path === true ? resolve(this.cwd, text) : text, path: env };
      }
    }
    if (file !== undefined && this.#faultyKeys.has(file)) return undefined;
    const value = file === undefined ? undefined : (this.#file[file] ?? undefined);
    const given = this.#keysOfVariables(setting);
    if (given !== undefined) {
      const { values, variables } = given;
      // Settings of one scheduler do not apply to another.
      const sameType =
        values.type === undefined || values.type === (value as typeof values | undefined)?.type;
      return {
        value: { ...(sameType ? (value as object | undefined) : {}), ...values },
        path: Object.values(variables)[0] ?? '',
        variables,
      };
    }
    if (value !== undefined) {
      const resolved =
        setting.path === true && typeof value === 'string' ? resolve(this.#fileFolder, value) : value;
      return { value: resolved, path: `${this.#fileName}: ${file ?? ''}` };
    }
    return { value: undefined, path: env ?? `${this.#fileName}: ${file ?? ''}` };
  }

  /** Keys of a mapping that variables give, with numbers as numbers; undefined when none is given. */
  #keysOfVariables(
    setting: Setting<unknown>,
  ): { values: Record<string, unknown>; variables: Record<string, string> } | undefined {
    const given = Object.entries(setting.variables ?? {}).flatMap(([key, name]) => {
      const text = this.env[name]?.trim() || undefined;
      return text === undefined ? [] : [[key, name, text] as const];
    });
    if (given.length === 0) return undefined;
    return {
      values: Object.fromEntries(
        given.map(([key, , text]) => [key, /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text]),
      ),
      variables: Object.fromEntries(given.map(([key, name]) => [key, name])),
    };
  }

  #check(setting: Setting<unknown>, { value, path, from, variables }: Raw): unknown {
    const checked = setting.schema.safeParse(value);
    if (checked.success) {
      const result = checked.data;
      if (from !== undefined && setting.replaceable === true && result instanceof Secret)
        return new FileSecret(from, result.reveal());
      return setting.path === true && typeof result === 'string' ? resolve(this.cwd, result) : result;
    }
    const shown =
      typeof value === 'string' && setting.secret !== true ? ` (it is ${JSON.stringify(value)})` : '';
    for (const issue of checked.error.issues) {
      if (issue.code === 'unrecognized_keys' && variables !== undefined) {
        const message = `the ${setting.file ?? 'value'} that is chosen has no such setting`;
        for (const key of issue.keys) this.#fault(variables[key] ?? path, 'unknown_key', message);
      } else {
        this.#fault(variables?.[String(issue.path[0])] ?? path, 'invalid', `${issue.message}${shown}`);
      }
    }
    return undefined;
  }
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const inner of Object.values(value)) freezeDeep(inner);
    Object.freeze(value);
  }
  return value;
}
