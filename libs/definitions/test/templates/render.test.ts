import { describe, expect, it, vi } from 'vitest';
import { render } from '../../src/templates/render.js';

const text = (template: string): string => {
  const result = render(template);
  if (!result.ok) throw new Error(result.error.message);
  return result.text;
};
/** @param now the clock of the time limit */
const fault = (template: string, now?: () => number): string => {
  const result = render(template, now);
  if (result.ok) throw new Error(`rendered: ${result.text.slice(0, 80)}`);
  const { message, position } = result.error;
  return `${position ? `${position.line}:${position.column}` : '-'} ${message}`;
};

describe('helpers', () => {
  it.each([
    ['{{add 1 2 3}} {{subtract 5 2}} {{multiply 2 3}} {{divide 7 2}} {{modulo -1 3}}', '6 3 6 3.5 2'],
    [
      '{{min 3 1}} {{max 3 1}} {{abs -2}} {{floor 1.7}} {{ceil 1.2}} {{round 1.256 2}} {{fixed 2 2}}',
      '1 3 2 1 2 1.26 2.00',
    ],
    ['{{#if (and (eq 1 1) (ne 1 2) (lt 1 2) (le 2 2) (gt 2 1) (ge 2 2))}}yes{{else}}no{{/if}}', 'yes'],
    ['{{#if (or false (not true))}}yes{{else}}no{{/if}}', 'no'],
    ['{{concat "a" 1 true}} {{upper "ab"}} {{lower "AB"}} [{{trim " x "}}]', 'a1true AB ab [x]'],
    [
      '{{replace "a-b-c" "-" "_"}} {{pad 7 3}} {{pad "x" 3 "."}} {{join (list 1 2) "+"}} {{quote "a: \\"b"}}',
      'a_b_c 007 ..x 1+2 "a: \\"b"',
    ],
    [
      '{{#each (range 3)}}{{this}}{{/each}} {{join (range 1 4)}} {{join (range 4 0 -2)}} {{length (range 9)}}',
      '012 1, 2, 3 4, 2 9',
    ],
    ['{{lookup (list "a" "b") 1}}', 'b'],
    ['{{set n=2 s="<&"}}{{n}}{{s}}{{#each (list 1)}}{{@root.n}}{{/each}}', '2<&2'],
    ['{{#range 0 2 as |i|}}{{#range 0 2 as |j|}}{{i}}{{j}} {{/range}}{{/range}}', '00 01 10 11 '],
    ['{{#*inline "m"}}[{{name}}]{{/inline}}{{> m name="a"}}{{> m name="b"}}', '[a][b]'],
    ['a: \\{{x}}', 'a: {{x}}'],
    ['no expressions { }', 'no expressions { }'],
  ])('%s makes %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['a\n  {{add 1 "x"}}', '2:3 add: expects a number, not "x"'],
    ['{{divide 1 0}}', '1:1 divide: the result is not a finite number'],
    ['{{range 0 5 0}}', '1:1 range: the step must not be 0'],
    ['{{range 100000}}', '1:1 range: 100000 elements, but at most 1000 are allowed'],
    ['{{not}}', '1:1 not: expects 1 argument, not 0'],
    ['{{lt 1 "a"}}', '1:1 lt: expects two numbers or two texts, not 1 and "a"'],
    ['{{lookup (list 1) 5}}', '1:1 lookup: there is no element "5"'],
    ['{{set 5}}', '1:1 set: write {{set name=value}}'],
  ])('%s leads to the fault: %s', (template, expected) => {
    expect(fault(template)).toBe(expected);
  });
});

