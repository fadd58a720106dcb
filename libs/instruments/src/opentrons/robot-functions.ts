import type { AddedFunction, JsonObject, JsonValue, ParameterDeclarations } from '@lab/sdk';
import { fileDeclaration } from '../nodes/index.js';
import { recoveries, type Recovery } from './recovery.js';
import type { NewRun, Robot } from './robot.js';
import type { GivenProtocol } from './run-protocol.js';

/** What the functions of a robot need of its device. */
export interface RobotActs {
  upload(given: GivenProtocol): Promise<string>;
  /** Creates a run, plays it and waits for its end. */
  run(given: NewRun): Promise<JsonValue>;
  create(given: NewRun): Promise<JsonValue>;
  play(run: string): Promise<JsonValue>;
  command(
    run: string | null,
    type: string,
    params: JsonObject,
    intent: string | undefined,
  ): Promise<JsonValue>;
  steer(run: string | undefined, action: 'play' | 'pause' | 'stop'): Promise<JsonValue>;
  recover(command: string, action: Recovery): Promise<JsonValue>;
}

const runId = { type: 'str', desc: 'Id of a run' } as const;
const currentRun = {
  type: 'str',
  desc: 'Id of a run; left out: the one that controls the robot',
  optional: true,
} as const;
const offsets = {
  type: 'list',
  element_type: 'dict',
  desc: 'Labware offsets in the form of the robot: {definitionUri, location, vector}',
  value: [],
} as const;
const parameters = {
  type: 'dict',
  desc: 'Values of the run-time parameters of the protocol',
  optional: true,
} as const;
const labware = {
  type: 'list',
  element_type: 'dict',
  desc: 'Definitions of own labware, each a file like the protocol',
  value: [],
} as const;
const commandParameters = {
  command_type: { type: 'str', desc: 'Type of a command of Opentrons, as in loadLabware' },
  params: { type: 'dict', desc: 'Its parameters', value: {} },
} as const;

/** Seconds that a call may take unless the lab says otherwise: runs last for hours. */
const ownTimeouts: Readonly<Record<string, number>> = {
  run_protocol: 86_400,
  play_run: 86_400,
  upload_protocol: 1_200,
  recover: 900,
  command: 600,
  run_command: 600,
  home: 180,
};

/**
 * The functions of a robot.
 *
 * @param timeouts seconds that a call may take, by function
 * @throws TypeError when a timeout is that of no function
 */
