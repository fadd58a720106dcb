import type { optimizerEn } from '../en/optimizer.js';

/** The texts about the optimizer of a campaign in German. */
export const optimizerDe: Record<keyof typeof optimizerEn, string> = {
  'optimizer.title': 'Der Optimierer',
  'optimizer.opening': 'wird hergestellt',
  'optimizer.ready': 'kann gefragt werden',
  'optimizer.waiting': 'antwortet nicht',
  'optimizer.closed': 'wird nicht mehr gefragt',
  'optimizer.worker': 'auf dem Worker {worker}',
  'optimizer.settings': 'Einstellungen des Optimierers',
  'optimizer.change': 'Seine Einstellungen ändern',
  'optimizer.change.effect':
    'Die Änderung gilt ab dem nächsten Vorschlag. Vorschläge, die auf ihren Lauf warten, bleiben wie sie sind.',
  'optimizer.insight': 'Was er wissen soll',
  'optimizer.insight.give': 'Ihm etwas mitteilen',
  'optimizer.insight.effect':
    'Die KI des Optimierers bekommt dies mit ihren nächsten Vorschlägen, bis einer davon gelingt. Schreiben Sie kein Geheimnis.',
  'optimizer.insight.used': 'verwendet',
  'optimizer.insight.waits': 'noch nicht verwendet',
  'optimizer.insight.by': 'von {by}, {time}',
  'optimizer.insights': 'Was Menschen ihm mitgeteilt haben',
  'optimizer.journal': 'Wie er die letzten Punkte gefunden hat',
  'optimizer.limits': 'vorzeitig beendet: {limits}',
};
