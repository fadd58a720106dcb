import { Fault } from './fault.js';
import type { JsonObject } from '../json.js';
import { deviceStates, type DeviceState } from '../states.js';
import {
  Field,
  Optional,
  choice,
  flag,
  free,
  list,
  object,
  orNull,
  text,
  time,
  type TypeOf,
} from './fields/field.js';
import { definedNames, line, yesNo } from './fields/inputs.js';

/** Laboratories to load, unload or reload (`POST /api/labs/load` and so on). */
export class LabSelection {
  @Field(definedNames('Names of laboratories.', ['color_lab'])) lab_types!: string[];
  @Optional(
    yesNo(
      'True: does not refuse the request while work runs. The laboratory accepts nothing new, and the change happens when its work has ended. Default: false.',
      false,
    ),
  )
  drain?: boolean;
}

/** Protocols to load, unload or reload (`POST /api/protocols/load` and so on). */
export class ProtocolSelection {
  @Field(definedNames('Type names of protocols.', ['color_mixing'])) protocol_types!: string[];
  @Optional(
    yesNo(
      'True: unloads the protocol although runs or campaigns of it continue. They keep the definition that they were accepted with. Default: false.',
      false,
    ),
  )
  drain?: boolean;
}

/** Task types to reload (`POST /api/tasks/reload`). */
export class TaskTypeSelection {
  @Field(definedNames('Names of task types.', ['mix_colors'])) task_types!: string[];
}

/** The text of a protocol to check (`POST /api/protocols/validate`). */
export class ProtocolText {
  @Field(
    line(
      [1, 262_144],
      'Text of an `experiment.yml`, templates included.',
      'type: demo\ndesc: One task\nlabs: [color_lab]\ntasks: []\n',
    ),
  )
  protocol_yaml!: string;
  @Optional(line([1, 200], 'Name of the file in the errors.', 'experiment.yml')) file_name?: string;
}

export const definitionTypes = ['lab', 'device', 'task', 'protocol'] as const;
export type DefinitionType = (typeof definitionTypes)[number];

export const labStates = ['loaded', 'draining', 'unloaded'] as const;
export type LabState = (typeof labStates)[number];

const hash = orNull(
  text('Content hash of the loaded version, or else of the version on disk; null when that has errors.'),
);
const inPackage = text('Package that defines it.', 'color_lab');
const file = text('Its file, relative to the user directory.', 'color_lab/laboratories/color_lab/lab.yml');
const sound = flag('False: its files had errors when the service last read them.');
const labName = text('Name of the laboratory.', 'color_lab');
const names = (description: string) => list(text(), description);
const faults = list(Fault, 'What is wrong, and where.');

/** A laboratory that the packages define or that is loaded. */
export class LabRecord {
  @Field(labName) name!: string;
  @Field(text('Description of the laboratory. Empty when its files have errors and it is not loaded.'))
  desc!: string;
  @Field(choice(labStates)) state!: LabState;
  @Field(
    orNull(
      choice(
        ['unload', 'reload', 'deploy'],
        'What happens when the work of a draining laboratory has ended; else null. `deploy`: another version of a package becomes active.',
      ),
    ),
  )
  draining_for!: 'unload' | 'reload' | 'deploy' | null;
  @Field(inPackage) package!: string;
  @Field(file) file!: string;
  @Field(hash) hash!: string | null;
  @Field(sound) sound!: boolean;
  @Field(names('Names of its devices.')) devices!: string[];
  @Field(names('Names of its resources.')) resources!: string[];
}

/** A device of a laboratory after a load or reload. */
export class LoadedDevice {
  @Field(text('Name within the laboratory.', 'station_1')) name!: string;
  @Field(text('Computer whose agent runs the device.', 'svc_computer')) computer!: string;
  @Field(
    choice(
      deviceStates,
      '`disabled`: the computer of the device is not connected. The device starts when the computer connects.',
    ),
  )
  state!: DeviceState;
  @Field(orNull(text('What is wrong, in words; null when nothing is.'))) detail!: string | null;
  @Field(flag('False: the device was running already and continues unchanged.')) started!: boolean;
}

