import type { ApiClient } from '@lab/api-client';
import { runsPerCampaign, tasksPerRun } from './store.js';

/** The requests of people that are measured: the path of each, by its name. */
export async function requestsTo(api: ApiClient, tasks: number): Promise<Record<string, string>> {
  const runs = tasks / tasksPerRun;
  const run = Math.ceil(runs / 2);
  const campaign = `campaign_${Math.ceil(run / runsPerCampaign)}`;
  const runName = `${campaign}_${run}`;
  const hour = 3_600_000;
  const ago = (hours: number): string => new Date(Date.now() - hours * hour).toISOString();
  // A page in the middle of all tasks, as somebody reaches it who pages that far.
  const { created_at: middle } = await api.get('/api/protocols/{protocol_run_name}', {
    path: { protocol_run_name: runName },
  });
  const { next_cursor: cursor } = await api.get('/api/tasks', { query: { limit: 50, until: middle } });
  return {
    tasks: '/api/tasks?limit=50',
    tasks_deep: `/api/tasks?limit=50&until=${middle}&cursor=${cursor}`,
    tasks_of_state: '/api/tasks?limit=50&state=failed',
    tasks_of_owner: '/api/tasks?limit=50&owner=owner_7',
    tasks_of_state_and_owner: '/api/tasks?limit=50&state=completed&owner=owner_7',
    tasks_of_hours: `/api/tasks?limit=50&since=${ago(4)}&until=${ago(2)}`,
    tasks_of_campaign: `/api/tasks?limit=50&campaign=${campaign}`,
    tasks_of_run: `/api/tasks?limit=50&protocol_run=${runName}`,
    tasks_of_device: '/api/tasks?limit=50&device=load_lab.station_1',
    tasks_with_text: '/api/tasks?limit=50&text=VISIT_4',
    tasks_by_name: '/api/tasks?limit=50&sort=name',
    runs: '/api/protocols?limit=50',
    runs_of_owner: '/api/protocols?limit=5&owner=owner_7',
    campaigns: '/api/campaigns?limit=10',
    runs_of_campaign: `/api/campaigns/${campaign}/runs?limit=10`,
    effects_of_device: '/api/effects?limit=50&lab=load_lab&device=station_1',
    schedule: `/api/schedule?from=${ago(4)}&to=${ago(2)}`,
    task: `/api/tasks/visit_5?protocol_run_name=${runName}`,
    run: `/api/protocols/${runName}`,
    campaign: `/api/campaigns/${campaign}`,
  };
}

/** Requests without an index: the database reads all tasks, until its time is over. */
export const wholeReads: Readonly<Record<string, string>> = {
  tasks_with_text_of_none: '/api/tasks?limit=50&text=zebra',
  tasks_by_state: '/api/tasks?limit=50&sort=state',
};
