/** The texts about who decides a question, and about what is known of it, in English. */
export const decisionEn = {
  'claim.mine': 'You have been deciding for {age}',
  'claim.until': 'Others see it until {time}.',
  'claim.other': '{by} has been deciding for {age}',
  'claim.somebody': 'Somebody has been deciding for {age}',
  'claim.none': 'Nobody has said that they are deciding',
  'claim.do': 'I am deciding',
  'claim.do.effect':
    'Others then see it for 10 min. They may decide all the same. The page also says it when you fill in the form.',
  'claim.release': 'I am not deciding any more',
  'claim.take': 'Take over',
  'claim.take.effect':
    'Ask {by} first. You may decide all the same, and the audit then names both. "Take over" shows your name in place of theirs.',
  'claim.failed': 'Others do not see what you are doing. {reason}',
  'calls.title': 'What the devices did last',
  'calls.none': 'No call that changes a device is known.',
  'calls.done':
    '{call} on {device} ended without an error, {age} before {moment, select, stop {the stop} end {the task ended} other {the service asked}}.',
  'calls.failed':
    '{call} on {device} ended with an error, {age} before {moment, select, stop {the stop} end {the task ended} other {the service asked}}: {error}',
  'calls.last': '{call} on {device} is the last call that ended.',
  'calls.doubt': '{call} on {device} was sent, and its end is not confirmed.',
  'calls.doubt.since':
    '{call} on {device} was sent {age} before {moment, select, stop {the stop} end {the task ended} other {the service asked}}, and its end is not confirmed.',
  'outputs.output_parameters': 'Outputs of the task',
  'outputs.output_resources': 'Resources as the task left them',
} as const;
