import type { CampaignSubmission, ProtocolRunSubmission, TaskSubmission } from '@lab/api-client';
import type { WorkKind } from '@lab/web-model';
import { useEffect, useState } from 'react';
import { client, reasonOf } from '../lab/index.js';

/** Earlier work, as it was submitted. */
export interface Earlier {
  name: string;
  /** Task type or protocol; undefined: it cannot be read. */
  type: string | undefined;
  submission: TaskSubmission | ProtocolRunSubmission | CampaignSubmission | undefined;
  /** Paths of what the service leaves out. */
  leftOut: readonly string[];
  /** Why it cannot be read, in a sentence. */
  failure: string | undefined;
}

/** Reads how work was submitted. @returns undefined without a name */
export function useEarlier(kind: WorkKind, name: string | undefined): Earlier | 'reading' | undefined {
  const [found, setFound] = useState<Earlier>();
  useEffect(() => {
    if (name === undefined) return undefined;
    const end = new AbortController();
    read(kind, name, end.signal).then(setFound, (error: unknown) => {
      if (end.signal.aborted) return;
      setFound({ name, type: undefined, submission: undefined, leftOut: [], failure: reasonOf(error) });
    });
    return () => end.abort();
  }, [kind, name]);
  if (name === undefined) return undefined;
  return found?.name === name ? found : 'reading';
}

async function read(kind: WorkKind, name: string, signal: AbortSignal): Promise<Earlier> {
  const base = { name, failure: undefined };
  switch (kind) {
    case 'task': {
      const path = { task_name: name };
      const found = await client.get('/api/tasks/{task_name}/clone', { path, signal });
      const { submission, left_out: leftOut } = found;
      return { ...base, type: submission.type, submission, leftOut };
    }
    case 'run': {
      const path = { protocol_run_name: name };
      const found = await client.get('/api/protocols/{protocol_run_name}/clone', { path, signal });
      const { submission, left_out: leftOut } = found;
      return { ...base, type: submission.type, submission, leftOut };
    }
    case 'campaign': {
      const path = { campaign_name: name };
      const found = await client.get('/api/campaigns/{campaign_name}/clone', { path, signal });
      const { submission, left_out: leftOut } = found;
      return { ...base, type: submission.protocol, submission, leftOut };
    }
  }
}
