import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { withoutPython } from '@lab/testkit/python';
import { describe, expect, it } from 'vitest';
import { hasMessages, MessageReplay, readRecording, Replay, type Recording, type Time } from '../src/kit.js';
import { fixtures, recordedSessions } from './message-sessions.js';

/** Makes all requests of a recording in an order, and prints what comes, by name and mode. */
const python = `
import json, sys
from pathlib import Path
from svc_lab.replay import MessageReplay, RecordedError, Replay, read_recording

def asked(replay, request):
    try:
        return {"answers": replay.ask_all(request)}
    except RecordedError as error:
        return {"error": error.error}

def sent(replay, request):
    replay.write(request)
    return replay.read().hex()

def answers(recording, strict):
    if recording.has_messages:
        replay, requests, make = MessageReplay(recording, strict), recording.requests(), asked
    else:
        replay, requests, make = Replay(recording, strict), [turn.request for turn in recording.turns()], sent
    order = requests if strict else [*requests[::-1], *requests]
    came = [make(replay, request) for request in order]
    return {"came": came, "heard": getattr(replay, "heard", []), "left": replay.left if strict else 0}

folder, *names = sys.argv[1:]
found = {name: read_recording(Path(folder) / f"{name}.ndjson") for name in names}
print(json.dumps({name: [answers(each, True), answers(each, False)] for name, each in found.items()}))
`;

interface Answers {
  came: JsonValue[];
  heard: JsonObject[];
  left: number;
}

/** Everything happens at once. */
const atOnce: Time = {
  now: () => 0,
  after: (_ms, callback) => {
    callback();
    return () => undefined;
  },
};

async function answersOf(recording: Recording, isStrict: boolean): Promise<Answers> {
  const mode = isStrict ? 'strict' : 'lenient';
  const inOrder = <Request>(requests: Request[]): Request[] =>
    isStrict ? requests : [...requests.toReversed(), ...requests];
  const sent = recording.entries.filter((entry) => 'dir' in entry && entry.dir === 'out');
  if (hasMessages(recording)) {
    const replay = new MessageReplay(recording, mode);
    const said = replay.greeting();
    const came = inOrder(sent).map((entry): JsonValue => {
      const { answers, error, said: more } = replay.turn('message' in entry ? entry.message : {});
      said.push(...more);
      return error === undefined ? { answers } : { error };
    });
    const heard = said.flatMap((each) => ('message' in each ? [each.message] : []));
    return { came, heard, left: isStrict ? replay.left : 0 };
  }
  const replay = new Replay(recording, mode, atOnce);
  let got = '';
  const line = await replay.open({
    bytes: (bytes) => (got += bytes.toString('hex')),
    ended: (why) => expect.fail(why),
  });
  const came = inOrder(sent).map((entry) => {
    got = '';
    line.write(Buffer.from('hex' in entry ? entry.hex : '', 'hex'), undefined);
    return got;
  });
  return { came, heard: [], left: isStrict ? replay.left : 0 };
}

describe.skipIf(withoutPython())('the recordings of all protocols', () => {
  it('have the same answers in TypeScript and in Python, strict and lenient', async () => {
    const names = recordedSessions();
    const { stdout } = await promisify(execFile)('python3', ['-c', python, fixtures, ...names], {
      env: {
        PATH: process.env['PATH'],
        PYTHONPATH: join(import.meta.dirname, '../../python-host/src'),
        PYTHONDONTWRITEBYTECODE: '1',
      },
      maxBuffer: 64 * 1024 ** 2,
    });
    const inPython = JSON.parse(stdout) as Record<string, Answers[]>;
    expect(Object.keys(inPython).sort()).toEqual(names);
    for (const name of names) {
      const recording = readRecording(readFileSync(join(fixtures, `${name}.ndjson`), 'utf8'), name);
      const here = [await answersOf(recording, true), await answersOf(recording, false)];
      expect(here[0]?.came.length, name).toBeGreaterThan(3);
      expect(here[0]?.left, name).toBe(0);
      expect(inPython[name], name).toEqual(here);
    }
  });
});
