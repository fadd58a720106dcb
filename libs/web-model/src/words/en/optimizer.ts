/** The texts about the optimizer of a campaign in English. */
export const optimizerEn = {
  'optimizer.title': 'Optimizer',
  'optimizer.opening': 'is being made',
  'optimizer.ready': 'can be asked',
  'optimizer.waiting': 'does not answer',
  'optimizer.closed': 'is not asked any more',
  'optimizer.worker': 'on the worker {worker}',
  'optimizer.settings': 'Settings of the optimizer',
  'optimizer.change': 'Change its settings',
  'optimizer.change.effect':
    'The change applies to the next proposal. Proposals that wait for their run stay as they are.',
  'optimizer.insight': 'What it should know',
  'optimizer.insight.give': 'Tell it something',
  'optimizer.insight.effect':
    'The AI of the optimizer gets this with its next suggestions, until one of them succeeds. Write no secret.',
  'optimizer.insight.used': 'used',
  'optimizer.insight.waits': 'not used yet',
  'optimizer.insight.by': '{by}, {time}',
  'optimizer.insights': 'What people told it',
  'optimizer.journal': 'How it found the latest points',
  'optimizer.limits': 'ended early: {limits}',
} as const;
