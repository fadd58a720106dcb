import { createHash } from 'node:crypto';
import { longestPage, type ServiceSummary } from '@lab/contracts';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin: 0; }
  h2 { font-size: 1rem; margin: 1.2rem 0 0.3rem; }
  p, ul { margin: 0.2rem 0; }
  th { text-align: left; font-weight: normal; padding-right: 1.5rem; }
  td { padding-right: 1.5rem; }
  .ok { color: #17692f; }
  .degraded { color: #8a5a00; }
  .unavailable { color: #b3261e; }
`;

/** The page has no script. The browser applies only this style and loads only the icon of the service. */
export const homePolicy =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
  "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const toTry = [
  ['npx svc list devices', 'the devices and what they do now'],
  ['npx svc queue', 'the tasks that wait, and why'],
  ['npx svc attention', 'the decisions that wait for a person'],
] as const;

/**
 * The summary of the service as a page of one screen.
 *
 * @param maySeeWork whether the caller may see how much work there is
 */
export function homePage(
  { name, version, health, work, links }: ServiceSummary,
  maySeeWork: boolean,
): string {
  const parts = Object.entries(health.parts).map(
    ([part, { status, detail = '' }]) =>
      `<tr><th>${escaped(part)}</th><td class="${status}">${status}</td><td>${escaped(detail)}</td></tr>`,
  );
  const commands = toTry.map(([command, shows]) => `<li><code>${command}</code>: ${shows}</li>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(name)}</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <style>${style}</style>
  </head>
  <body>
    <h1>${escaped(name)}</h1>
    <p>Version ${escaped(version)}. State: <strong class="${health.status}">${health.status}</strong>.</p>
    <h2>Work</h2>
    <p>${workText(work, maySeeWork)}</p>
    <h2>Parts</h2>
    <table>${parts.join('')}</table>
    <h2>Read</h2>
    <p>
      <a href="${links.api}">REST interface</a>, <a href="${links.guide}">guide</a>,
      <a href="${links.health}">health</a>, <a href="${links.metrics}">metrics</a>
    </p>
    <h2>Try</h2>
    <ul>${commands.join('')}</ul>
  </body>
</html>
`;
}

function workText(work: ServiceSummary['work'], maySeeWork: boolean): string {
  if (!maySeeWork) return 'Only a caller with a token sees how much work there is.';
  if (work === null) return 'The service cannot tell at this moment.';
  const { waiting, running, open_questions: open } = work;
  const questions = `${open}${open < longestPage ? '' : ' or more'} ${open === 1 ? 'question' : 'questions'}`;
  return `${running} running, ${waiting} waiting, ${questions} open for a person.`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
