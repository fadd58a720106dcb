import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsOptional,
  IsString,
  Length,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import type { Fault } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { DeviceState } from '../states.js';

const mostNames = 200;
const drain =
  'Instead of refusing while work goes on: accept nothing new, and do it when that work has ended. Default false.';

/** Laboratories to load, unload or reload (`POST /api/labs/load` and so on). */
export class LabSelection {
  @JSONSchema({ description: 'Names of laboratories.', example: ['color_lab'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostNames)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 200, { each: true })
  lab_types!: string[];

  @JSONSchema({ description: drain, example: false })
  @IsOptional()
  @IsBoolean()
  drain?: boolean;
}

/** Protocols to load, unload or reload (`POST /api/protocols/load` and so on). */
export class ProtocolSelection {
  @JSONSchema({ description: 'Type names of protocols.', example: ['color_mixing'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostNames)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 200, { each: true })
  protocol_types!: string[];

  @JSONSchema({
    description:
      'Unload although runs or campaigns of it go on: they keep the definition they were accepted with. Default false.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  drain?: boolean;
}

/** Task types to reload (`POST /api/tasks/reload`). */
export class TaskTypeSelection {
  @JSONSchema({ description: 'Names of task types.', example: ['mix_colors'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostNames)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 200, { each: true })
  task_types!: string[];
}

/** The text of a protocol to check (`POST /api/protocols/validate`). */
export class ProtocolText {
  @JSONSchema({
    description: 'Text of an `experiment.yml`, templates included.',
    example: 'type: demo\ndesc: One task\nlabs: [color_lab]\ntasks: []\n',
  })
  @IsString()
  @Length(1, 262_144)
  protocol_yaml!: string;

  @JSONSchema({ description: 'Name of the file in the errors.', example: 'experiment.yml' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  file_name?: string;
}

export const definitionTypes = ['lab', 'device', 'task', 'protocol'] as const;
export type DefinitionType = (typeof definitionTypes)[number];

export const labStates = ['loaded', 'draining', 'unloaded'] as const;
export type LabState = (typeof labStates)[number];

/** A laboratory that the packages define or that is loaded. */
export interface LabRecord {
  name: string;
  /** Empty when its files have errors and it is not loaded. */
  desc: string;
  state: LabState;
  /** What is done when the work of a draining laboratory has ended; else null. */
  draining_for: 'unload' | 'reload' | null;
  package: string;
  /** Relative to the user directory. */
  file: string;
  /** Content hash of the loaded version, or of the one on disk; null when that has errors. */
  hash: string | null;
  /** False: the files, as they were last read, have errors. */
  sound: boolean;
  devices: string[];
  resources: string[];
}

/** A device of a laboratory after a load or reload. */
export interface LoadedDevice {
  name: string;
  computer: string;
  /** `disabled`: its computer is not connected; it starts when that comes. */
  state: DeviceState;
  detail: string | null;
  /** False: it was running already and goes on unchanged. */
  started: boolean;
}

/** What a load, unload or reload did to one laboratory. */
export interface LabChange {
  name: string;
  state: LabState;
  hash: string | null;
  /** Of a load or reload. */
  devices: LoadedDevice[];
  /** Protocols that were unloaded with it. */
  unloaded_protocols: string[];
  /** Work that a drain waits for. */
  waits_for: string[];
}

/** What a load, unload or reload did to one protocol. */
export interface ProtocolChange {
  type: string;
  loaded: boolean;
  hash: string | null;
  /** Work that goes on with an earlier version. */
  still_running: string[];
}

/** What a reload did to one task type. */
export interface TaskTypeChange {
  type: string;
  hash: string;
  /** Loaded protocols that use it from their next run on. */
  protocols: string[];
}

/** A definition of a package, by what was last read and what is loaded. */
export interface DefinitionSummary {
  type: DefinitionType;
  name: string;
  package: string;
  /** Relative to the user directory. */
  file: string;
  loaded: boolean;
  /** Content hash of the loaded version, or of the one on disk; null when that has errors. */
  hash: string | null;
  /** False: the files, as they were last read, have errors. */
  sound: boolean;
}

export interface DefinitionRecord extends DefinitionSummary {
  /** The loaded version, or the one on disk; null when there is none without errors. */
  definition: JsonObject | null;
  /** What is wrong with the files as they were last read. */
  errors: Fault[];
}

/** A package as it was last read. */
export interface PackageRecord {
  name: string;
  labs: string[];
  devices: string[];
  tasks: string[];
  protocols: string[];
  errors: Fault[];
}

/** What the check of a text found. */
export interface Validation {
  valid: boolean;
  errors: Fault[];
}
