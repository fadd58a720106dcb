import type { ParameterSpec, ParameterSpecs, ProtocolSnapshot, ProtocolTask } from '@lab/definitions/model';

/** Greatest length of the text in characters. It limits the cost of a request to a language model. */
const longest = 12_000;

/**
 * Describes the tasks of a protocol and their parameters for a language model that chooses parameters (specification,
 * endpoint rule 9: "protocol context").
 *
 * @returns at most 12,000 characters
 */
export function protocolText({ protocol, tasks: types }: ProtocolSnapshot): string {
  const lines = [
    `${protocol.type}: ${protocol.desc}`,
    ...protocol.tasks.flatMap((task) => {
      const type = types[task.type];
      return [
        `- ${task.name} (${task.type}${after(task)}): ${[type?.desc, task.desc].filter(Boolean).join('. ')}`,
        ...parameterLines('takes', task.name, type?.input_parameters ?? {}, task),
        ...parameterLines('gives', task.name, type?.output_parameters ?? {}),
      ];
    }),
  ];
  const text = lines.join('\n');
  return text.length <= longest ? text : `${text.slice(0, longest - 4)} ...`;
}

function after({ dependencies }: ProtocolTask): string {
  return dependencies.length === 0 ? '' : `, after ${dependencies.join(', ')}`;
}

function parameterLines(verb: string, task: string, specs: ParameterSpecs, bound?: ProtocolTask): string[] {
  return Object.entries(specs).map(([name, spec]) => {
    const binding = bound?.parameters[name];
    const value =
      binding?.kind === 'literal'
        ? `, here ${JSON.stringify(binding.value)}`
        : binding?.kind === 'reference'
          ? `, here ${binding.task}.${binding.parameter}`
          : '';
    return `  ${verb} ${task}.${name} (${formOf(spec)}${value})${spec.desc === '' ? '' : `: ${spec.desc}`}`;
  });
}

function formOf(spec: ParameterSpec): string {
  switch (spec.type) {
    case 'int':
    case 'float':
      return [
        spec.type,
        spec.unit,
        spec.min !== undefined && `from ${spec.min}`,
        spec.max !== undefined && `to ${spec.max}`,
      ]
        .filter(Boolean)
        .join(' ');
    case 'choice':
      return `one of ${JSON.stringify(spec.choices)}`;
    case 'list':
      return `list of ${spec.element_type}`;
    default:
      return spec.type;
  }
}
