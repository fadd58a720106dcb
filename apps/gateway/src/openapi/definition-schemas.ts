import {
  definitionTypes,
  deviceStates,
  labStates,
  type DefinitionRecord,
  type DefinitionSummary,
  type Fault,
  type JsonObject,
  type LabChange,
  type LabRecord,
  type LoadedDevice,
  type PackageRecord,
  type ProtocolChange,
  type TaskTypeChange,
  type Validation,
} from '@lab/contracts';
import {
  choice,
  flag,
  free,
  integer,
  list,
  named,
  object,
  orNull,
  text,
  type SchemaObject,
} from './schema-of.js';

const hash = orNull(
  text('Content hash of the loaded version, or of the one on disk; null when it has errors.'),
);
const inPackage = text('Package that defines it.', 'color_lab');
const file = text('Its file, relative to the user directory.', 'color_lab/laboratories/color_lab/lab.yml');
const sound = flag('False: its files, as they were last read, have errors.');
const labState = choice(labStates);
const names = (description: string) => list(text(), description);
const faults = list(named<Fault>('Fault'), 'What is wrong, and where.');

const summary = {
  type: choice(definitionTypes),
  name: text('Name of the definition.', 'mix_colors'),
  package: inPackage,
  file,
  loaded: flag('Whether it is loaded.'),
  hash,
  sound,
};

/** Schemas of definitions and of changes of what is loaded. */
export const definitionSchemas: Record<string, SchemaObject> = {
  Fault: object<Fault>(
    {
      path: text('Path inside the document or body.', 'tasks[2].devices.mixer'),
      code: text('Rule that is broken.', 'unknown_device_type'),
      message: text('What is wrong.'),
      hint: text('What would be right.'),
      file: text('Definition file, relative to the user directory.', 'demo/tasks/mix/task.yml'),
      line: integer('In that file, from 1.', 12),
      column: integer('In that line, from 1.', 3),
    },
    { optional: ['hint', 'file', 'line', 'column'] },
  ).schema,
  LabRecord: object<LabRecord>({
    name: text('Name of the laboratory.', 'color_lab'),
    desc: text('What it is.'),
    state: labState,
    draining_for: orNull(
      choice(['unload', 'reload'] as const, 'What is done when the work of a draining laboratory has ended.'),
    ),
    package: inPackage,
    file,
    hash,
    sound,
    devices: names('Names of its devices.'),
    resources: names('Names of its resources.'),
  }).schema,
  LabChange: object<LabChange>({
    name: text('Name of the laboratory.', 'color_lab'),
    state: labState,
    hash,
    devices: list(named<LoadedDevice>('LoadedDevice'), 'Its devices, after a load or reload.'),
    unloaded_protocols: names('Protocols that are unloaded with it.'),
    waits_for: names('Work that a drain waits for.'),
  }).schema,
  LoadedDevice: object<LoadedDevice>({
    name: text('Name within the laboratory.', 'station_1'),
    computer: text('Computer whose agent runs it.', 'svc_computer'),
    state: choice(deviceStates, '`disabled`: its computer is not connected; it starts when that comes.'),
    detail: orNull(text('What is wrong, in words; null when nothing is.')),
    started: flag('False: it was running already and goes on unchanged.'),
  }).schema,
  ProtocolChange: object<ProtocolChange>({
    type: text('Type name of the protocol.', 'color_mixing'),
    loaded: flag('Whether it is loaded.'),
    hash,
    still_running: names('Work that goes on with the version it was accepted with.'),
  }).schema,
  TaskTypeChange: object<TaskTypeChange>({
    type: text('Name of the task type.', 'mix_colors'),
    hash: text('Content hash of the version that is loaded.'),
    protocols: names('Loaded protocols that use it from their next run on.'),
  }).schema,
  DefinitionSummary: object<DefinitionSummary>(summary).schema,
  DefinitionRecord: object<DefinitionRecord>({
    ...summary,
    definition: orNull(free<JsonObject>('The definition, with everything optional filled in.')),
    errors: faults,
  }).schema,
  PackageRecord: object<PackageRecord>({
    name: inPackage,
    labs: names('Laboratories that it defines.'),
    devices: names('Device types.'),
    tasks: names('Task types.'),
    protocols: names('Protocols.'),
    errors: faults,
  }).schema,
  Validation: object<Validation>({
    valid: flag('True: a package with this protocol would load.'),
    errors: faults,
  }).schema,
};