/** What a load, unload or reload did to one laboratory. */
export class LabChange {
  @Field(labName) name!: string;
  @Field(choice(labStates)) state!: LabState;
  @Field(hash) hash!: string | null;
  @Field(list(LoadedDevice, 'Devices of the laboratory, after a load or reload.')) devices!: LoadedDevice[];
  @Field(names('Protocols that were unloaded with the laboratory.')) unloaded_protocols!: string[];
  @Field(names('Work that must end before a draining laboratory changes.')) waits_for!: string[];
}

/** What a load, unload or reload did to one protocol. */
export class ProtocolChange {
  @Field(text('Type name of the protocol.', 'color_mixing')) type!: string;
  @Field(flag('True: the protocol is loaded.')) loaded!: boolean;
  @Field(hash) hash!: string | null;
  @Field(names('Work that continues with the version that it was accepted with.')) still_running!: string[];
}

/** What a reload did to one task type. */
export class TaskTypeChange {
  @Field(text('Name of the task type.', 'mix_colors')) type!: string;
  @Field(text('Content hash of the loaded version.')) hash!: string;
  @Field(names('Loaded protocols that use the task type from their next run on.')) protocols!: string[];
}

/** A definition of a package, as the service last read it, and whether it is loaded. */
export class DefinitionSummary {
  @Field(choice(definitionTypes)) type!: DefinitionType;
  @Field(text('Name of the definition.', 'mix_colors')) name!: string;
  @Field(inPackage) package!: string;
  @Field(file) file!: string;
  @Field(flag('True: the definition is loaded.')) loaded!: boolean;
  @Field(hash) hash!: string | null;
  @Field(sound) sound!: boolean;
  @Field(
    names(
      'Laboratories of the definition: the laboratory itself, those that a protocol names, those that have the device type, and of a task type those that have what it needs or whose loaded protocols use it. Only laboratories that the caller may see.',
    ),
  )
  labs!: string[];
}

export class DefinitionRecord extends DefinitionSummary {
  @Field(
    orNull(
      free<JsonObject>(
        'The loaded definition, or else the one on disk, with every optional field filled in; null when both are missing or have errors.',
      ),
    ),
  )
  definition!: JsonObject | null;
  @Field(faults) errors!: Fault[];
}

/** A package as the service last read it. */
export class PackageRecord {
  @Field(inPackage) name!: string;
  @Field(names('Laboratories that the package defines.')) labs!: string[];
  @Field(names('Device types.')) devices!: string[];
  @Field(names('Task types.')) tasks!: string[];
  @Field(names('Protocols.')) protocols!: string[];
  @Field(faults) errors!: Fault[];
  @Field(list(Fault, 'Findings with which the definitions can be used.')) warnings!: Fault[];
}

/** What the check of a text found. */
export class Validation {
  @Field(flag('True: a package with this protocol would load.')) valid!: boolean;
  @Field(faults) errors!: Fault[];
}

const codeOrigin = object({
  package: text('Name of the package.', 'color_lab'),
  version: orNull(text('Version in its `package.json`; null: none is given.', '1.4.0')),
  commit: orNull(
    text('Git commit that was checked out; null: none is known.', '9fceb02d0ae598e95dc970b74767f19372d61af8'),
  ),
  modified: orNull(flag('Whether files of the package differed from the commit; null: it is not known.')),
  loaded_at: time('When the service first read the code from this version.'),
});
export type CodeOrigin = TypeOf<typeof codeOrigin>;

/** The code of a device, a task or an optimizer, as the service bundled it from its package. */
export class CodeRecord {
  @Field(text('Content hash of the code.')) hash!: string;
  @Field(text('The code: a JavaScript module.')) text!: string;
  @Field(list(codeOrigin, 'Versions of packages that the code was read from, latest first.'))
  origins!: CodeOrigin[];
}
