import type { JsonObject } from '../../json.js';
import { runStates, type RunState } from '../../states.js';
import {
  Field,
  Optional,
  choice,
  flag,
  integer,
  list,
  object,
  orNull,
  text,
  type TypeOf,
} from '../fields/field.js';
import {
  changedPriority,
  definedName,
  freeObject,
  mostRunsAtOnce,
  oneOf,
  owner,
  parameterRows,
  priority,
  recordName,
  ruled,
  taskParameters,
  values,
  whole,
  yesNo,
  type TaskParameters,
} from '../fields/inputs.js';
import { KeptOptimizer } from '../optimizer.js';
import {
  failurePolicyOfTasks,
  runFailureActions,
  type RunFailureAction,
  type TaskFailurePolicy,
} from './failure-policy.js';
import { OperatorNote, parametersByTask, RunRecord } from './work.js';

/** A protocol run many times (`POST /api/campaigns`). */
export class CampaignSubmission {
  @Field(recordName('Unique name of the campaign.', 'sweep')) name!: string;
  @Field(definedName('Type name of the protocol to run.', 'color_mixing')) protocol!: string;
  @Optional(owner()) owner?: string;
  @Optional(priority()) priority?: number;
  @Field(whole([0, 100_000], 'Number of protocol runs; 0: no limit.', 12)) max_protocol_runs!: number;
  @Optional(mostRunsAtOnce()) max_concurrent_protocol_runs?: number;
  @Optional(
    yesNo(
      'True: the optimizer of the protocol proposes dynamic parameters for each run. They override the parameters that are given here. Default: false.',
      false,
    ),
  )
  optimize?: boolean;
  @Optional(
    ruled(
      text('Address of the computer of the optimizer. Default: 127.0.0.1.', '127.0.0.1'),
      { format: 'ipv4' },
      ({ IsIP }) => [IsIP()],
    ),
  )
  optimizer_ip?: string;
  @Optional(taskParameters('Parameters of every run.')) global_parameters?: TaskParameters;
  @Optional(
    parameterRows(
      'Parameters for each run; they override the global ones. The list has exactly `max_protocol_runs` entries. An empty list with `max_protocol_runs` 0 makes a campaign to which changes add the runs. With `optimize` it may have fewer, and an entry with all inputs of the optimizer is the trial of its run.',
    ),
  )
  protocol_run_parameters?: TaskParameters[];
  @Optional(failurePolicyOfTasks()) failure_policy?: Record<string, TaskFailurePolicy>;
  @Optional(
    yesNo(
      'True: resumes the campaign of this name that failed or was cancelled. It keeps its first submission and its completed tasks. Default: false.',
      false,
    ),
  )
  resume?: boolean;
  @Optional(
    oneOf(
      runFailureActions,
      'When a run has failed: `stop` fails the campaign, `continue` starts the next run, `pause` waits for a person. Default: `stop`.',
      'continue',
    ),
  )
  on_run_failure?: RunFailureAction;
  @Optional(
    whole([0, 100_000], 'The campaign fails when more runs than this have failed. Default: no limit.', 3),
  )
  max_failures?: number;
  @Optional(
    freeObject(
      'Free object. Its field `optimizer_overrides` overrides the arguments and the runtime parameters of the optimizer. When a campaign is resumed, new overrides take precedence over all earlier values.',
    ),
  )
  meta?: JsonObject;
}

/** Parameters for each run, as the submission of a campaign takes them. */
export const parameterTable = object({
  protocol_run_parameters: list(
    parametersByTask(),
    'An entry for each row, as the submission of a campaign takes them.',
  ),
});
export type ParameterRows = TypeOf<typeof parameterTable>;

/** What changes about a campaign (`PATCH /api/campaigns/{campaign_name}`). A field that is absent stays as it is. */
export class CampaignChange {
  @Optional(changedPriority()) priority?: number;
  @Optional(
    whole(
      [0, 100_000],
      'Number of protocol runs in all, at least the number of runs that have begun. 0: no limit; if `protocol_run_parameters` lists the runs, the campaign waits for further entries.',
      20,
    ),
  )
  max_protocol_runs?: number;
  @Optional(mostRunsAtOnce()) max_concurrent_protocol_runs?: number;
  @Optional(
    taskParameters(
      'Parameters of every run that has not begun: task name to parameter name to value. Parameters that are not named stay as they are.',
    ),
  )
  global_parameters?: TaskParameters;
  @Optional(
    parameterRows(
      'The whole list of parameters for each run. It replaces the present list. The entries of runs that have begun must stay as they are. An optimizer must accept the other entries. With `max_protocol_runs` 0 the list can grow while the campaign runs.',
    ),
  )
  protocol_run_parameters?: TaskParameters[];
}

/** How a campaign is resumed (`POST /api/campaigns/{campaign_name}/resume`). */
export class CampaignResumption extends OperatorNote {
  @Optional(
    values(
      'Settings of the optimizer. They override the settings of the submission and all later changes. The inputs, outputs and constraints of the optimizer cannot be changed any more.',
      { p_ai: 0.25 },
    ),
  )
  optimizer_overrides?: JsonObject;
}

/** A campaign as lists show it. Its protocol runs are a list of their own. */
export class CampaignSummary extends RunRecord {
  @Field(text('Unique name.', 'sweep')) name!: string;
  @Field(text('Protocol type.', 'color_mixing')) protocol!: string;
  @Field(choice(runStates)) state!: RunState;
  @Field(integer('Number of protocol runs; 0: no limit.', 12)) max_protocol_runs!: number;
  @Field(integer('Most protocol runs that may run at the same time.', 3))
  max_concurrent_protocol_runs!: number;
  @Field(flag('True: an optimizer proposes parameters.')) optimize!: boolean;
  @Field(text('Address of the computer of the optimizer.', '127.0.0.1')) optimizer_ip!: string;
  @Field(orNull(KeptOptimizer)) optimizer!: KeptOptimizer | null;
  @Field(parametersByTask()) global_parameters!: TaskParameters;
  @Field(choice(runFailureActions, 'What the service does when a run has failed.'))
  on_run_failure!: RunFailureAction;
  @Field(orNull(integer('The campaign fails when more runs than this have failed; null: no limit.', 3)))
  max_failures!: number | null;
  @Field(integer('Protocol runs that have begun.', 7)) protocol_runs_started!: number;
  @Field(integer('Protocol runs that have completed.', 4)) protocol_runs_completed!: number;
  @Field(integer('Protocol runs that have failed.', 0)) protocol_runs_failed!: number;
}

export class CampaignRecord extends CampaignSummary {
  @Field(orNull(list(parametersByTask(), 'Parameters for each run, as they were submitted.')))
  protocol_run_parameters!: TaskParameters[] | null;
}
