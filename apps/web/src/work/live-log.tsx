import type { LogLine, TaskRunRecord } from '@lab/api-client';
import { useEffect, useState, type ReactNode } from 'react';
import { client, reasonOf } from '../lab/index.js';
import { LogLines } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** How many lines are kept on the page, the newest. */
const most = 500;
/** Lines are taken together for this time, in milliseconds, so that a flood is drawn four times a second. */
const batchMs = 250;

/** What a task writes, as it writes it. It follows only while the tab is seen, because a browser opens few connections. */
export function LiveLog({
  task: { name, protocol_run: run },
  follows,
}: {
  task: Pick<TaskRunRecord, 'name' | 'protocol_run'>;
  /** False: no further line will come. */
  follows: boolean;
}): ReactNode {
  const words = useWords();
  const isSeen = useIsSeen();
  const [lines, setLines] = useState<LogLine[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    if (!isSeen) return undefined;
    const end = new AbortController();
    const { signal } = end;
    let waiting: LogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      const more = waiting;
      waiting = [];
      setLines((before = []) => [...before, ...more].slice(-most));
    };
    const follow = async (): Promise<void> => {
      const path = { task_name: name };
      const query = run === null ? {} : { protocol_run_name: run };
      const { items } = await client.get('/api/tasks/{task_name}/logs', {
        path,
        query: { ...query, limit: most, sort: '-id' },
        signal,
      });
      setLines(items.reverse());
      setFailure(undefined);
      if (!follows) return;
      const address =
        `/api/tasks/${encodeURIComponent(name)}/logs/stream` as '/api/tasks/{task_name}/logs/stream';
      const last = items.at(-1)?.id ?? 0;
      for await (const { event, data } of client.events(address, {
        query,
        lastEventId: String(last),
        signal,
      })) {
        if (event === 'gap') continue;
        waiting.push(JSON.parse(data) as LogLine);
        timer ??= setTimeout(show, batchMs);
      }
    };
    follow().catch((error: unknown) => {
      if (!signal.aborted) setFailure(reasonOf(error));
    });
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [name, run, follows, isSeen]);
  return (
    <>
      {failure !== undefined && <p role="alert">{words.say('task.log.broken', { reason: failure })}</p>}
      {lines === undefined && failure === undefined && <p className="hint">{words.say('now.reading')}</p>}
      {lines?.length === 0 && <p className="hint">{words.say('task.log.none')}</p>}
      {lines !== undefined && lines.length > 0 && <LogLines lines={lines} label={words.say('task.log')} />}
      {lines?.length === most && <p className="hint">{words.say('task.log.newest', { count: most })}</p>}
      {follows && <p className="hint">{words.say('task.log.live')}</p>}
    </>
  );
}

function useIsSeen(): boolean {
  const [isSeen, setSeen] = useState(!document.hidden);
  useEffect(() => {
    const note = (): void => setSeen(!document.hidden);
    document.addEventListener('visibilitychange', note);
    return () => document.removeEventListener('visibilitychange', note);
  }, []);
  return isSeen;
}
