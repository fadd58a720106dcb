import type { Readable } from 'node:stream';
import { contextKey, type TaskContext } from './context.js';
import type { BaseDevice, Handles } from './device.js';
import type { JsonObject } from './json.js';
import { consoleLog, type AuthorLog } from './log.js';

/** A thing that tasks take and leave, such as a beaker. */
export interface Resource<Meta extends object = JsonObject> {
  name: string;
  type: string;
  /** What is known of it. Return the resource with changed meta and the next task finds it so. */
  meta: Meta;
}

/** A file that another task produced, as a copy of this task's own on the disk of this computer. */
export interface InputFile {
  /** Absolute; it ends like the name. The copy goes away with the task. */
  path: string;
  /** Under which it was produced. */
  name: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal; the content has been compared with it. */
  sha256: string;
  /** What the ending of its name stands for, for example `text/csv`. */
  media_type: string;
}

/** Content of a file: in memory, as a stream, or a file on the disk of this computer (an absolute path). */
export type FileContent =
  string | Uint8Array | Readable | AsyncIterable<Uint8Array | string> | { path: string };

/**
 * What `_execute` returns: output parameters by the names of `task.yml`, output resources by theirs, and files by the
 * names under which people will download them.
 */
export type TaskResult<Outputs extends object = object> = [
  output_parameters: Outputs,
  resources: Record<string, Resource<object>>,
  files: Record<string, FileContent>,
];

/**
 * A kind of work. Extend it once per task type, as the default export of `tasks/<type>/task.ts`:
 *
 * ```ts
 * type Parameters = { volume: number };
 *
 * export default class Fill extends BaseTask<{ pump: Pump }, Parameters, { beaker: Resource<{ volume: number }> }> {
 *   async _execute(devices: this['devices'], { volume }: Parameters, { beaker }: this['resources']) {
 *     await devices.pump.dose({ volume });
 *     beaker.meta.volume += volume;
 *     return [{ dosed: volume }, { beaker }, {}] satisfies TaskResult;
 *   }
 * }
 * ```
 *
 * A new object is made for every execution.
 *
 * @typeParam Devices  device handle of `task.yml` to the class of the device (import it with `import type`)
 * @typeParam Parameters  input parameters; those with a default are always there
 * @typeParam Resources  input resources
 * @typeParam Files  file handle to `InputFile`, with `?` where `task.yml` says `required: false`
 */
export abstract class BaseTask<
  Devices extends { [Name in keyof Devices]: BaseDevice<never> } = Record<never, never>,
  Parameters extends object = JsonObject,
  Resources extends { [Name in keyof Resources]: Resource<object> } = Record<string, Resource>,
  Files extends { [Name in keyof Files]: InputFile | undefined } = Record<never, never>,
> {
  /** @internal */
  [contextKey]?: TaskContext;

  /** The same that `_execute` is given; `this['devices']` is its type. */
  get devices(): Handles<Devices> {
    return (this[contextKey]?.devices ?? {}) as Handles<Devices>;
  }

  /** The same that `_execute` is given. */
  get parameters(): Parameters {
    return (this[contextKey]?.parameters ?? {}) as Parameters;
  }

  /** The same that `_execute` is given; `this['resources']` is its type. */
  get resources(): Resources {
    return (this[contextKey]?.resources ?? {}) as Resources;
  }

  /** The files of other tasks that this one gets, by the handles of `input_files`. */
  get files(): Files {
    return (this[contextKey]?.files ?? {}) as Files;
  }

  /**
   * Fires when the task is cancelled. From then on device calls are refused; give the signal to whatever else waits, and
   * let `_execute` throw. A task that does not end is killed some seconds later.
   */
  get signal(): AbortSignal {
    return this[contextKey]?.signal ?? neverAborted;
  }

  /** The log of the service. `console` works as well. */
  get log(): AuthorLog {
    return this[contextKey]?.log ?? consoleLog;
  }

  /**
   * Does the work.
   *
   * @param devices handle name to the device that was chosen; it belongs to this task alone until `_execute` ends
   * @param parameters checked against `task.yml`, defaults filled in
   * @param resources resource name to the resource that was chosen
   * @returns output parameters, output resources and files; each may be `{}`
   * @throws anything, to fail the task; message and stack are kept with its record
   */
  abstract _execute(
    devices: Handles<Devices>,
    parameters: Parameters,
    resources: Resources,
  ): Promise<TaskResult> | TaskResult;
}

const neverAborted = new AbortController().signal;
