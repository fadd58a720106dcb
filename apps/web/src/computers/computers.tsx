import type { AgentRecord } from '@lab/api-client';
import { agentTone } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Rows, Section, State } from '../design/index.js';
import { useNow, useSight } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { useAdmission } from './admission.js';
import { Approvals } from './approvals.js';
import { Drain } from './drain.js';
import { Invitations } from './invitations.js';
import { Rollouts } from './rollouts.js';

/** Every computer with its agent; for administrators also invitations and updates. */
export function Computers(): ReactNode {
  const words = useWords();
  const { records, isComplete } = useSight();
  const admission = useAdmission();
  return (
    <>
      <h1>{words.say('devices.computers')}</h1>
      <div className="columns">
        <div>
          <Section title={words.say('computers.agents')}>
            {!isComplete && <p role="status">{words.say('now.reading')}</p>}
            <Rows items={records.agents} keyOf={({ computer }) => computer}>
              {(agent) => <AgentRow agent={agent} />}
            </Rows>
          </Section>
        </div>
        {admission !== undefined && (
          <div>
            {admission.record === undefined || admission.failure !== undefined ? (
              <Unread reason={admission.failure} />
            ) : (
              <>
                <Approvals enrolments={admission.record.enrolments} onDone={admission.readAgain} />
                <Invitations invitations={admission.record.invitations} onDone={admission.readAgain} />
              </>
            )}
            <Rollouts />
          </div>
        )}
      </div>
    </>
  );
}

function AgentRow({ agent }: { agent: AgentRecord }): ReactNode {
  const words = useWords();
  const now = useNow();
  const { computer, state, version, labs, reason, last_heard_at: heard, drain, devices, tasks } = agent;
  return (
    <>
      <Link to="/computers/$computer" params={{ computer }} className="name">
        {computer}
      </Link>
      <State tone={agentTone(agent)}>{words.state(state)}</State>
      <span className="hint">
        {words.say('devices.agent', { version: version ?? '?', count: devices.length })}
        {labs.length > 0 && `, ${labs.join(', ')}`}
      </span>
      {heard !== null && (
        <span className="hint">
          {words.say('devices.heard', { age: words.age(Math.max(0, now - Date.parse(heard))) })}
        </span>
      )}
      {tasks.length > 0 && <span>{words.say('computer.runs', { count: tasks.length })}</span>}
      {drain !== null && <span>{words.say('devices.drained', { by: drain.by, reason: drain.reason })}</span>}
      {reason !== null && <span className="hint">{reason}</span>}
      <Drain agent={agent} className="end" />
    </>
  );
}
