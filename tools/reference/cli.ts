import { svcProgram } from '@lab/cli/program';

/** All commands, as help tells them, as a page. */
export function cliPage() {
  const program = svcProgram();
  const commands = shown(program);
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  return [
    '# Command line\n',
    'Every command of `svc`. `svc <command> --help` tells the same. This page is made of `apps/cli/src/program.ts` by',
    '`npm run docs:reference`; the guide has [how to use it](../guide/command-line.md).\n',
    '| exit code | means |',
    '| --- | --- |',
    '| 0 | done; work that was watched completed |',
    '| 1 | work that was watched did not complete, what was checked has errors, or the command itself failed |',
    '| 2 | not understood: an unknown word, a file that cannot be read, a setting that is wrong |',
    '| 3 | the service refused, and says why |',
    '| 4 | no answer of the service |\n',
    ...groups.flatMap((group) => [
      `## ${group}\n`,
      ...commands
        .filter((command) => command.helpGroup() === group)
        .flatMap((command) => section(command, [])),
    ]),
  ].join('\n');
}

function shown(command) {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
}

function section(command, above) {
  const path = [...above, command.name()];
  const inner = shown(command);
  const usage = command.registeredArguments.map(argumentText).join(' ');
  const options = command.options.filter((option) => !option.hidden);
  const itself = inner.length === 0 || options.length > 0;
  return [
    `### \`svc ${[...path, ...(usage === '' ? [] : [usage])].join(' ')}\`\n`,
    `${sentence(command.description())}\n`,
    ...(itself ? details(command, options) : []),
    ...inner.flatMap((each) => section(each, path)),
  ];
}

function details(command, options) {
  const rows = [
    ...command.registeredArguments.map((each) => [argumentText(each), each.description, each.argChoices]),
    ...options.map((each) => [each.flags, each.description, each.argChoices]),
  ];
  if (rows.length === 0) return [];
  return [
    '| | |',
    '| --- | --- |',
    ...rows.map(([flags, description, choices]) => {
      const among = choices === undefined ? '' : ` (${choices.join(', ')})`;
      return `| \`${flags}\` | ${description.replaceAll('|', '\\|')}${among} |`;
    }),
    '',
  ];
}

function argumentText(argument) {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
