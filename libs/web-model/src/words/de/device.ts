import type { deviceEn } from '../en/device.js';

/** The texts of the page of a device in German. */
export const deviceDe: Record<keyof typeof deviceEn, string> = {
  'device.title': 'Gerät {device}',
  'device.functions': 'Funktionen',
  'device.functions.none': 'Es hat keine Funktionen, die man aufrufen kann.',
  'device.functions.unread': 'Die Seite versteht die Parameter dieser Funktion nicht.',
  'device.queries': 'Fragen',
  'device.queries.hint': 'Diese Funktionen lesen nur. Man darf sie jederzeit aufrufen.',
  'device.effects': 'Handeln',
  'device.effects.hint':
    'Diese Funktionen können das Gerät bewegen. Der Aufruf geht geradewegs zu ihm: Der Dienst prüft kein Protokoll. Sehen Sie zuerst nach dem Gerät.',
  'device.call': '{name} aufrufen',
  'device.calling': 'Aufruf seit {age} ...',
  'device.limit': 'höchstens {seconds} s',
  'device.answer': 'Antwort von {name}, {time}',
  'device.answer.none': 'Es ist getan und gab nichts zurück.',
  'device.call.failed': 'Der Aufruf ist fehlgeschlagen. {reason}',
  'device.force': 'Aufrufen, obwohl {task} das Gerät benutzt',
  'device.force.effect':
    'Der Task geht weiter und weiß nichts von dem Aufruf. Im Gerät kann eine Probe sein. Der Aufruf und Ihr Grund stehen im Protokoll.',
  'device.force.reason': 'Grund',
  'device.force.missing': 'Geben Sie einen Grund an.',
  'device.may_not': 'Zum Aufrufen von Funktionen braucht es die Rolle operator.',
  'device.unchecked': 'Das Gerät erklärt keine Parameter. Es bekommt diese Argumente, wie sie sind.',
  'device.log': 'Letzte Zeilen seiner Ausgabe',
  'device.history': 'Was es getan hat',
  'device.files': 'Dateien, die es geschrieben hat',
  'device.files.loose': 'zu keinem Task',
  'device.report': 'Seinen Bericht lesen',
  'device.report.title': 'Bericht',
  'device.doubt': 'Niemand weiß, ob {name} ausgeführt wurde.',
  'device.by.task': 'von {task}',
};
