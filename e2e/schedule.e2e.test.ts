import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isTerminal, type ProtocolRunSubmission, type ScheduleRecord } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';

/** The plan and the reasons of queued tasks in the color lab: three stations, one arm, one cleaning station. */

let lab: Lab | undefined;
let example: ProtocolRunSubmission;

beforeAll(async () => {
  const path = fileURLToPath(new URL('../lab-packages/color_lab/examples/run.json', import.meta.url));
  example = JSON.parse(await readFile(path, 'utf8')) as ProtocolRunSubmission;
});
afterEach(async () => {
  await lab?.stack.dispose();
  lab = undefined;
});

const start = async (scheduler: Record<string, string>): Promise<Lab> => {
  const env = Object.entries(scheduler).map(([key, value]) => [`SVC_SCHEDULER_${key}`, value]);
  lab = await startLab(['color_lab'], { env: Object.fromEntries(env) as Record<string, string> });
  return lab;
};

const read = async ({ api }: Lab, query = ''): Promise<ScheduleRecord> =>
  (await api.call<ScheduleRecord>('GET', `/api/schedule${query}`)).body;

/** Submits runs that become ready at the same moment. */
async function submitAtOnce({ api }: Lab, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `rival_${index + 1}`);
  await api.call('POST', '/api/queue/pause');
  for (const name of names) expect((await api.submit('protocols', { ...example, name })).status).toBe(201);
  await api.call('POST', '/api/queue/resume');
  return names;
}

const completed = async ({ api }: Lab, names: string[]): Promise<void> => {
  const runs = await Promise.all(names.map((name) => eventually(() => api.run(name), isOver, 60_000)));
  expect(runs.map(({ state, reason }) => [state, reason])).toEqual(names.map(() => ['completed', null]));
};

const waiting = ({ tasks }: ScheduleRecord) =>
  tasks.filter(({ state, started_at: at }) => at === null && !isTerminal(state));
const holdsStation = ({ units }: ScheduleRecord): boolean =>
  units.some(({ name, held_by: by }) => name.startsWith('color_lab.station_') && by !== null);

/** Processes below the orchestrator whose command line names the solver. */
function solvers({ stack }: Lab): number[] {
  const listed = JSON.parse(readFileSync(join(stack.dataDir, 'run', 'processes.json'), 'utf8')) as {
    name: string;
    pid: number;
  }[];
  const orchestrator = listed.find(({ name }) => name === 'orchestrator')?.pid ?? 0;
  return readdirSync(`/proc/${orchestrator}/task`)
    .flatMap((thread) => readFileSync(`/proc/${orchestrator}/task/${thread}/children`, 'utf8').split(' '))
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cp-sat'))
    .map(Number);
}

describe('the schedule under greedy', () => {
  it('gives the reason of each queued task and the holder of each device, and no plan', async () => {
    const greedy = await start({ TYPE: 'greedy' });
    const names = await submitAtOnce(greedy, 4);
    const schedule = await eventually(() => read(greedy), holdsStation);
    expect([schedule.policy, schedule.plan]).toEqual(['greedy', null]);
    expect(waiting(schedule).length).toBeGreaterThan(4);
    for (const task of waiting(schedule)) {
      expect(task.waits_for, task.label).not.toEqual([]);
      expect(task.planned_start).toBeNull();
    }
    const first = waiting(schedule).filter(({ name }) => name === 'retrieve_container');
    expect(first.flatMap((task) => task.waits_for.map(({ code }) => code))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(device|lower_priority|no_eligible_device)$/)]),
    );
    await completed(greedy, names);
    expect((await read(greedy)).tasks).toEqual([]);
  });
});

describe('the schedule under cpsat', () => {
  it('gives the planned time and device of each task, and survives the loss of the CP-SAT process', async () => {
    const cpsat = await start({ TYPE: 'cpsat', RESOLUTION: '0.01', TIME_LIMIT: '1' });
    const names = await submitAtOnce(cpsat, 4);
    const schedule = await eventually(
      () => read(cpsat),
      (each) => each.plan !== null && holdsStation(each),
    );
    const { plan } = schedule;
    expect(plan?.objective).toBeGreaterThan(0);
    expect(plan?.makespan).toBeGreaterThan(0);
    for (const task of waiting(schedule)) {
      expect(task.waits_for, task.label).not.toEqual([]);
      expect(task.planned_start, task.label).not.toBeNull();
    }
    for (const run of schedule.protocol_runs)
      expect(Date.parse(run.estimated_completion ?? '')).toBeGreaterThan(Date.parse(schedule.at));
    const arm = schedule.units.find(({ name }) => name === 'color_lab.robot_arm');
    const turns = (arm?.timeline ?? []).filter(({ planned }) => planned);
    expect(turns.length).toBeGreaterThan(4);
    for (const [index, { start: begin }] of turns.entries())
      if (index > 0)
        expect(Date.parse(begin)).toBeGreaterThanOrEqual(Date.parse(turns[index - 1]?.end ?? ''));

    const part = await read(cpsat, '?run=rival_4&limit=2');
    expect(part.tasks.map(({ protocol_run: run }) => run)).toEqual(['rival_4', 'rival_4']);
    const onArm = await read(cpsat, '?device=color_lab.robot_arm');
    expect(onArm.units.map(({ name }) => name)).toEqual(['color_lab.robot_arm']);

    const [solver] = await eventually(
      () => Promise.resolve(solvers(cpsat)),
      (pids) => pids.length > 0,
    );
    process.kill(solver ?? 0, 'SIGKILL');
    await completed(cpsat, names);
    expect((await cpsat.api.call('GET', '/health/ready')).status).toBe(200);
  });
});
