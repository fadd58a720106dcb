import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  definitionRequests as requests,
  definitionTypes,
  ServiceError,
  type DefinitionRecord,
  type DefinitionSummary,
  type DefinitionType,
  type PackageRecord,
} from '@lab/contracts';
import { Needs } from '../access/needs.js';
import { readQuery, refuseBody } from '../http/request-input.js';
import { Orchestrator } from '../orchestrator.js';

/** Packages and what they define, as last read from disk and as loaded. */
@Needs('viewer')
@Controller('api')
export class PackagesController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Get('packages')
  async list(@Query() query: unknown): Promise<PackageRecord[]> {
    readQuery(query, []);
    return (await this.orchestrator.ask(requests.listPackages, {})).packages;
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
  async definitions(@Query() query: unknown): Promise<DefinitionSummary[]> {
    const { type: given } = readQuery(query, ['type'] as const);
    const type = definitionType(given);
    if (given !== undefined && type === undefined) {
      throw new ServiceError('invalid', 'The query of the address is not valid.', {
        faults: [{ path: '?type', code: 'choice', message: 'is not a type', hint: choices }],
      });
    }
    const body = type === undefined ? {} : { type };
    return (await this.orchestrator.ask(requests.listDefinitions, body)).definitions;
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
