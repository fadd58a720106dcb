import { Controller, Get, Patch } from '@nestjs/common';
import {
  orchestratorRequests,
  ResourceChange,
  ResourceReset,
  type Page,
  type Principal,
  type ResourceRecord,
  type ResourceUse,
} from '@lab/contracts';
import { actorName, Caller, labFilter, Needs } from '../access/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { committed, found } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  OptionalBody,
  page,
  pathName,
  record,
} from '../routes/index.js';

const ResourceName = pathName('resource_name', 'resource', {
  description: 'Name of the resource.',
  example: 'beaker_1',
});

/** Resources: their data, their holder, the tasks that used them, and the reset of their data. */
@Group('Resources')
@Needs('viewer')
@Controller('api/resources')
export class ResourcesController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('viewer', { lab: labFilter })
  @Operation('List resources', page('ResourceRecord', 'By name.'))
  @Get()
  async list(@ListQuery('resources') request: PageRequest): Promise<Page<ResourceRecord>> {
    return request.pageOf(await this.records.list('resources', request));
  }

  @Needs('viewer', { of: 'resource' })
  @Operation('Read a resource', record('ResourceRecord', 'The resource and its holder.'))
  @Get(':resource_name')
  async read(@ResourceName() name: string): Promise<ResourceRecord> {
    return found(await this.records.resource(name), 'resource', name);
  }

  @Needs('operator', { of: 'resource' })
  @Operation(
    'Reset the data of a resource to the values in its lab file',
    record('ResourceRecord', 'The resource after the reset.'),
    {
      description:
        'Refused while a task or a protocol run holds the resource; the answer names the holder. With `force` and a reason, the service resets it all the same. If a running task holds the resource, the values that the task reports when it ends replace the reset.',
      problems: ['wrong_state', ...fromOrchestrator],
    },
  )
  @Action(':resource_name/reset')
  async reset(
    @ResourceName() name: string,
    @OptionalBody(ResourceReset, {
      washed: { summary: 'Washed by hand', value: { reason: 'washed by hand', by: 'ada' } },
    })
    { reason = '', force = false, by }: ResourceReset,
    @Caller() caller: Principal,
  ): Promise<ResourceRecord> {
    await this.orchestrator.ask(orchestratorRequests.resetResource, {
      name,
      by: actorName(caller, by),
      reason,
      force,
    });
    return committed(() => this.records.resource(name), `resource ${name}`);
  }

  @Needs('operator', { of: 'resource' })
  @Operation('Change the data of a resource', record('ResourceRecord', 'The resource after the change.'), {
    description:
      'A value replaces that of the same name; null removes it; other values stay. Refused while a task or a protocol run holds the resource, unless it is forced with a reason. If a running task holds the resource, the values that the task reports when it ends replace the change.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Patch(':resource_name')
  async change(
    @ResourceName() name: string,
    @JsonBody(ResourceChange, {
      weighed: { summary: 'Weighed by hand', value: { meta: { ml: 12.5 }, reason: 'weighed', by: 'ada' } },
    })
    { meta, reason = '', force = false, by }: ResourceChange,
    @Caller() caller: Principal,
  ): Promise<ResourceRecord> {
    const asked = { name, by: actorName(caller, by), reason, force, meta };
    await this.orchestrator.ask(orchestratorRequests.setResource, asked);
    return committed(() => this.records.resource(name), `resource ${name}`);
  }

  @Operation(
    'List the tasks that held a resource, the data that they left, and its resets',
    page('ResourceUse', 'Latest use first.'),
  )
  @Get(':resource_name/history')
  async history(
    @ResourceName() name: string,
    @ListQuery('resource_uses', { owner: 'resource_name' }) request: PageRequest,
  ): Promise<Page<ResourceUse>> {
    const [resource, uses] = await Promise.all([
      this.records.resource(name),
      this.records.list('resource_uses', request, name),
    ]);
    found(resource, 'resource', name);
    return request.pageOf(uses);
  }
}
