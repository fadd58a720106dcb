import type { ModuleReference } from '@lab/contracts';
import { compareDiagnostics, type Diagnostic, type SourceDocument } from '../documents/index.js';
import type { ModuleStore } from '../code/index.js';
import {
  canonicalAddress,
  DefinitionIndex,
  readDevice,
  readLab,
  readProtocol,
  readTask,
  serviceComputer,
  statedName,
} from '../files/index.js';
import type {
  DeviceDefinition,
  LabDefinition,
  ProtocolDefinition,
  ProtocolSnapshot,
  TaskDefinition,
  TaskSnapshot,
} from '../model/index.js';
import { contentHash } from './canonical.js';
import { Catalog } from './catalog.js';
import type { PackageCode } from './package-code.js';
import { CheckMemory } from './check-memory.js';
import type { LoadedFile } from './loaded-file.js';
import type { DefinitionKind, FoundDefinition } from './discover.js';

/**
 * Assembles the files of all packages. Referenced definitions come first, so that each file can be checked against
 * them.
 */
export class Assembly {
  private readonly devices = new DefinitionIndex<DeviceDefinition>('device type');
  private readonly tasks = new DefinitionIndex<TaskDefinition>('task type');
  private readonly labs = new DefinitionIndex<LabDefinition>('lab');
  private readonly protocols = new DefinitionIndex<ProtocolDefinition>('protocol');

  /** @param memory results of earlier assemblies: unchanged files are not checked again */
  constructor(
    private readonly files: readonly LoadedFile[],
    private readonly memory = new CheckMemory(),
  ) {
    this.add('device', this.devices, (file) => this.device(file));
    this.add('task', this.tasks, (file) => this.task(file));
    this.add('lab', this.labs, ({ source }) => readLab(source, this.devices));
    this.checkComputers();
    this.checkResources();
    this.add('protocol', this.protocols, (file) => this.protocol(file));
  }

  /**
   * @param order sorts the diagnostics of files and packages together
   * @param ofPackages warnings about packages, and their code
   */
  catalog(
    packages: readonly string[],
    order: (ofFiles: Diagnostic[]) => Diagnostic[],
    store: ModuleStore,
    { warnings, code }: { warnings: readonly Diagnostic[]; code: readonly PackageCode[] } = {
      warnings: [],
      code: [],
    },
  ): Catalog {
    const tasks = new Map(
      this.tasks
        .values()
        .map((task): [string, TaskSnapshot] => [task.type, this.memory.derived(task, snapshotOfTask)]),
    );
    const protocols = new Map(
      this.protocols
        .values()
        .map((protocol): [string, ProtocolSnapshot] => [
          protocol.type,
          this.memory.derived(protocol, () => this.snapshotOfProtocol(protocol)),
        ]),
    );
    const origins = this.files.map(({ definition, packageName, source }) => {
      const name = nameOf(definition, source);
      const sound = this.indexOf(definition.kind).get(name) !== undefined;
      return { kind: definition.kind, name, package: packageName, file: definition.file, sound };
    });
    return new Catalog(
      {
        tasks,
        protocols,
        labs: new Map(this.labs.values().map((lab) => [lab.name, lab])),
        devices: new Map(this.devices.values().map((device) => [device.type, device])),
      },
      packages,
      origins,
      order(this.files.flatMap(({ source }) => source.diagnostics)),
      [...warnings, ...this.files.flatMap(({ source }) => source.warnings)].sort(compareDiagnostics),
      store,
      code,
    );
  }

  private add<T>(kind: DefinitionKind, index: DefinitionIndex<T>, read: (file: LoadedFile) => T): void {
    const files = this.files.filter(({ definition }) => definition.kind === kind);
    const byName = new Map<string, LoadedFile[]>();
    for (const file of files) {
      const name = nameOf(file.definition, file.source);
      byName.set(name, [...(byName.get(name) ?? []), file]);
    }
    for (const [name, same] of byName) {
      const key = kind === 'lab' ? 'name' : 'type';
      for (const file of same) {
        // Without a readable document there is nothing to check; its faults are recorded already.
        const value = file.source.isBroken ? undefined : this.checked(file, read);
        if (same.length > 1) {
          const others = same.filter((other) => other !== file).map((other) => other.definition.file);
          file.source.fault(
            [key],
            'duplicate_definition',
            `the ${index.word} "${name}" is defined in ${others.join(', ')} as well`,
            { hint: 'rename one of them; none of them is loaded' },
          );
        }
        const isSound = !file.source.isBroken && !file.codeIsBroken;
        index.add(name, file.definition.file, isSound ? value : undefined);
      }
    }
  }

  private checked<T>(file: LoadedFile, read: (file: LoadedFile) => T): T {
    const value = this.memory.recall(
      file,
      (kind, name) => {
        const index = [this.devices, this.tasks, this.labs].find(({ word }) => word === kind);
        return index?.get(name);
      },
      () => read(file),
    );
    file.source.faultUntranslated();
    return value;
  }