describe('the faults of templates', () => {
  it('name undefined variables with their line', () => {
    expect(fault('a: 1\nb: {{nope}}')).toBe('2:6 "nope" is not defined');
    expect(fault('a: 1\n{{#each (nope 1)}}x{{/each}}')).toBe('2:9 there is no helper "nope"');
    expect(fault('{{> nope}}')).toBe('1:1 there is no inline partial "nope" here');
  });

  it('include single carriage returns, which make lines uncountable', () => {
    expect(fault('a: 1\nb: 2\rc: 3')).toBe('2:5 the file holds a carriage return without a line feed');
    expect(fault('a: 1\r\nb: {{nope}}')).toBe('2:6 "nope" is not defined');
  });

  it('include adjacent braces', () => {
    const result = render('a: {b: {{add 1 2}}}');
    expect(result.ok ? null : result.error.hint).toMatch(/three braces/);
  });

  it.each([
    ['{{constructor}}'],
    ['{{__proto__}}'],
    ['{{toString}}'],
    ['{{set a="x"}}{{a.constructor}}'],
    ['{{lookup (list 1) "constructor"}}'],
    ['{{log 1}}'],
    ['{{helperMissing 1}}'],
    ['{{> (lookup (list "a") 0)}}'],
  ])('%s reaches no prototype and nothing outside', (template) => {
    expect(render(template).ok).toBe(false);
  });

  it.each([
    [
      'loops in loops',
      '{{#range 0 500}}{{#range 0 500}}{{#range 0 500}}x{{/range}}{{/range}}{{/range}}',
      /steps/,
    ],
    ['long text in a loop', `{{#range 0 1000}}${'x'.repeat(10_000)}{{/range}}`, /characters/],
    [
      'a growing variable',
      '{{set s="xxxxxxxxxx"}}{{#range 0 50}}{{set s=(concat @root.s @root.s)}}{{/range}}',
      /1000 characters/,
    ],
    ['a partial within itself', '{{#*inline "a"}}{{> a}}{{/inline}}{{> a}}', /50 deep/],
    [
      'partials that double',
      '{{#*inline "a"}}{{#if (lt d 40)}}{{> a d=(add d 1)}}{{> a d=(add d 1)}}{{/if}}{{/inline}}{{> a d=0}}',
      /steps/,
    ],
  ])('%s end within their limits', (_name, template, expected) => {
    // The clock stands still: the limit of steps or text must end it, however slow the machine is.
    expect(fault(template, () => 0)).toMatch(expected);
  });
});

describe('the time limit of a file', () => {
  it('ends templates after 500 ms at any place', () => {
    let time = 0;
    const slow = (step: number) => () => (time += step);
    const template = '{{#range 0 100 as |i|}}{{add i 1}} {{/range}}';
    expect(render(template, slow(1)).ok).toBe(true);
    const result = render(template, slow(10));
    expect(result.ok ? '' : result.error.message).toBe('the template takes longer than 500 ms');
  });

  it('leaves out the time in which the process waits for a processor', () => {
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 10_000));
    try {
      expect(render('{{add 1 1}}')).toMatchObject({ ok: true, text: '2' });
    } finally {
      clock.mockRestore();
    }
  });

  it('excludes files with too many expressions for the parser', () => {
    expect(fault('{{add 1 1}}'.repeat(1_001))).toMatch(/at most 1000/);
    const before = performance.now();
    expect(render('{{add 1 1}}'.repeat(1_000), () => 0).ok).toBe(true);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

describe('positions', () => {
  it('of rendered text refer to the template', () => {
    const template = [
      'a: 1',
      '{{set n=5}}',
      '{{#*inline "dev"}}',
      '  {{name}}: {speed: MARK1}',
      '{{/inline}}',
      '{{#range 0 2 as |i|}}',
      'd{{i}}: MARK2',
      '{{/range}}',
      '{{> dev name="x"}}',
      'z: {{concat "MARK" 3}} MARK4',
    ].join('\n');
    const result = render(template);
    if (!result.ok) throw new Error(result.error.message);
    const at = (mark: string): string => {
      const { line, column } = result.map.at(result.text.lastIndexOf(mark));
      return `${line}:${column}`;
    };
    expect(at('MARK1')).toBe('4:21');
    expect(at('MARK2')).toBe('7:9');
    expect(at('MARK3')).toBe('10:4');
    expect(at('MARK4')).toBe('10:24');
    expect(result.text).not.toMatch(/[\uE000\uE001]/);
  });
});
