import type { AgentRecord, EnrolmentRecord } from '@lab/api-client';
import { agentTone, deviceTone } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Section, State } from '../design/index.js';
import { client, useNow, useSight } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Act } from './act.js';
import { useAdmission } from './admission.js';
import { Drain } from './drain.js';

/** One computer: its agent, its devices, what runs there, and with which credentials it is admitted. */
export function Computer({ computer }: { computer: string }): ReactNode {
  const words = useWords();
  const { records, isComplete } = useSight();
  const agent = records.agents.find((each) => each.computer === computer);
  return (
    <>
      <p>
        <Link to="/computers">{words.say('computers.all')}</Link>
      </p>
      <h1>{words.say('computer.title', { computer })}</h1>
      {agent === undefined ? (
        <>
          <p role="status">{words.say(isComplete ? 'computer.gone' : 'now.reading')}</p>
          <Credentials computer={computer} />
        </>
      ) : (
        <Details agent={agent} />
      )}
    </>
  );
}

function Details({ agent }: { agent: AgentRecord }): ReactNode {
  const words = useWords();
  const { state, reason, drain, tasks, devices, ledger } = agent;
  return (
    <>
      <div className={`headline tone-${agentTone(agent)}`}>
        <p>
          <State tone={agentTone(agent)}>{words.state(state)}</State>
        </p>
        {reason !== null && <p>{reason}</p>}
        {ledger?.writable === false && (
          <p className="loud">{words.say('computer.ledger', { reason: ledger.detail ?? '?' })}</p>
        )}
        {drain !== null && <Drained drain={drain} />}
      </div>
      <div className="buttons">
        <Drain agent={agent} />
      </div>
      <div className="columns">
        <div>
          <Section title={words.say('computer.agent')}>
            <Facts agent={agent} />
          </Section>
          <Credentials computer={agent.computer} />
        </div>
        <div>
          <Section title={words.say('nav.devices')}>
            {devices.length === 0 && <p className="hint">{words.say('computer.devices.none')}</p>}
            <ul className="rows">
              {devices.map((device) => (
                <DeviceRow key={`${device.lab}.${device.name}`} device={device} />
              ))}
            </ul>
          </Section>
          <Section title={words.say('computer.tasks')}>
            {tasks.length === 0 && <p className="hint">{words.say('computer.tasks.none')}</p>}
            <ul className="rows">
              {tasks.map((label) => (
                <li key={label} className="row">
                  <TaskLink label={label} />
                </li>
              ))}
            </ul>
          </Section>
        </div>
      </div>
    </>
  );
}

/** A device as its agent reports it. An emergency stop counts more than that. */
function DeviceRow({
  device: { lab, name, state, detail },
}: {
  device: AgentRecord['devices'][number];
}): ReactNode {
  const words = useWords();
  const { devices } = useSight().records;
  const record = devices.find((each) => each.lab_name === lab && each.name === name);
  const { halted = null, out_of_service: outage = null } = record ?? {};
  return (
    <li className="row">
      <Link to="/devices/$lab/$name" params={{ lab, name }} className="name">
        {lab}.{name}
      </Link>
      <State tone={deviceTone({ state, halted, out_of_service: outage })}>
        {halted === null ? words.state(outage === null ? state : 'disabled') : words.say('device.halted')}
      </State>
      {detail !== null && <span className="hint">{detail}</span>}
    </li>
  );
}

/** @param label `<protocol run>/<task>` or an on-demand task */
function TaskLink({ label }: { label: string }): ReactNode {
  const cut = label.lastIndexOf('/');
  if (cut === -1)
    return (
      <Link to="/tasks/$name" params={{ name: label }}>
        {label}
      </Link>
    );
  return (
    <Link to="/runs/$name/tasks/$task" params={{ name: label.slice(0, cut), task: label.slice(cut + 1) }}>
      {label}
    </Link>
  );
}

function Drained({ drain }: { drain: NonNullable<AgentRecord['drain']> }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { by, reason, since, until, drained, used_by: users, kept_by: keepers } = drain;
  return (
    <>
      <p>
        {words.say('devices.drained', { by, reason })}
        {`, ${words.say('task.since', { time: words.time(Date.parse(since), now) })}`}
        {until !== null && `, ${words.say('computer.until', { time: words.time(Date.parse(until), now) })}`}
      </p>
      <p>
        {drained ? words.say('computer.drained') : words.say('computer.used', { tasks: users.join(', ') })}
      </p>
      {keepers.length > 0 && <p>{words.say('computer.kept', { runs: keepers.join(', ') })}</p>}
    </>
  );
}

function Facts({ agent }: { agent: AgentRecord }): ReactNode {
  const words = useWords();
  const now = useNow();
  const { labs, version, platform, protocol, address, last_heard_at: heard, clock_offset_ms: offset } = agent;
  const facts: [name: string, value: string | null][] = [
    [words.say('computer.labs'), labs.length === 0 ? null : labs.join(', ')],
    [words.say('computer.version'), version],
    [words.say('computer.platform'), platform ?? null],
    [
      words.say('computer.protocol'),
      protocol === null
        ? null
        : protocol.min === protocol.max
          ? String(protocol.max)
          : `${protocol.min}\u2013${protocol.max}`,
    ],
    [words.say('computer.address'), address],
    [
      words.say('computer.heard'),
      heard === null
        ? null
        : words.say('computer.ago', { age: words.age(Math.max(0, now - Date.parse(heard))) }),
    ],
    [words.say('computer.clock'), offset === null ? null : `${words.number(offset, 0)} ms`],
    [words.say('computer.starts'), agent.incarnation === null ? null : String(agent.incarnation)],
  ];
  return <FactList facts={facts} />;
}

function FactList({ facts }: { facts: readonly [name: string, value: string | null][] }): ReactNode {
  const words = useWords();
  return (
    <dl className="known">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <span className="hint">{words.say('attention.unknown')}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** With what the agent shows that it belongs to the computer. Only for administrators. */
function Credentials({ computer }: { computer: string }): ReactNode {
  const words = useWords();
  const admission = useAdmission();
  if (admission === undefined) return null;
  const { record, failure, readAgain } = admission;
  const joined = record?.enrolments.find((each) => each.computer === computer);
  return (
    <Section title={words.say('computer.credentials')}>
      {record === undefined || failure !== undefined ? (
        <Unread reason={failure} />
      ) : joined === undefined ? (
        <p className="hint">{words.say('computer.not_joined')}</p>
      ) : (
        <Joined enrolment={joined} onDone={readAgain} />
      )}
    </Section>
  );
}

function Joined({ enrolment, onDone }: { enrolment: EnrolmentRecord; onDone(): void }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { computer, key, address, version, joined_at: at, approved_by: by, valid_until: until } = enrolment;
  const time = (text: string): string => words.time(Date.parse(text), now);
  return (
    <>
      <FactList
        facts={[
          [words.say('computer.key'), key],
          [words.say('computer.key.age'), words.age(now - Date.parse(at))],
          [words.say('computer.joined.at'), `${time(at)}, ${address}`],
          [words.say('computer.approved'), by],
          [words.say('computer.valid'), until === null ? null : time(until)],
          [words.say('computer.version.joined'), version],
        ]}
      />
      <div className="buttons">
        <Act
          label={words.say('computer.revoke')}
          about={computer}
          title={words.say('computer.revoke.title', { computer })}
          effect={words.say('computer.revoke.effect')}
          reason="optional"
          look="danger"
          send={(reason) =>
            client.post('/api/enrolments/{computer}/revoke', { path: { computer }, body: { reason } })
          }
          onDone={onDone}
        />
      </div>
    </>
  );
}
