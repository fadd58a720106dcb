import { Controller, Get, Post, Res } from '@nestjs/common';
import {
  definitionRequests as requests,
  LabSelection,
  ServiceError,
  type LabChange,
  type LabRecord,
  type Page,
} from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { Needs } from '../access/index.js';
import { labSelections } from '../examples/index.js';
import { ListQuery, portionOf, type PageRequest } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  page,
  pathText,
  record,
  recordList,
} from '../routes/index.js';

const LabId = pathText('lab_id', { description: 'Name of the laboratory.', example: 'color_lab' });

const draining = 'With `drain`, the answer is 202 while work continues, and the change happens when it ends.';
const further = {
  202: recordList('LabChange', 'Some laboratories change only when their work has ended.'),
};

/** Laboratories: list, load, unload and reload them. */
@Group('Definitions')
@Needs('viewer')
@Controller('api/labs')
export class LabsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Operation('List laboratories, loaded or not', page('LabRecord', 'By name.'), {
    problems: fromOrchestrator,
  })
  @Get()
  async list(@ListQuery('labs') request: PageRequest): Promise<Page<LabRecord>> {
    const { labs } = await this.orchestrator.ask(requests.listLabs, {});
    return request.pageOf(portionOf(labs, 'labs', request, ({ name }) => name));
  }

  @Needs('viewer', { lab: 'lab_id' })
  @Operation('Read a laboratory, loaded or not', record('LabRecord', 'The laboratory.'), {
    problems: ['unknown_lab', ...fromOrchestrator],
  })
  @Get(':lab_id')
  async read(@LabId() name: string): Promise<LabRecord> {
    const { labs } = await this.orchestrator.ask(requests.listLabs, {});
    const lab = labs.find((each) => each.name === name);
    if (lab !== undefined) return lab;
    throw new ServiceError('unknown_lab', `No package has a laboratory "${name}".`);
  }

  @Needs('lab_admin', { lab: 'lab_types' })
  @Operation('Load laboratories', recordList('LabChange', 'The laboratories are loaded.'), {
    description:
      'The service answers once every device is usable. It loads a laboratory completely or not at all: if a file has a mistake or a device does not start, nothing changes. Devices of computers that are not connected start when those connect.',
    problems: ['wrong_state', 'device_unavailable', ...fromOrchestrator],
  })
  @Action('load')
  async load(@JsonBody(LabSelection, labSelections) selection: LabSelection): Promise<LabChange[]> {
    return (await this.orchestrator.ask(requests.loadLabs, selection)).labs;
  }

  @Needs('lab_admin', { lab: 'lab_types' })
  @Operation('Unload laboratories', recordList('LabChange', 'The laboratories are unloaded.'), {
    description: `Refused while work needs the laboratories; the answer names the work. ${draining} The service also unloads the protocols that need the laboratories. Resources keep their state.`,
    status: 200,
    further,
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Post('unload')
  async unload(
    @JsonBody(LabSelection, labSelections) selection: LabSelection,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LabChange[]> {
    return answered(reply, (await this.orchestrator.ask(requests.unloadLabs, selection)).labs);
  }

  @Needs('lab_admin', { lab: 'lab_types' })
  @Operation('Read laboratories from disk again', recordList('LabChange', 'The laboratories are reloaded.'), {
    description: `Unchanged devices keep running. The service restarts the others, and refuses to do so while they are in use. ${draining} If a file has a mistake, the earlier version stays.`,
    status: 200,
    further,
    problems: ['wrong_state', 'device_unavailable', ...fromOrchestrator],
  })
  @Post('reload')
  async reload(
    @JsonBody(LabSelection, labSelections) selection: LabSelection,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LabChange[]> {
    return answered(reply, (await this.orchestrator.ask(requests.reloadLabs, selection)).labs);
  }
}

/** Sets the status 202 while a change waits for the end of work. */
function answered(reply: FastifyReply, changes: LabChange[]): LabChange[] {
  reply.code(changes.some((change) => change.state === 'draining') ? 202 : 200);
  return changes;
}
