import { Controller } from '@nestjs/common';
import {
  definitionRequests as requests,
  type LabSelection,
  type ProtocolSelection,
  type ProtocolText,
  type ReplyOf,
  type RequestOf,
  type TaskTypeSelection,
  type Validation,
} from '@lab/contracts';
import { validateProtocolText } from '@lab/definitions';
import { Handles } from '@lab/messaging/nest';
import { definitionRecord, definitionSummaries, labRecords, packageRecords } from './definition-records.js';
import { LabLoading } from './lab-loading.js';
import { LoadedDefinitions } from './loaded-definitions.js';
import { faultOf, PackageIndex } from './package-index.js';
import { ProtocolLoading } from './protocol-loading.js';

type LabChanges = ReplyOf<typeof requests.loadLabs>;
type ProtocolChanges = ReplyOf<typeof requests.loadProtocols>;
type Packages = ReplyOf<typeof requests.listPackages>;

/** What is loaded, and changes of it. */
@Controller()
export class DefinitionsController {
  constructor(
    private readonly labs: LabLoading,
    private readonly protocols: ProtocolLoading,
    private readonly definitions: LoadedDefinitions,
    private readonly index: PackageIndex,
  ) {}

  @Handles(requests.loadLabs)
  async loadLabs({ lab_types }: LabSelection): Promise<LabChanges> {
    return { labs: await this.labs.load(lab_types) };
  }

  @Handles(requests.unloadLabs)
  async unloadLabs({ lab_types, drain }: LabSelection): Promise<LabChanges> {
    return { labs: await this.labs.unload(lab_types, drain ?? false) };
  }

  @Handles(requests.reloadLabs)
  async reloadLabs({ lab_types, drain }: LabSelection): Promise<LabChanges> {
    return { labs: await this.labs.reload(lab_types, drain ?? false) };
  }

  @Handles(requests.listLabs)
  listLabs(): ReplyOf<typeof requests.listLabs> {
    return { labs: labRecords(this.index.catalog, this.definitions.current) };
  }

  @Handles(requests.loadProtocols)
  async loadProtocols({ protocol_types }: ProtocolSelection): Promise<ProtocolChanges> {
    return { protocols: await this.protocols.load(protocol_types) };
  }

  @Handles(requests.unloadProtocols)
  async unloadProtocols({ protocol_types, drain }: ProtocolSelection): Promise<ProtocolChanges> {
    return { protocols: await this.protocols.unload(protocol_types, drain ?? false) };
  }

  @Handles(requests.reloadProtocols)
  async reloadProtocols({ protocol_types }: ProtocolSelection): Promise<ProtocolChanges> {
    return { protocols: await this.protocols.reload(protocol_types) };
  }

  @Handles(requests.reloadTasks)
  async reloadTasks({ task_types }: TaskTypeSelection): Promise<ReplyOf<typeof requests.reloadTasks>> {
    return { tasks: await this.protocols.reloadTasks(task_types) };
  }

  @Handles(requests.validateProtocol)
  validateProtocol({ protocol_yaml, file_name }: ProtocolText): Validation {
    const options = file_name === undefined ? {} : { fileName: file_name };
    const errors = validateProtocolText(this.index.catalog, protocol_yaml, options).map(faultOf);
    return { valid: errors.length === 0, errors };
  }

  @Handles(requests.listPackages)
  listPackages(): Packages {
    return { packages: packageRecords(this.index.catalog) };
  }

  @Handles(requests.refreshPackages)
  async refreshPackages(): Promise<Packages> {
    return { packages: packageRecords(await this.index.refresh()) };
  }

  @Handles(requests.listDefinitions)
  listDefinitions({
    type,
  }: RequestOf<typeof requests.listDefinitions>): ReplyOf<typeof requests.listDefinitions> {
    return { definitions: definitionSummaries(this.index.catalog, this.definitions.current, type) };
  }

  @Handles(requests.getDefinition)
  getDefinition({
    type,
    name,
  }: RequestOf<typeof requests.getDefinition>): ReplyOf<typeof requests.getDefinition> {
    return definitionRecord(this.index.catalog, this.definitions.current, type, name);
  }
}
