import { Controller, Get } from '@nestjs/common';
import {
  longestSchedule,
  orchestratorRequests,
  type ScheduleQuery,
  type ScheduleRecord,
} from '@lab/contracts';
import { Needs } from '../access/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import {
  fromOrchestrator,
  FromQuery,
  Group,
  limitParameter,
  Operation,
  queryParameter,
  record,
  requireLimit,
} from '../routes/index.js';

/** Tasks of a schedule when the request has no `limit`. */
const usualLimit = 500;

const text = { type: 'string' };
/** A parameter of a handler: the part of the schedule that the query selects. */
function SchedulePart(): ParameterDecorator {
  return FromQuery(
    [
      queryParameter(
        'run',
        'Only this protocol run: its tasks, and the devices and resources that they use.',
        text,
      ),
      queryParameter('device', 'Only this device, as `<lab>.<device>`, and the tasks that use it.', text),
      queryParameter('lab', 'Only the devices of this laboratory, and the tasks that use them.', text),
      limitParameter(
        'Maximum number of tasks. Running tasks come first, then the tasks that start or wait first.',
        usualLimit,
        longestSchedule,
      ),
    ],
    ({ limit, ...part }): ScheduleQuery => ({
      ...part,
      limit: requireLimit(limit, usualLimit, longestSchedule),
    }),
  );
}

/** The plan of the leading orchestrator, and the reason why each queued task has not started. */
@Group('Operating')
@Needs('viewer')
@Controller('api/schedule')
export class ScheduleController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Operation(
    'Read the plan, and the reason why each queued task has not started',
    record('ScheduleRecord', 'The schedule at this moment.'),
    {
      description:
        'Planned and actual times of every task and device, when runs and campaigns are expected to complete, and the quality of the plan. The parameters combine. A name that does not exist selects nothing.',
      problems: fromOrchestrator,
    },
  )
  @Get()
  read(@SchedulePart() part: ScheduleQuery): Promise<ScheduleRecord> {
    return this.orchestrator.ask(orchestratorRequests.readSchedule, part);
  }
}
