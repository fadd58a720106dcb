import type { DeviceDefinition, LabDefinition, ProtocolSnapshot, TaskSnapshot } from '@lab/definitions/model';
import type { Definitions } from '@lab/engine';

/** One version of a laboratory, with the device types that it was loaded with. */
export interface LabVersion {
  lab: LabDefinition;
  devices: ReadonlyMap<string, DeviceDefinition>;
  /** Content hash of both. */
  hash: string;
}

/** `deploy`: another version of its package becomes active. */
export type DrainPurpose = 'unload' | 'reload' | 'deploy';

/** The definitions that are loaded at one moment. A value: every change makes a new one. */
export interface LoadedSet {
  readonly labs: ReadonlyMap<string, LabVersion>;
  readonly protocols: ReadonlyMap<string, ProtocolSnapshot>;
  readonly tasks: ReadonlyMap<string, TaskSnapshot>;
  /** Laboratories that accept no new work, and the change that follows when their work has ended. */
  readonly draining: ReadonlyMap<string, DrainPurpose>;
}

/** The definitions that the engine decides by. They change only when another {@link LoadedSet} replaces them. */
export class LoadedDefinitions implements Definitions {
  /** Laboratories whose devices are starting for the first time. The load may still be taken back. */
  starting: ReadonlySet<string> = new Set();

  constructor(public current: LoadedSet) {}

  protocol(type: string): ProtocolSnapshot | undefined {
    return this.current.protocols.get(type);
  }

  task(type: string): TaskSnapshot | undefined {
    return this.current.tasks.get(type);
  }

  protocolTypes(): string[] {
    return [...this.current.protocols.keys()].sort();
  }

  taskTypes(): string[] {
    return [...this.current.tasks.keys()].sort();
  }

  labNames(): string[] {
    return [...this.current.labs.keys()].sort();
  }

  labs(): LabDefinition[] {
    return this.labNames().flatMap((name) => this.current.labs.get(name)?.lab ?? []);
  }

  deviceType(type: string, lab: string): DeviceDefinition | undefined {
    return this.current.labs.get(lab)?.devices.get(type);
  }

  takesWork(lab: string): boolean {
    return !this.current.draining.has(lab) && !this.starting.has(lab);
  }
}
