import { Controller, Get } from '@nestjs/common';
import { orchestratorRequests, type AgentRecord, type Page } from '@lab/contracts';
import { Needs } from '../access/index.js';
import { ListQuery, portionOf, type PageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { fromOrchestrator, Group, Operation, page, pathName, record } from '../routes/index.js';

const Computer = pathName('computer', 'computer', {
  description: 'Name of the computer.',
  example: 'bench_b',
});

/** The agents of the computers, as the leading orchestrator sees them. */
@Group('Devices')
@Needs('viewer')
@Controller('api/agents')
export class AgentsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Operation('List agents as they are now', page('AgentRecord', 'By computer.'), {
    description:
      'One for each computer of the loaded laboratories, and for each computer that ever registered: whether the agent is connected, what it runs, and why it is away.',
    problems: fromOrchestrator,
  })
  @Get()
  async list(@ListQuery('agents') request: PageRequest): Promise<Page<AgentRecord>> {
    const portion = portionOf(await this.agents(), 'agents', request, ({ computer }) => computer, {
      lab: 'labs',
      text: 'computer',
    });
    return request.pageOf(portion);
  }

  @Needs('viewer', { of: 'agent' })
  @Operation('Read the agent of a computer', record('AgentRecord', 'The agent as it is now.'), {
    problems: fromOrchestrator,
  })
  @Get(':computer')
  async read(@Computer() computer: string): Promise<AgentRecord> {
    const agents = await this.agents();
    return found(
      agents.find((each) => each.computer === computer),
      'computer',
      computer,
    );
  }

  private async agents(): Promise<AgentRecord[]> {
    return (await this.orchestrator.ask(orchestratorRequests.listAgents, {})).agents;
  }
}
