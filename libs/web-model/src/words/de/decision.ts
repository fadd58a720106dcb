import type { decisionEn } from '../en/decision.js';

/** The texts about who decides a question, and about what is known of it, in German. */
export const decisionDe: Record<keyof typeof decisionEn, string> = {
  'claim.mine': 'Sie entscheiden seit {age}',
  'claim.until': 'Andere sehen das bis {time}.',
  'claim.other': '{by} entscheidet seit {age}',
  'claim.somebody': 'Jemand entscheidet seit {age}',
  'claim.none': 'Niemand hat gesagt, dass er entscheidet',
  'claim.do': 'Ich entscheide',
  'claim.do.effect':
    'Andere sehen das dann 10 min lang. Sie dürfen trotzdem entscheiden. Die Seite sagt es auch, sobald Sie das Formular ausfüllen.',
  'claim.release': 'Ich entscheide nicht mehr',
  'claim.take': 'Übernehmen',
  'claim.take.effect':
    'Fragen Sie zuerst {by}. Sie dürfen trotzdem entscheiden, und das Protokoll nennt dann beide. „Übernehmen“ zeigt Ihren Namen an seiner Stelle.',
  'claim.failed': 'Andere sehen nicht, was Sie tun. {reason}',
  'calls.title': 'Was die Geräte zuletzt taten',
  'calls.none': 'Kein Aufruf ist bekannt, der ein Gerät verändert.',
  'calls.done':
    '{call} an {device} endete ohne Fehler, {age} vor {moment, select, stop {dem Stopp} end {dem Ende des Tasks} other {der Frage}}.',
  'calls.failed':
    '{call} an {device} endete mit einem Fehler, {age} vor {moment, select, stop {dem Stopp} end {dem Ende des Tasks} other {der Frage}}: {error}',
  'calls.last': '{call} an {device} ist der letzte Aufruf, der endete.',
  'calls.doubt': '{call} an {device} wurde gesendet, und das Ende ist nicht bestätigt.',
  'calls.doubt.since':
    '{call} an {device} wurde {age} vor {moment, select, stop {dem Stopp} end {dem Ende des Tasks} other {der Frage}} gesendet, und das Ende ist nicht bestätigt.',
  'outputs.output_parameters': 'Ergebnisse des Tasks',
  'outputs.output_resources': 'Ressourcen, wie der Task sie hinterließ',
};
