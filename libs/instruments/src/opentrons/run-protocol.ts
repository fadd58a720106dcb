import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { fileOf } from '../nodes/index.js';
import { textOf, type Robot } from './robot.js';

/** Milliseconds between two questions for the state of an analysis. */
const everyMs = 500;
/** Milliseconds that an analysis may take. Those of long protocols take minutes. */
const longestMs = 900_000;

/** What a call gives of a protocol. */
export interface GivenProtocol {
  file: JsonValue | undefined;
  labware: JsonValue[];
  parameters: JsonObject | undefined;
}

/**
 * Uploads a protocol and waits for the robot to analyse it. Nothing moves.
 *
 * @param folder the only folder from which a path may be; undefined: no paths
 * @returns the id of the protocol
 * @throws Error when the analysis finds a fault; PeerError when the robot refuses the files
 */
export async function uploadProtocol(
  robot: Robot,
  { file, labware, parameters }: GivenProtocol,
  folder: string | undefined,
): Promise<string> {
  const files = [await fileOf('file', file, folder)];
  for (const [index, each] of labware.entries()) files.push(await fileOf(`labware[${index}]`, each, folder));
  let protocol = await robot.upload(files, parameters);
  const { id } = protocol;
  const end = performance.now() + longestMs;
  for (;;) {
    const latest = protocol.analysisSummaries.at(-1);
    if (latest?.status === 'completed') {
      const { result, errors } = await robot.analysis(id, latest.id);
      if (errors.length === 0 && (result == null || result === 'ok')) return id;
      throw new Error(
        `the robot would not run ${files[0]?.name ?? 'the protocol'}: ${textOf(errors) || (result ?? 'unknown')}`,
      );
    }
    if (performance.now() > end)
      throw new Error(
        `the robot did not analyse ${files[0]?.name ?? 'the protocol'} within ${longestMs / 60_000} min`,
      );
    await pause(everyMs);
    protocol = await robot.protocol(id);
  }
}
