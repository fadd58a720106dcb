import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  definitionRequests as requests,
  definitionTypes,
  ServiceError,
  type DefinitionRecord,
  type DefinitionSummary,
  type DefinitionType,
  type Page,
  type PackageRecord,
} from '@lab/contracts';
import { Needs } from '../access/index.js';
import { readQuery, refuseBody } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { portionOf, readPageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';

/** Packages and what they define, as last read from disk and as loaded. */
@Needs('viewer')
@Controller('api')
export class PackagesController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Get('packages')
  async list(@Query() query: unknown): Promise<Page<PackageRecord>> {
    const request = readPageRequest('packages', query);
    const { packages } = await this.orchestrator.ask(requests.listPackages, {});
    return request.pageOf(portionOf(packages, 'packages', request, ({ name }) => name));
  }

  @Get('packages/:package_name')
  async read(@Param('package_name') given: string, @Query() query: unknown): Promise<PackageRecord> {
    readQuery(query, []);
    const { packages } = await this.orchestrator.ask(requests.listPackages, {});
    return found(
      packages.find(({ name }) => name === given),
      'package',
      given,
    );
  }

  @Needs('admin')
  @Post('packages/refresh')
  @HttpCode(200)
  async refresh(@Body() body: unknown, @Query() query: unknown): Promise<PackageRecord[]> {
    readQuery(query, []);
    refuseBody(body, 'All packages are read; send no body.');
    return (await this.orchestrator.ask(requests.refreshPackages, {})).packages;
  }

  @Get('definitions')
  async definitions(@Query() query: unknown): Promise<Page<DefinitionSummary>> {
    const request = readPageRequest('definitions', query);
    const { definitions } = await this.orchestrator.ask(requests.listDefinitions, {});
    const idOf = ({ type, name }: DefinitionSummary): string => `${type}/${name}`;
    return request.pageOf(portionOf(definitions, 'definitions', request, idOf));
  }

  @Get('definitions/:type/:name')
  async definition(
    @Param() given: Record<'type' | 'name', string>,
    @Query() query: unknown,
  ): Promise<DefinitionRecord> {
    readQuery(query, []);
    const type = definitionType(given.type);
    if (type === undefined)
      throw new ServiceError('not_found', `There are no definitions of that type. ${choices}`);
    return this.orchestrator.ask(requests.getDefinition, { type, name: given.name });
  }
}

const choices = `One of ${definitionTypes.join(', ')}.`;

function definitionType(given: string | undefined): DefinitionType | undefined {
  return definitionTypes.find((type) => type === given);
}
