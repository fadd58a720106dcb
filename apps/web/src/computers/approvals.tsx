import type { EnrolmentRecord } from '@lab/api-client';
import type { ReactNode } from 'react';
import { Rows, Section, State } from '../design/index.js';
import { client, useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { Act } from './act.js';

/** Computers that have joined and wait until an administrator approves them. */
export function Approvals({
  enrolments,
  onDone,
}: {
  enrolments: readonly EnrolmentRecord[];
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const waiting = enrolments.filter(
    ({ approved_at: at, revoked_at: revoked }) => at === null && revoked === null,
  );
  if (waiting.length === 0) return null;
  return (
    <Section title={words.say('computers.approval')}>
      <Rows items={waiting} keyOf={({ computer }) => computer}>
        {({ computer, address, joined_at: joined, key }) => (
          <>
            <span className="name">{computer}</span>
            <State tone="warning">{words.say('computer.waits')}</State>
            <span className="hint">
              {words.say('computer.joined', { address, age: words.age(now - Date.parse(joined)) })}
            </span>
            <Act
              className="end"
              label={words.say('computer.approve')}
              about={computer}
              title={words.say('computer.approve.title', { computer })}
              effect={words.say('computer.approve.effect', { address, key })}
              send={() => client.post('/api/enrolments/{computer}/approve', { path: { computer } })}
              onDone={onDone}
            />
          </>
        )}
      </Rows>
    </Section>
  );
}
