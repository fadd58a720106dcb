import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { root } from '../../tools/shared/paths.js';

/** What deploy/images/Dockerfile says: the instructions of each stage, by its name. The first of a stage is `FROM`. */
export const stages: ReadonlyMap<string, readonly Instruction[]> = stagesOf(
  readFileSync(join(root, 'deploy', 'images', 'Dockerfile'), 'utf8'),
);

/** @throws Error when an instruction stands before the first `FROM`, or a stage has no name */
export function stagesOf(text: string): Map<string, Instruction[]> {
  const found = new Map<string, Instruction[]>();
  let stage: Instruction[] | undefined;
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const name = / as (\S+)$/i.exec(instruction.getArgumentsContent() ?? '')?.[1];
      if (name === undefined) throw new Error(`a stage has no name: ${instruction.toString()}`);
      found.set(name, (stage = []));
    }
    if (stage === undefined) throw new Error(`before the first FROM: ${instruction.toString()}`);
    stage.push(instruction);
  }
  return found;
}

/** The arguments of an instruction of a stage, for example those of `USER`; undefined: the stage has none. */
export function saidBy(stage: string, keyword: string): string | undefined {
  const found = stages.get(stage)?.findLast((each) => each.getKeyword() === keyword);
  return found?.getArgumentsContent() ?? undefined;
}

/** Arguments of Node in the entry point of an image. */
export function entryOf(image: string): string[] {
  const [program, ...args] = JSON.parse(saidBy(image, 'ENTRYPOINT') ?? '[]') as string[];
  if (program !== 'node') throw new Error(`the image ${image} does not start node`);
  return args;
}
