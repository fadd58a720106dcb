import { Controller, Get, Param, Query } from '@nestjs/common';
import { orchestratorRequests, type AgentRecord, type Page } from '@lab/contracts';
import { Needs } from '../access/index.js';
import { lookupName, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { portionOf, readPageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';

/** The agents of the computers, as the leading orchestrator hears them. */
@Needs('viewer')
@Controller('api/agents')
export class AgentsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Get()
  async list(@Query() query: unknown): Promise<Page<AgentRecord>> {
    const request = readPageRequest('agents', query);
    const portion = portionOf(await this.agents(), 'agents', request, ({ computer }) => computer, {
      lab: 'labs',
      text: 'computer',
    });
    return request.pageOf(portion);
  }

  @Needs('viewer', { of: 'agent' })
  @Get(':computer')
  async read(@Param('computer') given: string, @Query() query: unknown): Promise<AgentRecord> {
    readQuery(query, []);
    const computer = lookupName(given, 'computer');
    const agents = await this.agents();
    return found(
      agents.find((agent) => agent.computer === computer),
      'computer',
      computer,
    );
  }

  private async agents(): Promise<AgentRecord[]> {
    return (await this.orchestrator.ask(orchestratorRequests.listAgents, {})).agents;
  }
}
