import type { queueEn } from '../en/queue.js';

/** The texts of the queue in German. */
export const queueDe: Record<keyof typeof queueEn, string> = {
  'nav.queue': 'Warteschlange',
  'queue.title': 'Warteschlange',
  'lab.choice': 'Labor',
  'lab.all': 'Alle Labore',
  'queue.lab.one': 'Nur Tasks, die ein Gerät von {lab} nutzen können, mit ihren Plätzen unter allen.',
  'queue.summary':
    '{waiting, plural, one {# Task wartet} other {# Tasks warten}}, {ready} davon startbereit. {running, plural, one {# läuft} other {# laufen}}.',
  'queue.drained':
    '{by} lässt die Warteschlange leerlaufen: Kein weiterer Lauf und kein weiterer Task auf Anforderung beginnt.',
  'queue.order.greedy':
    'Startbereite Tasks gehen vor. Unter ihnen geht die höhere Priorität vor. Die Priorität wächst je 10 Minuten Wartezeit um 1. Bei gleicher entscheidet der frühere späteste Start des Protokolls, dann die längere Wartezeit. Ein Task, dem nichts fehlt, beginnt vor einem Task, der warten muss.',
  'queue.order.cpsat':
    'Die Tasks stehen in der Reihenfolge ihrer geplanten Starts. Der Plan wägt die Priorität ab. Tasks ohne Plan folgen: die höhere Priorität zuerst, die je 10 Minuten Wartezeit um 1 wächst, dann die längere Wartezeit.',
  'queue.running': 'Läuft',
  'queue.running.none': 'Kein Task läuft.',
  'queue.running.since': 'seit {time}, {age}',
  'queue.running.end': 'endet etwa {time}',
  'queue.waiting': 'Wartet, in Reihenfolge',
  'queue.waiting.none': 'Kein Task wartet.',
  'queue.place': 'Platz {position}',
  'queue.since': 'wartet seit {age}',
  'queue.starts': 'geplant für {time}',
  'queue.why.planned': 'Platz nach dem geplanten Start; Priorität {priority}',
  'queue.why.unready': 'hinter allen startbereiten; Priorität {priority}',
  'queue.why.aged': 'Priorität {priority}, durch das Warten auf {effective} erhöht',
  'queue.why.priority': 'Priorität {priority}',
  'list.more': '{count} weitere zeigen',
  'list.shown': 'Die ersten {count} sind zu sehen.',
  'queue.pause': 'Warteschlange anhalten',
  'queue.pause.title': 'Die Warteschlange des ganzen Dienstes anhalten?',
  'queue.pause.effect':
    'Kein weiterer Task beginnt, in keinem Labor. {running, plural, =0 {Kein Task läuft.} one {# laufender Task geht zu Ende.} other {# laufende Tasks gehen zu Ende.}} {waiting, plural, =0 {Kein Task wartet.} one {# Task wartet, bis jemand die Warteschlange fortsetzt.} other {# Tasks warten, bis jemand die Warteschlange fortsetzt.}} Läufe behalten ihre Geräte.',
  'queue.resume.title': 'Die Warteschlange fortsetzen?',
  'queue.resume.effect':
    '{ready, plural, =0 {Kein Task ist startbereit.} one {# Task ist startbereit und kann sofort beginnen.} other {# Tasks sind startbereit und können sofort beginnen.}} Sehen Sie zuerst die Geräte an.',
  'queue.move': 'Platz ändern',
  'queue.move.title': 'Platz von {task}',
  'queue.scope': 'Was soll den Platz ändern?',
  'queue.scope.cancel': 'Was soll abgebrochen werden?',
  'queue.scope.task': 'Nur der Task {task}',
  'queue.scope.run': 'Der Lauf {run} mit seinen Tasks ({count} davon in der Liste)',
  'queue.scope.campaign': 'Die Kampagne {campaign} mit ihren Läufen ({count} Tasks in der Liste)',
  'queue.move.first': 'Zuerst',
  'queue.move.earlier': 'Früher',
  'queue.move.later': 'Später',
  'queue.move.last': 'Zuletzt',
  'queue.priority': 'Priorität',
  'queue.priority.hint': 'Eine ganze Zahl von {min} bis {max}. Höhere geht vor. Sie ist jetzt {priority}.',
  'queue.move.effect':
    'Er geht vor {before} von {others, plural, one {# anderen Task} other {# anderen Tasks}}, die in der Liste warten.',
  'queue.move.alone': 'In der Liste wartet keine andere Arbeit.',
  'queue.move.same': 'Dies ist schon seine Priorität. Nichts ändert sich.',
  'queue.move.plan':
    'Der Dienst plant neu. Der Plan kann trotzdem einen anderen Task zuerst beginnen, dessen Geräte frei sind.',
  'queue.move.running': 'Laufende Tasks werden nicht unterbrochen.',
  'queue.move.do': 'Priorität {priority} setzen',
  'queue.cancel': 'Abbrechen',
  'queue.cancel.title': '{task} abbrechen?',
  'queue.cancel.effect.task': 'Der Task beginnt nie, und sein Lauf {run} schlägt fehl.',
  'queue.cancel.effect.alone': 'Der Task beginnt nie.',
  'queue.cancel.effect.work':
    'Laufende Tasks werden mitten in ihrem Tun angehalten, und kein weiterer beginnt. Was getan ist, bleibt getan. Sehen Sie danach nach den Geräten.',
  'queue.cancel.do': 'Ja, abbrechen',
};
