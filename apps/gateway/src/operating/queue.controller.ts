import { Controller, Get } from '@nestjs/common';
import { orchestratorRequests, type LabRights, type QueuePage, type QueueRecord } from '@lab/contracts';
import { Actor, labFilter, Needs, Rights, type Acting } from '../access/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { Action, fromOrchestrator, Group, Operation, record } from '../routes/index.js';

/** The queue of all waiting task runs: their order, why each waits, and whether the queue is paused. */
@Group('Operating')
@Needs('viewer')
@Controller('api/queue')
export class QueueController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Needs('viewer', { lab: labFilter })
  @Operation(
    'Read the queue: its order, why each task waits, and whether the queue is paused',
    record('QueuePage', 'The queue. The task that is considered next comes first.'),
    {
      description:
        'The waiting tasks in the order in which the scheduler considers them: tasks with a planned start by that start, the others by the scheduling policy. A task that can start goes before a task that has to wait, so the positions are not the order of starts. The parameters filter the list and change no position. The list shows this moment: a page continues behind the last task of the previous page, wherever that task is by then. A page has fewer tasks than `limit` if their reasons would not fit into one message. A caller with roles for single laboratories gets, and counts, only tasks whose laboratories are all among these. The positions count all tasks, and reasons call everything else `other laboratories`.',
      problems: fromOrchestrator,
    },
  )
  @Get()
  async read(@ListQuery('queue') request: PageRequest, @Rights() rights: LabRights): Promise<QueuePage> {
    const { filters, limit, descending, after, pageOf } = request;
    const { queue, ...portion } = await this.orchestrator.ask(orchestratorRequests.readQueue, {
      ...filters,
      rights,
      limit,
      descending,
      after,
    });
    return { ...queue, ...pageOf(portion) };
  }

  @Needs('operator')
  @Operation('Pause the queue', record('QueueRecord', 'The queue.'), {
    description:
      'The service starts no further task. Running tasks continue to their end. The queue stays paused over every restart. The request can be repeated.',
    problems: fromOrchestrator,
  })
  @Action('pause', 202)
  pause(@Actor() { by }: Acting): Promise<QueueRecord> {
    return this.orchestrator.ask(orchestratorRequests.pauseQueue, { by });
  }

  @Needs('operator')
  @Operation('Resume the queue', record('QueueRecord', 'The queue.'), {
    description: 'The request can be repeated.',
    problems: fromOrchestrator,
  })
  @Action('resume', 202)
  resume(@Actor() { by }: Acting): Promise<QueueRecord> {
    return this.orchestrator.ask(orchestratorRequests.resumeQueue, { by });
  }
}
