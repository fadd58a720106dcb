import { Argument, type Command } from 'commander';
import { atWork, workKinds, type WorkKind } from '../../watch/work.js';
import { asks, person, personCommand, type PersonFlags } from '../at-service.js';

/** `svc archive` and `svc restore`. */
export function addArchiveCommands(program: Command): void {
  for (const [verb, description] of [
    ['archive', 'take work that is over, with all that belongs to it, out of the lists'],
    ['restore', 'bring archived work back into the lists'],
  ] as const)
    asks(
      personCommand(program, verb, description)
        .addArgument(new Argument('<kind>', 'what it is').choices(workKinds))
        .argument('<name>', 'its name'),
      (client, flags: PersonFlags, kind: WorkKind, name: string) => {
        const body = { by: person(flags) };
        return atWork<{ name: string }>(client, 'post', { kind, name }, `/${verb}`, { body });
      },
      (record) => [`${record.name}: ${verb}d`],
    );
}
