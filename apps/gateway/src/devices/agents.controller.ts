import { Controller, Get } from '@nestjs/common';
import {
  DrainSubmission,
  orchestratorRequests,
  type AgentRecord,
  type Page,
  type Principal,
} from '@lab/contracts';
import { Actor, actorName, Caller, labFilter, Needs, type Acting } from '../access/index.js';
import { isWithin, ListQuery, portionOf, type PageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  page,
  pathName,
  record,
} from '../routes/index.js';

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

  /**
   * A caller with roles for some labs sees an agent only when all labs of its computer are among them: its devices and
   * tasks would tell of the other labs.
   */
  @Needs('viewer', { lab: labFilter })
  @Operation('List agents as they are now', page('AgentRecord', 'By computer.'), {
    description:
      'One for each computer of the loaded laboratories, and for each computer that ever registered: whether the agent is connected, what it runs, and why it is away.',
    problems: fromOrchestrator,
  })
  @Get()
  async list(@ListQuery('agents') request: PageRequest): Promise<Page<AgentRecord>> {
    const agents = (await this.agents()).filter(({ labs }) => isWithin(labs, request.within));
    const portion = portionOf(agents, 'agents', request, ({ computer }) => computer, {
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

  @Needs('operator', { of: 'agent' })
  @Operation(
    'Drain a computer: no task starts on its devices',
    record('AgentRecord', 'The agent of the drained computer.'),
    {
      description:
        'For work on the computer, such as an update of its agent. Running tasks continue to their end; `drain.drained` says when none is left. Tasks that need a device of the computer wait, also the next tasks of a run that keeps one. People can still call the devices. The drain ends at `until`, or when a person resumes the computer. A repeated request replaces reason and time.',
      problems: ['not_found', ...fromOrchestrator],
    },
  )
  @Action(':computer/drain')
  async drain(
    @Computer() computer: string,
    @JsonBody(DrainSubmission, {
      update: { summary: 'For an update', value: { reason: 'update of the agent', by: 'ada' } },
    })
    { reason, until, by }: DrainSubmission,
    @Caller() caller: Principal,
  ): Promise<AgentRecord> {
    const asked = { computer, reason, until: until ?? null, by: actorName(caller, by) };
    await this.orchestrator.ask(orchestratorRequests.drainComputer, asked);
    return this.read(computer);
  }

  @Needs('operator', { of: 'agent' })
  @Operation(
    'Resume a computer',
    record('AgentRecord', 'The agent of the computer, which takes tasks again.'),
    {
      description: 'Ends the drain of the computer. The request can be repeated.',
      problems: ['not_found', ...fromOrchestrator],
    },
  )
  @Action(':computer/resume')
  async resume(@Computer() computer: string, @Actor() { by }: Acting): Promise<AgentRecord> {
    await this.orchestrator.ask(orchestratorRequests.resumeComputer, { computer, by });
    return this.read(computer);
  }

  private async agents(): Promise<AgentRecord[]> {
    return (await this.orchestrator.ask(orchestratorRequests.listAgents, {})).agents;
  }
}
