import type { Command, Option } from 'commander';

/**
 * The possible completions of the last word of a command line: subcommands, the allowed values of an argument or option, or
 * options. Empty where any text is allowed, such as the name of a file.
 *
 * @param words the words after the name of the program; the last one is incomplete and can be empty
 */
export function candidates(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  let command = program;
  let place = 0;
  let awaiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (awaiting !== undefined) {
      awaiting = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      if (option?.required === true) awaiting = option;
      continue;
    }
    const inner = command.commands.find((each) => each.name() === word);
    if (inner === undefined) {
      place += 1;
    } else {
      command = inner;
      place = 0;
    }
  }
  const all =
    awaiting !== undefined
      ? (awaiting.argChoices ?? [])
      : typed.startsWith('-')
        ? visibleOptions(command).flatMap(({ long }) => long ?? [])
        : [...visibleCommands(command).map((each) => each.name()), ...choicesAt(command, place)];
  return all.filter((each) => each.startsWith(typed));
}

function choicesAt(command: Command, place: number): readonly string[] {
  const { registeredArguments: declared } = command;
  const last = declared.at(-1);
  const argument = declared[place] ?? (last?.variadic === true ? last : undefined);
  return argument?.argChoices ?? [];
}

/** The commands that help lists, without help itself. */
export function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
}

export function visibleOptions(command: Command): Option[] {
  return command.createHelp().visibleOptions(command);
}

/** Shell scripts that ask `svc complete` for the completions of a line. */
export const scripts = {
  bash: `_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local -a found
  found=("\${(@f)$(svc complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
# From a file of fpath this is run as _svc itself, at the first completion.
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`,
  fish: `complete -c svc -a '(svc complete -- (commandline -opc)[2..-1] "$(commandline -ct)")'
`,
};
