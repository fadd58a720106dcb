import { expect, it } from 'vitest';
import { render } from '../../src/templates/index.js';

const faultOf = (template: string) => {
  const rendered = render(template);
  if (rendered.ok) throw new Error(`it rendered: ${rendered.text}`);
  return rendered.error;
};

it.each([
  ['{{set n=2}}a: { volume: {{n}} }', 'a: { volume: 2 }'],
  ['{{set n=2}}a: { volume: {{{n}}} }', 'a: { volume: 2 }'],
  ['{{!-- a comment --}}a: 1', 'a: 1'],
  ['{{set n=2}}a: {{add n 1}}, {{round n 2}}, {{concat "a" n}}', 'a: 3, 2, a2'],
  ['{{set l=(list 4 5)}}a: {{lookup l 0}}', 'a: 4'],
  ['{{set l=(list 4 5)}}{{#each l as |item|}}- {{item}}{{/each}}', '- 4- 5'],
  ['{{#range 0 3 as |i|}}{{i}}{{/range}}{{#if true}}x{{else}}y{{/if}}', '012x'],
  ['a: "100 {%}"', 'a: "100 {%}"'],
])('the forms that the hints advise can be rendered: %s', (template, text) => {
  const rendered = render(template);
  expect(rendered.ok ? rendered.text : rendered.error).toBe(text);
});

it.each([
  ['{{set n=2}}a: {volume: {{n}}}', /^three braces .* \{ volume: \{\{name\}\} \}$/, [1, 27]],
  ['{{set n=2}}a: {{{n}} }', /^three braces/, [1, 15]],
  ['a: 1\nb: {{ n | round }}', /no operators, filters/, [2, 4]],
  ['a: {{ n + 1 }}', /\{\{add n 1\}\}/, [1, 4]],
  ['a: {{ n*2 }}', /no operators/, [1, 4]],
  ['a: {{ range(3) }}', /calls/, [1, 4]],
  ["a: {{ n['a'] }}", /\{\{lookup list 0\}\}/, [1, 4]],
  ['{{#if true}}', /not closed/, [1, 1]],
  ['a: 1 {{/if}}', /no block is open/, [1, 6]],
  ['{{else}}', /^else belongs/, [1, 1]],
  ['a: {{name', /^an expression is/, [1, 1]],
  ['a: 1\n  {% for i in range(3) %}\n- {{ i }}', /\{\{#range 0 3 as \|i\|\}\}/, [2, 3]],
  ['{% set n = 2 %}\na: 3', /^write \{\{set name=value\}\}$/, [1, 1]],
  ['a: {% if x %}{{ x }}{% endif %}', /not evaluated: write \{\{#if name\}\}/, [1, 17]],
  ['{# a comment #}\na: 1', /\{\{!-- \.\.\. --\}\}/, [1, 1]],
  ['{{#for i in list}}{{/for}}', /\{\{#each list as \|item\|\}\}/, [1, 1]],
])('an error says what to write instead: %s', (template, hint, [line, column]) => {
  const fault = faultOf(template);
  expect(fault.hint).toMatch(hint);
  expect(fault.position).toEqual({ line, column });
});
