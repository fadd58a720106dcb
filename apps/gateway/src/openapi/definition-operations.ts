import { definitionTypes, type ErrorCode } from '@lab/contracts';
import { inPath, json, listOf, listParameters, pageOf, ref, type Description } from './description.js';

const asking: ErrorCode[] = ['invalid', 'service_unavailable', 'disconnected', 'deadline_exceeded'];
const posting: ErrorCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type', ...asking];
const changing: ErrorCode[] = ['wrong_state', 'store_unavailable', ...posting];

const body = (schema: string, summary: string, value: unknown): NonNullable<Description['body']> => ({
  schema: ref(schema),
  required: true,
  examples: { example: { summary, value } },
});
const colorLab = body('LabSelection', 'One laboratory', { lab_types: ['color_lab'] });
const colorMixing = body('ProtocolSelection', 'One protocol', { protocol_types: ['color_mixing'] });
const textToCheck = [
  'type: mix_once',
  'desc: One color',
  'labs: [color_lab]',
  'tasks:',
  '  - name: mix',
  '    type: mix_colours',
].join('\n');
const draining = 'With `drain` and work going on the answer is 202: it is done when that work has ended.';

/** @param schema of what is told of each */
const stillDraining = (schema: string): NonNullable<Description['further']> => ({
  '202': {
    description: 'Of some it is still to come, when their work has ended.',
    content: json(listOf(schema)),
  },
});

/** Operations on definitions, by method and path. */
export const definitionOperations: Record<string, Description> = {
  'GET /api/labs': {
    tag: 'Definitions',
    summary: 'List laboratories, loaded or not',
    parameters: listParameters('labs'),
    success: { status: 200, description: 'By name.', content: pageOf('LabRecord') },
    problems: asking,
  },
  'GET /api/labs/{lab_id}': {
    tag: 'Definitions',
    summary: 'Read a laboratory, loaded or not',
    parameters: [inPath('lab_id', 'Name of the laboratory.', 'color_lab')],
    success: { status: 200, description: 'The laboratory.', content: json(ref('LabRecord')) },
    problems: ['unknown_lab', ...asking],
  },
  'POST /api/labs/load': {
    tag: 'Definitions',
    summary: 'Load laboratories',
    description:
      'Answered when every device is usable. A laboratory loads whole or not at all: with a mistake in its files, or a device that does not start, nothing changes. Devices of computers that are not connected start when those come.',
    body: colorLab,
    success: { status: 200, description: 'They are loaded.', content: json(listOf('LabChange')) },
    problems: [...changing, 'device_unavailable'],
  },
  'POST /api/labs/unload': {
    tag: 'Definitions',
    summary: 'Unload laboratories',
    description: `Refused while work goes on that needs them, and the work is named. ${draining} Protocols that need them are unloaded too. Resources keep their state.`,
    body: colorLab,
    success: { status: 200, description: 'They are unloaded.', content: json(listOf('LabChange')) },
    further: stillDraining('LabChange'),
    problems: changing,
  },
  'POST /api/labs/reload': {
    tag: 'Definitions',
    summary: 'Read laboratories from disk anew',
    description: `Devices that did not change go on; the others are restarted, which is refused while they are in use. ${draining} After a mistake the earlier version stays.`,
    body: colorLab,
    success: { status: 200, description: 'They are reloaded.', content: json(listOf('LabChange')) },
    further: stillDraining('LabChange'),
    problems: [...changing, 'device_unavailable'],
  },
  'POST /api/protocols/load': {
    tag: 'Definitions',
    summary: 'Load protocols',
    description: 'With their task types as they are on disk. Their laboratories must be loaded.',
    body: colorMixing,
    success: { status: 200, description: 'They are loaded.', content: json(listOf('ProtocolChange')) },
    problems: changing,
  },
  'POST /api/protocols/unload': {
    tag: 'Definitions',
    summary: 'Unload protocols',
    description: 'Refused while runs or campaigns of them go on, unless `drain` is true.',
    body: colorMixing,
    success: { status: 200, description: 'They are unloaded.', content: json(listOf('ProtocolChange')) },
    problems: changing,
  },
  'POST /api/protocols/reload': {
    tag: 'Definitions',
    summary: 'Read protocols from disk anew',
    description:
      'Runs that were accepted keep their definitions; the next run of a campaign gets the new ones. After a mistake the earlier version stays.',
    body: colorMixing,
    success: { status: 200, description: 'They are reloaded.', content: json(listOf('ProtocolChange')) },
    problems: changing,
  },
  'POST /api/protocols/validate': {
    tag: 'Definitions',
    summary: 'Check the text of a protocol',
    description: 'As if it stood in a package, against the laboratories and task types of all packages.',
    body: body('ProtocolText', 'A misspelt task type', { protocol_yaml: textToCheck }),
    success: { status: 200, description: 'What was found.', content: json(ref('Validation')) },
    problems: posting,
  },
  'POST /api/tasks/reload': {
    tag: 'Definitions',
    summary: 'Read task types from disk anew',
    description:
      'And the loaded protocols that use them. Work that was accepted keeps its definitions. After a mistake everything stays as it was.',
    body: body('TaskTypeSelection', 'One task type', { task_types: ['mix_colors'] }),
    success: { status: 200, description: 'They are reloaded.', content: json(listOf('TaskTypeChange')) },
    problems: changing,
  },
  'GET /api/packages': {
    tag: 'Definitions',
    summary: 'List packages as they were last read',
    parameters: listParameters('packages'),
    success: { status: 200, description: 'By name.', content: pageOf('PackageRecord') },
    problems: asking,
  },
  'GET /api/packages/{package_name}': {
    tag: 'Definitions',
    summary: 'Read a package as it was last read',
    parameters: [inPath('package_name', 'Name of the package.', 'color_lab')],
    success: { status: 200, description: 'The package.', content: json(ref('PackageRecord')) },
    problems: ['not_found', ...asking],
  },
  'POST /api/packages/refresh': {
    tag: 'Definitions',
    summary: 'Read the packages from disk anew',
    description: 'What is loaded stays as it is.',
    success: { status: 200, description: 'By name.', content: json(listOf('PackageRecord')) },
    problems: posting,
  },
  'GET /api/definitions': {
    tag: 'Definitions',
    summary: 'List definitions, loaded or not',
    parameters: listParameters('definitions'),
    success: { status: 200, description: 'By type and name.', content: pageOf('DefinitionSummary') },
    problems: asking,
  },
  'GET /api/definitions/{type}/{name}': {
    tag: 'Definitions',
    summary: 'Read a definition',
    parameters: [
      inPath('type', `One of ${definitionTypes.join(', ')}.`, 'task'),
      inPath('name', 'Name of the definition.', 'mix_colors'),
    ],
    success: {
      status: 200,
      description: 'The loaded version, and what is wrong with the files.',
      content: json(ref('DefinitionRecord')),
    },
    problems: ['not_found', ...asking],
  },
};
