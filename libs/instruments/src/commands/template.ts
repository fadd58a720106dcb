import type { JsonObject, JsonValue } from '@lab/sdk';

/** A command with places for arguments: `SOUR:VOLT {volts}`, or `{volts:3}` for three decimals. */
const place = /\{([A-Za-z_]\w*)(?::(\d{1,2}))?\}/g;

/** The names of the arguments of a template. */
export function placesOf(template: string): string[] {
  return [...template.matchAll(place)].map(([, name = '']) => name);
}

/**
 * Fills a template.
 *
 * @param forbidden characters that would end the command, or begin another one
 * @throws RangeError when an argument could be read as another command
 */
export function filled(template: string, given: JsonObject, forbidden: RegExp): string {
  if (!template.includes('{')) return template;
  return template.replaceAll(place, (_, name: string, digits: string | undefined) => {
    const text = textOf(given[name] ?? '', digits === undefined ? undefined : Number(digits));
    if (forbidden.test(text))
      throw new RangeError(`${name}: "${text}" has a character that could begin another command`);
    return text;
  });
}

function textOf(value: JsonValue, digits: number | undefined): string {
  if (Array.isArray(value)) return value.map((each) => textOf(each, digits)).join(',');
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number' && digits !== undefined) return value.toFixed(digits);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Recognises the commands that a template makes. The groups of the pattern are the arguments. */
export function patternOf(template: string): RegExp {
  const parts = template.split(place);
  // Each place adds its name and its digits to the parts.
  const texts = parts
    .filter((_, index) => index % 3 === 0)
    .map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${texts.join('(.*?)')}$`);
}
