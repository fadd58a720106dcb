import type { DeviceDefinition, LabDefinition, ProtocolSnapshot, TaskSnapshot } from '@lab/definitions/model';
import type { Definitions } from '../rows/index.js';

/** Definitions that a test puts in. */
export class MemoryDefinitions implements Definitions {
  readonly protocols = new Map<string, ProtocolSnapshot>();
  readonly tasks = new Map<string, TaskSnapshot>();
  readonly loadedLabs = new Map<string, LabDefinition>();
  readonly deviceTypes = new Map<string, DeviceDefinition>();
  /** Laboratories that take no new work. */
  readonly draining = new Set<string>();

  protocol(type: string): ProtocolSnapshot | undefined {
    return this.protocols.get(type);
  }

  task(type: string): TaskSnapshot | undefined {
    return this.tasks.get(type);
  }

  protocolTypes(): string[] {
    return [...this.protocols.keys()];
  }

  taskTypes(): string[] {
    return [...this.tasks.keys()];
  }

  labs(): LabDefinition[] {
    return [...this.loadedLabs.values()];
  }

  deviceType(type: string): DeviceDefinition | undefined {
    return this.deviceTypes.get(type);
  }

  takesWork(lab: string): boolean {
    return !this.draining.has(lab);
  }
}
