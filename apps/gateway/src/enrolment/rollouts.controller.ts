import { Controller, Get, Post } from '@nestjs/common';
import {
  orchestratorRequests,
  RolloutDecision,
  RolloutSubmission,
  ServiceError,
  settleS,
  type Principal,
  type RolloutRecord,
} from '@lab/contracts';
import { actorName, Caller, Needs } from '../access/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  OptionalBody,
  pathName,
  record,
  recordList,
} from '../routes/index.js';
import { AgentPackages } from './agent-packages.js';

const RolloutId = pathName('rollout_id', 'rollout', {
  description: 'Id of the rollout.',
  example: '0190c0de-0000-7000-8000-00000000000e',
});
const submissions = {
  all: { summary: 'All computers', value: { version: '0.2.0', reason: 'release 0.2.0', by: 'ada' } },
  some: {
    summary: 'Some computers, one of them first',
    value: {
      ...{ version: '0.2.0', computers: ['bench_a', 'bench_b'], canary: 'bench_b', settle_s: 1_800 },
      reason: 'release 0.2.0',
    },
  },
};
const decisions = { reason: { summary: 'With a reason', value: { reason: 'the disk has room again' } } };

/** Updates of the agents of many computers. */
@Group('Computers')
@Needs('admin')
@Controller('api/agent-rollouts')
export class RolloutsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly packages: AgentPackages,
  ) {}

  @Operation('Update the agents of many computers', record('RolloutRecord', 'The rollout that has begun.'), {
    description:
      'The service updates one computer, then a tenth of them, then the rest, and watches each ring before the next one begins, and the last one before the rollout ends. It drains each computer, waits until nothing runs there, and asks its agent to update. The rollout halts when an agent refuses, comes back with another version, also later, or not in time, or when an attention item about an updated computer is opened. `left_out` names the computers that cannot be updated from the service. There is one rollout at a time.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Post()
  async start(
    @JsonBody(RolloutSubmission, submissions) submission: RolloutSubmission,
    @Caller() caller: Principal,
  ): Promise<RolloutRecord> {
    const { version, computers, canary, settle_s: settle, reason, by } = submission;
    const offered = await this.packages.list();
    return this.orchestrator.ask(orchestratorRequests.startRollout, {
      ...{ version, reason, computers: computers ?? null, canary: canary ?? null },
      ...{ settle_s: settle ?? settleS.usual, by: actorName(caller, by) },
      packages: offered.map(({ version: its, platform }) => ({ version: its, platform })),
    });
  }

  @Operation('List the latest rollouts', recordList('RolloutRecord', 'The latest 20, newest first.'), {
    problems: fromOrchestrator,
  })
  @Get()
  async list(): Promise<RolloutRecord[]> {
    return (await this.orchestrator.ask(orchestratorRequests.listRollouts, {})).rollouts;
  }

  @Operation('Read a rollout', record('RolloutRecord', 'The rollout as it is now.'), {
    problems: fromOrchestrator,
  })
  @Get(':rollout_id')
  async read(@RolloutId() id: string): Promise<RolloutRecord> {
    const found = (await this.list()).find((each) => each.id === id);
    if (found === undefined)
      throw new ServiceError('not_found', `There is no rollout "${id}" among the latest 20.`);
    return found;
  }

  @Operation('Resume a halted rollout', record('RolloutRecord', 'The rollout, which goes on.'), {
    description: 'The computer that failed is tried again.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':rollout_id/resume')
  resume(
    @RolloutId() id: string,
    @OptionalBody(RolloutDecision, decisions) { reason, by }: RolloutDecision,
    @Caller() caller: Principal,
  ): Promise<RolloutRecord> {
    const decision = { id, reason: reason ?? '', by: actorName(caller, by) };
    return this.orchestrator.ask(orchestratorRequests.resumeRollout, decision);
  }

  @Operation('Cancel a rollout', record('RolloutRecord', 'The rollout, which has ended.'), {
    description:
      'What is updated stays. An agent that was asked already is followed to its end. The request can be repeated.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':rollout_id/cancel')
  cancel(
    @RolloutId() id: string,
    @OptionalBody(RolloutDecision, decisions) { reason, by }: RolloutDecision,
    @Caller() caller: Principal,
  ): Promise<RolloutRecord> {
    const decision = { id, reason: reason ?? '', by: actorName(caller, by) };
    return this.orchestrator.ask(orchestratorRequests.cancelRollout, decision);
  }
}
