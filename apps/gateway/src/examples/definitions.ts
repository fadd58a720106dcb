const one = <T>(summary: string, value: T) => ({ example: { summary, value } });

export const labSelections = one('One laboratory', { lab_types: ['color_lab'] });

export const protocolSelections = one('One protocol', { protocol_types: ['color_mixing'] });

export const protocolTexts = one('A misspelt task type', {
  protocol_yaml: [
    'type: mix_once',
    'desc: One color',
    'labs: [color_lab]',
    'tasks:',
    '  - name: mix',
    '    type: mix_colours',
  ].join('\n'),
});
