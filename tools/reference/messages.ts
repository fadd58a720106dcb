import { catalogue, itself, permissionsOf, processRoles } from '@lab/contracts';

/** The permissions of each role as constants, so that whoever gives out rights need not load the schemas of the messages. */
export function permissionsModule(): string {
  const all = processRoles.map((role) => [role, permissionsOf(role, itself, catalogue)]);
  return [
    '// `npm run docs:reference` writes this file from the catalogue.',
    "import type { Permissions, ProcessRole } from './process-roles.js';",
    '',
    '/** What a process of each role may do on the broker. `{itself}` stands for its name. */',
    `export const permissions: Readonly<Record<ProcessRole, Permissions>> = ${JSON.stringify(Object.fromEntries(all))};`,
    '',
  ].join('\n');
}

/** Every message on the broker as a page: its subject, who sends it and who hears it. */
export function messagesPage(): string {
  const rows = catalogue.map(({ name, subject, kind, from, to }) => {
    return `| \`${name}\` | ${kind} | \`${subject}\` | ${partiesText(from)} | ${partiesText(to)} |`;
  });
  return [
    '# Messages\n',
    'Every message that the processes exchange over the broker. The broker refuses every other one, by the credentials of the',
    'process. A token after a role is the name of the process itself: an agent sends and hears only what names its own',
    'computer. `npm run docs:reference` generates this page from `libs/contracts/src/messages`.\n',
    '| message | kind | subject | sent by | heard by |',
    '| --- | --- | --- | --- | --- |',
    ...rows.sort(),
    '',
  ].join('\n');
}

function partiesText(
  parties: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>,
): string {
  return Object.entries(parties)
    .map(([role, fixed]) => {
      const own = Object.keys(fixed).filter((token) => fixed[token] === itself);
      return own.length === 0 ? role : `${role} \`{${own.join('}, {')}}\``;
    })
    .join(', ');
}
