import type { usageEn } from '../en/usage.js';

/** The texts about quotas and their use in German. */
export const usageDe: Record<keyof typeof usageEn, string> = {
  'usage.title': 'Belegung und Kontingente',
  'usage.all': 'Was alle Besitzer und alle Labore gespeichert haben, die vollsten zuerst.',
  'usage.own':
    'Was Sie gespeichert haben, und was die Labore gespeichert haben, für die Sie eine Rolle haben. Die vollsten stehen vorn.',
  'usage.kind': 'Gezeigt',
  'usage.kind.all': 'Besitzer und Labore',
  'usage.kind.owner': 'Besitzer',
  'usage.kind.lab': 'Labore',
  'usage.owner': 'Besitzer',
  'usage.lab': 'Labor',
  'usage.nobody': 'Arbeit ohne Besitzer',
  'usage.none': 'Nichts ist gespeichert.',
  'usage.state.used_up': 'voll: weitere Arbeit wird abgelehnt',
  'usage.state.nearly_used': 'fast voll',
  'usage.state.room': 'hat Platz',
  'usage.state.no_limit': 'keine Grenze',
  'usage.records': 'Task-Läufe',
  'usage.records.limited': '{used} von {most} Task-Läufen, {share} %',
  'usage.records.free': '{used} Task-Läufe, keine Grenze',
  'usage.bytes': 'Dateien',
  'usage.bytes.limited': '{used} von {most} in {files, plural, one {# Datei} other {# Dateien}}, {share} %',
  'usage.bytes.free': '{used} in {files, plural, one {# Datei} other {# Dateien}}, keine Grenze',
  'usage.size.kb': '{count} kB',
  'usage.size.mb': '{count} MB',
  'usage.size.gb': '{count} GB',
  'usage.guide': 'Was zählt, und wie Platz entsteht',
};
