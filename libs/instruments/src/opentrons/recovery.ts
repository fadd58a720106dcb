import { setTimeout as pause } from 'node:timers/promises';
import type { Command, Robot, Run } from './robot.js';
import { textOf } from './robot.js';

/** What a person can do about a run that waits for recovery. */
export const recoveries = ['retry', 'skip', 'ignore', 'stop'] as const;
export type Recovery = (typeof recoveries)[number];

/** Whether the run waits until somebody deals with a failed step. */
export const awaitsRecovery = (status: string): boolean => status.startsWith('awaiting-recovery');

/**
 * The failed step that the run waits for: the latest attempt at it, because an attempt of `retry` can fail again.
 *
 * @returns undefined when the run waits for none
 */
export async function failedStep(robot: Robot, runId: string): Promise<Command | undefined> {
  const { commands, recovering } = await robot.latestCommands(runId);
  if (recovering === undefined) return undefined;
  const attempts = commands.filter(
    ({ failedCommandId, status }) => failedCommandId === recovering && status === 'failed',
  );
  return (
    attempts.at(-1) ??
    commands.find(({ id }) => id === recovering) ??
    (await robot.command(runId, recovering))
  );
}

/** What a person is asked while a run does not go on by itself; null: it goes on. */
export async function questionAbout(robot: Robot, { id, status }: Run): Promise<string | null> {
  if (status === 'paused')
    return `the run ${id} is paused: look at the deck, then call resume_run or stop_run`;
  if (status === 'blocked-by-open-door')
    return `the run ${id} waits because the door is open: close it, then call resume_run or stop_run`;
  if (!awaitsRecovery(status)) return null;
  const step = await failedStep(robot, id);
  // The robot takes no decision until it was told to resume after an open door.
  const door = status.endsWith('open-door')
    ? ' The door is open: close it, and call resume_run first.'
    : status.endsWith('paused')
      ? ' The door was open: call resume_run first.'
      : '';
  const what = step === undefined ? 'a step' : `the step ${step.commandType}`;
  const why = step?.error == null ? '' : `: ${textOf([step.error])}`;
  return (
    `the run ${id} waits for recovery, because ${what} failed${why}.${door} Look at the deck, then call recover with ` +
    `command ${step?.id ?? ''} and action retry (the step again), skip (go on; the step was not done), ignore (go on; the ` +
    'step was done) or stop. The screen of the robot and the Opentrons App can do the same.'
  );
}

/** Milliseconds between two questions for the state of a step. */
const everyMs = 250;

/**
 * Deals with a failed step. For one failed step it acts at most once, however often it is called.
 *
 * @param commandId the failed step that the person has looked at
 * @throws Error when the run waits for another step or for none, or the step failed again
 */
export async function recover(robot: Robot, run: Run, commandId: string, action: Recovery): Promise<void> {
  const step = awaitsRecovery(run.status) ? await failedStep(robot, run.id) : undefined;
  if (step?.id !== commandId) {
    const now = step === undefined ? run.status : `${run.status} for ${step.id} (${step.commandType})`;
    throw new Error(`the run ${run.id} does not wait for the step ${commandId}: it is ${now}`);
  }
  switch (action) {
    case 'stop':
      return robot.act(run.id, 'stop');
    case 'ignore':
      return robot.act(run.id, 'resume-from-recovery-assuming-false-positive');
    case 'skip':
      return robot.act(run.id, 'resume-from-recovery');
    case 'retry':
      await retry(robot, run.id, step);
      return robot.act(run.id, 'resume-from-recovery');
  }
}

async function retry(robot: Robot, runId: string, step: Command): Promise<void> {
  const { commands, recovering } = await robot.latestCommands(runId);
  // The key of an attempt names the failed step, so that a repeat of this call finds it.
  const key = `svc-retry-${step.id}`;
  let attempt =
    commands.find((each) => each.key === key) ??
    (await robot.enqueue(runId, {
      commandType: step.commandType,
      params: step.params,
      key,
      intent: 'fixit',
      failedCommandId: recovering,
    }));
  while (attempt.status === 'queued' || attempt.status === 'running') {
    await pause(everyMs);
    attempt = await robot.command(runId, attempt.id);
  }
  if (attempt.status === 'failed')
    throw new Error(
      `${step.commandType} failed again${attempt.error == null ? '' : `: ${textOf([attempt.error])}`}; the run still waits`,
    );
}
