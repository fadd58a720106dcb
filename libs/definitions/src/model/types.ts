import type {
  InstrumentFolder,
  Isolation,
  JsonObject,
  JsonValue,
  ModuleReference,
  TaskFailurePolicy,
} from '@lab/contracts';

/**
 * Definitions after templates, parsing, checks and normalisation. Keys of definition files keep their names; all
 * defaults are filled in.
 */

interface ParameterCommon {
  desc: string;
  /** Default; a parameter with one is optional. */
  value?: JsonValue;
}

export type ParameterSpec = ParameterCommon &
  (
    | { type: 'int' | 'float'; unit: string; min?: number; max?: number }
    | { type: 'str' | 'bool' | 'dict' }
    | { type: 'choice'; choices: JsonValue[] }
    | {
        type: 'list';
        element_type: 'int' | 'float' | 'str' | 'bool' | 'dict' | 'choice';
        length?: number;
        /** Bound of each element, by position. Without a `length`, further elements have none. */
        min?: number[];
        max?: number[];
      }
  );

export type ParameterSpecs = Record<string, ParameterSpec>;

/** A file that a task gets. */
export interface InputFileSpec {
  desc: string;
  /** False: the task can run without the file. */
  required: boolean;
  /** Required media type of the extension of its name; absent: any. */
  media_type?: string;
}

export interface TaskDefinition {
  type: string;
  desc: string;
  /** Device handle to the type of device it needs. */
  devices: Record<string, { type: string }>;
  input_parameters: ParameterSpecs;
  output_parameters: ParameterSpecs;
  input_resources: Record<string, { type: string }>;
  output_resources: Record<string, { type: string }>;
  /** File handle to the required file of another task; absent: the task takes no file. */
  input_files?: Record<string, InputFileSpec>;
  isolation: Isolation;
  /** True: the author declares that the task may run again, whatever it did to devices. */
  retry_safe?: boolean;
  /** True: the task may put out other values than those it declares, as in EOS. */
  unchecked_outputs?: boolean;
  module: ModuleReference;
}

export interface DeviceDefinition {
  type: string;
  desc: string;
  init_parameters: JsonObject;
  module: ModuleReference;
}

export interface LabDevice {
  name: string;
  desc: string;
  type: string;
  computer: string;
  /** The init parameters of the device type, overridden by those of the lab. */
  init_parameters: JsonObject;
  meta: JsonObject;
  /** The folder into which the instrument writes files; absent: it writes none that the service takes. */
  files?: InstrumentFolder;
}

export interface LabResource {
  name: string;
  type: string;
  /** The meta of the resource type, overridden by that of the instance. */
  meta: JsonObject;
}

export interface LabDefinition {
  name: string;
  desc: string;
  /** Computer name to its address; always includes `svc_computer`. */
  computers: Record<string, { desc: string; ip: string }>;
  devices: Record<string, LabDevice>;
  resources: Record<string, LabResource>;
}

/** A hold keeps the allocation of the slot until the last task of the run that refers to it has ended. */
export type DeviceSlot = { hold: boolean } & (
  | { kind: 'specific'; lab_name: string; name: string }
  | {
      kind: 'dynamic';
      device_type: string;
      /** Null: any lab of the protocol. */
      allowed_labs: string[] | null;
      allowed_devices: { lab_name: string; name: string }[] | null;
    }
  | { kind: 'reference'; task: string; slot: string }
);

export type ResourceSlot = { hold: boolean } & (
  | { kind: 'specific'; name: string }
  | { kind: 'dynamic'; resource_type: string }
  | { kind: 'reference'; task: string; slot: string }
);

export type ParameterBinding =
  | { kind: 'literal'; value: JsonValue }
  /** `svc_dynamic`: supplied with the run. */
  | { kind: 'dynamic' }
  /** An output of an earlier task, or an input of it when it has no such output. */
  | { kind: 'reference'; task: string; parameter: string };

/** A file, by the name that an earlier task gave it. */
export interface FileReference {
  task: string;
  name: string;
}

/** Time between the end of a dependency and the start of a task, in seconds. */
export interface DependencyLag {
  /** Minimum; absent: 0. */
  min_lag?: number;
  /** Maximum, if it can be kept: a later start is flagged on the record of the task. Absent: no limit. */
  max_lag?: number;
}

export interface ProtocolTask {
  name: string;
  type: string;
  desc: string;
  /** Seconds; default 1. */
  duration: number;
  group: string | null;
  devices: Record<string, DeviceSlot>;
  resources: Record<string, ResourceSlot>;
  parameters: Record<string, ParameterBinding>;
  /** File handle to its file; absent: no files. */
  files?: Record<string, FileReference>;
  /** Names of the tasks that must complete first. They, or their own dependencies, include every referenced task. */
  dependencies: string[];
  /** Dependencies with a lag; absent: none. */
  lags?: Record<string, DependencyLag>;
  /** `timeout`, `retry` and `on_failure` as declared; absent: none is declared. */
  failure_policy?: TaskFailurePolicy;
}

export interface ProtocolDefinition {
  type: string;
  desc: string;
  labs: string[];
  /** Annotations of existing resources. */
  resources: Record<string, { meta: JsonObject }>;
  /** In an order in which every task follows its dependencies. */
  tasks: ProtocolTask[];
  /** The campaign optimizer beside the protocol; absent when the protocol has none. */
  optimizer?: ModuleReference;
}

/** A protocol with its task types: all that a run needs, independent of later reloads. */
export interface ProtocolSnapshot {
  /** SHA-256 over the content, hexadecimal. */
  hash: string;
  protocol: ProtocolDefinition;
  tasks: Record<string, TaskDefinition>;
}

/** A task type with its content hash: all that an on-demand task needs. */
export interface TaskSnapshot {
  hash: string;
  task: TaskDefinition;
}