export function robotFunctions(
  robot: Robot,
  acts: RobotActs,
  timeouts: Readonly<Record<string, number>>,
): Record<string, AddedFunction> {
  const functions: Record<string, AddedFunction> = {
    ...questions(robot),
    upload_protocol: {
      kind: 'idempotent',
      description: 'Uploads a protocol and waits for its analysis',
      parameters: { file: fileDeclaration, labware, parameters },
      call: async (given) => ({ protocol: await acts.upload(protocolOf(given)) }),
    },
    run_protocol: {
      kind: 'effect',
      description: 'Uploads a protocol, or takes one that was uploaded, and runs it to its end',
      parameters: {
        file: { ...fileDeclaration, optional: true },
        protocol: { type: 'str', desc: 'Id of an uploaded protocol, in place of file', optional: true },
        labware,
        parameters,
        offsets,
      },
      call: async (given) => {
        const { file, protocol } = given;
        if ((file === undefined) === (protocol === undefined))
          throw new TypeError('give either file or protocol');
        const protocolId = typeof protocol === 'string' ? protocol : await acts.upload(protocolOf(given));
        return acts.run({ ...newRun(given), protocolId });
      },
    },
    create_run: {
      kind: 'effect',
      description: 'Creates a run, which moves nothing until play_run',
      parameters: {
        protocol: {
          type: 'str',
          desc: 'Id of an uploaded protocol; left out: a run for run_command',
          optional: true,
        },
        parameters,
        offsets,
      },
      call: (given) => acts.create({ ...newRun(given), protocolId: text(given['protocol']) }),
    },
    play_run: {
      kind: 'effect',
      description: 'Plays a run that was created, and waits for its end',
      parameters: { run: runId },
      call: (given) => acts.play(String(given['run'])),
    },
    pause_run: steering(acts, 'pause', 'Pauses a run'),
    resume_run: steering(acts, 'play', 'Lets a paused run go on'),
    stop_run: steering(acts, 'stop', 'Stops a run, which then is over'),
    recover: {
      kind: 'idempotent',
      beside: true,
      description: 'Decides about a failed step for which the run waits',
      parameters: {
        command: { type: 'str', desc: 'Id of the failed step' },
        action: {
          type: 'choice',
          choices: recoveries,
          desc: 'retry: the step again; skip: go on, the step was not done; ignore: go on, it was done; stop: end the run',
        },
      },
      call: (given) => acts.recover(String(given['command']), given['action'] as Recovery),
    },
    command: {
      kind: 'effect',
      description: 'Carries out one command outside of runs',
      parameters: commandParameters,
      call: (given) =>
        acts.command(null, String(given['command_type']), given['params'] as JsonObject, undefined),
    },
    run_command: {
      kind: 'effect',
      description: 'Carries out one command in a run that was created and not played',
      parameters: { run: runId, ...commandParameters },
      call: (given) =>
        acts.command(
          String(given['run']),
          String(given['command_type']),
          given['params'] as JsonObject,
          'setup',
        ),
    },
    home: {
      kind: 'effect',
      description: 'Homes all axes',
      parameters: {},
      call: () => acts.command(null, 'home', {}, undefined),
    },
    add_offset: {
      kind: 'idempotent',
      description: 'Adds a labware offset to a run that was created and not played',
      parameters: {
        run: runId,
        offset: { type: 'dict', desc: 'In the form of the robot: {definitionUri, location, vector}' },
      },
      call: (given) => robot.addOffset(String(given['run']), given['offset'] as JsonObject),
    },
    set_lights: {
      kind: 'idempotent',
      beside: true,
      description: 'Turns the lights of the deck on or off',
      parameters: { on: { type: 'bool' } },
      call: async (given) => robot.setLights(given['on'] === true),
    },
  };
  const unknown = Object.keys(timeouts).filter((name) => !Object.hasOwn(functions, name));
  if (unknown.length > 0)
    throw new TypeError(
      `init_parameters.timeouts: there is no function ${unknown.join(', ')}; there are ${Object.keys(functions).join(', ')}`,
    );
  return Object.fromEntries(
    Object.entries(functions).map(([name, entry]) => {
      const timeout = timeouts[name] ?? ownTimeouts[name];
      return [name, timeout === undefined ? entry : { ...entry, timeout }];
    }),
  );
}

/** Functions that only read. */
function questions(robot: Robot): Record<string, AddedFunction> {
  const telling = (path: string, description: string, query?: Record<string, string>): AddedFunction => ({
    kind: 'query',
    description,
    parameters: {},
    call: () => robot.tell(path, query),
  });
  return {
    health: telling('/health', 'Tells the name, the model and the software of the robot'),
    modules: telling('/modules', 'Lists the attached modules'),
    instruments: telling('/instruments', 'Lists the attached pipettes and the gripper'),
    lights: telling('/robot/lights', 'Tells whether the lights are on'),
    protocols: telling('/protocols', 'Lists the uploaded protocols'),
    runs: telling('/runs', 'Lists the latest runs', { pageLength: '20' }),
    run: {
      kind: 'query',
      description: 'Tells the state of a run',
      parameters: { run: runId },
      call: (given) => robot.run(String(given['run'])),
    },
    run_commands: {
      kind: 'query',
      description: 'Lists the latest 50 commands of a run, and the failed one for which it waits',
      parameters: { run: runId },
      call: (given) => robot.latestCommands(String(given['run'])),
    },
  };
}

function steering(acts: RobotActs, action: 'play' | 'pause' | 'stop', description: string): AddedFunction {
  const parameters: ParameterDeclarations = { run: currentRun };
  return {
    kind: 'idempotent',
    beside: true,
    description,
    parameters,
    call: (given) => acts.steer(text(given['run']), action),
  };
}

const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

function protocolOf(given: JsonObject): GivenProtocol {
  return {
    file: given['file'],
    labware: (given['labware'] ?? []) as JsonValue[],
    parameters: given['parameters'] as JsonObject | undefined,
  };
}

function newRun(given: JsonObject): NewRun {
  return {
    labwareOffsets: (given['offsets'] ?? []) as JsonObject[],
    runTimeParameterValues: given['parameters'] as JsonObject | undefined,
  };
}
