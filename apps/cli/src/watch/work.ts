import type { ApiClient, CampaignRecord, ProtocolRunRecord, TaskRunRecord } from '@lab/api-client';
import { awaitsPerson, isTerminal } from '@lab/contracts';

export const workKinds = ['protocol', 'campaign', 'task'] as const;
export type WorkKind = (typeof workKinds)[number];

/** Work that people name. */
export interface Work {
  kind: WorkKind;
  name: string;
  /** Of a task: the protocol run it belongs to; without one it is an on-demand task. */
  run?: string | undefined;
}

export type WorkRecord =
  | { kind: 'protocol'; record: ProtocolRunRecord }
  | { kind: 'campaign'; record: CampaignRecord }
  | { kind: 'task'; record: TaskRunRecord };

export async function readWork<K extends WorkKind>(
  client: ApiClient,
  { kind, name, run }: Work & { kind: K },
  signal?: AbortSignal,
): Promise<WorkRecord & { kind: K }> {
  const options = signal === undefined ? {} : { signal };
  const records: Record<WorkKind, () => Promise<WorkRecord['record']>> = {
    protocol: () =>
      client.get('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: name }, ...options }),
    campaign: () =>
      client.get('/api/campaigns/{campaign_name}', { path: { campaign_name: name }, ...options }),
    task: () =>
      client.get('/api/tasks/{task_name}', {
        path: { task_name: name },
        query: run === undefined ? {} : { protocol_run_name: run },
        ...options,
      }),
  };
  return { kind, record: await records[kind]() } as WorkRecord & { kind: K };
}

/** Whether nothing more happens to it by itself. */
export function hasEnded({ kind, record }: WorkRecord): boolean {
  if (isTerminal(record.state)) return true;
  return kind === 'task' ? record.state === 'needs_attention' : awaitsPerson(record.state);
}
