import { svcProgram } from '@lab/cli/program';

type Command = ReturnType<typeof svcProgram>;

/** All commands with their help, as a page. */
export function cliPage(): string {
  const program = svcProgram();
  const commands = shown(program);
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  return [
    '# Command line\n',
    'All commands of `svc`. `svc <command> --help` shows the same texts. `npm run docs:reference` generates this page from',
    '`apps/cli/src/program.ts`. The guide explains [how to use the command line](../guide/command-line.md).\n',
    '| exit code | meaning |',
    '| --- | --- |',
    '| 0 | the command is done; watched work is complete |',
    '| 1 | watched work did not complete, a check found errors, or the command failed |',
    '| 2 | the command is not understood: an unknown word, an unreadable file, or a wrong setting |',
    '| 3 | the service refused the request, and the message says why |',
    '| 4 | the service did not answer |\n',
    ...groups.flatMap((group) => [
      `## ${group}\n`,
      ...commands.filter((each) => each.helpGroup() === group).flatMap((each) => section(each, [])),
    ]),
  ].join('\n');
}

const shown = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');

function section(command: Command, above: string[]): string[] {
  const path = [...above, command.name()];
  const inner = shown(command);
  const usage = command.registeredArguments.map(argumentText).join(' ');
  const options = command.options.filter((option) => !option.hidden);
  const isCommand = inner.length === 0 || options.length > 0;
  const description = command.description();
  return [
    `### \`svc ${[...path, ...(usage === '' ? [] : [usage])].join(' ')}\`\n`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.\n`,
    ...(isCommand ? details(command, options) : []),
    ...inner.flatMap((each) => section(each, path)),
  ];
}

function details(command: Command, options: Command['options']): string[] {
  const rows = [
    ...command.registeredArguments.map((each) => ({ ...partsOf(each), flags: argumentText(each) })),
    ...options.map((each) => ({ ...partsOf(each), flags: each.flags })),
  ];
  if (rows.length === 0) return [];
  return [
    '| | |',
    '| --- | --- |',
    ...rows.map(({ flags, description, argChoices }) => {
      const among = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
      return `| \`${flags}\` | ${description.replaceAll('|', '\\|')}${among} |`;
    }),
    '',
  ];
}

const partsOf = ({ description, argChoices }: { description: string; argChoices?: string[] }) => ({
  description,
  argChoices,
});

function argumentText(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
