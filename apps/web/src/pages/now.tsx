import type { CampaignSummary, DeviceRecord, ProtocolRunSummary } from '@lab/api-client';
import { agentTone, deviceTone, situationOf, workTone, type Situation, type WordKey } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { Rows, Section, State } from '../design/index.js';
import { useNow, useSight } from '../lab/index.js';
import { Cut, Progress, RunFacts, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** What needs a person, what stands still, and how far the work is. */
export function Now({ wall = false }: { wall?: boolean }): ReactNode {
  const words = useWords();
  const { records, isComplete, trouble } = useSight();
  const situation = useMemo(() => situationOf(records), [records]);
  if (!isComplete) return <Unread reason={trouble} />;
  return (
    <div className={wall ? 'now wall' : 'now'}>
      <div className="title">
        <h1>{words.say('now.title')}</h1>
        {wall ? (
          <Link to="/">{words.say('now.wall.leave')}</Link>
        ) : (
          <Link to="/wall">{words.say('now.wall')}</Link>
        )}
      </div>
      <Headline situation={situation} trouble={trouble} />
      <Figures />
      <div className="columns">
        <Work />
        <Trouble situation={situation} />
      </div>
    </div>
  );
}

function Headline({
  situation,
  trouble,
}: {
  situation: Situation;
  /** Why something cannot be read at present: then nobody knows whether all is well. */
  trouble: string | undefined;
}): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  const { questions, warnings, nextNeed, troubledAgents, troubledDevices } = situation;
  const troubled = troubledAgents.length + troubledDevices.length;
  const isCalm = situation.isCalm && trouble === undefined;
  return (
    <div className={`headline tone-${isCalm ? 'good' : nextNeed === 'now' ? 'alarm' : 'warning'}`}>
      {trouble !== undefined && <Unread reason={trouble} />}
      {isCalm && (
        <p>
          <State tone="good">
            <strong>{words.say('now.calm')}</strong>
          </State>{' '}
          {words.say('now.calm.more')}
        </p>
      )}
      {questions.length > 0 && (
        <p>
          <State tone="alarm">
            <Link to="/attention">{words.say('now.needs', { count: questions.length })}</Link>
          </State>
        </p>
      )}
      {warnings.length > 0 && (
        <p>
          <State tone="warning">
            <Link to="/attention">{words.say('now.warnings', { count: warnings.length })}</Link>
          </State>
        </p>
      )}
      {troubled > 0 && <p>{words.say('now.troubled', { count: troubled })}</p>}
      <p>
        {typeof nextNeed === 'number'
          ? words.say('now.next.at', { time: words.time(nextNeed, now) })
          : words.say(`now.next.${nextNeed ?? 'unknown'}` satisfies WordKey)}
      </p>
    </div>
  );
}

function Figures(): ReactNode {
  const words = useWords();
  const { queue, devices, agents } = useSight().records;
  const figures: [string, string][] = [
    [words.say('now.running'), String(queue?.running ?? '?')],
    [words.say('now.waiting'), String(queue?.waiting ?? '?')],
    [
      words.say('now.devices'),
      words.say('now.devices.of', {
        busy: devices.filter(({ state }) => state === 'busy').length,
        all: devices.length,
      }),
    ],
    [
      words.say('now.agents'),
      words.say('now.agents.of', {
        online: agents.filter((agent) => agentTone(agent) === 'good').length,
        all: agents.length,
      }),
    ],
  ];
  return (
    <dl className="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Work(): ReactNode {
  const words = useWords();
  const { campaigns, runs } = useSight().records;
  const work = [
    ...campaigns.map((of) => ({ kind: 'campaign', of }) as const),
    ...runs.map((of) => ({ kind: 'run', of }) as const),
  ];
  return (
    <Section title={words.say('now.work')}>
      {work.length === 0 && (
        <p className="hint">
          {words.say('now.work.none')} <Link to="/submit">{words.say('submit.title')}</Link>
        </p>
      )}
      <Rows items={work} keyOf={({ of }) => of.id}>
        {({ kind, of }) => (kind === 'campaign' ? <Campaign campaign={of} /> : <Run run={of} />)}
      </Rows>
      <Cut lists={['campaigns', 'runs']} />
    </Section>
  );
}

function Campaign({ campaign }: { campaign: CampaignSummary }): ReactNode {
  const words = useWords();
  return (
    <>
      <Link to="/campaigns/$name" params={{ name: campaign.name }} className="name">
        {campaign.name}
      </Link>
      <State tone={workTone(campaign.state)}>{words.state(campaign.state)}</State>
      <Progress campaign={campaign} />
    </>
  );
}

function Run({ run }: { run: ProtocolRunSummary }): ReactNode {
  const words = useWords();
  return (
    <RunFacts run={run}>
      <span className="hint">{words.say('run.of', { protocol: run.type })}</span>
    </RunFacts>
  );
}

function Trouble({ situation: { troubledAgents, troubledDevices } }: { situation: Situation }): ReactNode {
  const words = useWords();
  return (
    <Section title={words.say('now.trouble')}>
      {troubledAgents.length + troubledDevices.length === 0 && (
        <p className="hint">{words.say('now.trouble.none')}</p>
      )}
      <Rows items={troubledAgents} keyOf={({ computer }) => computer}>
        {(agent) => (
          <>
            <span className="name">{agent.computer}</span>
            <State tone={agentTone(agent)}>{words.state(agent.state)}</State>
            {agent.reason !== null && <span className="hint">{agent.reason}</span>}
          </>
        )}
      </Rows>
      <Rows items={troubledDevices} keyOf={({ lab_name: lab, name }) => `${lab}.${name}`}>
        {(device) => <Device device={device} />}
      </Rows>
    </Section>
  );
}

function Device({ device }: { device: DeviceRecord }): ReactNode {
  const words = useWords();
  const { lab_name: lab, name, state, halted, out_of_service: outage, detail } = device;
  return (
    <>
      <span className="name">
        {lab}.{name}
      </span>
      <State tone={deviceTone(device)}>
        {halted === null ? words.state(state) : words.say('device.halted')}
      </State>
      <span className="hint">
        {halted ??
          (outage === null ? detail : words.say('device.out', { reason: outage.reason, by: outage.by }))}
      </span>
    </>
  );
}
