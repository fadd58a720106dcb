import { client } from './client.js';

/** A task, a protocol run or a campaign. */
export interface WorkSubject {
  kind: 'task' | 'run' | 'campaign';
  name: string;
  /** The protocol run of a task; null: it has none, or is no task. */
  run: string | null;
}

/** Acts on work that need nothing but a yes. */
export type WorkAct = 'pause' | 'resume' | 'cancel' | 'archive' | 'restore';

/** The settings of work that a person changes as numbers. Of a task and a run, the priority alone. */
export interface WorkSettings {
  priority?: number;
  max_protocol_runs?: number;
  max_concurrent_protocol_runs?: number;
}

/** Sends an act. A task is never paused or resumed alone. @throws as the client does */
export function actOnWork({ kind, name, run }: WorkSubject, act: WorkAct): Promise<unknown> {
  if (kind === 'campaign') {
    const path = { campaign_name: name };
    if (act === 'archive') return client.post('/api/campaigns/{campaign_name}/archive', { path, body: {} });
    if (act === 'restore') return client.post('/api/campaigns/{campaign_name}/restore', { path, body: {} });
    return client.post(`/api/campaigns/{campaign_name}/${act}`, { path });
  }
  if (kind === 'run') {
    const path = { protocol_run_name: name };
    if (act === 'archive')
      return client.post('/api/protocols/{protocol_run_name}/archive', { path, body: {} });
    if (act === 'restore')
      return client.post('/api/protocols/{protocol_run_name}/restore', { path, body: {} });
    return client.post(`/api/protocols/{protocol_run_name}/${act}`, { path });
  }
  const path = { task_name: name };
  if (act === 'archive') return client.post('/api/tasks/{task_name}/archive', { path, body: {} });
  if (act === 'restore') return client.post('/api/tasks/{task_name}/restore', { path, body: {} });
  return client.post('/api/tasks/{task_name}/cancel', { path, query: queryOf(run) });
}

/** Changes settings of work that is not over. @throws as the client does */
export function changeWork({ kind, name, run }: WorkSubject, body: WorkSettings): Promise<unknown> {
  if (kind === 'campaign')
    return client.patch('/api/campaigns/{campaign_name}', { path: { campaign_name: name }, body });
  if (kind === 'run')
    return client.patch('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: name }, body });
  return client.patch('/api/tasks/{task_name}', { path: { task_name: name }, query: queryOf(run), body });
}

const queryOf = (run: string | null): { protocol_run_name?: string } =>
  run === null ? {} : { protocol_run_name: run };
