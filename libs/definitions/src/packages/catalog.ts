import { ServiceError, type Fault } from '@lab/contracts';
import type { Diagnostic } from '../documents/index.js';
import {
  type DeviceDefinition,
  fault,
  hintFor,
  type LabDefinition,
  type ProtocolSnapshot,
  type TaskSnapshot,
} from '../model/index.js';
import type { ModuleStore } from '../code/index.js';
import type { PackageCode } from './package-code.js';

/** The origin of a definition. */
export interface DefinitionOrigin {
  kind: 'lab' | 'device' | 'task' | 'protocol';
  name: string;
  package: string;
  /** Relative to the user directory. */
  file: string;
  /** False: it has errors and cannot be used. */
  sound: boolean;
}

export interface CatalogContent {
  protocols: ReadonlyMap<string, ProtocolSnapshot>;
  tasks: ReadonlyMap<string, TaskSnapshot>;
  labs: ReadonlyMap<string, LabDefinition>;
  devices: ReadonlyMap<string, DeviceDefinition>;
}

/** All sound definitions of the packages, by name. A catalog is a value: it does not change when files do. */
export class Catalog {
  constructor(
    private readonly content: CatalogContent,
    /** Names of the packages that were read. */
    readonly packages: readonly string[],
    /** Every definition that was found, including broken ones. */
    readonly origins: readonly DefinitionOrigin[],
    /** All faults in the order of `compareCauses`; empty when there are none. */
    readonly diagnostics: readonly Diagnostic[],
    /** Findings with which the definitions can be used, in the order of `compareDiagnostics`. */
    readonly warnings: readonly Diagnostic[],
    private readonly store: ModuleStore,
    /** The code of the packages that were read, also that of broken definitions if it could be bundled. */
    readonly code: readonly PackageCode[],
  ) {}

  protocol(type: string): ProtocolSnapshot | undefined {
    return this.content.protocols.get(type);
  }

  task(type: string): TaskSnapshot | undefined {
    return this.content.tasks.get(type);
  }

  lab(name: string): LabDefinition | undefined {
    return this.content.labs.get(name);
  }

  deviceType(type: string): DeviceDefinition | undefined {
    return this.content.devices.get(type);
  }

  /** Names, sorted; likewise the next three. */
  protocolTypes(): string[] {
    return [...this.content.protocols.keys()].sort();
  }

  taskTypes(): string[] {
    return [...this.content.tasks.keys()].sort();
  }

  deviceTypes(): string[] {
    return [...this.content.devices.keys()].sort();
  }

  labNames(): string[] {
    return [...this.content.labs.keys()].sort();
  }

  labs(): LabDefinition[] {
    return this.labNames().flatMap((name) => this.content.labs.get(name) ?? []);
  }

  /**
   * The text of a code module of this or an earlier catalog of the same cache folder.
   *
   * @throws ServiceError `not_found`; `internal` when the stored text is damaged
   */
  module(hash: string): Promise<string> {
    return this.store.read(hash);
  }

  /**
   * A catalog of some labs and protocols, with all task and device types.
   *
   * @param chosen.labs names; default: all sound labs
   * @param chosen.protocols types; default: every protocol whose labs are all chosen
   * @throws ServiceError `invalid` with one fault per name that is unknown or has errors, and per protocol that needs
   *   a lab that is not chosen
   */
  select(chosen: { labs?: readonly string[]; protocols?: readonly string[] }): Catalog {
    const faults: Fault[] = [];
    const labs = new Map<string, LabDefinition>();
    for (const [index, name] of (chosen.labs ?? this.labNames()).entries()) {
      const lab = this.content.labs.get(name);
      if (lab) labs.set(name, lab);
      else faults.push(this.missing(`labs[${index}]`, 'lab', name, this.content.labs.keys()));
    }
    const protocols = new Map<string, ProtocolSnapshot>();
    for (const [index, type] of (chosen.protocols ?? this.protocolTypes()).entries()) {
      const snapshot = this.content.protocols.get(type);
      if (!snapshot) {
        faults.push(this.missing(`protocols[${index}]`, 'protocol', type, this.content.protocols.keys()));
        continue;
      }
      const absent = snapshot.protocol.labs.filter((lab) => !labs.has(lab));
      if (absent.length === 0) protocols.set(type, snapshot);
      else if (chosen.protocols) {
        faults.push({
          path: `protocols[${index}]`,
          code: 'lab_not_loaded',
          message: `the protocol "${type}" needs the lab ${absent.map((lab) => `"${lab}"`).join(' and ')}`,
          hint: 'load the lab as well',
        });
      }
    }
    if (faults.length > 0) {
      throw new ServiceError('invalid', 'not everything that was asked for can be loaded', { faults });
    }
    return new Catalog(
      { ...this.content, labs, protocols },
      this.packages,
      this.origins,
      this.diagnostics,
      this.warnings,
      this.store,
      this.code,
    );
  }

  private missing(path: string, kind: 'lab' | 'protocol', name: string, names: Iterable<string>): Fault {
    const broken = this.origins.find(
      (origin) => origin.kind === kind && origin.name === name && !origin.sound,
    );
    if (broken) {
      const first = this.diagnostics.find((diagnostic) => diagnostic.file === broken.file);
      return {
        path,
        code: `broken_${kind}`,
        message: `the ${kind} "${name}" has errors`,
        hint: first ? `${first.file}:${first.line ?? 1}: ${first.message}` : `see ${broken.file}`,
      };
    }
    return fault(path, `unknown_${kind}`, `there is no ${kind} "${name}"`, hintFor(name, names));
  }
}
