import type { ApiClient, CampaignRecord, ProtocolRunRecord, TaskRunRecord } from '@lab/api-client';
import { awaitsPerson, isTerminal } from '@lab/contracts/vocabulary';

export const workKinds = ['protocol', 'campaign', 'task'] as const;
export type WorkKind = (typeof workKinds)[number];

/** A campaign with its runs and their tasks. */
export interface CampaignWithRuns extends CampaignRecord {
  protocol_runs: ProtocolRunRecord[];
}

/** A protocol run, a campaign or a task, as people name it. */
export interface Work {
  kind: WorkKind;
  name: string;
  /** Name of the protocol run of a task; absent: the task is an on-demand task. */
  run?: string | undefined;
}

export type WorkRecord =
  | { kind: 'protocol'; record: ProtocolRunRecord }
  | { kind: 'campaign'; record: CampaignWithRuns }
  | { kind: 'task'; record: TaskRunRecord };

const addresses: Record<WorkKind, { path: string; name: string }> = {
  protocol: { path: '/api/protocols/{protocol_run_name}', name: 'protocol_run_name' },
  campaign: { path: '/api/campaigns/{campaign_name}', name: 'campaign_name' },
  task: { path: '/api/tasks/{task_name}', name: 'task_name' },
};

/**
 * Sends a request about work.
 *
 * @param below end of the path after the address of the work, for example `/cancel`
 */
export function atWork<Answer>(
  client: ApiClient,
  method: 'get' | 'post' | 'patch',
  { kind, name, run }: Work,
  below: string,
  options: { body?: object; signal?: AbortSignal } = {},
): Promise<Answer> {
  const address = addresses[kind];
  const query = kind === 'task' && run !== undefined ? { protocol_run_name: run } : {};
  const input = { path: { [address.name]: name }, query, ...options };
  type Send = (path: string, input: object) => Promise<Answer>;
  return (client as unknown as Record<typeof method, Send>)[method](`${address.path}${below}`, input);
}

export async function readWork<K extends WorkKind>(
  client: ApiClient,
  work: Work & { kind: K },
  signal?: AbortSignal,
): Promise<WorkRecord & { kind: K }> {
  const options = signal === undefined ? {} : { signal };
  const record =
    work.kind === 'campaign'
      ? await readCampaign(client, work.name, options)
      : await atWork<WorkRecord['record']>(client, 'get', work, '', options);
  return { kind: work.kind, record } as WorkRecord & { kind: K };
}

/** A campaign, its runs in the order of their creation, and their tasks. */
async function readCampaign(
  client: ApiClient,
  name: string,
  options: { signal?: AbortSignal },
): Promise<CampaignWithRuns> {
  const path = { campaign_name: name };
  const [campaign, runs, tasks] = await Promise.all([
    client.get('/api/campaigns/{campaign_name}', { path, ...options }),
    client.all('/api/campaigns/{campaign_name}/runs', { path, query: { limit: 500 }, ...options }),
    client.all('/api/tasks', { query: { campaign: name, sort: 'created_at', limit: 500 }, ...options }),
  ]);
  const tasksOf = (run: string): TaskRunRecord[] => tasks.filter(({ protocol_run: of }) => of === run);
  return { ...campaign, protocol_runs: runs.map((run) => ({ ...run, tasks: tasksOf(run.name) })) };
}

/** Whether the work has ended or waits for a person. */
export function hasEnded({ kind, record }: WorkRecord): boolean {
  if (isTerminal(record.state)) return true;
  return kind === 'task' ? record.state === 'needs_attention' : awaitsPerson(record.state);
}
