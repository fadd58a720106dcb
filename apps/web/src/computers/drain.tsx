import type { AgentRecord } from '@lab/api-client';
import { mayAct } from '@lab/web-model';
import type { ReactNode } from 'react';
import { client, useLab } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { Act } from './act.js';

/** Lets no task start on a computer, or lets tasks start there again. */
export function Drain({
  agent: { computer, labs, drain },
  className = '',
}: {
  agent: Pick<AgentRecord, 'computer' | 'labs' | 'drain'>;
  className?: string;
}): ReactNode {
  const words = useWords();
  const { live, me } = useLab();
  const isOfLabs = labs.length > 0 && labs.every((lab) => mayAct(me, 'operator', lab));
  if (!isOfLabs && !mayAct(me, 'operator')) return null;
  const path = { computer };
  const act = drain === null ? 'drain' : 'resume';
  return (
    <Act
      key={act}
      label={words.say(`computer.${act}`)}
      about={computer}
      title={words.say(`computer.${act}.title`, { computer })}
      effect={words.say(`computer.${act}.effect`)}
      {...(act === 'drain' ? { reason: 'required' as const } : {})}
      className={className}
      send={(reason) =>
        act === 'drain'
          ? client.post('/api/agents/{computer}/drain', { path, body: { reason } })
          : client.post('/api/agents/{computer}/resume', { path })
      }
      onDone={() => {
        live.readAgain(['agents']);
      }}
    />
  );
}
