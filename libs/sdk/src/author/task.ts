import type { Readable } from 'node:stream';
import { contextKey, type TaskContext } from './context.js';
import type { BaseDevice, Handles } from './device.js';
import type { JsonObject } from './json.js';
import { consoleLog, type AuthorLog } from './log.js';

/** A thing that tasks use and pass on, such as a beaker. */
export interface Resource<Meta extends object = JsonObject> {
  name: string;
  type: string;
  /** Facts about the resource. If a task returns it with changed `meta`, the next task gets the changed values. */
  meta: Meta;
}

/** A file that another task or an instrument produced. Each task gets its own copy on the disk of its computer. */
export interface InputFile {
  /** Absolute path, with the same extension as the name. The service removes the copy when the task ends. */
  path: string;
  /** Name under which the other task returned the file, or the instrument wrote it. */
  name: string;
  /** In bytes. */
  size: number;
  /** SHA-256 in hexadecimal. The service has compared the content with it. */
  sha256: string;
  /** Media type by the extension of the name, for example `text/csv`. */
  media_type: string;
}

/** The content of a file: in memory, as a stream, or a file on the disk of this computer (absolute path). */
export type FileContent =
  string | Uint8Array | Readable | AsyncIterable<Uint8Array | string> | { path: string };

/**
 * The result of `_execute`: output parameters and output resources by their names in `task.yml`, and files by the names under
 * which people download them.
 */
export type TaskResult<Outputs extends object = object> = [
  output_parameters: Outputs,
  resources: Record<string, Resource<object>>,
  files: Record<string, FileContent>,
];

/**
 * A type of task. Extend it once per task type, as the default export of `tasks/<type>/task.ts`:
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
 * The service makes a new object for every execution.
 *
 * @typeParam Devices  classes of the devices by the handles of `task.yml` (import them with `import type`); with `?` for a
 *   handle that only some protocols give to the task
 * @typeParam Parameters  input parameters; a parameter with a default is always present
 * @typeParam Resources  input resources by the handles of `task.yml`
 * @typeParam Files  `InputFile` by file handle, with `?` where `task.yml` says `required: false`
 */
export abstract class BaseTask<
  Devices extends { [Name in keyof Devices]: BaseDevice<never> } = Record<never, never>,
  Parameters extends object = JsonObject,
  Resources extends { [Name in keyof Resources]: Resource<object> } = Record<string, Resource>,
  Files extends { [Name in keyof Files]: InputFile | undefined } = Record<never, never>,
> {
  /** @internal */
  [contextKey]?: TaskContext;

  /** The devices that `_execute` gets. Their type is `this['devices']`. */
  get devices(): Handles<Devices> {
    return (this[contextKey]?.devices ?? {}) as Handles<Devices>;
  }

  /** The parameters that `_execute` gets. */
  get parameters(): Parameters {
    return (this[contextKey]?.parameters ?? {}) as Parameters;
  }

  /** The resources that `_execute` gets. Their type is `this['resources']`. */
  get resources(): Resources {
    return (this[contextKey]?.resources ?? {}) as Resources;
  }

  /** The input files from other tasks, by the handles of `input_files`. */
  get files(): Files {
    return (this[contextKey]?.files ?? {}) as Files;
  }

  /**
   * Waits until an instrument has written a file that belongs to this task: `files` of the device in `lab.yml` says where. Each
   * call gives another file, the oldest first. Return it under a name, so that other tasks can take it:
   * `[{}, {}, { 'plate.csv': file }]`.
   *
   * @param device handle of the device in `task.yml`
   * @param pattern such as `*.csv`, for the name of the file; with a `/`, for its path below the folder of the instrument
   * @param options.timeoutS how long to wait, in seconds; default 300
   * @returns a copy of the file on the disk of this computer
   * @throws Error with `code`: `deadline_exceeded` when no file came in time, `unknown_device`, `invalid` for a pattern that can
   *   match no file, or `aborted` when the task was cancelled
   */
  expectFile(
    device: Extract<keyof Devices, string>,
    pattern = '*',
    { timeoutS = 300 }: { timeoutS?: number } = {},
  ): Promise<InputFile> {
    const context = this[contextKey];
    if (context === undefined)
      return Promise.reject(new Error('expectFile works only in a task that the service runs'));
    return context.expectFile(device, pattern, timeoutS) as Promise<InputFile>;
  }

  /**
   * Makes a folder for files that the task writes while it runs, for example to return them as `{ path }`.
   *
   * @returns its absolute path on the disk of this computer, the same for every call of this task. The service removes the folder
   *   with its content when the task has ended and its files are stored
   * @throws Error of the disk
   */
  scratchFolder(): Promise<string> {
    const make = this[contextKey]?.scratchFolder;
    return make === undefined
      ? Promise.reject(new Error('scratchFolder works only in a task that an agent of this release runs'))
      : make();
  }

  /**
   * Fires when the task is cancelled. From then on the service refuses device calls. Pass the signal to all other operations
   * that wait, and let `_execute` throw. If the task does not end, its process is killed some seconds later.
   */
  get signal(): AbortSignal {
    return this[contextKey]?.signal ?? neverAborted;
  }

  /** The log of the service. Output of `console` goes there too. */
  get log(): AuthorLog {
    return this[contextKey]?.log ?? consoleLog;
  }

  /**
   * Does the work of the task.
   *
   * @param devices the allocated devices by their handles; they belong to this task alone until `_execute` ends
   * @param parameters the input parameters, checked against `task.yml` and with defaults filled in
   * @param resources the allocated resources by their handles
   * @returns output parameters, output resources and files; each may be `{}`
   * @throws any error, to fail the task; its message and stack are kept in the record of the task
   */
  abstract _execute(
    devices: Handles<Devices>,
    parameters: Parameters,
    resources: Resources,
  ): Promise<TaskResult> | TaskResult;
}

const neverAborted = new AbortController().signal;
