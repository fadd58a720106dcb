import * as contracts from '@lab/contracts';

type Table = Record<string, Record<string, string>>;

const machines: [title: string, table: Table, about: string][] = [
  ['Task run', contracts.taskRunTransitions, 'A task of a protocol run, or an on-demand task.'],
  ['Attempt', contracts.attemptTransitions, 'One execution of a task run, as the orchestrator knows it.'],
  ['Protocol run', contracts.protocolRunTransitions, 'One execution of a protocol.'],
  ['Campaign', contracts.campaignTransitions, 'Many runs of one protocol.'],
  ['Trial', contracts.trialTransitions, 'The parameters of one run of a campaign with an optimizer.'],
  ['Device', contracts.deviceTransitions, 'An instrument, as its agent knows it.'],
  ['Agent', contracts.agentTransitions, 'The agent of a computer, as the orchestrator knows it.'],
  ['Rollout', contracts.rolloutTransitions, 'An update of the agents of several computers.'],
  ['Computer of a rollout', contracts.rolloutStepTransitions, 'How far a rollout is with one computer.'],
];

/** The tables of libs/contracts/src/states.ts as a page. */
export function statesPage(): string {
  return [
    '# States\n',
    'Every record changes its state only as its table allows. The engine, the database and the agents refuse any other change.',
    '`npm run docs:reference` generates this page from the tables in `libs/contracts/src/states.ts`.\n',
    ...machines.flatMap(section),
  ].join('\n');
}

function section([title, table, about]: (typeof machines)[number]): string[] {
  const states = Object.entries(table);
  const rows = states.flatMap(([from, following]) =>
    Object.entries(following).map(([to, event]) => ({ from, to, event })),
  );
  const ends = states.filter(([, following]) => Object.keys(following).length === 0);
  return [
    `## ${title}\n`,
    `${about}\n`,
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${states[0]?.[0]}`,
    ...rows.map(({ from, to }) => `  ${from} --> ${to}`),
    ...ends.map(([state]) => `  ${state} --> [*]`),
    '```\n',
    '| from | to | when |',
    '| --- | --- | --- |',
    ...rows.map(({ from, to, event }) => `| \`${from}\` | \`${to}\` | ${event} |`),
    '',
  ];
}
