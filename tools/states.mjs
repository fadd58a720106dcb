// Writes docs/reference/states.md from the tables of libs/contracts/src/states.ts: node tools/states.mjs
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { argv } from 'node:process';
import * as contracts from '@lab/contracts';
import { format, resolveConfig } from 'prettier';

/** Where the page stands. */
export const statesFile = fileURLToPath(new URL('../docs/reference/states.md', import.meta.url));

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

/** The page as it must be. */
export async function statesPage() {
  const text = [
    '# States\n',
    'Every record goes only where its table says; the engine, the database and the agents refuse anything else. This page is',
    'made of the tables in `libs/contracts/src/states.ts` by `npm run docs:states`.\n',
    ...machines.flatMap(section),
  ].join('\n');
  return format(text, { ...(await resolveConfig(statesFile)), parser: 'markdown' });
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

if (argv[1] === fileURLToPath(import.meta.url)) writeFileSync(statesFile, await statesPage());
