import type { AttentionRecord, LogLine } from '@lab/api-client';
import { useEffect, useState, type ReactNode } from 'react';
import { client, reasonOf } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { LogLines } from './log-lines.js';

/** How many lines are shown: what a person reads before a decision. */
const most = 20;

type Subject = Pick<AttentionRecord, 'task' | 'protocol_run' | 'device'>;

/** The newest lines that a task or a device has written, the newest last. */
export function LogTail({ task, protocol_run, device }: Subject): ReactNode {
  const words = useWords();
  const [lines, setLines] = useState<LogLine[] | string>();
  useEffect(() => {
    const end = new AbortController();
    newest({ task, protocol_run, device }, end.signal).then(setLines, (error: unknown) => {
      if (!end.signal.aborted) setLines(words.say('attention.log.failed', { reason: reasonOf(error) }));
    });
    return () => end.abort();
  }, [task, protocol_run, device, words]);
  if (lines === undefined) return <p className="hint">{words.say('now.reading')}</p>;
  if (typeof lines === 'string') return <p className="hint">{lines}</p>;
  if (lines.length === 0) return <p className="hint">{words.say('attention.log.none')}</p>;
  return <LogLines lines={lines} label={words.say('attention.log')} />;
}

async function newest({ task, protocol_run, device }: Subject, signal: AbortSignal): Promise<LogLine[]> {
  const query = { limit: most, sort: '-id' } as const;
  if (task !== null) {
    const run = protocol_run === null ? {} : { protocol_run_name: protocol_run };
    const path = { task_name: task };
    const found = await client.get('/api/tasks/{task_name}/logs', {
      path,
      query: { ...query, ...run },
      signal,
    });
    return found.items.reverse();
  }
  const [lab_id = '', ...name] = device?.split('.') ?? [];
  const path = { lab_id, device_id: name.join('.') };
  return (
    await client.get('/api/labs/{lab_id}/devices/{device_id}/logs', { path, query, signal })
  ).items.reverse();
}
