import { definitionTypes, LoadedDevice, type DefinitionType } from './definitions.js';
import {
  Described,
  Field,
  Optional,
  choice,
  flag,
  integer,
  list,
  object,
  orNull,
  text,
  time,
  type TypeOf,
} from './fields/field.js';
import { by, line, yesNo } from './fields/inputs.js';

/** What stands for the hash of the package in the folder of packages, and for no package. */
export const packageInFolder = 'folder';
export const noPackage = 'none';

/** Largest packed package, and its largest content, in bytes; most files. */
export const packageLimits = {
  packedBytes: 64 * 1024 ** 2,
  unpackedBytes: 256 * 1024 ** 2,
  files: 5_000,
} as const;

const hashExample = '95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66';
const commitExample = '9fceb02d0ae598e95dc970b74767f19372d61af8';
const hashText = 'SHA-256 of the packed package, hexadecimal.';
const activeText = `Hash of the active version; \`${packageInFolder}\`: the package in the folder of packages is active; \`${noPackage}\`: none is.`;
const packageName = text('Name of the package.', 'color_lab');
const names = (description: string) => list(text(), description);

/** Which version of a package is to be active (`POST /api/packages/{name}/activate`). */
export class PackageActivation {
  @Field(
    line(
      [1, 64],
      `Hash of the version. \`${packageInFolder}\`: the package in the folder of packages is to be active again.`,
      hashExample,
    ),
  )
  sha256!: string;
  @Field(
    line(
      [1, 64],
      'What must be active at present: a hash, `folder` or `none`. If something else is, the answer is 409 and names it, and nothing changes.',
      'none',
    ),
  )
  expect!: string;
  @Optional(
    yesNo(
      'True: does not refuse the request while work uses a changed device. The laboratory accepts nothing new, and the version becomes active when its work has ended. Default: false.',
      false,
    ),
  )
  drain?: boolean;
  @Optional(
    yesNo('True: the service only says what would change, and changes nothing. Default: false.', false),
  )
  dry_run?: boolean;
  @Optional(line([1, 200], 'Commit of the sources, for the audit.', commitExample)) commit?: string;
  @Optional(line([1, 200], 'Author of the commit, for the audit.', 'ada@example.org')) author?: string;
  @Optional(by()) by?: string;
}

const failure = object({
  at: time('When the service went back.'),
  reason: text('Why the version did not stay active.', 'the laboratory color_lab was not loaded'),
});

@Described('A packed version of a package, by its hash.')
export class PackageVersionRecord {
  @Field(packageName) package!: string;
  @Field(text(hashText, hashExample)) sha256!: string;
  @Field(integer('Size of the packed package, in bytes.', 20_480)) size!: number;
  @Field(orNull(text('Version in its `package.json`; null: none is given.', '1.4.0'))) version!:
    string | null;
  @Field(orNull(text('Commit of the sources; null: none was given.', commitExample))) commit!: string | null;
  @Field(orNull(text('Author of the commit; null: none was given.', 'ada@example.org'))) author!:
    string | null;
  @Field(time('When it was uploaded.')) uploaded_at!: string;
  @Field(text('Person or program that uploaded it.', 'ci')) uploaded_by!: string;
  @Field(names('Laboratories that the package concerned when it was uploaded.')) labs!: string[];
  @Field(flag('True: it is active.')) active!: boolean;
  @Field(orNull(time('Since when it is active; null: it is not.'))) active_since!: string | null;
  @Field(orNull(failure)) failure!: TypeOf<typeof failure> | null;
}

@Described('The versions of a package, and which of them is active.')
export class PackageVersions {
  @Field(packageName) package!: string;
  @Field(text(activeText, hashExample)) active!: string;
  @Field(text('What was active before, which a rollback activates. Written as `active`.', 'none'))
  previous!: string;
  @Field(orNull(time('Since when; null: nothing was activated yet.'))) active_since!: string | null;
  @Field(orNull(text('Who activated it; null: nothing was activated yet.', 'ci'))) activated_by!:
    string | null;
  @Field(orNull(text('Hash of a version that becomes active when work has ended; null: none does.')))
  waiting!: string | null;
  @Field(list(PackageVersionRecord, 'The latest 200 versions, newest first.'))
  versions!: PackageVersionRecord[];
}

@Described('A version of a package that was deleted.')
export class DeletedPackageVersion {
  @Field(packageName) package!: string;
  @Field(text(hashText, hashExample)) sha256!: string;
  @Field(integer('Size of the packed package, in bytes.', 20_480)) size!: number;
}

export const definitionChanges = ['added', 'changed', 'removed'] as const;
export type DefinitionChangeKind = (typeof definitionChanges)[number];

const definitionChange = object({
  type: choice(definitionTypes),
  name: text('Name of the definition.', 'mix_colors'),
  change: choice(definitionChanges),
});
export type DefinitionChange = TypeOf<typeof definitionChange> & { type: DefinitionType };

const deviceChange = object({
  lab: text('Name of the laboratory.', 'color_lab'),
  name: text('Name of the device.', 'station_1'),
  change: choice(definitionChanges, '`changed`: the device is started again.'),
});
export type DeviceChange = TypeOf<typeof deviceChange>;

export const activationStates = ['possible', 'active', 'draining'] as const;

@Described('What an activation did or, with `dry_run`, would do.')
export class PackageActivationRecord {
  @Field(packageName) package!: string;
  @Field(text('What is to be active: a hash, or `folder`.', hashExample)) sha256!: string;
  @Field(text('What was active before. Written as `sha256`, or `none`.', 'none')) before!: string;
  @Field(
    choice(
      activationStates,
      '`active`: it is active, and its devices are usable. `draining`: it becomes active when the work in `waits_for` has ended. `possible`: an answer to a dry run.',
    ),
  )
  state!: (typeof activationStates)[number];
  @Field(names('Laboratories that it concerns.')) labs!: string[];
  @Field(list(definitionChange, 'Definitions that change.')) definitions!: DefinitionChange[];
  @Field(list(deviceChange, 'Devices that change.')) devices!: DeviceChange[];
  @Field(names('Unfinished work that keeps the definitions and the code that it was accepted with.'))
  keeps_old!: string[];
  @Field(names('Unfinished work that uses a changed device, and must end first.')) waits_for!: string[];
  @Field(list(LoadedDevice, 'Devices of the laboratories after the activation; empty before.'))
  started!: LoadedDevice[];
}
