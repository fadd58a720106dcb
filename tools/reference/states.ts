import * as contracts from '@lab/contracts';

const machines = [
  ['Task run', contracts.taskRunTransitions, 'A task inside a protocol run, or an on-demand one.'],
  [
    'Attempt',
    contracts.attemptTransitions,
    'One execution of a task run, as far as the orchestrator knows it.',
  ],
  ['Protocol run', contracts.protocolRunTransitions, 'One execution of a protocol.'],
  ['Campaign', contracts.campaignTransitions, 'A protocol many times.'],
  ['Trial', contracts.trialTransitions, 'The row of parameters of one run of a campaign with an optimizer.'],
  ['Device', contracts.deviceTransitions, 'An instrument, as its agent sees it.'],
  ['Agent', contracts.agentTransitions, 'The agent of a computer, as the orchestrator sees it.'],
];

/** The tables of libs/contracts/src/states.ts as a page. */
export function statesPage() {
  return [
    '# States\n',
    'Every record goes only where its table says; the engine, the database and the agents refuse anything else. This page is',
    'made of the tables in `libs/contracts/src/states.ts` by `npm run docs:reference`.\n',
    ...machines.flatMap(section),
  ].join('\n');
}

function section([title, table, about]) {
  const rows = Object.entries(table).flatMap(([from, following]) =>
    Object.entries(following).map(([to, event]) => ({ from, to, event })),
  );
  const ends = Object.keys(table).filter((from) => Object.keys(table[from]).length === 0);
  return [
    `## ${title}\n`,
    `${about}\n`,
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${Object.keys(table)[0]}`,
    ...rows.map(({ from, to }) => `  ${from} --> ${to}`),
    ...ends.map((state) => `  ${state} --> [*]`),
    '```\n',
    '| from | to | when |',
    '| --- | --- | --- |',
    ...rows.map(({ from, to, event }) => `| \`${from}\` | \`${to}\` | ${event} |`),
    '',
  ];
}
