import { Controller, Get } from '@nestjs/common';
import {
  longestSchedule,
  longestScheduleWindow,
  orchestratorRequests,
  type Fault,
  type LabRights,
  type ScheduleQuery,
  type ScheduleRecord,
} from '@lab/contracts';
import { labFilter, Needs, Rights } from '../access/index.js';
import { momentOf } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  fromOrchestrator,
  FromQuery,
  Group,
  invalidQuery,
  limitParameter,
  Operation,
  queryParameter,
  record,
  type QueryValues,
  requireLimit,
} from '../routes/index.js';
import { readWindow, type TimeWindow } from './schedule-window.js';

/** Tasks of a schedule when the request has no `limit`. */
const usualLimit = 500;

const text = { type: 'string' };
const moment = { type: 'string', format: 'date-time' };

interface AskedSchedule {
  part: Omit<ScheduleQuery, 'rights'>;
  window: TimeWindow | undefined;
}
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
      queryParameter(
        'lab',
        'Only the devices of this laboratory, the tasks that use them, and tasks without devices of runs that need the laboratory.',
        text,
      ),
      queryParameter(
        'from',
        'Beginning of a window of time, with `to`. The answer has the past, present and planned tasks in it.',
        moment,
      ),
      queryParameter('to', 'End of the window, which does not belong to it.', moment),
      limitParameter(
        'Maximum number of tasks, at most 1,000 without `from` and `to`. Running tasks come first, then the tasks that start or wait first. With `from` and `to`, the tasks that start first.',
        usualLimit,
        longestScheduleWindow,
      ),
    ],
    ({ limit, from, to, ...part }): AskedSchedule => {
      const window = requireWindow({ from, to });
      const most = window === undefined ? longestSchedule : longestScheduleWindow;
      return { part: { ...part, limit: requireLimit(limit, usualLimit, most) }, window };
    },
  );
}

/** @returns undefined: none is asked for. @throws ServiceError `invalid` */
function requireWindow(values: QueryValues<'from' | 'to'>): TimeWindow | undefined {
  if (values.from === undefined && values.to === undefined) return undefined;
  const faults: Fault[] = [];
  const read = (name: 'from' | 'to', other: 'from' | 'to'): string => {
    const value = values[name];
    const read = value === undefined ? undefined : momentOf(value);
    if (value === undefined)
      faults.push({ path: `?${name}`, code: 'missing', message: `must be given with ${other}` });
    else if (read === undefined)
      faults.push({
        ...{ path: `?${name}`, code: 'moment', message: 'is not a moment' },
        hint: 'As ISO 8601 with a time zone, for example 2026-11-20T09:30:00Z.',
      });
    return read ?? '';
  };
  const window = { from: read('from', 'to'), to: read('to', 'from') };
  if (faults.length === 0 && Date.parse(window.to) <= Date.parse(window.from))
    faults.push({ path: '?to', code: 'order', message: 'must be later than from' });
  if (faults.length > 0) throw invalidQuery(faults);
  return window;
}

/** The plan of the leading orchestrator, and the reason why each queued task has not started. */
@Group('Operating')
@Needs('viewer')
@Controller('api/schedule')
export class ScheduleController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('viewer', { lab: labFilter })
  @Operation(
    'Read the plan, and the reason why each queued task has not started',
    record('ScheduleRecord', 'The schedule at this moment.'),
    {
      description:
        'Planned and actual times of every task and device, when runs and campaigns are expected to complete, and the quality of the plan. The parameters combine. A name that does not exist selects nothing.\n\nWith `from` and `to`, the answer has every task whose time touches the window: the actual time of a task that has started, the present plan of a task that waits. `first_plan` and `last_plan` select nothing. A task that waits without a plan, or that ended without a start, is in no window. `run`, `device` and `lab` select ended tasks by what they had. If `truncated` is true, read on with `from` at the start of the last task; tasks that span that moment come again. A caller with roles for single laboratories gets only tasks, devices and resources of these, `plan` is null, and reasons call everything else `other laboratories`.',
      problems: fromOrchestrator,
    },
  )
  @Get()
  read(
    @SchedulePart() { part, window }: AskedSchedule,
    @Rights() rights: LabRights,
  ): Promise<ScheduleRecord> {
    const asked = { ...part, rights };
    if (window !== undefined) return readWindow(this.orchestrator, this.records, asked, window);
    return this.orchestrator.ask(orchestratorRequests.readSchedule, asked);
  }
}
