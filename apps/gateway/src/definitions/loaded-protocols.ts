import {
  definitionRequests,
  ServiceError,
  type DefinitionType,
  type JsonObject,
  type LabRights,
} from '@lab/contracts';
import type { ProtocolDefinition, ProtocolSnapshot, TaskDefinition } from '@lab/definitions/model';
import { Injectable } from '@nestjs/common';
import { Orchestrator } from '../orchestrator/index.js';
import { requireVisible } from './visible.js';

/** Reads the loaded protocols from the leading orchestrator. */
@Injectable()
export class LoadedProtocols {
  constructor(private readonly orchestrator: Orchestrator) {}

  /**
   * A protocol, if the caller may see it, with the types of its tasks that have dynamic parameters.
   *
   * @throws ServiceError `not_found`; `wrong_state` when the protocol is not loaded
   */
  async withOpenTasks(name: string, rights: LabRights): Promise<ProtocolSnapshot> {
    const { hash, definition } = await this.#loaded('protocol', name, rights);
    const protocol = definition as unknown as ProtocolDefinition;
    const open = protocol.tasks.filter(({ parameters }) =>
      Object.values(parameters).some(({ kind }) => kind === 'dynamic'),
    );
    const types = [...new Set(open.map(({ type }) => type))];
    const tasks = await Promise.all(
      types.map(async (type) => {
        const task = await this.#loaded('task', type, rights);
        return [type, task.definition as unknown as TaskDefinition] as const;
      }),
    );
    return { hash, protocol, tasks: Object.fromEntries(tasks) };
  }

  async #loaded(
    type: DefinitionType,
    name: string,
    rights: LabRights,
  ): Promise<{ hash: string; definition: JsonObject }> {
    const any = await this.orchestrator.ask(definitionRequests.getDefinition, { type, name });
    const record = requireVisible(any, rights);
    const { hash, definition, loaded } = record;
    if (!loaded || hash === null || definition === null)
      throw new ServiceError('wrong_state', `The ${type} "${name}" is not loaded.`);
    return { hash, definition };
  }
}
