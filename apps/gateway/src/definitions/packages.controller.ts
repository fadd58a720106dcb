import { Controller, Get } from '@nestjs/common';
import {
  definitionRequests as requests,
  definitionTypes,
  orchestratorRequests,
  ServiceError,
  type CodeRecord,
  type DefinitionRecord,
  type DefinitionSummary,
  type LabRights,
  type Page,
  type PackageRecord,
} from '@lab/contracts';
import { anyLab, labFilter, Needs, Rights } from '../access/index.js';
import { ListQuery, portionOf, type PageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';
import { requireVisible, visible } from './visible.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  Operation,
  page,
  pathText,
  record,
  recordList,
} from '../routes/index.js';

const choices = `One of ${definitionTypes.join(', ')}.`;

/** Packages and their definitions, as last read from disk and as loaded. */
@Group('Definitions')
@Needs('viewer')
@Controller('api')
export class PackagesController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Operation('List packages as they were last read', page('PackageRecord', 'By name.'), {
    problems: fromOrchestrator,
  })
  @Get('packages')
  async list(@ListQuery('packages') request: PageRequest): Promise<Page<PackageRecord>> {
    const { packages } = await this.orchestrator.ask(requests.listPackages, {});
    return request.pageOf(portionOf(packages, 'packages', request, ({ name }) => name));
  }

  @Operation('Read a package as it was last read', record('PackageRecord', 'The package.'), {
    problems: ['not_found', ...fromOrchestrator],
  })
  @Get('packages/:package_name')
  async read(
    @(pathText('package_name', { description: 'Name of the package.', example: 'color_lab' })())
    given: string,
  ): Promise<PackageRecord> {
    const { packages } = await this.orchestrator.ask(requests.listPackages, {});
    return found(
      packages.find(({ name }) => name === given),
      'package',
      given,
    );
  }

  @Operation('Read code by its hash', record('CodeRecord', 'The code.'), {
    description: 'Records of tasks and of calls of devices name the hash of the code that they ran.',
    problems: ['not_found', ...fromOrchestrator],
  })
  @Get('code/:hash')
  async code(
    @(pathText('hash', {
      description: 'Content hash of the code.',
      example: '95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66',
    })())
    hash: string,
  ): Promise<CodeRecord> {
    const parts: Buffer[] = [];
    for (let offset = 0, total = 1; offset < total;) {
      const part = await this.orchestrator.ask(orchestratorRequests.fetchModule, { hash, offset });
      const bytes = Buffer.from(part.data, 'base64');
      if (bytes.length === 0) break;
      parts.push(bytes);
      offset += bytes.length;
      total = part.total;
    }
    const origins = await this.records.codeOrigins(hash);
    return { hash, text: Buffer.concat(parts).toString(), origins };
  }

  @Needs('admin')
  @Operation('Read the packages from disk again', recordList('PackageRecord', 'By name.'), {
    description: 'Loaded definitions stay as they are.',
    problems: fromOrchestrator,
  })
  @Action('packages/refresh')
  async refresh(): Promise<PackageRecord[]> {
    return (await this.orchestrator.ask(requests.refreshPackages, {})).packages;
  }

  @Needs('viewer', { lab: labFilter })
  @Operation('List definitions, loaded or not', page('DefinitionSummary', 'By type and name.'), {
    problems: fromOrchestrator,
  })
  @Get('definitions')
  async definitions(
    @ListQuery('definitions') request: PageRequest,
    @Rights() rights: LabRights,
  ): Promise<Page<DefinitionSummary>> {
    const all = await this.orchestrator.ask(requests.listDefinitions, {});
    const definitions = all.definitions.flatMap((each) => visible(each, rights) ?? []);
    const idOf = ({ type, name }: DefinitionSummary): string => `${type}/${name}`;
    return request.pageOf(portionOf(definitions, 'definitions', request, idOf, { lab: 'labs' }));
  }

  @Needs('viewer', { lab: anyLab })
  @Operation(
    'Read a definition',
    record('DefinitionRecord', 'The loaded version, and the mistakes in the files.'),
    {
      problems: ['not_found', ...fromOrchestrator],
    },
  )
  @Get('definitions/:type/:name')
  async definition(
    @(pathText('type', { description: choices, example: 'task' })()) given: string,
    @(pathText('name', { description: 'Name of the definition.', example: 'mix_colors' })()) name: string,
    @Rights() rights: LabRights,
  ): Promise<DefinitionRecord> {
    const type = definitionTypes.find((each) => each === given);
    if (type === undefined)
      throw new ServiceError('not_found', `There are no definitions of that type. ${choices}`);
    return requireVisible(await this.orchestrator.ask(requests.getDefinition, { type, name }), rights);
  }
}
