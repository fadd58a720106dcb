import { secretField, type JsonValue, type TaskParameters } from '@lab/contracts';
import type { ParameterSpec, ParameterSpecs, ProtocolSnapshot, ProtocolTask } from '@lab/definitions/model';

/** Greatest length of the text in characters. It limits the cost of a request to a language model. */
const longest = 12_000;
/** Greatest length of one value in characters. */
const longestValue = 200;

/**
 * Describes the tasks of a protocol and their parameters for a language model that chooses parameters (specification,
 * endpoint rule 9: "protocol context").
 *
 * @param given values that the campaign gives, for example what it searches for; they come first, so that the limit of the
 *   length leaves them in the text
 * @returns at most 12,000 characters, without the values of secret fields
 */
export function protocolText(
  { protocol, tasks: types }: ProtocolSnapshot,
  given: TaskParameters = {},
): string {
  const lines = [
    `${protocol.type}: ${protocol.desc}`,
    ...Object.entries(given).flatMap(([task, values]) =>
      Object.entries(values).map(([name, value]) => `- given: ${task}.${name} is ${valueText(name, value)}`),
    ),
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
        ? `, here ${valueText(name, binding.value)}`
        : binding?.kind === 'reference'
          ? `, here ${binding.task}.${binding.parameter}`
          : bound !== undefined && binding === undefined && spec.value !== undefined
            ? `, here ${valueText(name, spec.value)}`
            : '';
    return `  ${verb} ${task}.${name} (${formOf(spec)}${value})${spec.desc === '' ? '' : `: ${spec.desc}`}`;
  });
}

function valueText(name: string, value: JsonValue): string {
  if (secretField.test(name)) return '***';
  const text = JSON.stringify(value, (key, each: JsonValue) => (secretField.test(key) ? '***' : each));
  return text.length <= longestValue ? text : `${text.slice(0, longestValue - 4)} ...`;
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