  private device(file: LoadedFile): DeviceDefinition {
    return { ...readDevice(file.source), module: needCode(file, 'device') };
  }

  private task(file: LoadedFile): TaskDefinition {
    return { ...readTask(file.source, this.devices), module: needCode(file, 'task') };
  }

  private protocol({ source, module, codeIsBroken }: LoadedFile): ProtocolDefinition {
    const protocol = readProtocol(source, this.tasks, this.labs, this.devices);
    return module === null || codeIsBroken ? protocol : { ...protocol, optimizer: module };
  }

  /** A computer has one agent: its name and its address must mean the same in every lab. */
  private checkComputers(): void {
    const uses = this.labFiles().flatMap(({ lab, file }) =>
      Object.entries(lab.computers)
        .filter(([name]) => name !== serviceComputer.name)
        .map(([name, { ip }]) => ({ name, ip: canonicalAddress(ip), lab, file })),
    );
    const addresses = new FirstTwo(uses.map((use) => [use.name, use.ip, use]));
    const names = new FirstTwo(uses.map((use) => [use.ip, use.name, use]));
    for (const use of uses) {
      const path = ['computers', use.name, 'ip'];
      const elsewhere = addresses.other(use.name, use.ip);
      if (elsewhere && elsewhere.lab !== use.lab) {
        use.file.source.fault(
          path,
          'computer_conflict',
          `the computer "${use.name}" has the address ${elsewhere.ip} in ${elsewhere.file.definition.file}`,
          { hint: 'a computer has one address in all labs' },
        );
      }
      const namesake = names.other(use.ip, use.name);
      if (namesake && namesake.lab !== use.lab) {
        use.file.source.fault(
          path,
          'computer_conflict',
          `the address ${use.ip} belongs to the computer "${namesake.name}" in ${namesake.file.definition.file}`,
          { hint: 'a computer has one name in all labs' },
        );
      }
    }
    this.breakFaulty();
  }

  private checkResources(): void {
    const owners = new Map<string, LoadedFile[]>();
    for (const { lab, file } of this.labFiles()) {
      for (const name of Object.keys(lab.resources)) owners.set(name, [...(owners.get(name) ?? []), file]);
    }
    for (const [name, files] of owners) {
      for (const file of files.length > 1 ? files : []) {
        const others = files.filter((other) => other !== file).map((other) => other.definition.file);
        file.source.fault(
          ['resources', name],
          'duplicate_resource',
          `the resource "${name}" is in ${others.join(', ')} as well`,
          { what: 'key', hint: 'names of resources are unique across all labs' },
        );
      }
    }
    this.breakFaulty();
  }

  private labFiles(): { lab: LabDefinition; file: LoadedFile }[] {
    return this.files.flatMap((file) => {
      if (file.definition.kind !== 'lab') return [];
      const lab = this.labs.get(nameOf(file.definition, file.source));
      return lab ? [{ lab, file }] : [];
    });
  }

  private breakFaulty(): void {
    for (const { lab, file } of this.labFiles()) if (file.source.isBroken) this.labs.breakOff(lab.name);
  }

  private snapshotOfProtocol(protocol: ProtocolDefinition): ProtocolSnapshot {
    const tasks: Record<string, TaskDefinition> = {};
    for (const { type } of protocol.tasks) {
      const task = this.tasks.get(type);
      if (task) tasks[type] = task;
    }
    return { hash: contentHash({ protocol, tasks }), protocol, tasks };
  }

  private indexOf(kind: DefinitionKind): DefinitionIndex<unknown> {
    return { device: this.devices, task: this.tasks, lab: this.labs, protocol: this.protocols }[kind];
  }
}

/** For each key the first two users with different values, which is enough to name one that differs from any. */
class FirstTwo<U> {
  private readonly users = new Map<string, Map<string, U>>();

  constructor(entries: readonly (readonly [key: string, value: string, user: U])[]) {
    for (const [key, value, user] of entries) {
      const known = this.users.get(key) ?? new Map<string, U>();
      if (known.size < 2 && !known.has(value)) known.set(value, user);
      this.users.set(key, known);
    }
  }

  /** A user of the key with another value. */
  other(key: string, value: string): U | undefined {
    for (const [known, user] of this.users.get(key) ?? []) if (known !== value) return user;
    return undefined;
  }
}

function nameOf(definition: FoundDefinition, source: SourceDocument): string {
  return statedName(source, definition.kind === 'lab' ? 'name' : 'type', definition.folder);
}

function snapshotOfTask(task: TaskDefinition): TaskSnapshot {
  return { hash: contentHash(task), task };
}

/** The module of a definition that cannot be without code. */
/** @param name of the file of the code, without its ending */
function needCode({ module, source, codeIsBroken }: LoadedFile, name: string): ModuleReference {
  if (module === null && !codeIsBroken) {
    source.fault([], 'missing_code', `there is no ${name}.ts or ${name}.py beside it`, {
      hint: `write one of them in the same folder`,
    });
  }
  return module ?? { hash: '', package: '', source: '' };
}
