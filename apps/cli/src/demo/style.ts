import { styleText } from 'node:util';
import type { RunState, TaskRunState } from '@lab/contracts';

type Color = Parameters<typeof styleText>[0];

const colorOf: Record<TaskRunState | RunState, Color> = {
  created: 'gray',
  queued: 'gray',
  running: 'cyan',
  paused: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'yellow',
  skipped: 'gray',
  needs_attention: 'magenta',
};

/** A state in its colour. */
export function paintState(state: TaskRunState | RunState): string {
  return styleText(colorOf[state], state);
}

/** One character for a state. */
export function glyphOf(state: TaskRunState): string {
  const glyphs: Record<TaskRunState, string> = {
    created: '·',
    queued: '○',
    running: '◐',
    completed: '●',
    failed: '✗',
    cancelled: '⊘',
    skipped: '–',
    needs_attention: '?',
  };
  return styleText(colorOf[state], glyphs[state]);
}

/** A bar of `width` characters, filled to `fraction` (0 to 1). */
export function progressBar(fraction: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * width);
  return styleText('green', '█'.repeat(filled)) + styleText('gray', '░'.repeat(width - filled));
}

/** Two cells in a color of the screen. */
export function swatch(rgb: readonly [number, number, number]): string {
  const [r, g, b] = rgb.map((value) => Math.round(Math.min(255, Math.max(0, value))));
  return `\u001b[48;2;${r};${g};${b}m    \u001b[0m`;
}

export function heading(text: string): string {
  return styleText('bold', text);
}

export function faint(text: string): string {
  return styleText('gray', text);
}
