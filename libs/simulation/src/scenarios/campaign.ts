import type { CampaignSubmission, JsonObject, SimulatedScheduler, Trial } from '@lab/contracts';
import { type Definitions, type Optimizers, trialKey } from '@lab/engine';
import { Laboratory, type Luck, type SimulationPorts, courseOf, policyOf } from '../laboratory/index.js';

/** Start of every simulation, in milliseconds since 1970. */
const beginning = 1_700_000_000_000;

/** How a laboratory answers to the inputs of a campaign. */
export interface CampaignRules {
  /** The optimizer of the campaign. Its answers need no simulated time. */
  optimizers: Optimizers;
  /** Seconds that a task takes, by its name in the protocol; undefined: as declared. */
  secondsOf: (task: string, inputs: Trial['inputs']) => number | undefined;
  /** Output parameters of a task; undefined: any valid ones. */
  outputsOf: (task: string, inputs: Trial['inputs']) => JsonObject | undefined;
  /** Seconds after which the simulation ends. */
  until: number;
  /** Random relative deviation of durations, 0 to 0.99. */
  jitter: number;
  seed: number;
  scheduler: SimulatedScheduler;
}

/** A run of a played campaign. Times are seconds from the start; null: never. */
export interface PlayedRun extends Pick<Trial, 'number' | 'state' | 'inputs' | 'outputs' | 'note'> {
  start: number | null;
  end: number | null;
}

export interface PlayedCampaign {
  outcome: 'completed' | 'stuck' | 'horizon';
  runs: PlayedRun[];
}

/**
 * Plays a campaign with an optimizer in an empty laboratory. Durations and results follow from the inputs of the optimizer,
 * so that two ways of choosing these can be compared by what they reach in the same time.
 *
 * @throws ServiceError as the engine for the submission; `internal` for a defect
 */
export async function playCampaign(
  submission: CampaignSubmission,
  definitions: Definitions,
  ports: SimulationPorts,
  rules: CampaignRules,
): Promise<PlayedCampaign> {
  const { jitter, seed, secondsOf, outputsOf, optimizers, until, scheduler } = rules;
  const luck: Luck = { jitter, seed, durations: {}, failures: [], expected: () => null };
  const laboratory: Laboratory = new Laboratory({
    definitions,
    policy: (parts) => policyOf(scheduler, parts),
    ports,
    optimizers,
    now: beginning,
    courseOf: (start) => {
      const { rows } = laboratory.store;
      const { name: task = '', runId } = rows.taskRuns.get(start.task_run_id) ?? {};
      const { campaignId, meta } = rows.protocolRuns.get(runId ?? '') ?? {};
      const inputs =
        rows.trials.get(trialKey(campaignId ?? '', Number(meta?.['campaign_run'])))?.inputs ?? {};
      const seconds = secondsOf(task, inputs);
      const durations = seconds === undefined ? {} : { [start.label]: seconds };
      const course = courseOf(rows, { ...luck, durations }, start);
      const given = outputsOf(task, inputs);
      if (given === undefined || course.outcome.kind !== 'completed') return course;
      const { output_parameters: valid } = course.outcome;
      return { ...course, outcome: { ...course.outcome, output_parameters: { ...valid, ...given } } };
    },
  });
  try {
    await laboratory.engine.start('simulation');
    await laboratory.agents.begin(definitions.labs());
    laboratory.engine.submissions.campaign(submission).catch((error: unknown) => laboratory.fail(error));
    const outcome = await laboratory.run(beginning + until * 1000);
    return { outcome, runs: runsOf(laboratory, submission.name) };
  } finally {
    await laboratory.stop();
  }
}

function runsOf({ store: { rows } }: Laboratory, campaign: string): PlayedRun[] {
  const id = rows.campaignNames.get(campaign) ?? '';
  const seconds = (at: number | null | undefined): number | null =>
    at === null || at === undefined ? null : (at - beginning) / 1000;
  return [...rows.trials.values()]
    .filter(({ campaignId }) => campaignId === id)
    .map(({ number, run, state, inputs, outputs, note }): PlayedRun => {
      const row = rows.protocolRuns.get(rows.protocolRunNames.get(run) ?? '');
      return {
        ...{ number, state, inputs, outputs, note },
        start: seconds(row?.startedAt),
        end: seconds(row?.endedAt),
      };
    })
    .sort((a, b) => a.number - b.number);
}
